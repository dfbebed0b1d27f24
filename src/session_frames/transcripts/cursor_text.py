"""Cursor's sessions as text: the agent's own transcript, and the Markdown of an exported chat."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from session_frames.transcripts.base import (
    AgentText,
    Event,
    Meta,
    Reasoning,
    ToolCall,
    ToolResult,
    UserWords,
)
from session_frames.transcripts.cursor_tools import command_of, edits_of
from session_frames.transcripts.cursor_words import QUERY, QUERY_END, own_words
from session_frames.transcripts.heads import origin_of

_ROLES = {"user:": "user", "assistant:": "agent"}
_MARK = re.compile(r"\[(Tool call|Tool result|Thinking)\] ?(.*)\Z")
_ARGUMENT = re.compile(r"  (-?\w+): ?(.*)\Z")

EXPORTED = re.compile(r"_Exported on .* from Cursor \(([^()]*)\)_\s*\Z")
_SPEAKERS = {"**User**": "user", "**Cursor**": "agent"}
_RULE = "---"


class _Said(NamedTuple):
    """What one side said in one go."""

    role: str
    lines: list[str]


# ---------------------------------------------------------------------------------------------------------------------
# The agent's own transcript


def tell_transcript(lines: list[str]) -> Iterator[Event]:
    """The events of a transcript with ``user:`` and ``assistant:`` lines."""
    teller = _Teller()
    asked = ""
    for said in _blocks(lines):
        if said.role == "agent":
            asked = ""
            yield from teller.tell(said.lines)
            continue
        words = own_words("\n".join(said.lines))
        # After a restart the last query is written once more.
        if words.strip() and words.strip() != asked:
            asked = words.strip()
            yield UserWords("", "", words, origin_of(words))


def _blocks(lines: list[str]) -> Iterator[_Said]:
    """What each side said. A role stands alone below a blank line, and not inside a query."""
    ends = _query_ends(lines)
    marks_queries = any(end < len(lines) for end in ends)
    said = _Said("agent", [])
    query_until = -1
    for at, line in enumerate(lines):
        role = _ROLES.get(line.rstrip(), "")
        if role and at > query_until and _opens(lines, at, marks_queries and role == "user"):
            yield said
            said = _Said(role, [])
            continue
        if at > query_until and said.role == "user" and line.startswith(QUERY) and ends[at] < len(lines):
            query_until = ends[at]
        said.lines.append(line)
    yield said


def _opens(lines: list[str], at: int, in_tags: bool) -> bool:
    if at and lines[at - 1].strip():
        return False
    following = lines[at + 1] if at + 1 < len(lines) else ""
    return not in_tags or following.startswith(("<", "["))


def _query_ends(lines: list[str]) -> list[int]:
    """For each line the next one, itself included, at whose end a query ends."""
    ends = [len(lines)] * (len(lines) + 1)
    for at in range(len(lines) - 1, -1, -1):
        ends[at] = at if lines[at].rstrip().endswith(QUERY_END) else ends[at + 1]
    return ends[:-1]


class _Marked(NamedTuple):
    """Lines below a mark; ``mark`` is "" for words of the agent."""

    mark: str
    name: str
    lines: list[str]


class _Teller:
    """Tells what the agent said and did; a result belongs to the first open call of its tool."""

    def __init__(self) -> None:
        self.calls = 0
        self.open: dict[str, deque[str]] = {}

    def tell(self, lines: list[str]) -> Iterator[Event]:
        for part in _marked(lines):
            text = "\n".join(part.lines).strip("\n")
            if part.mark == "Tool call":
                yield self._call(part)
            elif part.mark == "Tool result":
                yield from self._result(part.name, text)
            elif part.mark == "Thinking":
                thought = "\n".join(filter(None, (part.name, text)))
                if thought.strip():
                    yield Reasoning("", "", thought)
            elif text.strip():
                yield AgentText("", "", text)

    def _call(self, part: _Marked) -> ToolCall:
        self.calls += 1
        call_id = f"call:{self.calls}"
        self.open.setdefault(part.name, deque()).append(call_id)
        arguments = _arguments(part.lines)
        return ToolCall(
            "",
            "",
            call_id,
            part.name,
            arguments,
            edits_of(part.name, arguments),
            command_of(part.name, arguments),
        )

    def _result(self, name: str, text: str) -> Iterator[Event]:
        waiting = self.open.get(name)
        if waiting:
            yield ToolResult(waiting.popleft(), "", text)


def _marked(lines: list[str]) -> Iterator[_Marked]:
    """The parts of what the agent said. What is set in below a mark belongs to it, and blank lines do."""
    part = _Marked("", "", [])
    for line in lines:
        found = _MARK.match(line)
        if found:
            yield part
            part = _Marked(found[1], found[2].strip(), [])
            continue
        if part.mark and line.strip() and not line.startswith((" ", "\t")) and not _goes_on(part):
            yield part
            part = _Marked("", "", [])
        part.lines.append(line)
    yield part


def _goes_on(part: _Marked) -> bool:
    """Does a line at the margin go on with the last argument of a call?"""
    return part.mark == "Tool call" and bool(part.lines) and bool(part.lines[-1].strip())


def _arguments(lines: list[str]) -> dict[str, str]:
    arguments: dict[str, list[str]] = {}
    value: list[str] | None = None
    for line in lines:
        if found := _ARGUMENT.match(line):
            value = arguments.setdefault(found[1], [])
            value.append(found[2])
        elif value is not None:
            value.append(line)
    return {name: "\n".join(value).rstrip("\n") for name, value in arguments.items()}


# ---------------------------------------------------------------------------------------------------------------------
# An exported chat


def tell_export(lines: list[str]) -> Iterator[Event]:
    """The events of an exported chat: a title, the version, then both sides in turn between rules."""
    for line in lines[:2]:
        if found := EXPORTED.match(line):
            yield Meta("agent_version", found[1])
        elif line.startswith("# "):
            yield Meta("title", line[2:].strip())
    for said in _sides(lines):
        text = "\n".join(said.lines).strip("\n")
        if text.strip():
            yield UserWords("", "", text, origin_of(text)) if said.role == "user" else AgentText("", "", text)


def _sides(lines: list[str]) -> Iterator[_Said]:
    said: _Said | None = None
    for at, line in enumerate(lines):
        role = _SPEAKERS.get(line.rstrip(), "")
        if not role or not _is_below_a_rule(lines, at):
            if said is not None:
                said.lines.append(line)
            continue
        if said is not None:
            yield _without_rule(said)
        said = _Said(role, [])
    if said is not None:
        yield _without_rule(said)


def _is_below_a_rule(lines: list[str], at: int) -> bool:
    return at >= 2 and not lines[at - 1].strip() and lines[at - 2].rstrip() == _RULE


def _without_rule(said: _Said) -> _Said:
    while said.lines and not said.lines[-1].strip():
        said.lines.pop()
    if said.lines and said.lines[-1].rstrip() == _RULE:
        said.lines.pop()
    return said
