"""Sub-agents of Claude Code: their records among the parent's (older versions), or a file of their own each.

A sub-agent belongs to the call that started it: known by the agent's id in the call's result, else by its prompt.
"""

from __future__ import annotations

import glob
import io
import os
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from typing import Any, Protocol

from session_frames.transcripts.base import (
    AgentText,
    Event,
    Line,
    Nested,
    Reasoning,
    Record,
    Skipped,
    ToolCall,
    ToolResult,
    Usage,
    UserWords,
    dict_of,
    iter_lines,
    text_of,
)
from session_frames.transcripts.claude_words import whole_text

AGENT_TOOLS = ("Task", "Agent")
# Files of sub-agents that do no work: one writes a compaction summary, one answers a question aside.
_NOT_WORK = ("acompact", "aside_question")
_TOLD = (UserWords, AgentText, Reasoning, ToolCall, ToolResult, Usage)


class Reader(Protocol):
    """What turns records into events."""

    def events(self, line: Line) -> Iterator[Event]:
        """The events of one record."""


def companions(path: str) -> list[str]:
    """Where the logs of a session's sub-agents lie: in a folder of the session, in older versions beside it."""
    folder, name = os.path.split(path)
    session = glob.escape(os.path.join(folder, name.removesuffix(".jsonl")))
    return [f"{session}/subagents/agent-*.jsonl", f"{glob.escape(folder)}/agent-*.jsonl"]


class Subagents:
    """Which call each sub-agent belongs to."""

    def __init__(self, new_reader: Callable[[], Reader]) -> None:
        self._new_reader = new_reader
        self._by_prompt: dict[bytes, str] = {}  # by a digest: the words need not be remembered
        self._by_agent: dict[str, str] = {}
        self._call_of: dict[str, str] = {}  # record of a sub-agent in the parent's file -> call
        self._readers: dict[str, Reader] = {}

    def called(self, call_id: str, tool: str, arguments: Any) -> None:
        """The parent made this call."""
        prompt = text_of(dict_of(arguments).get("prompt")).strip()
        if tool in AGENT_TOOLS and prompt:
            self._by_prompt[_digest(prompt)] = call_id

    def answered(self, call_id: str, structured: Any) -> None:
        """The call's result names the sub-agent."""
        agent = text_of(dict_of(structured).get("agentId"))
        if agent:
            self._by_agent[agent] = call_id

    def inside(self, line: Line) -> Iterator[Event]:
        """A sub-agent's record that stands in the parent's file; one that no call is known for tells nothing."""
        record = line.record
        call = self._call_of.get(text_of(record.get("parentUuid"))) or self._call_for(record)
        if call:
            self._call_of[text_of(record.get("uuid"))] = call
            yield from self._nested(call, line)

    def beside(self, files: Iterable[tuple[str, bytes]], sessions: Iterable[str]) -> Iterator[Event]:
        """The logs in files of their own; those of other sessions are passed over."""
        own = set(sessions)
        for _, content in files:
            call = ""
            for item in iter_lines(io.BytesIO(content)):
                if isinstance(item, Skipped):
                    yield Skipped(f"in a sub-agent's log: {item.reason}", 0)
                    continue
                if not call:
                    if text_of(item.record.get("sessionId")) not in own or _is_no_work(item.record):
                        break
                    call = self._call_for(item.record)
                    if not call:
                        break
                yield from self._nested(call, item)

    def _call_for(self, record: Record) -> str:
        known = self._by_agent.get(text_of(record.get("agentId")))
        if known:
            return known
        content = dict_of(record.get("message")).get("content")
        return self._by_prompt.get(_digest(whole_text(content).strip()), "") if isinstance(content, str | list) else ""

    def _nested(self, call: str, line: Line) -> Iterator[Event]:
        reader = self._readers.setdefault(call, self._new_reader())
        record = {**line.record, "isSidechain": False}
        for event in reader.events(Line(line.number, record)):
            if isinstance(event, _TOLD):
                yield Nested(call, event)


def _digest(prompt: str) -> bytes:
    return blake2b(prompt.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _is_no_work(record: Record) -> bool:
    return text_of(record.get("agentId")).startswith(_NOT_WORK)
