"""Small git repositories for tests, made with git itself, with frames whose turns are easy to count."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from session_frames import frame_json, model
from session_frames.storage.commit_links import Refreshed, refresh
from session_frames.storage.git_repo import GitRepo
from session_frames.storage.index import Index
from session_frames.storage.notes_view import refresh_view
from session_frames.storage.private_state import PrivateState

SESSIONS = ".copilot/sessions"
ARCHIVE = ".copilot/archive/2026-06"


def make_frame(session: str, turns: int = 2, **more: object) -> model.Frame:
    """A frame of ``turns`` turns; ``from_turn`` makes it begin with the ids of later turns."""
    first = int(str(more.pop("from_turn", 1)))
    frame: model.Frame = {
        "frame": model.FORMAT_VERSION,
        "id": model.frame_id("claude-code", session),
        "topic": session,
        "status": "closed",
        "session": {"agent": "claude-code", "session_id": session},
        "turns": [
            {"id": f"{session}-{number}", "role": "user" if number % 2 else "agent", "text": f"words {number}"}
            for number in range(first, first + turns)
        ],
    }
    frame.update(more)  # type: ignore[typeddict-item]
    return frame


class Work:
    """A work tree (or a bare repository) with the commands that tests need."""

    def __init__(self, path: Path, *init: str, make: bool = True) -> None:
        self.path = path
        if make:
            subprocess.run(["git", "init", "-q", "-b", "main", *init, str(path)], check=True)

    def git(self, *args: str, stdin: str | None = None, **env: str) -> str:
        """git's output, without its last newline."""
        done = subprocess.run(
            ["git", *args],
            cwd=self.path,
            input=None if stdin is None else stdin.encode(),
            env={**os.environ, **env},
            capture_output=True,
        )
        assert done.returncode == 0, done.stderr.decode(errors="replace")
        return done.stdout.decode("utf-8", "surrogateescape").rstrip("\n")

    def put(self, frame: model.Frame, name: str = "", folder: str = SESSIONS) -> str:
        """Write and stage a frame; its path."""
        path = f"{folder}/{name or frame['topic']}.frame.json"
        return self.put_bytes(path, frame_json.encode(frame))

    def put_bytes(self, path: str, data: bytes) -> str:
        """Write and stage any file; its path."""
        target = self.path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        self.git("add", "-A", "--", path)
        return path

    def commit(self, message: str = "work", *args: str) -> str:
        """Commit what is staged (or nothing); the commit's id."""
        self.git("commit", "-q", "--allow-empty", "--cleanup=verbatim", "-F", "-", *args, stdin=message)
        return self.head()

    def head(self, revision: str = "HEAD") -> str:
        return self.git("rev-parse", revision)

    def open(self) -> GitRepo:
        return GitRepo.open(str(self.path), dict(os.environ))

    def state(self) -> PrivateState:
        return PrivateState(self.open().common_dir)

    def index(self) -> Index:
        return Index.open(self.state())

    def refresh(self, index: Index, *asked: str) -> Refreshed:
        return refresh(self.open(), index, asked)

    def view(self) -> int:
        """What a hook does: look for what is new and write the notes."""
        repo = self.open()
        state = PrivateState(repo.common_dir)
        with Index.open(state) as index:
            return refresh_view(repo, index, state, refresh(repo, index).notes_tip)

    def note(self, commit: str) -> str:
        """The note of a commit, empty where it has none."""
        done = subprocess.run(["git", "notes", "--ref=frames", "show", commit], cwd=self.path, capture_output=True)
        return done.stdout.decode().rstrip("\n")

    def noted(self) -> set[str]:
        """The commits that have a note."""
        return {line.split()[1] for line in self.git("notes", "--ref=frames", "list").splitlines()}
