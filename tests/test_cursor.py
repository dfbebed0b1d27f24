"""Cursor: transcripts as text and as JSON Lines, exported chats."""

from __future__ import annotations

import json
from typing import Any

import pytest
from transcript_events import check_recorded, events_of, json_lines, of, recorded_cases, words

from session_frames.transcripts import cursor, sniff_format
from session_frames.transcripts.base import (
    AgentText,
    Edit,
    Meta,
    NoConversation,
    Reasoning,
    Skipped,
    ToolCall,
    ToolResult,
    UserWords,
)
from session_frames.transcripts.cursor_tools import command_of, edits_of


def events(data: bytes | str) -> list[Any]:
    return events_of("cursor", data.encode() if isinstance(data, str) else data)


def query(text: str, beside: str = "") -> str:
    return f"user:\n{beside}<user_query>\n{text}\n</user_query>\n\n"


def record(role: str, *blocks: Any, **more: Any) -> dict[str, Any]:
    return {"role": role, "message": {"content": list(blocks)}, **more}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


@pytest.mark.parametrize("case", recorded_cases("cursor"))
def test_recorded_words(case: str) -> None:
    check_recorded("cursor", case)


# ---------------------------------------------------------------------------------------------------------------------
# Text


def test_sides_calls_and_results() -> None:
    found = events(
        query("look at a.py")
        + "assistant:\nLooking.\n[Tool call] Read\n  path: a.py\n[Tool call] Shell\n  command: make\n    test\n\n"
        + "[Tool result] Read\n\n[Tool result] Shell\n  ok\n\n[Tool result] Unknown\n\n"
        + "assistant:\n[Thinking]\n  All is well.\nIt is fine.\n"
    )
    assert found == [
        UserWords("", "", "look at a.py"),
        AgentText("", "", "Looking."),
        ToolCall("", "", "call:1", "Read", {"path": "a.py"}, (Edit("a.py", "read"),)),
        ToolCall("", "", "call:2", "Shell", {"command": "make\n    test"}, (), "make\n    test"),
        ToolResult("call:1", "", ""),
        ToolResult("call:2", "", "  ok"),
        Reasoning("", "", "  All is well."),
        AgentText("", "", "It is fine."),
    ]


def test_a_value_of_several_lines_goes_on_at_the_margin() -> None:
    found = events(query("a") + "assistant:\n[Tool call] Write\n  path: a.py\n  contents: one\ntwo\n\nWritten.\n")
    assert of(ToolCall, found)[0].edits == (Edit("a.py", "added", "", (("one", "two"),)),)
    assert of(AgentText, found) == [AgentText("", "", "Written.")]


def test_only_the_query_is_the_persons() -> None:
    beside = "[Image]\n<image_files>\n1. /a.png\n</image_files>\n"
    found = events(query("one", beside) + query("", beside) + query("two\n\nuser:\nquoted\n\nassistant:\nquoted"))
    assert words(found) == ["one", "two\n\nuser:\nquoted\n\nassistant:\nquoted"]


def test_a_role_that_an_answer_quotes_opens_nothing() -> None:
    found = events(query("a") + "assistant:\nIt looks so:\n\nuser:\nhello\n\nuser: hello\n")
    assert words(found) == ["a"]
    assert of(AgentText, found) == [AgentText("", "", "It looks so:\n\nuser:\nhello\n\nuser: hello")]


def test_the_last_query_written_once_more_counts_once() -> None:
    found = events(query("a") + query("a") + "assistant:\nyes\n\n" + query("a"))
    assert words(found) == ["a", "a"]


def test_a_transcript_that_marks_no_queries() -> None:
    found = events("user:\nhello\n\nassistant:\n[Tool call] LS\n  path: .\n\nuser:\n<timestamp>now</timestamp>\n")
    assert words(found) == ["hello"]


def test_commands_and_nothing_said() -> None:
    assert of(UserWords, events(query("/review all"))) == [UserWords("", "", "/review all", "command")]
    assert events(query("")) == [NoConversation("no prompt and no answer in it")]


# ---------------------------------------------------------------------------------------------------------------------
# JSON Lines


def test_records() -> None:
    found = events(
        json_lines(
            record("user", text("<attached_files>\nx\n</attached_files>\n<user_query>\nfix it\n</user_query>")),
            record(
                "assistant",
                {"type": "thinking", "thinking": "How?"},
                text("So.\n\n[REDACTED]"),
                {
                    "type": "tool_use",
                    "name": "StrReplace",
                    "input": {"path": "a", "old_string": "x", "new_string": "y"},
                },
                {"type": "tool_use", "id": "t2", "name": "Shell", "input": {"command": "make test"}},
                timestamp="2026-06-24T12:00:00Z",
            ),
            record("user", {"type": "tool_result", "tool_use_id": "t2", "content": [text("no")], "is_error": True}),
            record("assistant", text("[REDACTED]")),
            {"event": "turn_ended", "message": {"content": []}},
            record("user", text("<system_reminder>be brief</system_reminder>")),
        )
    )
    at = "2026-06-24T12:00:00Z"
    arguments = {"path": "a", "old_string": "x", "new_string": "y"}
    assert found == [
        UserWords("", "", "fix it"),
        Reasoning("", at, "How?"),
        AgentText("", at, "So."),
        ToolCall("", at, "call:1", "StrReplace", arguments, (Edit("a", "modified", "", (("y",),)),)),
        ToolCall("", at, "t2", "Shell", {"command": "make test"}, (), "make test"),
        ToolResult("t2", "", "no", "failed"),
    ]


def test_what_is_not_understood_is_told() -> None:
    found = events(
        json_lines(
            {"role": "user", "message": {"content": "hello"}},
            record("assistant", {"type": "video"}, 7),
            {"event": "unheard of"},
            b'{"role":"assistant","message":{"content":[{"ty',
        )
    )
    assert words(found) == ["hello"]
    assert of(Skipped, found) == [
        Skipped("unknown block 'video'", 2),
        Skipped("unknown record", 3),
        Skipped("not JSON", 4),
    ]


@pytest.mark.parametrize(
    ("tool", "arguments", "edits"),
    [
        ("Write", {"path": "a", "contents": "x\n"}, (Edit("a", "added", "", (("x",),)),)),
        ("write_file", {"path": "a", "content": "x"}, (Edit("a", "added", "", (("x",),)),)),
        (
            "search_replace",
            {"file_path": "a", "old_string": "x\n", "new_string": "x\ny\n"},
            (Edit("a", "modified", "", (("y",),)),),
        ),
        (
            "MultiEdit",
            {"path": "a", "edits": [{"old_string": "", "new_string": "y"}, 3]},
            (Edit("a", "modified", "", (("y",),)),),
        ),
        ("edit_file", {"target_file": "a", "code_edit": "// ..."}, (Edit("a", "modified"),)),
        ("Delete", {"path": "a"}, (Edit("a", "deleted"),)),
        ("ApplyPatch", "*** Begin Patch\n*** Delete File: a\n*** End Patch", (Edit("a", "deleted"),)),
        ("apply_patch", {"patch": "*** Begin Patch\n*** Add File: a\n+x\n"}, (Edit("a", "added", "", (("x",),)),)),
        ("Read", {"path": 3}, ()),
        ("Grep", {"path": "a"}, ()),
        ("Write", None, ()),
    ],
)
def test_edits(tool: str, arguments: Any, edits: tuple[Edit, ...]) -> None:
    assert edits_of(tool, arguments) == edits


def test_commands_of_shells() -> None:
    assert command_of("run_terminal_cmd", {"command": "make"}) == "make"
    assert command_of("Read", {"command": "make"}) == ""


# ---------------------------------------------------------------------------------------------------------------------
# Exported chats


EXPORT = "# A title\n_Exported on 15.12.2025 um 16:33:27 MEZ from Cursor (2.1.46)_\n\n---\n\n"


def test_an_exported_chat() -> None:
    body = (
        "**User**\n\none\n\n---\n\ntwo\n\n---\n\n**Cursor**\n\nyes\n\n**User**\n\nis bold\n\n---\n\n**User**\n\nthree\n"
    )
    assert events(EXPORT + body) == [
        Meta("title", "A title"),
        Meta("agent_version", "2.1.46"),
        UserWords("", "", "one\n\n---\n\ntwo"),
        AgentText("", "", "yes\n\n**User**\n\nis bold"),
        UserWords("", "", "three"),
    ]


# ---------------------------------------------------------------------------------------------------------------------
# Finding and knowing


def test_places() -> None:
    folder = "/home/some[o]ne".replace("[", "[[]") + "/.cursor/projects/*/agent-transcripts"
    assert cursor.find("/home/some[o]ne", {}) == [f"{folder}/*.txt", f"{folder}/*.jsonl", f"{folder}/*/*.jsonl"]


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (query("a"), "cursor"),
        ("\ufeff\r\nuser:\r\n<user_query>\r\na", "cursor"),
        ("user:\nhello\n\nassistant:\n[Tool call] Read\n", "cursor"),
        ("user:\nhello\n\nassistant:\nhello\n", None),
        ("The tag\n<user_query>\nof a transcript\n", None),
        (json.dumps(record("user", text("a"))) + "\n", "cursor"),
        ('{"role":"assistant","message":{"content":[{"type":"text","text":"' + "x" * 70000, "cursor"),
        (json.dumps(record("user", text("a"), type="message")), None),
        (json.dumps({"role": "user", "content": "a"}), None),
        (EXPORT, "cursor"),
        ("# A title\n\n_Exported on some day from Cursor_\n", None),
        ("# Cursor\n\n**User**\n\nhello\n", None),
    ],
)
def test_sniff(head: str, name: str | None) -> None:
    assert sniff_format(head.encode()[: 64 << 10]) == name
