"""LangChain: message histories and dumps."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from session_frames.transcripts import langchain_messages, sniff_format
from session_frames.transcripts.base import (
    AgentText,
    Begins,
    Meta,
    NoConversation,
    Skipped,
    ToolCall,
    ToolResult,
    Usage,
    UserWords,
)


def events(value: Any) -> list[Any]:
    data = json.dumps(value).encode()
    assert sniff_format(data) == "langchain"
    return list(langchain_messages.read(io.BytesIO(data)))


def stored(kind: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": kind, "data": {"content": content, "type": kind, **more}}


def dumped(name: str, content: Any, **more: Any) -> dict[str, Any]:
    return {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "schema", "messages", name],
        "kwargs": {"content": content, **more},
    }


CALL = {"name": "run_command", "args": {"command": "ls"}, "id": "c1", "type": "tool_call"}


@pytest.mark.parametrize("whole", [list, lambda messages: {"messages": messages}])
def test_both_forms_tell_the_same(whole: Any) -> None:
    blocks = [{"type": "text", "text": "I look."}, {"type": "tool_use", "id": "c1", "name": "run_command", "input": {}}]
    counts = {"input_tokens": 120, "output_tokens": 7, "input_token_details": {"cache_read": 100}}
    answer = {
        "tool_calls": [CALL],
        "id": "m1",
        "response_metadata": {"model_name": "some-model"},
        "usage_metadata": counts,
    }
    history = [
        stored("system", "You are"),
        stored("human", "go"),
        stored("ai", blocks, **answer),
        stored("tool", "a.py", tool_call_id="c1", status="error"),
    ]
    dump = [
        dumped("SystemMessage", "You are"),
        dumped("HumanMessage", "go"),
        dumped("AIMessageChunk", blocks, **answer),
        dumped("ToolMessage", "a.py", tool_call_id="c1", status="error"),
    ]
    told = events(whole(history))
    assert told == events(whole(dump))
    assert told == [
        Begins(),
        UserWords("", "", "go"),
        Meta("model", "some-model"),
        AgentText("", "", "I look."),
        ToolCall("", "", "c1", "run_command", {"command": "ls"}, (), "ls"),
        Usage("m1", 20, 7, 100),
        ToolResult("c1", "", "a.py", "failed"),
    ]


def test_calls_of_older_messages_and_free_roles() -> None:
    old = {"tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}]}
    told = events(
        [
            stored("chat", "go", role="user"),
            stored("ai", "", additional_kwargs=old),
            stored("chat", "aside", role="narrator"),
        ]
    )
    assert [event.text for event in told if isinstance(event, UserWords)] == ["go"]
    assert [event.arguments for event in told if isinstance(event, ToolCall)] == [{"a": 1}]


def test_what_is_no_message_is_told() -> None:
    data = json.dumps([stored("human", "go"), {"type": "human"}]).encode()
    told = list(langchain_messages.read(io.BytesIO(data)))
    assert [event.reason for event in told if isinstance(event, Skipped)] == ["not a message"]
    assert sniff_format(data) is None
    assert isinstance(list(langchain_messages.read(io.BytesIO(b"[]")))[-1], NoConversation)


def test_what_the_library_dumps_is_read() -> None:
    messages = pytest.importorskip("langchain_core.messages")
    load = pytest.importorskip("langchain_core.load")
    talk = [
        messages.SystemMessage("You are"),
        messages.HumanMessage("go"),
        messages.AIMessage("I look.", tool_calls=[CALL]),
        messages.ToolMessage("a.py", tool_call_id="c1"),
        messages.AIMessage("Done."),
    ]
    for value in (messages.messages_to_dict(talk), [load.dumpd(message) for message in talk]):
        told = events(value)
        assert [event.text for event in told if isinstance(event, UserWords)] == ["go"]
        assert [event.text for event in told if isinstance(event, AgentText)] == ["I look.", "Done."]
        assert [event.id for event in told if isinstance(event, ToolCall | ToolResult)] == ["c1", "c1"]
