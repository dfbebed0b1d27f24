"""Items that a model, or anybody else, proposes for a frame: what a proposer is given, and how each answer is checked.

A proposal can add to what was read without a model and never changes it. Nothing that the user did not say comes out
as the user's: the quote has to stand in the user's own words, and those words have to say the item.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple, cast

from session_frames.model import MAIN_THREAD, Evidence, Frame, Turn, item_id
from session_frames.operations.extract.words import about, says
from session_frames.operations.fence import line_shown
from session_frames.operations.support import Talk, carries, contradicting, is_known, is_of_agent, taken_back
from session_frames.schema import schema_text

SCHEMA_NAME: Final = "proposed-items.schema.json"


class _List(NamedTuple):
    """One list of items: the kind in ids, the status of an item that names none, and the keys that are taken."""

    kind: str
    status: str
    keys: tuple[str, ...]


LISTS: Final[dict[str, _List]] = {
    "decisions": _List("decision", "accepted", ("subject", "rationale")),
    "constraints": _List("constraint", "accepted", ()),
    "open_questions": _List("question", "open", ("answer",)),
    "next_steps": _List("step", "open", ()),
}


class Judged(NamedTuple):
    """A frame with what was taken of the proposals, the ids of these, and what a person should know of the others."""

    frame: Frame
    taken: tuple[str, ...]
    told: tuple[str, ...]


def for_proposer(frame: Frame) -> dict[str, Any]:
    """What a proposer is given: the (redacted) talk of the main thread, and what was read from it without a model."""
    turns = [
        {"id": turn["id"], "number": number, "role": turn["role"], "text": turn.get("text", "")}
        for number, turn in enumerate(frame.get("turns", []), 1)
        if _is_talk(turn) and turn.get("text")
    ]
    facts = {key: cast(dict[str, Any], frame).get(key, "") for key in ("topic", "title", "goal")}
    return {**facts, "turns": turns, **{key: cast(dict[str, Any], frame).get(key, []) for key in LISTS}}


def _is_talk(turn: Turn) -> bool:
    main = turn.get("thread", MAIN_THREAD) == MAIN_THREAD
    return main and turn["role"] != "system" and turn.get("origin") not in ("injected", "command")


def judge(frame: Frame, proposed: Any, *, topic_is_given: bool = False) -> Judged:
    """The frame with the proposals that are new; each is marked by what could be checked of it.

    What is not as the schema asks is left out, one by one, and said.
    """
    if not isinstance(proposed, dict):
        return Judged(frame, (), ("proposals: not an object, nothing was taken",))
    told: list[str] = []
    taken: list[str] = []
    talk = Talk([turn for turn in frame.get("turns", []) if _is_talk(turn)])
    changed: dict[str, Any] = {**frame}
    for key in LISTS:
        known = changed.get(key, [])
        for entry in _valid(key, proposed.get(key), told):
            item = _checked(frame, talk, key, entry, told)
            if item is None or item["id"] in [one["id"] for one in known]:
                continue
            known = [*known, item]
            taken.append(item["id"])
        if known:
            changed[key] = known
    changed |= _labels(frame, talk, proposed, topic_is_given, told)
    return Judged(cast(Frame, changed), tuple(taken), tuple(map(line_shown, told)))


def _valid(key: str, entries: Any, told: list[str]) -> Iterator[dict[str, Any]]:
    from jsonschema import Draft202012Validator

    if entries is None:
        return
    validator = Draft202012Validator(json.loads(schema_text(SCHEMA_NAME)))
    if not isinstance(entries, list) or len(entries) > 500:
        told.append(f"proposals: '{key}' is no list of at most 500 items, left out")
        return
    for number, entry in enumerate(entries, 1):
        error = next(validator.iter_errors({key: [entry]}), None)
        if error is None:
            yield entry
        else:
            where = ".".join(str(step) for step in list(error.absolute_path)[2:])
            told.append(f"proposals: item {number} of '{key}' is not valid ({where or 'item'}: {error.validator})")


def _checked(frame: Frame, talk: Talk, key: str, entry: dict[str, Any], told: list[str]) -> dict[str, Any] | None:
    """The item as it goes into the frame; None for one that is there already."""
    kind, status, keys = LISTS[key]
    text = " ".join(entry["text"].split())
    evidence = [_resolved(frame, one) for one in entry.get("evidence", [])]
    stands = bool(evidence) and all(talk.quotes(one) for one in evidence)
    if stands and is_known(frame, key, text, evidence):
        return None
    item: dict[str, Any] = {
        "id": item_id(kind, evidence[0]["turn"] if evidence else "", text),
        "text": text,
        **{name: entry[name] for name in keys if entry.get(name)},
        "status": entry.get("status", status),
        "by": "agent",
        "evidence": evidence,
    }
    other = contradicting(frame, text, evidence, item["status"]) if key in _DECIDED else None
    claimed = entry.get("by") == "user"
    carried = stands and claimed and carries(talk, key, text, evidence)
    if other is not None:
        doubt = f"contradicts '{other['text']}', which is {other['status']}"
    elif not stands:
        doubt = "its quote does not stand in the turn"
    elif taken_back(talk, text, evidence):
        doubt = "what it rests on was taken back later"
    elif claimed and not carried:
        doubt = "the user's words do not say it, it is kept as the agent's"
    else:
        doubt = ""
    if doubt:
        told.append(f"proposal '{text}': {doubt}")
    if carried and not doubt:
        item["by"] = "user"
    elif doubt or not is_of_agent(talk, text, evidence):
        item["verified"] = False
    if item.get("verified") is False and key in _DECIDED:
        item["status"] = other["status"] if other else "unknown"
    return item


# Lists whose items hold or do not hold.
_DECIDED: Final = ("decisions", "constraints")


def _resolved(frame: Frame, evidence: dict[str, Any]) -> Evidence:
    """The evidence with the id of its turn, which may be named by its number."""
    named, turns = evidence["turn"], frame.get("turns", [])
    if any(turn["id"] == named for turn in turns):
        return Evidence(turn=named, quote=evidence["quote"])
    digits = str(named).strip()
    number = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 7 else 0
    turn = turns[number - 1]["id"] if 0 < number <= len(turns) else str(named)
    return Evidence(turn=turn, quote=evidence["quote"])


# ---------------------------------------------------------------------------------------------------------------------
# Topic, title, goal


def _labels(
    frame: Frame, talk: Talk, proposed: dict[str, Any], topic_is_given: bool, told: list[str]
) -> dict[str, str]:
    """The labels that rest on the user's words: a goal is a quote, topic and title name what the user named."""
    taken: dict[str, str] = {}
    for key, longest in (("topic", 60), ("title", 120), ("goal", 2000)):
        label = proposed.get(key)
        if label is None or (key == "topic" and topic_is_given):
            continue
        text = label.strip() if isinstance(label, str) else ""
        stands = talk.user_said(text) if key == "goal" else _is_of(talk, text)
        if not text or len(text) > longest or not stands:
            told.append(
                f"proposals: the {key} is not in the user's words, '{cast(dict[str, Any], frame).get(key, '')}' stays"
            )
        else:
            taken[key] = text if key == "goal" else " ".join(text.split())
    return taken


def _is_of(talk: Talk, label: str) -> bool:
    """Does at least half of what the label is about stand in the user's words?"""
    words = about(label)
    said: Sequence[str] = [turn.get("text", "") for turn in talk.turns if turn["role"] == "user"]
    found = [word for word in words if any(word in about(text) for text in said)]
    return (bool(words) and 2 * len(found) >= len(words)) or any(says(label, text) for text in said)
