"""Taking every session of this repository on this machine, before their agents delete them; and moving in from
neighbouring tools that keep sessions in git."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, BinaryIO, NamedTuple, cast

from session_frames.errors import FramesError, NotUnderstood
from session_frames.model import Frame, frame_id
from session_frames.operations.summary import Summary, summarize
from session_frames.storage.private_state import write_atomically
from session_frames.storage.transcript_files import SNIFFED, TranscriptFile, files_below, list_transcripts, whereabouts
from session_frames.transcripts import FORMATS, get_format, sniff_format
from session_frames.transcripts.base import Meta
from session_frames.workspace.core import Workspace
from session_frames.workspace.keeping import keep
from session_frames.workspace.raw import RawKeeper
from session_frames.workspace.reading import Belonging, is_unused_copy, read_transcripts

# Where a neighbouring tool keeps the transcripts of sessions in git: one folder a checkpoint, one session in many.
CHECKPOINTS = "entire/checkpoints/v1"
_OWN_NOTES = ("refs/notes/frames", "refs/notes/commits")

# Told while the work goes on: how many of how many files are done.
Progress = Callable[[int, int], None]


class Rescued(NamedTuple):
    """What became of one file: ``taken``, ``unchanged`` or ``skipped``; ``why`` it was skipped."""

    source: str
    agent: str
    outcome: str
    why: str
    summaries: tuple[Summary, ...]


class Wanted(NamedTuple):
    """Which sessions to take, and where to."""

    since: str = ""  # ended on or after this date
    share: bool = False  # into .copilot/archive instead of the private area
    folder: str = ""  # every transcript below this folder, wherever it was recorded, instead of the agents' own places
    agents: tuple[str, ...] = ()


def rescue(ws: Workspace, wanted: Wanted, progress: Progress = lambda done, of: None) -> Iterator[Rescued]:
    """Every session of this machine that belongs to this repository or its work trees, one answer a file.

    Files of other repositories are passed over without a word. What was taken before and has not changed since is not
    read again.
    """
    belonging = Belonging(ws)
    formats = wanted.agents or tuple(FORMATS)
    if wanted.folder:
        files = [TranscriptFile(path, "", os.stat(path).st_mtime) for path in files_below(wanted.folder)]
    else:
        files = list_transcripts(ws.homes, ws.environ, formats, belonging.tops)
    known = _Known(ws)
    for at, file in enumerate(files, 1):
        progress(at, len(files))
        if wanted.since and _day(file.modified) < wanted.since:
            continue
        answer = _take_file(ws, file, belonging, wanted, known)
        if answer is not None:
            yield answer
    known.save()
    if not wanted.folder:
        yield from _from_git(ws, wanted)


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).date().isoformat()


def _take_file(
    ws: Workspace, file: TranscriptFile, belonging: Belonging, wanted: Wanted, known: _Known
) -> Rescued | None:
    name = file.format or _sniffed(file.path)
    if not name:
        return None
    file = file._replace(format=name)
    if not wanted.folder:
        place = whereabouts(file)
        if place is None:
            return None
        if belonging.is_homeless(place):
            return Rescued(file.path, name, "skipped", "it records no working directory", ())
        if not belonging.holds(place):
            return None
    before = known.summaries(file.path)
    if before is not None and not wanted.share:
        return Rescued(file.path, name, "unchanged", "", before)
    try:
        with open(file.path, "rb") as source:
            answer = _take(ws, name, source, file.path, wanted)
    except (FramesError, OSError) as error:
        return Rescued(file.path, name, "skipped", str(error), ())
    known.add(file.path, answer.summaries)
    return answer


def _sniffed(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return sniff_format(file.read(SNIFFED)) or ""
    except OSError:
        return ""


def _take(ws: Workspace, name: str, source: BinaryIO, shown: str, wanted: Wanted) -> Rescued:
    """Every session of one transcript, into the private area or the archive."""
    summaries, changed, raw = [], False, RawKeeper(ws)
    for reading in read_transcripts(ws, name, source, shown):
        frame = reading.frame
        if wanted.since and frame.get("boundary", {}).get("ended_at", wanted.since) < wanted.since:
            continue
        if is_unused_copy(ws, frame):
            return Rescued(shown, name, "skipped", "it only repeats a session that is kept already", ())
        if wanted.share:
            frame = cast(Frame, {**frame, "status": "archived"})
        captured = keep(ws, frame, shown, private=not wanted.share)
        if os.path.isfile(shown):
            raw.keep(captured)
        kept = (*captured.earlier, captured)
        changed = changed or any(one.changed for one in kept)
        summaries += [summarize(one.frame) for one in kept]
    return Rescued(shown, name, "taken" if changed else "unchanged", "", tuple(summaries))


class _Known:
    """Files that were read before: what does not change need not be read again. Kept in the private area."""

    def __init__(self, ws: Workspace) -> None:
        self._path = ws.state.path("rescued.json")
        self._closed_path = ws.state.closed_path
        self._files: dict[str, Any] = {}
        try:
            with open(self._path, "rb") as file:
                loaded = json.loads(file.read())
            self._files = loaded if isinstance(loaded, dict) else {}
        except (OSError, ValueError):
            pass

    def summaries(self, path: str) -> tuple[Summary, ...] | None:
        """The frames that the file gave when it was as it is now, or None."""
        entry = self._files.get(path)
        if not isinstance(entry, dict) or entry.get("stamp") != _stamp(path):
            return None
        found: list[Summary] = entry["summaries"]
        return tuple(found) if found and all(map(self._is_there, found)) else None

    def _is_there(self, summary: Summary) -> bool:
        return os.path.exists(self._closed_path(summary["id"]))

    def add(self, path: str, summaries: tuple[Summary, ...]) -> None:
        """The file, as it is now, gave these frames."""
        self._files[path] = {"stamp": _stamp(path), "summaries": list(summaries)}

    def save(self) -> None:
        """Keep what is known for the next time."""
        write_atomically(self._path, json.dumps(self._files).encode())


def _stamp(path: str) -> list[int]:
    try:
        seen = os.stat(path)
    except OSError:
        return []
    return [seen.st_size, seen.st_mtime_ns, seen.st_ino]


# ---------------------------------------------------------------------------------------------------------------------
# Neighbours that keep sessions in git


def _from_git(ws: Workspace, wanted: Wanted) -> Iterator[Rescued]:
    """Sessions in a branch of checkpoints and in git notes; of one session in many copies the longest counts."""
    for shown, content in [*_checkpoints(ws), *_notes(ws)]:
        name = sniff_format(content[:SNIFFED])
        if not name or (wanted.agents and name not in wanted.agents):
            continue
        try:
            yield _take(ws, name, io.BytesIO(content), shown, wanted)
        except NotUnderstood as error:
            yield Rescued(shown, name, "skipped", error.message, ())


def _checkpoints(ws: Workspace) -> Iterator[tuple[str, bytes]]:
    tips = ws.repo.run(
        "for-each-ref", "--format=%(objectname)", f"refs/heads/{CHECKPOINTS}", f"refs/remotes/*/{CHECKPOINTS}"
    )
    blobs: dict[str, str] = {}
    for tip in dict.fromkeys(tips.decode().split()):
        blobs |= {file.blob: file.path for file in ws.repo.tree_files(tip, ["."]) if file.path.endswith("/full.jsonl")}
    longest: dict[str, tuple[str, bytes]] = {}
    for blob, content in ws.repo.iter_blobs(blobs):
        if content is None:
            continue
        key = _session_in(content)
        if key not in longest or len(content) > len(longest[key][1]):
            longest[key] = f"{CHECKPOINTS}:{blobs[blob]}", content
    yield from longest.values()


def _session_in(content: bytes) -> str:
    """What tells one session from another in a checkpoint: its id, else how it begins."""
    name = sniff_format(content[:SNIFFED])
    if name:
        for at, event in enumerate(get_format(name).read(io.BytesIO(content))):
            if isinstance(event, Meta) and event.name == "session_id":
                return f"{name} {event.value}"
            if at > 200:
                break
    return content[:256].decode("utf-8", "replace")


def _notes(ws: Workspace) -> Iterator[tuple[str, bytes]]:
    refs = ws.repo.run("for-each-ref", "--format=%(refname)", "refs/notes/").decode().split()
    for ref in refs:
        if ref in _OWN_NOTES:
            continue
        listed = ws.repo.run("notes", f"--ref={ref}", "list").decode().splitlines()
        commits = dict(line.split(" ", 1) for line in listed if " " in line)
        for blob, content in ws.repo.iter_blobs(commits):
            if content is not None:
                yield f"{ref}:{commits[blob][:12]}", content


# ---------------------------------------------------------------------------------------------------------------------
# What will be deleted


class Endangered(NamedTuple):
    """Sessions of this repository that their agent deletes within ``days``, and that no frame holds."""

    agent: str
    files: tuple[str, ...]
    days: int


def endangered(ws: Workspace, within_days: int = 7) -> list[Endangered]:
    """The sessions of this repository that would be lost soon; agents that delete nothing are passed over."""
    belonging = Belonging(ws)
    now = datetime.fromisoformat(ws.now()).timestamp()
    known = _Known(ws)
    found = []
    for name in FORMATS:
        keeps_days = getattr(get_format(name), "KEEPS_DAYS", 0)
        if not keeps_days:
            continue
        old = []
        for file in list_transcripts(ws.homes, ws.environ, [name], belonging.tops):
            left = keeps_days - (now - file.modified) / 86400
            if left > within_days or known.summaries(file.path) is not None:
                continue
            place = whereabouts(file)
            if place is not None and belonging.holds(place) and not _is_kept(ws, name, place.session_id):
                old.append(file.path)
        if old:
            found.append(Endangered(name, tuple(old), within_days))
    return found


def _is_kept(ws: Workspace, agent: str, session_id: str) -> bool:
    return os.path.exists(ws.state.closed_path(frame_id(agent, session_id)))
