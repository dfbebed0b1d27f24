"""Repositories for tests: real git, a session that is active, and its lines."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

from session_frames.model import FORMAT_VERSION, Frame, Turn, frame_id
from session_frames.operations.anchors import run_anchor
from session_frames.storage.private_state import ActiveFrame, PrivateState
from session_frames.workspace.core import Workspace

SESSION = "5e551011-0000-4000-8000-000000000001"
SOURCE = Path(__file__).resolve().parents[1] / "src"


def interpreter(folder: Path) -> str:
    """An interpreter that finds session_frames by itself, as git's hooks need it: this one, once it is installed."""
    found = subprocess.run([sys.executable, "-I", "-c", "import session_frames"], capture_output=True, cwd="/")
    if found.returncode == 0:
        return sys.executable
    script = folder / "python"
    script.write_text(f'#!/bin/sh\nshift\nPYTHONPATH={SOURCE} exec {sys.executable} "$@"\n')
    script.chmod(0o755)
    return str(script)


def workspace(path: Path, **environ: str) -> Workspace:
    return Workspace(str(path), {**os.environ, **environ}, lambda: "2026-06-02T10:00:00Z")


def git(path: Path, *args: str, code: int | None = 0, stdin: str | None = None, **environ: str) -> str:
    """What git prints; its exit code must be ``code`` (any for None). What hooks say on stderr is in it as well."""
    done = subprocess.run(
        ["git", "-C", str(path), *args],
        input=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, **environ},
    )
    assert code is None or done.returncode == code, done.stdout
    return done.stdout


def commit_files(path: Path, message: str = "work", **files: str) -> None:
    """Write files (``a_py`` is ``a.py``) and commit them without hooks."""
    for name, content in files.items():
        (path / name.replace("_", ".")).write_text(content)
    git(path, "add", "-A")
    git(path, "-c", "core.hooksPath=/dev/null", "commit", "-qm", message)


def status(path: Path) -> str:
    return git(path, "status", "--porcelain")


def turn(number: int, wrote: dict[str, list[str]] | None = None, role: str = "agent", text: str = "did it") -> Turn:
    made: dict[str, Any] = {"id": f"t{number}", "role": role, "text": text}
    if wrote:
        files = [{"path": path, "change": "modified"} for path in wrote]
        runs = {path: [run_anchor(lines)] for path, lines in wrote.items()}
        made["calls"] = [{"id": f"c{number}", "tool": "Edit", "outcome": "passed", "files": files, "wrote": runs}]
    return cast(Turn, made)


def frame_of(turns: list[Turn], session: str = SESSION, topic: str = "parser") -> Frame:
    return Frame(
        frame=FORMAT_VERSION,
        id=frame_id("agent", session),
        topic=topic,
        status="active",
        session={"agent": "agent", "session_id": session},
        boundary={"started_at": "2026-06-02T09:00:00Z"},
        turns=turns,
    )


def activate(path: Path, frame: Frame, session: str = SESSION) -> None:
    """Make the frame the one of a session that runs in this work tree."""
    repo = workspace(path).repo
    entry = ActiveFrame(frame=frame, work_tree=repo.require_top(), transcript="", session_id=session)
    PrivateState(repo.common_dir).save_active(entry)


def end(path: Path, frame: Frame) -> None:
    """The session has ended."""
    workspace(path).state.drop_active(frame["id"])


def frame_files(path: Path, revision: str = "HEAD") -> list[str]:
    return git(path, "ls-tree", "-r", "--name-only", revision, "--", ".copilot").split()


def trailers(path: Path, revision: str = "HEAD") -> list[str]:
    out = git(path, "log", "-1", "--no-notes", "--format=%(trailers:key=Frame,valueonly)", revision)
    return out.split()
