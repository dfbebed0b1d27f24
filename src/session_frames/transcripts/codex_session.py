"""A session for Codex: ``<home>/sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl``: items, and events that show them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from session_frames.transcripts.agent_sessions import NewSession, json_lines, json_text
from session_frames.transcripts.made_by import MADE_BY
from session_frames.transcripts.session_steps import Called, Step, as_object

COMMAND = "codex resume {id}"

_Payloads = Iterator[tuple[str, dict[str, Any]]]


def place(session: NewSession, home: str, environ: Mapping[str, str]) -> str:
    """By the day on which the session began, with its time and id in the name."""
    base = environ.get("CODEX_HOME") or os.path.join(home, ".codex")
    day, _, time = session.began.partition("T")
    name = f"rollout-{day}T{time[:8].replace(':', '-')}-{session.id}.jsonl"
    return os.path.join(base, "sessions", *day.split("-"), name)


def write(session: NewSession) -> bytes:
    """The facts, then each message as an item of the model's conversation and as an event for the screen."""
    records = [_record(session.began, "session_meta", _facts(session))]
    rewound = 0
    for step in session.steps:
        if rewound and not session.is_rewound(step):
            records.append(_record(step.at, "event_msg", _rolled_back(rewound)))
            rewound = 0
        rewound += session.is_rewound(step) and step.role == "user"
        records += [_record(step.at, kind, payload) for kind, payload in _payloads(step)]
    if rewound:
        records.append(_record(session.ended, "event_msg", _rolled_back(rewound)))
    title = {"type": "thread_name_updated", "thread_id": session.id, "thread_name": session.title}
    return json_lines([*records, _record(session.ended, "event_msg", title)])


def _record(at: str, kind: str, payload: dict[str, Any]) -> dict[str, Any]:
    return {"timestamp": at, "type": kind, "payload": payload}


def _facts(session: NewSession) -> dict[str, Any]:
    git = session.frame.get("git", {})
    found = {"commit_hash": git.get("base", ""), "branch": git.get("branch", "")}
    known = {key: value for key, value in found.items() if value}
    return {
        "id": session.id,
        "timestamp": session.began,
        "cwd": session.cwd,
        "originator": "frames",
        "cli_version": session.version or "0.0.0",
        "source": "cli",
        **({"git": known} if known else {}),
        MADE_BY: session.made_by,
    }


def _rolled_back(count: int) -> dict[str, Any]:
    return {"type": "thread_rolled_back", "num_turns": count}


def _payloads(step: Step) -> _Payloads:
    if step.role == "user" and step.text:
        yield "response_item", _message("user", "input_text", step.text)
        yield "event_msg", {"type": "user_message", "message": step.text, "images": []}
    elif step.role == "system" and step.text:
        yield "response_item", _message("developer", "input_text", step.text)
    elif step.text:
        yield "event_msg", {"type": "agent_message", "message": step.text}
        yield "response_item", _message("assistant", "output_text", step.text)
    for call in step.calls:
        yield from _call(call)


def _message(role: str, block: str, text: str) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": [{"type": block, "text": text}]}


def _call(call: Called) -> _Payloads:
    if isinstance(call.arguments, str):  # a tool that takes a text and no object
        asked = {"type": "custom_tool_call", "status": "completed", "name": call.tool, "input": call.arguments}
    else:
        arguments = json_text(as_object(call.arguments))
        asked = {"type": "function_call", "name": call.tool, "arguments": arguments}
    yield "response_item", {**asked, "call_id": call.id}
    yield "response_item", {"type": f"{asked['type']}_output", "call_id": call.id, "output": call.result}
