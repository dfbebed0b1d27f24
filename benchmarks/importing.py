"""Reading a transcript beside decoding its lines, in time and in memory."""

from __future__ import annotations

from collections.abc import Iterator

from measure import FRAMES, PYTHON, Bench, Figure, Side

_DECODE = "import json, sys\nfor line in open(sys.argv[1], 'rb'):\n    json.loads(line)"


def figures(bench: Bench) -> Iterator[Figure]:
    """``frames import`` of one large transcript, without writing anything."""
    transcript = str(bench.generate("transcripts.py", "large.jsonl", "--megabytes", str(bench.megabytes)))
    work = bench.folder / "importing"
    bench.run("git", "init", "-q", str(work))
    lines = Side("`json.loads` of each line", (PYTHON, "-c", _DECODE, transcript), work)
    whole = Side("", (FRAMES, "import", "--dry-run", transcript), work)
    figure = bench.figure(f"`frames import`, {bench.megabytes:g} MB", lines, whole, goal=8, slow=True)
    taken = bench.sample(whole)
    speed = f"{bench.megabytes / taken.cpu:.1f} MB/s, peak {taken.peak:.0f} MB"
    yield figure._replace(note=speed)
