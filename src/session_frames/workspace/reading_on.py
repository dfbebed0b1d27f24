"""Reading a transcript that grows: where an earlier reading of it was put away, only what is new is read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, Final, NamedTuple

from session_frames.operations.assemble import Assembled, Assembler
from session_frames.operations.extract.memory import Answers, remembering
from session_frames.operations.put_away import go_on, holds_secret, put_away
from session_frames.storage.saved_readings import Saved, SavedReadings, Wanted, pickled, without_collecting
from session_frames.storage.transcript_files import companions_of
from session_frames.transcripts import get_format
from session_frames.transcripts.base import Event, NoConversation, ReachesBack, iter_lines
from session_frames.transcripts.heads import HEAD_SIZE
from session_frames.transcripts.line_readers import LineReader, last_stop
from session_frames.workspace.core import Workspace
from session_frames.workspace.locating import Locator, Looked

# Smaller files are read as a whole at once, and what is new is put away when that saves more than it costs.
SMALLEST: Final = 1 << 20
LEAST_NEWS: Final = 256 << 10
NEWS_PART: Final = 32
_TELLS_EVERY: Final = 512  # lines


class _At(NamedTuple):
    """A reading at one place of its file."""

    reader: LineReader
    assembler: Assembler
    locator: Locator
    offset: int = 0
    lines: int = 0


class _Lines:
    """The lines of a file from a place on."""

    def __init__(self, file: BinaryIO, offset: int, lines: int) -> None:
        file.seek(offset)
        self._file = file
        self.offset = offset
        self.lines = lines

    def until(self, end: int) -> Iterator[bytes]:
        """The lines that begin in front of ``end``; -1 for all."""
        while self.offset < end or end < 0:
            line = self._file.readline()
            if not line:
                return
            self.offset += len(line)
            self.lines += 1
            yield line


class ReadingOn:
    """The reading of one transcript of one record a line."""

    def __init__(self, ws: Workspace, name: str, file: BinaryIO, path: str, keep_reasoning: bool) -> None:
        self._ws = ws
        self._name = name
        self._file = file
        self._path = path
        self._store = SavedReadings(ws.state)
        tops = Locator(ws).tops
        self._wanted = Wanted(os.path.realpath(path), name, keep_reasoning, tops, ws.policy)
        self._saved: Saved | None = None
        self._memory: Answers = {}
        self._new: Saved | None = None

    @without_collecting()
    def assembled(self) -> Assembled:
        """What the transcript tells, the same as when it is read as a whole at once."""
        self._saved = self._store.find(self._wanted, self._file)
        self._memory = self._saved.memory if self._saved else {}
        begun = self._taken_up(self._saved) if self._saved else None
        if begun is not None:
            try:
                return self._read(begun)
            except ReachesBack:
                self._saved = None
        try:
            return self._read(self._anew())
        except ReachesBack:
            return self._read(self._anew(), stops=False)

    @property
    def went_on(self) -> bool:
        """Was only what is new read?"""
        return self._saved is not None

    @contextmanager
    def remembering(self) -> Iterator[None]:
        """While it lasts, what was seen in the texts of the earlier reading need not be looked for again."""
        with remembering(self._memory) as self._memory:
            yield

    def save(self, frames: list[str]) -> None:
        """Put the reading away for the next time, where that is worth while; ``frames`` hold its words."""
        if self._new is not None:
            new = self._new._replace(memory=pickled(self._memory))
            self._store.save(self._wanted, self._file, new, frames)

    def _taken_up(self, saved: Saved) -> _At | None:
        reader, state, looked = saved.state
        locator = Locator(self._ws, Looked(*looked))
        if not locator.still_holds():
            self._saved = None
            return None
        return _At(reader, go_on(state, self._ws.policy, locator), locator, saved.offset, saved.lines)

    def _anew(self) -> _At:
        self._file.seek(0)
        reader = line_reader(self._name, self._file.read(HEAD_SIZE))
        assert reader is not None
        locator = Locator(self._ws)
        return _At(reader, Assembler(self._ws.policy, locator, self._wanted.keep_reasoning), locator)

    def _read(self, at: _At, stops: bool = True) -> Assembled:
        self._new = None
        size = os.fstat(self._file.fileno()).st_size
        stop = last_stop(self._file, at.offset, size, at.reader) if stops else -1
        source = _Lines(self._file, at.offset, at.lines)
        if stop - at.offset >= max(LEAST_NEWS, stop // NEWS_PART):
            self._take(at, source, stop, size)
            if not at.reader.over:
                self._put_away(at, source)
        self._take(at, source, -1, size)
        if not at.reader.over:
            _feed(at.assembler, at.reader.end(companions_of(self._name, self._path)))
        return at.assembler.finish()

    def _take(self, at: _At, source: _Lines, end: int, size: int) -> None:
        if at.reader.over:
            return
        for item in iter_lines(source.until(end), source.lines + 1):
            _feed(at.assembler, at.reader.take(item))
            if at.reader.over:
                return
            if source.lines % _TELLS_EVERY == 0:
                self._ws.progress(source.offset, size)

    def _put_away(self, at: _At, source: _Lines) -> None:
        _feed(at.assembler, at.reader.put_away())
        state = (at.reader, put_away(at.assembler), tuple(at.locator.looked))
        if not holds_secret(state, self._ws.policy):
            self._new = Saved(source.offset, source.lines, pickled(state), None)


def reading_on(ws: Workspace, name: str, file: BinaryIO, keep_reasoning: bool) -> ReadingOn | None:
    """The reading of a transcript that can be put away; None for a small one, one that was piped in, other formats."""
    path = getattr(file, "name", "")
    if not isinstance(path, str) or not os.path.isfile(path) or os.path.getsize(path) < SMALLEST:
        return None
    head = file.read(HEAD_SIZE)
    file.seek(0)
    return ReadingOn(ws, name, file, path, keep_reasoning) if line_reader(name, head) else None


def line_reader(name: str, head: bytes) -> LineReader | None:
    """What reads a file of this format that begins so line by line, if anything does."""
    made = getattr(get_format(name), "line_reader", None)
    reader: LineReader | None = made(head) if made else None
    return reader


def _feed(assembler: Assembler, events: Iterator[Event | NoConversation]) -> None:
    for event in events:
        assembler.take(event)
