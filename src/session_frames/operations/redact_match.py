"""One look at a text: each rule is tried where its literal stands, and a judge has the last word."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, cached_property
from typing import Final, NamedTuple

from session_frames.operations import redact_rules as kinds
from session_frames.operations.redact_blocks import ENDS
from session_frames.operations.redact_judges import JUDGES, Judge, stands
from session_frames.operations.redact_pattern import Pattern, Rule
from session_frames.operations.redact_scan import Scanner

MARKER = Pattern(r"\[redacted:[A-Za-z0-9_-]{1,60}\]")

# A bare value ends before the signs that a sentence, a list or a program puts behind it.
_CUT = Pattern(r"[&;,](?=[\w.-]*[=:]|$)|[),;.:\]}|*]+$|[)\]}]+[,;.:]|/?>")
_CUT_SIGN = Pattern(r"[&;,).:\]}|*/>]")  # what a cut begins with: far cheaper to look for
_TRIMMED: Final = frozenset(
    {kinds.ASSIGNED, kinds.FLAG, kinds.SAID, kinds.SAID_KEY, kinds.LOGIN, kinds.SHORT, kinds.LOCAL, kinds.AUTHORIZATION}
)
_REST = Pattern(r"""[^\s"'`<>]+""")
_NOWHERE: Final = (0, 0)

_PLAIN: Final = Pattern(r"[ !#-.0-\[\]-~]+")  # JSON writes it as it is

Span = tuple[int, int, int]
"""Start, end, and the rank of the rule: the lower one names hits that overlap."""


class _Compiled(NamedTuple):
    """A rule, ready to be tried."""

    name: str
    match: Callable[[str, int, int], re.Match[str] | None]
    finditer: Callable[[str, int, int], Iterator[re.Match[str]]]
    group: int
    judge: Judge
    end: Callable[[str, int, int], int | None] | None
    trimmed: bool


def _compile(rule: Rule) -> _Compiled:
    compiled = re.compile(rule.pattern, re.ASCII)
    return _Compiled(
        rule.name,
        compiled.match,
        compiled.finditer,
        rule.group,
        JUDGES.get(rule.name, stands),
        ENDS.get(rule.name),
        rule.name in _TRIMMED and rule.group == 1,  # a quoted value (group 2) ends where its quotes do
    )


def _compile_own(rule: Rule) -> _Compiled:
    compiled = re.compile(rule.pattern)
    return _Compiled(rule.name, compiled.match, compiled.finditer, rule.group, _always, None, False)


def _always(text: str, match: re.Match[str], start: int, end: int) -> bool:
    return True


@cache
def _built_in() -> tuple[list[_Compiled], Scanner]:
    return [_compile(rule) for rule in kinds.RULES], Scanner(kinds.RULES)


class Matcher:
    """The built-in rules and a team's own. Nothing is compiled before the first text."""

    def __init__(self, own: Sequence[Rule], allow: Sequence[str]) -> None:
        self._own = own
        self._allow = allow

    @cached_property
    def _rules(self) -> list[_Compiled]:
        return _built_in()[0]

    @cached_property
    def _own_rules(self) -> list[tuple[_Compiled, tuple[str, ...]]]:
        return [(_compile_own(rule), tuple(literal.lower() for literal in rule.literals)) for rule in self._own]

    @cached_property
    def _allowed(self) -> Callable[[str], bool]:
        exact = frozenset(self._allow)
        patterns = [pattern for entry in self._allow if (pattern := as_pattern(entry)) is not None]
        return lambda value: value in exact or any(pattern.fullmatch(value) for pattern in patterns)

    def allows(self, value: str) -> bool:
        """Is this a false hit that the team wants to stay?"""
        return bool(self._allow) and self._allowed(value)

    def name(self, rank: int) -> str:
        """The name of the rule of that rank."""
        return self._rules[rank].name if rank < len(self._rules) else self._own[rank - len(self._rules)].name

    def places(self, text: str) -> Iterator[tuple[int, int]]:
        """(rule, start) wherever a literal of a built-in rule stands."""
        return _built_in()[1].places(text)

    def own_may_match(self, text: str) -> bool:
        """Could one of the team's own rules match?"""
        return any(_may_match(literals, text) for _, literals in self._own_rules)

    def own_may_match_in_json(self, data: bytes) -> bool:
        """Could one of the team's own rules match a string of this JSON? Its literals may stand there as escapes."""
        lowered = data.lower()
        return any(
            not literals or any(not _PLAIN.fullmatch(word) or word.encode() in lowered for word in literals)
            for _, literals in self._own_rules
        )

    def key_spans(self, text: str) -> list[Span]:
        """The stretches that are keys by themselves, whatever stands around them."""
        places = [(rank, at) for rank, at in self.places(text) if rank < kinds.KEY_RULES]
        return _joined(self._at_literals(text, places, _Walls(text))) if places else []

    def spans(self, text: str) -> list[Span]:
        """Every stretch that is judged a secret, in order, none overlapping another."""
        places = list(self.places(text))
        if not places and not self._own:
            return []
        walls = _Walls(text)
        return _joined([*self._at_literals(text, places, walls), *self._of_own_rules(text, walls)])

    def _at_literals(self, text: str, places: Iterable[tuple[int, int]], walls: _Walls) -> Iterator[Span]:
        rules = self._rules
        last: dict[int, tuple[int, int]] = {}  # of each rule: no literal within a hit is looked at again
        for rank, at in places:
            start, end = last.get(rank, _NOWHERE)
            if start <= at < end:
                continue
            rule, wall = rules[rank], walls.after(at)
            match = rule.match(text, at, wall)
            if match and (span := self._judged(rule, text, match, wall)):
                last[rank] = span
                yield *span, rank

    def _of_own_rules(self, text: str, walls: _Walls) -> Iterator[Span]:
        for rank, (rule, literals) in enumerate(self._own_rules, len(self._rules)):
            if not _may_match(literals, text):
                continue
            for begin, stop in walls.free():
                for match in rule.finditer(text, begin, stop):
                    if span := self._judged(rule, text, match, stop):
                        yield *span, rank

    def _judged(self, rule: _Compiled, text: str, match: re.Match[str], wall: int) -> tuple[int, int] | None:
        """Where the value stands, if this is one."""
        start, end = match.span(rule.group)
        if rule.trimmed and (sign := _CUT_SIGN.search(text, start, end)):
            cut = _CUT.search(text, sign.start(), end)
            end = cut.start() if cut else end
        if rule.end is not None:
            found = rule.end(text, end, wall)
            if found is None:
                return None
            end = found
        if start >= end or not rule.judge(text, match, start, end) or self.allows(text[start:end]):
            return None
        if match.end(rule.group) - start == kinds.LONGEST_JUDGED:
            rest = _REST.match(text, match.end(rule.group), wall)
            end = rest.end() if rest else end
        return start, end


def as_pattern(entry: str) -> re.Pattern[str] | None:
    """What a team allows may be a pattern, and is a text where it is none."""
    try:
        return re.compile(entry)
    except re.error:
        return None


def _may_match(literals: Sequence[str], text: str) -> bool:
    if not literals:
        return True
    lowered = text.lower()
    return any(literal in lowered for literal in literals)


class _Walls:
    """The markers that already stand in a text: no hit reaches into one, so redacting twice changes nothing."""

    def __init__(self, text: str) -> None:
        spans = [match.span() for match in MARKER.finditer(text)] if "[redacted:" in text else []
        self.starts = [start for start, _ in spans]
        self.ends = [end for _, end in spans]
        self.length = len(text)

    def after(self, at: int) -> int:
        """How far a match from ``at`` may reach: up to the next marker; nowhere from within one."""
        if not self.starts:
            return self.length
        behind = bisect_right(self.starts, at)
        if behind and at < self.ends[behind - 1]:
            return at
        return self.starts[behind] if behind < len(self.starts) else self.length

    def free(self) -> Iterator[tuple[int, int]]:
        """What lies between the markers."""
        yield from zip([0, *self.ends], [*self.starts, self.length], strict=True)


def _joined(spans: Iterable[Span]) -> list[Span]:
    """Overlapping spans as one that covers them all, named by the rule that stands first in the table."""
    joined: list[Span] = []
    for start, end, rank in sorted(spans):
        if joined and start < joined[-1][1]:
            first, stop, other = joined[-1]
            joined[-1] = (first, max(stop, end), min(other, rank))
        else:
            joined.append((start, end, rank))
    return joined
