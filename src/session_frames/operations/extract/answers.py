"""Plain answers to what the agent asked last, and orders that say how something is built.

These rest on the shape of the talk more than on words: after "where do they go?" any plain statement is the choice.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from session_frames.model import DecisionStatus

from .ledger import Ledger
from .patterns import find, named, opening, whole
from .patterns.vocabulary import GENERIC_WORDS, STEPS_LABEL
from .proposals import Offer, approved_by_a_bare_yes, is_yes_no, ways_of
from .reply import Reply, accept
from .sentences import Clause, clauses
from .words import about, says, shared

# What is no answer: it puts off, doubts, takes on, speaks of others, asks back, gives a reason.
_NO_ANSWER = (
    "defer", "put_off_last", "no_answer", "commit", "hearsay", "deny", "withdraw_last", "unsettled", "remark", "reason",
)  # fmt: skip
_NO_CHOICE = ("fact", "smalltalk", "request", "step")
_NO_WAY = ("unsettled", "commit", "hearsay", "deny", "withdraw_last", "remark", "chore", "reason", "put_off_last")
_LONGEST_ANSWER = 80  # characters
_OPENING = 2  # sentences


def answered(ledger: Ledger, reply: Reply, clause: Clause, opens: bool) -> bool:
    """What the user says first to the question with which the agent ended."""
    question = _asked_last(reply)
    if not question or reply.settled or not _may_answer(reply, clause):
        return False
    if is_yes_no(question):
        return opens and _answered_yes_or_no(ledger, reply, clause, question)
    if any(whole(kind, clause.text) for kind in ("ack", "thanks", "weak_yes", "refuse", "grants")):
        return False
    last = clause.sentence == reply.sentences[-1]
    if find("finite", clause.text) and not (opens and (last or shared(clause.text, question))):
        return False
    text = f"{clause.text} — {question}" if about(question) else clause.text
    return accept(ledger, reply, text, clause.text, question, by_shape=True) and _against(reply, clause)


def _may_answer(reply: Reply, clause: Clause) -> bool:
    """Whether the clause stands early, is short, and neither doubts nor tells why."""
    early = clause.sentence in reply.sentences[:_OPENING] and len(clause.text) <= _LONGEST_ANSWER
    return early and not any(find(kind, clause.text) for kind in _NO_ANSWER) and not find("unsettled", clause.sentence)


def _against(reply: Reply, clause: Clause) -> bool:
    """Note the way of two that was not taken."""
    for ways in map(ways_of, reply.offer.alternatives[-1:]):
        taken = [way for way in ways if shared(clause.text, way)]
        if len(taken) == 1 and reply.latest:
            reply.latest.instead = about(" ".join(ways)) - about(taken[0]) - about(clause.text) - GENERIC_WORDS
    return True


def _answered_yes_or_no(ledger: Ledger, reply: Reply, clause: Clause, question: str) -> bool:
    if _declined(ledger, reply, clause, question):
        return True
    grants = _opens("weak_yes", clause.text) or find("grants", clause.text) or whole("yes_no", clause.text)
    if grants or (find("bids", clause.text) and not find("negative", clause.text)):
        more = whole("yes_no", clause.text) or _names_more(clause.text, question)
        text = f"{clause.text} — {question}" if more else question
        return accept(ledger, reply, text, clause.text, question, by_shape=True)
    return False


def _declined(ledger: Ledger, reply: Reply, clause: Clause, proposal: str) -> bool:
    """A no in other words; one for now only puts off."""
    if not (_opens("refuse", clause.text) or find("declines", clause.text)):
        return False
    status: DecisionStatus = "deferred" if find("for_now", clause.text) else "rejected"
    return accept(ledger, reply, proposal, clause.text, proposal, status=status)


def _names_more(text: str, proposal: str) -> bool:
    return bool(about(text) - about(proposal)) or any(mark.isdigit() for mark in text)


def _opens(kind: str, text: str) -> bool:
    """Whether the text begins with a word of the kind."""
    said = opening(kind, text)
    return said is not None and not text[said.end() : said.end() + 1].isalnum()


def _asked_last(reply: Reply) -> str:
    """The question with which the agent ended and that leaves something to choose, else ""."""
    if reply.offer.options or not reply.offer.sentences:
        return ""
    last = reply.offer.sentences[-1]
    if not find("asks", last) or any(find(kind, last) for kind in _NO_CHOICE):
        return ""
    return last


def granted(ledger: Ledger, reply: Reply, clause: Clause, opens: bool) -> bool:
    """ "Good enough", "3日で問題なし", "skip it then": a yes or no in other words to the one thing proposed."""
    proposal = approved_by_a_bare_yes(reply.offer)
    if not proposal or not opens or reply.settled or not _may_answer(reply, clause):
        return False
    if find("grants", clause.text):
        text = f"{clause.text} — {proposal}" if _names_more(clause.text, proposal) else proposal
        return accept(ledger, reply, text, clause.text, proposal, by_shape=True)
    return bool(find("declines", clause.text)) and _declined(ledger, reply, clause, proposal)


def answers_late(said: Sequence[str], offer: Offer) -> bool:
    """Whether a message after the user had asked back settles what the agent had proposed before that."""
    first = next(iter(clauses(said[0])), None) if said else None
    if first is None or whole("agree_stated", first.text):
        return False
    kinds = ("approve", "refuse", "weak_yes")
    if any(whole(kind, first.text) for kind in kinds) or find("grants", first.text) or find("declines", first.text):
        return True
    match = whole("word_pick", first.text) if len(said) == 1 and offer.alternatives else None
    return match is not None and says(named(match, "what"), " ".join(offer.alternatives))


def directed(ledger: Ledger, reply: Reply, clause: Clause, opens: bool) -> bool:
    """An order that says which way something is done; the first message only sets the task.

    What is undone because the agent invented it is no choice.
    """
    headed = (
        re.search(rf"[\w.-]+:\s+{re.escape(clause.text)}", clause.sentence) if whole("new_value", clause.text) else None
    )
    if (
        not reply.earlier
        or not (headed or find("direct", clause.text))
        or any(find(kind, clause.text) for kind in _NO_WAY)
    ):
        return False
    if not about(clause.text) and not any(mark.isdigit() for mark in clause.text):
        return False
    if (
        re.match(STEPS_LABEL, clause.sentence, re.IGNORECASE)
        or find("asks", clause.text)
        or find("pronoun", clause.text)
        or find("unsettled", clause.sentence)
    ):
        return False
    if reply.offer.claims and any(find("deny", sentence) for sentence in reply.sentences):
        return False
    text = headed.group() if headed else clause.text
    return accept(ledger, reply, text, text, by_shape=True)
