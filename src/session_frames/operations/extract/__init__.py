"""What a session came to, read from its turns without a model.

Explicit marks and plain patterns in English, Korean and Japanese find decisions, constraints, open questions and next
steps; each carries the words that it rests on. Precision goes before recall: what is not sure is left out, and only the
user's own words, letter for letter, make an item the user's.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import TypedDict

from session_frames.model import (
    MAIN_THREAD,
    Check,
    Claim,
    Constraint,
    Decision,
    Evidence,
    Frame,
    NextStep,
    Question,
    Turn,
)

from .claims import read_claims
from .decisions import read_decisions
from .memory import is_remembering, remembering
from .questions import read_questions
from .steps import read_steps
from .taken_back import Withdrawal, read_withdrawals
from .topic import first_prompt, goal_of, title_of, topic_of

__all__ = ["Extracted", "Withdrawal", "extract", "quote_stands", "topic_of", "withdrawals", "withdrawn_turns"]


class Extracted(TypedDict):
    """What was found; the keys are those of a frame."""

    topic: str
    title: str
    goal: str
    decisions: list[Decision]
    constraints: list[Constraint]
    open_questions: list[Question]
    next_steps: list[NextStep]
    unverified: list[Claim]


def extract(
    turns: Sequence[Turn], *, title: str = "", topic: str = "", verification: Sequence[Check] = ()
) -> Extracted:
    """Read the turns, in order; those of other threads than the main one are passed over.

    An explicit ``title`` or ``topic`` wins over what the first prompt says. ``verification`` are the checks that ran.
    """
    with nullcontext() if is_remembering() else remembering():
        return _extract(turns, title, topic, verification)


def _extract(turns: Sequence[Turn], title: str, topic: str, verification: Sequence[Check]) -> Extracted:
    spoken = [turn for turn in turns if _counts(turn)]
    prompt = first_prompt(spoken)
    ledger = read_decisions(spoken)
    decisions = ledger.decisions()
    return {
        "topic": topic or topic_of(prompt),
        "title": title or title_of(prompt),
        "goal": goal_of(prompt),
        "decisions": decisions,
        "constraints": ledger.constraints(),
        "open_questions": read_questions(spoken, decisions),
        "next_steps": read_steps(spoken),
        "unverified": read_claims(spoken, verification),
    }


def withdrawals(frame: Frame) -> list[Withdrawal]:
    """What the user told the agent to ignore, forget or drop, each with the turns that fall with it."""
    return read_withdrawals([turn for turn in frame.get("turns", []) if _counts(turn)])


def withdrawn_turns(frame: Frame) -> list[str]:
    """The ids of the turns that the user took back wholly, with the agent's answers to them, in order.

    The words that take them back are not among them, nor is a turn of which only a part was taken back.
    """
    fallen = {turn for one in withdrawals(frame) for turn in one.turns}
    return [turn["id"] for turn in frame.get("turns", []) if turn["id"] in fallen]


def _counts(turn: Turn) -> bool:
    """Whether the turn is talk of the main thread between the user and the agent."""
    if turn.get("thread", MAIN_THREAD) != MAIN_THREAD:
        return False
    return turn["role"] == "agent" or (turn["role"] == "user" and turn.get("origin") not in ("injected", "command"))


def quote_stands(turns: Sequence[Turn], evidence: Evidence) -> bool:
    """Whether the quote stands letter for letter in the text of the turn that it names."""
    text = next((turn.get("text", "") for turn in turns if turn["id"] == evidence["turn"]), None)
    return text is not None and bool(evidence["quote"]) and evidence["quote"] in text
