"""Codex: ``~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl``, one record a line.

Since autumn 2025 a record is ``{timestamp, type, payload}``; before that the items stand bare at the top level, behind
a line of facts without a type. One message is written in several places (an item of the model's conversation, an event
for the screen, a completed item), and which of them a file has depends on the version.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, BinaryIO, ClassVar

from session_frames.transcripts import codex_words as words
from session_frames.transcripts.base import (
    AgentText,
    Event,
    Line,
    Meta,
    NoConversation,
    Reasoning,
    Record,
    Skipped,
    Summary,
    ToolCall,
    ToolResult,
    Usage,
    UserWords,
    dict_of,
    int_of,
    text_of,
)
from session_frames.transcripts.codex_files import RECORD_TYPES, find, is_bare_head, sniff
from session_frames.transcripts.codex_tools import (
    QUESTION_TOOL,
    arguments_of,
    command_of,
    edits_of_call,
    outcome_of,
    output_of,
)
from session_frames.transcripts.codex_turns import Turns
from session_frames.transcripts.line_readers import LineReader, read_lines
from session_frames.transcripts.made_by import original_session

__all__ = ["NAME", "find", "line_reader", "read", "sniff"]

NAME = "codex"

# Items of the model's conversation that are no words of person or agent; calls and outputs are known by their ending.
IGNORED_ITEMS = ("ghost_snapshot", "agent_message", "compaction", "context_compaction", "compaction_trigger", "other")
# Events for the screen: what they tell is told by items, or is of no interest once read.
IGNORED_EVENTS = (
    "error",
    "warning",
    "plan_update",
    "turn_diff",
    "turn_aborted",
    "turn.completed",
    "context_compacted",
    "entered_review_mode",
    "exited_review_mode",
    "agent_reasoning_section_break",
    "agent_reasoning_raw_content",
    "view_image_tool_call",
    "guardian_assessment",
    "sub_agent_activity",
    "thread_settings_applied",
    "session_configured",
    "raw_response_item",
    "deprecation_notice",
    "terminal_interaction",
    "stream_error",
    "model_reroute",
)
IGNORED_EVENT_ENDINGS = (
    "_begin",
    "_end",
    "_delta",
    "_started",
    "_complete",
    "_completed",
    "_update",
    "_updated",
    "_request",
    "_response",
    "_event",
    "_permissions",
    "_user_input",
)
_CITATION = "<oai-mem-citation>"


def read(source: BinaryIO) -> Iterator[Event | NoConversation]:
    """The events of the transcript, in the order of the file."""
    return read_lines(_Reader(), source)


def line_reader(head: bytes) -> LineReader:
    """The reader of a file, which is one of lines in every version."""
    return _Reader()


class _Reader(LineReader):
    """What has to be remembered from one record to the next."""

    def __init__(self) -> None:
        self._facts: dict[str, str] = {}
        self._session = ""
        self._calls: dict[str, str] = {}
        self._ends: dict[str, int] = {}
        self._usage: Usage | None = None
        self._conversation = False
        self._turns = Turns()
        self._agent_copies = words.Mirrors()
        self._items_speak = False

    def events(self, line: Line) -> Iterator[Event | NoConversation]:
        """The events of one record."""
        record = line.record
        kind = text_of(record.get("type"))
        at = text_of(record.get("timestamp"))
        if self._turns.copying:
            yield from self._said(self._turns.time_passes(at))
        handler = self._RECORDS.get(kind)
        if handler is not None:
            yield from handler(self, dict_of(record.get("payload")), at, line)
        elif kind in RECORD_TYPES or "record_type" in record:
            return
        elif is_bare_head(record):
            yield from self._session_meta(record, at, line)
        elif "payload" not in record and self._is_known_item(kind):
            yield from self._item(record, at, line)
        else:
            yield Skipped(f"unknown record type '{kind}'", line.number)

    def end(self, companions: Iterable[tuple[str, bytes]] = ()) -> Iterator[Event | NoConversation]:
        """What can be told only when the file is over."""
        yield from self._said(self._turns.end_copy())
        if self._usage is not None:
            yield self._usage
        if not self._conversation:
            yield NoConversation("nobody speaks in it")

    # -----------------------------------------------------------------------------------------------------------------
    # Facts

    def _fact(self, name: str, value: Any) -> Iterator[Meta]:
        text = text_of(value)
        if text and self._facts.get(name) != text:
            self._facts[name] = text
            yield Meta(name, text)

    def _session_meta(self, payload: Record, at: str, line: Line) -> Iterator[Event | NoConversation]:
        session = text_of(payload.get("id"))
        if self._session and session != self._session:
            self._turns.start_copy(at)
            if "parent" not in self._facts:
                yield from self._fact("parent", session)
            return
        yield from self._said(self._turns.end_copy())
        first, self._session = not self._session, session
        git = dict_of(payload.get("git"))
        yield from self._fact("session_id", session)
        yield from self._fact("started", text_of(payload.get("timestamp")) or at)
        yield from self._fact("agent_version", payload.get("cli_version"))
        yield from self._fact("cwd", payload.get("cwd"))
        yield from self._fact("branch", git.get("branch"))
        yield from self._fact("base", git.get("commit_hash"))
        yield from self._fact("parent", original_session(payload) or payload.get("forked_from_id"))
        if first and "subagent" in dict_of(payload.get("source")):
            self.over = True
            yield NoConversation("a sub-agent's own file")

    def _turn_context(self, payload: Record, at: str, line: Line) -> Iterator[Event]:
        yield from self._fact("cwd", payload.get("cwd"))
        yield from self._fact("model", payload.get("model"))

    def _thread_name(self, payload: Record, at: str, line: Line) -> Iterator[Event]:
        yield from self._fact("title", payload.get("thread_name"))

    def _token_count(self, payload: Record, at: str, line: Line) -> Iterator[Event]:
        total = dict_of(dict_of(payload.get("info")).get("total_token_usage"))
        if total:
            cached = int_of(total.get("cached_input_tokens"))
            self._usage = Usage(
                "total",
                max(int_of(total.get("input_tokens")) - cached, 0),  # there the cached ones are counted in
                int_of(total.get("output_tokens")),
                cached,
                int_of(total.get("cache_write_input_tokens")),
                total=True,
            )
        return iter(())

    # -----------------------------------------------------------------------------------------------------------------
    # The person

    def _said(self, events: Iterator[Event]) -> Iterator[Event]:
        for event in events:
            if isinstance(event, UserWords):
                self._conversation = True
                self._agent_copies.clear()
            yield event

    def _user_message(self, payload: Record, at: str, line: Line) -> Iterator[Event]:
        if payload.get("kind") not in words.INJECTED_KINDS:
            yield from self._said(self._turns.from_event("event", text_of(payload.get("message")), at, _key(line)))

    def _item_completed(self, payload: Record, at: str, line: Line) -> Iterator[Event]:
        item = dict_of(payload.get("item"))
        text = words.item_words(item.get("content"))
        if item.get("type") == "UserMessage":
            yield from self._said(self._turns.from_event("completed item", text, at, _key(line)))
        elif item.get("type") == "AgentMessage":
            yield from self._agent_text("completed item", text, at, line)

    def _user_item(self, payload: Record, at: str, line: Line) -> Iterator[Event]:
        content = payload.get("content")
        if "cwd" not in self._facts:
            yield from self._fact("cwd", words.working_directory(content))
        yield from self._said(self._turns.from_item(words.item_words(content), at, _key(line)))

    def _rolled_back(self, payload: Record, at: str, line: Line) -> Iterator[Event]:
        return self._turns.roll_back(int_of(payload.get("num_turns")))

    # -----------------------------------------------------------------------------------------------------------------
    # The agent

    def _acts(self, key: str) -> None:
        self._conversation = True
        self._turns.agent_acts(key)

    def _is_known_item(self, kind: str) -> bool:
        return kind in ("message", "reasoning") or kind in IGNORED_ITEMS or kind.endswith(("_call", "_output"))

    def _item(self, payload: Record, at: str, line: Line) -> Iterator[Event]:
        kind = text_of(payload.get("type"))
        if kind == "message":
            role = payload.get("role")
            if role == "user":
                yield from self._user_item(payload, at, line)
            elif role == "assistant":
                self._items_speak = True
                yield from self._agent_text("item", "\n".join(words.block_texts(payload.get("content"))), at, line)
        elif kind == "reasoning":
            for text in words.reasoning_texts(payload):
                yield from self._reasoning("item", text, at, line)
        elif kind.endswith("_output"):
            yield from self._output(payload, at, line)
        elif kind.endswith("_call"):
            yield from self._call(kind, payload, at, line)
        elif kind not in IGNORED_ITEMS:
            yield Skipped(f"unknown item type '{kind}'", line.number)

    def _agent_text(self, place: str, text: str, at: str, line: Line) -> Iterator[Event]:
        text = text.partition(_CITATION)[0].rstrip() if _CITATION in text else text
        if text and self._agent_copies.is_new(place, text):
            self._acts(_key(line))
            if not self._turns.copying:
                yield AgentText(_key(line), at, text)

    def _reasoning(self, place: str, text: str, at: str, line: Line) -> Iterator[Event]:
        if text and self._agent_copies.is_new(place, text):
            self._acts(_key(line))
            if not self._turns.copying:
                yield Reasoning(_key(line), at, text)

    def _agent_message(self, payload: Record, at: str, line: Line) -> Iterator[Event]:
        # Where items tell the agent's words too, an event may hold them shortened (without a plan, say).
        if not self._items_speak:
            yield from self._agent_text("event", text_of(payload.get("message")), at, line)

    def _agent_reasoning(self, payload: Record, at: str, line: Line) -> Iterator[Event]:
        yield from self._reasoning("event", text_of(payload.get("text")), at, line)

    def _call(self, kind: str, payload: Record, at: str, line: Line) -> Iterator[Event]:
        self._acts(_key(line))
        call = text_of(payload.get("call_id"))
        if not call:
            return  # a web search of the model's own: it has no result
        tool = text_of(payload.get("name")) or kind.removesuffix("_call")
        arguments = arguments_of(payload)
        command = command_of(arguments)
        edits = edits_of_call(tool, arguments, command)
        self._calls[call] = tool
        yield ToolCall(_key(line), at, call, tool, arguments, edits, command)

    def _output(self, payload: Record, at: str, line: Line) -> Iterator[Event]:
        call = text_of(payload.get("call_id"))
        tool = self._calls.pop(call, "")
        output = payload.get("output")
        whole, kind = output_of(output)
        text, outcome, code = outcome_of(output, whole)
        ended = self._ends.pop(call, None)
        if ended is not None and (outcome == "unknown" or ended):
            code, outcome = ended, "failed" if ended else "passed"
        yield ToolResult(call, at, text, outcome, None, code, kind)
        if tool == QUESTION_TOOL and not self._turns.copying:
            for number, answer in enumerate(words.answers(whole), 1):
                key = f"{_key(line)}:{number}"
                self._turns.answer(key)
                yield UserWords(key, at, answer, "answer")

    def _command_end(self, payload: Record, at: str, line: Line) -> Iterator[Event]:
        code = payload.get("exit_code")
        if isinstance(code, int) and not isinstance(code, bool):
            self._ends[text_of(payload.get("call_id"))] = code
        elif isinstance(payload.get("success"), bool):
            self._ends[text_of(payload.get("call_id"))] = 0 if payload["success"] else 1
        return iter(())

    def _compacted(self, payload: Record, at: str, line: Line) -> Iterator[Event]:
        if not self._turns.copying:
            yield Summary("", at, text_of(payload.get("message")))

    def _event(self, payload: Record, at: str, line: Line) -> Iterator[Event | NoConversation]:
        kind = text_of(payload.get("type"))
        handler = self._EVENTS.get(kind)
        if handler is not None:
            yield from handler(self, payload, at, line)
        elif kind not in IGNORED_EVENTS and not kind.endswith(IGNORED_EVENT_ENDINGS):
            yield Skipped(f"unknown event type '{kind}'", line.number)

    _RECORDS: ClassVar[Mapping[str, _Handler]] = {
        "session_meta": _session_meta,
        "turn_context": _turn_context,
        "response_item": _item,
        "event_msg": _event,
        "compacted": _compacted,
    }
    _EVENTS: ClassVar[Mapping[str, _Handler]] = {
        "user_message": _user_message,
        "agent_message": _agent_message,
        "agent_reasoning": _agent_reasoning,
        "item_completed": _item_completed,
        "token_count": _token_count,
        "exec_command_end": _command_end,
        "patch_apply_end": _command_end,
        "thread_rolled_back": _rolled_back,
        "thread_name_updated": _thread_name,
    }


_Handler = Callable[[_Reader, Record, str, Line], Iterator[Event | NoConversation]]


def _key(line: Line) -> str:
    """The name of what stands in this line: messages have no ids of their own that all their copies share."""
    return f"line:{line.number}"
