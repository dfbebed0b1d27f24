"""Checkpoints and threads of a frame, each with the commit and branch that were checked out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from session_frames.operations import thread_edits
from session_frames.operations.redact import redact_text
from session_frames.operations.thread_edits import Spot
from session_frames.operations.threads import current_thread, find_thread
from session_frames.operations.turn_names import one_turn, select
from session_frames.workspace.context_edits import Edited, edited
from session_frames.workspace.core import Workspace


def _spot(ws: Workspace) -> Spot:
    return Spot(ws.repo.head() or "", ws.repo.branch() or "")


def set_checkpoint(ws: Workspace, name: str | None, point: str, turn: str = "", note: str = "") -> Edited:
    """Set a checkpoint behind this turn, by default the last one."""
    point, note = (redact_text(text, ws.policy)[0] for text in (point, note))
    spot = _spot(ws)
    return edited(
        ws,
        name,
        lambda frame, at: thread_edits.set_checkpoint(frame, point, one_turn(frame, turn), spot, note, at),
    )


def back_to_checkpoint(ws: Workspace, name: str | None, point: str) -> Edited:
    """Go back to a checkpoint: later turns are not in context any more."""
    spot = _spot(ws)
    return edited(ws, name, lambda frame, at: thread_edits.back_to_checkpoint(frame, point, spot, at))


def branch(ws: Workspace, name: str | None, thread: str, turn: str = "") -> Edited:
    """Begin a thread behind this turn, by default the last one."""
    thread = redact_text(thread, ws.policy)[0]
    spot = _spot(ws)
    return edited(
        ws,
        name,
        lambda frame, at: thread_edits.branch(frame, thread, one_turn(frame, turn), spot, at),
    )


def abandon(ws: Workspace, name: str | None, thread: str) -> Edited:
    """Give a thread up."""
    spot = _spot(ws)
    return edited(ws, name, lambda frame, at: thread_edits.abandon(frame, thread, spot, at))


def merge_thread(ws: Workspace, name: str | None, thread: str) -> Edited:
    """Take all turns of a thread into the current one."""
    return edited(ws, name, lambda frame, at: thread_edits.merge_thread(frame, thread, at))


def cherry_pick(ws: Workspace, name: str | None, thread: str, turns: Sequence[str]) -> Edited:
    """Take some turns of a thread into the current one."""
    return edited(ws, name, lambda frame, at: thread_edits.cherry_pick(frame, thread, select(frame, turns).touched, at))


class Switched(NamedTuple):
    """What switching did, where git stood when the thread was last current, and where it stands now."""

    edited: Edited
    then: Spot
    now: Spot

    @property
    def taken_up_again(self) -> bool:
        """Had the thread been given up?"""
        thread = find_thread(self.edited.was, current_thread(self.edited.frame))
        return thread is not None and thread["status"] == "abandoned"


def switch(ws: Workspace, name: str | None, thread: str) -> Switched:
    """Make another thread the current one; git's own branch and work tree stay as they are."""
    spot = _spot(ws)
    done = edited(ws, name, lambda frame, at: thread_edits.switch(frame, thread, spot, at))
    return Switched(done, thread_edits.spot_of_thread(done.was, thread), spot)
