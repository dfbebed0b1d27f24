"""What Cline or Roo showed on the screen (``ui_messages.json``): the words as they were typed, with their times."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from session_frames.transcripts.base import (
    AgentText,
    Edit,
    Event,
    Meta,
    Reasoning,
    Record,
    ToolCall,
    ToolResult,
    Usage,
    UserWords,
    dict_of,
    int_of,
    list_of,
    text_of,
)
from session_frames.transcripts.edit_shapes import Shapes, added_by_diff, at_of, edits_by, looked_at, removed, written
from session_frames.transcripts.edits import added_by_writing
from session_frames.transcripts.heads import origin_of
from session_frames.transcripts.sqlite_bytes import json_of


def _diffed(arguments: Record) -> tuple[Edit, ...]:
    """A change as it was shown: a diff, or the lines alone."""
    path, diff = text_of(arguments.get("path")), text_of(arguments.get("diff"))
    return (Edit(path, "modified", added=added_by_diff(diff)),) if path else ()


def _inserted(arguments: Record) -> tuple[Edit, ...]:
    path = text_of(arguments.get("path"))
    return (Edit(path, "modified", added=added_by_writing(text_of(arguments.get("content")))),) if path else ()


_SHAPES: Shapes = {
    "newFileCreated": written,
    "editedExistingFile": _diffed,
    "appliedDiff": _diffed,
    "insertContent": _inserted,
    "fileDeleted": removed,
    "readFile": looked_at,
}


def rows_of(document: Any) -> list[Record]:
    """The rows of the screen that are complete."""
    rows = [dict_of(row) for row in list_of(document)]
    return [row for row in rows if row.get("partial") is not True]


def is_screen(document: Any) -> bool:
    """Are these the rows of a screen, and not messages to a model?"""
    first = dict_of(next(iter(list_of(document)), None))
    return "ts" in first and text_of(first.get("type")) in ("say", "ask")


def words_of(rows: list[Record]) -> list[UserWords]:
    """What the person typed: the task, which comes first, and all that followed."""
    words: list[UserWords] = []
    for number, row in enumerate(rows):
        text = text_of(row.get("text"))
        is_task = row.get("say") == "task" or (row.get("say") == "text" and number == 0)
        if text.strip() and (is_task or row.get("say") == "user_feedback"):
            words.append(UserWords(f"s{number}", at_of(row.get("ts")), text, origin_of(text)))
    return words


def tell_screen(rows: list[Record]) -> Iterator[Event]:
    """The events of a screen whose messages to the model are gone."""
    typed = {word.key: word for word in words_of(rows)}
    running, model = "", ""
    for number, row in enumerate(rows):
        key, at, text = f"s{number}", at_of(row.get("ts")), text_of(row.get("text"))
        named = text_of(dict_of(row.get("modelInfo")).get("modelId"))
        if named and named != model:
            model = named
            yield Meta("model", named)
        if key in typed:
            yield typed[key]
            continue
        kind = text_of(row.get("say")) or text_of(row.get("ask"))
        if kind == "command_output" and running:
            yield ToolResult(running, at, text)
            running = ""
        elif kind == "command":
            running = key
            yield ToolCall(key, at, key, "execute_command", {"command": text}, (), text)
        elif kind in _ROWS:
            yield from _ROWS[kind](key, at, text)


def _text(key: str, at: str, text: str) -> Iterator[Event]:
    if text.strip():
        yield AgentText(key, at, text)


def _thought(key: str, at: str, text: str) -> Iterator[Event]:
    if text.strip():
        yield Reasoning(key, at, text)


def _question(key: str, at: str, text: str) -> Iterator[Event]:
    asked = dict_of(json_of(text))
    yield from _text(key, at, text_of(asked.get("question")) or text_of(asked.get("response")) or text)


def _tool(key: str, at: str, text: str) -> Iterator[Event]:
    call = dict_of(json_of(text))
    tool = text_of(call.get("tool"))
    arguments = {name: value for name, value in call.items() if name != "tool"}
    if tool:
        yield ToolCall(key, at, key, tool, arguments, edits_by(_SHAPES, tool, arguments))
        yield ToolResult(key, at, "")


def _request(key: str, at: str, text: str) -> Iterator[Event]:
    counted = dict_of(json_of(text))
    counts = [int_of(counted.get(name)) for name in ("tokensIn", "tokensOut", "cacheReads", "cacheWrites")]
    if any(counts):
        yield Usage(key, input=counts[0], output=counts[1], cache_read=counts[2], cache_write=counts[3])


_ROWS: Mapping[str, Callable[[str, str, str], Iterator[Event]]] = {
    "text": _text,
    "completion_result": _text,
    "reasoning": _thought,
    "followup": _question,
    "plan_mode_respond": _question,
    "tool": _tool,
    "api_req_started": _request,
}
