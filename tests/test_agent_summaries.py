"""The agent's own compaction summaries: which turns each stands for, also when the transcript has grown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from command_line import Session, out

from session_frames.model import Compaction
from session_frames.operations.assemble import Assembled, assemble
from session_frames.transcripts.base import Abandon, AgentText, Event, Summary, ToolCall, UserWords

AT = "2026-06-02T10:00:00Z"


def assembled(*events: Event) -> Assembled:
    return assemble(events, policy=None)


def stands_for(*events: Event) -> list[list[str]]:
    return [compaction.get("turns", []) for compaction in assembled(*events).compactions]


def say(key: str, text: str = "words") -> UserWords:
    return UserWords(key, AT, text, "typed")


def answer(key: str, text: str = "done") -> AgentText:
    return AgentText(key, AT, text)


def summary(key: str, kept: str | None = "") -> Summary:
    return Summary(key, AT, f"summary {key}", kept)


def test_summary_stands_for_the_turns_before_it() -> None:
    told = [say("u1"), answer("a1"), summary("s1"), say("u2"), answer("a2"), summary("s2"), say("u3")]
    assert stands_for(*told) == [["u1", "a1"], ["u1", "a1", "u2", "a2"]]
    assert assembled(*told).compactions[0] == Compaction(
        id=assembled(*told[:3]).compactions[0]["id"], at=AT, turns=["u1", "a1"], summary="summary s1", by="agent"
    )


def test_turn_that_goes_on_behind_the_summary_is_not_summed_up() -> None:
    assert stands_for(say("u1"), answer("a1"), summary("s1"), answer("a2", "and on")) == [["u1"]]
    assert stands_for(say("u1"), answer("a1"), summary("s1"), ToolCall("a2", AT, "c", "Bash", {})) == [["u1"]]


def test_rewound_turns_are_not_summed_up() -> None:
    told = [say("u1"), answer("a1"), say("u2"), answer("a2"), summary("s1"), say("u3"), Abandon(("u2", "a2"))]
    assert stands_for(*told) == [["u1", "a1"]]


def test_format_that_names_the_first_record_that_stays() -> None:
    turns = [say("u1"), answer("a1"), say("u2"), answer("a2"), answer("b2")]
    assert stands_for(*turns, summary("s", kept="u2")) == [["u1", "a1"]]
    assert stands_for(*turns, summary("s", kept="b2")) == [["u1", "a1", "u2"]]
    assert stands_for(*turns, summary("s", kept="nowhere")) == [[]]
    assert stands_for(*turns, summary("s", kept=None)) == [[]]


def test_summary_told_twice_counts_once() -> None:
    assert stands_for(say("u1"), summary("s"), answer("a1"), summary("s")) == [["u1"]]


def _with_summary(session: Session, text: str) -> Session:
    session.user(text)
    session.records[-1]["isCompactSummary"] = True
    return session


def test_grown_transcript_keeps_what_a_summary_stands_for(repo: Path) -> None:
    session = Session(repo).user("please parse dates").agent("dates are parsed").user("그리고 시간도").agent("네")
    _with_summary(session, "This session is being continued: dates and times are parsed").save(repo / "s.jsonl")
    out("import", "s.jsonl", cwd=repo)
    first = _frame(repo)
    (compaction,) = first["compactions"]
    assert compaction["turns"] == [turn["id"] for turn in first["turns"]]
    assert [turn["text"] for turn in first["turns"] if turn["role"] == "user"] == [
        "please parse dates",
        "그리고 시간도",
    ]

    session.user("now zones").agent("zones are parsed").save(repo / "s.jsonl")
    out("import", "s.jsonl", cwd=repo)
    grown = _frame(repo)
    assert grown["compactions"] == [compaction]
    assert grown["turns"][:4] == first["turns"]
    assert len(grown["turns"]) == 6


def test_summary_in_the_middle_of_a_turn_leaves_that_turn_once_it_goes_on(repo: Path) -> None:
    session = Session(repo).user("please parse dates").agent("half of it is done")
    _with_summary(session, "so far: half").save(repo / "s.jsonl")
    out("import", "s.jsonl", cwd=repo)
    assert len(_frame(repo)["compactions"][0]["turns"]) == 2

    session.agent("now all of it").save(repo / "s.jsonl")
    out("import", "s.jsonl", cwd=repo)
    frame = _frame(repo)
    assert frame["turns"][1]["text"] == "half of it is done\n\nnow all of it"
    assert frame["compactions"][0]["turns"] == [frame["turns"][0]["id"]]


def _frame(repo: Path) -> dict[str, Any]:
    (path,) = (repo / ".copilot/sessions").iterdir()
    frame: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return frame
