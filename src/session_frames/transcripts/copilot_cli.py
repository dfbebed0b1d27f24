"""GitHub Copilot CLI: event streams, and the one JSON document a session that versions up to 0.0.34x wrote."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from glob import escape
from typing import Any, BinaryIO

from session_frames.errors import NotUnderstood
from session_frames.transcripts.base import (
    AgentText,
    Event,
    Meta,
    NoConversation,
    Record,
    Skipped,
    ToolCall,
    ToolResult,
    UserWords,
    dict_of,
    list_of,
    load_json,
    text_of,
)
from session_frames.transcripts.copilot_events import (
    RESULT_TYPES,
    answer_of,
    is_event_stream,
    outcome_of_shell,
    read_events,
    refusal_reason,
    stream_reader,
)
from session_frames.transcripts.heads import begins_object, json_key, origin_of, peek
from session_frames.transcripts.line_readers import LineReader
from session_frames.transcripts.tool_edits import command_of, edits_of, parsed_arguments

NAME = "copilot-cli"

# Rows of the timeline that the program wrote for the screen.
_TIMELINE_NOISE = frozenset({"info", "warning", "error"})

_OLD_KEYS = (json_key("sessionId"), json_key("startTime"), json_key("chatMessages", r"\["))


def find(home: str, environ: Mapping[str, str]) -> list[str]:
    """The places of session files, old and new, below ``$COPILOT_HOME`` or ``~/.copilot``."""
    root = escape(environ.get("COPILOT_HOME") or f"{home}/.copilot")
    return [
        f"{root}/session-state/*/events.jsonl",
        f"{root}/session-state/*.jsonl",
        f"{root}/history-session-state/*.json",
    ]


def sniff(head: bytes) -> bool:
    """An event stream, or the old document with its ``chatMessages``."""
    return is_event_stream(head) or _is_old_history(head)


def read(source: BinaryIO) -> Iterator[Event | NoConversation]:
    """The events of the session, in the order of the file."""
    if _is_old_history(peek(source)):
        return _old_history(source)
    return read_events(source)


def line_reader(head: bytes) -> LineReader | None:
    """The reader of an event stream."""
    return None if _is_old_history(head) else stream_reader()


def _is_old_history(head: bytes) -> bool:
    return begins_object(head) and all(key.search(head) for key in _OLD_KEYS)


def _old_history(source: BinaryIO) -> Iterator[Event | NoConversation]:
    try:
        session = dict_of(load_json(source.read()))
    except ValueError as error:
        raise NotUnderstood("transcript is not JSON") from error
    facts = {"session_id": "sessionId", "started": "startTime", "model": "selectedModel"}
    yield from (Meta(name, value) for name, key in facts.items() if (value := text_of(session.get(key))))
    spoken = False
    called: set[str] = set()
    # ``chatMessages`` tells the same once more, with reminders injected into every prompt.
    for row in list_of(session.get("timeline")):
        for event in _row_events(dict_of(row)):
            spoken = spoken or not isinstance(event, Skipped)
            if isinstance(event, ToolCall):
                if event.id in called:  # first requested, then completed
                    continue
                called.add(event.id)
            yield event
    if not spoken:
        yield NoConversation("no prompt and no answer in it")


def _row_events(row: Record) -> Iterator[Event]:
    kind = text_of(row.get("type"))
    handler = _ROWS.get(kind)
    if handler is not None:
        yield from handler(row, text_of(row.get("id")), text_of(row.get("timestamp")))
    elif kind not in _TIMELINE_NOISE:
        yield Skipped(f"unknown record type '{kind}'", 0)


def _user_row(row: Record, key: str, at: str) -> Iterator[Event]:
    words = text_of(row.get("text"))
    if words.strip():
        yield UserWords(key, at, words, origin_of(words))


def _copilot_row(row: Record, key: str, at: str) -> Iterator[Event]:
    text = text_of(row.get("text"))
    if text.strip():
        yield AgentText(key, at, text)


def _requested_row(row: Record, key: str, at: str) -> Iterator[Event]:
    tool, arguments = text_of(row.get("name")), parsed_arguments(row.get("arguments"))
    call_id = text_of(row.get("callId")) or key
    yield ToolCall(key, at, call_id, tool, arguments, edits_of(tool, arguments), command_of(tool, arguments))


def _completed_row(row: Record, key: str, at: str) -> Iterator[Event]:
    yield from _requested_row(row, key, at)
    tool, result = text_of(row.get("name")), dict_of(row.get("result"))
    text = text_of(result.get("log"))
    outcome, code = outcome_of_shell(tool, text, RESULT_TYPES.get(text_of(result.get("type")), "unknown"))
    yield ToolResult(text_of(row.get("callId")) or key, at, text, outcome, exit_code=code)
    if words := answer_of(tool, text) or refusal_reason(text):
        yield UserWords(key, at, words, "answer")


_ROWS: Mapping[str, Callable[[Record, str, str], Iterator[Any]]] = {
    "user": _user_row,
    "copilot": _copilot_row,
    "tool_call_requested": _requested_row,
    "tool_call_completed": _completed_row,
}
