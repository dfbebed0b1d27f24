"""Laws of steering the context: whatever was done in whatever order, the words stay, each moment can be seen again."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from session_frames.errors import FramesError, RefusedError
from session_frames.frame_json import decode, encode
from session_frames.model import Compaction, Frame, Turn
from session_frames.operations import item_edits, thread_edits, turn_control
from session_frames.operations.context_edits import KINDS, steps, undo
from session_frames.operations.context_report import Limits, change_lines, context_changes, context_data, context_lines
from session_frames.operations.context_view import at, entries
from session_frames.operations.edit_form import form_of, read_form
from session_frames.operations.item_edits import ItemEdit
from session_frames.operations.merge import merge, merge_sessions
from session_frames.operations.preamble import contradictions, preamble
from session_frames.operations.renew import renew
from session_frames.operations.split import split_frame
from session_frames.operations.thread_edits import Spot
from session_frames.operations.threads import current_thread, thread_names, turns_of_thread
from session_frames.operations.turn_names import Selection, select
from session_frames.schema import problems

NOW = "2026-06-02T12:00:00Z"
WORDS = ("Use the cache", "캐시를 쓰세요", "キャッシュを使う", "half \ud83d of it", "<b>\x1b[31m\u202e", "")
SPOT = Spot("a" * 40, "main")

Edit = Callable[[Frame, random.Random], Frame]


def session(count: int, name: str = "a") -> Frame:
    frame = {
        "frame": "1.0",
        "id": name * 24,
        "topic": "t",
        "status": "closed",
        "turns": [*map(turn, range(1, count + 1))],
    }
    decision = {"id": "d0000001", "text": "Use the cache", "status": "accepted", "by": "user"}
    frame["decisions"] = [{**decision, "evidence": [{"turn": "u1", "quote": "캐시"}]}]
    return cast(Frame, frame)


def turn(number: int) -> Turn:
    role = "user" if number % 2 else "agent"
    made: dict[str, Any] = {"id": f"{role[0]}{number}", "role": role, "text": f"{WORDS[number % 6]} {number}"}
    made["at"] = f"2026-06-02T10:{number:02}:00Z"
    if role == "agent":
        made["calls"] = [{"id": f"c{number}.{n}", "tool": "Read", "outcome": "passed"} for n in range(2)]
    return cast(Turn, made)


def some_turns(frame: Frame, rng: random.Random) -> Selection:
    count = len(frame["turns"])
    first = rng.randrange(1, count + 1)
    return select(frame, [f"{first}-{min(count, first + rng.randrange(3))}"])


def some_of_them(frame: Frame, rng: random.Random) -> Selection:
    calls = [f"{n}.{rng.randrange(1, 3)}" for n in range(2, len(frame["turns"]) + 1, 2) if rng.random() < 0.4]
    return select(frame, calls) if calls and rng.random() < 0.5 else some_turns(frame, rng)


def one_id(frame: Frame, rng: random.Random) -> str:
    return rng.choice(frame["turns"])["id"]


def name_of(rng: random.Random) -> str:
    return rng.choice(("try", "시도", "before islands", "x"))


def any_thread(frame: Frame, rng: random.Random) -> str:
    return rng.choice([*thread_names(frame), "no such"])


def an_item(frame: Frame, rng: random.Random) -> str:
    return rng.choice([item["id"] for item in frame["decisions"]])


EDITS: dict[str, Edit] = {
    "pin": lambda f, r: turn_control.pin(f, some_turns(f, r), r.choice((20, 10_000)), NOW),
    "unpin": lambda f, r: turn_control.unpin(f, some_turns(f, r), NOW),
    "prune": lambda f, r: turn_control.prune(f, some_of_them(f, r), NOW),
    "restore": lambda f, r: turn_control.restore(f, some_of_them(f, r), NOW),
    "annotate": lambda f, r: turn_control.annotate(
        f, some_turns(f, r), r.choice((None, *turn_control.ANNOTATIONS)), r.choice(("", "끝")), NOW
    ),
    "decide": lambda f, r: item_edits.decide(
        f,
        r.choice(WORDS[:4]) + str(r.randrange(9)),
        r.choice(("", one_id(f, r))),
        r.choice(("", an_item(f, r))),
        "user",
        NOW,
    ),
    "ask": lambda f, r: item_edits.ask(f, f"{r.randrange(99)}?", "user", NOW),
    "answer": lambda f, r: item_edits.answer(
        f, r.choice([q["id"] for q in f.get("open_questions", [])] or ["x"]), "네", "user", NOW
    ),
    "edit": lambda f, r: item_edits.edit(
        f, {"topic": r.choice(WORDS[:3])}, [ItemEdit(an_item(f, r), r.choice(WORDS[:3]), "deferred")], NOW
    ),
    "checkpoint": lambda f, r: thread_edits.set_checkpoint(f, name_of(r), r.choice(("", one_id(f, r))), SPOT, "", NOW),
    "rewind": lambda f, r: thread_edits.back_to_checkpoint(f, name_of(r), SPOT, NOW),
    "branch": lambda f, r: thread_edits.branch(f, name_of(r), r.choice(("", one_id(f, r))), SPOT, NOW),
    "switch": lambda f, r: thread_edits.switch(f, any_thread(f, r), SPOT, NOW),
    "abandon": lambda f, r: thread_edits.abandon(f, any_thread(f, r), SPOT, NOW),
    "merge": lambda f, r: thread_edits.merge_thread(f, any_thread(f, r), NOW),
    "cherry-pick": lambda f, r: thread_edits.cherry_pick(f, any_thread(f, r), some_turns(f, r).turns, NOW),
}


def edited(frame: Frame, names: list[str], rng: random.Random) -> list[Frame]:
    """The frame after each edit that was possible, the frame itself first; "say" lets the session go on."""
    states = [frame]
    for name in names:
        if name == "say":
            new = turn(len(frame["turns"]) + 1)
            frame, _ = renew(frame, cast(Frame, {**frame, "turns": [*frame["turns"], new], "events": []}))
            states[-1] = frame
            continue
        with suppress(FramesError):
            done = EDITS[name](frame, rng)
            if done is not frame:
                frame = done
                states.append(frame)
    return states


@st.composite
def histories(draw: st.DrawFn) -> list[Frame]:
    rng = random.Random(draw(st.integers(0, 1 << 30)))
    names = draw(st.lists(st.sampled_from([*EDITS, "say"]), min_size=1, max_size=12))
    return edited(session(draw(st.integers(2, 6))), names, rng)


def words_of(frame: Frame) -> list[tuple[str, str]]:
    return [(turn["id"], turn.get("text", "")) for turn in frame["turns"]]


def bare(frame: Frame) -> bytes:
    return encode(cast(Frame, {key: value for key, value in frame.items() if key != "events"}))


@settings(max_examples=200, deadline=None)
@given(histories())
def test_words_and_numbers_stay_and_the_frame_is_valid(states: list[Frame]) -> None:
    last = states[-1]
    assert words_of(last) == words_of(session(len(last["turns"])))
    assert problems(decode(encode(last))) == []
    assert {event["kind"] for event in last.get("events", [])} <= set(KINDS)
    for thread in thread_names(last):
        held = [entry.turns[0] for entry in entries(last, thread)]
        there = [last["turns"][place]["id"] for place in turns_of_thread(last, thread)]
        assert held == [one for one in there if not next(t for t in last["turns"] if t["id"] == one).get("pruned")]
    assert not [turn for turn in last["turns"] if turn.get("pinned") and turn.get("pruned")]


@settings(max_examples=200, deadline=None)
@given(histories())
def test_each_moment_is_as_it_was(states: list[Frame]) -> None:
    last = states[-1]
    events = last.get("events", [])
    by_count = {len(state.get("events", [])): state for state in states}
    for count, event in enumerate(events, 1):
        if count not in by_count:
            continue  # one edit made two events
        state, then = by_count[count], at(last, event["id"])
        known = {turn["id"] for turn in then["turns"]}
        assert entries(then) == [entry for entry in entries(state) if entry.turns[0] in known]
        assert current_thread(then) == current_thread(state)
        for key in ("decisions", "open_questions", "checkpoints", "threads"):
            told = list(cast(Any, then).get(key, []))
            assert told == [one for one in cast(Any, state).get(key, []) if one in told], key
        assert then["topic"] == state["topic"]


@settings(max_examples=150, deadline=None)
@given(histories())
def test_all_can_be_undone(states: list[Frame]) -> None:
    frame = last = states[-1]
    for event in reversed(last.get("events", [])):
        frame = undo(frame, event["id"], at=NOW)
    labels = {turn["id"]: turn["thread"] for turn in last["turns"] if "thread" in turn}  # where it was said stays
    base = session(len(last["turns"]))
    turns = [{**one, "thread": labels[one["id"]]} if one["id"] in labels else one for one in base["turns"]]
    assert bare(frame) == bare(cast(Frame, {**base, "turns": turns}))


@settings(max_examples=100, deadline=None)
@given(histories(), st.integers(0, 1 << 30))
def test_pruning_and_restoring_is_as_if_nothing_had_been(states: list[Frame], seed: int) -> None:
    frame, rng = states[-1], random.Random(seed)
    chosen = select(frame, [str(rng.randrange(1, len(frame["turns"]) + 1))])
    (name,) = chosen.turns
    own = next(one for one in frame["turns"] if one["id"] == name)
    if own.get("pinned"):
        with pytest.raises(RefusedError):
            turn_control.prune(frame, chosen, NOW)
        return
    pruned = turn_control.prune(frame, chosen, NOW)
    assert turn_control.prune(pruned, chosen, NOW) is pruned
    if not own.get("pruned"):
        assert bare(turn_control.restore(pruned, chosen, NOW)) == bare(frame)


@settings(max_examples=100, deadline=None)
@given(
    histories(), st.lists(st.sampled_from(list(EDITS)), max_size=5), st.lists(st.sampled_from(list(EDITS)), max_size=5)
)
def test_edits_of_two_sides_merge(states: list[Frame], ours: list[str], theirs: list[str]) -> None:
    base = states[-1]
    sides = [edited(base, names, random.Random(number))[-1] for number, names in enumerate((ours, theirs))]
    merged = merge(base, *sides)
    assert problems(decode(encode(merged.frame))) == []
    assert words_of(merged.frame) == words_of(base)
    told = {event["id"] for side in sides for event in side.get("events", [])}
    assert {event["id"] for event in merged.frame.get("events", [])} == told
    assert encode(merge(base, sides[1], sides[0]).frame) == encode(merged.frame)
    for thread in thread_names(merged.frame):
        entries(merged.frame, thread)


@settings(max_examples=100, deadline=None)
@given(histories())
def test_frames_of_two_sessions_keep_their_edits_when_joined(states: list[Frame]) -> None:
    frame = states[-1]
    joined = merge_sessions([frame, session(3, "b")]).frame
    names = {turn["id"] for turn in joined["turns"]}
    for event in joined.get("events", []):
        assert set(event.get("turns", [])) <= names
        for step in steps(event):
            assert step.place.of not in ("turn", "call") or step.place.holder in names
        assert cast(Any, event)["data"]["last"] in names
    assert [bool(one.get("pruned")) for one in joined["turns"] if one["id"].startswith("aaaaaa")] == [
        bool(one.get("pruned")) for one in frame["turns"]
    ]


@settings(max_examples=60, deadline=None)
@given(histories(), st.integers(1, 5))
def test_parts_of_a_split_frame_are_valid(states: list[Frame], place: int) -> None:
    frame = states[-1]
    parts = split_frame(frame, [frame["turns"][min(place, len(frame["turns"]) - 1)]["id"]])
    assert [word for part in parts for word in words_of(part)] == words_of(frame)
    for part in parts:
        assert problems(decode(encode(part))) == []
        entries(part)


@settings(max_examples=100, deadline=None)
@given(histories())
def test_what_is_shown_holds_no_control_characters(states: list[Frame]) -> None:
    last = states[-1]
    data = context_data(last, Limits(1000, 300))
    lines = [*context_lines(data), *change_lines(context_changes(entries(states[0]), entries(last)))]
    assert all(line.isprintable() or "\ufffd" in line for line in lines), lines
    assert data["tokens"] == sum(entry["tokens"] for entry in data["entries"])


@settings(max_examples=100, deadline=None)
@given(histories())
def test_a_form_that_comes_back_as_it_was_changes_nothing(states: list[Frame]) -> None:
    frame = states[-1]
    assert read_form(frame, form_of(frame)) == ({}, [])
    stripped = "\n".join(line.rstrip() for line in form_of(frame).splitlines())
    assert read_form(frame, stripped) == ({}, [])


# ---------------------------------------------------------------------------------------------------------------------
# Single cases


def test_what_the_agent_rewound_was_in_context_before() -> None:
    frame = session(6)
    marked = [{**one, "thread": "rewound-1"} if one["id"] in ("u3", "a4") else one for one in frame["turns"]]
    thread = {"name": "rewound-1", "parent": "main", "from_turn": "a2", "status": "abandoned"}
    frame = cast(Frame, {**frame, "turns": marked, "threads": [thread]})
    assert [entry.numbers[0] for entry in entries(frame)] == [1, 2, 5, 6]
    assert [entry.numbers[0] for entry in entries(at(frame, 4))] == [1, 2, 3, 4]
    assert [entry.numbers[0] for entry in entries(at(frame, 5))] == [1, 2, 5]
    with pytest.raises(RefusedError):
        thread_edits.switch(frame, "rewound-1", SPOT, NOW)
    taken = thread_edits.cherry_pick(frame, "rewound-1", ["a4"], NOW)
    assert [entry.numbers[0] for entry in entries(taken)] == [1, 2, 4, 5, 6]
    onward = thread_edits.switch(thread_edits.branch(frame, "again", "a4", SPOT, NOW), "again", SPOT, NOW)
    assert [entry.numbers[0] for entry in entries(onward)] == [1, 2, 3, 4]


def test_a_later_pick_is_not_in_a_thread_that_left_before() -> None:
    frame = thread_edits.branch(session(4), "one", "u1", SPOT, NOW)
    frame = thread_edits.branch(frame, "two", "a2", SPOT, NOW)
    turns = [*frame["turns"], cast(Turn, {**turn(5), "thread": "one"})]
    frame = thread_edits.merge_thread(cast(Frame, {**frame, "turns": turns}), "one", NOW)
    assert [place + 1 for place in turns_of_thread(frame, "main")] == [1, 2, 3, 4, 5]
    assert [place + 1 for place in turns_of_thread(frame, "two")] == [1, 2]


def test_a_summary_that_repeats_what_fell_is_a_question() -> None:
    frame = turn_control.annotate(session(4), select(session(4), ["1"]), "overruled", "too slow", NOW)
    summary = Compaction(id="c0000001", summary="Decided: use the cache.\nTests pass.", turns=["a2", "a4"])
    turns = [cast(Turn, {**one, "compacted": "c0000001"}) if one["role"] == "agent" else one for one in frame["turns"]]
    frame = cast(Frame, {**frame, "compactions": [summary], "turns": turns})
    assert contradictions(frame, []) == [
        "the summary of turns 2, 4 says “Use the cache”, but taken back: too slow. Does it hold?"
    ]
    assert preamble(frame)[0] == "The following earlier decisions were overruled: turn 1"
    assert [(entry.role, entry.numbers) for entry in entries(frame)] == [
        ("user", (1,)),
        ("summary", (2, 4)),
        ("user", (3,)),
    ]
