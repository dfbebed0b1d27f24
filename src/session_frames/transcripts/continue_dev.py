"""Continue: one JSON document a session, from the editor or the command line. The file holds no times."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from glob import escape
from typing import Any, BinaryIO
from urllib.parse import unquote

from session_frames.errors import NotUnderstood
from session_frames.model import CallOutcome
from session_frames.transcripts.base import (
    AgentText,
    Event,
    Meta,
    NoConversation,
    Reasoning,
    Record,
    Skipped,
    Summary,
    ToolCall,
    ToolResult,
    Usage,
    UserWords,
    dict_of,
    int_of,
    joined_texts,
    list_of,
    load_json,
    text_of,
)
from session_frames.transcripts.edit_shapes import (
    Shapes,
    changed,
    edits_by,
    looked_at,
    replaced,
    replaced_each,
    written,
)
from session_frames.transcripts.heads import begins_object, json_key, origin_of
from session_frames.transcripts.tool_edits import parsed_arguments

NAME = "continue"

_KEYS = (json_key("sessionId"), json_key("workspaceDirectory"), json_key("history", r"\["))

_SHELL_TOOLS = frozenset({"run_terminal_command", "builtin_run_terminal_command", "Bash"})
_OUTCOMES: Mapping[str, CallOutcome] = {"done": "passed", "errored": "failed", "canceled": "failed"}


_SHAPES: Shapes = {
    "read_file": looked_at,
    "read_file_range": looked_at,
    "Read": looked_at,
    "create_new_file": written,
    "Write": written,
    "edit_existing_file": changed,  # a sketch that leaves out what stays
    "single_find_and_replace": replaced,
    "Edit": replaced,
    "multi_edit": replaced_each,
    "MultiEdit": replaced_each,
}

# "/c:/work", the path of a URI of Windows.
_DRIVE = re.compile(r"/(?=[A-Za-z]:)")
_URI = re.compile(r"([a-z][a-z0-9+.-]+)://([^/]*)(.*)", re.DOTALL)


def find(home: str, environ: Mapping[str, str]) -> list[str]:
    """The places of session files below ``$CONTINUE_GLOBAL_DIR`` or ``~/.continue``; the list beside them is none."""
    root = escape(environ.get("CONTINUE_GLOBAL_DIR") or f"{home}/.continue")
    return [f"{root}/sessions/*-*.json"]


def sniff(head: bytes) -> bool:
    """A document with the id of a session, its workspace and a history."""
    return begins_object(head) and all(key.search(head) for key in _KEYS)


def read(source: BinaryIO) -> Iterator[Event | NoConversation]:
    """The events of the session, in the order of its history."""
    try:
        session = dict_of(load_json(source.read()))
    except ValueError as error:
        raise NotUnderstood("transcript is not JSON") from error
    found = {
        "session_id": text_of(session.get("sessionId")),
        "title": text_of(session.get("title")),
        "cwd": directory_of(text_of(session.get("workspaceDirectory"))),
        "model": text_of(session.get("chatModelTitle")),
    }
    yield from (Meta(name, value) for name, value in found.items() if value)
    spoken = False
    for number, entry in enumerate(list_of(session.get("history"))):
        for event in _entry_events(f"h{number}", dict_of(entry)):
            spoken = spoken or isinstance(event, UserWords | AgentText | ToolCall)
            yield event
    yield from _usage(dict_of(session.get("usage")))
    if not spoken:
        yield NoConversation("no prompt and no answer in it")


def directory_of(value: str) -> str:
    """A path, or the path of a ``file:`` or editor URI."""
    found = _URI.fullmatch(value)
    return _DRIVE.sub("", unquote(found[3]), count=1) if found else value


def _entry_events(number: str, entry: Record) -> Iterator[Event]:
    message = dict_of(entry.get("message"))
    key, role = text_of(message.get("id")) or number, text_of(message.get("role"))
    text = _text_of(message.get("content"))
    if role == "user":
        if text.strip():
            yield UserWords(key, "", text, origin_of(text))
    elif role == "thinking":
        if text.strip():
            yield Reasoning(key, "", text)
    elif role == "assistant":
        yield from _assistant(key, text, entry, message)
    elif role not in ("tool", "system"):  # what a tool answered stands in its call; the program's own words
        yield Skipped(f"unknown role '{role}'", 0)
    summary = text_of(entry.get("conversationSummary"))
    if summary.strip():
        yield Summary(key, "", summary)


def _assistant(key: str, text: str, entry: Record, message: Record) -> Iterator[Event]:
    thought = text_of(dict_of(entry.get("reasoning")).get("text"))
    if thought.strip():
        yield Reasoning(key, "", thought)
    if text.strip():
        yield AgentText(key, "", text)
    states = [dict_of(state) for state in list_of(entry.get("toolCallStates")) or [entry.get("toolCallState")]]
    known = {_call_id(state, dict_of(state.get("toolCall"))) for state in states}
    calls = (dict_of(call) for call in list_of(message.get("toolCalls")))
    states += [{"toolCall": call} for call in calls if text_of(call.get("id")) not in known]
    for number, state in enumerate(state for state in states if dict_of(state.get("toolCall"))):
        yield from _call(key, f"{key}:{number}", state)


def _call_id(state: Record, call: Record) -> str:
    return text_of(state.get("toolCallId")) or text_of(call.get("id"))


def _call(key: str, made_up: str, state: Record) -> Iterator[Event]:
    call = dict_of(state.get("toolCall"))
    function = dict_of(call.get("function"))
    call_id, tool = _call_id(state, call) or made_up, text_of(function.get("name"))
    arguments = dict_of(state.get("parsedArgs")) or parsed_arguments(function.get("arguments"))
    command = text_of(dict_of(arguments).get("command")) if tool in _SHELL_TOOLS else ""
    yield ToolCall(key, "", call_id, tool, arguments, edits_by(_SHAPES, tool, arguments), command)
    outcome = _OUTCOMES.get(text_of(state.get("status")))
    if outcome is not None:
        output = (text_of(dict_of(item).get("content")) for item in list_of(state.get("output")))
        yield ToolResult(call_id, "", joined_texts(output), outcome)


def _text_of(content: Any) -> str:
    """The text of a message: a string, or parts of which some are texts."""
    if isinstance(content, str):
        return content
    return joined_texts(text_of(dict_of(part).get("text")) for part in list_of(content))


def _usage(usage: Record) -> Iterator[Event]:
    details = dict_of(usage.get("promptTokensDetails"))
    told = Usage(
        "",
        input=int_of(usage.get("promptTokens")),
        output=int_of(usage.get("completionTokens")),
        cache_read=int_of(details.get("cachedTokens")),
        cache_write=int_of(details.get("cacheWriteTokens")),
        total=True,
    )
    if any(told[1:5]):
        yield told
