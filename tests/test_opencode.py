"""OpenCode: exports, the storage of files, and the database."""

from __future__ import annotations

import io
import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from session_frames.errors import NotUnderstood
from session_frames.operations.assemble import assemble_all
from session_frames.storage.transcript_files import events_of
from session_frames.transcripts import opencode, sniff_format
from session_frames.transcripts.base import (
    Abandon,
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

CASES = Path(__file__).parent / "transcripts" / "opencode"
CREATED = 1772758983784
AT = "2026-03-06T01:03:03.784Z"
SESSION = {
    "id": "ses_1",
    "projectID": "p",
    "directory": "/proj",
    "title": "T",
    "version": "1.2.16",
    "time": {"created": CREATED, "updated": CREATED},
}
SCHEMA = """
CREATE TABLE `session` (`id` text PRIMARY KEY, `project_id` text NOT NULL, `parent_id` text, `directory` text NOT NULL,
  `title` text NOT NULL, `version` text NOT NULL, `revert` text,
  `time_created` integer NOT NULL, `time_updated` integer NOT NULL);
CREATE TABLE `message` (`id` text PRIMARY KEY, `session_id` text NOT NULL, `time_created` integer NOT NULL,
  `time_updated` integer NOT NULL, `data` text NOT NULL);
CREATE TABLE `part` (`id` text PRIMARY KEY, `message_id` text NOT NULL, `session_id` text NOT NULL,
  `time_created` integer NOT NULL, `time_updated` integer NOT NULL, `data` text NOT NULL);
"""


def user(key: str, *parts: Any, created: int = CREATED) -> dict[str, Any]:
    return {"info": {"id": key, "sessionID": "ses_1", "role": "user", "time": {"created": created}}, "parts": parts}


def assistant(key: str, *parts: Any, created: int = CREATED, **more: Any) -> dict[str, Any]:
    info = {"id": key, "sessionID": "ses_1", "role": "assistant", "time": {"created": created}, "modelID": "m", **more}
    return {"info": info, "parts": parts}


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **more}


def tool(call_id: str, name: str, arguments: Any, **state: Any) -> dict[str, Any]:
    return {"type": "tool", "callID": call_id, "tool": name, "state": {"input": arguments, **state}}


def done(call_id: str, name: str, arguments: Any, output: str = "", **metadata: Any) -> dict[str, Any]:
    return tool(call_id, name, arguments, status="completed", output=output, metadata=metadata)


def export(*messages: Any, **more: Any) -> bytes:
    return json.dumps({"info": {**SESSION, **more}, "messages": messages}).encode()


def events(data: bytes, companions: Iterable[tuple[str, bytes]] = ()) -> list[Any]:
    return list(opencode.read(io.BytesIO(data), companions))


def of(kind: type[Any], found: list[Any]) -> list[Any]:
    return [event for event in found if isinstance(event, kind)]


def database(*sessions: tuple[dict[str, Any], list[dict[str, Any]]], path: str = ":memory:", mode: str = "") -> bytes:
    """A database with these sessions; with ``mode``, a file that is left in that journal mode."""
    with closing(sqlite3.connect(path)) as connection:
        if mode:
            connection.execute(f"PRAGMA journal_mode={mode}")
        connection.executescript(SCHEMA)
        for at, (row, messages) in enumerate(sessions):
            facts = ("p", row.get("parent_id"), "/proj", "T", "1.3", json.dumps(row.get("revert")), CREATED, at)
            connection.execute("INSERT INTO session VALUES (?,?,?,?,?,?,?,?,?)", (row["id"], *facts))
            for number, message in enumerate(messages):
                info = {key: value for key, value in message["info"].items() if key not in ("id", "sessionID")}
                key = message["info"]["id"]
                values = (key, row["id"], CREATED + number, 0, json.dumps(info))
                connection.execute("INSERT INTO message VALUES (?,?,?,?,?)", values)
                for place, part in enumerate(message["parts"]):
                    values = (f"{key}p{place}", key, row["id"], 0, 0, json.dumps(part))
                    connection.execute("INSERT INTO part VALUES (?,?,?,?,?,?)", values)
        connection.commit()
        return connection.serialize()


@pytest.mark.parametrize("case", sorted(path.name for path in CASES.iterdir()))
def test_recorded_words(case: str) -> None:
    data = (CASES / case / "transcript.json").read_bytes()
    words = [event.text.strip() for event in of(UserWords, events(data))]
    assert words == json.loads((CASES / case / "words.json").read_text("utf-8"))
    assert sniff_format(data[: 64 << 10]) == "opencode"


# ---------------------------------------------------------------------------------------------------------------------
# Exports


def test_an_export_in_order() -> None:
    tokens = {"input": 10, "output": 3, "reasoning": 1, "cache": {"read": 4, "write": 2}}
    shell = done("c1", "bash", {"command": "make test"}, "bad", exit=2)
    answer = assistant(
        "m2",
        {"type": "step-start"},
        {"type": "reasoning", "text": "hm", "time": {"start": CREATED}},
        text("Running."),
        shell,
        {"type": "riddle"},
        tokens=tokens,
        path={"cwd": "/proj/sub"},
    )
    found = events(export(user("m1", text("run it"), text("Called the Read tool", synthetic=True)), answer))
    assert found == [
        Meta("session_id", "ses_1"),
        Meta("started", AT),
        Meta("title", "T"),
        Meta("agent_version", "1.2.16"),
        Meta("cwd", "/proj"),
        UserWords("m1", AT, "run it"),
        Meta("model", "m"),
        Meta("cwd", "/proj/sub"),
        Reasoning("m2", AT, "hm"),
        AgentText("m2", AT, "Running."),
        ToolCall("m2", AT, "c1", "bash", {"command": "make test"}, (), "make test"),
        ToolResult("c1", AT, "bad", "failed", exit_code=2),
        Skipped("unknown part type 'riddle'", 0),
        Usage("m2", input=10, output=3, cache_read=4, cache_write=2),
    ]


def test_parts_of_a_prompt() -> None:
    prompt = user(
        "m1", text("one"), {"type": "file", "url": "file:///a"}, text("two"), text("by a plugin", ignored=True)
    )
    command = user("m2", text("/plan the work"))
    assert of(UserWords, events(export(prompt, command))) == [
        UserWords("m1", AT, "one\ntwo"),
        UserWords("m2", AT, "/plan the work", "command"),
    ]


def test_ids_that_were_blanked_stay_apart() -> None:
    calls = [done("REDACTED", "glob", {}), done("REDACTED", "glob", {})]
    found = events(export(user("REDACTED", text("a")), assistant("REDACTED", *calls), user("REDACTED", text("b"))))
    assert [event.key for event in of(UserWords, found)] == ["REDACTED", "REDACTED:2"]
    assert [event.id for event in of(ToolCall, found)] == ["REDACTED", "REDACTED:1"]
    assert [event.id for event in of(ToolResult, found)] == ["REDACTED", "REDACTED:1"]


def test_edits() -> None:
    diff = "--- a\n+++ a\n@@ -1,2 +1,3 @@\n x\n-y\n+z\n+w\n"
    patch = "*** Begin Patch\n*** Add File: b\n+one\n*** End Patch"
    moved = {"filePath": "/proj/c", "movePath": "/proj/d", "type": "move", "diff": "@@\n+n\n"}
    gone = {"filePath": "/proj/e", "type": "delete", "diff": "@@\n-n\n"}
    found = events(
        export(
            assistant(
                "m1",
                done("c1", "edit", {"filePath": "a", "oldString": "y", "newString": "z\nw"}, diff=diff),
                done("c2", "write", {"filePath": "n", "content": "one\n"}, exists=True),
                done("c3", "write", {"filePath": "n", "content": "one\n"}),
                done("c4", "apply_patch", {"patchText": patch}),
                done("c5", "apply_patch", {"patchText": patch}, files=[moved, gone]),
                tool("c6", "edit", {"filePath": "a", "oldString": "y", "newString": "z"}, status="error", error="no"),
                tool("c7", "read", {"filePath": "a"}, status="running"),
            )
        )
    )
    written = Edit("n", "added", added=(("one",),))
    assert [event.edits for event in of(ToolCall, found)] == [
        (Edit("a", "modified", added=(("z", "w"),)),),
        (written,),
        (written,),
        (Edit("b", "added", added=(("one",),)),),
        (Edit("b", "added", added=(("one",),)),),
        (Edit("a", "modified", added=(("z",),)),),
        (Edit("a", "read"),),
    ]
    assert [(event.id, event.outcome, event.edits) for event in of(ToolResult, found)] == [
        ("c1", "passed", (Edit("a", "modified", added=(("z", "w"),)),)),
        ("c2", "passed", (written._replace(change="modified"),)),
        ("c3", "passed", None),
        ("c4", "passed", None),
        ("c5", "passed", (Edit("/proj/d", "renamed", "/proj/c", (("n",),)), Edit("/proj/e", "deleted"))),
        ("c6", "failed", None),
    ]


def test_what_was_taken_back_is_abandoned() -> None:
    messages = [user("m1", text("a")), user("m2", text("b")), assistant("m3", text("c"))]
    assert events(export(*messages, revert={"messageID": "m2"}))[-1] == Abandon(("m2", "m3"))


def test_compaction_is_nobodys_turn() -> None:
    asked = user("m1", {"type": "compaction", "auto": True})
    found = events(export(asked, assistant("m2", text("so far"), summary=True), user("m3", text("on"))))
    assert of(Summary, found) == [Summary("m2", AT, "so far")]
    assert [event.text for event in of(UserWords, found)] == ["on"]
    assert of(AgentText, found) == []


def test_sub_agents_and_empty_sessions_are_no_conversation() -> None:
    child = events(export(user("m1", text("look around")), parentID="ses_0"))
    assert of(UserWords, child) == []
    assert child[-1] == NoConversation("the session of a sub-agent")
    assert events(export())[-1] == NoConversation("no prompt and no answer in it")


# ---------------------------------------------------------------------------------------------------------------------
# The storage of files


def test_a_session_with_its_files(tmp_path: Path) -> None:
    storage = tmp_path / "storage"
    session = storage / "session" / "p" / "ses_1.json"
    newer = user("msg_1", created=CREATED + 5)["info"]
    answer = assistant("msg_2")["info"]
    files = {
        session: SESSION,
        storage / "message/ses_1/msg_1.json": newer,
        storage / "message/ses_1/msg_2.json": answer,
        storage / "message/ses_2/msg_9.json": {**newer, "id": "msg_9"},
        storage / "part/msg_1/prt_2.json": {"id": "prt_2", "messageID": "msg_1", **text("two")},
        storage / "part/msg_1/prt_1.json": {"id": "prt_1", "messageID": "msg_1", **text("one")},
        storage / "part/msg_2/prt_3.json": {"id": "prt_3", "messageID": "msg_2", **text("said")},
        storage / "part/msg_9/prt_4.json": {"id": "prt_4", "messageID": "msg_9", **text("of another session")},
    }
    for path, record in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(record), "utf-8")
    (storage / "part/msg_2/prt_5.json").write_text('{"id": "cut', "utf-8")
    assert sniff_format(session.read_bytes()) == "opencode"
    with session.open("rb") as source:
        found = list(events_of("opencode", source, str(session)))
    assert [event for event in found if not isinstance(event, Meta)] == [
        Skipped("not JSON: prt_5.json", 0),
        AgentText("msg_2", AT, "said"),
        UserWords("msg_1", "2026-03-06T01:03:03.789Z", "one\ntwo"),
    ]


def test_a_piece_alone_says_that_it_is_one() -> None:
    piece = {"id": "p1", "messageID": "m1", "sessionID": "s", **done("c1", "read", {"filePath": "a"}, "x")}
    assert events(json.dumps(piece).encode()) == [
        ToolCall("", "", "c1", "read", {"filePath": "a"}, (Edit("a", "read"),)),
        ToolResult("c1", "", "x", "passed"),
        NoConversation("one part of a session; the file of the session reads them all"),
    ]
    assert isinstance(events(json.dumps(assistant("m1")["info"]).encode())[-1], NoConversation)


# ---------------------------------------------------------------------------------------------------------------------
# The database

FIRST = ({"id": "ses_1"}, [user("m1", text("one")), assistant("m2", text("first"))])
CHILD = ({"id": "ses_2", "parent_id": "ses_1"}, [user("m3", text("look around"))])
EMPTY = ({"id": "ses_3"}, [])
SECOND = ({"id": "ses_4", "revert": {"messageID": "m5"}}, [user("m4", text("two")), user("m5", text("three"))])


def test_each_session_of_a_database() -> None:
    data = database(FIRST, CHILD, EMPTY, SECOND)
    assert sniff_format(data[: 64 << 10]) == "opencode"
    later = "2026-03-06T01:03:03.784Z"
    facts = [Meta("started", later), Meta("title", "T"), Meta("agent_version", "1.3"), Meta("cwd", "/proj")]
    assert events(data) == [
        Begins("ses_1"),
        Meta("session_id", "ses_1"),
        *facts,
        UserWords("m1", later, "one"),
        Meta("model", "m"),
        AgentText("m2", later, "first"),
        Begins("ses_4"),
        Meta("session_id", "ses_4"),
        *facts,
        UserWords("m4", later, "two"),
        UserWords("m5", later, "three"),
        Abandon(("m5",)),
    ]
    assert [one.fact("session_id") for one in assemble_all(events(data))] == ["ses_1", "ses_4"]


def test_a_database_without_sessions_is_no_conversation() -> None:
    assert events(database(CHILD, EMPTY)) == [NoConversation("no session with messages in it")]


def test_what_only_the_write_ahead_log_holds_is_read(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    database(FIRST, path=str(path), mode="wal")
    with closing(sqlite3.connect(path)) as running:
        running.execute("PRAGMA wal_autocheckpoint=0")
        row = ("p9", "m1", "ses_1", 0, 0, json.dumps(text("only in the log " + "x" * 9000)))
        running.execute("INSERT INTO part VALUES (?,?,?,?,?,?)", row)
        running.commit()
        before = path.read_bytes()
        with path.open("rb") as source:
            found = list(events_of("opencode", source, str(path)))
        assert path.read_bytes() == before
    assert of(UserWords, found)[0].text.startswith("one\nonly in the log xxx")
    assert of(UserWords, events(before)) == [UserWords("m1", AT, "one")]


def test_a_damaged_log_takes_nothing_away(tmp_path: Path) -> None:
    data = database(FIRST, path=str(tmp_path / "a.db"), mode="wal")
    for log in (b"", b"\0" * 99, b"\x37\x7f\x06\x82" + b"\xff" * 9000):
        assert of(UserWords, events(data, [("a.db-wal", log)])) == [UserWords("m1", AT, "one")]


@pytest.mark.parametrize("damage", [lambda data: data[:5000], lambda data: data[:100] + b"\xff" * (len(data) - 100)])
def test_a_damaged_database_is_named(damage: Any) -> None:
    with pytest.raises(NotUnderstood, match="the database of OpenCode is damaged"):
        events(damage(database(FIRST)))


# ---------------------------------------------------------------------------------------------------------------------
# Whatever the file holds


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(NotUnderstood, match="not JSON"):
        events(export(user("m1", text("a")))[:-3])


@pytest.mark.parametrize("wrong", [None, 1, "x", [], {}, [1], {"a": 1}, 1e300, "\ud83d"])
def test_values_of_other_types_break_nothing(wrong: Any) -> None:
    message = assistant("m1", text("a"), done("c1", "edit", {"filePath": "a"}, "x", files=[wrong], diff=wrong))
    part = dict(message["parts"][1])
    for data in (
        {"info": wrong, "messages": [message]},
        {"info": SESSION, "messages": wrong},
        {"info": SESSION, "messages": [wrong, {"info": wrong, "parts": [wrong]}]},
        {"info": {**SESSION, "time": wrong, "revert": wrong}, "messages": [message]},
        {"info": SESSION, "messages": [{**message, "info": {**message["info"], "time": wrong, "tokens": wrong}}]},
        *({"info": SESSION, "messages": [{**message, "parts": [{**part, key: wrong}]}]} for key in part),
    ):
        found = events(json.dumps(data).encode())
        assert len(list(assemble_all(found))) == 1


def test_rows_of_other_types_break_nothing() -> None:
    data = database(FIRST)
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(data)
        connection.execute("UPDATE session SET directory = x'ff', title = 5, time_created = 'x'")
        connection.execute("UPDATE message SET data = '[1]' WHERE id = 'm2'")
        connection.execute("UPDATE part SET data = 7")
        connection.commit()
        data = connection.serialize()
    assert events(data) == [
        Begins("ses_1"),
        Meta("session_id", "ses_1"),
        Meta("started", AT),
        Meta("title", "5"),
        Meta("agent_version", "1.3"),
        Skipped("unknown role ''", 0),
        NoConversation("no prompt and no answer in it"),
    ]


# ---------------------------------------------------------------------------------------------------------------------
# Places


def test_places() -> None:
    assert opencode.find("/home/u", {}) == [
        "/home/u/.local/share/opencode/opencode.db",
        "/home/u/.local/share/opencode/opencode-*.db",
        "/home/u/.local/share/opencode/storage/session/*/ses_*.json",
    ]
    assert opencode.find("/home/u", {"XDG_DATA_HOME": "/d"})[0] == "/d/opencode/opencode.db"


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"SQLite format 3\0",
        b"SQLite format 3\0 CREATE TABLE message (session_id, data)",
        b'{"info":{},"messages":[]}',
        b'{"type":"text","part":{"messageID":"m","id":"p","type":"text"}}',
        b'[{"projectID":"p","directory":"/d"}]',
    ],
)
def test_what_is_not_its_own(head: bytes) -> None:
    assert not opencode.sniff(head)
