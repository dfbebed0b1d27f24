"""CodeBuddy: messages, calls and results as lines of their own."""

from __future__ import annotations

import json
from typing import Any

import pytest
from transcript_events import check_damage, check_recorded, events_of, json_lines, of, recorded_cases, words

from session_frames.transcripts import codebuddy
from session_frames.transcripts.base import (
    AgentText,
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

COUNTS = {"inputTokens": 9, "outputTokens": 2, "inputTokensDetails": [{"cached_tokens": 4}]}


def record(kind: str, key: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "id": key, "providerData": {"agent": "cli"}, **more}


def user(key: str, *texts: str, **more: Any) -> dict[str, Any]:
    content = [{"type": "input_text", "text": text} for text in texts]
    return record("message", key, role="user", content=content, **more)


def agent(key: str, text: str, **more: Any) -> dict[str, Any]:
    return record("message", key, role="assistant", content=[{"type": "output_text", "text": text}], **more)


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    return record("function_call", "f1", callId="c1", name=tool, arguments=json.dumps(arguments))


def answer(tool: str, text: str, status: str = "completed") -> dict[str, Any]:
    output = {"type": "text", "text": text}
    return record("function_call_result", "r1", callId="c1", name=tool, status=status, output=output)


def read(*records: Any) -> list[Any]:
    return events_of("codebuddy", json_lines(*records))


@pytest.mark.parametrize("case", recorded_cases("codebuddy"))
def test_recorded_words(case: str) -> None:
    found = check_recorded("codebuddy", case)
    assert [(told.outcome, told.exit_code) for told in of(ToolResult, found)] == [
        ("failed", 243),
        ("failed", 1),
        ("passed", 0),
    ]
    assert of(Usage, found)[1] == Usage("d6a3d45724234d4f973d33c281cfa9cd", 15370 - 14258, 104, 14258)


def test_one_exchange_of_a_newer_version() -> None:
    more = {"timestamp": 1772241173221, "sessionId": "s1", "cwd": "/w", "gitBranch": "main"}
    provided = {"agent": "cli", "model": "m1", "usage": COUNTS}
    at = "2026-02-28T01:12:53.221Z"
    found = read(
        user("a", "<system-reminder>be brief</system-reminder>", "go", **more),
        record("reasoning", "b", rawContent=[{"type": "reasoning_text", "text": "hm"}]),
        agent("c", "yes", **more, providerData=provided),
        agent("c", "yes", **more, providerData=provided),
        record("topic", "d", topic="A title"),
    )
    assert found == [
        Meta("session_id", "s1"),
        Meta("cwd", "/w"),
        Meta("branch", "main"),
        Meta("started", at),
        UserWords("a", at, "go"),
        Reasoning("b", "", "hm"),
        Meta("model", "m1"),
        AgentText("c", at, "yes"),
        Usage("c", 5, 2, 4),
        Meta("title", "A title"),
    ]


def test_a_call_and_its_result() -> None:
    found = read(call("Bash", command="make"), answer("Bash", "Stdout: x\nError: (none)\nExit Code: 2\nSignal: (none)"))
    assert found == [
        ToolCall("f1", "", "c1", "Bash", {"command": "make"}, (), "make"),
        ToolResult("c1", "", "Stdout: x\nError: (none)\nExit Code: 2\nSignal: (none)", "failed", exit_code=2),
    ]
    (edited,) = of(ToolCall, read(call("Edit", file_path="/w/a", old_string="x", new_string="y")))
    assert edited.edits == (Edit("/w/a", "modified", added=(("y",),)),)


@pytest.mark.parametrize(("status", "outcome"), [("completed", "passed"), ("failed", "failed"), ("queued", "unknown")])
def test_outcomes(status: str, outcome: str) -> None:
    found = read(call("Read", file_path="/w/a"), answer("Read", "x", status))
    assert of(ToolResult, found) == [ToolResult("c1", "", "x", outcome)]


def test_commands_questions_and_refusals() -> None:
    command = (
        "<command-message>review</command-message><command-name>/review</command-name><command-args>it</command-args>"
    )
    asked = call("AskUserQuestion", questions=[{"question": "Which?"}])
    refusal = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nnot now"
    assert words(read(user("a", command))) == ["/review it"]
    assert words(read(asked, answer("AskUserQuestion", 'answered: "Which?"="blue". You can now continue'))) == ["blue"]
    assert words(read(call("Write", file_path="/w/a"), answer("Write", refusal))) == ["not now"]


def test_results_without_a_text_are_told_as_json() -> None:
    found = read(call("X"), {**answer("X", ""), "output": {"type": "image"}})
    assert of(ToolResult, found)[0].text == '{"type": "image"}'


def test_records_that_are_not_understood() -> None:
    assert read(record("novelty", "a"), record("summary", "b")) == [
        Skipped("unknown record type 'novelty'", 1),
        NoConversation("no prompt and no answer in it"),
    ]


def test_damage() -> None:
    check_damage("codebuddy", user("a", "x\u2028y \ud83d"), agent("b", "z"))


def test_known_by_the_data_of_the_provider() -> None:
    assert codebuddy.sniff(json_lines(call("Bash")))
    assert not codebuddy.sniff(json_lines({**user("a", "x"), "providerData": None}))


def test_places() -> None:
    assert codebuddy.find("/h", {}) == ["/h/.codebuddy/projects/*/*.jsonl"]
    assert codebuddy.find("/h", {"CODEBUDDY_CONFIG_DIR": "/c"}) == ["/c/projects/*/*.jsonl"]
