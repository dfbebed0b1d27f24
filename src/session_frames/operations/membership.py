"""Which commits belong to a session, told from the lines that it wrote and the lines that a commit adds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

from session_frames.model import Frame
from session_frames.operations.anchors import NO_ANCHOR, TELLING_LENGTH, anchors_of_run, line_anchors

# A single line has no neighbours that speak for it: it must say more by itself.
_SINGLE_LINE_LENGTH: Final = 20
_TELLING_LINES: Final = 2


class Hunk(NamedTuple):
    """Lines that a commit adds in one place of a file."""

    path: str
    lines: Sequence[str]


def written_lines(frame: Frame) -> dict[str, set[str]]:
    """Path -> anchors of the lines that the session wrote there, under the name that the file has by now."""
    written: dict[str, set[str]] = {}
    for turn in frame.get("turns", []):
        for call in turn.get("calls", []):
            if call["outcome"] == "failed":
                continue
            for path, runs in call.get("wrote", {}).items():
                anchors = written.setdefault(path, set())
                for run in runs:
                    anchors.update(anchors_of_run(run))
            for touched in call.get("files", []):
                if touched["change"] == "renamed" and touched.get("old_path") in written:
                    written.setdefault(touched["path"], set()).update(written[touched["old_path"]])
    for anchors in written.values():
        anchors.discard(NO_ANCHOR)
    return written


def is_of_session(hunks: Iterable[Hunk], written: Mapping[str, AbstractSet[str]]) -> bool:
    """Was at least one of the hunks written by the session?

    At least half of the lines that it adds must be the session's in that file, two of them of 12 characters or more; a
    hunk of one line: that line, of 20.
    """
    return any(_wrote(hunk.lines, written.get(hunk.path, frozenset())) for hunk in hunks)


def _wrote(lines: Sequence[str], written: AbstractSet[str]) -> bool:
    return bool(written) and is_written(lines, [anchor in written for anchor in line_anchors(lines)])


def is_written(lines: Sequence[str], known: Sequence[bool]) -> bool:
    """The rule for one hunk, told which of its lines are the session's."""
    own = [line.strip() for line, is_own in zip(lines, known, strict=True) if is_own]
    if len(lines) == 1:
        return bool(own) and len(own[0]) >= _SINGLE_LINE_LENGTH
    telling = sum(len(line) >= TELLING_LENGTH for line in own)
    return bool(own) and 2 * len(own) >= len(lines) and telling >= _TELLING_LINES
