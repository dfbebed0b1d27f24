"""Secrets are replaced by typed markers before anything is stored.

Three steps, each cheaper than the next is dear: a scan of the text for the literals of all rules at once
(``redact_scan``), a rule's pattern where its literal stands (``redact_rules``, ``redact_match``, and ``redact_blocks``
for keys of many lines), and a judge that spares what only looks like a secret (``redact_judges``).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any, Final, NamedTuple

from session_frames.operations import redact_rules as kinds
from session_frames.operations.redact_judges import is_value, names_a_secret
from session_frames.operations.redact_match import MARKER, Matcher, Span
from session_frames.operations.redact_pattern import Rule

__all__ = ["DEFAULT", "Hit", "Policy", "Rule", "find_secrets", "policy", "redact_keys", "redact_text", "redact_value"]

Record = Callable[[str, str, int], None]

SHORTEST: Final = 8  # nothing shorter holds a name and a value
_LONG: Final = 400
_REMEMBERED_LENGTH: Final = 120


class Hit(NamedTuple):
    """A secret found: the rule that found it and where the value stands."""

    rule: str
    start: int
    end: int


class Policy:
    """Which secrets are looked for, and which false hits stay."""

    def __init__(self, extra: Sequence[Rule] = (), allow: Sequence[str] = ()) -> None:
        self.extra = tuple(extra)
        self.allow = tuple(allow)
        self.matcher = Matcher(self.extra, self.allow)
        # Keys and enum values with a literal in them (``input_tokens``) come again in every record.
        self._redact_short = lru_cache(maxsize=4096)(self._redact)

    def suspects(self, texts: Sequence[str]) -> frozenset[str]:
        """Those of many texts that are worth a look of their own: long, or a literal of a rule stands in them.

        The short ones are scanned as one text: a scan has its price however little there is to scan.
        """
        long = [text for text in texts if len(text) >= _LONG]
        short = [text for text in texts if len(text) < _LONG]
        joined = "\n".join(short)
        if self.matcher.own_may_match(joined):
            return frozenset(texts)
        starts = [0, *accumulate(len(text) + 1 for text in short)]
        found = {short[bisect_right(starts, place) - 1] for _, place in self.matcher.places(joined)}
        return frozenset((*long, *found))

    def redact_again(self, text: str) -> tuple[str, list[Hit]]:
        """``redact_text``, remembering the short texts."""
        return self._redact_short(text) if len(text) <= _REMEMBERED_LENGTH else self._redact(text)

    def _redact(self, text: str) -> tuple[str, list[Hit]]:
        return redact_text(text, self)


def policy(extra: Sequence[Rule] = (), allow: Sequence[str] = ()) -> Policy:
    """The built-in rules and a team's own; ``allow`` holds false hits that stay, as they stand or as patterns."""
    return Policy(extra, allow)


DEFAULT: Final = Policy()


def marker(rule: str) -> str:
    """What stands in the place of a secret."""
    return f"[redacted:{rule}]"


def _replaced(text: str, hits: Sequence[Hit]) -> str:
    pieces: list[str] = []
    at = 0
    for hit in hits:
        pieces += (text[at : hit.start], marker(hit.rule))
        at = hit.end
    return "".join((*pieces, text[at:]))


def _in_original(hits: Sequence[Hit], later: Iterable[Hit]) -> list[Hit]:
    """Hits found in the text in which ``hits`` are replaced, as places of the text before."""
    placed: list[Hit] = []
    ends: list[int] = []  # of the markers, in the replaced text
    shifts: list[int] = []
    shift = 0
    for hit in hits:
        shift += hit.end - hit.start - len(marker(hit.rule))
        ends.append(hit.end - shift)
        shifts.append(shift)
    for hit in later:
        before = bisect_right(ends, hit.start)
        moved = shifts[before - 1] if before else 0
        placed.append(Hit(hit.rule, hit.start + moved, hit.end + moved))
    return placed


def find_secrets(text: str, policy: Policy) -> list[Hit]:
    """The secrets in a text, in order, none overlapping another.

    What a replaced hit brings to light (a value that was part of a longer candidate) is looked for again until nothing
    is found, so that a redacted text holds no hit.
    """
    return _found(text, policy.matcher, policy.matcher.spans) if len(text) >= SHORTEST else []


def _found(text: str, matcher: Matcher, spans: Callable[[str], Sequence[Span]]) -> list[Hit]:
    found: list[Hit] = []
    current = text
    while True:
        fresh = [Hit(matcher.name(rank), start, end) for start, end, rank in spans(current)]
        if not fresh:
            return found
        found = sorted((*found, *_in_original(found, fresh)), key=lambda hit: hit.start)
        current = _replaced(text, found)


def redact_text(text: str, policy: Policy) -> tuple[str, list[Hit]]:
    """The text with every secret replaced by its marker, and where they stood."""
    hits = find_secrets(text, policy)
    return (_replaced(text, hits), hits) if hits else (text, hits)


def redact_keys(text: str, policy: Policy) -> tuple[str, list[Hit]]:
    """``redact_text`` for an id or the name of a file: only what is a key by itself goes, whatever stands around it."""
    hits = _found(text, policy.matcher, policy.matcher.key_spans) if len(text) >= SHORTEST else []
    return (_replaced(text, hits), hits) if hits else (text, hits)


class _Walk:
    """One walk over a JSON value; counts what it replaces."""

    def __init__(self, policy: Policy, suspects: frozenset[str]) -> None:
        self.policy = policy
        self.suspects = suspects
        self.counts: dict[str, int] = {}

    def value(self, value: Any, key: str = "") -> Any:
        if isinstance(value, str):
            return self.text(value, key)
        if isinstance(value, dict):
            return self.mapping(value)
        if isinstance(value, list):
            items = [self.value(item, key) for item in value]
            return value if all(new is old for new, old in zip(items, value, strict=True)) else items
        return value

    def mapping(self, value: dict[Any, Any]) -> dict[Any, Any]:
        changed = False
        copy: dict[Any, Any] = {}
        for key, item in value.items():
            new_key = self.text(key) if isinstance(key, str) else key
            new_item = self.value(item, key if isinstance(key, str) else "")
            changed = changed or new_key is not key or new_item is not item
            copy[_free_key(new_key, copy)] = new_item
        return copy if changed else value

    def text(self, text: str, key: str = "") -> str:
        if text in self.suspects:
            redacted, hits = self.policy.redact_again(text)
            for hit in hits:
                self.count(hit.rule)
            if hits:
                return redacted
        if names_a_secret(key) and self.named_value(key, text):
            self.count(kinds.ASSIGNED)
            return marker(kinds.ASSIGNED)
        return text

    def named_value(self, key: str, text: str) -> bool:
        """Is the text the value that the key in front of it says is secret?"""
        return is_value(key, text) and not MARKER.search(text) and not self.policy.matcher.allows(text)

    def count(self, rule: str) -> None:
        self.counts[rule] = self.counts.get(rule, 0) + 1


def _strings(value: Any) -> tuple[list[str], bool]:
    """Every text in a JSON value, keys too; does a key say of a text that it is secret?"""
    texts: list[str] = []
    named = False
    left = [value]
    while left:
        node = left.pop()
        if isinstance(node, str):
            texts.append(node)
        elif isinstance(node, dict):
            for key, item in node.items():
                if isinstance(key, str):
                    texts.append(key)
                    named = named or (isinstance(item, str) and names_a_secret(key))
                left.append(item)
        elif isinstance(node, list):
            left += node
    return texts, named


def _free_key(key: Any, taken: Mapping[Any, Any]) -> Any:
    """Two keys that become the same marker both stay."""
    free, number = key, 2
    while free in taken:
        free, number = f"{key}#{number}", number + 1
    return free


def redact_value(value: Any, policy: Policy, where: str, record: Record) -> Any:
    """A JSON value with the secrets in its strings and keys replaced; the same object where there are none.

    ``record`` is told, once a rule, how many were replaced.
    """
    texts, named = _strings(value)
    suspects = policy.suspects(texts)
    if not suspects and not named:
        return value
    walk = _Walk(policy, suspects)
    redacted = walk.value(value)
    for rule, count in walk.counts.items():
        record(rule, where, count)
    return redacted
