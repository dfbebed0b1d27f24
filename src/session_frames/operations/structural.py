"""A turn of the agent without what its tools gave back: every word of it stays, each call is one line.

Tool output, images, repeated reads and reasoning are left out. Nobody's judgement is in it, so it needs no model and
loses no word; it is made anew whenever it is shown.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from session_frames.model import Call
from session_frames.operations.render import call_line

_MARK = "→ "


class Structural(NamedTuple):
    """The text that stands for a turn, and how much of what was left out of it."""

    text: str
    left_out: Counter[str]


class Structure:
    """Turns one after another, in the order of the context: what was read before is known."""

    def __init__(self) -> None:
        self._reads: set[str] = set()

    def pass_over(self, calls: Iterable[Call]) -> None:
        """A turn that stays as it is; what it read needs no second mention behind it."""
        self._reads.update(filter(None, map(_read_key, calls)))

    def of(self, text: str, calls: Sequence[Call]) -> Structural:
        """What stands for a turn with this text and these calls."""
        left_out: Counter[str] = Counter()
        lines = [self._line(call, left_out) for call in calls]
        return Structural("".join(_pieces(text, calls, lines)), left_out)

    def _line(self, call: Call, left_out: Counter[str]) -> str:
        result = call.get("result")
        if result and result["size"]:
            left_out["image" if result.get("kind", "").startswith("image") else "tool output"] += 1
        key = _read_key(call)
        if key and key in self._reads:
            left_out["repeated read"] += 1
            return ""
        if key:
            self._reads.add(key)
        return _MARK + call_line(call)


def _read_key(call: Call) -> str:
    """What tells one read from another; "" for a call that did more than read, or failed."""
    files = call.get("files", [])
    if call["outcome"] != "passed" or not files or any(file["change"] != "read" for file in files):
        return ""
    return json.dumps([call["tool"], call.get("arguments")], sort_keys=True)


def _pieces(text: str, calls: Sequence[Call], lines: Sequence[str]) -> Iterator[str]:
    """The text, byte for byte, with the lines of its calls where these came, each between line breaks of its own."""
    done = 0
    for call, line in zip(calls, lines, strict=True):
        after = min(max(call.get("after", 0), done), len(text))
        yield text[done:after]
        done = after
        if line:
            yield f"\n{line}\n"
    yield text[done:]
