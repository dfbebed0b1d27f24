"""SWE-agent: a trajectory (``.traj``), one JSON document with a ``history`` of messages, a ``trajectory``, or both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import BinaryIO

from session_frames.errors import NotUnderstood
from session_frames.transcripts.base import (
    AgentText,
    Event,
    Meta,
    NoConversation,
    Reasoning,
    Record,
    Skipped,
    ToolCall,
    ToolResult,
    UserWords,
    dict_of,
    list_of,
    load_json,
    text_of,
)
from session_frames.transcripts.chat_messages import block_texts
from session_frames.transcripts.heads import begins_object, json_key
from session_frames.transcripts.tool_edits import edits_of, parsed_arguments

NAME = "swe-agent"

_HISTORY = (json_key("history", r"\[\s*\{"), json_key("role"), json_key("agent"))
_HISTORY_MARKS = (json_key("message_type"), json_key("is_demo"))
_STEPS = (json_key("trajectory", r"\[\s*\{"), json_key("action"), json_key("observation"))

# What the agent's own shell answers to a command line, where the model calls no functions.
_SHELL = "shell"


def find(home: str, environ: Mapping[str, str]) -> list[str]:
    """A run writes its trajectories where it is told to."""
    return []


def sniff(head: bytes) -> bool:
    """A document with a history of marked messages, or with steps of action and observation."""
    if not begins_object(head):
        return False
    marked = all(key.search(head) for key in _HISTORY) and any(key.search(head) for key in _HISTORY_MARKS)
    return marked or all(key.search(head) for key in _STEPS)


def read(source: BinaryIO) -> Iterator[Event | NoConversation]:
    """The events of the run; the task that the harness gave is the first prompt, its demonstrations are nobody's."""
    try:
        document = dict_of(load_json(source.read()))
    except ValueError as error:
        raise NotUnderstood("trajectory is not JSON") from error
    yield from _facts(document)
    history = [dict_of(message) for message in list_of(document.get("history"))]
    told = list(_Run().tell(history) if history else _steps(document))
    yield from told
    if not any(isinstance(event, UserWords | AgentText | ToolCall) for event in told):
        yield NoConversation("no prompt and no answer in it")


def _facts(document: Record) -> Iterator[Meta]:
    info = dict_of(document.get("info"))
    try:
        config = dict_of(parsed_arguments(document.get("replay_config")))
    except ValueError:
        config = {}
    model = dict_of(dict_of(config.get("agent")).get("model"))
    found = {"agent_version": text_of(info.get("swe_agent_version")), "model": text_of(model.get("name"))}
    yield from (Meta(name, value) for name, value in found.items() if value)


class _Run:
    """Tells messages as events; remembers the call that waits for its result."""

    def __init__(self) -> None:
        self.open: list[str] = []
        self.begun = False

    def tell(self, messages: list[Record]) -> Iterator[Event]:
        for number, message in enumerate(messages, 1):
            if message.get("is_demo") is True or message.get("message_type") == "demonstration":
                continue
            role, text = text_of(message.get("role")), block_texts(message.get("content"))
            if role == "assistant":
                self.begun = True
                yield from self._action(message, text, number)
            elif role == "tool" or (role == "user" and self.begun):
                yield from self._observation(message, text)
            elif role == "user":
                if text.strip():
                    yield UserWords("", "", text)
            elif role != "system":
                yield Skipped(f"unknown role '{role}'", 0)

    def _action(self, message: Record, text: str, number: int) -> Iterator[Event]:
        thinking = "\n".join(text_of(dict_of(one).get("thinking")) for one in list_of(message.get("thinking_blocks")))
        if thinking.strip():
            yield Reasoning("", "", thinking)
        calls = [dict_of(call) for call in list_of(message.get("tool_calls"))]
        said = text if calls else text_of(message.get("thought")) or text
        if said:
            yield AgentText("", "", said)
        self.open = []
        for call in calls:
            function = dict_of(call.get("function"))
            call_id, tool = text_of(call.get("id")), text_of(function.get("name"))
            self.open.append(call_id)
            yield _call(call_id, tool, parsed_arguments(function.get("arguments")))
        if not calls and (action := text_of(message.get("action"))):
            self.open.append(f"action:{number}")
            yield _call(self.open[-1], _SHELL, {"command": action})

    def _observation(self, message: Record, text: str) -> Iterator[Event]:
        named = [text_of(call_id) for call_id in list_of(message.get("tool_call_ids"))]
        answered = named or [text_of(message.get("tool_call_id"))]
        call_id = next((one for one in answered if one), self.open[0] if self.open else "")
        if call_id:
            self.open = [one for one in self.open if one != call_id]
            yield ToolResult(call_id, "", text)


def _call(call_id: str, tool: str, arguments: object) -> ToolCall:
    fields = dict_of(arguments)
    # The editor's own ``command`` names what it does; any other's is a command line.
    command = "" if "path" in fields else text_of(fields.get("command"))
    return ToolCall("", "", call_id, tool, arguments, edits_of(tool, arguments), command)


def _steps(document: Record) -> Iterator[Event]:
    """The run as its steps tell it, where the file has no history: the task is not in it."""
    for number, step in enumerate(map(dict_of, list_of(document.get("trajectory"))), 1):
        if thought := text_of(step.get("thought")) or text_of(step.get("response")):
            yield AgentText("", "", thought)
        if action := text_of(step.get("action")).strip():
            call_id = f"step:{number}"
            yield _call(call_id, _SHELL, {"command": action})
            yield ToolResult(call_id, "", text_of(step.get("observation")))
