"""Windsurf: ``~/.windsurf/transcripts/<id>.jsonl``, one step a line: its type, its status, and its fields below both.

Steps have no ids and no times; the agent's tools are told by what they did.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from glob import escape
from typing import BinaryIO

from session_frames.model import CallOutcome
from session_frames.transcripts.base import (
    AgentText,
    Edit,
    Event,
    Line,
    Meta,
    NoConversation,
    Record,
    Skipped,
    ToolCall,
    ToolResult,
    UserWords,
    int_of,
    iter_lines,
    text_of,
)
from session_frames.transcripts.edits import added_by_replacing
from session_frames.transcripts.file_tools import outcome_of_exit
from session_frames.transcripts.heads import complete_lines, origin_of
from session_frames.transcripts.moments import path_of
from session_frames.transcripts.spoken import or_no_conversation

NAME = "windsurf"

_OUTCOMES: Mapping[str, CallOutcome] = {
    "done": "passed",
    "error": "failed",
    "canceled": "failed",
    "cancelled": "failed",
}
_REJECTED = "ACKNOWLEDGEMENT_TYPE_REJECT"

# Fields of a step that are what the tool answered; the others are what it was asked.
_ANSWER_KEYS = ("output", "content", "total_results")
_RESULT_ONLY = frozenset({*_ANSWER_KEYS, "exit_code", "user_rejected", "acknowledgement_type"})


def find(home: str, environ: Mapping[str, str]) -> list[str]:
    """The place of the transcripts."""
    return [f"{escape(home)}/.windsurf/transcripts/*.jsonl"]


def sniff(head: bytes) -> bool:
    """A step: its fields stand under the name of its type."""
    return any(map(_is_own_line, complete_lines(head)))


def _is_own_line(record: Record) -> bool:
    kind = text_of(record.get("type"))
    return record.keys() == {"type", "status", kind} and isinstance(record[kind], dict)


def read(source: BinaryIO) -> Iterator[Event | NoConversation]:
    """The events of the session, in the order of the file."""
    return or_no_conversation(_events(source))


def _events(source: BinaryIO) -> Iterator[Event]:
    cwd = ""
    for item in iter_lines(source):
        if isinstance(item, Skipped):
            yield item
            continue
        kind = text_of(item.record.get("type"))
        step = item.record.get(kind)
        if not isinstance(step, dict):
            yield Skipped(f"step '{kind}' without its fields", item.number)
            continue
        if not cwd and (cwd := text_of(step.get("cwd"))):
            yield Meta("cwd", cwd)
        yield from _SPOKEN[kind](step) if kind in _SPOKEN else _call(kind, step, item)


def _user_input(step: Record) -> Iterator[Event]:
    words = text_of(step.get("user_response"))
    if words.strip():
        yield UserWords("", "", words, origin_of(words))


def _planner_response(step: Record) -> Iterator[Event]:
    text = text_of(step.get("response"))
    if text.strip():
        yield AgentText("", "", text)


_SPOKEN: Mapping[str, Callable[[Record], Iterator[Event]]] = {
    "user_input": _user_input,
    "planner_response": _planner_response,
}


def _call(tool: str, step: Record, line: Line) -> Iterator[Event]:
    call_id = f"step:{line.number}"
    asked = {key: value for key, value in step.items() if key not in _RESULT_ONLY}
    command = text_of(step.get("command")) if tool == "run_command" else ""
    yield ToolCall("", "", call_id, tool, asked, _edits(tool, step), command)
    outcome = _OUTCOMES.get(text_of(line.record.get("status")))
    if outcome is None:
        return  # the step was not over
    code = int_of(step.get("exit_code")) if "exit_code" in step else None
    if step.get("user_rejected") is True or step.get("acknowledgement_type") == _REJECTED:
        outcome = "failed"
    yield ToolResult(call_id, "", _answer(step), outcome_of_exit(code, outcome), exit_code=code)


def _edits(tool: str, step: Record) -> tuple[Edit, ...]:
    path = path_of(text_of(step.get("path")))
    if path and tool == "view_file":
        return (Edit(path, "read"),)
    if path and tool == "code_action":
        old, new = text_of(step.get("original_content")), text_of(step.get("new_content"))
        return (Edit(path, "modified" if old else "added", added=added_by_replacing(old, new)),)
    return ()


def _answer(step: Record) -> str:
    found = next((step[key] for key in _ANSWER_KEYS if key in step), "")
    return found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)
