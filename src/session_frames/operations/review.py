"""Going through what was found in a session: the candidates with the words they rest on, and what a person answered.

An answer is a value; applying it changes the item and records an event, so that reading the session again keeps what
the person did: what was dropped stays away, what was edited stays as it is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple, cast

from session_frames.model import Frame
from session_frames.operations.context_edits import Place, Value, record, with_values
from session_frames.operations.fence import line_shown

LISTS: Final[dict[str, str]] = {
    "decisions": "decision",
    "constraints": "constraint",
    "open_questions": "question",
    "next_steps": "next step",
}
_AROUND: Final = 60  # characters of the turn that are shown on each side of a quote


class Candidate(NamedTuple):
    """One item of a frame, as a person is asked about it."""

    kind: str
    item: dict[str, Any]


class Answer(NamedTuple):
    """What a person did to an item; ``text`` is the new text of an edited one."""

    kind: Literal["edit", "drop"]
    text: str = ""


def candidates(frame: Frame) -> list[Candidate]:
    """The items of a frame, list by list."""
    return [Candidate(name, item) for key, name in LISTS.items() for item in cast(dict[str, Any], frame).get(key, [])]


def candidate_lines(frame: Frame, candidate: Candidate, number: int, of: int) -> Iterator[str]:
    """A candidate with each of its quotes, who said it, in which turn, and the words around it."""
    item = candidate.item
    doubt = ", not verified" if item.get("verified") is False else ""
    yield f"{candidate.kind} {number} of {of} [{item['status']}, by {item['by']}{doubt}]"
    yield f"  {line_shown(item['text'])}"
    if item.get("answer"):
        yield f"  → {line_shown(item['answer'])}"
    turns = {turn["id"]: (at, turn) for at, turn in enumerate(frame.get("turns", []), 1)}
    for evidence in item.get("evidence", []):
        at, turn = turns.get(evidence["turn"], (0, None))
        if turn is None:
            yield f"    no such turn: “{line_shown(evidence['quote'])}”"
            continue
        words = _with_neighbours(turn.get("text", ""), evidence["quote"])
        if words:
            yield f"    {turn['role']}, turn {at}: {words}"
        else:
            yield f"    {turn['role']}, turn {at}, quote not found in it: “{line_shown(evidence['quote'])}”"


def _with_neighbours(text: str, quote: str) -> str:
    """The quote between the words around it, on one line; "" where it does not stand in the text."""
    start = text.find(quote) if quote else -1
    if start < 0:
        return ""
    end = start + len(quote)
    before = ("…" if start > _AROUND else "") + text[max(0, start - _AROUND) : start]
    after = text[end : end + _AROUND] + ("…" if end + _AROUND < len(text) else "")
    return line_shown(f"{before}“{quote}”{after}")


def with_answers(frame: Frame, answers: Mapping[str, Answer], now: str) -> Frame:
    """The frame after the answers to its items; those to items that it does not hold are passed over."""
    for key in LISTS:
        for item in cast(dict[str, Any], frame).get(key, []):
            answer = answers.get(item["id"])
            if answer is None:
                continue
            edited = answer.kind == "edit"
            data = {"id": item["id"], **({"text": answer.text} if edited else {})}
            new = {**item, "text": answer.text} if edited else None
            changed = with_values(frame, {Place("record", key, item["id"], ""): Value(new)})
            frame = record(changed, answer.kind, turns=_cited(item), data=data, at=now, was=frame)
    return frame


def with_proposals_noted(frame: Frame, ids: Collection[str], now: str) -> Frame:
    """The frame with an event for each item that was proposed and taken, so that reading it again keeps these."""
    known = {event["data"].get("id") for event in frame.get("events", []) if isinstance(event.get("data"), dict)}
    for candidate in candidates(frame):
        name = candidate.item["id"]
        if name in ids and name not in known:
            turns = _cited(candidate.item)
            frame = record(frame, "propose", turns=turns, data={"id": name}, at=now, by="pipeline")
    return frame


def _cited(item: dict[str, Any]) -> list[str]:
    """The turns that an item rests on."""
    return list(dict.fromkeys(evidence["turn"] for evidence in item.get("evidence", [])))
