"""Claude Code: ``~/.claude/projects/<folder>/<session>.jsonl``, one record a line, or ``{"loglines": [...]}``.

One message of the agent is written as several lines of one ``message.id``; resumed and copied sessions repeat lines
with the same ``uuid``. Order is the order of the file: times step back in most files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, BinaryIO, ClassVar

from session_frames.model import Origin
from session_frames.transcripts import claude_words as words
from session_frames.transcripts.base import (
    MISSING_PARENT,
    Abandon,
    AgentText,
    Edit,
    Event,
    Line,
    Meta,
    NoConversation,
    Reasoning,
    Record,
    Skipped,
    Summary,
    ToolCall,
    Usage,
    UserWords,
    dict_of,
    int_of,
    list_of,
    text_of,
)
from session_frames.transcripts.claude_files import IGNORED_TYPES, find, is_document, records, sniff
from session_frames.transcripts.claude_queue import Queue
from session_frames.transcripts.claude_subagents import Subagents, companions
from session_frames.transcripts.claude_tools import command_of, edits_of_call, result_of
from session_frames.transcripts.claude_tree import Tree
from session_frames.transcripts.line_readers import LineReader

__all__ = ["NAME", "companions", "find", "line_reader", "read", "sniff"]

NAME = "claude-code"
KEEPS_DAYS = 30  # then the agent deletes a session, unless its settings say otherwise

# Blocks of an assistant message that are no words and no calls.
IGNORED_BLOCKS = ("redacted_thinking", "fallback", "image", "document")

# Tools by which the agent calls commands and skills; what they unfold to is written as if typed.
SKILL_TOOLS = ("Skill", "SlashCommand")
_SYNTHETIC_MODEL = "<synthetic>"

# Facts that every record repeats, and their names.
_FACTS = (("version", "agent_version"), ("cwd", "cwd"), ("gitBranch", "branch"))

# The records that hold a title, strongest first, and where.
_TITLE_KEYS = {"custom-title": "customTitle", "ai-title": "aiTitle"}


def read(source: BinaryIO, logs: Iterable[tuple[str, bytes]] = ()) -> Iterator[Event | NoConversation]:
    """The events of the transcript, in the order of the file; ``logs`` are those of its sub-agents."""
    reader = _Reader()
    for item in records(source):
        yield from reader.take(item)
    yield from reader.end(logs)


def line_reader(head: bytes) -> LineReader | None:
    """The reader of a file of lines."""
    return None if is_document(b"\n".join(head.split(b"\n", 2)[:2])) else _Reader()


class _Reader(LineReader):
    """What has to be remembered from one record to the next: ids, never texts of the conversation."""

    def __init__(self) -> None:
        self._facts: dict[str, str] = {}
        self._sessions: dict[str, None] = {}
        self._seen: set[str] = set()
        self._calls: dict[str, tuple[str, Any, tuple[Edit, ...]]] = {}
        self._usage: Usage | None = None
        self._titles: dict[str, str] = {}
        self._summaries: dict[str, str] = {}
        self._bare_command: UserWords | None = None
        self._queue = Queue()
        self._tree = Tree()
        self._subagents = Subagents(_Reader)
        self._skill_called = False
        self._main_line = False
        self._side_line = False

    def events(self, line: Line) -> Iterator[Event]:
        """The events of one record."""
        record = line.record
        kind = text_of(record.get("type"))
        yield from self._facts_of(record, kind)
        uuid = text_of(record.get("uuid"))
        if record.get("isSidechain") is True:
            self._side_line = True
            self._tree.aside(uuid)
            yield from self._subagents.inside(line)
            return
        if uuid:
            self._tree.add(uuid, kind, record, line.number)
        handler = self._HANDLERS.get(kind)
        if handler is not None:
            yield from handler(self, record, line)
        elif kind != "system" and kind not in IGNORED_TYPES:
            yield Skipped(f"unknown record type '{kind}'", line.number)

    def end(self, companions: Iterable[tuple[str, bytes]] = ()) -> Iterator[Event | NoConversation]:
        """What stands in the sub-agents' own files, and what can be told only when the file is over."""
        yield from self._subagents.beside(companions, self._sessions)
        for told in self._queue.left():
            self._main_line = True
            yield told
        yield from (Skipped(MISSING_PARENT, line) for line in self._tree.missing())
        yield from self._lineage()
        if title := self._best_title():
            yield Meta("title", title)
        rewound = self._tree.rewound()
        if rewound:
            yield Abandon(rewound)
        if not self._main_line:
            yield NoConversation("a sub-agent's own file" if self._side_line else "nobody speaks in it")

    def _facts_of(self, record: Record, kind: str) -> Iterator[Meta]:
        for key, name in _FACTS:
            value = record.get(key)
            if value and isinstance(value, str) and self._facts.get(name) != value:
                self._facts[name] = value
                yield Meta(name, value)
        if session := text_of(record.get("sessionId")):
            self._sessions[session] = None
            if kind == "assistant" and "session_id" not in self._facts and record.get("isSidechain") is not True:
                self._facts["session_id"] = session
                yield Meta("session_id", session)
        if "started" not in self._facts and (at := text_of(record.get("timestamp"))):
            self._facts["started"] = at
            yield Meta("started", at)

    def _lineage(self) -> Iterator[Meta]:
        """The session's id, where no answer of the agent told it, and the other one of a file with two.

        Older versions began a new file with a copy of the resumed one. In it the agent's lines carry the new id, the
        person's may keep the old one.
        """
        own = self._facts.get("session_id") or next(reversed(self._sessions), "")
        if own and "session_id" not in self._facts:
            yield Meta("session_id", own)
        if other := next((session for session in self._sessions if session != own), ""):
            yield Meta("parent", other)

    def _title(self, record: Record, line: Line) -> Iterator[Event]:
        kind = text_of(record.get("type"))
        if title := text_of(record.get(_TITLE_KEYS[kind])).strip():
            self._titles[kind] = title
        return iter(())

    def _summary_title(self, record: Record, line: Line) -> Iterator[Event]:
        if title := text_of(record.get("summary")).strip():
            self._summaries[text_of(record.get("leafUuid"))] = title
        return iter(())

    def _best_title(self) -> str:
        for kind in _TITLE_KEYS:
            if kind in self._titles:
                return self._titles[kind]
        # Summaries of other sessions stand in many files: the leaf has to be a record of this one.
        own = [title for leaf, title in self._summaries.items() if self._tree.holds(leaf)]
        return own[-1] if own else ""

    # -----------------------------------------------------------------------------------------------------------------
    # The person

    def _user(self, record: Record, line: Line) -> Iterator[Event]:
        content = dict_of(record.get("message")).get("content")
        if not isinstance(content, (str, list)) or self._is_repeated(record):
            return
        uuid, at = text_of(record.get("uuid")), text_of(record.get("timestamp"))
        bare, self._bare_command = self._bare_command, None
        if record.get("isCompactSummary") is True:
            self._main_line = True
            yield Summary(uuid, at, words.whole_text(content))
            return
        if record.get("isMeta") is True:
            if bare is not None and not words.is_caveat(words.whole_text(content)):
                yield from self._say(bare)  # the body that follows shows that the command started a prompt
            return
        if record.get("sourceToolUseID"):
            return  # a skill that the agent called
        keys = self._keys(uuid, line)
        for block in map(dict_of, list_of(content)):
            if block.get("type") == "tool_result":
                yield from self._result(block, record, keys)
        origin = text_of(dict_of(record.get("origin")).get("kind"))
        if origin in ("", "human"):
            yield from self._prompt(content, record, keys)

    def _is_repeated(self, record: Record) -> bool:
        uuid = text_of(record.get("uuid"))
        if uuid in self._seen:
            return True
        if uuid:
            self._seen.add(uuid)
        return False

    def _keys(self, uuid: str, line: Line) -> Iterator[str]:
        """Names for the words of one record: its uuid, then synthetic ones."""
        if uuid:
            yield uuid
        number = 2
        while True:
            yield f"{uuid or line.number}:{number}"
            number += 1

    def _prompt(self, content: Any, record: Record, keys: Iterator[str]) -> Iterator[Event]:
        raw = words.whole_text(content)
        command = words.parse_command(raw)
        if command and self._skill_called:
            return  # the agent's own call of a command or skill, unfolded
        text = command.text if command else words.typed_blocks(content)
        if not text.strip():
            return
        uuid, at = text_of(record.get("uuid")), text_of(record.get("timestamp"))
        source = text_of(record.get("promptSource"))
        if source != "typed":
            yield from self._queue.repeated(text)
        if command and command.bare and not command.prompt:
            self._bare_command = UserWords(next(keys), at, text, "command")
            return
        if text.lstrip().startswith(words.ACCEPTED_PLAN):
            yield from self._say(UserWords(next(keys), at, text, "injected"))
            return
        self._queue.settle()
        if uuid:
            self._tree.prompt(uuid)
        origin: Origin = "command" if command else "queued" if source == "queued" else "typed"
        yield from self._say(UserWords(next(keys), at, text, origin))

    def _say(self, event: UserWords) -> Iterator[Event]:
        self._main_line = True
        if ":" not in event.key:
            self._tree.told(event.key)
        yield event

    def _result(self, block: Record, record: Record, keys: Iterator[str]) -> Iterator[Event]:
        at = text_of(record.get("timestamp"))
        tool, asked, edits = self._calls.pop(text_of(block.get("tool_use_id")), ("", None, ()))
        structured = record.get("toolUseResult")
        self._subagents.answered(text_of(block.get("tool_use_id")), structured)
        result = result_of(block, at, tool, edits, structured)
        self._main_line = True
        yield result
        if result.outcome == "failed":
            said = [words.refusal_reason(result.text, tool)]
        elif tool == "AskUserQuestion" or "answers" in dict_of(structured):
            said = words.answers(result.text, structured, asked)
        else:
            return
        for text in said:
            if text:
                yield from self._say(UserWords(next(keys), at, text, "answer"))

    def _attachment(self, record: Record, line: Line) -> Iterator[Event]:
        attachment = dict_of(record.get("attachment"))
        if attachment.get("type") != "queued_command" or self._is_repeated(record):
            return
        origin = text_of(dict_of(attachment.get("origin")).get("kind"))
        if attachment.get("commandMode") not in (None, "prompt") or origin not in ("", "human"):
            return
        text = words.typed_blocks(attachment.get("prompt"))
        if text.strip():
            yield from self._queue.repeated(text)
            key = next(self._keys(text_of(record.get("uuid")), line))
            yield from self._say(UserWords(key, text_of(record.get("timestamp")), text, "queued"))

    def _queue_operation(self, record: Record, line: Line) -> Iterator[Event]:
        raw = words.whole_text(record.get("content"))
        operation = record.get("operation")
        if operation == "enqueue":
            text = words.typed_blocks(record.get("content"))
            said = "" if words.is_command_line(text) else text  # a command is told by its own record
            self._queue.enqueue(line.number, text_of(record.get("timestamp")), raw, said)
        elif operation == "dequeue":
            self._queue.dequeue(raw)
        elif operation == "remove":
            for told in self._queue.remove(raw, text_of(record.get("reason"))):
                yield from self._say(told)
        elif operation == "popAll":
            self._queue.take_back()

    # -----------------------------------------------------------------------------------------------------------------
    # The agent

    def _assistant(self, record: Record, line: Line) -> Iterator[Event]:
        message = dict_of(record.get("message"))
        content = message.get("content")
        if not isinstance(content, (str, list)) or self._is_repeated(record):
            return
        self._bare_command, self._skill_called = None, False
        self._main_line = True
        if "0" in message:
            yield Skipped("damaged message", line.number)  # a string, spread to one key a character
            return
        model = text_of(message.get("model"))
        if model == _SYNTHETIC_MODEL or record.get("isApiErrorMessage") is True:
            return  # written by the client, not by the model
        if model and self._facts.get("model") != model:
            self._facts["model"] = model
            yield Meta("model", model)
        key, at = text_of(record.get("uuid")), text_of(record.get("timestamp"))
        if key:
            self._tree.told(key)
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        for block in map(dict_of, blocks):
            yield from self._block(block, key, at, line)
        yield from self._usage_of(message)

    def _block(self, block: Record, key: str, at: str, line: Line) -> Iterator[Event]:
        kind = text_of(block.get("type"))
        if kind == "text":
            if text := text_of(block.get("text")):
                yield AgentText(key, at, text)
        elif kind == "tool_use":
            yield self._call(block, key, at)
        elif kind == "thinking":
            if text := text_of(block.get("thinking")):
                yield Reasoning(key, at, text)
        elif kind not in IGNORED_BLOCKS:
            yield Skipped(f"unknown block type '{kind}'", line.number)

    def _call(self, block: Record, key: str, at: str) -> ToolCall:
        name, arguments = text_of(block.get("name")), block.get("input")
        edits = edits_of_call(name, arguments)
        call = text_of(block.get("id"))
        self._skill_called = self._skill_called or name in SKILL_TOOLS
        self._calls[call] = (name, arguments if name == "AskUserQuestion" else None, edits)
        self._subagents.called(call, name, arguments)
        return ToolCall(key, at, call, name, arguments, edits, command_of(name, arguments))

    def _usage_of(self, message: Record) -> Iterator[Usage]:
        counts = dict_of(message.get("usage"))
        if not counts:
            return
        usage = Usage(
            text_of(message.get("id")),
            int_of(counts.get("input_tokens")),
            int_of(counts.get("output_tokens")),
            int_of(counts.get("cache_read_input_tokens")),
            int_of(counts.get("cache_creation_input_tokens")),
        )
        if usage != self._usage:
            self._usage = usage
            yield usage

    _HANDLERS: ClassVar[Mapping[str, Callable[[_Reader, Record, Line], Iterator[Event]]]] = {
        "user": _user,
        "assistant": _assistant,
        "attachment": _attachment,
        "queue-operation": _queue_operation,
        "summary": _summary_title,
        "ai-title": _title,
        "custom-title": _title,
    }
