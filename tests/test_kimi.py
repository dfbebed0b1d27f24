"""Kimi: the wire log of Kimi Code, and that of Kimi CLI before it."""

from __future__ import annotations

from typing import Any

import pytest
from transcript_events import check_damage, check_recorded, events_of, json_lines, of, recorded_cases, words

from session_frames.transcripts import kimi
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

TIME = 1784950605093
AT = "2026-07-25T03:36:45.093Z"


def record(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "time": TIME, **more}


def said(kind: str, text: str, source: str = "user") -> dict[str, Any]:
    return record(kind, input=[{"type": "text", "text": text}], origin={"kind": source})


def appended(text: str, source: str = "user", role: str = "user") -> dict[str, Any]:
    content = [{"type": "text", "text": text}]
    return record("context.append_message", message={"role": role, "content": content, "origin": {"kind": source}})


def loop(kind: str, **more: Any) -> dict[str, Any]:
    return record("context.append_loop_event", event={"type": kind, **more})


def call(tool: str, **args: Any) -> dict[str, Any]:
    return loop("tool.call", uuid="k1", toolCallId="c1", name=tool, args=args)


def answer(output: Any, **more: Any) -> dict[str, Any]:
    return loop("tool.result", toolCallId="c1", result={"output": output, **more})


def older(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": TIME / 1000, "message": {"type": kind, "payload": payload}}


def read(*records: Any) -> list[Any]:
    return events_of("kimi", json_lines(*records))


@pytest.mark.parametrize("case", recorded_cases("kimi"))
def test_recorded_words(case: str) -> None:
    found = check_recorded("kimi", case)
    assert [event.origin for event in of(UserWords, found)] == ["typed", "queued", "typed"]
    assert of(Meta, found) == [
        Meta("started", "2026-07-25T03:35:09.920Z"),
        Meta("model", "kimi-k2.7-code"),
        Meta("cwd", "/private/tmp/as-agent-pos/zede/project"),
    ]
    assert of(Skipped, found) == []


def test_one_exchange() -> None:
    usage = {"inputOther": 1, "output": 2, "inputCacheRead": 3, "inputCacheCreation": 4}
    found = read(
        said("turn.prompt", "go"),
        appended("go"),
        record("llm.request", model="m1", attempt="2/10"),
        record("llm.request", model="m1", attempt="3/10"),
        loop("content.part", uuid="p1", part={"type": "think", "think": "hm"}),
        loop("content.part", uuid="p2", part={"type": "text", "text": "yes"}),
        call("Bash", command="make"),
        call("Bash", command="make"),
        answer("no rule\nexit code: 2", isError=True),
        loop("step.end", uuid="e1", usage=usage),
        record("turn.ended", reason="completed"),
    )
    assert found == [
        UserWords("", AT, "go"),
        Meta("model", "m1"),
        Reasoning("p1", AT, "hm"),
        AgentText("p2", AT, "yes"),
        ToolCall("k1", AT, "c1", "Bash", {"command": "make"}, (), "make"),
        ToolResult("c1", AT, "no rule\nexit code: 2", "failed", exit_code=2),
        Usage("e1", 1, 2, 3, 4),
    ]


def test_a_message_of_the_context_repeats_prompts_and_tells_what_no_record_prompted() -> None:
    found = read(
        appended("from before"),
        said("turn.prompt", "one"),
        said("turn.steer", "two"),
        appended("one"),
        appended("two"),
        appended("reminder", "injection"),
        appended("summary", "compaction_summary"),
        appended("answer", role="assistant"),
    )
    assert [(event.text, event.origin) for event in of(UserWords, found)] == [
        ("from before", "typed"),
        ("one", "typed"),
        ("two", "queued"),
    ]


@pytest.mark.parametrize(
    "source", ["injection", "system_trigger", "background_task", "cron_job", "hook_result", "retry"]
)
def test_prompts_of_the_program_are_no_words(source: str) -> None:
    assert words(read(said("turn.prompt", "x", source), said("turn.steer", "x", source))) == []


def test_the_alias_stands_for_a_model_that_is_never_named() -> None:
    found = read(record("config.update", modelAlias="a/m1", cwd="/w"), said("turn.prompt", "x"))
    assert of(Meta, found) == [Meta("cwd", "/w"), Meta("model", "a/m1")]


def test_files_and_answers() -> None:
    edited = read(call("Edit", path="/w/a", old_string="x", new_string="y"), answer([{"type": "text", "text": "ok"}]))
    assert of(ToolCall, edited)[0].edits == (Edit("/w/a", "modified", added=(("y",),)),)
    assert of(ToolResult, edited) == [ToolResult("c1", AT, "ok", "passed")]
    asked = read(call("AskUserQuestion", questions=[]), answer('{"answers": {"Which?": "blue", "Why?": ""}}'))
    assert of(UserWords, asked) == [UserWords("c1:0", AT, "blue", "answer")]
    assert of(ToolResult, read(call("X"), answer({"rows": 1})))[0].text == '{"rows": 1}'


def test_a_compaction_is_nobodys_words() -> None:
    assert of(Summary, read(record("context.apply_compaction", summary="so far"))) == [Summary("", AT, "so far")]


def test_the_log_of_a_sub_agent_is_no_conversation() -> None:
    found = read({**said("turn.prompt", "look"), "agentId": "agent-0"}, {**call("Read"), "agentId": "agent-0"})
    assert (words(found), len(of(ToolCall, found))) == ([], 1)
    assert found[-1] == NoConversation("the session of a sub-agent")


def test_the_older_log() -> None:
    usage = {"input_other": 1, "output": 2, "input_cache_read": 3, "input_cache_creation": 4}
    replaced = '{"path": "/w/a", "edit": {"old": "x", "new": "y"}}'
    found = read(
        {"type": "metadata", "protocol_version": "1.2"},
        older("TurnBegin", user_input=[{"type": "text", "text": "go"}]),
        older("StepBegin", n=1),
        older("ContentPart", type="think", think="hm"),
        older("ContentPart", type="text", text="yes"),
        older("ToolCall", type="function", id="c1", function={"name": "StrReplaceFile", "arguments": replaced}),
        older("ToolResult", tool_call_id="c1", return_value={"is_error": False, "output": "", "message": "edited"}),
        older("StatusUpdate", token_usage=usage, message_id="m1"),
        older("SteerInput", user_input="wait"),
        older("Novelty"),
    )
    arguments = {"path": "/w/a", "edit": {"old": "x", "new": "y"}}
    assert found == [
        UserWords("", AT, "go"),
        Reasoning("", AT, "hm"),
        AgentText("", AT, "yes"),
        ToolCall("", AT, "c1", "StrReplaceFile", arguments, (Edit("/w/a", "modified", added=(("y",),)),)),
        ToolResult("c1", AT, "edited", "passed"),
        Usage("m1", 1, 2, 3, 4),
        UserWords("", AT, "wait", "queued"),
        Skipped("unknown record type 'Novelty'", 10),
    ]


def test_records_that_are_not_understood() -> None:
    assert read(record("novelty")) == [
        Skipped("unknown record type 'novelty'", 1),
        NoConversation("no prompt and no answer in it"),
    ]


def test_damage() -> None:
    check_damage(
        "kimi", said("turn.prompt", "x\u2028y \ud83d"), loop("content.part", part={"type": "text", "text": "z"})
    )


def test_known_by_its_header_or_its_records() -> None:
    assert kimi.sniff(json_lines({"type": "metadata", "protocol_version": "1.4"}))
    assert kimi.sniff(json_lines(said("turn.prompt", "x")))
    assert kimi.sniff(json_lines(older("TurnBegin", user_input="x")))
    assert not kimi.sniff(json_lines({"type": "metadata"}, {"type": "turn.prompt"}, {"message": {"type": "x"}}))


def test_places() -> None:
    assert kimi.find("/h", {}) == [
        "/h/.kimi-code/sessions/*/*/agents/main/wire.jsonl",
        "/h/.kimi/sessions/*/*/wire.jsonl",
    ]
    assert kimi.find("/h", {"KIMI_CODE_HOME": "/k"})[0] == "/k/sessions/*/*/agents/main/wire.jsonl"
