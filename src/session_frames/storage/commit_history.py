"""What git tells of its history, as far as frames need it: where it ends, which frame files changed, which trailers.

One process for each question, whatever the size of the answer; nothing is concluded here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from session_frames.storage.git_repo import GitRepo

if TYPE_CHECKING:
    from session_frames.storage.quick_look import Look

FOLDERS = (".copilot/sessions", ".copilot/archive")
SUFFIX = ".frame.json"
NOTES_REF = "refs/notes/frames"

# Vanished tips are borne, side branches and first commits are shown, and no setting of the user changes the output.
_LOG = ("-c", "log.showRoot=true", "log", "-z", "--ignore-missing", "--stdin", "--no-color", "--no-notes")
_CHANGES = ("--format=%H %ct %P", "--raw", "-c", "--no-renames", "--no-abbrev", "--full-history", "-O/dev/null")
_TRAILERS = (
    "--format=%H %ct %(trailers:key=Frame,valueonly=true,unfold=true,separator=%x20)%x00%B",
    "--extended-regexp",
    "--regexp-ignore-case",
    "--grep=^[[:space:]]*frame[[:space:]]*:",
)

_SQUASHED = "Squashed commit of the following:"
_SQUASHED_COMMIT = re.compile(r"^commit [0-9a-f]{40,64}$", re.MULTILINE)
_TRAILER = re.compile(r"([A-Za-z0-9-]+)[ \t]*:[ \t]*(.*)")
_FRAME_ID = re.compile(r"[0-9a-f]{24}")


class Refs(NamedTuple):
    """Where the history ends: the tips of all refs and HEADs, HEAD here and the notes view (empty: nowhere).

    ``boundary`` are the commits whose parents a shallow clone does not have. ``shape`` changes when commits that were
    read before may look different now: another boundary, replace refs or grafts.
    """

    tips: set[str]
    head: str
    notes_tip: str
    boundary: frozenset[str]
    shape: str


class Change(NamedTuple):
    """A frame file that a commit changed: the blob in each parent and in the commit, empty where there is none."""

    path: str
    old: tuple[str, ...]
    new: str


class Commit(NamedTuple):
    """A commit that changed frame files against every parent."""

    id: str
    at: int
    parents: tuple[str, ...]
    changes: list[Change]


class Trailers(NamedTuple):
    """The frames that a commit's message names."""

    commit: str
    at: int
    frames: list[str]


# ---------------------------------------------------------------------------------------------------------------------
# Where the history ends


def read_refs(repo: GitRepo, seen: Look | None = None) -> Refs:
    """Where the history ends now; git is asked unless what was ``seen`` tells it."""
    if seen is not None and seen.plain:
        return Refs(set(seen.tips), seen.head, seen.notes_tip, frozenset(), "")
    boundary = read_boundary(repo)
    grafts = _lines(os.path.join(repo.common_dir, "info", "grafts"))
    tips, replaced, notes_tip = _heads(repo), [], ""
    head = "".join(filter(is_object_id, _lines(os.path.join(repo.git_dir, "HEAD"))))
    for line in (
        repo.run("for-each-ref", "--format=%(objectname) %(refname) %(HEAD)").decode("utf-8", "replace").splitlines()
    ):
        tip, ref, *marks = line.split(" ")
        if "*" in marks:
            head = tip
        if ref == NOTES_REF:
            notes_tip = tip
        elif ref.startswith("refs/replace/"):
            replaced.append(f"{tip} {ref}")
        elif not ref.startswith("refs/notes/"):
            tips.add(tip)
    if "GIT_NO_REPLACE_OBJECTS" in repo.environ:
        replaced = []
    shape = "\n".join([*sorted(boundary), *grafts, *replaced])
    return Refs(tips, head, notes_tip, boundary, _short(shape))


def read_boundary(repo: GitRepo) -> frozenset[str]:
    """The commits whose parents a shallow clone does not have."""
    return frozenset(_lines(os.path.join(repo.common_dir, "shallow")))


def _short(shape: str) -> str:
    """A digest of the shape; hardly any history has one, so what makes it is loaded late."""
    if not shape:
        return ""
    from session_frames.model import digest

    return digest(shape)


def is_object_id(text: str) -> bool:
    """Is this a whole object id, and so no option or expression for git?"""
    return len(text) in (40, 64) and all(digit in "0123456789abcdef" for digit in text)


def _heads(repo: GitRepo) -> set[str]:
    """Where the HEADs of all work trees stand that are on no branch; the others are among the refs."""
    folder = os.path.join(repo.common_dir, "worktrees")
    git_dirs = {repo.git_dir, repo.common_dir}
    with suppress(OSError):
        git_dirs.update(os.path.join(folder, name) for name in os.listdir(folder))
    heads = {"".join(_lines(os.path.join(git_dir, "HEAD"))) for git_dir in git_dirs}
    if "ref: refs/heads/.invalid" in heads:  # the refs are kept in tables, which only git reads
        heads.add(repo.head() or "")
    return {head for head in heads if is_object_id(head)}


def _lines(path: str) -> list[str]:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().splitlines()
    except OSError:
        return []


# ---------------------------------------------------------------------------------------------------------------------
# Frame files


def read_changes(repo: GitRepo, revisions: bytes) -> list[Commit]:
    """The commits of these revisions that changed frame files, oldest first."""
    with repo.stream(*_LOG, *_CHANGES, "--", *FOLDERS, stdin=revisions) as output:
        tokens = output.read().split(b"\0")
    commits: list[Commit] = []
    reader = iter(tokens)
    for token in reader:
        text = token.lstrip(b"\n").decode("ascii")
        if text.startswith(":"):
            change = _change(text, next(reader).decode("utf-8", "surrogateescape"))
            if change:
                commits[-1].changes.append(change)
        elif text:
            commit, at, *parents = text.split(" ")
            commits.append(Commit(commit, int(at), tuple(filter(None, parents)), []))
    commits.reverse()
    return commits


def _change(raw: str, path: str) -> Change | None:
    """A change from git's raw line, ``:MODE MODE ID ID STATUS`` with one colon, mode and id for each parent."""
    if not path.endswith(SUFFIX):
        return None
    parents = len(raw) - len(raw.lstrip(":"))
    fields = raw.lstrip(":").split(" ")
    modes, ids = fields[: parents + 1], fields[parents + 1 : 2 * parents + 2]
    blobs = [blob if mode.startswith("100") else "" for mode, blob in zip(modes, ids, strict=True)]
    return Change(path, tuple(blobs[:-1]), blobs[-1])


# ---------------------------------------------------------------------------------------------------------------------
# Trailers


@contextmanager
def open_trailers(repo: GitRepo, revisions: bytes) -> Iterator[Iterator[Trailers]]:
    """The commits of these revisions whose message names frames, newest first; git works while others are read."""
    with repo.stream(*_LOG, *_TRAILERS, stdin=revisions) as output:

        def read() -> Iterator[Trailers]:
            tokens = output.read().split(b"\0")
            for head, message in zip(tokens[::2], tokens[1::2], strict=False):
                commit, at, values = head.decode("utf-8", "replace").split(" ", 2)
                squashed = squashed_frames(message.decode("utf-8", "replace"))
                frames = dict.fromkeys([*filter(_FRAME_ID.fullmatch, values.split()), *squashed])
                if frames:
                    yield Trailers(commit, int(at), list(frames))

        yield read()


def squashed_frames(message: str) -> list[str]:
    """The frames that the trailers of the commits name whose messages ``git merge --squash`` put in this message.

    git indents each of them by four blanks. Only the last block of each is looked at, as git does with a commit's own.
    """
    _, marker, rest = message.partition(_SQUASHED + "\n")
    if not marker:
        return []
    frames = []
    for section in _SQUASHED_COMMIT.split(rest)[1:]:
        inner = "\n".join(line[4:] for line in section.split("\n") if line.startswith("    ") or not line)
        frames += _last_block(inner) + squashed_frames(inner)
    return frames


def _last_block(message: str) -> list[str]:
    """The frames named in the last paragraph of a message, when it holds nothing but trailers and is not the first."""
    *before, last = message.strip("\n").split("\n\n")
    trailers = [_TRAILER.fullmatch(line) for line in last.split("\n") if not line.startswith((" ", "\t"))]
    if not before or not all(trailers):
        return []
    named = [found[2].strip() for found in trailers if found and found[1].lower() == "frame"]
    return [name for name in named if _FRAME_ID.fullmatch(name)]
