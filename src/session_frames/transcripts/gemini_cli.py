"""Gemini CLI: one JSON document a session, since 0.39 a log of JSON Lines with updates and rewinds."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from glob import escape
from typing import Any, BinaryIO

from session_frames.errors import NotUnderstood
from session_frames.model import CallOutcome
from session_frames.transcripts.base import (
    AgentText,
    Edit,
    Event,
    Line,
    Meta,
    NoConversation,
    ReachesBack,
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
    list_of,
    load_json,
    text_of,
)
from session_frames.transcripts.edits import added_by_hunk_lines, lines_of
from session_frames.transcripts.gemini_thread import (
    Message,
    Thread,
    content_text,
    document_or_lines,
    may_be_document,
)
from session_frames.transcripts.heads import begins_object, complete_lines, json_key, origin_of
from session_frames.transcripts.line_readers import LineReader, read_lines
from session_frames.transcripts.made_by import original_session
from session_frames.transcripts.tool_edits import SHELL_TOOLS, command_of, edits_of

NAME = "gemini-cli"
BESIDE = (("../.project_root", ""),)

# ---------------------------------------------------------------------------------------------------------------------
# What programs add to the person's words

# From here on the message was written by an editor or by the expansion of "@file".
_APPENDED = re.compile(
    r"^(?:"
    r"Current File Path:\r?\n```"
    r"|User Selected Files:\r?\n"
    r"|[ \t]*PRIOR CHAT HISTORY:"
    r"|--- Content from referenced files ---[ \t\r]*$"
    r").*",
    re.MULTILINE | re.DOTALL,
)
_INJECTED = frozenset({"System: Please continue."})
_INJECTED_HEADS = (
    "This is the Gemini CLI. We are setting up the context for our chat.",
    "Here is the user's editor context as a JSON object",
    "Here is a summary of changes in the user's editor context",
    "I ran the following shell command:\n```sh\n",
)
_SUMMARY_HEAD = "<state_snapshot>"
_SUMMARY_THANKS = "Got it. Thanks for the additional context!"

# The prompt of a sub-agent opens a file in which no person speaks.
_SUBAGENT_PROMPT = re.compile(r"\AYour task is to .*<(question|objective)>.*</\1>", re.DOTALL)

_SPOKEN = UserWords | AgentText | ToolCall

# Rows that the program wrote for the screen.
_SCREEN_TYPES = frozenset({"info", "error", "warning"})

_ASK_TOOL = "ask_user"
_PLAN_TOOL = "exit_plan_mode"
_PLAN_FEEDBACK = re.compile(r"\APlan rejected\. User feedback: (.*?)(?:\n\nThe plan is stored at|\Z)", re.DOTALL)

_STATUSES: Mapping[str, CallOutcome] = {"success": "passed", "error": "failed", "cancelled": "failed"}
_EXIT = re.compile(r"^Exit Code: (-?\d{1,10})\s*$", re.MULTILINE)


# ---------------------------------------------------------------------------------------------------------------------
# The format

_MESSAGES = json_key("messages", r"\[")
_DOCUMENT_KEYS = (json_key("projectHash"), json_key("type", '"gemini"'))
_LOG_KEYS = ("$set", "$rewindTo")
_MESSAGE_KEYS = frozenset({"id", "timestamp", "type", "content", "displayContent"})


def find(home: str, environ: Mapping[str, str]) -> list[str]:
    """The places of session files below ``$GEMINI_CLI_HOME`` or the home folder; sub-agents lie one folder deeper."""
    chats = f"{escape(environ.get('GEMINI_CLI_HOME') or home)}/.gemini/tmp/*/chats"
    return [f"{chats}/{name}.{extension}" for name in ("*", "*/*") for extension in ("jsonl", "json")]


def sniff(head: bytes) -> bool:
    """A document with messages and a project's hash, or lines that are a header, messages or patches."""
    if begins_object(head) and _MESSAGES.search(head) and any(key.search(head) for key in _DOCUMENT_KEYS):
        return True
    return any(map(_is_own_line, complete_lines(head)))


def _is_own_line(record: Record) -> bool:
    if "sessionId" in record:
        return "projectHash" in record
    if text_of(record.get("type")) == "gemini":
        return "content" in record or "toolCalls" in record
    is_prompt = record.get("type") == "user" and {"id", "timestamp", "content"} <= record.keys() <= _MESSAGE_KEYS
    return is_prompt or any(key in record for key in _LOG_KEYS)


def read(source: BinaryIO) -> Iterator[Event | NoConversation]:
    """The events of the session in its last state, rewound turns included."""
    reader = _Reader()
    form = document_or_lines(source)
    if isinstance(form, dict):
        reader.thread.take_document(form)
    return read_lines(reader, () if isinstance(form, dict) else form)


def line_reader(head: bytes) -> LineReader | None:
    """The reader of a log."""
    return None if may_be_document(head) else _Reader()


class _Reader(LineReader):
    """Holds messages until the end: a later line may put one in another state, or take it back."""

    def __init__(self) -> None:
        self.thread = Thread()
        self._teller = _Teller()
        self._spoken = False
        self._prompted: bool | None = None  # by an agent; None before the first prompt
        self._cwd = ""

    def take(self, item: Line | Skipped) -> Iterator[Event | NoConversation]:
        if isinstance(item, Skipped):
            self.thread.entries.append(item)
        else:
            self.thread.take(item.record, item.number)
        return iter(())

    @staticmethod
    def may_stop_before(line: bytes) -> bool:
        """Before the person's next words: what was said until then is hardly ever told anew."""
        try:
            record = dict_of(load_json(line))
        except ValueError:
            return False
        return record.get("type") == "user" and bool(content_text(record.get("content")))

    def put_away(self) -> Iterator[Event]:
        self._prompted = self._prompted_by_agent()
        self._cwd = _cwd(self.thread)
        if self._cwd:
            yield Meta("cwd", self._cwd)
        for event in self._teller.tell(self.thread):
            self._spoken = self._spoken or isinstance(event, _SPOKEN)
            yield event
        self.thread.put_away()

    def end(self, companions: Iterable[tuple[str, bytes]] = ()) -> Iterator[Event | NoConversation]:
        if not self.thread.understood:
            raise NotUnderstood("transcript is neither JSON nor JSON Lines")
        if self._cwd and _cwd(self.thread) != self._cwd:
            raise ReachesBack
        yield from _facts(self.thread)
        events = list(self._teller.tell(self.thread))
        if self.thread.facts.get("kind") == "subagent" or self._prompted_by_agent():
            yield from (event for event in events if isinstance(event, Meta))
            yield NoConversation("the session of a sub-agent")
            return
        yield from events
        if not self._spoken and not any(isinstance(event, _SPOKEN) for event in events):
            yield NoConversation("no prompt and no answer in it")

    def _prompted_by_agent(self) -> bool | None:
        return _prompted_by_agent(self.thread) if self._prompted is None else self._prompted


def _facts(thread: Thread) -> Iterator[Event]:
    facts = thread.facts
    first = next((entry.key for entry in thread.entries if isinstance(entry, Message)), "")
    found = {
        # A log that lost its header is known by its first message.
        "session_id": text_of(facts.get("sessionId")) or first,
        "started": text_of(facts.get("startTime")),
        "title": text_of(facts.get("summary")),
        "cwd": _cwd(thread),
        "project_hash": text_of(facts.get("projectHash")),
        "parent": original_session(facts),
    }
    yield from (Meta(name, value) for name, value in found.items() if value)


def _cwd(thread: Thread) -> str:
    return next(filter(None, map(text_of, list_of(thread.facts.get("directories")))), "")


def _prompted_by_agent(thread: Thread) -> bool | None:
    prompts = (entry.record for entry in thread.present() if isinstance(entry, Message))
    first = next((record for record in prompts if record.get("type") == "user"), None)
    if first is None:
        return None
    return _SUBAGENT_PROMPT.match(content_text(first.get("content")).strip()) is not None


class _Teller:
    """Tells messages as events; remembers which calls are still without their result."""

    def __init__(self) -> None:
        self.open: dict[str, str] = {}  # call id -> tool
        self.called: set[str] = set()
        self.model = ""

    def tell(self, thread: Thread) -> Iterator[Event]:
        for entry in thread.present():
            if isinstance(entry, Message):
                yield from self._message(entry)
            else:
                yield entry

    def _message(self, message: Message) -> Iterator[Event]:
        kind = text_of(message.record.get("type"))
        if kind == "user":
            yield from self._user(message)
        elif kind == "gemini":
            yield from self._gemini(message)
        elif kind not in _SCREEN_TYPES:
            yield Skipped(f"unknown record type '{kind}'", message.line)

    def _user(self, message: Message) -> Iterator[Event]:
        record, at = message.record, text_of(message.record.get("timestamp"))
        for part in map(dict_of, list_of(record.get("content"))):
            response = dict_of(part.get("functionResponse"))
            call_id = text_of(response.get("id"))
            if call_id in self.open:
                yield from self._result(call_id, at, {"result": [part]}, ())
        text = content_text(record.get("displayContent")) or content_text(record.get("content"))
        if text.lstrip().startswith(_SUMMARY_HEAD):
            yield Summary(message.key, at, text)
        elif words := person_words(text):
            yield UserWords(message.key, at, words, origin_of(words))

    def _gemini(self, message: Message) -> Iterator[Event]:
        key, record, at = message.key, message.record, text_of(message.record.get("timestamp"))
        model = text_of(record.get("model"))
        if model and model != self.model:
            self.model = model
            yield Meta("model", model)
        for thought in map(dict_of, list_of(record.get("thoughts"))):
            lines = (text_of(thought.get("subject")), text_of(thought.get("description")))
            if text := "\n".join(filter(None, lines)):
                yield Reasoning(key, text_of(thought.get("timestamp")) or at, text)
        text = content_text(record.get("content"))
        if text.strip() and text.strip() != _SUMMARY_THANKS:
            yield AgentText(key, at, text)
        for number, call in enumerate(_calls(record)):
            yield from self._call(key, text_of(call.get("id")) or f"{key}:{number}", at, call)
        tokens = dict_of(record.get("tokens"))
        counts = [int_of(tokens.get(name)) for name in ("input", "output", "cached")]
        if any(counts):
            yield Usage(key, input=counts[0], output=counts[1], cache_read=counts[2])

    def _call(self, key: str, call_id: str, at: str, call: Record) -> Iterator[Event]:
        if call_id in self.called:
            return
        self.called.add(call_id)
        tool, arguments = text_of(call.get("name")), call.get("args")
        self.open[call_id] = tool
        at = text_of(call.get("timestamp")) or at
        edits = edits_of(tool, arguments)
        yield ToolCall(key, at, call_id, tool, arguments, edits, command_of(tool, arguments))
        status = text_of(call.get("status"))
        if status in _STATUSES or (not status and list_of(call.get("result"))):
            yield from self._result(call_id, at, call, edits)

    def _result(self, call_id: str, at: str, call: Record, edits: tuple[Edit, ...]) -> Iterator[Event]:
        tool = self.open.pop(call_id)
        text, failed = _answer(call)
        outcome = _STATUSES.get(text_of(call.get("status")), "failed" if failed else "unknown")
        exits = _EXIT.findall(text) if tool in SHELL_TOOLS else []
        code = int(exits[-1]) if exits else None
        yield ToolResult(
            call_id,
            at,
            text,
            "failed" if code else outcome,
            _shown_edits(edits, dict_of(call.get("resultDisplay"))),
            code,
            "" if text else _kind_of(call),
        )
        yield from _answers(tool, call_id, at, text)


def person_words(text: str) -> str:
    """What the person typed of a message, "" where it is all the program's."""
    words = _unwrapped(_APPENDED.sub("", text))
    bare = words.strip()
    return "" if not bare or bare in _INJECTED or bare.startswith(_INJECTED_HEADS) else words


def _unwrapped(text: str) -> str:
    """The text without the block of context in front of it and the one of hooks behind it."""
    bare = text.lstrip()
    if bare.startswith("<session_context>"):
        _, closed, behind = bare.partition("</session_context>")
        text = behind.lstrip() if closed else ""
    if text.rstrip().endswith("</hook_context>") and "<hook_context>" in text:
        text = text[: text.index("<hook_context>")].rstrip()
    return text


def _calls(record: Record) -> list[Record]:
    """The calls of a message; a rewritten file holds them as parts of the content."""
    calls = [dict_of(call) for call in list_of(record.get("toolCalls"))]
    parts = (dict_of(dict_of(part).get("functionCall")) for part in list_of(record.get("content")))
    return calls or [call for call in parts if call]


def _answer(call: Record) -> tuple[str, bool]:
    """The text that the tool answered, and whether it calls itself an error."""
    texts: list[str] = []
    failed = False
    for part in map(dict_of, list_of(call.get("result"))):
        response = dict_of(part.get("functionResponse")).get("response")
        fields = dict_of(response)
        failed = failed or "error" in fields
        output = next((fields[name] for name in ("output", "error") if name in fields), response or part.get("text"))
        texts.append(_as_text(output))
    return "\n".join(filter(None, texts)) or text_of(call.get("resultDisplay")), failed


def _as_text(value: Any) -> str:
    if isinstance(value, str) or value is None:
        return value or ""
    return json.dumps(value, ensure_ascii=False)


def _kind_of(call: Record) -> str:
    """The type of a result that is no text, such as an image."""
    inline = (dict_of(dict_of(part).get("inlineData")) for part in list_of(call.get("result")))
    return next((kind for data in inline if (kind := text_of(data.get("mimeType")))), "")


def _shown_edits(edits: tuple[Edit, ...], shown: Record) -> tuple[Edit, ...] | None:
    """The edit as the screen showed it: its diff knows the file before, and what the person changed in it."""
    diff = text_of(shown.get("fileDiff"))
    if not diff:
        return None
    path = edits[0].path if edits else text_of(shown.get("filePath")) or text_of(shown.get("fileName"))
    added = added_by_hunk_lines(lines_of(diff))
    return (Edit(path, "added" if shown.get("isNewFile") is True else "modified", added=added),) if path else None


def _answers(tool: str, call_id: str, at: str, text: str) -> Iterator[Event]:
    """What the person answered to a question, or said when sending a plan back."""
    words: list[str] = []
    if tool == _ASK_TOOL:
        try:
            answers = dict_of(dict_of(load_json(text.encode("utf-8", "surrogatepass"))).get("answers"))
        except ValueError:
            answers = {}
        words = [text_of(answer) for answer in answers.values()]
    elif tool == _PLAN_TOOL and (found := _PLAN_FEEDBACK.match(text)):
        words = [found[1]]
    for number, word in enumerate(words):
        if word.strip():
            yield UserWords(f"{call_id}:{number}", at, word, "answer")
