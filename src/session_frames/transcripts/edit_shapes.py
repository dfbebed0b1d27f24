"""The shapes in which tools are asked to change a file; a format says which of its tools has which shape."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from session_frames.transcripts.base import Edit, Record, dict_of, list_of, text_of
from session_frames.transcripts.edits import added_by_hunk_lines, added_by_replacing, added_by_writing, lines_of

Shape = Callable[[Record], tuple[Edit, ...]]
Shapes = Mapping[str, Shape]

# The same thing has another key in each agent.
_PATH_KEYS = ("path", "filePath", "file_path", "filepath")
_WHOLE_KEYS = ("content", "contents", "file_text")
_OLD_KEYS = ("oldString", "old_string", "old_str", "old_text", "before")
_NEW_KEYS = ("newString", "new_string", "new_str", "new_text", "after")

# Times are counted in seconds or in milliseconds; as milliseconds, this is a day in 1973.
_MILLISECONDS_FROM = 100_000_000_000


def edits_by(shapes: Shapes, tool: str, arguments: Any) -> tuple[Edit, ...]:
    """The files that the call was meant to write or read, none for a tool of no known shape."""
    shape = shapes.get(tool)
    return shape(dict_of(arguments)) if shape else ()


def first_text(arguments: Record, keys: tuple[str, ...]) -> str:
    """The first text under these keys, else ""."""
    return next((text for key in keys if (text := text_of(arguments.get(key)))), "")


def written(arguments: Record) -> tuple[Edit, ...]:
    """A whole file."""
    path = first_text(arguments, _PATH_KEYS)
    return (Edit(path, "added", added=added_by_writing(first_text(arguments, _WHOLE_KEYS))),) if path else ()


def replaced(arguments: Record) -> tuple[Edit, ...]:
    """One text by another; without an old one, the new one is put somewhere."""
    path = first_text(arguments, _PATH_KEYS)
    added = added_by_replacing(first_text(arguments, _OLD_KEYS), first_text(arguments, _NEW_KEYS))
    return (Edit(path, "modified", added=added),) if path else ()


def replaced_each(arguments: Record) -> tuple[Edit, ...]:
    """Several replacements in one file."""
    path = first_text(arguments, _PATH_KEYS)
    steps = [edit for step in list_of(arguments.get("edits")) for edit in replaced({"path": path, **dict_of(step)})]
    added = tuple(run for edit in steps for run in edit.added)
    return (Edit(path, "modified", added=added),) if path else ()


def changed(arguments: Record) -> tuple[Edit, ...]:
    """A change that does not tell its lines exactly."""
    path = first_text(arguments, _PATH_KEYS)
    return (Edit(path, "modified"),) if path else ()


def looked_at(arguments: Record) -> tuple[Edit, ...]:
    """A file that was looked at."""
    path = first_text(arguments, _PATH_KEYS)
    return (Edit(path, "read"),) if path else ()


def removed(arguments: Record) -> tuple[Edit, ...]:
    """A file that was deleted."""
    path = first_text(arguments, _PATH_KEYS)
    return (Edit(path, "deleted"),) if path else ()


def added_by_diff(diff: str) -> tuple[tuple[str, ...], ...]:
    """The runs of lines that a unified diff of one file adds."""
    return added_by_hunk_lines(lines_of(diff))


def at_of(value: Any) -> str:
    """A count of seconds or milliseconds as ISO time in UTC, "" for anything else."""
    if not isinstance(value, int | float) or isinstance(value, bool) or value <= 0:
        return ""
    try:
        moment = datetime.fromtimestamp(value / 1000 if value >= _MILLISECONDS_FROM else value, UTC)
    except (OverflowError, OSError, ValueError):
        return ""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
