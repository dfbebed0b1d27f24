"""``frames demo``: the loop runs, says the same each time, and leaves a repository that is as it was shown."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import clean_environment

_COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ |# \d).*\n)*)", re.MULTILINE)


def run_demo(folder: Path, *args: str, environ: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "session_frames", "demo", *args], cwd=folder, env=environ, capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder that a demo made, and what it printed."""
    folder = tmp_path_factory.mktemp("demo")
    done = run_demo(folder, "work", environ=clean_environment(folder))
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "work", done.stdout


def output_of(shown: tuple[Path, str], command: str) -> str:
    """What a command printed, by the beginning of the command."""
    return next(printed for line, printed in _COMMAND.findall(shown[1]) if line.startswith(command))


def test_the_frame_is_of_the_recorded_session(shown: tuple[Path, str]) -> None:
    closed = output_of(shown, "frames close --transcript ../recorded/quotes.jsonl")
    assert "24 turns (12 of the user), 21 tool calls" in closed
    assert "failed: python3 -m unittest" in closed
    assert "Keep the bands in Python" in closed


def test_what_was_taken_back_is_not_shown_as_decided(shown: tuple[Path, str]) -> None:
    assert "JSON file" not in output_of(shown, "frames close --transcript ../recorded/quotes.jsonl")


def test_the_commit_has_its_frame(shown: tuple[Path, str]) -> None:
    log = output_of(shown, "frames log -1")
    assert "    Frame: b833b3720053b0f687044dfd\n" in log
    assert "Turns: 24 (1-24 new) | Tool calls: 21" in log


def test_blame_finds_the_turns_that_wrote_the_lines(shown: tuple[Path, str]) -> None:
    blamed = output_of(shown, "frames blame").splitlines()
    assert [line.split()[1:3] for line in blamed] == [
        ["b833b3", call] for call in ("14.2", "4.2", "6.1", "6.1", "4.2", "8.1", "14.3", "4.2")
    ]


def test_queued_words_and_an_answer_are_turns_of_the_user(shown: tuple[Path, str]) -> None:
    turns = output_of(shown, "frames show b833b3 --turns 5-7")
    assert "--- 5 user 2026-06-02T09:03:44.804Z\nalso reject a weight of zero or less, with a ValueError\n" in turns
    assert "--- 7 user 2026-06-02T09:04:13.204Z\nThe lower band\n" in turns


def test_the_next_session_is_told_what_holds_and_what_was_said(shown: tuple[Path, str]) -> None:
    told = output_of(shown, "frames resume")
    assert "[accepted] No new dependencies" in told
    assert "Never store prices as floats, also not in tests." in told
    assert re.search(r"^  [0-9a-f]{7} feat: express$", told, re.MULTILINE)


def test_both_frames_end_in_the_archive_and_all_are_valid(shown: tuple[Path, str]) -> None:
    assert output_of(shown, "frames archive").count(".copilot/archive/2026-06/") == 2
    assert output_of(shown, "frames validate") == "3 frames checked, 0 invalid\n"
    assert output_of(shown, "git status").strip() == ""


def test_the_repository_is_what_was_shown(shown: tuple[Path, str]) -> None:
    repository = shown[0] / "parcel"
    checked = subprocess.run(
        [sys.executable, "-m", "unittest"], cwd=repository, capture_output=True, text=True, check=True
    )
    assert "Ran 6 tests" in checked.stderr
    assert not any(name in shown[1] for name in (str(Path.home()), str(shown[0])))


def test_it_says_the_same_each_time_whatever_the_settings_of_its_user(
    shown: tuple[Path, str], tmp_path: Path, environ: dict[str, str]
) -> None:
    Path(environ["HOME"], ".gitconfig").write_text(
        "[init]\n\tdefaultBranch = trunk\n[commit]\n\tgpgSign = true\n[color]\n\tui = always\n[log]\n\tdate = iso\n"
    )
    settings = {"TZ": "Asia/Seoul", "LC_ALL": "C", "GIT_DIR": "/nowhere", "CLAUDE_CODE_SESSION_ID": "5b1f0c7e"}
    done = run_demo(tmp_path, "again", environ={**environ, **settings})
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == shown[1]


def test_a_folder_with_something_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("")
    done = run_demo(tmp_path, ".")
    assert (done.returncode, done.stdout) == (6, "")
    assert done.stderr == "error: '.' is not empty\nhint: frames demo with a new folder, or with none\n"
    assert os.listdir(tmp_path) == ["mine"]


def test_a_step_that_fails_ends_it(tmp_path: Path, environ: dict[str, str]) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "git").write_text("#!/bin/sh\necho 'git: broken' >&2\nexit 3\n")
    (tools / "git").chmod(0o755)
    done = run_demo(tmp_path, "work", environ={**environ, "PATH": str(tools)})
    assert done.returncode == 1
    assert done.stdout == "# 1. A repository with one commit.\n$ git init -q -b main\ngit: broken\n"
    assert done.stderr.startswith("error: 'git init -q -b main' ended with 3; the repository is in ")
