"""What every export says of the frame it was made from, beside the words."""

from __future__ import annotations

import json
from typing import Any

from session_frames.model import Frame
from session_frames.transcripts.session_steps import Called, Step

# Marks of a turn that an export passes on.
_TURN_MARKS = ("thread", "origin", "pinned", "pruned", "compacted", "annotation", "note")


def facts_of_frame(frame: Frame) -> dict[str, Any]:
    """The frame's id, what it is about, its session and what its file says was left out of it."""
    facts: dict[str, Any] = {"frame": frame["id"], "topic": frame["topic"]}
    for key in ("title", "session", "git", "threads", "compactions", "elided", "skipped_records"):
        value = frame.get(key)
        if value:
            facts[key] = value
    return facts


def facts_of_step(step: Step) -> dict[str, Any]:
    """The turn that a step belongs to, with its marks."""
    turn: dict[str, Any] = {**step.turn}
    return {"turn": turn["id"], **{key: turn[key] for key in _TURN_MARKS if turn.get(key)}}


def facts_of_call(call: Called) -> dict[str, Any]:
    """How a call ended, and what of it is not in the export."""
    return {"outcome": call.outcome, **({"cut": call.cut} if call.cut else {})}


def has_result(call: Called) -> bool:
    """Was a result recorded?"""
    return call.cut.get("result") != "not recorded"


def json_document(value: Any) -> str:
    """The value as an indented JSON document; lone surrogates stand as escapes."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        text = json.dumps(value, indent=2)
    return text + "\n"
