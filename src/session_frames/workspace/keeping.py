"""Bringing a frame into the tree and its private copy: under lock, read again first, what people did to it kept."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, cast

from session_frames import frame_json
from session_frames.errors import FormatError, FramesError, GitError, NewerVersion, RefusedError
from session_frames.model import Frame, Turn
from session_frames.operations.compose import redact_frame
from session_frames.operations.redact import redact_text
from session_frames.operations.renew import renew, with_hand_edits_noted
from session_frames.operations.split import split_frame
from session_frames.storage.frame_store import decoding_once, read_bytes, read_frame
from session_frames.storage.private_state import DAMAGED, write_atomically
from session_frames.workspace.core import Workspace
from session_frames.workspace.session_parts import known_starts

LARGE_FILE = 5 << 20
MARKER_WORD = "[redacted:"
# What lies in the git directory while git takes no commit of single paths.
_UNDER_WAY = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply")


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
    earlier: tuple[Captured, ...] = ()  # of a session that is split into several frames: those before this one


# The older form of a frame, its newer one and the present moment -> what it becomes, and how many turns were lost.
Renewal = Callable[[Frame, Frame, str], tuple[Frame, int]]


def read_again(old: Frame, new: Frame, at: str) -> tuple[Frame, int]:
    """What becomes of a frame whose session was read again."""
    return renew(old, new)


def keep(
    ws: Workspace,
    frame: Frame,
    source: str,
    *,
    topic: str = "",
    goal: str = "",
    dry_run: bool = False,
    stage: bool = False,
    private: bool = False,
    split_at: Sequence[str] = (),
    revise: Callable[[Frame], Frame] = lambda frame: frame,
    renewal: Renewal = read_again,
) -> Captured:
    """Write a frame that was read from its session or an export; ``renewal`` says what of an older form stays.

    ``topic`` and ``goal`` are those that were given; they count more than those of the older form.

    A session that was split into several frames before comes into these, and its last one grows; ``split_at`` are the
    turns before which it is split now, after ``revise``. The answer is the last frame, with the others in ``earlier``.
    ``stage`` adds the file to the index as ``git add`` would. Where the folder is ignored, or with ``init --local``,
    only the private copy is written; so it is with ``private`` for a frame that has no file in the tree yet.
    """
    if dry_run:
        pieces = split_frame(revise(frame), [*known_starts(ws, frame), *split_at])
        return _as_one([Captured(piece, "", source, False, False, lost_turns=0, notes=()) for piece in pieces])
    given = _given(topic=topic, goal=goal)
    with ws.state.lock(), decoding_once():
        parts = split_frame(frame, known_starts(ws, frame))
        kept = []
        for number, part in enumerate(parts, 1):
            part, lost = _renewed(ws, part, given if number == len(parts) else {}, renewal)
            for piece in split_frame(revise(part), split_at):
                kept.append(_write(ws, piece, source, lost, stage=stage, private=private))
                lost = 0
    return _as_one(kept)


def preview(
    ws: Workspace, frame: Frame, *, topic: str = "", goal: str = "", split_at: Sequence[str] = ()
) -> list[Frame]:
    """The frames that ``keep`` would write; nothing is written."""
    parts = split_frame(frame, known_starts(ws, frame))
    given = _given(topic=topic, goal=goal)
    renewed = [_renewed(ws, part, given if part is parts[-1] else {})[0] for part in parts]
    return [piece for part in renewed for piece in split_frame(part, split_at)]


def _as_one(kept: Sequence[Captured]) -> Captured:
    return kept[-1]._replace(earlier=tuple(kept[:-1])) if len(kept) > 1 else kept[0]


def _given(**head: str) -> dict[str, str]:
    return {key: text for key, text in head.items() if text}


def _renewed(ws: Workspace, frame: Frame, given: Mapping[str, str], renewal: Renewal = read_again) -> tuple[Frame, int]:
    """The frame with what people did to its older form, and how many turns its source does not hold any more."""
    path = ws.store.find_path(frame["id"])
    old = ws.store.read(path) if path else _closed_copy(ws, frame["id"])
    if old is None:
        return frame if frame.get("session", {}).get("parent") else _with_parent(ws, frame), 0
    frame_json.require_writable(old, path or "")
    fresh = {turn["id"]: turn for turn in frame.get("turns", [])}
    old = with_hand_edits_noted(old, _closed_copy(ws, frame["id"]), ws.now(), fresh)
    frame, lost = renewal(old, frame, ws.now())
    if given:
        frame = redact_frame(cast(Frame, {**frame, **given}), ws.policy)
    if path and old["status"] in ("archived", "exported"):
        frame = cast(Frame, {**frame, "status": old["status"]})
    return _cleaned(ws, frame, fresh), lost


def _cleaned(ws: Workspace, frame: Frame, fresh: Mapping[str, Turn]) -> Frame:
    """The frame without secrets: what stayed of its older form was cleaned by the rules of its time."""
    if not frame.get("turns"):
        return redact_frame(frame, ws.policy)
    stayed = [turn for turn in frame.get("turns", []) if fresh.get(turn["id"]) != turn]
    cleaned = redact_frame(cast(Frame, {**frame, "turns": stayed}), ws.policy, turns_too=True)
    anew = {turn["id"]: turn for turn in cleaned.get("turns", [])}
    return cast(Frame, {**cleaned, "turns": [anew.get(turn["id"], turn) for turn in frame["turns"]]})


def _write(ws: Workspace, frame: Frame, source: str, lost: int, *, stage: bool, private: bool) -> Captured:
    """Write the file and the private copy of a frame, under lock."""
    notes: list[str] = []
    path = ws.store.find_path(frame["id"])
    local = ws.keeps_local or (private and not path)
    if path and _tells_a_secret(ws, path, frame):
        path = _renamed(ws, path, frame)
    path = path or ws.store.new_path(frame)
    if not local and ws.repo.is_ignored(path):
        local = True
        notes.append(f"git ignores '{path}': the frame is kept in the private area only")
    data = frame_json.encode(frame)
    if len(data) > LARGE_FILE:
        notes.append(f"the frame has {len(data) >> 20} MB")
    notes += _set_aside(ws, frame["id"])
    copied = write_copy(ws, frame["id"], data)
    if local:
        return Captured(frame, "", source, copied, staged=False, lost_turns=lost, notes=tuple(notes))
    changed = ws.store.write(frame, path, data)
    if stage:
        ws.repo.change_index("update-index", "--add", "--", path)
    return Captured(frame, path, source, changed, stage, lost, tuple(notes))


def _tells_a_secret(ws: Workspace, path: str, frame: Frame) -> bool:
    """Does the file's name come from a topic that the rules of today would not let through?"""
    return MARKER_WORD in frame["topic"] and MARKER_WORD not in ws.store.read(path)["topic"]


def _renamed(ws: Workspace, path: str, frame: Frame) -> str:
    """Take the file with the telling name away, also out of the index; where the frame goes instead."""
    os.unlink(ws.store.full(path))
    if ws.repo.ask("ls-files", "--error-unmatch", "--", path).code == 0:
        ws.repo.change_index("update-index", "--remove", "--", path)
    return ws.store.new_path(frame)


def _with_parent(ws: Workspace, frame: Frame) -> Frame:
    """The frame, linked to the session whose history it repeats: a resumed or forked one under another id.

    Such a copy begins at the same moment with the same words, and its source ended earlier.
    """
    session, started = frame.get("session", {}), frame.get("boundary", {}).get("started_at", "")
    for path in [*map(ws.store.full, ws.store.iter_paths()), *ws.state.list_closed_paths()]:
        try:
            known = ws.index.summary_of_file(path)
        except FramesError:
            continue
        if (known["agent"], known["started_at"]) != (session.get("agent"), started) or known["id"] == frame["id"]:
            continue
        if started and known["ended_at"] <= frame["boundary"].get("ended_at", "") and _begins_alike(path, frame):
            return cast(Frame, {**frame, "session": {**session, "parent": known["session_id"]}})
    return frame


def _begins_alike(path: str, frame: Frame) -> bool:
    first = next((turn.get("text") for turn in read_frame(path).get("turns", []) if turn["role"] == "user"), None)
    own = next((turn.get("text") for turn in frame.get("turns", []) if turn["role"] == "user"), None)
    return own is not None and first == own


def _closed_copy(ws: Workspace, wanted: str) -> Frame | None:
    """The private copy of a frame, if there is one that can be read; ``NewerVersion`` for one that may be some day."""
    path = ws.state.closed_path(wanted)
    try:
        return read_frame(path) if os.path.exists(path) else None
    except NewerVersion:
        raise
    except FormatError:
        return None


def _set_aside(ws: Workspace, wanted: str) -> list[str]:
    """Rename a private copy that can't be read, so that a new one takes its place; what to tell of it."""
    path = ws.state.closed_path(wanted)
    if not os.path.exists(path) or _closed_copy(ws, wanted) is not None:
        return []
    os.replace(path, path + DAMAGED)
    return [f"the private copy '{path}' is damaged; it is left aside as '{os.path.basename(path)}{DAMAGED}'"]


def write_copy(ws: Workspace, wanted: str, data: bytes) -> bool:
    """Keep the bytes of a frame's file in the private area; False when they are there already."""
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
        data = frame_json.encode(frame)
        write_copy(ws, frame["id"], data)
        changed = ws.store.write(frame, path, data)
    return Captured(frame, path, source, changed, staged=False, lost_turns=0, notes=(), parts=taken)


def commit(ws: Workspace, captured: Captured, message: str | None) -> str:
    """Commit the files of what was captured and nothing else; what else is staged stays staged. The commit's id.

    ``RefusedError`` during a merge, rebase and the like: git takes no partial commit then.
    """
    paths = [one.path for one in (*captured.earlier, captured) if one.path]
    if not paths:
        raise RefusedError("the frame is kept in the private area only, there is nothing to commit")
    if any(os.path.exists(os.path.join(ws.repo.git_dir, name)) for name in _UNDER_WAY):
        raise RefusedError(
            "a merge, rebase or the like is under way; the frame is staged and goes with its commit",
            hint="finish it, or frames close without --commit",
        )
    subject = message or f"chore(context): close session — {captured.frame['topic']}"
    try:
        cleaned = redact_text(subject, ws.policy)[0].encode("utf-8", "replace")
        ws.repo.change_index("commit", "-q", "-F", "-", "--", *paths, stdin=cleaned)
    except GitError:
        if ws.repo.ask("diff", "--quiet", "HEAD", "--", *paths).code:
            raise
        # It was committed before: there is nothing to do.
    return ws.repo.head() or ""
