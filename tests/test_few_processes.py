"""No verb starts more than ten processes of git, whatever is new when it is called; git itself tells how many."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from command_line import Session, frames, git
from git_repos import commit_files, frame_of, turn, workspace

from session_frames import frame_json
from session_frames.model import Frame
from session_frames.storage.hand_links import HandLink, change_hand_links
from session_frames.storage.private_state import write_atomically

MOST = 10
LOST = "LOST"
"""Stands for a commit that no ref reaches."""


def lines(name: str) -> list[str]:
    return [f"    {name}_{number} = compute({name}, {number})" for number in range(8)]


def session(name: str) -> Frame:
    turns = [turn(1, role="user", text="please"), turn(2, {f"{name}.py": lines(name)})]
    return {**frame_of(turns, session=name, topic=name), "status": "closed"}


def work(repo: Path, name: str, *, held: bool, trailer: bool = False) -> str:
    """A commit of what a session wrote, with its frame, with a trailer that names it, or without; its id."""
    frame = session(name)
    data = frame_json.encode(frame)
    if held:
        write_atomically(str(repo / f".copilot/sessions/2026-06-02_{name}_{frame['id'][:6]}.frame.json"), data)
    else:
        write_atomically(str(repo / f".git/frames/closed/{frame['id']}.frame.json"), data)
    named = f"\n\nFrame: {frame['id']}" if trailer else ""
    commit_files(repo, name + named, **{f"{name}_py": "".join(line + "\n" for line in lines(name))})
    return git("rev-parse", "HEAD", cwd=repo).strip()


def everything_new(repo: Path, times: int) -> str:
    """Links of every kind, ``times`` of each, notes for them, and a lost commit with a frame of its own."""
    work(repo, "known", held=True)
    frames("init", cwd=repo)
    git("add", "-A", cwd=repo)
    git("commit", "-qm", "set up", cwd=repo)
    frames("log", cwd=repo)
    for number in range(times):
        work(repo, f"held{number}", held=True)
        work(repo, f"inferred{number}", held=False)
        named = work(repo, f"named{number}", held=False, trailer=True)
        by_hand = HandLink(session("known")["id"], named)
        change_hand_links(workspace(repo).state, lambda links, made=by_hand: [*links, made])
    git("checkout", "-q", "--detach", cwd=repo)
    lost = work(repo, "lost", held=True)
    git("checkout", "-q", "-", cwd=repo)
    return lost


@pytest.fixture(scope="module", params=[1, 3], ids=["few notes", "many notes"])
def prepared(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The repository, to be copied, and the lost commit."""
    repo = tmp_path_factory.mktemp("few") / "repo"
    git("init", "-q", "-b", "main", str(repo), cwd=repo.parent)
    return repo, everything_new(repo, request.param)


VERBS = [
    ["status"],
    ["list"],
    ["show", "held0"],
    ["log"],
    ["log", "-1"],
    ["log", "-1", LOST],
    ["log", "--json", LOST],
    ["log", LOST, "--topic", "o"],
    ["log", "--json", LOST, "--frame", "held0"],
    ["blame", "inferred0.py"],
    ["blame", "-L", "2,4", "inferred0.py"],
    ["blame", LOST, "lost.py"],
    ["why", "inferred0.py:3"],
    ["why", LOST, "lost.py:1-8"],
    ["resume", "held0"],
    ["resume"],
    ["merge", "held0", "known", "--topic", "both"],
    ["archive", "held0"],
    ["export", "held0"],
    ["report", "main"],
    ["report", f"main..{LOST}"],
    ["validate"],
    ["raw", "list"],
    ["delete", "inferred0", "--yes"],
    ["link", "inferred0", "HEAD"],
    ["link", "--repair"],
    ["start", "topic"],
    ["doctor"],
    ["init"],
    ["uninit"],
]


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_ten_processes_are_enough(prepared: tuple[Path, str], tmp_path: Path, verb: Sequence[str]) -> None:
    repo, lost = prepared
    copy = tmp_path / "copy"
    shutil.copytree(repo, copy, symlinks=True)
    assert_few(copy, tmp_path / "trace", [word.replace(LOST, lost) for word in verb])


@pytest.mark.parametrize("verb", [["import", "--all"], ["close"]], ids=" ".join)
def test_ten_are_enough_for_any_number_of_sessions(repo: Path, tmp_path: Path, verb: Sequence[str]) -> None:
    commit_files(repo, "first", README="nothing\n")
    frames("init", cwd=repo)
    for number in range(6):
        session = Session(repo, f"{number:08d}-0000-4000-8000-00000000c0de")
        session.user(f"work on part {number} of it").agent("done").save_at_home()
    assert_few(repo, tmp_path / "trace", verb)


def assert_few(repo: Path, trace: Path, verb: Sequence[str]) -> None:
    done = frames(*verb, cwd=repo, code=None, GIT_TRACE2_EVENT=str(trace))
    assert done.returncode in (0, 1), done.stderr
    started = [line for line in trace.read_text().split("\n") if '"event":"start"' in line] if trace.exists() else []
    assert len(started) <= MOST, [line.partition('"argv"')[2] for line in started]
