"""What is written down of a raw transcript that is kept: where it came from, how far it goes, in which segments."""

from __future__ import annotations

import json
import os
import re
from typing import Any, Final, TypedDict

from session_frames.errors import EnvironmentError_, FormatError
from session_frames.storage.private_state import write_atomically

NAME: Final = "manifest.json"
LINES: Final = "lines"
WHOLE: Final = "whole"

_VERSION: Final = 1
_SEGMENT: Final = re.compile(r"\d{4,}\.zst")


class Segment(TypedDict):
    """One file of the raw transcript. An ``open`` one is replaced when its source goes on.

    There is no digest of the source's own bytes: beside the redacted ones it would let short secrets be guessed.
    """

    file: str
    source_size: int
    raw_size: int
    stored_size: int
    sha256: str  # of the redacted bytes
    secrets: int  # how many were replaced; 0: the bytes are those of the source
    open: bool


class Mark(TypedDict):
    """A record by which a source is known again: its size there, and the digest of its redacted bytes."""

    source_size: int
    sha256: str


class Manifest(TypedDict):
    """The raw transcript of one frame. ``size``, ``mtime_ns`` and ``inode`` are of the source when it was last read."""

    raw: int
    frame: str
    agent: str
    source: str  # the file's name, without its folder
    rules: str  # that it was cleaned by; "" before they were written down
    records: str  # LINES: grows at its end; WHOLE: written anew by its agent
    saved_at: str
    size: int
    mtime_ns: int
    inode: int
    first: Mark
    last: Mark
    next: int
    segments: list[Segment]


def new_manifest(frame_id: str, next_number: int = 1) -> Manifest:
    """The manifest of a raw transcript of which nothing is kept yet."""
    nothing = Mark(source_size=0, sha256="")
    return Manifest(
        raw=_VERSION, frame=frame_id, agent="", source="", rules="", records=LINES, saved_at="", size=0, mtime_ns=0,
        inode=0, first=nothing, last=nothing, next=next_number, segments=[],
    )  # fmt: skip


def closed(manifest: Manifest) -> list[Segment]:
    """The segments that stay when the source goes on."""
    return [segment for segment in manifest["segments"] if not segment["open"]]


def raw_size(manifest: Manifest) -> int:
    """The bytes that are given back."""
    return sum(segment["raw_size"] for segment in manifest["segments"])


def stored_size(manifest: Manifest) -> int:
    """The bytes that it takes on the disk, but for the manifest."""
    return sum(segment["stored_size"] for segment in manifest["segments"])


def read_manifest(folder: str) -> Manifest | None:
    """The manifest in this folder, None where there is none; ``FormatError`` when it can't be used."""
    path = os.path.join(folder, NAME)
    try:
        with open(path, "rb") as file:
            data = file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise EnvironmentError_(f"cannot read '{path}': {error.strerror}") from error
    return decode_manifest(data, path)


def decode_manifest(data: bytes, path: str) -> Manifest:
    """The manifest of these bytes; ``FormatError`` names ``path`` when they can't be used."""
    try:
        value = json.loads(data)
    except ValueError as error:
        raise _unusable(path) from error
    if isinstance(value, dict):
        value.setdefault("rules", "")
    if not _is_manifest(value):
        raise _unusable(path)
    manifest: Manifest = value
    return manifest


def encode_manifest(manifest: Manifest) -> bytes:
    """The bytes of a manifest."""
    return json.dumps(manifest, indent=1).encode()


def write_manifest(folder: str, manifest: Manifest) -> None:
    """From here on the raw transcript is what the manifest says."""
    write_atomically(os.path.join(folder, NAME), encode_manifest(manifest))


def _unusable(path: str) -> FormatError:
    return FormatError(f"'{path}' is damaged", hint="frames import of the transcript keeps it anew")


def _is_manifest(value: Any) -> bool:
    return (
        _has_types(value, Manifest.__annotations__)
        and value["raw"] == _VERSION
        and all(_has_types(value[mark], Mark.__annotations__) for mark in ("first", "last"))
        and all(
            _has_types(segment, Segment.__annotations__) and _SEGMENT.fullmatch(segment["file"])
            for segment in value["segments"]
        )
    )


_TYPES: Final = {"int": int, "str": str, "bool": bool, "Mark": dict, "list[Segment]": list}


def _has_types(value: Any, fields: dict[str, Any]) -> bool:
    return isinstance(value, dict) and all(
        isinstance(value.get(name), _TYPES[getattr(kind, "__forward_arg__", kind)]) for name, kind in fields.items()
    )
