"""The messages of OpenCode and their parts, told as events."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from session_frames.model import CallOutcome, Change
from session_frames.transcripts.base import (
    Abandon,
    AgentText,
    Edit,
    Event,
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
    joined_texts,
    list_of,
    text_of,
)
from session_frames.transcripts.edit_shapes import (
    Shapes,
    added_by_diff,
    at_of,
    edits_by,
    looked_at,
    replaced,
    replaced_each,
    written,
)
from session_frames.transcripts.edits import edits_of_patch
from session_frames.transcripts.heads import origin_of


class Message(NamedTuple):
    """A message and its parts, in order."""

    info: Record
    parts: list[Record]


_SHELL_TOOL = "bash"
_SHAPES: Shapes = {
    "read": looked_at,
    "write": written,
    "edit": replaced,
    "multiedit": replaced_each,
    "patch": lambda arguments: edits_of_patch(text_of(arguments.get("patchText"))),
    "apply_patch": lambda arguments: edits_of_patch(text_of(arguments.get("patchText"))),
}
_OUTCOMES: Mapping[str, CallOutcome] = {"completed": "passed", "error": "failed"}
_CHANGES: Mapping[str, Change] = {"add": "added", "update": "modified", "delete": "deleted", "move": "renamed"}
# What the agent keeps for itself beside the conversation.
_BOOKKEEPING = frozenset(
    {"step-start", "step-finish", "snapshot", "patch", "file", "agent", "subtask", "compaction", "retry"}
)


def number_of(value: Any) -> float:
    """The value if it is a number, else 0."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else 0


def tell_session(session: Record, messages: list[Message]) -> Iterator[Event | NoConversation]:
    """The facts of a session and its messages; no conversation where it is a sub-agent's or nobody speaks."""
    yield from _facts(session, messages)
    events = list(_Teller().tell(messages, text_of(dict_of(session.get("revert")).get("messageID"))))
    if text_of(session.get("parentID")):
        yield from (event for event in events if isinstance(event, Meta))
        yield NoConversation("the session of a sub-agent")
        return
    yield from events
    if not any(isinstance(event, UserWords | AgentText | ToolCall) for event in events):
        yield NoConversation("no prompt and no answer in it")


def _facts(session: Record, messages: list[Message]) -> Iterator[Event]:
    first = messages[0].info if messages else {}
    started = at_of(dict_of(session.get("time")).get("created")) or at_of(dict_of(first.get("time")).get("created"))
    found = {
        "session_id": text_of(session.get("id")) or text_of(first.get("sessionID")),
        "started": started,
        "title": text_of(session.get("title")),
        "agent_version": text_of(session.get("version")),
        "cwd": text_of(session.get("directory")),
    }
    yield from (Meta(name, value) for name, value in found.items() if value)


class _Teller:
    """Tells messages as events. Ids can stand several times in a file where a program blanked them."""

    def __init__(self) -> None:
        self.keys: set[str] = set()
        self.calls: set[str] = set()
        self.told: dict[str, str] = {}  # facts that change: name -> value told last

    def tell(self, messages: list[Message], reverted_from: str) -> Iterator[Event]:
        """``reverted_from`` is the message from which on the person took everything back, "" for none."""
        reverted: list[str] = []
        for message in messages:
            message_id = text_of(message.info.get("id"))
            key = _unused(message_id, self.keys)
            if reverted or (reverted_from and message_id == reverted_from):
                reverted.append(key)
            yield from self._message(key, message)
        if reverted:
            yield Abandon(tuple(reverted))

    def _message(self, key: str, message: Message) -> Iterator[Event]:
        role, at = text_of(message.info.get("role")), at_of(dict_of(message.info.get("time")).get("created"))
        if role == "user":
            words = joined_texts(text_of(part.get("text")) for part in message.parts if _is_typed(part))
            if words.strip():
                yield UserWords(key, at, words, origin_of(words))
        elif role == "assistant":
            yield from self._assistant(key, at, message)
        else:
            yield Skipped(f"unknown role '{role}'", 0)

    def _assistant(self, key: str, at: str, message: Message) -> Iterator[Event]:
        info = message.info
        yield from self._changing("model", text_of(info.get("modelID")))
        yield from self._changing("cwd", text_of(dict_of(info.get("path")).get("cwd")))
        is_summary = info.get("summary") is True
        for part in message.parts:
            kind = text_of(part.get("type"))
            if kind == "tool":
                call_id = _unused(text_of(part.get("callID")) or text_of(part.get("id")), self.calls)
                yield from tool_events(key, at, call_id, part)
            elif kind in ("text", "reasoning"):
                text = text_of(part.get("text"))
                teller = Summary if is_summary and kind == "text" else _TEXTS[kind]
                if text.strip():
                    yield teller(key, at_of(dict_of(part.get("time")).get("start")) or at, text)
            elif kind not in _BOOKKEEPING:
                yield Skipped(f"unknown part type '{kind}'", 0)
        yield from _usage(key, dict_of(info.get("tokens")))

    def _changing(self, name: str, value: str) -> Iterator[Event]:
        if value and self.told.get(name) != value:
            self.told[name] = value
            yield Meta(name, value)


_TEXTS: Mapping[str, Callable[[str, str, str], Event]] = {"text": AgentText, "reasoning": Reasoning}


def _unused(name: str, used: set[str]) -> str:
    """The name, with a number behind it where it was used before; ``used`` takes it in."""
    unused = name
    while unused in used or not unused:
        unused = f"{name}:{len(used)}"
    used.add(unused)
    return unused


def _is_typed(part: Record) -> bool:
    """A text that the program neither put in for the model nor showed for itself."""
    return part.get("type") == "text" and part.get("synthetic") is not True and part.get("ignored") is not True


def _usage(key: str, tokens: Record) -> Iterator[Event]:
    cache = dict_of(tokens.get("cache"))
    usage = Usage(
        key,
        input=int_of(tokens.get("input")),
        output=int_of(tokens.get("output")),
        cache_read=int_of(cache.get("read")),
        cache_write=int_of(cache.get("write")),
    )
    if any(usage[1:]):
        yield usage


def tool_events(key: str, at: str, call_id: str, part: Record) -> Iterator[Event]:
    """A call and, once it ended, its result: both stand in one part."""
    tool, state = text_of(part.get("tool")), dict_of(part.get("state"))
    arguments, times = state.get("input"), dict_of(state.get("time"))
    command = text_of(dict_of(arguments).get("command")) if tool == _SHELL_TOOL else ""
    edits = edits_by(_SHAPES, tool, arguments)
    yield ToolCall(key, at_of(times.get("start")) or at, call_id, tool, arguments, edits, command)
    outcome = _OUTCOMES.get(text_of(state.get("status")))
    if outcome is None:
        return
    metadata = dict_of(state.get("metadata"))
    code = metadata.get("exit") if tool == _SHELL_TOOL else None
    code = code if isinstance(code, int) and not isinstance(code, bool) else None
    text = text_of(state.get("output")) or text_of(state.get("error"))
    shown = _shown_edits(edits, metadata) if outcome == "passed" else None
    yield ToolResult(call_id, at_of(times.get("end")) or at, text, "failed" if code else outcome, shown, code)


def _shown_edits(edits: tuple[Edit, ...], metadata: Record) -> tuple[Edit, ...] | None:
    """The edits as the result shows them: its diffs know the files before."""
    files = [edit for entry in list_of(metadata.get("files")) if (edit := _patched(dict_of(entry)))]
    if files:
        return tuple(files)
    diff = text_of(metadata.get("diff"))
    if diff and len(edits) == 1 and edits[0].change == "modified":
        return (edits[0]._replace(added=added_by_diff(diff)),)
    if len(edits) == 1 and edits[0].change == "added" and metadata.get("exists") is True:
        return (edits[0]._replace(change="modified"),)
    return None


def _patched(entry: Record) -> Edit | None:
    """One file of a patch."""
    path, moved = text_of(entry.get("filePath")), text_of(entry.get("movePath"))
    change = _CHANGES.get(text_of(entry.get("type")))
    if not path or change is None:
        return None
    added = added_by_diff(text_of(entry.get("diff")) or text_of(entry.get("patch"))) if change != "deleted" else ()
    return Edit(moved or path, change, path if moved else "", added)
