"""One frame as several: each part holds its own turns, and with them all that rests on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, cast

from session_frames.model import Boundary, Frame, Turn, frame_id
from session_frames.operations.boundaries import new_words, topic_of_words
from session_frames.operations.extract.topic import goal_of, title_of
from session_frames.operations.slim import slim
from session_frames.operations.touched_files import files_of

FIRST: Final = 0
LAST: Final = -1

# Key -> the turns that an entry of its list names (any of them will do), and the part for one that names none.
_Names = Callable[[Any], Sequence[str]]
_LISTS: Final[dict[str, tuple[_Names, int]]] = {
    "decisions": (lambda item: [one["turn"] for one in item.get("evidence", [])], FIRST),
    "constraints": (lambda item: [one["turn"] for one in item.get("evidence", [])], FIRST),
    "open_questions": (lambda item: [one["turn"] for one in item.get("evidence", [])], FIRST),
    "next_steps": (lambda item: [one["turn"] for one in item.get("evidence", [])], FIRST),
    "verification": (lambda check: [check.get("turn", "")], LAST),
    "unverified": (lambda claim: [claim.get("turn", "")], LAST),
    "tool_results": (lambda result: [result.get("turn", "")], LAST),
    "checkpoints": (lambda checkpoint: [checkpoint["turn"]], LAST),
    "compactions": (lambda compaction: compaction.get("turns", [])[-1:], LAST),
    "redactions": (lambda redaction: redaction["where"].split("/")[1:2], FIRST),
    "elided": (lambda elision: elision.get("where", "").split("/")[1:2], LAST),
    "skipped_records": (lambda record: [], LAST),
    "merged_from": (lambda merged: [], FIRST),
    "merge_conflicts": (lambda conflict: conflict["where"].split("/")[1:2], FIRST),
}
_ITEMS: Final = ("decisions", "constraints", "open_questions", "next_steps")


def split_frame(frame: Frame, starts: Sequence[str]) -> list[Frame]:
    """The frame cut before each of these turns; the frame itself, alone, where none of them is within it.

    What was read from the whole session stays true in each part: a decision that a later part took back is no standing
    one in the earlier. An item goes to the part that holds the words it rests on first, and keeps of its evidence what
    stands there.
    """
    turns = frame.get("turns", [])
    cuts = [at for at, turn in enumerate(turns) if at and turn["id"] in set(starts)]
    if not cuts:
        return [frame]
    pieces = [turns[start:end] for start, end in zip([0, *cuts], [*cuts, len(turns)], strict=True)]
    place = {turn["id"]: number for number, piece in enumerate(pieces) for turn in piece}
    _place_items(frame, place)
    parts = [_part(frame, pieces, number, place) for number in range(len(pieces))]
    return [slim(cast(Frame, {key: value for key, value in part.items() if value})) for part in parts]


def _place_items(frame: Frame, place: dict[str, int]) -> None:
    """Let redactions and events find the part of an item by its id, as they find that of a turn."""
    for key in _ITEMS:
        for item in cast(dict[str, Any], frame).get(key, []):
            named = [place[turn] for turn in _LISTS[key][0](item) if turn in place]
            place.setdefault(item["id"], named[0] if named else 0)


def _part(frame: Frame, pieces: Sequence[list[Turn]], number: int, place: dict[str, int]) -> dict[str, Any]:
    turns, last = pieces[number], len(pieces) - 1
    part: dict[str, Any] = {**frame, "turns": turns, "files": files_of(turns)}
    for key, (named, otherwise) in _LISTS.items():
        fallback = last if otherwise == LAST else 0
        entries = cast(dict[str, Any], frame).get(key, [])
        part[key] = [entry for entry in entries if _place_of(named(entry), place, fallback) == number]
    for key in _ITEMS:
        part[key] = [_with_evidence_of(item, number, place) for item in part[key]]
    part["events"] = [event for event in frame.get("events", []) if _place_of(_names(event), place, 0) == number]
    threads, own = {turn.get("thread") for turn in turns}, {turn["id"] for turn in turns}
    kept = [one for one in frame.get("threads", []) if one["name"] in threads or one.get("from_turn") in own]
    part["threads"] = kept
    if part.get("thread") not in {thread["name"] for thread in kept}:
        part.pop("thread", None)
    part["boundary"] = _boundary(frame, turns, number, last)
    if number:
        words = new_words(turns[0].get("text", ""))
        session = frame.get("session", {})
        part["id"] = frame_id(session.get("agent", ""), session.get("session_id", ""), turns[0]["id"])
        part["topic"], part["title"], part["goal"] = topic_of_words(words), title_of(words), goal_of(words)
    return part


def _place_of(names: Sequence[str], place: dict[str, int], otherwise: int) -> int:
    return next((place[name] for name in names if name in place), otherwise)


def _names(event: Any) -> list[str]:
    """What an event of an edit is about: turns, or an item."""
    data = event.get("data")
    item = data.get("id") if isinstance(data, dict) else None
    return [*event.get("turns", []), *([item] if isinstance(item, str) else [])]


def _with_evidence_of(item: dict[str, Any], number: int, place: dict[str, int]) -> dict[str, Any]:
    """The item with the evidence that stands in its own part; what was said in other parts is found there."""
    evidence = item.get("evidence", [])
    own = [one for one in evidence if place.get(one["turn"], number) == number]
    return item if own == evidence else {**item, "evidence": own}


def _boundary(frame: Frame, turns: Sequence[Turn], number: int, last: int) -> Boundary:
    whole = frame.get("boundary", {})
    times = [turn["at"] for turn in turns if turn.get("at")]
    boundary = Boundary(first=turns[0]["id"], last=turns[-1]["id"])
    boundary["start"] = "topic-shift" if number else whole.get("start", "session")
    boundary["end"] = whole.get("end", "session") if number == last else "topic-shift"
    started = (times[0] if times else "") if number else whole.get("started_at", "")
    if started:
        boundary["started_at"] = started
    if times:
        boundary["ended_at"] = max(times)
    return boundary
