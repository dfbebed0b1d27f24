"""What merging has to know about plain values: are two the same, which order holds both, is one the other cut short."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final, TypeVar

Name = TypeVar("Name", bound=Hashable)


class Absent:
    """The type of ``ABSENT``: what a key holds that is not there."""

    def __repr__(self) -> str:
        return "absent"


ABSENT: Final = Absent()

_REDACTED = re.compile(r"\[redacted:[A-Za-z0-9_-]{1,60}\]")
_LEFT_OUT = re.compile(r"\n\[… [0-9]+ characters left out, digest [0-9a-f]+ …\]\n")


def canonical(value: Any) -> str:
    """The value as JSON with sorted keys and without blanks; what is absent is ``null``."""
    return json.dumps(None if value is ABSENT else value, sort_keys=True, separators=(",", ":"))


def same(one: Any, other: Any) -> bool:
    """Are these the same JSON value? Python alone would say so of ``1``, ``1.0`` and ``true``."""
    if one is other:
        return True
    if one is ABSENT or other is ABSENT or one != other:
        return False
    return isinstance(one, str) or canonical(one) == canonical(other)


def sorts_last(one: Any, other: Any) -> Any:
    """Of two values the one whose canonical JSON sorts last."""
    return max((one, other), key=lambda value: (canonical(value), value is not ABSENT))


def in_order(ours: Sequence[Name], theirs: Sequence[Name], rank: Callable[[Name], Any]) -> list[Name]:
    """All names of both sequences in an order that keeps that of each.

    Where neither sequence says which of two comes first, ``rank`` does. If the sequences contradict each other ``rank``
    alone gives the order, so that the result is the same whichever side is ours.
    """
    place = {name: at for at, name in enumerate(theirs)}
    shared = [place[name] for name in ours if name in place]
    if shared != sorted(shared):
        return sorted({*ours, *theirs}, key=rank)
    common = {name for name in ours if name in place}
    merged: list[Name] = []
    left, right = list(reversed(ours)), list(reversed(theirs))
    while left and right:
        if left[-1] == right[-1]:
            merged.append(left.pop())
            right.pop()
        elif right[-1] in common or (left[-1] not in common and rank(left[-1]) <= rank(right[-1])):
            merged.append(left.pop())
        else:
            merged.append(right.pop())
    return [*merged, *reversed(left), *reversed(right)]


# ---------------------------------------------------------------------------------------------------------------------
# Texts


def merged_text(base: str, ours: str, theirs: str) -> str | None:
    """The text that stands for both; None when they can't be reconciled. All three differ."""
    if ours.startswith(theirs) or theirs.startswith(ours):
        return max(ours, theirs, key=len)
    grown = [
        redacted + other[len(base) :]
        for redacted, other in ((ours, theirs), (theirs, ours))
        if base and other.startswith(base) and is_redacted(redacted, base)
    ]
    if grown:
        return max(grown)
    return redacted_one(ours, theirs) or whole_one(ours, theirs)


def redacted_one(ours: str, theirs: str) -> str | None:
    """The one of two texts that is the other redacted; where both are, the one that says less."""
    found = [one for one, other in ((ours, theirs), (theirs, ours)) if is_redacted(one, other)]
    return min(found, key=lambda text: (len(_REDACTED.sub("", text)), text)) if found else None


def whole_one(ours: str, theirs: str) -> str | None:
    """The one of two texts that the other is without its middle; where both are, the longer."""
    found = [other for one, other in ((ours, theirs), (theirs, ours)) if _fits(_LEFT_OUT, one, other)]
    return max(found, key=lambda text: (len(text), text)) if found else None


def is_redacted(text: str, plain: str) -> bool:
    """Is ``text`` the ``plain`` one with secrets replaced?"""
    return _fits(_REDACTED, text, plain)


def _fits(marker: re.Pattern[str], text: str, plain: str) -> bool:
    """Can ``plain`` be had from ``text`` by putting something in the place of each marker?"""
    pieces = marker.split(text)
    if len(pieces) == 1 or text == plain:
        return False
    first, *middle, last = pieces
    end = len(plain) - len(last)
    if not plain.startswith(first) or not plain.endswith(last) or end < len(first):
        return False
    at = len(first)
    for piece in middle:
        found = plain.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True


# ---------------------------------------------------------------------------------------------------------------------
# Values with texts in them


def more_redacted(ours: Any, theirs: Any) -> Any:
    """The value of which more secrets were taken out; None where it is as many from both."""
    hidden = [len(_REDACTED.findall(canonical(value))) for value in (ours, theirs)]
    if hidden[0] == hidden[1]:
        return None
    return ours if hidden[0] > hidden[1] else theirs


def redacted_value(ours: Any, theirs: Any) -> Any:
    """The one of two values that is the other redacted; None where neither is."""
    redacted = more_redacted(ours, theirs)
    if redacted is None:
        return None
    return redacted if _is_reduced(redacted, theirs if redacted is ours else ours) else None


def fuller_value(ours: Any, theirs: Any) -> Any:
    """The one of two values that the other is with parts left out; None where neither is."""
    reduced = [other for one, other in ((ours, theirs), (theirs, ours)) if _is_reduced(one, other)]
    return sorts_last(*reduced) if len(reduced) == 2 else next(iter(reduced), None)


def _is_reduced(value: Any, whole: Any) -> bool:
    """Is ``value`` the ``whole`` one with parts redacted or left out?"""
    if isinstance(value, str) and isinstance(whole, str):
        return value == whole or is_redacted(value, whole) or _fits(_LEFT_OUT, value, whole)
    if isinstance(value, dict) and isinstance(whole, dict):
        return all(key in whole and _is_reduced(item, whole[key]) for key, item in value.items())
    if isinstance(value, list) and isinstance(whole, list):
        return len(value) <= len(whole) and all(map(_is_reduced, value, whole))
    if isinstance(value, dict) and isinstance(whole, str):
        return _is_excerpt(value.get("elided"), whole)
    return same(value, whole)


def _is_excerpt(excerpt: Any, whole: str) -> bool:
    return (
        isinstance(excerpt, dict)
        and excerpt.get("size") == len(whole)
        and whole.startswith(str(excerpt.get("head", "")))
        and whole.endswith(str(excerpt.get("tail", "")))
    )
