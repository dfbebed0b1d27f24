"""One interpreter for a session's commit: what pre-commit leaves for the hooks after it, and when it is not taken."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import frames, json_lines
from git_repos import (
    SESSION,
    SOURCE,
    activate,
    commit_files,
    end,
    frame_files,
    frame_of,
    git,
    status,
    trailers,
    turn,
    workspace,
)

from session_frames import frame_json
from session_frames.workspace.setup import init

FRAME = frame_of([turn(1, role="user", text="write a parser"), turn(2)])
GROWN = frame_of([*FRAME["turns"], turn(3, role="user", text="go on"), turn(4)])
OTHER = frame_of([turn(1, role="user", text="another matter")], "other", "other")
FILE = f".copilot/sessions/2026-06-02_parser_{FRAME['id'][:6]}.frame.json"
SHELL = {"CLAUDE_CODE_SESSION_ID": SESSION}


@pytest.fixture
def made(repo: Path, tmp_path: Path) -> Path:
    """A repository with hooks whose interpreter writes down for which hook it starts, and a session that runs."""
    script = tmp_path / "python"
    script.write_text(
        "#!/bin/sh\nshift\n"
        f"for word; do case $word in post-*|*-commit|*-msg) echo $word >>{tmp_path}/started ;; esac; done\n"
        f'PYTHONPATH={SOURCE} exec {sys.executable} "$@"\n'
    )
    script.chmod(0o755)
    commit_files(repo, "base", a_py="x\n")
    init(workspace(repo), python=str(script))
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "set up")
    frames("log", cwd=repo)
    activate(repo, FRAME)
    return repo


def started(path: Path) -> list[str]:
    """The hooks for which an interpreter started since this was last asked."""
    file = path.parent / "started"
    said = file.read_text().split() if file.exists() else []
    file.unlink(missing_ok=True)
    return said


def change(path: Path, name: str = "a.py") -> None:
    with (path / name).open("a") as file:
        file.write("one line more\n")
    git(path, "add", name)


def note(path: Path, revision: str = "HEAD") -> str:
    return git(path, "notes", "--ref=frames", "show", revision)


def slips(path: Path) -> list[str]:
    folder = path / ".git/frames/staged"
    return sorted(os.listdir(folder)) if folder.exists() else []


def notes_as_made_anew(path: Path) -> bool:
    """Do the notes say what they would if all of them were made anew?"""
    frames("log", cwd=path)
    kept = git(path, "ls-tree", "-r", "refs/notes/frames")
    git(path, "update-ref", "-d", "refs/notes/frames")
    frames("log", cwd=path)
    return git(path, "ls-tree", "-r", "refs/notes/frames") == kept


def test_nothing_starts_without_a_session(made: Path) -> None:
    end(made, FRAME)
    started(made)
    change(made)
    git(made, "commit", "-qm", "m")
    git(made, "commit", "-q", "--allow-empty", "-m", "m", **SHELL)
    assert started(made) == []


def test_one_interpreter_starts_for_a_commit_of_a_session(made: Path) -> None:
    for number, frame in enumerate((FRAME, GROWN)):
        activate(made, frame)
        change(made)
        started(made)
        git(made, "commit", "-qm", f"m{number}\n\nCo-authored-by: Bo Bell <bo@example.org>", **SHELL)
        assert started(made) == ["pre-commit"]
        assert trailers(made) == [FRAME["id"]]
        assert "Bo Bell" in git(made, "log", "-1", "--format=%(trailers:key=Co-authored-by)")
        assert status(made) == ""
        assert slips(made) == []
    assert note(made).splitlines() == [FILE, "Topic: parser | Turns: 4 (3-4 new)"]
    assert note(made, "HEAD~").splitlines() == [FILE, "Topic: parser | Turns: 2 (1-2 new)"]
    assert [frame["new_turns"] for frame in json_lines("log", "--json", "-1", cwd=made)[0]["frames"]] == [[[3, 4]]]


def test_notes_of_hooks_are_taken_over(made: Path) -> None:
    for frame in (FRAME, GROWN):
        activate(made, frame)
        change(made)
        git(made, "commit", "-qm", "m", **SHELL)
        frames("log", cwd=made)
    assert git(made, "log", "--format=%ae", "refs/notes/frames").split() == ["frames@localhost"] * 2
    assert notes_as_made_anew(made)


def test_a_turn_that_only_grew(made: Path) -> None:
    change(made)
    git(made, "commit", "-qm", "m", **SHELL)
    activate(made, frame_of([FRAME["turns"][0], turn(2, text="did it, and said so at length")]))
    change(made)
    started(made)
    git(made, "commit", "-qm", "m2", **SHELL)
    assert started(made) == ["pre-commit"]
    assert trailers(made) == [FRAME["id"]]
    assert note(made).startswith(f"Frame: {FRAME['id']} (trailer)\n")
    assert notes_as_made_anew(made)


def test_nothing_new_was_said(made: Path) -> None:
    change(made)
    git(made, "commit", "-qm", "m", **SHELL)
    change(made)
    git(made, "commit", "-qm", "m2", **SHELL)
    assert trailers(made) == []
    assert "no note found" in git(made, "notes", "--ref=frames", "show", "HEAD", code=1)
    assert slips(made) == []


def test_an_amend_by_the_session(made: Path) -> None:
    change(made)
    git(made, "commit", "-qm", "m", **SHELL)
    old = git(made, "rev-parse", "HEAD").strip()
    activate(made, GROWN)
    change(made)
    git(made, "commit", "-q", "--amend", "-m", "better", **SHELL)
    assert trailers(made) == [FRAME["id"]]
    assert note(made).splitlines() == [FILE, "Topic: parser | Turns: 4 (1-4 new)"]
    assert notes_as_made_anew(made)
    assert old not in git(made, "notes", "--ref=frames", "list")


def test_a_frame_staged_beside_it(made: Path) -> None:
    """A hook of the user's behind ours stages another frame: both are named."""
    other = made / ".copilot/sessions/2026-06-02_other_0.frame.json"
    other.parent.mkdir(parents=True)
    other.write_bytes(frame_json.encode(OTHER))
    hook = made / ".git/hooks/pre-commit"
    hook.write_text(hook.read_text() + "git add .copilot\n")
    change(made)
    git(made, "commit", "-qm", "m", **SHELL)
    assert trailers(made) == sorted([FRAME["id"], OTHER["id"]])
    assert note(made).count("Topic:") == 2
    assert slips(made) == []


@pytest.mark.parametrize("path", [("--", "b.py"), ()])
def test_a_slip_of_a_commit_that_was_given_up(made: Path, path: tuple[str, ...]) -> None:
    """git was told to run no pre-commit: the hooks after it find a slip that is not for this commit."""
    hook = made / ".git/hooks/commit-msg"
    text = hook.read_text()
    hook.write_text(text + "exit 1\n")
    change(made)
    git(made, "commit", "-qm", "given up", code=1, **SHELL)
    hook.write_text(text)
    assert slips(made)
    end(made, FRAME)
    change(made, "b.py")
    git(made, "commit", "-qm", "a person's", "--no-verify", *path)

    assert trailers(made) == ([] if path else [FRAME["id"]])
    assert frame_files(made) == ([] if path else [FILE])
    assert ("parser" in git(made, "log", "-1")) == (not path)
    assert slips(made) == []


@pytest.mark.parametrize(
    "message", ["no end of line", "crlf\r\n\r\nbody\r\n", "\n\nblank before\n", "# no comment\n", "é\n"]
)
@pytest.mark.parametrize("cleanup", ["verbatim", "whitespace"])
def test_messages(made: Path, message: str, cleanup: str) -> None:
    change(made)
    file = made.parent / "message"
    file.write_bytes(message.encode())
    git(made, "commit", "-q", f"--cleanup={cleanup}", "-F", str(file), **SHELL)
    assert trailers(made) == [FRAME["id"]]
    said = git(made, "log", "-1", "--no-notes", "--format=%B").split()
    assert said == [*message.split(), "Frame:", FRAME["id"]]


@pytest.mark.parametrize("message", ["", " \n\t\n"])
def test_an_empty_message_gives_the_commit_up(made: Path, message: str) -> None:
    change(made)
    assert "empty commit message" in git(made, "commit", "-q", "-m", message, code=1, **SHELL)


def test_a_merge_is_none_of_its_business(made: Path) -> None:
    git(made, "checkout", "-qb", "side")
    commit_files(made, "side", c_py="c\n")
    git(made, "checkout", "-q", "main")
    commit_files(made, "main", d_py="d\n")
    git(made, "merge", "-q", "--no-commit", "side")
    change(made)
    git(made, "commit", "-qm", "merged", **SHELL)
    assert trailers(made) == [FRAME["id"]]
    assert notes_as_made_anew(made)


def test_two_sessions_in_one_commit(made: Path) -> None:
    activate(made, OTHER, "other")
    change(made)
    git(made, "commit", "-qm", "m", CLAUDE_CODE_SESSION_ID=SESSION, FRAMES_SESSION_ID="other")
    assert trailers(made) == sorted([FRAME["id"], OTHER["id"]])
    assert note(made).count("Topic:") == 2


def test_work_trees_have_their_own(made: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    git(made, "worktree", "add", "-q", str(linked))
    activate(linked, OTHER, "other")
    hook = made / ".git/hooks/commit-msg"
    text = hook.read_text()
    hook.write_text(text + "exit 1\n")
    change(made)
    git(made, "commit", "-qm", "given up", code=1, **SHELL)
    hook.write_text(text)
    change(linked)
    started(made)
    git(linked, "commit", "-qm", "m", CLAUDE_CODE_SESSION_ID="other")
    assert started(made) == ["pre-commit"]
    assert trailers(linked) == [OTHER["id"]]
    assert "Topic: other" in note(linked)
    git(made, "commit", "-qm", "now", **SHELL)
    assert trailers(made) == [FRAME["id"]]
    assert notes_as_made_anew(made)


def test_hooks_by_another_tool_need_no_shell(made: Path) -> None:
    """As Lefthook calls them: each by itself."""
    environ = {**os.environ, **SHELL}
    change(made)
    message = made / "message"
    message.write_text("m\n")
    for hook in (["pre-commit"], ["prepare-commit-msg", str(message), "message"], ["commit-msg", str(message)]):
        done = subprocess.run(
            [sys.executable, "-m", "session_frames", "git-hook", *hook], cwd=made, env=environ, capture_output=True
        )
        assert (done.returncode, done.stderr) == (0, b"")
    git(made, "-c", "core.hooksPath=/dev/null", "commit", "-q", "-F", str(message))
    frames("git-hook", "post-commit", cwd=made)
    assert trailers(made) == [FRAME["id"]]
    assert "Topic: parser" in note(made)
    assert slips(made) == []
