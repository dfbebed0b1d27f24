"""Sessions that were split into several frames: which turns these begin with, and which of them grows.

The hooks of git ask this at each commit of a session: what splits a frame is loaded only for a session that is split.
"""

from __future__ import annotations

import os

from session_frames.model import Frame, frame_id
from session_frames.workspace.core import Workspace


def known_starts(ws: Workspace, frame: Frame) -> list[str]:
    """The turns of a session with which frames begin that are kept here as its later parts."""
    session = frame.get("session", {})
    agent, session_id = session.get("agent", ""), session.get("session_id", "")
    said = [turn["id"] for turn in frame.get("turns", [])[1:] if turn["role"] == "user"]
    ids = {frame_id(agent, session_id, turn): turn for turn in said} if session_id else {}
    in_names = "\n".join(ws.store.iter_paths()) if ids else ""
    return [
        turn
        for wanted, turn in ids.items()
        if os.path.exists(ws.state.closed_path(wanted)) or (f"_{wanted[:6]}" in in_names and ws.store.find_path(wanted))
    ]


def last_part(ws: Workspace, frame: Frame) -> Frame:
    """Of a session that was split, the frame that grows; else the frame itself."""
    starts = known_starts(ws, frame)
    if not starts:
        return frame
    from session_frames.operations.split import split_frame

    return split_frame(frame, starts)[-1]
