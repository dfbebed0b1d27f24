"""Exchanging raw transcripts with one remote that was elected for it, and only when asked."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple, TypedDict

from session_frames.errors import FormatError, RefusedError, UsageError
from session_frames.storage.commit_links import known_frames, refresh
from session_frames.storage.private_state import write_atomically
from session_frames.storage.raw_exchange import Exchange, Held, Outgoing
from session_frames.storage.raw_manifest import (
    Manifest,
    Segment,
    decode_manifest,
    encode_manifest,
    raw_size,
)
from session_frames.storage.raw_segments import iter_stored
from session_frames.workspace.core import Workspace
from session_frames.workspace.raw import raw_store

_ELECTION = "sync.json"

# What happened, or would happen, to the raw transcript of one frame.
SENT = "sent"
FETCHED = "fetched"
SAME = "same"
DIFFERENT = "different"  # both sides have what the other has not: both stay
REFUSED = "refused"  # the remote did not take it
DAMAGED = "damaged"  # what came is not what its manifest says
REMOVED = "removed"  # it was removed here, and is not brought back


class Election(TypedDict):
    """The remote that was elected, with its addresses then."""

    remote: str
    addresses: list[str]


class Synced(NamedTuple):
    """The raw transcript of one frame after an exchange."""

    id: str
    topic: str
    what: str
    raw_size: int
    why: str = ""


class Sync(NamedTuple):
    """An exchange: with whom, was the remote elected by it, and what became of each raw transcript."""

    remote: str
    elected: bool
    frames: list[Synced]


def sync(ws: Workspace, remote: str = "", *, dry_run: bool = False) -> Sync:
    """Give the remote the raw transcripts of frames that commits hold, and take those that it has of such frames.

    The first remote that is named is elected; from then on no other one is, nor that one at another address
    (``RefusedError``). What was removed here is not brought back.
    """
    with ws.state.lock("sync"):
        election, elected = _elect(ws, remote)
        exchanging = _Exchanging(ws, election)
        planned = exchanging.look()
        if dry_run:
            return Sync(election["remote"], elected, planned)
        _write(ws, election)
        return Sync(election["remote"], elected, exchanging.do(planned))


def stop_sync(ws: Workspace) -> str:
    """No remote is elected any more, and nothing of an exchange is kept; its name, "" where there was none."""
    with ws.state.lock("sync"):
        election = read_election(ws)
        Exchange(ws.repo, ws.state).remove_all()
        with suppress(FileNotFoundError):
            os.unlink(ws.state.path(_ELECTION))
        return election["remote"] if election else ""


# ---------------------------------------------------------------------------------------------------------------------
# The remote


def read_election(ws: Workspace) -> Election | None:
    """The remote that was elected, if any."""
    try:
        with open(ws.state.path(_ELECTION), "rb") as file:
            election: Election = json.loads(file.read())
            return election
    except FileNotFoundError:
        return None
    except ValueError as error:
        path = ws.state.path(_ELECTION)
        raise FormatError(f"'{path}' is damaged", hint="frames sync --stop, then name the remote anew") from error


def _write(ws: Workspace, election: Election) -> None:
    write_atomically(ws.state.path(_ELECTION), json.dumps(election, indent=1).encode())


def _elect(ws: Workspace, remote: str) -> tuple[Election, bool]:
    known = read_election(ws)
    if known is None:
        if not remote:
            raise UsageError("no remote is elected for raw transcripts", hint="frames sync REMOTE elects one")
        return Election(remote=remote, addresses=_addresses(ws, remote)), True
    if remote and remote != known["remote"]:
        raise RefusedError(
            f"raw transcripts go to '{known['remote']}' only, not to '{remote}'",
            hint=f"frames sync --stop, then frames sync {remote}",
        )
    if _addresses(ws, known["remote"]) != known["addresses"]:
        raise RefusedError(
            f"remote '{known['remote']}' is not where it was when it was elected: {', '.join(known['addresses'])}",
            hint=f"frames sync --stop, then frames sync {known['remote']}, if it may have them",
        )
    return known, False


def _addresses(ws: Workspace, remote: str) -> list[str]:
    """Where a remote is fetched from and pushed to; ``UsageError`` for what is no remote of this repository."""
    lines = ws.repo.run("remote", "-v").decode("utf-8", "surrogateescape").splitlines()
    known = [line.split("\t", 1) for line in lines]
    found = [address.rpartition(" (")[0] for name, address in known if name == remote]
    if not found:
        names = ", ".join(dict.fromkeys(name for name, _ in known)) or "none"
        raise UsageError(f"no such remote: '{remote}'", hint=f"remotes here: {names}")
    return list(dict.fromkeys(found))


# ---------------------------------------------------------------------------------------------------------------------
# The exchange


class _Side:
    """A raw transcript as one side has it. The digests of its segments say which state that is."""

    def __init__(self, manifest: Manifest, iter_bytes: Callable[[], Iterator[bytes]]) -> None:
        self.manifest = manifest
        self.iter_bytes = iter_bytes
        self.state = [segment["sha256"] for segment in manifest["segments"]]


class _Exchanging:
    """One exchange: looks at both sides, decides for each frame, and does it."""

    def __init__(self, ws: Workspace, election: Election) -> None:
        self._ws = ws
        self._remote = election["remote"]
        self._store = raw_store(ws)
        self._exchange = Exchange(ws.repo, ws.state)
        self._gone: set[str] = set()
        self._before: dict[str, str] = {}
        self._there: dict[str, str] = {}
        self._held: dict[str, Held] = {}

    def look(self) -> list[Synced]:
        """What is to be done with each raw transcript of a frame that a commit holds. Only the exchange is written."""
        refresh(self._ws.repo, self._ws.index)
        topics = {name: summary["topic"] for name, summary in known_frames(self._ws.index).items()}
        remote_tips = self._exchange.remote_tips(self._remote)
        self._there = {name: tip for name, tip in remote_tips.items() if name in topics}
        self._before = self._exchange.tips()
        self._exchange.make()
        self._gone = {name for name in self._exchange.removed() if self._store.find(name) is None}
        news = {
            name: tip for name, tip in self._there.items() if self._before.get(name) != tip and name not in self._gone
        }
        if news:
            self._exchange.fetch(self._remote, news)
        self._held = self._exchange.read({*news.values(), *self._before.values()})
        return [found for name, topic in topics.items() if (found := self._looked_at(name, topic))]

    def _looked_at(self, name: str, topic: str) -> Synced | None:
        if name in self._gone:
            return Synced(name, topic, REMOVED, 0) if name in self._there else None
        try:
            ours, theirs = self._ours(name), self._theirs(name, self._there.get(name, ""))
            what = _decided(ours, theirs, self._theirs(name, self._before.get(name, "")))
        except FormatError as error:
            return Synced(name, topic, DAMAGED, 0, error.message)
        side = theirs if what == FETCHED else ours
        return Synced(name, topic, what, raw_size(side.manifest)) if what and side else None

    def _ours(self, name: str) -> _Side | None:
        self._store.clean(name, self._ws.policy)
        manifest = self._store.find(name)
        return _Side(manifest, lambda: self._store.iter_bytes(name)) if manifest and manifest["segments"] else None

    def _theirs(self, name: str, tip: str) -> _Side | None:
        """What a commit holds; ``FormatError`` where that is no raw transcript of this frame."""
        if tip not in self._held:
            return None
        held = self._held[tip]
        manifest = decode_manifest(held.manifest, f"{tip[:10]}:manifest.json")
        if manifest["frame"] != name or any(_name(one) not in held.files for one in manifest["segments"]):
            raise FormatError(f"what '{self._remote}' has is no raw transcript of frame '{name[:12]}'")
        return _Side(manifest, lambda: self._bytes(held, manifest["segments"]))

    def _stored(self, held: Held, segments: Iterable[Segment]) -> Iterator[bytes]:
        for _, content in self._exchange.iter_files([held.files[_name(one)] for one in segments]):
            yield content or b""

    def _bytes(self, held: Held, segments: Sequence[Segment]) -> Iterator[bytes]:
        for segment, stored in zip(segments, self._stored(held, segments), strict=True):
            yield from iter_stored(stored, segment)

    # -- doing it -----------------------------------------------------------------------------------------------------

    def do(self, planned: list[Synced]) -> list[Synced]:
        """Fetch and send what was planned; what could not be done is told as that, and tried again the next time."""
        done = [self._installed(one) if one.what == FETCHED else one for one in planned]
        agreed = {one.id: self._there[one.id] for one in done if one.what in (FETCHED, SAME)}
        refused = self._send([one.id for one in done if one.what == SENT])
        tips = agreed | {name: self._before.get(name, "") for name in refused}
        self._exchange.set_tips(
            {name: tip for name, tip in tips.items() if tip != self._before.get(name) or name in refused}
        )
        return [one._replace(what=REFUSED, why=refused[one.id]) if one.id in refused else one for one in done]

    def _installed(self, one: Synced) -> Synced:
        side = self._theirs(one.id, self._there[one.id])
        held = self._held[self._there[one.id]]
        try:
            assert side is not None
            self._store.install(side.manifest, lambda segments: self._stored(held, segments))
        except FormatError as error:
            return one._replace(what=DAMAGED, raw_size=0, why=error.message)
        return one

    def _send(self, names: Sequence[str]) -> dict[str, str]:
        """Commit and push these; why the remote did not take one."""
        if not names:
            return {}
        made = self._exchange.add({name: self._outgoing(name) for name in names}, _seconds(self._ws))
        answers = {one.frame_id: one.refused for one in self._exchange.push(self._remote, made)}
        return {name: why for name in names if (why := answers.get(name, "it gave no answer"))}

    def _outgoing(self, name: str) -> Outgoing:
        """What goes out says nothing of this machine's files."""
        manifest = self._store.find(name)
        assert manifest is not None
        folder = self._store.folder(name)
        files = {_name(one): os.path.join(folder, one["file"]) for one in manifest["segments"]}
        told = Manifest(**{**manifest, "size": 0, "mtime_ns": 0, "inode": 0})
        parent = self._there.get(name, "")
        known = self._held[parent].files if parent in self._held else {}
        return Outgoing(parent, known, files, encode_manifest(told))


def _decided(ours: _Side | None, theirs: _Side | None, before: _Side | None) -> str:
    """What is to happen; "" where neither side has anything. The side that alone changed, or that goes on, is newer."""
    if ours is None or theirs is None:
        return FETCHED if theirs else SENT if ours else ""
    if ours.state == theirs.state:
        return SAME
    if before and before.state in (ours.state, theirs.state):
        return FETCHED if before.state == ours.state else SENT
    longer, shorter, what = (ours, theirs, SENT)
    if raw_size(ours.manifest) < raw_size(theirs.manifest):
        longer, shorter, what = (theirs, ours, FETCHED)
    return what if _begins_with(longer.iter_bytes(), shorter.iter_bytes()) else DIFFERENT


def _begins_with(longer: Iterator[bytes], shorter: Iterator[bytes]) -> bool:
    """By content: the segments of two machines are cut otherwise."""
    rest = b""
    for chunk in shorter:
        while len(rest) < len(chunk):
            more = next(longer, b"")
            if not more:
                return False
            rest += more
        if not rest.startswith(chunk):
            return False
        rest = rest[len(chunk) :]
    return True


def _name(segment: Segment) -> str:
    return segment["sha256"] + ".zst"


def _seconds(ws: Workspace) -> int:
    from datetime import datetime

    return int(datetime.fromisoformat(ws.now()).timestamp())
