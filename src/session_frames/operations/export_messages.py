"""A frame as a list of chat messages, in the shapes of the two common programming interfaces.

Both are documents ``{"messages": […], "metadata": {…}}``: a message has no place for what is not of the format, so the
facts of the frame, and of each call that is not whole, stand beside the list.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from session_frames.model import Frame
from session_frames.operations.export_facts import facts_of_call, facts_of_frame, facts_of_step, json_document
from session_frames.transcripts.session_steps import Step, as_object, steps_of

Message = dict[str, Any]


def chat_completions_of_frame(frame: Frame) -> str:
    """Messages with ``tool_calls``, and one of the role ``tool`` for each call."""
    return _document(frame, _completions_messages, {})


def content_blocks_of_frame(frame: Frame) -> str:
    """Messages of content blocks; what nobody of the two said stands in ``system``."""
    injected = [{"type": "text", "text": step.text} for step in steps_of(frame) if step.role == "system" and step.text]
    return _document(frame, _block_messages, {"system": injected} if injected else {})


def _document(frame: Frame, told: Callable[[Step], Iterator[Message]], more: dict[str, Any]) -> str:
    messages: list[Message] = []
    turns: list[dict[str, Any]] = []
    for step in steps_of(frame):
        begins = len(messages)
        messages += told(step)
        turns.append({"message": begins, **facts_of_step(step), **_calls(step)})
    facts = {**facts_of_frame(frame), "turns": turns}
    return json_document({**more, "messages": messages, "metadata": {"frames": facts}})


def _calls(step: Step) -> dict[str, Any]:
    """The facts of calls that are not whole, or did not pass."""
    told = {call.id: facts_of_call(call) for call in step.calls if call.cut or call.outcome != "passed"}
    return {"calls": told} if told else {}


def _completions_messages(step: Step) -> Iterator[Message]:
    if step.role != "agent":
        if step.text:
            yield {"role": step.role, "content": step.text}
        return
    asked = [
        {"id": call.id, "type": "function", "function": {"name": call.tool, "arguments": _arguments(call.arguments)}}
        for call in step.calls
    ]
    if step.text or asked:
        yield {"role": "assistant", "content": step.text, **({"tool_calls": asked} if asked else {})}
    for call in step.calls:
        yield {"role": "tool", "tool_call_id": call.id, "content": call.result}


def _arguments(arguments: Any) -> str:
    return json.dumps(as_object(arguments), ensure_ascii=False)


def _block_messages(step: Step) -> Iterator[Message]:
    if step.role == "user" and step.text:
        yield {"role": "user", "content": step.text}
    if step.role != "agent":
        return
    blocks: list[dict[str, Any]] = [{"type": "text", "text": step.text}] if step.text else []
    blocks += [
        {"type": "tool_use", "id": call.id, "name": call.tool, "input": as_object(call.arguments)}
        for call in step.calls
    ]
    if blocks:
        yield {"role": "assistant", "content": blocks}
    results = [
        {
            "type": "tool_result",
            "tool_use_id": call.id,
            "content": call.result,
            **({"is_error": True} if call.outcome == "failed" else {}),
        }
        for call in step.calls
    ]
    if results:
        yield {"role": "user", "content": results}
