"""Pi: the plain log of version 1, and the tree of versions 2 and 3."""

from __future__ import annotations

from typing import Any

import pytest
from transcript_events import check_damage, check_recorded, events_of, json_lines, of, recorded_cases, words

from session_frames.transcripts import pi, sniff_format
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

AT = "2026-03-31T10:10:01.000Z"
HEADER = {"type": "session", "version": 3, "id": "s1", "timestamp": AT, "cwd": "/w"}


def entry(kind: str, key: str, parent: str | None, **more: Any) -> dict[str, Any]:
    return {"type": kind, "id": key, "parentId": parent, "timestamp": AT, **more}


def message(key: str, parent: str | None, role: str, **more: Any) -> dict[str, Any]:
    return entry("message", key, parent, message={"role": role, "timestamp": 1774951801000, **more})


def user(key: str, parent: str | None, *texts: str) -> dict[str, Any]:
    return message(key, parent, "user", content=[{"type": "text", "text": text} for text in texts])


def agent(key: str, parent: str | None, *blocks: Any, **more: Any) -> dict[str, Any]:
    return message(key, parent, "assistant", content=list(blocks), model="m1", **more)


def call(call_id: str, tool: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "toolCall", "id": call_id, "name": tool, "arguments": arguments}


def result(key: str, parent: str, call_id: str, tool: str, text: str, **more: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": text}]
    return message(
        key,
        parent,
        "toolResult",
        **{"toolCallId": call_id, "toolName": tool, "content": content, "isError": False, **more},
    )


def read(*records: Any) -> list[Any]:
    return events_of("pi", json_lines(HEADER, *records))


@pytest.mark.parametrize("case", recorded_cases("pi"))
def test_recorded_words(case: str) -> None:
    check_recorded("pi", case)


def test_facts_of_the_header_and_of_later_entries() -> None:
    header = {**HEADER, "parentSession": "/home/x/.pi/agent/sessions/--w--/2026-01-01T00-00-00-000Z_p1-2.jsonl"}
    found = events_of(
        "pi",
        json_lines(
            header,
            entry("model_change", "a", None, provider="p", modelId="m0"),
            user("b", "a", "go"),
            agent("c", "b", {"type": "text", "text": "yes"}),
            agent("d", "c", {"type": "text", "text": "done"}),
            entry("session_info", "e", "d", name="A title"),
            {**HEADER, "id": "another"},
        ),
    )
    assert of(Meta, found) == [
        Meta("session_id", "s1"),
        Meta("started", AT),
        Meta("cwd", "/w"),
        Meta("parent", "p1-2"),
        Meta("model", "m0"),
        Meta("model", "m1"),
        Meta("title", "A title"),
    ]


def test_an_answer_tells_thoughts_words_calls_and_tokens() -> None:
    found = read(
        user("a", None, "first", "second"),
        agent(
            "b",
            "a",
            {"type": "thinking", "thinking": "hm"},
            {"type": "thinking", "thinking": "", "redacted": True},
            {"type": "text", "text": "yes"},
            call("c1", "bash", command="ls"),
            usage={"input": 1, "output": 2, "cacheRead": 3, "cacheWrite": 4},
        ),
        result("c", "b", "c1", "bash", "x\n\nCommand exited with code 2", isError=True),
    )
    assert found[3:] == [
        UserWords("a", AT, "first\nsecond"),
        Meta("model", "m1"),
        Reasoning("b", AT, "hm"),
        AgentText("b", AT, "yes"),
        ToolCall("b", AT, "c1", "bash", {"command": "ls"}, (), "ls"),
        Usage("b", 1, 2, 3, 4),
        ToolResult("c1", AT, "x\n\nCommand exited with code 2", "failed", exit_code=2),
    ]


@pytest.mark.parametrize(
    ("tool", "arguments", "edit"),
    [
        ("read", {"path": "a.py"}, Edit("a.py", "read")),
        ("write", {"path": "a.py", "content": "x\ny\n"}, Edit("a.py", "modified", added=(("x", "y"),))),
        ("edit", {"path": "a.py", "oldText": "x\nz", "newText": "x\ny\nz"}, Edit("a.py", "modified", added=(("y",),))),
        (
            "edit",
            {"path": "a.py", "edits": [{"oldText": "a", "newText": "b"}, {"oldText": "c", "newText": "d"}]},
            Edit("a.py", "modified", added=(("b",), ("d",))),
        ),
    ],
)
def test_files_of_calls(tool: str, arguments: dict[str, Any], edit: Edit) -> None:
    (told,) = of(ToolCall, read(agent("a", None, call("c1", tool, **arguments))))
    assert told.edits == (edit,)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('<skill name="s" location="/s/SKILL.md">\nBody\n</skill>\n\nand words', ["and words"]),
        ('<skill name="s" location="/s/SKILL.md">\nIt says </skill> inside\n</skill>', []),
        ('<file name="/w/a.txt">\nbody\n</file>\nread this', ["read this"]),
        ("Tool budget soft limit reached: stop soon", []),
        ("/theme", ["/theme"]),
        ("  ", []),
    ],
)
def test_what_the_program_wrote_into_a_prompt_is_no_word(text: str, said: list[str]) -> None:
    assert words(read(user("a", None, text))) == said


def test_a_command_line_of_the_person_is_told_unless_it_was_kept_from_the_agent() -> None:
    found = read(
        message("a", None, "bashExecution", command="ls", output="x", exitCode=0),
        message("b", "a", "bashExecution", command="env", output="x", excludeFromContext=True),
        entry("custom_message", "c", "b", customType="lint", content="Fix it.", display=True),
        message("d", "c", "custom", content="Fix it."),
    )
    assert of(UserWords, found) == [UserWords("a", AT, "!ls", "command")]
    assert of(Skipped, found) == []


@pytest.mark.parametrize(
    ("details", "text", "said"),
    [
        ({"answer": "the blue one", "wasCustom": True}, "User wrote: the blue one", ["the blue one"]),
        ({"answer": ["a", "b"]}, "", ["a", "b"]),
        ({"answers": [{"question": "q", "answer": "a"}]}, "", ["a"]),
        ({}, "User wrote: as told\nhere", ["as told\nhere"]),
        ({"answer": 5}, "User cancelled", []),
    ],
)
def test_answers_to_questions(details: Any, text: str, said: list[str]) -> None:
    found = read(
        agent("a", None, call("c1", "ask_user_question", question="q")),
        result("b", "a", "c1", "ask_user_question", text, details=details),
    )
    assert [(event.text, event.origin) for event in of(UserWords, found)] == [(word, "answer") for word in said]


def test_summaries_are_nobodys_words() -> None:
    found = read(
        user("a", None, "go"),
        entry("compaction", "b", "a", summary="so far", firstKeptEntryId="a"),
        entry("branch_summary", "c", "b", summary="over there", fromId="a"),
        message("d", "c", "compactionSummary", summary="before"),
    )
    assert of(Summary, found) == [
        Summary("b", AT, "so far", kept="a"),
        Summary("c", AT, "over there", kept=None),
        Summary("d", AT, "before", kept=None),
    ]


def test_each_branch_that_was_left_is_abandoned() -> None:
    found = read(
        user("a", None, "one"),
        agent("b", "a", {"type": "text", "text": "1"}),
        user("c", "b", "wrong way"),
        agent("d", "c", {"type": "text", "text": "2"}),
        user("e", "b", "also wrong"),
        user("f", "b", "right way"),
        agent("g", "f", {"type": "text", "text": "3"}),
    )
    assert of(Abandon, found) == [Abandon(("c", "d")), Abandon(("e",))]
    assert words(found) == ["one", "wrong way", "also wrong", "right way"]


def test_a_new_root_leaves_all_that_was_before() -> None:
    found = read(user("a", None, "one"), user("b", None, "anew"))
    assert of(Abandon, found) == [Abandon(("a",))]


def test_a_lost_line_abandons_nothing() -> None:
    found = read(user("a", None, "one"), b'{"type":"mess', user("c", "b", "two"))
    assert (of(Abandon, found), words(found)) == ([], ["one", "two"])


def test_entries_that_are_written_again_are_told_once() -> None:
    again = user("a", None, "one")
    assert words(read(again, again, user("b", "a", "one"))) == ["one", "one"]


def test_the_first_version_has_no_ids_and_no_branches() -> None:
    records = [
        {key: value for key, value in user("", None, text).items() if key not in ("id", "parentId")} for text in "xy"
    ]
    found = read(*records)
    assert (words(found), of(Abandon, found)) == (["x", "y"], [])


def test_the_session_of_a_sub_agent_is_no_conversation() -> None:
    found = read(
        entry("session_info", "a", None, name="subagent-review-1"),
        user("b", "a", "Task: look"),
        agent("c", "b", call("c1", "read", path="a.py")),
    )
    assert words(found) == []
    assert [event.id for event in of(ToolCall, found)] == ["c1"]
    assert of(NoConversation, found) == [NoConversation("the session of a sub-agent")]


def test_a_header_alone_is_no_conversation() -> None:
    assert read()[-1] == NoConversation("no prompt and no answer in it")


def test_unknown_records_and_roles_are_told() -> None:
    found = read(entry("novelty", "a", None), message("b", "a", "stranger"))
    assert of(Skipped, found) == [
        Skipped("unknown record type 'novelty'", 2),
        Skipped("unknown role 'stranger'", 3),
    ]


def test_damage() -> None:
    check_damage("pi", HEADER, user("a", None, "x\u2028y \ud83d"), agent("b", "a", {"type": "text", "text": "z"}))


def test_known_by_its_header_or_its_messages() -> None:
    assert sniff_format(json_lines(HEADER)) == "pi"
    assert sniff_format(json_lines(user("a", None, "x"))) == "pi"
    assert not pi.sniff(json_lines({"type": "session", "id": "x"}, {"type": "message", "message": {"role": "user"}}))


def test_places() -> None:
    assert pi.find("/h", {}) == ["/h/.pi/agent/sessions/*/*.jsonl"]
    assert pi.find("/h", {"PI_CODING_AGENT_DIR": "/p[1]"}) == ["/p[[]1]/sessions/*/*.jsonl"]
