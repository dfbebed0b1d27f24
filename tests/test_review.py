"""Going through what was found, on a real terminal: keep, edit, drop; what a person did stays when it is read again."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from command_line import Session, err, out
from terminals import terminal

from session_frames.model import Frame
from session_frames.operations.review import Answer, candidate_lines, candidates, with_answers, with_proposals_noted

NOW = "2026-06-02T12:00:00Z"


ASK = "keep, edit, drop, all, quit [k/e/d/a/q]? "


def session(cwd: Path) -> Session:
    made = Session(cwd)
    made.user("the cache grows without end. use an LRU list. don't touch store.py").agent("I read it.")
    made.user("로그는 warn으로 하자").agent("네.")
    made.user("ログの上限は500にする").agent("はい。")
    made.save_at_home()
    return made


def kept(repo: Path) -> dict[str, Any]:
    (path,) = (repo / ".copilot/sessions").glob("*.json")
    loaded: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return loaded


def texts(repo: Path) -> list[str]:
    frame = kept(repo)
    return [item["text"] for key in ("decisions", "constraints") for item in frame.get(key, [])]


# ---------------------------------------------------------------------------------------------------------------------
# On the terminal


def test_keep_edit_and_drop(repo: Path) -> None:
    session(repo)
    with terminal("close", "--review", cwd=repo) as screen:
        told = screen.until(ASK)
        assert "decision 1 of 4 [accepted, by user]\n  use an LRU list\n" in told
        assert "user, turn 1: the cache grows without end. “use an LRU list”. don't touch store.py" in told
        screen.type("k\n")
        assert "로그는 warn으로 하자" in screen.until(ASK)
        screen.type("e\n")
        screen.until("new text (empty leaves it): ")
        screen.type("로그 레벨은 warn\n")
        assert "ログの上限は500にする" in screen.until(ASK)
        screen.type("drop\n")
        assert "constraint 4 of 4" in screen.until(ASK)
        screen.type("what?\n")
        assert "k  keep it" in screen.until(ASK)
        screen.type("k\n")
        code, shown = screen.end()
    assert code == 0
    assert ".copilot/sessions/" in shown
    assert texts(repo) == ["use an LRU list", "로그 레벨은 warn", "don't touch store.py"]
    assert [event["kind"] for event in kept(repo)["events"]] == ["edit", "drop"]
    assert all(event["by"] == "user" for event in kept(repo)["events"])
    out("validate", cwd=repo)


def test_read_again_what_the_person_did_stays(repo: Path) -> None:
    made = session(repo)
    with terminal("close", "--review", cwd=repo) as screen:
        for typed in ("d\n", "e\n로그 레벨은 warn\n", "a\n"):
            screen.until(ASK)
            screen.type(typed)
        assert screen.end()[0] == 0
    wanted = ["로그 레벨은 warn", "ログの上限は500にする", "don't touch store.py"]
    assert texts(repo) == wanted
    before = kept(repo)
    out("close", cwd=repo)
    assert kept(repo) == before
    path = made.user("and keep the queue small").agent("ok").save(repo.parent / "again.jsonl")
    out("import", str(path), cwd=repo)
    assert texts(repo)[:3] == [*wanted[:2], texts(repo)[2]]
    assert "use an LRU list" not in texts(repo)
    with terminal("close", "--review", "--transcript", str(path), cwd=repo) as screen:
        assert "use an LRU list" not in screen.until(ASK).split("[accepted")[1].split("\n")[1]
        screen.type("e\n로그는 error\n")
        screen.until(ASK)
        screen.type("a\n")
        assert screen.end()[0] == 0
    assert "로그는 error" in texts(repo)
    out("close", "--transcript", str(path), cwd=repo)
    assert "로그는 error" in texts(repo)
    assert "로그 레벨은 warn" not in texts(repo)


@pytest.mark.parametrize("typed", ["q\n", "k\nquit\n"])
def test_quit_writes_nothing(repo: Path, typed: str) -> None:
    session(repo)
    with terminal("close", "--review", cwd=repo) as screen:
        screen.until(ASK)
        screen.type(typed)
        code, shown = screen.end()
    assert (code, "nothing was written" in shown) == (1, True)
    assert not (repo / ".copilot").exists()


@pytest.mark.parametrize("how", ["ctrl-c", "ctrl-d", "signal"])
def test_interrupted_nothing_is_written(repo: Path, how: str) -> None:
    session(repo)
    with terminal("close", "--review", cwd=repo) as screen:
        screen.until(ASK)
        screen.type("d\n")
        screen.until(ASK)
        if how == "signal":
            os.kill(screen.process.pid, signal.SIGINT)
        else:
            screen.type({"ctrl-c": "\x03", "ctrl-d": "\x04"}[how])
        code, shown = screen.end()
    assert code == 130
    assert "interrupted" in shown
    assert "Traceback" not in shown
    assert not (repo / ".copilot").exists()


def test_without_colour_and_narrow_in_wide_scripts(repo: Path) -> None:
    from rich.cells import cell_len

    made = Session(repo)
    made.user("로그는 warn으로 하자. " + "캐시가 계속 커져서 매일 밤 서버가 죽습니다. " * 3).agent("네.")
    made.save_at_home()
    with terminal("close", "--review", cwd=repo, columns=40, NO_COLOR="1", LC_ALL="C") as screen:
        told = screen.until(ASK)
        screen.type("a\n")
        assert screen.end()[0] == 0
    assert "\x1b" not in told
    lines = told.removesuffix(ASK).split("\n")
    assert max(map(cell_len, lines)) <= 40
    assert max(map(cell_len, lines)) > 30, "the width is used"
    assert "“로그는" in told


def test_without_a_terminal_it_refuses(repo: Path) -> None:
    session(repo)
    assert "--review needs a terminal" in err("close", "--review", cwd=repo, code=2)
    assert "exclude each other" in err("close", "--review", "--dry-run", cwd=repo, code=2)
    assert not (repo / ".copilot").exists()


def test_nothing_found_is_said(repo: Path) -> None:
    Session(repo).user("hello there").agent("Hello.").save_at_home()
    with terminal("close", "--review", cwd=repo) as screen:
        code, shown = screen.end()
    assert code == 0
    assert "nothing was found that could be reviewed" in shown


def test_a_split_is_asked_about(repo: Path) -> None:
    made = session(repo)
    made.user("different topic: the login page is blank").agent("Fixed.").save_at_home()
    question = "two frames [y/n/q]? "
    for answer, count in (("q", 0), ("n", 1), ("y", 2)):
        with terminal("close", "--split", cwd=repo) as screen:
            told = screen.until(question)
            assert "boundary before turn 7" in told
            screen.type(answer + "\n")
            assert screen.end()[0] == (1 if answer == "q" else 0)
        assert len(list((repo / ".copilot/sessions").glob("*.json"))) == count


# ---------------------------------------------------------------------------------------------------------------------
# The values behind it


def frame_of(**item: Any) -> Frame:
    entry: Any = {"id": "11111111", "text": "x", "status": "open", "by": "user", **item}
    turns: Any = [{"id": "t1", "role": "user", "text": "a" * 100 + " keep \u202e it " + "b" * 100}]
    return Frame(frame="1.0", id="0" * 24, topic="t", status="closed", turns=turns, open_questions=[entry])


def lines_of(frame: Frame) -> list[str]:
    return list(candidate_lines(frame, candidates(frame)[0], 1, 1))


def test_a_candidate_is_shown_with_the_words_around_its_quote() -> None:
    shown = lines_of(frame_of(evidence=[{"turn": "t1", "quote": "keep"}], answer="yes"))
    assert shown[:3] == ["question 1 of 1 [open, by user]", "  x", "  → yes"]
    assert shown[3].startswith("    user, turn 1: …" + "a" * 59 + " “keep” ")
    assert shown[3].endswith("b…")
    assert "\u202e" not in shown[3], "nothing of a turn can turn the terminal around"


def test_a_quote_that_does_not_stand_is_shown_as_such() -> None:
    assert lines_of(frame_of(verified=False, evidence=[{"turn": "t1", "quote": "nope"}])) == [
        "question 1 of 1 [open, by user, not verified]",
        "  x",
        "    user, turn 1, quote not found in it: “nope”",
    ]
    assert lines_of(frame_of(evidence=[{"turn": "t9", "quote": "nope"}]))[2] == "    no such turn: “nope”"


def test_answers_are_recorded_and_strangers_passed_over() -> None:
    frame = frame_of()
    assert with_answers(frame, {"22222222": Answer("drop")}, NOW) == frame
    edited = with_answers(frame, {"11111111": Answer("edit", "y")}, NOW)
    assert [item["text"] for item in edited["open_questions"]] == ["y"]
    (event,) = edited["events"]
    assert (event["kind"], event["data"]["id"], event["data"]["text"]) == ("edit", "11111111", "y")
    dropped = with_answers(edited, {"11111111": Answer("drop")}, NOW)
    assert "open_questions" not in dropped
    assert [event["kind"] for event in dropped["events"]] == ["edit", "drop"]
    noted = with_proposals_noted(frame, ["11111111"], NOW)
    assert [event["kind"] for event in noted["events"]] == ["propose"]
    assert with_proposals_noted(noted, ["11111111"], NOW) == noted
