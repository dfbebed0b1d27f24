"""From older minor versions of the format to this one, step by step.

A step lives with the version that it leads to, is named by it, and gives a new frame; the same frame always gives the
same result, so a step asks neither the clock nor the work tree. A new minor adds one function below, for example::

    @step(to="1.1")
    def add_something(frame: Frame) -> Frame: ...
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from session_frames.model import Frame

Change = Callable[[Frame], Frame]


class Step(NamedTuple):
    """One migration: the version that it leads to and what it does."""

    to: str
    change: Change


STEPS: Final[list[Step]] = []


def step(to: str, steps: list[Step] = STEPS) -> Callable[[Change], Change]:
    """Register a migration; steps are written down in the order of their versions."""
    if steps and _number(steps[-1].to) >= _number(to):
        raise ValueError(f"step to {to} stands behind the step to {steps[-1].to}")

    def register(change: Change) -> Change:
        steps.append(Step(to, change))
        return change

    return register


def migrate(frame: Frame, steps: Sequence[Step] = STEPS) -> Frame:
    """The frame in the newest version that the steps lead to; the frame itself where none applies."""
    for to, change in steps:
        if _number(frame["frame"]) < _number(to):
            frame = change(frame)
            if frame["frame"] != to:
                raise ValueError(f"step to {to} left the frame at {frame['frame']}")
    return frame


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
