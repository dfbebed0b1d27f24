"""Antigravity: steps, whose answers belong to the open calls."""

from __future__ import annotations

import json
from typing import Any

import pytest
from transcript_events import check_damage, check_recorded, events_of, json_lines, of, recorded_cases, words

from session_frames.transcripts import antigravity
from session_frames.transcripts.base import (
    AgentText,
    Edit,
    Meta,
    NoConversation,
    Reasoning,
    Skipped,
    Summary,
    ToolCall,
    ToolResult,
    UserWords,
)

AT = "2026-06-26T21:16:16Z"


def step(kind: str, source: str = "MODEL", **more: Any) -> dict[str, Any]:
    return {"step_index": 0, "source": source, "type": kind, "status": "DONE", "created_at": AT, **more}


def user(content: str, source: str = "USER_EXPLICIT") -> dict[str, Any]:
    return step("USER_INPUT", source, content=content)


def call(tool: str, **args: Any) -> dict[str, Any]:
    return {"name": tool, "args": {key: json.dumps(value) for key, value in args.items()}}


def asked(*calls: dict[str, Any], **more: Any) -> dict[str, Any]:
    return step("PLANNER_RESPONSE", tool_calls=list(calls), **more)


def read(*records: Any) -> list[Any]:
    return events_of("antigravity", json_lines(*records))


@pytest.mark.parametrize("case", recorded_cases("antigravity"))
def test_recorded_words(case: str) -> None:
    found = check_recorded("antigravity", case)
    tools = {told.id: told.tool for told in of(ToolCall, found)}
    assert [tools[told.id] for told in of(ToolResult, found)][:5] == [
        "list_dir",
        "view_file",
        "run_command",
        "write_file",
        "search_web",
    ]
    assert [told.edits for told in of(ToolResult, found)][3] == (Edit("/tmp/repo/solum.md", "added"),)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("<USER_REQUEST>\nfix <b>it</b>\n\nnow\n</USER_REQUEST>\n<ADDITIONAL_METADATA>\nx\n</ADDITIONAL_METADATA>", 1),
        ("fix <b>it</b>\n\nnow\n<USER_SETTINGS_CHANGE>\nx\n</USER_SETTINGS_CHANGE>", 1),
        ("<USER_SETTINGS_CHANGE>\nx\n</USER_SETTINGS_CHANGE>", 0),
        ("<USER_REQUEST>\n\n</USER_REQUEST>", 0),
    ],
)
def test_words_are_those_of_the_request(content: str, said: int) -> None:
    assert words(read(user(content))) == ["fix <b>it</b>\n\nnow"] * said


def test_what_the_program_sends_is_no_word() -> None:
    found = read(
        user("x", "SYSTEM"), step("SYSTEM_MESSAGE", "SYSTEM", content="y"), step("CONVERSATION_HISTORY", "SYSTEM")
    )
    assert found == [Meta("started", AT), NoConversation("no prompt and no answer in it")]


def test_one_exchange() -> None:
    found = read(
        user("go"),
        asked(call("run_command", CommandLine="make", Cwd="/w"), thinking="hm", content="yes"),
        step("RUN_COMMAND", content="The command failed with exit code: 2\nOutput:\nno rule"),
        step("CHECKPOINT", "SYSTEM", content="so far"),
    )
    assert found == [
        Meta("started", AT),
        UserWords("", AT, "go"),
        Reasoning("", AT, "hm"),
        AgentText("", AT, "yes"),
        Meta("cwd", "/w"),
        ToolCall("", AT, "step:2:0", "run_command", {"CommandLine": "make", "Cwd": "/w"}, (), "make"),
        ToolResult("step:2:0", AT, "The command failed with exit code: 2\nOutput:\nno rule", "failed", exit_code=2),
        Summary("", AT, "so far"),
    ]


def test_answers_find_the_call_of_their_kind_and_an_old_one_none() -> None:
    found = read(
        asked(call("grep_search", Query="x"), call("view_file", AbsolutePath="/w/a"), call("novel_tool")),
        step("VIEW_FILE", content="File Path: `file:///w/a`\n1: x"),
        step("NOVEL_STEP", content="n"),
        asked(call("list_dir", DirectoryPath="/w")),
        step("GREP_SEARCH", content="late"),
    )
    tools = {told.id: told.tool for told in of(ToolCall, found)}
    assert [(told.id, tools[told.id]) for told in of(ToolResult, found)] == [
        ("step:1:1", "view_file"),
        ("step:1:0", "grep_search"),
        ("step:5", "grep_search"),
    ]
    assert of(ToolCall, found)[1].edits == (Edit("/w/a", "read"),)


@pytest.mark.parametrize(
    ("told", "edit"),
    [
        (
            call("write_to_file", TargetFile="/w/a", CodeContent='{"x": 1}'),
            Edit("/w/a", "modified", added=(('{"x": 1}',),)),
        ),
        (
            call("replace_file_content", TargetFile="/w/a", TargetContent="x", ReplacementContent="y"),
            Edit("/w/a", "modified", added=(("y",),)),
        ),
        (
            call("multi_replace_file_content", TargetFile="/w/a", ReplacementChunks=[{"ReplacementContent": "y"}]),
            Edit("/w/a", "modified", added=(("y",),)),
        ),
        ({"name": "view_file", "args": {"AbsolutePath": "/w/a"}}, Edit("/w/a", "read")),
    ],
)
def test_files(told: dict[str, Any], edit: Edit) -> None:
    assert of(ToolCall, read(asked(told)))[0].edits == (edit,)


@pytest.mark.parametrize(
    ("status", "outcome"), [("DONE", "passed"), ("ERROR", "failed"), ("CANCELED", "failed"), ("RUNNING", "unknown")]
)
def test_outcomes(status: str, outcome: str) -> None:
    found = read(asked(call("list_dir")), step("LIST_DIRECTORY", content="x", status=status))
    assert [told.outcome for told in of(ToolResult, found)] == [outcome]


def test_a_step_without_a_type_is_told() -> None:
    assert of(Skipped, read(user("x"), {"step_index": 1, "source": "SYSTEM"})) == [Skipped("step without a type", 2)]


def test_damage() -> None:
    check_damage("antigravity", user("x\u2028y \ud83d"), asked(content="z"))


def test_known_by_numbered_steps() -> None:
    assert antigravity.sniff(json_lines(user("x")))
    assert not antigravity.sniff(json_lines({**user("x"), "step_index": "0"}))


def test_places() -> None:
    assert antigravity.find("/h", {}) == [
        "/h/.gemini/antigravity/brain/*/.system_generated/logs/transcript.jsonl",
        "/h/.gemini/antigravity-cli/brain/*/.system_generated/logs/transcript.jsonl",
    ]
