"""Importing a transcript beside the least that reading and keeping it can cost, in time and in memory."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

from measure import FRAMES, PYTHON, Bench, Figure, Side

_DECODE = "import json, sys\nfor line in open(sys.argv[1], 'rb'):\n    json.loads(line)"
# Decode each line, name the content, keep it compressed: what no import can do without.
_KEEP = """
import hashlib, os, sys
import orjson, zstandard
digest = hashlib.sha256()
with open(sys.argv[1], "rb") as file, open(os.devnull, "wb") as kept:
    with zstandard.ZstdCompressor(level=3).stream_writer(kept, closefd=False) as writer:
        for line in file:
            orjson.loads(line)
            digest.update(line)
            writer.write(line)
"""
_WHOLE = 100 / 24  # of the size that is asked for
_LARGE = 500 / 24


def figures(bench: Bench) -> Iterator[Figure]:
    """``frames import`` of a large transcript without writing anything, and of a larger one with all that is kept."""
    size = bench.megabytes
    transcript = str(bench.generate("transcripts.py", "large.jsonl", "--megabytes", str(size)))
    work = bench.folder / "importing"
    bench.run("git", "init", "-q", str(work))
    lines = Side("`json.loads` of each line", (PYTHON, "-c", _DECODE, transcript), work)
    whole = Side("", (FRAMES, "import", "--dry-run", transcript), work)
    figure = bench.figure(f"`frames import --dry-run`, {size:g} MB", lines, whole, goal=8, slow=True)
    yield _with_speed(figure, bench, whole, size)
    yield _kept(bench, size * _WHOLE)


def large_figures(bench: Bench) -> Iterator[Figure]:
    """The import of a very large transcript; it takes minutes."""
    yield _kept(bench, bench.megabytes * _LARGE)


def _kept(bench: Bench, size: float) -> Figure:
    transcript = str(bench.generate("transcripts.py", f"kept-{size:g}.jsonl", "--megabytes", str(size)))
    work = bench.folder / "kept"
    work.mkdir(exist_ok=True)
    repository = work / "repository"

    def anew() -> None:
        shutil.rmtree(repository, ignore_errors=True)
        bench.run("git", "init", "-q", str(repository))

    least = Side("decoded, hashed and compressed", (PYTHON, "-c", _KEEP, transcript), work)
    whole = Side("", (FRAMES, "import", transcript), repository, anew)
    figure = bench.figure(f"`frames import`, {size:g} MB, all kept", least, whole, slow=True)
    return _with_speed(figure, bench, whole, size)


def _with_speed(figure: Figure, bench: Bench, side: Side, size: float) -> Figure:
    taken = bench.sample(side)
    return figure._replace(note=f"{size / taken.cpu:.1f} MB/s, peak {taken.peak:.0f} MB")
