"""Is there anything in git's history that the index and the notes do not know yet?

``frames log`` asks before it lets git print, so the answer must cost next to nothing: one process of git, and SQLite's
own module. What else reads git and the index takes longer to load than git takes to print a screen. "Yes" is always a
safe answer: the long way is taken then.
"""

from __future__ import annotations

import os

from session_frames import __version__

# To be raised whenever a table of the index, or the way its content is computed, changes.
SCHEMA_VERSION = 2

# Words of the index: what was not compared yet, and the folder of private copies as it was when it was last looked at.
UNCOMPARED = "uncompared"
CLOSED_STAMP = "closed"

# What `frames log` takes beside the options of git's log.
LOG_FILTERS = ("--frame", "--topic", "--agent", "--decision")

_NOTES = "refs/notes/frames"

# Paths, then three lists of ids, each ended by a line that is no id: tips, the notes, what replaces objects.
_QUESTIONS = (
    "--path-format=absolute", "--git-dir", "--git-common-dir",
    "--exclude=refs/notes/*", "--exclude=refs/replace/*", "--all", "--is-bare-repository",
    f"--glob={_NOTES[:-1]}[{_NOTES[-1]}]", "--is-bare-repository",
    "--glob=refs/replace/*", "--is-bare-repository",
)  # fmt: skip
_LIST_ENDS = ("true", "false")

_HEX = frozenset("0123456789abcdef")
_SHORTEST_ID = 4
_IN_REVISIONS = ("@", "^", "~", "..")


def is_current(environ: dict[str, str]) -> bool:
    """Are index and notes of the repository around the current folder known to be complete?"""
    try:
        return _is_current(environ)
    except (OSError, ValueError, ImportError):
        return False


def may_name_commits(args: list[str]) -> bool:
    """May arguments of ``git log`` name commits that no ref reaches?"""
    before_paths = args[: args.index("--")] if "--" in args else args
    return any(_may_name_commit(arg) for arg in before_paths if not arg.startswith("--"))


def _may_name_commit(arg: str) -> bool:
    starts = range(len(arg) - _SHORTEST_ID + 1)
    return any(mark in arg for mark in _IN_REVISIONS) or any(_HEX.issuperset(arg[at : at + 4]) for at in starts)


def _is_current(environ: dict[str, str]) -> bool:
    git_dir, common_dir, *ids = _ask_git(environ).decode().splitlines()
    tips, notes, replaced = _lists(ids)
    if replaced or any(os.path.exists(f"{common_dir}/{name}") for name in ("shallow", "info/grafts")):
        return False  # commits that were read before may look different now
    for head in _heads(git_dir, common_dir):
        if head.startswith("ref: "):
            if head.startswith("ref: refs/heads/.invalid"):
                return False  # the refs are kept in tables, which only git reads
        else:
            tips.add(head)
    return _knows(f"{common_dir}/frames", tips, "".join(notes))


def _ask_git(environ: dict[str, str]) -> bytes:
    """What ``git rev-parse`` says; ``ValueError`` when it fails."""
    read_end, write_end = os.pipe()
    streams = [
        (os.POSIX_SPAWN_DUP2, write_end, 1),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    with open(read_end, "rb") as answer:
        try:
            pid = os.posix_spawnp("git", ["git", "rev-parse", *_QUESTIONS], environ, file_actions=streams)
        finally:
            os.close(write_end)
        said = answer.read()
    if os.waitpid(pid, 0)[1]:
        raise ValueError("git rev-parse failed")
    return said


def _lists(ids: list[str]) -> list[set[str]]:
    lists: list[set[str]] = [set()]
    for line in ids:
        if line in _LIST_ENDS:
            lists.append(set())
        else:
            lists[-1].add(line)
    return lists[:3]


def _heads(git_dir: str, common_dir: str) -> list[str]:
    """What the HEADs of all work trees hold."""
    folder = f"{common_dir}/worktrees"
    others = [f"{folder}/{name}" for name in os.listdir(folder)] if os.path.isdir(folder) else []
    heads = []
    for place in {git_dir, common_dir, *others}:
        with open(f"{place}/HEAD", encoding="ascii") as file:
            heads.append(file.read().strip())
    return heads


def folder_stamp(path: str) -> str:
    """What changes when files come into a folder, are replaced or go; empty where there is none."""
    try:
        return str(os.stat(path).st_mtime_ns)
    except OSError:
        return ""


def _knows(private: str, tips: set[str], notes: str) -> bool:
    """Has the index read all there is, and are its notes written and where the ref stands?"""
    # The module under `sqlite3`, which loads `datetime` besides.
    import _sqlite3

    path = f"{private}/index.sqlite"
    if not os.path.exists(path):
        return False
    database = _sqlite3.connect(path, timeout=0)
    try:
        read = all(database.execute("SELECT 1 FROM tips WHERE commit_id = ?", (tip,)).fetchone() for tip in tips)
        unwritten = database.execute("SELECT 1 FROM unwritten LIMIT 1").fetchone()
        kept = dict(database.execute("SELECT key, value FROM meta"))
    except _sqlite3.Error:
        return False
    finally:
        database.close()
    return (
        read
        and unwritten is None
        and kept.get("view_tip", "") == notes
        and UNCOMPARED not in kept
        and kept.get(CLOSED_STAMP, "") == folder_stamp(f"{private}/closed")
        and not kept.get("history")
        and kept["validity"] == f"{__version__} {SCHEMA_VERSION}"
    )
