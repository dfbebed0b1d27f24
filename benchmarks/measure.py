"""Whole processes, measured in pairs: a floor and what is compared with it take turns, so that other load strikes both.

A figure is the ratio of two processes that ran one after the other; of all pairs the median counts, and the quartiles
tell how much it wavers. Milliseconds of one machine say nothing on another.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import chdir
from pathlib import Path
from typing import NamedTuple

PYTHON = sys.executable
FRAMES = str(Path(PYTHON).parent / "frames")

SHORTER = 10
"""How many times one history is shorter than the next."""

_GENERATORS = Path(__file__).parent


class Sample(NamedTuple):
    """What was taken: seconds of the processor and on the clock, and the peak of memory in MB."""

    cpu: float
    wall: float
    peak: float


class Side(NamedTuple):
    """One side of a comparison: a command, where it runs, and what is made ready before each time."""

    name: str
    command: Sequence[str]
    folder: Path
    prepare: Callable[[], object] = lambda: None


class Figure(NamedTuple):
    """How much more one thing takes than another: the median of all pairs, with the quartiles of processor time."""

    what: str
    floor: str
    cpu: float
    low: float
    high: float
    wall: float
    goal: float | None
    note: str = ""

    @property
    def is_met(self) -> bool:
        """Is the goal reached, where there is one?"""
        return self.goal is None or self.cpu <= self.goal


class Bench:
    """Where things are measured, with what sizes: ``rounds`` pairs of each comparison, ``commits``, ``megabytes``.

    ``lengths`` are those of the histories that are compared: a short one, one of ``commits``, and a ``long`` one.
    """

    def __init__(self, folder: Path, rounds: int, commits: int, megabytes: float, long: bool = False) -> None:
        self.folder = folder
        self.rounds = rounds
        self.commits = commits
        self.megabytes = megabytes
        self.lengths = (max(1, commits // SHORTER), commits, *([commits * SHORTER] if long else []))
        self.environ = _environment(folder / "home")

    def figure(self, what: str, floor: Side, subject: Side, goal: float | None = None, slow: bool = False) -> Figure:
        """Compare two processes; what takes ``slow`` seconds is tried less often."""
        rounds = max(1, self.rounds // 3) if slow else self.rounds
        pairs = [(self.sample(floor), self.sample(subject)) for _ in range(rounds + 1)][1:]  # the first one warms up
        return figure_of(what, floor.name, pairs, goal)

    def difference(self, what: str, floor: Side, subject: Side, goal: float | None = None) -> Figure:
        """As ``figure``, with a note of how many milliseconds more it takes."""
        pairs = [(self.sample(floor), self.sample(subject)) for _ in range(self.rounds + 1)][1:]
        more = statistics.median(second.cpu - first.cpu for first, second in pairs)
        return figure_of(what, floor.name, pairs, goal)._replace(note=f"{more * 1000:+.1f} ms")

    def sample(self, side: Side) -> Sample:
        """Run a process to its end, its output thrown away; ``SystemExit`` names one that fails."""
        side.prepare()
        streams = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (0, 1, 2)]
        with chdir(side.folder):
            begun = time.perf_counter()
            pid = os.posix_spawnp(side.command[0], list(side.command), self.environ, file_actions=streams)
            _, status, used = os.wait4(pid, 0)
            wall = time.perf_counter() - begun
        if status:
            raise SystemExit(f"{' '.join(side.command)} failed: exit code {os.waitstatus_to_exitcode(status)}")
        return Sample(used.ru_utime + used.ru_stime, wall, used.ru_maxrss / 1024)

    def run(self, *command: str, folder: Path | None = None) -> None:
        """Run a process that makes something ready."""
        self.sample(Side("", command, folder or self.folder))

    def generate(self, script: str, name: str, *options: str) -> Path:
        """What a generator of this folder makes, made once; it has its own process, so that this one stays small."""
        made = self.folder / name
        if not made.exists():
            self.run(PYTHON, str(_GENERATORS / script), str(made), *options)
        return made


def figure_of(what: str, floor: str, pairs: Sequence[tuple[Sample, Sample]], goal: float | None) -> Figure:
    """The figure of measured pairs."""
    ratios = [subject.cpu / base.cpu for base, subject in pairs]
    low, _, high = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
    wall = statistics.median(subject.wall / base.wall for base, subject in pairs)
    return Figure(what, floor, statistics.median(ratios), low, high, wall, goal)


def calls(floor: Callable[[], object], subject: Callable[[], object], rounds: int) -> list[tuple[Sample, Sample]]:
    """Pairs of calls within this process, for what is far from a process of its own."""
    return [(_sample_call(floor), _sample_call(subject)) for _ in range(rounds)]


def _sample_call(call: Callable[[], object]) -> Sample:
    cpu, wall = time.process_time(), time.perf_counter()
    call()
    return Sample(time.process_time() - cpu, time.perf_counter() - wall, 0)


def _environment(home: Path) -> dict[str, str]:
    """A home of its own, nothing of the user's, one author and one date."""
    home.mkdir(parents=True, exist_ok=True)
    who = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in _WHO.items()}
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    return {**kept, **who, "HOME": str(home), "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


_WHO = {"NAME": "Dev", "EMAIL": "dev@example.org", "DATE": "2026-06-02T10:00:00+00:00"}
