"""Amp: threads as documents."""

from __future__ import annotations

import json
from typing import Any

import pytest
from transcript_events import check_recorded, events_of, of, recorded_cases, words

from session_frames.errors import NotUnderstood
from session_frames.transcripts import amp
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
    Usage,
    UserWords,
)

AT = "2026-02-28T01:13:27.454Z"
USAGE = {
    "model": "m1",
    "inputTokens": 1,
    "outputTokens": 2,
    "cacheReadInputTokens": 3,
    "cacheCreationInputTokens": 4,
    "timestamp": AT,
}


def user(*blocks: Any, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks), "meta": {"sentAt": 1772241201792}, **more}


def agent(*blocks: Any, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks), "usage": USAGE, **more}


def text(value: str) -> dict[str, str]:
    return {"type": "text", "text": value}


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": "c1", "name": tool, "input": arguments, "complete": True}


def answer(status: str, result: Any) -> dict[str, Any]:
    return {"type": "tool_result", "toolUseID": "c1", "run": {"status": status, "result": result}}


def thread(*messages: Any, **more: Any) -> bytes:
    return json.dumps({"v": 1, "id": "T-0", "created": 1772241173221, "messages": messages, **more}, indent=1).encode()


def read(*messages: Any, **more: Any) -> list[Any]:
    return events_of("amp", thread(*messages, **more))


@pytest.mark.parametrize("case", recorded_cases("amp"))
def test_recorded_words(case: str) -> None:
    check_recorded("amp", case)


def test_facts() -> None:
    place = {
        "trees": [
            {"uri": "file:///Users/x/my%20app", "repository": {"ref": "refs/heads/main", "sha": "1cb5", "url": "u"}},
            {"uri": "file:///other"},
        ],
        "platform": {"clientVersion": "0.1"},
    }
    found = read(env={"initial": place}, title="A title")
    assert found == [
        Meta("session_id", "T-0"),
        Meta("started", "2026-02-28T01:12:53.221Z"),
        Meta("title", "A title"),
        Meta("cwd", "/Users/x/my app"),
        Meta("branch", "main"),
        Meta("base", "1cb5"),
        Meta("agent_version", "0.1"),
        NoConversation("no prompt and no answer in it"),
    ]


def test_one_exchange() -> None:
    found = read(
        user(text("do"), text("it")),
        agent(text("\n"), {"type": "thinking", "thinking": "hm"}, text("yes"), call("Bash", cmd="make")),
        user(answer("done", {"output": "no rule", "exitCode": 2})),
    )
    assert found[2:] == [
        UserWords("message:0", "2026-02-28T01:13:21.792Z", "do\nit"),
        Meta("model", "m1"),
        Reasoning("message:1", AT, "hm"),
        AgentText("message:1", AT, "yes"),
        ToolCall("message:1", AT, "c1", "Bash", {"cmd": "make"}, (), "make"),
        Usage("message:1", 1, 2, 3, 4),
        ToolResult("c1", "", "no rule", "failed", exit_code=2),
    ]


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        ("done", "passed"),
        ("error", "failed"),
        ("cancelled", "failed"),
        ("rejected-by-user", "failed"),
        ("in-progress", "unknown"),
    ],
)
def test_outcomes(status: str, outcome: str) -> None:
    (told,) = of(ToolResult, read(agent(call("Read", path="/w/a")), user(answer(status, {"content": "1: x"}))))
    assert (told.outcome, told.text) == (outcome, "1: x")


def test_the_diff_of_a_result_knows_the_lines_better_than_the_call() -> None:
    asked = agent(call("edit_file", path="/w/a", old_str="x", new_str="x\nz"))
    found = read(asked, user(answer("done", {"diff": "@@ -1 +1,2 @@\n x\n+y"})))
    assert of(ToolCall, found)[0].edits == (Edit("/w/a", "modified", added=(("z",),)),)
    assert of(ToolResult, found)[0].edits == (Edit("/w/a", "modified", added=(("y",),)),)


def test_results_without_a_text_of_their_own_are_told_as_json() -> None:
    found = read(agent(call("Grep", pattern="x")), user(answer("done", [{"path": "a"}])))
    assert [told.text for told in of(ToolResult, found)] == ['[{"path": "a"}]']


def test_a_summary_is_nobodys_words() -> None:
    row = {"role": "info", "content": [{"type": "summary", "summary": {"type": "message", "summary": "so far"}}]}
    found = read(row, {"role": "stranger"})
    assert of(Summary, found) == [Summary("message:0", "", "so far")]
    assert of(Skipped, found) == [Skipped("unknown role 'stranger'", 0)]


def test_damage() -> None:
    with pytest.raises(NotUnderstood):
        events_of("amp", thread(user(text("x")))[:-9])
    assert words(events_of("amp", thread(user(text("x\u2028y \ud83d"))))) == ["x\u2028y \ud83d"]
    assert events_of("amp", b"[]") == [NoConversation("no prompt and no answer in it")]


def test_known_by_the_id_of_the_thread() -> None:
    assert amp.sniff(thread())
    assert not amp.sniff(thread().replace(b"T-0", b"0"))
    assert not amp.sniff(b"[" + thread() + b"]")


def test_places() -> None:
    assert amp.find("/h", {}) == ["/h/.local/share/amp/threads/T-*.json"]
    assert amp.find("/h", {"XDG_DATA_HOME": "/d"}) == ["/d/amp/threads/T-*.json"]
