"""Where the literals of all rules stand in a text, found in as few passes as possible."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from session_frames.operations import redact_rules as kinds
from session_frames.operations.redact_pattern import Rule


class _Place(NamedTuple):
    """A literal of a rule, as a probe finds it."""

    rule: int
    literal: bytes
    back: int  # characters from the end of the probe's match to the start of the literal


class _Probe(NamedTuple):
    """One pass over a text: where it matches, one of some literals may stand."""

    pattern: re.Pattern[bytes]
    cased: bool  # look at the text as it is, not in lower case
    before: int  # characters in front of the match that tell one place from another as well
    places: Mapping[bytes, tuple[_Place, ...]]  # by those characters and what the probe matched


# A pass for one character costs next to nothing where that character is rare; which literal stands around it is
# asked there. In prose and code these are rarer than letters, and so are capitals.
_ANCHORS: Final = "_-.~="
_LOOK_BACK: Final = 6


def _anchor(literal: str) -> int:
    """Where in a literal its rarest character stands; -1 if it has none."""
    capitals = [at for at, letter in enumerate(literal) if letter.isupper()]
    if capitals:
        return capitals[0]
    marks = [literal.rfind(mark) for mark in _ANCHORS if mark in literal]
    return marks[0] if marks and (marks[0] >= 2 or len(literal) == 1) else -1


def _follow(literal: str) -> str:
    return f"(?={kinds.FOLLOWED_BY[literal]})" if literal in kinds.FOLLOWED_BY else ""


def _anchored_probe(anchor: str, cased: bool, table: Mapping[str, Sequence[int]]) -> _Probe:
    """All literals around the same rare character: that character, and what stands behind and before it."""
    sides: set[str] = set()
    backs: dict[int, set[str]] = {}
    places: dict[bytes, list[_Place]] = {}
    before = {literal[: _anchor(literal)][-1:] for literal in table}
    looks_back = 0 if "" in before else 1
    for literal, rules in table.items():
        at = _anchor(literal)
        head, rest = literal[:at], literal[at + 1 :]
        found = literal[at - looks_back :].encode()
        places.setdefault(found, []).extend(_Place(rule, literal.encode(), len(literal)) for rule in rules)
        if rest or not head:
            back = f"(?<={re.escape(head[-_LOOK_BACK:] + anchor)})" if head else ""
            sides.add(back + re.escape(rest) + _follow(literal))
        else:
            backs.setdefault(len(head[-_LOOK_BACK:]), set()).add(re.escape(head[-_LOOK_BACK:] + anchor))
    sides |= {f"(?<={'|'.join(sorted(group))})" for group in backs.values()}
    # Most anchors fall at the one character in front of them.
    screen = "" if not looks_back else f"(?<=[{re.escape(''.join(sorted(before)))}]{re.escape(anchor)})"
    # What takes more characters comes first, for the match says which literals to look at.
    pattern = f"{re.escape(anchor)}{screen}(?:{'|'.join(sorted(sides, key=_takes, reverse=True))})"
    # Where a longer one was matched, a shorter one may stand as well.
    whole = {
        found: tuple(
            place._replace(back=place.back + len(found) - len(other))
            for other, entries in places.items()
            if found.startswith(other)
            for place in entries
        )
        for found in places
    }
    return _Probe(re.compile(pattern.encode()), cased, looks_back, whole)


def _takes(side: str) -> tuple[int, str]:
    return len(re.sub(r"\(\?<?=.*?\)|\\", "", side)), side


def _plain_probes(table: Mapping[str, Sequence[int]]) -> Iterator[_Probe]:
    """One pass a literal; a literal that holds another is found by that one."""
    cores: dict[str, list[_Place]] = {core: [] for core in kinds.CORES}
    for literal in sorted(table, key=len):
        core = next((core for core in cores if core in literal), literal)
        back = literal.find(core) + len(core)
        cores.setdefault(core, []).extend(_Place(rule, literal.encode(), back) for rule in table[literal])
    for core, places in cores.items():
        yield _Probe(re.compile((re.escape(core) + _follow(core)).encode()), False, 0, {core.encode(): tuple(places)})


def _probes(literals: Mapping[str, Sequence[int]]) -> Iterator[_Probe]:
    """As few passes as find every literal (benchmarks/redaction.py tells what they cost)."""
    anchored: dict[tuple[str, bool], dict[str, Sequence[int]]] = {}
    plain: dict[str, Sequence[int]] = {}
    for literal, rules in literals.items():
        if _anchor(literal) < 0:
            plain[literal] = rules
        else:
            cased = literal != literal.lower()
            anchored.setdefault((literal[_anchor(literal)], cased), {})[literal] = rules
    for (anchor, cased), table in anchored.items():
        yield _anchored_probe(anchor, cased, table)
    yield from _plain_probes(plain)


class Scanner:
    """The literals of a table of rules, ready to be looked for."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        narrow: dict[str, list[int]] = {}
        self._wide_rules: dict[str, list[int]] = {}
        for index, rule in enumerate(rules):
            for literal in _needed(rule.literals):
                (narrow if literal.isascii() else self._wide_rules).setdefault(literal, []).append(index)
        self._probes = list(_probes(narrow))
        self._wide = re.compile("|".join(map(re.escape, self._wide_rules)))

    def places(self, text: str) -> Iterator[tuple[int, int]]:
        """(rule, start) wherever a literal of a rule stands in the text."""
        # One byte a character, so a place in these is a place in the text.
        cased = text.encode("ascii", "replace")
        lowered = cased.lower()
        for probe in self._probes:
            shadow = cased if probe.cased else lowered
            for match in probe.pattern.finditer(shadow):
                start, end = match.span()
                for index, literal, back in probe.places[shadow[start - probe.before : end]]:
                    if end >= back and shadow.startswith(literal, end - back):
                        yield index, end - back
        if not text.isascii():
            for wide in self._wide.finditer(text):
                for index in self._wide_rules[wide.group()]:
                    yield index, wide.start()


def _needed(literals: Sequence[str]) -> Iterator[str]:
    """The literals of a rule without those that begin with another one (``passphrase``, ``pass``)."""
    bare = [literal for literal in literals if literal not in kinds.FOLLOWED_BY]
    for literal in literals:
        if not any(literal != other and literal.startswith(other) for other in bare):
            yield literal
