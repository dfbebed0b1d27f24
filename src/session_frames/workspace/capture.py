"""From what an agent recorded to a frame: start, close, import."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from io import BytesIO
from typing import TYPE_CHECKING, BinaryIO, cast

from session_frames.errors import FramesError, NothingFound, NotUnderstood, UsageError
from session_frames.model import FORMAT_VERSION, Frame, frame_id
from session_frames.operations.compose import redact_frame
from session_frames.operations.parts import add_parts, parse_parts
from session_frames.operations.renew import renew, with_edits
from session_frames.storage.private_state import ActiveFrame
from session_frames.storage.transcript_files import open_transcript, transcript_of_bytes
from session_frames.transcripts import session_of_environment
from session_frames.workspace.core import Workspace
from session_frames.workspace.keeping import Captured, keep, keep_edited
from session_frames.workspace.opened import as_opened
from session_frames.workspace.reading import newest, read_transcript, transcript_of_session, what_was_skipped
from session_frames.workspace.sources import Wish, frames_of

if TYPE_CHECKING:
    from session_frames.workspace.assisted_close import Help

# ---------------------------------------------------------------------------------------------------------------------
# start


def start(ws: Workspace, topic: str = "", goal: str = "") -> Frame:
    """Open a frame on this branch; the session that is closed next in this work tree takes it over."""
    top = ws.repo.require_top()
    agent, session_id = session_of_environment(ws.environ)
    if any(entry["work_tree"] == top and entry["session_id"] == session_id for entry in ws.state.list_active()):
        raise UsageError(
            "a frame is already open in this work tree", hint="frames status shows it, frames close ends it"
        )
    now = ws.now()
    frame = Frame(
        frame=FORMAT_VERSION,
        id=frame_id(agent or "unknown", session_id or f"{top} {now}"),
        topic=topic or "session",
        status="active",
    )
    if goal:
        frame["goal"] = goal
    frame["session"] = {"agent": agent, "session_id": session_id} if agent else {}
    frame["boundary"] = {"started_at": now, "start": "user" if not agent else "session"}
    frame["git"] = {key: value for key, value in (("branch", ws.repo.branch()), ("base", ws.repo.head())) if value}  # type: ignore[typeddict-item]
    frame = redact_frame(frame, ws.policy)
    with ws.state.lock():
        transcript = transcript_of_session(ws, session_id)
        ws.state.save_active(ActiveFrame(frame=frame, work_tree=top, transcript=transcript, session_id=session_id))
    return frame


def cancel_start(ws: Workspace) -> list[Frame]:
    """Give up the frames that were opened by hand in this work tree; ``NothingFound`` where there is none."""
    top = ws.repo.require_top()
    with ws.state.lock():
        opened = [entry["frame"] for entry in ws.state.list_active() if entry["work_tree"] == top]
        waiting = [frame for frame in opened if not frame.get("turns")]
        for frame in waiting:
            ws.state.drop_active(frame["id"])
    if not waiting:
        raise NothingFound(
            "no opened frame without a session in this work tree", hint="frames status shows the active ones"
        )
    return waiting


def catch_up(ws: Workspace, entry: ActiveFrame) -> Frame:
    """The active frame with what its transcript holds by now; the frame as it is where there is no transcript yet."""
    path = entry.get("transcript") or transcript_of_session(ws, entry["session_id"])
    if not path or not os.path.exists(path):
        return entry["frame"]
    name, file = open_transcript(path)
    with closing(file):
        reading = read_transcript(ws, name, file, path, topic=_given_topic(entry["frame"]))
    return cast(Frame, {**_edited_meanwhile(reading.frame, entry["frame"]), "status": "active"})


def live_frame(ws: Workspace, entry: ActiveFrame) -> Frame:
    """The active frame as it is by now: with what its transcript holds, and what people did to its file in the tree."""
    frame = as_opened(catch_up(ws, entry), entry["frame"])
    path = ws.store.find_path(frame["id"])
    return cast(Frame, {**renew(ws.store.read(path), frame)[0], "status": "active"}) if path else frame


def _edited_meanwhile(frame: Frame, active: Frame) -> Frame:
    """The frame of a session that was read, with what was done to its active form."""
    return renew(active, frame)[0] if active.get("turns") else with_edits(frame, active)


def _given_topic(frame: Frame) -> str:
    return "" if frame["topic"] == "session" else frame["topic"]


# ---------------------------------------------------------------------------------------------------------------------
# close


def close(
    ws: Workspace,
    *,
    transcript: str | None = None,
    stdin: BinaryIO | None = None,
    agent: str | None = None,
    topic: str = "",
    goal: str = "",
    dry_run: bool = False,
    keep_reasoning: bool = False,
    wanted: Help | None = None,
) -> Captured:
    """Read what the agent recorded, write the frame and stage it; ``wanted`` is help that was asked for.

    Without ``transcript`` the newest session whose recorded working directory lies in this repository is taken.
    ``NotUnderstood`` when there is no conversation in it; ``NothingFound`` when no session belongs here.
    """
    opened, piped = _opened_by_hand(ws), None
    given = topic or (_given_topic(opened["frame"]) if opened else "")
    if transcript == "-":
        assert stdin is not None
        name, piped = transcript_of_bytes(stdin.read())
        reading = read_transcript(ws, name, piped, "standard input", topic=given, keep_reasoning=keep_reasoning)
    elif transcript:
        name, file = open_transcript(os.path.join(ws.cwd, transcript), transcript)
        with closing(file):
            reading = read_transcript(
                ws, name, file, transcript, topic=given, keep_reasoning=keep_reasoning, dry_run=dry_run
            )
    else:
        reading = newest(ws, agent, topic=given, keep_reasoning=keep_reasoning, dry_run=dry_run)
        _require_since(opened, reading.frame)
    frame = reading.frame
    for entry in ws.state.list_active():
        if entry["frame"]["id"] == frame["id"] or entry == opened:
            frame = _edited_meanwhile(frame, entry["frame"])
            if not entry["frame"].get("turns"):
                given = given or _given_topic(entry["frame"])
                goal = goal or entry["frame"].get("goal", "")
    head = {key: text for key, text in (("topic", given), ("goal", goal)) if text}
    if head:
        frame = redact_frame(cast(Frame, {**frame, **head}), ws.policy)
    frame = _at_close(ws, frame, opened)
    captured = _kept(ws, frame, reading.source, given, goal, dry_run, wanted)
    captured = captured._replace(notes=(*reading.notes, *captured.notes))
    if not dry_run:
        from session_frames.workspace.raw import RawKeeper  # not for hooks

        captured = RawKeeper(ws).keep(captured, piped)
        for ended in {frame["id"], *([opened["frame"]["id"]] if opened else [])}:
            ws.state.drop_active(ended)
    return captured


def _require_since(opened: ActiveFrame | None, frame: Frame) -> None:
    """The session that an opened frame waits for has to end after it was opened."""
    since = opened["frame"].get("boundary", {}).get("started_at", "") if opened else ""
    ended = frame.get("boundary", {}).get("ended_at", "")
    if opened and ended and _moment(ended) < _moment(since):
        raise NothingFound(
            f"no session went on since the frame '{opened['frame']['topic']}' was opened; the newest ended {ended}",
            hint="frames close --transcript FILE closes it with a given one, frames start --cancel gives it up",
        )


def _moment(at: str) -> datetime:
    """The time, in UTC where it says nothing else; the beginning of time for what is none."""
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        return datetime.min.replace(tzinfo=UTC)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _kept(
    ws: Workspace, frame: Frame, source: str, topic: str, goal: str, dry_run: bool, wanted: Help | None
) -> Captured:
    """Keep the frame, with the help that was asked for; what that told stands before the other notes."""
    if wanted is None:
        return keep(ws, frame, source, topic=topic, goal=goal, dry_run=dry_run, stage=True)
    from session_frames.workspace.assisted_close import assist

    helped = assist(ws, frame, wanted, topic=topic, goal=goal)
    captured = keep(
        ws,
        helped.frame,
        source,
        topic=topic,
        goal=goal,
        dry_run=dry_run,
        stage=True,
        split_at=helped.split_at,
        revise=helped.revise,
    )
    return captured._replace(notes=(*helped.told, *captured.notes))


def _opened_by_hand(ws: Workspace) -> ActiveFrame | None:
    top = ws.repo.require_top()
    opened = [entry for entry in ws.state.list_active() if entry["work_tree"] == top and not entry["session_id"]]
    return opened[-1] if opened else None


def _at_close(ws: Workspace, frame: Frame, opened: ActiveFrame | None) -> Frame:
    git = dict(frame.get("git", {}))
    if opened:
        git.setdefault("base", opened["frame"].get("git", {}).get("base", ""))
    git.setdefault("branch", ws.repo.branch() or "")
    git["head"] = ws.repo.head() or ""
    return cast(Frame, {**frame, "git": {key: value for key, value in git.items() if value}})


# ---------------------------------------------------------------------------------------------------------------------
# import


def import_(
    ws: Workspace,
    sources: Sequence[str],
    *,
    stdin: BinaryIO | None = None,
    agent: str | None = None,
    topic: str = "",
    into: Frame | None = None,
    only: str = "",
    strict: bool = False,
    dry_run: bool = False,
    keep_reasoning: bool = False,
) -> Iterator[Captured | FramesError]:
    """Bring in transcripts and exported frames, one answer each; a bad file never stops the next.

    ``into`` and ``only`` bring (parts of) a source into an existing frame. Nothing is staged.
    """
    if (only and into is None) or (into is not None and topic):
        raise UsageError("--only needs --into FRAME, and --topic can't be given with it")
    from session_frames.workspace.raw import RawKeeper

    parts = parse_parts(only)
    ws.repo.require_top()
    wish = Wish(agent, topic, keep_reasoning, dry_run)
    raw = RawKeeper(ws)
    for source in sources:
        piped = BytesIO(stdin.read()) if source == "-" and stdin else None
        try:
            for frame, name, renewal in frames_of(ws, source, piped, wish):
                if strict and frame.get("skipped_records"):
                    raise NotUnderstood(f"records lost in '{name}': {what_was_skipped(frame['skipped_records'])}")
                if into is not None:
                    into, taken = _taken_in(ws, into, frame, parts)
                    yield keep_edited(ws, into, name, taken, dry_run)
                else:
                    captured = keep(ws, frame, name, topic=topic, dry_run=dry_run, renewal=renewal)
                    yield captured if dry_run else raw.keep(captured, piped)
        except FramesError as error:
            yield error


def _taken_in(ws: Workspace, into: Frame, source: Frame, parts: Sequence[str]) -> tuple[Frame, tuple[str, ...]]:
    """The frame with these parts of another, and what was taken, noted as an event."""
    from session_frames.operations.context_edits import record

    frame, taken = add_parts(into, source, tuple(parts))
    if not taken:
        return into, taken
    known = {turn["id"] for turn in into.get("turns", [])}
    turns = [turn["id"] for turn in frame.get("turns", []) if turn["id"] not in known]
    data = {"frame": source["id"], "parts": list(taken)}
    noted = record(frame, "import", turns=turns, data=data, at=ws.now(), was=into)
    # Cached results and turns are no changes of marks or items; that they came is told all the same.
    return record(frame, "import", turns=turns, data=data, at=ws.now()) if noted is into else noted, taken
