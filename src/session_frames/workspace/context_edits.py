"""Changing what is in a frame's context: read again under the lock, changed, written back where the frame lives.

An active frame lives in the private area and goes into the tree with the session's next commit. Any other is written to
its file, and to the private copy where there is one; the file is staged only where all of it was staged already, so
that a frame that waits for its first commit goes in whole, and a committed one is left to the person like any edit.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import NamedTuple, cast

from session_frames import frame_json
from session_frames.errors import FormatError, NothingFound, RefusedError
from session_frames.model import Annotation, By, Frame, Redaction, item_id
from session_frames.operations import item_edits, turn_control
from session_frames.operations.compose import redact_frame
from session_frames.operations.item_edits import ItemEdit
from session_frames.operations.pruning_rules import RULES_FILE, Taken, matches, parse_rules
from session_frames.operations.redact import redact_text
from session_frames.operations.renew import with_hand_edits_noted
from session_frames.operations.turn_names import Selection, one_turn, select
from session_frames.storage.frame_store import read_bytes, read_frame
from session_frames.storage.private_state import ActiveFrame
from session_frames.transcripts import session_of_environment
from session_frames.workspace.capture import live_frame
from session_frames.workspace.catalog import Entry, get_entry, load
from session_frames.workspace.core import Workspace
from session_frames.workspace.keeping import write_copy


class Edited(NamedTuple):
    """What became of a frame: before and after (the same where nothing changed), and where it was written."""

    was: Frame
    frame: Frame
    path: str  # "" for a frame that is kept in the private area only
    staged: bool

    @property
    def changed(self) -> bool:
        """Was anything different from before?"""
        return self.frame is not self.was


# A frame and the present moment -> the frame after the edit; itself where there is nothing to do.
Edit = Callable[[Frame, str], Frame]


def edited(ws: Workspace, name: str | None, edit: Edit, *, dry_run: bool = False) -> Edited:
    """Change a frame; ``RefusedError`` where no file of it is here, ``NewerVersion`` where a newer version wrote it."""
    entry = get_entry(ws, name)
    with ws.state.lock():
        active = _active(ws, entry)
        was = _read(ws, entry, active)
        frame_json.require_writable(was, entry.path or was["id"])
        frame = edit(was, ws.now())
        if frame is was or dry_run:
            return Edited(was, frame, entry.path, staged=False)
        frame = redact_frame(frame, ws.policy)
        if active is not None:
            ws.state.save_active(cast(ActiveFrame, {**active, "frame": frame}))
            return Edited(was, frame, "", staged=False)
        return Edited(was, frame, entry.path, _write(ws, entry, frame))


def current_frame(ws: Workspace, name: str | None) -> Frame:
    """A frame as it is by now: an active one with what its transcript holds."""
    entry = get_entry(ws, name)
    active = _active(ws, entry)
    return live_frame(ws, active) if active is not None else load(ws, entry)


def _active(ws: Workspace, entry: Entry) -> ActiveFrame | None:
    if not entry.active:
        return None
    return next((one for one in ws.state.list_active() if one["frame"]["id"] == entry.summary["id"]), None)


def _read(ws: Workspace, entry: Entry, active: ActiveFrame | None) -> Frame:
    """The frame as it is now that nobody else writes; what somebody changed in its file is noted."""
    if active is not None:
        return live_frame(ws, active)
    if entry.in_history:
        raise RefusedError(
            f"frame '{entry.summary['id']}' has no file in this work tree, only commits hold it",
            hint="git checkout COMMIT -- FILE brings its file back",
        )
    if not entry.path:
        return read_frame(entry.private)
    frame = ws.store.read(entry.path)
    copy = ws.state.closed_path(frame["id"])
    try:
        written = read_frame(copy) if os.path.exists(copy) else None
    except FormatError:
        written = None
    same_turns = written is not None and written.get("turns") == frame.get("turns")
    return with_hand_edits_noted(frame, written, ws.now()) if same_turns else frame


def _write(ws: Workspace, entry: Entry, frame: Frame) -> bool:
    """Write the frame's file and its private copy; was the file staged, too?"""
    data = frame_json.encode(frame)
    if not entry.path:
        write_copy(ws, frame["id"], data)
        return False
    whole = _is_staged_whole(ws, entry.path)
    if os.path.exists(ws.state.closed_path(frame["id"])):
        write_copy(ws, frame["id"], data)
    ws.store.write(frame, entry.path, data)
    if whole:
        ws.repo.change_index("update-index", "--add", "--", entry.path)
    return whole


def _is_staged_whole(ws: Workspace, path: str) -> bool:
    """Does the index hold the file as it is, and HEAD does not?"""
    if ws.repo.ask("ls-files", "--error-unmatch", "--", path).code or ws.repo.ask("diff", "--quiet", "--", path).code:
        return False
    return not ws.repo.head() or ws.repo.ask("diff", "--cached", "--quiet", "HEAD", "--", path).code == 1


# ---------------------------------------------------------------------------------------------------------------------
# Turns


def pin(ws: Workspace, name: str | None, turns: Sequence[str]) -> Edited:
    """Pin turns."""
    return edited(ws, name, lambda frame, at: turn_control.pin(frame, select(frame, turns), ws.pin_limit, at))


def unpin(ws: Workspace, name: str | None, turns: Sequence[str]) -> Edited:
    """Take pins away."""
    return edited(ws, name, lambda frame, at: turn_control.unpin(frame, select(frame, turns), at))


def prune(ws: Workspace, name: str | None, turns: Sequence[str], *, dry_run: bool = False) -> Edited:
    """Take turns and calls out of context."""
    return edited(ws, name, lambda frame, at: turn_control.prune(frame, select(frame, turns), at), dry_run=dry_run)


class PrunedByRule(NamedTuple):
    """What pruning by rule did, what it took, and the pinned turns that it left."""

    edited: Edited
    taken: Taken


def prune_withdrawn(ws: Workspace, name: str | None, *, dry_run: bool = False) -> PrunedByRule:
    """Take out of context what the user took back in later words."""
    from session_frames.operations.extract import withdrawn_turns

    def taken(frame: Frame) -> Taken:
        turns = {turn["id"]: turn for turn in frame.get("turns", [])}
        found = [name for name in withdrawn_turns(frame) if not turns[name].get("pruned")]
        pinned = [name for name in found if turns[name].get("pinned")]
        free = tuple(name for name in found if name not in pinned)
        return Taken(Selection(free, ()), [len(free)], pinned)

    return _pruned(ws, name, taken, "resolved", dry_run)


def prune_by_rules(ws: Workspace, name: str | None, *, dry_run: bool = False) -> PrunedByRule:
    """Take out of context what the team's rules name; ``NothingFound`` where there are none."""
    path = os.path.join(ws.repo.require_top(), RULES_FILE)
    if not os.path.exists(path):
        raise NothingFound(
            f"no pruning rules: '{RULES_FILE}' does not exist", hint="docs/context.md shows what it holds"
        )
    rules = parse_rules(read_bytes(path, RULES_FILE))
    return _pruned(ws, name, lambda frame: matches(frame, rules), "rules", dry_run)


def _pruned(ws: Workspace, name: str | None, taken: Callable[[Frame], Taken], why: str, dry_run: bool) -> PrunedByRule:
    took: list[Taken] = []

    def edit(frame: Frame, at: str) -> Frame:
        took.append(taken(frame))
        return turn_control.prune(frame, took[0].selection, at, by="pipeline", data={"because": why})

    return PrunedByRule(edited(ws, name, edit, dry_run=dry_run), took[0])


def restore(ws: Workspace, name: str | None, turns: Sequence[str]) -> Edited:
    """Bring pruned turns and calls back."""
    return edited(ws, name, lambda frame, at: turn_control.restore(frame, select(frame, turns), at))


def annotate(ws: Workspace, name: str | None, turns: Sequence[str], annotation: Annotation | None, note: str) -> Edited:
    """Say what turns are; with None, no longer."""
    cleaned, hits = redact_text(note, ws.policy)

    def edit(frame: Frame, at: str) -> Frame:
        selection = select(frame, turns)
        annotated = turn_control.annotate(frame, selection, annotation, cleaned, at)
        if annotated is frame:
            return frame
        told = [
            Redaction(
                id=item_id("redaction", f"turns/{turn}/note", hit.rule),
                rule=hit.rule,
                where=f"turns/{turn}/note",
                count=1,
            )
            for turn in selection.turns
            for hit in hits
        ]
        known = {redaction["id"] for redaction in told}
        kept = [one for one in frame.get("redactions", []) if one["id"] not in known]
        return cast(Frame, {**annotated, "redactions": [*kept, *told]}) if told else annotated

    return edited(ws, name, edit)


# ---------------------------------------------------------------------------------------------------------------------
# Items


def _by(ws: Workspace) -> By:
    """Who calls: the agent from whose shell it is, else a person."""
    return "agent" if session_of_environment(ws.environ)[1] else "user"


def decide(ws: Workspace, name: str | None, text: str, turn: str = "", supersedes: str = "") -> Edited:
    """Note a decision."""
    cleaned = redact_text(text, ws.policy)[0]
    return edited(
        ws,
        name,
        lambda frame, at: item_edits.decide(frame, cleaned, one_turn(frame, turn), supersedes, _by(ws), at),
    )


def ask(ws: Workspace, name: str | None, text: str) -> Edited:
    """Note an open question."""
    cleaned = redact_text(text, ws.policy)[0]
    return edited(ws, name, lambda frame, at: item_edits.ask(frame, cleaned, _by(ws), at))


def answer(ws: Workspace, name: str | None, question: str, text: str) -> Edited:
    """Answer a question."""
    cleaned = redact_text(text, ws.policy)[0]
    return edited(ws, name, lambda frame, at: item_edits.answer(frame, question, cleaned, _by(ws), at))


def edit(ws: Workspace, name: str | None, fields: dict[str, str], items: Sequence[ItemEdit]) -> Edited:
    """Change topic, title, goal, or the text and state of items."""
    return edited(ws, name, lambda frame, at: item_edits.edit(frame, fields, items, at))
