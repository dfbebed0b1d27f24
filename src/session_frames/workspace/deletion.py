"""Deleting a frame, or its raw transcript alone: for good here, after saying what still holds it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from session_frames import frame_json
from session_frames.errors import FormatError, FramesError, NothingFound
from session_frames.model import Frame
from session_frames.model import frame_id as made_id
from session_frames.operations.summary import Summary, summarize
from session_frames.storage.commit_links import IN_TREE, TRAILER, commits_of
from session_frames.storage.forget import forget_in_index, forget_rescued, private_paths
from session_frames.storage.frame_store import FrameStore, read_bytes
from session_frames.storage.notes_view import rewrite_view
from session_frames.storage.raw_exchange import REFS, Exchange
from session_frames.storage.saved_readings import SavedReadings
from session_frames.workspace.catalog import Catalog, catalog, get_entry
from session_frames.workspace.core import Workspace
from session_frames.workspace.raw import raw_store
from session_frames.workspace.sync import read_election

# What a ref is called by the folder that it lies in.
_REFS = {"refs/heads/": "branch", "refs/remotes/": "remote branch", "refs/tags/": "tag"}
_MOST_COMMITS = 500


class Holders(NamedTuple):
    """What holds a frame beside what is deleted."""

    commits: int = 0  # that brought it or turns of it, and are still there
    newest: str = ""
    named_by: int = 0  # commits whose message names it
    refs: tuple[str, ...] = ()  # that reach one of those commits
    frames: tuple[Summary, ...] = ()  # that it was merged into
    work_trees: tuple[str, ...] = ()  # other ones, in which its file lies
    remote_ref: str = ""  # `REMOTE REF` under which its raw transcript was given away


class Deletion(NamedTuple):
    """What is to be deleted, and what will still hold it."""

    summary: Summary
    paths: tuple[str, ...]  # frame files of this work tree
    private: tuple[str, ...]  # files of the private area
    raw_size: int  # what the raw transcript takes on the disk; 0 where none is kept
    held_by: Holders
    whole: bool  # the frame itself, not only its raw transcript


def plan_delete(ws: Workspace, name: str | None, raw_only: bool = False) -> Deletion:
    """What ``delete`` would do; nothing is changed. ``NothingFound`` where no raw transcript is kept to be deleted."""
    entry = get_entry(ws, name)
    frame_id = entry.summary["id"]
    size = raw_store(ws).on_disk(frame_id)[0] if os.path.isdir(raw_store(ws).folder(frame_id)) else 0
    readings = tuple(SavedReadings(ws.state).list_of({frame_id, made_id(*_session(entry.summary))}))
    if raw_only:
        if not size:
            raise NothingFound(f"no raw transcript of frame '{frame_id[:12]}' is kept")
        return Deletion(entry.summary, (), readings, size, Holders(remote_ref=_remote_ref(ws, frame_id)), whole=False)
    paths = tuple(_paths(ws.store, frame_id)) if ws.repo.top else ()
    private = (*private_paths(ws.state, frame_id), *readings)
    return Deletion(entry.summary, paths, private, size, _holders(ws, frame_id), whole=True)


def delete(ws: Workspace, planned: Deletion) -> None:
    """Do what was planned. The file's removal is staged as ``git rm`` would; no commit is made and none is changed."""
    frame_id = planned.summary["id"]
    for path in planned.private:
        with suppress(FileNotFoundError):
            os.unlink(path)
    if planned.whole:
        with ws.state.lock():
            _remove_files(ws, planned.paths)
            forget_rescued(ws.state, frame_id)
        if forget_in_index(ws.index, frame_id):
            rewrite_view(ws.repo, ws.index, ws.state)
    if planned.raw_size:
        raw_store(ws).remove(frame_id)
    Exchange(ws.repo, ws.state).remove([frame_id])


def _session(summary: Summary) -> tuple[str, str]:
    return summary["agent"], summary["session_id"]


def _remove_files(ws: Workspace, paths: tuple[str, ...]) -> None:
    if not paths:
        return
    for path in paths:
        os.unlink(ws.store.full(path))
    ws.repo.run("update-index", "--remove", "--", *paths)


def _paths(store: FrameStore, frame_id: str) -> Iterator[str]:
    """The frame's files in a work tree; more than one where it was copied."""
    for path in store.iter_paths():
        with suppress(FramesError):
            if frame_id.encode() in read_bytes(store.full(path)) and store.read(path)["id"] == frame_id:
                yield path


# ---------------------------------------------------------------------------------------------------------------------
# What still holds it


def _holders(ws: Workspace, frame_id: str) -> Holders:
    known = catalog(ws)
    links = commits_of(ws.index, frame_id)
    there = _existing(ws, [link.commit for link in links])
    naming = [link.commit for link in links if link.kind == TRAILER and link.commit in there]
    bringing = [link.commit for link in links if link.kind == IN_TREE and link.commit in there]
    others = [tree for tree in ws.repo.work_trees() if tree != ws.repo.top]
    return Holders(
        commits=len(bringing),
        newest=bringing[-1] if bringing else "",
        named_by=len(naming),
        refs=tuple(_refs(ws, [*naming, *bringing])),
        frames=tuple(_merged_into(ws, known, frame_id)),
        work_trees=tuple(tree for tree in others if any(_paths(FrameStore(tree), frame_id))),
        remote_ref=_remote_ref(ws, frame_id),
    )


def _remote_ref(ws: Workspace, frame_id: str) -> str:
    election = read_election(ws)
    return (
        f"{election['remote']} {REFS}{frame_id}" if election and frame_id in Exchange(ws.repo, ws.state).tips() else ""
    )


def _existing(ws: Workspace, commits: list[str]) -> set[str]:
    """Those of the commits that are still there."""
    if not commits:
        return set()
    asked = "".join(f"{commit}\n" for commit in commits).encode()
    kinds = ws.repo.run("cat-file", "--batch-check=%(objecttype)", stdin=asked).splitlines()
    return {commit for commit, kind in zip(commits, kinds, strict=True) if kind == b"commit"}


def _refs(ws: Workspace, commits: list[str]) -> Iterator[str]:
    """The refs that reach one of these commits, by one process."""
    if not commits:
        return
    asked = [f"--contains={commit}" for commit in commits[-_MOST_COMMITS:]]
    for ref in ws.repo.run("for-each-ref", "--format=%(refname)", *asked).decode("utf-8", "replace").splitlines():
        folder = next((folder for folder in _REFS if ref.startswith(folder)), "")
        yield f"{_REFS[folder]} {ref.removeprefix(folder)}" if folder else ref


def _merged_into(ws: Workspace, known: Catalog, frame_id: str) -> Iterator[Summary]:
    """The frames that name this one among those they were merged from."""
    private = [entry.private for entry in known.entries if entry.private]
    in_tree = [ws.store.full(entry.path) for entry in known.entries if entry.path]
    for path in (*in_tree, *private):
        with suppress(FramesError):
            yield from _if_merged(read_bytes(path), path, frame_id)
    in_history = {entry.summary["id"] for entry in known.entries if entry.in_history}
    blobs = [blob for frame, blob in ws.index.rows("SELECT frame, blob FROM frames") if frame in in_history]
    for blob, content in ws.repo.iter_blobs(blobs):
        yield from _if_merged(content or b"", blob, frame_id)


def _if_merged(data: bytes, name: str, frame_id: str) -> Iterator[Summary]:
    if frame_id.encode() not in data:
        return
    with suppress(FormatError):
        frame: Frame = frame_json.decode(data, name)
        if any(part["id"] == frame_id for part in frame.get("merged_from", [])):
            yield summarize(frame)
