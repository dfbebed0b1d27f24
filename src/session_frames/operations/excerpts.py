"""What a frame keeps of long arguments and results: size, digest and both ends."""

from __future__ import annotations

from typing import Any

from session_frames.model import Excerpt, digest

LONGEST_ARGUMENT = 200
ARGUMENT_END = 80
RESULT_LINES = 3
LONGEST_LINE = 200
DEEPEST = 32
_TOO_DEEP = {"elided": {"size": 0, "kind": "nested too deep"}}


def shallow(value: Any, levels: int = DEEPEST) -> Any:
    """The value without what is nested deeper than 32 levels: no tool asks for that, and no reader could follow."""
    if isinstance(value, dict):
        return {key: shallow(item, levels - 1) for key, item in value.items()} if levels else _TOO_DEEP
    if isinstance(value, list):
        return [shallow(item, levels - 1) for item in value] if levels else _TOO_DEEP
    return value


def shortened(value: Any) -> Any:
    """The value with every string over 200 characters replaced by ``{"elided": excerpt}``."""
    if isinstance(value, str):
        if len(value) <= LONGEST_ARGUMENT:
            return value
        ends = Excerpt(size=len(value), digest=digest(value), head=value[:ARGUMENT_END], tail=value[-ARGUMENT_END:])
        return {"elided": ends}
    if isinstance(value, dict):
        return {key: shortened(item) for key, item in value.items()}
    if isinstance(value, list):
        return [shortened(item) for item in value]
    return value


def excerpt_of_result(text: str, kind: str = "") -> Excerpt:
    """Size, digest, first and last three lines of a result (each line cut at 200 characters)."""
    excerpt = Excerpt(size=len(text))
    if text:
        excerpt["digest"] = digest(text)
    if len(text) <= LONGEST_LINE:
        if text:
            excerpt["head"] = text
    else:
        head, rest = _first_lines(text)
        excerpt["head"] = head
        tail = _last_lines(rest)
        if tail:
            excerpt["tail"] = tail
    if kind:
        excerpt["kind"] = kind
    return excerpt


def _first_lines(text: str) -> tuple[str, str]:
    """The first three lines, and what follows them."""
    end = 0
    for _ in range(RESULT_LINES):
        found = text.find("\n", end)
        if found < 0:
            return _cut(text.split("\n")), ""
        end = found + 1
    return _cut(text[: end - 1].split("\n")), text[end:]


def _last_lines(text: str) -> str:
    return _cut(text.rstrip("\n").rsplit("\n", RESULT_LINES)[-RESULT_LINES:])


def _cut(lines: list[str]) -> str:
    return "\n".join(line if len(line) <= LONGEST_LINE else line[: LONGEST_LINE - 1] + "…" for line in lines)
