"""A frame as a form for a text editor: topic, title and goal, and each item by its id; and what was changed in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple, cast

from session_frames.errors import UsageError
from session_frames.model import Frame
from session_frames.operations.fence import shown
from session_frames.operations.item_edits import FIELDS, ITEMS, ItemEdit

_HEAD: Final = """\
# Change what stands behind a colon, an item's state in brackets, or its text.
# A longer text goes on in lines that begin with four blanks. What is taken out stays as it is.
# Lines that begin with # say nothing. An empty file changes nothing.
"""
_FIELD: Final = re.compile(r"(\w+):[ ]?(.*)")
_ITEM: Final = re.compile(r"([0-9a-f]{8}) \[([^\]]*)\] ?(.*)")


class FormEdits(NamedTuple):
    """What was changed in a form."""

    fields: dict[str, str]
    items: list[ItemEdit]


def form_of(frame: Frame) -> str:
    """The form, filled in."""
    return _HEAD + "".join(line + "\n" for line in _lines(frame))


def _lines(frame: Frame) -> Iterator[str]:
    values = cast(dict[str, Any], frame)
    for key in FIELDS:
        yield from _entry(f"{key}: ", values.get(key, ""))
    for key, (_, states) in ITEMS.items():
        if values.get(key):
            yield from ("", f"# {key.replace('_', ' ')}: {', '.join(states)}")
        for item in values.get(key, []):
            yield from _entry(f"{item['id']} [{item['status']}] ", item["text"])


def _entry(head: str, text: str) -> Iterator[str]:
    first, *more = shown(text).split("\n")
    yield (head + first).rstrip()
    yield from (f"    {line}".rstrip() for line in more)


def read_form(frame: Frame, text: str) -> FormEdits:
    """What differs from the form of the frame; ``UsageError`` names the line of what can't be read."""
    before = _values(form_of(frame))
    after = _values(text)
    fields: dict[str, str] = {}
    items: list[ItemEdit] = []
    for name, (line, state, value) in after.items():
        if name not in before:
            raise UsageError(f"line {line}: no such field or item: '{name}'", hint="ids and names stay as they are")
        _, old_state, old_value = before[name]
        if name in FIELDS:
            if value != old_value:
                fields[name] = value
        elif (state, value) != (old_state, old_value):
            if not value:
                raise UsageError(
                    f"line {line}: the text of {name} is blank", hint="leave the line out to leave it alone"
                )
            _require_state(frame, name, state, line)
            items.append(ItemEdit(name, value if value != old_value else "", state if state != old_state else ""))
    return FormEdits(fields, items)


def _values(text: str) -> dict[str, tuple[int, str, str]]:
    """Name of a field or id of an item -> its line, its state, its text."""
    values: dict[str, tuple[int, str, str]] = {}
    last, blank = "", 0
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        if line.startswith("#"):
            continue
        if not line.strip():
            blank += 1
            continue
        if line.startswith("    ") and last:
            at, state, value = values[last]
            values[last] = at, state, value + "\n" * (blank + 1) + line[4:]
            blank = 0
            continue
        blank = 0
        field, item = _FIELD.fullmatch(line), _ITEM.fullmatch(line)
        if item:
            last, state, value = item.groups()
        elif field:
            (last, value), state = field.groups(), ""
        else:
            raise UsageError(f"line {number} is neither 'name: text' nor 'id [state] text'")
        if last in values:
            raise UsageError(f"line {number}: '{last}' stands there twice")
        values[last] = number, state, value
    return {name: (at, state, value.strip()) for name, (at, state, value) in values.items()}


def _require_state(frame: Frame, name: str, state: str, line: int) -> None:
    for key, (what, states) in ITEMS.items():
        if any(item["id"] == name for item in cast(dict[str, Any], frame).get(key, [])) and state not in states:
            raise UsageError(f"line {line}: no state of a {what}: '{state}'", hint=f"states: {', '.join(states)}")
