"""Kimi: ``wire.jsonl``, what the program and the agent told each other, one record a line.

Kimi Code writes records with a type of their own; Kimi CLI before it wrapped each in ``message`` (``kimi_cli_wire``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from glob import escape
from typing import Any, BinaryIO

from session_frames.model import Origin
from session_frames.transcripts.base import (
    AgentText,
    Event,
    Meta,
    NoConversation,
    Reasoning,
    Record,
    Skipped,
    Summary,
    Usage,
    UserWords,
    dict_of,
    int_of,
    iter_lines,
    text_of,
)
from session_frames.transcripts.heads import complete_lines, origin_of
from session_frames.transcripts.kimi_calls import Calls, part_texts
from session_frames.transcripts.kimi_cli_wire import CliWire, is_cli_record
from session_frames.transcripts.moments import iso_of_milliseconds
from session_frames.transcripts.spoken import or_no_conversation

NAME = "kimi"

# Records that are bookkeeping: beginnings of their types.
_IGNORED_TYPES = (
    "tools.",
    "llm.",
    "turn.",
    "prompt.",
    "permission.",
    "plugin.",
    "token_counting.",
    "plan_mode.",
    "file_history.",
    "runtime.",
)
_OWN_TYPES = frozenset({"turn.prompt", "context.append_message", "context.append_loop_event"})
_MAIN_AGENT = ("", "main")


def find(home: str, environ: Mapping[str, str]) -> list[str]:
    """The logs of main agents below ``$KIMI_CODE_HOME`` and ``$KIMI_SHARE_DIR``, or in the home folder."""
    code = escape(environ.get("KIMI_CODE_HOME") or f"{home}/.kimi-code")
    older = escape(environ.get("KIMI_SHARE_DIR") or f"{home}/.kimi")
    return [f"{code}/sessions/*/*/agents/main/wire.jsonl", f"{older}/sessions/*/*/wire.jsonl"]


def sniff(head: bytes) -> bool:
    """A header with the version of the protocol, or records of either kind."""
    return any(map(_is_own_line, complete_lines(head)))


def _is_own_line(record: Record) -> bool:
    kind = text_of(record.get("type"))
    if kind == "metadata":
        return "protocol_version" in record
    return (kind in _OWN_TYPES and "time" in record) or is_cli_record(record)


def read(source: BinaryIO) -> Iterator[Event | NoConversation]:
    """The events of the session, in the order of the file."""
    return or_no_conversation(_events(source))


def _events(source: BinaryIO) -> Iterator[Event | NoConversation]:
    reader, older = _Reader(), CliWire()
    for item in iter_lines(source):
        if isinstance(item, Skipped):
            yield item
        elif is_cli_record(item.record):
            yield from older.events(item)
        elif reader.knows(kind := text_of(item.record.get("type"))):
            yield from reader.events(kind, item.record)
        elif not kind.startswith(_IGNORED_TYPES):
            yield Skipped(f"unknown record type '{kind}'", item.number)
    yield from reader.end()


class _Reader:
    """What has to be remembered from one record to the next."""

    def __init__(self) -> None:
        self._facts: dict[str, str] = {}
        self._alias = ""  # the person's name for the model
        self._said: set[str] = set()
        self._calls = Calls()
        self._subagent = False
        self._types: Mapping[str, Callable[[Record, str], Iterator[Event]]] = {
            "metadata": self._metadata,
            "config.update": self._config,
            "profile.bind": self._config,
            "llm.request": self._request,
            "usage.record": self._usage_record,
            "turn.prompt": self._prompt,
            "turn.steer": self._steer,
            "context.append_message": self._appended,
            "context.apply_compaction": self._compaction,
            "context.append_loop_event": self._loop_event,
        }
        self._loop: Mapping[str, Callable[[Record, str], Iterator[Event]]] = {
            "content.part": self._part,
            "tool.call": self._call,
            "tool.result": self._result,
            "step.end": self._step_end,
        }

    def knows(self, kind: str) -> bool:
        """Are records of this type understood?"""
        return kind in self._types

    def events(self, kind: str, record: Record) -> Iterator[Event]:
        """The events of one record."""
        self._subagent = self._subagent or text_of(record.get("agentId")) not in _MAIN_AGENT
        at = iso_of_milliseconds(record.get("time")) or iso_of_milliseconds(record.get("created_at"))
        for event in self._types[kind](record, at):
            if not (self._subagent and isinstance(event, UserWords)):  # its prompts are the agent's
                yield event

    def end(self) -> Iterator[Event | NoConversation]:
        """What can be told only when the file is over."""
        if "model" not in self._facts:
            yield from self._fact("model", self._alias)
        if self._subagent:
            yield NoConversation("the session of a sub-agent")

    def _fact(self, name: str, value: str) -> Iterator[Event]:
        if value and self._facts.get(name) != value:
            self._facts[name] = value
            yield Meta(name, value)

    def _metadata(self, record: Record, at: str) -> Iterator[Event]:
        if "started" not in self._facts:
            yield from self._fact("started", at)

    def _config(self, record: Record, at: str) -> Iterator[Event]:
        self._alias = text_of(record.get("modelAlias")) or self._alias
        place = text_of(dict_of(record.get("environmentDisclosure")).get("cwd"))
        yield from self._fact("cwd", place or text_of(record.get("cwd")))

    def _request(self, record: Record, at: str) -> Iterator[Event]:
        return self._fact("model", text_of(record.get("model")))

    def _usage_record(self, record: Record, at: str) -> Iterator[Event]:
        self._alias = self._alias or text_of(record.get("model"))
        return iter(())

    # -----------------------------------------------------------------------------------------------------------------
    # The person

    def _prompt(self, record: Record, at: str) -> Iterator[Event]:
        return self._words(record.get("input"), record.get("origin"), at, "typed")

    def _steer(self, record: Record, at: str) -> Iterator[Event]:
        return self._words(record.get("input"), record.get("origin"), at, "queued")

    def _words(self, parts: Any, source: Any, at: str, origin: Origin) -> Iterator[Event]:
        words = part_texts(parts)
        if words.strip() and _is_person(source):
            self._said.add(words.strip())
            yield UserWords("", at, words, origin if origin == "queued" else origin_of(words))

    def _appended(self, record: Record, at: str) -> Iterator[Event]:
        """A message of the model's context: it repeats what was prompted, and tells what no record prompted."""
        message = dict_of(record.get("message"))
        parts = message.get("content")
        if message.get("role") == "user" and "origin" in message and part_texts(parts).strip() not in self._said:
            yield from self._words(parts, message["origin"], at, "typed")

    # -----------------------------------------------------------------------------------------------------------------
    # The agent

    def _compaction(self, record: Record, at: str) -> Iterator[Event]:
        if text := text_of(record.get("summary")):
            yield Summary("", at, text)

    def _loop_event(self, record: Record, at: str) -> Iterator[Event]:
        event = dict_of(record.get("event"))
        handler = self._loop.get(text_of(event.get("type")))
        return handler(event, at) if handler else iter(())

    def _part(self, event: Record, at: str) -> Iterator[Event]:
        part, key = dict_of(event.get("part")), text_of(event.get("uuid"))
        text, thought = text_of(part.get("text")), text_of(part.get("think"))
        if part.get("type") == "text" and text.strip():
            yield AgentText(key, at, text)
        elif part.get("type") == "think" and (thought or text).strip():
            yield Reasoning(key, at, thought or text)

    def _call(self, event: Record, at: str) -> Iterator[Event]:
        key, call_id = text_of(event.get("uuid")), text_of(event.get("toolCallId"))
        return self._calls.asked(key, at, call_id, text_of(event.get("name")), event.get("args"))

    def _result(self, event: Record, at: str) -> Iterator[Event]:
        result = dict_of(event.get("result"))
        output = result.get("output") or result.get("message")
        return self._calls.answered(text_of(event.get("toolCallId")), at, output, result.get("isError") is True)

    def _step_end(self, event: Record, at: str) -> Iterator[Event]:
        usage = dict_of(event.get("usage"))
        names = ("inputOther", "output", "inputCacheRead", "inputCacheCreation")
        counts = [int_of(usage.get(name)) for name in names]
        if any(counts):
            yield Usage(text_of(event.get("uuid")) or at, counts[0], counts[1], counts[2], counts[3])


def _is_person(source: Any) -> bool:
    return text_of(dict_of(source).get("kind")) in ("", "user")
