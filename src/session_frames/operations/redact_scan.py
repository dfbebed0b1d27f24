"""Where the literals of all rules stand in a text, found in one pass."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from session_frames.operations import redact_rules as kinds
from session_frames.operations.redact_pattern import Rule

_MARKS: Final = "_-.~="


class _Literal(NamedTuple):
    """A literal that was found in lower case: what else has to be true of the text there, and whose it is."""

    cased: bytes  # as it has to stand there; empty where upper and lower case are one
    follows: re.Pattern[bytes] | None
    at: int  # where that has to match, from the start of the literal
    owners: list[int]


def _core(literal: str) -> str:
    """The part of a literal behind which something has to follow: the common word in it, unless it is rare itself."""
    if literal != literal.lower() or any(literal.rfind(mark) >= 2 for mark in _MARKS):
        return literal
    return next((core for core in kinds.CORES if core in literal), literal)


def _literal(literal: str, follows: Mapping[str, str], owners: list[int]) -> _Literal:
    core = _core(literal)
    return _Literal(
        literal.encode() if literal != literal.lower() else b"",
        re.compile(follows[core].encode()) if follows.get(core) else None,
        len(literal[: literal.find(core) + len(core)].encode()),
        owners,
    )


class Finder:
    """Literals that are looked for all at once; one with a capital in it has to stand as it is."""

    def __init__(self, literals: Iterable[tuple[str, int]], follows: Mapping[str, str]) -> None:
        """Each literal comes with the number of its owner; ``follows`` tells what has to stand behind some of them."""
        from ahocorasick_rs import BytesAhoCorasick, Implementation  # only where there is a text to look at

        owners: dict[str, list[int]] = {}
        for literal, owner in literals:
            owners.setdefault(literal, []).append(owner)
        lowered: dict[bytes, list[_Literal]] = {}
        self._single: list[tuple[re.Pattern[bytes], list[int]]] = []
        for literal, numbers in owners.items():
            if len(literal) == 1:  # found faster by itself: seldom does what has to follow it stand there
                alone = f"{re.escape(literal)}(?={follows[literal]})"
                self._single.append((re.compile(alone.encode()), numbers))
            else:
                lowered.setdefault(literal.lower().encode(), []).append(_literal(literal, follows, numbers))
        self._found = list(lowered.values())
        self._find = BytesAhoCorasick(lowered, implementation=Implementation.DFA).find_matches_as_indexes

    def places(self, cased: bytes) -> Iterator[tuple[int, int]]:
        """(owner, start) wherever a literal stands in these bytes."""
        lowered = cased.lower()
        for number, start, _ in self._find(lowered, True):
            for literal, follows, at, owners in self._found[number]:
                if literal and not cased.startswith(literal, start):
                    continue
                if follows and not follows.match(cased if literal else lowered, start + at):
                    continue
                for owner in owners:
                    yield owner, start
        for pattern, owners in self._single:
            for match in pattern.finditer(lowered):
                for owner in owners:
                    yield owner, match.start()


class Scanner:
    """The literals of a table of rules, ready to be looked for."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        literals = [(literal, rank) for rank, rule in enumerate(rules) for literal in _needed(rule.literals)]
        self._narrow = Finder((one for one in literals if one[0].isascii()), kinds.FOLLOWED_BY)
        self._wide_rules: dict[str, list[int]] = {}
        for literal, rank in literals:
            if not literal.isascii():
                self._wide_rules.setdefault(literal, []).append(rank)
        self._wide = re.compile("|".join(map(re.escape, self._wide_rules)))

    def places(self, text: str) -> Iterator[tuple[int, int]]:
        """(rule, start) wherever a literal of a rule stands in the text."""
        # One byte a character, so a place in these is a place in the text.
        yield from self._narrow.places(text.encode("ascii", "replace"))
        if not text.isascii():
            for wide in self._wide.finditer(text):
                for rank in self._wide_rules[wide.group()]:
                    yield rank, wide.start()


def _needed(literals: Sequence[str]) -> Iterator[str]:
    """The literals of a rule without those that begin with another one (``passphrase``, ``pass``)."""
    bare = [literal for literal in literals if literal not in kinds.FOLLOWED_BY]
    for literal in literals:
        if not any(literal != other and literal.startswith(other) for other in bare):
            yield literal
