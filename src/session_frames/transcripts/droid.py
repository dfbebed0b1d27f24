"""Factory Droid: ``~/.factory/sessions/<folder>/<id>.jsonl``; the settings beside it know the model and the tokens."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from glob import escape
from typing import Any, BinaryIO

from session_frames.transcripts.base import (
    AgentText,
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
    joined_texts,
    list_of,
    load_json,
    text_of,
)
from session_frames.transcripts.claude_words import typed_text
from session_frames.transcripts.file_tools import call_of, is_shell, outcome_of_exit
from session_frames.transcripts.heads import complete_lines, origin_of
from session_frames.transcripts.spoken import or_no_conversation

NAME = "droid"

# A file that the person named with "@", written out in a block of its own behind the words.
_ATTACHED = re.compile(r"\AContents of [^\n]+ \(lines \d+-\d+ of \d+\):\n")
_EXIT = re.compile(r"\[Process exited with code (-?\d{1,10})\]")

_ASK_TOOL = "AskUser"
_ANSWERED = re.compile(r"^\[answer\] (.*?)(?=\n+\d+\. \[question\]|\Z)", re.MULTILINE | re.DOTALL)

_IGNORED_TYPES = frozenset({"todo_state", "session_end"})
_MESSAGE_KEYS = frozenset({"type", "id", "timestamp", "message", "parentId"})


def find(home: str, environ: Mapping[str, str]) -> list[str]:
    """The places of session files, in a folder a project or, in old versions, all in one."""
    root = f"{escape(home)}/.factory/sessions"
    return [f"{root}/*/*.jsonl", f"{root}/*.jsonl"]


def companions(path: str) -> list[str]:
    """The settings of the session."""
    return [escape(os.path.splitext(path)[0]) + ".settings.json"]


def sniff(head: bytes) -> bool:
    """A header, or a message in an envelope of its own."""
    return any(map(_is_own_line, complete_lines(head)))


def _is_own_line(record: Record) -> bool:
    if record.get("type") == "session_start":
        return bool(text_of(record.get("id"))) and ("cwd" in record or "title" in record)
    message = dict_of(record.get("message"))
    enveloped = {"id", "timestamp", "message"} <= record.keys() <= _MESSAGE_KEYS
    return enveloped and record.get("type") == "message" and message.keys() == {"role", "content"}


def read(source: BinaryIO, companions: Iterable[tuple[str, bytes]] = ()) -> Iterator[Event | NoConversation]:
    """The events of the session, in the order of the file, then what the settings tell."""
    return or_no_conversation(_events(source, companions))


def _events(source: BinaryIO, companions: Iterable[tuple[str, bytes]]) -> Iterator[Event]:
    tools: dict[str, str] = {}
    seen: set[str] = set()
    for item in iter_lines(source):
        if isinstance(item, Skipped):
            yield item
            continue
        kind, key = text_of(item.record.get("type")), text_of(item.record.get("id"))
        if kind == "message":
            if not key or key not in seen:
                seen.add(key)
                yield from _message(item.record, key, item, tools)
        elif kind in _RECORDS:
            yield from _RECORDS[kind](item.record)
        elif kind not in _IGNORED_TYPES:
            yield Skipped(f"unknown record type '{kind}'", item.number)
    for _, content in companions:
        yield from _settings(content)


def _session_start(record: Record) -> Iterator[Event]:
    found = {
        "session_id": text_of(record.get("id")),
        "cwd": text_of(record.get("cwd")),
        "title": text_of(record.get("title")),
        "parent": text_of(record.get("callingSessionId")) or text_of(record.get("parent")),
    }
    yield from (Meta(name, value) for name, value in found.items() if value)


def _compaction(record: Record) -> Iterator[Event]:
    if text := text_of(record.get("summaryText")):
        yield Summary(text_of(record.get("id")), text_of(record.get("timestamp")), text)


_RECORDS: Mapping[str, Callable[[Record], Iterator[Event]]] = {
    "session_start": _session_start,
    "compaction_state": _compaction,
}


def _settings(content: bytes) -> Iterator[Event]:
    try:
        settings = dict_of(load_json(content))
    except ValueError:
        yield Skipped("settings that are not JSON", 0)
        return
    if model := text_of(settings.get("model")):
        yield Meta("model", model)
    tokens = dict_of(settings.get("tokenUsage"))
    names = ("inputTokens", "outputTokens", "cacheReadTokens", "cacheCreationTokens")
    counts = [int_of(tokens.get(name)) for name in names]
    if any(counts):
        yield Usage("", counts[0], counts[1], counts[2], counts[3], total=True)


# ---------------------------------------------------------------------------------------------------------------------
# Messages


def _message(record: Record, key: str, line: Line, tools: dict[str, str]) -> Iterator[Event]:
    message, at = dict_of(record.get("message")), text_of(record.get("timestamp"))
    content = message.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list_of(content)
    teller = {"user": _user, "assistant": _assistant}.get(text_of(message.get("role")))
    if teller is None:
        yield Skipped(f"unknown role '{text_of(message.get('role'))}'", line.number)
    else:
        yield from teller([dict_of(block) for block in blocks], key or f"line:{line.number}", at, tools)


def _user(blocks: list[Record], key: str, at: str, tools: dict[str, str]) -> Iterator[Event]:
    for block in blocks:
        if block.get("type") == "tool_result":
            yield from _result(block, at, tools)
    texts = [text_of(block.get("text")) for block in blocks if block.get("type") == "text"]
    typed = [text for number, text in enumerate(texts) if not (number and _ATTACHED.match(text))]
    words = joined_texts(map(typed_text, typed))
    if words.strip():
        yield UserWords(key, at, words, origin_of(words))


def _assistant(blocks: list[Record], key: str, at: str, tools: dict[str, str]) -> Iterator[Event]:
    for number, block in enumerate(blocks):
        kind, text = block.get("type"), text_of(block.get("text"))
        if kind == "text" and text.strip():
            yield AgentText(key, at, text)
        elif kind == "thinking" and text_of(block.get("thinking")).strip():
            yield Reasoning(key, at, text_of(block.get("thinking")))
        elif kind == "tool_use":
            call_id, tool = text_of(block.get("id")) or f"{key}:{number}", text_of(block.get("name"))
            tools[call_id] = tool
            yield call_of(key, at, call_id, tool, block.get("input"))


def _result(block: Record, at: str, tools: dict[str, str]) -> Iterator[Event]:
    call_id = text_of(block.get("tool_use_id"))
    tool, text = tools.pop(call_id, ""), _text(block.get("content"))
    found = _EXIT.findall(text) if is_shell(tool) else []
    code = int(found[-1]) if found else None
    failed = block.get("is_error") is True
    yield ToolResult(call_id, at, text, outcome_of_exit(code, "failed" if failed else "passed"), exit_code=code)
    if tool == _ASK_TOOL and not failed:
        for number, answer in enumerate(_ANSWERED.findall(text)):
            if answer.strip():
                yield UserWords(f"{call_id}:{number}", at, answer.strip(), "answer")


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return joined_texts(text_of(dict_of(block).get("text")) for block in list_of(content))
