"""Qwen Code: Claude Code's envelope round Gemini's messages."""

from __future__ import annotations

from typing import Any

import pytest
from transcript_events import check_damage, check_recorded, events_of, json_lines, of, recorded_cases, words

from session_frames.transcripts import claude_code, qwen_code, sniff_format
from session_frames.transcripts.base import (
    Abandon,
    AgentText,
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

AT = "2026-08-17T13:00:00.000Z"


def record(kind: str, key: str, parent: str | None = None, **more: Any) -> dict[str, Any]:
    return {"uuid": key, "parentUuid": parent, "sessionId": "s1", "timestamp": AT, "type": kind, "cwd": "/w", **more}


def user(key: str, text: str, parent: str | None = None, **more: Any) -> dict[str, Any]:
    return record("user", key, parent, message={"role": "user", "parts": [{"text": text}]}, **more)


def agent(key: str, *parts: Any, parent: str | None = None, **more: Any) -> dict[str, Any]:
    return record("assistant", key, parent, message={"role": "model", "parts": list(parts)}, **more)


def note(key: str, subtype: str, parent: str | None = None, **payload: Any) -> dict[str, Any]:
    return record("system", key, parent, subtype=subtype, systemPayload=payload)


def call(tool: str, **args: Any) -> dict[str, Any]:
    return {"functionCall": {"id": "c1", "name": tool, "args": args}}


def answer(tool: str, response: Any, **beside: Any) -> dict[str, Any]:
    part = {"functionResponse": {"id": "c1", "name": tool, "response": response}}
    return record("tool_result", "r1", message={"role": "user", "parts": [part]}, toolCallResult=beside)


def read(*records: Any) -> list[Any]:
    return events_of("qwen-code", json_lines(*records))


@pytest.mark.parametrize("case", recorded_cases("qwen-code"))
def test_recorded_words(case: str) -> None:
    found = check_recorded("qwen-code", case)
    key = "019f0000-0000-7000-8000-0000000000"
    assert of(Abandon, found) == [Abandon((f"{key}42", f"{key}43"))]
    assert [event.origin for event in of(UserWords, found)] == ["typed", "queued"]
    assert [told.value for told in of(Meta, found) if told.name == "title"] == ["Numimipoz branch tohis"]
    assert of(Usage, found) == [Usage(f"{key}46", 12, 4)]


def test_facts_are_told_when_they_change() -> None:
    found = read(
        user("a", "go", version="1", gitBranch="main"),
        agent("b", {"text": "yes"}, model="m1", version="1"),
        agent("c", {"text": "done"}, model="m1", cwd="/w/x"),
        {**note("d", "session_artifact_snapshot", summary="x"), "cwd": "/elsewhere"},
        {**note("e", "parent_session", parentSessionId="p1"), "cwd": "/w/x"},
    )
    assert of(Meta, found) == [
        Meta("session_id", "s1"),
        Meta("agent_version", "1"),
        Meta("cwd", "/w"),
        Meta("branch", "main"),
        Meta("started", AT),
        Meta("model", "m1"),
        Meta("cwd", "/w/x"),
        Meta("parent", "p1"),
    ]


def test_one_answer_in_several_records_of_one_id() -> None:
    found = read(
        agent("a", {"text": "hm", "thought": True}),
        agent("a", {"text": "yes"}, call("run_shell_command", command="make"), usageMetadata={"promptTokenCount": 9}),
        agent("a", {"text": "yes"}, call("run_shell_command", command="make"), usageMetadata={"promptTokenCount": 9}),
        answer("run_shell_command", {"output": "no rule\nExit Code: 2\n"}, status="success"),
    )
    assert found[3:] == [
        Reasoning("a", AT, "hm"),
        AgentText("a", AT, "yes"),
        ToolCall("a", AT, "c1", "run_shell_command", {"command": "make"}, (), "make"),
        Usage("a", 9),
        Usage("a", 9),
        ToolResult("c1", AT, "no rule\nExit Code: 2\n", "failed", exit_code=2),
    ]


def test_cached_tokens_are_counted_once() -> None:
    counts = {"promptTokenCount": 9, "candidatesTokenCount": 2, "cachedContentTokenCount": 4}
    assert of(Usage, read(agent("a", {"text": "x"}, usageMetadata=counts))) == [Usage("a", 5, 2, 4)]


@pytest.mark.parametrize(
    ("response", "status", "outcome", "text"),
    [
        ({"output": "x"}, "success", "passed", "x"),
        ({"error": "x"}, "error", "failed", "x"),
        ({"output": "x"}, "cancelled", "failed", "x"),
        ({"error": "x"}, "", "failed", "x"),
        ({"output": "x"}, "", "unknown", "x"),
        ({"rows": 1}, "success", "passed", '{"rows": 1}'),
    ],
)
def test_outcomes(response: Any, status: str, outcome: str, text: str) -> None:
    found = read(agent("a", call("glob", pattern="*")), answer("glob", response, status=status))
    assert of(ToolResult, found) == [ToolResult("c1", AT, text, outcome)]


@pytest.mark.parametrize(
    ("shown", "edits"),
    [
        ({"fileDiff": "@@ -1 +1 @@\n x\n+y", "originalContent": "x"}, (Edit("/w/a", "modified", added=(("y",),)),)),
        ({"fileDiff": "@@ -0,0 +1 @@\n+y", "originalContent": None}, (Edit("/w/a", "added", added=(("y",),)),)),
        ({"fileDiff": "+cut", "fileDiffTruncated": True}, None),
        ("Wrote it", None),
    ],
)
def test_the_diff_on_the_screen_knows_the_lines(shown: Any, edits: Any) -> None:
    asked = agent("a", call("write_file", file_path="/w/a", content="x\ny"))
    found = read(asked, answer("write_file", {"output": "ok"}, status="success", resultDisplay=shown))
    assert of(ToolCall, found)[0].edits == (Edit("/w/a", "modified", added=(("x", "y"),)),)
    assert of(ToolResult, found)[0].edits == edits


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({}, ["expanded"]),
        ({"systemPayload": {"displayText": "typed", "hookContext": "x"}}, ["typed"]),
        ({"provenance": "real_user"}, ["expanded"]),
        ({"provenance": "goal_runtime"}, []),
        ({"subtype": "notification"}, []),
        ({"subtype": "cron"}, []),
        ({"isSidechain": True}, []),
    ],
)
def test_who_spoke(more: dict[str, Any], said: list[str]) -> None:
    assert words(read(user("a", "expanded", **more))) == said


def test_files_named_in_a_prompt_are_written_out_behind_it() -> None:
    text = "look at @a.py\n--- Content from referenced files ---\nContent from @a.py:\nx"
    assert [word.strip() for word in words(read(user("a", text)))] == ["look at @a.py"]


def test_commands() -> None:
    found = read(
        note("a", "slash_command", phase="invocation", rawCommand="/about"),
        note("b", "slash_command", phase="result", rawCommand="/about"),
        user("c", "and now"),
        note("d", "slash_command", phase="invocation", rawCommand="/review the parser", sentToModel=True),
        user("e", "You are a reviewer. Look at: the parser"),
        agent("f", {"text": "fine"}),
        note("g", "slash_command", phase="invocation", rawCommand="/hidden x", hiddenInvocation=True),
        user("h", "thanks"),
    )
    assert [(event.text, event.origin) for event in of(UserWords, found)] == [
        ("/about", "command"),
        ("and now", "typed"),
        ("/review the parser", "command"),
        ("thanks", "typed"),
    ]


def test_answers_to_questions() -> None:
    text = "User has provided the following answers:\n\n**Colour**: blue\nor so\n**Size**: large"
    found = read(agent("a", call("ask_user_question", questions=[])), answer("ask_user_question", {"output": text}))
    assert of(UserWords, found) == [
        UserWords("c1:0", AT, "blue\nor so", "answer"),
        UserWords("c1:1", AT, "large", "answer"),
    ]


def test_a_compression_is_nobodys_words() -> None:
    history = [{"role": "user", "parts": [{"text": "so far"}]}, {"role": "model", "parts": [{"text": "ok"}]}]
    assert of(Summary, read(note("a", "chat_compression", compressedHistory=history))) == [Summary("a", AT, "so far")]


def test_only_a_rewind_abandons() -> None:
    records = (user("a", "one"), user("b", "two", "a"), user("c", "three", "a"))
    assert of(Abandon, read(*records)) == []
    assert of(Abandon, read(*records, note("d", "rewind", "a"))) == [Abandon(("b",)), Abandon(("c",))]


def test_an_automatic_title_does_not_replace_one_that_was_given() -> None:
    found = read(
        note("a", "custom_title", customTitle="guess", titleSource="auto"),
        note("b", "custom_title", customTitle="mine"),
        note("c", "custom_title", customTitle="guess again", titleSource="auto"),
    )
    assert [told.value for told in of(Meta, found) if told.name == "title"] == ["guess", "mine"]


def test_records_that_are_not_understood() -> None:
    found = read(record("novelty", "a"))
    assert found[-2:] == [
        Skipped("unknown record type 'novelty'", 1),
        NoConversation("no prompt and no answer in it"),
    ]


def test_damage() -> None:
    check_damage("qwen-code", user("a", "x\u2028y \ud83d"), agent("b", {"text": "z"}, parent="a"))


def test_neither_of_the_two_relatives_claims_the_other() -> None:
    own = json_lines(user("a", "x"))
    other = json_lines({**user("a", "x"), "message": {"role": "user", "content": "x"}})
    assert (qwen_code.sniff(own), claude_code.sniff(own)) == (True, False)
    assert (qwen_code.sniff(other), claude_code.sniff(other), sniff_format(other)) == (False, True, "claude-code")
    assert sniff_format(json_lines(note("t", "custom_title", customTitle="x")) + own) == "qwen-code"


def test_places() -> None:
    assert qwen_code.find("/h", {}) == ["/h/.qwen/projects/*/chats/*.jsonl", "/h/.qwen/tmp/*/chats/*.jsonl"]
    assert qwen_code.find("/h", {"QWEN_HOME": "/q"})[0] == "/q/projects/*/chats/*.jsonl"
