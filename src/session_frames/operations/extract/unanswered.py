"""What the agent proposed and nobody ever answered."""

from __future__ import annotations

from collections.abc import Sequence

from session_frames.model import Evidence, Turn

from .ledger import Ledger
from .patterns import find, whole
from .sentences import clauses, last_sentences, own_sentences, shortened
from .words import shared


def add_unanswered_offers(ledger: Ledger, turns: Sequence[Turn]) -> None:
    """What the agent offered in passing and nobody ever came back to is a proposal of the agent's own."""
    spoken = [turn.get("text", "") for turn in turns if turn["role"] == "user"]
    cited = {(one["turn"], one["quote"]) for item in ledger.items for one in item.evidence}
    said = 0
    for place, turn in enumerate(turns):
        said += turn["role"] == "user"
        if turn["role"] != "agent" or said == len(spoken):
            continue
        for sentence in last_sentences(turn.get("text", "")):
            quote: Evidence = {"turn": turn["id"], "quote": shortened(sentence)}
            known = (quote["turn"], quote["quote"]) in cited or find("claims_user", sentence)
            if find("offer", sentence) and not known and not _came_back_to(sentence, spoken[said:]):
                ledger.add("decision", sentence, "proposed", [quote], place, by="agent")


def _came_back_to(sentence: str, later: Sequence[str]) -> bool:
    """Whether the next message of the user answers the offer in any way, or a later one speaks of it."""
    opening = [clause.text for one in own_sentences(later[0])[:1] for clause in clauses(one)[:1]]
    answered = any(whole(kind, text) for text in opening for kind in ("approve", "refuse", "agree_stated"))
    return answered or bool(shared(sentence, later[0])) or any(len(shared(sentence, text)) > 1 for text in later[1:])
