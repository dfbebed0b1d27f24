"""A frame as an ATIF trajectory (v1.8): steps, each call with its result in the same step."""

from __future__ import annotations

from typing import Any

from session_frames.model import Frame
from session_frames.operations.export_facts import (
    facts_of_call,
    facts_of_frame,
    facts_of_step,
    has_result,
    json_document,
)
from session_frames.transcripts.session_steps import Called, Step, as_object, steps_of, utc

VERSION = "ATIF-v1.8"


def trajectory_of_frame(frame: Frame) -> str:
    """The trajectory as JSON. What is not of the format stands in ``extra``, which is all that it allows."""
    session = frame.get("session", {})
    agent: dict[str, Any] = {
        "name": session.get("agent") or "unknown",
        "version": session.get("agent_version") or "unknown",
    }
    models = session.get("models", [])
    if models:
        agent["model_name"] = models[-1]
    document: dict[str, Any] = {"schema_version": VERSION}
    if session.get("session_id"):
        document["session_id"] = session["session_id"]
    steps = steps_of(frame)
    firsts = {id(step) for at, step in enumerate(steps) if not at or steps[at - 1].last}
    document |= {
        "trajectory_id": frame["id"],
        "agent": agent,
        "steps": [_step(number, step, id(step) in firsts) for number, step in enumerate(steps, 1)],
        "extra": {"frames": facts_of_frame(frame)},
    }
    return json_document(document)


def _step(number: int, step: Step, first: bool) -> dict[str, Any]:
    told: dict[str, Any] = {"step_id": number}
    if utc(step.at):
        told["timestamp"] = utc(step.at)
    told |= {"source": step.role, "message": step.text}
    if step.role == "agent":
        told |= _agents_part(step, first)
    return {**told, "extra": {"frames": facts_of_step(step)}}


def _agents_part(step: Step, first: bool) -> dict[str, Any]:
    part: dict[str, Any] = {}
    if first and step.turn.get("reasoning"):
        part["reasoning_content"] = step.turn["reasoning"]
    if step.calls:
        part["tool_calls"] = [_call(call) for call in step.calls]
        results = [{"source_call_id": call.id, "content": call.result} for call in step.calls if has_result(call)]
        if results:
            part["observation"] = {"results": results}
    metrics = _metrics(step)
    return {**part, "metrics": metrics} if metrics else part


def _call(call: Called) -> dict[str, Any]:
    return {
        "tool_call_id": call.id,
        "function_name": call.tool,
        "arguments": as_object(call.arguments),
        "extra": {"frames": facts_of_call(call)},
    }


def _metrics(step: Step) -> dict[str, int]:
    """The counts of the turn, told with its last step; there the cached ones are part of the prompt."""
    tokens = step.turn.get("tokens", {}) if step.last else {}
    cached = tokens.get("cache_read", 0)
    counts = {
        "prompt_tokens": tokens.get("input", 0) + cached + tokens.get("cache_write", 0),
        "completion_tokens": tokens.get("output", 0),
        "cached_tokens": cached,
    }
    return {name: count for name, count in counts.items() if count}
