"""Merging frames: three states of one session's frame into one, or the frames of several sessions into a new one.

How each field is merged stands in ``merge_rules``. Nothing here asks the clock or the work tree: the same frames give
the same result on every machine. A conflict is a record in ``merge_conflicts`` with both values; meanwhile the field
holds the one whose canonical JSON sorts last, whichever side it came from.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple, cast

from session_frames.model import Frame, MergeConflict
from session_frames.operations.merge_fields import Merger, conflict_record
from session_frames.operations.merge_sessions import as_part, joined_head
from session_frames.operations.merge_values import canonical, same


class Merge(NamedTuple):
    """The merged frame, and the conflicts that this merge found; they are in the frame's ``merge_conflicts`` too."""

    frame: Frame
    conflicts: list[MergeConflict]


def merge(base: Frame | None, ours: Frame, theirs: Frame) -> Merge:
    """Three-way merge of two states of one frame; ``base`` is None where both sides added it.

    Frames of different sessions become one that holds both; that they met at one path is told as a conflict.
    """
    if same(ours, theirs) or (base is not None and same(base, theirs)):
        return Merge(ours, [])
    if base is not None and same(base, ours):
        return Merge(theirs, [])
    if ours["id"] != theirs["id"]:
        return _merge_strangers(ours, theirs)
    merger = Merger(base if base is not None and base["id"] == ours["id"] else None, ours, theirs)
    return Merge(merger.frame({}), merger.conflicts())


def merge_sessions(frames: Sequence[Frame], topic: str | None = None) -> Merge:
    """One new frame of the frames of several sessions; ``topic`` replaces the joined topics."""
    conflicts: dict[str, MergeConflict] = {}

    def add(merged: Frame, part: Frame) -> Frame:
        if merged["id"] == part["id"]:
            head = {}
        else:
            merged, part = as_part(merged), as_part(part)
            head = joined_head(merged, part)
        merger = Merger(None, merged, part)
        frame = merger.frame(head)
        conflicts.update({conflict["id"]: conflict for conflict in merger.conflicts()})
        return frame

    frame = reduce(add, sorted(frames, key=lambda frame: (frame["id"], canonical(frame))))
    if topic is not None:
        frame = cast(Frame, {**frame, "topic": topic})
    return Merge(frame, list(conflicts.values()))


def _merge_strangers(ours: Frame, theirs: Frame) -> Merge:
    frame, conflicts = merge_sessions((ours, theirs))
    if frame["id"] in (ours["id"], theirs["id"]):
        return Merge(frame, conflicts)  # one of them was made of the other
    met = conflict_record("id", ours["id"], theirs["id"])
    listed = sorted([*frame.get("merge_conflicts", []), met], key=lambda conflict: conflict["id"])
    return Merge(cast(Frame, {**frame, "merge_conflicts": listed}), [*conflicts, met])
