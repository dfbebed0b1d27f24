"""OpenHands: runs of its harness (``output.jsonl``, an instance a line) and the event files of its sessions.

An instance holds its events in ``history``, one after another or in pairs of action and observation. A session lies in
a folder with a file for each event: the first one is the transcript, the others are its companions.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from glob import escape
from typing import Any, BinaryIO

from session_frames.transcripts.base import (
    AgentText,
    Begins,
    Event,
    Line,
    Meta,
    NoConversation,
    Record,
    Skipped,
    ToolCall,
    UserWords,
    dict_of,
    iter_lines,
    load_json,
    text_of,
)
from session_frames.transcripts.heads import begins_object, json_key
from session_frames.transcripts.openhands_actions import Actions
from session_frames.transcripts.openhands_kinds import KINDS, Kinds

NAME = "openhands"

_INSTRUCTION = json_key("instruction")
_INSTANCE_MARKS = (
    json_key("git_patch"),
    json_key("agent_class"),
    json_key("history", r"\[\s*\[?\s*\{"),
)
_SOURCE = json_key("source", '"(?:agent|user|environment)"')
_EVENT_MARKS = (json_key("args", r"\{"), json_key("extras", r"\{"))
_EVENT_NAMES = (json_key("action", '"'), json_key("observation", '"'))
_KIND = json_key("kind", '"(?:' + "|".join(KINDS) + ')"')
_NUMBER = re.compile(r"(\d+)")


def find(home: str, environ: Mapping[str, str]) -> list[str]:
    """The first event file of each session."""
    return [
        f"{escape(home)}/.openhands/conversations/*/events/event-00000-*.json",
        f"{escape(home)}/.openhands/sessions/*/events/0.json",
        f"{escape(home)}/.openhands-state/sessions/*/events/0.json",
    ]


def companions(path: str) -> list[str]:
    """The other event files of the folder."""
    folder = os.path.dirname(path)
    return [f"{escape(folder)}/*.json"] if os.path.basename(folder) == "events" else []


def sniff(head: bytes) -> bool:
    """An instance of the harness, or an event of one of the two forms."""
    if not head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith((b"{", b"[")):
        return False
    if begins_object(head) and _INSTRUCTION.search(head) and any(mark.search(head) for mark in _INSTANCE_MARKS):
        return True
    named = any(name.search(head) for name in _EVENT_NAMES) and any(mark.search(head) for mark in _EVENT_MARKS)
    return _SOURCE.search(head) is not None and (named or _KIND.search(head) is not None)


def read(source: BinaryIO, companions: Iterable[tuple[str, bytes]] = ()) -> Iterator[Event | Begins | NoConversation]:
    """The events of each instance, or of the one session."""
    spoken = False
    for event in _told(source, companions):
        spoken = spoken or isinstance(event, UserWords | AgentText | ToolCall)
        yield event
    if not spoken:
        yield NoConversation("no prompt and no answer in it")


def _told(source: BinaryIO, companions: Iterable[tuple[str, bytes]]) -> Iterator[Event | Begins]:
    start = source.tell()
    first = next(iter_lines(source), None)
    source.seek(start)
    if isinstance(first, Line) and _is_instance(first.record):
        yield from _instances(source)
    else:
        yield from _session(source.read(), companions)


def _instances(source: BinaryIO) -> Iterator[Event | Begins]:
    for item in iter_lines(source):
        if isinstance(item, Skipped):
            yield item
        elif _is_instance(item.record):
            yield from _instance(item.record)
        else:
            yield Skipped("not an instance", item.number)


def _is_instance(record: Record) -> bool:
    return isinstance(record.get("history"), list)


def _instance(record: Record) -> Iterator[Event | Begins]:
    key = text_of(record.get("instance_id")) or _issue(dict_of(record.get("issue")))
    yield Begins(key)
    facts = {
        "session_id": key,
        "base": text_of(record.get("base_commit")),
        "title": text_of(dict_of(record.get("issue")).get("title")),
        "model": text_of(dict_of(dict_of(record.get("metadata")).get("llm_config")).get("model")),
    }
    yield from (Meta(name, value) for name, value in facts.items() if value)
    yield from _events(_flat(record["history"]))


def _issue(issue: Record) -> str:
    repository = "/".join(filter(None, (text_of(issue.get("owner")), text_of(issue.get("repo")))))
    return f"{repository}#{issue['number']}" if repository and issue.get("number") is not None else ""


def _flat(history: list[Any]) -> Iterator[Record]:
    for entry in history:
        yield from map(dict_of, entry if isinstance(entry, list) else [entry])


def _session(data: bytes, companions: Iterable[tuple[str, bytes]]) -> Iterator[Event | Begins]:
    """The events of a folder, or of the one file that a session was saved to."""
    contents = [data]
    session = ""
    for path, content in sorted(companions, key=lambda item: _place(item[0])):
        session = session or os.path.basename(os.path.dirname(os.path.dirname(path)))
        contents.append(content)
    if session:
        yield Meta("session_id", session)
    events: list[Record] = []
    seen: set[str] = set()
    for content in contents:
        for event in _loaded(content):
            key = f"{event.get('id', '')}"
            if not key or key not in seen:
                seen.add(key)
                events.append(event)
    yield from _events(events)


def _place(path: str) -> tuple[int, str]:
    """Event files count up: ``12.json``, ``event-00012-….json``."""
    name = os.path.basename(path)
    found = _NUMBER.search(name)
    return int(found[1]) if found else 0, name


def _loaded(content: bytes) -> list[Record]:
    try:
        value = load_json(content)
    except ValueError:
        return [{"kind": "damaged"}]
    held = dict_of(value).get("history")
    return list(_flat(value if isinstance(value, list) else held if isinstance(held, list) else [value]))


def _events(records: Iterable[Record]) -> Iterator[Event]:
    actions, kinds = Actions(), Kinds()
    for record in records:
        yield from kinds.tell(record) if "kind" in record else actions.tell(record)
