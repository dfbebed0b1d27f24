"""A session that runs: its frame grows with each of its own commits, and is closed at the end."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import CLAUDE_SESSION, Session, frames, git, json_lines, out

SHELL = {"CLAUDE_CODE_SESSION_ID": CLAUDE_SESSION}
TEST = "def test_it_parses_one():\n    assert parse_the_label() == 1\n"


def _commit(repo: Path, name: str, text: str, **environ: str) -> None:
    (repo / name).write_text(text)
    git("add", name, cwd=repo)
    git("commit", "-q", "-m", f"add {name}", cwd=repo, **environ)


def test_a_frame_grows_with_the_commits_of_its_session(repo: Path) -> None:
    out("init", cwd=repo)
    git("add", "-A", cwd=repo)
    git("commit", "-q", "--allow-empty", "-m", "set up", cwd=repo)
    session = Session(repo).user("write the parser module").write("parser.py", "def parse_the_label():\n    return 1\n")
    session.save_at_home()
    out("start", "parser", cwd=repo, **SHELL)
    _commit(repo, "parser.py", "def parse_the_label():\n    return 1\n", **SHELL)
    (path,) = (repo / ".copilot/sessions").iterdir()
    assert git("status", "--porcelain", cwd=repo) == ""
    first = json_lines("log", "--json", "-1", cwd=repo)[0]["frames"]
    assert [(frame["topic"], frame["status"], frame["new_turns"]) for frame in first] == [
        ("parser", "active", [[1, 2]])
    ]
    assert "Frame: " in git("log", "-1", "--format=%B", cwd=repo)

    (repo / "mine.txt").write_text("a person's own work, quite another matter\n")
    git("add", "mine.txt", cwd=repo)
    git("commit", "-q", "-m", "a person's commit", cwd=repo)
    assert json_lines("log", "--json", "-1", cwd=repo)[0]["frames"] == []

    session.agent("the parser is there").user("좋아, 이제 테스트도").write("test_parser.py", TEST)
    session.save_at_home()
    _commit(repo, "test_parser.py", TEST)  # known by what it holds
    second = json_lines("log", "--json", "-1", cwd=repo)[0]["frames"]
    assert [frame["new_turns"] for frame in second] == [[[3, 4]]]

    assert "active" in out("status", cwd=repo)
    session.agent("all done").save_at_home()
    out("close", cwd=repo)
    assert list((repo / ".copilot/sessions").iterdir()) == [path]
    (frame,) = json_lines("show", "--json", cwd=repo)
    assert frame["topic"] == "parser"
    assert frame["status"] == "closed"
    assert [turn["role"] for turn in frame["turns"]] == ["user", "agent", "user", "agent"]
    git("commit", "-q", "-m", "close", cwd=repo)
    assert "no active or uncommitted frames" in out("status", cwd=repo)


def test_two_sessions_in_one_work_tree_are_told_apart(repo: Path) -> None:
    out("init", cwd=repo)
    other = "77777777-0000-4000-8000-00000000c0de"
    Session(repo).user("one").agent("ok").save_at_home()
    Session(repo, other).user("two").agent("ok").save_at_home()
    out("start", "first", cwd=repo, **SHELL)
    out("start", "second", cwd=repo, CLAUDE_CODE_SESSION_ID=other)
    done = frames("show", "@", cwd=repo, code=2)
    assert b"'@' means 2 frames" in done.stderr
    assert "topic   second" in out("show", "@", cwd=repo, CLAUDE_CODE_SESSION_ID=other)
    out("close", cwd=repo, CLAUDE_CODE_SESSION_ID=other)
    shown = out("status", cwd=repo)
    assert "first" in shown
    assert "uncommitted" in shown


@pytest.mark.parametrize("agent", ["claude-code", "nosuch"])
def test_only_sessions_of_the_agent_that_was_named(repo: Path, agent: str) -> None:
    Session(repo).user("one").agent("ok").save_at_home()
    if agent == "nosuch":
        assert frames("close", "--agent", agent, cwd=repo, code=2).stderr.startswith(b"error: unknown agent 'nosuch'")
    else:
        out("close", "--agent", agent, cwd=repo)
        assert frames("close", "--agent", "codex", cwd=repo, code=1)
