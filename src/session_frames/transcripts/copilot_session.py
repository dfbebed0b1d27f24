"""A session for Copilot CLI: ``<home>/session-state/<id>/events.jsonl``, with a few facts in a YAML file beside it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from session_frames.transcripts.agent_sessions import NewSession, json_lines, json_text
from session_frames.transcripts.made_by import MADE_BY
from session_frames.transcripts.session_steps import Called, Step, as_object

COMMAND = "copilot --resume={id}"


def place(session: NewSession, home: str, environ: Mapping[str, str]) -> str:
    """In a folder of the session's own."""
    base = environ.get("COPILOT_HOME") or os.path.join(home, ".copilot")
    return os.path.join(base, "session-state", session.id, "events.jsonl")


def beside(session: NewSession, path: str) -> dict[str, bytes]:
    """The facts by which the agent lists the session. JSON strings are YAML as well."""
    facts = {
        "id": session.id,
        "cwd": session.cwd,
        "git_root": session.cwd,
        "branch": session.frame.get("git", {}).get("branch", ""),
        "name": session.title,
        "created_at": session.began,
        "updated_at": session.updated,
    }
    lines = [f"{key}: {json_text(value)}" for key, value in facts.items() if value]
    return {os.path.join(os.path.dirname(path), "workspace.yaml"): ("\n".join(lines) + "\n").encode("utf-8")}


def write(session: NewSession) -> bytes:
    """The events, each hanging on the one before."""
    return json_lines(_Stream(session).events())


class _Stream:
    def __init__(self, session: NewSession) -> None:
        self.session = session
        self.written: list[dict[str, Any]] = []

    def events(self) -> list[dict[str, Any]]:
        session = self.session
        self._add(session.began, "session.start", _start(session))
        rewound = ""
        for step in session.steps:
            if rewound and not session.is_rewound(step):
                self._rewind(step.at, rewound)
                rewound = ""
            first = len(self.written)
            self._step(step)
            if session.is_rewound(step) and len(self.written) > first:
                rewound = rewound or self.written[first]["id"]
        if rewound:
            self._rewind(session.ended, rewound)
        return self.written

    def _rewind(self, at: str, target: str) -> None:
        place = next(number for number, event in enumerate(self.written) if event["id"] == target)
        data = {"upToEventId": target, "eventsRemoved": len(self.written) - place}
        self._add(at, "session.snapshot_rewind", data)

    def _step(self, step: Step) -> None:
        if step.role == "agent":
            if step.text or step.calls:
                self._agent(step)
        elif step.text and step.role == "user":
            self._add(step.at, "user.message", {"content": step.text, "attachments": []})
        elif step.text:
            self._add(step.at, "system.message", {"role": "system", "content": step.text})

    def _agent(self, step: Step) -> None:
        turn = {"turnId": str(len(self.written))}
        self._add(step.at, "assistant.turn_start", turn)
        asked = [
            {"toolCallId": call.id, "name": call.tool, "arguments": as_object(call.arguments), "type": "function"}
            for call in step.calls
        ]
        message_id = self.session.record_id(f"message {len(self.written)}")
        data = {"messageId": message_id, "content": step.text, "toolRequests": asked}
        self._add(step.at, "assistant.message", data)
        for call in step.calls:
            self._call(call, step.at)
        self._add(step.at, "assistant.turn_end", turn)

    def _call(self, call: Called, at: str) -> None:
        start = {"toolCallId": call.id, "toolName": call.tool, "arguments": as_object(call.arguments)}
        self._add(at, "tool.execution_start", start)
        failed = call.outcome == "failed"
        end = {"error": {"message": call.result}} if failed else {"result": {"content": call.result}}
        self._add(at, "tool.execution_complete", {"toolCallId": call.id, "success": not failed, **end})

    def _add(self, at: str, kind: str, data: dict[str, Any]) -> None:
        parent = self.written[-1]["id"] if self.written else None
        event_id = self.session.record_id(len(self.written))
        self.written.append({"type": kind, "data": data, "id": event_id, "timestamp": at, "parentId": parent})


def _start(session: NewSession) -> dict[str, Any]:
    git = session.frame.get("git", {})
    found = {"branch": git.get("branch", ""), "headCommit": git.get("base", "")}
    place = {"cwd": session.cwd, "gitRoot": session.cwd, **{key: value for key, value in found.items() if value}}
    return {
        "sessionId": session.id,
        "version": 1,
        "producer": "frames",
        "copilotVersion": session.version or "unknown",
        "startTime": session.began,
        **({"selectedModel": session.model} if session.model else {}),
        "context": place,
        MADE_BY: session.made_by,
    }
