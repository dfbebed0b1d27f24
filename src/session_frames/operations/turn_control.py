"""Steering what is in context, turn by turn: pin, unpin, prune, restore, annotate. Each gives the frame with an event.

Nothing is taken out of the frame: marks say what a model is given. A user's words are never changed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final, cast, get_args

from session_frames.errors import RefusedError, UsageError
from session_frames.model import Annotation, By, Frame, Turn
from session_frames.operations.context_edits import Place, Value, marked_as, record, steps, with_values
from session_frames.operations.context_view import turn_tokens
from session_frames.operations.turn_names import Selection, named_turns, numbers_of

ANNOTATIONS: Final[tuple[Annotation, ...]] = get_args(Annotation)
# The lists whose items are decisions of some kind, and fall with the turn that they rest on.
_DECIDED: Final = ("decisions", "constraints")


def pin(frame: Frame, selection: Selection, limit: int, at: str) -> Frame:
    """The turns exempt from pruning, compaction and budget cuts.

    ``RefusedError`` for a pruned one, and where all pins together would take more than ``limit`` tokens.
    """
    _require_turns(selection, "pinned")
    pruned = [turn["id"] for turn in _turns(frame, selection.turns) if turn.get("pruned")]
    if pruned:
        numbers = numbers_of(frame, pruned)
        raise RefusedError(f"{named_turns(numbers)} {_is(numbers)} pruned", hint=f"frames restore {_words(numbers)}")
    pinned = with_turn_marks(frame, selection.turns, {"pinned": True})
    used = pinned_tokens(pinned)
    if used > limit and pinned is not frame:
        raise RefusedError(
            f"the pins would take {used:,} of {limit:,} tokens",
            hint="unpin others, or give pins a larger share: git config frames.pinShare",
        )
    return record(pinned, "pin", turns=selection.turns, at=at, was=frame)


def unpin(frame: Frame, selection: Selection, at: str) -> Frame:
    """The turns without their pins."""
    _require_turns(selection, "unpinned")
    return record(
        with_turn_marks(frame, selection.turns, {"pinned": None}), "unpin", turns=selection.turns, at=at, was=frame
    )


def pinned_tokens(frame: Frame) -> int:
    """The estimated tokens of all that is pinned."""
    return sum(turn_tokens(turn) for turn in frame.get("turns", []) if turn.get("pinned"))


def prune(
    frame: Frame, selection: Selection, at: str, *, by: By = "user", data: Mapping[str, Any] | None = None
) -> Frame:
    """The turns and calls out of context, each call with its result; ``RefusedError`` for what is pinned."""
    pinned = [turn["id"] for turn in _turns(frame, selection.touched) if turn.get("pinned")]
    if pinned:
        numbers = numbers_of(frame, pinned)
        raise RefusedError(f"{named_turns(numbers)} {_is(numbers)} pinned", hint=f"frames unpin {_words(numbers)}")
    pruned = with_call_marks(with_turn_marks(frame, selection.turns, {"pruned": True}), selection.calls, True)
    return record(pruned, "prune", turns=selection.touched, data=data, at=at, by=by, was=frame)


def restore(frame: Frame, selection: Selection, at: str) -> Frame:
    """The turns and calls back in context; of a named turn that was not pruned itself, its calls."""
    whole = {turn["id"]: turn for turn in _turns(frame, selection.turns)}
    calls = [
        (name, call["id"])
        for name, turn in whole.items()
        if not turn.get("pruned")
        for call in turn.get("calls", [])
        if call.get("pruned")
    ]
    restored = with_turn_marks(frame, [name for name, turn in whole.items() if turn.get("pruned")], {"pruned": None})
    restored = with_call_marks(restored, [*calls, *selection.calls], None)
    return record(restored, "restore", turns=selection.touched, at=at, was=frame)


def annotate(frame: Frame, selection: Selection, annotation: Annotation | None, note: str, at: str) -> Frame:
    """The turns with this annotation and note; with None they have neither.

    What was decided in turns that are all overruled is overruled with them; it stands again when one no longer is.
    """
    _require_turns(selection, "annotated")
    marks = {"annotation": annotation, "note": note or None}
    annotated = with_turn_marks(frame, selection.turns, marks)
    annotated = _with_what_fell(frame, annotated, set(selection.turns))
    return record(annotated, "annotate", turns=selection.turns, at=at, was=frame)


def _with_what_fell(frame: Frame, annotated: Frame, turns: Collection[str]) -> Frame:
    overruled = {turn["id"] for turn in annotated.get("turns", []) if turn.get("annotation") == "overruled"}
    values: dict[Place, Value] = {}
    for key in _DECIDED:
        for item in cast(dict[str, Any], annotated).get(key, []):
            cited = {one["turn"] for one in item.get("evidence", [])}
            if not cited & set(turns):
                continue
            place = Place("record", key, item["id"], "")
            if cited <= overruled and item["status"] in ("accepted", "proposed", "deferred", "unknown"):
                values[place] = Value({**item, "status": "overruled"})
            elif not cited <= overruled and item["status"] == "overruled":
                before = _status_before(frame, place)
                if before:
                    values[place] = Value({**item, "status": before})
    return with_values(annotated, values) if values else annotated


def _status_before(frame: Frame, place: Place) -> str:
    """The status that an item had before an annotation overruled it; "" where something else did."""
    for event in reversed(frame.get("events", [])):
        for step in steps(event):
            if step.place == place and step.before.held and step.after.held:
                fell = event["kind"] == "annotate" and step.after.held["status"] == "overruled"
                return str(step.before.held["status"]) if fell else ""
    return ""


# ---------------------------------------------------------------------------------------------------------------------
# Marks


def with_turn_marks(frame: Frame, ids: Iterable[str], marks: Mapping[str, Any]) -> Frame:
    """The frame with these marks on these turns; itself where they have them already."""
    wanted = set(ids)
    turns = [
        marked_as(turn, marks) if turn["id"] in wanted and not _has(turn, marks) else turn
        for turn in frame.get("turns", [])
    ]
    changed = any(one is not other for one, other in zip(turns, frame.get("turns", []), strict=True))
    return cast(Frame, {**frame, "turns": turns}) if changed else frame


def _has(turn: Turn, marks: Mapping[str, Any]) -> bool:
    return all((cast(dict[str, Any], turn).get(key) or None) == mark for key, mark in marks.items())


def with_call_marks(frame: Frame, calls: Iterable[tuple[str, str]], pruned: bool | None) -> Frame:
    """The frame in which these (turn, call) ids are pruned, or are not."""
    places = {Place("call", turn, call, "pruned"): Value(pruned) for turn, call in calls}
    return with_values(frame, places) if places else frame


def _turns(frame: Frame, ids: Iterable[str]) -> list[Turn]:
    wanted = set(ids)
    return [turn for turn in frame.get("turns", []) if turn["id"] in wanted]


def _require_turns(selection: Selection, what: str) -> None:
    if selection.calls:
        raise UsageError(f"a single call can't be {what}, only its turn", hint="calls can be pruned and restored")


def _is(numbers: Collection[int]) -> str:
    return "is" if len(numbers) == 1 else "are"


def _words(numbers: Iterable[int]) -> str:
    return " ".join(map(str, numbers))
