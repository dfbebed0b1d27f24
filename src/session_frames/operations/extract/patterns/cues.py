"""Which words a text must hold for a pattern to match: asked first, for trying a pattern costs a hundred times more."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
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
    find, masks = _cues(language)
    words = _WORD.findall((text if text.isascii() else text.translate(_FOLDED)).lower())
    found = 0
    for number, _, _ in find(f" {' '.join(words)} ".encode(), True):
        found |= masks[number]
    return found


@cache
def _cues(language: str) -> tuple[Callable[[bytes, bool], list[tuple[int, int, int]]], list[int]]:
    """What finds the cues, and the mask of each. A blank in front of a cue or behind it says that a word begins or ends
    there; none reaches into the next word."""
    from ahocorasick_rs import BytesAhoCorasick, Implementation

    masks: dict[str, int] = {}
    for kind, bit in bits(language).items():
        for cue in CUES[language][kind].split("|"):
            masks[cue] = masks.get(cue, 0) | bit
    automaton = BytesAhoCorasick([cue.encode() for cue in masks], implementation=Implementation.DFA)
    return automaton.find_matches_as_indexes, [*masks.values()]
