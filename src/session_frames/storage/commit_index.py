"""What is about to be committed: the index that git hands to its hooks, read and added to."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from session_frames.errors import GitError
from session_frames.operations.membership import Hunk
from session_frames.storage.frame_store import ARCHIVE, SESSIONS
from session_frames.storage.git_repo import GitRepo
from session_frames.storage.patches import PATCH, PLAIN, read_hunks

# Above this many paths the whole diff is read: a command line has an end.
_MOST_PATHS: Final = 500

_PARTIAL_INDEX = re.compile(r"next-index-\d+\.lock")
_NO_BLOB = re.compile("0+")

# While one of these is in the git directory, git makes commits of its own.
_SEQUENCES: Final = ("rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD", "REVERT_HEAD", "sequencer")


class StagedFrame(NamedTuple):
    """A frame file that the index changes: blob ids before and after ("" where there is no such file).

    ``line`` is how git tells it.
    """

    path: str
    old: str
    new: str
    line: str


class Entry(NamedTuple):
    """A file in the index or in a tree."""

    mode: str
    blob: str


def is_in_sequence(repo: GitRepo) -> bool:
    """Does a rebase, cherry-pick, revert or am make this commit?"""
    return any(os.path.exists(os.path.join(repo.git_dir, name)) for name in _SEQUENCES)


def merge_heads(repo: GitRepo) -> list[str]:
    """The other parents of the commit, while a merge is being concluded."""
    try:
        with open(os.path.join(repo.git_dir, "MERGE_HEAD"), encoding="ascii") as file:
            return file.read().split()
    except OSError:
        return []


def amended_parents(repo: GitRepo) -> list[str]:
    """The parents of the commit that an amend replaces; the empty tree for a first commit."""
    parents = repo.run("rev-parse", "HEAD^@").decode().split()
    return parents or [hashlib.new(repo.object_format, b"tree 0\0").hexdigest()]


def blob_id(repo: GitRepo, content: bytes) -> str:
    """The id that git gives to this content."""
    return hashlib.new(repo.object_format, b"blob %d\0" % len(content) + content).hexdigest()


# ---------------------------------------------------------------------------------------------------------------------
# Reading


def changes_more_than_frames(repo: GitRepo) -> bool:
    """Would the commit change anything besides frame files (or conclude a merge)?"""
    if merge_heads(repo):
        return True
    others = (":(top)", *(f":(top,exclude){folder}" for folder in (SESSIONS, ARCHIVE)))
    return repo.ask("diff", "--cached", "--quiet", *PLAIN, "--", *others).code == 1


def iter_hunks(repo: GitRepo, paths: Sequence[str]) -> Iterator[Hunk]:
    """The hunks by which the commit changes these files."""
    limits = [f":(top,literal){path}" for path in paths] if len(paths) <= _MOST_PATHS else [":(top)"]
    with repo.stream("diff", "--cached", *PLAIN, *PATCH, "--", *limits) as patch:
        yield from read_hunks(patch)


def staged_frames(repo: GitRepo, parent: str = "") -> list[StagedFrame]:
    """The frame files by which the commit differs from ``parent`` (HEAD; the empty tree before the first commit)."""
    against = (parent,) if parent else ()
    out = repo.run("diff", "--cached", "--raw", "-z", "--no-abbrev", *PLAIN, *against, "--", SESSIONS, ARCHIVE)
    fields = out.decode("utf-8", "surrogateescape").split("\0")
    files = []
    for facts, path in zip(fields[::2], fields[1::2], strict=False):
        old, new = facts.split(" ")[2:4]
        old, new = ("" if _NO_BLOB.fullmatch(blob) else blob for blob in (old, new))
        files.append(StagedFrame(path, old, new, f"{facts}\t{path}"))
    return files


def read_blobs(repo: GitRepo, wanted: dict[str, str]) -> dict[str, bytes]:
    """Content of blobs, given the path at which the work tree may hold the same: git is asked for the others only."""
    found = {}
    for blob, path in wanted.items():
        with suppress(OSError), open(os.path.join(repo.require_top(), path), "rb") as file:
            content = file.read()
            if blob_id(repo, content) == blob:
                found[blob] = content
    missing = [blob for blob in wanted if blob not in found]
    found.update((blob, content) for blob, content in repo.iter_blobs(missing) if content is not None)
    return found


# ---------------------------------------------------------------------------------------------------------------------
# Writing


def stage(repo: GitRepo, path: str) -> None:
    """Add the file to the commit, and to the index that the user has afterwards; ``GitError`` when it is locked."""
    for environ in _indexes(repo):
        repo.run("update-index", "--add", "--", path, env=environ)


def unstage(repo: GitRepo, path: str, staged: str) -> Entry | None:
    """Give the file back the state that it has in HEAD, unless the user's index holds something else by now.

    Its entry in HEAD, an entry without a blob where HEAD has no such file, None when nothing was to be undone.
    """
    tree = repo.ask("ls-tree", "-z", "--full-tree", "HEAD", "--", path).out.split()
    held = Entry(tree[0].decode(), tree[2].decode()) if len(tree) > 2 else Entry("", "")
    if held.blob == staged:
        return None
    index = repo.run("ls-files", "-s", "-z", "--", f":(top,literal){path}", env=_indexes(repo)[0]).split()
    if (index[1].decode() if index else "") not in (staged, held.blob):
        return None
    for environ in _indexes(repo):
        if held.blob:
            repo.run("update-index", "--cacheinfo", f"{held.mode},{held.blob},{path}", env=environ)
        else:
            repo.run("update-index", "--force-remove", "--", path, env=environ)
    return held


def _indexes(repo: GitRepo) -> list[dict[str, str]]:
    """The indexes that a change has to reach, as settings of the environment; the user's own one first.

    For a commit of paths git gives its hooks an index that it throws away afterwards; the one that it keeps is the
    locked one beside it.
    """
    given = repo.environ.get("GIT_INDEX_FILE", "")
    folder, name = os.path.split(given)
    if not _PARTIAL_INDEX.fullmatch(name):
        return [{}]
    kept = os.path.join(folder, "index.lock")
    if not os.path.exists(os.path.join(repo.require_top(), kept)):
        raise GitError(f"'{kept}' is missing beside the index of a commit of paths")
    return [{"GIT_INDEX_FILE": kept}, {}]
