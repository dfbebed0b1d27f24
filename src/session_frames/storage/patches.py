"""Reading git's patches: which lines a change adds, whatever the user's configuration makes of diffs."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from itertools import islice
from typing import BinaryIO, Final, NamedTuple

from session_frames.operations.membership import Hunk

# What the user's configuration or attributes would change in a diff.
PLAIN: Final = ("--no-ext-diff", "--no-textconv", "--no-renames", "--no-relative", "--ignore-submodules=none")
PATCH: Final = (
    "--no-color", "-U0", "--inter-hunk-context=0", "--diff-algorithm=myers", "--src-prefix=a/", "--dst-prefix=b/",
)  # fmt: skip

_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_ESCAPED = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_ESCAPES: Final = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}


class Added(NamedTuple):
    """Lines that a change adds in one place of a file, as bytes with their ends."""

    path: str
    lines: list[bytes]


def read_added(patch: BinaryIO, paths: Container[str] | None = None) -> Iterator[Added | bytes]:
    """What each hunk of a patch adds, and between them the lines that belong to none, such as a commit's head.

    Hunks of other files than ``paths`` are passed over. The patch has no lines of context.
    """
    path, wanted = "", False
    for line in patch:
        if line.startswith(b"+++ "):
            path = _path_in_patch(line[4:])
            wanted = paths is None or path in paths
        elif hunk := _HUNK.match(line):
            removed, added = (int(count) if count is not None else 1 for count in hunk.groups())
            list(islice(patch, removed))
            lines = list(islice(patch, added))
            if lines and lines[0].startswith(b"\\"):  # a remark about the line end of what was removed
                lines = [*lines[1:], *islice(patch, 1)]
            if wanted:
                yield Added(path, [line[1:] for line in lines])
        else:
            yield line


def read_hunks(patch: BinaryIO) -> Iterator[Hunk]:
    """The hunks of a patch as they come."""
    for part in read_added(patch):
        if isinstance(part, Added):
            yield Hunk(part.path, [line.decode("utf-8", "replace") for line in part.lines])


def _path_in_patch(name: bytes) -> str:
    return unquoted(name.rstrip(b"\n").removesuffix(b"\t")).removeprefix("b/")


def unquoted(name: bytes) -> str:
    """A path as git prints it, without the quotes that it puts around one with unusual characters."""
    if len(name) > 1 and name.startswith(b'"') and name.endswith(b'"'):
        name = _ESCAPED.sub(_escaped, name[1:-1])
    return name.decode("utf-8", "surrogateescape")


def _escaped(found: re.Match[bytes]) -> bytes:
    code = found[1]
    return bytes([int(code, 8)]) if len(code) == 3 else _ESCAPES.get(code, code)
