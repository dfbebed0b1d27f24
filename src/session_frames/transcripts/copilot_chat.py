"""GitHub Copilot Chat in VS Code: exported chats, the session files of a workspace, and their edit logs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from glob import escape
from typing import Any, BinaryIO

from session_frames.errors import NotUnderstood
from session_frames.transcripts.base import (
    Event,
    Meta,
    NoConversation,
    Record,
    Skipped,
    Usage,
    UserWords,
    dict_of,
    int_of,
    list_of,
    load_json,
    text_of,
)
from session_frames.transcripts.copilot_edit_log import is_edit_log, replay
from session_frames.transcripts.copilot_events import is_event_stream, read_events
from session_frames.transcripts.copilot_response import iso_of, response_events
from session_frames.transcripts.heads import begins_object, json_key, origin_of, peek

NAME = "copilot-chat"
BESIDE = (("../workspace.json", "folder"),)

# What a pressed button writes as the prompt, for files that don't mark it with ``confirmation``.
_BUTTON = re.compile(r'@\w+ [^:\n]{1,40}: "[^"\n]*\?"\s*\Z')

_EDITORS = ("Code", "Code - Insiders", "VSCodium")
_CHATS = ("workspaceStorage/*/chatSessions", "globalStorage/emptyWindowChatSessions")

_REQUESTS = json_key("requests", r"\[\s*(\]|\{)")
_SESSION_KEYS = (json_key("responderUsername"), json_key("initialLocation"))
# A request has one of these; other programs' chats with ``requests`` don't.
_REQUEST_KEYS = (json_key("requestId"), json_key("message", r"\{"))


def find(home: str, environ: Mapping[str, str]) -> list[str]:
    """The places of session files of VS Code and its kin, on Linux and macOS.

    Event streams for Stop hooks tell the same sessions once more and are not looked for.
    """
    config = environ.get("XDG_CONFIG_HOME") or f"{home}/.config"
    roots = [f"{root}/{editor}" for root in (config, f"{home}/Library/Application Support") for editor in _EDITORS]
    roots.append(f"{home}/.vscode-server/data")
    return [
        f"{escape(root)}/User/{chats}/*.{extension}"
        for root in roots
        for chats in _CHATS
        for extension in ("jsonl", "json")
    ]


def sniff(head: bytes) -> bool:
    """An edit log, or a document whose ``requests`` are those of a chat."""
    return is_edit_log(head) or _is_chat(head)


def _is_chat(head: bytes) -> bool:
    found = _REQUESTS.search(head) if begins_object(head) else None
    if found is None:
        return False
    if found[1] == b"]":
        return all(key.search(head) for key in _SESSION_KEYS)
    return any(key.search(head, found.end()) for key in _REQUEST_KEYS)


def read(source: BinaryIO) -> Iterator[Event | NoConversation]:
    """The events of the chat in its last state, in order."""
    head = peek(source)
    if is_event_stream(head):
        yield from read_events(source)
        return
    if is_edit_log(head):
        state, skipped = replay(source)
        yield from skipped
    else:
        state = _document(source)
    yield from _chat_events(state)


def _document(source: BinaryIO) -> Any:
    try:
        return load_json(source.read())
    except ValueError as error:
        raise NotUnderstood("transcript is not JSON") from error


def _chat_events(state: Any) -> Iterator[Event | NoConversation]:
    chat = dict_of(state)
    requests = chat.get("requests")
    if not isinstance(requests, list):
        raise NotUnderstood("chat has no list of requests")
    yield from _facts(chat, requests)
    spoken = False
    for request in requests:
        if not isinstance(request, dict) or "message" not in request:
            yield Skipped("request without a message", 0)
            continue
        for event in _request_events(request):
            spoken = spoken or not isinstance(event, Meta | Skipped | Usage)
            yield event
    if not spoken:
        yield NoConversation("no prompt and no answer in it")


def _facts(chat: Record, requests: list[Any]) -> Iterator[Event]:
    # An exported chat has lost its id; the id of its first request stays the same as the chat grows.
    first = next((found for request in requests if (found := text_of(dict_of(request).get("requestId")))), "")
    facts = {
        "session_id": text_of(chat.get("sessionId")) or first,
        "title": text_of(chat.get("customTitle")),
        "started": iso_of(chat.get("creationDate")),
        "cwd": _folder(requests),
    }
    yield from (Meta(name, value) for name, value in facts.items() if value)


def _folder(requests: list[Any]) -> str:
    """The open folder: answers are written with it as the base of their links."""
    for request in map(dict_of, requests):
        for part in map(dict_of, list_of(request.get("response"))):
            path = text_of(dict_of(part.get("baseUri")).get("path"))
            if path:
                folder = path.rstrip("/") or "/"
                return folder[1:] if re.match(r"/[A-Za-z]:", folder) else folder
    return ""


def _request_events(request: Record) -> Iterator[Event]:
    agent = dict_of(request.get("agent"))
    facts = {"model": text_of(request.get("modelId")), "agent_version": text_of(agent.get("extensionVersion"))}
    yield from (Meta(name, value) for name, value in facts.items() if value)
    key = text_of(request.get("requestId"))
    words = _words(request)
    if words.strip():
        yield UserWords(key, iso_of(request.get("timestamp")), words, origin_of(words))
    yield from response_events(request)
    yield from _usage(key, dict_of(dict_of(request.get("result")).get("usage")))


def _words(request: Record) -> str:
    """What the person typed; "" for a button pressed and for a request of the program."""
    message = request.get("message")
    text = text_of(message) or text_of(dict_of(message).get("text"))
    pressed = request.get("confirmation") or request.get("isSystemInitiated") or _BUTTON.match(text)
    return "" if pressed else text


def _usage(key: str, counts: Record) -> Iterator[Event]:
    prompt, completion = int_of(counts.get("promptTokens")), int_of(counts.get("completionTokens"))
    if prompt or completion:
        yield Usage(key, input=prompt, output=completion)
