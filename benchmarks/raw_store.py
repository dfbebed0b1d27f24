"""What fifty saves of a growing session take, in bytes and in time.

    python benchmarks/raw_store.py [--megabytes M] [--saves N]

Run by itself, it prints the bytes kept beside one zstd-3 of the whole file, the time of the first and of the last
saves, the time of a save that finds nothing new, and the peak of memory.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

import zstandard
from measure import Bench, Figure, Sample, calls, figure_of

from session_frames.operations.redact import DEFAULT
from session_frames.operations.redact_raw import clean_lines
from session_frames.storage.private_state import PrivateState
from session_frames.storage.raw_manifest import stored_size
from session_frames.storage.raw_store import RawStore, Source

SAVES = 50
FRAME = "5f0e2d" + "0" * 18
_NOW = "2026-06-02T10:00:00Z"


class Growing:
    """A session that grows to what ``whole`` holds, and the store in which it is kept."""

    def __init__(self, folder: Path, whole: Path, saves: int) -> None:
        self.store = RawStore(PrivateState(str(folder)))
        self.path = folder / "session.jsonl"
        folder.mkdir(parents=True, exist_ok=True)
        self.path.write_bytes(b"")
        self._whole = whole
        self._saves = saves
        self._grown = 0
        self._part = 0

    def grow(self) -> int:
        """The next part, to the end of a line, is written by the agent; its size."""
        self._grown += 1
        with self._whole.open("rb") as source, self.path.open("ab") as file:
            begun = source.seek(file.tell())
            goal = self._whole.stat().st_size * self._grown // self._saves
            self._part = file.write(source.read(max(0, goal - begun)) + source.readline())
        return self._part

    def save(self) -> None:
        """Keep what is new."""
        with self.path.open("rb") as file:
            self.store.save(FRAME, Source(file, "claude-code", self.path.name), DEFAULT, _NOW)

    def stored(self) -> int:
        """The bytes kept."""
        manifest = self.store.find(FRAME)
        return stored_size(manifest) if manifest else 0

    def last_part_cleaned(self) -> None:
        """What a save of the last part can't do without: its redaction."""
        with self.path.open("rb") as file:
            file.seek(-self._part, os.SEEK_END)
            for _ in clean_lines(file, DEFAULT):
                pass


def one_zstd(path: Path) -> int:
    """The size of the whole file, compressed at once at the same level."""
    size = path.stat().st_size
    with path.open("rb") as file, open(os.devnull, "wb") as nowhere:
        return zstandard.ZstdCompressor(level=3).copy_stream(file, nowhere, size=size)[1]


def figures(bench: Bench) -> Iterator[Figure]:
    """The bytes of fifty saves, and the last of them beside the redaction of its new bytes."""
    whole = bench.generate("transcripts.py", "large.jsonl", "--megabytes", str(bench.megabytes))
    session = Growing(bench.folder / "raw", whole, SAVES)
    pairs: list[tuple[Sample, Sample]] = []
    for _ in range(SAVES):
        session.grow()
        pairs = [*pairs[-9:], *calls(session.last_part_cleaned, session.save, 1)]
    ratio = session.stored() / one_zstd(session.path)
    note = f"bytes, not time; {session.stored() / 1e6:.1f} MB"
    yield Figure(f"{SAVES} saves of a growing session", "one zstd-3 of it", ratio, ratio, ratio, ratio, 1.2, note)
    yield figure_of("the last ten of these saves", "redaction of its new bytes", pairs, goal=2)


def _timed(call: Callable[[], object]) -> float:
    begun = time.process_time()
    call()
    return (time.process_time() - begun) * 1000


def main() -> None:
    """Print what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=float, default=50)
    parser.add_argument("--saves", type=int, default=SAVES)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), 1, 1, options.megabytes)
        whole = bench.generate("transcripts.py", "large.jsonl", "--megabytes", str(options.megabytes))
        session = Growing(Path(folder) / "raw", whole, options.saves)
        taken = []
        for _ in range(options.saves):
            size = session.grow() / 1e6
            taken.append(_timed(session.save) / max(size, 0.001))
        once = one_zstd(session.path)
        print(f"stored    {session.stored() / 1e6:.2f} MB, {session.stored() / once:.3f} x one zstd-3")
        print(f"a save    {statistics.median(taken[:10]):.1f} ms a MB of new bytes for the first ten")
        print(f"          {statistics.median(taken[-10:]):.1f} ms a MB of new bytes for the last ten")
        os.utime(session.path, (1, 1))
        print(f"no news   {_timed(session.save):.1f} ms")
        print(f"memory    {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB at most")


if __name__ == "__main__":
    main()
