"""CodeBuddy: ``~/.codebuddy/projects/<folder>/<session>.jsonl``, messages, calls and results as lines of their own."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from glob import escape
from typing import Any, BinaryIO

from session_frames.model import CallOutcome
from session_frames.transcripts import claude_words
from session_frames.transcripts.base import (
    AgentText,
    Event,
    Meta,
    NoConversation,
    Reasoning,
    Record,
    Skipped,
    ToolResult,
    Usage,
    UserWords,
    dict_of,
    int_of,
    iter_lines,
    joined_texts,
    list_of,
    text_of,
)
from session_frames.transcripts.file_tools import call_of, is_shell, outcome_of_exit
from session_frames.transcripts.heads import complete_lines, origin_of
from session_frames.transcripts.moments import iso_of_milliseconds
from session_frames.transcripts.spoken import or_no_conversation

NAME = "codebuddy"

_CALLS = frozenset({"function_call", "function_call_result"})
_IGNORED_TYPES = frozenset({"file-history-snapshot", "summary"})

_STATUSES: Mapping[str, CallOutcome] = {"completed": "passed", "failed": "failed", "error": "failed"}
_EXIT = re.compile(r"^Exit Code: (-?\d{1,10})\s*$", re.MULTILINE)
_ASK_TOOL = "AskUserQuestion"

# Facts that newer records repeat, and their names.
_FACTS = (("sessionId", "session_id"), ("cwd", "cwd"), ("gitBranch", "branch"))


def find(home: str, environ: Mapping[str, str]) -> list[str]:
    """The places of session files below ``$CODEBUDDY_CONFIG_DIR`` or ``~/.codebuddy``."""
    root = escape(environ.get("CODEBUDDY_CONFIG_DIR") or f"{home}/.codebuddy")
    return [f"{root}/projects/*/*.jsonl"]


def sniff(head: bytes) -> bool:
    """A message, a call or a result with data of the provider."""
    return any(map(_is_own_line, complete_lines(head)))


def _is_own_line(record: Record) -> bool:
    if not isinstance(record.get("providerData"), dict):
        return False
    if record.get("type") == "message":
        return "role" in record and isinstance(record.get("content"), list)
    return text_of(record.get("type")) in _CALLS and "callId" in record


def read(source: BinaryIO) -> Iterator[Event | NoConversation]:
    """The events of the session, in the order of the file."""
    return or_no_conversation(_events(source))


def _events(source: BinaryIO) -> Iterator[Event]:
    reader = _Reader()
    for item in iter_lines(source):
        if isinstance(item, Skipped):
            yield item
            continue
        kind = text_of(item.record.get("type"))
        if reader.knows(kind):
            yield from reader.events(kind, item.record)
        elif kind not in _IGNORED_TYPES:
            yield Skipped(f"unknown record type '{kind}'", item.number)


class _Reader:
    """What has to be remembered from one record to the next."""

    def __init__(self) -> None:
        self._facts: dict[str, str] = {}
        self._seen: set[str] = set()
        self._calls: dict[str, tuple[str, Any]] = {}  # id of an open call -> tool, arguments
        self._types: Mapping[str, Callable[[Record, str, str], Iterator[Event]]] = {
            "message": self._message,
            "reasoning": self._reasoning,
            "function_call": self._call,
            "function_call_result": self._result,
            "topic": self._topic,
        }

    def knows(self, kind: str) -> bool:
        """Are records of this type understood?"""
        return kind in self._types

    def events(self, kind: str, record: Record) -> Iterator[Event]:
        """The events of one record; one that is written again is told once."""
        key = text_of(record.get("id"))
        if key in self._seen:
            return
        if key:
            self._seen.add(key)
        at = iso_of_milliseconds(record.get("timestamp")) or text_of(record.get("timestamp"))
        provided = dict_of(record.get("providerData"))
        yield from self._facts_of(record, provided, at)
        yield from self._types[kind](record, key, at)
        yield from _usage(key, dict_of(provided.get("usage")))

    def _facts_of(self, record: Record, provided: Record, at: str) -> Iterator[Event]:
        found = {name: text_of(record.get(key)) for key, name in _FACTS}
        found["model"] = text_of(provided.get("model"))
        found["started"] = self._facts.get("started", at)
        for name, value in found.items():
            if value and self._facts.get(name) != value:
                self._facts[name] = value
                yield Meta(name, value)

    def _message(self, record: Record, key: str, at: str) -> Iterator[Event]:
        texts = [text_of(dict_of(block).get("text")) for block in list_of(record.get("content"))]
        role = record.get("role")
        if role == "user":
            command = claude_words.parse_command(joined_texts(texts))
            words = command.text if command else joined_texts(map(claude_words.typed_text, texts))
            if words.strip():
                yield UserWords(key, at, words, "command" if command else origin_of(words))
        elif role == "assistant" and (text := joined_texts(texts)).strip():
            yield AgentText(key, at, text)

    def _reasoning(self, record: Record, key: str, at: str) -> Iterator[Event]:
        blocks = [*list_of(record.get("rawContent")), *list_of(record.get("content"))]
        if text := joined_texts(text_of(dict_of(block).get("text")) for block in blocks):
            yield Reasoning(key, at, text)

    def _call(self, record: Record, key: str, at: str) -> Iterator[Event]:
        call_id = text_of(record.get("callId")) or f"{key}:call"
        call = call_of(key, at, call_id, text_of(record.get("name")), record.get("arguments"))
        self._calls[call_id] = (call.tool, call.arguments if call.tool == _ASK_TOOL else None)
        yield call

    def _result(self, record: Record, key: str, at: str) -> Iterator[Event]:
        call_id = text_of(record.get("callId"))
        tool, asked = self._calls.pop(call_id, (text_of(record.get("name")), None))
        text = _as_text(record.get("output"))
        found = _EXIT.findall(text) if is_shell(tool) else []
        code = int(found[-1]) if found else None
        outcome = outcome_of_exit(code, _STATUSES.get(text_of(record.get("status")), "unknown"))
        yield ToolResult(call_id, at, text, outcome, exit_code=code)
        answers = claude_words.answers(text, None, asked) if asked else [claude_words.refusal_reason(text, tool)]
        for number, answer in enumerate(answers):
            if answer.strip():
                yield UserWords(f"{call_id}:{number}", at, answer, "answer")

    def _topic(self, record: Record, key: str, at: str) -> Iterator[Event]:
        if title := text_of(record.get("topic")):
            yield Meta("title", title)


def _usage(key: str, usage: Record) -> Iterator[Event]:
    cached = sum(int_of(dict_of(one).get("cached_tokens")) for one in list_of(usage.get("inputTokensDetails")))
    asked, answered = int_of(usage.get("inputTokens")), int_of(usage.get("outputTokens"))
    if asked or answered:
        yield Usage(key, max(asked - cached, 0), answered, cached)  # the cached ones are counted in


def _as_text(output: Any) -> str:
    if isinstance(output, str) or output is None:
        return output or ""
    blocks = output if isinstance(output, list) else [output]
    return joined_texts(text_of(dict_of(block).get("text")) for block in blocks) or json.dumps(
        output, ensure_ascii=False
    )
