"""Readings of transcripts that were put away, so that a grown one costs what is new:
``<common dir>/frames/readings/``, one file a transcript, written whole or not at all.

A file is a header, one line of JSON, and what was put away, compressed. It is used only by the code that wrote it, for
the same file with the same bytes in front of the place where the reading stopped; anything else is as good as none. It
is taken up as plain values and classes of the two parts of the program that do nothing but compute.
"""

from __future__ import annotations

import gc
import io
import json
import os
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import blake2b
from importlib import import_module
from typing import Any, BinaryIO, Final, NamedTuple

from session_frames import __version__
from session_frames.operations.policy_digest import policy_digest
from session_frames.operations.redact import Policy
from session_frames.storage.private_state import PrivateState, write_atomically

# All of them together; the oldest go first.
MOST_BYTES: Final = 64 << 20
LARGEST: Final = 16 << 20

_LEVEL: Final = 1
_ENDS: Final = 64 << 10
_SAMPLE: Final = 4 << 10
_SAMPLES: Final = 64
_PURE: Final = ("session_frames.transcripts.", "session_frames.operations.")
_PLAIN: Final = {("builtins", "set"), ("builtins", "frozenset"), ("collections", "Counter"), ("datetime", "datetime")}


class Wanted(NamedTuple):
    """Which reading: of what file, how it is read, and for what place."""

    path: str
    format: str
    keep_reasoning: bool
    tops: tuple[str, ...]  # the work tree, under all its names
    policy: Policy


class Saved(NamedTuple):
    """A reading that was put away behind ``lines`` lines that take ``offset`` bytes."""

    offset: int
    lines: int
    state: Any
    memory: Any  # what was seen in the texts


class SavedReadings:
    """The readings that were put away in one repository."""

    def __init__(self, state: PrivateState) -> None:
        self._state = state

    def find(self, wanted: Wanted, file: BinaryIO) -> Saved | None:
        """The reading of this file, if one can be gone on with."""
        try:
            with open(self._path(wanted), "rb") as saved:
                header = json.loads(saved.readline())
                if header["made_by"] != _made_by(wanted) or header["prefix"] != _prefix(file, header["offset"]):
                    return None
                packed = saved.read()
            if header["packed"] != _digest(packed):
                return None
            return Saved(header["offset"], header["lines"], *_unpacked(packed))
        except Exception:  # whatever a damaged file is taken for, the transcript is read as a whole then
            return None

    def save(self, wanted: Wanted, file: BinaryIO, saved: Saved, frames: list[str]) -> None:
        """Put a reading away; ``state`` and ``memory`` are pickled already. One too large is not kept."""
        packed = _packed(saved.state, saved.memory)
        if len(packed) > LARGEST:
            self._forget(self._path(wanted))
            return
        header = {
            "made_by": _made_by(wanted),
            "path": wanted.path,
            "frames": frames,
            "offset": saved.offset,
            "lines": saved.lines,
            "prefix": _prefix(file, saved.offset),
            "packed": _digest(packed),
        }
        write_atomically(self._path(wanted), json.dumps(header).encode() + b"\n" + packed)
        self._make_room()

    def list_of(self, frame_ids: set[str]) -> list[str]:
        """The files that hold words of one of these frames."""
        return [path for path, header in self._headers() if frame_ids.intersection(header.get("frames", ()))]

    def prune(self, gone: Callable[[str, float], bool]) -> None:
        """Take away what can't be read or lost its transcript, and of what ``gone`` says so: path, time of saving."""
        for path, header in self._headers():
            if not os.path.exists(header.get("path", "")) or gone(path, os.stat(path).st_mtime):
                self._forget(path)

    def _path(self, wanted: Wanted) -> str:
        named = json.dumps([wanted.path, wanted.format, wanted.keep_reasoning, wanted.tops])
        return self._state.path("readings", _digest(named.encode("utf-8", "surrogatepass"))[:32])

    def _paths(self) -> list[str]:
        folder = self._state.path("readings")
        try:
            return [os.path.join(folder, name) for name in os.listdir(folder) if not name.startswith(".")]
        except OSError:
            return []

    def _headers(self) -> Iterator[tuple[str, dict[str, Any]]]:
        for path in self._paths():
            header: Any = None
            with suppress(OSError, ValueError), open(path, "rb") as file:
                header = json.loads(file.readline())
            yield path, header if isinstance(header, dict) else {}

    def _make_room(self) -> None:
        kept = 0
        for found, path in sorted(((os.stat(path), path) for path in self._paths()), key=_newest_first):
            kept += found.st_size
            if kept > MOST_BYTES:
                self._forget(path)

    @staticmethod
    def _forget(path: str) -> None:
        with suppress(OSError):
            os.unlink(path)


def _newest_first(entry: tuple[os.stat_result, str]) -> float:
    return -entry[0].st_mtime


# ---------------------------------------------------------------------------------------------------------------------
# By what a reading is known to be the same


def _made_by(wanted: Wanted) -> list[str]:
    return [_code(), policy_digest(wanted.policy)]


@cache
def _code() -> str:
    """Names the code: its version, and when and of how many bytes its files were written last."""
    root = os.path.dirname(os.path.dirname(__file__))
    files = [os.stat(os.path.join(folder, name)) for folder, _, names in os.walk(root) for name in _code_in(names)]
    return f"{__version__} {max(file.st_mtime_ns for file in files)} {sum(file.st_size for file in files)}"


def _code_in(names: list[str]) -> list[str]:
    return [name for name in names if name.endswith(".py")]


def _prefix(file: BinaryIO, size: int) -> str:
    """Names a file and its first bytes: both ends of these, and samples of what lies between."""
    found = os.fstat(file.fileno())
    if found.st_size < size:
        return ""
    digest = blake2b(f"{found.st_dev} {found.st_ino} {size}".encode(), digest_size=16)
    between = range(0, size, max(_SAMPLE, size // _SAMPLES))
    for start, length in ((0, _ENDS), *((at, _SAMPLE) for at in between), (max(0, size - _ENDS), _ENDS)):
        digest.update(os.pread(file.fileno(), min(length, size - start), start))
    return digest.hexdigest()


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


# ---------------------------------------------------------------------------------------------------------------------
# Values and bytes


def pickled(value: Any) -> bytes:
    """The value as compressed bytes; what it holds twice is one thing again when it is taken up."""
    import zstandard

    packed = io.BytesIO()
    with zstandard.ZstdCompressor(level=_LEVEL).stream_writer(packed, closefd=False) as writer:
        pickle.dump(value, writer, protocol=5)
    return packed.getvalue()


def _packed(*parts: bytes) -> bytes:
    return b"".join((*(len(part).to_bytes(8, "big") for part in parts), *parts))


def _unpacked(packed: bytes) -> Iterator[Any]:
    import zstandard

    data = memoryview(packed)
    start = 16
    for at in (0, 8):
        size = int.from_bytes(data[at : at + 8], "big")
        stream = zstandard.ZstdDecompressor().stream_reader(data[start : start + size])
        with without_collecting():
            value = _Unpickler(io.BufferedReader(stream)).load()
        yield value
        start += size


@contextmanager
def without_collecting() -> Iterator[None]:
    """Among very many new values that all stay the search for garbage takes longer than making them."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in _PLAIN:
            return super().find_class(module, name)
        found = getattr(import_module(module), name) if module.startswith(_PURE) else None
        if isinstance(found, type) and found.__module__ == module:
            return found
        raise pickle.UnpicklingError(f"'{module}.{name}' is no part of a reading")
