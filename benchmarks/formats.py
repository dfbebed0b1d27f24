"""What every transcript format was tried on, and what was lost: writes docs/transcript-formats.md.

Reads the recorded transcripts beside the project and the samples in tests/transcripts; without the former nothing is
written.
"""

from __future__ import annotations

import io
import sys
import time
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import corpus

from session_frames.operations.assemble import assemble_all
from session_frames.transcripts import FORMATS, get_format

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/transcript-formats.md"
HEAD = """# Transcript formats

<!-- written by benchmarks/formats.py -->

What each reader was tried on: transcripts that agents recorded, with the words replaced, and samples that
were built from the maker's source where no recorded one was at hand. "Words lost" counts the turns of a person that
an independent reading of the same file found and ours did not, and the other way round.

| agent | files | turns of a person | tool calls, with a result | words lost | read, MB/s |
| --- | --- | --- | --- | --- | --- |
"""


class Tried(NamedTuple):
    """The figures of one format."""

    files: int
    turns: int
    calls: int
    paired: int
    lost: int
    speed: float


def tried(name: str) -> Tried:
    """Read every recorded file of a format and count."""
    files = turns = calls = paired = lost = 0
    size, seconds = 0, 0.0
    for _, path, expectation in (case for case in corpus.cases() if case[0] == name):
        data = path.read_bytes()
        list(get_format(name).read(io.BytesIO(data)))  # what is loaded or compiled once is not counted
        started = time.process_time()
        events = list(get_format(name).read(io.BytesIO(data)))
        seconds += time.process_time() - started
        size += len(data)
        files += 1
        found = corpus.summary(events)
        calls, paired = calls + found["tool_calls"], paired + found["paired"]
        words = [
            turn.get("text", "").strip()
            for assembled in assemble_all(iter(events), policy=None)
            for turn in assembled.turns
            if turn["role"] == "user"
        ]
        turns += len(words)
        lost += len(corpus.complaints(words, corpus.load(expectation)))
    return Tried(files, turns, calls, paired, lost, size / 1e6 / seconds if seconds else 0.0)


def row(name: str) -> str:
    """The line of one format."""
    found = tried(name)
    if not (getattr(get_format(name), "RECORDED", True) and found.files):
        return f"| `{name}` | built in the tests; not tried on a recorded file | | | | |"
    return (
        f"| `{name}` | {found.files} recorded | {found.turns} | {found.calls}, {found.paired} | {found.lost} "
        f"| {found.speed:.0f} |"
    )


def main() -> None:
    """Write the page."""
    if not corpus.cases():
        print("the corpus of recorded transcripts is not beside this checkout: nothing written")
        return
    PAGE.write_text(HEAD + "\n".join(row(name) for name in FORMATS) + "\n", encoding="utf-8")
    print(PAGE.read_text("utf-8"))


if __name__ == "__main__":
    main()
