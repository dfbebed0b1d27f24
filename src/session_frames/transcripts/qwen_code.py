"""Qwen Code: ``projects/<folder>/chats/<session>.jsonl``.

The envelope is Claude Code's (``uuid``, ``parentUuid``, ``sessionId``), the messages are Gemini's (``parts``). One
answer may be written as several records of one ``uuid``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from glob import escape
from typing import Any, BinaryIO

from session_frames.model import CallOutcome, Origin
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
    ToolResult,
    Usage,
    UserWords,
    dict_of,
    int_of,
    iter_lines,
    list_of,
    text_of,
)
from session_frames.transcripts.edits import added_by_hunk_lines, lines_of
from session_frames.transcripts.entry_tree import EntryTree
from session_frames.transcripts.file_tools import call_of, is_shell, outcome_of_exit
from session_frames.transcripts.gemini_cli import person_words
from session_frames.transcripts.gemini_thread import content_text
from session_frames.transcripts.heads import complete_lines, origin_of
from session_frames.transcripts.spoken import or_no_conversation

NAME = "qwen-code"

_SPOKEN_TYPES = frozenset({"user", "assistant", "tool_result"})

# Facts that every record repeats, and their names.
_FACTS = (("sessionId", "session_id"), ("version", "agent_version"), ("cwd", "cwd"), ("gitBranch", "branch"))
# Records of what the program keeps elsewhere may name another folder than the session's.
_PLACELESS = "session_artifact"

# User records that a person spoke: plain ones, and those typed while the agent worked.
_ORIGINS: Mapping[str, Origin] = {"": "typed", "mid_turn_user_message": "queued"}
_PERSON = ("", "real_user")

_STATUSES: Mapping[str, CallOutcome] = {"success": "passed", "error": "failed", "cancelled": "failed"}
_EXIT = re.compile(r"^Exit Code: (-?\d{1,10})\s*$", re.MULTILINE)

_ASK_TOOL = "ask_user_question"
_ANSWERS_HEAD = "User has provided the following answers:\n\n"
_ANSWER = re.compile(r"^\*\*[^\n]*?\*\*: (.*?)(?=\n\*\*[^\n]*?\*\*: |\Z)", re.MULTILINE | re.DOTALL)


def find(home: str, environ: Mapping[str, str]) -> list[str]:
    """The places of session files below ``$QWEN_RUNTIME_DIR``, ``$QWEN_HOME`` or ``~/.qwen``."""
    root = escape(environ.get("QWEN_RUNTIME_DIR") or environ.get("QWEN_HOME") or f"{home}/.qwen")
    return [f"{root}/projects/*/chats/*.jsonl", f"{root}/tmp/*/chats/*.jsonl"]


def sniff(head: bytes) -> bool:
    """A record in Claude Code's envelope whose message has parts, or a system record with a payload."""
    return any(map(_is_own_line, complete_lines(head)))


def _is_own_line(record: Record) -> bool:
    if not (text_of(record.get("uuid")) and "parentUuid" in record and text_of(record.get("sessionId"))):
        return False
    if text_of(record.get("type")) in _SPOKEN_TYPES:
        return isinstance(dict_of(record.get("message")).get("parts"), list)
    return record.get("type") == "system" and "systemPayload" in record


def read(source: BinaryIO) -> Iterator[Event | NoConversation]:
    """The events of the session, in the order of the file; what was rewound is told at the end."""
    return or_no_conversation(_events(source))


def _events(source: BinaryIO) -> Iterator[Event | NoConversation]:
    reader = _Reader()
    for item in iter_lines(source):
        if isinstance(item, Skipped):
            yield item
        else:
            yield from reader.events(item)
    yield from reader.end()


class _Reader:
    """What has to be remembered from one record to the next: ids, and the last fact of each kind."""

    def __init__(self) -> None:
        self._facts: dict[str, str] = {}
        self._told: set[tuple[str, int]] = set()
        self._calls: dict[str, tuple[str, tuple[Edit, ...]]] = {}
        self._tree = EntryTree()
        self._rewound = False
        self._expanded = False  # the next prompt is what a command unfolded to
        self._manual_title = False
        self._types: Mapping[str, Callable[[Record, str, str], Iterator[Event]]] = {
            "user": self._user,
            "assistant": self._assistant,
            "tool_result": self._tool_result,
            "system": self._system,
        }
        self._notes: Mapping[str, Callable[[Record, str, str], Iterator[Event]]] = {
            "custom_title": self._title,
            "rewind": self._rewind,
            "slash_command": self._command,
            "chat_compression": self._compression,
            "parent_session": self._parent,
        }

    def events(self, line: Line) -> Iterator[Event]:
        """The events of one record."""
        record = line.record
        if record.get("isSidechain") is True:
            return
        yield from self._facts_of(record)
        key, at = text_of(record.get("uuid")), text_of(record.get("timestamp"))
        if key:
            self._tree.add(key, text_of(record["parentUuid"]) if "parentUuid" in record else None)
        kind = text_of(record.get("type"))
        handler = self._types.get(kind)
        if handler is not None:
            yield from handler(record, key, at)
        else:
            yield Skipped(f"unknown record type '{kind}'", line.number)

    def end(self) -> Iterator[Event]:
        """What can be told only when the file is over."""
        if self._rewound:
            yield from self._tree.left_branches()

    def _facts_of(self, record: Record) -> Iterator[Event]:
        if text_of(record.get("subtype")).startswith(_PLACELESS):
            return
        found = {name: text_of(record.get(key)) for key, name in _FACTS}
        if record.get("type") == "assistant":
            found["model"] = text_of(record.get("model"))
        if "started" not in self._facts:
            found["started"] = text_of(record.get("timestamp"))
        for name, value in found.items():
            if value and self._facts.get(name) != value:
                self._facts[name] = value
                yield Meta(name, value)

    def _is_repeated(self, key: str, text: str) -> bool:
        """Was this told under the same id before? (A record may be written twice.)"""
        mark = (key, hash(text))  # large texts are not kept
        if not key or mark not in self._told:
            self._told.add(mark)
            return False
        return True

    # -----------------------------------------------------------------------------------------------------------------
    # The person

    def _user(self, record: Record, key: str, at: str) -> Iterator[Event]:
        origin = _ORIGINS.get(text_of(record.get("subtype")))
        message = dict_of(record.get("message"))
        yield from self._results(record, message, at)
        expanded, self._expanded = self._expanded, False
        if origin is None or expanded or text_of(record.get("provenance")) not in _PERSON:
            return
        shown = text_of(dict_of(record.get("systemPayload")).get("displayText"))
        words = person_words(shown or content_text(message.get("parts")))
        if words and not self._is_repeated(key, "user"):
            yield UserWords(key, at, words, origin if origin == "queued" else origin_of(words))

    def _command(self, record: Record, key: str, at: str) -> Iterator[Event]:
        payload = dict_of(record.get("systemPayload"))
        words = text_of(payload.get("rawCommand"))
        if payload.get("phase") != "invocation" or not words.strip() or payload.get("hiddenInvocation") is True:
            return
        self._expanded = payload.get("sentToModel") is True
        if not self._is_repeated(key, "user"):
            yield UserWords(key, at, words, "command")

    # -----------------------------------------------------------------------------------------------------------------
    # The agent

    def _assistant(self, record: Record, key: str, at: str) -> Iterator[Event]:
        self._expanded = False
        for number, part in enumerate(map(dict_of, list_of(dict_of(record.get("message")).get("parts")))):
            text, call = text_of(part.get("text")), dict_of(part.get("functionCall"))
            if text.strip() and not self._is_repeated(key, text):
                yield Reasoning(key, at, text) if part.get("thought") is True else AgentText(key, at, text)
            call_id = text_of(call.get("id")) or f"{key}:{number}"
            if call and not self._is_repeated("call", call_id):
                told = call_of(key, at, call_id, text_of(call.get("name")), call.get("args"))
                self._calls[call_id] = (told.tool, told.edits)
                yield told
        tokens = dict_of(record.get("usageMetadata"))
        names = ("promptTokenCount", "candidatesTokenCount", "cachedContentTokenCount")
        asked, answered, cached = (int_of(tokens.get(name)) for name in names)
        if asked or answered or cached:
            yield Usage(key, max(asked - cached, 0), answered, cached)  # the cached ones are counted in

    def _tool_result(self, record: Record, key: str, at: str) -> Iterator[Event]:
        return self._results(record, dict_of(record.get("message")), at)

    def _results(self, record: Record, message: Record, at: str) -> Iterator[Event]:
        beside = dict_of(record.get("toolCallResult"))
        for part in map(dict_of, list_of(message.get("parts"))):
            response = dict_of(part.get("functionResponse"))
            call_id = text_of(response.get("id")) or text_of(beside.get("callId"))
            if response and not self._is_repeated("result", call_id):
                yield from self._result(call_id, at, response, beside)

    def _result(self, call_id: str, at: str, response: Record, beside: Record) -> Iterator[Event]:
        tool, edits = self._calls.pop(call_id, (text_of(response.get("name")), ()))
        fields = dict_of(response.get("response"))
        text = _as_text(fields.get("output", fields.get("error", response.get("response"))))
        found = _EXIT.findall(text) if is_shell(tool) else []
        code = int(found[-1]) if found else None
        known: CallOutcome = "failed" if "error" in fields else "unknown"
        outcome = outcome_of_exit(code, _STATUSES.get(text_of(beside.get("status")), known))
        shown = _shown_edits(edits, dict_of(beside.get("resultDisplay")))
        yield ToolResult(call_id, at, text, outcome, shown, code)
        if tool == _ASK_TOOL and text.startswith(_ANSWERS_HEAD):
            for number, answer in enumerate(_ANSWER.findall(text[len(_ANSWERS_HEAD) :])):
                if answer.strip():
                    yield UserWords(f"{call_id}:{number}", at, answer, "answer")

    # -----------------------------------------------------------------------------------------------------------------
    # Notes of the program

    def _system(self, record: Record, key: str, at: str) -> Iterator[Event]:
        handler = self._notes.get(text_of(record.get("subtype")))
        return handler(record, key, at) if handler else iter(())

    def _title(self, record: Record, key: str, at: str) -> Iterator[Event]:
        """One that the person gave is kept, whatever the program thinks of later."""
        payload = dict_of(record.get("systemPayload"))
        title, automatic = text_of(payload.get("customTitle")).strip(), payload.get("titleSource") == "auto"
        if title and not (automatic and self._manual_title):
            self._manual_title = not automatic
            yield Meta("title", title)

    def _rewind(self, record: Record, key: str, at: str) -> Iterator[Event]:
        self._rewound = True
        return iter(())

    def _compression(self, record: Record, key: str, at: str) -> Iterator[Event]:
        history = list_of(dict_of(record.get("systemPayload")).get("compressedHistory"))
        if text := content_text(dict_of(next(iter(history), None)).get("parts")):
            yield Summary(key, at, text)

    def _parent(self, record: Record, key: str, at: str) -> Iterator[Event]:
        if parent := text_of(dict_of(record.get("systemPayload")).get("parentSessionId")):
            yield Meta("parent", parent)


def _as_text(value: Any) -> str:
    if isinstance(value, str) or value is None:
        return value or ""
    return json.dumps(value, ensure_ascii=False)


def _shown_edits(edits: tuple[Edit, ...], shown: Record) -> tuple[Edit, ...] | None:
    """The edit as the screen showed it: its diff knows the file before. One that was cut for the record does not."""
    diff = text_of(shown.get("fileDiff"))
    if len(edits) != 1 or not diff or shown.get("fileDiffTruncated") is True:
        return None
    created = shown.get("isNewFile") is True or ("originalContent" in shown and shown["originalContent"] is None)
    return (Edit(edits[0].path, "added" if created else "modified", added=added_by_hunk_lines(lines_of(diff))),)
