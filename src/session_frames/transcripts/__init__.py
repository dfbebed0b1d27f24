"""Transcript formats: one module each, listed in one table."""

from __future__ import annotations

from importlib import import_module
from typing import cast

from session_frames.transcripts.base import TranscriptFormat

# In the order in which they are asked whether a file is theirs: the narrowest first.
FORMATS: dict[str, str] = {
    "claude-code": "session_frames.transcripts.claude_code",
    "codex": "session_frames.transcripts.codex",
    "copilot-cli": "session_frames.transcripts.copilot_cli",
    "copilot-chat": "session_frames.transcripts.copilot_chat",
    "gemini-cli": "session_frames.transcripts.gemini_cli",
}


def get_format(name: str) -> TranscriptFormat:
    """The transcript format of that name; ``KeyError`` for an unknown one."""
    return cast(TranscriptFormat, import_module(FORMATS[name]))


def sniff_format(head: bytes) -> str | None:
    """The name of the format whose file begins like this, or None."""
    return next((name for name in FORMATS if get_format(name).sniff(head)), None)
