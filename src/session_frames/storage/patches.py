"""Reading git's patches: which lines a change adds, whatever the user's configuration makes of diffs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO, Final

from session_frames.operations.membership import Hunk

# What the user's configuration or attributes would change in a diff.
PLAIN: Final = ("--no-ext-diff", "--no-textconv", "--no-renames", "--no-relative", "--ignore-submodules=none")
PATCH: Final = (
    "--no-color", "-U0", "--inter-hunk-context=0", "--diff-algorithm=myers", "--src-prefix=a/", "--dst-prefix=b/",
)  # fmt: skip

_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_ESCAPED = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_ESCAPES: Final = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}


def read_hunks(patch: BinaryIO) -> Iterator[Hunk | bytes]:
    """The hunks of a patch as they come, and between them the lines that belong to none, such as a commit's head."""
    path = ""
    for line in patch:
        if line.startswith(b"+++ "):
            path = _path_in_patch(line[4:])
        elif hunk := _HUNK.match(line):
            removed, added = (int(count) if count is not None else 1 for count in hunk.groups())
            yield Hunk(path, list(_added_lines(patch, removed + added)))
        else:
            yield line


def _added_lines(patch: BinaryIO, count: int) -> Iterator[str]:
    """The added ones of the next ``count`` lines; the remark about a missing line end is not counted."""
    while count and (line := patch.readline()):
        if line.startswith(b"\\"):
            continue
        count -= 1
        if line.startswith(b"+"):
            yield line[1:].decode("utf-8", "replace")


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
