"""Continue: sessions of the editor and of the command line."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from session_frames.errors import NotUnderstood
from session_frames.operations.assemble import assemble
from session_frames.transcripts import continue_dev, sniff_format
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

CASES = Path(__file__).parent / "transcripts" / "continue"


def user(content: Any, **more: Any) -> dict[str, Any]:
    return {"message": {"role": "user", "content": content}, "contextItems": [], **more}


def assistant(content: Any, *states: Any, **more: Any) -> dict[str, Any]:
    calls = [state["toolCall"] for state in states]
    message = {"role": "assistant", "content": content, "id": "a", "toolCalls": calls}
    return {"message": message, "toolCallStates": states, **more}


def state(call_id: str, tool: str, arguments: Any, status: str, *output: str) -> dict[str, Any]:
    function = {"name": tool, "arguments": json.dumps(arguments)}
    return {
        "toolCallId": call_id,
        "toolCall": {"id": call_id, "type": "function", "function": function},
        "status": status,
        "parsedArgs": arguments,
        "output": [{"content": text} for text in output],
    }


def session(*history: Any, **more: Any) -> bytes:
    facts = {"sessionId": "s1", "title": "T", "workspaceDirectory": "file:///proj", "history": history}
    return json.dumps({**facts, **more}).encode()


def events(data: bytes) -> list[Any]:
    return list(continue_dev.read(io.BytesIO(data)))


def of(kind: type[Any], found: list[Any]) -> list[Any]:
    return [event for event in found if isinstance(event, kind)]


@pytest.mark.parametrize("case", sorted(path.name for path in CASES.iterdir()))
def test_recorded_words(case: str) -> None:
    data = (CASES / case / "transcript.json").read_bytes()
    words = [event.text.strip() for event in of(UserWords, events(data))]
    assert words == json.loads((CASES / case / "words.json").read_text("utf-8"))
    assert sniff_format(data[: 64 << 10]) == "continue"


def test_a_session_in_order() -> None:
    shell = state("c1", "run_terminal_command", {"command": "ls"}, "done", "a", "b")
    usage = {
        "promptTokens": 5,
        "completionTokens": 2,
        "promptTokensDetails": {"cachedTokens": 1, "cacheWriteTokens": 3},
    }
    found = events(
        session(
            {"message": {"role": "system", "content": "be good"}},
            user([{"type": "text", "text": "list"}, {"type": "imageUrl"}, {"type": "text", "text": "them"}]),
            {"message": {"role": "thinking", "content": "hm"}},
            assistant("Listing.", shell, reasoning={"text": "so"}),
            {"message": {"role": "tool", "content": "a\nb", "toolCallId": "c1"}},
            user("/share it", conversationSummary="so far"),
            {"message": {"role": "riddle"}},
            chatModelTitle="M",
            usage=usage,
        )
    )
    assert found == [
        Meta("session_id", "s1"),
        Meta("title", "T"),
        Meta("cwd", "/proj"),
        Meta("model", "M"),
        UserWords("h1", "", "list\nthem"),
        Reasoning("h2", "", "hm"),
        Reasoning("a", "", "so"),
        AgentText("a", "", "Listing."),
        ToolCall("a", "", "c1", "run_terminal_command", {"command": "ls"}, (), "ls"),
        ToolResult("c1", "", "a\nb", "passed"),
        UserWords("h5", "", "/share it", "command"),
        Summary("h5", "", "so far"),
        Skipped("unknown role 'riddle'", 0),
        Usage("", input=5, output=2, cache_read=1, cache_write=3, total=True),
    ]


def test_outcomes_and_edits() -> None:
    edits = [{"old_string": "x", "new_string": "y"}, {"old_string": "", "new_string": "z\n"}]
    found = events(
        session(
            assistant(
                "",
                state("c1", "create_new_file", {"filepath": "a", "contents": "one\n"}, "done"),
                state("c2", "multi_edit", {"filepath": "a", "edits": edits}, "errored", "no"),
                state("c3", "Edit", {"file_path": "a", "old_string": "x", "new_string": "y"}, "canceled"),
                state("c4", "edit_existing_file", {"filepath": "a", "changes": "..."}, "calling"),
                state("c5", "read_file", {"filepath": "a"}, "generated"),
            )
        )
    )
    assert [event.edits for event in of(ToolCall, found)] == [
        (Edit("a", "added", added=(("one",),)),),
        (Edit("a", "modified", added=(("y",), ("z",))),),
        (Edit("a", "modified", added=(("y",),)),),
        (Edit("a", "modified"),),
        (Edit("a", "read"),),
    ]
    assert [(event.id, event.outcome, event.text) for event in of(ToolResult, found)] == [
        ("c1", "passed", ""),
        ("c2", "failed", "no"),
        ("c3", "failed", ""),
    ]


def test_calls_without_a_state_are_told() -> None:
    bare = {"id": "c1", "function": {"name": "Read", "arguments": '{"filepath":"a"}'}}
    found = events(session({"message": {"role": "assistant", "content": "", "toolCalls": [bare]}}))
    assert of(ToolCall, found) == [ToolCall("h0", "", "c1", "Read", {"filepath": "a"}, (Edit("a", "read"),))]
    assert of(ToolResult, found) == []


@pytest.mark.parametrize(
    ("workspace", "directory"),
    [
        ("/proj", "/proj"),
        ("c:\\work", "c:\\work"),
        ("file:///proj/a%20b", "/proj/a b"),
        ("file:///c%3A/proj", "c:/proj"),
        ("vscode-remote://dev-container%2B7b/workspaces/w", "/workspaces/w"),
        ("", None),
    ],
)
def test_working_directory(workspace: str, directory: str | None) -> None:
    found = events(session(user("hi"), workspaceDirectory=workspace))
    assert [event.value for event in of(Meta, found) if event.name == "cwd"] == ([directory] if directory else [])


def test_an_empty_session_is_no_conversation() -> None:
    assert events(session())[-1] == NoConversation("no prompt and no answer in it")


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(NotUnderstood, match="not JSON"):
        events(session(user("a"))[:-3])


@pytest.mark.parametrize("wrong", [None, 1, "x", [], {}, [1], {"a": 1}, 1e300, "\ud83d"])
def test_values_of_other_types_break_nothing(wrong: Any) -> None:
    entry = assistant("a", state("c1", "multi_edit", {"filepath": "a", "edits": wrong}, "done"))
    call = entry["toolCallStates"][0]
    for history in (
        wrong,
        [wrong],
        [{"message": wrong}],
        [user(wrong, conversationSummary=wrong)],
        *([{**entry, key: wrong}] for key in entry),
        *([{**entry, "toolCallStates": [{**call, key: wrong}]}] for key in call),
    ):
        data = session(user("a"), history=history, usage=wrong, workspaceDirectory=wrong)
        assemble(events(data))


def test_places() -> None:
    assert continue_dev.find("/home/u", {}) == ["/home/u/.continue/sessions/*-*.json"]
    assert continue_dev.find("/home/u", {"CONTINUE_GLOBAL_DIR": "/c"}) == ["/c/sessions/*-*.json"]
