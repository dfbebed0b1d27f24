"""What an agent tells of its session through its own hooks: it is about to compact, so what was said is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from typing import Any, Final

from session_frames import frame_json
from session_frames.operations.renew import renew
from session_frames.storage.private_state import ActiveFrame
from session_frames.storage.transcript_files import open_transcript
from session_frames.workspace.capture import catch_up
from session_frames.workspace.core import Workspace
from session_frames.workspace.keeping import keep, write_copy
from session_frames.workspace.opened import as_opened
from session_frames.workspace.raw import RawKeeper
from session_frames.workspace.reading import Reading, read_transcripts


def told(ws: Workspace, event: str, payload: Mapping[str, Any]) -> None:
    """Do what this event asks for; nothing for an event that frames does not hear of. Raises as any verb does."""
    heard = _EVENTS.get(event)
    if heard:
        heard(ws, payload)


def _before_compaction(ws: Workspace, payload: Mapping[str, Any]) -> None:
    """Keep the session as it is by now, its transcript included: in its active frame, else privately.

    No file of the work tree is written: what a hook does never makes it dirty.
    """
    transcript = payload.get("transcript_path")
    if not isinstance(transcript, str) or not transcript:
        return
    name, source = open_transcript(transcript)
    raw = RawKeeper(ws)
    with closing(source):
        for reading in read_transcripts(ws, name, source, transcript):
            session = reading.frame.get("session", {}).get("session_id", "")
            active = next((one for one in ws.state.list_active() if session and one.get("session_id") == session), None)
            if active:
                _keep_active(ws, active)
            else:
                _keep_privately(ws, reading, transcript, raw)


def _keep_active(ws: Workspace, entry: ActiveFrame) -> None:
    frame = as_opened(catch_up(ws, entry), entry["frame"])
    with ws.state.lock():
        if any(one["frame"]["id"] == entry["frame"]["id"] for one in ws.state.list_active()):
            ws.state.save_active({**entry, "frame": frame})


def _keep_privately(ws: Workspace, reading: Reading, transcript: str, raw: RawKeeper) -> None:
    path = ws.store.find_path(reading.frame["id"])
    if path is None:
        raw.keep(keep(ws, reading.frame, transcript, private=True))
        return
    with ws.state.lock():
        frame = renew(ws.store.read(path), reading.frame)[0]
        write_copy(ws, frame["id"], frame_json.encode(frame))


_EVENTS: Final[Mapping[str, Callable[[Workspace, Mapping[str, Any]], None]]] = {"PreCompact": _before_compaction}
