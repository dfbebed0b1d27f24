"""Histories of chat messages that a program keeps here: one a session id, each the transcript of an active frame.

A history lies in the private area as it was given, after redaction; its frame is read from it like any agent's. What
was closed or cleared is never opened again by using its id: the id begins a new history, and the old one stays.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import closing
from hashlib import sha256
from typing import Any, NamedTuple, TypedDict, cast

from session_frames.errors import FormatError, NothingFound, NotUnderstood, UsageError
from session_frames.model import FORMAT_VERSION, Checkpoint, Frame, frame_id
from session_frames.operations.compose import redact_frame
from session_frames.operations.redact import redact_text, redact_value
from session_frames.operations.renew import renew
from session_frames.storage.private_state import ActiveFrame, write_atomically
from session_frames.storage.transcript_files import open_transcript
from session_frames.transcripts.langchain_messages import FOLDER, NAME
from session_frames.workspace.capture import close as close_session
from session_frames.workspace.core import Workspace
from session_frames.workspace.keeping import Captured
from session_frames.workspace.reading import read_transcript

Message = dict[str, Any]

_LOCK = "messages"


class _History(TypedDict, total=False):
    """What the file of a history holds."""

    session_id: str
    cwd: str
    branch: str
    base: str
    messages: list[Message]


class _Place(NamedTuple):
    """The newest history of a session id: its file, the number of the history, the id of its frame."""

    path: str
    number: int
    frame_id: str


def messages_of(ws: Workspace, session_id: str, *, reopen: bool = False) -> list[Message]:
    """The messages of the open history of a session, oldest first; [] where none is open. ``reopen`` takes the newest
    one although it was closed.
    """
    place = _newest(ws, session_id)
    return _load(place.path)["messages"] if place.number and (reopen or _is_open(ws, place)) else []


def add_messages(ws: Workspace, session_id: str, messages: Sequence[Message], *, reopen: bool = False) -> None:
    """Put messages behind those of the session, redacted; a session that has none open begins a new history."""
    if messages:
        with ws.state.lock(_LOCK):
            place, history = _open(ws, session_id, reopen)
            _keep(ws, place, {**history, "messages": [*history["messages"], *_redacted(ws, messages)]})


def set_messages(
    ws: Workspace, session_id: str, messages: Sequence[Message], checkpoint: Checkpoint | None = None
) -> None:
    """The messages of a state: those that the history has not are put behind, by id; none is taken out of it.

    ``checkpoint`` is then set at the last turn; its ``turn`` need not be given.
    """
    with ws.state.lock(_LOCK):
        place, history = _open(ws, session_id, reopen=False)
        known = {_identity(message): at for at, message in enumerate(history["messages"])}
        kept = list(history["messages"])
        for message in _redacted(ws, messages):
            at = known.get(_identity(message))
            if at is None:
                kept.append(message)
            else:
                kept[at] = {**message, "at": kept[at].get("at", "")}
        _keep(ws, place, {**history, "messages": kept}, checkpoint)


def _identity(message: Message) -> str:
    own = message["data"].get("id")
    return own or json.dumps([message["type"], message["data"]], sort_keys=True)


def clear(ws: Workspace, session_id: str) -> None:
    """End the open history without a frame; what was said stays in the private area."""
    with ws.state.lock(_LOCK):
        place = _newest(ws, session_id)
        with ws.state.lock():
            ws.state.drop_active(place.frame_id)


def close(ws: Workspace, session_id: str, topic: str = "") -> Captured:
    """Close the session's frame, as ``frames close`` does; ``NothingFound`` where no history of it is open."""
    with ws.state.lock(_LOCK):
        place = _newest(ws, session_id)
        if not _is_open(ws, place):
            raise NothingFound(f"no open history of session '{session_id}'")
        return close_session(ws, transcript=place.path, topic=topic)


def open_frame_id(ws: Workspace, session_id: str) -> str:
    """The id of the frame of the session's open history, "" where none is open."""
    place = _newest(ws, session_id)
    return place.frame_id if _is_open(ws, place) else ""


# ---------------------------------------------------------------------------------------------------------------------
# Files


def _newest(ws: Workspace, session_id: str) -> _Place:
    if not isinstance(session_id, str) or not session_id.strip():
        raise UsageError("a session id can't be empty: a new conversation needs one of its own")
    name = sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    number = 0
    while os.path.exists(ws.state.path(FOLDER, f"{name}-{number + 1}.json")):
        number += 1
    return _place(ws, session_id, name, number)


def _place(ws: Workspace, session_id: str, name: str, number: int) -> _Place:
    own_id = _own_id(session_id, name, number)
    return _Place(ws.state.path(FOLDER, f"{name}-{number}.json"), number, frame_id(NAME, own_id))


def _own_id(session_id: str, name: str, number: int) -> str:
    return session_id if number < 2 else f"{session_id} ({number}, {name[:8]})"


def _is_open(ws: Workspace, place: _Place) -> bool:
    return os.path.exists(ws.state.path("active", place.frame_id + ".json"))


def _open(ws: Workspace, session_id: str, reopen: bool) -> tuple[_Place, _History]:
    """The open history of a session, or a new one."""
    place = _newest(ws, session_id)
    if place.number and (reopen or _is_open(ws, place)):
        return place, _load(place.path)
    name = os.path.basename(place.path).rpartition("-")[0]
    place = _place(ws, session_id, name, place.number + 1)
    given = {
        "session_id": redact_text(_own_id(session_id, name, place.number), ws.policy)[0],
        "cwd": ws.repo.require_top(),
        "branch": ws.repo.branch() or "",
        "base": ws.repo.head() or "",
        "messages": [],
    }
    return place, cast(_History, given)


def _load(path: str) -> _History:
    try:
        with open(path, "rb") as file:
            return cast(_History, json.loads(file.read()))
    except ValueError as error:
        raise FormatError(f"'{path}' is no history of messages") from error


def _redacted(ws: Workspace, messages: Sequence[Message]) -> list[Message]:
    now = ws.now()
    try:
        plain = json.loads(json.dumps(list(messages)))
    except (TypeError, ValueError) as error:
        raise UsageError(f"a message holds what JSON can't: {error}") from error
    return [{**redact_value(message, ws.policy, "messages", _forget), "at": now} for message in plain]


def _forget(rule: str, where: str, count: int) -> None:
    """The markers in the text tell what was redacted."""


def _keep(ws: Workspace, place: _Place, history: _History, checkpoint: Checkpoint | None = None) -> None:
    """Write the history, and its frame as it is by now."""
    write_atomically(place.path, json.dumps(history, ensure_ascii=True).encode("ascii"))
    frame = _read(ws, place, history)
    with ws.state.lock():
        active = next((one["frame"] for one in ws.state.list_active() if one["frame"]["id"] == place.frame_id), None)
        if active is not None and active.get("turns") and frame.get("turns"):
            frame, _ = renew(active, frame)
        if checkpoint is not None and frame.get("turns"):
            point = cast(Checkpoint, {**checkpoint, "turn": frame["turns"][-1]["id"]})
            others = [one for one in frame.get("checkpoints", []) if one["name"] != point["name"]]
            frame["checkpoints"] = [*others, point]
        frame = redact_frame(cast(Frame, {**frame, "status": "active"}), ws.policy)
        entry = ActiveFrame(
            frame=frame, work_tree=ws.repo.require_top(), transcript=place.path, session_id=history["session_id"]
        )
        ws.state.save_active(entry)


def _read(ws: Workspace, place: _Place, history: _History) -> Frame:
    name, source = open_transcript(place.path)
    with closing(source):
        try:
            return read_transcript(ws, name, source, place.path).frame
        except NotUnderstood:  # nobody has said anything yet
            session = {"agent": NAME, "session_id": history["session_id"]}
            empty = {"frame": FORMAT_VERSION, "id": place.frame_id, "topic": "session", "session": session}
            return cast(Frame, {**empty, "boundary": {"started_at": ws.now(), "start": "session"}})
