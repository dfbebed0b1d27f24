"""What frames adds to ``git commit``: nothing to do, and a session's frame of 20 KB in the commit."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from measure import FRAMES, PYTHON, Bench, Figure, Side

from session_frames import frame_json
from session_frames.model import FORMAT_VERSION, Frame, Turn, frame_id
from session_frames.storage.frame_store import archive_folder, file_name
from session_frames.storage.private_state import ActiveFrame
from session_frames.workspace.core import Workspace

SESSION = "benchmark"
SIZE = 20_000
NOW = "2026-06-02T10:00:00Z"
COMMIT = ("git", "commit", "-qm", "m")

# A commit takes no longer with so many frames in the tree than without any.
MANY = 10_000


def figures(bench: Bench) -> Iterator[Figure]:
    """Commits of one changed file: without hooks, without a session, and from the shell of a session.

    A commit that takes a frame starts one interpreter, in the hook before it; so does its floor.
    """
    bench.environ["FRAMES_SESSION_ID"] = SESSION
    plain, idle, busy, full = (_repository(bench, name) for name in ("plain", "idle", "busy", "full"))
    many = max(10, min(MANY, bench.commits))
    _fill(bench, full, many)
    full_floor = Path(shutil.copytree(full, full.with_name("full-floor")))
    for path in (idle, busy, full):
        bench.run(FRAMES, "init", folder=path)
    bench.run(FRAMES, "log", "-1", folder=full)
    floor = Side("`git commit` without hooks", COMMIT, plain, lambda: _change(bench, plain))
    without = Side("", COMMIT, idle, lambda: _change(bench, idle))
    yield bench.figure("`git commit`, no session", floor, without, goal=2)
    few, lots = _growing(frame_of_size(SIZE)), _growing(frame_of_size(SIZE))

    def go_on(path: Path, frames: Iterator[Frame]) -> None:
        _activate(bench, path, next(frames))
        _change(bench, path)

    busy_floor = Side("the same, and one `python -c pass`", _WITH_START, plain, lambda: _change(bench, plain))
    subject = Side("", COMMIT, busy, lambda: go_on(busy, few))
    yield bench.figure("`git commit` with a frame of 20 KB", busy_floor, subject, goal=2.1)
    in_full = Side("", COMMIT, full, lambda: go_on(full, lots))
    floor = Side("the same there", _WITH_START, full_floor, lambda: _change(bench, full_floor))
    yield bench.figure(f"`git commit` with a frame, {many:,} frames in the tree", floor, in_full, goal=2.1)
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


_WITH_START = ("sh", "-ec", f"\"$@\"\n'{PYTHON}' -I -c pass\n", "sh", *COMMIT)


def _repository(bench: Bench, name: str) -> Path:
    path = bench.folder / "hooks" / name
    bench.run("git", "init", "-q", str(path))
    return path


def _fill(bench: Bench, path: Path, number: int) -> None:
    """Commit so many small frames, by month as ``frames archive`` leaves them."""
    for at in range(number):
        session = f"old-{at}"
        frame = Frame(
            frame=FORMAT_VERSION,
            id=frame_id("agent", session),
            topic="old",
            status="archived",
            session={"agent": "agent", "session_id": session},
            boundary={"started_at": f"2025-{at % 12 + 1:02}-02T09:00:00Z"},
            turns=[Turn(id="t1", role="user", text="words")],
        )
        file = path / archive_folder(frame) / file_name(frame)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(frame_json.encode(frame))
    bench.run("git", "add", ".copilot", folder=path)
    bench.run("git", "-c", "gc.auto=0", "commit", "-qm", "old frames", folder=path)  # the next line does it
    bench.run("git", "gc", "-q", folder=path)


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
