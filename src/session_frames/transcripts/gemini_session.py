"""A session for Gemini CLI: ``<home>/.gemini/tmp/<project>/chats/session-<time>-<id>.jsonl``."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from typing import Any

from session_frames.model import CallOutcome
from session_frames.transcripts.agent_sessions import NewSession, json_lines
from session_frames.transcripts.base import dict_of, load_json, text_of
from session_frames.transcripts.made_by import MADE_BY
from session_frames.transcripts.session_steps import Called, Step, as_object

COMMAND = "gemini --resume {id}"

# The shape has no word for a call whose outcome nobody recorded: it is left out then.
_STATUSES: Mapping[CallOutcome, str] = {"passed": "success", "failed": "error", "pending": "cancelled"}


def place(session: NewSession, home: str, environ: Mapping[str, str]) -> str:
    """In the project's folder: the name that the agent gave it, else the hash of its path."""
    root = os.path.join(environ.get("GEMINI_CLI_HOME") or home, ".gemini")
    folder = _known_name(os.path.join(root, "projects.json"), session.cwd) or _hash(session.cwd)
    minute = session.began[:16].replace(":", "-")
    return os.path.join(root, "tmp", folder, "chats", f"session-{minute}-{session.id[:8]}.jsonl")


def _known_name(registry: str, cwd: str) -> str:
    try:
        with open(registry, "rb") as file:
            names = dict_of(dict_of(load_json(file.read())).get("projects"))
    except (OSError, ValueError):
        return ""
    return text_of(names.get(cwd))


def _hash(path: str) -> str:
    return hashlib.sha256(path.encode("utf-8", "surrogateescape")).hexdigest()


def write(session: NewSession) -> bytes:
    """The header, then one message a line; calls hold their results."""
    records: list[dict[str, Any]] = [
        {
            "sessionId": session.id,
            "projectHash": _hash(session.cwd),
            "startTime": session.began,
            "lastUpdated": session.updated,
            "kind": "main",
            "summary": session.title,
            "directories": [session.cwd],
            MADE_BY: session.made_by,
        }
    ]
    rewound = ""
    for step in session.steps:
        if rewound and not session.is_rewound(step):
            records.append({"$rewindTo": rewound})
            rewound = ""
        message = _message(session, step, len(records))
        if message:
            records.append(message)
            rewound = rewound or (message["id"] if session.is_rewound(step) else "")
    if rewound:
        records.append({"$rewindTo": rewound})
    return json_lines(records)


def _message(session: NewSession, step: Step, number: int) -> dict[str, Any]:
    head = {"id": session.record_id(number), "timestamp": step.at}
    if step.role == "agent":
        return _gemini(session, step, head) if step.text or step.calls else {}
    # What nobody said in this session goes into the block for context.
    text = step.text if step.role == "user" else f"<session_context>\n{step.text}\n</session_context>"
    return {**head, "type": "user", "content": [{"text": text}]} if step.text else {}


def _gemini(session: NewSession, step: Step, head: dict[str, Any]) -> dict[str, Any]:
    message = {**head, "type": "gemini", "content": step.text, "thoughts": []}
    if session.model:
        message["model"] = session.model
    if step.calls:
        message["toolCalls"] = [_call(call, step.at) for call in step.calls]
    return message


def _call(call: Called, at: str) -> dict[str, Any]:
    response = {"error" if call.outcome == "failed" else "output": call.result}
    status = _STATUSES.get(call.outcome)
    return {
        "id": call.id,
        "name": call.tool,
        "args": as_object(call.arguments),
        "result": [{"functionResponse": {"id": call.id, "name": call.tool, "response": response}}],
        **({"status": status} if status else {}),
        "timestamp": at,
        "resultDisplay": call.result,
        "displayName": call.tool,
        "description": "",
    }
