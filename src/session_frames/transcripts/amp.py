"""Amp: ``threads/T-<id>.json``, one document a thread. Results stand in the user message that follows the calls."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from glob import escape
from typing import Any, BinaryIO

from session_frames.errors import NotUnderstood
from session_frames.model import CallOutcome
from session_frames.transcripts.base import (
    AgentText,
    Edit,
    Event,
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
    joined_texts,
    list_of,
    load_json,
    text_of,
)
from session_frames.transcripts.edits import added_by_hunk_lines, lines_of
from session_frames.transcripts.file_tools import call_of, outcome_of_exit
from session_frames.transcripts.heads import begins_object, json_key, origin_of
from session_frames.transcripts.moments import iso_of_milliseconds, path_of
from session_frames.transcripts.spoken import or_no_conversation

NAME = "amp"

_THREAD_ID = json_key("id", '"T-[0-9A-Za-z-]+"')
_MESSAGES = json_key("messages", r"\[")

_OUTCOMES: Mapping[str, CallOutcome] = {
    "done": "passed",
    "error": "failed",
    "cancelled": "failed",
    "rejected-by-user": "failed",
}
# Where the text of a result stands, in the order of preference.
_RESULT_KEYS = ("content", "output", "diff", "message", "error")
_BRANCH_HEAD = "refs/heads/"


def find(home: str, environ: Mapping[str, str]) -> list[str]:
    """The places of threads below ``$XDG_DATA_HOME`` or ``~/.local/share``."""
    root = escape(environ.get("XDG_DATA_HOME") or f"{home}/.local/share")
    return [f"{root}/amp/threads/T-*.json"]


def sniff(head: bytes) -> bool:
    """A document with a thread's id and messages."""
    return begins_object(head) and all(key.search(head) for key in (_THREAD_ID, _MESSAGES))


def read(source: BinaryIO) -> Iterator[Event | NoConversation]:
    """The events of the thread."""
    try:
        thread = dict_of(load_json(source.read()))
    except ValueError as error:
        raise NotUnderstood("transcript is not JSON") from error
    return or_no_conversation(_events(thread))


def _events(thread: Record) -> Iterator[Event]:
    yield from _facts(thread)
    teller = _Teller()
    for number, message in enumerate(map(dict_of, list_of(thread.get("messages")))):
        yield from teller.message(message, number)


def _facts(thread: Record) -> Iterator[Event]:
    place = dict_of(dict_of(thread.get("env")).get("initial"))
    tree = next(map(dict_of, list_of(place.get("trees"))), {})
    repository = dict_of(tree.get("repository"))
    found = {
        "session_id": text_of(thread.get("id")),
        "started": iso_of_milliseconds(thread.get("created")),
        "title": text_of(thread.get("title")),
        "cwd": path_of(text_of(tree.get("uri"))),
        "branch": text_of(repository.get("ref")).removeprefix(_BRANCH_HEAD),
        "base": text_of(repository.get("sha")),
        "agent_version": text_of(dict_of(place.get("platform")).get("clientVersion")),
    }
    yield from (Meta(name, value) for name, value in found.items() if value)


class _Teller:
    """Tells messages as events; remembers the model, and what the calls were to edit."""

    def __init__(self) -> None:
        self._model = ""
        self._edits: dict[str, tuple[Edit, ...]] = {}

    def message(self, message: Record, number: int) -> Iterator[Event]:
        role = text_of(message.get("role"))
        key = f"message:{number}"
        if role == "user":
            yield from self._user(message, key)
        elif role == "assistant":
            yield from self._assistant(message, key)
        elif role == "info":
            yield from _info(message, key)
        else:
            yield Skipped(f"unknown role '{role}'", 0)

    def _user(self, message: Record, key: str) -> Iterator[Event]:
        blocks = [dict_of(block) for block in list_of(message.get("content"))]
        for block in blocks:
            if block.get("type") == "tool_result":
                yield self._result(block)
        words = joined_texts(text_of(block.get("text")) for block in blocks if block.get("type") == "text")
        if words.strip():
            at = iso_of_milliseconds(dict_of(message.get("meta")).get("sentAt"))
            yield UserWords(key, at, words, origin_of(words))

    def _assistant(self, message: Record, key: str) -> Iterator[Event]:
        usage = dict_of(message.get("usage"))
        at, model = text_of(usage.get("timestamp")), text_of(usage.get("model"))
        if model and model != self._model:
            self._model = model
            yield Meta("model", model)
        for place, block in enumerate(map(dict_of, list_of(message.get("content")))):
            yield from self._block(block, key, at, place)
        names = ("inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")
        counts = [int_of(usage.get(name)) for name in names]
        if any(counts):
            yield Usage(key, counts[0], counts[1], counts[2], counts[3])

    def _block(self, block: Record, key: str, at: str, place: int) -> Iterator[Event]:
        kind, text = block.get("type"), text_of(block.get("text"))
        if kind == "text" and text.strip():
            yield AgentText(key, at, text)
        elif kind == "thinking" and text_of(block.get("thinking")).strip():
            yield Reasoning(key, at, text_of(block.get("thinking")))
        elif kind == "tool_use":
            call_id = text_of(block.get("id")) or f"{key}:{place}"
            call = call_of(key, at, call_id, text_of(block.get("name")), block.get("input"))
            self._edits[call_id] = call.edits
            yield call

    def _result(self, block: Record) -> ToolResult:
        call_id, run = text_of(block.get("toolUseID")), dict_of(block.get("run"))
        result = run.get("result", run.get("error"))
        fields = dict_of(result)
        code = int_of(fields.get("exitCode")) if "exitCode" in fields else None
        outcome = outcome_of_exit(code, _OUTCOMES.get(text_of(run.get("status")), "unknown"))
        edits = _shown_edits(self._edits.pop(call_id, ()), text_of(fields.get("diff")))
        return ToolResult(call_id, "", _as_text(result), outcome, edits, code)


def _info(message: Record, key: str) -> Iterator[Event]:
    """Rows of the program; among them the summary that replaced the messages before it."""
    for block in map(dict_of, list_of(message.get("content"))):
        if text := text_of(dict_of(block.get("summary")).get("summary")):
            yield Summary(key, "", text)


def _as_text(result: Any) -> str:
    if isinstance(result, str) or result is None:
        return result or ""
    fields = dict_of(result)
    text = next((text for key in _RESULT_KEYS if (text := text_of(fields.get(key)))), "")
    return text or json.dumps(result, ensure_ascii=False)


def _shown_edits(edits: tuple[Edit, ...], diff: str) -> tuple[Edit, ...] | None:
    """The edit with the lines of its diff, which knows the file as it was before."""
    if len(edits) != 1 or not diff or edits[0].change == "read":
        return None
    return (edits[0]._replace(added=added_by_hunk_lines(lines_of(diff))),)
