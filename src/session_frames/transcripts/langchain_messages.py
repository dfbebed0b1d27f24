"""Messages of LangChain, dumped: ``{"type", "data"}`` of a message history, or ``{"lc", "id", "kwargs"}`` of a dump."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from session_frames.transcripts.base import (
    AgentText,
    Begins,
    Event,
    Meta,
    NoConversation,
    Record,
    Skipped,
    ToolResult,
    Usage,
    UserWords,
    dict_of,
    int_of,
    list_of,
    text_of,
)
from session_frames.transcripts.chat_messages import block_texts, call_of, head_of, read_lists
from session_frames.transcripts.heads import origin_of

NAME = "langchain"
FOLDER = "messages"  # in the private area: the histories that a program keeps there
RECORDED = False  # written after the makers' description; no file of somebody's session was at hand

_QUIET_TYPES = frozenset({"system", "remove", "developer"})
_TYPES = frozenset({"human", "ai", "tool", "function", "chat", *_QUIET_TYPES})
# A message of free role, and what it is then.
_CHAT_ROLES = {"user": "human", "human": "human", "assistant": "ai", "ai": "ai"}


def find(home: str, environ: Mapping[str, str]) -> list[str]:
    """A program keeps them where it likes; those of the message histories lie in the private area."""
    return [f"{{top}}/.git/frames/{FOLDER}/*.json"]


def sniff(head: bytes) -> bool:
    """A list whose messages all have one of the two forms."""
    found = head_of(head)
    return found is not None and bool(found.messages) and all(_unpacked(one) for one in found.messages)


def _unpacked(message: Any) -> tuple[str, Record] | None:
    """The type of a message and its fields, None for what is no message of either form."""
    record = dict_of(message)
    dumped = dict_of(record.get("kwargs")) if record.get("lc") == 1 else {}
    kind = (text_of(list_of(record.get("id"))[-1:][0]) if dumped and list_of(record.get("id")) else "") or text_of(
        record.get("type")
    )
    fields = dumped or dict_of(record.get("data"))
    kind = kind.removesuffix("Chunk").removesuffix("Message").lower()
    return (kind, fields) if kind in _TYPES and "content" in fields else None


def read(source: BinaryIO) -> Iterator[Event | Begins | NoConversation]:
    """The events of each list of messages."""
    return read_lists(source, _tell)


def _tell(messages: list[Any]) -> Iterator[Event]:
    model = ""
    for message in messages:
        unpacked = _unpacked(message)
        if unpacked is None:
            yield Skipped("not a message", 0)
            continue
        kind, fields = unpacked
        at = text_of(message.get("at"))
        kind = _CHAT_ROLES.get(text_of(fields.get("role")).lower(), "system") if kind == "chat" else kind
        text = block_texts(fields.get("content"))
        if kind == "human":
            if text.strip():
                yield UserWords("", at, text, origin_of(text))
        elif kind == "ai":
            metadata = dict_of(fields.get("response_metadata"))
            named = text_of(metadata.get("model_name")) or text_of(metadata.get("model"))
            if named and named != model:
                model = named
                yield Meta("model", model)
            yield from _answer(fields, text, at)
        elif kind in ("tool", "function"):
            outcome = "failed" if fields.get("status") == "error" else "unknown"
            yield ToolResult(text_of(fields.get("tool_call_id")), at, text, outcome)  # type: ignore[arg-type]


def _answer(fields: Record, text: str, at: str) -> Iterator[Event]:
    if text:
        yield AgentText("", at, text)
    calls = list_of(fields.get("tool_calls"))
    for call in map(dict_of, calls):
        yield call_of(text_of(call.get("id")), text_of(call.get("name")), call.get("args"))._replace(at=at)
    for call in [] if calls else map(dict_of, list_of(dict_of(fields.get("additional_kwargs")).get("tool_calls"))):
        function = dict_of(call.get("function"))
        yield call_of(text_of(call.get("id")), text_of(function.get("name")), function.get("arguments"))
    counts = dict_of(fields.get("usage_metadata"))
    if counts:
        details = dict_of(counts.get("input_token_details"))
        read, written = int_of(details.get("cache_read")), int_of(details.get("cache_creation"))
        fresh = max(int_of(counts.get("input_tokens")) - read - written, 0)
        yield Usage(text_of(fields.get("id")), fresh, int_of(counts.get("output_tokens")), read, written)
