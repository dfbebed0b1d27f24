"""Cursor: transcripts of its agent as text or as JSON Lines, and exported chats as Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from glob import escape
from typing import Any, BinaryIO

from session_frames.transcripts.base import (
    AgentText,
    Event,
    Line,
    NoConversation,
    Reasoning,
    Record,
    Skipped,
    ToolCall,
    ToolResult,
    UserWords,
    dict_of,
    iter_lines,
    joined_texts,
    list_of,
    text_of,
)
from session_frames.transcripts.cursor_text import EXPORTED, tell_export, tell_transcript
from session_frames.transcripts.cursor_tools import command_of, edits_of
from session_frames.transcripts.cursor_words import QUERY, own_words
from session_frames.transcripts.heads import begins_object, complete_lines, origin_of, peek
from session_frames.transcripts.spoken import or_no_conversation

NAME = "cursor"

_RECORD_KEYS = frozenset({"role", "message", "timestamp", "id"})
# The beginning of a first record that is too long to be read whole.
_LONG_RECORD = re.compile(rb'\s*\{"role":"(?:user|assistant)","message":\{"content":')
_ROLES = ("user", "assistant")
# Lines that hold no words.
_SILENT_EVENTS = ("turn_ended",)
# What stands for thinking that is not shown.
_HIDDEN = "[REDACTED]"
_TAGGED_QUERY = re.compile(rf"^{QUERY}", re.MULTILINE)
_CALL = re.compile(r"^\[Tool call\] \S", re.MULTILINE)


def find(home: str, environ: Mapping[str, str]) -> list[str]:
    """The agent's transcripts, of all projects."""
    transcripts = f"{escape(home)}/.cursor/projects/*/agent-transcripts"
    return [f"{transcripts}/{name}" for name in ("*.txt", "*.jsonl", "*/*.jsonl")]


def sniff(head: bytes) -> bool:
    """Records of a role and a message alone, ``user:`` above a marked query, or an export's second line."""
    if begins_object(head):
        first = next(complete_lines(head), None)
        return _LONG_RECORD.match(head) is not None if first is None else _is_record(first)
    text = _text(head)
    lines = text.split("\n", 2)
    if lines[0].rstrip() == "user:":
        mark = _CALL if "\nassistant:\n" in text else _TAGGED_QUERY
        return mark.search(text) is not None or _TAGGED_QUERY.search(text) is not None
    return lines[0].startswith("# ") and len(lines) > 1 and EXPORTED.match(lines[1]) is not None


def _is_record(record: Record) -> bool:
    content = dict_of(record.get("message")).get("content")
    return record.get("role") in _ROLES and isinstance(content, str | list) and record.keys() <= _RECORD_KEYS


def read(source: BinaryIO) -> Iterator[Event | NoConversation]:
    """The events of the session, whichever form it has."""
    if begins_object(peek(source)):
        return or_no_conversation(_Reader().tell(source))
    lines = _text(source.read()).split("\n")
    tell = tell_transcript if lines[0].rstrip() == "user:" else tell_export
    return or_no_conversation(tell(lines))


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n").lstrip("\n")


class _Reader:
    """Tells the records of a JSON Lines transcript."""

    def __init__(self) -> None:
        self.blocks: Mapping[str, Callable[[Record, str], Iterator[Event]]] = {
            "text": self._text,
            "thinking": self._thinking,
            "tool_use": self._call,
        }
        self.calls = 0

    def tell(self, source: BinaryIO) -> Iterator[Event]:
        for item in iter_lines(source):
            if isinstance(item, Skipped):
                yield item
            else:
                yield from self._record(item)

    def _record(self, line: Line) -> Iterator[Event]:
        record = line.record
        role, at = text_of(record.get("role")), text_of(record.get("timestamp"))
        content = dict_of(record.get("message")).get("content")
        if role == "user":
            yield from self._user(content, at)
        elif role == "assistant":
            for block in _blocks(content):
                tell = self.blocks.get(text_of(block.get("type")))
                if tell is None:
                    yield Skipped(f"unknown block '{text_of(block.get('type'))}'", line.number)
                else:
                    yield from tell(block, at)
        elif record.get("event") not in _SILENT_EVENTS and record.get("type") not in _SILENT_EVENTS:
            yield Skipped("unknown record", line.number)

    def _user(self, content: Any, at: str) -> Iterator[Event]:
        blocks = _blocks(content)
        for block in blocks:
            if block.get("type") == "tool_result":
                failed = block.get("is_error") is True
                yield ToolResult(
                    text_of(block.get("tool_use_id")),
                    at,
                    _result_text(block.get("content")),
                    "failed" if failed else "unknown",
                )
        words = joined_texts(own_words(text_of(block.get("text"))) for block in blocks if block.get("type") == "text")
        if words.strip():
            yield UserWords("", at, words, origin_of(words))

    def _text(self, block: Record, at: str) -> Iterator[Event]:
        text = text_of(block.get("text")).strip()
        text = text.removesuffix(_HIDDEN).rstrip()
        if text:
            yield AgentText("", at, text)

    def _thinking(self, block: Record, at: str) -> Iterator[Event]:
        text = text_of(block.get("thinking")) or text_of(block.get("text"))
        if text.strip() and text.strip() != _HIDDEN:
            yield Reasoning("", at, text)

    def _call(self, block: Record, at: str) -> Iterator[Event]:
        self.calls += 1
        tool, arguments = text_of(block.get("name")), block.get("input")
        call_id = text_of(block.get("id")) or f"call:{self.calls}"
        yield ToolCall("", at, call_id, tool, arguments, edits_of(tool, arguments), command_of(tool, arguments))


def _blocks(content: Any) -> list[Record]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in list_of(content) if isinstance(block, dict)]


def _result_text(content: Any) -> str:
    return joined_texts(text_of(block.get("text")) for block in _blocks(content))
