"""Goose: databases and logs built as its own code builds them."""

from __future__ import annotations

import io
import json
import sqlite3
from contextlib import closing
from typing import Any

import pytest

from session_frames.errors import NotUnderstood
from session_frames.operations.assemble import assemble_all
from session_frames.transcripts import goose, sniff_format
from session_frames.transcripts.base import (
    AgentText,
    Begins,
    Edit,
    Meta,
    NoConversation,
    Reasoning,
    Skipped,
    ToolCall,
    ToolResult,
    Usage,
    UserWords,
)

CREATED = 1772758983
AT = "2026-03-06T01:03:03.000Z"
SCHEMA = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT NOT NULL DEFAULT '', description TEXT NOT NULL DEFAULT '',
  session_type TEXT NOT NULL DEFAULT 'user', working_dir TEXT NOT NULL, created_at TIMESTAMP, updated_at TIMESTAMP,
  accumulated_input_tokens INTEGER, accumulated_output_tokens INTEGER, model_config_json TEXT);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions(id),
  role TEXT NOT NULL, content_json TEXT NOT NULL, created_timestamp INTEGER NOT NULL, metadata_json TEXT);
"""
HEADER = {
    "working_dir": "/proj",
    "description": "T",
    "message_count": 2,
    "total_tokens": 13,
    "accumulated_input_tokens": 10,
    "accumulated_output_tokens": 3,
}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def request(call_id: str, tool: str, arguments: Any) -> dict[str, Any]:
    value = {"name": tool, "arguments": arguments}
    return {"type": "toolRequest", "id": call_id, "toolCall": {"status": "success", "value": value}}


def response(call_id: str, value: Any) -> dict[str, Any]:
    return {"type": "toolResponse", "id": call_id, "toolResult": {"status": "success", "value": value}}


def message(role: str, *content: Any, **metadata: bool) -> dict[str, Any]:
    return {"role": role, "created": CREATED, "content": content, "metadata": metadata}


def database(*sessions: tuple[str, str, list[dict[str, Any]]], change: str = "") -> bytes:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(SCHEMA)
        for key, kind, messages in sessions:
            facts = (key, "T", "", kind, "/proj", "2026-03-06 01:03:03", "2026-03-06 01:03:04", 10, 3)
            values = (*facts, '{"model_name":"m"}')
            connection.execute("INSERT INTO sessions VALUES (?,?,?,?,?,?,?,?,?,?)", values)
            for one in messages:
                row = (key, one["role"], json.dumps(one["content"]), CREATED, json.dumps(one["metadata"]))
                connection.execute(
                    "INSERT INTO messages (session_id, role, content_json, created_timestamp, metadata_json)"
                    " VALUES (?,?,?,?,?)",
                    row,
                )
        connection.executescript(change)
        connection.commit()
        return connection.serialize()


def log(*records: Any) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def events(data: bytes) -> list[Any]:
    return list(goose.read(io.BytesIO(data)))


def of(kind: type[Any], found: list[Any]) -> list[Any]:
    return [event for event in found if isinstance(event, kind)]


AUDIENCES = (("for the model", "assistant"), ("for the person", "user"))
USAGE = Usage("", input=10, output=3, total=True)


def test_sessions_of_a_database_in_order() -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    shell = request("c1", "developer__shell", {"command": "make"})
    told = response("c1", {"content": [text("ok")], "isError": False})
    data = database(
        (
            "s1",
            "user",
            [
                message("user", text("run it")),
                message("assistant", thought, text("Running."), shell),
                message("user", told),
            ],
        ),
        ("s2", "sub_agent", [message("user", text("look around"))]),
        ("s3", "hidden", [message("user", text("name this"))]),
        ("s4", "user", []),
        ("s5", "scheduled", [message("user", text("each night"))]),
    )
    assert sniff_format(data[: 64 << 10]) == "goose"
    facts = [Meta("started", AT), Meta("title", "T"), Meta("cwd", "/proj"), Meta("model", "m")]
    assert events(data) == [
        Begins("s1"),
        Meta("session_id", "s1"),
        *facts,
        UserWords("m1", AT, "run it"),
        Reasoning("m2", AT, "hm"),
        AgentText("m2", AT, "Running."),
        ToolCall("m2", AT, "c1", "developer__shell", {"command": "make"}, (), "make"),
        ToolResult("c1", AT, "ok", "passed"),
        USAGE,
        Begins("s5"),
        Meta("session_id", "s5"),
        *facts,
        UserWords("m6", AT, "each night"),
        USAGE,
    ]
    assert [one.fact("session_id") for one in assemble_all(events(data))] == ["s1", "s5"]


def test_a_log_in_order() -> None:
    data = log(HEADER, message("user", text("one"), text("two")), {"other": 1}, message("assistant", text("three")))
    assert sniff_format(data) == "goose"
    assert events(data) == [
        Meta("title", "T"),
        Meta("cwd", "/proj"),
        UserWords("l2", AT, "one\ntwo"),
        Skipped("record without a role", 3),
        AgentText("l4", AT, "three"),
        USAGE,
    ]


def test_a_log_without_a_header() -> None:
    data = log(message("user", text("/go on")))
    assert sniff_format(data) == "goose"
    assert of(UserWords, events(data)) == [UserWords("l1", AT, "/go on", "command")]


def test_damaged_lines_hide_nothing_else() -> None:
    data = log(HEADER, message("user", text("one"))) + b'{"role":"us\n' + log(message("user", text("two\u2028too")))
    found = events(data)
    assert [event.text for event in of(UserWords, found)] == ["one", "two\u2028too"]
    assert of(Skipped, found) == [Skipped("not JSON", 3)]


def test_what_only_the_model_sees_is_nobodys_turn() -> None:
    compacted = message("user", text("so far"), userVisible=False, agentVisible=True)
    hint = message("assistant", text("I will go on"), userVisible=False, agentVisible=True)
    found = events(log(HEADER, message("user", text("hi"), userVisible=True, agentVisible=False), compacted, hint))
    assert [event.text for event in of(UserWords, found)] == ["hi"]
    assert of(AgentText, found) == []


def test_edits_and_outcomes() -> None:
    editor = "developer__text_editor"
    twice = [{**text(words), "annotations": {"audience": [whose]}} for words, whose in AUDIENCES]
    failed = {"type": "toolResponse", "id": "c3", "toolResult": {"status": "error", "error": "gone"}}
    found = events(
        log(
            message(
                "assistant",
                request("c1", editor, {"command": "write", "path": "a", "file_text": "one\n"}),
                request("c2", editor, {"command": "str_replace", "path": "a", "old_str": "x", "new_str": "y"}),
                request("c3", editor, {"command": "view", "path": "a"}),
                request("c4", "developer__edit", {"path": "a", "before": "x", "after": "y"}),
                request("c5", editor, {"command": "undo_edit", "path": "a"}),
                {"type": "riddle"},
            ),
            message(
                "user",
                response("c1", twice),
                response("c2", {"content": [text("no")], "isError": True}),
                failed,
                response("c4", {"content": [{"type": "image", "data": "", "mimeType": "image/png"}]}),
            ),
        )
    )
    replaced = Edit("a", "modified", added=(("y",),))
    assert [event.edits for event in of(ToolCall, found)] == [
        (Edit("a", "added", added=(("one",),)),),
        (replaced,),
        (Edit("a", "read"),),
        (replaced,),
        (),
    ]
    assert [(event.id, event.outcome, event.text, event.kind) for event in of(ToolResult, found)] == [
        ("c1", "passed", "for the model", ""),
        ("c2", "failed", "no", ""),
        ("c3", "failed", "gone", ""),
        ("c4", "passed", "", "image/png"),
    ]
    assert of(Skipped, found) == [Skipped("unknown part type 'riddle'", 0)]


def test_nobody_speaks() -> None:
    assert events(database()) == [NoConversation("no session with messages in it")]
    assert events(log(HEADER))[-1] == NoConversation("no prompt and no answer in it")


@pytest.mark.parametrize("cut", [200, 5000])
def test_a_damaged_database_is_named(cut: int) -> None:
    with pytest.raises(NotUnderstood, match="the database of Goose is damaged"):
        events(database(("s1", "user", [message("user", text("hi"))]))[:cut])


@pytest.mark.parametrize("wrong", [None, 1, "x", [], {}, [1], {"a": 1}, 1e300, "\ud83d"])
def test_values_of_other_types_break_nothing(wrong: Any) -> None:
    call, told = request("c1", "developer__text_editor", wrong), response("c1", wrong)
    whole = {**message("assistant", call, told), "id": "m"}
    for record in (
        {**HEADER, "working_dir": wrong, "accumulated_input_tokens": wrong},
        *({**whole, key: wrong} for key in whole),
        *({**whole, "content": [{**call, key: wrong}]} for key in call),
        *({**whole, "content": [{**told, key: wrong}]} for key in told),
    ):
        assert len(list(assemble_all(events(log(record))))) == 1


@pytest.mark.parametrize("wrong", ["5", "x'ff'", "'[1]'", "1e300"])
def test_rows_of_other_types_break_nothing(wrong: str) -> None:
    whole = ("s1", "user", [message("user", text("hi"))])
    for table, column in (
        ("messages", "content_json"),
        ("messages", "metadata_json"),
        ("messages", "role"),
        ("messages", "created_timestamp"),
        ("sessions", "working_dir"),
        ("sessions", "created_at"),
        ("sessions", "model_config_json"),
    ):
        list(assemble_all(events(database(whole, change=f"UPDATE {table} SET {column} = {wrong};"))))


@pytest.mark.parametrize(
    "record",
    [
        {"role": "user", "content": "hi"},
        {"role": "user", "created": "2026", "content": []},
        {"role": "user", "created": 1, "content": [], "uuid": "u"},
        {"description": "d", "message_count": 1},
    ],
)
def test_what_is_not_its_own(record: Any) -> None:
    assert not goose.sniff(log(record))


def test_places() -> None:
    assert goose.find("/home/u", {})[:2] == [
        "/home/u/.local/share/goose/sessions/sessions.db",
        "/home/u/.local/share/goose/sessions/*.jsonl",
    ]
    assert goose.find("/home/u", {"XDG_DATA_HOME": "/d"})[0] == "/d/goose/sessions/sessions.db"
