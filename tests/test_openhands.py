"""OpenHands: instances of the harness, and event files before and since the agent library."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from session_frames.operations.assemble import assemble_all
from session_frames.storage.transcript_files import events_of, open_transcript
from session_frames.transcripts import openhands, sniff_format
from session_frames.transcripts.base import (
    AgentText,
    Begins,
    Meta,
    NoConversation,
    Reasoning,
    Skipped,
    Summary,
    ToolCall,
    ToolResult,
    UserWords,
)

AT = "2026-05-12T00:21:10.000000"


def instance(key: str, *history: Any, **more: Any) -> bytes:
    return json.dumps({"instance_id": key, "instruction": "Fix it.", "history": list(history), **more}).encode() + b"\n"


def action(number: int, name: str, source: str = "agent", **args: Any) -> dict[str, Any]:
    return {"id": number, "timestamp": AT, "source": source, "message": "", "action": name, "args": args}


def observation(number: int, cause: int, name: str, content: str, **extras: Any) -> dict[str, Any]:
    head = {"id": number, "timestamp": AT, "source": "agent", "message": "", "cause": cause}
    return {**head, "observation": name, "content": content, "extras": extras}


def events(data: bytes) -> list[Any]:
    assert sniff_format(data) == "openhands"
    return list(openhands.read(io.BytesIO(data)))


def of(kind: type, told: list[Any]) -> list[Any]:
    return [event for event in told if isinstance(event, kind)]


def test_each_line_is_a_session_and_pairs_are_taken_apart() -> None:
    run = action(2, "run", command="ls", thought="I look.")
    first = instance(
        "repo__1",
        action(1, "message", "user", content="Fix it."),
        [run, observation(3, 2, "run", "a.py", metadata={"exit_code": 0})],
        metadata={"agent_class": "CodeActAgent", "llm_config": {"model": "some-model"}},
        base_commit="abc",
    )
    second = instance(
        "repo__2", action(1, "message", "user", content="Other."), action(2, "finish", final_thought="Done.")
    )
    told = events(first + b"{broken\n" + b'{"no":"history"}\n' + second)
    assert [event.key for event in of(Begins, told)] == ["repo__1", "repo__2"]
    assert [event.reason for event in of(Skipped, told)] == ["not JSON", "not an instance"]
    sessions = list(assemble_all(iter(told)))
    assert [session.fact("session_id") for session in sessions] == ["repo__1", "repo__2"]
    assert [[turn.get("text") for turn in session.turns] for session in sessions] == [
        ["Fix it.", "I look."],
        ["Other.", "Done."],
    ]
    (call,) = sessions[0].turns[1]["calls"]
    assert (call["tool"], call["outcome"], call["arguments"]) == ("run", "passed", {"command": "ls"})
    assert Meta("model", "some-model") in told
    assert Meta("base", "abc") in told


def test_old_histories_say_neither_who_speaks_nor_what_answers_what() -> None:
    told = events(
        instance(
            "",
            {"action": "message", "content": "Fix it."},
            {"action": "run", "command": "ls", "thought": "I look."},
            {"observation": "run", "content": "a.py", "exit_code": 1},
            {"action": "message", "content": "I need help."},
            {"action": "finish", "thought": "", "outputs": {"content": "Gave up."}},
            issue={"owner": "dev", "repo": "project", "number": 5, "title": "A bug"},
        )
    )
    assert [event.key for event in of(Begins, told)] == ["dev/project#5"]
    assert [event.text for event in of(UserWords, told)] == ["Fix it."]
    assert [event.text for event in of(AgentText, told)] == ["I look.", "I need help.", "Gave up."]
    (result,) = of(ToolResult, told)
    assert (result.id, result.outcome, result.exit_code) == (of(ToolCall, told)[0].id, "failed", 1)


def test_a_saved_session_is_a_list_of_events() -> None:
    asked = {"function_name": "execute_bash", "tool_call_id": "toolu_1", "model_response": {"model": "some-model"}}
    told = events(
        json.dumps(
            [
                action(0, "system", content="You are an agent"),
                action(1, "message", "user", content="go"),
                action(2, "recall", "user", query="go"),
                observation(3, 2, "recall", "knowledge"),
                {**action(4, "run", command="ls"), "tool_call_metadata": asked},
                action(5, "edit", path="/w/a.py", command="create", file_text="x = 1\n"),
                observation(6, 5, "edit", "created"),
                observation(7, 4, "error", "boom"),
                action(8, "edit", path="/w/a.py", content="y = 2", start=1, end=1),
                action(9, "think", thought="hm"),
                action(10, "condensation", summary="So far: nothing."),
                observation(11, 99, "run", "nobody asked"),
                {"id": 12, "source": "agent"},
            ]
        ).encode()
    )
    assert [event.text for event in of(UserWords, told)] == ["go"]
    calls = of(ToolCall, told)
    assert [(call.id, call.tool) for call in calls] == [("toolu_1", "execute_bash"), ("5", "edit"), ("8", "edit")]
    assert [[(edit.path, edit.change) for edit in call.edits] for call in calls] == [
        [],
        [("/w/a.py", "added")],
        [("/w/a.py", "modified")],
    ]
    assert [(event.id, event.outcome) for event in of(ToolResult, told)] == [("5", "unknown"), ("toolu_1", "failed")]
    assert [event.text for event in of(Reasoning, told)] == ["hm"]
    assert [event.text for event in of(Summary, told)] == ["So far: nothing."]
    assert [event.reason for event in of(Skipped, told)] == [
        "observation without its action",
        "neither action nor observation",
    ]
    assert Meta("model", "some-model") in told


def test_the_files_of_a_folder_are_one_session_in_their_order(tmp_path: Path) -> None:
    folder = tmp_path / "sessions" / "s1" / "events"
    folder.mkdir(parents=True)
    for number in range(12):
        event = action(number, "message", "user" if number % 2 == 0 else "agent", content=f"word {number}")
        (folder / f"{number}.json").write_text(json.dumps(event))
    (folder / "3.json").write_text("{cut")
    name, file = open_transcript(str(folder / "0.json"))
    with file:
        told = list(events_of(name, file, str(folder / "0.json")))
    assert told[0] == Meta("session_id", "s1")
    assert [event.text for event in of(UserWords, told)] == [f"word {number}" for number in range(0, 12, 2)]
    assert [event.text for event in of(AgentText, told)] == [f"word {number}" for number in (1, 5, 7, 9, 11)]
    assert [event.reason for event in of(Skipped, told)] == ["unknown event kind 'damaged'"]


def kind(name: str, key: str, source: str = "agent", **more: Any) -> dict[str, Any]:
    return {"id": key, "timestamp": AT, "source": source, "kind": name, **more}


def said(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": [{"type": "text", "text": text}]}


def asked(call_id: str, tool: str, **arguments: Any) -> dict[str, Any]:
    call = {"id": call_id, "name": tool, "arguments": json.dumps(arguments), "origin": "completion"}
    return {"tool_name": tool, "tool_call_id": call_id, "tool_call": call}


def test_events_of_the_agent_library() -> None:
    state = {"agent": {"llm": {"model": "some-model"}}, "workspace": {"working_dir": "/w"}}
    told = events(
        json.dumps(
            [
                kind("ConversationStateUpdateEvent", "e0", "environment", value=state),
                kind("SystemPromptEvent", "e1", system_prompt={"type": "text", "text": "You are"}),
                kind("MessageEvent", "e2", "user", llm_message=said("user", "go")),
                kind("MessageEvent", "e3", "environment", llm_message=said("user", "a hook says")),
                kind(
                    "ActionEvent",
                    "e4",
                    thought=[{"type": "text", "text": "I look."}],
                    **asked("c1", "terminal", command="ls"),
                ),
                kind("ObservationEvent", "e5", "environment", tool_name="terminal", tool_call_id="c1")
                | {"observation": {"kind": "X", "content": [{"type": "text", "text": "a.py"}], "exit_code": 0}},
                kind("ActionEvent", "e6", thought=[], action={"kind": "Y", "command": "view", "path": "/w/a.py"})
                | {"tool_name": "file_editor", "tool_call_id": "c2", "tool_call": {}},
                kind("UserRejectObservation", "e7", "environment", tool_name="file_editor", tool_call_id="c2")
                | {"rejection_reason": "not that file"},
                kind("ActionEvent", "e8", thought=[], reasoning_content="hm", **asked("c3", "nope")),
                kind("AgentErrorEvent", "e9", tool_name="nope", tool_call_id="c3", error="no such tool"),
                kind("ActionEvent", "e10", thought=[], **asked("c4", "think", thought="well")),
                kind("ObservationEvent", "e11", "environment", tool_name="think", tool_call_id="c4", observation={}),
                kind("Condensation", "e12", "environment", summary="So far: little."),
                kind("ActionEvent", "e13", thought=[], **asked("c5", "finish", message="Done.")),
                kind("MessageEvent", "e14", "agent", llm_message=said("assistant", "Bye.")),
                kind("StrangeEvent", "e15"),
            ]
        ).encode()
    )
    assert [(event.text, event.origin) for event in of(UserWords, told)] == [
        ("go", "typed"),
        ("not that file", "answer"),
    ]
    assert [event.text for event in of(AgentText, told)] == ["I look.", "Done.", "Bye."]
    assert [event.text for event in of(Reasoning, told)] == ["hm", "well"]
    calls = of(ToolCall, told)
    assert [(call.id, call.tool, call.command) for call in calls] == [
        ("c1", "terminal", "ls"),
        ("c2", "file_editor", ""),
        ("c3", "nope", ""),
    ]
    assert [edit.change for edit in calls[1].edits] == ["read"]
    assert [(event.id, event.outcome) for event in of(ToolResult, told)] == [
        ("c1", "passed"),
        ("c2", "failed"),
        ("c3", "failed"),
    ]
    assert [event.text for event in of(Summary, told)] == ["So far: little."]
    assert [event.reason for event in of(Skipped, told)] == ["unknown event kind 'StrangeEvent'"]
    assert [(event.name, event.value) for event in of(Meta, told)] == [("model", "some-model"), ("cwd", "/w")]


def test_an_instance_in_which_nothing_was_said_is_no_conversation() -> None:
    told = events(instance("repo__1", action(1, "change_agent_state", agent_state="error")))
    assert isinstance(told[-1], NoConversation)


def test_lists_of_other_things_are_not_taken() -> None:
    assert not openhands.sniff(b'{"instruction": "say hi", "input": "", "output": "hi", "history": [["a", "b"]]}')
    assert not openhands.sniff(b"instruction history")
