"""A frame as a message history: the list of ``{"type", "data"}`` that ``messages_from_dict`` loads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from session_frames.model import Frame
from session_frames.operations.export_facts import facts_of_call, facts_of_frame, facts_of_step, json_document
from session_frames.transcripts.session_steps import Called, Step, as_object, steps_of

_TYPES = {"user": "human", "system": "system"}


def message_history_of_frame(frame: Frame) -> str:
    """The messages as JSON; the first one holds the facts of the frame in its metadata."""
    messages = [message for step in steps_of(frame) for message in _messages(step)]
    if messages:
        messages[0]["data"]["response_metadata"]["frames"] |= facts_of_frame(frame)
    return json_document(messages)


def _messages(step: Step) -> Iterator[dict[str, Any]]:
    if step.role != "agent":
        if step.text:
            yield _message(_TYPES[step.role], step.text, facts_of_step(step))
        return
    asked = [
        {"name": call.tool, "args": as_object(call.arguments), "id": call.id, "type": "tool_call"}
        for call in step.calls
    ]
    if step.text or asked:
        yield _message("ai", step.text, facts_of_step(step), tool_calls=asked, invalid_tool_calls=[], **_usage(step))
    for call in step.calls:
        yield _result(call)


def _message(kind: str, text: str, facts: dict[str, Any], **more: Any) -> dict[str, Any]:
    data = {
        "content": text,
        "additional_kwargs": {},
        "response_metadata": {"frames": facts},
        "type": kind,
        "name": None,
        "id": None,
        **more,
    }
    return {"type": kind, "data": data}


def _result(call: Called) -> dict[str, Any]:
    status = "error" if call.outcome == "failed" else "success"
    return _message("tool", call.result, facts_of_call(call), tool_call_id=call.id, status=status)


def _usage(step: Step) -> dict[str, Any]:
    tokens = step.turn.get("tokens", {}) if step.last else {}
    if not tokens:
        return {}
    cached, written = tokens.get("cache_read", 0), tokens.get("cache_write", 0)
    prompt, answer = tokens.get("input", 0) + cached + written, tokens.get("output", 0)
    return {"usage_metadata": {"input_tokens": prompt, "output_tokens": answer, "total_tokens": prompt + answer}}
