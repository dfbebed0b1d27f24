"""The context of a frame as people and programs look at it: what is in it and what it costs, and what is not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple, TypedDict

from session_frames.model import MAIN_THREAD, Frame
from session_frames.operations.context_view import Entry, entries, is_pruned, turn_tokens
from session_frames.operations.extract import withdrawals
from session_frames.operations.fence import line_shown
from session_frames.operations.preamble import contradictions, preamble
from session_frames.operations.render import counted
from session_frames.operations.strategies import OverBudget, choose, fetch_lines, fit
from session_frames.operations.threads import REWOUND, current_thread, thread_names, turns_of_thread
from session_frames.operations.turn_names import call_names, named_turns, numbers_of, spans
from session_frames.operations.usage import window_use

_LONGEST_WORDS: Final = 60
_BAR: Final = 30


class Limits(NamedTuple):
    """The tokens that a context may take, and those that its pins may."""

    budget: int
    pins: int


class ContextData(TypedDict):
    """What ``frames context --json`` gives; numbers of tokens are estimates."""

    frame: str
    topic: str
    status: str
    agent: str
    at: str
    thread: str
    budget: int
    tokens: int
    tokens_are: str
    context_window: dict[str, Any] | None
    given: dict[str, Any]
    pins: dict[str, Any]
    preamble: list[str]
    ask: list[str]
    entries: list[dict[str, Any]]
    pruned: list[int]
    pruned_calls: list[str]
    other_threads: dict[str, list[int]]
    cached: list[dict[str, Any]]
    checkpoints: list[dict[str, Any]]
    threads: list[dict[str, Any]]


def context_data(frame: Frame, limits: Limits, at: str = "") -> ContextData:
    """All that is known of the context of a frame; ``at`` says of which moment, "" for now."""
    held = entries(frame)
    turns = frame.get("turns", [])
    there = [turns[place] for place in turns_of_thread(frame)]
    pinned = [turn for turn in turns if turn.get("pinned")]
    numbers = {turn["id"]: number for number, turn in enumerate(turns, 1)}
    calls = [
        (turn["id"], call["id"])
        for turn in there
        if not is_pruned(turn)
        for call in turn.get("calls", [])
        if call.get("pruned")
    ]
    return ContextData(
        frame=frame["id"],
        topic=frame["topic"],
        status=frame["status"],
        agent=frame.get("session", {}).get("agent", ""),
        at=at,
        thread=current_thread(frame),
        budget=limits.budget,
        tokens=sum(entry.tokens for entry in held),
        tokens_are="estimated",
        context_window=window._asdict() if (window := window_use(frame)) else None,
        given=_given(frame, held, limits.budget),
        pins={
            "turns": [numbers[turn["id"]] for turn in pinned],
            "tokens": sum(map(turn_tokens, pinned)),
            "limit": limits.pins,
        },
        preamble=preamble(frame),
        ask=contradictions(frame, withdrawals(frame)),
        entries=[entry._asdict() for entry in held],
        pruned=numbers_of(frame, [turn["id"] for turn in there if is_pruned(turn)]),
        pruned_calls=call_names(frame, calls),
        other_threads=_other_threads(frame),
        cached=[dict(result) for result in frame.get("tool_results", [])],
        checkpoints=[{**point, "number": numbers.get(point["turn"], 0)} for point in frame.get("checkpoints", [])],
        threads=threads_data(frame),
    )


def _given(frame: Frame, held: Sequence[Entry], budget: int) -> dict[str, Any]:
    """What the budget lets through: by which strategy, why, the turns that are left out, and how those are read."""
    choice = choose(frame, held, budget)
    try:
        left_out = fit(frame, held, choice.mode, budget).left_out
    except OverBudget as error:
        return {**choice._asdict(), "over_budget": error.message}
    numbers = sorted(number for entry in left_out for number in entry.numbers)
    return {**choice._asdict(), "left_out": numbers, "fetch": fetch_lines(frame, left_out) if numbers else []}


def _other_threads(frame: Frame) -> dict[str, list[int]]:
    """The turns that are not in the current thread, by the thread in which they were said."""
    there = set(turns_of_thread(frame))
    others: dict[str, list[int]] = {}
    for place, turn in enumerate(frame.get("turns", [])):
        if place not in there:
            others.setdefault(turn.get("thread", MAIN_THREAD), []).append(place + 1)
    return others


def threads_data(frame: Frame) -> list[dict[str, Any]]:
    """The threads of a frame, the main one first, with what each holds."""
    known = {thread["name"]: thread for thread in frame.get("threads", [])}
    current = current_thread(frame)
    numbers = {turn["id"]: number for number, turn in enumerate(frame.get("turns", []), 1)}
    listed = []
    for name in thread_names(frame):
        thread: dict[str, Any] = {"name": name, "status": "open", **known.get(name, {})}
        begin = {"from": numbers.get(thread["from_turn"], 0)} if thread.get("from_turn") else {}
        held = [place + 1 for place in turns_of_thread(frame, name)]
        listed.append({**thread, **begin, "turns": held, "current": name == current})
    return listed


# ---------------------------------------------------------------------------------------------------------------------
# For the terminal


def context_lines(data: ContextData) -> Iterator[str]:
    """The context as ``frames context`` shows it."""
    when = f", as it was at {line_shown(data['at'])}" if data["at"] else ""
    thread = line_shown(data["thread"])
    yield f"{data['frame'][:6]} {line_shown(data['topic'])}  {data['status']}, thread {thread}{when}"
    yield f"[{_bar(data['tokens'], data['budget'])}] {data['tokens']:,} of {data['budget']:,} tokens, estimated"
    yield from _given_lines(data)
    pins = data["pins"]
    yield f"pins: {pins['tokens']:,} of {pins['limit']:,} tokens{_in_turns(pins['turns'])}"
    yield from data["preamble"]
    for question in data["ask"]:
        yield f"ask the user: {question}"
    if data["entries"]:
        yield ""
    yield from _table(data["entries"])
    yield from _left_out(data)
    yield from _lists(data)


def _given_lines(data: ContextData) -> Iterator[str]:
    window, given = data["context_window"], data["given"]
    if window:
        yield f"context window: {window['tokens']:,} tokens at the session's last request, {window['source']}"
    if given["mode"] != "full" or given.get("left_out"):
        yield f"given as {given['mode']}: {given['why']}"
    if "over_budget" in given:
        yield f"over the budget: {given['over_budget']}"
    yield from (f"  {line}" for line in given.get("fetch", []))


def _bar(tokens: int, budget: int) -> str:
    used = min(_BAR, -(-tokens * _BAR // budget)) if tokens else 0
    return "#" * used + "-" * (_BAR - used)


def _in_turns(numbers: Sequence[int]) -> str:
    return f", {named_turns(numbers)}" if numbers else ""


def _table(held: Sequence[dict[str, Any]]) -> Iterator[str]:
    names = [spans(entry["numbers"]) for entry in held]
    width = max(map(len, names), default=0)
    costs = [f"{entry['tokens']:,}" for entry in held]
    cost_width = max(map(len, costs), default=0)
    for name, cost, entry in zip(names, costs, held, strict=True):
        yield f"{name:>{width}}  {entry['role']:<7}  {cost:>{cost_width}}  {_what(entry)}".rstrip()


def _what(entry: dict[str, Any]) -> str:
    marks = [mark for mark in ("pinned" if entry["pinned"] else "", entry["annotation"]) if mark]
    if entry["calls"]:
        marks.append(counted(len(entry["calls"]), "call"))
    words = line_shown(entry["text"])
    words = words if len(words) <= _LONGEST_WORDS else words[:_LONGEST_WORDS].rstrip() + "…"
    return " ".join(filter(None, (f"[{', '.join(marks)}]" if marks else "", words)))


def _left_out(data: ContextData) -> Iterator[str]:
    told = []
    if data["pruned"]:
        told.append(f"pruned: {named_turns(data['pruned'])}")
    if data["pruned_calls"]:
        what = "call" if len(data["pruned_calls"]) == 1 else "calls"
        told.append(f"pruned: {what} {', '.join(data['pruned_calls'])}")
    for name, numbers in data["other_threads"].items():
        where = "rewound in the session" if REWOUND.fullmatch(name) else f"in thread {line_shown(name)}"
        told.append(f"{where}: {named_turns(numbers)}")
    if told:
        yield from ("", "not in context")
        yield from (f"  {line}" for line in told)


def _lists(data: ContextData) -> Iterator[str]:
    if data["cached"]:
        yield from ("", "cached results")
        for result in data["cached"]:
            about = f" for {line_shown(result['topic'])}" if result.get("topic") else ""
            lifetime = result["lifetime"]
            state = ", invalidated" if lifetime.get("invalidated") else ""
            yield f"  {result['id']}  {line_shown(result['tool'])}{about}  by {lifetime['kind']}{state}"
    if data["checkpoints"]:
        yield from ("", "checkpoints")
        yield from (f"  {checkpoint_line(point)}" for point in data["checkpoints"])
    if len(data["threads"]) > 1:
        yield from ("", "threads")
        yield from thread_lines(data["threads"])


def checkpoint_line(point: dict[str, Any]) -> str:
    """A checkpoint on one line: its name, turn, commit, branch and note."""
    where = f"turn {point['number']}" if point["number"] else "its turn is not here"
    note = f"  {line_shown(point['note'])}" if point.get("note") else ""
    return f"{line_shown(point['name'])}  {where}{spot_words(point.get('commit', ''), point.get('branch', ''))}{note}"


def thread_lines(threads: Sequence[dict[str, Any]]) -> Iterator[str]:
    """The threads, the current one starred as git stars its branch."""
    for thread in threads:
        begin = (
            f" from turn {thread['from']} of {line_shown(thread.get('parent', MAIN_THREAD))}"
            if thread.get("from")
            else ""
        )
        state = "" if thread["status"] == "open" else f", {thread['status']}"
        spot = spot_words(thread.get("commit", ""), thread.get("branch", ""))
        star = "*" if thread["current"] else " "
        yield f"{star} {line_shown(thread['name'])}{begin}, {counted(len(thread['turns']), 'turn')}{state}{spot}"


def spot_words(commit: str, branch: str) -> str:
    """Where git stood, behind a comma; "" where nothing is known."""
    on = f" on {line_shown(branch)}" if branch else ""
    return f", commit {commit[:7]}{on}" if commit else f",{on}" if on else ""


# ---------------------------------------------------------------------------------------------------------------------
# Two contexts compared


class ContextChange(NamedTuple):
    """One piece of context that only one side has, or both have differently."""

    sign: str  # - only before, + only after, ~ in both
    before: Entry | None
    after: Entry | None


def context_changes(before: Sequence[Entry], after: Sequence[Entry]) -> list[ContextChange]:
    """What differs between two contexts, in the order of the session."""
    sides = [{_key(entry): entry for entry in side} for side in (before, after)]
    found = []
    for key in sorted({**sides[0], **sides[1]}, key=lambda key: (_first(sides, key), key)):
        one, other = sides[0].get(key), sides[1].get(key)
        if one != other:
            found.append(ContextChange("-" if other is None else "+" if one is None else "~", one, other))
    return found


def _key(entry: Entry) -> tuple[str, str]:
    return (entry.kind, entry.compaction or entry.turns[0])


def _first(sides: Sequence[dict[tuple[str, str], Entry]], key: tuple[str, str]) -> int:
    return min(side[key].numbers[0] for side in sides if key in side)


def change_lines(changes: Sequence[ContextChange]) -> Iterator[str]:
    """The differences, a line each; of what both sides have, what became of it."""
    for change in changes:
        entry = change.after or change.before
        assert entry is not None
        yield f"{change.sign} {spans(entry.numbers)}  {entry.role}  {_what(entry._asdict())}{_became(change)}"


def _became(change: ContextChange) -> str:
    if change.before is None or change.after is None:
        return ""
    told = []
    one, other = change.before, change.after
    if one.pinned != other.pinned:
        told.append("pinned" if other.pinned else "unpinned")
    if one.annotation != other.annotation:
        told.append(f"{one.annotation or 'no annotation'} → {other.annotation or 'no annotation'}")
    if len(one.calls) != len(other.calls):
        told.append(f"{len(one.calls)} → {counted(len(other.calls), 'call')}")
    if one.text != other.text:
        told.append("text grew" if other.text.startswith(one.text) else "other text")
    if one.numbers != other.numbers:
        told.append(f"stood for {spans(one.numbers)}")
    return f"  ({', '.join(told)})" if told else ""
