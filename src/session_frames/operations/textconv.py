"""A frame as lines that a diff can compare: one fact a line, nothing that changes by itself."""

from __future__ import annotations

from collections.abc import Iterator

from session_frames.model import MAIN_THREAD, Frame, Turn
from session_frames.operations.summary import question_line


def frame_text(frame: Frame) -> str:
    """The frame as text, for ``git diff`` and ``git log -p``."""
    return "".join(line + "\n" for line in _lines(frame))


def _lines(frame: Frame) -> Iterator[str]:
    yield f"Topic: {frame['topic']}"
    for word, value in (("Title", frame.get("title")), ("Goal", frame.get("goal")), ("Status", frame["status"])):
        if value:
            yield f"{word}: {_one_line(value)}"
    for decision in frame.get("decisions", []):
        yield f"Decision ({decision['status']}, {decision['by']}): {_one_line(decision['text'])}"
    for constraint in frame.get("constraints", []):
        yield f"Constraint ({constraint['status']}): {_one_line(constraint['text'])}"
    for question in frame.get("open_questions", []):
        answer = question.get("answer")
        yield f"Question: {_one_line(question_line(question))}" + (f" -> {_one_line(answer)}" if answer else "")
    for step in frame.get("next_steps", []):
        yield f"Next step ({step['status']}): {_one_line(step['text'])}"
    for check in frame.get("verification", []):
        yield f"Check ({check['outcome']}): {_one_line(check['command'])}"
    for file in frame.get("files", []):
        yield f"File ({file['change']}): {file['path']}"
    for conflict in frame.get("merge_conflicts", []):
        yield f"Conflict: {conflict['where']}"
    for number, turn in enumerate(frame.get("turns", []), 1):
        yield _turn_line(number, turn)


def _turn_line(number: int, turn: Turn) -> str:
    marks = [name for name in ("pinned", "pruned") if turn.get(name)]
    if turn.get("compacted"):
        marks.append("compacted")
    if turn.get("annotation"):
        marks.append(turn["annotation"])
    if turn.get("thread", MAIN_THREAD) != MAIN_THREAD:
        marks.append(f"thread {turn['thread']}")
    calls = len(turn.get("calls", []))
    shown = f" [{', '.join(marks)}]" if marks else ""
    counted = f" ({calls} calls)" if calls else ""
    return f"{number} {turn['role']}{shown}: {_one_line(turn.get('text', ''))}{counted}"


def _one_line(text: str) -> str:
    return " ".join(text.split())
