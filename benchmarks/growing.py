"""Reading a session that has grown a little, beside reading it as a whole and beside a session of what is new."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from measure import FRAMES, Bench, Figure, Side, calls, figure_of

from session_frames.model import Frame
from session_frames.workspace.core import Workspace
from session_frames.workspace.reading import read_transcript

NEWS = 100_000


class Growing:
    """A session in a repository, of which some parts of ``NEWS`` bytes are still to come."""

    def __init__(self, work: Path, whole: Path, parts: int) -> None:
        self.work = work
        self.path = work / "grown.jsonl"
        data = whole.read_bytes()
        news = min(NEWS, len(data) // (2 * parts))
        ends = [data.rfind(b"\n", 0, len(data) - news * part) + 1 for part in range(parts, -1, -1)]
        self.path.write_bytes(data[: ends[0]])
        self.begin = work / "begin.jsonl"
        self.begin.write_bytes(data[: data.find(b"\n", news) + 1])
        self._news = [data[start:end] for start, end in pairwise(ends)]
        self._ws = Workspace(str(work), os.environ, lambda: "2026-06-02T10:00:00Z")

    def grow(self) -> None:
        """The agent writes the next part."""
        with self.path.open("ab") as file:
            file.write(self._news.pop(0))

    def forget(self) -> None:
        """Nothing is known of earlier readings."""
        shutil.rmtree(self._ws.state.path("readings"), ignore_errors=True)

    def read(self, path: Path, dry_run: bool = True) -> Frame:
        """The frame of a session."""
        with path.open("rb") as file:
            return read_transcript(self._ws, "claude-code", file, str(path), dry_run=dry_run).frame


def figures(bench: Bench) -> Iterator[Figure]:
    """The reading within this process, and a whole ``frames import``."""
    rounds = max(2, bench.rounds // 3)
    whole = bench.generate("transcripts.py", "large.jsonl", "--megabytes", str(bench.megabytes))
    work = bench.folder / "growing"
    bench.run("git", "init", "-q", str(work))
    session = Growing(work, whole, 3 * rounds + 4)
    what = f"reading {bench.megabytes:g} MB that grew by {NEWS // 1000} kB"
    session.read(session.path, dry_run=False)

    def grown() -> None:
        session.grow()
        session.read(session.path)

    pairs = calls(lambda: session.read(session.begin), grown, rounds)
    yield figure_of(what, f"reading {NEWS // 1000} kB", pairs, None)
    copy = Path(shutil.copy(session.path, work / "copy.jsonl"))
    yield figure_of(what, "reading all of it", calls(lambda: session.read(copy), grown, rounds), None)

    imported = (FRAMES, "import", session.path.name)
    bench.run(*imported, folder=work)
    anew = Side("the same, read as a whole", imported, work, lambda: (session.grow(), session.forget()))
    after = Side("", imported, work, session.grow)
    rounds = 1 if rounds < 3 else 2
    pairs = [(bench.sample(anew), bench.sample(after)) for _ in range(rounds)]
    yield figure_of(f"`frames import`, {bench.megabytes:g} MB grown by {NEWS // 1000} kB", anew.name, pairs, None)
