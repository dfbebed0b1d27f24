"""Factory Droid: messages in an envelope, and the settings beside them."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from transcript_events import check_damage, check_recorded, events_of, json_lines, of, recorded_cases, words

from session_frames.transcripts import droid
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

AT = "2026-01-28T16:57:01.391Z"
START = {"type": "session_start", "id": "s1", "title": "A title", "cwd": "/w", "version": 2}


def message(key: str, role: str, *blocks: Any) -> dict[str, Any]:
    return {"type": "message", "id": key, "timestamp": AT, "message": {"role": role, "content": list(blocks)}}


def text(value: str) -> dict[str, str]:
    return {"type": "text", "text": value}


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": "c1", "name": tool, "input": arguments}


def answer(content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": "c1", "content": content, **more}


def read(*records: Any) -> list[Any]:
    return events_of("droid", json_lines(START, *records))


@pytest.mark.parametrize("case", recorded_cases("droid"))
def test_recorded_words(case: str) -> None:
    found = check_recorded("droid", case)
    assert of(ToolCall, found)[2].edits == (
        Edit("/home/dev/projects/eludobe-git/index.ts", "modified", added=(("// UKITI3",),)),
    )


def test_one_exchange() -> None:
    found = read(
        message("a", "user", text("<system-reminder>be brief</system-reminder>"), text("go")),
        message("b", "assistant", {"type": "thinking", "thinking": "hm"}, text("yes"), call("Execute", command="make")),
        message("c", "user", answer("no rule\n[Process exited with code 2]")),
    )
    assert found == [
        Meta("session_id", "s1"),
        Meta("cwd", "/w"),
        Meta("title", "A title"),
        UserWords("a", AT, "go"),
        Reasoning("b", AT, "hm"),
        AgentText("b", AT, "yes"),
        ToolCall("b", AT, "c1", "Execute", {"command": "make"}, (), "make"),
        ToolResult("c1", AT, "no rule\n[Process exited with code 2]", "failed", exit_code=2),
    ]


def test_attached_files_are_no_words_but_a_prompt_may_begin_like_one() -> None:
    body = "Contents of /w/a.ts (lines 1-2 of 2):\nx\n"
    found = read(message("a", "user", text("fix @a.ts"), text(body)), message("b", "user", text(body)))
    assert words(found) == ["fix @a.ts", body]


@pytest.mark.parametrize(
    ("tool", "arguments", "edit"),
    [
        ("Read", {"file_path": "/w/a"}, Edit("/w/a", "read")),
        ("Create", {"file_path": "/w/a", "content": "x\n"}, Edit("/w/a", "added", added=(("x",),))),
        ("Edit", {"file_path": "/w/a", "old_str": "x", "new_str": "y"}, Edit("/w/a", "modified", added=(("y",),))),
        (
            "MultiEdit",
            {"file_path": "/w/a", "changes": [{"old_str": "x", "new_str": "y"}]},
            Edit("/w/a", "modified", added=(("y",),)),
        ),
    ],
)
def test_files(tool: str, arguments: dict[str, Any], edit: Edit) -> None:
    assert of(ToolCall, read(message("a", "assistant", call(tool, **arguments))))[0].edits == (edit,)


def test_answers_and_errors() -> None:
    asked = message("a", "assistant", call("AskUser", questionnaire="1. [question] Which?"))
    given = "1. [question] Which?\n[answer] The blue\none\n\n2. [question] Why?\n[answer] Because"
    found = read(asked, message("b", "user", answer([text(given)])))
    assert of(UserWords, found) == [
        UserWords("c1:0", AT, "The blue\none", "answer"),
        UserWords("c1:1", AT, "Because", "answer"),
    ]
    (told,) = of(ToolResult, read(asked, message("b", "user", answer("refused", is_error=True))))
    assert told == ToolResult("c1", AT, "refused", "failed")


def test_settings_beside_the_session_know_the_model_and_the_tokens() -> None:
    settings = {
        "model": "m1",
        "tokenUsage": {"inputTokens": 1, "outputTokens": 2, "cacheReadTokens": 3, "cacheCreationTokens": 4},
    }
    source = json_lines(START, message("a", "user", text("go")))
    files = [("s1.settings.json", json.dumps(settings).encode()), ("s1.settings.json", b"{")]
    found = list(droid.read(io.BytesIO(source), files))
    assert found[-3:] == [
        Meta("model", "m1"),
        Usage("", 1, 2, 3, 4, total=True),
        Skipped("settings that are not JSON", 0),
    ]
    assert droid.companions("/f/s[1].jsonl") == ["/f/s[[]1].settings.json"]


def test_other_records() -> None:
    found = read(
        {"type": "todo_state", "id": "t", "todos": {}},
        {"type": "compaction_state", "id": "k", "timestamp": AT, "summaryText": "so far"},
        {"type": "novelty"},
        message("a", "stranger"),
        message("b", "user", text("go")),
        message("b", "user", text("go")),
    )
    assert found[3:] == [
        Summary("k", AT, "so far"),
        Skipped("unknown record type 'novelty'", 4),
        Skipped("unknown role 'stranger'", 5),
        UserWords("b", AT, "go"),
    ]
    assert read()[-1] == NoConversation("no prompt and no answer in it")


def test_damage() -> None:
    check_damage("droid", START, message("a", "user", text("x\u2028y \ud83d")), message("b", "assistant", text("z")))


def test_known_by_its_header_or_its_envelope() -> None:
    assert droid.sniff(json_lines(START))
    assert droid.sniff(json_lines(message("a", "user", text("x"))))
    assert not droid.sniff(json_lines({**message("a", "user", text("x")), "sessionId": "s"}))


def test_places() -> None:
    assert droid.find("/h", {}) == ["/h/.factory/sessions/*/*.jsonl", "/h/.factory/sessions/*.jsonl"]
