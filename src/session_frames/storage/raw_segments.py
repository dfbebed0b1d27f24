"""Segments of a raw transcript: compressed files, each written whole or not at all, read again as one stream."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from hashlib import sha256
from typing import Any, Final

from session_frames.errors import FormatError
from session_frames.operations.redact_raw import Piece
from session_frames.storage.private_state import write_atomically
from session_frames.storage.raw_manifest import Segment

LARGEST: Final = 8 << 20
_LEVEL: Final = 3
_CHUNK: Final = 1 << 20


class SegmentWriter:
    """Takes pieces and writes them as segments; what is in hand at a time is one segment."""

    def __init__(self, folder: str, number: int) -> None:
        self._folder = folder
        self.number = number
        self.segments: list[Segment] = []
        self.first: Piece | None = None
        self.last: Piece | None = None
        self._held: list[Piece] = []
        self._size = 0

    def take(self, piece: Piece) -> None:
        """One piece more."""
        self.take_again(piece)
        if piece.closed:
            self.first = self.first or piece
            self.last = piece

    def take_again(self, piece: Piece) -> None:
        """One piece more, which is no record: what another segment held until now."""
        if self._held and self._held[-1].closed and (not piece.closed or self._size >= LARGEST):
            self.flush()
        self._held.append(piece)
        self._size += len(piece.data)

    def flush(self) -> None:
        """Write what is in hand."""
        if not self._held:
            return
        segment = write_segment(self._folder, self.number, b"".join(piece.data for piece in self._held))
        segment["source_size"] = sum(piece.source_size for piece in self._held)
        segment["secrets"] = sum(piece.secrets for piece in self._held)
        segment["open"] = not self._held[-1].closed
        self.segments.append(segment)
        self.number += 1
        self._held, self._size = [], 0


def write_segment(folder: str, number: int, data: bytes) -> Segment:
    """Write these redacted bytes as a closed segment in which nothing was replaced."""
    file, stored = f"{number:04d}.zst", _compressed(data)
    write_atomically(os.path.join(folder, file), stored)
    return Segment(
        file=file,
        source_size=len(data),
        raw_size=len(data),
        stored_size=len(stored),
        sha256=sha256(data).hexdigest(),
        secrets=0,
        open=False,
    )


def _compressed(data: bytes) -> bytes:
    import zstandard  # slow to load: only where something is written or read

    return zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compress(data)


def iter_segment(folder: str, segment: Segment) -> Iterator[bytes]:
    """The redacted bytes of a segment; ``FormatError`` names it, at its end at the latest, when it is damaged."""
    import zstandard

    digest = sha256()
    try:
        with (
            open(os.path.join(folder, segment["file"]), "rb") as file,
            zstandard.ZstdDecompressor().stream_reader(file) as stream,
        ):
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
                yield chunk
    except (OSError, zstandard.ZstdError) as error:
        raise _damaged(segment, getattr(error, "strerror", None) or "it can't be decompressed") from error
    if digest.hexdigest() != segment["sha256"]:
        raise _damaged(segment, "its content is not what was written")


def install_segment(folder: str, segment: Segment, number: int, stored: bytes) -> Segment:
    """Write a segment that came from elsewhere; ``FormatError`` when its content is not what it says."""
    for _ in iter_stored(stored, segment):
        pass
    file = f"{number:04d}.zst"
    write_atomically(os.path.join(folder, file), stored)
    return Segment(**{**segment, "file": file, "stored_size": len(stored)})


def iter_stored(stored: bytes, segment: Segment) -> Iterator[bytes]:
    """The redacted bytes of a segment that came from elsewhere; ``FormatError`` when they are not what it says.

    No more is decompressed than it says, whatever a hostile one holds.
    """
    import zstandard

    digest, size = sha256(), 0
    try:
        with zstandard.ZstdDecompressor().stream_reader(stored) as stream:
            while size <= segment["raw_size"] and (chunk := stream.read(_CHUNK)):
                digest.update(chunk)
                size += len(chunk)
                yield chunk
    except zstandard.ZstdError as error:
        raise _damaged(segment, "it can't be decompressed") from error
    if size != segment["raw_size"] or digest.hexdigest() != segment["sha256"]:
        raise _damaged(segment, "its content is not what was written")


def _damaged(segment: Segment, why: str) -> FormatError:
    return FormatError(
        f"segment '{segment['file']}' of the raw transcript is damaged: {why}",
        hint="frames import of the transcript keeps it anew, where its agent still has it",
    )


def are_there(folder: str, segments: Iterable[Segment]) -> bool:
    """Is each segment's file there, with its size?"""
    try:
        return all(os.stat(os.path.join(folder, one["file"])).st_size == one["stored_size"] for one in segments)
    except OSError:
        return False


def open_segments(folder: str, segments: Sequence[Segment]) -> io.BufferedReader:
    """The redacted bytes of these segments as one file that is read from its start."""
    return io.BufferedReader(_Joined(folder, segments), _CHUNK)


class _Joined(io.RawIOBase):
    def __init__(self, folder: str, segments: Sequence[Segment]) -> None:
        self._chunks = (chunk for segment in segments for chunk in iter_segment(folder, segment))
        self._left = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._left = self._left or memoryview(next(self._chunks, b""))
        taken = min(len(buffer), len(self._left))
        buffer[:taken] = self._left[:taken]
        self._left = self._left[taken:]
        return taken

    def close(self) -> None:
        with closing(self._chunks):
            super().close()
