"""Plain lists of chat messages: what is claimed, and what not."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from session_frames.errors import NotUnderstood
from session_frames.transcripts import FORMATS, get_format, sniff_format
from session_frames.transcripts.base import (
    AgentText,
    Begins,
    Meta,
    NoConversation,
    Reasoning,
    Skipped,
    ToolCall,
    ToolResult,
    UserWords,
)

PAGE = Path(__file__).parents[1] / "docs" / "exchange.md"


def events(form: str, value: Any) -> list[Any]:
    data = json.dumps(value).encode()
    assert sniff_format(data) == form
    return list(get_format(form).read(io.BytesIO(data)))


def user(content: Any = "go") -> dict[str, Any]:
    return {"role": "user", "content": content}


def assistant(content: Any, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **more}


def test_calls_of_chat_completions() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
    custom = {"id": "c2", "type": "custom", "custom": {"name": "note", "input": "a text"}}
    told = events(
        "openai-messages",
        {
            "model": "some-model",
            "messages": [
                {"role": "system", "content": "You are"},
                {"role": "developer", "content": "Be"},
                user([{"type": "text", "text": "go"}, {"type": "image_url", "image_url": {"url": "data:"}}]),
                assistant(None, tool_calls=[call, custom], reasoning_content="hm"),
                {"role": "tool", "tool_call_id": "c1", "content": "a.py"},
                assistant(None, refusal="I can't."),
            ],
        },
    )
    assert told == [
        Begins(),
        Meta("model", "some-model"),
        UserWords("", "", "go"),
        Reasoning("", "", "hm"),
        ToolCall("", "", "c1", "bash", {"command": "ls"}, (), "ls"),
        ToolCall("", "", "c2", "note", "a text"),
        ToolResult("c1", "", "a.py"),
        AgentText("", "", "I can't."),
    ]


def test_functions_of_the_old_form_are_answered_by_their_order() -> None:
    told = events(
        "openai-messages",
        [
            user(),
            assistant("", function_call={"name": "f", "arguments": "{}"}),
            {"role": "function", "name": "f", "content": "1"},
        ],
    )
    (call,) = [event for event in told if isinstance(event, ToolCall)]
    assert [event.id for event in told if isinstance(event, ToolResult)] == [call.id]


def test_blocks_of_the_messages_interface() -> None:
    told = events(
        "anthropic-messages",
        {
            "system": "You are",
            "messages": [
                user("go"),
                assistant(
                    [
                        {"type": "thinking", "thinking": "hm", "signature": "s"},
                        {"type": "text", "text": "I look."},
                        {"type": "tool_use", "id": "c1", "name": "bash", "input": {"command": "ls"}},
                    ]
                ),
                user(
                    [
                        {
                            "type": "tool_result",
                            "tool_use_id": "c1",
                            "is_error": True,
                            "content": [{"type": "text", "text": "no"}],
                        },
                        {"type": "text", "text": "try again"},
                    ]
                ),
                assistant("Fine."),
            ],
        },
    )
    assert told == [
        Begins(),
        UserWords("", "", "go"),
        Reasoning("", "", "hm"),
        AgentText("", "", "I look."),
        ToolCall("", "", "c1", "bash", {"command": "ls"}, (), "ls"),
        ToolResult("c1", "", "no", "failed"),
        UserWords("", "", "try again"),
        AgentText("", "", "Fine."),
    ]


def test_a_result_that_is_a_picture_says_its_kind() -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": ""}}
    told = events("anthropic-messages", [user([{"type": "tool_result", "tool_use_id": "c1", "content": [picture]}])])
    assert [event.kind for event in told if isinstance(event, ToolResult)] == ["image/png"]


def test_each_line_may_be_a_talk() -> None:
    lines = [json.dumps({"messages": [user(word), assistant("yes")]}) for word in ("one", "two")]
    data = "\n".join([lines[0], "{cut", lines[1]]).encode()
    assert sniff_format(data) == "openai-messages"
    told = list(get_format("openai-messages").read(io.BytesIO(data)))
    assert [type(event) for event in told] == [Begins, UserWords, AgentText, Skipped, Begins, UserWords, AgentText]


def test_a_long_list_is_known_by_its_first_messages() -> None:
    data = json.dumps([user("word " * 500) for _ in range(100)]).encode()
    assert sniff_format(data[: 64 << 10]) == "openai-messages"


@pytest.mark.parametrize(
    "value",
    [
        [],
        {},
        {"messages": []},
        {"messages": {"role": "user"}},
        [1, 2],
        ["user"],
        [{"role": "user", "content": "hi", "messageId": "m1"}],
        [{"role": "narrator", "content": "once"}],
        [{"role": "system", "content": "You are"}],
        {"sessionId": "s1", "messages": [user()]},
        {"conversations": [user()]},
        [user([{"type": "reasoning", "text": "x"}])],
        {"role": "user", "content": "hi"},
    ],
)
def test_what_holds_more_than_a_talk_is_not_claimed(value: Any) -> None:
    assert sniff_format(json.dumps(value).encode()) not in ("openai-messages", "anthropic-messages")


def test_damaged_files_raise_nothing_but_the_one_error() -> None:
    reader = get_format("openai-messages")
    with pytest.raises(NotUnderstood):
        list(reader.read(io.BytesIO(b"[")))
    for data in (b"", b"[[[", b'{"messages"', b'{"messages": [{"role": "user"', b"\xff[", b"[" * 100_000):
        assert sniff_format(data) is None
    told = list(reader.read(io.BytesIO(b'[{"role": 1}, 2, {"role": "narrator"}]')))
    assert isinstance(told[-1], NoConversation)


def test_they_are_asked_last() -> None:
    assert list(FORMATS)[-2:] == ["anthropic-messages", "openai-messages"]


def test_forms_that_no_recorded_file_was_at_hand_for_are_named_on_the_page() -> None:
    unseen = [name for name in FORMATS if getattr(get_format(name), "RECORDED", True) is False]
    ours = {"atif", "langchain", "openai-messages", "anthropic-messages"}
    assert ours <= set(unseen)
    section = PAGE.read_text(encoding="utf-8").split("not tried on a recorded file")[1]
    assert [name for name in ours if f"`{name}`" not in section] == []
