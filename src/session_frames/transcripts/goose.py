"""Goose: a database of SQLite, and the logs of JSON Lines that older versions wrote.

Written from what Goose's own source says of its tables and messages; no recorded file was at hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from glob import escape
from typing import Any, BinaryIO

from session_frames.model import CallOutcome
from session_frames.transcripts.base import (
    AgentText,
    Begins,
    Event,
    Meta,
    NoConversation,
    Reasoning,
    Record,
    Skipped,
    ToolCall,
    ToolResult,
    Usage,
    UserWords,
    dict_of,
    int_of,
    iter_lines,
    joined_texts,
    list_of,
    text_of,
)
from session_frames.transcripts.edit_shapes import Shapes, at_of, edits_by, looked_at, replaced, written
from session_frames.transcripts.heads import complete_lines, origin_of, peek
from session_frames.transcripts.sqlite_bytes import (
    WAL_SUFFIX,
    Database,
    declares,
    is_database,
    json_of,
    read_database,
    wal_of,
)

NAME = "goose"

_TABLES = {"sessions": ("working_dir",), "messages": ("session_id", "role", "content_json")}
_FACT_KEYS = {"description", "message_count"}
_MESSAGE_KEYS = {"role", "created", "content"}
# What a message holds beside words, calls and results.
_SILENT = frozenset(
    {
        *("image", "redactedThinking", "toolConfirmationRequest", "actionRequired", "frontendToolRequest"),
        *("systemNotification", "conversationCompacted", "contextLengthExceeded", "summarizationRequested"),
    }
)
# Sessions that no person opened.
_OTHER_SESSIONS: Mapping[str, str] = {
    "sub_agent": "the session of a sub-agent",
    "hidden": "a session that the program hides",
}

_SPOKEN = (UserWords, AgentText, ToolCall)

# "developer__shell": the tool of an extension, and what it does.
_EXTENSION = re.compile(r"\A\w+?__")
_SHELL_TOOL = "shell"
_COMMANDS: Shapes = {"view": looked_at, "write": written, "str_replace": replaced, "insert": replaced}
_SHAPES: Shapes = {
    "text_editor": lambda arguments: edits_by(_COMMANDS, text_of(arguments.get("command")), arguments),
    "write": written,
    "edit": replaced,
}


def find(home: str, environ: Mapping[str, str]) -> list[str]:
    """The places of the database and of logs below ``$XDG_DATA_HOME/goose``, ``~/.local/share/goose`` and macOS's."""
    data = environ.get("XDG_DATA_HOME") or f"{home}/.local/share"
    roots = (f"{data}/goose", f"{home}/Library/Application Support/Block.goose")
    return [f"{escape(root)}/sessions/{name}" for root in roots for name in ("sessions.db", "*.jsonl")]


def companions(path: str) -> list[str]:
    """The write-ahead log of the database."""
    return [escape(path + WAL_SUFFIX)]


def sniff(head: bytes) -> bool:
    """A database with its tables, or lines of which one is a header or a message."""
    return declares(head, _TABLES) or (not is_database(head) and any(map(_is_own_line, complete_lines(head))))


def _is_own_line(record: Record) -> bool:
    if "role" in record:
        is_counted = isinstance(record.get("created"), int) and isinstance(record.get("content"), list)
        return is_counted and record.keys() <= {*_MESSAGE_KEYS, "id", "metadata"}
    return record.keys() >= _FACT_KEYS and "total_tokens" in record


def read(source: BinaryIO, companions: Iterable[tuple[str, bytes]] = ()) -> Iterator[Event | Begins | NoConversation]:
    """The events of each session, the one that was touched last at the end."""
    if is_database(peek(source)):
        return read_database(source, wal_of(companions), "Goose", _sessions)
    return _log(source)


# ---------------------------------------------------------------------------------------------------------------------
# Sessions


def _sessions(database: Database) -> Iterator[Event | Begins | NoConversation]:
    told = False
    for session in database.rows("sessions", order="updated_at, rowid"):
        if text_of(session.get("session_type")) in _OTHER_SESSIONS:
            continue
        rows = database.rows("messages", "session_id = ?", session.get("id"), order="id")
        messages = [(f"m{row.get('id')}", _message_of(row)) for row in rows]
        if messages:
            told = True
            yield Begins(text_of(session.get("id")))
            yield from _facts(session)
            events = [event for key, message in messages for event in _message_events(key, message)]
            yield from events
            yield from _ending(session, any(isinstance(event, _SPOKEN) for event in events))
    if not told:
        yield NoConversation("no session with messages in it")


def _message_of(row: Record) -> Record:
    """The row of a message in the form that it has in a log."""
    return {
        "role": row.get("role"),
        "created": row.get("created_timestamp"),
        "content": json_of(row.get("content_json")),
        "metadata": json_of(row.get("metadata_json")),
    }


def _log(source: BinaryIO) -> Iterator[Event | NoConversation]:
    header: Record = {}
    spoken = False
    for line in iter_lines(source):
        if isinstance(line, Skipped):
            yield line
        elif "role" in line.record:
            for event in _message_events(text_of(line.record.get("id")) or f"l{line.number}", line.record):
                spoken = spoken or isinstance(event, _SPOKEN)
                yield event
        elif not spoken and not header:
            header = line.record
            yield from _facts(header)
        else:
            yield Skipped("record without a role", line.number)
    yield from _ending(header, spoken)


def _facts(session: Record) -> Iterator[Event]:
    model = dict_of(json_of(session.get("model_config_json")))
    found = {
        "session_id": text_of(session.get("id")),
        "started": _utc(text_of(session.get("created_at"))),
        "title": text_of(session.get("name")) or text_of(session.get("description")),
        "cwd": text_of(session.get("working_dir")),
        "model": text_of(model.get("model_name")),
    }
    yield from (Meta(name, value) for name, value in found.items() if value)


def _ending(session: Record, spoken: bool) -> Iterator[Event | NoConversation]:
    """The tokens of the whole session, which are counted once; no conversation where nobody spoke."""
    usage = Usage(
        "",
        input=int_of(session.get("accumulated_input_tokens")),
        output=int_of(session.get("accumulated_output_tokens")),
        total=True,
    )
    if usage.input or usage.output:
        yield usage
    if not spoken:
        yield NoConversation("no prompt and no answer in it")


def _utc(text: str) -> str:
    """The time of a database, which is in UTC without saying so."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return ""
    return at_of(moment.timestamp()) if moment.tzinfo else f"{moment.isoformat(timespec='milliseconds')}Z"


# ---------------------------------------------------------------------------------------------------------------------
# Messages


def _message_events(key: str, message: Record) -> Iterator[Event]:
    role, at = text_of(message.get("role")), at_of(message.get("created"))
    parts = [dict_of(part) for part in list_of(message.get("content"))]
    if role not in ("user", "assistant"):
        yield Skipped(f"unknown role '{role}'", 0)
        return
    # A message that only the model sees is the program's: a summary, or a hint to go on.
    shown = dict_of(message.get("metadata")).get("userVisible") is not False
    words = joined_texts(text_of(part.get("text")) for part in parts if part.get("type") == "text")
    if role == "user" and shown and words.strip():
        yield UserWords(key, at, words, origin_of(words))
    for number, part in enumerate(parts):
        kind, call_id = text_of(part.get("type")), text_of(part.get("id")) or f"{key}:{number}"
        if kind == "text":
            if role == "assistant" and shown and text_of(part.get("text")).strip():
                yield AgentText(key, at, text_of(part.get("text")))
        elif kind == "thinking":
            if text_of(part.get("thinking")).strip():
                yield Reasoning(key, at, text_of(part.get("thinking")))
        elif kind == "toolRequest":
            yield _call(key, at, call_id, dict_of(part.get("toolCall")))
        elif kind == "toolResponse":
            yield _result(at, call_id, dict_of(part.get("toolResult")))
        elif kind not in _SILENT:
            yield Skipped(f"unknown part type '{kind}'", 0)


def _call(key: str, at: str, call_id: str, call: Record) -> Event:
    value = dict_of(call.get("value"))
    tool, arguments = text_of(value.get("name")), value.get("arguments")
    bare = _EXTENSION.sub("", tool)
    command = text_of(dict_of(arguments).get("command")) if bare == _SHELL_TOOL else ""
    return ToolCall(key, at, call_id, tool, arguments, edits_by(_SHAPES, bare, arguments), command)


def _result(at: str, call_id: str, result: Record) -> Event:
    """The answer to a call: contents, which older versions wrote without an object around them."""
    value: Any = result.get("value")
    contents = value if isinstance(value, list) else dict_of(value).get("content")
    failed = result.get("status") == "error" or dict_of(value).get("isError") is True
    outcome: CallOutcome = "failed" if failed else "passed"
    text = joined_texts(_texts(contents)) or text_of(result.get("error"))
    kinds = (text_of(dict_of(part).get("mimeType")) for part in list_of(contents))
    return ToolResult(call_id, at, text, outcome, kind="" if text else next(filter(None, kinds), ""))


def _texts(contents: Any) -> Iterator[str]:
    """The texts meant for the model; the same is often said once more to the person."""
    for part in map(dict_of, list_of(contents)):
        audience = list_of(dict_of(part.get("annotations")).get("audience"))
        if not audience or "assistant" in audience:
            yield text_of(part.get("text")) or text_of(dict_of(part.get("resource")).get("text"))
