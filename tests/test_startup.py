"""What the processes that have to start fast load: looked up in real ones, never timed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import session_frames

RECORDED = Path(session_frames.__file__).parent / "demo"
HEAVY = ("click", "git", "jsonschema", "yaml", "rich", "orjson", "subprocess", "asyncio", "dataclasses", "inspect")
HOOKS = ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-merge", "post-checkout", "post-rewrite")
FRAME = "frame.json"

_RUN = """
import sys
before = set(sys.modules)
sys.argv[:] = ["frames", *sys.argv[2:]]
from session_frames.__main__ import main
code = 0
try:
    main()
except SystemExit as ended:
    code = ended.code or 0
with open({report!r}, "w") as file:
    file.write("\\n".join(sorted(set(sys.modules) - before)))
sys.exit(code)
"""


def loaded(folder: Path, report: Path, *args: str) -> set[str]:
    """The modules that ``frames ARGS`` loads, but for those that the interpreter starts with."""
    code = _RUN.format(report=str(report))
    done = subprocess.run(
        [sys.executable, "-c", code, "frames", *args],
        cwd=folder,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return set(report.read_text().split("\n"))


def frames(folder: Path, *args: str) -> None:
    subprocess.run([sys.executable, "-m", "session_frames", *args], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(repo: Path) -> Path:
    """A repository with a frame that is staged, and a copy of it."""
    subprocess.run(["git", "commit", "-q", "--allow-empty", "-m", "first"], cwd=repo, check=True)
    frames(repo, "close", "--transcript", str(RECORDED / "express.jsonl"))
    (written,) = (repo / ".copilot" / "sessions").iterdir()
    shutil.copy(written, repo / FRAME)
    (repo / ".git" / "MESSAGE").write_text("a commit\n")
    return repo


def test_the_version(tmp_path: Path) -> None:
    modules = loaded(tmp_path, tmp_path / "report", "--version")
    assert modules.isdisjoint({*HEAVY, "sqlite3", "json", "session_frames.cli.main"})


def arguments_of(hook: str, repository: Path) -> Sequence[str]:
    message = str(repository / ".git" / "MESSAGE")
    return {"prepare-commit-msg": [message], "commit-msg": [message], "post-checkout": ["0" * 40, "1" * 40, "1"]}.get(
        hook, []
    )


@pytest.mark.parametrize("hook", HOOKS)
def test_hooks_with_nothing_to_do(hook: str, repo: Path, tmp_path: Path) -> None:
    (repo / ".git" / "MESSAGE").write_text("a commit\n")
    assert loaded(repo, tmp_path / "report", "git-hook", hook, *arguments_of(hook, repo)).isdisjoint(HEAVY)


@pytest.mark.parametrize("hook", HOOKS)
def test_hooks_of_a_commit_that_takes_a_frame(hook: str, repository: Path, tmp_path: Path) -> None:
    args = arguments_of(hook, repository)
    if hook.startswith("post-"):
        subprocess.run(["git", "commit", "-q", "-m", "with a frame"], cwd=repository, check=True)
    assert loaded(repository, tmp_path / "report", "git-hook", hook, *args).isdisjoint(HEAVY)


def test_the_merge_driver(repository: Path, tmp_path: Path) -> None:
    for name in ("base", "ours", "theirs"):
        shutil.copy(repository / FRAME, repository / name)
    args = ("base", "ours", "theirs", "7", ".copilot/sessions/x.frame.json")
    assert loaded(repository, tmp_path / "report", "merge-driver", *args).isdisjoint(HEAVY)


def test_the_diff_driver(repository: Path, tmp_path: Path) -> None:
    assert loaded(repository, tmp_path / "report", "textconv", FRAME).isdisjoint(HEAVY)


def test_log_with_nothing_new(repository: Path, tmp_path: Path) -> None:
    subprocess.run(["git", "commit", "-q", "-m", "with a frame"], cwd=repository, check=True)
    frames(repository, "log")
    # git takes the place of the process, so what it had loaded is told by the program that stands in for git.
    report = tmp_path / "report"
    code = (
        "import os, sys; sys.argv[:] = ['frames', 'log']\n"
        "def replaced(*args):\n"
        f"    open({str(report)!r}, 'w').write('\\n'.join(sorted(sys.modules)))\n"
        "    os._exit(0)\n"
        "os.execvp = replaced\n"
        "from session_frames.__main__ import main; main()"
    )
    subprocess.run([sys.executable, "-c", code], cwd=repository, check=True)
    assert set(report.read_text().split("\n")).isdisjoint({*HEAVY, "session_frames.cli.main"})


def test_blame_with_nothing_new(repository: Path, tmp_path: Path) -> None:
    subprocess.run(["git", "add", FRAME], cwd=repository, check=True)
    subprocess.run(["git", "commit", "-q", "-m", "with a frame"], cwd=repository, check=True)
    modules = [loaded(repository, tmp_path / "report", "blame", FRAME) for _ in range(3)]
    assert all(one.isdisjoint({*HEAVY, "session_frames.cli.main"}) for one in modules)
    assert modules[-1].isdisjoint({"json", "sqlite3", "typing", "re", "contextlib", "hashlib"})


def test_help_loads_no_verb(tmp_path: Path) -> None:
    modules = loaded(tmp_path, tmp_path / "report", "--help")
    assert modules.isdisjoint({"git", "jsonschema", "yaml", "rich", "orjson", "sqlite3"})
    assert {name for name in modules if name.startswith("session_frames.cli.")} == {
        "session_frames.cli.main",
        "session_frames.cli.output",
        "session_frames.cli.process",
    }
