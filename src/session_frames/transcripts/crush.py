"""Crush: a database of SQLite in the work tree.

Written from what Crush's own source says of its tables and of the parts of a message; no recorded database was at hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from glob import escape
from typing import Any, BinaryIO

from session_frames.transcripts.base import (
    AgentText,
    Begins,
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
    text_of,
)
from session_frames.transcripts.edit_shapes import (
    Shapes,
    at_of,
    edits_by,
    looked_at,
    replaced,
    replaced_each,
    written,
)
from session_frames.transcripts.heads import origin_of
from session_frames.transcripts.sqlite_bytes import WAL_SUFFIX, Database, declares, json_of, read_database, wal_of
from session_frames.transcripts.tool_edits import parsed_arguments

NAME = "crush"

_TABLES = {"sessions": ("parent_session_id", "title"), "messages": ("session_id", "role", "parts")}
_SHELL_TOOL = "bash"
_SHAPES: Shapes = {
    "view": looked_at,
    "write": written,
    "edit": replaced,
    "multiedit": replaced_each,
}
# Parts that are no words: how an answer ended, and attachments.
_SILENT = frozenset({"finish", "image_url", "binary"})


def find(home: str, environ: Mapping[str, str]) -> list[str]:
    """The database in the work tree, and the one below ``$XDG_DATA_HOME/crush`` or ``~/.local/share/crush``."""
    data = escape(environ.get("XDG_DATA_HOME") or f"{home}/.local/share")
    return ["{top}/.crush/crush.db", f"{data}/crush/crush.db"]


def companions(path: str) -> list[str]:
    """The write-ahead log of the database."""
    return [escape(path + WAL_SUFFIX)]


def sniff(head: bytes) -> bool:
    """A database with tables of sessions and of messages in parts."""
    return declares(head, _TABLES)


def read(source: BinaryIO, companions: Iterable[tuple[str, bytes]] = ()) -> Iterator[Event | Begins | NoConversation]:
    """The events of each session of a person, the one that was touched last at the end."""
    return read_database(source, wal_of(companions), "Crush", _sessions)


def _sessions(database: Database) -> Iterator[Event | Begins | NoConversation]:
    told = False
    for session in database.rows("sessions", order="updated_at, rowid"):
        if text_of(session.get("parent_session_id")):  # a sub-agent's, or one that only finds a title
            continue
        messages = list(database.rows("messages", "session_id = ?", session.get("id"), order="created_at, rowid"))
        if messages:
            told = True
            yield Begins(text_of(session.get("id")))
            yield from _session_events(session, messages)
    if not told:
        yield NoConversation("no session with messages in it")


def _session_events(session: Record, messages: list[Record]) -> Iterator[Event | NoConversation]:
    found = {
        "session_id": text_of(session.get("id")),
        "started": at_of(session.get("created_at")),
        "title": text_of(session.get("title")),
    }
    yield from (Meta(name, value) for name, value in found.items() if value)
    spoken, model = False, ""
    for message in messages:
        named = text_of(message.get("model"))
        if named and named != model and message.get("role") == "assistant":
            model = named
            yield Meta("model", named)
        for event in _message_events(message):
            spoken = spoken or isinstance(event, UserWords | AgentText | ToolCall)
            yield event
    usage = Usage(
        "",
        input=int_of(session.get("prompt_tokens")),
        output=int_of(session.get("completion_tokens")),
        total=True,
    )
    if usage.input or usage.output:
        yield usage
    if not spoken:
        yield NoConversation("no prompt and no answer in it")


def _message_events(message: Record) -> Iterator[Event]:
    key, role, at = text_of(message.get("id")), text_of(message.get("role")), at_of(message.get("created_at"))
    parts = [(text_of(part.get("type")), dict_of(part.get("data"))) for part in _parts(message)]
    if role == "user":
        yield from _prompt(key, at, parts)
        return
    if message.get("is_summary_message") == 1:
        yield Summary(key, at, _joined(parts))
        return
    for kind, data in parts:
        teller = _PARTS.get(kind)
        if teller is not None:
            yield from teller(key, at, data)
        elif kind not in _SILENT:
            yield Skipped(f"unknown part type '{kind}'", 0)


def _parts(message: Record) -> Iterator[Record]:
    yield from map(dict_of, list_of(json_of(message.get("parts"))))


def _joined(parts: list[tuple[str, Record]]) -> str:
    return joined_texts(text_of(data.get("text")) for kind, data in parts if kind == "text")


def _prompt(key: str, at: str, parts: list[tuple[str, Record]]) -> Iterator[Event]:
    """A prompt; a text that the program wrote in the person's name is hidden."""
    words = _joined([(kind, data) for kind, data in parts if data.get("hidden") is not True])
    if words.strip():
        yield UserWords(key, at, words, origin_of(words))


def _text(key: str, at: str, data: Record) -> Iterator[Event]:
    text = text_of(data.get("text"))
    if text.strip():
        yield AgentText(key, at, text)


def _thought(key: str, at: str, data: Record) -> Iterator[Event]:
    text = text_of(data.get("thinking"))
    if text.strip():
        yield Reasoning(key, at_of(data.get("started_at")) or at, text)


def _call(key: str, at: str, data: Record) -> Iterator[Event]:
    tool, arguments = text_of(data.get("name")), parsed_arguments(data.get("input"))
    command = text_of(dict_of(arguments).get("command")) if tool == _SHELL_TOOL else ""
    yield ToolCall(key, at, text_of(data.get("id")), tool, arguments, edits_by(_SHAPES, tool, arguments), command)


def _result(key: str, at: str, data: Record) -> Iterator[Event]:
    """The answer to a call; what ``metadata`` holds is the text of an object."""
    metadata = dict_of(json_of(data.get("metadata")))
    code: Any = metadata.get("exit_code")
    code = code if isinstance(code, int) and not isinstance(code, bool) else None
    failed = data.get("is_error") is True or bool(code)
    text = text_of(data.get("content"))
    kind = "" if text else text_of(data.get("mime_type"))
    yield ToolResult(
        text_of(data.get("tool_call_id")), at, text, "failed" if failed else "passed", exit_code=code, kind=kind
    )


_PARTS: Mapping[str, Callable[[str, str, Record], Iterator[Event]]] = {
    "text": _text,
    "reasoning": _thought,
    "tool_call": _call,
    "tool_result": _result,
}
