"""Anchors: what a call wrote, as short hashes of its lines, to find it again in what a commit holds.

A line is 6 base64url characters: the first 36 bits of sha256 of the line without leading and trailing blanks. A run of
added lines is the string of its lines. A line in which something was redacted has no hash, since the hash of a short
secret can be guessed: six dots stand in its place.
"""

from __future__ import annotations

from binascii import b2a_base64
from collections.abc import Iterable, Sequence
from hashlib import sha256

WIDTH = 6
NO_ANCHOR = "." * WIDTH
# So many bytes of a hash are encoded, as a whole number of characters; the anchor is the first of these.
_TAKEN, _ENCODED = 6, 8
# What `str.strip` takes off and is ASCII.
_BLANKS = b" \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f"
_URL_SAFE = bytes.maketrans(b"+/", b"-_")

# A line shorter than this says little of where it came from.
TELLING_LENGTH = 12


def line_anchor(line: str) -> str:
    """The anchor of one line."""
    return run_anchor((line,))


def line_anchors(lines: Iterable[str]) -> list[str]:
    """The anchors of lines, one by one."""
    return _anchors([line.strip().encode("utf-8", "surrogatepass") for line in lines])


def raw_anchors(lines: Iterable[bytes]) -> list[str]:
    """The anchors of lines as they stand in a file, one by one; bytes that are no UTF-8 count as U+FFFD."""
    return _anchors([line.strip(_BLANKS) if line.isascii() else _stripped(line) for line in lines])


def _stripped(line: bytes) -> bytes:
    return line.decode("utf-8", "replace").strip().encode("utf-8", "surrogatepass")


def run_anchor(lines: Iterable[str], redacted: Sequence[int] = ()) -> str:
    """The anchor of a run of lines; ``redacted`` are the positions of those that get no hash."""
    anchors = line_anchors(lines)
    for at in redacted:
        anchors[at] = NO_ANCHOR
    return "".join(anchors)


def _anchors(lines: Iterable[bytes]) -> list[str]:
    hashes = b"".join([sha256(line).digest()[:_TAKEN] for line in lines])
    encoded = b2a_base64(hashes, newline=False).translate(_URL_SAFE).decode()
    return [encoded[at : at + WIDTH] for at in range(0, len(encoded), _ENCODED)]


def anchors_of_run(run: str) -> list[str]:
    """The anchors of the lines of a run, one by one."""
    return [run[at : at + WIDTH] for at in range(0, len(run) - WIDTH + 1, WIDTH)]
