"""Links inferred from content: which commits add lines that a frame wrote, where nothing certain joins the two.

The lines that a commit adds are compared with what all frames known here wrote in files of the same path, by the rule
of ``operations.membership``. What was found is kept by commit and path; what is new is a commit, or a frame whose lines
changed, and only that is read. Nothing follows from times, authors or branches; a commit that is older than a session
is only left out.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from session_frames.operations.anchors import line_anchor
from session_frames.operations.attribution import owners_of_hunk
from session_frames.operations.membership import Hunk
from session_frames.storage.commit_history import read_boundary
from session_frames.storage.git_repo import GitRepo
from session_frames.storage.hand_links import VIEW_TIP
from session_frames.storage.index import Index, path_bytes, path_text
from session_frames.storage.patches import PATCH, PLAIN, read_hunks
from session_frames.storage.quick_look import UNCOMPARED
from session_frames.storage.written_lines import anchors_of_path, renew_authors, written_paths

_LOG: Final = (
    "-c", "log.showRoot=true", "-c", "log.follow=false", "log", "--stdin", "--ignore-missing", "--no-merges",
    "--full-history", "--no-notes", "--no-show-signature", "--format=commit %H %ct", "-p", "-O/dev/null",
)  # fmt: skip

# Above this many paths everything is read: git compares each path of a tree with each of those asked for.
_MOST_PATHS: Final = 500


class Compared(NamedTuple):
    """What a comparison brought: how many commits were looked at, and how many are linked otherwise than before."""

    commits: int
    changed: int


class _Added(NamedTuple):
    """Lines that a commit adds."""

    commit: str
    at: int
    hunk: Hunk


# Commit and path -> the frames whose lines the commit adds there, and when it was made.
_Found = dict[tuple[str, str], tuple[int, set[str]]]


def compare_content(repo: GitRepo, index: Index, *, even_partial: bool = False) -> Compared:
    """Compare what is new of commits and frames; nothing happens where nothing is.

    A partial clone would fetch every file that is compared: that is done only when it is asked for (``even_partial``).
    """
    renew_authors(repo, index)
    if not index.value(UNCOMPARED):
        return Compared(0, 0)
    if not even_partial and _is_partial(repo):
        index.forget_value(UNCOMPARED)
        return Compared(0, 0)
    tips = {tip for (tip,) in index.rows("SELECT commit_id FROM tips WHERE latest")}
    old = {tip for (tip,) in index.rows("SELECT commit_id FROM compared")} & tips
    table = _Table(index)
    found: _Found = {}
    paths = written_paths(index)
    if paths and tips - old:
        found |= _matches(repo, index, table, [*sorted(tips - old), *(f"^{tip}" for tip in sorted(old))], paths)
    rewritten = {path_text(path): since for path, since in index.rows("SELECT path, since FROM rewritten")}
    if rewritten and old:
        since = min(rewritten.values())
        since_option = [f"--since={since}"] if since else []
        found |= _matches(repo, index, table, [*since_option, *sorted(old)], set(rewritten))
    return Compared(len({commit for commit, _ in found}), _keep(index, found, tips))


def forget_comparisons(index: Index) -> None:
    """The next comparison looks at everything again."""
    with index.write() as database:
        for table in ("authors", "written", "compared", "kept"):
            database.execute(f"DELETE FROM {table}")
        database.execute("DELETE FROM meta WHERE key = 'places'")
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


def _matches(repo: GitRepo, index: Index, table: _Table, revisions: Sequence[str], paths: set[str]) -> _Found:
    """The frames that wrote what these commits add; of commits with a certain link nothing is said."""
    certain = {commit for (commit,) in index.rows("SELECT DISTINCT commit_id FROM certain_links")}
    left_out = certain | read_boundary(repo)
    found: _Found = {}
    for commit, at, hunk in _added(repo, revisions, paths):
        if hunk.path not in paths or commit in left_out:
            continue
        frames = found.setdefault((commit, hunk.path), (at, set()))[1]
        frames |= _owners(hunk, at, table.writers(hunk.path))
    return found


def _added(repo: GitRepo, revisions: Sequence[str], paths: set[str]) -> Iterator[_Added]:
    options = [word for word in revisions if word.startswith("--")]
    limits = [f":(top,literal){path}" for path in sorted(paths)] if len(paths) <= _MOST_PATHS else [":(top)"]
    asked = "\n".join([*(word for word in revisions if not word.startswith("--")), "--", *limits, ""])
    stdin = asked.encode("utf-8", "surrogateescape")
    commit, at = "", 0
    with repo.stream(*_LOG, *PLAIN, *PATCH, *options, stdin=stdin) as patch:
        for part in read_hunks(patch):
            if isinstance(part, Hunk):
                yield _Added(commit, at, part)
            elif part.startswith(b"commit "):
                _, commit, seconds = part.decode("ascii").split()
                at = int(seconds)


def _owners(hunk: Hunk, at: int, writers: Mapping[str, Sequence[tuple[str, int]]]) -> set[str]:
    known: dict[str, list[bool]] = {}
    for number, line in enumerate(hunk.lines):
        for frame, since in writers.get(line_anchor(line), ()):
            if since <= at:
                known.setdefault(frame, [False] * len(hunk.lines))[number] = True
    return owners_of_hunk(hunk.lines, known) if known else set()


# ---------------------------------------------------------------------------------------------------------------------
# Keeping


def _keep(index: Index, found: _Found, tips: set[str]) -> int:
    """Put the matches in the place of those of the same commits and paths; how many commits are linked otherwise."""
    with index.write() as database:
        changed, lost = set(), False
        for (commit, path), (at, owners) in found.items():
            key = (commit, path_bytes(path))
            asked = "SELECT frame FROM matches WHERE commit_id = ? AND path = ?"
            before = {frame for (frame,) in database.execute(asked, key)}
            if before != owners:
                database.execute("DELETE FROM matches WHERE commit_id = ? AND path = ?", key)
                rows = [(commit, frame, key[1], at) for frame in owners]
                database.executemany("INSERT INTO matches VALUES (?, ?, ?, ?)", rows)
                changed.add(commit)
                lost = lost or bool(before - owners)
        database.executemany("INSERT OR REPLACE INTO unwritten (commit_id) VALUES (?)", ((one,) for one in changed))
        if lost:
            database.execute("DELETE FROM meta WHERE key = ?", (VIEW_TIP,))
        for table in ("compared", "rewritten"):
            database.execute(f"DELETE FROM {table}")
        database.executemany("INSERT INTO compared VALUES (?)", ((tip,) for tip in tips))
        if tips.issuperset(tip for (tip,) in database.execute("SELECT commit_id FROM tips WHERE latest")):
            database.execute("DELETE FROM meta WHERE key = ?", (UNCOMPARED,))
    return len(changed)
