"""Edits of the context as events: each can be undone and replayed, at any moment, however they were mixed."""

from __future__ import annotations

import random
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from session_frames.errors import UsageError
from session_frames.frame_json import encode
from session_frames.model import Frame, Turn
from session_frames.operations.context_edits import LISTS, record, rewound, undo
from session_frames.operations.context_view import at, entries
from session_frames.operations.merge import merge
from session_frames.operations.renew import renew

NOW = "2026-06-02T12:00:00Z"
WORDS = ("use the cache", "캐시를 쓰세요", "キャッシュを使う", "half \ud83d of it", "")


def frame_of(count: int) -> Frame:
    """A frame with so many turns of a session, one a minute."""
    return cast(
        Frame,
        {
            "frame": "1.0",
            "id": "a" * 24,
            "topic": "t",
            "status": "closed",
            "turns": [turn(n) for n in range(1, count + 1)],
        },
    )


def turn(number: int) -> Turn:
    role = "user" if number % 2 else "agent"
    calls: dict[str, Any] = (
        {}
        if role == "user"
        else {"calls": [{"id": f"c{number}.{n}", "tool": "Read", "outcome": "passed"} for n in range(3)]}
    )
    return cast(
        Turn,
        {
            "id": f"{role[0]}{number}",
            "role": role,
            "at": f"2026-06-02T10:{number:02}:00Z",
            "text": f"{WORDS[number % 5]} {number}",
            **calls,
        },
    )


# ---------------------------------------------------------------------------------------------------------------------
# Random histories: edits of every kind of place, and turns that come in between


def one_edit(frame: Frame, rng: random.Random) -> Frame:
    """The frame with something about it changed; no event."""
    changed: dict[str, Any] = {**frame, "turns": [{**one} for one in frame["turns"]]}
    some = rng.choice(changed["turns"])
    what = rng.randrange(6)
    if what == 0:
        key, value = rng.choice(
            [("pinned", True), ("pruned", True), ("annotation", "dead-end"), ("note", "짧게"), ("picked", {"x": "u1"})]
        )
        if some.get(key) == value:
            del some[key]
        else:
            some[key] = value
    elif what == 1 and some.get("calls"):
        some["calls"] = [
            {key: value for key, value in call.items() if key != "pruned"}
            if call.get("pruned")
            else ({**call, "pruned": True} if rng.random() < 0.5 else call)
            for call in some["calls"]
        ]
    elif what == 2:
        key = rng.choice(("topic", "title", "goal", "thread"))
        changed[key] = rng.choice(WORDS[:3])
    else:
        key = rng.choice(sorted(LISTS))
        records = list(changed.get(key, []))
        if records and rng.random() < 0.4:
            records.pop(rng.randrange(len(records)))
        elif records and rng.random() < 0.5:
            at_ = rng.randrange(len(records))
            records[at_] = {**records[at_], "note": rng.choice(WORDS)}
        else:
            records.append(
                {
                    LISTS[key]: f"{rng.randrange(1 << 30)}",
                    "summary": "s",
                    "turn": "u1",
                    "status": "accepted",
                    "text": "x",
                }
            )
        changed[key] = records
        if not records:
            del changed[key]
    return cast(Frame, changed)


@st.composite
def histories(draw: st.DrawFn) -> list[Frame]:
    """A frame after each of some edits; turns may come in between."""
    rng = random.Random(draw(st.integers(0, 1 << 30)))
    frame = frame_of(draw(st.integers(1, 6)))
    states = [frame]
    for grows in draw(st.lists(st.booleans(), min_size=1, max_size=8)):
        if grows:
            count = len(frame["turns"]) + 1
            frame = cast(Frame, {**frame, "turns": [*frame["turns"], turn(count)]})
            states[-1] = frame
        edited = record(one_edit(frame, rng), "edit", at=rng.choice((NOW, "2026-06-02T13:00:00Z")), was=frame)
        if edited is not frame:
            frame = edited
            states.append(frame)
    return states


def without_events(frame: Frame) -> bytes:
    return encode(cast(Frame, {key: value for key, value in frame.items() if key != "events"}))


@settings(max_examples=150, deadline=None)
@given(histories())
def test_the_frame_at_an_event_is_the_frame_as_it_was_then(states: list[Frame]) -> None:
    last = states[-1]
    grown = max(len(state["turns"]) for state in states)
    for number, state in enumerate(states):
        if number and len(state["turns"]) == grown:
            assert encode(rewound(last, number)) == encode(state)
    for event, state in zip(last.get("events", []), states[1:], strict=True):
        then = at(last, event["id"])
        known = cast(Any, event["data"])["last"]
        assert [one["id"] for one in then["turns"]][-1] == known
        held = cast(Frame, {**state, "turns": then["turns"]})
        assert entries(then, "main") == entries(held, "main")


@settings(max_examples=100, deadline=None)
@given(histories())
def test_undoing_every_event_gives_the_frame_back_byte_for_byte(states: list[Frame]) -> None:
    frame = states[-1]
    for event in reversed(frame.get("events", [])):
        frame = undo(frame, event["id"], at=NOW)
    assert without_events(frame) == without_events(
        cast(Frame, {**states[0], "turns": [turn(n) for n in range(1, len(frame["turns"]) + 1)]})
    )


@settings(max_examples=100, deadline=None)
@given(histories())
def test_times_of_events_only_go_forward(states: list[Frame]) -> None:
    times = [event["at"] for event in states[-1].get("events", [])]
    assert times == sorted(set(times))
    assert len({event["id"] for event in states[-1].get("events", [])}) == len(times)


@settings(max_examples=100, deadline=None)
@given(histories(), st.integers(0, 3))
def test_reading_the_session_again_keeps_every_edit(states: list[Frame], more: int) -> None:
    frame = states[-1]
    fresh = frame_of(len(frame["turns"]) + more)
    again, lost = renew(frame, cast(Frame, {**fresh, **{key: frame[key] for key in ("compactions",) if key in frame}}))
    assert lost == 0
    kept = {one["id"]: one for one in again["turns"]}
    assert [kept[one["id"]] for one in frame["turns"]] == frame["turns"]
    for key in (*LISTS, "topic", "title", "goal", "thread", "events"):
        assert (cast(Any, again).get(key) or None) == (cast(Any, frame).get(key) or None), key
    assert encode(renew(again, fresh)[0]) == encode(again)


@settings(max_examples=100, deadline=None)
@given(histories(), st.integers(0, 1 << 30))
def test_edits_of_a_copy_are_made_again_on_what_was_read(states: list[Frame], seed: int) -> None:
    """A copy that went on from some state brings its edits into the older one."""
    older, newest = states[0], states[-1]
    older = cast(Frame, {**older, "turns": [turn(n) for n in range(1, len(newest["turns"]) + 1)]})
    assert without_events(renew(older, newest)[0]) == without_events(newest)


@settings(max_examples=60, deadline=None)
@given(histories(), st.integers(0, 1 << 30))
def test_what_two_sides_did_is_as_it_was_at_each_moment(states: list[Frame], seed: int) -> None:
    """After a merge the state of a moment before both sides parted is the one that both had."""
    base = states[-1]
    rng = random.Random(seed)
    sides = []
    for name in ("o", "t"):
        side = base
        for number in range(rng.randrange(1, 4)):
            marked = {**rng.choice(side["turns"]), "note": f"{name}{number}"}
            turns = [marked if one["id"] == marked["id"] else one for one in side["turns"]]
            side = record(cast(Frame, {**side, "turns": turns}), "annotate", at=NOW, was=side, data={"side": name})
        sides.append(side)
    merged = merge(base, *sides).frame
    assert len(merged.get("events", [])) >= len(base.get("events", []))
    count = len(base.get("events", []))
    assert encode(rewound(merged, count)) == encode(rewound(base, count)) or merged.get("merge_conflicts")


# ---------------------------------------------------------------------------------------------------------------------
# Single cases


def test_an_edit_that_changes_nothing_is_no_event() -> None:
    frame = frame_of(2)
    assert record(cast(Frame, {**frame}), "pin", at=NOW, was=frame) is frame


def test_no_such_moment_names_those_that_exist() -> None:
    with pytest.raises(UsageError) as told:
        at(frame_of(3), 4)
    assert told.value.message == "no such turn, event or time: '4'"
    assert told.value.hint == "the frame has turns 1-3; a time is like 2026-06-02T10:00:00Z"
    with pytest.raises(UsageError):
        undo(frame_of(3), "00000000", at=NOW)
