"""What frames adds to ``git commit``: nothing to do, and a session's frame of 20 KB in the commit.

    python benchmarks/hooks.py [ROUNDS]

The kinds of repository take turns within each round, so that other load on the machine strikes all alike; medians are
compared, and the ratio to a commit without hooks is the figure to look at.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from session_frames.frame_json import encode
from session_frames.model import FORMAT_VERSION, Frame, Turn, frame_id
from session_frames.storage.private_state import ActiveFrame
from session_frames.workspace.core import Workspace
from session_frames.workspace.setup import init

SESSION = "benchmark"


def frame_of_size(size: int, turns: int = 14) -> Frame:
    """A frame with this many bytes, give or take one turn."""
    words = "what the agent said about the change, and what it did next. "
    text = words * (size // turns // len(words))
    return Frame(
        frame=FORMAT_VERSION,
        id=frame_id("agent", SESSION),
        topic="benchmark",
        status="active",
        session={"agent": "agent", "session_id": SESSION},
        boundary={"started_at": "2026-06-02T09:00:00Z"},
        turns=[
            Turn(id=f"t{number}", role="user" if number % 2 else "agent", text=text) for number in range(1, turns + 1)
        ],
    )


def without_hooks(path: Path) -> None:
    """A repository as git makes it."""


def idle(path: Path) -> None:
    """Set up, and no session is active."""
    init(Workspace(str(path), os.environ, lambda: "2026-06-02T10:00:00Z"))


def with_session(path: Path) -> None:
    """A session commits from its own shell; the frame gets one turn more for each commit."""
    idle(path)


KINDS: Mapping[str, Callable[[Path], None]] = {
    "no hooks": without_hooks,
    "no session": idle,
    "20 KB frame": with_session,
}


def main() -> None:
    """Print the figures."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(
            GIT_AUTHOR_NAME="a", GIT_AUTHOR_EMAIL="a@example.org", GIT_COMMITTER_NAME="a",
            GIT_COMMITTER_EMAIL="a@example.org", GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_NOSYSTEM="1",
        )  # fmt: skip
        places = {kind: Path(folder, str(number)) for number, kind in enumerate(KINDS)}
        for kind, path in places.items():
            subprocess.run(["git", "init", "-q", str(path)], check=True)
            KINDS[kind](path)
        times: dict[str, list[float]] = {kind: [] for kind in KINDS}
        frame = frame_of_size(20_000)
        for number in range(rounds + 1):
            for kind, path in places.items():
                if kind == "20 KB frame":
                    frame = grow(path, frame)
                took = commit(path, number)
                if number:  # the first commit warms up
                    times[kind].append(took)
    base = statistics.median(times["no hooks"])
    print(f"frame: {len(encode(frame))} bytes after {rounds} rounds")
    for kind, taken in times.items():
        middle = statistics.median(taken)
        print(f"{kind:12} {middle * 1000:7.1f} ms  best {min(taken) * 1000:7.1f} ms  {middle / base:5.2f} x")


def grow(path: Path, frame: Frame) -> Frame:
    """One turn more in the active frame of the repository, in the place of the oldest's words."""
    turns = [*frame["turns"], Turn(id=f"t{len(frame['turns']) + 1}", role="agent", text="one more")]
    grown = Frame(**{**frame, "turns": turns})  # type: ignore[typeddict-item]
    ws = Workspace(str(path), os.environ, lambda: "2026-06-02T10:00:00Z")
    ws.state.save_active(ActiveFrame(frame=grown, work_tree=str(path), transcript="", session_id=SESSION))
    return grown


def commit(path: Path, number: int) -> float:
    """The seconds that a commit of one changed file takes."""
    (path / "a.txt").write_text(f"{number}\n")
    subprocess.run(["git", "-C", str(path), "add", "a.txt"], check=True)
    environ = {**os.environ, "FRAMES_SESSION_ID": SESSION}
    begun = time.perf_counter()
    subprocess.run(["git", "-C", str(path), "commit", "-qm", "m"], check=True, env=environ)
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
