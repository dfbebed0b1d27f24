"""What a model would be given of a frame, now or at an earlier moment: turns, and summaries that stand for some.

What was pruned, belongs to another thread or lies behind a restored checkpoint is not in it. Where a summary stands for
turns, the user's words among them and what is pinned stay as they are. A turn under a structural compaction stands for
itself, with every word and without what its tools gave back.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Literal, NamedTuple, cast

from session_frames.errors import UsageError
from session_frames.model import Call, Compaction, Event, Frame, Turn
from session_frames.operations.context_edits import ITEM_LISTS, marked_as, moment_of, rewound
from session_frames.operations.structural import Structure
from session_frames.operations.threads import REWOUND, turns_of_thread
from session_frames.operations.tokens import estimated_tokens


def is_pruned(turn: Turn) -> bool:
    """Is the turn out of context? A pin wins: no verb makes both marks, but a merge of two sides does."""
    return bool(turn.get("pruned")) and not turn.get("pinned")


class Entry(NamedTuple):
    """One piece of context: a turn, or the summary that stands for several."""

    kind: Literal["turn", "summary"]
    turns: tuple[str, ...]  # ids of the turns that it stands for
    numbers: tuple[int, ...]
    role: str  # user, agent, system; summary
    text: str
    calls: tuple[Call, ...]  # each with its result; none that was pruned
    pinned: bool
    annotation: str
    tokens: int  # estimated
    compaction: str  # id of the compaction, for a summary or a turn in its structural form


def entries(frame: Frame, thread: str | None = None) -> list[Entry]:
    """What a thread's context holds, in the order of the session; without a name the current thread's.

    A summary stands where the first turn stood that it replaces.
    """
    turns = frame.get("turns", [])
    in_force = {compaction["id"]: compaction for compaction in frame.get("compactions", [])}
    made: list[Entry] = []
    replaced: dict[str, list[int]] = {}
    structure = Structure()
    for place in turns_of_thread(frame, thread):
        turn = turns[place]
        if is_pruned(turn):
            continue
        compaction = turn.get("compacted", "")
        if compaction not in in_force or turn["role"] == "user" or turn.get("pinned"):
            made.append(_turn_entry(turn, place + 1))
            structure.pass_over(made[-1].calls)
            continue
        if in_force[compaction].get("kind") == "structural":
            made.append(_in_structural_form(_turn_entry(turn, place + 1), structure, compaction))
            continue
        if compaction not in replaced:
            made.append(_summary_entry(in_force[compaction], [], frame))
        replaced.setdefault(compaction, []).append(place)
    return [
        entry if entry.kind == "turn" else _summary_entry(in_force[entry.compaction], replaced[entry.compaction], frame)
        for entry in made
    ]


def _turn_entry(turn: Turn, number: int) -> Entry:
    calls = tuple(call for call in turn.get("calls", []) if not call.get("pruned"))
    return Entry(
        kind="turn",
        turns=(turn["id"],),
        numbers=(number,),
        role=turn["role"],
        text=turn.get("text", ""),
        calls=calls,
        pinned=turn.get("pinned", False),
        annotation=turn.get("annotation", ""),
        tokens=turn_tokens(turn),
        compaction="",
    )


def _in_structural_form(entry: Entry, structure: Structure, compaction: str) -> Entry:
    text = structure.of(entry.text, entry.calls).text
    return entry._replace(text=text, calls=(), tokens=estimated_tokens(text), compaction=compaction)


def _summary_entry(compaction: Compaction, places: Sequence[int], frame: Frame) -> Entry:
    return Entry(
        kind="summary",
        turns=tuple(frame["turns"][place]["id"] for place in places),
        numbers=tuple(place + 1 for place in places),
        role="summary",
        text=compaction["summary"],
        calls=(),
        pinned=False,
        annotation="",
        tokens=estimated_tokens(compaction["summary"]),
        compaction=compaction["id"],
    )


def turn_tokens(turn: Turn) -> int:
    """The estimated tokens of a turn: its words, and its calls but for pruned ones."""
    calls = [call for call in turn.get("calls", []) if not call.get("pruned")]
    return estimated_tokens(turn.get("text", "")) + sum(map(call_tokens, calls))


def call_tokens(call: Call) -> int:
    """The estimated tokens of what the frame keeps of a call: its tool, arguments, and both ends of its result."""
    result = call.get("result", {})
    told = [call["tool"], json.dumps(call.get("arguments", ""), ensure_ascii=False)]
    return estimated_tokens("\n".join([*told, result.get("head", ""), result.get("tail", "")]))


# ---------------------------------------------------------------------------------------------------------------------
# An earlier moment


class _Moment(NamedTuple):
    """How many of the frame's turns and events there were, and when."""

    turns: int
    events: int
    time: datetime | None
    answered: bool  # was what stands last among the turns said already, or only beginning?


def at(frame: Frame, moment: int | str) -> Frame:
    """The frame as its context was then: when a turn began (its number or id), after an event (its id), or at a time.

    Turns that were not said yet are not in it, nor what rests on them alone, and every later edit is undone. What the
    agent rewound later, and the summary that it wrote later, are as they were then. ``UsageError`` where no such moment
    is known.
    """
    cut = _moment(frame, moment)
    held = cast(dict[str, Any], rewound(frame, cut.events))
    brought = {
        turn
        for event in frame.get("events", [])[cut.events :]
        if event["kind"] == "import"
        for turn in event.get("turns", [])
    }
    turns = [turn for turn in held.get("turns", [])[: cut.turns] if turn["id"] not in brought]
    there, said = {turn["id"] for turn in turns}, {turn["id"] for turn in frame.get("turns", [])}
    later = _rewound_later(frame, cut)
    compactions = [one for one in held.get("compactions", []) if _was_made(one, cut, there)]
    turns = [_as_then(turn, later, compactions) for turn in turns]
    view: dict[str, Any] = {**held, "turns": turns, "compactions": compactions}
    view["threads"] = [thread for thread in held.get("threads", []) if thread["name"] not in later]
    view["checkpoints"] = [point for point in held.get("checkpoints", []) if point["turn"] in there]
    view["tool_results"] = [one for one in held.get("tool_results", []) if one.get("turn", "") in {*there, ""}]
    for key in ITEM_LISTS:
        view[key] = [item for item in held.get(key, []) if _was_found(item, there, said)]
    return cast(Frame, {key: value for key, value in view.items() if value or key in ("topic", "turns")})


def _moment(frame: Frame, moment: int | str) -> _Moment:
    turns, events = frame.get("turns", []), frame.get("events", [])
    times = list(_running_times(turns))
    name = str(moment)
    ids = {turn["id"]: number for number, turn in enumerate(turns, 1)}
    number = ids.get(name) or (int(name) if name.isdecimal() and 0 < int(name) <= len(turns) else 0)
    if number:
        time = times[number - 1]
        before = [_began_before(event, number, time, ids) for event in events]
        return _Moment(number, before.index(False) if False in before else len(events), time, answered=False)
    event = next((at for at, event in enumerate(events) if event["id"] == name), None)
    if event is not None:
        time = moment_of(events[event]["at"])
        return _Moment(_turns_then(events[event], ids, times, time), event + 1, time, answered=True)
    time = None if name.isdecimal() else moment_of(name)
    if time is None:
        hint = f"the frame has turns 1-{len(turns)}; a time is like 2026-06-02T10:00:00Z" if turns else None
        raise UsageError(f"no such turn, event or time: '{name}'", hint=hint)
    done = [at for at, event in enumerate(events, 1) if (moment_of(event["at"]) or time) <= time]
    count = done[-1] if done else 0
    said = sum(then is None or then <= time for then in times)
    if count:
        said = max(said, ids.get(_last_turn(events[count - 1]), 0))
    return _Moment(said, count, time, answered=True)


def _running_times(turns: Sequence[Turn]) -> Iterator[datetime | None]:
    """When each turn began: clocks step back in transcripts, turns don't."""
    latest: datetime | None = None
    for turn in turns:
        own = moment_of(turn.get("at", ""))
        latest = max(filter(None, (own, latest)), default=None)
        yield latest


def _last_turn(event: Event) -> str:
    data = event.get("data")
    last = data.get("last") if isinstance(data, dict) else None
    return last if isinstance(last, str) else ""


def _began_before(event: Event, number: int, time: datetime | None, ids: dict[str, int]) -> bool:
    """Was this event over when the turn of that number began?"""
    if ids.get(_last_turn(event), 0) >= number:
        return False
    then = moment_of(event["at"])
    return time is None or then is None or then <= time


def _turns_then(event: Event, ids: dict[str, int], times: Sequence[datetime | None], time: datetime | None) -> int:
    known = ids.get(_last_turn(event))
    if known is not None:
        return known
    return sum(then is None or time is None or then <= time for then in times)


def _rewound_later(frame: Frame, cut: _Moment) -> set[str]:
    """The threads that the agent rewound, and had not yet: their last turn had not been left."""
    last: dict[str, int] = {}
    for number, turn in enumerate(frame.get("turns", []), 1):
        if REWOUND.fullmatch(turn.get("thread", "")):
            last[turn["thread"]] = number
    over = len(frame.get("turns", [])) if cut.answered else -1
    return {name for name, number in last.items() if number > cut.turns or (number == cut.turns != over)}


def _was_made(compaction: Compaction, cut: _Moment, there: set[str]) -> bool:
    made = moment_of(compaction.get("at", ""))
    if made is not None and cut.time is not None:
        return made <= cut.time
    return there.issuperset(compaction.get("turns", []))


def _as_then(turn: Turn, later: set[str], compactions: Sequence[Compaction]) -> Turn:
    marks: dict[str, Any] = {}
    if turn.get("thread") in later:
        marks["thread"] = None
    mark = turn.get("compacted")
    if mark and all(one["id"] != mark for one in compactions):
        standing = [one["id"] for one in compactions if turn["id"] in one.get("turns", [])]
        marks["compacted"] = standing[-1] if standing else None
    return marked_as(turn, marks) if marks else turn


def _was_found(item: dict[str, Any], there: set[str], said: set[str]) -> bool:
    """Had some of what the item rests on been said? What came from another frame rests on nothing here."""
    cited = {one["turn"] for one in item.get("evidence", [])} & said
    return not cited or bool(cited & there)
