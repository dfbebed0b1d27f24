"""``frames log`` looks once whether anything is new, and then is git's own log; every doubt takes the long way."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import frames, git, out
from git_fixtures import Work, make_frame

from session_frames.storage import quick_look
from session_frames.storage.quick_look import is_current, look, may_name_commits, newest_shown


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Work:
    """A repository with one frame, and what ``frames log`` needs to know of it."""
    work = Work(tmp_path / "work")
    work.put(make_frame("one"))
    work.commit()
    work.view()
    monkeypatch.chdir(work.path)
    return work


def current() -> bool:
    return is_current(look(dict(os.environ)))


def test_what_a_hook_has_read_is_current(work: Work) -> None:
    assert current()


def change_branch(work: Work) -> None:
    work.commit("more")


def lose_notes(work: Work) -> None:
    work.git("update-ref", "-d", "refs/notes/frames")


def lose_index(work: Work) -> None:
    (work.path / ".git/frames/index.sqlite").unlink()


def damage_index(work: Work) -> None:
    (work.path / ".git/frames/index.sqlite").write_bytes(b"no database" * 1000)


def detach(work: Work) -> None:
    work.git("checkout", "-q", "--detach")
    work.commit("on no branch")


def detach_elsewhere(work: Work) -> None:
    work.git("worktree", "add", "-q", "--detach", "../other")
    Work(work.path.parent / "other", make=False).commit("on no branch")


def replace(work: Work) -> None:
    work.git("replace", "--graft", work.commit("to be replaced"))
    work.view()


def be_shallow(work: Work) -> None:
    (work.path / ".git/shallow").write_text(work.head() + "\n")


def leave_note_unwritten(work: Work) -> None:
    work.put(make_frame("two"))
    work.commit()
    work.refresh(work.index())


@pytest.mark.parametrize(
    "change",
    [
        change_branch, lose_notes, lose_index, damage_index, detach, detach_elsewhere, replace, be_shallow,
        leave_note_unwritten,
    ],
)  # fmt: skip
def test_what_may_be_new_takes_the_long_way(work: Work, change: Callable[[Work], None]) -> None:
    change(work)
    assert not current()


def test_another_version_takes_the_long_way(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick_look, "__version__", "0.0.0")
    assert not current()


def test_no_repository_takes_the_long_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert not current()


def test_linked_work_trees_are_looked_at(work: Work) -> None:
    work.git("worktree", "add", "-q", "../other")
    work.view()
    assert current()
    os.chdir("../other")
    assert current()


@pytest.mark.parametrize("args", [["-30"], ["--since=2020-01-01"], ["main"], ["-p", "--", "deadbeef"], []])
def test_names_of_refs_are_no_single_commits(args: list[str]) -> None:
    assert not may_name_commits(args)


@pytest.mark.parametrize("args", [["HEAD~1"], ["a..b"], ["main@{1}"], ["1a2b"], ["-3", "v1-4-gdeadbeef"]])
def test_what_may_name_a_commit(args: list[str]) -> None:
    assert may_name_commits(args)


@pytest.mark.parametrize(
    ("args", "count"),
    [
        (["-30"], 30), (["-n", "5"], 5), (["-n7", "--oneline", "-p"], 7), (["--max-count=2", "HEAD"], 2),
        (["-3", "-1"], 1), ([], None), (["--oneline"], None), (["-5", "main"], None), (["-5", "--skip=9"], None),
        (["-5", "--", "a.py"], None), (["-5", "--author=x"], None), (["-5", "--graph"], None), (["-n"], None),
    ],
)  # fmt: skip
def test_how_many_of_the_newest_are_shown(args: list[str], count: int | None) -> None:
    assert newest_shown(args) == count


def test_both_ways_print_the_same(work: Work) -> None:
    quick = out("log", cwd=work.path)
    assert "Topic: one" in quick
    assert quick == git("log", "--notes", "--notes=frames", cwd=work.path)
    lose_index(work)
    lose_notes(work)
    assert out("log", cwd=work.path) == quick


def test_a_commit_that_no_ref_reaches_is_read_when_it_is_named(work: Work) -> None:
    work.put(make_frame("lost"))
    lost = work.commit()
    work.git("reset", "-q", "--hard", "HEAD~1")
    assert "Topic: lost" in out("log", "-1", lost, cwd=work.path)


def test_options_that_git_does_not_know_are_its_own_errors(work: Work) -> None:
    done = frames("log", "--no-such-option", cwd=work.path, code=128)
    assert b"unrecognized argument" in done.stderr


def test_nothing_is_loaded_when_nothing_is_new(work: Work) -> None:
    code = """
import os, sys
before = set(sys.modules)
os.execvp = lambda *_: sys.exit(" ".join(sorted(set(sys.modules) - before)))
sys.argv[:] = ["frames", "log"]
from session_frames.__main__ import main
main()
"""
    done = subprocess.run([sys.executable, "-I", "-S", "-c", _with_path(code)], capture_output=True, text=True)
    loaded = set(done.stderr.split())
    assert loaded.isdisjoint({"click", "typing", "re", "json", "contextlib", "datetime", "hashlib", "subprocess"})
    assert {name for name in loaded if name.startswith("session_frames.")} == {
        "session_frames.__main__",
        "session_frames.cli",
        "session_frames.cli.log_entry",
        "session_frames.cli.process",
        "session_frames.storage",
        "session_frames.storage.quick_look",
    }


def _with_path(code: str) -> str:
    source = str(Path(quick_look.__file__).parents[2])
    return f"import sys\nsys.path.insert(0, {source!r})\n{code}"
