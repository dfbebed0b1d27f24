"""The few facts of a frame that lists, notes and logs show."""

from __future__ import annotations

from typing import TypedDict

from session_frames.model import MAIN_THREAD, Decision, Frame, Question, Turn


class Summary(TypedDict):
    """What ``frames list``, ``frames log`` and the notes view show of one frame, ready to be kept as JSON."""

    id: str
    topic: str
    title: str
    status: str
    agent: str
    session_id: str
    branch: str
    started_at: str
    ended_at: str
    turns: int
    tool_calls: int
    cached: int
    decisions: list[str]
    open_questions: list[str]
    files: list[str]


def standing_decisions(frame: Frame) -> list[Decision]:
    """The decisions that hold: accepted and with evidence that was found."""
    return [
        decision
        for decision in frame.get("decisions", [])
        if decision["status"] == "accepted" and decision.get("verified", True)
    ]


def unanswered_questions(frame: Frame) -> list[Question]:
    """The questions that are still open, the deferred ones included."""
    return [question for question in frame.get("open_questions", []) if question["status"] != "answered"]


def live_turns(frame: Frame) -> list[Turn]:
    """The turns of the main thread, in order: what was rewound is left out."""
    return [turn for turn in frame.get("turns", []) if turn.get("thread", MAIN_THREAD) == MAIN_THREAD]


def question_line(question: Question) -> str:
    """A question as lists show it, with the word ``deferred`` behind one that was put off."""
    return question["text"] + (" (deferred)" if question["status"] == "deferred" else "")


def summarize(frame: Frame) -> Summary:
    """The summary of a frame."""
    session, boundary = frame.get("session", {}), frame.get("boundary", {})
    turns = frame.get("turns", [])
    return Summary(
        id=frame["id"],
        topic=frame["topic"],
        title=frame.get("title", ""),
        status=frame["status"],
        agent=session.get("agent", ""),
        session_id=session.get("session_id", ""),
        branch=frame.get("git", {}).get("branch", ""),
        started_at=boundary.get("started_at", ""),
        ended_at=boundary.get("ended_at", ""),
        turns=len(turns),
        tool_calls=sum(len(turn.get("calls", [])) for turn in turns),
        cached=len(frame.get("tool_results", [])),
        decisions=[decision["text"] for decision in standing_decisions(frame)],
        open_questions=[question_line(question) for question in unanswered_questions(frame)],
        files=[file["path"] for file in frame.get("files", []) if file["change"] != "read"],
    )
