"""What frames adds to ``git commit``: nothing to do, and a session's frame of 20 KB in the commit."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

from measure import FRAMES, PYTHON, Bench, Figure, Side

from session_frames.model import FORMAT_VERSION, Frame, Turn, frame_id
from session_frames.storage.private_state import ActiveFrame
from session_frames.workspace.core import Workspace

SESSION = "benchmark"
SIZE = 20_000
NOW = "2026-06-02T10:00:00Z"
COMMIT = ("git", "commit", "-qm", "m")

# A commit that takes a frame starts an interpreter in three hooks: before it, for its message, and after it.
STARTS = 3


def figures(bench: Bench) -> Iterator[Figure]:
    """Commits of one changed file: without hooks, without a session, and from the shell of a session."""
    bench.environ["FRAMES_SESSION_ID"] = SESSION
    plain, idle, busy = (_repository(bench, name) for name in ("plain", "idle", "busy"))
    for path in (idle, busy):
        bench.run(FRAMES, "init", folder=path)
    floor = Side("`git commit` without hooks", COMMIT, plain, lambda: _change(bench, plain))
    without = Side("", COMMIT, idle, lambda: _change(bench, idle))
    yield bench.figure("`git commit`, no session", floor, without, goal=2)
    frames = _growing(frame_of_size(SIZE))

    def go_on() -> None:
        _activate(bench, busy, next(frames))
        _change(bench, busy)

    busy_floor = Side("the same, and three `python -c pass`", _with_starts(), plain, lambda: _change(bench, plain))
    yield bench.figure("`git commit` with a frame of 20 KB", busy_floor, Side("", COMMIT, busy, go_on), goal=2.2)
    del bench.environ["FRAMES_SESSION_ID"]


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


def _with_starts() -> tuple[str, ...]:
    script = '"$@"\n' + f"'{PYTHON}' -I -c pass\n" * STARTS
    return ("sh", "-ec", script, "sh", *COMMIT)


def _repository(bench: Bench, name: str) -> Path:
    path = bench.folder / "hooks" / name
    bench.run("git", "init", "-q", str(path))
    return path


def _change(bench: Bench, path: Path) -> None:
    file = path / "a.txt"
    file.write_text((file.read_text() if file.exists() else "") + "more\n")
    bench.run("git", "add", "a.txt", folder=path)


def _growing(frame: Frame) -> Iterator[Frame]:
    """The frame with one turn more each time."""
    turns = list(frame["turns"])
    for number in count(len(turns) + 1):
        turns.append(Turn(id=f"t{number}", role="agent", text="one more"))
        yield Frame(**{**frame, "turns": list(turns)})


def _activate(bench: Bench, path: Path, frame: Frame) -> None:
    ws = Workspace(str(path), bench.environ, lambda: NOW)
    ws.state.save_active(ActiveFrame(frame=frame, work_tree=str(path), transcript="", session_id=SESSION))
