"""The raw transcripts of frames: ``<common dir>/frames/raw/<frame id>/``, redacted, compressed, appended to.

A save writes what is new as a further segment and then the manifest; until that is replaced the old state holds, and
what a killed save left behind is taken away by the next. Nothing here is a git object.
"""

from __future__ import annotations

import os
from codecs import getincrementaldecoder
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from io import BytesIO
from itertools import islice
from typing import BinaryIO, Final, NamedTuple

from session_frames.errors import FormatError
from session_frames.operations.policy_digest import policy_digest
from session_frames.operations.redact import Policy, redact_text
from session_frames.operations.redact_raw import BLANKS, Piece, clean_lines, clean_whole, is_record
from session_frames.storage.frame_store import require_id
from session_frames.storage.private_state import PrivateState
from session_frames.storage.raw_cleaning import cleaned, is_clean
from session_frames.storage.raw_manifest import (
    LINES,
    NAME,
    WHOLE,
    Manifest,
    Mark,
    Segment,
    closed,
    new_manifest,
    read_manifest,
    write_manifest,
)
from session_frames.storage.raw_segments import SegmentWriter, are_there, install_segment, iter_segment, open_segments

# What a save found its source to be, beside what is kept.
NEW: Final = "new"
GROWN: Final = "grown"
UNCHANGED: Final = "unchanged"
REWRITTEN: Final = "rewritten"
SHORTER: Final = "shorter"  # a part of what is kept, which stays

# Many small saves are not to leave many small files: a last segment below this size is taken into the next one.
_SMALL: Final = 256 << 10
_HEAD: Final = 64 << 10
_LINES_TRIED: Final = 5


class Source(NamedTuple):
    """An open transcript: its agent, and its name as it may be written down."""

    file: BinaryIO
    agent: str
    name: str


class Facts(NamedTuple):
    """What the file system says of a source; ``inode`` is 0 for what is no file."""

    size: int
    mtime_ns: int
    inode: int


class Saved(NamedTuple):
    """What is kept after a save, and what the source was; no manifest where nothing of this format is kept."""

    manifest: Manifest | None
    change: str


class RawStore:
    """The raw transcripts of one repository."""

    def __init__(self, state: PrivateState) -> None:
        self._state = state

    def folder(self, frame_id: str) -> str:
        """Where the raw transcript of this frame lies."""
        return self._state.path("raw", require_id(frame_id))

    def find(self, frame_id: str) -> Manifest | None:
        """What is kept of this frame's transcript, if anything; ``FormatError`` for a damaged manifest."""
        return read_manifest(self.folder(frame_id))

    def list_ids(self) -> list[str]:
        """The frames of which a raw transcript is kept, or was to be kept by a save that did not end."""
        root = self._state.path("raw")
        try:
            names = sorted(os.listdir(root))
        except OSError:
            return []
        return [name for name in names if os.path.isdir(os.path.join(root, name))]

    def on_disk(self, frame_id: str) -> tuple[int, float]:
        """What the files of this raw transcript take, damaged or not, and when the last of them was written."""
        folder = self.folder(frame_id)
        with os.scandir(folder) as files:
            return sum(file.stat().st_size for file in files), os.stat(folder).st_mtime

    # -- saving -------------------------------------------------------------------------------------------------------

    def save(self, frame_id: str, source: Source, policy: Policy, now: str) -> Saved:
        """Keep what the source has that is not kept yet.

        Lines are appended. A source that its agent writes anew each time (one JSON document) or that was changed before
        its end is stored anew, and the old segments go when the new ones are there.
        """
        with self._state.lock(f"raw-{frame_id[:6]}"):
            return self._save(frame_id, source, policy, now)

    def _save(self, frame_id: str, source: Source, policy: Policy, now: str) -> Saved:
        folder, facts = self.folder(frame_id), _facts(source.file)
        old = _usable(folder, policy)
        if old and facts.inode and facts == (old["size"], old["mtime_ns"], old["inode"]):
            return Saved(old, UNCHANGED)
        records = _records(source.file)
        if not records:
            return Saved(None, UNCHANGED)
        change = _change(folder, old, records, source.file, facts, policy)
        if old and change == SHORTER:
            return Saved(old, SHORTER)
        manifest = old if old and change == GROWN else new_manifest(frame_id, old["next"] if old else 1)
        kept = closed(manifest)
        reach = _reach(kept)
        writer = SegmentWriter(folder, manifest["next"])
        if kept and (small := _small(folder, kept[-1])):
            kept.pop()
            writer.take_again(small)
        for piece in _pieces(source.file, reach, records, policy):
            if piece.data:
                writer.take(piece)
        writer.flush()
        segments = [*kept, *writer.segments]
        same = old is not None and _digests(old["segments"]) == _digests(segments)
        manifest = Manifest(
            raw=manifest["raw"],
            frame=frame_id,
            agent=source.agent,
            source=redact_text(source.name, policy)[0],
            rules=policy_digest(policy),
            records=records,
            saved_at=old["saved_at"] if old and same else now,
            size=facts.size,
            mtime_ns=facts.mtime_ns,
            inode=facts.inode,
            first=_mark(writer.first) if writer.first and not reach else manifest["first"],
            last=_mark(writer.last) if writer.last else manifest["last"],
            next=writer.number,
            segments=segments,
        )
        _replace(folder, manifest)
        return Saved(manifest, UNCHANGED if same else change)

    def clean(self, frame_id: str, policy: Policy) -> None:
        """What is kept, cleaned by these rules where it was cleaned by others; ``FormatError`` when it is damaged."""
        folder = self.folder(frame_id)
        with self._state.lock(f"raw-{frame_id[:6]}"):
            manifest = self.find(frame_id)
            if manifest and not is_clean(manifest, policy):
                _replace(folder, cleaned(folder, manifest, policy))

    # -- giving back --------------------------------------------------------------------------------------------------

    def list_damage(self, frame_id: str) -> list[FormatError]:
        """What is wrong with what is kept of this frame: the manifest, or each segment that can't be given back."""
        try:
            manifest = self.find(frame_id)
        except FormatError as error:
            return [error]
        found = (_damage(self.folder(frame_id), one) for one in (manifest["segments"] if manifest else []))
        return [error for error in found if error]

    def iter_bytes(self, frame_id: str) -> Iterator[bytes]:
        """The raw transcript as it is kept; ``FormatError`` before its first byte when any of it is damaged."""
        for error in self.list_damage(frame_id):
            raise error
        manifest = self.find(frame_id)
        for segment in manifest["segments"] if manifest else []:
            yield from iter_segment(self.folder(frame_id), segment)

    def install(self, manifest: Manifest, read: Callable[[list[Segment]], Iterator[bytes]]) -> None:
        """Keep a raw transcript that came from elsewhere, in place of what is kept of this frame.

        ``read`` gives the compressed bytes of these segments, in order. ``FormatError`` when any of them is not what
        the manifest says; what was kept stays then.
        """
        frame_id = manifest["frame"]
        with self._state.lock(f"raw-{frame_id[:6]}"):
            folder, old = self.folder(frame_id), _usable(self.folder(frame_id))
            kept = {one["sha256"]: one for one in old["segments"]} if old else {}
            number = max(old["next"] if old else 1, manifest["next"])
            segments = [kept.get(one["sha256"]) or one for one in manifest["segments"]]
            missing = [at for at, one in enumerate(segments) if one["sha256"] not in kept]
            for at, stored in zip(missing, read([segments[at] for at in missing]), strict=True):
                segments[at] = install_segment(folder, segments[at], number, stored)
                number += 1
            write_manifest(folder, Manifest(**{**manifest, "next": number, "segments": segments}))
            _sweep(folder, {NAME, *(one["file"] for one in segments)})

    def remove(self, frame_id: str) -> None:
        """Take the raw transcript of this frame away, for good."""
        folder = self.folder(frame_id)
        with self._state.lock(f"raw-{frame_id[:6]}"):
            with suppress(FileNotFoundError):
                os.unlink(os.path.join(folder, NAME))
            _sweep(folder, set())
            with suppress(OSError):
                os.rmdir(folder)


# ---------------------------------------------------------------------------------------------------------------------
# The source, and what is kept beside it


def _facts(file: BinaryIO) -> Facts:
    try:
        found = os.fstat(file.fileno())
    except OSError:  # bytes that were piped in
        return Facts(file.seek(0, os.SEEK_END), 0, 0)
    return Facts(found.st_size, found.st_mtime_ns, found.st_ino)


def _records(file: BinaryIO) -> str:
    """How the source is made, by its content; "" for what is no text (a database, an archive)."""
    file.seek(0)
    head = file.read(_HEAD)
    file.seek(0)
    lines = islice((line for line in file if line.strip(BLANKS)), _LINES_TRIED)
    if any(is_record(line) for line in lines):
        return LINES
    try:
        getincrementaldecoder("utf-8")().decode(head)
    except ValueError:
        return ""
    return WHOLE if head.strip(BLANKS) and b"\0" not in head else ""


def _pieces(file: BinaryIO, offset: int, records: str, policy: Policy) -> Iterable[Piece]:
    file.seek(offset)
    return clean_lines(file, policy) if records == LINES else [clean_whole(file.read(), policy)]


def _usable(folder: str, policy: Policy | None = None) -> Manifest | None:
    """The manifest, where all that it names is there; a damaged one is as good as none. With a policy what it names
    is cleaned by these rules first."""
    try:
        manifest = read_manifest(folder)
        if manifest is None or not are_there(folder, manifest["segments"]):
            return None
        if policy and not is_clean(manifest, policy):
            manifest = cleaned(folder, manifest, policy)
            _replace(folder, manifest)
    except FormatError:
        return None
    return manifest


def _replace(folder: str, manifest: Manifest) -> None:
    write_manifest(folder, manifest)
    _sweep(folder, {NAME, *(one["file"] for one in manifest["segments"])})


def _change(folder: str, old: Manifest | None, records: str, file: BinaryIO, facts: Facts, policy: Policy) -> str:
    """What the source is beside what is kept.

    The same file, longer and with the same first and last record, has grown. For any other (a copy, one that was moved
    into its place or written to without getting longer) all that is kept is compared.
    """
    if old is None:
        return NEW
    if records == WHOLE or old["records"] == WHOLE:
        return REWRITTEN
    reach = _reach(closed(old))
    if facts.inode and facts.inode == old["inode"] and facts.size > old["size"]:
        marks = ((old["first"], 0), (old["last"], reach - old["last"]["source_size"]))
        return GROWN if all(_is_at(file, mark, at, policy) for mark, at in marks) else REWRITTEN
    return _compared(folder, old, file, policy)


def _compared(folder: str, old: Manifest, file: BinaryIO, policy: Policy) -> str:
    try:
        with open_segments(folder, closed(old)) as stored:
            for piece in _pieces(file, 0, LINES, policy):
                held = stored.read(len(piece.data))
                if held != piece.data:
                    at_end = len(held) < len(piece.data) and piece.data.startswith(held)
                    return GROWN if at_end else REWRITTEN
            return SHORTER if stored.read(1) else GROWN
    except FormatError:
        return REWRITTEN


def _is_at(file: BinaryIO, mark: Mark, at: int, policy: Policy) -> bool:
    """Does this record still stand at its place?"""
    if not mark["source_size"]:
        return True
    file.seek(at)
    pieces = clean_lines(BytesIO(file.read(mark["source_size"])), policy)
    return sha256(b"".join(piece.data for piece in pieces)).hexdigest() == mark["sha256"]


def _small(folder: str, segment: Segment) -> Piece | None:
    """A segment so small that it is written anew with what is new; None for any other and for a damaged one."""
    if segment["raw_size"] >= _SMALL:
        return None
    try:
        return Piece(b"".join(iter_segment(folder, segment)), segment["source_size"], segment["secrets"])
    except FormatError:
        return None


def _mark(piece: Piece) -> Mark:
    return Mark(source_size=piece.source_size, sha256=sha256(piece.data).hexdigest())


def _reach(segments: Iterable[Segment]) -> int:
    return sum(segment["source_size"] for segment in segments)


def _digests(segments: Iterable[Segment]) -> list[str]:
    return [segment["sha256"] for segment in segments]


def _damage(folder: str, segment: Segment) -> FormatError | None:
    try:
        for _ in iter_segment(folder, segment):
            pass
    except FormatError as error:
        return error
    return None


def _sweep(folder: str, keep: Container[str]) -> None:
    """Take all files away but these."""
    with suppress(FileNotFoundError):
        for name in os.listdir(folder):
            if name not in keep:
                os.unlink(os.path.join(folder, name))
