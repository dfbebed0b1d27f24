"""What the verbs say that change a frame: what became different, and where it was written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from session_frames.cli import output
from session_frames.model import Frame
from session_frames.operations.context_edits import steps
from session_frames.operations.fence import line_shown
from session_frames.operations.turn_names import call_names, named_turns, numbers_of
from session_frames.workspace.context_edits import Edited


def tell(edited: Edited, what: str, as_json: bool, more: Mapping[str, Any] | None = None, why_not: str = "") -> None:
    """Say what was done, and where it stands now, or ``why_not``; ``more`` is added to the JSON form."""
    if as_json:
        output.write_json({**edited_data(edited), **(more or {})})
        return
    frame = edited.frame
    unchanged = f"nothing to change{': ' if why_not else ''}{why_not}"
    output.write(f"{what if edited.changed else unchanged}  {frame['id'][:6]} {line_shown(frame['topic'])}\n")
    if edited.changed:
        output.write(f"  {where(edited)}\n")


def where(edited: Edited) -> str:
    """Where a changed frame was written, and whether the next commit takes it."""
    if edited.path:
        return f"{edited.path}, {'staged' if edited.staged else 'not staged'}"
    return "kept privately" + (", goes with the session's next commit" if edited.frame["status"] == "active" else "")


def edited_data(edited: Edited) -> dict[str, Any]:
    """What an edit did, for programs."""
    turns, calls = touched(edited)
    return {
        "frame": edited.frame["id"],
        "topic": edited.frame["topic"],
        "path": edited.path,
        "staged": edited.staged,
        "changed": edited.changed,
        "events": [event["id"] for event in _new_events(edited)],
        "turns": turns,
        "calls": calls,
    }


def touched(edited: Edited) -> tuple[list[int], list[str]]:
    """The numbers of the turns, and the names of the calls, whose marks an edit changed."""
    places = [step.place for event in _new_events(edited) for step in steps(event)]
    turns = numbers_of(edited.frame, [place.holder for place in places if place.of == "turn"])
    calls = call_names(edited.frame, [(place.holder, place.within) for place in places if place.of == "call"])
    return turns, calls


def touched_words(edited: Edited) -> str:
    """``turns 3, 14 and call 14.3``."""
    turns, calls = touched(edited)
    named = [named_turns(turns)] if turns else []
    named += [f"call{'' if len(calls) == 1 else 's'} {', '.join(calls)}"] if calls else []
    return " and ".join(named)


def _new_events(edited: Edited) -> Iterator[Any]:
    known = {event["id"] for event in _events(edited.was)}
    yield from (event for event in _events(edited.frame) if event["id"] not in known)


def _events(frame: Frame) -> list[Any]:
    return [*frame.get("events", [])]
