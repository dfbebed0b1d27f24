"""The three states of a merge, read alike: what is there, and which records of two lists are the same one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, get_args, get_origin, is_typeddict

from session_frames.frame_json import Field, fields_of
from session_frames.model import Frame
from session_frames.operations.merge_rules import KEYS, RULES
from session_frames.operations.merge_values import ABSENT, canonical

Record = dict[str, Any]
Sides = tuple[Record, Record, Record]
Key = tuple[str, ...]


def joined(path: str, glue: str, key: str) -> str:
    """The path or place of a key below another."""
    return f"{path}{glue}{key}" if path else key


def list_of(value: Any) -> list[Any]:
    """The list, an empty one where there is none."""
    return [] if value is ABSENT else value


def objects_of(base: Any, ours: Any, theirs: Any) -> Sides:
    """The three states as objects: an object that is not there has no keys."""
    base, ours, theirs = (side if isinstance(side, dict) else {} for side in (base, ours, theirs))
    return base, ours, theirs


def values_of(sides: Sides, key: str, path: str) -> tuple[Any, Any, Any]:
    """What the three states hold under a key; a default written out counts as not there."""
    field = known_fields(path).get(key)
    base, ours, theirs = (side.get(key, ABSENT) for side in sides)
    if field is not None:
        base, ours, theirs = (ABSENT if field.is_default(value) else value for value in (base, ours, theirs))
    return base, ours, theirs


@cache
def known_fields(path: str) -> Mapping[str, Field]:
    """The known keys of the objects at a path."""
    record: Any = Frame
    for step in path.replace("[]", "").split(".") if path else ():
        field = fields_of(record).get(step)
        hint = field.hint if field else None
        record = get_args(hint)[0] if get_origin(hint) is list else hint
        if not is_typeddict(record):
            return {}
    return fields_of(record)


def keyed_by(path: str, records: list[Any]) -> dict[Key, Any]:
    """The records of a list by what tells them apart; a key that comes again is counted."""
    keyed: dict[Key, Any] = {}
    names = KEYS.get(path, ("id",))
    members = RULES[path] == "set"
    for record in records:
        own = (canonical(record),) if members else tuple(record.get(name, "") for name in names)
        key, again = own, 1
        while key in keyed:
            again += 1
            key = (*own, f"#{again:04}")  # sorts by number, so that sorted records keep their count
        keyed[key] = record
    return keyed
