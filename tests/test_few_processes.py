"""No verb starts more than ten processes of git, whatever is new when it is called; git itself tells how many."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from command_line import frames, git
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
    trace = tmp_path / "trace"
    done = frames(*(word.replace(LOST, lost) for word in verb), cwd=copy, code=None, GIT_TRACE2_EVENT=str(trace))
    started = trace.read_text().count('"event":"start"') if trace.exists() else 0
    assert done.returncode in (0, 1), done.stderr
    assert started <= MOST, [line for line in trace.read_text().split("\n") if "start" in line]
