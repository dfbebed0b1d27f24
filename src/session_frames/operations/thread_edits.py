"""Checkpoints and threads: set, go back, branch, switch, take over. Each gives the frame with an event.

No turn is ever moved or deleted. Going back to a checkpoint begins a thread at it; the turns behind it stay in theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple, cast

from session_frames.errors import RefusedError, UsageError
from session_frames.model import MAIN_THREAD, Checkpoint, Frame, Thread
from session_frames.operations.context_edits import marked_as, record
from session_frames.operations.fence import line_shown
from session_frames.operations.threads import REWOUND, current_thread, find_thread, thread_names, turns_of_thread
from session_frames.operations.turn_names import named_turns, numbers_of, reads_as_moment

_LONGEST_NAME: Final = 100


class Spot(NamedTuple):
    """Where git stood: HEAD and the branch that is checked out ("" where there is none)."""

    commit: str = ""
    branch: str = ""

    def facts(self) -> dict[str, str]:
        """What of it is known, by name."""
        return {key: value for key, value in self._asdict().items() if value}


def spot_of_thread(frame: Frame, name: str) -> Spot:
    """Where git stood when a thread was last current, else when it was made; of the main one, where the frame ended."""
    for event in reversed(frame.get("events", [])):
        data = event.get("data")
        if isinstance(data, dict) and data.get("left") == name:
            return Spot(str(data.get("commit", "")), str(data.get("branch", "")))
    thread = find_thread(frame, name)
    if thread is not None:
        return Spot(thread.get("commit", ""), thread.get("branch", ""))
    git = frame.get("git", {})
    return Spot(git.get("head", "") or git.get("base", ""), git.get("branch", ""))


# ---------------------------------------------------------------------------------------------------------------------
# Checkpoints


def set_checkpoint(frame: Frame, name: str, turn: str, spot: Spot, note: str, at: str) -> Frame:
    """The frame with a checkpoint after this turn, by default ("") the last one of the current thread."""
    name = _new_name(frame, name, "checkpoint", [point["name"] for point in frame.get("checkpoints", [])])
    turn = turn or _last_turn(frame)
    point = Checkpoint(name=name, turn=turn, at=at, **spot.facts())  # type: ignore[typeddict-item]
    if note:
        point["note"] = note
    changed = cast(Frame, {**frame, "checkpoints": [*frame.get("checkpoints", []), point]})
    return record(changed, "checkpoint", turns=[turn], data={"checkpoint": name}, at=at, was=frame)


def back_to_checkpoint(frame: Frame, name: str, spot: Spot, at: str) -> Frame:
    """The frame in a new thread that begins at the checkpoint: later turns are not in it, and stay where they are."""
    points = {point["name"]: point for point in frame.get("checkpoints", [])}
    if name not in points:
        raise UsageError(f"no such checkpoint: '{name}'", hint=_listed("checkpoints", list(points)))
    point = points[name]
    if not numbers_of(frame, [point["turn"]]):
        raise UsageError(f"the turn of checkpoint '{name}' is not in this frame")
    held = turns_of_thread(frame)
    if held and frame["turns"][held[-1]]["id"] == point["turn"]:
        return frame
    taken = {*thread_names(frame)}
    thread = (
        name
        if name not in taken
        else next(f"{name} {n}" for n in range(2, len(taken) + 3) if f"{name} {n}" not in taken)
    )
    changed = _with_thread(frame, thread, point["turn"], Spot(point.get("commit", ""), point.get("branch", "")))
    changed = cast(Frame, {**changed, "thread": thread})
    data = {"checkpoint": name, "left": current_thread(frame), **spot.facts()}
    return record(changed, "rewind", turns=[point["turn"]], data=data, at=at, was=frame)


# ---------------------------------------------------------------------------------------------------------------------
# Threads


def branch(frame: Frame, name: str, turn: str, spot: Spot, at: str) -> Frame:
    """The frame with a thread that shares all up to this turn, by default ("") the last of the current thread."""
    name = _new_name(frame, name, "thread", thread_names(frame))
    turn = turn or _last_turn(frame)
    changed = _with_thread(frame, name, turn, spot)
    return record(changed, "branch", turns=[turn], data={"thread": name}, at=at, was=frame)


def switch(frame: Frame, name: str, spot: Spot, at: str) -> Frame:
    """The frame with another thread current; one that was given up is taken up again."""
    thread = _own_thread(frame, name)
    changed = _current(frame, name)
    if thread is not None and thread["status"] == "abandoned":
        changed = _with_status(changed, name, "open")
    data = {"thread": name, "left": current_thread(frame), **spot.facts()}
    return record(changed, "switch", data=data, at=at, was=frame)


def abandon(frame: Frame, name: str, spot: Spot, at: str) -> Frame:
    """The frame with this thread given up; where it is current, the thread that it left becomes so."""
    thread = _own_thread(frame, name)
    if thread is None:
        raise UsageError("the main thread can't be abandoned")
    if thread["status"] == "merged":
        raise RefusedError(f"thread '{name}' is merged already")
    changed, data = _with_status(frame, name, "abandoned"), {"thread": name}
    if current_thread(frame) == name:
        changed = _current(changed, thread.get("parent", MAIN_THREAD))
        data |= {"left": name, **spot.facts()}
    return record(changed, "abandon", data=data, at=at, was=frame)


def merge_thread(frame: Frame, name: str, at: str) -> Frame:
    """The frame with all turns of this thread in the current one, too."""
    thread = _own_thread(frame, name)
    into = current_thread(frame)
    if name == into:
        raise UsageError(f"thread '{name}' is the current one", hint="frames switch to the thread that takes it")
    own = _places_not_in(frame, turns_of_thread(frame, name), into)
    changed = _with_picks(frame, own, into)
    if thread is not None:
        changed = _with_status(changed, name, "merged")
    ids = [frame["turns"][place]["id"] for place in own]
    return record(changed, "merge", turns=ids, data={"thread": name, "into": into}, at=at, was=frame)


def cherry_pick(frame: Frame, name: str, turns: Iterable[str], at: str) -> Frame:
    """The frame with these turns of that thread in the current one, too."""
    if name not in thread_names(frame):
        raise _no_such_thread(frame, name)
    into, wanted = current_thread(frame), set(turns)
    there = turns_of_thread(frame, name)
    strangers = wanted - {frame["turns"][place]["id"] for place in there}
    if strangers:
        numbers = numbers_of(frame, strangers)
        held = numbers_of(frame, [frame["turns"][place]["id"] for place in there])
        raise UsageError(
            f"{named_turns(numbers)} {'is' if len(numbers) == 1 else 'are'} not in thread '{name}'",
            hint=f"it has {named_turns(held)}" if held else "it has no turns",
        )
    picked = _places_not_in(frame, [place for place in there if frame["turns"][place]["id"] in wanted], into)
    changed = _with_picks(frame, picked, into)
    ids = [frame["turns"][place]["id"] for place in picked]
    return record(changed, "cherry-pick", turns=ids, data={"thread": name, "into": into}, at=at, was=frame)


# ---------------------------------------------------------------------------------------------------------------------


def _new_name(frame: Frame, name: str, what: str, taken: Sequence[str]) -> str:
    name = " ".join(name.split())
    if not name or len(name) > _LONGEST_NAME or line_shown(name) != name or name.startswith("-"):
        raise UsageError(f"not a name for a {what}: '{name}'", hint="a few words, without control characters")
    if name == MAIN_THREAD or REWOUND.fullmatch(name):
        raise UsageError(f"'{name}' is taken by frames itself", hint="choose another name")
    if reads_as_moment(frame, name):
        raise UsageError(
            f"'{name}' reads as a turn, an event or a time", hint=f"name the {what} by a word, such as 'before {name}'"
        )
    if name in taken:
        raise UsageError(f"there is a {what} '{name}' already", hint=_listed(f"{what}s", list(taken)))
    return name


def _own_thread(frame: Frame, name: str) -> Thread | None:
    """The record of a thread that people made, None for the main one."""
    if REWOUND.fullmatch(name) and find_thread(frame, name):
        raise RefusedError(
            f"thread '{name}' was rewound in the session itself",
            hint=f"frames branch NAME --from TURN begins at a turn of it, frames cherry-pick '{name}' TURNS takes some",
        )
    if name not in thread_names(frame):
        raise _no_such_thread(frame, name)
    return find_thread(frame, name)


def _no_such_thread(frame: Frame, name: str) -> UsageError:
    return UsageError(f"no such thread: '{name}'", hint=_listed("threads", thread_names(frame)))


def _listed(what: str, names: Sequence[str]) -> str:
    return f"{what}: {', '.join(names)}" if names else f"there are no {what}"


def _last_turn(frame: Frame) -> str:
    places = turns_of_thread(frame)
    if not places:
        raise UsageError("the frame has no turns yet")
    return frame["turns"][places[-1]]["id"]


def _with_thread(frame: Frame, name: str, turn: str, spot: Spot) -> Frame:
    """The frame with a thread that leaves the current one at this turn, or the turn's own where it is not in that."""
    current = current_thread(frame)
    there = {frame["turns"][place]["id"]: frame["turns"][place] for place in range(len(frame.get("turns", [])))}
    in_current = any(frame["turns"][place]["id"] == turn for place in turns_of_thread(frame, current))
    parent = current if in_current else there[turn].get("thread", MAIN_THREAD)
    thread = Thread(name=name, parent=parent, from_turn=turn, status="open", **spot.facts())  # type: ignore[typeddict-item]
    return cast(Frame, {**frame, "threads": [*frame.get("threads", []), thread]})


def _with_status(frame: Frame, name: str, status: str) -> Frame:
    threads = [{**thread, "status": status} if thread["name"] == name else thread for thread in frame["threads"]]
    return cast(Frame, {**frame, "threads": threads})


def _current(frame: Frame, name: str) -> Frame:
    changed: dict[str, Any] = {key: value for key, value in frame.items() if key != "thread"}
    return cast(Frame, changed if name == MAIN_THREAD else {**changed, "thread": name})


def _places_not_in(frame: Frame, places: Sequence[int], thread: str) -> list[int]:
    there = set(turns_of_thread(frame, thread))
    return [place for place in places if place not in there]


def _with_picks(frame: Frame, places: Sequence[int], thread: str) -> Frame:
    """The frame in which a thread takes these turns, too; behind all that it has."""
    held = turns_of_thread(frame, thread)
    last = frame["turns"][held[-1]]["id"] if held else ""
    turns = list(frame.get("turns", []))
    for place in places:
        picked = {**turns[place].get("picked", {}), thread: last or turns[place]["id"]}
        turns[place] = marked_as(turns[place], {"picked": picked})
    return cast(Frame, {**frame, "turns": turns})
