"""OpenCode: an exported session, the storage of one file a message and part, and the database of newer versions."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from glob import escape, glob
from typing import Any, BinaryIO

from session_frames.errors import NotUnderstood
from session_frames.transcripts.base import (
    Begins,
    Event,
    Meta,
    NoConversation,
    Record,
    Skipped,
    dict_of,
    list_of,
    load_json,
    text_of,
)
from session_frames.transcripts.heads import HEAD_SIZE, begins_object, json_key, peek
from session_frames.transcripts.opencode_messages import Message, number_of, tell_session, tool_events
from session_frames.transcripts.sqlite_bytes import (
    WAL_SUFFIX,
    Database,
    declares,
    is_database,
    json_of,
    read_database,
    wal_of,
)

NAME = "opencode"

_SESSION_KEYS = (json_key("projectID"), json_key("directory"))
_TABLES = {"message": ("session_id", "data"), "part": ("message_id", "session_id", "data")}
_COLUMNS = {
    "id": "id",
    "parent_id": "parentID",
    "directory": "directory",
    "title": "title",
    "version": "version",
}
_PART_OF_A_SESSION = NoConversation("one part of a session; the file of the session reads them all")


def find(home: str, environ: Mapping[str, str]) -> list[str]:
    """The places of databases and session files below ``$XDG_DATA_HOME/opencode`` or ``~/.local/share/opencode``."""
    return places(home, environ, "opencode")


def places(home: str, environ: Mapping[str, str], program: str) -> list[str]:
    """Where OpenCode, or a program that stores as it does, keeps sessions."""
    root = f"{escape(environ.get('XDG_DATA_HOME') or f'{home}/.local/share')}/{program}"
    return [f"{root}/{program}.db", f"{root}/{program}-*.db", f"{root}/storage/session/*/ses_*.json"]


def companions(path: str) -> list[str]:
    """The write-ahead log of a database; the messages and parts of a session file of the storage."""
    if not path.endswith(".json"):
        return [escape(path + WAL_SUFFIX)]
    session = os.path.basename(path).removesuffix(".json")
    root = escape(os.path.dirname(os.path.dirname(os.path.dirname(path))))
    messages = f"{root}/message/{escape(session)}/*.json"
    names = (os.path.basename(message).removesuffix(".json") for message in sorted(glob(messages)))
    return [messages, *(f"{root}/part/{escape(name)}/*.json" for name in names)]


def sniff(head: bytes) -> bool:
    """An export, a session, message or part of the storage, or a database with tables of messages and parts."""
    if is_database(head):
        return declares(head, _TABLES)
    if not begins_object(head):
        return False
    return all(key.search(head) for key in _SESSION_KEYS) or _kind_of_piece(_whole(head)) != ""


def _whole(head: bytes) -> Record:
    """The object that a small file is, an empty one where more follows."""
    try:
        return dict_of(load_json(head)) if len(head) < HEAD_SIZE else {}
    except ValueError:
        return {}


def _kind_of_piece(record: Record) -> str:
    """``message`` or ``part`` for a file of the storage that holds one, else ""."""
    if {"sessionID", "role", "time"} <= record.keys() and "created" in dict_of(record["time"]):
        return "message"
    return "part" if {"id", "messageID", "type"} <= record.keys() else ""


def read(source: BinaryIO, companions: Iterable[tuple[str, bytes]] = ()) -> Iterator[Event | Begins | NoConversation]:
    """The events of the session, or of each session of a database, in the order of the messages."""
    if is_database(peek(source)):
        yield from read_database(source, wal_of(companions), "OpenCode", _sessions)
        return
    try:
        document = dict_of(load_json(source.read()))
    except ValueError as error:
        raise NotUnderstood("transcript is not JSON") from error
    if _kind_of_piece(document):
        yield from _piece(document)
    elif "messages" in document:
        yield from tell_session(dict_of(document.get("info")), list(_exported(document)))
    else:
        yield from _from_storage(document, companions)


def _exported(document: Record) -> Iterator[Message]:
    for entry in map(dict_of, list_of(document.get("messages"))):
        yield Message(dict_of(entry.get("info")), [dict_of(part) for part in list_of(entry.get("parts"))])


def _piece(record: Record) -> Iterator[Event | NoConversation]:
    """What a message or a part says alone; whose words a text is, only the other file knows."""
    if model := text_of(record.get("modelID")):
        yield Meta("model", model)
    if record.get("type") == "tool":
        yield from tool_events("", "", text_of(record.get("callID")) or text_of(record.get("id")), record)
    yield _PART_OF_A_SESSION


# ---------------------------------------------------------------------------------------------------------------------
# The storage of files


def _from_storage(session: Record, companions: Iterable[tuple[str, bytes]]) -> Iterator[Event | NoConversation]:
    messages: list[Record] = []
    parts: dict[str, list[Record]] = {}
    for path, content in companions:
        try:
            record = dict_of(load_json(content))
        except ValueError:
            yield Skipped(f"not JSON: {os.path.basename(path)}", 0)
            continue
        kind = _kind_of_piece(record)
        if kind == "message":
            messages.append(record)
        elif kind == "part":
            parts.setdefault(text_of(record.get("messageID")), []).append(record)
    messages.sort(key=lambda record: (number_of(dict_of(record.get("time")).get("created")), text_of(record.get("id"))))
    yield from tell_session(
        session, [Message(record, _in_order(parts, text_of(record.get("id")))) for record in messages]
    )


def _in_order(parts: Mapping[str, list[Record]], message: str) -> list[Record]:
    return sorted(parts.get(message, ()), key=lambda part: text_of(part.get("id")))


# ---------------------------------------------------------------------------------------------------------------------
# The database


def _sessions(database: Database) -> Iterator[Event | Begins | NoConversation]:
    """Each session of a person, the one that was touched last at the end; a sub-agent's is part of another."""
    told = False
    for row in database.rows("session", order="time_updated, id"):
        if text_of(row.get("parent_id")):
            continue
        messages = list(_messages(database, row.get("id")))
        if messages:
            told = True
            yield Begins(text_of(row.get("id")))
            yield from tell_session(_session_of(row), messages)
    if not told:
        yield NoConversation("no session with messages in it")


def _session_of(row: Record) -> Record:
    """The row of a session in the form that exports and files have."""
    session: Record = {key: row.get(column) for column, key in _COLUMNS.items()}
    return {**session, "time": {"created": row.get("time_created")}, "revert": json_of(row.get("revert"))}


def _messages(database: Database, session: Any) -> Iterator[Message]:
    parts: dict[Any, list[Record]] = {}
    for row in database.rows("part", "session_id = ?", session, order="message_id, id"):
        parts.setdefault(row.get("message_id"), []).append(dict_of(json_of(row.get("data"))))
    for row in database.rows("message", "session_id = ?", session, order="time_created, id"):
        info = {**dict_of(json_of(row.get("data"))), "id": row.get("id")}
        yield Message(info, parts.get(row.get("id"), []))
