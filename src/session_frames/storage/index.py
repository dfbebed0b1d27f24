"""What git's history says about frames, kept in SQLite so that nothing is read twice.

The index is only a cache: it is keyed by commit and blob ids, which never change their meaning, filled by
``commit_links.refresh``, and made anew when it is missing, damaged or written by another version. Where it cannot be
written (a read-only repository, a full disk) it lives in memory for as long as the process.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from session_frames import __version__
from session_frames.errors import EnvironmentError_, FramesError
from session_frames.storage.index_schema import OF_HISTORY, SCHEMA
from session_frames.storage.private_state import PrivateState, make_folder
from session_frames.storage.quick_look import SCHEMA_VERSION

if TYPE_CHECKING:
    from session_frames.model import Frame
    from session_frames.operations.summary import Summary

    Gather = Callable[[str, Frame], object]

KEY_SIZE: Final = 8
"""Bytes that stand for one turn id in ``Version.turns``."""

_BUSY_SECONDS = 10.0
_CHUNK = 500  # SQLite takes at least 999 parameters in a statement

_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_UNWRITABLE = (
    sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_AUTH,
)  # fmt: skip
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


class IndexLost(EnvironmentError_):
    """The index could not be used and has been replaced by an empty one: whoever was filling it starts again."""


class Version(NamedTuple):
    """One version of a frame file, as the index keeps it: ``frame`` is empty when it is no valid frame."""

    frame: str
    turns: bytes
    """The first ``KEY_SIZE`` bytes of the digest of each turn's id, one after the other."""
    summary: str
    wrote: bool
    """Do its calls tell of lines that they wrote?"""

    def turn_keys(self) -> list[bytes]:
        """What stands for the ids of the turns, in order."""
        return [self.turns[at : at + KEY_SIZE] for at in range(0, len(self.turns), KEY_SIZE)]


def read_version(data: bytes | None, name: str, gather: Gather | None = None) -> Version:
    """What the index keeps of the content of a frame file; one that is missing or no valid frame is kept as that.

    ``gather`` is told the frame under this name, where it wrote something.
    """
    import hashlib

    from session_frames.frame_json import decode
    from session_frames.operations.summary import summarize

    try:
        if data is None:
            return Version("", b"", "", False)
        frame = decode(data, name)
    except FramesError:
        return Version("", b"", "", False)
    keys = [
        hashlib.sha256(turn["id"].encode("utf-8", "surrogatepass")).digest()[:KEY_SIZE]
        for turn in frame.get("turns", [])
    ]
    wrote = b'"wrote"' in data
    if gather is not None and wrote:
        gather(name, frame)
    return Version(frame["id"], b"".join(keys), json.dumps(summarize(frame)), wrote)


def path_bytes(path: str) -> bytes:
    """A path as the index keeps it: SQLite's text cannot hold names that are no UTF-8."""
    return path.encode("utf-8", "surrogateescape")


def path_text(path: bytes) -> str:
    """A path from the index."""
    return path.decode("utf-8", "surrogateescape")


class Index:
    """The index of one repository, opened when it is first asked."""

    def __init__(self, state: PrivateState) -> None:
        self.state = state
        self._path = state.path("index.sqlite")
        self._database: sqlite3.Connection | None = None
        self._inode = 0
        self._in_memory = False
        self._new_files: dict[str, tuple[str, str]] = {}
        self.refill: Callable[[], object] | None = None
        """Fills the index again when it is found damaged while it is read; set by ``commit_links.refresh``."""

    @classmethod
    def open(cls, state: PrivateState) -> Index:
        """The index in this private area; nothing is read or written yet."""
        return cls(state)

    def close(self) -> None:
        """Keep what was learnt about files, and let go of the database."""
        if self._new_files:
            with suppress(FramesError), self.write() as database:
                rows = [(path_bytes(path), *row) for path, row in self._new_files.items()]
                database.executemany("INSERT OR REPLACE INTO files VALUES (?, ?, ?)", rows)
            self._new_files = {}
        self._disconnect()

    def __enter__(self) -> Index:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- reading and writing ------------------------------------------------------------------------------------------

    def rows(self, statement: str, parameters: Iterable[Any] = ()) -> list[Any]:
        """The answer to a query. A damaged index is filled again first, or ``IndexLost`` where nobody said how."""
        values = tuple(parameters)
        try:
            return self._connection().execute(statement, values).fetchall()
        except sqlite3.DatabaseError as error:
            self._replace(error)
        if self.refill is None:
            raise IndexLost("index was not usable", hint="run the command again")
        self.refill()
        return self._connection().execute(statement, values).fetchall()

    def rows_for(self, statement: str, keys: Iterable[str | bytes]) -> Iterator[Any]:
        """The answers to a query that has ``IN (?)`` for any number of keys."""
        asked = list(dict.fromkeys(keys))
        for start in range(0, len(asked), _CHUNK):
            part = asked[start : start + _CHUNK]
            yield from self.rows(statement.replace("(?)", f"({','.join('?' * len(part))})"), part)

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """One transaction, kept whole or not at all; ``IndexLost`` when the index had to be replaced."""
        try:
            database = self._connection()
            database.execute("BEGIN IMMEDIATE")
            try:
                yield database
            except BaseException:
                database.execute("ROLLBACK")
                raise
            database.execute("COMMIT")
        except sqlite3.DatabaseError as error:
            self._replace(error)
            raise IndexLost("index was not usable", hint="run the command again") from error

    def value(self, key: str) -> str:
        """A word that was kept, or the empty string."""
        found = self.rows("SELECT value FROM meta WHERE key = ?", (key,))
        return str(found[0][0]) if found else ""

    def forget_value(self, key: str) -> None:
        """A word that was kept is kept no more."""
        with self.write() as database:
            database.execute("DELETE FROM meta WHERE key = ?", (key,))

    def forget_history(self, history: str) -> None:
        """The history is not the one that was read: begin again, and remember which one it is now."""
        with self.write() as database:
            for table in OF_HISTORY:
                database.execute(f"DELETE FROM {table}")
            keep = [("validity", _validity()), ("history", history)]
            database.executemany("INSERT INTO meta VALUES (?, ?)", keep)

    # -- frames -------------------------------------------------------------------------------------------------------

    def versions(self, blobs: Iterable[str]) -> dict[str, Version]:
        """What is known of these blobs; those never looked at are left out."""
        found = self.rows_for("SELECT blob, frame, turns, summary, wrote FROM blobs WHERE blob IN (?)", blobs)
        return {blob: Version(*rest) for blob, *rest in found}

    def summaries(self, blobs: Iterable[str]) -> dict[str, Summary]:
        """The summaries of the frames in these blobs; what is no valid frame is left out."""
        found = self.rows_for("SELECT blob, summary FROM blobs WHERE frame <> '' AND blob IN (?)", blobs)
        return {blob: json.loads(summary) for blob, summary in found}

    def summary_of_file(self, path: str) -> Summary:
        """The summary of a frame file; ``FormatError`` when it is no valid frame.

        It is read again only when its size, its time or its inode changed.
        """
        try:
            facts = os.stat(path)
            stamp = f"{facts.st_size} {facts.st_mtime_ns} {facts.st_ino}"
            kept = self._new_files.get(path) or self._kept_file(path)
            if kept and kept[0] == stamp:
                summary: Summary = json.loads(kept[1])
                return summary
            with open(path, "rb") as file:
                data = file.read()
        except OSError as error:
            raise EnvironmentError_(f"cannot read '{path}': {error.strerror}") from error
        from session_frames.frame_json import decode
        from session_frames.operations.summary import summarize

        summary = summarize(decode(data, path))
        self._new_files[path] = stamp, json.dumps(summary)
        return summary

    def _kept_file(self, path: str) -> tuple[str, str] | None:
        try:
            found = self.rows("SELECT stamp, summary FROM files WHERE path = ?", (path_bytes(path),))
        except IndexLost:
            return None
        return found[0] if found else None

    # -- the database file --------------------------------------------------------------------------------------------

    def _connection(self) -> sqlite3.Connection:
        if self._database is None:
            try:
                self._database = self._connect()
                _prepare(self._database)
            except sqlite3.DatabaseError as error:
                self._replace(error)
                self._database = self._connect()
                _prepare(self._database)
        return self._database

    def _connect(self) -> sqlite3.Connection:
        if not self._in_memory:
            self._in_memory = not self._is_writable()
        if self._in_memory:
            return self._copy_in_memory()
        database = sqlite3.connect(self._path, timeout=_BUSY_SECONDS, isolation_level=None)
        self._inode = _inode(self._path)
        # A power cut costs a rebuild, a full sync would cost every commit of the user some milliseconds.
        database.execute("PRAGMA synchronous = NORMAL")
        database.execute("PRAGMA journal_mode = TRUNCATE")
        return database

    def _is_writable(self) -> bool:
        try:
            make_folder(self.state.root)
        except EnvironmentError_:
            return False
        return os.access(self.state.root, os.W_OK) and (
            not os.path.exists(self._path) or os.access(self._path, os.W_OK)
        )

    def _copy_in_memory(self) -> sqlite3.Connection:
        database = sqlite3.connect(":memory:", isolation_level=None)
        with suppress(sqlite3.DatabaseError), closing(sqlite3.connect(_read_only(self._path), uri=True)) as file:
            file.backup(database)
        return database

    def _disconnect(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None

    def _replace(self, error: sqlite3.DatabaseError) -> None:
        """Let go of a database that cannot be used, so that the next use finds a sound one; else raise the error."""
        extended = getattr(error, "sqlite_errorcode", 0)
        code = extended & 0xFF
        self._disconnect()
        if code in _BUSY:
            raise EnvironmentError_(f"cannot use '{self._path}': other processes keep it locked") from error
        if extended == sqlite3.SQLITE_READONLY_DBMOVED:
            return  # another process has replaced the file: the new one is opened
        if code in _DAMAGED:
            self._remove()
        elif code in _UNWRITABLE:
            self._in_memory = True
        else:
            raise error

    def _remove(self) -> None:
        """Take the damaged file away, unless another process has already done so."""
        with self.state.lock("index"):
            if _inode(self._path) == self._inode:
                for path in (self._path, self._path + "-journal"):
                    with suppress(FileNotFoundError):
                        os.unlink(path)


def _prepare(database: sqlite3.Connection) -> None:
    """Make the tables, unless they are there and of this version."""
    if _is_valid(database):
        return
    database.execute("BEGIN IMMEDIATE")
    if not _is_valid(database):
        made = "SELECT type, name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'"
        for kind, name in database.execute(made).fetchall():
            database.execute(f'DROP {kind} "{name}"')
        for statement in SCHEMA.split(";\n"):
            database.execute(statement)
        database.execute("INSERT INTO meta VALUES ('validity', ?)", (_validity(),))
    database.execute("COMMIT")


def _is_valid(database: sqlite3.Connection) -> bool:
    try:
        found = database.execute("SELECT value FROM meta WHERE key = 'validity'").fetchone()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_ERROR:
            raise
        return False  # no such table
    return found is not None and found[0] == _validity()


def _validity() -> str:
    return f"{__version__} {SCHEMA_VERSION}"


def _inode(path: str) -> int:
    try:
        return os.stat(path).st_ino
    except OSError:
        return 0


def _read_only(path: str) -> str:
    from urllib.parse import quote

    return f"file:{quote(path)}?mode=ro&immutable=1"
