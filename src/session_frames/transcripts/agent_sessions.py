"""Sessions written for an agent, in the shape that the agent itself resumes: one module each, listed in one table.

Such a module is the way back of a reader. It has

``place(session, home, environ)``
    the file's path, where the agent looks for it;
``write(session)``
    the content of the file;
``beside(session, path)`` (may be missing)
    other small files that the agent wants, path -> content;
``COMMAND``
    what resumes it, with ``{id}`` for the session's id.

Every word of person and agent is in it, each call has its result, and a record that the agent passes over names the
frame and the session it was made from.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple, Protocol, cast

from session_frames.model import Frame
from session_frames.transcripts.session_steps import NO_TIME, Step, abandoned_threads, steps_of, utc, with_times

# The agents in which a frame can be resumed.
SESSIONS: dict[str, str] = {
    "claude-code": "session_frames.transcripts.claude_session",
    "codex": "session_frames.transcripts.codex_session",
    "gemini-cli": "session_frames.transcripts.gemini_session",
    "copilot-cli": "session_frames.transcripts.copilot_session",
}


class NewSession(NamedTuple):
    """A session to be written: its id, where it goes on, and what was said so far."""

    id: str
    agent: str
    cwd: str
    frame: Frame
    steps: list[Step]
    rewound: frozenset[str]
    updated: str  # when it is written: an agent may sweep away what it takes for long untouched

    @property
    def title(self) -> str:
        """What the session is called in the agent's list."""
        return self.frame.get("title") or self.frame["topic"]

    @property
    def began(self) -> str:
        """The time of its first record."""
        return self.steps[0].at

    @property
    def ended(self) -> str:
        """The time of its last record."""
        return self.steps[-1].at

    @property
    def made_by(self) -> dict[str, str]:
        """The frame and the session that it was made from."""
        session = self.frame.get("session", {})
        original = session.get("session_id", "") or f"frame:{self.frame['id']}"
        return {"frame": self.frame["id"], "agent": session.get("agent", ""), "session": original}

    @property
    def version(self) -> str:
        """The agent's version, where this very agent recorded the session."""
        session = self.frame.get("session", {})
        return session.get("agent_version", "") if session.get("agent") == self.agent else ""

    @property
    def model(self) -> str:
        """The model that spoke last, "" where none is known."""
        return (self.frame.get("session", {}).get("models") or [""])[-1]

    def is_rewound(self, step: Step) -> bool:
        """Does the step stand in a thread that was taken back?"""
        return step.turn.get("thread", "main") in self.rewound

    def record_id(self, number: int | str) -> str:
        """The id of one record of the session."""
        return str(uuid.uuid5(uuid.UUID(self.id), str(number)))


class SessionWriter(Protocol):
    """The shape of such a module."""

    COMMAND: str

    def place(self, session: NewSession, home: str, environ: Mapping[str, str]) -> str:
        """The file's path."""

    def write(self, session: NewSession) -> bytes:
        """The file's content."""


def new_session(frame: Frame, agent: str, cwd: str, now: str) -> NewSession:
    """The session of a frame for that agent, written now; its id follows from both."""
    steps = list(with_times(steps_of(frame, answers_apart=True), frame))
    own = str(uuid.uuid5(uuid.NAMESPACE_URL, f"frame:{frame['id']}:{agent}"))
    return NewSession(own, agent, cwd, frame, steps, abandoned_threads(frame), max(utc(now), NO_TIME))


def get_writer(agent: str) -> SessionWriter:
    """The writer for that agent; ``KeyError`` for an unknown one."""
    return cast(SessionWriter, import_module(SESSIONS[agent]))


def json_text(value: Any) -> str:
    """JSON on one line, also for readers that break lines at Unicode separators or can't take lone surrogates."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(value)
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def json_lines(records: list[dict[str, Any]]) -> bytes:
    """JSON Lines."""
    return "".join(json_text(record) + "\n" for record in records).encode("utf-8")
