"""frames beside git on a long history: log, notes, index, blame."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path

from measure import FRAMES, PYTHON, Bench, Figure, Side
from repositories import SESSIONS, LiveSession, Words

NOW = 1_780_394_400
"""When the commits are made that are added while things are measured."""

LONG = 100_000

FEW = "-30"


def figures(bench: Bench) -> Iterator[Figure]:
    """The log of histories whose index is warm, and what it takes to make it and to keep it warm."""
    paths = {commits: repository(bench, commits) for commits in bench.lengths}
    for commits, path in paths.items():
        yield from _first_screen(bench, path, commits)
    yield from _same_at_any_length(bench, paths)
    for commits, path in paths.items():
        yield from _whole(bench, path, commits)
    yield from _other_ways(bench, paths[bench.commits])
    for commits, path in paths.items():
        yield from _index(bench, path, commits)


def blame_figures(bench: Bench) -> Iterator[Figure]:
    """Blame of a long file with many authors."""
    path = bench.generate("long_file.py", "long-file", "--commits", str(min(1_500, bench.commits)))
    bench.run("git", "reset", "-q", "--hard", folder=path)
    bench.run(FRAMES, "log", folder=path)
    git = Side("`git blame FILE`", ("git", "blame", "long.py"), path)
    answers = path / ".git/frames/blame"
    for _ in range(2):  # the first one brings the index up to date, the second one keeps its answer
        bench.run(FRAMES, "blame", "long.py", folder=path)
    kept = Side("", (FRAMES, "blame", "long.py"), path)
    yield bench.figure("`frames blame FILE`, 4,500 lines", git, kept, goal=1.1)
    anew = kept._replace(prepare=lambda: shutil.rmtree(answers, ignore_errors=True))
    yield bench.figure("the same, where something has changed since", git, anew)


def repository(bench: Bench, commits: int) -> Path:
    """A repository of so many commits, set up for frames, its index warm."""
    path = bench.generate("repositories.py", f"commits-{commits}", "--commits", str(commits))
    if not (path / ".git/frames").exists():
        bench.run("git", "reset", "-q", "--hard", folder=path)
        bench.run(FRAMES, "init", "--no-hooks", folder=path)
        bench.run(FRAMES, "log", FEW, folder=path)
    return path


def _first_screen(bench: Bench, path: Path, commits: int) -> Iterator[Figure]:
    empty = Side("`python -c pass`", (PYTHON, "-c", "pass"), path)
    screen = Side("", (FRAMES, "log", FEW), path)
    yield bench.difference(f"`frames log {FEW}`, {commits:,} commits", empty, screen, goal=2.5)


def _same_at_any_length(bench: Bench, paths: Mapping[int, Path]) -> Iterator[Figure]:
    (short, short_path), *_, (long, long_path) = paths.items()
    fewer = Side(f"the same on {short:,} commits", (FRAMES, "log", FEW), short_path)
    yield bench.figure(f"`frames log {FEW}`, {long:,} commits", fewer, Side("", fewer.command, long_path), goal=1.15)


def _git_log(path: Path) -> Side:
    return Side("`git log --no-notes`", ("git", "log", "--no-notes"), path)


def _whole(bench: Bench, path: Path, commits: int) -> Iterator[Figure]:
    what = f"`frames log`, whole history, {commits:,} commits"
    bench.run(FRAMES, "log", folder=path)
    yield bench.difference(what, _git_log(path), Side("", (FRAMES, "log"), path), 1.3 if commits >= LONG else None)


def _other_ways(bench: Bench, path: Path) -> Iterator[Figure]:
    few = Side(f"`git log {FEW}`", ("git", "log", "--no-notes", FEW), path)
    yield bench.figure(f"`frames log {FEW}`, {bench.commits:,} commits", few, Side("", (FRAMES, "log", FEW), path))
    yield bench.figure("`git log` with the notes shown", _git_log(path), Side("", ("git", "log"), path), goal=1.15)
    json = Side("", (FRAMES, "log", "--json"), path)
    yield bench.figure("`frames log --json`, whole history", _git_log(path), json, slow=True)


def _index(bench: Bench, path: Path, commits: int) -> Iterator[Figure]:
    words = Words(random.Random(1))
    numbers = count(1_000_000)

    def add_commit() -> None:
        session = LiveSession(words, next(numbers), NOW)
        session.go_on(NOW, ["src/parser.py"], 9_000)
        file = path / SESSIONS / session.name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(session.data())
        bench.run("git", "add", str(file), folder=path)
        bench.run("git", "commit", "-qm", "One frame more", folder=path)

    def forget() -> None:
        (path / ".git/frames/index.sqlite").unlink(missing_ok=True)

    log_one = (FRAMES, "log", "-1")
    warm, one_more = Side("the same with nothing new", log_one, path), Side("", log_one, path, add_commit)
    yield bench.figure(f"`frames log -1`, one frame more, {commits:,} commits", warm, one_more, goal=2.5)
    anew = Side("", (FRAMES, "log", FEW), path, forget)
    what = f"index and notes made anew, {commits:,} commits"
    yield bench.figure(f"{what}: `frames log {FEW}`", _git_log(path), anew, goal=10, slow=True)
    yield bench.figure(f"{what}: `frames log`", _git_log(path), Side("", (FRAMES, "log"), path, forget), slow=True)
