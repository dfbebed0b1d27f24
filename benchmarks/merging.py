"""Merging and checking frames beside decoding them."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

from measure import FRAMES, PYTHON, Bench, Figure, Side
from repositories import EPOCH, LiveSession, Words

PATH = ".copilot/sessions/2026-06-02_large_000000.frame.json"
MANY = 200

_DECODE_THREE = """\
import json, sys
*_, last = [json.loads(open(path, 'rb').read()) for path in sys.argv[1:]]
json.dumps(last, ensure_ascii=False, indent=1)"""
_DECODE_ALL = "import json, sys\nfor path in sys.argv[1:]:\n    json.loads(open(path, 'rb').read())"


def figures(bench: Bench) -> Iterator[Figure]:
    """Two frames of 1 MB that grew apart, and many small ones."""
    folder = bench.folder / "merging"
    (folder / "many").mkdir(parents=True)
    size = min(1_000_000, 100 * bench.commits)
    _write_sides(folder, size)
    command = (FRAMES, "merge-driver", "base", "result", "theirs", "7", PATH)
    json = Side("`json` decodes three, writes one", (PYTHON, "-c", _DECODE_THREE, "base", "ours", "theirs"), folder)
    merge = Side("", command, folder, lambda: shutil.copy(folder / "ours", folder / "result"))
    yield bench.figure(f"merge of two frames of {size / 1e6:g} MB", json, merge, goal=3)

    count = min(MANY, bench.commits)
    names = [f"many/{name}" for name in _write_many(folder / "many", count)]
    decode = Side("`json.loads` of each file", (PYTHON, "-c", _DECODE_ALL, *names), folder)
    check = Side("", (FRAMES, "validate", *names), folder)
    yield bench.figure(f"`frames validate`, {count} frames of 20 KB", decode, check, goal=3)


def _write_sides(folder: Path, size: int) -> None:
    """A frame, and what it became in two places, each a fifth longer."""
    for name in ("base", "ours", "theirs"):
        session = LiveSession(Words(random.Random(1)), 1, EPOCH)
        session.go_on(EPOCH, ["src/parser.py"], size * 4 // 5)
        if name != "base":
            session.words.source.seed(name)
            _rename_later_turns(session, name, size // 5)
        (folder / name).write_bytes(session.data())


def _rename_later_turns(session: LiveSession, name: str, size: int) -> None:
    """Go on, with turns that only this side has."""
    shared = len(session.frame["turns"])
    session.go_on(EPOCH + 900, [f"src/{name}.py"], size)
    for number, turn in enumerate(session.frame["turns"][shared:]):
        turn["id"] = f"{name}-{number}"


def _write_many(folder: Path, count: int) -> list[str]:
    words = Words(random.Random(1))
    for number in range(count):
        session = LiveSession(words, number, EPOCH)
        session.go_on(EPOCH, ["src/parser.py"], 20_000)
        (folder / f"{number:04d}.frame.json").write_bytes(session.data())
    return sorted(path.name for path in folder.iterdir())
