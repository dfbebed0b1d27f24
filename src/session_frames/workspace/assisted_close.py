"""Help when a session is closed: a command that proposes items, a person who goes through them, a session cut in two.

Whatever the command does, the frame that was read without it stands.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from session_frames.errors import NothingFound
from session_frames.model import Frame
from session_frames.operations.boundaries import Shift, find_shifts
from session_frames.operations.compose import redact_frame
from session_frames.operations.proposed_items import for_proposer, judge
from session_frames.operations.review import Answer, with_answers, with_proposals_noted
from session_frames.workspace.core import Workspace
from session_frames.workspace.keeping import preview
from session_frames.workspace.session_parts import known_starts
from session_frames.workspace.summarizer import PATIENCE, answer_of, arguments_of


class Help(NamedTuple):
    """What a person asked for beside the plain reading.

    ``choose`` is given the frame and the places where it may be cut, and returns the turns before which it is;
    ``review`` is given the frames as they would be written, and returns an answer for each item that changes.
    """

    summarizer: str = ""
    patience: float = PATIENCE
    choose: Callable[[Frame, Sequence[Shift]], list[str]] | None = None
    review: Callable[[Sequence[Frame]], Mapping[str, Answer]] | None = None


class Helped(NamedTuple):
    """A frame after the help: what to do to it once its older form was taken over, where to cut it, what to tell."""

    frame: Frame
    revise: Callable[[Frame], Frame]
    split_at: tuple[str, ...]
    told: tuple[str, ...]


def assist(ws: Workspace, frame: Frame, wanted: Help, *, topic: str = "", goal: str = "") -> Helped:
    """Ask for the help; nothing is written. ``NothingFound`` where a session is to be cut and has one topic."""
    shifts = _shifts(ws, frame) if wanted.choose else []
    taken: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    if wanted.summarizer:
        frame, taken, told = _with_proposals(ws, frame, wanted, bool(topic))
    split_at = tuple(wanted.choose(frame, shifts)) if wanted.choose else ()
    now = ws.now()

    def proposed(part: Frame) -> Frame:
        return with_proposals_noted(part, taken, now)

    if wanted.review is None:
        return Helped(frame, proposed, split_at, told)
    answers = wanted.review(preview(ws, frame, topic=topic, goal=goal, split_at=split_at))

    def revise(part: Frame) -> Frame:
        return redact_frame(with_answers(proposed(part), answers, now), ws.policy)

    return Helped(frame, revise, split_at, told)


def _shifts(ws: Workspace, frame: Frame) -> list[Shift]:
    known = known_starts(ws, frame)
    shifts = [shift for shift in find_shifts(frame.get("turns", [])) if shift.turn not in known]
    if not shifts:
        further = "no further boundary" if known else "no boundary"
        raise NothingFound(f"{further} between topics was found in the session", hint="frames close keeps it as it is")
    return shifts


def _with_proposals(
    ws: Workspace, frame: Frame, wanted: Help, topic_is_given: bool
) -> tuple[Frame, tuple[str, ...], tuple[str, ...]]:
    """The frame with what the command proposed and what could be taken of it; the frame as it was where it failed."""
    arguments = arguments_of(wanted.summarizer)
    proposed, problem = _ask(arguments, for_proposer(frame), wanted.patience, ws)
    if problem:
        return frame, (), (f"summarizer '{arguments[0]}' {problem}; the frame is what was read without it",)
    judged = judge(frame, proposed, topic_is_given=topic_is_given)
    return redact_frame(judged.frame, ws.policy), judged.taken, judged.told


def _ask(arguments: list[str], session: dict[str, Any], patience: float, ws: Workspace) -> tuple[Any, str]:
    """What the command answers, or what went wrong."""
    given = json.dumps(session, ensure_ascii=True).encode("ascii")
    answer, problem = answer_of(ws, arguments, given, patience)
    return (None, problem) if problem else _understood(answer)


def _understood(answer: bytes) -> tuple[Any, str]:
    try:
        proposed = json.loads(answer)
    except (ValueError, RecursionError):
        return None, "printed no JSON"
    return (proposed, "") if isinstance(proposed, dict) else (None, "printed no JSON object")
