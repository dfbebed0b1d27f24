"""SWE-agent: the history of messages, the steps alone, demonstrations."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from session_frames.errors import NotUnderstood
from session_frames.transcripts import sniff_format, swe_agent
from session_frames.transcripts.base import (
    AgentText,
    Meta,
    NoConversation,
    Reasoning,
    Skipped,
    ToolCall,
    ToolResult,
    UserWords,
)


def message(role: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, "agent": "main", "message_type": "observation", **more}


def call(call_id: str, tool: str, **arguments: Any) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": tool, "arguments": json.dumps(arguments)}}


def events(**document: Any) -> list[Any]:
    data = json.dumps(document, indent=2).encode()
    assert sniff_format(data) == "swe-agent"
    return list(swe_agent.read(io.BytesIO(data)))


def test_the_task_is_said_and_observations_answer_calls() -> None:
    edit = call("c2", "str_replace_editor", command="create", path="/repo/a.py", file_text="x = 1\n")
    told = events(
        history=[
            message("system", "You are an agent", message_type="system_prompt"),
            message("user", "a demonstration", is_demo=True),
            message("user", [{"type": "text", "text": "Fix the bug."}]),
            message(
                "assistant", "I look.", thought="I look.", action="ls", tool_calls=[call("c1", "bash", command="ls")]
            ),
            message("tool", "a.py", tool_call_ids=["c1"]),
            message("assistant", "", tool_calls=[edit], thinking_blocks=[{"type": "thinking", "thinking": "hm"}]),
            message("tool", [{"type": "text", "text": "created"}], tool_call_ids=["c2"]),
        ],
        info={"swe_agent_version": "1.0.1"},
        replay_config=json.dumps({"agent": {"model": {"name": "gpt-4o"}}}),
    )
    assert [event.text for event in told if isinstance(event, UserWords)] == ["Fix the bug."]
    assert [event.text for event in told if isinstance(event, AgentText)] == ["I look."]
    assert [event.text for event in told if isinstance(event, Reasoning)] == ["hm"]
    calls = [event for event in told if isinstance(event, ToolCall)]
    assert [(one.tool, one.command) for one in calls] == [("bash", "ls"), ("str_replace_editor", "")]
    assert [(edit.path, edit.added) for edit in calls[1].edits] == [("/repo/a.py", (("x = 1",),))]
    assert [(event.id, event.text) for event in told if isinstance(event, ToolResult)] == [
        ("c1", "a.py"),
        ("c2", "created"),
    ]
    assert Meta("agent_version", "1.0.1") in told
    assert Meta("model", "gpt-4o") in told


def test_without_functions_the_action_is_the_call() -> None:
    told = events(
        history=[
            message("user", "Fix the bug."),
            message("assistant", "DISCUSSION\nI look.\n```\nls\n```", thought="I look.", action="ls\n"),
            message("user", "a.py"),
        ]
    )
    assert [event.text for event in told if isinstance(event, UserWords)] == ["Fix the bug."]
    (asked,) = [event for event in told if isinstance(event, ToolCall)]
    assert asked.command == "ls\n"
    assert [event.id for event in told if isinstance(event, ToolResult)] == [asked.id]


def test_steps_alone_tell_what_the_agent_did() -> None:
    told = events(trajectory=[{"thought": "I look.", "action": "ls", "observation": "a.py", "state": {}}])
    assert [type(event) for event in told] == [AgentText, ToolCall, ToolResult]


def test_an_unknown_role_is_told_and_silence_is_no_conversation() -> None:
    told = events(history=[message("narrator", "Once upon a time")])
    assert [type(event) for event in told] == [Skipped, NoConversation]


def test_what_is_no_trajectory_is_refused() -> None:
    assert not swe_agent.sniff(b'{"history": [{"role": "user", "content": "hi"}]}')
    assert not swe_agent.sniff(b"[1]")
    with pytest.raises(NotUnderstood):
        list(swe_agent.read(io.BytesIO(b"{")))
