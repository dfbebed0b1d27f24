"""Reading a session again: what its transcript says now, with what people did to the frame meanwhile."""

from __future__ import annotations

from typing import Any, cast

from session_frames.model import Compaction, Event, Frame, Turn, item_id
from session_frames.operations.touched_files import files_of

# What people and agents set on a turn after it was read; the transcript knows nothing of it.
_KEPT_ON_TURNS = ("pinned", "pruned", "compacted", "annotation", "note")
# What belongs to the frame and not to the transcript.
_KEPT_ON_FRAME = ("title", "goal", "tool_results", "checkpoints", "events", "merged_from", "merge_conflicts")
# What is done to an item after it was read; the last of them counts.
_BY_HAND = ("decide", "ask", "answer", "edit", "propose", "drop")
# The lists of what was found or noted in a session.
ITEMS = ("decisions", "constraints", "open_questions", "next_steps")


def renew(old: Frame, new: Frame) -> tuple[Frame, int]:
    """The frame after its session was read again, and how many turns the source does not hold any more.

    Turns stay by id: pins, notes and marks with them; a turn that the source lost, or holds a shorter form of, stays as
    it was. Items that a person made, changed or removed (an event says so) stay so, the others are found anew. With the
    same turns nothing else changes, so that reading the same session twice gives the same bytes.
    """
    turns, lost = _renewed_turns(old.get("turns", []), new.get("turns", []))
    frame: dict[str, Any] = {**_strangers(old), **new}
    for key in _KEPT_ON_FRAME:
        if key in old:
            frame[key] = cast(dict[str, Any], old)[key]
    frame["topic"] = old["topic"]
    for key in ITEMS:
        frame[key] = _renewed_items(cast(dict[str, Any], old), cast(dict[str, Any], new), key)
    parent = old.get("session", {}).get("parent")
    if parent:
        frame["session"] = {**frame.get("session", {}), "parent": parent}
    frame["compactions"] = _renewed_compactions(old, new, lost)
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
    return cast(Frame, frame), lost


def _strangers(old: Frame) -> dict[str, Any]:
    return {key: value for key, value in old.items() if key not in Frame.__annotations__}


def _renewed_turns(old: list[Turn], new: list[Turn]) -> tuple[list[Turn], int]:
    known = {turn["id"]: turn for turn in old}
    fresh = {turn["id"] for turn in new}
    renewed = [_renewed_turn(known.get(turn["id"]), turn) for turn in new]
    missing = [turn for turn in old if turn["id"] not in fresh]
    if not missing:
        return renewed, 0
    if not renewed or old[: len(renewed)] == renewed or fresh <= set(known):
        order = {turn["id"]: turn for turn in renewed}
        return [order.get(turn["id"], turn) for turn in old], len(missing)
    return [*missing, *renewed], len(missing)


def _renewed_turn(old: Turn | None, new: Turn) -> Turn:
    if old is None:
        return new
    marks = {key: value for key, value in old.items() if key in _KEPT_ON_TURNS or key not in Turn.__annotations__}
    if _went_on(old, new):
        marks.pop("compacted", None)  # the summary does not know the rest of the turn
    whole = old if _is_longer(old, new) else new
    kept = {key: value for key, value in whole.items() if key not in _KEPT_ON_TURNS}
    return cast(Turn, {**kept, **marks})


def _is_longer(old: Turn, new: Turn) -> bool:
    """Does the old form hold more of the turn than the new one, as after a source was cut?"""
    old_text, new_text = old.get("text", ""), new.get("text", "")
    shrunk = len(new_text) < len(old_text) and old_text.startswith(new_text)
    return shrunk or (old_text == new_text and len(old.get("calls", [])) > len(new.get("calls", [])))


def _went_on(old: Turn, new: Turn) -> bool:
    old_text, new_text = old.get("text", ""), new.get("text", "")
    grown = len(new_text) > len(old_text) and new_text.startswith(old_text)
    return grown or len(new.get("calls", [])) > len(old.get("calls", []))


def _renewed_items(old: dict[str, Any], new: dict[str, Any], key: str) -> list[Any]:
    """What was found in the text now, and what a person made or changed by hand; what a person dropped stays away."""
    last_done = {
        event["data"].get("id"): event.get("kind")
        for event in old.get("events", [])
        if isinstance(event.get("data"), dict) and event.get("kind") in _BY_HAND
    }
    dropped = {item for item, kind in last_done.items() if kind == "drop"}
    kept = {item["id"]: item for item in old.get(key, []) if item["id"] in last_done or not item.get("evidence")}
    found = [kept.pop(item["id"], item) for item in new.get(key, []) if item["id"] not in dropped]
    return [*found, *kept.values()]


def with_hand_edits_noted(old: Frame, written: Frame | None, at: str) -> Frame:
    """The frame with an event for each item that somebody changed, added or removed in its file.

    ``written`` is the frame as it was last written here; where it is missing or of other turns, what the turns give
    is compared. ``at`` is the present moment.
    """
    from session_frames.operations.extract import extract  # slow to load: hooks read sessions again as well

    before = cast(dict[str, Any], old)
    if written is None or written.get("turns", []) != old.get("turns", []):
        written = cast(
            Frame, extract(old.get("turns", []), topic=old["topic"], verification=old.get("verification", []))
        )
    known = {(event.get("kind"), str(event.get("data"))) for event in old.get("events", [])}
    noted: list[Event] = []
    for key in ITEMS:
        then = {item["id"]: item for item in cast(dict[str, Any], written).get(key, [])}
        now = {item["id"]: item for item in before.get(key, [])}
        for name in [*now, *(name for name in then if name not in now)]:
            if now.get(name) == then.get(name):
                continue
            kind, data = ("edit" if name in now else "drop"), {"id": name, "item": key}
            if (kind, str(data)) not in known:
                noted.append(Event(id=item_id("event", kind + name, at), at=at, kind=kind, by="user", data=data))
    return cast(Frame, {**old, "events": [*old.get("events", []), *noted]}) if noted else old


def _renewed_compactions(old: Frame, new: Frame, lost: int) -> list[Compaction]:
    """Those of the older form, and those that are new; what one stands for is told by the newer, if it holds all."""
    found = {compaction["id"]: compaction for compaction in new.get("compactions", [])}
    told = {} if lost else {id: compaction for id, compaction in found.items() if "turns" in compaction}
    kept = [Compaction({**one, **told.get(one["id"], one)}) for one in old.get("compactions", [])]
    known = {compaction["id"] for compaction in kept}
    return [*kept, *(compaction for id, compaction in found.items() if id not in known)]
