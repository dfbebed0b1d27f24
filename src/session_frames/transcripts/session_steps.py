"""A frame told again as the steps of a talk: what exports, and sessions written for an agent, are made of.

The words of a frame are whole; of long arguments and results it keeps both ends. Such a text is written as what is
there, with a mark in the place of the rest, and ``Called.cut`` says what was left out. Nothing is made up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple

from session_frames.model import Call, CallOutcome, Excerpt, Frame, Role, Turn

NO_RESULT = "[No result was recorded.]"
ANSWER_FOLLOWS = "[What the person answered follows in their own words.]"
_JOINT = "\n\n"  # stands between the texts of one turn
_ODD = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST_ID = 64
_LONGEST_NAME = 128
# How a tool is named whose result may hold words of the person.
_ASKING = re.compile(r"ask|question|input|plan", re.IGNORECASE)
NO_TIME = "1970-01-01T00:00:00.000Z"


class Called(NamedTuple):
    """A call with its result; ``cut`` says what of it the frame does not hold, {} for nothing."""

    id: str
    tool: str
    arguments: Any
    result: str
    outcome: CallOutcome
    cut: dict[str, Any]


class Step(NamedTuple):
    """What one side said, and the calls that came right after it. ``last`` ends its turn."""

    role: Role
    at: str
    text: str
    calls: tuple[Called, ...]
    turn: Turn
    last: bool = True


def steps_of(frame: Frame, *, answers_apart: bool = False) -> list[Step]:
    """The steps of a frame in order, abandoned threads included.

    With ``answers_apart`` a result that may hold the words of the next turn says so instead: agents read such words
    out of the result, and then they would stand there twice.
    """
    turns = frame.get("turns", [])
    calls = _Calls()
    steps: list[Step] = []
    for number, turn in enumerate(turns):
        answers = list(_answers_after(turns[number + 1 :])) if answers_apart else []
        steps += _steps_of_turn(turn, calls, answers)
    return steps


def _answers_after(turns: Iterable[Turn]) -> Iterator[str]:
    for turn in turns:
        if turn["role"] != "user" or turn.get("origin") != "answer":
            return
        yield turn.get("text", "").strip()


def _steps_of_turn(turn: Turn, calls: _Calls, answers: list[str]) -> list[Step]:
    role, at = turn["role"], turn.get("at", "")
    if role != "agent":
        return [Step(role, at, turn.get("text", ""), (), turn)]
    pieces = [
        Step(role, at, text, tuple(calls.told(call, answers) for call in asked), turn, last=False)
        for text, asked in pieces_of(turn)
    ]
    pieces = [piece for piece in pieces if piece.text or piece.calls] or [Step(role, at, "", (), turn)]
    return [*pieces[:-1], pieces[-1]._replace(last=True)]


def pieces_of(turn: Turn) -> Iterator[tuple[str, list[Call]]]:
    """The texts of an agent's turn, each with the calls that came right after it; either may be empty."""
    text = turn.get("text", "")
    groups: list[tuple[int, list[Call]]] = [(0, [])]
    for call in turn.get("calls", []):
        after = min(call.get("after", 0), len(text))
        # A text that was changed since may have no joint there; the call then stays with those before it.
        if after > groups[-1][0] and (after == len(text) or text.startswith(_JOINT, after)):
            groups.append((after, []))
        groups[-1][1].append(call)
    start = 0
    for place, asked in groups:
        yield _piece(text, start, place), asked
        start = place
    yield _piece(text, start, len(text)), []


def _piece(text: str, start: int, end: int) -> str:
    piece = text[start:end]
    return piece.removeprefix(_JOINT) if start else piece


class _Calls:
    """Tells calls under ids that are all different and that every agent takes."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def told(self, call: Call, answers: list[str]) -> Called:
        cut: dict[str, Any] = {}
        arguments = _whole(call.get("arguments", {}), "", cut)
        result = self._result(call, answers, cut)
        tool = _ODD.sub("_", call["tool"])[:_LONGEST_NAME] or "tool"
        return Called(self._id(call["id"]), tool, arguments, result, call["outcome"], cut)

    def _id(self, own: str) -> str:
        plain = _ODD.sub("_", own)[:_LONGEST_ID] or "call"
        name, number = plain, 2
        while name in self._taken:
            name = f"{plain[: _LONGEST_ID - 6]}-{number}"
            number += 1
        self._taken.add(name)
        return name

    def _result(self, call: Call, answers: list[str], cut: dict[str, Any]) -> str:
        excerpt = call.get("result")
        if excerpt is None:
            cut["result"] = "not recorded"
            return NO_RESULT
        text, whole = excerpt_text(excerpt)
        if answers and (call["outcome"] == "failed" or _ASKING.search(call["tool"]) or _holds(text, answers)):
            cut["result"] = "answered in the next turn"
            return ANSWER_FOLLOWS
        if not whole:
            cut["result"] = {key: excerpt[key] for key in ("size", "digest", "kind") if key in excerpt}
        return text


def _holds(text: str, answers: list[str]) -> bool:
    return any(answer and answer.split("\n")[0][:80] in text for answer in answers)


def excerpt_text(excerpt: Excerpt) -> tuple[str, bool]:
    """What a frame keeps of a text, with a mark for what it does not keep, and whether that is all of it."""
    head, tail = excerpt.get("head", ""), excerpt.get("tail", "")
    if not head and "kind" in excerpt:
        return f"[{excerpt['kind']}, not kept]", False
    if not tail and len(head) >= excerpt["size"]:
        return head, True
    return f"{head}\n[… {excerpt['size']} characters in all, only the ends are kept …]\n{tail}".rstrip("\n"), False


def _whole(value: Any, where: str, cut: dict[str, Any]) -> Any:
    """Arguments with each shortened text as what is left of it; its place is noted in ``cut``."""
    if isinstance(value, dict):
        elided = value.get("elided")
        if len(value) == 1 and isinstance(elided, dict) and isinstance(elided.get("size"), int):
            cut.setdefault("arguments", []).append({"where": where, "size": elided["size"]})
            excerpt = Excerpt(size=elided["size"], head=str(elided.get("head", "")), tail=str(elided.get("tail", "")))
            return excerpt_text(excerpt)[0]
        return {key: _whole(item, f"{where}/{key}", cut) for key, item in value.items()}
    if isinstance(value, list):
        return [_whole(item, f"{where}/{at}", cut) for at, item in enumerate(value)]
    return value


def as_object(arguments: Any) -> dict[str, Any]:
    """Arguments as the JSON object that most formats want; a bare text becomes its ``input``."""
    if isinstance(arguments, dict):
        return arguments
    return {} if arguments in (None, "", []) else {"input": arguments}


def with_times(steps: Iterable[Step], frame: Frame) -> Iterator[Step]:
    """The steps, each with a UTC time that does not run backwards; a turn without one has that of the turn before."""
    boundary = frame.get("boundary", {})
    latest = utc(boundary.get("started_at", "")) or next(
        (at for turn in frame.get("turns", []) if (at := utc(turn.get("at", "")))), NO_TIME
    )
    for step in steps:
        latest = max(latest, utc(step.at))
        yield step._replace(at=latest)


def utc(text: str) -> str:
    """A time as agents write it: ``2026-05-01T10:00:00.000Z``; "" for what is no time."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return ""
    zoned = time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
    return zoned.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def abandoned_threads(frame: Frame) -> frozenset[str]:
    """The names of the threads that were rewound."""
    return frozenset(thread["name"] for thread in frame.get("threads", []) if thread["status"] == "abandoned")
