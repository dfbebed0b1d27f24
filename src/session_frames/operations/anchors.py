"""Anchors: what a call wrote, as short hashes of its lines, to find it again in what a commit holds.

A line is 6 base64url characters: the first 36 bits of sha256 of the line without leading and trailing blanks. A run of
added lines is the string of its lines. A line in which something was redacted has no hash, since the hash of a short
secret can be guessed: six dots stand in its place.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256

WIDTH = 6
NO_ANCHOR = "." * WIDTH

# A line shorter than this says little of where it came from.
TELLING_LENGTH = 12


def line_anchor(line: str) -> str:
    """The anchor of one line."""
    raw = sha256(line.strip().encode("utf-8", "surrogatepass")).digest()[:5]
    return urlsafe_b64encode(raw + b"\0").decode()[:WIDTH]


def run_anchor(lines: Iterable[str], redacted: Sequence[int] = ()) -> str:
    """The anchor of a run of lines; ``redacted`` are the positions of those that get no hash."""
    hidden = set(redacted)
    return "".join(NO_ANCHOR if at in hidden else line_anchor(line) for at, line in enumerate(lines))


def anchors_of_run(run: str) -> list[str]:
    """The anchors of the lines of a run, one by one."""
    return [run[at : at + WIDTH] for at in range(0, len(run) - WIDTH + 1, WIDTH)]
