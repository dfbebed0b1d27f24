"""Crush: databases built as its own migrations build them."""

from __future__ import annotations

import io
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from session_frames.errors import NotUnderstood
from session_frames.operations.assemble import assemble_all
from session_frames.storage.transcript_files import list_transcripts, whereabouts
from session_frames.transcripts import crush, sniff_format
from session_frames.transcripts.base import (
    AgentText,
    Begins,
    Edit,
    Meta,
    NoConversation,
    Reasoning,
    Skipped,
    Summary,
    ToolCall,
    ToolResult,
    Usage,
    UserWords,
)

CREATED = 1772758983
AT = "2026-03-06T01:03:03.000Z"
SCHEMA = """
CREATE TABLE IF NOT EXISTS sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT NOT NULL,
  prompt_tokens INTEGER NOT NULL DEFAULT 0, completion_tokens INTEGER NOT NULL DEFAULT 0,
  updated_at INTEGER NOT NULL, created_at INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS messages (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, role TEXT NOT NULL,
  parts TEXT NOT NULL default '[]', model TEXT, created_at INTEGER NOT NULL, is_summary_message INTEGER DEFAULT 0);
"""

Message = tuple[str, str, Any, str]


def message(key: str, role: str, *parts: tuple[str, Any], model: str = "") -> Message:
    return key, role, [{"type": kind, "data": data} for kind, data in parts], model


def text(words: str, **more: Any) -> tuple[str, Any]:
    return "text", {"text": words, **more}


def call(call_id: str, tool: str, arguments: Any) -> tuple[str, Any]:
    return "tool_call", {"id": call_id, "name": tool, "input": json.dumps(arguments), "finished": True}


def result(call_id: str, content: str, failed: bool = False, **more: Any) -> tuple[str, Any]:
    return "tool_result", {"tool_call_id": call_id, "content": content, "is_error": failed, **more}


def database(*sessions: tuple[str, str | None, list[Message]], change: str = "") -> bytes:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(SCHEMA)
        for at, (key, parent, messages) in enumerate(sessions):
            values = (key, parent, "T", 10 if parent is None else 0, 3, at, CREATED)
            connection.execute("INSERT INTO sessions VALUES (?,?,?,?,?,?,?)", values)
            for place, (message_id, role, parts, model) in enumerate(messages):
                row = (message_id, key, role, json.dumps(parts), model or None, CREATED + place, role == "summary")
                connection.execute("INSERT INTO messages VALUES (?,?,?,?,?,?,?)", row)
        connection.executescript(change)
        connection.commit()
        return connection.serialize()


def events(data: bytes) -> list[Any]:
    return list(crush.read(io.BytesIO(data)))


def of(kind: type[Any], found: list[Any]) -> list[Any]:
    return [event for event in found if isinstance(event, kind)]


def one_session(*messages: Message) -> list[Any]:
    return events(database(("s1", None, list(messages))))


def test_sessions_in_order() -> None:
    prompt = message("m1", "user", text("run it"), ("finish", {"reason": "stop"}))
    thought, shell = ("reasoning", {"thinking": "hm"}), call("c1", "bash", {"command": "make"})
    answer = message("m2", "assistant", thought, text("Running."), shell, model="m")
    told = message("m3", "tool", result("c1", "bad", metadata='{"exit_code":2}'))
    data = database(
        ("s1", None, [prompt, answer, told]),
        ("s1-c1", "s1", [message("m4", "user", text("look around"))]),
        ("s2", None, []),
        ("s3", None, [message("m5", "user", text("/go on"))]),
    )
    assert sniff_format(data[: 64 << 10]) == "crush"
    later = [AT, "2026-03-06T01:03:04.000Z", "2026-03-06T01:03:05.000Z"]
    usage = Usage("", input=10, output=3, total=True)
    assert events(data) == [
        Begins("s1"),
        Meta("session_id", "s1"),
        Meta("started", AT),
        Meta("title", "T"),
        UserWords("m1", AT, "run it"),
        Meta("model", "m"),
        Reasoning("m2", later[1], "hm"),
        AgentText("m2", later[1], "Running."),
        ToolCall("m2", later[1], "c1", "bash", {"command": "make"}, (), "make"),
        ToolResult("c1", later[2], "bad", "failed", exit_code=2),
        usage,
        Begins("s3"),
        Meta("session_id", "s3"),
        Meta("started", AT),
        Meta("title", "T"),
        UserWords("m5", AT, "/go on", "command"),
        usage,
    ]
    assert [one.fact("session_id") for one in assemble_all(events(data))] == ["s1", "s3"]


def test_words_of_a_prompt() -> None:
    shown = message("m1", "user", text("one"), ("binary", {"Path": "a"}), text("two"))
    hidden = message("m2", "user", text("Continue with the task", hidden=True))
    assert [event.text for event in of(UserWords, one_session(shown, hidden))] == ["one\ntwo"]


def test_a_summary_is_nobodys_turn() -> None:
    found = one_session(message("m1", "user", text("hi")), message("m2", "summary", text("so far")))
    assert of(Summary, found) == [Summary("m2", "2026-03-06T01:03:04.000Z", "so far")]
    assert of(AgentText, found) == []


def test_edits_and_outcomes() -> None:
    edits = [{"old_string": "x", "new_string": "y"}, {"old_string": "p", "new_string": "q"}]
    calls = (
        call("c1", "write", {"file_path": "a", "content": "one\n"}),
        call("c2", "edit", {"file_path": "a", "old_string": "x", "new_string": "y"}),
        call("c3", "multiedit", {"file_path": "a", "edits": edits}),
        call("c4", "view", {"file_path": "a"}),
    )
    found = one_session(
        message("m1", "assistant", *calls, ("riddle", {})),
        message("m2", "tool", result("c1", "ok"), result("c2", "no", True), result("c4", "", mime_type="image/png")),
    )
    assert [event.edits for event in of(ToolCall, found)] == [
        (Edit("a", "added", added=(("one",),)),),
        (Edit("a", "modified", added=(("y",),)),),
        (Edit("a", "modified", added=(("y",), ("q",))),),
        (Edit("a", "read"),),
    ]
    assert [(event.id, event.outcome, event.kind) for event in of(ToolResult, found)] == [
        ("c1", "passed", ""),
        ("c2", "failed", ""),
        ("c4", "passed", "image/png"),
    ]
    assert of(Skipped, found) == [Skipped("unknown part type 'riddle'", 0)]


def test_nobody_speaks() -> None:
    assert events(database()) == [NoConversation("no session with messages in it")]
    assert one_session(message("m1", "user"))[-1] == NoConversation("no prompt and no answer in it")


@pytest.mark.parametrize("cut", [200, 5000])
def test_a_damaged_database_is_named(cut: int) -> None:
    with pytest.raises(NotUnderstood, match="the database of Crush is damaged"):
        events(database(("s1", None, [message("m1", "user", text("hi"))]))[:cut])


@pytest.mark.parametrize("wrong", ["NULL", "5", "x'ff'", "'[1]'", "'{\"a\":1}'", '\'[{"type":1,"data":2}]\'', "1e300"])
def test_values_of_other_types_break_nothing(wrong: str) -> None:
    whole = [("s1", None, [message("m1", "user", text("hi")), message("m2", "assistant", call("c1", "edit", 5))])]
    for table, column in (
        ("messages", "parts"),
        ("messages", "role"),
        ("messages", "created_at"),
        ("messages", "model"),
        ("sessions", "title"),
        ("sessions", "created_at"),
        ("sessions", "prompt_tokens"),
        ("sessions", "parent_session_id"),
    ):
        if wrong != "NULL" or column in ("model", "parent_session_id"):
            list(assemble_all(events(database(*whole, change=f"UPDATE {table} SET {column} = {wrong};"))))


def test_it_is_found_in_the_work_tree(tmp_path: Path) -> None:
    path = tmp_path / "top" / ".crush" / "crush.db"
    path.parent.mkdir(parents=True)
    path.write_bytes(database(("s1", None, [message("m1", "user", text("hi"))])))
    (found,) = list_transcripts([str(tmp_path)], {}, ["crush"], [str(tmp_path / "top")])
    assert (found.path, found.in_tree) == (str(path), True)
    place = whereabouts(found)
    assert place is not None
    assert (place.session_id, place.directories) == ("s1", (str(path.parent),))
