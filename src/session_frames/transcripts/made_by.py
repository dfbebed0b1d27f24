"""The mark of a session that frames wrote for an agent: the agent passes over it, readers tell the original."""

from __future__ import annotations

from session_frames.transcripts.base import Record, dict_of, text_of

MADE_BY = "made_by_frames"


def original_session(facts: Record) -> str:
    """The id of the session that this one was made from, "" where the agent itself began it."""
    return text_of(dict_of(facts.get(MADE_BY)).get("session"))
