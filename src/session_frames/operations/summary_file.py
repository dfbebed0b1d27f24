"""Summaries in a file: Markdown, one section for each, whose heading names the turns that it stands for.

    ## 2-3
    The cause was the function that asked for a first line.

    ## turns 5-6 8
    Empty lists are handled, and tested.

A file without such a heading is one summary, for all turns that may be replaced.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from session_frames.errors import FormatError
from session_frames.operations.turn_names import spans

_HEADING = re.compile(r"##[ \t]+(?:turns?[ \t]+)?(\d{1,9}(?:-\d{1,9})?(?:[ \t,]+\d{1,9}(?:-\d{1,9})?)*)[ \t]*#*[ \t]*")
_FENCE = re.compile(r"[ \t]*(```+|~~~+)")
_LONGEST_RANGE = 1_000_000


class Section(NamedTuple):
    """A summary and the numbers of the turns that it stands for; none where the file does not say."""

    numbers: tuple[int, ...]
    text: str


def parse_summaries(text: str, name: str) -> list[Section]:
    """The summaries in a file; ``FormatError`` names the file and the line where two of them stand for one turn, a
    range runs backwards, or there is text before the first heading.
    """
    sections: list[tuple[int, tuple[int, ...], list[str]]] = [(0, (), [])]
    fence = ""
    for at, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        heading = None if fence else _HEADING.fullmatch(line)
        if heading:
            sections.append((at, _numbers(heading[1], f"{name}:{at}"), []))
        else:
            sections[-1][2].append(line)
    (_, _, before), *named = sections
    if not named:
        whole = "\n".join(before).strip()
        return [Section((), whole)] if whole else []
    if any(line.strip() and not line.startswith("# ") for line in before):
        raise FormatError(f"'{name}': text before the first heading", hint="begin with the turns: ## 2-3")
    _require_apart(named, name)
    return [Section(numbers, "\n".join(lines).strip()) for _, numbers, lines in named]


def _numbers(text: str, where: str) -> tuple[int, ...]:
    found: list[int] = []
    for part in re.split(r"[ \t,]+", text):
        first, _, last = part.partition("-")
        start, end = int(first), int(last or first)
        if not 0 < start <= end or end - start > _LONGEST_RANGE:
            raise FormatError(f"'{where}': '{part}' is no range of turns", hint="the smaller number first, from 1")
        found += range(start, end + 1)
    return tuple(dict.fromkeys(found))


def _require_apart(sections: Sequence[tuple[int, tuple[int, ...], list[str]]], name: str) -> None:
    known: dict[int, int] = {}
    for at, numbers, _ in sections:
        for number in numbers:
            if number in known:
                raise FormatError(f"'{name}:{at}': turn {number} has a summary already, in line {known[number]}")
            known[number] = at


def write_summaries(sections: Iterable[Section]) -> str:
    """The file that holds these summaries."""
    return "\n".join(f"## {spans(section.numbers)}\n{section.text}\n" for section in sections)
