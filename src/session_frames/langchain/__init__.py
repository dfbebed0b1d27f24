"""Frames for LangChain and LangGraph (extra ``langchain``): message histories, and a saver of graph checkpoints.

from session_frames.langchain import FrameChatMessageHistory, FrameCheckpointSaver
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from session_frames.langchain.checkpoints import FrameCheckpointSaver as FrameCheckpointSaver
    from session_frames.langchain.history import FrameChatMessageHistory as FrameChatMessageHistory

# Name -> its module: each needs packages that the other does not.
_PLACES = {"FrameChatMessageHistory": "history", "FrameCheckpointSaver": "checkpoints"}

__all__ = ["FrameChatMessageHistory", "FrameCheckpointSaver"]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
