"""Frames that were opened by hand, and the sessions that may be meant by them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import cast

from session_frames.errors import FramesError
from session_frames.model import Frame
from session_frames.operations.renew import with_edits
from session_frames.storage.private_state import ActiveFrame
from session_frames.workspace.core import Workspace


def as_opened(frame: Frame, opened: Frame) -> Frame:
    """The frame of a session with what was given when it was opened, its goal and where the work began, and what was
    done to it since.
    """
    frame = with_edits(frame, opened)
    goal = {"goal": opened["goal"]} if "goal" in opened else {}
    git = {**opened.get("git", {}), **frame.get("git", {})}
    return cast(Frame, {**frame, **goal, **({"git": git} if git else {})})


def sessions_since(ws: Workspace, opened: ActiveFrame) -> Iterator[ActiveFrame]:
    """The sessions of this work tree that went on after the frame was opened and have no frame open, the newest first.

    Only transcripts that were written to since are looked at. Each answer is an entry to be kept in place of
    ``opened``: the session's own frame, with the topic and the goal that were given.
    """
    from session_frames.storage.transcript_files import lies_in, list_transcripts, whereabouts

    top, since = ws.repo.require_top(), _moment(opened["frame"].get("boundary", {}).get("started_at", ""))
    taken = {entry.get("session_id") for entry in ws.state.list_active()}
    for file in list_transcripts(ws.homes, ws.environ, tops=[top]):
        if file.modified < since:
            return
        place = whereabouts(file)
        if place is None or place.session_id in taken or not any(lies_in(path, [top]) for path in place.directories):
            continue
        entry = _entry_of(ws, file.path, opened["frame"])
        if entry and entry["session_id"] not in taken and _ended(entry["frame"]) >= since:
            yield entry


def _entry_of(ws: Workspace, path: str, opened: Frame) -> ActiveFrame | None:
    """The session in a transcript as an active frame; None where nobody speaks in it or it has no id."""
    from session_frames.storage.transcript_files import open_transcript
    from session_frames.workspace.reading import read_transcript

    topic = "" if opened["topic"] == "session" else opened["topic"]
    try:
        name, source = open_transcript(path)
        with closing(source):
            frame = read_transcript(ws, name, source, path, topic=topic).frame
    except FramesError:
        return None
    session_id = frame.get("session", {}).get("session_id", "")
    frame = cast(Frame, {**as_opened(frame, opened), "status": "active"})
    entry = ActiveFrame(frame=frame, work_tree=ws.repo.require_top(), transcript=path, session_id=session_id)
    return entry if session_id else None


def _ended(frame: Frame) -> float:
    return _moment(frame.get("boundary", {}).get("ended_at", ""))


def _moment(at: str) -> float:
    """The time in seconds since 1970, of UTC where it says nothing else; 0 for what is none."""
    from datetime import UTC, datetime

    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        return 0.0
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
