"""Frames and what is known of them as text for a terminal. Nothing here prints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

from session_frames.model import Call, Frame, Turn
from session_frames.operations.fence import line_shown, shown
from session_frames.operations.summary import standing_decisions, unanswered_questions
from session_frames.transcripts.base import MISSING_PARENT

_MOST_LISTED = 8
_LONGEST_VALUE = 160
_NOTED = (
    ("decisions", "decision"),
    ("constraints", "constraint"),
    ("open_questions", "question"),
    ("next_steps", "next step"),
)


def counted(number: int, what: str) -> str:
    """``1 turn``, ``2 turns``."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def frame_lines(frame: Frame, turns: Sequence[tuple[int, Turn]]) -> Iterator[str]:
    """A frame as ``frames show`` gives it: facts, what was decided and is open, files, checks, then the turns."""
    yield from fact_lines(frame)
    numbers = {turn["id"]: number for number, turn in enumerate(frame.get("turns", []), 1)}
    for heading, key in (
        ("Decisions", "decisions"),
        ("Constraints", "constraints"),
        ("Open questions", "open_questions"),
        ("Next steps", "next_steps"),
    ):
        items = cast(dict[str, Any], frame).get(key, [])
        if items:
            yield from ("", f"{heading}:")
        for item in items:
            yield f"  {_item(item, numbers)}"
    if frame.get("files"):
        yield from ("", "Files:")
        yield from (f"  {file['change']:<8} {line_shown(file['path'])}" for file in frame["files"])
    if frame.get("verification"):
        yield from ("", "Verification:")
        yield from (f"  {check['outcome']:<8} {line_shown(check['command'])}" for check in frame["verification"])
    yield from conflict_lines(frame)
    yield from loss_lines(frame)
    for number, turn in turns:
        yield ""
        yield from turn_lines(number, turn)


def conflict_lines(frame: Frame) -> Iterator[str]:
    """What a merge left to a person: both values of each place, and how it is settled."""
    conflicts = frame.get("merge_conflicts", [])
    if not conflicts:
        return
    yield from ("", "Conflicts left to a person (write the right value, then take the record out of merge_conflicts):")
    for conflict in conflicts:
        yield f"  {conflict['where']}"
        yield from (f"    - {line_shown(str(value))[:_LONGEST_VALUE]}" for value in conflict["values"])


def fact_lines(frame: Frame) -> Iterator[str]:
    """Who, where and when: the first lines of a frame."""
    session, boundary, git = frame.get("session", {}), frame.get("boundary", {}), frame.get("git", {})
    yield f"frame   {frame['id']} ({frame['status']})"
    yield f"topic   {line_shown(frame['topic'])}"
    for name, value in (
        ("title", frame.get("title", "")),
        ("goal", frame.get("goal", "")),
        ("agent", " ".join(filter(None, (session.get("agent"), session.get("agent_version"))))),
        ("models", ", ".join(session.get("models", []))),
        ("session", session.get("session_id", "")),
        ("branch", git.get("branch", "")),
        ("time", " to ".join(filter(None, (boundary.get("started_at"), boundary.get("ended_at"))))),
    ):
        if value:
            yield f"{name:<7} {line_shown(value)}"


def _item(item: dict[str, Any], numbers: dict[str, int]) -> str:
    cited = [str(numbers[evidence["turn"]]) for evidence in item.get("evidence", []) if evidence["turn"] in numbers]
    where = f", turn {', '.join(dict.fromkeys(cited))}" if cited else ""
    doubt = ", quote not found" if item.get("verified") is False else ""
    answer = f" → {line_shown(item['answer'])}" if item.get("answer") else ""
    return f"{item['id']} [{item['status']}, by {item['by']}{where}{doubt}] {line_shown(item['text'])}{answer}"


def loss_lines(frame: Frame) -> Iterator[str]:
    """What was taken out, cut or not understood, each with its count."""
    for rule, count in sorted(redaction_counts(frame).items()):
        yield f"redacted: {count} x {rule}"
    for elision in frame.get("elided", []):
        yield f"left out: {elision.get('count', 1)} x {elision['reason']}"
    for record in frame.get("skipped_records", []):
        lines = f" (lines {', '.join(map(str, record['lines']))})" if record.get("lines") else ""
        what = "" if record["reason"] == MISSING_PARENT else "not understood: "
        yield f"{what}{record['count']} x {record['reason']}{lines}"


def redaction_counts(frame: Frame) -> dict[str, int]:
    """How often each rule of redaction struck in the frame."""
    counts: dict[str, int] = {}
    for redaction in frame.get("redactions", []):
        counts[redaction["rule"]] = counts.get(redaction["rule"], 0) + redaction["count"]
    return counts


def turn_lines(number: int, turn: Turn) -> Iterator[str]:
    """One turn, word for word, with its calls where they came."""
    marks = [mark for mark in ("pinned", "pruned", "compacted") if turn.get(mark)]
    for key in ("annotation", "note", "thread"):
        value = cast(dict[str, Any], turn).get(key)
        if value:
            marks.append(line_shown(str(value)))
    head = " ".join(filter(None, (turn["role"], turn.get("at", ""), f"({', '.join(marks)})" if marks else "")))
    yield f"--- {number} {head}"
    text, calls, done = turn.get("text", ""), turn.get("calls", []), 0
    for at, call in enumerate(calls, 1):
        after = call.get("after", 0)
        if after > done:
            yield from shown(text[done:after]).strip("\n").split("\n")
            done = after
        yield f"    {number}.{at} {call_line(call)}"
    if text[done:]:
        yield from shown(text[done:]).strip("\n").split("\n")


def call_line(call: Call) -> str:
    """One call on one line: tool, first argument, outcome, files."""
    arguments = call.get("arguments")
    first = next(iter(arguments.values()), "") if isinstance(arguments, dict) else arguments
    if isinstance(first, dict) and set(first) == {"elided"}:
        first = first["elided"].get("head", "") + "…"
    words = line_shown(str(first or ""))[:100]
    pruned = "(pruned)" if call.get("pruned") else ""
    return " ".join(filter(None, (line_shown(call["tool"]), words, f"[{call['outcome']}]", pruned)))


def closing_lines(frame: Frame, path: str) -> Iterator[str]:
    """The one-screen summary after ``frames close``: what became of the session."""
    turns = frame.get("turns", [])
    said = sum(turn["role"] == "user" for turn in turns)
    calls = sum(len(turn.get("calls", [])) for turn in turns)
    yield f"{line_shown(frame['topic'])}  {frame['id'][:12]}"
    if path:
        yield f"  {path}"
    yield f"  {counted(len(turns), 'turn')} ({said} of the user), {counted(calls, 'tool call')}"
    accepted = [line_shown(decision["text"]) for decision in standing_decisions(frame)]
    yield from _listed("decisions", accepted)
    yield from _listed("open questions", [line_shown(question["text"]) for question in unanswered_questions(frame)])
    changed = [
        f"{file['change']} {line_shown(file['path'])}" for file in frame.get("files", []) if file["change"] != "read"
    ]
    yield from _listed("files", changed)
    checks = [f"{check['outcome']}: {line_shown(check['command'])}" for check in frame.get("verification", [])]
    yield from _listed("verification", checks)
    yield from (f"  {line}" for line in loss_lines(frame))


def giving_up_lines(frame: Frame) -> Iterator[str]:
    """What ``frames start --cancel`` gave up: the frame, and everything that was noted on it."""
    yield f"gave up {line_shown(frame['topic'])}  {frame['id'][:12]}"
    for key, what in _NOTED:
        items = cast(dict[str, Any], frame).get(key, [])
        if items:
            yield f"  {counted(len(items), what)} noted on it, not kept:"
            yield from (f"    {line_shown(item['text'])}" for item in items)


def _listed(name: str, entries: list[str]) -> Iterator[str]:
    if not entries:
        return
    yield f"  {name}:"
    yield from (f"    {entry}" for entry in entries[:_MOST_LISTED])
    if len(entries) > _MOST_LISTED:
        yield f"    … and {len(entries) - _MOST_LISTED} more"
