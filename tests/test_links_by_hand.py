"""A link made by hand follows what history does to its commit."""

from __future__ import annotations

from pathlib import Path

from command_line import Session, git, json_lines, out


def test_it_follows_an_amend_and_a_rebase(repo: Path) -> None:
    out("init", cwd=repo)
    git("add", "-A", cwd=repo)
    git("commit", "-q", "--allow-empty", "-m", "set up", cwd=repo)
    Session(repo).user("talk about the plan").agent("ok").save(repo / ".git/s.jsonl")
    out("import", ".git/s.jsonl", "--topic", "plan", cwd=repo)
    (repo / "a").write_text("a\n")
    git("add", "a", cwd=repo)
    git("commit", "-q", "-m", "a", cwd=repo)
    out("link", "plan", "HEAD", cwd=repo)
    assert [frame["link"] for frame in json_lines("log", "--json", "-1", cwd=repo)[0]["frames"]] == ["hand"]
    git("commit", "-q", "--amend", "-m", "a, said better", cwd=repo)
    assert [frame["link"] for frame in json_lines("log", "--json", "-1", cwd=repo)[0]["frames"]] == ["hand"]
    git("checkout", "-q", "-b", "side", "HEAD~1", cwd=repo)
    (repo / "b").write_text("b\n")
    git("add", "b", cwd=repo)
    git("commit", "-q", "-m", "b", cwd=repo)
    git("checkout", "-q", "main", cwd=repo)
    git("rebase", "-q", "side", cwd=repo)
    assert [frame["link"] for frame in json_lines("log", "--json", "-1", cwd=repo)[0]["frames"]] == ["hand"]
    assert "plan" in out("log", "-1", cwd=repo)
