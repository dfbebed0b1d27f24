"""Changing frames: merge, archive, unarchive, export, validate."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple, cast

from session_frames import frame_json
from session_frames.errors import FormatError, GitError, RefusedError, UsageError
from session_frames.model import Frame, MergeConflict, Status
from session_frames.operations.compose import redact_frame
from session_frames.operations.exchange import EXPORTS, EXPORTS_OF_REVISION, value_of_text
from session_frames.operations.export_agent_trace import NOWHERE, Revision
from session_frames.operations.merge import merge_sessions
from session_frames.operations.render import counted
from session_frames.schema import Problem, problems_of_version
from session_frames.storage.commit_history import read_changes
from session_frames.storage.frame_store import SESSIONS, archive_folder, read_bytes
from session_frames.workspace.catalog import catalog, get_entry, load
from session_frames.workspace.core import Workspace
from session_frames.workspace.keeping import keep_edited, write_copy


class Merged(NamedTuple):
    """The frame that several became, its file, and what a person has to settle."""

    frame: Frame
    path: str
    conflicts: list[MergeConflict]
    sources: list[Frame]


def merge(ws: Workspace, names: Sequence[str], topic: str = "") -> Merged:
    """One frame of several: written, not staged; its sources stay. Conflicts are data in it, never a silent choice."""
    sources = [load(ws, get_entry(ws, name)) for name in names]
    if len({frame["id"] for frame in sources}) < 2:
        raise UsageError("a merge needs two different frames", hint="frames list shows them")
    for frame in sources:
        frame_json.require_writable(frame, frame["id"])
    _require_no_turn_twice(sources)
    result = merge_sessions(sources, topic or None)
    merged = redact_frame(result.frame, ws.policy)
    with ws.state.lock():
        path = ws.store.find_path(merged["id"]) or ws.store.new_path(merged)
        write_copy(ws, merged["id"], frame_json.encode(merged))
        ws.store.write(merged, path)
    return Merged(merged, path, list(result.conflicts), sources)


def _require_no_turn_twice(frames: Sequence[Frame]) -> None:
    """Refuse a part of a session beside a copy of the whole: each of its turns would stand there twice."""
    for at, one in enumerate(frames):
        for other in frames[at + 1 :]:
            same = one["id"] != other["id"] and _session_of(one) and _session_of(one) == _session_of(other)
            common = {turn["id"] for turn in one.get("turns", [])} & {turn["id"] for turn in other.get("turns", [])}
            if same and common:
                both = f"{one['id'][:6]} and {other['id'][:6]}"
                raise RefusedError(
                    f"{both} hold {counted(len(common), 'turn')} of one session in common",
                    hint="one is a part of the other: merge parts with parts, or leave the whole one as it is",
                )


def _session_of(frame: Frame) -> str:
    return "" if frame.get("merged_from") else frame.get("session", {}).get("session_id", "")


class Moved(NamedTuple):
    """A frame file that was moved."""

    frame: Frame
    old_path: str
    path: str


def archive(ws: Workspace, names: Sequence[str], older_than_days: int | None = None) -> list[Moved]:
    """Move closed frames to ``.copilot/archive/<YYYY-MM>/``, staged as ``git mv`` would."""
    chosen = list(names) or ([] if older_than_days is None else _older_than(ws, older_than_days))
    if not chosen and older_than_days is None:
        raise UsageError("name the frames to archive", hint="frames archive FRAME… or --older-than DAYS")
    return [_move(ws, name, "archived") for name in chosen]


def unarchive(ws: Workspace, names: Sequence[str]) -> list[Moved]:
    """Move archived frames back to ``.copilot/sessions``."""
    return [_move(ws, name, "closed") for name in names]


def _older_than(ws: Workspace, days: int) -> list[str]:
    from datetime import datetime, timedelta

    limit = (datetime.fromisoformat(ws.now()) - timedelta(days=days)).isoformat()
    return [
        entry.summary["id"]
        for entry in catalog(ws).entries
        if entry.path.startswith(SESSIONS + "/")
        and entry.summary["status"] in ("closed", "exported")
        and (entry.summary["ended_at"] or entry.summary["started_at"] or limit) < limit
    ]


def _move(ws: Workspace, name: str, status: Status) -> Moved:
    entry = get_entry(ws, name)
    frame = load(ws, entry)
    old = entry.path
    if not old:
        raise UsageError(f"frame '{entry.summary['id']}' has no file in this work tree")
    if frame["status"] == "active":
        raise RefusedError(f"frame '{entry.summary['id']}' is active", hint="frames close ends it first")
    frame_json.require_writable(frame, old)
    moved = cast(Frame, {**frame, "status": status})
    folder = archive_folder(moved) if status == "archived" else SESSIONS
    path = f"{folder}/{os.path.basename(old)}"
    if path == old and frame["status"] == status:
        return Moved(frame, old, old)
    with ws.state.lock():
        if path != old and os.path.exists(ws.store.full(path)):
            raise RefusedError(f"'{path}' is there already")
        tracked = ws.repo.ask("ls-files", "--error-unmatch", "--", old).code == 0
        ws.store.write(moved, path)
        if tracked:
            try:
                ws.repo.change_index("update-index", "--add", "--", path)
            except GitError:
                if path != old:
                    os.unlink(ws.store.full(path))  # nothing was moved
                raise
        if path != old:
            os.unlink(ws.store.full(old))
            if tracked:
                ws.repo.change_index("update-index", "--remove", "--", old)
    return Moved(moved, old, path)


def export(ws: Workspace, name: str | None, form: str = "json", mark: bool = False) -> tuple[Frame, str]:
    """The text of a frame in one of the export formats; ``mark`` sets its status to ``exported``."""
    frame = load(ws, get_entry(ws, name))
    if mark and frame["status"] != "exported":
        if frame["status"] != "closed":
            raise RefusedError(f"only a closed frame can be marked as exported, this one is {frame['status']}")
        frame_json.require_writable(frame, frame["id"])
        frame = cast(Frame, {**frame, "status": "exported"})
        keep_edited(ws, frame, "export", (), dry_run=False)
    with_revision = EXPORTS_OF_REVISION.get(form)
    return frame, with_revision(frame, _revision(ws)) if with_revision else EXPORTS[form](frame)


def _revision(ws: Workspace) -> Revision:
    """HEAD and the lines of its files, as far as there is one."""
    head = ws.repo.head()
    if not head:
        return NOWHERE

    def lines(path: str) -> list[str] | None:
        ((_, content),) = ws.repo.iter_blobs([f"{head}:{path}"])
        return None if content is None or b"\0" in content else content.decode("utf-8", "replace").split("\n")

    return Revision(head, lines)


class Checked(NamedTuple):
    """A frame file and everything that is wrong with it."""

    path: str
    problems: list[Problem]


def validate(ws: Workspace | None, cwd: str, paths: Sequence[str] = ()) -> list[Checked]:
    """Check these files, or all frames of the work tree; every problem of each, not the first."""
    if paths:
        return [_checked(os.path.join(cwd, path), path) for path in paths]
    assert ws is not None
    return [_checked(ws.store.full(path), path) for path in ws.store.iter_paths()]


def validate_range(ws: Workspace, revisions: str) -> list[Checked]:
    """Check every version of a frame file that the commits of ``BASE..HEAD`` brought, named ``COMMIT:PATH``.

    The path is that of the frame in the oldest commit with this version. Works without a work tree.
    """
    asked = ws.repo.resolve_range(revisions)
    found: dict[str, str] = {}
    for commit in read_changes(ws.repo, asked.encode()):
        for change in commit.changes:
            if change.new:
                found.setdefault(change.new, f"{commit.id[:10]}:{change.path}")
    return [_checked_bytes(content, found[blob]) for blob, content in ws.repo.iter_blobs(found)]


def _checked(full: str, shown: str) -> Checked:
    return _checked_bytes(read_bytes(full, shown), shown)


def _checked_bytes(data: bytes | None, shown: str) -> Checked:
    if data is None:
        return Checked(shown, [Problem("$", "missing from the object database")])
    try:
        value = value_of_text(data, shown)
    except FormatError as error:
        return Checked(shown, [Problem("$", error.message)])
    found = problems_of_version(value)
    if not found:
        try:
            frame_json.require_shape(value, shown)  # what only the reader refuses
        except FormatError as error:
            found = [Problem("$", error.message)]
    return Checked(shown, found)
