"""A chat message history in a session frame."""

from __future__ import annotations

import uuid
import warnings
from collections.abc import Sequence
from typing import Any

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # newer versions advise to use a graph's state: see FrameCheckpointSaver
    from langchain_core.chat_history import BaseChatMessageHistory
    from langchain_core.messages import BaseMessage, message_to_dict, messages_from_dict

from session_frames.langchain.workspaces import Folder, workspace_of
from session_frames.workspace import message_histories


class FrameChatMessageHistory(BaseChatMessageHistory):
    """The messages of one session id, kept as an active frame of the repository around ``folder``.

    Each use of one id in one repository is the same history, until it is closed or cleared: then the id begins a new
    one. ``reopen`` goes on with the newest that was closed. Secrets are redacted before anything is written.
    """

    def __init__(self, session_id: str, folder: Folder = ".", *, reopen: bool = False) -> None:
        self.session_id = session_id
        self.reopen = reopen
        self._workspace = workspace_of(folder)
        message_histories.open_frame_id(self._workspace, session_id)  # an id that can't be one is refused here

    @staticmethod
    def new_session_id() -> str:
        """An id that no other conversation has."""
        return str(uuid.uuid4())

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]
        """The messages, oldest first."""
        return messages_from_dict(message_histories.messages_of(self._workspace, self.session_id, reopen=self.reopen))

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Put messages behind the others."""
        given: list[dict[str, Any]] = [message_to_dict(message) for message in messages]
        message_histories.add_messages(self._workspace, self.session_id, given, reopen=self.reopen)

    def clear(self) -> None:
        """Begin anew: the session has no messages then. What was said stays in the private area."""
        message_histories.clear(self._workspace, self.session_id)

    def close(self, topic: str = "") -> str:
        """Close the session's frame as ``frames close`` does; the path of its file, "" where it is kept privately."""
        return message_histories.close(self._workspace, self.session_id, topic).path

    @property
    def frame_id(self) -> str:
        """The id of the active frame, "" before the first message."""
        return message_histories.open_frame_id(self._workspace, self.session_id)
