"""Reading a session again: what its transcript says now, with what people did to the frame meanwhile."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, cast

from session_frames.model import MAIN_THREAD, Call, Compaction, Event, Frame, Turn
from session_frames.operations.context_edits import (
    CALL_MARKS,
    ITEM_LISTS,
    Place,
    Value,
    marked_as,
    moment_of,
    record,
    replayed,
    steps,
    with_values,
)
from session_frames.operations.dropped import is_dropped, records_of_dropped
from session_frames.operations.threads import REWOUND, current_thread
from session_frames.operations.touched_files import files_of

# What people and agents set on a turn after it was read; the transcript knows nothing of it.
_KEPT_ON_TURNS = ("pinned", "pruned", "compacted", "annotation", "note", "picked")
# What belongs to the frame and not to the transcript.
_KEPT_ON_FRAME = ("title", "goal", "tool_results", "thread", "checkpoints", "merged_from", "merge_conflicts")
# What is done to an item after it was read; the last of them counts.
_BY_HAND = ("decide", "ask", "answer", "edit", "propose", "drop")


def renew(old: Frame, new: Frame) -> tuple[Frame, int]:
    """The frame after its session was read again, and how many turns the source does not hold any more.

    Turns stay by id: pins, notes and marks with them; a turn that the source lost, or holds a shorter form of, stays as
    it was. Items that a person made, changed or removed (an event says so) stay so, the others are found anew. What was
    said since belongs to the thread that was current. Edits that only ``new`` has are made again. With the same turns
    nothing else changes, so that reading the same session twice gives the same bytes.
    """
    # A form with edits of its own has put its turns into threads already.
    thread = MAIN_THREAD if new.get("events") else current_thread(old)
    turns, lost = _renewed_turns(old.get("turns", []), new.get("turns", []), thread)
    frame: dict[str, Any] = {**_strangers(old), **new}
    for key in _KEPT_ON_FRAME:
        if key in old:
            frame[key] = cast(dict[str, Any], old)[key]
        elif key in _emptied(old):
            frame.pop(key, None)
    frame["topic"] = old["topic"]
    for key in ITEM_LISTS:
        frame[key] = _renewed_items(cast(dict[str, Any], old), cast(dict[str, Any], new), key)
    parent = old.get("session", {}).get("parent")
    if parent:
        frame["session"] = {**frame.get("session", {}), "parent": parent}
    frame["compactions"] = _renewed_compactions(old, new, lost)
    frame["threads"] = _renewed_threads(old, new, turns)
    frame["turns"] = turns
    frame["files"] = files_of(turns)
    if lost or turns == old.get("turns", []):
        # Nothing new was said: when and where it was read says nothing about the session.
        for key in (
            "boundary",
            "git",
            "verification",
            "unverified",
            "skipped_records",
            "redactions",
            "elided",
            "session",
        ):
            if key in old:
                frame[key] = cast(dict[str, Any], old)[key]
            else:
                frame.pop(key, None)
    else:
        frame["elided"] = [*new.get("elided", []), *records_of_dropped(old.get("elided", []), turns)]
        if "git" in old and _ends_alike(old, new):
            frame["git"] = old["git"]  # words that were changed in the file came back, nothing was said since
    frame["events"] = old.get("events", [])
    return with_edits(cast(Frame, frame), new), lost


def _emptied(frame: Frame) -> set[str]:
    """The fields that the last edit of them left empty."""
    last = {
        step.place.key: step.after.held
        for event in frame.get("events", [])
        for step in steps(event)
        if step.place.of == "field"
    }
    return {key for key, held in last.items() if held is None}


def _ends_alike(old: Frame, new: Frame) -> bool:
    """Are both of the same turns, and the last was said at the same time?"""
    then, now = ([turn["id"] for turn in frame.get("turns", [])] for frame in (old, new))
    ended = old.get("boundary", {}).get("ended_at")
    return then == now and bool(ended) and ended == new.get("boundary", {}).get("ended_at")


def with_edits(frame: Frame, other: Frame) -> Frame:
    """The frame after the edits that only ``other`` knows, in the order of all; a later edit of one place wins."""
    events, own = frame.get("events", []), other.get("events", [])
    known = {event["id"] for event in events}
    missing = [event for event in own if event["id"] not in known]
    if not missing:
        return frame
    merged = [*events, *missing]
    if not known <= {event["id"] for event in own}:
        merged.sort(key=lambda event: (moment_of(event["at"]) is not None, moment_of(event["at"]), event["id"]))
    first = min(merged.index(event) for event in missing)
    return replayed(cast(Frame, {**frame, "events": merged}), merged[first:])


def _renewed_threads(old: Frame, new: Frame, turns: list[Turn]) -> list[Any]:
    """What the source tells, and the threads that people made; a rewound one stays as long as a turn is in it."""
    told = {thread["name"] for thread in new.get("threads", [])}
    used = {turn.get("thread") for turn in turns}
    kept = [thread for thread in old.get("threads", []) if thread["name"] not in told]
    return [
        *new.get("threads", []),
        *(one for one in kept if not REWOUND.fullmatch(one["name"]) or one["name"] in used),
    ]


def _strangers(old: Frame) -> dict[str, Any]:
    return {key: value for key, value in old.items() if key not in Frame.__annotations__}


def _renewed_turns(old: list[Turn], new: list[Turn], thread: str) -> tuple[list[Turn], int]:
    known = {turn["id"]: turn for turn in old}
    fresh = {turn["id"] for turn in new}
    renewed = [_renewed_turn(known.get(turn["id"]), turn, thread) for turn in new]
    missing = [turn for turn in old if turn["id"] not in fresh]
    if not missing:
        return renewed, 0
    if not renewed or old[: len(renewed)] == renewed or fresh <= set(known):
        order = {turn["id"]: turn for turn in renewed}
        return [order.get(turn["id"], turn) for turn in old], len(missing)
    return [*missing, *renewed], len(missing)


def _renewed_turn(old: Turn | None, new: Turn, thread: str) -> Turn:
    if old is None:
        return new if new.get("thread") or thread == MAIN_THREAD else cast(Turn, {**new, "thread": thread})
    marks = {key: value for key, value in old.items() if key in _KEPT_ON_TURNS or key not in Turn.__annotations__}
    if _went_on(old, new):
        marks.pop("compacted", None)  # the summary does not know the rest of the turn
    whole = old if _is_longer(old, new) else new
    kept = {key: value for key, value in whole.items() if key not in _KEPT_ON_TURNS}
    # What the agent rewound stays rewound; else a turn stays in the thread in which it was said.
    own = new.get("thread") or ("" if REWOUND.fullmatch(old.get("thread", "")) else old.get("thread", ""))
    kept.pop("thread", None)
    turn = cast(Turn, {**kept, **marks, **({"thread": own} if own else {})})
    return turn if whole is old else _with_call_marks(old, turn)


def _with_call_marks(old: Turn, turn: Turn) -> Turn:
    marks = {
        call["id"]: {key: cast(dict[str, Any], call)[key] for key in CALL_MARKS if key in call}
        for call in old.get("calls", [])
    }
    if not any(marks.values()):
        return turn
    calls: list[Call] = [marked_as(call, marks.get(call["id"], {})) for call in turn.get("calls", [])]
    return cast(Turn, {**turn, "calls": calls})


def _is_longer(old: Turn, new: Turn) -> bool:
    """Does the old form hold more of the turn than the new one, as after a source was cut?

    What was left out of the old one on purpose stays left out.
    """
    old_text, new_text = old.get("text", ""), new.get("text", "")
    if is_dropped(old_text, new_text):
        return len(new.get("calls", [])) <= len(old.get("calls", []))
    shrunk = len(new_text) < len(old_text) and old_text.startswith(new_text)
    return shrunk or (old_text == new_text and len(old.get("calls", [])) > len(new.get("calls", [])))


def _went_on(old: Turn, new: Turn) -> bool:
    old_text, new_text = old.get("text", ""), new.get("text", "")
    grown = len(new_text) > len(old_text) and new_text.startswith(old_text)
    return grown or len(new.get("calls", [])) > len(old.get("calls", []))


def _renewed_items(old: dict[str, Any], new: dict[str, Any], key: str) -> list[Any]:
    """What was found in the text now, and what a person made or changed by hand; what a person dropped stays away."""
    last_done: dict[str, str] = {}
    for event in old.get("events", []):
        if isinstance(event.get("data"), dict) and event["kind"] in _BY_HAND:
            last_done[event["data"].get("id", "")] = event["kind"]
        for step in steps(event):
            if step.place.holder == key:
                last_done[step.place.within] = "drop" if step.after.held is None else event["kind"]
    dropped = {item for item, kind in last_done.items() if kind == "drop"}
    kept = {item["id"]: item for item in old.get(key, []) if item["id"] in last_done or not item.get("evidence")}
    found = [kept.pop(item["id"], item) for item in new.get(key, []) if item["id"] not in dropped]
    return [*found, *kept.values()]


def with_hand_edits_noted(
    old: Frame, written: Frame | None, at: str, said: Mapping[str, Turn] = MappingProxyType({})
) -> Frame:
    """The frame with an event for each item that somebody changed, added or removed in its file.

    ``written`` is the frame as it was last written here; where it is missing or of other turns, what the turns give
    is compared: as they stand in the file, and with the user's words as they were ``said`` (turns by id), for what
    comes of words that were changed in the file is no edit of an item. ``at`` is the present moment.
    """
    before = cast(dict[str, Any], old)
    if written is not None and written.get("turns", []) == old.get("turns", []):
        given = [cast(dict[str, Any], written)]
    else:
        given = _given_by_turns(old, said)
    recorded = {step.place: step.after.held for event in old.get("events", []) for step in steps(event)}
    known = {(event["kind"], event["data"].get("id")) for event in old.get("events", []) if _tells(event)}
    frame = old
    for key in ITEM_LISTS:
        sides = [{item["id"]: item for item in side.get(key, [])} for side in given]
        then, now = sides[0], {item["id"]: item for item in before.get(key, [])}
        for name in [*now, *(name for name in then if name not in now)]:
            kind, place = ("edit" if name in now else "drop"), Place("record", key, name, "")
            if any(now.get(name) == side.get(name) for side in sides) or (
                place in recorded and recorded[place] == now.get(name)
            ):
                continue
            if (kind, name) not in known or place in recorded:
                was = with_values(frame, {place: Value(then.get(name))})
                frame = record(frame, kind, data={"id": name, "item": key}, at=at, was=was)
    return frame


def _given_by_turns(frame: Frame, said: Mapping[str, Turn]) -> list[dict[str, Any]]:
    """What the turns give; where words of the user are others than were said, what these give comes first."""
    from session_frames.operations.extract import extract  # slow to load: hooks read sessions again as well

    turns = frame.get("turns", [])
    heard = [said.get(turn["id"], turn) if turn["role"] == "user" else turn for turn in turns]
    reworded = any(one.get("text") != other.get("text") for one, other in zip(turns, heard, strict=True))
    return [
        cast(dict[str, Any], extract(words, topic=frame["topic"], verification=frame.get("verification", [])))
        for words in ([heard, turns] if reworded else [turns])
    ]


def _tells(event: Event) -> bool:
    return isinstance(event.get("data"), dict)


def _renewed_compactions(old: Frame, new: Frame, lost: int) -> list[Compaction]:
    """Those of the older form, and those that are new; what one stands for is told by the newer, if it holds all."""
    found = {compaction["id"]: compaction for compaction in new.get("compactions", [])}
    told = {} if lost else {id: compaction for id, compaction in found.items() if "turns" in compaction}
    kept = [Compaction({**one, **told.get(one["id"], one)}) for one in old.get("compactions", [])]
    known = {compaction["id"] for compaction in kept}
    return [*kept, *(compaction for id, compaction in found.items() if id not in known)]
