"""Which turns belong to a thread: its own, those it shares with the thread it left, and those it took from others."""

from __future__ import annotations

import re
from typing import Final

from session_frames.model import MAIN_THREAD, Frame, Thread

# What the agent itself rewound; nobody can go on there.
REWOUND: Final = re.compile(r"(?:[0-9a-f]{6}\.)?rewound-[0-9]+")


def current_thread(frame: Frame) -> str:
    """The name of the thread to which the next words belong."""
    return frame.get("thread", MAIN_THREAD)


def find_thread(frame: Frame, name: str) -> Thread | None:
    """The record of a thread; None where there is none, as for the main one."""
    return next((thread for thread in frame.get("threads", []) if thread["name"] == name), None)


def thread_names(frame: Frame) -> list[str]:
    """The main thread and all others, in the order in which they were made."""
    return [MAIN_THREAD, *(thread["name"] for thread in frame.get("threads", []) if thread["name"] != MAIN_THREAD)]


def turns_of_thread(frame: Frame, name: str | None = None) -> list[int]:
    """The places of a thread's turns among those of the frame, in the order of the session; without a name the
    current thread's.
    """
    return sorted(_members(frame, current_thread(frame) if name is None else name, frozenset()))


def _members(frame: Frame, name: str, below: frozenset[str]) -> dict[int, int]:
    """Place of a turn -> place at which it came into the thread: its own, or the thread's end when it was taken."""
    turns = frame.get("turns", [])
    places = {turn["id"]: place for place, turn in enumerate(turns)}
    members: dict[int, int] = {}
    record = find_thread(frame, name)
    if record is not None and name not in below:
        # What the parent took in later is not shared.
        last = places.get(record.get("from_turn", ""), -1)
        parent = _members(frame, record.get("parent", MAIN_THREAD), below | {name}) if name != MAIN_THREAD else {}
        members = {place: came for place, came in parent.items() if came <= last}
    for place, turn in enumerate(turns):
        if turn.get("thread", MAIN_THREAD) == name:
            members[place] = place
        elif name in turn.get("picked", {}):
            members.setdefault(place, max(place, places.get(turn["picked"][name], place)))
    return members
