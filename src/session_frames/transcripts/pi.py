"""Pi: ``sessions/--<folder>--/<time>_<id>.jsonl``, one entry a line.

Version 1 is a plain log. Since version 2 entries have ids and make a tree: going back in a conversation begins a
branch, and the one that was left stays in the file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from glob import escape
from typing import Any, BinaryIO

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
    ToolResult,
    Usage,
    UserWords,
    dict_of,
    int_of,
    iter_lines,
    joined_texts,
    list_of,
    text_of,
)
from session_frames.transcripts.entry_tree import EntryTree
from session_frames.transcripts.file_tools import call_of, is_shell, outcome_of_exit
from session_frames.transcripts.heads import complete_lines, origin_of
from session_frames.transcripts.moments import iso_of_milliseconds
from session_frames.transcripts.spoken import or_no_conversation

NAME = "pi"

# A skill that the person called is written out in front of the words.
_SKILL = re.compile(r'\A<skill name="[^"]*" location="[^"]*">\n.*?\n</skill>(?:\n\n(?P<words>.*))?\Z', re.DOTALL)
# Files named on the command line are, too.
_FILES = re.compile(r'\A(?:<file name="[^"]*">.*?</file>\s*)+', re.DOTALL)
_INJECTED_HEADS = ("Tool budget soft limit reached",)

# The name that an extension gives to the sessions of its sub-agents.
_SUBAGENT_NAME = re.compile(r"\Asubagent[-_:]")

# Tools of extensions that ask the person.
_ASK_TOOLS = frozenset({"ask_user_question", "ask_user", "ask_question", "question", "questionnaire"})
_ANSWERED = re.compile(r"\AUser (?:wrote|selected|answered|chose): (.*)\Z", re.DOTALL)

_EXIT = re.compile(r"^Command exited with code (-?\d{1,10})\s*\Z", re.MULTILINE)

# Entries that are bookkeeping, or words of an extension.
_IGNORED_ENTRIES = frozenset({"thinking_level_change", "custom", "custom_message", "label"})
_SUMMARIES = frozenset({"compaction", "branch_summary"})
_SUMMARY_ROLES = frozenset({"compactionSummary", "branchSummary"})
_IGNORED_ROLES = frozenset({"custom", "hookMessage"})


def find(home: str, environ: Mapping[str, str]) -> list[str]:
    """The places of session files below ``$PI_CODING_AGENT_DIR`` or ``~/.pi/agent``."""
    root = escape(environ.get("PI_CODING_AGENT_DIR") or f"{home}/.pi/agent")
    return [f"{root}/sessions/*/*.jsonl"]


def sniff(head: bytes) -> bool:
    """A header with a working directory, or messages that hold a time of their own."""
    return any(map(_is_own_line, complete_lines(head)))


def _is_own_line(record: Record) -> bool:
    if record.get("type") == "session":
        return all(text_of(record.get(key)) for key in ("id", "cwd", "timestamp"))
    message = dict_of(record.get("message"))
    return record.get("type") == "message" and bool(message.get("role")) and int_of(message.get("timestamp")) > 0


def read(source: BinaryIO) -> Iterator[Event | NoConversation]:
    """The events of the session, in the order of the file; branches that were left are told at the end."""
    return or_no_conversation(_events(source))


def _events(source: BinaryIO) -> Iterator[Event | NoConversation]:
    reader = _Reader()
    for item in iter_lines(source):
        if isinstance(item, Skipped):
            yield item
        else:
            yield from reader.events(item)
    yield from reader.end()


class _Reader:
    """What has to be remembered from one entry to the next."""

    def __init__(self) -> None:
        self._model = ""
        self._subagent = False
        self._header = False
        self._seen: set[tuple[str, str]] = set()
        self._tree = EntryTree()
        self._entries: Mapping[str, Callable[[Record, str, Line], Iterator[Event]]] = {
            "session": self._session,
            "session_info": self._session_info,
            "model_change": self._model_change,
            "message": self._message,
            **dict.fromkeys(_SUMMARIES, self._summary),
        }
        self._roles: Mapping[str, Callable[[Record, str, str], Iterator[Event]]] = {
            "user": self._user,
            "assistant": self._assistant,
            "toolResult": self._tool_result,
            "bashExecution": self._bash,
            **dict.fromkeys(_SUMMARY_ROLES, self._summary_message),
        }

    def events(self, line: Line) -> Iterator[Event]:
        """The events of one entry."""
        record, key = line.record, text_of(line.record.get("id"))
        kind = text_of(record.get("type"))
        if key and kind != "session":
            mark = (key, text_of(record.get("timestamp")))
            if mark in self._seen:
                return
            self._seen.add(mark)
            self._tree.add(key, text_of(record["parentId"]) if "parentId" in record else None)
        handler = self._entries.get(kind)
        if handler is not None:
            yield from handler(record, key, line)
        elif kind not in _IGNORED_ENTRIES:
            yield Skipped(f"unknown record type '{kind}'", line.number)

    def end(self) -> Iterator[Event | NoConversation]:
        """What can be told only when the file is over."""
        if self._subagent:
            yield NoConversation("the session of a sub-agent")
        else:
            yield from self._tree.left_branches()

    def _session(self, record: Record, key: str, line: Line) -> Iterator[Event]:
        if self._header:
            return
        self._header = True
        facts = {
            "session_id": key,
            "started": text_of(record.get("timestamp")),
            "cwd": text_of(record.get("cwd")),
            "parent": _id_of_file(text_of(record.get("parentSession")) or text_of(record.get("branchedFrom"))),
        }
        yield from (Meta(name, value) for name, value in facts.items() if value)

    def _session_info(self, record: Record, key: str, line: Line) -> Iterator[Event]:
        if title := text_of(record.get("name")):
            self._subagent = self._subagent or _SUBAGENT_NAME.match(title) is not None
            yield Meta("title", title)

    def _model_change(self, record: Record, key: str, line: Line) -> Iterator[Event]:
        return self._told_model(text_of(record.get("modelId")))

    def _told_model(self, model: str) -> Iterator[Event]:
        if model and model != self._model:
            self._model = model
            yield Meta("model", model)

    def _summary(self, record: Record, key: str, line: Line) -> Iterator[Event]:
        # Without the first entry that is kept (an older version, or the summary of a branch that was left) nobody can
        # tell what it stands for.
        if text := text_of(record.get("summary")):
            kept = text_of(record.get("firstKeptEntryId")) or None
            yield Summary(key, text_of(record.get("timestamp")), text, kept)

    def _message(self, record: Record, key: str, line: Line) -> Iterator[Event]:
        message = dict_of(record.get("message"))
        role = text_of(message.get("role"))
        at = text_of(record.get("timestamp")) or iso_of_milliseconds(message.get("timestamp"))
        handler = self._roles.get(role)
        if handler is None:
            if role not in _IGNORED_ROLES:
                yield Skipped(f"unknown role '{role}'", line.number)
            return
        for event in handler(message, key, at):
            if not (self._subagent and isinstance(event, UserWords)):  # its prompts are the agent's
                yield event

    # -----------------------------------------------------------------------------------------------------------------
    # Messages

    def _user(self, message: Record, key: str, at: str) -> Iterator[Event]:
        text = _texts(message.get("content"))
        skill = _SKILL.match(text)
        words = text_of(skill["words"]) if skill else _FILES.sub("", text)
        if words.strip() and not words.startswith(_INJECTED_HEADS):
            yield UserWords(key, at, words, "command" if skill else origin_of(words))

    def _bash(self, message: Record, key: str, at: str) -> Iterator[Event]:
        """A command line that the person ran, unless it was kept from the agent (``!!``)."""
        command = text_of(message.get("command"))
        if command.strip() and message.get("excludeFromContext") is not True:
            yield UserWords(key, at, f"!{command}", "command")

    def _summary_message(self, message: Record, key: str, at: str) -> Iterator[Event]:
        return self._summary({**message, "timestamp": at}, key, Line(0, message))

    def _assistant(self, message: Record, key: str, at: str) -> Iterator[Event]:
        yield from self._told_model(text_of(message.get("model")))
        for number, block in enumerate(map(dict_of, list_of(message.get("content")))):
            kind, text = block.get("type"), text_of(block.get("text"))
            if kind == "text" and text.strip():
                yield AgentText(key, at, text)
            elif kind == "thinking" and text_of(block.get("thinking")).strip():
                yield Reasoning(key, at, text_of(block.get("thinking")))
            elif kind == "toolCall":
                call_id = text_of(block.get("id")) or f"{key}:{number}"
                yield call_of(key, at, call_id, text_of(block.get("name")), block.get("arguments"))
        usage = dict_of(message.get("usage"))
        counts = [int_of(usage.get(name)) for name in ("input", "output", "cacheRead", "cacheWrite")]
        if any(counts):
            yield Usage(key or at, counts[0], counts[1], counts[2], counts[3])

    def _tool_result(self, message: Record, key: str, at: str) -> Iterator[Event]:
        tool, call_id = text_of(message.get("toolName")), text_of(message.get("toolCallId"))
        text = _texts(message.get("content"))
        found = _EXIT.search(text) if is_shell(tool) else None
        code = int(found[1]) if found else None
        failed = message.get("isError") is True
        kind = "" if text else _kind_of(message.get("content"))
        outcome = outcome_of_exit(code, "failed" if failed else "passed")
        yield ToolResult(call_id, at, text, outcome, exit_code=code, kind=kind)
        if tool in _ASK_TOOLS and not failed:
            for number, word in enumerate(_answers(dict_of(message.get("details")), text)):
                yield UserWords(f"{key or call_id}:{number}", at, word, "answer")


def _texts(content: Any) -> str:
    if isinstance(content, str):
        return content
    blocks = map(dict_of, list_of(content))
    return joined_texts(text_of(block.get("text")) for block in blocks if block.get("type") == "text")


def _kind_of(content: Any) -> str:
    return next((kind for block in list_of(content) if (kind := text_of(dict_of(block).get("mimeType")))), "")


def _answers(details: Record, text: str) -> list[str]:
    """What the person answered: as the tool keeps it beside the text, else as the text tells it."""
    given = details.get("answer", details.get("answers"))
    listed = given if isinstance(given, list) else [given]
    answers = [text_of(one) or text_of(dict_of(one).get("answer")) for one in listed]
    if not any(answers) and (found := _ANSWERED.match(text)):
        answers = [found[1]]
    return [answer for answer in answers if answer.strip()]


def _id_of_file(path: str) -> str:
    """The session's id in the name of its file, ``<time>_<id>.jsonl``."""
    name = re.split(r"[/\\]", path)[-1].removesuffix(".jsonl")
    return name.rpartition("_")[2]
