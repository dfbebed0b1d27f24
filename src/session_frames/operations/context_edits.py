"""Every change of what is in context is one event: what became different, so that it can be undone and replayed.

An edit is a function from frame to frame that knows nothing of events; ``record`` compares both and writes down the
differences. A place is a mark on a turn or on a call, a record of a list, or a field of the frame.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple, TypeVar, cast

from session_frames.errors import UsageError
from session_frames.model import By, Call, Event, Frame, Turn, item_id

# Kind of event -> what was done.
KINDS: Final[Mapping[str, str]] = {
    "pin": "turns were pinned",
    "unpin": "turns are no longer pinned",
    "prune": "turns or tool calls were taken out of context",
    "restore": "pruned turns or calls are in context again",
    "annotate": "turns were annotated, or are no longer",
    "decide": "a decision was noted",
    "ask": "a question was noted",
    "answer": "a question was answered",
    "edit": "topic, title, goal or an item was changed by hand",
    "drop": "an item was removed by hand",
    "propose": "an item was proposed by a command and taken",
    "checkpoint": "a checkpoint was set",
    "branch": "a thread was made",
    "switch": "another thread is current",
    "cherry-pick": "turns were taken into a thread",
    "abandon": "a thread was given up",
    "merge": "a thread was merged into another",
    "compact": "a summary stands for turns",
    "undo": "an earlier event was undone",
    "rewind": "the context went back to a checkpoint",
    "import": "turns or items came from another frame",
}

TURN_MARKS: Final = ("thread", "pinned", "pruned", "compacted", "annotation", "note", "picked")
CALL_MARKS: Final = ("pruned",)
FIELDS: Final = ("topic", "title", "goal", "thread")
# List -> what tells its records apart.
LISTS: Final[Mapping[str, str]] = {
    "decisions": "id",
    "constraints": "id",
    "open_questions": "id",
    "next_steps": "id",
    "threads": "name",
    "checkpoints": "name",
    "compactions": "id",
}
ITEM_LISTS: Final = ("decisions", "constraints", "open_questions", "next_steps")

Changes = list[dict[str, Any]]
Marked = TypeVar("Marked", Turn, Call)


class Place(NamedTuple):
    """Where something can be changed: ``of`` is ``turn``, ``call``, ``record`` or ``field``."""

    of: str
    holder: str  # id of the turn, or name of the list
    within: str  # id of the call, or what tells the record apart
    key: str


class Value(NamedTuple):
    """What a place holds; None where it holds nothing. ``at`` is where a record stood in its list (-1: at its end)."""

    held: Any
    at: int = -1


class Step(NamedTuple):
    """One place that an event changed."""

    place: Place
    before: Value
    after: Value


def record(
    frame: Frame,
    kind: str,
    *,
    turns: Iterable[str] = (),
    data: Mapping[str, Any] | None = None,
    at: str,
    by: By = "user",
    was: Frame | None = None,
) -> Frame:
    """The frame with an event of this kind, made at the moment ``at``; times of events only go forward.

    ``was`` is the frame before the edit: what differs in ``frame`` is written down. Where nothing does, nothing was
    done, and ``was`` itself is the answer. ``data`` holds what else belongs to the event.
    """
    assert kind in KINDS, kind
    named = list(turns)
    changes = [] if was is None else _changes(was, frame, named)
    if was is not None and not changes:
        return was
    told = dict(data or {})
    if frame.get("turns"):
        told["last"] = frame["turns"][-1]["id"]
    if changes:
        told["changes"] = changes
    moment = _after(frame, at)
    content = json.dumps(told, sort_keys=True)
    event = Event(id=item_id(f"event {kind} {moment}", named[0] if named else "", content), at=moment, kind=kind, by=by)
    if named:
        event["turns"] = named
    if told:
        event["data"] = told
    return cast(Frame, {**frame, "events": [*frame.get("events", []), event]})


def undo(frame: Frame, event_id: str, *, at: str, by: By = "user") -> Frame:
    """The frame without what this event changed, and an event that says so; ``UsageError`` for an unknown event."""
    event = next((event for event in frame.get("events", []) if event["id"] == event_id), None)
    if event is None:
        raise UsageError(f"no such event: '{event_id}'")
    undone = with_values(frame, {step.place: step.before for step in steps(event)})
    return record(undone, "undo", turns=event.get("turns", []), data={"event": event_id}, at=at, by=by, was=frame)


def replayed(frame: Frame, events: Iterable[Event]) -> Frame:
    """The frame after these events, each in its turn, changed what they did elsewhere."""
    return with_values(frame, {step.place: step.after for event in events for step in steps(event)})


def rewound(frame: Frame, count: int) -> Frame:
    """The frame as it was after its first ``count`` events.

    Each place goes back to what the last of these made of it, else to what the first later event found there, so that
    the answer is the same whichever side of a merge an event came from.
    """
    events = frame.get("events", [])
    values: dict[Place, Value] = {}
    for event in reversed(events[count:]):
        values.update({step.place: step.before for step in steps(event)})
    for event in events[:count]:
        for step in steps(event):
            if step.place in values:
                values[step.place] = Value(step.after.held, values[step.place].at)
    held = with_values(frame, values)
    return cast(Frame, {**held, "events": events[:count]})


def steps(event: Event) -> Iterator[Step]:
    """The places that an event changed, in order; none for one that does not say."""
    data = event.get("data")
    changes = data.get("changes", []) if isinstance(data, dict) else []
    for change in changes if isinstance(changes, list) else []:
        before, after = Value(change.get("from"), change.get("place", -1)), Value(change.get("to"))
        for place in _places(change, event):
            yield Step(place, before, after)


def _places(change: Mapping[str, Any], event: Event) -> Iterator[Place]:
    if "list" in change:
        yield Place("record", change["list"], change["record"], "")
    elif "field" in change:
        yield Place("field", "", "", change["field"])
    else:
        for turn in change.get("turns", event.get("turns", [])):
            if "calls" in change:
                yield from (Place("call", turn, call, change["key"]) for call in change["calls"])
            else:
                yield Place("turn", turn, "", change["key"])


def with_values(frame: Frame, values: Mapping[Place, Value]) -> Frame:
    """The frame in which these places hold these values; places that it does not have are passed over."""
    changed: dict[str, Any] = dict(frame)
    marks: dict[str, dict[str, dict[str, Any]]] = {}
    for place, value in values.items():
        if place.of == "field":
            _set(changed, place.key, value.held if place.key != "topic" else value.held or "")
        elif place.of == "record":
            _set(changed, place.holder, _with_record(changed.get(place.holder, []), place, value) or None)
        else:
            marks.setdefault(place.holder, {}).setdefault(place.within, {})[place.key] = value.held
    if marks:
        changed["turns"] = [
            _with_marks(turn, marks[turn["id"]]) if turn["id"] in marks else turn for turn in frame.get("turns", [])
        ]
    return cast(Frame, changed)


def _set(holder: dict[str, Any], key: str, value: Any) -> None:
    if value is None:
        holder.pop(key, None)
    else:
        holder[key] = value


def _with_record(records: Sequence[Any], place: Place, value: Value) -> list[Any]:
    key = LISTS.get(place.holder, "id")
    there = next((at for at, one in enumerate(records) if one[key] == place.within), -1)
    rest = [one for at, one in enumerate(records) if at != there]
    if value.held is not None:
        at = there if there >= 0 else value.at if value.at >= 0 else len(rest)
        rest.insert(at, value.held)
    return rest


def _with_marks(turn: Turn, marks: Mapping[str, Mapping[str, Any]]) -> Turn:
    """The turn with marks of its own (under "") and on its calls (under their ids)."""
    marked = marked_as(turn, marks.get("", {}))
    if "calls" in turn and marks.keys() - {""}:
        marked["calls"] = [marked_as(call, marks.get(call["id"], {})) for call in turn["calls"]]
    return marked


def marked_as(value: Marked, marks: Mapping[str, Any]) -> Marked:
    """A copy of a turn or a call with these marks; None takes one away."""
    changed: dict[str, Any] = dict(value)
    for key, mark in marks.items():
        _set(changed, key, mark)
    return cast(Marked, changed)


# ---------------------------------------------------------------------------------------------------------------------
# What differs


def _changes(was: Frame, frame: Frame, named: Sequence[str]) -> Changes:
    before, after = cast(dict[str, Any], was), cast(dict[str, Any], frame)
    changes: Changes = [
        _change({"field": key}, before.get(key), after.get(key)) for key in FIELDS if before.get(key) != after.get(key)
    ]
    for name, key in LISTS.items():
        changes += _changed_records(name, key, before.get(name, []), after.get(name, []))
    return changes + _changed_marks(was, frame, named)


def _change(where: Mapping[str, Any], before: Any, after: Any) -> dict[str, Any]:
    sides = {"from": before or None, "to": after or None}
    return {**where, **{side: value for side, value in sides.items() if value is not None}}


def _changed_records(name: str, key: str, before: Sequence[Any], after: Sequence[Any]) -> Changes:
    then, now = ({one[key]: one for one in side} for side in (before, after))
    places = {one[key]: at for at, one in enumerate(before)}
    changes = []
    for one in {**then, **now}:
        if then.get(one) != now.get(one):
            where = {"list": name, "record": one, **({"place": places[one]} if one not in now else {})}
            changes.append(_change(where, then.get(one), now.get(one)))
    return changes


def _changed_marks(was: Frame, frame: Frame, named: Sequence[str]) -> Changes:
    """The marks that differ, those of one kind together, so that a range is one change."""
    then = {turn["id"]: turn for turn in was.get("turns", [])}
    groups: dict[str, tuple[dict[str, Any], Any, Any, list[str]]] = {}
    changes: Changes = []
    for turn in frame.get("turns", []):
        old = then.get(turn["id"])
        if old is turn or old is None:
            continue
        for key in TURN_MARKS:
            before, after = old.get(key) or None, turn.get(key) or None
            if before != after:
                group = json.dumps([key, before, after])
                groups.setdefault(group, ({"key": key}, before, after, []))[3].append(turn["id"])
        changes += _changed_calls(old, turn)
    told = []
    for where, before, after, turns in groups.values():
        told.append(_change(where if turns == list(named) else {"turns": turns, **where}, before, after))
    return told + changes


def _changed_calls(old: Turn, turn: Turn) -> Changes:
    then: dict[str, dict[str, Any]] = {call["id"]: cast(dict[str, Any], call) for call in old.get("calls", [])}
    groups: dict[str, tuple[str, Any, Any, list[str]]] = {}
    for call in turn.get("calls", []):
        for key in CALL_MARKS:
            before, after = then.get(call["id"], {}).get(key) or None, call.get(key) or None
            if before != after:
                groups.setdefault(json.dumps([key, before, after]), (key, before, after, []))[3].append(call["id"])
    return [
        _change({"turns": [turn["id"]], "calls": calls, "key": key}, before, after)
        for key, before, after, calls in groups.values()
    ]


# ---------------------------------------------------------------------------------------------------------------------
# Times


def moment_of(at: str) -> datetime | None:
    """The time, in UTC where it says nothing else; None for what is none."""
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _after(frame: Frame, at: str) -> str:
    """The moment with milliseconds, later than that of every event of the frame, so that sorting keeps their order."""
    moment = moment_of(at)
    assert moment is not None, at
    known = [time for event in frame.get("events", []) if (time := moment_of(event["at"]))]
    if known:
        moment = max(moment, max(known) + timedelta(milliseconds=1))
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"
