"""The beginning of a file: what a format is known by, read without losing it for the reader."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from session_frames.model import Origin
from session_frames.transcripts.base import Record, load_json

HEAD_SIZE = 64 * 1024

# "/name" and whatever follows; a path such as "/home/someone" has a second slash.
_COMMAND = re.compile(r"/[A-Za-z][\w:.-]*(?:\s|\Z)")


def peek(source: BinaryIO) -> bytes:
    """The beginning of a seekable file; the next read begins at the same place again."""
    place = source.tell()
    head = source.read(HEAD_SIZE)
    source.seek(place)
    return head


def complete_lines(head: bytes) -> Iterator[Record]:
    """The JSON objects among the lines of a head; the last line counts when it is whole."""
    for line in head.split(b"\n"):
        text = line.strip(b"\0 \t\r")
        if not text.removeprefix(b"\xef\xbb\xbf").startswith(b"{"):
            continue
        try:
            value = load_json(text)
        except ValueError:
            continue
        if isinstance(value, dict):
            yield value


def begins_object(head: bytes) -> bool:
    """Does the file begin with a JSON object?"""
    return head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{")


def json_key(name: str, value: str = "") -> re.Pattern[bytes]:
    """Finds a JSON key, and the pattern of its value, that does not stand inside a string."""
    return re.compile(rf'(?<!\\)"{re.escape(name)}"\s*:\s*{value}'.encode())


def origin_of(text: str) -> Origin:
    """``command`` for ``/name`` and ``/name words``, else ``typed``."""
    return "command" if _COMMAND.match(text) else "typed"
