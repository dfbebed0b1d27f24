"""What of a context is given within a budget: five strategies, the choice between them, and what is never cut."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from command_line import Session, err, git, json_lines, out
from hypothesis import given
from hypothesis import strategies as st

from session_frames.model import Frame
from session_frames.operations.context import Changes, Opening, Wanted, opening
from session_frames.operations.context_report import Limits, context_data, context_lines
from session_frames.operations.context_view import entries
from session_frames.operations.strategies import MODES, OverBudget, choose, share_used
from session_frames.operations.tokens import FACTORS, Count, estimated_tokens
from session_frames.operations.usage import recorded, window_use

UNKNOWN = Changes(known=False, commits=[], files=[], uncommitted=[])
WHOLE = "\n  frames show 7f3a9c  all "


def frame_of(*said: str, **more: Any) -> Frame:
    """A frame of alternate turns of user and agent."""
    roles = ("user", "agent")
    turns = [{"id": f"t{at}", "role": roles[(at - 1) % 2], "text": text} for at, text in enumerate(said, 1)]
    made: Any = {"frame": "1.0", "id": "7f3a9c" + "0" * 18, "topic": "auth", "status": "closed", "turns": turns, **more}
    return made


def long_talk(turns: int, words: int = 60) -> Frame:
    """Requests of some words, answers of many."""
    said = [
        (f"request {at} 요청 " if at % 2 else f"answer {at} ") + "word " * (8 if at % 2 else words)
        for at in range(1, turns + 1)
    ]
    return frame_of(*said)


def given_by(frame: Frame, budget: int, mode: str = "auto", window: int = 0) -> Opening:
    made = opening(frame, UNKNOWN, Wanted(budget, mode, window))
    assert made.size.tokens <= budget
    assert WHOLE in made.text
    return made


def turns_in(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"^turn (\d+), ", text, re.MULTILINE)]


def test_a_small_context_is_given_whole() -> None:
    made = given_by(long_talk(6), 6000)
    assert (made.choice.mode, made.left_out) == ("full", {})
    assert turns_in(made.text) == [1, 2, 3, 4, 5, 6]
    assert re.search(
        r"^Given as full: the context is small: [\d,]+ tokens, 100% of them used\.$", made.text, re.MULTILINE
    )


def test_a_large_one_that_is_little_used_becomes_a_table_of_contents() -> None:
    made = given_by(long_talk(200, 300), 8000)
    assert made.choice.mode == "toc"
    assert re.match(r"the context is large and little used: [\d,]+ tokens, [1-9]% of them used$", made.choice.why)
    assert turns_in(made.text) == [199]
    assert re.search(r"^1 user: request 1 요청 word word .*\[\d+ tokens\]$", made.text, re.MULTILINE)
    assert re.search(r"^200 agent: answer 200 ", made.text, re.MULTILINE)


def test_a_large_one_that_is_nearly_all_used_stays_one_context() -> None:
    frame = long_talk(80, 300)
    cited = [{"turn": turn["id"], "quote": "x"} for turn in frame["turns"][:70]]
    frame["decisions"] = [{"id": "a", "text": "keep", "status": "accepted", "by": "agent", "evidence": cited}]
    assert share_used(frame, entries(frame)) > 0.9
    assert choose(frame, entries(frame), 60_000).mode == "full"
    over = choose(frame, entries(frame), 8000)
    assert (over.mode, over.why.split("; ")[1]) == ("summary", "whole it is over the budget")
    frame["decisions"][0]["status"] = "overruled"
    assert choose(frame, entries(frame), 60_000).mode == "toc"


def test_full_leaves_out_the_oldest_answers_and_no_word_of_the_user() -> None:
    made = given_by(long_talk(40), 2500, "full")
    assert {number for number in turns_in(made.text) if number % 2} == set(range(1, 41, 2))
    answers = [number for number in turns_in(made.text) if not number % 2]
    assert answers == list(range(answers[0], 41, 2))
    assert 1 <= len(answers) < 20
    left = 20 - len(answers)
    assert made.left_out == {"agent turns": left}
    assert f"Left out for the budget: {left} agent turns." in made.text
    assert re.search(
        rf"^  frames show 7f3a9c --turns 2-{2 * left}  {left} turns of the agent, [\d,]+ tokens$", made.text, re.M
    )


def test_a_window_begins_with_the_user() -> None:
    frame = long_talk(40)
    assert turns_in(given_by(frame, 3000, "window", 5).text) == [37, 38, 39, 40]
    assert turns_in(given_by(frame, 3000, "window", 1).text) == [39, 40]
    by_tokens = given_by(frame, 1500, "window")
    numbers = turns_in(by_tokens.text)
    assert numbers == list(range(numbers[0], 41))
    assert numbers[0] % 2
    assert len(numbers) > 4
    assert f"Not given by window: {(numbers[0] - 1) // 2} user turns" in by_tokens.text


def test_a_summary_has_summaries_and_all_words_of_the_user() -> None:
    frame = long_talk(12)
    for turn in frame["turns"][:8]:
        turn["compacted"] = "c1"
    frame["compactions"] = [{"id": "c1", "summary": "the parser was written", "turns": ["t1", "t2"], "by": "agent"}]
    made = given_by(frame, 3000, "summary")
    assert turns_in(made.text) == [1, 3, 5, 7, 9, 11, 12]
    assert "turns 2-8, summary:\n```\nthe parser was written\n```" in made.text
    assert "  frames show 7f3a9c --turns 1-8  8 turns compacted\n" in made.text
    assert "the parser was written" not in given_by(frame, 3000, "verbatim").text


def test_verbatim_gives_long_words_whole_and_the_others_elide_their_middle() -> None:
    text = "가" * 700 + "나" * 700
    frame = frame_of(text, "ok", "again", "ok")
    assert text in given_by(frame, 6000, "verbatim").text
    for mode in ("full", "summary", "window"):
        told = given_by(frame, 6000, mode).text
        assert "가" * 500 + "\n[… 400 characters left out here; whole: frames show 7f3a9c --turns 1 …]\n" in told


@pytest.mark.parametrize("mode", [mode for mode in MODES if mode != "auto"])
def test_pins_are_never_cut(mode: str) -> None:
    frame = long_talk(60)
    frame["turns"][3] |= {"pinned": True}
    frame["turns"][3]["text"] = "핀 " * 700
    made = given_by(frame, 6000, mode)
    assert frame["turns"][3]["text"].strip() in made.text
    assert "turn 4, agent said, pinned:" in made.text
    with pytest.raises(OverBudget):
        opening(frame, UNKNOWN, Wanted(1500, mode))


def test_words_over_the_budget_are_said_with_what_would_do() -> None:
    frame = long_talk(200)
    for mode in ("full", "summary", "verbatim"):
        with pytest.raises(OverBudget) as caught:
            opening(frame, UNKNOWN, Wanted(1000, mode))
        message = caught.value.message
        assert re.fullmatch(
            r"the user's words and pins alone need [\d,]+ tokens, what stands around them [\d,]+: the budget is 1,000",
            message,
        )
        enough = re.fullmatch(r"--budget (\d+), or --mode toc", str(caught.value.hint))
        assert enough
        given_by(frame, int(enough[1]), mode)


def test_no_budget_is_overrun_at_the_command_line(repo: Path) -> None:
    session = Session(repo).user("로그인 추가해 줘 " * 30).agent("Done.").user("좋아")
    session.save(repo / ".git/s.jsonl")
    (repo / "a").write_text("a\n")
    git("add", "a", cwd=repo)
    git("commit", "-q", "-m", "a", cwd=repo)
    out("close", "--transcript", ".git/s.jsonl", "--topic", "login", cwd=repo)
    for budget in (10, 60, 100):
        told = err("resume", "--budget", str(budget), cwd=repo, code=3)
        assert told.startswith("error: the user's last turn and pins alone need ")
        assert f"the budget is {budget}\nhint: --budget " in told
    (data,) = json_lines("resume", "--budget", "700", "--json", cwd=repo)
    assert data["tokens"] <= 700
    assert data["tokens_are"] in ("exact", "estimated")
    assert data["fetch"][-1].endswith("  all 3 turns")
    assert (data["vocabulary"], data["mode"]) == ("anthropic", "full")


def test_the_vocabulary_is_a_setting(repo: Path) -> None:
    Session(repo).user("add login").agent("Done.").save(repo / ".git/s.jsonl")
    out("close", "--transcript", ".git/s.jsonl", cwd=repo)
    (reference,) = json_lines("resume", "--json", cwd=repo)
    git("config", "frames.vocabulary", "openai", cwd=repo)
    (other,) = json_lines("resume", "--json", cwd=repo)
    assert other["vocabulary"] == "openai"
    assert other["tokens"] < reference["tokens"]
    git("config", "frames.vocabulary", "latin", cwd=repo)
    told = err("resume", cwd=repo, code=2)
    assert told == f"error: no such vocabulary: 'latin'\nhint: git config frames.vocabulary {'|'.join(FACTORS)}\n"


def test_options_that_do_not_go_together_are_refused(repo: Path) -> None:
    assert err("resume", "--window", "3", cwd=repo, code=2) == "error: --window is for --mode window\n"
    for options in (("--budget", "900"), ("--mode", "full")):
        told = err("resume", "--into", "codex", *options, cwd=repo, code=2)
        assert told == "error: --into writes the whole session: no --budget and no --mode with it\n"


@given(st.integers(1, 40), st.integers(1, 6), st.sampled_from(["full", "verbatim", "summary", "toc"]))
def test_the_text_of_a_grown_frame_begins_as_the_older_one(turns: int, more: int, mode: str) -> None:
    whole = long_talk(2 * (turns + more))
    older = opening({**whole, "turns": whole["turns"][: 2 * turns]}, UNKNOWN, Wanted(100_000, mode)).text
    newer = opening(whole, UNKNOWN, Wanted(100_000, mode)).text
    # Up to the last turns: of those a table of contents and a summary give more than of others.
    said = older[: older.index("\n## Changed since")].rstrip()
    rested = said if mode in ("full", "verbatim") else said[: said.rindex("turn ")]
    assert newer.startswith(rested)


def test_a_window_begins_where_it_began_for_several_turns() -> None:
    whole = long_talk(120)
    begins = [
        turns_in(given_by({**whole, "turns": whole["turns"][:count]}, 2500, "window").text)[0]
        for count in range(80, 100)
    ]
    assert len(set(begins)) <= 4


@given(st.lists(st.text(max_size=300), max_size=12), st.integers(1, 4000), st.sampled_from(list(MODES)))
def test_the_budget_holds_or_is_refused(said: list[str], budget: int, mode: str) -> None:
    try:
        made = opening(frame_of(*said), UNKNOWN, Wanted(budget, mode))
    except OverBudget:
        return
    assert estimated_tokens(made.text) <= budget or made.size.source == "exact"
    assert made.size.tokens <= budget


def test_the_use_of_the_context_window_is_the_last_request_not_the_sum(repo: Path) -> None:
    frame = long_talk(6)
    frame["turns"][1]["tokens"] = {"input": 10, "output": 5, "cache_read": 85}
    frame["turns"][3]["tokens"] = {"input": 40, "output": 30, "cache_read": 400, "context": 310}
    assert window_use(frame) == Count(310, "usage")
    assert recorded(frame) == {"input": 50, "output": 35, "cache_read": 485}
    told = given_by(frame, 6000).text
    assert "\nThe session's context window held 310 tokens at its last request (usage).\n" in told
    assert "limit" not in told
    frame["turns"][5]["tokens"] = {"output": 9}
    assert window_use(frame) == Count(310, "usage")
    assert window_use(long_talk(6)) is None


def test_a_turn_of_several_requests_keeps_what_the_last_one_held(repo: Path) -> None:
    session = Session(repo).user("add login").agent("I look.").write("a.py", "x = 1\n").agent("Done.")
    read = 0
    for record in session.records:
        message = record.get("message", {})
        if message.get("role") == "assistant":
            read += 100
            message["usage"] = {"input_tokens": 7, "output_tokens": 3, "cache_read_input_tokens": read}
    session.save(repo / ".git/s.jsonl")
    out("close", "--transcript", ".git/s.jsonl", cwd=repo)
    (data,) = json_lines("resume", "--json", cwd=repo)
    assert data["context_window"] == {"tokens": read + 10, "source": "usage"}
    assert data["session_usage"]["cache_read"] > read


def test_the_context_view_says_what_the_budget_lets_through() -> None:
    frame = long_talk(200, 300)
    frame["turns"][199]["tokens"] = {"input": 7, "cache_read": 900, "output": 30}
    data = context_data(frame, Limits(8000, 2000))
    assert data["given"]["mode"] == "toc"
    assert data["context_window"] == {"tokens": 937, "source": "usage"}
    told = list(context_lines(data))
    assert "context window: 937 tokens at the session's last request, usage" in told
    assert any(line.startswith("given as toc: the context is large and little used: ") for line in told)
    small = context_data(long_talk(4), Limits(8000, 2000))
    assert (small["given"]["mode"], small["given"]["left_out"], small["context_window"]) == ("full", [], None)
    frame["turns"][0] |= {"pinned": True, "text": "핀 " * 9000}
    over = context_data(frame, Limits(8000, 2000))["given"]
    assert re.fullmatch(
        r"the user's last turn and pins alone need [\d,]+ tokens, there is room for 8,000", over["over_budget"]
    )
