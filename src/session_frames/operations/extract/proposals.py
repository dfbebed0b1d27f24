"""What an agent's turn proposes: labelled options, alternatives, and sentences that propose something."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from .memory import remembered
from .patterns import find
from .sentences import last_sentences, shortened
from .words import about, says, shared

# "A: ...", "(2) ...", "1. ...", "1안) ...", "案1: ...", "- B: ...", "**Option C**: ..."
_OPTION: Final = (
    r"^\s*(?:[-*•]\s+)?\**(?:option|variant|案|방안|プラン)?\s*"
    r"\(?([A-Fa-f]|\d{1,2})(?:안|번|案)?\**\s*[).:：、．]\**\s+(\S.*)$"
)
_INLINE_OPTION: Final = r"[(（]([A-Fa-f]|[1-9])[)）]\s*(?=\S)|(?<![\w(])([A-F]|[1-9])(?:안은|안:|案は|案:|案：)\s*"
_OR: Final = (
    r"\s+or\s+|[,.?]?\s*(?:아니면|또는|혹은)\s+|(?<=거나)[, ]\s*"
    r"|[。、]?(?:それとも|または|もしくは|あるいは)、?|(?<=か)、"
)
_TWO: Final = 2
_SEVERAL: Final = r",\s+(?:and\s+)?|\s+and\s+|(?<=[고며])\s+|(?<=[てし])、"
_MOST_PROPOSALS: Final = 8
_ASKS_NO_LEAVE: Final = ("fact", "smalltalk", "step", "request")
_SHORT_QUESTION: Final = 12
_NAMES_SOMETHING: Final = 2


class Offer(NamedTuple):
    """What an agent's turn leaves for the user to settle."""

    options: dict[str, str]
    proposals: list[str]
    claims: list[str]  # sentences that say the user decided so
    alternatives: list[str]
    sentences: list[str]


NOTHING: Final = Offer({}, [], [], [], [])


@remembered
def offer_of(text: str) -> Offer:
    """What the agent's text proposes."""
    options = options_of(text)
    sentences = list(last_sentences(text))
    listed = set(options.values())
    claims = [sentence for sentence in sentences if find("claims_user", sentence)]
    proposals = [
        _with_its_object(sentences, number)
        for number, sentence in enumerate(sentences)
        if sentence not in claims
        and not any(sentence in option or option in sentence for option in listed)
        and find("propose", sentence)
        and not find("step", sentence)
    ]
    return Offer(
        options,
        list(dict.fromkeys(proposals))[-_MOST_PROPOSALS:],
        claims,
        [one for one in sentences if find("either_or", one) and (find("asks", one) or find("propose", one))],
        sentences,
    )


def _with_its_object(sentences: list[str], number: int) -> str:
    """The sentence, or the one before it where it names nothing ("It compresses well. Shall I?")."""
    sentence = sentences[number]
    bare = not about(sentence) or (
        find("asks", sentence) and len(sentence) <= _SHORT_QUESTION and len(about(sentence)) < _NAMES_SOMETHING
    )
    return sentences[number - 1] if bare and number else sentence


def options_of(text: str) -> dict[str, str]:
    """The labelled options of a text; empty unless there are at least two."""
    found: dict[str, str] = {}
    for line in text.split("\n"):
        mark = re.match(_OPTION, line, re.IGNORECASE)
        if mark:
            found.setdefault(mark.group(1).upper(), shortened(mark.group(2)))
    found = found if len(found) > 1 else _inline_options(text)
    # a numbered list of questions is answered point by point, it is no choice
    return found if len(found) > 1 and not any(re.search(r"[?？]", option) for option in found.values()) else {}


def _inline_options(text: str) -> dict[str, str]:
    """Options in running text: "(a) X, (b) Y", "A안은 X입니다, B안은 Y"."""
    found: dict[str, str] = {}
    for line in text.split("\n"):
        marks = list(re.finditer(_INLINE_OPTION, line))
        labels = [(mark.group(1) or mark.group(2)).upper() for mark in marks]
        if labels[:2] not in (["A", "B"], ["1", "2"]):
            continue
        ends = [*(mark.start() for mark in marks[1:]), len(line)]
        for label, mark, end in zip(labels, marks, ends, strict=True):
            said = re.split(r"(?<=[.。])\s|[。?？]|(?<=\))\.", line[mark.end() : end])[0]
            found.setdefault(label, shortened(said.strip(" ,、;.")))
    return {label: option for label, option in found.items() if option}


def approved_by_a_bare_yes(offer: Offer) -> str:
    """The one proposal that a bare "yes" can only mean, else "".

    Among several the last one counts when it is a question or the only one that says "I suggest"; a question with
    alternatives or open options cannot be answered by yes.
    """
    if offer.options:
        return ""
    if not offer.proposals:
        last = offer.sentences[-1] if offer.sentences else ""
        plain = find("asks", last) and is_yes_no(last) and not any(find(kind, last) for kind in _ASKS_NO_LEAVE)
        return last if plain else ""
    chosen = offer.proposals[-1]
    asks = bool(find("asks", chosen))
    if len(offer.proposals) > 1 and not asks and [chosen] != [one for one in offer.proposals if find("suggest", one)]:
        return ""
    if asks and (find("either_or", chosen) and re.search(r"\bor\b|아니면|또는|それとも|どちら|または", chosen)):
        return ""
    return "" if re.match(r"(?:which|what|where|how|who|when|why)\b", chosen, re.IGNORECASE) else chosen


def is_yes_no(question: str) -> bool:
    """Whether a yes or no answers the question: it asks for nothing else and names no alternatives."""
    return not find("which", question) and len(ways_of(question)) < _TWO


def only_informs(offer: Offer) -> bool:
    """Whether the agent only told something: it neither asked nor suggested anything."""
    return not offer.options and not any(find("asks", one) or find("suggest", one) for one in offer.sentences)


def meant_by(clause: str, candidates: list[str]) -> str:
    """The candidate that shares most with the clause, else ""."""
    best = max(candidates, key=lambda one: len(shared(clause, one)), default="")
    return best if best and shared(clause, best) else ""


def part_about(thing: str, sentence: str) -> str:
    """The part of a proposal of several things that speaks of this one; the whole sentence where there is one thing."""
    parts = re.split(_SEVERAL, sentence)
    return next((part.strip() for part in parts if len(parts) > 1 and says(thing, part)), sentence)


def ways_of(question: str) -> list[str]:
    """The ways that a question leaves open ("to S3 or to the disk?"); empty unless there are two."""
    ways = [way.strip(" ,、") for way in re.split(_OR, question) if way.strip(" ,、")]
    return ways if len(ways) == _TWO else []
