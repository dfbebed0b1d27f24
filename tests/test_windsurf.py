"""Windsurf: steps without ids and times."""

from __future__ import annotations

from typing import Any

import pytest
from transcript_events import check_damage, check_recorded, events_of, json_lines, of, recorded_cases, words

from session_frames.transcripts import windsurf
from session_frames.transcripts.base import (
    AgentText,
    Edit,
    Meta,
    NoConversation,
    Skipped,
    ToolCall,
    ToolResult,
    UserWords,
)


def step(kind: str, status: str = "done", **fields: Any) -> dict[str, Any]:
    return {"type": kind, "status": status, kind: fields}


def read(*records: Any) -> list[Any]:
    return events_of("windsurf", json_lines(*records))


@pytest.mark.parametrize("case", recorded_cases("windsurf"))
def test_recorded_words(case: str) -> None:
    found = check_recorded("windsurf", case)
    assert len(of(ToolCall, found)) == len(of(ToolResult, found)) == 18
    assert {edit.path for told in of(ToolCall, found) for edit in told.edits if edit.change != "read"} == {
        "/Users/dev/Desktop/eludobe-ipopabag-git-ai/igi.md"
    }


def test_words_and_answers() -> None:
    found = read(step("user_input", user_response="go "), step("planner_response", response="yes"))
    assert found == [UserWords("", "", "go "), AgentText("", "", "yes")]


def test_a_command_and_the_folder_it_ran_in() -> None:
    found = read(
        step("run_command", command="make", cwd="/w", exit_code=2, output="no rule", user_rejected=False),
        step("run_command", command="ls", cwd="/w/x", exit_code=0, output="", user_rejected=False),
    )
    assert found == [
        Meta("cwd", "/w"),
        ToolCall("", "", "step:1", "run_command", {"command": "make", "cwd": "/w"}, (), "make"),
        ToolResult("step:1", "", "no rule", "failed", exit_code=2),
        ToolCall("", "", "step:2", "run_command", {"command": "ls", "cwd": "/w/x"}, (), "ls"),
        ToolResult("step:2", "", "", "passed", exit_code=0),
    ]


@pytest.mark.parametrize(
    ("record", "outcome"),
    [
        (step("grep_search", query="x", total_results=3), "passed"),
        (step("list_resources", "error", server_name="m"), "failed"),
        (step("code_action", path="/a", new_content="x", acknowledgement_type="ACKNOWLEDGEMENT_TYPE_REJECT"), "failed"),
        (step("run_command", command="x", user_rejected=True), "failed"),
    ],
)
def test_outcomes(record: dict[str, Any], outcome: str) -> None:
    assert [told.outcome for told in of(ToolResult, read(record))] == [outcome]


def test_a_step_that_is_not_over_has_no_result() -> None:
    found = read(step("grep_search", "running", query="x"))
    assert (len(of(ToolCall, found)), of(ToolResult, found)) == (1, [])


@pytest.mark.parametrize(
    ("record", "edit"),
    [
        (
            step("code_action", path="file:///w/a%20b.md", original_content="x\n", new_content="x\ny\n"),
            Edit("/w/a b.md", "modified", added=(("y",),)),
        ),
        (
            step("code_action", path="file:///c%3A/w/a.md", new_content="y\n"),
            Edit("c:/w/a.md", "added", added=(("y",),)),
        ),
        (step("view_file", path="file:///w/a.md", content="x"), Edit("/w/a.md", "read")),
    ],
)
def test_files(record: dict[str, Any], edit: Edit) -> None:
    assert of(ToolCall, read(record))[0].edits == (edit,)


def test_steps_without_their_fields_are_told() -> None:
    found = read({"type": "view_file", "status": "done"}, {"type": [], "status": 1})
    assert found == [
        Skipped("step 'view_file' without its fields", 1),
        Skipped("step '' without its fields", 2),
        NoConversation("no prompt and no answer in it"),
    ]


def test_damage() -> None:
    check_damage(
        "windsurf", step("user_input", user_response="x\u2028y \ud83d"), step("planner_response", response="z")
    )
    assert words(read(step("user_input", user_response=5))) == []


def test_known_by_fields_under_the_name_of_the_type() -> None:
    assert windsurf.sniff(json_lines(step("user_input", user_response="x")))
    assert not windsurf.sniff(json_lines({"type": "user", "status": "done", "message": {}}))


def test_places() -> None:
    assert windsurf.find("/h", {}) == ["/h/.windsurf/transcripts/*.jsonl"]
