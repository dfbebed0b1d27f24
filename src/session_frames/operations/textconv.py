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
    turns = frame.get("turns", [])
    numbers = {turn["id"]: number for number, turn in enumerate(turns, 1)}
    for point in frame.get("checkpoints", []):
        yield f"Checkpoint: {_one_line(point['name'])} (turn {numbers.get(point['turn'], '?')})"
    for thread in frame.get("threads", []):
        begin = numbers.get(thread.get("from_turn", ""), "?")
        yield f"Thread ({thread['status']}): {thread['name']} (from turn {begin})"
    if frame.get("thread"):
        yield f"Current thread: {frame['thread']}"
    for number, turn in enumerate(turns, 1):
        yield _turn_line(number, turn)


def _turn_line(number: int, turn: Turn) -> str:
    marks = [name for name in ("pinned", "pruned") if turn.get(name)]
    if turn.get("compacted"):
        marks.append("compacted")
    if turn.get("annotation"):
        marks.append(turn["annotation"] + (f": {_one_line(turn['note'])}" if turn.get("note") else ""))
    pruned = [str(at) for at, call in enumerate(turn.get("calls", []), 1) if call.get("pruned")]
    if pruned:
        marks.append(f"pruned: call {', '.join(pruned)}")
    if turn.get("thread", MAIN_THREAD) != MAIN_THREAD:
        marks.append(f"thread {turn['thread']}")
    calls = len(turn.get("calls", []))
    shown = f" [{', '.join(marks)}]" if marks else ""
    counted = f" ({calls} calls)" if calls else ""
    return f"{number} {turn['role']}{shown}: {_one_line(turn.get('text', ''))}{counted}"


def _one_line(text: str) -> str:
    return " ".join(text.split())
