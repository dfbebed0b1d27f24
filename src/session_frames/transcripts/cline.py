"""Cline and Roo Code: the messages of a task beside what its screen showed, and the message files of Cline's SDK."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from glob import escape
from typing import Any, BinaryIO

from session_frames.errors import NotUnderstood
from session_frames.transcripts.base import (
    AgentText,
    Event,
    Meta,
    NoConversation,
    Record,
    ToolCall,
    UserWords,
    dict_of,
    list_of,
    load_json,
    text_of,
)
from session_frames.transcripts.cline_messages import Teller
from session_frames.transcripts.cline_screen import is_screen, rows_of, tell_screen, words_of
from session_frames.transcripts.heads import begins_object, json_key

NAME = "cline"

_MESSAGES, _SCREEN = "api_conversation_history.json", "ui_messages.json"
_SDK_SUFFIX = ".messages.json"
_EXTENSIONS = ("saoudrizwan.claude-dev", "rooveterinaryinc.roo-cline")
_EDITORS = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")

_SDK_KEYS = (json_key("agent"), json_key("sessionId"), json_key("messages", r"\["))
_SDK_MESSAGE = re.compile(rb'"messages"\s*:\s*\[\s*\{.{0,4000}?"role"\s*:\s*"(?:user|assistant)"', re.DOTALL)
# A list of messages says little of who wrote it; these words of the program do.
_OWN_TAGS = (b"<task>", b"<environment_details>", b"<user_message>")
_TASK_HEAD = re.compile(rb'\A\s*\[\s*\{\s*"(?:role|ts|content)"\s*:')
_SCREEN_HEAD = re.compile(rb'\A\s*\[\s*\{\s*"ts"\s*:\s*\d+\s*,\s*"type"\s*:\s*"(?:say|ask)"')


def find(home: str, environ: Mapping[str, str]) -> list[str]:
    """The places of tasks in the storage of VS Code and its kin, and of Cline's own folder."""
    own = escape(environ.get("CLINE_DIR") or f"{home}/.cline")
    return [
        *task_places(home, environ, _EXTENSIONS),
        f"{own}/data/tasks/*/{_MESSAGES}",
        f"{own}/data/sessions/*/*{_SDK_SUFFIX}",
    ]


def task_places(home: str, environ: Mapping[str, str], extensions: Iterable[str]) -> list[str]:
    """Where extensions of VS Code with Cline's layout keep the messages of their tasks."""
    config = environ.get("XDG_CONFIG_HOME") or f"{home}/.config"
    settings = (config, f"{home}/Library/Application Support", f"{home}/AppData/Roaming")
    roots = [f"{root}/{editor}" for root in settings for editor in _EDITORS]
    roots += [f"{home}/.vscode-server/data", f"{home}/.cursor-server/data"]
    return [
        f"{escape(root)}/User/globalStorage/{extension}/tasks/*/{_MESSAGES}"
        for extension in extensions
        for root in roots
    ]


def companions(path: str) -> list[str]:
    """The other files of a task, or the facts of a session beside its messages."""
    folder, name = os.path.split(path)
    if name.endswith(_SDK_SUFFIX):
        return [escape(path.removesuffix(_SDK_SUFFIX) + ".json")]
    others = {_MESSAGES: _SCREEN, _SCREEN: _MESSAGES}
    return [escape(os.path.join(folder, others[name]))] if name in others else []


def sniff(head: bytes) -> bool:
    """Messages of the SDK, a list of messages with the program's tags, or the rows of a screen."""
    text = head.removeprefix(b"\xef\xbb\xbf")
    if begins_object(text):
        found = _SDK_MESSAGE.search(text)  # the facts stand in front of the messages; within these anything may stand
        return found is not None and all(key.search(text, 0, found.end()) for key in _SDK_KEYS)
    if _SCREEN_HEAD.match(text):
        return True
    return _TASK_HEAD.match(text) is not None and any(tag in text for tag in _OWN_TAGS)


def read(source: BinaryIO, companions: Iterable[tuple[str, bytes]] = ()) -> Iterator[Event | NoConversation]:
    """The events of the task or session, in the order of its messages."""
    try:
        document = load_json(source.read())
    except ValueError as error:
        raise NotUnderstood("transcript is not JSON") from error
    beside = [(path, _parsed(content)) for path, content in companions]
    if isinstance(document, dict):
        events = _sdk_session(document, next((dict_of(facts) for _, facts in beside), {}))
    elif is_screen(document):
        events = _screen(document, beside)
    else:
        events = _task(document, beside)
    spoken = False
    for event in events:
        spoken = spoken or isinstance(event, UserWords | AgentText | ToolCall | NoConversation)
        yield event
    if not spoken:
        yield NoConversation("no prompt and no answer in it")


def _parsed(content: bytes) -> Any:
    try:
        return load_json(content)
    except ValueError:
        return None


def _sdk_session(document: Record, facts: Record) -> Iterator[Event | NoConversation]:
    session_id, origin = text_of(document.get("sessionId")), dict_of(document.get("origin"))
    metadata = dict_of(facts.get("metadata"))
    found = {
        "session_id": session_id or text_of(origin.get("sessionId")),
        "started": text_of(facts.get("started_at")),
        "cwd": text_of(facts.get("cwd")) or text_of(facts.get("workspace_root")),
        "branch": text_of(dict_of(metadata.get("git")).get("branch")),
        "title": text_of(metadata.get("title")),
        "agent_version": text_of(origin.get("version")),
    }
    yield from (Meta(name, value) for name, value in found.items() if value)
    if text_of(origin.get("subagent")) or "__" in session_id:
        yield NoConversation("the session of a sub-agent")
        return
    yield from Teller().tell(list_of(document.get("messages")))


def _task(document: Any, beside: list[tuple[str, Any]]) -> Iterator[Event]:
    path, rows = next(((path, rows_of(screen)) for path, screen in beside), ("", []))
    events = list(Teller().tell(list_of(document)))
    shown, told = words_of(rows), [event for event in events if isinstance(event, UserWords)]
    if path:
        yield Meta("session_id", os.path.basename(os.path.dirname(path)))
    if shown and shown[0].at:
        yield Meta("started", shown[0].at)
    as_shown = dict(zip(told, shown, strict=True)) if len(shown) == len(told) else {}
    for event in events:
        if isinstance(event, UserWords) and event in as_shown:
            # The screen has them as they were typed, before mentions were written out, and their time.
            event = event._replace(text=as_shown[event].text, at=as_shown[event].at)
        yield event


def _screen(document: Any, beside: list[tuple[str, Any]]) -> Iterator[Event | NoConversation]:
    path = next((path for path, messages in beside if list_of(messages)), "")
    if path:
        yield NoConversation(f"what the screen showed of a task that '{os.path.basename(path)}' beside it tells")
        return
    rows = rows_of(document)
    if words := words_of(rows):
        yield Meta("started", words[0].at)
    yield from tell_screen(rows)
