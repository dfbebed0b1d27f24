"""The words of a text that say what it is about, made comparable across inflections."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from .memory import remembered
from .patterns.vocabulary import EMPTY_WORDS, GENERIC_WORDS

_PREFIX: Final = 5  # "rename" and "renaming", "evict" and "eviction"
_TOKEN: Final = (
    r"[A-Za-z][A-Za-z0-9_/`-]*(?:\.[A-Za-z][A-Za-z0-9_]*)*|\d[\d.,]*"
    r"|[\uac00-\ud7a3]+|[\u30a0-\u30ff]{2,}|[\u4e00-\u9fff]+"
)


@remembered
def about(text: str) -> frozenset[str]:
    """The keys of the words that carry meaning; empty for "yes, do that"."""
    return frozenset().union(*map(_keys, set(re.findall(_TOKEN, text))))


@lru_cache(maxsize=8192)
def _keys(token: str) -> frozenset[str]:
    """The keys of a word and of its parts, those left out that carry no meaning."""
    bare = [part.strip("`-_/.").lower() for part in (token, *re.split(r"[/_-]", token))]
    keys = {_key(word) for word in bare if word not in EMPTY_WORDS}
    return frozenset(key for key in keys if len(key) > 1 and key not in EMPTY_WORDS)


def _key(word: str) -> str:
    if re.match(r"[\uac00-\ud7a3]", word):
        return word[:2] if len(word) > 1 else ""
    if re.match(r"[a-z]", word):
        return word[:_PREFIX] if "." not in word else word
    return word


def shared(one: str, other: str) -> frozenset[str]:
    """What two texts are both about, leaving out words that everything in a project is about."""
    return (about(one) & about(other)) - GENERIC_WORDS


def says(word: str, text: str) -> bool:
    """Whether each part of a short answer occurs in the text, as a word of it."""
    parts = [part.strip("`=").lower() for part in word.split()]
    bare = text.lower()
    return bool(parts) and all(_occurs(part, bare) for part in parts)


def _occurs(part: str, text: str) -> bool:
    if not part or part in EMPTY_WORDS:
        return False
    if part.isascii():
        return bool(re.search(rf"(?<![A-Za-z0-9]){re.escape(part)}(?![A-Za-z0-9])", text))
    return part in text


def numbers(text: str) -> dict[str, frozenset[str]]:
    """The numbers in a text by the unit that follows them; "" for a bare number."""
    found: dict[str, set[str]] = {}
    for value, unit in re.findall(
        r"(\d[\d.,]*(?:万|만|k)?)\s?(%|[A-Za-z]{1,7}|[\uac00-\ud7a3]|[\u4e00-\u9fff])?", text
    ):
        found.setdefault(unit.lower(), set()).add(value.rstrip(".,").lower())
    return {unit: frozenset(values) for unit, values in found.items()}


def other_number(old: str, new: str) -> bool:
    """Whether the new text gives another number of the same unit than the old one."""
    before, after = numbers(old), numbers(new)
    return any(unit and before[unit] != after[unit] for unit in before.keys() & after.keys())
