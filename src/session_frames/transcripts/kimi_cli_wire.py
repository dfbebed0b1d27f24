"""The log of Kimi CLI, before Kimi Code: ``{"timestamp": seconds, "message": {"type": ..., "payload": {...}}}``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from session_frames.transcripts.base import (
    AgentText,
    Event,
    Line,
    Reasoning,
    Record,
    Skipped,
    Usage,
    UserWords,
    dict_of,
    int_of,
    text_of,
)
from session_frames.transcripts.heads import origin_of
from session_frames.transcripts.kimi_calls import Calls, part_texts
from session_frames.transcripts.moments import iso_of_seconds

# Messages that only drive the screen.
_IGNORED_TYPES = frozenset(
    {
        "TurnEnd",
        "StepBegin",
        "StepInterrupted",
        "CompactionBegin",
        "CompactionEnd",
        "MCPLoadingBegin",
        "MCPLoadingEnd",
        "ToolCallPart",
        "ToolCallRequest",
        "ApprovalRequest",
        "ApprovalRequestResolved",
        "ApprovalResponse",
        "QuestionRequest",
        "SubagentEvent",
        "Notification",
        "PlanDisplay",
    }
)


def is_cli_record(record: Record) -> bool:
    """Is this a record of the older log?"""
    message = dict_of(record.get("message"))
    return "timestamp" in record and isinstance(message.get("payload"), dict) and bool(text_of(message.get("type")))


class CliWire:
    """Tells the records of the older log."""

    def __init__(self) -> None:
        self._calls = Calls()
        self._types: Mapping[str, Callable[[Record, str], Iterator[Event]]] = {
            "TurnBegin": self._turn_begin,
            "SteerInput": self._steer_input,
            "ContentPart": self._content_part,
            "ToolCall": self._tool_call,
            "ToolResult": self._tool_result,
            "StatusUpdate": self._status_update,
        }

    def events(self, line: Line) -> Iterator[Event]:
        """The events of one record."""
        message = dict_of(line.record.get("message"))
        kind, at = text_of(message.get("type")), iso_of_seconds(line.record.get("timestamp"))
        handler = self._types.get(kind)
        if handler is not None:
            yield from handler(dict_of(message.get("payload")), at)
        elif kind not in _IGNORED_TYPES:
            yield Skipped(f"unknown record type '{kind}'", line.number)

    def _turn_begin(self, payload: Record, at: str) -> Iterator[Event]:
        words = part_texts(payload.get("user_input"))
        if words.strip():
            yield UserWords("", at, words, origin_of(words))

    def _steer_input(self, payload: Record, at: str) -> Iterator[Event]:
        words = part_texts(payload.get("user_input"))
        if words.strip():
            yield UserWords("", at, words, "queued")

    def _content_part(self, payload: Record, at: str) -> Iterator[Event]:
        text, thought = text_of(payload.get("text")), text_of(payload.get("think"))
        if payload.get("type") == "text" and text.strip():
            yield AgentText("", at, text)
        elif payload.get("type") == "think" and thought.strip():
            yield Reasoning("", at, thought)

    def _tool_call(self, payload: Record, at: str) -> Iterator[Event]:
        function = dict_of(payload.get("function"))
        name, arguments = text_of(function.get("name")), function.get("arguments")
        return self._calls.asked("", at, text_of(payload.get("id")), name, arguments)

    def _tool_result(self, payload: Record, at: str) -> Iterator[Event]:
        value = dict_of(payload.get("return_value"))
        output = value.get("output") or value.get("message")
        return self._calls.answered(text_of(payload.get("tool_call_id")), at, output, value.get("is_error") is True)

    def _status_update(self, payload: Record, at: str) -> Iterator[Event]:
        usage = dict_of(payload.get("token_usage"))
        names = ("input_other", "output", "input_cache_read", "input_cache_creation")
        counts = [int_of(usage.get(name)) for name in names]
        if any(counts):
            yield Usage(text_of(payload.get("message_id")) or at, counts[0], counts[1], counts[2], counts[3])
