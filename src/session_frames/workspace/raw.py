"""Raw transcripts: keeping one at close and import, listing, limiting, giving back."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from datetime import UTC, datetime, timedelta
from typing import BinaryIO, NamedTuple

from session_frames.errors import FormatError, FramesError, NothingFound, UsageError
from session_frames.model import frame_id
from session_frames.operations.exchange import is_frame_text
from session_frames.storage.raw_cleaning import is_clean
from session_frames.storage.raw_exchange import Exchange
from session_frames.storage.raw_manifest import raw_size, stored_size
from session_frames.storage.raw_store import RawStore, Source
from session_frames.storage.saved_readings import SavedReadings
from session_frames.storage.transcript_files import events_of
from session_frames.transcripts.base import AgentText, Begins, UserWords
from session_frames.workspace.catalog import catalog, get_entry
from session_frames.workspace.core import Workspace
from session_frames.workspace.keeping import Captured

_HEAD = 4096
_TIME = "%Y-%m-%dT%H:%M:%SZ"
_NO_TEXT = "raw: not kept for this format"
_SEVERAL = "raw: not kept, '{source}' holds several sessions"
_SPLIT = "raw: not kept, what is said in '{source}' lies in files beside it"


def raw_store(ws: Workspace) -> RawStore:
    """The raw transcripts of this repository."""
    return RawStore(ws.state)


# ---------------------------------------------------------------------------------------------------------------------
# Keeping


class RawKeeper:
    """Keeps the raw transcripts of what is captured in one run; what a source can't give is said once."""

    def __init__(self, ws: Workspace) -> None:
        self._ws = ws
        self._refused: set[str] = set()

    def keep(self, captured: Captured, piped: BinaryIO | None = None) -> Captured:
        """The same, with a note where its raw transcript could not be kept. The frame never suffers from that."""
        if not self._ws.keeps_raw or captured.source in self._refused:
            return captured
        try:
            note = self._keep(captured, piped)
        except (FramesError, OSError) as error:
            note = f"raw: not kept: {error.message if isinstance(error, FramesError) else error.strerror}"
        if not note:
            return captured
        self._refused.add(captured.source)
        return captured._replace(notes=(*captured.notes, note))

    def _keep(self, captured: Captured, piped: BinaryIO | None) -> str:
        path = os.path.join(self._ws.cwd, captured.source)
        agent = captured.frame.get("session", {}).get("agent", "")
        with nullcontext(piped) if piped else open(path, "rb") as file:
            file.seek(0)
            if is_frame_text(file.read(_HEAD)):
                return ""
            if obstacle := _obstacle(agent, file):
                return obstacle.format(source=captured.source)
            source = Source(file, agent, os.path.basename(captured.source))
            whole = (*captured.earlier, captured)[0].frame["id"]  # one transcript, however many frames it is split into
            saved = raw_store(self._ws).save(whole, source, self._ws.policy, self._ws.now())
        return "" if saved.manifest else _NO_TEXT


def _obstacle(agent: str, file: BinaryIO) -> str:
    """Why this one file is not the session's transcript, if it is not.

    A format whose files may hold several sessions tells where each begins, before its words. Nobody speaks in a file
    whose words lie in others beside it.
    """
    file.seek(0)
    sessions, spoken = 0, False
    for event in events_of(agent, file, ""):
        sessions += isinstance(event, Begins)
        spoken = spoken or isinstance(event, UserWords | AgentText)
        if sessions > 1:
            return _SEVERAL
        if spoken and not sessions:
            break
    return "" if spoken else _SPLIT


# ---------------------------------------------------------------------------------------------------------------------
# Looking, limiting, giving back


class RawKept(NamedTuple):
    """The raw transcript of one frame. Sizes are in bytes; ``damage`` is known of what was checked."""

    id: str
    topic: str
    agent: str
    source: str
    saved_at: str
    raw_size: int
    stored_size: int
    segments: int
    secrets: int
    damage: tuple[str, ...] = ()


def raw_list(ws: Workspace, check: bool = False) -> list[RawKept]:
    """All raw transcripts that are kept, the one saved last first; ``check`` reads each of them."""
    store = raw_store(ws)
    ids = store.list_ids()
    topics = {entry.summary["id"]: entry.summary["topic"] for entry in catalog(ws).entries} if ids else {}
    kept = [_kept(store, frame_id, topics.get(frame_id, ""), check) for frame_id in ids]
    return sorted(kept, key=lambda one: (one.saved_at, one.id), reverse=True)


def _kept(store: RawStore, frame_id: str, topic: str, check: bool) -> RawKept:
    try:
        found = store.find(frame_id)
    except FormatError as error:
        return _unusable(store, frame_id, topic, (error.message,))
    if found is None:
        return _unusable(store, frame_id, topic, ("the save was not finished",))
    return RawKept(
        id=frame_id,
        topic=topic,
        agent=found["agent"],
        source=found["source"],
        saved_at=found["saved_at"],
        raw_size=raw_size(found),
        stored_size=stored_size(found),
        segments=len(found["segments"]),
        secrets=sum(segment["secrets"] for segment in found["segments"]),
        damage=tuple(error.message for error in store.list_damage(frame_id)) if check else (),
    )


def _unusable(store: RawStore, frame_id: str, topic: str, damage: tuple[str, ...]) -> RawKept:
    size, changed = store.on_disk(frame_id)
    saved_at = datetime.fromtimestamp(changed, UTC).strftime(_TIME)
    return RawKept(frame_id, topic, "", "", saved_at, 0, size, 0, 0, damage)


def raw_prune(
    ws: Workspace, *, older_than: int | None = None, keep_under: int | None = None, dry_run: bool = False
) -> list[RawKept]:
    """Take raw transcripts away, never frames: those saved more than ``older_than`` days ago, and the oldest until
    all together take no more than ``keep_under`` MB. What was taken, or with ``dry_run`` would be."""
    if older_than is None and keep_under is None:
        raise UsageError("say what to remove", hint="frames raw prune --older-than DAYS or --keep-under MB")
    gone = _too_many(raw_list(ws), _days_before(ws, older_than), keep_under)
    if not dry_run:
        for one in gone:
            raw_store(ws).remove(one.id)
        Exchange(ws.repo, ws.state).remove(one.id for one in gone)
        _prune_readings(ws, {one.id for one in gone}, _days_before(ws, older_than))
    return gone


def _prune_readings(ws: Workspace, pruned: set[str], before: str) -> None:
    """Take along the readings that were put away of these frames, before this moment, or of transcripts now gone."""
    readings = SavedReadings(ws.state)
    theirs = set(readings.list_of(pruned))
    readings.prune(lambda path, at: path in theirs or datetime.fromtimestamp(at, UTC).strftime(_TIME) < before)


def _days_before(ws: Workspace, days: int | None) -> str:
    if days is None:
        return ""
    return (datetime.fromisoformat(ws.now()) - timedelta(days=days)).strftime(_TIME)


def _too_many(kept: list[RawKept], before: str, keep_under: int | None) -> list[RawKept]:
    """Of what is kept, the newest first: what was saved before this moment or is over the limit; the oldest first."""
    gone, total = [], 0
    for one in kept:
        total += one.stored_size
        if one.saved_at < before or (keep_under is not None and total > keep_under * 1_000_000):
            gone.append(one)
    return gone[::-1]


def raw_text(ws: Workspace, name: str | None) -> Iterator[bytes]:
    """The raw transcript of a frame, as it is kept. ``NothingFound`` where there is none, ``FormatError`` names the
    segment when a part of it is damaged: then nothing of it is given."""
    summary = get_entry(ws, name).summary
    store = raw_store(ws)
    # The frames of a session that was split share one transcript, kept under the id of the first.
    ids = (summary["id"], frame_id(summary["agent"], summary["session_id"]))
    kept = next((one for one in ids if store.find(one) is not None), None)
    if kept is None:
        raise NothingFound(
            f"no raw transcript of frame '{summary['id'][:12]}' is kept",
            hint="frames import of its transcript keeps it",
        )
    store.clean(kept, ws.policy)
    return store.iter_bytes(kept)


def unclean(ws: Workspace) -> list[str]:
    """The frames whose raw transcript was cleaned by other rules than those of today; damaged ones are not told."""
    store = raw_store(ws)
    found = []
    for name in store.list_ids():
        with suppress(FormatError):
            manifest = store.find(name)
            found += [name] if manifest and not is_clean(manifest, ws.policy) else []
    return found


def clean_all(ws: Workspace) -> None:
    """Every raw transcript, cleaned by the rules of today; a damaged one stays as it is."""
    for name in unclean(ws):
        with suppress(FormatError):
            raw_store(ws).clean(name, ws.policy)
