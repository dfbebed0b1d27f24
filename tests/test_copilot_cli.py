"""Copilot CLI: event streams of all layouts, and the old document."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from session_frames.errors import NotUnderstood
from session_frames.transcripts import copilot_chat, copilot_cli, sniff_format
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

CASES = Path(__file__).parent / "transcripts" / "copilot-cli"
AT = "2026-05-12T00:21:10.000Z"


def record(kind: str, key: str = "", **data: Any) -> dict[str, Any]:
    return {"type": kind, "data": data, "id": key or f"id-{kind}", "timestamp": AT, "parentId": None}


def prompt(text: str, key: str = "u1", **more: Any) -> dict[str, Any]:
    return record("user.message", key, content=text, **more)


def answer(text: str, key: str = "a1", *requests: Any, **more: Any) -> dict[str, Any]:
    return record("assistant.message", key, content=text, toolRequests=list(requests), **more)


def ask(call_id: str, tool: str = "view", arguments: Any = None) -> dict[str, Any]:
    return {"toolCallId": call_id, "name": tool, "arguments": arguments or {"path": "/w/a.py"}}


def done(call_id: str, content: str = "ok", **more: Any) -> dict[str, Any]:
    return record(
        "tool.execution_complete",
        f"d-{call_id}",
        **{"toolCallId": call_id, "success": True, "result": {"content": content}, **more},
    )


def stream(*records: Any) -> bytes:
    return b"".join(json.dumps(item).encode() + b"\n" for item in records)


def events(data: bytes) -> list[Any]:
    return list(copilot_cli.read(io.BytesIO(data)))


def of(kind: type[Any], found: list[Any]) -> list[Any]:
    return [event for event in found if isinstance(event, kind)]


def words(found: list[Any]) -> list[str]:
    return [event.text for event in of(UserWords, found)]


@pytest.mark.parametrize("case", sorted(path.name for path in CASES.iterdir()))
def test_recorded_words(case: str) -> None:
    transcript = next((CASES / case).glob("transcript.*"))
    with transcript.open("rb") as source:
        found = list(copilot_cli.read(source))
    assert [text.strip() for text in words(found)] == json.loads((CASES / case / "words.json").read_text("utf-8"))
    assert sniff_format(transcript.read_bytes()) == "copilot-cli"


def test_facts_of_a_session() -> None:
    context = {"cwd": "/w", "branch": "main", "headCommit": "abc"}
    found = events(
        stream(
            record("session.start", sessionId="s1", copilotVersion="1.0.45", startTime=AT, context=context),
            record("session.model_change", previousModel="gpt-4", newModel="gpt-5"),
            record("session.resume", context={"cwd": "/w2"}),
            record("session.title_changed", title="T"),
            prompt("hi"),
            answer("hello", model="gpt-6"),
        )
    )
    assert of(Meta, found) == [
        Meta("session_id", "s1"),
        Meta("agent_version", "1.0.45"),
        Meta("started", AT),
        Meta("cwd", "/w"),
        Meta("branch", "main"),
        Meta("base", "abc"),
        Meta("model", "gpt-5"),
        Meta("cwd", "/w2"),
        Meta("title", "T"),
        Meta("model", "gpt-6"),
    ]


def test_only_the_persons_words() -> None:
    clock = "<current_datetime>2026-01-01T00:00:00Z</current_datetime>"
    found = events(
        stream(
            prompt(f"fix <div> parsing\n\n{clock}", "u1", transformedContent="<reminder>x</reminder>"),
            prompt("", "u2", agentMode="autopilot"),
            prompt("Please continue from where you left off.", "u3", source="thinking-exhausted-continuation"),
            prompt("<skill-context>y</skill-context>", "u4", source="skill-backlog"),
            prompt("also the tests", "u5", source="immediate-prompt"),
            prompt("/review the parser", "u6", parentAgentTaskId="t"),
            record("system.message", content="You are ..."),
        )
    )
    assert of(UserWords, found) == [
        UserWords("u1", AT, "fix <div> parsing"),
        UserWords("u5", AT, "also the tests", "queued"),
        UserWords("u6", AT, "/review the parser", "command"),
    ]
    assert of(Skipped, found) == []


def test_parallel_calls_and_one_without_result() -> None:
    found = events(
        stream(
            prompt("go"),
            answer("", "a1", ask("c1"), ask("c2", "bash", {"command": "make"}), reasoningText="hm", outputTokens=7),
            done("c2", "fail\n<exited with exit code 2>"),
            done("c1"),
            answer("so", "a2", ask("c3")),
        )
    )
    assert found[1:] == [
        Reasoning("a1", AT, "hm"),
        ToolCall("a1", AT, "c1", "view", {"path": "/w/a.py"}, (Edit("/w/a.py", "read"),)),
        ToolCall("a1", AT, "c2", "bash", {"command": "make"}, (), "make"),
        Usage("a1", output=7),
        ToolResult("c2", AT, "fail\n<exited with exit code 2>", "failed", exit_code=2),
        ToolResult("c1", AT, "ok", "passed"),
        AgentText("a2", AT, "so"),
        ToolCall("a2", AT, "c3", "view", {"path": "/w/a.py"}, (Edit("/w/a.py", "read"),)),
    ]


@pytest.mark.parametrize(
    ("tool", "arguments", "edits"),
    [
        ("create", {"path": "a", "file_text": "x\ny\n"}, (Edit("a", "added", added=(("x", "y"),)),)),
        ("edit", {"path": "a", "old_str": "x\ny", "new_str": "x\nz"}, (Edit("a", "modified", added=(("z",),)),)),
        (
            "str_replace_editor",
            {"command": "insert", "path": "a", "insert_line": 1, "new_str": "z\n"},
            (Edit("a", "modified", added=(("z",),)),),
        ),
        ("str_replace_editor", {"command": "view", "path": "a"}, (Edit("a", "read"),)),
        (
            "apply_patch",
            "*** Begin Patch\n*** Update File: a\n@@\n x\n+z\n*** End Patch",
            (Edit("a", "modified", added=(("z",),)),),
        ),
        (
            "multi_replace_string_in_file",
            json.dumps({"replacements": [{"filePath": "a", "newString": "x"}, {"filePath": "a", "newString": "y"}]}),
            (Edit("a", "modified", added=(("x",), ("y",))),),
        ),
        ("report_intent", {"intent": "look"}, ()),
    ],
)
def test_files_of_a_call(tool: str, arguments: Any, edits: tuple[Edit, ...]) -> None:
    found = events(stream(answer("", "a1", ask("c1", tool, arguments))))
    assert of(ToolCall, found)[0].edits == edits


def test_execution_without_a_request_is_a_call() -> None:
    start = record("tool.execution_start", "e1", toolCallId="c1", toolName="bash", arguments={"command": "ls"})
    found = events(stream(prompt("x"), start, start, done("c1")))
    assert [event.command for event in of(ToolCall, found)] == ["ls"]


def test_failed_and_lost_calls() -> None:
    error = {"message": "no such path", "code": "failure"}
    found = events(
        stream(answer("", "a1", ask("c1")), done("c1", success=False, result=None, error=error), done("unknown"))
    )
    assert of(ToolResult, found) == [ToolResult("c1", AT, "no such path", "failed")]
    assert of(Skipped, found) == [Skipped("result without its call", 3)]


def test_answers_and_reasons_are_words() -> None:
    refusal = {"message": "The user rejected this tool call. User feedback: not there", "code": "rejected"}
    found = events(
        stream(
            prompt("go"),
            answer("", "a1", *(ask(f"c{n}", "ask_user", {"question": "?"}) for n in (1, 2, 3)), ask("c4"), ask("c5")),
            done("c1", "User responded: use B\nplease"),
            done("c2", "User selected: A"),
            done("c3", "User responded: The user is not available to respond and will review your work later."),
            done("c4", success=False, result=None, error=refusal),
            record("permission.completed", "p5", toolCallId="c5", result={"kind": "denied", "feedback": "why?"}),
            done("c5", success=False, result=None, error={"message": f"{refusal['message'][:49]}why?"}),
        )
    )
    assert [(event.text, event.origin) for event in of(UserWords, found)[1:]] == [
        ("use B\nplease", "answer"),
        ("A", "answer"),
        ("not there", "answer"),
        ("why?", "answer"),
    ]


def test_subagents_are_left_out() -> None:
    inner = {**prompt("do the part", "u9"), "agentId": "helper"}
    found = events(
        stream(
            prompt("go"),
            answer("", "a1", ask("c1", "task", {"prompt": "p"})),
            inner,
            answer("inner", "a2", ask("c9"), parentToolCallId="c1"),
            record("tool.execution_start", toolCallId="c9", toolName="view", parentToolCallId="c1"),
            done("c9"),
            done("c1", "summary"),
        )
    )
    assert words(found) == ["go"]
    assert [event.id for event in of(ToolCall, found)] == ["c1"]
    assert of(Skipped, found) == []


def test_compaction_rewind_and_totals() -> None:
    usage = {"inputTokens": 10, "outputTokens": 2, "cacheReadTokens": 7, "cacheWriteTokens": 1}
    found = events(
        stream(
            prompt("one", "u1"),
            answer("1", "a1"),
            prompt("two", "u2"),
            answer("2", "a2"),
            record("session.snapshot_rewind", upToEventId="u2", eventsRemoved=2),
            record("session.compaction_complete", "k", success=True, summaryContent="all so far"),
            record("session.shutdown", modelMetrics={"a": {"usage": usage}, "b": {"usage": usage}, "c": None}),
        )
    )
    assert found[-3:] == [
        Abandon(("u2", "a2")),
        Summary("k", AT, "all so far"),
        Usage("session:total", 20, 4, 14, 2, total=True),
    ]


def test_unknown_records_are_told_and_noise_is_not() -> None:
    found = events(stream(prompt("x"), record("session.info"), record("moon.rise"), {"id": "y"}, {"type": "abort"}))
    assert of(Skipped, found) == [Skipped("unknown record type 'moon.rise'", 3), Skipped("record without a type", 4)]


@pytest.mark.parametrize(
    ("damage", "count", "lines"),
    [
        (lambda lines: [*lines[:4], lines[4][: len(lines[4]) // 2]], 4, [5]),
        (lambda lines: [*lines[:2], b"\0" * 300, *lines[2:]], 5, [3]),
        (lambda lines: [*lines[:2], b'{"type":"x","prN' + lines[2], *lines[3:]], 5, [3]),
        (lambda lines: [*lines[:2], b"", *lines[2:]], 5, []),
        (lambda lines: [*lines, b"\0" * 1700], 5, [6]),
    ],
    ids=["cut", "nul line", "glued stub", "blank line", "nul tail"],
)
def test_damaged_lines_hide_nothing_else(damage: Any, count: int, lines: list[int]) -> None:
    whole = [stream(prompt(f"words {number}", f"u{number}")).strip() for number in range(5)]
    found = events(b"\n".join(damage(whole)))
    assert words(found) == [f"words {number}" for number in range(count)]
    assert [event.line for event in of(Skipped, found)] == lines


def test_separators_and_lone_surrogates_stay() -> None:
    text = "x\u2028y\u2029z\u0085w\x1c"
    raw = json.dumps(prompt(text), ensure_ascii=False).encode() + b"\n" + stream(prompt("cut \ud83d", "u2"))
    assert words(events(raw)) == [text, "cut \ud83d"]


def test_no_conversation() -> None:
    assert isinstance(events(stream(record("session.start", sessionId="s1")))[-1], NoConversation)
    assert isinstance(events(b"id: 1\ncwd: /w\n")[-1], NoConversation)
    assert not copilot_cli.sniff(b"id: 1\ncwd: /w\n")


def test_streams_for_stop_hooks_are_read_by_either() -> None:
    data = stream(
        record("session.start", sessionId="s1", producer="copilot-agent", vscodeVersion="1.109.3"), prompt("hi")
    )
    assert list(copilot_chat.read(io.BytesIO(data))) == events(data)
    assert sniff_format(data) == "copilot-cli"


# ---------------------------------------------------------------------------------------------------------------------
# The old document


def old(*timeline: Any, **more: Any) -> bytes:
    chat = [{"role": "user", "content": "hi\n\n<reminder>\nbe quick\n</reminder>"}]
    return json.dumps({"sessionId": "s1", "startTime": AT, "chatMessages": chat, "timeline": timeline, **more}).encode()


def test_old_document() -> None:
    call = {"id": "t1", "timestamp": AT, "callId": "c1", "name": "bash", "arguments": {"command": "ls"}}
    data = old(
        {"type": "info", "text": "Connected"},
        {"type": "user", "id": "u1", "timestamp": AT, "text": "hi", "expandedText": "hi\nfile body"},
        {"type": "tool_call_requested", **call},
        {"type": "tool_call_completed", **call, "result": {"type": "failure", "log": "no"}},
        {"type": "copilot", "id": "a1", "timestamp": AT, "text": "done"},
        {"type": "puzzle"},
        selectedModel="gpt-5",
    )
    assert copilot_cli.sniff(data)
    assert events(data) == [
        Meta("session_id", "s1"),
        Meta("started", AT),
        Meta("model", "gpt-5"),
        UserWords("u1", AT, "hi"),
        ToolCall("t1", AT, "c1", "bash", {"command": "ls"}, (), "ls"),
        ToolResult("c1", AT, "no", "failed"),
        AgentText("a1", AT, "done"),
        Skipped("unknown record type 'puzzle'", 0),
    ]


def test_old_document_without_a_talk() -> None:
    assert isinstance(events(old({"type": "info", "text": "Model changed"}))[-1], NoConversation)
    with pytest.raises(NotUnderstood):
        events(old()[:-5])


@pytest.mark.parametrize("value", [None, True, 3, 1.5, "x", [], [None], {}, {"a": []}])
def test_any_type_in_any_place(value: Any) -> None:
    for whole in (prompt("a"), answer("b", "a1", ask("c1")), done("c1"), record("session.start", context={})):
        changed = [{**whole, key: value} for key in whole]
        changed += [{**whole, "data": {**whole["data"], key: value}} for key in whole["data"]]
        assert words(events(stream(*changed, prompt("after"))))[-1] == "after"
    events(old(value, {"type": "user", "text": value}, {"type": "tool_call_completed", "result": value}))
    events(old(chatMessages=[], timeline=value))


def test_places() -> None:
    assert "/h/.copilot/session-state/*/events.jsonl" in copilot_cli.find("/h", {})
    assert "/c[[]1]/session-state/*.jsonl" in copilot_cli.find("/h", {"COPILOT_HOME": "/c[1]"})
