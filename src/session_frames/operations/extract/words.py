"""The words of a text that say what it is about, made comparable across inflections."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_PREFIX: Final = 5  # "rename" and "renaming", "evict" and "eviction"
_TOKEN: Final = r"[A-Za-z][A-Za-z0-9_/`-]*(?:\.[A-Za-z][A-Za-z0-9_]*)*|\d[\d.,]*|[\uac00-\ud7a3]+|[\u30a0-\u30ff]{2,}|[\u4e00-\u9fff]+"

_EMPTY_WORDS: Final = frozenset(
    """
    a an the and or but so to of in on at by for from with without into over under as is are was were be been being it its
    this that these those there here i you he she we they me my your our his her their do does did done don doesn didn not
    no yes ok okay sure can could will would shall should may might must have has had if then than when where what which
    who how why also just only still now later again more most some any all each one two first last next new old same
    other instead rather use used using make made keep kept put get got go going let want wanted need needs add added way
    thing things like time please think know see say said tell ask right fine good up out off down about after before
    because since while too very much many back them us ll ve re isn wasn won let's i'd i'll i'm don't it's that's we'll
    그거 이거 저거 그건 이건 그게 이게 그걸 이걸 그냥 일단 나중 아까 방금 그렇 이렇 그럼 그리 그런 이런 다시 지금 이제 먼저 정말 진짜 아니
    하자 하지 해줘 하면 하는 해서 했는 합니 하겠 할까 있습 없습 됩니 같습 우리 내가 제가 근데 그대 그때 여기 거기 아직 말고 않고 마세 주세 처리
    今 時 方 中 前 後 件 物 事 人 自分 場合 必要 今回 一旦 最初 最後 一番 途中 全部 以上 以下 そのまま
    """.split()  # noqa: SIM905 - a list of 200 strings would be a page
)
_GENERIC: Final = frozenset(
    ("file", "code", "test", "line", "chang", "work", "fix", "updat", "set", "run", "파일", "코드")
)


def _key(token: str) -> str:
    token = token.strip("`-_/.").lower()
    if re.match(r"[\uac00-\ud7a3]", token):
        return token[:2] if len(token) > 1 else ""
    if re.match(r"[a-z]", token):
        return token[:_PREFIX] if "." not in token else token
    return token


@lru_cache(maxsize=512)
def about(text: str) -> frozenset[str]:
    """The keys of the words that carry meaning; empty for "yes, do that"."""
    keys: set[str] = set()
    for token in re.findall(_TOKEN, text):
        for part in (token, *re.split(r"[/_-]", token)):
            lower = part.strip("`-_/.").lower()
            key = _key(part)
            if len(key) > 1 and lower not in _EMPTY_WORDS and key not in _EMPTY_WORDS:
                keys.add(key)
    return frozenset(keys)


def shared(one: str, other: str) -> frozenset[str]:
    """What two texts are both about, leaving out words that everything in a project is about."""
    return (about(one) & about(other)) - _GENERIC


def says(word: str, text: str) -> bool:
    """Whether each part of a short answer occurs in the text, as a word of it."""
    parts = [part.strip("`=").lower() for part in word.split()]
    bare = text.lower()
    return bool(parts) and all(_occurs(part, bare) for part in parts)


def _occurs(part: str, text: str) -> bool:
    if not part or part in _EMPTY_WORDS:
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
