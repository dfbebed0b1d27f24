"""Chat messages as OpenAI's chat completions have them: ``role``, ``content``, ``tool_calls`` and the role ``tool``."""

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

NAME = "openai-messages"
RECORDED = False  # written after the makers' description; no file of somebody's session was at hand

_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
_KEYS = frozenset(
    "role content name tool_calls tool_call_id function_call refusal audio annotations reasoning_content".split()
)
# Blocks of a content; those of other interfaces are not among them.
_BLOCKS = frozenset({"text", "image_url", "input_audio", "file", "refusal"})


def find(home: str, environ: Mapping[str, str]) -> list[str]:
    """No agent keeps its sessions so; they come as files."""
    return []


def sniff(head: bytes) -> bool:
    """Nothing but messages of these roles, keys and blocks, somebody's words among them."""
    found = head_of(head)
    if found is None or not found.messages or not found.keys <= REQUEST_KEYS:
        return False
    messages = [dict_of(message) for message in found.messages]
    return all(map(_is_message, messages)) and any(message["role"] in ("user", "assistant") for message in messages)


def _is_message(message: Record) -> bool:
    kinds = {dict_of(block).get("type") for block in list_of(message.get("content"))}
    return message.get("role") in _ROLES and message.keys() <= _KEYS and kinds <= _BLOCKS


def read(source: BinaryIO) -> Iterator[Event | Begins | NoConversation]:
    """The events of each list of messages."""
    return read_lists(source, _tell)


def _tell(messages: list[Any]) -> Iterator[Event]:
    asked = ""  # the last call of the old form, which had no ids
    for number, message in enumerate(map(dict_of, messages), 1):
        role, text = text_of(message.get("role")), block_texts(message.get("content"))
        if role == "user":
            if text.strip():
                yield UserWords("", "", text, origin_of(text))
        elif role == "assistant":
            yield from _answer(message, text)
            old = dict_of(message.get("function_call"))
            if old:
                asked = f"call:{number}"
                yield call_of(asked, text_of(old.get("name")), old.get("arguments"))
        elif role in ("tool", "function"):
            yield ToolResult(text_of(message.get("tool_call_id")) or asked, "", text)
        elif role not in _ROLES:
            yield Skipped(f"unknown role '{role}'", 0)


def _answer(message: Record, text: str) -> Iterator[Event]:
    if thinking := text_of(message.get("reasoning_content")):
        yield Reasoning("", "", thinking)
    if said := text or text_of(message.get("refusal")):
        yield AgentText("", "", said)
    for call in map(dict_of, list_of(message.get("tool_calls"))):
        function = dict_of(call.get("function")) or dict_of(call.get("custom"))
        arguments = function.get("arguments", function.get("input"))
        yield call_of(text_of(call.get("id")), text_of(function.get("name")), arguments)
