"""Settling what a merge left: one of the two values of a conflict takes its place, and the record of it goes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from session_frames.errors import UsageError
from session_frames.model import Decision, Frame, MergeConflict
from session_frames.operations.context_edits import record
from session_frames.operations.merge_rules import RULES
from session_frames.operations.merge_sides import keyed_by

BOTH: Final = -1

_DECISIONS: Final = "decisions/"


def may_keep_both(conflict: MergeConflict) -> bool:
    """Can both values stand? Two decisions can, and two frames that met at one path."""
    return conflict["where"] == "id" or _is_contradiction(conflict)


def settle(frame: Frame, conflict: MergeConflict, choice: int, now: str) -> Frame:
    """The frame in which the first (0) or second (1) value of a conflict holds, or ``BOTH``; an event tells of it.

    Of two decisions that contradict each other the other one is overruled. ``UsageError`` where both can't stand.
    """
    if choice == BOTH and not may_keep_both(conflict):
        raise UsageError(f"'{conflict['where']}' holds one value: both can't stand")
    changed: dict[str, Any] = dict(frame)
    if choice != BOTH and conflict["where"] != "id":
        chosen, other = conflict["values"][choice], conflict["values"][1 - choice]
        if _is_contradiction(conflict):
            changed["decisions"] = [_overruled(one, chosen, other) for one in frame.get("decisions", [])]
        else:
            changed = _put(changed, "", conflict["where"], chosen)
    told: dict[str, Any] = {"settled": conflict["where"]}
    if choice != BOTH:
        told["not_taken"] = conflict["values"][1 - choice]  # words that did not hold are not lost
    settled = cast(Frame, changed)
    noted = record(settled, "edit", data=told, at=now, was=frame)
    if noted is frame:  # it was the value that stood there meanwhile
        noted = record(settled, "edit", data=told, at=now)
    left = [one for one in frame.get("merge_conflicts", []) if one["id"] != conflict["id"]]
    rest = {key: value for key, value in noted.items() if key != "merge_conflicts"}
    return cast(Frame, {**rest, **({"merge_conflicts": left} if left else {})})


def _is_contradiction(conflict: MergeConflict) -> bool:
    """Two accepted decisions on one subject; the place names both."""
    where = conflict["where"]
    return where.startswith(_DECISIONS) and "+" in where.removeprefix(_DECISIONS)


def _overruled(decision: Decision, chosen: Mapping[str, Any], other: Mapping[str, Any]) -> Decision:
    if decision["id"] == other["id"]:
        return {**decision, "status": "overruled"}
    return {"supersedes": other["id"], **decision} if decision["id"] == chosen["id"] else decision


def _put(holder: dict[str, Any], path: str, place: str, value: Any) -> dict[str, Any]:
    """The object with this value at a place, written as merging writes it: keys and what tells records apart, by ``/``.

    None takes away what stands there.
    """
    key, _, rest = place.partition("/")
    held = holder.get(key)
    inner = f"{path}.{key}" if path else key
    if rest and isinstance(held, list):
        return {**holder, key: _put_in_list(held, inner, rest, value)}
    if rest and isinstance(held, dict):
        return {**holder, key: _put(held, inner, rest, value)}
    if rest:
        return {**holder, key: [value]} if inner in RULES and value is not None else holder
    return {name: one for name, one in {**holder, key: value}.items() if name != key or value is not None}


def _put_in_list(records: list[Any], path: str, place: str, value: Any) -> list[Any]:
    for key, held in keyed_by(path, records).items():
        name = "/".join(key)
        if place == name:
            return [one if one is not held else value for one in records if one is not held or value is not None]
        if place.startswith(name + "/"):
            changed = _put(held, f"{path}[]", place[len(name) + 1 :], value)
            return [one if one is not held else changed for one in records]
    return records if value is None else [*records, value]
