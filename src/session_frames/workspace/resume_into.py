"""resume --into: a session that an agent can resume, written into the place where that agent looks."""

from __future__ import annotations

import os
import shlex
from datetime import UTC, datetime
from typing import NamedTuple

from session_frames.errors import EnvironmentError_, NothingFound, RefusedError
from session_frames.storage.private_state import write_atomically
from session_frames.transcripts.agent_sessions import NewSession, get_writer, new_session
from session_frames.transcripts.session_steps import utc
from session_frames.workspace.catalog import load
from session_frames.workspace.core import Workspace
from session_frames.workspace.history import entry_to_resume


class WrittenSession(NamedTuple):
    """A session as an agent finds it, and what resumes it."""

    frame: str
    agent: str
    session_id: str
    path: str
    command: str
    written: bool  # False where the very same session was there already


def write_session(ws: Workspace, agent: str, name: str | None = None, branch: str = "") -> WrittenSession:
    """Write the session of a frame for that agent. One that is there and differs, because it went on, stays."""
    frame = load(ws, entry_to_resume(ws, name, branch))
    top = ws.repo.require_top()
    writer = get_writer(agent)
    session = new_session(frame, agent, top, ws.now())
    if not session.steps:
        raise NothingFound(f"frame '{frame['id']}' holds no turns to resume")
    path = writer.place(session, ws.home, ws.environ)
    command = writer.COMMAND.format(id=session.id)
    if os.path.realpath(ws.cwd) != os.path.realpath(top):
        command = f"cd {shlex.quote(top)} && {command}"
    before = _content(path)
    if before is None:
        _write(session, path)
    elif before != writer.write(session._replace(updated=_time_of(path))):
        raise RefusedError(
            f"'{path}' is there already and is not what would be written: the session went on, or the frame grew",
            hint=f"{command} resumes it as it is; move the file away to write it anew",
        )
    return WrittenSession(frame["id"], agent, session.id, path, command, before is None)


def _write(session: NewSession, path: str) -> None:
    writer = get_writer(session.agent)
    beside = getattr(writer, "beside", None)
    files = {path: writer.write(session), **(beside(session, path) if beside else {})}
    time = datetime.fromisoformat(session.updated).timestamp()
    for name, content in files.items():
        write_atomically(name, content)
        os.utime(name, (time, time))


def _content(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise EnvironmentError_(f"cannot read '{path}': {error.strerror}") from error


def _time_of(path: str) -> str:
    """When the session that is there was written, as it says itself."""
    return utc(datetime.fromtimestamp(round(os.stat(path).st_mtime, 3), UTC).isoformat())
