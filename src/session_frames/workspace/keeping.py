"""Bringing a frame into the tree and its private copy: under lock, read again first, what people did to it kept."""

from __future__ import annotations

import os
from typing import NamedTuple, cast

from session_frames import frame_json
from session_frames.errors import RefusedError
from session_frames.model import Frame
from session_frames.operations.compose import redact_frame
from session_frames.operations.renew import renew
from session_frames.storage.frame_store import read_bytes
from session_frames.storage.private_state import write_atomically
from session_frames.workspace.core import Workspace

LARGE_FILE = 5 << 20


class Captured(NamedTuple):
    """What became of one session or frame file."""

    frame: Frame
    path: str  # from the top of the work tree; "" when the frame is kept in the private area only
    source: str
    changed: bool
    staged: bool
    lost_turns: int  # turns of the frame that its source does not hold any more
    notes: tuple[str, ...]  # what the person should know: ignored folder, large file
    parts: tuple[str, ...] = ()  # with --only: the parts that were taken


def keep(
    ws: Workspace, frame: Frame, source: str, *, topic: str = "", dry_run: bool = False, stage: bool = False
) -> Captured:
    """Write a frame that was read from its session; ``renew`` says what of an older form stays.

    ``stage`` adds the file to the index as ``git add`` would. Where the folder is ignored, or with ``init --local``,
    only the private copy is written.
    """
    if dry_run:
        return Captured(frame, "", source, changed=False, staged=False, lost_turns=0, notes=())
    local = ws.keeps_local
    notes: list[str] = []
    with ws.state.lock():
        path = ws.store.find_path(frame["id"])
        old = ws.store.read(path) if path else _closed_copy(ws, frame["id"])
        lost = 0
        if old is not None:
            frame_json.require_writable(old, path or "")
            frame, lost = renew(old, frame)
            if topic:
                frame = redact_frame(cast(Frame, {**frame, "topic": topic}), ws.policy)
            if old["status"] in ("archived", "exported"):
                frame = cast(Frame, {**frame, "status": old["status"]})
        path = path or ws.store.new_path(frame)
        if not local and ws.repo.is_ignored(path):
            local = True
            notes.append(f"git ignores '{path}': the frame is kept in the private area only")
        data = frame_json.encode(frame)
        if len(data) > LARGE_FILE:
            notes.append(f"the frame has {len(data) >> 20} MB")
        copied = _write_copy(ws, frame["id"], data)
        if local:
            return Captured(frame, "", source, copied, staged=False, lost_turns=lost, notes=tuple(notes))
        changed = ws.store.write(frame, path)
        if stage:
            ws.repo.run("update-index", "--add", "--", path)
    return Captured(frame, path, source, changed, stage, lost, tuple(notes))


def _closed_copy(ws: Workspace, wanted: str) -> Frame | None:
    path = ws.state.closed_path(wanted)
    return frame_json.decode(read_bytes(path), path) if os.path.exists(path) else None


def _write_copy(ws: Workspace, wanted: str, data: bytes) -> bool:
    path = ws.state.closed_path(wanted)
    if os.path.exists(path) and read_bytes(path) == data:
        return False
    write_atomically(path, data)
    return True


def keep_edited(ws: Workspace, frame: Frame, source: str, taken: tuple[str, ...], dry_run: bool) -> Captured:
    """Write a frame that was changed here and not read from its session anew."""
    path = ws.store.find_path(frame["id"])
    if dry_run or path is None:
        if path is None and not dry_run:
            raise RefusedError(f"frame '{frame['id']}' has no file in this work tree", hint="frames close writes one")
        return Captured(frame, "", source, changed=False, staged=False, lost_turns=0, notes=(), parts=taken)
    with ws.state.lock():
        _write_copy(ws, frame["id"], frame_json.encode(frame))
        changed = ws.store.write(frame, path)
    return Captured(frame, path, source, changed, staged=False, lost_turns=0, notes=(), parts=taken)


def redaction_counts(frame: Frame) -> dict[str, int]:
    """How often each rule of redaction struck in the frame."""
    counts: dict[str, int] = {}
    for redaction in frame.get("redactions", []):
        counts[redaction["rule"]] = counts.get(redaction["rule"], 0) + redaction["count"]
    return counts
