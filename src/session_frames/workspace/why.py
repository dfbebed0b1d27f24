"""Why a line is there: the call that wrote it, the user's words that asked for it, the decisions that cite them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import TypedDict

from session_frames.errors import UsageError
from session_frames.model import MAIN_THREAD, Call, Decision, Frame, Turn
from session_frames.storage.commit_links import known_paths
from session_frames.storage.written_lines import load_frames
from session_frames.workspace.blame import Traced, iso_date, trace
from session_frames.workspace.core import Workspace


class Asked(TypedDict):
    """The user's words before the turn that wrote a line."""

    turn: int
    id: str
    at: str
    text: str


class CitedDecision(TypedDict):
    """A decision whose evidence cites the turn that wrote a line, or the user's turn before it."""

    id: str
    text: str
    status: str
    by: str
    rationale: str
    turns: list[int]


class Reason(TypedDict):
    """Where neighbouring lines come from. What is not known for certain is empty: ``frame`` and what follows it, or
    the ``call`` and what follows that."""

    file: str
    first_line: int
    last_line: int
    lines: list[str]
    commit: str
    subject: str
    author: str
    date: str
    link: str
    frame: str
    topic: str
    path: str
    call: str
    turn: int
    tool: str
    arguments: str
    asked: Asked | None
    decisions: list[CitedDecision]


def why(ws: Workspace, place: str, revision: str = "") -> list[Reason]:
    """The reasons for ``FILE:LINE`` or ``FILE:A-B``, one for each stretch of lines that one call wrote."""
    asked = re.fullmatch(r"(.+):(\d+)(?:-(\d+))?", place, re.DOTALL)
    if asked is None:
        raise UsageError(f"not a line of a file: '{place}'", hint="frames why FILE:LINE or FILE:FIRST-LAST")
    file, first, last = asked[1], int(asked[2]), int(asked[3] or asked[2])
    if not 0 < first <= last:
        raise UsageError(f"not a line range: '{asked[2]}-{asked[3] or asked[2]}'", hint="lines are counted from 1")
    traced = trace(ws, file, revision, [f"{first},{last}"])
    paths = known_paths(ws.index)
    sources = dict.fromkeys(line.source for line in traced if line.source)
    frames = {author.blob: frame for author, frame in load_frames(ws.repo, sources)}
    groups = groupby(traced, key=lambda line: (line.commit, line.link, line.writer))
    return [_reason(file, list(lines), paths, frames) for _, lines in groups]


def _reason(file: str, lines: list[Traced], paths: dict[str, str], frames: dict[str, Frame]) -> Reason:
    first, facts = lines[0], lines[0].facts
    writer, frame = first.writer, frames.get(first.source.blob) if first.source else None
    turns = frame.get("turns", []) if frame else []
    turn = turns[writer.turn - 1] if writer and turns else None
    asked = _asked(turns, writer.turn) if writer and turns else None
    call = turn["calls"][writer.call - 1] if turn and writer else None
    return Reason(
        file=file,
        first_line=first.line,
        last_line=lines[-1].line,
        lines=[line.text for line in lines],
        commit=first.commit,
        subject=facts.get("summary", ""),
        author=facts.get("author", ""),
        date=iso_date(facts.get("author-time", ""), facts.get("author-tz", "+0000")),
        link=first.link.kind if first.link else "",
        frame=first.link.frame_id if first.link else "",
        topic=frame["topic"] if frame else "",
        path=(first.link.path or paths.get(first.link.frame_id, "")) if first.link else "",
        call=writer.address() if writer else "",
        turn=writer.turn if writer else 0,
        tool=call["tool"] if call else "",
        arguments=_first_argument(call) if call else "",
        asked=asked,
        decisions=list(_decisions(frame, turn, asked)) if frame and turn else [],
    )


def _asked(turns: list[Turn], number: int) -> Asked | None:
    """The last user's turn before the turn of this number."""
    for at in range(number - 1, 0, -1):
        turn = turns[at - 1]
        if turn["role"] == "user" and turn.get("thread", MAIN_THREAD) == MAIN_THREAD:
            return Asked(turn=at, id=turn["id"], at=turn.get("at", ""), text=turn.get("text", ""))
    return None


def _first_argument(call: Call) -> str:
    arguments = call.get("arguments")
    first = next(iter(arguments.values()), "") if isinstance(arguments, dict) else arguments
    return first if isinstance(first, str) else ""


def _decisions(frame: Frame, turn: Turn, asked: Asked | None) -> Iterator[CitedDecision]:
    numbers = {one["id"]: number for number, one in enumerate(frame.get("turns", []), 1)}
    meant = {turn["id"], *([asked["id"]] if asked else [])}
    for decision in frame.get("decisions", []):
        cited = [evidence["turn"] for evidence in decision.get("evidence", [])]
        if meant.intersection(cited):
            yield _cited(decision, [numbers[one] for one in dict.fromkeys(cited) if one in numbers])


def _cited(decision: Decision, turns: list[int]) -> CitedDecision:
    return CitedDecision(
        id=decision["id"],
        text=decision["text"],
        status=decision["status"],
        by=decision["by"],
        rationale=decision.get("rationale", ""),
        turns=turns,
    )
