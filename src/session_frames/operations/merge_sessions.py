"""What a frame needs before it can stand beside those of other sessions in one file."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from session_frames.model import Frame, MergedFrom, item_id, merged_id
from session_frames.operations.merge_values import ABSENT, in_order, same

# Names that are given by counting, so that every session has them.
_COUNTED_TURN = re.compile(r"[a-z][0-9]+\+*")
_COUNTED_THREAD = re.compile(r"rewound-[0-9]+")

_TURN_PLACES: Final = (
    "boundary.first",
    "boundary.last",
    "decisions[].evidence[].turn",
    "constraints[].evidence[].turn",
    "open_questions[].evidence[].turn",
    "next_steps[].evidence[].turn",
    "verification[].turn",
    "unverified[].turn",
    "files[].turns[]",
    "tool_results[].turn",
    "turns[].id",
    "threads[].from_turn",
    "checkpoints[].turn",
    "compactions[].turns[]",
    "events[].turns[]",
)
_THREAD_PLACES: Final = ("turns[].thread", "threads[].name", "threads[].parent")
# Places told as text, with the id of a turn between slashes.
_PATH_PLACES: Final = ("redactions[].where", "elided[].where", "merge_conflicts[].where")

# Texts of several sessions are joined; what stands between them.
_JOINED: Final[Mapping[str, str]] = {"topic": " + ", "title": " + ", "goal": "\n"}


def as_part(frame: Frame) -> Frame:
    """The frame as one part of a merged one: it names itself in ``merged_from``, and its turns are told apart.

    A frame that is merged already is such a part.
    """
    if frame.get("merged_from"):
        return frame
    prefix = frame["id"][:6] + "."

    def turn(name: str) -> str:
        return prefix + name if _COUNTED_TURN.fullmatch(name) else name

    def thread(name: str) -> str:
        return prefix + name if _COUNTED_THREAD.fullmatch(name) else name

    def path(place: str) -> str:
        top, slash, rest = place.partition("/")
        name, *below = rest.split("/", 1)
        return "/".join([top, turn(name), *below]) if slash and top == "turns" else place

    part: dict[str, Any] = dict(frame)
    part = _with(part, ["turns", "[]", "picked", "{}"], turn)
    if part.get("events"):
        part["events"] = [_renamed(event, turn, thread) for event in part["events"]]
    for places, renamed in ((_TURN_PLACES, turn), (_THREAD_PLACES, thread), (_PATH_PLACES, path)):
        for place in places:
            part = _with(part, place.replace("[]", ".[]").split("."), renamed)
    for redaction, before in zip(part.get("redactions", []), frame.get("redactions", []), strict=True):
        if redaction["where"] != before["where"]:
            redaction["id"] = item_id("redaction", redaction["where"], redaction["rule"])
    named = MergedFrom(id=frame["id"], topic=frame["topic"])
    for key in ("session", "boundary", "git"):
        if part.get(key):
            named[key] = part[key]
    return cast(Frame, {**part, "merged_from": [named]})


def joined_head(ours: Frame, theirs: Frame) -> dict[str, Any]:
    """Id, topic, title, goal and session of the frame that two parts make.

    Where one part was made of the other it keeps its own.
    """
    leaves = [leaf_ids(frame) for frame in (ours, theirs)]
    head: dict[str, Any] = {"id": merged_id(leaves[0] | leaves[1])}
    if leaves[0] != leaves[1]:
        for frame, outer, inner in ((ours, leaves[0], leaves[1]), (theirs, leaves[1], leaves[0])):
            if inner < outer:
                return head | {key: frame.get(key, ABSENT) for key in (*_JOINED, "session")}
    for key, glue in _JOINED.items():
        texts = {text for frame in (ours, theirs) for text in str(frame.get(key, "")).split(glue) if text}
        head[key] = glue.join(sorted(texts)) or (ABSENT if key != "topic" else "")
    head["session"] = _shared_session(ours, theirs) or ABSENT
    return head


def leaf_ids(frame: Frame) -> set[str]:
    """The ids of the single sessions' frames that this one was made of."""
    return {part["id"] for part in frame.get("merged_from", [])} or {frame["id"]}


def _shared_session(ours: Frame, theirs: Frame) -> dict[str, Any]:
    """What both sessions have in common, and the models of both."""
    one, other = cast(dict[str, Any], ours.get("session", {})), cast(dict[str, Any], theirs.get("session", {}))
    shared = {key: value for key, value in one.items() if key in other and same(value, other[key])}
    models = in_order(one.get("models", []), other.get("models", []), str)
    return {**shared, "models": models} if models else shared


def _with(value: Any, steps: list[str], change: Callable[[str], str]) -> Any:
    """A copy of the value in which the texts at a place are changed."""
    if not steps:
        return change(value)
    step, *rest = steps
    if step == "[]":
        return [_with(item, rest, change) for item in value]
    if step == "{}":
        return {key: _with(item, rest, change) for key, item in value.items()}
    return {**value, step: _with(value[step], rest, change)} if step in value else value


# What names a turn or a thread in the data of an event, whatever it tells of.
_TURN_KEYS: Final = ("turn", "turns", "from_turn", "last")
_THREAD_KEYS: Final = ("thread", "parent", "left", "into")


def _renamed(event: Any, turn: Callable[[str], str], thread: Callable[[str], str]) -> Any:
    """The event, what its data says of turns and threads named as they are in the merged frame."""

    def renamed(value: Any, key: str) -> Any:
        if isinstance(value, dict):
            picks = value.get("key") == "picked"
            return {
                name: {thread_name: turn(last) for thread_name, last in item.items()}
                if picks and name in ("from", "to")
                else renamed(item, name)
                for name, item in value.items()
            }
        if isinstance(value, list):
            return [renamed(item, key) for item in value]
        if isinstance(value, str) and key in _TURN_KEYS:
            return turn(value)
        return thread(value) if isinstance(value, str) and key in _THREAD_KEYS else value

    return {**event, "data": renamed(event["data"], "data")} if "data" in event else event
