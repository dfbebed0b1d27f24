"""Which words a text must hold for a pattern to match: asked first, for trying a pattern costs a hundred times more."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Final

from .cue_table import CUES

# Letters that ``re.IGNORECASE`` takes for an ASCII one and ``lower()`` does not make it.
_FOLDED: Final = {0x130: "i", 0x131: "i", 0x17F: "s"}
_WORD: Final = re.compile(r"\w+")


@cache
def bits(language: str) -> dict[str, int]:
    """The bit of each kind that has cues, in the masks of ``mask``."""
    return {kind: 1 << number for number, kind in enumerate(CUES[language])}


def mask(language: str, text: str) -> int:
    """The bits of the kinds of which a cue stands in the text."""
    of_word = _masks(language)
    found = 0
    for word in set(_WORD.findall((text if text.isascii() else text.translate(_FOLDED)).lower())):
        found |= of_word(word)
    return found


@cache
def _masks(language: str) -> Callable[[str], int]:
    """What tells the mask of a word. A blank in front of a cue or behind it says that a word begins or ends there."""
    cues: dict[str, int] = {}
    for kind, bit in bits(language).items():
        for cue in CUES[language][kind].split("|"):
            cues[cue] = cues.get(cue, 0) | bit
    longest = max(map(len, cues))

    @lru_cache(maxsize=8192)
    def of_word(word: str) -> int:
        padded = f" {word} "
        found = 0
        for start in range(len(padded) - 1):
            for end in range(start + 1, min(start + longest, len(padded)) + 1):
                found |= cues.get(padded[start:end], 0)
        return found

    return of_word
