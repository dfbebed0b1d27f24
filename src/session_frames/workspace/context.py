"""Looking at the context of a frame: now, at an earlier moment, and what differs between two of them."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NamedTuple

from session_frames.errors import UsageError
from session_frames.model import Frame
from session_frames.operations.context_report import ContextChange, Limits, context_changes
from session_frames.operations.context_view import at, entries
from session_frames.operations.turn_names import select
from session_frames.workspace.context_edits import current_frame
from session_frames.workspace.core import Workspace


def limits(ws: Workspace) -> Limits:
    """What a context and its pins may take here."""
    return Limits(ws.context_budget, ws.pin_limit)


def view(ws: Workspace, name: str | None, moment: str = "") -> Frame:
    """A frame as its context is by now, or was at a moment: a turn, an event, a checkpoint's name, or a time."""
    return as_of(current_frame(ws, name), moment)


def as_of(frame: Frame, moment: str) -> Frame:
    """The frame as its context was at a moment; "" and ``now`` mean by now."""
    if moment in ("", "now"):
        return frame
    for event in reversed(frame.get("events", [])):
        data = event.get("data")
        if event["kind"] == "checkpoint" and isinstance(data, dict) and data.get("checkpoint") == moment:
            return at(frame, event["id"])
    return at(frame, moment)


class Side(NamedTuple):
    """One side of a comparison, and what it is called."""

    name: str
    frame: Frame


def sides(ws: Workspace, first: str, second: str, name: str | None) -> tuple[Side, Side]:
    """What two names mean: moments of the frame ``name`` (by default the current one), or frames.

    ``FRAME@MOMENT`` is a moment of another frame.
    """
    one, other = (_side(ws, word, name) for word in (first, second))
    return one, other


def _side(ws: Workspace, word: str, name: str | None) -> Side:
    frame, at_sign, moment = word.partition("@")
    if frame and at_sign:
        return _named(current_frame(ws, frame), moment)
    errors: list[UsageError] = []
    # A number is a turn sooner than the beginning of an id; anything else is the name of a frame sooner than a time.
    tries = [name, word] if name is not None or word.isdecimal() or word == "now" else [word, name]
    for wanted in tries if name is None else [name]:
        try:
            return _named(current_frame(ws, wanted), "" if wanted == word and name is None else word)
        except UsageError as error:
            errors.append(error)
    if name is not None:
        raise errors[0]
    raise UsageError(f"neither a frame nor a turn, event, checkpoint or time: '{word}'", hint=errors[-1].hint)


def _named(frame: Frame, moment: str) -> Side:
    told = f"{frame['id'][:6]} {frame['topic']}"
    if moment.isdecimal():
        with suppress(UsageError):
            select(frame, [moment])
            return Side(f"{told}, turn {moment}", as_of(frame, moment))
    return Side(f"{told}, {moment or 'now'}", as_of(frame, moment))


def compared_contexts(one: Side, other: Side) -> list[ContextChange]:
    """What differs between two contexts."""
    return context_changes(entries(one.frame), entries(other.frame))


def compared_frames(one: Frame, other: Frame) -> dict[str, Any]:
    """What two frames hold differently: fields, items and other records by list, turns and files."""
    from session_frames.operations.compare import differences

    return differences(one, other)
