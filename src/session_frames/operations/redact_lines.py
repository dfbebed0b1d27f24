"""Which lines of JSON Lines may hold a secret, as their bytes tell: most hold none and need not be taken apart.

A line is passed over only where no rule could find anything in the strings of its record. Each literal is looked for as
JSON writes it, with what JSON makes of what has to follow it; a line that writes a letter as an escape is no such line.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import accumulate
from typing import Final

from session_frames.operations import redact_rules as kinds
from session_frames.operations.redact import Policy
from session_frames.operations.redact_judges import LONGEST_NAME
from session_frames.operations.redact_scan import Finder

_BATCH: Final = 1 << 18
# An ASCII character or a letter of another script that is not written as itself; control characters are in no literal.
_ESCAPES: Final = {r"\u": "(?!00[01])[0-9a-f]{4}", r"\/": ""}
# A key of an object, from the word in it to its end, with a text as its value. A number is nobody's secret.
_TO_A_TEXT: Final = rf"""[^"\\]{{0,{4 * LONGEST_NAME}}}+"[ \t]*:[ \t]*\""""
# As in redact_rules.py, with twice the backslashes and one for a quote; a bare quote is where the string ends.
_SIGN_SOON: Final = r"""[a-z0-9_.-]{0,40}(?!")\\{0,17}["'`]?\]?(?: |\\t){0,16}(?:[:=>?\x80-\xff]|string)"""


def _worth(word: str) -> str:
    long = r"""(?: is| was)?:? {1,4}\\{0,17}["'`]?[a-z0-9_+/.~=-]{12}"""
    return rf"""{_SIGN_SOON}|{long}|(?<=-{word})[\\' ,]|{_TO_A_TEXT}"""


_FOLLOWED_BY: Final = {
    **kinds.FOLLOWED_BY,
    **{word: _worth(word) for word in ("token", "secret", "credential")},
    "key": rf"(?:{kinds.AFTER_A_KIND})(?:{_worth('key')})",
    "key=": r"""(?:[^\s"'`\\<>&#]|\\u){6}""",
    "://": """[^\\s/@:"'`<>]{0,800}:[^\\s@]{1,1800}@""",
}


@cache
def _finder() -> Finder:
    literals = {_in_json(literal) for rule in kinds.RULES for literal in rule.literals}
    return Finder(((literal, 0) for literal in (*literals, *_ESCAPES)), {**_FOLLOWED_BY, **_ESCAPES})


def _in_json(literal: str) -> str:
    return json.dumps(literal, ensure_ascii=False)[1:-1]


def looked_at(lines: Iterable[bytes], policy: Policy) -> Iterator[tuple[bytes, bool]]:
    """Each line, and whether a secret may be in the strings of its record."""
    batch: list[bytes] = []
    size = 0
    for line in lines:
        batch.append(line)
        size += len(line)
        if size >= _BATCH:
            yield from _judged(batch, policy)
            batch, size = [], 0
    yield from _judged(batch, policy)


def _judged(lines: Sequence[bytes], policy: Policy) -> Iterator[tuple[bytes, bool]]:
    suspects = _suspects(lines, policy)
    return ((line, number in suspects) for number, line in enumerate(lines))


def _suspects(lines: Sequence[bytes], policy: Policy) -> Collection[int]:
    joined = b"".join(lines)
    if policy.extra and policy.matcher.own_may_match_in_json(joined):
        return range(len(lines))
    ends = [*accumulate(map(len, lines))]
    return {bisect_right(ends, start) for _, start in _finder().places(joined)}
