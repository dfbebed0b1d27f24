"""Which call wrote a line: what calls wrote (anchors) against what a commit holds."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from session_frames.model import MAIN_THREAD, Call, Frame
from session_frames.operations.anchors import NO_ANCHOR, TELLING_LENGTH, anchors_of_run, line_anchors
from session_frames.operations.membership import is_written
from session_frames.operations.nested_calls import iter_calls

TELLING_LINES_OF_A_STRANGER = 2
"""How many telling lines a call must have written together before it is named for a commit that no link joins to it."""


class Writer(NamedTuple):
    """A call that wrote something: the frame, the turn's number and id, the call's number within the turn."""

    frame_id: str
    turn: int
    turn_id: str
    call: int

    def address(self) -> str:
        """The call as people name it: ``14.3``."""
        return f"{self.turn}.{self.call}"


class Run(NamedTuple):
    """Lines that a call added one after another, as their anchors in one string."""

    writer: Writer
    anchors: str


class FrameRuns(NamedTuple):
    """What one frame wrote, by path; frames are told apart by when they ``started``, then by their id."""

    started: str
    frame_id: str
    runs: Mapping[str, Sequence[Run]]


class _Place(NamedTuple):
    """Where a line was written: the run, by its number in order of time, and the line's place in it."""

    run: int
    at: int


def runs_by_path(frame: Frame) -> dict[str, list[Run]]:
    """What the calls of the frame wrote, in order, under each name that the file had then and later.

    Turns that were taken back and calls that failed wrote nothing.
    """
    runs: dict[str, list[Run]] = {}
    for number, turn in enumerate(frame.get("turns", []), 1):
        if turn.get("thread", MAIN_THREAD) != MAIN_THREAD:
            continue
        for call_number, call in iter_calls(turn):
            if call.get("outcome") != "failed":
                _add_call(runs, Writer(frame["id"], number, turn["id"], call_number), call)
    return runs


def frame_runs(frame: Frame) -> FrameRuns:
    """What the frame wrote."""
    return FrameRuns(frame.get("boundary", {}).get("started_at", ""), frame["id"], runs_by_path(frame))


def _add_call(runs: dict[str, list[Run]], writer: Writer, call: Call) -> None:
    for touched in call.get("files", []):
        before = touched.get("old_path", "")
        if touched["change"] == "renamed" and before in runs:
            runs.setdefault(touched["path"], []).extend(runs[before])
    for path, written in call.get("wrote", {}).items():
        runs.setdefault(path, []).extend(Run(writer, run) for run in written)


def written_anchors(frame: Frame) -> dict[str, set[str]]:
    """Path -> anchors of the lines that the session wrote there."""
    found = {
        path: {anchor for run in runs for anchor in anchors_of_run(run.anchors)} - {NO_ANCHOR}
        for path, runs in runs_by_path(frame).items()
    }
    return {path: anchors for path, anchors in found.items() if anchors}


def is_telling(line: str) -> bool:
    """Is the line long enough to say something of where it came from?"""
    return len(line.strip()) >= TELLING_LENGTH


def writers_of_lines(
    lines: Sequence[str], frames: Iterable[Frame], paths: Iterable[str], *, needed: int = 1
) -> list[Writer | None]:
    """For each line of one contiguous stretch the call that wrote it; ``paths`` are the names that the file had."""
    return Writings(map(frame_runs, frames), paths).writers(lines, needed)


class Writings:
    """What some frames wrote under the names that a file had, to be asked for any stretch of its lines."""

    def __init__(self, frames: Iterable[FrameRuns], paths: Iterable[str]) -> None:
        in_time = sorted(frames, key=lambda frame: frame[:2])
        names = list(dict.fromkeys(paths))
        runs = [run for frame in in_time for path in names for run in frame.runs.get(path, ())]
        self._writers = [run.writer for run in runs]
        self._runs = [anchors_of_run(run.anchors) for run in runs]
        self._places: dict[str, list[_Place]] = {}
        for number, anchors in enumerate(self._runs):
            for at, anchor in enumerate(anchors):
                self._places.setdefault(anchor, []).append(_Place(number, at))
        self._places.pop(NO_ANCHOR, None)

    def writers(
        self, lines: Sequence[str], needed: int = 1, among: Container[str] | None = None
    ) -> list[Writer | None]:
        """For each line of one contiguous stretch the call that wrote it, or None where nothing certain is known.

        A line belongs to the call whose run of written lines around it is the longest and holds at least ``needed``
        telling lines; of equal ones the earlier. ``among`` are the frames that may be named, all for None.
        """
        anchors = line_anchors(lines)
        telling = [is_telling(line) for line in lines]
        best: list[tuple[int, int]] = [(0, 0)] * len(lines)
        done: dict[tuple[int, int], int] = {}
        for at in (at for at, tells in enumerate(telling) if tells):
            for place in self._places.get(anchors[at], ()):
                diagonal = place.run, at - place.at
                if among is not None and self._writers[place.run].frame_id not in among:
                    continue
                if at < done.get(diagonal, 0):
                    continue  # part of a stretch that was looked at
                start, end = self._stretch(anchors, at, place)
                done[diagonal] = end
                if sum(telling[start:end]) >= needed:
                    claim = end - start, -place.run
                    best[start:end] = [max(held, claim) for held in best[start:end]]
        return [self._writers[-run] if length else None for length, run in best]

    def _stretch(self, anchors: Sequence[str], at: int, place: _Place) -> tuple[int, int]:
        """The stretch of lines around ``at`` that the run wrote one after another."""
        run = self._runs[place.run]
        start, written = at, place.at
        while start > 0 and written > 0 and anchors[start - 1] == run[written - 1]:
            start, written = start - 1, written - 1
        end, written = at + 1, place.at + 1
        while end < len(anchors) and written < len(run) and anchors[end] == run[written]:
            end, written = end + 1, written + 1
        return start, end


# ---------------------------------------------------------------------------------------------------------------------
# Whole hunks


def owners_of_hunk(lines: Sequence[str], known: Mapping[str, Sequence[bool]]) -> set[str]:
    """The frames that a hunk comes from, told which of its lines each of them wrote; of equal ones all."""
    alone = {frame: sum(flags) for frame, flags in known.items() if is_written(lines, flags)}
    most = max(alone.values(), default=0)
    return {frame for frame, count in alone.items() if count == most} | _owners_together(lines, known)


def _owners_together(lines: Sequence[str], known: Mapping[str, Sequence[bool]]) -> set[str]:
    """The frames that share a hunk: what several wrote comes as one, once their commits are squashed.

    A line is owned by the frame that wrote most lines in a row around it, two of them telling ones. Such lines must be
    half of the hunk, and a frame must own two telling ones.
    """
    telling = [is_telling(line) for line in lines]
    lengths = {frame: _stretch_lengths(flags, telling) for frame, flags in known.items()}
    longest = [max(column) for column in zip(*lengths.values(), strict=True)]
    if 2 * sum(map(bool, longest)) < len(lines):
        return set()
    return {
        frame
        for frame, mine in lengths.items()
        if sum(tells and 0 < length == most for tells, length, most in zip(telling, mine, longest, strict=True))
        >= TELLING_LINES_OF_A_STRANGER
    }


def _stretch_lengths(flags: Sequence[bool], telling: Sequence[bool]) -> list[int]:
    """For each line how many in a row around it are flagged; 0 where fewer than two of them tell."""
    lengths = [0] * len(flags)
    for start, end in _true_stretches(flags):
        if sum(telling[start:end]) >= TELLING_LINES_OF_A_STRANGER:
            lengths[start:end] = [end - start] * (end - start)
    return lengths


def _true_stretches(flags: Sequence[bool]) -> Iterable[tuple[int, int]]:
    edges = [at for at, (before, flag) in enumerate(pairwise([False, *flags, False])) if before != flag]
    return zip(edges[::2], edges[1::2], strict=True)
