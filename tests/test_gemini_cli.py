"""Gemini CLI: documents, and logs with updates and rewinds."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from session_frames.errors import NotUnderstood
from session_frames.transcripts import gemini_cli, sniff_format
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

CASES = Path(__file__).parent / "transcripts" / "gemini-cli"
AT = "2026-05-12T00:21:10.000Z"
HEADER = {"sessionId": "s1", "projectHash": "h", "startTime": AT, "lastUpdated": AT, "kind": "main"}


def message(kind: str, key: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"id": key, "timestamp": AT, "type": kind, "content": content, **more}


def user(key: str, content: Any, **more: Any) -> dict[str, Any]:
    return message("user", key, content, **more)


def gemini(key: str, content: Any, *calls: Any, **more: Any) -> dict[str, Any]:
    return message("gemini", key, content, **({"toolCalls": list(calls)} if calls else {}), **more)


def call(call_id: str, tool: str, args: Any, response: Any = None, **more: Any) -> dict[str, Any]:
    result = [{"functionResponse": {"id": call_id, "name": tool, "response": response}}] if response else []
    return {"id": call_id, "name": tool, "args": args, "result": result, "status": "success", **more}


def document(*messages: Any, **more: Any) -> bytes:
    return json.dumps({**HEADER, "messages": messages, **more}, indent=1).encode()


def log(*records: Any) -> bytes:
    return b"".join(json.dumps(item).encode() + b"\n" for item in records)


def events(data: bytes) -> list[Any]:
    return list(gemini_cli.read(io.BytesIO(data)))


def of(kind: type[Any], found: list[Any]) -> list[Any]:
    return [event for event in found if isinstance(event, kind)]


def words(found: list[Any]) -> list[str]:
    return [event.text for event in of(UserWords, found)]


@pytest.mark.parametrize("case", sorted(path.name for path in CASES.iterdir()))
def test_recorded_words(case: str) -> None:
    transcript = next((CASES / case).glob("transcript.*"))
    with transcript.open("rb") as source:
        found = list(gemini_cli.read(source))
    assert [text.strip() for text in words(found)] == json.loads((CASES / case / "words.json").read_text("utf-8"))
    assert sniff_format(transcript.read_bytes()) == "gemini-cli"


# ---------------------------------------------------------------------------------------------------------------------
# The log


def test_log_is_replayed() -> None:
    context = user("s0", [{"text": "<session_context>\nThis is the Gemini CLI.\n</session_context>"}])
    found = events(
        log(
            HEADER,
            {"$set": {"messages": [context]}},
            user("u1", [{"text": "first"}]),
            gemini("g1", "draft"),
            gemini("g1", "final"),
            user("u2", "rewound"),
            gemini("g2", "rewound answer"),
            {"$rewindTo": "u2"},
            {"$set": {"summary": "T", "lastUpdated": AT}},
            user("u3", "after"),
        )
    )
    assert found == [
        Meta("session_id", "s1"),
        Meta("started", AT),
        Meta("title", "T"),
        Meta("project_hash", "h"),
        UserWords("u1", AT, "first"),
        AgentText("g1", AT, "final"),
        UserWords("u2", AT, "rewound"),
        AgentText("g2", AT, "rewound answer"),
        Abandon(("u2", "g2")),
        UserWords("u3", AT, "after"),
    ]


def test_a_new_context_of_the_model_takes_nothing_back() -> None:
    snapshot = user("x1", [{"text": "<state_snapshot>SUMMARY</state_snapshot>"}])
    thanks = gemini("x2", [{"text": "Got it. Thanks for the additional context!"}])
    found = events(
        log(
            HEADER,
            user("u1", "question"),
            gemini("g1", "answer"),
            {"$set": {"messages": [snapshot, thanks, user("x3", "question"), gemini("x4", "answer")]}},
            {"$set": {"messages": []}},
            user("u2", "question"),
        )
    )
    assert words(found) == ["question", "question"]
    assert [event.text for event in of(AgentText, found)] == ["answer"]
    assert of(Summary, found) == [Summary("x1", AT, "<state_snapshot>SUMMARY</state_snapshot>")]


def test_messages_that_stand_only_in_a_patch_are_read() -> None:
    found = events(log(HEADER, {"$set": {"messages": [user("u1", "hi"), gemini("g1", "hello")]}}, gemini("g1", "bye")))
    assert words(found) == ["hi"]
    assert [event.text for event in of(AgentText, found)] == ["bye"]


def test_rewind_to_an_unknown_message_is_told() -> None:
    found = events(log(HEADER, user("u1", "still here"), {"$rewindTo": "x9"}, {"other": 1}, message("riddle", "r", "")))
    assert words(found) == ["still here"]
    assert of(Skipped, found) == [
        Skipped("rewind to a message that is not there", 3),
        Skipped("record without a type", 4),
        Skipped("unknown record type 'riddle'", 5),
    ]


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
    whole = [log(user(f"u{number}", f"words {number}")).strip() for number in range(5)]
    found = events(b"\n".join(damage(whole)))
    assert words(found) == [f"words {number}" for number in range(count)]
    assert [event.line for event in of(Skipped, found)] == lines


def test_log_without_header_is_known_by_its_first_message() -> None:
    found = events(log(user("u1", "hi"), gemini("g1", "hello")))
    assert found[0] == Meta("session_id", "u1")


def test_log_that_begins_with_a_long_line() -> None:
    data = log(user("u1", "x" * 70_000), gemini("g1", "hello"))
    assert len(words(events(data))[0]) == 70_000


# ---------------------------------------------------------------------------------------------------------------------
# Words


@pytest.mark.parametrize(
    ("content", "typed"),
    [
        ("do it\nCurrent File Path:\n```python\nc:\\w\\a.py\n```\n\n\nUser Selected Files:\n- c:\\w\\b.py\n", "do it"),
        ("go on\n\n PRIOR CHAT HISTORY: continue\nwell", "go on"),
        (
            [{"text": "explain @a.ts"}, {"text": "\n--- Content from referenced files ---"}, {"text": "BODY"}],
            "explain @a.ts",
        ),
        ([{"text": "my prompt"}, {"text": "<hook_context>by a hook</hook_context>"}], "my prompt"),
        ([{"inlineData": {"mimeType": "image/png"}}, {"text": "see"}, {"text": "image"}], "see\nimage"),
        ("the Current File Path: is wrong", "the Current File Path: is wrong"),
        ("Fix <div> parsing", "Fix <div> parsing"),
        ("System: Please continue.", None),
        ([{"functionResponse": {"id": "c1"}}], None),
        ("  ", None),
    ],
)
def test_person_words(content: Any, typed: str | None) -> None:
    found = words(events(document(user("u1", content), gemini("g1", "ok"))))
    assert [text.strip() for text in found] == ([] if typed is None else [typed])


def test_what_was_shown_is_what_was_typed() -> None:
    found = events(document(user("u1", "a long expansion", displayContent=[{"text": "/plan the work"}])))
    assert of(UserWords, found) == [UserWords("u1", AT, "/plan the work", "command")]


def test_answers_to_questions_and_plans() -> None:
    asked = call("c1", "ask_user", {"questions": []}, {"output": '{"answers":{"0":"red","1":"no, blue"}}'})
    plan = call(
        "c2", "exit_plan_mode", {}, {"output": "Plan rejected. User feedback: shorter\n\nThe plan is stored at: p"}
    )
    gone = call("c3", "ask_user", {}, {"output": "User dismissed ask_user dialog without answering."})
    found = events(document(gemini("g1", "", asked, plan, gone)))
    assert [(event.text, event.origin) for event in of(UserWords, found)] == [
        ("red", "answer"),
        ("no, blue", "answer"),
        ("shorter", "answer"),
    ]


@pytest.mark.parametrize(
    "data",
    [
        document(user("u1", "look around"), gemini("g1", "done", model="m"), kind="subagent"),
        document(user("u1", "Your task is to answer:\n<question>\nWhy?\n</question>"), gemini("g1", "so", model="m")),
        log({**HEADER, "kind": "subagent"}, user("u1", "look around"), gemini("g1", "done", model="m")),
    ],
    ids=["kind", "prompt", "log"],
)
def test_subagents_are_no_conversation(data: bytes) -> None:
    found = events(data)
    assert words(found) == []
    assert found[-2:] == [Meta("model", "m"), NoConversation("the session of a sub-agent")]


def test_notices_alone_are_no_conversation() -> None:
    assert isinstance(events(document(message("info", "i1", "Request cancelled.")))[-1], NoConversation)


# ---------------------------------------------------------------------------------------------------------------------
# Answers and calls


def test_an_answer_in_order() -> None:
    thought = {"subject": "Plan", "description": "look", "timestamp": AT}
    tokens = {"input": 10, "output": 3, "cached": 4, "total": 17}
    shell = call("c1", "run_shell_command", {"command": "make"}, {"output": "Output: x\nExit Code: 2"})
    found = events(document(gemini("g1", "Running.", shell, thoughts=[thought], tokens=tokens, model="m")))
    assert found[3:] == [
        Meta("model", "m"),
        Reasoning("g1", AT, "Plan\nlook"),
        AgentText("g1", AT, "Running."),
        ToolCall("g1", AT, "c1", "run_shell_command", {"command": "make"}, (), "make"),
        ToolResult("c1", AT, "Output: x\nExit Code: 2", "failed", exit_code=2),
        Usage("g1", input=10, output=3, cache_read=4),
    ]


def test_outcomes() -> None:
    arguments = {"file_path": "a"}
    found = events(
        document(
            gemini(
                "g1",
                "",
                call("c1", "read_file", arguments, {"output": "x"}),
                call("c2", "read_file", arguments, {"error": "gone"}, status="error"),
                call("c3", "read_file", arguments, {"error": "[Operation Cancelled]"}, status="cancelled"),
                call("c4", "read_file", arguments, status="executing"),
                {"id": "c5", "name": "read_file", "args": arguments},
                {**call("c6", "read_file", arguments, {"error": "no"}), "status": None},
            )
        )
    )
    assert [(event.id, event.outcome, event.text) for event in of(ToolResult, found)] == [
        ("c1", "passed", "x"),
        ("c2", "failed", "gone"),
        ("c3", "failed", "[Operation Cancelled]"),
        ("c6", "failed", "no"),
    ]
    assert len(of(ToolCall, found)) == 6


def test_edits_are_those_of_the_diff_shown() -> None:
    diff = "Index: a\n--- a\tCurrent\n+++ a\tProposed\n@@ -1,2 +1,3 @@\n x\n-y\n+z\n+w\n"
    arguments = {"file_path": "a", "old_string": "y", "new_string": "z"}
    write = {"file_path": "b", "content": "one\n"}
    found = events(
        document(
            gemini(
                "g1",
                "",
                call(
                    "c1", "replace", arguments, {"output": "ok"}, resultDisplay={"fileDiff": diff, "filePath": "/w/a"}
                ),
                call("c2", "write_file", write, {"output": "ok"}),
            )
        )
    )
    calls, results = of(ToolCall, found), of(ToolResult, found)
    assert calls[0].edits == (Edit("a", "modified", added=(("z",),)),)
    assert results[0].edits == (Edit("a", "modified", added=(("z", "w"),)),)
    assert calls[1].edits == (Edit("b", "added", added=(("one",),)),)
    assert results[1].edits is None


def test_calls_and_results_that_are_parts_of_the_content() -> None:
    function_call = {"functionCall": {"id": "f1", "name": "read_file", "args": {"file_path": "x"}}}
    response = {"functionResponse": {"id": "f1", "name": "read_file", "response": {"output": "text"}}}
    found = events(log(HEADER, gemini("g1", [{"text": "checking"}, function_call]), user("r1", [response, response])))
    assert of(ToolCall, found) == [ToolCall("g1", AT, "f1", "read_file", {"file_path": "x"}, (Edit("x", "read"),))]
    assert of(ToolResult, found) == [ToolResult("f1", AT, "text")]


# ---------------------------------------------------------------------------------------------------------------------
# Odd texts and odd types


def test_separators_and_lone_surrogates_stay() -> None:
    text = "x\u2028y\u2029z\u0085w\x1c"
    raw = json.dumps(user("u1", text), ensure_ascii=False).encode() + b"\n" + log(user("u2", "cut \ud83d"))
    assert words(events(raw)) == [text, "cut \ud83d"]


@pytest.mark.parametrize("value", [None, True, 3, 1.5, "x", [], [None], {}, {"a": []}])
def test_any_type_in_any_place(value: Any) -> None:
    whole = gemini("g1", "a", call("c1", "replace", {}, {"output": "x"}, resultDisplay={}), thoughts=[], tokens={})
    changed = [{**whole, key: value} for key in whole]
    changed += [{**whole, "toolCalls": [{**whole["toolCalls"][0], key: value}, value]} for key in whole["toolCalls"][0]]
    changed += [{**user("u1", "a"), key: value} for key in ("id", "timestamp", "type", "content")]
    patches = [{"$set": value}, {"$set": {"messages": value}}, {"$rewindTo": value}, {**HEADER, "directories": value}]
    assert words(events(log(HEADER, *changed, *patches, user("u9", "after"))))[-1] == "after"
    assert words(events(document(*changed, value, user("u9", "after"))))[-1] == "after"
    events(document(messages=value))


@pytest.mark.parametrize("data", [b"", b"plain", b"[1]", document(user("u1", "a"))[:-9]])
def test_what_is_no_session_is_refused(data: bytes) -> None:
    with pytest.raises(NotUnderstood):
        events(data)


@pytest.mark.parametrize(
    "data",
    [
        b'{"type":"user","message":{"content":"x"},"uuid":"u","sessionId":"s","timestamp":"t"}',
        b'{"type":"session_meta","payload":{},"timestamp":"t"}',
        b'{"requests":[{"requestId":"r","message":{"text":"x"}}]}',
        b"plain",
    ],
)
def test_other_files_are_not_sniffed(data: bytes) -> None:
    assert not gemini_cli.sniff(data)


def test_places() -> None:
    assert "/h/.gemini/tmp/*/chats/*.json" in gemini_cli.find("/h", {})
    assert "/g/.gemini/tmp/*/chats/*/*.jsonl" in gemini_cli.find("/h", {"GEMINI_CLI_HOME": "/g"})
