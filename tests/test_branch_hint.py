"""Coming to a branch that has frames: one line says so, where a person switches branches and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import git
from git_repos import SESSION, activate, commit_files, end, frame_of, interpreter, turn, workspace
from git_repos import git as git_says

from session_frames.frame_json import encode
from session_frames.model import Frame
from session_frames.workspace.setup import init

HINT = "frames: {} of branch '{}', the latest '{}': frames resume"


def frame(topic: str, branch: str, ended: str = "2026-06-02T10:00:00Z") -> Frame:
    made = frame_of([turn(1, role="user", text=topic)], topic, topic)
    return {**made, "git": {"branch": branch}, "boundary": {**made["boundary"], "ended_at": ended}}


@pytest.fixture
def made(repo: Path, tmp_path: Path) -> Path:
    """A repository with the branches `main`, `topic` (one frame) and `none`."""
    commit_files(repo, "base", a_py="x\n")
    init(workspace(repo), python=interpreter(tmp_path))
    commit_files(repo, "set up")
    git("branch", "none", cwd=repo)
    git("checkout", "-q", "-b", "topic", cwd=repo)
    commit_as(repo, frame("parser", "topic"))
    git("checkout", "-q", "main", cwd=repo)
    return repo


def commit_as(repo: Path, of_session: Frame) -> None:
    activate(repo, of_session)
    (repo / f"{len(list(repo.iterdir()))}.py").write_text("x\n")
    git("add", "-A", cwd=repo)
    git("commit", "-qm", "work", cwd=repo, CLAUDE_CODE_SESSION_ID=SESSION)
    end(repo, of_session)


def said(repo: Path, *args: str) -> list[str]:
    return [line for line in git_says(repo, *args).splitlines() if line.startswith("frames:")]


def test_the_frames_of_a_branch_are_told(made: Path) -> None:
    assert said(made, "checkout", "topic") == [HINT.format("1 frame", "topic", "parser")]
    assert said(made, "switch", "-q", "main") == []
    git("merge", "-q", "--ff-only", "topic", cwd=made)
    assert said(made, "switch", "topic") == [HINT.format("1 frame", "topic", "parser")]  # the same commit
    commit_as(made, frame("printer", "topic", "2026-06-01T10:00:00Z"))
    git("checkout", "-q", "none", cwd=made)
    assert said(made, "checkout", "topic") == [HINT.format("2 frames", "topic", "parser")]


def test_a_branch_and_a_topic_in_another_script(made: Path) -> None:
    git("checkout", "-q", "-b", "로그인", cwd=made)
    commit_as(made, frame("파서 \x1b[31m\nred", "로그인"))
    git("checkout", "-q", "main", cwd=made)
    assert said(made, "checkout", "로그인") == [HINT.format("1 frame", "로그인", "파서 <U+001B>[31m red")]


@pytest.mark.parametrize(
    "args",
    [
        ("checkout", "none"),
        ("checkout", "--detach", "topic"),
        ("checkout", "-b", "new"),
        ("checkout", "topic", "--", "."),
        ("restore", "-s", "topic", "."),
        ("reset", "--hard", "topic"),
        ("stash",),
        ("worktree", "add", "../linked", "topic"),
        ("rebase", "topic"),
        ("cherry-pick", "topic"),
        ("merge", "topic"),
        ("clone", ".", "../clone"),
    ],
    ids=lambda args: args[0],
)
def test_nothing_else_tells_of_frames(made: Path, args: tuple[str, ...]) -> None:
    commit_files(made, "main goes on", b_py="y\n")
    assert said(made, *args) == []


def test_a_rebase_of_the_branch_with_frames_says_nothing(made: Path) -> None:
    commit_files(made, "main goes on", b_py="y\n")
    git("checkout", "-q", "topic", cwd=made)
    assert said(made, "rebase", "main") == []
    git("checkout", "-q", "main", cwd=made)
    assert len(said(made, "rebase", "main", "topic")) <= 1
    assert "Topic: parser" in git("log", "-1", cwd=made)


def test_archived_frames_are_not_told(made: Path) -> None:
    git("checkout", "-q", "none", cwd=made)
    archived: Frame = {**frame("parser", "none"), "status": "archived"}
    (made / "x.frame.json").write_bytes(encode(archived))
    (made / ".copilot/archive/2026-06").mkdir(parents=True)
    (made / "x.frame.json").rename(made / ".copilot/archive/2026-06/x.frame.json")
    git("add", "-A", cwd=made)
    git("commit", "-qm", "archive", cwd=made)
    git("checkout", "-q", "main", cwd=made)
    assert said(made, "checkout", "none") == []
