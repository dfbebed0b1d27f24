"""Is there anything in git's history that the index and the notes do not know yet?

``frames log`` asks before it lets git print, so the answer must cost next to nothing: one process of git, and SQLite's
own module. What else reads git and the index takes longer to load than git takes to print a screen. "Yes" is always a
safe answer: the long way is taken then.
"""

from __future__ import annotations

import os

from session_frames import __version__

TYPE_CHECKING = False  # the module of that name takes longer to load than all the rest
if TYPE_CHECKING:
    from collections.abc import Sequence

# To be raised whenever a table of the index, or the way its content is computed, changes.
SCHEMA_VERSION = 4

# Words of the index: what was not compared yet; the commit of which some newest ones were compared, how many, and all
# others not; the folder of private copies as it was when it was last looked at.
UNCOMPARED = "uncompared"
BEHIND = "behind"
CLOSED_STAMP = "closed"

# What `frames log` takes beside the options of git's log.
LOG_FILTERS = ("--frame", "--topic", "--agent", "--decision")

_NOTES = "refs/notes/frames"

# Three facts, then three lists of ids, each ended by a line that is no id: tips, the notes, what replaces objects. What
# may be missing comes last: the work tree, and the commit of HEAD.
_QUESTIONS = (
    "--path-format=absolute", "--git-dir", "--git-common-dir", "--show-object-format",
    "--exclude=refs/notes/*", "--exclude=refs/replace/*", "--all", "--is-bare-repository",
    f"--glob={_NOTES[:-1]}[{_NOTES[-1]}]", "--is-bare-repository",
    "--glob=refs/replace/*", "--is-bare-repository",
    "--is-inside-work-tree", "--show-toplevel", "--revs-only", "--no-flags", "HEAD",
)  # fmt: skip
_LIST_ENDS = ("true", "false")
_FACTS = 3
_LISTS = 3

# Options after which the newest commits are shown all the same.
_HARMLESS = (
    "--oneline",
    "--stat",
    "--shortstat",
    "--patch",
    "-p",
    "--decorate",
    "--no-decorate",
    "--name-only",
    "HEAD",
)
_COUNTS = ("--max-count=", "-n", "-")

_HEX = frozenset("0123456789abcdef")
_SHORTEST_ID = 4
_IN_REVISIONS = ("@", "^", "~", "..")


class Look:
    """What one process of git tells of the repository around the current folder.

    ``top`` is None outside of a work tree, ``head`` empty before the first commit; ``asked`` are the commits that
    arguments name. ``plain`` is False where only git
    itself can say what the refs are, or where commits may look different from what they hold.
    """

    def __init__(self, lines: list[str]) -> None:
        self.git_dir, self.common_dir, self.object_format = map(os.path.normpath, lines[:_FACTS])
        self.tips, notes, replaced, rest = _lists(lines[_FACTS:])
        self.notes_tip = "".join(notes)
        self.top = rest[1] if rest[0] == "true" else None
        self.head = "".join(rest[2:3])
        self.asked = [name.lstrip("^") for name in rest[3:]]
        unusual = ("shallow", "info/grafts")
        self.plain = not replaced and not any(os.path.exists(f"{self.common_dir}/{name}") for name in unusual)
        for head in _heads(self.git_dir, self.common_dir):
            if not head.startswith("ref: "):
                self.tips.append(head)
            elif head.startswith("ref: refs/heads/.invalid"):  # the refs are kept in tables, which only git reads
                self.plain = False


def look(environ: dict[str, str], args: Sequence[str] = ()) -> Look | None:
    """What git tells at a look, also of the commits that ``args`` name; None where it does not answer in this way."""
    try:
        return Look(_ask_git(environ, args).decode().splitlines())
    except (OSError, ValueError, IndexError):
        return None


def is_current(seen: Look | None, newest: int | None = None) -> bool:
    """Are index and notes known to be complete, as far as the ``newest`` commits of HEAD need them (None: all)?"""
    try:
        return seen is not None and seen.plain and _knows(f"{seen.common_dir}/frames", seen, newest)
    except (OSError, ValueError, ImportError):
        return False


def newest_shown(args: list[str]) -> int | None:
    """How many of the newest commits of HEAD ``git log ARGS`` shows at most; None where it may show others."""
    count = None
    words = iter(args)
    for word in words:
        if word == "-n":
            word += next(words, "")
        start = next((start for start in _COUNTS if word.startswith(start)), "")
        number = word[len(start) :]
        if start and number.isascii() and number.isdecimal():
            count = int(number)
        elif word not in _HARMLESS:
            return None
    return count


def covers(behind: str, head: str, newest: int) -> bool:
    """Were so many of the newest commits of HEAD compared, by what the index says of those that are behind?"""
    commit, _, count = behind.partition(" ")
    return commit == head and int(count) >= newest


def may_name_commits(args: list[str]) -> bool:
    """May arguments of ``git log`` name commits that no ref reaches?"""
    before_paths = args[: args.index("--")] if "--" in args else args
    return any(_may_name_commit(arg) for arg in before_paths if not arg.startswith("--"))


def _may_name_commit(arg: str) -> bool:
    starts = range(len(arg) - _SHORTEST_ID + 1)
    return any(mark in arg for mark in _IN_REVISIONS) or any(_HEX.issuperset(arg[at : at + 4]) for at in starts)


def _ask_git(environ: dict[str, str], args: Sequence[str]) -> bytes:
    """What ``git rev-parse`` says; ``ValueError`` when it fails, but for asking where the work tree is."""
    read_end, write_end = os.pipe()
    streams = [
        (os.POSIX_SPAWN_DUP2, write_end, 1),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    with open(read_end, "rb") as answer:
        try:
            pid = os.posix_spawnp("git", ["git", "rev-parse", *_QUESTIONS, *args], environ, file_actions=streams)
        finally:
            os.close(write_end)
        said = answer.read()
    if os.waitpid(pid, 0)[1] and not said.endswith(b"\nfalse\nfalse\n") and not said.endswith(b"\ntrue\nfalse\n"):
        raise ValueError("git rev-parse failed")
    return said


def _lists(lines: list[str]) -> list[list[str]]:
    """The three lists of ids, and what follows them."""
    lists: list[list[str]] = [[]]
    for line in lines:
        if line in _LIST_ENDS and len(lists) <= _LISTS:
            lists.append([])
        else:
            lists[-1].append(line)
    return lists


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


def _knows(private: str, seen: Look, newest: int | None) -> bool:
    """Has the index read all there is, and are its notes written and where the ref stands?"""
    # The module under `sqlite3`, which loads `datetime` besides.
    import _sqlite3

    path = f"{private}/index.sqlite"
    if not os.path.exists(path):
        return False
    database = _sqlite3.connect(path, timeout=0)
    try:
        read = all(database.execute("SELECT 1 FROM tips WHERE commit_id = ?", (tip,)).fetchone() for tip in seen.tips)
        unwritten = database.execute("SELECT 1 FROM unwritten LIMIT 1").fetchone()
        kept = dict(database.execute("SELECT key, value FROM meta"))
    except _sqlite3.Error:
        return False
    finally:
        database.close()
    return (
        read
        and unwritten is None
        and kept.get("view_tip", "") == seen.notes_tip
        and UNCOMPARED not in kept
        and (BEHIND not in kept or (newest is not None and covers(kept[BEHIND], seen.head, newest)))
        and kept.get(CLOSED_STAMP, "") == folder_stamp(f"{private}/closed")
        and not kept.get("history")
        and kept["validity"] == f"{__version__} {SCHEMA_VERSION}"
    )
