"""Which frames belong to which commits: what is new in git's history goes into the index, and is asked from there.

Two kinds of links are certain. *In-tree*: the commit added the frame file, or added turns to it, against every parent.
*Trailer*: the commit's message names the frame. Both follow from objects that never change, so a link once found stays
true; what a rewrite leaves behind does no harm. Links *by hand* are a person's word (``hand_links``); links *inferred*
from what frames wrote stand in where a commit has none of the certain ones (``content_links``).
"""

from __future__ import annotations

import gc
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from session_frames.operations.commit_note import IN_TREE as IN_TREE
from session_frames.operations.commit_note import TRAILER as TRAILER
from session_frames.operations.commit_note import Ranges as Ranges
from session_frames.operations.commit_note import ranges_of
from session_frames.storage.commit_history import (
    Change,
    Commit,
    Refs,
    Trailers,
    is_object_id,
    open_trailers,
    read_changes,
    read_refs,
)
from session_frames.storage.git_repo import GitRepo
from session_frames.storage.hand_links import copy_hand_links
from session_frames.storage.index import Index, IndexLost, Version, path_bytes, path_text, read_version
from session_frames.storage.quick_look import UNCOMPARED

if TYPE_CHECKING:
    from session_frames.operations.summary import Summary
    from session_frames.storage.index import Gather
    from session_frames.storage.quick_look import Look

HAND = "hand"
INFERRED = "inferred"
CERTAIN = (IN_TREE, TRAILER)

_COLUMNS = "commit_id, frame, kind, path, blob, new_turns"

# The blobs that a parent may hold at another path than the commit: (commit, number of the parent) -> `REV:PATH`.
_Elsewhere = dict[tuple[str, int], list[str]]


class Link(NamedTuple):
    """A frame and a commit that belong together.

    ``kind`` is ``in-tree``, ``trailer``, ``hand`` or ``inferred``. ``path`` and ``blob`` are the version that the
    commit brought, for the other kinds the newest one known; a frame that no commit holds has no path. ``new_turns``
    are the ranges of turn numbers that no parent of the commit has; a merge that joins what both sides added brings
    none, and still changed the frame.
    """

    commit: str
    frame_id: str
    kind: str
    path: str
    blob: str
    new_turns: Ranges


class Refreshed(NamedTuple):
    """What a look at the history brought, and where HEAD and the notes view stand, empty where nowhere."""

    commits_read: int
    links_added: int
    head: str
    notes_tip: str


class _News(NamedTuple):
    """What was read and is not in the index yet, oldest first."""

    commits: list[Commit]
    trailers: list[Trailers]
    versions: dict[str, Version]
    links: list[tuple[Commit, Link]]
    extra_tips: set[str]
    """Of the commits asked for, those that exist: one that is fetched later must be read then."""


# ---------------------------------------------------------------------------------------------------------------------
# What is new


def refresh(
    repo: GitRepo,
    index: Index,
    asked: Sequence[str] = (),
    *,
    seen: Look | None = None,
    gather: Gather | None = None,
) -> Refreshed:
    """Bring the index up to date with all refs, the HEADs, and the commits ``asked`` for that no ref reaches.

    When nothing is new this costs one ``git for-each-ref``, or nothing where git was just ``seen`` to say so; else
    three processes more, whatever the size. ``commits_read`` counts the commits that changed frame files,
    ``links_added`` the links that were not known. ``gather`` is told each frame that is read, with its blob.
    """
    index.refill = None
    try:
        refreshed = _refresh(repo, index, asked, seen, gather)
    except IndexLost:
        refreshed = _refresh(repo, index, asked, None, gather)
    index.refill = lambda: refresh(repo, index, asked)
    return refreshed


def _refresh(repo: GitRepo, index: Index, asked: Sequence[str], seen: Look | None, gather: Gather | None) -> Refreshed:
    refs = read_refs(repo, seen)
    if index.value("history") != refs.shape:
        index.forget_history(refs.shape)
    copy_hand_links(index)
    read = dict(index.rows("SELECT commit_id, latest FROM tips"))
    extra = set(filter(is_object_id, asked)) - refs.tips - read.keys()
    new = (refs.tips - read.keys()) | extra
    if not new:
        return Refreshed(0, 0, refs.head, refs.notes_tip)
    old = [tip for tip, latest in read.items() if latest or tip in refs.tips]
    revisions = "".join([f"{tip}\n" for tip in new] + [f"^{tip}\n" for tip in old])
    news = _read_news(repo, index, refs, revisions.encode(), extra, gather)
    return Refreshed(len(news.commits), _keep(index, news, refs), refs.head, refs.notes_tip)


def _read_news(
    repo: GitRepo, index: Index, refs: Refs, revisions: bytes, extra: set[str], gather: Gather | None
) -> _News:
    with open_trailers(repo, revisions) as trailers:
        commits = read_changes(repo, revisions)
        elsewhere = _find_elsewhere(index, commits)
        blobs = _blobs(commits, elsewhere)
        versions = index.versions(blobs)
        present = set()
        with _collector_paused():
            for name, data in repo.iter_blobs([*(blob for blob in blobs if blob not in versions), *extra]):
                if name not in extra:
                    versions[name] = read_version(data, name, gather)
                elif data is not None:
                    present.add(name)
        named = list(trailers)
    links = [
        (commit, link)
        for commit in commits
        if commit.id not in refs.boundary
        for link in _links_of_commit(commit, versions, elsewhere)
    ]
    return _News(commits, named[::-1], versions, links, present)


@contextmanager
def _collector_paused() -> Iterator[None]:
    """JSON values hold no cycles: looking for them in thousands of frames is a quarter of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _find_elsewhere(index: Index, commits: Iterable[Commit]) -> _Elsewhere:
    """Where else a parent may hold a file that a commit adds: wherever a file of that name was seen before.

    Archiving moves a file under the same name. Within one commit git tells of both ends of the move; but when one
    parent of a merge moved the file and the other did not, it tells of one end only.
    """
    names = (path_bytes(_name(change.path)) for commit in commits for change in commit.changes)
    seen: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for name, path in index.rows_for("SELECT name, path FROM places WHERE name IN (?)", names):
        seen[path_text(name)][path_text(path)] = None
    elsewhere: _Elsewhere = {}
    for commit in commits:
        told = {(number, change.path) for change in commit.changes for number, old in enumerate(change.old) if old}
        for change in commit.changes:
            for number, parent in enumerate(commit.parents):
                if change.new and not change.old[number]:
                    places = [
                        path
                        for path in seen[_name(change.path)]
                        if path != change.path and (number, path) not in told and "\n" not in path
                    ]
                    elsewhere.setdefault((commit.id, number), []).extend(f"{parent}:{path}" for path in places)
        for change in commit.changes:
            if change.new:
                seen[_name(change.path)][change.path] = None
    return elsewhere


def _blobs(commits: Iterable[Commit], elsewhere: _Elsewhere) -> dict[str, None]:
    """All the blobs that these commits bring, had, or may have had elsewhere."""
    blobs = dict.fromkeys(
        blob for commit in commits for change in commit.changes for blob in (*change.old, change.new) if blob
    )
    return blobs | dict.fromkeys(name for names in elsewhere.values() for name in names)


def _links_of_commit(commit: Commit, versions: Mapping[str, Version], elsewhere: _Elsewhere) -> Iterator[Link]:
    before = [_frames_of_parent(commit, number, versions, elsewhere) for number in range(len(commit.parents))]
    found: dict[str, tuple[int, Link]] = {}
    for change in commit.changes:
        version = versions.get(change.new)
        if not version or not version.frame:
            continue
        keys = version.turn_keys()
        known = [parent.get(version.frame) for parent in before]
        if any(turns is not None and turns.issuperset(keys) for turns in known):
            continue
        old = set[bytes]().union(*(turns for turns in known if turns))
        new = ranges_of(number for number, key in enumerate(keys, 1) if key not in old)
        link = Link(commit.id, version.frame, IN_TREE, change.path, change.new, new)
        if version.frame not in found or found[version.frame][0] < len(keys):
            found[version.frame] = len(keys), link
    yield from (link for _, link in found.values())


def _frames_of_parent(
    commit: Commit, number: int, versions: Mapping[str, Version], elsewhere: _Elsewhere
) -> dict[str, set[bytes]]:
    """The frames that one parent has in the files which the commit changed, with their turns."""
    names = [change.old[number] for change in commit.changes if change.old[number]]
    frames: dict[str, set[bytes]] = {}
    for name in names + elsewhere.get((commit.id, number), []):
        version = versions.get(name)
        if version and version.frame:
            frames.setdefault(version.frame, set()).update(version.turn_keys())
    return frames


def _name(path: str) -> str:
    return path.rpartition("/")[2]


# ---------------------------------------------------------------------------------------------------------------------
# Keeping it


def _keep(index: Index, news: _News, refs: Refs) -> int:
    """Put the news into the index, all or nothing; how many links were added."""
    with index.write() as database:
        return _insert(database, news, refs)


def _insert(database: sqlite3.Connection, news: _News, refs: Refs) -> int:
    tips = refs.tips | news.extra_tips
    known = {tip for (tip,) in database.execute("SELECT commit_id FROM tips")}
    (shape,) = database.execute("SELECT coalesce(max(value), '') FROM meta WHERE key = 'history'").fetchone()
    if tips <= known or shape != refs.shape:
        return 0  # another process was faster, or has seen the history change
    blobs = [(blob, *version) for blob, version in news.versions.items() if ":" not in blob]
    database.executemany("INSERT OR IGNORE INTO blobs VALUES (?, ?, ?, ?, ?)", blobs)
    brought = [(commit, change) for commit in news.commits for change in commit.changes if change.new]
    places = {(path_bytes(_name(change.path)), path_bytes(change.path)) for _, change in brought}
    database.executemany("INSERT OR IGNORE INTO places VALUES (?, ?)", places)
    changed = _insert_newest(database, brought, news.versions)
    if _may_match(database, news, tips, known):
        database.execute("INSERT OR REPLACE INTO meta VALUES (?, '1')", (UNCOMPARED,))
    database.execute("CREATE TEMP TABLE IF NOT EXISTS touched (commit_id TEXT PRIMARY KEY)")
    database.execute("DELETE FROM touched")
    added = _insert_links(database, news.links) + _insert_trailers(database, news.trailers)
    for table in ("trailers", "by_hand", "matches"):
        # Where the commit brought a version of its own, that one is shown.
        own = f"SELECT 1 FROM links WHERE links.commit_id = {table}.commit_id AND links.frame = {table}.frame"
        named = f"INSERT OR IGNORE INTO touched SELECT commit_id FROM {table} WHERE frame = ? AND NOT EXISTS ({own})"
        database.executemany(named, ((frame,) for frame in changed))
    database.execute("INSERT OR REPLACE INTO unwritten (commit_id) SELECT commit_id FROM touched")
    database.execute("UPDATE tips SET latest = 0 WHERE latest")
    database.executemany("INSERT OR REPLACE INTO tips VALUES (?, ?)", ((tip, tip in refs.tips) for tip in tips))
    return added


def _may_match(database: sqlite3.Connection, news: _News, tips: set[str], known: set[str]) -> bool:
    """May new commits hold lines that a frame wrote, or may a new frame have written lines of older ones?

    A commit that has a link of its own is compared with nothing.
    """
    if any(version.wrote for version in news.versions.values()):
        return True
    if not database.execute("SELECT 1 FROM written LIMIT 1").fetchone():
        return False
    linked = {link.commit: commit.parents for commit, link in news.links}
    read = known | linked.keys()
    return not (tips <= read and all(read.issuperset(parents) for parents in linked.values()))


def _insert_newest(
    database: sqlite3.Connection, brought: Iterable[tuple[Commit, Change]], versions: Mapping[str, Version]
) -> set[str]:
    """Keep the newest version of each frame; the frames for which it is another one now."""
    changed = set()
    for commit, change in brought:
        version = versions[change.new]
        if not version.frame:
            continue
        row = (version.frame, change.new, path_bytes(change.path), len(version.turn_keys()), commit.at)
        cursor = database.execute(
            "INSERT INTO frames VALUES (?, ?, ?, ?, ?, 1) ON CONFLICT (frame) DO UPDATE SET "
            "blob = excluded.blob, path = excluded.path, turns = excluded.turns, at = excluded.at, held = 1 "
            "WHERE NOT held OR (excluded.turns, excluded.at) >= (turns, at)",
            row,
        )
        if cursor.rowcount:
            changed.add(version.frame)
    return changed


def _insert_links(database: sqlite3.Connection, links: Iterable[tuple[Commit, Link]]) -> int:
    (place,) = database.execute("SELECT coalesce(max(place), 0) FROM links").fetchone()
    added = 0
    for commit, link in links:
        place += 1
        new_turns = ",".join(f"{first}-{last}" for first, last in link.new_turns)
        row = (link.commit, link.frame_id, path_bytes(link.path), link.blob, new_turns, commit.at, place)
        if database.execute("INSERT OR IGNORE INTO links VALUES (?, ?, ?, ?, ?, ?, ?)", row).rowcount:
            database.execute("INSERT OR IGNORE INTO touched VALUES (?)", (link.commit,))
            added += 1
    return added


def _insert_trailers(database: sqlite3.Connection, trailers: Iterable[Trailers]) -> int:
    (place,) = database.execute("SELECT coalesce(max(place), 0) FROM trailers").fetchone()
    added = 0
    for commit, at, frames in trailers:
        place += 1
        for frame in frames:
            row = (commit, frame, at, place)
            if database.execute("INSERT OR IGNORE INTO trailers VALUES (?, ?, ?, ?)", row).rowcount:
                database.execute("INSERT OR IGNORE INTO touched VALUES (?)", (commit,))
                asked = "SELECT 1 FROM all_links WHERE commit_id = ? AND frame = ? AND kind = 'trailer'"
                added += database.execute(asked, (commit, frame)).fetchone() is not None
    return added


# ---------------------------------------------------------------------------------------------------------------------
# Asking


def links_of(index: Index, commits: Iterable[str]) -> dict[str, list[Link]]:
    """The links of these commits, each commit's by path; a commit without one is left out."""
    found: defaultdict[str, list[Link]] = defaultdict(list)
    for row in index.rows_for(f"SELECT {_COLUMNS} FROM all_links WHERE commit_id IN (?)", commits):
        link = _link(row)
        found[link.commit].append(link)
    return {commit: sorted(links, key=_by_path) for commit, links in found.items()}


def commits_of(index: Index, frame_id: str) -> list[Link]:
    """The certain links of one frame, oldest commit first."""
    asked = f"SELECT {_COLUMNS} FROM certain_links WHERE frame = ? ORDER BY at, place"
    return [_link(row) for row in index.rows(asked, (frame_id,))]


def commits_of_frames(index: Index, frames: Iterable[str]) -> set[str]:
    """The commits to which links of any kind join one of these frames."""
    return {commit for (commit,) in index.rows_for("SELECT commit_id FROM all_links WHERE frame IN (?)", frames)}


def iter_links(index: Index) -> Iterator[Link]:
    """All links, oldest commit first."""
    yield from map(_link, index.rows(f"SELECT {_COLUMNS} FROM all_links ORDER BY at, place"))


def known_frames(index: Index, *, in_history: bool = True) -> dict[str, Summary]:
    """The newest known version of each frame that any commit holds, by its id; else of each that is known at all."""
    blobs = dict(index.rows("SELECT frame, blob FROM frames WHERE held OR NOT ? ORDER BY frame", (in_history,)))
    summaries = index.summaries(blobs.values())
    return {frame: summaries[blob] for frame, blob in blobs.items()}


def known_paths(index: Index) -> dict[str, str]:
    """Where the newest known version of each frame lies in its commit's tree."""
    return {
        frame: path_text(path) for frame, path in index.rows("SELECT frame, path FROM frames WHERE held ORDER BY frame")
    }


def _link(row: Any) -> Link:
    commit, frame, kind, path, blob, new_turns = row
    ranges = (turns.split("-") for turns in new_turns.split(",") if turns)
    return Link(commit, frame, kind, path_text(path), blob, tuple((int(first), int(last)) for first, last in ranges))


def _by_path(link: Link) -> tuple[str, str]:
    return link.path, link.frame_id
