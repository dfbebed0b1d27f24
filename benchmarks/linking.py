"""The past, at once: sessions that were never in the tree are taken, linked, and named line by line."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

from measure import FRAMES, Bench, Figure, Sample, Side, figure_of

from session_frames.storage.commit_links import known_frames
from session_frames.workspace.blame import blame
from session_frames.workspace.core import Workspace

SESSIONS = 500
MINUTE = 60.0

Origin = tuple[str, str] | None
"""Session and call that wrote a line; None for a person's."""


def figures(bench: Bench) -> Iterator[Figure]:
    """What it takes to take all sessions of a history, and how many lines name the call that wrote them."""
    sessions = max(2, min(SESSIONS, bench.commits // 20))
    made = bench.generate("past.py", "past", "--commits", str(bench.commits), "--sessions", str(sessions))
    what = f"{sessions} sessions, {bench.commits:,} commits"
    first, again = _take(bench, made), _take(bench, made)
    minute = Sample(MINUTE, MINUTE, 0)
    yield _once(f"`frames import --all` and `frames log`, {what}", "one minute", minute, first, 1)
    yield _once("the same again, with nothing new", "the first time", first, again, None)
    yield from _shares(made)


def _take(bench: Bench, made: Path) -> Sample:
    home = f"HOME={made / 'home'}"
    commands = (("import", "--all"), ("log", "--oneline"))
    taken = [bench.sample(Side("", ("env", home, FRAMES, *verb), made / "repo")) for verb in commands]
    return Sample(*(sum(column) for column in zip(*taken, strict=True)))


def _once(what: str, name: str, floor: Sample, taken: Sample, goal: float | None) -> Figure:
    return figure_of(what, name, [(floor, taken)], goal)._replace(note=f"{taken.cpu:.1f} s, {taken.wall:.1f} s clock")


def _shares(made: Path) -> Iterator[Figure]:
    pairs = list(_pairs(made))
    agents = [(true, told) for true, told in pairs if true]
    people = [told for true, told in pairs if not true]
    right = sum(true == told for true, told in agents)
    wrong = sum(told is not None and true != told for true, told in agents)
    claimed = sum(told is not None for told in people)
    yield _share("lines that agents wrote: the right call is not named", right - len(agents), agents, 0.1)
    yield _share("lines that agents wrote: a wrong call is named", wrong, agents, 0.01)
    yield _share("lines that people wrote: a call is named", claimed, people, 0.01)


def _share(what: str, count: int, lines: list[Origin] | list[tuple[Origin, Origin]], goal: float) -> Figure:
    share = abs(count) / max(1, len(lines))
    note = f"{share:.2%} of {len(lines):,}"
    return Figure(what, "all these lines", share, share, share, share, goal, note)


def _pairs(made: Path) -> Iterator[tuple[Origin, Origin]]:
    """For each line who wrote it, and whom blame names."""
    truth = json.loads((made / "truth.json").read_text(encoding="utf-8"))
    with chdir(made / "repo"):
        ws = Workspace(os.getcwd(), {**os.environ, "HOME": str(made / "home")}, lambda: "")
        sessions: dict[str, str] = {}
        for path, origins in truth.items():
            lines = list(blame(ws, path))
            if not sessions:
                sessions = _sessions(ws)
            for origin, line in zip(origins, lines, strict=True):
                true = (origin[0], f"{origin[1]}.{origin[2]}") if origin else None
                yield true, (sessions[line["frame"]], line["call"]) if line["call"] else None
        ws.index.close()


def _sessions(ws: Workspace) -> dict[str, str]:
    """Frame -> the session that it was made of."""
    found = {}
    for frame_id in known_frames(ws.index, in_history=False):
        with open(ws.state.closed_path(frame_id), encoding="utf-8") as file:
            found[frame_id] = json.load(file)["session"]["session_id"]
    return found
