"""ATIF: steps with their calls and results; documents and lines."""

from __future__ import annotations

import io
import json
from typing import Any

from session_frames.transcripts import atif, sniff_format
from session_frames.transcripts.base import (
    AgentText,
    Begins,
    Meta,
    NoConversation,
    Reasoning,
    Skipped,
    ToolCall,
    ToolResult,
    Usage,
    UserWords,
)

AT = "2026-05-12T00:21:10Z"


def trajectory(*steps: dict[str, Any], **more: Any) -> dict[str, Any]:
    numbered = [{"step_id": number, "timestamp": AT, **step} for number, step in enumerate(steps, 1)]
    agent = {"name": "some-agent", "version": "1.2", "model_name": "some-model"}
    return {"schema_version": "ATIF-v1.8", "session_id": "s1", "agent": agent, "steps": numbered, **more}


def events(*documents: dict[str, Any]) -> list[Any]:
    data = "\n".join(map(json.dumps, documents)).encode()
    assert sniff_format(data) == "atif"
    return list(atif.read(io.BytesIO(data)))


def agent(message: Any = "", **more: Any) -> dict[str, Any]:
    return {"source": "agent", "message": message, **more}


def test_a_step_tells_words_calls_results_and_counts() -> None:
    call = {"tool_call_id": "c1", "function_name": "bash", "arguments": {"command": "ls"}}
    write = {"tool_call_id": "c2", "function_name": "write_file", "arguments": {"path": "a.py", "content": "x = 1\n"}}
    told = events(
        trajectory(
            {"source": "system", "message": "You are an agent"},
            {"source": "user", "message": "repeated", "is_copied_context": True},
            {"source": "user", "message": [{"type": "text", "text": "go"}, {"type": "image", "source": {}}]},
            agent(
                "I look.",
                model_name="other-model",
                reasoning_content="hm",
                tool_calls=[call, write],
                observation={
                    "results": [
                        {"source_call_id": "c1", "content": "a.py"},
                        {"content": [{"type": "text", "text": "ok"}]},
                    ]
                },
                metrics={"prompt_tokens": 120, "completion_tokens": 7, "cached_tokens": 100},
            ),
        )
    )
    assert told[0] == Begins("s1")
    metas = [(event.name, event.value) for event in told if isinstance(event, Meta)]
    assert metas == [("session_id", "s1"), ("agent_version", "1.2"), ("model", "some-model"), ("model", "other-model")]
    assert [event.text for event in told if isinstance(event, UserWords)] == ["go"]
    assert [event.text for event in told if isinstance(event, AgentText)] == ["I look."]
    assert [event.text for event in told if isinstance(event, Reasoning)] == ["hm"]
    calls = [event for event in told if isinstance(event, ToolCall)]
    assert calls[0].command == "ls"
    assert calls[1].edits[0].added == (("x = 1",),)
    assert [(event.id, event.text) for event in told if isinstance(event, ToolResult)] == [("c1", "a.py"), ("c2", "ok")]
    assert [event[1:4] for event in told if isinstance(event, Usage)] == [(20, 7, 100)]


def test_each_line_may_be_a_trajectory() -> None:
    one = trajectory({"source": "user", "message": "one"})
    two = trajectory({"source": "user", "message": "two"}, session_id="s2")
    data = json.dumps(one).encode() + b"\n{cut\n" + json.dumps(two).encode() + b"\n"
    told = list(atif.read(io.BytesIO(data)))
    assert [event.key for event in told if isinstance(event, Begins)] == ["s1", "s2"]
    assert [event.reason for event in told if isinstance(event, Skipped)] == ["not JSON"]


def test_nobody_speaks_and_an_unknown_source_is_told() -> None:
    told = events(trajectory({"source": "narrator", "message": "Once"}, agent={"name": "a", "version": "unknown"}))
    assert [type(event) for event in told] == [Begins, Meta, Skipped, NoConversation]


def test_only_version_1_is_taken() -> None:
    assert not atif.sniff(b'{"schema_version": "ATIF-v2.0"}')
    assert not atif.sniff(b'[{"schema_version": "ATIF-v1.8"}]')
