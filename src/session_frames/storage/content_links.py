"""Links inferred from content: which commits add lines that a frame wrote, where nothing certain joins the two.

The lines that a commit adds are compared with what all frames known here wrote in files of the same path, by the rule
of ``operations.membership``. What was found is kept by commit and path; what is new is a commit, or a frame whose lines
changed, and only that is read. Whoever shows the newest commits of HEAD alone has these compared and nothing more: the
rest is then *behind*, until somebody asks for all of it. Nothing follows from times, authors or branches; a commit that
is older than a session is only left out.
"""

from __future__ import annotations

import os
import sqlite3
from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from session_frames.operations.anchors import raw_anchors
from session_frames.operations.attribution import owners_of_hunk
from session_frames.storage.commit_history import FOLDERS, read_boundary
from session_frames.storage.git_repo import GitRepo
from session_frames.storage.hand_links import VIEW_TIP
from session_frames.storage.index import Index, path_bytes, path_text
from session_frames.storage.patches import PATCH, PLAIN, Added, read_added
from session_frames.storage.quick_look import BEHIND, UNCOMPARED, covers
from session_frames.storage.written_lines import anchors_of_path, oldest_author, written_paths

_LOG: Final = (
    "-c", "log.showRoot=true", "-c", "log.follow=false", "log", "--stdin", "--ignore-missing", "--no-merges",
    "--full-history", "--no-notes", "--no-show-signature", "--format=commit %H %ct", "-p", "-O/dev/null",
)  # fmt: skip

# Above this many names git spends more on comparing each path of a tree with them than on reading more.
_MOST_NAMES: Final = 16


# The matches of more commits than these are read all at once.
_FEW_COMMITS: Final = 500


class Compared(NamedTuple):
    """What a comparison brought: how many commits were looked at, and how many are linked otherwise than before."""

    commits: int
    changed: int


class Newest(NamedTuple):
    """So many of the newest commits of HEAD."""

    head: str
    most: int


# Commit and path -> the frames whose lines the commit adds there, and when it was made.
_Found = dict[tuple[str, str], tuple[int, set[str]]]


def compare_content(
    repo: GitRepo, index: Index, newest: Newest | None = None, *, even_partial: bool = False
) -> Compared:
    """Compare what is new of commits and frames, or ``newest`` alone; nothing happens where nothing is.

    What frames wrote is known as of the last ``renew_authors``.

    A partial clone would fetch every file that is compared: that is done only when it is asked for (``even_partial``).
    """
    behind = index.value(BEHIND)
    is_covered = not behind or (newest is not None and covers(behind, *newest))
    if is_covered and not index.value(UNCOMPARED):
        return Compared(0, 0)
    if not even_partial and _is_partial(repo):
        index.forget_value(UNCOMPARED)
        return Compared(0, 0)
    return _compare_all(repo, index) if newest is None else _compare_newest(repo, index, newest)


def _compare_all(repo: GitRepo, index: Index) -> Compared:
    tips = {tip for (tip,) in index.rows("SELECT commit_id FROM tips WHERE latest")}
    old = {tip for (tip,) in index.rows("SELECT commit_id FROM compared")} & tips
    table = _Table(index)
    found: _Found = {}
    rewritten = {path_text(path): since for path, since in index.rows("SELECT path, since FROM rewritten")}
    paths = written_paths(index) | rewritten.keys()
    if paths and tips - old:
        since = min([oldest_author(index), *rewritten.values()])
        revisions = [*sorted(tips - old), *(f"^{tip}" for tip in sorted(old))]
        found |= _matches(repo, index, table, _since(since) + revisions, paths)
    if rewritten and old:
        found |= _matches(repo, index, table, _since(min(rewritten.values())) + sorted(old), set(rewritten))
    return Compared(len({commit for commit, _ in found}), _keep(index, found, tips))


def _compare_newest(repo: GitRepo, index: Index, newest: Newest) -> Compared:
    paths = written_paths(index)
    revisions = [*_since(oldest_author(index)), f"--max-count={newest.most}", newest.head]
    found = _matches(repo, index, _Table(index), revisions, paths) if paths else {}
    return Compared(len({commit for commit, _ in found}), _keep_newest(index, found, newest))


def _since(moment: int) -> list[str]:
    return [f"--since={moment}"] if moment else []


def forget_comparisons(index: Index) -> None:
    """The next comparison looks at everything again."""
    with index.write() as database:
        for table in ("authors", "written", "compared", "kept"):
            database.execute(f"DELETE FROM {table}")
        database.execute("DELETE FROM meta WHERE key IN ('places', ?)", (BEHIND,))
        database.execute("INSERT OR REPLACE INTO meta VALUES (?, '1')", (UNCOMPARED,))


def _is_partial(repo: GitRepo) -> bool:
    folder = os.path.join(repo.common_dir, "objects", "pack")
    with suppress(OSError):
        return any(name.endswith(".promisor") for name in os.listdir(folder))
    return False


# ---------------------------------------------------------------------------------------------------------------------
# Comparing


class _Table:
    """What was written in each path, read when a commit first adds something there."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._paths: dict[str, dict[str, list[tuple[str, int]]]] = {}

    def writers(self, path: str) -> Mapping[str, Sequence[tuple[str, int]]]:
        """Anchor -> the frames that wrote such a line there, each with the time before which no commit is its own."""
        if path not in self._paths:
            table = self._paths[path] = defaultdict(list)
            for author, anchors in anchors_of_path(self._index, path).items():
                for anchor in anchors:
                    table[anchor].append((author.frame, author.since))
        return self._paths[path]


class _LeftOut(dict[str, bool]):
    """Commits with a certain link, and those whose parents are not known, asked for one by one."""

    def __init__(self, index: Index, boundary: Container[str]) -> None:
        self._index, self._boundary = index, boundary

    def __missing__(self, commit: str) -> bool:
        asked = "SELECT 1 FROM certain_links WHERE commit_id = ? LIMIT 1"
        self[commit] = commit in self._boundary or bool(self._index.rows(asked, (commit,)))
        return self[commit]


def _matches(repo: GitRepo, index: Index, table: _Table, revisions: Sequence[str], paths: set[str]) -> _Found:
    """The frames that wrote what these commits add; of commits with a certain link nothing is said."""
    left_out = _LeftOut(index, read_boundary(repo))
    found: _Found = {}
    commit, at = "", 0
    with repo.stream(*_LOG, *PLAIN, *PATCH, *_options(revisions), stdin=_asked(revisions, paths)) as patch:
        for part in read_added(patch, paths):
            if isinstance(part, Added):
                if not left_out[commit]:
                    frames = found.setdefault((commit, part.path), (at, set()))[1]
                    frames |= _owners(part.lines, at, table.writers(part.path))
            elif part.startswith(b"commit "):
                _, commit, seconds = part.decode("ascii").split()
                at = int(seconds)
    return found


def _options(revisions: Sequence[str]) -> list[str]:
    return [word for word in revisions if word.startswith("--")]


def _asked(revisions: Sequence[str], paths: set[str]) -> bytes:
    """Commits and paths as git reads them; what differs in none of the folders that hold the paths is not looked at."""
    names = {path for path in paths if "\n" not in path}
    if len(names) > _MOST_NAMES:
        names = {path.partition("/")[0] for path in names}
    inside = sorted(f":(top,literal){name}" for name in names) if len(names) <= _MOST_NAMES else [":(top)"]
    limits = [*inside, *(f":(top,exclude){folder}" for folder in FOLDERS)]
    words = [*(word for word in revisions if not word.startswith("--")), "--", *limits, ""]
    return "\n".join(words).encode("utf-8", "surrogateescape")


def _owners(lines: Sequence[bytes], at: int, writers: Mapping[str, Sequence[tuple[str, int]]]) -> set[str]:
    anchors = raw_anchors(lines)
    if writers.keys().isdisjoint(anchors):
        return set()
    known: dict[str, list[bool]] = {}
    for number, anchor in enumerate(anchors):
        for frame, since in writers.get(anchor, ()):
            if since <= at:
                known.setdefault(frame, [False] * len(lines))[number] = True
    return owners_of_hunk([line.decode("utf-8", "replace") for line in lines], known) if known else set()


# ---------------------------------------------------------------------------------------------------------------------
# Keeping


def _keep(index: Index, found: _Found, tips: set[str]) -> int:
    """Keep what a comparison with all that is new found; how many commits are linked otherwise."""
    with index.write() as database:
        changed = _insert(database, found)
        for table in ("compared", "rewritten"):
            database.execute(f"DELETE FROM {table}")
        database.executemany("INSERT INTO compared VALUES (?)", ((tip,) for tip in tips))
        if tips.issuperset(tip for (tip,) in database.execute("SELECT commit_id FROM tips WHERE latest")):
            database.execute("DELETE FROM meta WHERE key IN (?, ?)", (UNCOMPARED, BEHIND))
    return changed


def _keep_newest(index: Index, found: _Found, newest: Newest) -> int:
    """Keep what a comparison with some commits of HEAD found, and that all others are behind."""
    with index.write() as database:
        changed = _insert(database, found)
        database.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (BEHIND, f"{newest.head} {newest.most}"))
        database.execute("DELETE FROM meta WHERE key = ?", (UNCOMPARED,))
    return changed


def _insert(database: sqlite3.Connection, found: _Found) -> int:
    """Put the matches in the place of those of the same commits and paths; how many commits are linked otherwise."""
    changed, lost = set(), False
    before = _matches_before(database, {commit for commit, _ in found})
    for (commit, path), (at, owners) in found.items():
        held = before.get((commit, path), set())
        if held != owners:
            key = (commit, path_bytes(path))
            database.execute("DELETE FROM matches WHERE commit_id = ? AND path = ?", key)
            database.executemany(
                "INSERT INTO matches VALUES (?, ?, ?, ?)", [(commit, frame, key[1], at) for frame in owners]
            )
            changed.add(commit)
            lost = lost or bool(held - owners)
    database.executemany("INSERT OR REPLACE INTO unwritten (commit_id) VALUES (?)", ((one,) for one in changed))
    if lost:
        database.execute("DELETE FROM meta WHERE key = ?", (VIEW_TIP,))
    return len(changed)


def _matches_before(database: sqlite3.Connection, commits: set[str]) -> dict[tuple[str, str], set[str]]:
    """The matches of these commits as they are kept."""
    asked = "SELECT commit_id, path, frame FROM matches"
    if len(commits) <= _FEW_COMMITS:
        asked += f" WHERE commit_id IN ({','.join('?' * len(commits))})"
    before: dict[tuple[str, str], set[str]] = {}
    for commit, path, frame in database.execute(asked, tuple(commits) if len(commits) <= _FEW_COMMITS else ()):
        before.setdefault((commit, path_text(path)), set()).add(frame)
    return before
