"""Compaction of a frame: what stays, what a summary replaces, and taking it back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

from session_frames import frame_json
from session_frames.model import Compaction, Frame, Turn
from session_frames.operations.compact import (
    Limits,
    Proposal,
    Written,
    applied,
    compactable,
    last_compaction,
    left_out,
    own_summaries,
    structural,
    taken_back,
    written,
)
from session_frames.operations.context_edits import undo
from session_frames.operations.context_view import Entry, entries
from session_frames.operations.structural import Structure
from session_frames.operations.summary_file import Section, parse_summaries

AT = "2026-06-02T12:00:00Z"
EXAMPLE = json.loads((Path(__file__).parent / "planner" / "records.json").read_text(encoding="utf-8"))
SUMMARIES = "## 2-3\n원인은 첫 줄을 요구한 함수\n\n## 5-6\n빈 목록을 고치고 시험도 통과\n"


def word_cost(entry: Entry) -> int:
    words = len(entry.text.split())
    return words * 4 + max(words - 1, 0)


def frame_of(*turns: Turn, **more: Any) -> Frame:
    return cast(
        Frame, {"frame": "1.0", "id": "a" * 24, "topic": "보고서", "status": "closed", "turns": [*turns]} | more
    )


def said(id: str, text: str, **more: Any) -> Turn:
    return cast(Turn, {"id": id, "role": "user" if id.startswith("u") else "agent", "text": text} | more)


def decision(status: str, turn: str, quote: str) -> dict[str, Any]:
    evidence = [{"turn": turn, "quote": quote}]
    return {"id": status[:8], "text": quote, "status": status, "by": "user", "evidence": evidence}


def example() -> Frame:
    names = {"user": "u", "agent": "a"}
    return frame_of(*(said(f"{names[r['role']]}{r['n']}", r["text"]) for r in EXAMPLE["records"]))


def given(text: str = SUMMARIES) -> list[Written]:
    return [Written(section.numbers, section.text, "user") for section in parse_summaries(text, "s.md")]


def proposed(frame: Frame, summaries: list[Written], limits: Limits, scope: list[str] | None = None) -> Proposal:
    return written(compactable(frame, limits, scope, cost=word_cost), limits, summaries)


def texts(frame: Frame) -> list[str]:
    return [entry.text for entry in entries(frame)]


def words(frame: Frame) -> list[tuple[str, str]]:
    return [(turn["id"], turn["text"]) for turn in frame["turns"] if turn["role"] == "user"]


def test_worked_example_on_a_frame() -> None:
    found = proposed(example(), given(), Limits(260, 60, 2))
    assert [(found.numbers(group), group.saving) for group in found.plan.chosen] == [((2, 3), 49), ((5, 6), 44)]
    assert (found.plan.before, found.plan.target, found.plan.after, found.plan.over) == (272, 200, 179, 0)
    assert found.context.stays == ["your words", None, None, "your words", None, None, "recent", "recent"]

    found = proposed(example(), given(), Limits(260, 60, 3))
    assert [found.numbers(group) for group in found.plan.chosen] == [(2, 3)]
    assert (found.plan.after, found.plan.over) == (223, 23)
    assert [(found.numbers(group), group.fate) for group in found.plan.groups][1:] == [((5,), "no summary")]

    for found in (proposed(example(), given(), Limits(400, 60, 2)), proposed(example(), [], Limits(260, 60, 2))):
        assert found.plan.chosen == []
        assert found.plan.after == 272
        assert applied(found, AT) == example()


def test_applied_context_holds_the_summaries_in_place_and_the_file_all_words() -> None:
    frame = example()
    after = applied(proposed(frame, given(), Limits(260, 60, 2)), AT)
    records = [record["text"] for record in EXAMPLE["records"]]
    one, two = (section.text for section in parse_summaries(SUMMARIES, ""))
    assert texts(after) == [records[0], one, records[3], two, records[6], records[7]]
    assert [turn["text"] for turn in after["turns"]] == records
    assert [(c["turns"], c["by"], c["tokens_before"], c["tokens_after"]) for c in after["compactions"]] == [
        (["a2", "a3"], "user", 73, 24),
        (["a5", "a6"], "user", 68, 24),
    ]
    assert frame_json.decode(frame_json.encode(after), "x") == after
    (event,) = after["events"]
    assert (event["kind"], event["turns"]) == ("compact", ["a2", "a3", "a5", "a6"])


def test_compacting_again_changes_nothing() -> None:
    limits = Limits(None, 0, 2)
    after = applied(proposed(example(), given(), limits), AT)
    again = proposed(after, given(), limits)
    assert again.plan.chosen == []
    assert applied(again, AT) is after


def test_taken_back_byte_for_byte_and_undone_by_an_event() -> None:
    frame = example()
    after = applied(proposed(frame, given(), Limits(260, 60, 2)), AT)
    event = last_compaction(after)
    assert event is not None
    assert frame_json.encode(taken_back(after, event)) == frame_json.encode(frame)

    undone = undo(after, event["id"], at=AT)
    assert undone["turns"] == frame["turns"]
    assert texts(undone) == texts(frame)
    assert [one["kind"] for one in undone["events"]] == ["compact", "undo"]
    assert last_compaction(undone) is None


def test_wider_summary_supersedes_and_undoing_it_restores_the_earlier_one() -> None:
    first = applied(proposed(example(), given(), Limits(recent=2)), AT)
    wide = proposed(first, given("## 2-6\n원인을 찾아 고쳤다\n"), Limits(recent=2))
    second = applied(wide, "2026-06-02T13:00:00Z")
    records = [record["text"] for record in EXAMPLE["records"]]
    assert texts(second) == [records[0], "원인을 찾아 고쳤다", records[3], records[6], records[7]]
    assert words(second) == words(example())
    event = last_compaction(second)
    assert event is not None
    assert frame_json.encode(taken_back(second, event)) == frame_json.encode(first)
    undone = undo(second, event["id"], at="2026-06-02T14:00:00Z")
    assert undone["turns"] == first["turns"]
    assert undone["compactions"] == first["compactions"]
    assert last_compaction(undone) == last_compaction(first)


def test_summary_of_part_of_a_summary_is_refused_with_the_reason() -> None:
    first = applied(proposed(example(), given(), Limits(recent=2)), AT)
    again = proposed(first, given("## 3\n함수\n"), Limits(recent=2))
    assert again.told == ["summary 3: turns 2-3 are one summary already and stay together"]


def test_what_stays_and_why() -> None:
    frame = frame_of(
        said("u1", "use sqlite, not files"),
        said("a1", "I propose WAL mode " * 9),
        said("u2", "yes"),
        said("a2", "long story " * 20, pinned=True),
        said("u3", "go on"),
        said("a3", "limits " * 20, annotation="key-constraint"),
        said("u4", "and?"),
        said("a4", "more " * 20),
        said("u5", "and?"),
        said("a5", "more " * 20),
        decisions=[decision("accepted", "a1", "WAL"), decision("rejected", "a4", "more")],
    )
    user = "your words"
    stays = compactable(frame, Limits(recent=1)).stays
    assert stays == [user, "decided here", user, "pinned", user, "key constraint", user, None, user, "recent"]
    scoped = compactable(frame, Limits(recent=0), ["a5", "u5"]).stays
    assert scoped == [user, "decided here", user, "pinned", user, "key constraint", user, "not asked for", user, None]


def test_summaries_that_cannot_be_used_are_told() -> None:
    long = " ".join(["아주"] * 40)
    found = proposed(example(), given(f"## 2-3\n{long}\n## 7\nx\n## 9-12\ny\n## 5-6\n\n"), Limits(260, 60, 2))
    assert found.plan.chosen == []
    assert found.plan.over == 72
    assert found.told == [
        "summary 7: turn 7 stays (recent)",
        "summary 9-12: the frame has turns 1-8, not 9-12",
        "summary 5-6: it is empty",
        "summary 2-3: costs 199 tokens, the turns themselves 73",
    ]
    found = proposed(example(), given("## 2\nx\n## 1 4\n짧게\n"), Limits(260, 60, 2))
    assert found.told == [
        "summary 1, 4: turn 1 stays (your words)",
        "summary 2: is for a part of turns that are replaced together or not at all",
    ]
    both = [*given(), *given("## 2-3\n더 짧게\n")]
    assert proposed(example(), both, Limits(260, 60, 2)).told == [
        "summary 2-3: another one that saves more stands for these turns"
    ]
    assert proposed(example(), given(), Limits(260, 60, 3)).told == ["summary 5-6: turn 6 stays (recent)"]


def test_agents_own_summary_stands_for_the_turns_before_it() -> None:
    own = Compaction(id="c1", at=AT, turns=["u1", "a2", "a3", "u4", "a5"], summary="고치는 중", by="agent")
    empty = Compaction(id="c2", at=AT, turns=["u1"], summary="", by="agent")
    frame = cast(Frame, {**example(), "compactions": [own, empty]})
    assert texts(frame) == [record["text"] for record in EXAMPLE["records"]]
    limits = Limits(recent=3)
    found = proposed(frame, own_summaries(frame), limits)
    assert [found.numbers(group) for group in found.plan.chosen] == [(2, 3, 5)]
    after = applied(found, AT)
    assert after["compactions"] == [own, empty]
    assert texts(after)[:3] == [EXAMPLE["records"][0]["text"], "고치는 중", EXAMPLE["records"][3]["text"]]
    event = last_compaction(after)
    assert event is not None
    assert frame_json.encode(taken_back(after, event)) == frame_json.encode(frame)


# ---------------------------------------------------------------------------------------------------------------------
# Structural


def call(id: str, tool: str, change: str, after: int = 0, **result: Any) -> dict[str, Any]:
    path = {"path": "src/날짜.py", "change": change}
    made = {"id": id, "tool": tool, "after": after, "arguments": {"file": "src/날짜.py"}, "outcome": "passed"}
    return {**made, "files": [path], "result": {"size": 9000, "head": "x" * 300, "tail": "y" * 300, **result}}


def tools() -> Frame:
    answer = "먼저 읽습니다. I read it.\n\nThen I change it."
    calls = [call("c1", "Read", "read", 19), call("c2", "Read", "read", 19), call("c3", "Edit", "modified", 39)]
    return frame_of(
        said("u1", "parse dates"),
        said("a1", answer, calls=calls, reasoning="hm"),
        said("u2", "and times"),
        said("a2", "done", calls=[call("c4", "Read", "read"), call("c5", "Shot", "read", kind="image/png")]),
        said("u3", "thanks"),
        said("a3", "you are welcome"),
    )


def test_structural_form_keeps_every_word_and_leaves_out_the_rest() -> None:
    limits = Limits(recent=2)
    found = structural(compactable(tools(), limits), limits)
    assert dict(left_out(found)) == {"tool output": 4, "image": 1, "repeated read": 2}
    after = applied(found, AT)
    assert texts(after) == [
        "parse dates",
        "먼저 읽습니다. I read it.\n→ Read src/날짜.py [passed]\n\n\nThen I change it.\n→ Edit src/날짜.py [passed]\n",
        "and times",
        "\n→ Shot src/날짜.py [passed]\ndone",
        "thanks",
        "you are welcome",
    ]
    assert [entry.role for entry in entries(after)] == ["user", "agent", "user", "agent", "user", "agent"]
    (record,) = after["compactions"]
    assert (record["kind"], record["turns"], record["summary"]) == ("structural", ["a1", "a2"], "")
    assert sum(entry.tokens for entry in entries(after)) == found.plan.after < found.plan.before
    assert after["turns"][1]["calls"] == tools()["turns"][1]["calls"]
    again = structural(compactable(after, limits), limits)
    assert applied(again, AT) is after
    event = last_compaction(after)
    assert event is not None
    assert frame_json.encode(taken_back(after, event)) == frame_json.encode(tools())


def test_summary_can_replace_what_was_structural_and_the_other_way_round() -> None:
    limits = Limits(recent=2)
    first = applied(structural(compactable(tools(), limits), limits), AT)
    found = written(compactable(first, limits), limits, [Written((2, 3, 4), "dates", "user")])
    second = applied(found, AT)
    assert texts(second)[:3] == ["parse dates", "dates", "and times"]
    third = applied(structural(compactable(second, limits), limits), AT)
    assert third is second


def test_calls_that_say_no_place_in_the_text_are_put_at_its_end() -> None:
    shown = Structure().of("short", cast(Any, [call("c1", "Edit", "modified", 99)])).text
    assert shown == "short\n→ Edit src/날짜.py [passed]\n"


# ---------------------------------------------------------------------------------------------------------------------
# Drop


def test_drop_leaves_the_agents_texts_out_and_never_the_users() -> None:
    frame = frame_of(
        said("u1", "말 " * 200),
        said("a1", "a long answer " * 20, reasoning="hm", calls=[call("c1", "Edit", "modified", 30)]),
        said("u2", "question"),
        said("a2", "what about zones? " * 20),
        said("u3", "question"),
        said("a3", "kept"),
        open_questions=[
            {"id": "q", "text": "z", "status": "open", "by": "agent", "evidence": [{"turn": "a2", "quote": "zones?"}]}
        ],
    )
    limits = Limits(recent=0)
    summaries = [Written((2,), "answered", "user"), Written((4,), "asked", "user")]
    after = applied(written(compactable(frame, limits), limits, summaries), AT, drop=True)
    assert words(after) == words(frame)
    (elision,) = after["elided"]
    assert elision["where"] == "turns/a1/text"
    assert elision["chars"] == len("a long answer " * 20)
    assert after["turns"][1]["text"] == f"\n[… 280 characters left out, digest {elision['digest']} …]\n"
    assert after["turns"][1]["calls"][0]["id"] == "c1"
    assert "reasoning" not in after["turns"][1]
    assert after["turns"][3]["text"] == frame["turns"][3]["text"]  # an open question quotes it
    assert after["events"][0]["data"]["dropped"] == ["a1"]
    assert frame_json.decode(frame_json.encode(after), "x") == after


def test_file_gives_back_sections() -> None:
    assert parse_summaries("short", "x") == [Section((), "short")]
