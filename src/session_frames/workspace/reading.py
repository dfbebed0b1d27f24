"""Reading transcripts for this repository: the newest session, and what its paths are called here."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from hashlib import sha256
from typing import BinaryIO, NamedTuple

from session_frames.errors import FramesError, NothingFound, NotUnderstood, UsageError
from session_frames.model import Frame, SkippedRecords
from session_frames.operations.assemble import Assembled, assemble_all
from session_frames.operations.compose import compose
from session_frames.storage.frame_store import read_frame
from session_frames.storage.transcript_files import (
    TranscriptFile,
    Whereabouts,
    events_of,
    lies_in,
    list_transcripts,
    watched,
    whereabouts,
)
from session_frames.transcripts import FORMATS, session_of_environment
from session_frames.workspace.core import Workspace
from session_frames.workspace.locating import Locator
from session_frames.workspace.reading_on import reading_on


class Reading(NamedTuple):
    """A transcript, read but not yet written anywhere."""

    frame: Frame
    source: str
    notes: tuple[str, ...] = ()  # newer sessions that could not be read


def transcript_of_session(ws: Workspace, session_id: str) -> str:
    """The path of the transcript whose name holds this session id ("" where there is none)."""
    if not session_id:
        return ""
    found = (
        file.path
        for file in list_transcripts(ws.homes, ws.environ, tops=[ws.repo.require_top()])
        if session_id in file.path
    )
    return next(found, "")


def newest(
    ws: Workspace, agent: str | None, *, topic: str = "", keep_reasoning: bool = False, dry_run: bool = False
) -> Reading:
    """The newest session of this repository that holds a conversation."""
    if agent is not None and agent not in FORMATS:
        raise UsageError(f"unknown agent '{agent}'", hint="known: " + ", ".join(FORMATS))
    wanted = session_of_environment(ws.environ)[1]
    homeless: list[TranscriptFile] = []
    reasons: list[str] = []
    notes: list[str] = []
    for file, here in _of_this_repository(ws, [agent] if agent else list(FORMATS), homeless, notes):
        if wanted and here != wanted:
            continue
        try:
            with open(file.path, "rb") as source:
                reading = read_transcript(
                    ws,
                    file.format,
                    source,
                    file.path,
                    topic=topic,
                    keep_reasoning=keep_reasoning,
                    dry_run=dry_run,
                )
        except NotUnderstood as error:
            reasons.append(error.message)
            continue
        if not is_unused_copy(ws, reading.frame):
            return reading._replace(notes=tuple(notes))
    if homeless:
        listed = "\n  ".join(file.path for file in homeless[:5])
        raise UsageError(
            f"no session records this repository as its working directory; these record none:\n  {listed}",
            hint=f"frames close --transcript '{homeless[0].path}'",
        )
    raise NothingFound(
        "no session of this repository was found" + (f" ({reasons[0]})" if reasons else ""),
        hint="frames close --transcript FILE reads a given one; known agents: " + ", ".join(FORMATS),
    )


class Belonging:
    """Which transcripts belong to this repository and its work trees: by the directory inside them, never by name."""

    def __init__(self, ws: Workspace) -> None:
        top = ws.repo.require_top()
        self.tops = [*dict.fromkeys([*ws.repo.work_trees(), top])]
        self._hashes = {sha256(path.encode("utf-8", "surrogateescape")).hexdigest() for path in self.tops}

    def holds(self, place: Whereabouts) -> bool:
        """Was a session with these whereabouts recorded in one of the work trees?"""
        return place.project_hash in self._hashes or any(lies_in(path, self.tops) for path in place.directories)

    def takes(self, assembled: Assembled) -> bool:
        """May this session of a read transcript be taken? One that shares its file with others has to be of here."""
        directories = assembled.meta.get("cwd", [])
        return not (assembled.shares_file and directories) or any(lies_in(path, self.tops) for path in directories)

    @staticmethod
    def is_homeless(place: Whereabouts) -> bool:
        """Does the transcript say nothing of where it was recorded?"""
        return not place.directories and not place.project_hash


def _of_this_repository(
    ws: Workspace, formats: Sequence[str], homeless: list[TranscriptFile], notes: list[str]
) -> Iterator[tuple[TranscriptFile, str]]:
    """(transcript, session id) of this repository and its work trees, the newest first.

    Those that record no working directory are put into ``homeless``: a folder's name is no proof. What may not be
    read is told in ``notes``: it could be newer than what is found.
    """
    belonging = Belonging(ws)
    for file in list_transcripts(ws.homes, ws.environ, formats, belonging.tops):
        place = whereabouts(file)
        if place is None:
            if not os.access(file.path, os.R_OK):
                notes.append(f"'{file.path}' may not be read, and could be of this repository")
            continue
        if belonging.holds(place):
            yield file, place.session_id
        elif belonging.is_homeless(place):
            homeless.append(file)


def read_transcripts(
    ws: Workspace,
    name: str,
    file: BinaryIO,
    source: str,
    *,
    topic: str = "",
    keep_reasoning: bool = False,
    dry_run: bool = False,
) -> Iterator[Reading]:
    """The frame of each session in a transcript; of a file with sessions of many repositories those of this one.

    ``NotUnderstood`` with counts when nobody speaks in any of them. Unless it is a ``dry_run``, what was read of a
    large one is put away, for the time when it has grown.
    """
    reason, found = "", False
    belonging = Belonging(ws)
    growing = reading_on(ws, name, file, keep_reasoning)
    sessions: Iterator[Assembled]
    if growing:
        sessions = (one.assembled() for one in (growing,))
    else:
        events = watched(events_of(name, file, source), file, ws.progress)
        sessions = assemble_all(events, policy=ws.policy, locate=Locator(ws), keep_reasoning=keep_reasoning)
    for assembled in sessions:
        if assembled.no_conversation or not assembled.turns:
            reason = reason or assembled.no_conversation or what_was_skipped(assembled.skipped_records)
            continue
        if not belonging.takes(assembled):
            reason = reason or "its sessions were recorded in other repositories"
            continue
        found = True
        with growing.remembering() if growing else nullcontext():
            frame = compose(assembled, name, ws.policy, topic=topic)
        if growing and not dry_run:
            growing.save([frame["id"]])
        del assembled  # a frame is slimmed, and this may be many times as large
        yield Reading(frame, source)
    if not found:
        raise NotUnderstood(f"no conversation in '{source}': {reason}")


def read_transcript(
    ws: Workspace,
    name: str,
    file: BinaryIO,
    source: str,
    *,
    topic: str = "",
    keep_reasoning: bool = False,
    dry_run: bool = False,
) -> Reading:
    """The frame of the last session in a transcript (see ``read_transcripts``)."""
    *_, last = read_transcripts(ws, name, file, source, topic=topic, keep_reasoning=keep_reasoning, dry_run=dry_run)
    return last


def is_unused_copy(ws: Workspace, frame: Frame) -> bool:
    """Is this session one that ``frames resume --into`` wrote and nobody went on with: no word is new in it?"""
    parent = frame.get("session", {}).get("parent")
    if not parent:
        return False
    for path in [*map(ws.store.full, ws.store.iter_paths()), *ws.state.list_closed_paths()]:
        try:
            if ws.index.summary_of_file(path)["session_id"] == parent:
                return _words(frame) <= _words(read_frame(path))
        except FramesError:
            continue
    return False


def _words(frame: Frame) -> set[str]:
    return {turn.get("text", "").strip() for turn in frame.get("turns", []) if turn.get("text")}


def what_was_skipped(skipped: Sequence[SkippedRecords]) -> str:
    if not skipped:
        return "nobody speaks in it"
    return "; ".join(f"{record['count']} x {record['reason']}" for record in skipped)
