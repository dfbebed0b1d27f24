"""A session for Claude Code: ``<config>/projects/<folder>/<id>.jsonl``, a chain of records."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

from session_frames.transcripts.agent_sessions import NewSession, json_lines
from session_frames.transcripts.session_steps import Called, Step, as_object

COMMAND = "claude --resume {id}"

_ODD = re.compile(r"[^A-Za-z0-9]")


def place(session: NewSession, home: str, environ: Mapping[str, str]) -> str:
    """In the folder of the project, whose name is its path with a dash for every odd character."""
    base = environ.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude")
    return os.path.join(base, "projects", _ODD.sub("-", session.cwd), f"{session.id}.jsonl")


def write(session: NewSession) -> bytes:
    """The records. What was rewound hangs beside the chain, as it does in the agent's own files."""
    return json_lines(_Chain(session).records())


class _Chain:
    def __init__(self, session: NewSession) -> None:
        self.session = session
        self.written: list[dict[str, Any]] = []
        self.parent: str | None = None

    def records(self) -> list[dict[str, Any]]:
        made_by = self.session.made_by
        # A tag of another session: the agent passes over it, readers see where this one comes from.
        self.written.append({"type": "tag", "tag": "frames", "sessionId": made_by["session"], "made_by": made_by})
        fork: str | None = None
        rewound = False
        for step in self.session.steps:
            if self.session.is_rewound(step) != rewound:
                rewound = not rewound
                fork, self.parent = self.parent, (self.parent if rewound else fork)
            self._step(step)
        title = {"type": "custom-title", "customTitle": self.session.title, "sessionId": self.session.id}
        return [*self.written, title]

    def _step(self, step: Step) -> None:
        if step.role == "agent":
            self._agent(step)
        elif step.text:
            notice = {"isMeta": True} if step.role == "system" else {}
            self._add(step, "user", {"role": "user", "content": step.text}, **notice)

    def _agent(self, step: Step) -> None:
        blocks: list[dict[str, Any]] = [{"type": "text", "text": step.text}] if step.text else []
        blocks += [_asked(call) for call in step.calls]
        message_id = f"msg_{self.session.record_id(f'message {len(self.written)}').replace('-', '')[:24]}"
        for block in blocks:
            message = {
                "id": message_id,
                "type": "message",
                "role": "assistant",
                **({"model": self.session.model} if self.session.model else {}),
                "content": [block],
                "stop_reason": "tool_use" if step.calls else "end_turn",
                "stop_sequence": None,
                **({"usage": usage} if block is blocks[-1] and (usage := _usage(step)) else {}),
            }
            self._add(step, "assistant", message)
        for call in step.calls:
            self._add(step, "user", {"role": "user", "content": [_answered(call)]})

    def _add(self, step: Step, kind: str, message: dict[str, Any], **more: Any) -> None:
        session = self.session
        record_id = session.record_id(len(self.written))
        branch = session.frame.get("git", {}).get("branch", "")
        self.written.append(
            {
                "parentUuid": self.parent,
                "isSidechain": False,
                "userType": "external",
                "cwd": session.cwd,
                "sessionId": session.id,
                **({"version": session.version} if session.version else {}),
                **({"gitBranch": branch} if branch else {}),
                "type": kind,
                **more,
                "message": message,
                "uuid": record_id,
                "timestamp": step.at,
            }
        )
        self.parent = record_id


def _asked(call: Called) -> dict[str, Any]:
    return {"type": "tool_use", "id": call.id, "name": call.tool, "input": as_object(call.arguments)}


def _answered(call: Called) -> dict[str, Any]:
    failed = {"is_error": True} if call.outcome == "failed" else {}
    return {"tool_use_id": call.id, "type": "tool_result", "content": call.result, **failed}


_COUNTS = {
    "input_tokens": "input",
    "output_tokens": "output",
    "cache_read_input_tokens": "cache_read",
    "cache_creation_input_tokens": "cache_write",
}


def _usage(step: Step) -> dict[str, int]:
    """The counts of the turn, told with its last message."""
    tokens = dict(step.turn.get("tokens", {})) if step.last else {}
    return {name: int(str(tokens.get(key, 0))) for name, key in _COUNTS.items()} if tokens else {}
