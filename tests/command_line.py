"""The command line as a person types it: the real program in a process of its own, real git beside it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

CLAUDE_SESSION = "3f1c9a2e-0000-4000-8000-00000000c0de"


def frames(
    *args: str, cwd: Path, code: int | None = 0, stdin: bytes = b"", **environ: str
) -> subprocess.CompletedProcess[bytes]:
    """Run ``frames ARGS`` and expect this exit code (any for None); never a traceback."""
    done = subprocess.run(
        [sys.executable, "-m", "session_frames", *args],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        env={**os.environ, **environ},
        timeout=120,
    )
    told = (
        f"frames {' '.join(args)}\n{done.stdout.decode('utf-8', 'replace')}\n{done.stderr.decode('utf-8', 'replace')}"
    )
    assert b"Traceback" not in done.stderr, told
    assert code is None or done.returncode == code, told
    return done


def out(*args: str, cwd: Path, code: int = 0, **environ: str) -> str:
    """What ``frames ARGS`` prints to standard output."""
    return frames(*args, cwd=cwd, code=code, **environ).stdout.decode("utf-8")


def err(*args: str, cwd: Path, code: int, stdin: bytes = b"") -> str:
    """What ``frames ARGS`` says to standard error; nothing goes to standard output."""
    done = frames(*args, cwd=cwd, code=code, stdin=stdin)
    assert done.stdout == b""
    return done.stderr.decode("utf-8")


def json_lines(*args: str, cwd: Path, code: int = 0, **environ: str) -> list[Any]:
    """The objects that ``frames ARGS`` prints, one a line."""
    return [json.loads(line) for line in out(*args, cwd=cwd, code=code, **environ).split("\n") if line]


def git(*args: str, cwd: Path, **environ: str) -> str:
    """Run git and expect it to succeed; what it prints."""
    done = subprocess.run(
        ["git", *args], cwd=cwd, capture_output=True, env={**os.environ, **environ}, stdin=subprocess.DEVNULL
    )
    assert done.returncode == 0, f"git {' '.join(args)}\n{done.stdout.decode()}\n{done.stderr.decode()}"
    return done.stdout.decode("utf-8", "replace")


def interruptible() -> None:
    """Let a process hear SIGINT, also where the tests themselves run in the background and ignore it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


# ---------------------------------------------------------------------------------------------------------------------
# Small sessions, as an agent would have left them


class Session:
    """A Claude Code session while it is written: one method a record, ``text`` the file so far."""

    def __init__(self, cwd: Path | str, session_id: str = CLAUDE_SESSION, start: str = "2026-06-02T10:00:00") -> None:
        self.cwd = str(cwd)
        self.session_id = session_id
        self.hour = start
        self.records: list[dict[str, Any]] = []

    def _envelope(self, kind: str, message: dict[str, Any]) -> dict[str, Any]:
        number = len(self.records) + 1
        parent = self.records[-1]["uuid"] if self.records else None
        day, clock = self.hour.split("T")
        hours, minutes, _ = map(int, clock.split(":"))
        minute = minutes + number
        return {
            "parentUuid": parent,
            "isSidechain": False,
            "type": kind,
            "message": message,
            "uuid": f"{self.session_id[:8]}-0000-4000-8000-{number:012d}",
            "timestamp": f"{day}T{hours + minute // 60:02d}:{minute % 60:02d}:00.000Z",
            "userType": "external",
            "cwd": self.cwd,
            "sessionId": self.session_id,
            "version": "2.1.200",
            "gitBranch": "main",
        }

    def user(self, text: str) -> Session:
        record = self._envelope("user", {"role": "user", "content": text})
        record["origin"] = {"kind": "human"}
        self.records.append(record)
        return self

    def agent(self, text: str) -> Session:
        content = [{"type": "text", "text": text}]
        self.records.append(self._envelope("assistant", self._message(content)))
        return self

    def call(self, tool: str, arguments: dict[str, Any], result: str, error: bool = False) -> Session:
        call_id = f"toolu_{len(self.records):04d}"
        content = [{"type": "tool_use", "id": call_id, "name": tool, "input": arguments}]
        self.records.append(self._envelope("assistant", self._message(content)))
        answer = {"type": "tool_result", "tool_use_id": call_id, "content": result, "is_error": error}
        self.records.append(self._envelope("user", {"role": "user", "content": [answer]}))
        return self

    def write(self, path: str, text: str) -> Session:
        return self.call("Write", {"file_path": f"{self.cwd}/{path}", "content": text}, "File created successfully")

    def bash(self, command: str, result: str, error: bool = False) -> Session:
        return self.call("Bash", {"command": command}, result, error)

    def _message(self, content: list[dict[str, Any]]) -> dict[str, Any]:
        return {
            "id": f"msg_{self.session_id[:4]}_{len(self.records):04d}",
            "type": "message",
            "role": "assistant",
            "model": "claude-opus-4-8",
            "content": content,
            "usage": {"input_tokens": 10, "output_tokens": 5},
        }

    @property
    def text(self) -> str:
        return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in self.records)

    def save(self, path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.text, encoding="utf-8", errors="surrogatepass")
        return path

    def save_at_home(self) -> Path:
        """Where the agent itself keeps it."""
        folder = Path(os.environ["HOME"]) / ".claude/projects" / "".join(c if c.isalnum() else "-" for c in self.cwd)
        return self.save(folder / f"{self.session_id}.jsonl")
