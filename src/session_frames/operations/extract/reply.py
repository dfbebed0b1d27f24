"""One user turn while it is read, and how a decision found in it is taken down."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from session_frames.model import DecisionStatus, Evidence, Turn

from .ledger import Item, Ledger, overrule
from .patterns import find
from .proposals import Offer
from .sentences import shortened
from .words import about, numbers, other_number, shared

_VALUE = r"\d[\d.,]*\s?\S*"
_RECENT = 4  # turns: the user turn before the last one


@dataclass
class Reply:
    """One user turn while it is read, beside what the agent had said before it."""

    turn: Turn
    place: int
    offer: Offer
    agent: Turn | None
    sentences: Sequence[str]
    earlier: list[tuple[Turn, int]]  # the user turns before, with their places
    optional: tuple[Turn, Offer] | None  # the last agent turn whose options nobody has picked from
    picked: bool = False
    corrected: Item | None = None
    withdrew: bool = False
    doubted: list[Item] = field(default_factory=list)
    latest: Item | None = None
    settled: bool = False

    def said(self, quote: str) -> Evidence:
        """Evidence from the user's own words."""
        return {"turn": self.turn["id"], "quote": shortened(quote)}

    def proposed(self, quote: str) -> list[Evidence]:
        """Evidence from the agent's turn that the user answers; none for an empty quote."""
        return [{"turn": self.agent["id"], "quote": shortened(quote)}] if self.agent and quote else []


def accept(
    ledger: Ledger,
    reply: Reply,
    text: str,
    quote: str,
    proposal: str = "",
    *,
    status: DecisionStatus = "accepted",
    by_shape: bool = False,
) -> bool:
    """Take a decision of the user down: its text, the user's words, and the agent's where these answer a proposal.

    What was read ``by_shape`` only replaces what its own sentence turns back: "X, not Y" alone replaces nothing.
    Always True, so that a reader can end with it.
    """
    if by_shape:
        reverses = any(quote in sentence and _turns_back(sentence) for sentence in reply.sentences)
    else:
        reverses = any(find("reversal", sentence) for sentence in reply.sentences)
    item = ledger.add(
        "decision", text, status, [reply.said(quote), *reply.proposed(proposal)], reply.place, reverses=reverses
    )
    if (
        item
        and status == "accepted"
        and not item.supersedes
        and not proposal
        and reverses
        and _reversed_beside(reply, quote)
    ):
        _replace_the_latest(ledger, item)
    if item and status == "accepted" and not item.supersedes:
        _replace_the_value(ledger, item, proposal)
    if (
        item
        and status == "accepted"
        and not item.supersedes
        and (by_shape or find("changes", quote))
        and not find("beside", quote)
    ):
        _replace_what_is_named(ledger, item, reply)
    if item and status == "accepted":
        if reply.corrected and reply.corrected is not item:
            item.supersedes = reply.corrected
            reply.corrected = None
        reply.latest = item
    reply.settled = True
    return True


def _turns_back(sentence: str) -> bool:
    """Whether the sentence turns something back, apart from a mere contrast ("X 말고 Y", "not Y but X")."""
    contrast = find("contrast", sentence)
    return bool(find("reversal", sentence.replace(contrast.group(), " ") if contrast else sentence))


def _replace_the_value(ledger: Ledger, item: Item, proposal: str) -> None:
    """ "45 days it is": a mere value replaces the only one of that unit that was settled."""
    quote = item.evidence[0]["quote"]
    if about(re.sub(_VALUE, " ", quote)) or not re.search(_VALUE, quote):
        return
    valued = [
        one
        for one in ledger.items
        if one.kind == "decision"
        and one.status == "accepted"
        and one is not item
        and other_number(one.text, quote)
        and (not proposal or shared(proposal, one.text))
    ]
    if len(valued) == 1 and valued[0].place < item.place:
        overrule(valued[0])
        item.supersedes = valued[0]


def _replace_what_is_named(ledger: Ledger, item: Item, reply: Reply) -> None:
    """ "3일은 부족하대. 7일로": the message names what it replaces, by its value or beside a word of change."""
    said = reply.turn.get("text", "")
    earlier = [
        one for one in ledger.items if one.kind == "decision" and one.status == "accepted" and one.place < item.place
    ]
    valued = [one for one in earlier if _names_the_value(one, item, said)]
    if not valued and find("changes", said):
        most = max((len(shared(said, one.words)) for one in earlier), default=0)
        valued = [one for one in earlier if most and len(shared(said, one.words)) == most]
        if not most and find("switches", item.text):  # "X로 바꾸자": of what, the talk just before says
            valued = [one for one in earlier if " — " in one.text and find("which", one.text)][-1:]
    if len(valued) == 1:
        overrule(valued[0])
        item.supersedes = valued[0]


def _names_the_value(one: Item, item: Item, said: str) -> bool:
    old, new, named = numbers(one.evidence[0]["quote"]), numbers(item.text), numbers(said)
    return any(unit and old[unit] != new[unit] and old[unit] <= named[unit] for unit in old.keys() & new.keys())


def _replace_the_latest(ledger: Ledger, item: Item) -> None:
    """ "Actually, switch to postgres" names only the new thing: what it replaces is the choice made last."""
    made = [one for one in ledger.items if one.kind == "decision" and one.place < item.place]
    recent = bool(made) and made[-1].place >= item.place - _RECENT
    if recent and made[-1].status == "accepted" and find("choose", made[-1].text) and " — " not in made[-1].text:
        overrule(made[-1])
        item.supersedes = made[-1]


def _reversed_beside(reply: Reply, quote: str) -> bool:
    """Whether the sentence of the quote, or the one before it, says that something is chosen anew."""
    at = next((number for number, sentence in enumerate(reply.sentences) if quote in sentence), 0)
    return any(find("reversal", sentence) for sentence in reply.sentences[max(0, at - 1) : at + 1])
