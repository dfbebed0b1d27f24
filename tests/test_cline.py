"""Cline and Roo: tasks, screens, and the message files of the SDK."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from session_frames.errors import NotUnderstood
from session_frames.operations.assemble import assemble
from session_frames.storage.transcript_files import events_of
from session_frames.transcripts import cline, sniff_format
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

CASES = Path(__file__).parent / "transcripts" / "cline"
TS = 1783376868634
AT = "2026-07-06T22:27:48.634Z"
FOLDER = "# Current Workspace Directory (/proj) Files\na.py\n"
ENVIRONMENT = f"<environment_details>\n{FOLDER}\n<model>m</model>\n</environment_details>"


def user(*texts: str, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": text} for text in texts], **more}


def assistant(*blocks: Any, **more: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
    return {"role": "assistant", "content": content, **more}


def call(call_id: str, tool: str, arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": tool, "input": arguments}


def result(call_id: str, content: Any, **more: Any) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": call_id, "content": content, **more}
    return {"role": "user", "content": [block]}


def sdk(*messages: Any, **more: Any) -> bytes:
    return json.dumps({"version": 1, "agent": "lead", "sessionId": "s1", "messages": messages, **more}).encode()


def task(*messages: Any) -> bytes:
    return json.dumps(messages).encode()


def events(data: bytes, companions: Iterable[tuple[str, bytes]] = ()) -> list[Any]:
    return list(cline.read(io.BytesIO(data), companions))


def of(kind: type[Any], found: list[Any]) -> list[Any]:
    return [event for event in found if isinstance(event, kind)]


def words(found: list[Any]) -> list[str]:
    return [event.text for event in of(UserWords, found)]


@pytest.mark.parametrize("case", sorted(path.name for path in CASES.iterdir()))
def test_recorded_words(case: str) -> None:
    data = (CASES / case / "transcript.json").read_bytes()
    assert [text.strip() for text in words(events(data))] == json.loads(
        (CASES / case / "words.json").read_text("utf-8")
    )
    assert sniff_format(data[: 64 << 10]) == "cline"


# ---------------------------------------------------------------------------------------------------------------------
# The SDK


def test_messages_of_the_sdk_in_order() -> None:
    commands = call("c1", "run_commands", {"commands": ["make", "make test"]})
    metrics = {"inputTokens": 10, "outputTokens": 3, "cacheReadTokens": 4, "cacheWriteTokens": 2}
    prompt = {"type": "text", "text": '<user_input mode="act">do it</user_input>'}
    attached = {"type": "file", "path": "/proj/a", "content": "BODY"}
    answer = assistant(
        {"type": "thinking", "thinking": "hm"},
        "Running.",
        commands,
        id="m2",
        ts=TS,
        modelInfo={"id": "vendor/m"},
        metrics=metrics,
    )
    found = events(sdk({"role": "user", "id": "m1", "ts": TS, "content": [prompt, attached]}, answer))
    assert found == [
        Meta("session_id", "s1"),
        UserWords("m1", AT, "do it"),
        Meta("model", "vendor/m"),
        Reasoning("m2", AT, "hm"),
        AgentText("m2", AT, "Running."),
        ToolCall("m2", AT, "c1", "run_commands", {"commands": ["make", "make test"]}, (), "make\nmake test"),
        Usage("m2", input=10, output=3, cache_read=4, cache_write=2),
    ]


def test_results_of_the_sdk() -> None:
    rows = [{"query": "q", "result": "one", "success": True}, {"query": "r", "error": "two", "success": False}]
    found = events(
        sdk(
            assistant(*(call(f"c{number}", "read_files", {"files": [{"path": "a"}]}) for number in range(4))),
            result("c0", rows[:1]),
            result("c1", rows),
            result("c2", json.dumps(rows[1])),
            result("c3", "gone", is_error=True),
        )
    )
    assert [(event.id, event.text, event.outcome) for event in of(ToolResult, found)] == [
        ("c0", "one", "passed"),
        ("c1", "one\ntwo", "failed"),
        ("c2", json.dumps(rows[1]), "failed"),
        ("c3", "gone", "failed"),
    ]
    assert of(ToolCall, found)[0].edits == (Edit("a", "read"),)


@pytest.mark.parametrize(
    ("tool", "arguments", "edit"),
    [
        ("editor", {"path": "a", "old_text": "x\ny", "new_text": "x\nz"}, Edit("a", "modified", added=(("z",),))),
        ("editor", {"path": "a", "new_text": "x\n"}, Edit("a", "added", added=(("x",),))),
        ("editor", {"path": "a", "new_text": "x\n", "insert_line": 3}, Edit("a", "modified", added=(("x",),))),
        ("write_to_file", {"path": "a", "content": "x\n"}, Edit("a", "added", added=(("x",),))),
        ("insert_content", {"path": "a", "line": "0", "content": "x\n"}, Edit("a", "modified", added=(("x",),))),
        ("search_and_replace", {"path": "a", "search": "x", "replace": "y"}, Edit("a", "modified", added=(("y",),))),
        ("delete_file", {"path": "a"}, Edit("a", "deleted")),
        (
            "apply_diff",
            {"path": "a", "diff": "<<<<<<< SEARCH\n:start_line:4\n-------\nx\ny\n=======\nx\nz\n>>>>>>> REPLACE\n"},
            Edit("a", "modified", added=(("z",),)),
        ),
    ],
)
def test_edits(tool: str, arguments: Any, edit: Edit) -> None:
    assert of(ToolCall, events(sdk(assistant(call("c1", tool, arguments)))))[0].edits == (edit,)


def test_summaries_are_nobodys_turn() -> None:
    found = events(
        sdk(
            user("Context summary:\n\nso far", id="m1"),
            user("other words", id="m2", metadata={"kind": "compaction_summary"}),
            user("go on", id="m3"),
        )
    )
    assert of(Summary, found) == [Summary("m1", "", "Context summary:\n\nso far"), Summary("m2", "", "other words")]
    assert words(found) == ["go on"]


def test_facts_beside_the_messages(tmp_path: Path) -> None:
    messages = tmp_path / "s1" / "s1.messages.json"
    messages.parent.mkdir()
    messages.write_bytes(sdk(user("hi")))
    facts = {"session_id": "s1", "cwd": "/proj", "started_at": AT, "metadata": {"title": "T", "git": {"branch": "b"}}}
    (tmp_path / "s1" / "s1.json").write_text(json.dumps(facts), "utf-8")
    with messages.open("rb") as source:
        found = list(events_of("cline", source, str(messages)))
    assert found == [
        Meta("session_id", "s1"),
        Meta("started", AT),
        Meta("cwd", "/proj"),
        Meta("branch", "b"),
        Meta("title", "T"),
        UserWords("m0", "", "hi"),
    ]


@pytest.mark.parametrize("more", [{"origin": {"subagent": "scout"}}, {"sessionId": "s1__teamtask__scout"}])
def test_sub_agents_are_no_conversation(more: dict[str, Any]) -> None:
    found = events(sdk(user("look around"), **more))
    assert found[-1] == NoConversation("the session of a sub-agent")
    assert words(found) == []


# ---------------------------------------------------------------------------------------------------------------------
# Tasks


def test_a_task_written_in_xml() -> None:
    edit = "<replace_in_file>\n<path>a.py</path>\n<diff>\n------- SEARCH\nold\n=======\nnew\n+++++++ REPLACE\n</diff>\n"
    data = task(
        user(
            "<task>\nfix 'a.py' (see below for file content)\n</task>\n\n<file_content path='a'>X</file_content>",
            ENVIRONMENT,
        ),
        assistant(f"<thinking>hm</thinking>\nEditing.\n\n{edit}</replace_in_file>"),
        user("[replace_in_file for 'a.py'] Result:", "Saved.", ENVIRONMENT),
        assistant("<execute_command>\n<command>make test</command>\n</execute_command>"),
        user("[execute_command for 'make test'] Result:\nExit code: 2\nOutput:\nbad"),
        assistant("<attempt_completion>\n<result>\nDone <b>.\n</result>\n</attempt_completion>"),
    )
    assert sniff_format(data) == "cline"
    diff = {"diff": "------- SEARCH\nold\n=======\nnew\n+++++++ REPLACE", "path": "a.py"}
    assert events(data) == [
        Meta("cwd", "/proj"),
        Meta("model", "m"),
        UserWords("m0", "", "fix @/a.py"),
        AgentText("m1", "", "<thinking>hm</thinking>\nEditing."),
        ToolCall("m1", "", "m1:0:0", "replace_in_file", diff, (Edit("a.py", "modified", added=(("new",),)),)),
        ToolResult("m1:0:0", "", "Saved.", "passed"),
        ToolCall("m3", "", "m3:0:0", "execute_command", {"command": "make test"}, (), "make test"),
        ToolResult("m3:0:0", "", "Exit code: 2\nOutput:\nbad", "failed", exit_code=2),
        AgentText("m5", "", "Done <b>."),
        ToolCall("m5", "", "m5:0:0", "attempt_completion", {"result": "Done <b>."}),
    ]


def test_what_is_said_in_results() -> None:
    denied = "The user denied this operation and provided the following feedback:\n<feedback>\nuse tox\n</feedback>"
    feedback = "The user has provided feedback on the results.\n<feedback>\nand docs\n</feedback>"
    found = events(
        task(
            assistant("<ask_followup_question>\n<question>Which?</question>\n</ask_followup_question>"),
            user("[ask_followup_question for 'Which?'] Result:\n<answer>\nthe second\n</answer>", ENVIRONMENT),
            assistant("<execute_command>\n<command>make</command>\n</execute_command>"),
            user("[execute_command for 'make'] Result:", denied),
            assistant(call("c1", "attempt_completion", {"result": "Done."})),
            result("c1", [{"type": "text", "text": feedback}]),
            assistant(call("c2", "read_file", {"path": "a"})),
            result("c2", "<answer>\nof a file\n</answer>"),
        )
    )
    assert [(event.text, event.origin) for event in of(UserWords, found)] == [
        ("the second", "answer"),
        ("use tox", "answer"),
        ("and docs", "answer"),
    ]
    assert [event.outcome for event in of(ToolResult, found)] == ["passed", "failed", "passed", "passed"]


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("plain words", "plain words"),
        ("<task>\nuse <div> and\n\n <b>\n</task>", "use <div> and\n\n <b>"),
        ("<user_message>\ngo on\n</user_message>", "go on"),
        ("[TASK RESUMPTION] It was interrupted.\n\nNew instructions:\n<user_message>\ngo on\n</user_message>", "go on"),
        ("[ERROR] You did not use a tool in your previous response!", None),
        (ENVIRONMENT, None),
        ("<task>\nsee 'https://x.example' (see below for site content)\n</task>", "see @https://x.example"),
        ("<task>\nfix Workspace Problems (see below for diagnostics)\n</task>", "fix @problems"),
    ],
)
def test_words_of_a_task(text: str, typed: str | None) -> None:
    assert words(events(task(user(text)))) == ([] if typed is None else [typed])


def test_a_file_that_was_read_says_nothing() -> None:
    found = events(
        task(
            assistant("<read_file>\n<path>a</path>\n</read_file>"),
            user("[read_file for 'a'] Result:", "<task>\nof a file\n</task>", ENVIRONMENT),
        )
    )
    assert words(found) == []
    assert of(ToolResult, found)[0].text == "<task>\nof a file\n</task>"


# ---------------------------------------------------------------------------------------------------------------------
# The screen


def row(kind: str, name: str, text: Any = "", **more: Any) -> dict[str, Any]:
    return {"ts": TS, "type": kind, kind: name, "text": text, **more}


SCREEN = [
    row("say", "task", "fix @/a.py"),
    row("say", "api_req_started", json.dumps({"tokensIn": 5, "tokensOut": 2, "cacheReads": 1, "cacheWrites": 3})),
    row("say", "text", "Look", partial=True),
    row("say", "text", "Looking."),
    row("say", "reasoning", "hm", modelInfo={"modelId": "m"}),
    row("say", "tool", json.dumps({"tool": "newFileCreated", "path": "b", "content": "x\n"})),
    row("ask", "command", "make"),
    row("ask", "command_output", "ok"),
    row("ask", "followup", json.dumps({"question": "Which?", "options": ["a"]})),
    row("say", "user_feedback", "the second"),
    row("say", "checkpoint_created"),
]


def test_a_screen_alone() -> None:
    data = json.dumps(SCREEN).encode()
    assert sniff_format(data) == "cline"
    new = {"path": "b", "content": "x\n"}
    assert events(data) == [
        Meta("started", AT),
        UserWords("s0", AT, "fix @/a.py"),
        Usage("s1", input=5, output=2, cache_read=1, cache_write=3),
        AgentText("s2", AT, "Looking."),
        Meta("model", "m"),
        Reasoning("s3", AT, "hm"),
        ToolCall("s4", AT, "s4", "newFileCreated", new, (Edit("b", "added", added=(("x",),)),)),
        ToolResult("s4", AT, ""),
        ToolCall("s5", AT, "s5", "execute_command", {"command": "make"}, (), "make"),
        ToolResult("s5", AT, "ok"),
        AgentText("s7", AT, "Which?"),
        UserWords("s8", AT, "the second"),
    ]


def test_a_task_and_its_screen_are_one_session(tmp_path: Path) -> None:
    folder = tmp_path / "1783376868634"
    folder.mkdir()
    messages, screen = folder / "api_conversation_history.json", folder / "ui_messages.json"
    messages.write_bytes(task(user("<task>\nfix 'a.py' (see below for file content)\n</task>"), user("once more")))
    screen.write_text(json.dumps([SCREEN[0], SCREEN[9]]), "utf-8")
    with messages.open("rb") as source:
        assert list(events_of("cline", source, str(messages))) == [
            Meta("session_id", "1783376868634"),
            Meta("started", AT),
            UserWords("m0", AT, "fix @/a.py"),
            UserWords("m1", AT, "the second"),
        ]
    with screen.open("rb") as source:
        (told,) = events_of("cline", source, str(screen))
    assert isinstance(told, NoConversation)


# ---------------------------------------------------------------------------------------------------------------------
# Whatever the file holds


def test_nobody_speaks() -> None:
    assert events(sdk())[-1] == NoConversation("no prompt and no answer in it")
    assert events(b"[]") == [NoConversation("no prompt and no answer in it")]
    assert of(Skipped, events(task({"role": "riddle"}))) == [Skipped("unknown role 'riddle'", 0)]


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(NotUnderstood, match="not JSON"):
        events(sdk(user("a"))[:-3])


@pytest.mark.parametrize("wrong", [None, 1, "x", [], {}, [1], {"a": 1}, 1e300, "\ud83d"])
def test_values_of_other_types_break_nothing(wrong: Any) -> None:
    answer = assistant(call("c1", "editor", {"path": "a", "new_text": wrong}), ts=TS, modelInfo={}, metrics={})
    back = result("c1", wrong)
    for messages in (
        wrong,
        [wrong],
        [answer, back, {"role": "user", "content": wrong}],
        *([{**answer, key: wrong}, back] for key in answer),
        *([answer, {"role": "user", "content": [{**back["content"][0], key: wrong}]}] for key in back["content"][0]),
    ):
        facts = [("/t/s1.json", json.dumps(wrong).encode())]
        assemble(events(sdk(messages=messages, sessionId=wrong, origin=wrong), facts))
        assemble(events(json.dumps(messages).encode(), facts))
    for key in SCREEN[5]:
        assemble(events(json.dumps([SCREEN[0], {**SCREEN[5], key: wrong}]).encode()))


@pytest.mark.parametrize(
    "head",
    [
        b'[{"role":"user","content":"hi"}]',
        b'{"agent":"a","sessionId":"s","messages":[]}',
        b'{"sessionId":"s","messages":[{"role":"user"}]}',
        b'[{"ts":1,"type":"other"}]',
        b"<task>",
    ],
)
def test_what_is_not_its_own(head: bytes) -> None:
    assert not cline.sniff(head)


def test_places() -> None:
    found = cline.find("/home/u", {})
    name = "tasks/*/api_conversation_history.json"
    assert f"/home/u/.config/Code/User/globalStorage/saoudrizwan.claude-dev/{name}" in found
    assert f"/home/u/.vscode-server/data/User/globalStorage/rooveterinaryinc.roo-cline/{name}" in found
    assert found[-2:] == [f"/home/u/.cline/data/{name}", "/home/u/.cline/data/sessions/*/*.messages.json"]
    assert len(found) == len(set(found)) == 36
