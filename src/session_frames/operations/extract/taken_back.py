"""Which turns the user took back: what "ignore that" and "forget the retry idea" speak of, as turns.

The withdrawing words themselves stay, so that whoever reads on knows why. Precision goes first: a turn falls only where
all that it asks for was taken back; one that says something else as well falls in part.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from session_frames.model import Evidence, Turn

from .patterns import find, named, whole
from .proposals import NOTHING, Offer, offer_of
from .sentences import Clause, clauses, is_hearsay, own_sentences, shortened
from .words import about, shared

_ASKS_FOR_SOMETHING: Final = ("asks", "order", "choose", "forbid", "must", "leave", "commit")
_NAMES_SOMETHING: Final = 2
_SAYS_NOTHING: Final = ("asks", "deny", "musing")
_SPEAKS_OF_MORE: Final = ("asks", "propose", "trouble")


class Withdrawal(NamedTuple):
    """Words of the user that take something back, the turns that fall with them, and those that fall in part."""

    words: Evidence
    turns: tuple[str, ...]
    partly: tuple[str, ...]


def read_withdrawals(turns: Sequence[Turn]) -> list[Withdrawal]:
    """What the user took back, in order; ``turns`` are the talk of the main thread."""
    found = [one for place, turn in enumerate(turns) if turn["role"] == "user" for one in _of_turn(turns, place)]
    fallen = {turn for one in found for turn in one.turns}
    # "forget it", "no, ignore that, do it": words that were taken back take nothing back
    return [one for one in found if one.words["turn"] not in fallen]


def takes_back_last(clause: str, offer: Offer) -> bool:
    """Whether the clause takes back what the user said last, and not what the agent said in between.

    "Never mind" after "shall I also ...?" declines that; "ignore that" after "there is a warning" speaks of it.
    """
    if not find("withdraw_last", clause):
        return False
    last = offer.sentences[-1] if offer.sentences else ""
    return bool(find("own_words", clause)) or not any(find(kind, last) for kind in _SPEAKS_OF_MORE)


def _of_turn(turns: Sequence[Turn], place: int) -> list[Withdrawal]:
    earlier = [at for at in range(place) if turns[at]["role"] == "user"]
    if not earlier:
        return []
    before = turns[place - 1]
    offer = offer_of(before.get("text", "")) if before["role"] == "agent" else NOTHING
    said = own_sentences(turns[place].get("text", ""))
    found: list[Withdrawal] = []
    for sentence in said:
        if any(find(kind, sentence) for kind in _SAYS_NOTHING):
            continue
        for clause in clauses(sentence):
            meant = None if is_hearsay(clause) else _meant(turns, earlier, said, clause, offer)
            if meant:
                at, wholly = meant
                fallen = _with_answers(turns, at) if wholly else []
                words: Evidence = {"turn": turns[place]["id"], "quote": shortened(clause.text)}
                found.append(Withdrawal(words, tuple(fallen), () if wholly else (turns[at]["id"],)))
    return found


def _with_answers(turns: Sequence[Turn], at: int) -> list[str]:
    """The ids of the message at this place and of what was answered to it, with the user's word on how to do it."""
    fallen = [turns[at]["id"]]
    for place in range(at + 1, len(turns)):
        if turns[place]["role"] == "user" and not _only_says_how(turns[place - 1], turns[place]):
            break
        fallen.append(turns[place]["id"])
    return fallen


def _only_says_how(before: Turn, turn: Turn) -> bool:
    """Whether the message picks an answer to the agent's last question ("top or bottom?", "bottom") and no more."""
    said, asked = own_sentences(turn.get("text", "")), own_sentences(before.get("text", ""))
    if before["role"] != "agent" or len(said) != 1 or not asked or len(_names(said[0])) >= _NAMES_SOMETHING:
        return False
    question = asked[-1]
    return bool(find("asks", question) and find("which", question)) and not find("also", question)


def _meant(
    turns: Sequence[Turn], earlier: Sequence[int], said: Sequence[str], clause: Clause, offer: Offer
) -> tuple[int, bool] | None:
    """The place of the message that the clause takes back, and whether all of it falls; None where there is none."""
    if takes_back_last(clause.text, offer):
        # "wait, no" corrects what stands before it in the same message
        return None if whole("correct", clause.text) else (earlier[-1], True)
    forgotten, called_off = find("forget", clause.text), find("call_off", clause.text)
    match = forgotten or (None if _replaced(said) else called_off)
    thing = named(match, "what") if match else ""
    for at in reversed(earlier):
        text = turns[at].get("text", "")
        if thing and any(shared(thing, sentence) for sentence in own_sentences(text)):
            return at, _asks_for_nothing_else(thing, text)
    return None


def _replaced(said: Sequence[str]) -> bool:
    """Whether something else is chosen in place of it: that changes what was settled, the talk about it stands."""
    return any(find("choose", clause.text) for sentence in said for clause in clauses(sentence))


def _asks_for_nothing_else(thing: str, text: str) -> bool:
    """Whether the message speaks of this thing alone."""
    for sentence in own_sentences(text):
        if find("joined", sentence) if shared(thing, sentence) else len(_names(sentence)) >= _NAMES_SOMETHING:
            return False
        wants = [one.text for one in clauses(sentence) if any(find(kind, one.text) for kind in _ASKS_FOR_SOMETHING)]
        if any(_names(one) and not shared(thing, one) for one in wants):
            return False
    return True


def _names(text: str) -> frozenset[str]:
    return frozenset(word for word in about(text) if not word[0].isdigit())
