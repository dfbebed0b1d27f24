"""frames compact: where summaries come from, what would be done, doing it and taking it back."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

from session_frames.errors import FormatError, NothingFound, RefusedError, UsageError
from session_frames.model import Event, Frame
from session_frames.operations import compact
from session_frames.operations.compact import Compactable, Limits, Proposal, Written
from session_frames.operations.context_edits import undo as undone
from session_frames.operations.context_view import Entry
from session_frames.operations.redact import redact_text
from session_frames.operations.render import turn_lines
from session_frames.operations.summary_file import Section, parse_summaries, write_summaries
from session_frames.operations.turn_names import select
from session_frames.storage.private_state import write_atomically
from session_frames.workspace.context_edits import Edited, current_frame, edited
from session_frames.workspace.core import Workspace
from session_frames.workspace.summarizer import PATIENCE, answer_of, arguments_of


class Source(NamedTuple):
    """Where the summaries come from: what was read of the file ``name``, or the command of that name."""

    kind: Literal["structural", "file", "command", "agent"]
    name: str = ""
    content: bytes = b""
    patience: float = PATIENCE


class Wish(NamedTuple):
    """What is to be compacted, how far, and by which summaries."""

    turns: tuple[str, ...] = ()
    limits: Limits = Limits()
    source: Source = Source("structural")
    drop: bool = False


class Compacted(NamedTuple):
    """What a compaction does, or did where ``edited`` is given; ``told`` says what could not be used and why."""

    proposal: Proposal
    told: list[str]
    edited: Edited | None


def preview(ws: Workspace, name: str | None, wish: Wish) -> Compacted:
    """What a compaction would do; nothing is written."""
    proposal, told = _proposed(ws, current_frame(ws, name), wish)
    return Compacted(proposal, told, None)


def apply(ws: Workspace, name: str | None, wish: Wish) -> Compacted:
    """Compact a frame. A command is asked before the frame is locked, and the frame read again then."""
    first, told = _proposed(ws, current_frame(ws, name), wish)
    proposals: list[Proposal] = []

    def edit(frame: Frame, at: str) -> Frame:
        if frame == first.context.frame:
            proposals.append(first._replace(context=first.context._replace(frame=frame)))
        else:
            proposals.append(_again(frame, wish, first))
        return compact.applied(proposals[-1], at, drop=wish.drop)

    done = edited(ws, name, edit)
    return Compacted(proposals[-1], told, done)


def undo(ws: Workspace, name: str | None) -> tuple[Edited, Event]:
    """Take back the newest compaction. One that no commit holds yet leaves no trace: the file is as it was before.

    ``NothingFound`` where nothing is compacted, ``RefusedError`` where texts were left out of the file.
    """
    taken: list[Event] = []

    def edit(frame: Frame, at: str) -> Frame:
        event = compact.last_compaction(frame)
        if event is None:
            raise NothingFound("no compaction to undo", hint="frames context shows what a model is given")
        if event["data"].get("dropped"):
            raise RefusedError(
                "the compaction left texts out of the file, it can't be undone",
                hint="git log shows the commits that hold the file as it was",
            )
        taken.append(event)
        if frame["events"][-1] is event and not _is_committed(ws, frame, event):
            return compact.taken_back(frame, event)
        return undone(frame, event["id"], at=at)

    return edited(ws, name, edit), taken[0]


def _is_committed(ws: Workspace, frame: Frame, event: Event) -> bool:
    """Does the last commit hold the event, or can't that be told because the session goes on?"""
    path = ws.store.find_path(frame["id"])
    if frame["status"] == "active":
        return True
    if path is None or not ws.repo.head():
        return False
    return any(event["id"].encode() in (content or b"") for _, content in ws.repo.iter_blobs([f"HEAD:{path}"]))


def save(ws: Workspace, path: str, proposal: Proposal) -> None:
    """Write the summaries of a compaction to a file that ``--summary`` reads."""
    sections = [Section(proposal.numbers(group), group.summary) for group in proposal.plan.groups if group.summary]
    write_atomically(os.path.join(ws.cwd, path), write_summaries(sections).encode("utf-8", "surrogatepass"))


# ---------------------------------------------------------------------------------------------------------------------
# Summaries


def _proposed(ws: Workspace, frame: Frame, wish: Wish) -> tuple[Proposal, list[str]]:
    context = _context(frame, wish)
    told: list[str] = []
    proposal = _SOURCES[wish.source.kind](ws, context, wish, told)
    return proposal, [*told, *proposal.told]


def _context(frame: Frame, wish: Wish) -> Compactable:
    return compact.compactable(frame, wish.limits, select(frame, wish.turns).touched if wish.turns else None)


def _again(frame: Frame, wish: Wish, first: Proposal) -> Proposal:
    """The same for a frame that has changed since: with the summaries that are there already."""
    context = _context(frame, wish)
    if first.kind == "structural":
        return compact.structural(context, wish.limits)
    return compact.written(context, wish.limits, list(first.written.values()))


def _structural(ws: Workspace, context: Compactable, wish: Wish, told: list[str]) -> Proposal:
    return compact.structural(context, wish.limits)


def _of_file(ws: Workspace, context: Compactable, wish: Wish, told: list[str]) -> Proposal:
    name = wish.source.name
    try:
        sections = parse_summaries(wish.source.content.decode("utf-8-sig"), name)
    except UnicodeDecodeError as error:
        raise FormatError(f"'{name}' is no UTF-8 text: byte {error.start}") from error
    if not sections:
        raise UsageError(f"'{name}' holds no summary", hint="## 2-3 begins the one of turns 2 to 3")
    summaries = [
        Written(section.numbers or _free(context), redact_text(section.text, ws.policy)[0], "user")
        for section in sections
    ]
    return compact.written(context, wish.limits, summaries)


def _free(context: Compactable) -> tuple[int, ...]:
    """The numbers of all turns that may be replaced."""
    pairs = zip(context.entries, context.stays, strict=True)
    return tuple(number for entry, reason in pairs if reason is None for number in entry.numbers)


def _of_agent(ws: Workspace, context: Compactable, wish: Wish, told: list[str]) -> Proposal:
    summaries = compact.own_summaries(context.frame)
    if not summaries:
        raise NothingFound(
            "the transcript holds no summary of the agent's own", hint="frames compact works without one"
        )
    return compact.written(context, wish.limits, summaries)


def _of_command(ws: Workspace, context: Compactable, wish: Wish, told: list[str]) -> Proposal:
    arguments = arguments_of(wish.source.name)
    turns = {turn["id"]: turn for turn in context.frame.get("turns", [])}
    failed: list[str] = []

    def ask(group: list[Entry]) -> Written | None:
        if failed:
            return None
        numbers = tuple(number for entry in group for number in entry.numbers)
        names = [name for entry in group for name in entry.turns]
        lines = [line for number, name in zip(numbers, names, strict=True) for line in turn_lines(number, turns[name])]
        given = ("\n".join(lines) + "\n").encode("utf-8", "replace")
        answer, problem = answer_of(ws, arguments, given, wish.source.patience)
        text = redact_text(answer.decode("utf-8", "replace").strip(), ws.policy)[0]
        problem = problem or ("" if text else "printed nothing")
        if problem:
            failed.append(problem)
            told.append(f"summarizer '{arguments[0]}' {problem}; these turns and those behind them stay")
            return None
        return Written(numbers, text, "pipeline")

    return compact.written(context, wish.limits, [], ask)


_SOURCES: Mapping[str, Callable[[Workspace, Compactable, Wish, list[str]], Proposal]] = {
    "structural": _structural,
    "file": _of_file,
    "command": _of_command,
    "agent": _of_agent,
}
