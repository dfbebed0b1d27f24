"""Going on with a merge that left conflicts in frames: merging what git could not, settling, and staging."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

from session_frames import frame_json
from session_frames.errors import FormatError, NothingFound, RefusedError
from session_frames.model import Frame, MergeConflict
from session_frames.operations.compose import redact_frame
from session_frames.operations.merge import merge
from session_frames.operations.settle import settle
from session_frames.storage.frame_store import ARCHIVE, SESSIONS, read_bytes
from session_frames.workspace.catalog import get_entry
from session_frames.workspace.core import Workspace
from session_frames.workspace.keeping import write_copy

# Which value of a conflict is to hold, as ``settle`` takes it; None leaves it.
Choose = Callable[[Frame, MergeConflict], "int | None"]


class Settled(NamedTuple):
    """A frame with conflicts as it is to be: its file with what it held, how many were settled, those that are left.

    ``waits`` is True where git waits for the file to be merged. Without a frame one side deleted the file, and only a
    person can tell git which holds.
    """

    path: str
    frame: Frame | None
    before: bytes = b""
    settled: int = 0
    left: tuple[MergeConflict, ...] = ()
    waits: bool = False

    @property
    def is_done(self) -> bool:
        """Is nothing left for a person?"""
        return self.frame is not None and not self.left


def plan_settling(ws: Workspace, names: Sequence[str], choose: Choose) -> list[Settled]:
    """Settle the conflicts of these frames, else of all in the work tree; nothing is written yet.

    A frame file that git could not merge (its driver was not there) is merged now. ``NothingFound`` where no frame has
    conflicts.
    """
    stages = _unmerged(ws)
    paths = [_path(ws, name) for name in names] or [*dict.fromkeys([*stages, *_with_conflicts(ws, stages)])]
    if not paths:
        raise NothingFound("no frame here has conflicts")
    return [_settled(ws, path, stages.get(path, {}), choose) for path in paths]


def write_settled(ws: Workspace, planned: Sequence[Settled]) -> None:
    """Write what was planned, and stage each file that git waits for and in which nothing is left."""
    for one in planned:
        if one.frame is None:
            continue
        data = frame_json.encode(redact_frame(one.frame, ws.policy))
        with ws.state.lock():
            if read_bytes(ws.store.full(one.path), one.path) != one.before:
                raise RefusedError(f"'{one.path}' was changed meanwhile", hint="frames merge --continue once more")
            if data != one.before:
                write_copy(ws, one.frame["id"], data)
                ws.store.write(one.frame, one.path, data)
        if one.waits and one.is_done:
            ws.repo.change_index("update-index", "--add", "--", one.path)


def _unmerged(ws: Workspace) -> dict[str, dict[str, str]]:
    """Frame files that git has not merged: path -> stage (1 base, 2 ours, 3 theirs) -> blob."""
    ws.repo.require_top()
    found: defaultdict[str, dict[str, str]] = defaultdict(dict)
    listed = ws.repo.run("ls-files", "-u", "-z", "--", SESSIONS, ARCHIVE).decode("utf-8", "surrogateescape")
    for entry in listed.split("\0"):
        head, _, path = entry.partition("\t")
        if path.endswith(".frame.json"):
            _, blob, stage = head.split(" ")
            found[path][stage] = blob
    return dict(found)


def _with_conflicts(ws: Workspace, unmerged: dict[str, dict[str, str]]) -> list[str]:
    found = []
    for path in ws.store.iter_paths():
        if path not in unmerged and b'"merge_conflicts"' in read_bytes(ws.store.full(path), path):
            try:
                found += [path] if ws.store.read(path).get("merge_conflicts") else []
            except FormatError:
                continue
    return found


def _path(ws: Workspace, name: str) -> str:
    entry = get_entry(ws, name)
    if not entry.path:
        raise RefusedError(f"frame '{entry.summary['id'][:12]}' has no file in this work tree")
    return entry.path


def _settled(ws: Workspace, path: str, stages: dict[str, str], choose: Choose) -> Settled:
    if stages and not {"2", "3"} <= stages.keys():
        return Settled(path, None)
    before = read_bytes(ws.store.full(path), path)
    frame = _frame(ws, path, before, stages)
    frame_json.require_writable(frame, path)
    settled, left = 0, []
    for conflict in frame.get("merge_conflicts", []):
        choice = choose(frame, conflict)
        if choice is None:
            left.append(conflict)
        else:
            frame, settled = settle(frame, conflict, choice, ws.now()), settled + 1
    return Settled(path, frame, before, settled, tuple(left), waits=bool(stages))


def _frame(ws: Workspace, path: str, data: bytes, stages: dict[str, str]) -> Frame:
    """The frame in the file; merged anew of both sides where the file holds the markers of a text merge."""
    try:
        return frame_json.decode(data, path)
    except FormatError:
        if not stages:
            raise
    found = dict(ws.repo.iter_blobs(stages.values()))
    base, ours, theirs = (
        frame_json.decode(content, path) if (content := found.get(stages.get(stage, ""))) is not None else None
        for stage in "123"
    )
    assert ours is not None
    assert theirs is not None
    return merge(base, ours, theirs).frame
