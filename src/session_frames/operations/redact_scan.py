"""Where the literals of all rules stand in a text, found in one pass."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from session_frames.operations import redact_rules as kinds
from session_frames.operations.redact_pattern import Rule


class _Literal(NamedTuple):
    """A literal that was found in lower case: what else has to be true of the text there, and whose it is."""

    cased: bytes  # as it has to stand there; empty where upper and lower case are one
    follows: re.Pattern[bytes] | None
    at: int  # where that has to match, from the start of the literal
    rules: list[int]


_MARKS: Final = "_-.~="


def _core(literal: str) -> str:
    """The part of a literal behind which something has to follow: the common word in it, unless it is rare itself."""
    if literal != literal.lower() or any(literal.rfind(mark) >= 2 for mark in _MARKS):
        return literal
    return next((core for core in kinds.CORES if core in literal), literal)


def _literal(literal: str, rules: list[int]) -> _Literal:
    core = _core(literal)
    follows = kinds.FOLLOWED_BY.get(core)
    return _Literal(
        literal.encode() if literal != literal.lower() else b"",
        re.compile(follows.encode()) if follows else None,
        literal.find(core) + len(core),
        rules,
    )


class Scanner:
    """The literals of a table of rules, ready to be looked for."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        from ahocorasick_rs import BytesAhoCorasick, Implementation  # only where there is a text to look at

        of_literal: dict[str, list[int]] = {}
        for index, rule in enumerate(rules):
            for literal in _needed(rule.literals):
                of_literal.setdefault(literal, []).append(index)
        lowered: dict[bytes, list[_Literal]] = {}
        self._single: list[tuple[re.Pattern[bytes], list[int]]] = []
        self._wide_rules: dict[str, list[int]] = {}
        for literal, indexes in of_literal.items():
            if not literal.isascii():
                self._wide_rules[literal] = indexes
            elif len(literal) == 1:  # found faster by itself: seldom does what has to follow it stand there
                follows = f"{re.escape(literal)}(?={kinds.FOLLOWED_BY[literal]})"
                self._single.append((re.compile(follows.encode()), indexes))
            else:
                lowered.setdefault(literal.lower().encode(), []).append(_literal(literal, indexes))
        self._found = list(lowered.values())
        self._find = BytesAhoCorasick(lowered, implementation=Implementation.DFA).find_matches_as_indexes
        self._wide = re.compile("|".join(map(re.escape, self._wide_rules)))

    def places(self, text: str) -> Iterator[tuple[int, int]]:
        """(rule, start) wherever a literal of a rule stands in the text."""
        # One byte a character, so a place in these is a place in the text.
        cased = text.encode("ascii", "replace")
        lowered = cased.lower()
        for number, start, _ in self._find(lowered, True):
            for literal, follows, at, rules in self._found[number]:
                if literal and not cased.startswith(literal, start):
                    continue
                if follows and not follows.match(cased if literal else lowered, start + at):
                    continue
                for rule in rules:
                    yield rule, start
        for pattern, rules in self._single:
            for match in pattern.finditer(lowered):
                for rule in rules:
                    yield rule, match.start()
        if not text.isascii():
            for wide in self._wide.finditer(text):
                for rule in self._wide_rules[wide.group()]:
                    yield rule, wide.start()


def _needed(literals: Sequence[str]) -> Iterator[str]:
    """The literals of a rule without those that begin with another one (``passphrase``, ``pass``)."""
    bare = [literal for literal in literals if literal not in kinds.FOLLOWED_BY]
    for literal in literals:
        if not any(literal != other and literal.startswith(other) for other in bare):
            yield literal
