"""Whether the words of a session support an item that somebody proposes: does the quote stand, do the user's words say
it, is it known already, and does what was read from the session say otherwise?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, cast

from session_frames.model import Evidence, Frame, Turn
from session_frames.operations.extract.patterns import find, whole
from session_frames.operations.extract.sentences import clauses, own_sentences
from session_frames.operations.extract.words import about, numbers, shared

_ITEMS: Final = ("decisions", "constraints")
_STANDING: Final = ("accepted",)
# Kinds of sentences that say nothing of their own, by the list that an item goes to: thinking aloud decides nothing,
# and a question is no rule.
_SAYS_NOTHING: Final[dict[str, tuple[str, ...]]] = {
    "decisions": ("asks", "musing", "hearsay", "deny"),
    "constraints": ("asks", "musing", "hearsay", "deny"),
    "open_questions": ("hearsay",),
    "next_steps": ("asks", "musing", "hearsay", "deny"),
}
_NEGATIVE: Final = (
    "negative",
    "forbid",
    "refuse",
    "leave",
    "withdraw",
    "withdraw_last",
    "defer",
    "put_off_last",
    "object",
)
_NO: Final = (
    r"\b(?:not?|never|none|without|avoid|drop|skip|remove|reject\w*|declin\w*|forbid\w*|don't|doesn't|won't|isn't"
    r"|instead of|rather than)\b|말[자고아]|마세요|(?:^|\s)마(?:$|[\s.])|않|안\s|없|금지|제외|취소|빼[고자]"
    r"|ない|なし|せず|禁止|やめ|不要"
)
_MOST_BLANK: Final = 12  # characters that a quote has beside an approval and still is no more than one


class Talk:
    """The turns of a session that are talk between the user and the agent, by id."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        self.turns = turns
        self._places = {turn["id"]: place for place, turn in enumerate(turns)}

    def find(self, turn: str) -> Turn | None:
        """The turn with this id, if it is talk."""
        place = self._places.get(turn)
        return None if place is None else self.turns[place]

    def before(self, turn: str) -> Turn | None:
        """The turn before this one."""
        place = self._places.get(turn, 0)
        return self.turns[place - 1] if place else None

    def after(self, turn: str) -> Sequence[Turn]:
        """The turns after this one."""
        place = self._places.get(turn)
        return () if place is None else self.turns[place + 1 :]

    def quotes(self, evidence: Evidence) -> bool:
        """Does the quote stand, letter for letter, in what was said in the turn?"""
        turn = self.find(evidence["turn"])
        return turn is not None and bool(evidence["quote"].strip()) and evidence["quote"] in turn.get("text", "")

    def user_said(self, text: str) -> bool:
        """Does the text stand, letter for letter, in a message of the user?"""
        return bool(text) and any(text in turn.get("text", "") for turn in self.turns if turn["role"] == "user")


def carries(talk: Talk, key: str, text: str, evidence: Sequence[Evidence]) -> bool:
    """Do the user's words in the evidence say the item?

    They have to be the user's own (nothing pasted or quoted), no musing, and as affirmative or negative as the item.
    What the item names has to be named in them; a bare approval counts for what the agent proposed right before it,
    where that is quoted too.
    """
    for one in evidence:
        turn = talk.find(one["turn"])
        if turn is None or turn["role"] != "user":
            continue
        sentences = _own_sentences_of(turn, one["quote"])
        if not sentences or any(find(kind, sentence) for sentence in sentences for kind in _SAYS_NOTHING[key]):
            continue
        said = " ".join(sentences)
        if _covers(said, text) and _agree(_clause_of(sentences, one["quote"]), text):
            return True
        if _is_approval(one["quote"], sentences) and _covers(f"{said} {_proposal(talk, turn, evidence)}", text):
            return True
    return False


def is_of_agent(talk: Talk, text: str, evidence: Sequence[Evidence]) -> bool:
    """Do the agent's words in the evidence speak of what the item names?"""
    turns = [(one["quote"], talk.find(one["turn"])) for one in evidence]
    said = " ".join(quote for quote, turn in turns if turn is not None and turn["role"] == "agent")
    return 2 * len(about(text) & about(said)) >= max(len(about(text)), 1)


def _own_sentences_of(turn: Turn, quote: str) -> list[str]:
    """The sentences of the user's own words that the quote is of; none where a part of it is not the user's own."""
    own = own_sentences(turn.get("text", ""))
    inside = [sentence for sentence in own if quote.strip() in sentence]
    if inside:
        return inside[:1]
    parts = [sentence for sentence in own if sentence in quote]
    blank = re.sub(r"\s+", "", quote)
    return parts if parts and len(re.sub(r"\s+", "", "".join(parts))) == len(blank) else []


def _clause_of(sentences: Sequence[str], quote: str) -> str:
    """What surrounds the quote up to the ends of its clause: "don't use X" is not said by "use X"."""
    for clause in clauses(sentences[0]):
        if quote.strip(" .!") in clause.text:
            return clause.text
    return " ".join(sentences)


def _covers(words: str, text: str) -> bool:
    """Is nearly all that the text is about, and every number in it, in the words?"""
    wanted, there = about(text), about(words)
    if not wanted:
        return False
    given = frozenset().union(*numbers(words).values())
    if frozenset().union(*numbers(text).values()) - given:
        return False
    return len(wanted - there) <= len(wanted) // 4


def _agree(said: str, text: str) -> bool:
    """Are both affirmative, or both negative?"""
    return _is_negative(said) == _is_negative(text)


def _is_negative(text: str) -> bool:
    return any(find(kind, text) for kind in _NEGATIVE) or bool(re.search(_NO, text, re.IGNORECASE))


def _is_approval(quote: str, sentences: Sequence[str]) -> bool:
    """Is the quote an approval and hardly anything else?"""
    first = clauses(sentences[0])
    approved = whole("approve", quote) or (first and first[0].text in quote and whole("approve", first[0].text))
    return bool(approved) and len(quote) <= len(approved.group() if approved else "") + _MOST_BLANK


def _proposal(talk: Talk, turn: Turn, evidence: Sequence[Evidence]) -> str:
    """What is quoted of the agent's words right before the user's: no words of any other turn can be approved."""
    before = talk.before(turn["id"])
    if before is None or before["role"] != "agent":
        return ""
    return " ".join(one["quote"] for one in evidence if one["turn"] == before["id"])


# ---------------------------------------------------------------------------------------------------------------------
# What was read from the session


def is_known(frame: Frame, key: str, text: str, evidence: Sequence[Evidence]) -> bool:
    """Does the frame hold this item already, in other words about the same place?"""
    return any(
        item["text"] == text or (_meet(item, evidence) and _same_matter(item["text"], text))
        for item in cast(dict[str, Any], frame).get(key, [])
        if item.get("status") not in ("overruled", "rejected")
    )


def contradicting(frame: Frame, text: str, evidence: Sequence[Evidence], status: str) -> dict[str, Any] | None:
    """The item that was read from the session about the same matter, where it stands in another state."""
    read = [item for key in _ITEMS for item in cast(dict[str, Any], frame).get(key, []) if item.get("verified", True)]
    same = [item for item in read if _meet(item, evidence) or _same_matter(item["text"], text)]
    if not same:
        return None
    nearest: dict[str, Any] = max(same, key=lambda item: (len(shared(item["text"], text)), _meet(item, evidence)))
    return nearest if (nearest["status"] in _STANDING) != (status in _STANDING) else None


def _meet(item: dict[str, Any], evidence: Sequence[Evidence]) -> bool:
    """Do the item and the evidence rest on the same words?"""
    return any(
        one["turn"] == other["turn"] and (one["quote"] in other["quote"] or other["quote"] in one["quote"])
        for one in item.get("evidence", [])[:1]
        for other in evidence
    )


def _same_matter(one: str, other: str) -> bool:
    """Are two texts about the same, as far as their words tell?"""
    common = shared(one, other)
    return bool(common) and 2 * len(common) >= min(len(about(one)), len(about(other)))


def taken_back(talk: Talk, text: str, evidence: Sequence[Evidence]) -> bool:
    """Did the user take it back: "ignore that" in the next message, or a withdrawal that names it later?"""
    for one in evidence:
        later = [turn for turn in talk.after(one["turn"]) if turn["role"] == "user"]
        for number, turn in enumerate(later):
            for sentence in own_sentences(turn.get("text", "")):
                if number == 0 and find("withdraw_last", sentence):
                    return True
                if find("withdraw", sentence) and shared(text, sentence):
                    return True
    return False
