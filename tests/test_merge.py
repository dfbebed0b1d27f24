"""Merging: golden cases, the table, and laws that hold for whatever two sides did."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from frame_strategies import Triple, additions, frames, triples
from hypothesis import HealthCheck, given, settings

from session_frames.frame_json import decode, encode, fields_of
from session_frames.model import Frame, merged_id
from session_frames.operations import merge_fields
from session_frames.operations.merge import merge, merge_sessions
from session_frames.operations.merge_rules import DEFAULT_STRATEGY, KEYS, LATER_STATUS, RULES, STRATEGIES
from session_frames.operations.merge_sides import known_fields
from session_frames.operations.merge_values import in_order, merged_text, same
from session_frames.schema import problems

CASES = sorted((Path(__file__).parent / "merge").iterdir())

LAWS = settings(
    max_examples=300, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck)
)


def minimal(**keys: Any) -> Frame:
    return {"frame": "1.0", "id": "a" * 24, "topic": "t", "status": "closed", **keys}  # type: ignore[typeddict-item]


def assert_same(one: Frame, other: Frame) -> None:
    """The same content; told key by key, because whole frames are too long to read."""
    left: Any = one
    right: Any = other
    differing = {key for key in {*left, *right} if not same(left.get(key), right.get(key))}
    assert {key: (left.get(key), right.get(key)) for key in differing} == {}


# ---------------------------------------------------------------------------------------------------------------------
# Golden cases


def read(case: Path, name: str) -> Frame | None:
    path = case / f"{name}.frame.json"
    return decode(path.read_bytes(), f"{case.name}/{path.name}") if path.exists() else None


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_golden_case(case: Path) -> None:
    base, ours, theirs = (read(case, name) for name in ("base", "ours", "theirs"))
    assert ours is not None
    assert theirs is not None
    expected = (case / "expected.frame.json").read_bytes()
    merged = merge(base, ours, theirs)
    other_way = merge(base, theirs, ours)
    assert encode(merged.frame).decode() == expected.decode()
    assert encode(other_way.frame).decode() == expected.decode()
    before = [conflict for frame in (ours, theirs) for conflict in frame.get("merge_conflicts", [])]
    left = [conflict for conflict in decode(expected).get("merge_conflicts", []) if conflict not in before]
    assert merged.conflicts == other_way.conflicts == left
    assert problems(decode(expected)) == []


def test_secrets_taken_out_on_one_side_stay_out() -> None:
    case = next(case for case in CASES if case.name == "redacted-wins")
    assert b"sk-abc123" in (case / "theirs.frame.json").read_bytes()
    assert b"sk-abc123" not in (case / "expected.frame.json").read_bytes()


# ---------------------------------------------------------------------------------------------------------------------
# Laws


@LAWS
@given(triples())
def test_a_side_that_changed_nothing_adds_nothing(triple: Triple) -> None:
    base, changed, _ = triple
    assert merge(base, base, changed) == (changed, [])
    assert merge(base, changed, base) == (changed, [])
    assert merge(base, changed, changed) == (changed, [])
    assert merge(None, changed, changed) == (changed, [])


@LAWS
@given(triples())
def test_the_order_of_sides_does_not_matter(triple: Triple) -> None:
    for base in (triple.base, None):
        one, other = merge(base, triple.ours, triple.theirs), merge(base, triple.theirs, triple.ours)
        assert_same(one.frame, other.frame)
        assert one.conflicts == other.conflicts


@LAWS
@given(triples())
def test_merging_again_changes_nothing(triple: Triple) -> None:
    for base in (triple.base, None):
        merged = merge(base, triple.ours, triple.theirs).frame
        assert_same(merge(base, merged, triple.theirs).frame, merged)
        assert_same(merge(base, triple.ours, merged).frame, merged)


@LAWS
@given(triples())
def test_the_result_is_a_valid_frame(triple: Triple) -> None:
    merged = merge(*triple)
    written = encode(merged.frame)
    frame = decode(written)
    assert encode(frame) == written
    assert problems(frame) == []
    listed = {conflict["id"] for conflict in frame.get("merge_conflicts", [])}
    assert {conflict["id"] for conflict in merged.conflicts} <= listed
    for turn in frame["turns"]:
        calls = [call["id"] for call in turn.get("calls", [])]
        assert len(calls) == len(set(calls))
        assert all(call.get("after", 0) <= len(turn.get("text", "")) for call in turn.get("calls", []))


@LAWS
@given(triples())
def test_no_turn_call_or_event_is_lost(triple: Triple) -> None:
    merged = merge(*triple).frame
    for side in (triple.ours, triple.theirs):
        assert ids(side, "turns") <= ids(merged, "turns")
        assert ids(side, "events") <= ids(merged, "events")
        order = [turn["id"] for turn in merged["turns"] if turn["id"] in ids(side, "turns")]
        assert order == [turn["id"] for turn in side["turns"]]


def ids(frame: Any, key: str) -> set[str]:
    return {record["id"] for record in frame.get(key, [])}


@LAWS
@given(additions())
def test_records_added_on_different_sides_come_out_the_same_in_any_order(
    states: tuple[Frame, Frame, Frame, Frame],
) -> None:
    base, one, two, three = states
    expected = merge(base, merge(base, one, two).frame, three).frame
    assert_same(merge(base, one, merge(base, two, three).frame).frame, expected)
    assert_same(merge(base, merge(base, three, one).frame, two).frame, expected)


@settings(LAWS, max_examples=150)
@given(frames("s-1"), frames("s-2"), frames("s-3"))
def test_sessions_merge_in_any_order(one: Frame, two: Frame, three: Frame) -> None:
    parts = [one, two, three]
    merged = merge_sessions(parts)
    assert merged.frame["id"] == merged_id(frame["id"] for frame in parts)
    assert merge_sessions(parts[::-1]) == merged
    later = merge_sessions([three, merge_sessions([two, one]).frame]).frame
    for key in ("id", "topic", "turns", "files", "events"):
        assert same(later.get(key), merged.frame.get(key)), key
    assert ids(merged.frame, "merged_from") == {frame["id"] for frame in parts}
    assert problems(decode(encode(merged.frame))) == []


@settings(LAWS, max_examples=150)
@given(frames("s-1"), frames("s-2"))
def test_merging_a_part_again_changes_nothing(one: Frame, two: Frame) -> None:
    met = merge(None, one, two)
    assert [conflict["where"] for conflict in met.conflicts].count("id") == 1
    assert_same(merge(None, two, one).frame, met.frame)
    for part in (one, two):
        again = merge(None, met.frame, part)
        assert_same(again.frame, met.frame)
        assert "id" not in [conflict["where"] for conflict in again.conflicts]


# ---------------------------------------------------------------------------------------------------------------------
# The table


def test_every_strategy_is_told_used_and_known() -> None:
    assert {*RULES.values(), DEFAULT_STRATEGY} == set(STRATEGIES)
    # Spans are merged with the object that holds both boundary and git.
    assert set(merge_fields.STRATEGIES) | {"span"} == set(STRATEGIES)
    assert all(told.endswith(".") and told[0].isupper() for told in STRATEGIES.values())


def test_the_table_names_keys_of_the_format() -> None:
    for path in {*RULES, *KEYS}:
        holder, _, key = path.rpartition(".")
        assert key in known_fields(holder), path
    for path, keys in KEYS.items():
        assert set(keys) <= set(known_fields(f"{path}[]")), path


def test_every_key_of_a_frame_has_a_rule() -> None:
    assert set(fields_of(Frame)) - set(RULES) == {"id"}


@pytest.mark.parametrize("later", range(1, len(LATER_STATUS)))
def test_the_later_status_wins(later: int) -> None:
    for earlier in LATER_STATUS[:later]:
        sides = (minimal(status=earlier), minimal(status=LATER_STATUS[later]))
        assert merge(None, *sides).frame["status"] == LATER_STATUS[later]


# ---------------------------------------------------------------------------------------------------------------------
# Values


@pytest.mark.parametrize(
    ("ours", "theirs", "merged"),
    [
        ("abc", "axbc", "axbc"),
        ("ac", "ab", "abc"),
        ("", "ba", "ba"),
        ("ca", "b", "bca"),
        ("ab", "ba", "ab"),
        ("cab", "bca", "abc"),  # they contradict each other
    ],
)
def test_an_order_that_keeps_both(ours: str, theirs: str, merged: str) -> None:
    assert "".join(in_order(ours, theirs, str)) == "".join(in_order(theirs, ours, str)) == merged


SECRET, HIDDEN = "key sk-1 end", "key [redacted:api-key] end"


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "merged"),
    [
        ("a", "ab", "abc", "abc"),
        ("a", "ab", "ac", None),
        (SECRET, HIDDEN, SECRET + " more", HIDDEN + " more"),
        (SECRET, HIDDEN + " more", SECRET + " mine", None),
        ("", HIDDEN, SECRET, HIDDEN),
        ("", "[redacted:a] and [redacted:b]", "x and [redacted:b]", "[redacted:a] and [redacted:b]"),
        ("", "[redacted:a] and [redacted:b]", "x or y", None),
        ("", "a\n[… 3 characters left out, digest 0a …]\nc", "abbbc", "abbbc"),
        ("", "a\n[… 3 characters left out, digest 0a …]\nc", "abbbd", None),
    ],
)
def test_texts(base: str, ours: str, theirs: str, merged: str | None) -> None:
    assert merged_text(base, ours, theirs) == merged_text(base, theirs, ours) == merged


def test_a_text_in_which_only_a_secret_changed_is_no_conflict() -> None:
    base, ours, theirs = (minimal(goal=goal) for goal in ("login", HIDDEN, SECRET))
    assert merge(base, ours, theirs) == (minimal(goal=HIDDEN), [])


def test_one_is_not_true() -> None:
    merged = merge(minimal(x_n=0), minimal(x_n=1), minimal(x_n=True))
    assert [(conflict["where"], conflict["values"]) for conflict in merged.conflicts] == [("x_n", [1, True])]
    assert merged.frame["x_n"] is True  # type: ignore[typeddict-item]


def test_a_default_written_out_is_no_change() -> None:
    merged = merge(minimal(goal="g"), minimal(goal="", title="t"), minimal(title=""))
    assert encode(merged.frame) == encode(minimal(title="t"))
    assert merged.conflicts == []


def test_an_item_found_unverified_stays_so() -> None:
    item = {"id": "1", "text": "t", "status": "open", "by": "agent"}
    merged = merge(
        minimal(next_steps=[item]),
        minimal(next_steps=[{**item, "verified": False}]),
        minimal(next_steps=[{**item, "status": "done"}]),
    )
    assert merged.frame["next_steps"] == [{**item, "status": "done", "verified": False}]


def test_a_settled_call_beats_a_pending_one() -> None:
    def frame(outcome: str, **keys: Any) -> Frame:
        call = {"id": "c1", "tool": "Bash", "outcome": outcome, **keys}
        return minimal(turns=[{"id": "a1", "role": "agent", "calls": [call]}])

    result = {"size": 2, "head": "ok"}
    merged = merge(None, frame("pending", after=0), frame("passed", result=result))
    assert_same(merged.frame, frame("passed", after=0, result=result))
    assert merged.conflicts == []
    both = merge(frame("pending"), frame("passed"), frame("failed"))
    assert [conflict["where"] for conflict in both.conflicts] == ["turns/a1/calls/c1/outcome"]


def test_superseding_is_no_contradiction() -> None:
    old = {"id": "1", "text": "a", "subject": "s", "status": "accepted", "by": "agent"}
    new = {**old, "id": "2", "text": "b", "supersedes": "1"}
    assert merge(minimal(), minimal(decisions=[old]), minimal(decisions=[new])).conflicts == []


def test_one_session_given_twice_is_one_part() -> None:
    merged = merge_sessions([minimal(goal="g"), minimal()])
    assert merged == (minimal(goal="g"), [])


def test_a_topic_can_be_given() -> None:
    other: Frame = {**minimal(), "id": "b" * 24}
    assert merge_sessions([minimal(), other], "both").frame["topic"] == "both"
    assert merge_sessions([minimal(), other]).frame["topic"] == "t"


def test_nothing_is_changed_in_place() -> None:
    case = next(case for case in CASES if case.name == "different-sessions")
    base, ours, theirs = (read(case, name) for name in ("base", "ours", "theirs"))
    assert ours is not None
    assert theirs is not None
    merge(base, ours, theirs)
    assert (ours, theirs) == (read(case, "ours"), read(case, "theirs"))


def test_large_frames_merge_fast() -> None:
    call = {
        "id": "c1",
        "tool": "Edit",
        "outcome": "passed",
        "arguments": {"new": "x" * 190},
        "wrote": {"a": ["abcdef"]},
    }
    turns = [{"id": f"a{n}", "role": "agent", "text": "말 words " * 60, "calls": [call]} for n in range(1000)]
    base = minimal(turns=turns)
    ours = minimal(turns=[*turns, {"id": "u", "role": "user"}])
    theirs = minimal(turns=[{**turn, "pinned": True} for turn in turns])
    data = [encode(frame) for frame in (base, ours, theirs)]
    assert min(map(len, data)) > 1 << 20
    start = time.process_time()
    base, ours, theirs = map(decode, data)
    encode(merge(base, ours, theirs).frame)
    assert time.process_time() - start < 0.6  # a third of it on a machine at rest
