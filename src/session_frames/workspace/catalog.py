"""All frames that are known here, and finding one by what a person calls it."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from session_frames import frame_json
from session_frames.errors import EnvironmentError_, FormatError, UsageError
from session_frames.model import Frame
from session_frames.operations.summary import Summary, summarize
from session_frames.storage.commit_links import commits_of, known_frames, refresh
from session_frames.storage.frame_store import SUFFIX, read_frame
from session_frames.transcripts import session_of_environment
from session_frames.workspace.core import Workspace

_ID_PREFIX = re.compile(r"[0-9a-f]{4,24}")
_TOO_SHORT = re.compile(r"[0-9a-f]{1,3}")


class Entry(NamedTuple):
    """A frame that is known: its summary and where it can be read, one of the three."""

    summary: Summary
    path: str = ""  # a file of the work tree, from its top
    private: str = ""  # a file of the private area
    in_history: bool = False  # only some commit holds it
    active: bool = False


class Catalog(NamedTuple):
    """The frames that are known, one entry an id, the newest first; and the files that can't be read, with why."""

    entries: list[Entry]
    damaged: dict[str, FormatError]


def catalog(ws: Workspace) -> Catalog:
    """Every frame of the work tree, of the private area and of the commits of this repository."""
    found: dict[str, Entry] = {}
    damaged: dict[str, FormatError] = {}
    for active in ws.state.list_active():
        summary = summarize(active["frame"])
        found[summary["id"]] = Entry(summary, private=ws.state.path("active", summary["id"] + ".json"), active=True)
    if ws.repo.top:
        for path in ws.store.iter_paths():
            try:
                summary = ws.index.summary_of_file(ws.store.full(path))
            except FormatError as error:
                damaged[path] = error
                continue
            except EnvironmentError_:
                continue
            known = found.get(summary["id"])
            if known is None or (known.active and not known.path):
                found[summary["id"]] = Entry(summary, path=path, active=known is not None)
    for path in ws.state.list_closed_paths():
        try:
            summary = ws.index.summary_of_file(path)
        except (FormatError, EnvironmentError_):
            continue
        found.setdefault(summary["id"], Entry(summary, private=path))
    refresh(ws.repo, ws.index, seen=ws.seen)
    for committed in known_frames(ws.index).values():
        found.setdefault(committed["id"], Entry(committed, in_history=True))
    return Catalog(sorted(found.values(), key=_newest_first, reverse=True), damaged)


def _newest_first(entry: Entry) -> tuple[str, str]:
    return entry.summary["ended_at"] or entry.summary["started_at"], entry.summary["id"]


def load(ws: Workspace, entry: Entry) -> Frame:
    """The frame of an entry; of an active one with what was done to it since a commit took it along."""
    if entry.active:
        return _active_frame(ws, entry)
    if entry.path:
        return ws.store.read(entry.path)
    if entry.in_history:
        newest = commits_of(ws.index, entry.summary["id"])[-1]
        for _, content in ws.repo.iter_blobs([newest.blob]):
            if content is not None:
                return frame_json.decode(content, newest.path)
        raise FormatError(f"frame '{entry.summary['id']}' is missing from the object database")
    return read_frame(entry.private)


def _active_frame(ws: Workspace, entry: Entry) -> Frame:
    from session_frames.operations.renew import renew

    active = next((one["frame"] for one in ws.state.list_active() if one["frame"]["id"] == entry.summary["id"]), None)
    if not entry.path:
        assert active is not None
        return active
    frame = ws.store.read(entry.path)
    known = active is not None and (active.get("turns") or active.get("events"))
    return renew(frame, active)[0] if active is not None and known else frame


def get_entry(ws: Workspace, name: str | None) -> Entry:
    """The frame that ``name`` means: id prefix, topic, path, ``@`` for the active one; without a name the active
    frame of this work tree, else the latest of this branch.

    ``UsageError`` lists the candidates where none or several are meant; ``FormatError`` for a file that is no frame.
    """
    if name is not None and (name.endswith(SUFFIX) or os.sep in name):
        return _entry_of_path(ws, name)
    known = catalog(ws)
    entry = _default_entry(ws, known) if name is None else _named_entry(ws, known, name)
    _refuse_older_copy(entry, known)
    return entry


def _named_entry(ws: Workspace, known: Catalog, name: str) -> Entry:
    if name == "@":
        return _one(_active_here(ws, known), "no frame is active in this work tree", "@")
    entries = known.entries
    if _ID_PREFIX.fullmatch(name):
        by_id = [entry for entry in entries if entry.summary["id"].startswith(name)]
        if by_id:
            return _one(by_id, "", name)
    by_topic = [entry for entry in entries if entry.summary["topic"] == name] or [
        entry for entry in entries if entry.summary["topic"].casefold() == name.casefold()
    ]
    too_short = _TOO_SHORT.fullmatch(name) is not None
    nothing = f"no frame is called '{name}'" + (", and an id needs at least 4 of its digits" if too_short else "")
    return _one(by_topic, nothing, name, _nearest(name, entries))


def _refuse_older_copy(entry: Entry, known: Catalog) -> None:
    """Where the frame's own file can't be read, that is what has to be told, not what an older copy of it says."""
    for path, error in known.damaged.items():
        named = re.search(r"_([0-9a-f]{6,24})\.frame\.json$", path)
        if not entry.path and named and entry.summary["id"].startswith(named[1]):
            raise error


def _entry_of_path(ws: Workspace, name: str) -> Entry:
    """The frame in a file that is named from the current folder, else from the top of the work tree."""
    folders = [ws.cwd, *([ws.repo.top] if ws.repo.top else [])]
    folder = next((folder for folder in folders if os.path.exists(os.path.join(folder, name))), None)
    if folder is None:
        raise UsageError(f"no such frame file: '{name}'")
    full = os.path.join(folder, name)
    path = ws.store.relative(name, folder) if ws.repo.top else None
    frame = read_frame(full, name)
    return Entry(summarize(frame), path=path or "", private="" if path else full)


def _active_here(ws: Workspace, known: Catalog) -> list[Entry]:
    """The active frames of this work tree; the one of the session named in the environment alone, where it is there."""
    here = [entry for entry in ws.state.list_active() if entry["work_tree"] == ws.repo.top]
    session = session_of_environment(ws.environ)[1]
    mine = [entry for entry in here if session and entry["session_id"] == session]
    ids = {entry["frame"]["id"] for entry in mine or here}
    return [entry for entry in known.entries if entry.active and entry.summary["id"] in ids]


def _default_entry(ws: Workspace, known: Catalog) -> Entry:
    active = _active_here(ws, known)
    if active:
        return _one(active, "", "the active frame")
    branch = ws.repo.branch()
    of_branch = [entry for entry in known.entries if branch and entry.summary["branch"] == branch]
    in_tree = [entry for entry in known.entries if entry.path]
    # What was archived was done with, or has become part of another frame.
    current = [
        [entry for entry in entries if entry.summary["status"] != "archived"] for entries in (of_branch, in_tree)
    ]
    for candidates in (*current, of_branch, in_tree):
        if candidates:
            return candidates[0]
    for error in known.damaged.values():
        raise error
    raise UsageError("no frame on this branch", hint="frames list shows all, frames close makes one")


def _one(entries: list[Entry], nothing: str, name: str, nearest: list[str] | None = None) -> Entry:
    if len(entries) == 1:
        return entries[0]
    if not entries:
        hint = f"did you mean: {', '.join(nearest)}" if nearest else "frames list shows all"
        raise UsageError(nothing, hint=hint)
    listed = "\n  ".join(f"{entry.summary['id'][:12]}  {entry.summary['topic']}" for entry in entries[:10])
    raise UsageError(f"'{name}' means {len(entries)} frames:\n  {listed}", hint="name one by its id")


def _nearest(name: str, entries: list[Entry]) -> list[str]:
    from difflib import get_close_matches

    topics = list(dict.fromkeys(entry.summary["topic"] for entry in entries))
    return get_close_matches(name, topics, n=3, cutoff=0.4)
