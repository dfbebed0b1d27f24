"""How many tokens a text costs a model: estimated without any package, exact where a counter is installed.

Every number says where it comes from: ``usage`` is what the transcript itself recorded, ``exact`` a tokenizer's count,
``estimated`` a sum over what the text is made of (words, digits, punctuation, Hangul, Kana, Kanji, …), each with a
factor that was fitted to a tokenizer. The factors, how they were measured and their error by kind of text stand in
``docs/tokens.md``; ``benchmarks/token_estimates.py`` makes them anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Final, Literal, NamedTuple

Source = Literal["usage", "exact", "estimated"]


class Count(NamedTuple):
    """A number of tokens and where it comes from."""

    tokens: int
    source: Source


# What a text is made of, in the order of the factors: characters of a class, runs of them, changes between two classes.
TRAITS: Final = (
    *("lower", "upper", "words", "numbers", "letter_digit_changes", "spaces", "runs_of_spaces", "line_breaks"),
    *("runs_of_punctuation", "chinese", "kanji", "kana", "ideographic_punctuation", "hangul", "hangul_words"),
    *("full_width", "accented", "two_byte", "three_byte", "four_byte"),
)

# Vocabulary -> what each trait costs. ``anthropic`` is the reference: the vocabulary of that maker's models since Opus
# 4.7, which needs more tokens for the same text than all others that were looked at. ``openai`` is o200k.
FACTORS: Final[Mapping[str, tuple[float, ...]]] = {
    "anthropic": (
        *(0.28, 1.0, 0.0, 1.46, 0.7, 0.06, 0.1, 0.6, 1.55, 1.07),
        *(1.08, 0.73, 1.91, 1.04, 0.84, 2.16, 4.58, 0.41, 0.76, 2.0),
    ),
    "openai": (
        *(0.1, 0.22, 0.26, 1.38, 0.81, 0.05, 0.33, 0.6, 0.94, 0.72),
        *(0.91, 0.6, 1.3, 0.25, 1.08, 1.36, 1.53, 0.24, 0.66, 2.0),
    ),
}
REFERENCE: Final = "anthropic"


def estimated_tokens(text: str, vocabulary: str = REFERENCE) -> int:
    """The estimated number of tokens of a text, rounded up."""
    cost = sum(map(float.__mul__, FACTORS[vocabulary], traits(text)))
    return int(cost) + (cost > int(cost))


def traits(text: str) -> list[float]:
    """How often each of ``TRAITS`` occurs in the text."""
    encoded = text.encode("utf-8", "surrogatepass")
    classes = encoded.translate(_CLASSES, _CONTINUING)  # one byte a character
    count = classes.count
    mixed = classes.translate(_LETTERS_AND_DIGITS)
    found = [
        count(b"a"),
        count(b"A"),
        _runs(mixed, b"a"),
        _runs(classes, b"0"),
        mixed.count(b"a0") + mixed.count(b"0a"),
        count(b"_"),
        _runs(classes, b"_"),
        count(b"\n"),
        _runs(classes, b"."),
    ]
    if text.isascii():
        return [float(number) for number in found] + [0.0] * (len(TRAITS) - len(found))
    punctuation = encoded.count(b"\xe3\x80")
    ideographs, kana = count(b"H"), count(b"K") - punctuation
    japanese = ideographs * min(1.0, 4 * kana / (ideographs + 1))  # Kanji stand among Kana, Chinese alone
    rest = [kana, punctuation, count(b"G"), _runs(classes, b"G"), *map(count, (b"F", b"L", b"2", b"3", b"4"))]
    return [float(number) for number in (*found, ideographs - japanese, japanese, *rest)]


def _runs(classes: bytes, wanted: bytes) -> int:
    alone = classes.translate(_ONLY[wanted])
    return alone.count(b" x") + alone.startswith(b"x")


def _class_of(byte: int) -> str:
    """The class of a byte of UTF-8: the first byte of a character tells its script."""
    for first, last, name in _SCRIPTS:
        if first <= byte <= last:
            return name
    character = chr(byte)
    return "a" if character.islower() else "A" if character.isupper() else "0" if character.isdigit() else "."


_SCRIPTS = (
    (0x0A, 0x0A, "\n"),
    (0x20, 0x20, "_"),
    (0xC3, 0xC5, "L"),  # Latin letters with accents
    (0xC0, 0xDF, "2"),
    (0xE3, 0xE3, "K"),  # Kana, and the punctuation of Chinese and Japanese
    (0xE4, 0xE9, "H"),  # ideographs
    (0xEA, 0xED, "G"),  # Hangul
    (0xEF, 0xEF, "F"),  # full-width forms
    (0xE0, 0xEF, "3"),
    (0xF0, 0xFF, "4"),
)
_CLASSES: Final = "".join(map(_class_of, range(256))).encode("ascii")
_CONTINUING: Final = bytes(range(0x80, 0xC0))
_ONLY: Final = {
    wanted: bytes(ord("x") if byte == wanted[0] else ord(" ") for byte in range(256))
    for wanted in (b"a", b"0", b"_", b".", b"G")
}
_LETTERS_AND_DIGITS: Final = bytes(ord("a") if chr(byte) == "A" else byte for byte in range(256))


# Vocabulary -> the optional package that counts exactly, and how it is asked.
def _anthropic() -> Callable[[str], int]:
    from ctok import token_count

    around = token_count("", "4.8")  # what frames a message
    return lambda text: int(token_count(text, "4.8")) - around


def _openai() -> Callable[[str], int]:
    from rs_bpe.bpe import openai

    count = openai.o200k_base().count
    return lambda text: int(count(text.encode("utf-8", "replace").decode("utf-8")))


_EXACT: Final[Mapping[str, Callable[[], Callable[[str], int]]]] = {"anthropic": _anthropic, "openai": _openai}


@cache
def exact_counter(vocabulary: str = REFERENCE) -> Callable[[str], int] | None:
    """What counts the tokens of a text exactly, None where its package (extra ``tokens``) is not installed."""
    try:
        return _EXACT[vocabulary]()
    except ImportError:
        return None


def counted_tokens(text: str, vocabulary: str = REFERENCE) -> Count:
    """The tokens of a text: exact where a counter is installed, else estimated."""
    exact = exact_counter(vocabulary)
    return Count(exact(text), "exact") if exact else Count(estimated_tokens(text, vocabulary), "estimated")


def summed(counts: Iterable[Count]) -> Count:
    """The sum of counts; it is as good as the worst of them."""
    found = list(counts)
    worst: Source = max((one.source for one in found), key=_SOURCES.index, default="exact")
    return Count(sum(one.tokens for one in found), worst)


_SOURCES: Final[tuple[Source, ...]] = ("usage", "exact", "estimated")
