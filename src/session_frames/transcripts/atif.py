"""ATIF trajectories (v1.x): one JSON document, or one on each line; a step holds its calls and their results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from session_frames.model import CallOutcome
from session_frames.transcripts.base import (
    AgentText,
    Begins,
    Edit,
    Event,
    Meta,
    NoConversation,
    Reasoning,
    Record,
    Skipped,
    ToolCall,
    ToolResult,
    Usage,
    UserWords,
    dict_of,
    int_of,
    list_of,
    load_json,
    text_of,
)
from session_frames.transcripts.chat_messages import block_texts
from session_frames.transcripts.heads import begins_object, json_key, origin_of
from session_frames.transcripts.tool_edits import command_of, edits_of

NAME = "atif"
RECORDED = False  # written after the makers' package; no file of somebody's session was at hand

_VERSION = json_key("schema_version", r'"ATIF-v1\.')
_OUTCOMES: Mapping[str, CallOutcome] = {"passed": "passed", "failed": "failed"}


def find(home: str, environ: Mapping[str, str]) -> list[str]:
    """A harness keeps them where it likes."""
    return []


def sniff(head: bytes) -> bool:
    """A document that names the format and a version 1."""
    return begins_object(head) and _VERSION.search(head[:4096]) is not None


def read(source: BinaryIO) -> Iterator[Event | Begins | NoConversation]:
    """The events of each trajectory."""
    spoken = False
    for document in _documents(source.read()):
        if isinstance(document, Skipped):
            yield document
            continue
        yield Begins(text_of(document.get("session_id")) or text_of(document.get("trajectory_id")))
        yield from _facts(document)
        for number, step in enumerate(map(dict_of, list_of(document.get("steps"))), 1):
            for event in _step(step, number):
                spoken = spoken or isinstance(event, UserWords | AgentText | ToolCall)
                yield event
    if not spoken:
        yield NoConversation("no prompt and no answer in it")


def _documents(data: bytes) -> Iterator[Record | Skipped]:
    try:
        yield dict_of(load_json(data))
        return
    except ValueError:
        pass
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            try:
                yield dict_of(load_json(line))
            except ValueError:
                yield Skipped("not JSON", number)


def _facts(document: Record) -> Iterator[Meta]:
    agent = dict_of(document.get("agent"))
    version = text_of(agent.get("version"))
    found = {
        "session_id": text_of(document.get("session_id")) or text_of(document.get("trajectory_id")),
        "agent_version": "" if version == "unknown" else version,
        "model": text_of(agent.get("model_name")),
    }
    yield from (Meta(name, value) for name, value in found.items() if value)


def _step(step: Record, number: int) -> Iterator[Event]:
    if step.get("is_copied_context") is True:
        return  # repeated from the trajectory before
    source, at, text = text_of(step.get("source")), text_of(step.get("timestamp")), block_texts(step.get("message"))
    key = f"step:{step.get('step_id', number)}"
    if source == "user":
        if text.strip():
            yield UserWords(key, at, text, origin_of(text))
    elif source == "agent":
        yield from _agent(step, key, at, text)
    elif source != "system":
        yield Skipped(f"unknown source '{source}'", 0)


def _agent(step: Record, key: str, at: str, text: str) -> Iterator[Event]:
    if model := text_of(step.get("model_name")):
        yield Meta("model", model)
    if thinking := text_of(step.get("reasoning_content")):
        yield Reasoning(key, at, thinking)
    if text:
        yield AgentText(key, at, text)
    outcomes: dict[str, CallOutcome] = {}
    last = ""
    for call in map(dict_of, list_of(step.get("tool_calls"))):
        last = text_of(call.get("tool_call_id"))
        outcomes[last] = _outcome(call)
        yield _call(call, last, key, at)
    for result in map(dict_of, list_of(dict_of(step.get("observation")).get("results"))):
        call_id = text_of(result.get("source_call_id")) or last
        yield ToolResult(call_id, at, block_texts(result.get("content")), outcomes.get(call_id, "unknown"))
    metrics = dict_of(step.get("metrics"))
    if metrics:
        cached = int_of(metrics.get("cached_tokens"))
        prompt = max(int_of(metrics.get("prompt_tokens")) - cached, 0)
        yield Usage(key, prompt, int_of(metrics.get("completion_tokens")), cached)


def _call(call: Record, call_id: str, key: str, at: str) -> ToolCall:
    tool, arguments = text_of(call.get("function_name")), call.get("arguments")
    edits: tuple[Edit, ...] = edits_of(tool, _single_input(arguments))
    return ToolCall(key, at, call_id, tool, arguments, edits, command_of(tool, arguments))


def _single_input(arguments: Any) -> Any:
    """The text itself of a tool that takes nothing but one."""
    fields = dict_of(arguments)
    return fields["input"] if fields.keys() == {"input"} else arguments


def _outcome(call: Record) -> CallOutcome:
    """How the call ended, where the trajectory is an export of frames; the format itself has no word for it."""
    told = dict_of(dict_of(call.get("extra")).get("frames")).get("outcome")
    return _OUTCOMES.get(text_of(told), "unknown")
