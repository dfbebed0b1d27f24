"""Databases of SQLite, read from their bytes: nothing is opened on the disk, locked or written.

An agent that is still running has its latest changes in the write-ahead log beside the database (``-wal``); they are
put into the pages before the database is read.
"""

from __future__ import annotations

import re
import sqlite3
import struct
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from typing import Any, BinaryIO

from session_frames.errors import NotUnderstood
from session_frames.transcripts.base import Record, load_json

MAGIC = b"SQLite format 3\0"
WAL_SUFFIX = "-wal"

_WAL_MAGICS = (0x377F0682, 0x377F0683)
_WAL_HEAD = struct.Struct(">IIIIIIII")  # magic, version, page size, checkpoint, two salts, two checksums
_FRAME_HEAD = struct.Struct(">IIIIII")  # page, size of the database after a commit, two salts, two checksums
_READ_MODES = slice(18, 20)
_ROLLBACK_MODE = b"\1\1"


def is_database(head: bytes) -> bool:
    """Does a database of SQLite begin like this?"""
    return head.startswith(MAGIC)


def declares(head: bytes, tables: Mapping[str, tuple[str, ...]]) -> bool:
    """Does the schema at the beginning of a database declare these tables with these columns?"""
    return is_database(head) and all(_declares_table(head, table, columns) for table, columns in tables.items())


def _declares_table(head: bytes, table: str, columns: tuple[str, ...]) -> bool:
    name = re.escape(table.encode())
    for found in re.finditer(rb"(?i)CREATE TABLE (?:IF NOT EXISTS )?[\"`']?" + name + rb"[\"`']?\s*\(", head):
        body = head[found.end() :].split(b"CREATE ", 1)[0]
        if all(re.search(rb"[\s,(\"`]" + column.encode() + rb"[\s\"`]", b" " + body) for column in columns):
            return True
    return False


def wal_of(companions: Iterable[tuple[str, bytes]]) -> bytes:
    """The content of the write-ahead log among the companions of a database."""
    return next((content for path, content in companions if path.endswith(WAL_SUFFIX)), b"")


class Database:
    """The rows of a database that is held in memory."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def rows(self, table: str, where: str = "", *values: Any, order: str = "rowid") -> Iterator[Record]:
        """The rows of a table as objects, every column of it. Raises ``sqlite3.Error``."""
        clause = f" WHERE {where}" if where else ""
        cursor = self._connection.execute(f'SELECT * FROM "{table}"{clause} ORDER BY {order}', values)
        names = [column[0] for column in cursor.description]
        for row in cursor:
            yield dict(zip(names, row, strict=True))


def read_database(source: BinaryIO, wal: bytes, what: str, tell: Any) -> Iterator[Any]:
    """What ``tell(database)`` yields; ``NotUnderstood`` where the database is damaged."""
    data = with_wal(source.read(), wal)
    try:
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
            connection.deserialize(data)
            yield from tell(Database(connection))
    except (sqlite3.Error, OverflowError) as error:
        raise NotUnderstood(f"the database of {what} is damaged: {error}") from error


def with_wal(data: bytes, wal: bytes) -> bytes:
    """The database with the committed pages of its write-ahead log, in a mode that memory can hold."""
    pages = bytearray(data)
    most = len(data) + len(wal)  # no page can lie further out
    for page, content in _committed(wal):
        place = (page - 1) * len(content)
        if place > most:
            continue
        if place > len(pages):
            pages.extend(bytes(place - len(pages)))
        pages[place : place + len(content)] = content
    if is_database(data) and len(pages) >= _READ_MODES.stop:
        pages[_READ_MODES] = _ROLLBACK_MODE
    return bytes(pages)


def _committed(wal: bytes) -> Iterator[tuple[int, bytes]]:
    """(page number, content) of the frames of the log up to its last commit."""
    if len(wal) < _WAL_HEAD.size:
        return
    magic, _, size, _, *rest = _WAL_HEAD.unpack_from(wal)
    if magic not in _WAL_MAGICS or not 512 <= size <= 65536:
        return
    salts, waiting = rest[:2], list[tuple[int, bytes]]()
    for start in range(_WAL_HEAD.size, len(wal) - _FRAME_HEAD.size - size + 1, _FRAME_HEAD.size + size):
        page, committed, *marks = _FRAME_HEAD.unpack_from(wal, start)
        if marks[:2] != salts or not page:
            return
        body = start + _FRAME_HEAD.size
        waiting.append((page, wal[body : body + size]))
        if committed:
            yield from waiting
            waiting.clear()


def json_of(value: Any) -> Any:
    """The JSON value in a column, None where it is none."""
    data = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
    try:
        return load_json(data) if isinstance(data, bytes) else None
    except ValueError:
        return None
