"""Chat messages as Anthropic's messages interface has them: two roles, and contents made of blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from session_frames.transcripts.base import (
    AgentText,
    Begins,
    Event,
    NoConversation,
    Reasoning,
    Record,
    Skipped,
    ToolResult,
    UserWords,
    dict_of,
    list_of,
    text_of,
)
from session_frames.transcripts.chat_messages import REQUEST_KEYS, block_texts, call_of, head_of, read_lists
from session_frames.transcripts.heads import origin_of

NAME = "anthropic-messages"
RECORDED = False  # written after the makers' description; no file of somebody's session was at hand

_ROLES = frozenset({"user", "assistant"})
_KEYS = frozenset("role content id type model stop_reason stop_sequence usage container".split())
_BLOCKS = frozenset(
    "text image document search_result thinking redacted_thinking tool_use tool_result server_tool_use "
    "web_search_tool_result code_execution_tool_result mcp_tool_use mcp_tool_result".split()
)
_CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
_QUIET_BLOCKS = frozenset({"image", "document", "search_result", "redacted_thinking"})


def find(home: str, environ: Mapping[str, str]) -> list[str]:
    """No agent keeps its sessions so; they come as files."""
    return []


def sniff(head: bytes) -> bool:
    """Nothing but messages of these roles, keys and blocks, with blocks in an answer or results of tools."""
    found = head_of(head)
    if found is None or not found.messages or not found.keys <= REQUEST_KEYS:
        return False
    messages = [dict_of(message) for message in found.messages]
    return all(map(_is_message, messages)) and ("system" in found.keys or any(map(_has_blocks, messages)))


def _is_message(message: Record) -> bool:
    kinds = {dict_of(block).get("type") for block in list_of(message.get("content"))}
    return message.get("role") in _ROLES and message.keys() <= _KEYS and kinds <= _BLOCKS


def _has_blocks(message: Record) -> bool:
    kinds = {dict_of(block).get("type") for block in list_of(message.get("content"))}
    return bool(kinds) and (message["role"] == "assistant" or "tool_result" in kinds)


def read(source: BinaryIO) -> Iterator[Event | Begins | NoConversation]:
    """The events of each list of messages."""
    return read_lists(source, _tell)


def _tell(messages: list[Any]) -> Iterator[Event]:
    for message in map(dict_of, messages):
        content, role = message.get("content"), text_of(message.get("role"))
        if role == "assistant":
            blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list_of(content)
            for block in map(dict_of, blocks):
                yield from _block(block)
        elif role == "user":
            for block in map(dict_of, list_of(content)):
                if block.get("type") == "tool_result":
                    yield _result(block)
            if (text := block_texts(content, ("text",))).strip():
                yield UserWords("", "", text, origin_of(text))
        elif role != "system":
            yield Skipped(f"unknown role '{role}'", 0)


def _block(block: Record) -> Iterator[Event]:
    kind = text_of(block.get("type"))
    if kind == "text":
        if text := text_of(block.get("text")):
            yield AgentText("", "", text)
    elif kind == "thinking":
        if text := text_of(block.get("thinking")):
            yield Reasoning("", "", text)
    elif kind in _CALLS:
        yield call_of(text_of(block.get("id")), text_of(block.get("name")), block.get("input"))
    elif kind.endswith("tool_result"):
        yield _result(block)
    elif kind not in _QUIET_BLOCKS:
        yield Skipped(f"unknown block type '{kind}'", 0)


def _result(block: Record) -> ToolResult:
    content = block.get("content")
    text = block_texts(content, ("text",))
    kinds = (dict_of(dict_of(part).get("source")).get("media_type") for part in list_of(content))
    kind = "" if text else next((text_of(kind) for kind in kinds if kind), "")
    failed = block.get("is_error")
    outcome = "failed" if failed is True else "passed" if failed is False else "unknown"
    return ToolResult(text_of(block.get("tool_use_id")), "", text, outcome, kind=kind)  # type: ignore[arg-type]
