"""Two frames side by side: what each holds that the other does not, and what both hold differently."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from session_frames.model import Frame
from session_frames.operations.context_edits import LISTS

_FIELDS: Final = ("topic", "title", "goal", "status", "thread", "session", "boundary", "git")
_RECORDS: Final[Mapping[str, str]] = {**LISTS, "turns": "id", "files": "path", "tool_results": "id", "events": "id"}


def differences(one: Frame, other: Frame) -> dict[str, Any]:
    """Per field both values, per list what was added, removed and changed; what is the same is not in it."""
    before, after = cast(dict[str, Any], one), cast(dict[str, Any], other)
    found: dict[str, Any] = {}
    for key in _FIELDS:
        if (before.get(key) or None) != (after.get(key) or None):
            found[key] = {"from": before.get(key), "to": after.get(key)}
    for name, key in _RECORDS.items():
        then, now = ({record[key]: record for record in side.get(name, [])} for side in (before, after))
        changes = {
            "added": [record for one_key, record in now.items() if one_key not in then],
            "removed": [record for one_key, record in then.items() if one_key not in now],
            "changed": [
                {"from": record, "to": now[one_key]}
                for one_key, record in then.items()
                if one_key in now and now[one_key] != record
            ],
        }
        if any(changes.values()):
            found[name] = {kind: records for kind, records in changes.items() if records}
    return found
