"""Beside the tools that manage hooks, the real ones: whichever came first, both work, and both go without a trace."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from git_repos import (
    SESSION,
    activate,
    commit_files,
    end,
    frame_files,
    frame_of,
    git,
    interpreter,
    status,
    trailers,
    turn,
    workspace,
)

from session_frames.storage.hook_text import has_block
from session_frames.workspace.setup import Initialised, init, uninit

FRAME = frame_of([turn(1, role="user", text="write a parser"), turn(2)])
GROWN = frame_of([*FRAME["turns"], turn(3, role="user", text="go on")])
BIN = Path(sys.executable).parent
HUSKY = Path(sys.prefix) / "husky" / "node_modules" / "husky" / "bin.js"
PRE_COMMIT = """\
repos:
- repo: local
  hooks:
  - id: mine
    name: mine
    entry: sh -c 'echo mine >>.git/ran'
    language: system
    always_run: true
    pass_filenames: false
"""
LEFTHOOK = "pre-commit:\n  jobs:\n    - name: mine\n      run: echo mine >>.git/ran\n"


class Tool:
    """One of the tools, in one repository."""

    def __init__(self, path: Path, *command: str) -> None:
        self.path = path
        self.command = command

    def run(self, *args: str, code: int = 0) -> str:
        done = subprocess.run(
            [*self.command, *args], cwd=self.path, capture_output=True, text=True, env=environ(self.path)
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr


def environ(path: Path) -> dict[str, str]:
    """`frames` is on the path, as files that are committed name it."""
    folder = path.parent / "bin"
    folder.mkdir(exist_ok=True)
    script = folder / "frames"
    code = "from session_frames.__main__ import main; main()"
    script.write_text(f"#!/bin/sh\nexec {interpreter(path.parent)} -I -c '{code}' \"$@\"\n")
    script.chmod(0o755)
    return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "NO_COLOR": "1"}


def tool(path: Path, name: str) -> Tool:
    commit_files(path, "base", a_py="x\n")
    if name == "husky":
        if not (HUSKY.exists() and shutil.which("node")):
            pytest.skip("husky is not installed: make test does it where npm is")
        (path / ".husky").mkdir()
        (path / ".husky/pre-commit").write_text("echo mine >>.git/ran\n")
        return Tool(path, "node", str(HUSKY))
    command = BIN / name
    if not command.exists():
        pytest.skip(f"{name} is not installed")
    (path / {"pre-commit": ".pre-commit-config.yaml", "lefthook": "lefthook.yml"}[name]).write_text(
        PRE_COMMIT if name == "pre-commit" else LEFTHOOK
    )
    return Tool(path, str(command))


def hooks(path: Path) -> dict[str, bytes]:
    """The hooks that are there, and how git is told of them."""
    folders = (path / ".git/hooks", path / ".husky")
    found = {str(file): file.read_bytes() for folder in folders for file in sorted(folder.rglob("*")) if file.is_file()}
    return {name: held for name, held in found.items() if not name.endswith(".sample")} | {
        "config": (path / ".git/config").read_bytes()
    }


def set_up(path: Path) -> Initialised:
    return init(workspace(path), python=interpreter(path.parent))


def commits_work(path: Path) -> Iterator[str]:
    """Two commits of a session and one of a person: the tool's own hook runs once for each."""
    ran = path / ".git/ran"
    for number, frame in enumerate((FRAME, GROWN, None)):
        activate(path, frame) if frame else end(path, FRAME)
        with (path / "a.py").open("a") as file:
            file.write(f"line {number}\n")
        git(path, "add", "a.py")
        shell = {"CLAUDE_CODE_SESSION_ID": SESSION} if frame else {}
        git(path, "commit", "-qm", f"m{number}", **(environ(path) | shell))
        yield ran.read_text() if ran.exists() else ""
        ran.unlink(missing_ok=True)
        assert trailers(path) == ([FRAME["id"]] if frame else [])
        assert len(frame_files(path)) == 1
        assert ("Topic: parser" in git(path, "log", "-1")) == bool(frame)
        assert not [line for line in status(path).splitlines() if ".copilot" in line or "a.py" in line]


@pytest.mark.parametrize("name", ["pre-commit", "husky"])
def test_the_tool_was_there_before(repo: Path, name: str) -> None:
    made = tool(repo, name)
    made.run(*(["install"] if name == "pre-commit" else []))
    before = hooks(repo)
    assert set_up(repo).hooks
    assert set_up(repo).changed == ()
    assert list(commits_work(repo)) == ["mine\n"] * 3
    uninit(workspace(repo))
    assert hooks(repo) == before


@pytest.mark.parametrize("name", ["pre-commit", "husky"])
def test_the_tool_came_after(repo: Path, name: str) -> None:
    made = tool(repo, name)
    bare = hooks(repo)
    set_up(repo)
    made.run(*(["install"] if name == "pre-commit" else []))
    if name == "husky":
        set_up(repo)  # git looks elsewhere now: doctor says so
    assert set_up(repo).changed == ()
    assert list(commits_work(repo)) == ["mine\n"] * 3
    uninit(workspace(repo))
    left = hooks(repo)  # the tool's hook names its interpreter, in whatever folder that is
    assert not [file for file, held in left.items() if has_block(held)]
    assert b"frame" not in left["config"]
    if name == "pre-commit":
        made.run("install")
        made.run("uninstall")
        assert hooks(repo) == bare


def test_lefthook_calls_what_its_settings_name(repo: Path) -> None:
    made = tool(repo, "lefthook")
    made.run("install")
    before = hooks(repo)
    done = set_up(repo)
    assert not done.hooks
    (repo / "lefthook-local.yml").write_text(done.snippet)
    made.run("install", "--force")
    assert list(commits_work(repo)) == ["mine\n"] * 3
    uninit(workspace(repo))
    (repo / "lefthook-local.yml").unlink()
    made.run("uninstall")
    made.run("install")
    assert {name for name in hooks(repo) if "checksum" not in name} >= set(before) - {"config"}


GIT = tuple(int(part) for part in subprocess.check_output(["git", "--version"], text=True).split()[2].split(".")[:2])


@pytest.mark.skipif(GIT < (2, 54), reason="this git has no hooks in its configuration")
def test_hooks_in_the_configuration_of_git(repo: Path) -> None:
    commit_files(repo, "base", a_py="x\n")
    git(repo, "config", "hook.mine.event", "pre-commit")
    git(repo, "config", "hook.mine.command", "echo mine >>.git/ran")
    before = hooks(repo)
    set_up(repo)
    assert list(commits_work(repo)) == ["mine\n"] * 3
    uninit(workspace(repo))
    assert hooks(repo) == before


@pytest.mark.parametrize("nested", ["git commit -qam nested", "frames close --commit -m nested"])
def test_a_hook_that_commits_ends(repo: Path, nested: str) -> None:
    """A hook of the user's that makes a commit from inside post-commit: each commit is made once."""
    commit_files(repo, "base", a_py="x\n", b_py="x\n")
    hook = repo / ".git/hooks/post-commit"
    hook.write_text(f"#!/bin/sh\n[ -e .git/once ] && exit 0\n: >.git/once\necho y >>b.py\n{nested}\n")
    hook.chmod(0o755)
    set_up(repo)
    activate(repo, FRAME)
    (repo / "a.py").write_text("y\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "m", CLAUDE_CODE_SESSION_ID=SESSION, PATH=environ(repo)["PATH"])
    commits = git(repo, "log", "--no-notes", "--format=%s").split()
    assert commits[-2:] == ["m", "base"]
    assert len(commits) <= 3
    assert [line for line in status(repo).splitlines() if ".copilot" in line] == []
