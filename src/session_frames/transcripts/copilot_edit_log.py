"""The append-only log of edits in which VS Code (from 1.109) keeps a chat: replayed, it gives the chat's state."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO

from session_frames.errors import NotUnderstood
from session_frames.transcripts.base import Record, Skipped, iter_lines, list_of

_FULL_STATE = 0

_LOG_LINE = re.compile(
    rb'^(?:\xef\xbb\xbf)?\s*\{\s*"kind"\s*:\s*(?:0\s*,\s*"v"\s*:\s*\{|[123]\s*,\s*"k"\s*:\s*\[)', re.MULTILINE
)


def is_edit_log(head: bytes) -> bool:
    """Does the file begin like an edit log?"""
    return _LOG_LINE.search(head) is not None


def replay(source: BinaryIO) -> tuple[Any, list[Skipped]]:
    """The state that the log leads to, and the lines that could not be followed.

    Raises ``NotUnderstood`` where no line holds the full state that the edits start from.
    """
    box: Record = {}  # the state is kept under a key, so that an edit of the whole is an edit like any other
    skipped: list[Skipped] = []
    for item in iter_lines(source):
        if isinstance(item, Skipped):
            skipped.append(item)
            continue
        reason = _follow(box, item.record)
        if reason:
            skipped.append(Skipped(reason, item.number))
    if "state" not in box:
        raise NotUnderstood("edit log of a chat has no full state (no record of kind 0) to start from")
    return box["state"], skipped


def _follow(box: Record, record: Record) -> str:
    """Apply one record; the reason where that is not possible, else ""."""
    kind = record.get("kind")
    if isinstance(kind, bool) or not isinstance(kind, int):
        return "edit without a kind"
    if kind == _FULL_STATE:
        box["state"] = record.get("v")
        return ""
    edit = _EDITS.get(kind)
    if edit is None:
        return f"unknown kind of edit {kind}"
    if "state" not in box:
        return "edit in front of the full state"
    done = edit(box, ["state", *list_of(record.get("k"))], record)
    return "" if done else "edit of a place that is not there"


def _child(container: Any, key: Any) -> Any:
    if isinstance(container, dict) and isinstance(key, str):
        return container.get(key)
    if isinstance(container, list) and _is_index(key) and key < len(container):
        return container[key]
    return None


def _is_index(key: Any) -> bool:
    return isinstance(key, int) and not isinstance(key, bool) and key >= 0


def _parent(box: Record, path: list[Any]) -> Any:
    node: Any = box
    for key in path[:-1]:
        node = _child(node, key)
    return node


def _set(box: Record, path: list[Any], record: Record) -> bool:
    if "v" not in record:  # a value that JSON can't hold was set: it is gone
        return _delete(box, path, record)
    parent, key, value = _parent(box, path), path[-1], record["v"]
    if isinstance(parent, dict) and isinstance(key, str):
        parent[key] = value
        return True
    if isinstance(parent, list) and _is_index(key) and key <= len(parent):
        parent[key : key + 1] = [value]
        return True
    return False


def _push(box: Record, path: list[Any], record: Record) -> bool:
    """Cut the list at ``i`` where that is given, then add the values at its end."""
    parent, key = _parent(box, path), path[-1]
    values = _child(parent, key)
    if values is None and isinstance(parent, dict) and isinstance(key, str):
        values = parent[key] = []
    if not isinstance(values, list):
        return False
    cut = record.get("i")
    if _is_index(cut):
        del values[cut:]
    values.extend(list_of(record.get("v")))
    return True


def _delete(box: Record, path: list[Any], record: Record) -> bool:
    parent, key = _parent(box, path), path[-1]
    if isinstance(parent, dict) and isinstance(key, str):
        parent.pop(key, None)
        return True
    if isinstance(parent, list) and _is_index(key) and key < len(parent):
        del parent[key]
        return True
    return False


_EDITS: Mapping[int, Callable[[Record, list[Any], Record], bool]] = {1: _set, 2: _push, 3: _delete}
