"""Lists of chat messages: how they are found in a file, and what their messages have in common.

A file is one JSON document, a list or ``{"messages": […]}``, or has such an object on each line: each is a session.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, NamedTuple

from session_frames.errors import NotUnderstood
from session_frames.transcripts.base import (
    Begins,
    Event,
    Meta,
    NoConversation,
    Record,
    Skipped,
    ToolCall,
    dict_of,
    joined_texts,
    list_of,
    load_json,
    text_of,
)
from session_frames.transcripts.tool_edits import command_of, edits_of, parsed_arguments

# What may stand beside the messages in a document that is nothing but a talk: the fields of a request.
REQUEST_KEYS = frozenset(
    "messages model system tools tool_choice functions parallel_tool_calls temperature top_p top_k max_tokens "
    "max_completion_tokens stop stop_sequences stream response_format reasoning_effort thinking seed user n "
    "metadata".split()
)


# What a document may tell of its session beside the messages.
FACTS = ("session_id", "cwd", "branch", "base")


class Head(NamedTuple):
    """What the beginning of a file shows: the keys beside the messages, and the first whole messages."""

    keys: frozenset[str]
    messages: list[Any]


def head_of(head: bytes) -> Head | None:
    """The first messages of a file that begins like this, None where there is no list of them."""
    text = head.decode("utf-8-sig", "ignore").lstrip()
    keys: set[str] = set()
    place = 1 if text.startswith("[") else _list_in_object(text, keys)
    return Head(frozenset(keys), list(_elements(text, place))) if place else None


def _list_in_object(text: str, keys: set[str]) -> int:
    """Where the list of ``messages`` begins in an object, 0 where it does not come within this text."""
    if not text.startswith("{"):
        return 0
    decoder, place = json.JSONDecoder(), 1
    try:
        while True:
            key, place = decoder.raw_decode(text, _next(text, place, ","))
            place = _next(text, place, ":")
            keys.add(key)
            if key == "messages":
                return place + 1 if text.startswith("[", place) else 0
            _, place = decoder.raw_decode(text, place)
    except (ValueError, TypeError, RecursionError):
        return 0


def _elements(text: str, place: int) -> Iterator[Any]:
    decoder = json.JSONDecoder()
    try:
        while True:
            value, place = decoder.raw_decode(text, _next(text, place, ","))
            yield value
    except (ValueError, RecursionError):
        return


def _next(text: str, place: int, separator: str) -> int:
    """The place of the next value, behind blanks and one separator."""
    while place < len(text) and text[place] in " \t\r\n" + separator:
        place += 1
    return place


def lists_of_messages(source: BinaryIO) -> Iterator[tuple[Record, list[Any]] | Skipped]:
    """Each list of the file with the object that holds it ({} for a bare list)."""
    data = source.read()
    try:
        yield _held(load_json(data))
        return
    except ValueError:
        pass
    found = False
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            held = _held(load_json(line))
        except ValueError:
            yield Skipped("not JSON", number)
            continue
        found = True
        yield held
    if not found:
        raise NotUnderstood("transcript is neither JSON nor JSON Lines")


def _held(value: Any) -> tuple[Record, list[Any]]:
    return dict_of(value), list_of(value) or list_of(dict_of(value).get("messages"))


def read_lists(
    source: BinaryIO, tell: Callable[[list[Any]], Iterator[Event]]
) -> Iterator[Event | Begins | NoConversation]:
    """The events of each list of the file, told by ``tell``; a bare list needs no beginning."""
    spoken = False
    for held in lists_of_messages(source):
        if isinstance(held, Skipped):
            yield held
            continue
        document, messages = held
        yield Begins()
        for fact in ("model", *FACTS):
            if told := text_of(document.get(fact)):
                yield Meta(fact, told)
        for event in tell(messages):
            spoken = spoken or not isinstance(event, Skipped | Meta)
            yield event
    if not spoken:
        yield NoConversation("no prompt and no answer in it")


def block_texts(content: Any, kinds: tuple[str, ...] = ("text", "input_text", "output_text")) -> str:
    """The text of a content: a string, or the text blocks joined by a line break."""
    if isinstance(content, str):
        return content
    blocks = (block if isinstance(block, dict) else {"type": "text", "text": block} for block in list_of(content))
    return joined_texts(text_of(block.get("text")) for block in blocks if block.get("type") in kinds)


def call_of(call_id: str, tool: str, arguments: Any) -> ToolCall:
    """A call, with what is known of its tool."""
    parsed = parsed_arguments(arguments)
    return ToolCall("", "", call_id, tool, parsed, edits_of(tool, parsed), command_of(tool, parsed))
