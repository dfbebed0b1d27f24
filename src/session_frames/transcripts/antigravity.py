"""Antigravity: ``brain/<id>/.system_generated/logs/transcript.jsonl``, one step a line.

Calls have no ids, and what a tool answered is a step of its own: it belongs to the oldest call of that kind that is
still open. Texts in arguments are written as JSON once more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from glob import escape
from typing import Any, BinaryIO, NamedTuple

from session_frames.model import CallOutcome, Change
from session_frames.transcripts.base import (
    AgentText,
    Edit,
    Event,
    Line,
    Meta,
    NoConversation,
    Reasoning,
    Record,
    Skipped,
    Summary,
    ToolCall,
    ToolResult,
    UserWords,
    dict_of,
    iter_lines,
    list_of,
    text_of,
)
from session_frames.transcripts.file_tools import call_of, outcome_of_exit
from session_frames.transcripts.heads import complete_lines, origin_of
from session_frames.transcripts.moments import path_of
from session_frames.transcripts.spoken import or_no_conversation
from session_frames.transcripts.tool_edits import parsed_arguments

NAME = "antigravity"

_REQUEST = re.compile(r"<USER_REQUEST>\n?(.*)\n?</USER_REQUEST>", re.DOTALL)
# Blocks that the program puts around a request, where the request itself has no tag.
_NOTES = re.compile(r"<(ADDITIONAL_METADATA|USER_SETTINGS_CHANGE|EPHEMERAL_MESSAGE)>.*?</\1>\s*", re.DOTALL)
_PROGRAM = frozenset({"SYSTEM", "MODEL"})
_TIME = re.compile(r"\d{4}-\d\d-\d\dT")

_OUTCOMES: Mapping[str, CallOutcome] = {
    "DONE": "passed",
    "ERROR": "failed",
    "CANCELED": "failed",
    "CANCELLED": "failed",
}
_EXIT = re.compile(r"\b(?:exit code:?|exited with code:?) (-?\d{1,10})\b", re.IGNORECASE)

# Steps that answer a call, and the tools that they answer.
_ANSWERS: Mapping[str, tuple[str, ...]] = {
    "LIST_DIRECTORY": ("list_dir",),
    "VIEW_FILE": ("view_file", "view_file_outline", "view_code_item", "read_file"),
    "RUN_COMMAND": ("run_command",),
    "COMMAND_STATUS": ("command_status",),
    "GREP_SEARCH": ("grep_search",),
    "FIND": ("find_by_name",),
    "SEARCH_WEB": ("search_web",),
    "READ_URL_CONTENT": ("read_url_content",),
    "CODE_ACTION": (
        "write_to_file",
        "write_file",
        "replace_file_content",
        "multi_replace_file_content",
        "edit_file",
    ),
}
_SHELL_STEP = "RUN_COMMAND"
_SUMMARY_STEP = "CHECKPOINT"

# What a step that no call asked for did to a file, by its text.
_TOUCHED: tuple[tuple[re.Pattern[str], Change], ...] = (
    (re.compile(r"^Created file (file:\S+)", re.MULTILINE), "added"),
    (re.compile(r"^File Path: `(file:[^`]+)`", re.MULTILINE), "read"),
)


class _Open(NamedTuple):
    """A call whose answer has not come."""

    id: str
    tool: str
    edits: tuple[Edit, ...]


def find(home: str, environ: Mapping[str, str]) -> list[str]:
    """The transcripts of the editor and of the command line."""
    roots = (f"{escape(home)}/.gemini/{name}/brain" for name in ("antigravity", "antigravity-cli"))
    return [f"{root}/*/.system_generated/logs/transcript.jsonl" for root in roots]


def sniff(head: bytes) -> bool:
    """A numbered step with a source and a type."""
    return any(map(_is_own_line, complete_lines(head)))


def _is_own_line(record: Record) -> bool:
    texts = ("source", "type", "status", "created_at")
    return isinstance(record.get("step_index"), int) and all(text_of(record.get(key)) for key in texts)


def read(source: BinaryIO) -> Iterator[Event | NoConversation]:
    """The events of the conversation, in the order of the file."""
    return or_no_conversation(_events(source))


def _events(source: BinaryIO) -> Iterator[Event]:
    reader = _Reader()
    for item in iter_lines(source):
        if isinstance(item, Skipped):
            yield item
        else:
            yield from reader.events(item)


class _Reader:
    """What has to be remembered from one step to the next: the open calls."""

    def __init__(self) -> None:
        self._open: list[_Open] = []
        self._placed = False
        self._started = False
        self._spoken: Mapping[str, Callable[[Record, str, Line], Iterator[Event]]] = {
            "USER_INPUT": self._user_input,
            "PLANNER_RESPONSE": self._planner_response,
        }

    def events(self, line: Line) -> Iterator[Event]:
        """The events of one step."""
        record, kind = line.record, text_of(line.record.get("type"))
        told = text_of(record.get("created_at"))
        at = told if _TIME.match(told) else ""
        if at and not self._started:
            self._started = True
            yield Meta("started", at)
        if kind in self._spoken:
            self._open = []
            yield from self._spoken[kind](record, at, line)
        elif kind == _SUMMARY_STEP and text_of(record.get("content")):
            yield Summary("", at, text_of(record.get("content")))
        elif record.get("source") == "MODEL":
            yield from self._answer(kind, record, at, line)
        elif not kind:
            yield Skipped("step without a type", line.number)

    def _user_input(self, record: Record, at: str, line: Line) -> Iterator[Event]:
        text = text_of(record.get("content"))
        found = _REQUEST.search(text)
        words = found[1] if found else _NOTES.sub("", text)
        if words.strip() and text_of(record.get("source")) not in _PROGRAM:
            yield UserWords("", at, words.strip("\n"), origin_of(words))

    def _planner_response(self, record: Record, at: str, line: Line) -> Iterator[Event]:
        thinking, text = text_of(record.get("thinking")), text_of(record.get("content"))
        if thinking.strip():
            yield Reasoning("", at, thinking)
        if text.strip():
            yield AgentText("", at, text)
        for number, call in enumerate(map(dict_of, list_of(record.get("tool_calls")))):
            arguments = _arguments(call.get("args"))
            told = call_of("", at, f"step:{line.number}:{number}", text_of(call.get("name")), arguments)
            yield from self._place(arguments)
            self._open.append(_Open(told.id, told.tool, told.edits))
            yield told

    def _place(self, arguments: Any) -> Iterator[Event]:
        """The folder of the first command stands for the session's."""
        place = text_of(dict_of(arguments).get("Cwd"))
        if place and not self._placed:
            self._placed = True
            yield Meta("cwd", place)

    def _answer(self, kind: str, record: Record, at: str, line: Line) -> Iterator[Event]:
        text, status = text_of(record.get("content")), text_of(record.get("status"))
        touched = _touched(text)
        asked = self._asked(kind)
        if asked is None:
            asked = _Open(f"step:{line.number}", kind.lower(), touched)
            yield ToolCall("", at, asked.id, asked.tool, {}, touched)
        found = _EXIT.search(text) if kind == _SHELL_STEP else None
        code = int(found[1]) if found else None
        outcome = outcome_of_exit(code, _OUTCOMES.get(status, "unknown"))
        yield ToolResult(asked.id, at, text, outcome, _better(asked.edits, touched), code)

    def _asked(self, kind: str) -> _Open | None:
        """The oldest open call that a step of this type can answer; of an unknown type, the oldest of all."""
        tools = _ANSWERS.get(kind)
        for place, call in enumerate(self._open):
            if tools is None or call.tool in tools:
                return self._open.pop(place)
        return None


def _arguments(arguments: Any) -> Any:
    """The arguments, with the texts that are written as JSON once more read."""
    if not isinstance(arguments, dict):
        return parsed_arguments(arguments)
    return {key: parsed_arguments(value) if _is_quoted(value) else value for key, value in arguments.items()}


def _is_quoted(value: Any) -> bool:
    text = text_of(value)
    return len(text) > 1 and text.startswith('"') and text.endswith('"')


def _touched(text: str) -> tuple[Edit, ...]:
    for pattern, change in _TOUCHED:
        if found := pattern.search(text):
            return (Edit(path_of(found[1]), change),)
    return ()


def _better(asked: tuple[Edit, ...], touched: tuple[Edit, ...]) -> tuple[Edit, ...] | None:
    """The edits of the call, corrected where the answer says that the file is a new one."""
    created = len(asked) == 1 and any(edit.change == "added" for edit in touched)
    return (asked[0]._replace(change="added"),) if created and asked[0].change == "modified" else None
