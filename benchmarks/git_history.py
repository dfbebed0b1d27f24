"""frames beside git on a long history: log, notes, index, blame."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from measure import FRAMES, PYTHON, Bench, Figure, Side
from repositories import EPOCH, SESSIONS, LiveSession, Words

SHORT = 10
"""How many times shorter the short history is, which shows that a screen costs the same in both."""

FEW = "-30"


def figures(bench: Bench) -> Iterator[Figure]:
    """The log of a history whose index is warm, and what it takes to keep it warm."""
    path = repository(bench, bench.commits)
    yield from _first_screen(bench, path)
    yield from _whole(bench, path)
    yield from _index(bench, path)


def blame_figures(bench: Bench) -> Iterator[Figure]:
    """Blame of a long file with many authors."""
    path = bench.generate("long_file.py", "long-file", "--commits", str(min(1_500, bench.commits)))
    bench.run("git", "reset", "-q", "--hard", folder=path)
    bench.run(FRAMES, "log", folder=path)
    git = Side("`git blame FILE`", ("git", "blame", "--porcelain", "long.py"), path)
    yield bench.figure("`frames blame FILE`, 4,500 lines", git, Side("", (FRAMES, "blame", "long.py"), path), 1.08)


def repository(bench: Bench, commits: int) -> Path:
    """A repository of so many commits, set up for frames, its index warm."""
    path = bench.generate("repositories.py", f"commits-{commits}", "--commits", str(commits))
    if not (path / ".git/frames").exists():
        bench.run("git", "reset", "-q", "--hard", folder=path)
        bench.run(FRAMES, "init", "--no-hooks", folder=path)
        bench.run(FRAMES, "log", FEW, folder=path)
    return path


def _first_screen(bench: Bench, path: Path) -> Iterator[Figure]:
    short = repository(bench, max(1, bench.commits // SHORT))
    screen = Side("", (FRAMES, "log", FEW), path)
    empty = Side("`python -c pass`", (PYTHON, "-c", "pass"), path)
    yield bench.figure(f"`frames log {FEW}`, {bench.commits:,} commits", empty, screen, goal=2.5)
    git = Side(f"`git log {FEW}`", ("git", "log", "--no-notes", FEW), path)
    yield bench.figure(f"`frames log {FEW}`, {bench.commits:,} commits", git, screen)
    fewer = Side(f"the same on {bench.commits // SHORT:,} commits", (FRAMES, "log", FEW), short)
    yield bench.figure(f"`frames log {FEW}`, {bench.commits:,} commits", fewer, screen, goal=1.15)


def _whole(bench: Bench, path: Path) -> Iterator[Figure]:
    git = Side("`git log --no-notes`", ("git", "log", "--no-notes"), path)
    yield bench.figure("`frames log`, whole history", git, Side("", (FRAMES, "log"), path), goal=1.4)
    yield bench.figure("`git log` with the notes shown", git, Side("", ("git", "log"), path), goal=1.15)
    yield bench.figure("`frames log --json`, whole history", git, Side("", (FRAMES, "log", "--json"), path), slow=True)


def _index(bench: Bench, path: Path) -> Iterator[Figure]:
    words = Words(random.Random(1))
    numbers = count(1_000_000)

    def add_commit() -> None:
        session = LiveSession(words, next(numbers), EPOCH)
        session.go_on(EPOCH, ["src/parser.py"], 9_000)
        file = path / SESSIONS / session.name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(session.data())
        bench.run("git", "add", str(file), folder=path)
        bench.run("git", "commit", "-qm", "One frame more", folder=path)

    warm = Side("the same with nothing new", (FRAMES, "log", "-1"), path)
    one_more = Side("", (FRAMES, "log", "-1"), path, add_commit)
    yield bench.figure("`frames log -1`, one commit with a frame more", warm, one_more, goal=2.5)

    def forget() -> None:
        (path / ".git/frames/index.sqlite").unlink()

    git = Side("`git log --no-notes`", ("git", "log", "--no-notes"), path)
    anew = Side("", (FRAMES, "log", "-1"), path, forget)
    yield bench.figure("index and notes made anew", git, anew, slow=True)
