"""Links that a person made by hand: one file of the private area, copied into the index."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Final, NamedTuple

from session_frames.storage.index import Index
from session_frames.storage.private_state import PrivateState, write_atomically

_STAMP: Final = "by_hand"
VIEW_TIP: Final = "view_tip"
"""Where the notes view was left, as the index remembers it; without it the view is written anew."""


class HandLink(NamedTuple):
    """A frame and a commit that a person joined."""

    frame: str
    commit: str


def read_hand_links(state: PrivateState) -> list[HandLink]:
    """The links, the oldest first; none where the file is missing or damaged."""
    try:
        with open(_path(state), encoding="ascii") as file:
            entries = json.load(file)
        return [HandLink(str(entry["frame"]), str(entry["commit"])) for entry in entries]
    except (OSError, ValueError, TypeError, KeyError):
        return []


def change_hand_links(state: PrivateState, change: Callable[[list[HandLink]], list[HandLink]]) -> bool:
    """Put what ``change`` makes of the links in their place, under lock; False where that is the same."""
    with state.lock("links"):
        before = read_hand_links(state)
        after = list(dict.fromkeys(change(before)))
        if after == before:
            return False
        data = json.dumps([link._asdict() for link in after], indent=1)
        write_atomically(_path(state), data.encode("ascii") + b"\n")
        return True


def copy_hand_links(index: Index) -> None:
    """Bring the index's copy up to date; what changed is marked so that its notes are written again."""
    stamp = _stamp(_path(index.state))
    if stamp == index.value(_STAMP):
        return
    links = read_hand_links(index.state)
    with index.write() as database:
        before = set(database.execute("SELECT commit_id, frame FROM by_hand"))
        after = {(link.commit, link.frame) for link in links}
        database.execute("DELETE FROM by_hand")
        database.executemany("INSERT INTO by_hand VALUES (?, ?)", after)
        touched = {commit for commit, _ in before ^ after}
        database.executemany("INSERT OR REPLACE INTO unwritten (commit_id) VALUES (?)", ((one,) for one in touched))
        if before - after:
            database.execute("DELETE FROM meta WHERE key = ?", (VIEW_TIP,))
        database.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_STAMP, stamp))


def _path(state: PrivateState) -> str:
    return state.path("links.json")


def _stamp(path: str) -> str:
    try:
        facts = os.stat(path)
    except OSError:
        return ""
    return f"{facts.st_size} {facts.st_mtime_ns} {facts.st_ino}"
