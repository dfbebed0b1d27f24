"""What a person notes or mends by hand: decisions, questions, answers; topic, title, goal; an item's text and state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, cast, get_args

from session_frames.errors import UsageError
from session_frames.model import By, DecisionStatus, Frame, QuestionStatus, StepStatus, Turn, item_id
from session_frames.operations.context_edits import ITEM_LISTS, record
from session_frames.operations.fence import line_shown
from session_frames.operations.threads import turns_of_thread

# List -> what one item is called, and the states that it can be in.
ITEMS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "decisions": ("decision", get_args(DecisionStatus)),
    "constraints": ("constraint", get_args(DecisionStatus)),
    "open_questions": ("question", get_args(QuestionStatus)),
    "next_steps": ("step", get_args(StepStatus)),
}
FIELDS: Final = ("topic", "title", "goal")
_LONGEST_QUOTE: Final = 200


class ItemEdit(NamedTuple):
    """A new text and state of an item; "" leaves it."""

    id: str
    text: str = ""
    status: str = ""


def decide(frame: Frame, text: str, turn: str, supersedes: str, by: By, at: str) -> Frame:
    """The frame with a decision; it rests on the words of this turn, and replaces an earlier one.

    Without a turn ("") it rests on the user's last one that holds the text letter for letter, if there is one: what an
    agent notes is the user's only then.
    """
    evidence, role = _evidence(frame, text, turn)
    quoted = bool(evidence) and text in evidence[0]["quote"] and role == "user"
    old = find_item(frame, supersedes, ("decisions",))[1] if supersedes else None
    item: dict[str, Any] = {"id": item_id("decision", evidence[0]["turn"] if evidence else "", text), "text": text}
    _require_new(frame, "decisions", item["id"], text)
    if old is not None and old.get("subject"):
        item["subject"] = old["subject"]
    item |= {"status": "accepted", "by": "user" if quoted else by}
    if evidence:
        item["evidence"] = evidence
    decisions: list[Any] = list(frame.get("decisions", []))
    if old is not None:
        item["supersedes"] = old["id"]
        decisions = [{**one, "status": "overruled"} if one["id"] == old["id"] else one for one in decisions]
    changed = cast(Frame, {**frame, "decisions": [*decisions, item]})
    return record(changed, "decide", turns=_turns_of(item), data={"id": item["id"]}, at=at, by=by, was=frame)


def ask(frame: Frame, text: str, by: By, at: str) -> Frame:
    """The frame with an open question."""
    evidence, role = _evidence(frame, text, "")
    item: dict[str, Any] = {"id": item_id("question", evidence[0]["turn"] if evidence else "", text), "text": text}
    _require_new(frame, "open_questions", item["id"], text)
    item |= {"status": "open", "by": "user" if evidence and role == "user" else by}
    if evidence:
        item["evidence"] = evidence
    changed = cast(Frame, {**frame, "open_questions": [*frame.get("open_questions", []), item]})
    return record(changed, "ask", turns=_turns_of(item), data={"id": item["id"]}, at=at, by=by, was=frame)


def answer(frame: Frame, name: str, text: str, by: By, at: str) -> Frame:
    """The frame with this question answered."""
    _, item = find_item(frame, name, ("open_questions",))
    changed = _with_item(frame, "open_questions", {**item, "status": "answered", "answer": text})
    return record(changed, "answer", turns=_turns_of(item), data={"id": item["id"]}, at=at, by=by, was=frame)


def edit(frame: Frame, fields: Mapping[str, str], items: Sequence[ItemEdit], at: str) -> Frame:
    """The frame with these fields and items; one event for the fields, one for each item."""
    if "topic" in fields and not fields["topic"]:
        raise UsageError("the topic is blank", hint="give it a word")
    changed = cast(Frame, {**frame, **fields})
    frame = record(changed, "edit", at=at, was=frame)
    for wanted in items:
        key, item = find_item(frame, wanted.id, ITEM_LISTS)
        what, states = ITEMS[key]
        if wanted.status and wanted.status not in states:
            raise UsageError(f"no state of a {what}: '{wanted.status}'", hint=f"states: {', '.join(states)}")
        new = {**item, **({"text": wanted.text} if wanted.text else {})}
        new |= {"status": wanted.status} if wanted.status else {}
        changed = _with_item(frame, key, new)
        frame = record(changed, "edit", turns=_turns_of(item), data={"id": item["id"]}, at=at, was=frame)
    return frame


def find_item(frame: Frame, name: str, keys: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """The list and the item that the beginning of an id means; ``UsageError`` lists those there are."""
    found = [(key, item) for key, item in _items(frame, keys) if name and item["id"].startswith(name)]
    if len({item["id"] for _, item in found}) == 1:
        return found[0]
    what = ITEMS[keys[0]][0] if len(keys) == 1 else "item"
    if found:
        raise UsageError(f"'{name}' means {len(found)} {what}s:{_listed(found)}", hint="give more of the id")
    known = list(_items(frame, keys))
    listed = f"{what}s:{_listed(known)}" if known else f"the frame has no {what}s"
    raise UsageError(f"no such {what}: '{name}'", hint=listed)


def _items(frame: Frame, keys: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    for key in keys:
        yield from ((key, item) for item in cast(dict[str, Any], frame).get(key, []))


def _listed(items: Sequence[tuple[str, dict[str, Any]]]) -> str:
    return "".join(f"\n  {item['id']}  {line_shown(item['text'])[:80]}" for _, item in items[:10])


def _with_item(frame: Frame, key: str, item: Mapping[str, Any]) -> Frame:
    items = [item if one["id"] == item["id"] else one for one in cast(dict[str, Any], frame)[key]]
    return cast(Frame, {**frame, key: items})


def _require_new(frame: Frame, key: str, item: str, text: str) -> None:
    if any(one["id"] == item for one in cast(dict[str, Any], frame).get(key, [])):
        raise UsageError(f"'{line_shown(text)}' is noted already, as {item}", hint=f"frames edit --item {item}")


def _turns_of(item: Mapping[str, Any]) -> list[str]:
    return list(dict.fromkeys(one["turn"] for one in item.get("evidence", [])))


def _evidence(frame: Frame, text: str, turn: str) -> tuple[list[dict[str, str]], str]:
    """The words that a text rests on, and who said them: the text itself where the turn holds it, else its begin."""
    found = next((one for one in frame.get("turns", []) if one["id"] == turn), None) if turn else _who_said(frame, text)
    if found is None:
        return [], ""
    words = found.get("text", "")
    quote = text if text in words else words[:_LONGEST_QUOTE]
    return ([{"turn": found["id"], "quote": quote}] if quote else []), found["role"]


def _who_said(frame: Frame, text: str) -> Turn | None:
    for place in reversed(turns_of_thread(frame)):
        turn = frame["turns"][place]
        if turn["role"] == "user" and text in turn.get("text", ""):
            return turn
    return None
