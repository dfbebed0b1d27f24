"""Which call wrote a line: what calls wrote (anchors) against what a commit holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from session_frames.model import MAIN_THREAD, Frame
from session_frames.operations.anchors import NO_ANCHOR, TELLING_LENGTH, anchors_of_run, line_anchor
from session_frames.operations.nested_calls import iter_calls


class Writer(NamedTuple):
    """A call that wrote something: the frame, the turn's number and id, the call's number within the turn."""

    frame_id: str
    turn: int
    turn_id: str
    call: int

    def address(self) -> str:
        """The call as people name it: ``14.3``."""
        return f"{self.turn}.{self.call}"


class _Place(NamedTuple):
    writer: Writer
    run: list[str]
    at: int


def writers_of_lines(
    lines: Sequence[str], frames: Iterable[Frame], paths: Sequence[str], *, needed: int = 1
) -> list[Writer | None]:
    """For each line of one contiguous stretch the call that wrote it, or None where nothing certain is known.

    A line belongs to the call whose run of written lines around it is the longest and holds at least ``needed`` lines
    of 12 characters or more; of equal ones the earlier. ``paths`` are the names that the file had.
    """
    places = _places(frames, paths)
    anchors = [line_anchor(line) for line in lines]
    telling = [len(line.strip()) >= TELLING_LENGTH for line in lines]
    found: list[Writer | None] = []
    for at, anchor in enumerate(anchors):
        best: tuple[int, Writer] | None = None
        for place in places.get(anchor, ()):
            start, end = _matching_stretch(anchors, at, place)
            if sum(telling[start:end]) >= needed and (best is None or end - start > best[0]):
                best = end - start, place.writer
        found.append(best[1] if best else None)
    return found


def _places(frames: Iterable[Frame], paths: Sequence[str]) -> dict[str, list[_Place]]:
    """Anchor -> where it was written, the earliest first."""
    places: dict[str, list[_Place]] = {}
    for frame in frames:
        for number, turn in enumerate(frame.get("turns", []), 1):
            if turn.get("thread", MAIN_THREAD) != MAIN_THREAD:
                continue
            for call_number, call in iter_calls(turn):
                writer = Writer(frame["id"], number, turn["id"], call_number)
                for path in paths:
                    for run in call.get("wrote", {}).get(path, ()):
                        anchors = anchors_of_run(run)
                        for at, anchor in enumerate(anchors):
                            if anchor != NO_ANCHOR:
                                places.setdefault(anchor, []).append(_Place(writer, anchors, at))
    return places


def _matching_stretch(anchors: Sequence[str], at: int, place: _Place) -> tuple[int, int]:
    """The stretch of lines around ``at`` that the run wrote one after another."""
    start, written = at, place.at
    while start > 0 and written > 0 and anchors[start - 1] == place.run[written - 1]:
        start, written = start - 1, written - 1
    end, written = at + 1, place.at + 1
    while end < len(anchors) and written < len(place.run) and anchors[end] == place.run[written]:
        end, written = end + 1, written + 1
    return start, end
