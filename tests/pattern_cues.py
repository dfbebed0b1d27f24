"""Writes the table of cues: which words a text must hold for a pattern of the extraction to match.

    python tests/pattern_cues.py && ruff format src

A cue is a part of a word in lower case; a blank at its beginning or end says that the word begins or ends there. Cues
are read from the patterns themselves, as the standard library's own parser understands them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any
from unicodedata import east_asian_width

from session_frames.operations.extract.patterns import cue_table

LANGUAGES = ("en", "ko", "ja")
_NO_SEARCH = ("pick", "ordinals")  # kinds that are never searched for in a text
_HEAD = '''"""Cues of the patterns, separated by ``|``; written by ``python tests/pattern_cues.py``, never by hand.

A kind that is missing may match a text whatever words it holds.
"""

from __future__ import annotations

from typing import Final

CUES: Final[dict[str, dict[str, str]]] = {
'''
_WIDEST = 90
_WORD = re.compile(r"\w+")

Cues = frozenset[str]
_Nodes = Sequence[tuple[Any, Any]]


def table() -> dict[str, dict[str, Cues]]:
    """The cues of each kind in each language; a kind is left out where one of its patterns may match any text."""
    return {language: dict(_of_language(language)) for language in LANGUAGES}


def _of_language(language: str) -> Iterator[tuple[str, Cues]]:
    for kind, alternatives in patterns_of(language).items():
        cues = [] if kind in _NO_SEARCH else [cues_of(pattern) for pattern in alternatives]
        if cues and all(cues):
            yield kind, frozenset().union(*cues)


def patterns_of(language: str) -> dict[str, tuple[str, ...]]:
    """The patterns of each kind in a language."""
    patterns: dict[str, tuple[str, ...]] = import_module(f"{cue_table.__package__}.{language}").PATTERNS
    return patterns


def cues_of(pattern: str) -> Cues:
    """The cues of a pattern: a text without any of them can't match it. None at all where any text may."""
    return _needed(_parsed(pattern), False, False)


def begins_a_text(pattern: str) -> bool:
    """Can the pattern match at the beginning of a text only?"""
    return _is_anchored(_parsed(pattern))


def _parsed(pattern: str) -> _Nodes:
    parser: Any = getattr(re, "_parser")  # noqa: B009
    return list(parser.parse(pattern, re.IGNORECASE))


def _is_anchored(nodes: _Nodes) -> bool:
    kind, value = (str(nodes[0][0]), nodes[0][1]) if nodes else ("", ())
    if kind == "BRANCH":
        return all(_is_anchored(branch) for branch in value[1])
    return kind == "AT" and str(value) == "AT_BEGINNING"


def _needed(nodes: _Nodes, starts: bool, ends: bool) -> Cues:
    """The best cues for what stands in a row; with ``starts`` a word begins where it does, with ``ends`` one ends."""
    choices: list[Cues] = []
    run, run_starts, gap = "", False, starts
    nodes = [(str(name), value) for name, value in nodes if str(name) not in ("ASSERT", "ASSERT_NOT")]
    for at, (kind, value) in enumerate(nodes):
        letter = _letter(kind, value)
        if letter:
            run_starts = run_starts if run else gap
            run, gap = run + letter, False
            continue
        if run:
            choices.append(_cue(run, run_starts, _is_gap((kind, value), 0)))
            run = ""
        no_more = _is_gap(nodes[at + 1], 0) if at + 1 < len(nodes) else ends
        choices.append(_inside(kind, value, gap, no_more))
        gap = _is_gap((kind, value), -1)
    if run:
        choices.append(_cue(run, run_starts, ends))
    # Long ones are rare, and few of them are better than many.
    return max(filter(None, choices), key=lambda cues: (min(map(len, cues)), -len(cues)), default=frozenset())


def _cue(run: str, starts: bool, ends: bool) -> Cues:
    return frozenset((" " * starts + run + " " * ends,))


def _inside(kind: str, value: Any, starts: bool, ends: bool) -> Cues:
    """The cues of a part that has parts itself, where it must be there."""
    if kind == "SUBPATTERN" and not value[1] and not value[2]:
        return _needed(value[3], starts, ends)
    if kind == "MAX_REPEAT" and value[0]:
        return _needed(value[2], starts, ends and value[1] == 1)
    if kind == "BRANCH":
        branches = [_needed(branch, starts, ends) for branch in value[1]]
        return frozenset().union(*branches) if all(branches) else frozenset()
    return frozenset()


def _letter(kind: str, value: Any) -> str:
    """The letter of a word that the node stands for, "" where it stands for anything else."""
    letter = chr(value) if kind == "LITERAL" else ""
    has_cases = not letter.isascii() and letter.lower() != letter.upper()
    return letter.lower() if _WORD.match(letter) and not has_cases else ""


def _is_gap(node: tuple[Any, Any], edge: int) -> bool:
    """Does a word end at this edge (0 the first, -1 the last) of what the node stands for, whatever it is?"""
    kind, value = str(node[0]), node[1]
    if kind == "AT":
        return str(value) in ("AT_BOUNDARY", "AT_BEGINNING", "AT_END")
    if kind == "BRANCH":
        return all(branch and _is_gap(branch[edge], edge) for branch in value[1])
    if kind == "SUBPATTERN":
        return bool(value[3]) and _is_gap(value[3][edge], edge)
    if kind == "MAX_REPEAT":
        return bool(value[0]) and _is_gap(value[2][edge], edge)
    if kind == "IN":
        return all(_is_gap(one, edge) for one in value)
    return str(value) == "CATEGORY_SPACE" or (kind == "LITERAL" and not _WORD.match(chr(value)))


def text() -> str:
    """The module that holds the table."""
    lines = [_HEAD]
    for language, kinds in table().items():
        lines.append(f'    "{language}": {{\n')
        for kind, cues in kinds.items():
            quoted = [f'"{piece}"' for piece in _pieces(sorted(cues))]
            whole = quoted[0] if len(quoted) == 1 else "(\n            " + "\n            ".join(quoted) + "\n        )"
            lines.append(f'        "{kind}": {whole},\n')
        lines.append("    },\n")
    return "".join((*lines, "}\n"))


def _pieces(cues: Sequence[str]) -> Iterator[str]:
    """The cues as one text, cut to what fits on a line."""
    piece = ""
    for number, cue in enumerate(cues):
        more = f"|{cue}" if number else cue
        if _width(piece + more) > _WIDEST:
            yield piece
            piece = ""
        piece += more
    yield piece


def _width(text: str) -> int:
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


if __name__ == "__main__":
    Path(str(cue_table.__file__)).write_text(text(), encoding="utf-8")
