"""Reading a transcript of one record a line so that the reading can be put away and gone on with later.

A format that is read so offers ``line_reader(head)``: the reader for a file that begins with these bytes, None where
the file is of another form. All that a reader has to remember is in its attributes, as plain values, so that a saved
one goes on where it stopped and tells the same as one that reads the whole file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO

from session_frames.transcripts.base import Event, Line, NoConversation, Skipped, iter_lines

# As far from the end of a file a place is looked for at which its reading may be put away.
_LOOKED_BACK = 8 << 20


class LineReader:
    """Turns the lines of one session into events."""

    over = False  # what follows in the file is of no interest

    def take(self, item: Line | Skipped) -> Iterator[Event | NoConversation]:
        """The events of one line. ``ReachesBack`` where it speaks of what was put away."""
        return iter((item,)) if isinstance(item, Skipped) else self.events(item)

    def events(self, line: Line) -> Iterator[Event | NoConversation]:
        """The events of one record."""
        raise NotImplementedError

    @staticmethod
    def may_stop_before(line: bytes) -> bool:
        """May the reading be put away before this line? It is empty where the file ends."""
        return True

    def put_away(self) -> Iterator[Event]:
        """What was held back so far is told now, because the reading is put away here."""
        return iter(())

    def end(self, companions: Iterable[tuple[str, bytes]] = ()) -> Iterator[Event | NoConversation]:
        """What can be told only when the file is over."""
        raise NotImplementedError


def read_lines(
    reader: LineReader, source: Iterable[bytes], companions: Iterable[tuple[str, bytes]] = ()
) -> Iterator[Event | NoConversation]:
    """The events of a whole file."""
    for item in iter_lines(source):
        yield from reader.take(item)
        if reader.over:
            return
    yield from reader.end(companions)


def last_stop(file: BinaryIO, start: int, end: int, reader: LineReader) -> int:
    """The last place between ``start`` and ``end`` of a file at which its reading may be put away; -1 for none."""
    begun = max(start, end - _LOOKED_BACK)
    file.seek(begun)
    tail = file.read(end - begun)
    stop = tail.rfind(b"\n") + 1
    while stop:
        if reader.may_stop_before(tail[stop:]):
            return begun + stop
        tail = tail[: stop - 1]
        stop = tail.rfind(b"\n") + 1
    return -1
