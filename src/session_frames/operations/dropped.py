"""Texts of the agent that a compaction left out of the file; its summary stands for them. Never the user's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, cast

from session_frames.model import Call, Elision, Frame, Turn, digest
from session_frames.operations.context_edits import ITEM_LISTS
from session_frames.operations.slim import left_out_mark

REASON: Final = "agent text left out by a compaction"


def without_texts(frame: Frame, turns: Iterable[str]) -> tuple[Frame, list[str]]:
    """The frame without the agent's texts in these turns, each counted in ``elided`` with its digest; and which turns.

    A text that an item quotes stays, and one that is shorter than what would stand for it.
    """
    wanted = set(turns) - _quoted(frame)
    elided = list(frame.get("elided", []))
    changed: list[Turn] = []
    dropped: list[str] = []
    for turn in frame["turns"]:
        text = turn.get("text", "")
        if turn["id"] in wanted and turn["role"] != "user" and len(left_out_mark(text)) < len(text):
            dropped.append(turn["id"])
            elided.append(
                Elision(reason=REASON, where=_place(turn["id"]), count=1, chars=len(text), digest=digest(text))
            )
            turn = _without_text(turn)
        changed.append(turn)
    told: dict[str, Any] = {**frame, "turns": changed}
    if elided:
        told["elided"] = elided
    return cast(Frame, told), dropped


def _quoted(frame: Frame) -> set[str]:
    return {
        evidence["turn"]
        for key in ITEM_LISTS
        for item in cast(dict[str, Any], frame).get(key, [])
        for evidence in item.get("evidence", [])
    }


def _without_text(turn: Turn) -> Turn:
    shorter = left_out_mark(turn.get("text", ""))
    # Where in the text a call came cannot be told any more, only its order.
    calls = [cast(Call, {**call, "after": min(call.get("after", 0), len(shorter))}) for call in turn.get("calls", [])]
    kept = {key: value for key, value in turn.items() if key != "reasoning"}
    return cast(Turn, {**kept, "text": shorter, **({"calls": calls} if calls else {})})


def _place(turn: str) -> str:
    return f"turns/{turn}/text"


def is_dropped(text: str, whole: str) -> bool:
    """Is ``text`` what stands in place of the ``whole`` one?"""
    return bool(whole) and text == left_out_mark(whole)


def records_of_dropped(elided: Iterable[Elision], turns: Sequence[Turn]) -> list[Elision]:
    """Those of the records that are still true: the turn's text is what stands in its place."""
    marks = {_place(turn["id"]): turn.get("text", "") for turn in turns}
    return [
        record
        for record in elided
        if record["reason"] == REASON
        and f"digest {record.get('digest', '')} …]" in marks.get(record.get("where", ""), "")
    ]
