"""The lines of an Aider history, told apart: what the person said, what the program printed, what the agent answered.

The person's words stand behind ``#### ``, what the program prints behind ``> ``, the answer as it is. An answer may
hold headings and quotations of its own. Lines that Aider writes end with two blanks, those of an answer rarely do; a
formatter may have taken the blanks away, so they count from the first line that has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

_HEADING = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\s*\Z")
_SAID = "####"
_PRINTED = ">"
_END = "  "

# What the program prints below an answer; it may go on over several lines.
_BELOW_ANSWERS = ("> Tokens:", "> Commit ", "> Applied edit to ", "> Model ", "> Warning", "> The LLM did not conform")
_TOKENS = "> Tokens:"


class Part(NamedTuple):
    """Lines of one kind that follow each other, without their marks."""

    kind: Literal["said", "printed", "answer"]
    lines: list[str]


class Chat(NamedTuple):
    """One chat of the history; ``start`` is its local time, "" for what stands before the first heading."""

    start: str
    lines: list[str]


def heading_time(line: str) -> str:
    """The time of a line that opens a chat, as ISO without a zone; "" for any other line."""
    found = _HEADING.match(line)
    return f"{found[1]}T{found[2]}" if found else ""


def chats(source: Iterable[bytes]) -> Iterator[Chat]:
    """The chats of a history, one after another."""
    chat = Chat("", [])
    for raw in source:
        line = raw.decode("utf-8", "replace").rstrip("\r\n").removeprefix("\ufeff")
        start = heading_time(line) if line.startswith("# ") else ""
        if start:
            yield chat
            chat = Chat(start, [])
        else:
            chat.lines.append(line)
    yield chat


def parts(lines: list[str]) -> Iterator[Part]:
    """The parts of a chat, in order; blank lines belong to answers."""
    kinds = _Kinds(lines).all()
    part: Part | None = None
    for line, kind in zip(lines, kinds, strict=True):
        if part is not None and part.kind != kind:
            yield part
            part = None
        if part is None:
            part = Part(kind, [])
        part.lines.append(_without_mark(line, kind))
    if part is not None:
        yield part


def _without_mark(line: str, kind: str) -> str:
    if kind == "answer":
        return line
    mark = _SAID if kind == "said" else _PRINTED
    return line.removeprefix(mark).removeprefix(" ").rstrip()


def _is_mark(line: str, mark: str) -> bool:
    return line.startswith(mark) and (len(line) == len(mark) or line[len(mark)] == " ")


class _Kinds:
    """Gives each line of a chat its kind."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.marked_from = next(
            (at for at, line in enumerate(lines) if _is_mark(line, _SAID) and line.endswith(_END)), len(lines)
        )
        self.counts_tokens = any(line.startswith(_TOKENS) for line in lines)
        self.next_end = self._next_ends()
        self.kinds: list[Literal["said", "printed", "answer"]] = []
        self.below = ""  # kind of the last line that is not blank
        self.printed_until = -1  # the program's text goes on up to this line

    def _next_ends(self) -> list[int]:
        """For each line the next one, itself included, that ends as the program's lines do."""
        ends = [len(self.lines)] * (len(self.lines) + 1)
        for at in range(len(self.lines) - 1, -1, -1):
            ends[at] = at if self.lines[at].endswith(_END) else ends[at + 1]
        return ends

    def all(self) -> list[Literal["said", "printed", "answer"]]:
        for at, line in enumerate(self.lines):
            kind = self._kind(at, line)
            self.kinds.append(kind)
            if line.strip():
                self.below = kind
        return self.kinds

    def _kind(self, at: int, line: str) -> Literal["said", "printed", "answer"]:
        if at <= self.printed_until:
            return "printed"
        if _is_mark(line, _SAID):
            return "said" if self._is_said(at, line) else "answer"
        if _is_mark(line, _PRINTED):
            return "printed" if self._is_printed(at, line) else "answer"
        return "answer"

    def _is_said(self, at: int, line: str) -> bool:
        if at >= self.marked_from:
            return line.endswith(_END)
        if self.below != "answer":
            return True
        # Without the blanks: a heading where the answer is not over yet, or goes on without a blank line.
        following = self.lines[at + 1] if at + 1 < len(self.lines) else ""
        goes_on = bool(following.strip()) and not _is_mark(following, _SAID) and not _is_mark(following, _PRINTED)
        return not self.counts_tokens and not goes_on

    def _is_printed(self, at: int, line: str) -> bool:
        if at < self.marked_from or line.endswith(_END):
            return True
        goes_on = at > 0 and self.kinds[at - 1] != "answer"
        if not goes_on and not line.startswith(_BELOW_ANSWERS):
            return False  # a quotation in an answer
        end = self.next_end[at]
        if end < len(self.lines) and not _is_mark(self.lines[end], _SAID):
            self.printed_until = end
        return True
