"""``frames blame`` of a whole file keeps its answer as long as nothing changes, and never gives an old one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import frames, git, out
from git_repos import commit_files, frame_of, turn

from session_frames import frame_json
from session_frames.storage.private_state import write_atomically

LINES = [f"    value_{number} = compute(number_{number})" for number in range(6)]
ALL = ("-L", "1,999")
"""With lines named, the command line does the work."""


def text(lines: list[str]) -> str:
    return "".join(line + "\n" for line in lines)


def keep(repo: Path, name: str, lines: list[str], path: str = "a.py") -> None:
    frame = frame_of([turn(1, role="user", text="please"), turn(2, {path: lines})], session=name, topic=name)
    path_kept = repo / f".git/frames/closed/{frame['id']}.frame.json"
    write_atomically(str(path_kept), frame_json.encode({**frame, "status": "closed"}))


@pytest.fixture
def made(repo: Path) -> Path:
    """Lines of a session and of 김, asked for until the answer is kept."""
    keep(repo, "one", LINES)
    commit_files(repo, "first", a_py=text(LINES[:3]))
    (repo / "a.py").write_text(text([*LINES[:3], "한글 # 김"]))
    git("commit", "-qam", "second", "--author=김 개발 <kim@example.org>", cwd=repo)
    ask(repo)
    return repo


def ask(repo: Path, *args: str) -> str:
    answers = {out("blame", *args, "a.py", cwd=repo) for _ in range(3)}
    assert len(answers) == 1
    return answers.pop()


def processes(repo: Path, trace: Path, *args: str) -> int:
    frames("blame", *args, "a.py", cwd=repo, GIT_TRACE2_EVENT=str(trace))
    return trace.read_text().count('"event":"start"')


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_both_ways_print_the_same(made: Path, form: list[str]) -> None:
    answer = ask(made, *form)
    assert answer == out("blame", *form, *ALL, "a.py", cwd=made)
    assert len(answer.splitlines()) == 4


def test_what_is_kept_costs_two_processes(made: Path, tmp_path: Path) -> None:
    assert processes(made, tmp_path / "kept") == 2
    assert processes(made, tmp_path / "another form", "--json") <= 10


def commit(repo: Path) -> None:
    (repo / "a.py").write_text("y\n")
    git("commit", "-qam", "third", cwd=repo)


def edit(repo: Path) -> None:
    (repo / "a.py").write_text(text(["x", *LINES]))


def go_back(repo: Path) -> None:
    git("checkout", "-q", "HEAD~1", cwd=repo)


def learn(repo: Path) -> None:
    keep(repo, "two", [*LINES[:3], "한글 # 김"])


def forget(repo: Path) -> None:
    for kept in (repo / ".git/frames/closed").iterdir():
        kept.unlink()


def link(repo: Path) -> None:
    frames("link", "one", "HEAD", cwd=repo)


def lose_index(repo: Path) -> None:
    (repo / ".git/frames/index.sqlite").unlink()


@pytest.mark.parametrize("change", [commit, edit, go_back, learn, forget, link, lose_index])
def test_an_answer_that_is_old_is_not_given(made: Path, change: Callable[[Path], None]) -> None:
    change(made)
    assert ask(made) == out("blame", *ALL, "a.py", cwd=made)


def test_files_of_other_folders_and_revisions_are_others(made: Path) -> None:
    (made / "b").mkdir()
    (made / "b" / "a.py").write_text("entirely other text\n")
    commit_files(made, "another")
    assert "other text" in ask(made / "b")
    assert "other text" not in ask(made)
    assert len(ask(made, "HEAD~2").splitlines()) == 3


def test_what_is_no_file_is_told_by_the_command_line(made: Path) -> None:
    assert b"error: no such path" in frames("blame", "none.py", cwd=made, code=2).stderr
    assert frames("blame", "--help", cwd=made).stdout.startswith(b"Usage: frames blame")
