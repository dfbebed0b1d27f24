"""Going through what was found in a session: the candidates with the words they rest on, and what a person answered.

An answer is a value; applying it changes the item and records an event, so that reading the session again keeps what
the person did: what was dropped stays away, what was edited stays as it is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, cast

from session_frames.model import By, Event, Frame, item_id
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
    changed: dict[str, Any] = {**frame}
    events: list[Event] = []
    for key in LISTS:
        items = []
        for item in changed.get(key, []):
            answer = answers.get(item["id"])
            if answer is None:
                items.append(item)
                continue
            data = {"id": item["id"], **({"text": answer.text} if answer.kind == "edit" else {})}
            events.append(_event(answer.kind, item, data, now, "user"))
            if answer.kind == "edit":
                items.append({**item, "text": answer.text})
        if key in changed:
            changed[key] = items
    return _with_events(changed, events)


def with_proposals_noted(frame: Frame, ids: Collection[str], now: str) -> Frame:
    """The frame with an event for each item that was proposed and taken, so that reading it again keeps these."""
    known = {event["data"].get("id") for event in frame.get("events", []) if isinstance(event.get("data"), dict)}
    events = [
        _event("propose", candidate.item, {"id": candidate.item["id"]}, now, "pipeline")
        for candidate in candidates(frame)
        if candidate.item["id"] in ids and candidate.item["id"] not in known
    ]
    return _with_events({**frame}, events)


def _event(kind: str, item: dict[str, Any], data: dict[str, str], now: str, by: By) -> Event:
    turn = next((evidence["turn"] for evidence in item.get("evidence", [])), "")
    return Event(id=item_id(f"event {kind} {now}", turn, item["id"]), at=now, kind=kind, by=by, data=data)


def _with_events(changed: dict[str, Any], events: Sequence[Event]) -> Frame:
    if events:
        changed["events"] = [*changed.get("events", []), *events]
    return cast(Frame, {key: value for key, value in changed.items() if value or key not in LISTS})
