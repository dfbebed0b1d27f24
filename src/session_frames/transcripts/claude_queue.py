"""Words typed while Claude Code was busy: they are queued, and delivered, taken back or forgotten later.

What became of an entry is told by records that need not follow at once, so nothing is decided before it must be:

- ``dequeue``: handed over as a prompt; the user record with the same text follows, and is the turn;
- ``remove``: taken up by the running turn; an attachment with the same text may follow and is then the turn, else the
  entry itself is;
- ``popAll``, or ``remove`` with another reason: taken back by the person, no turn;
- nothing: told at the end, unless a record repeats it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from session_frames.transcripts.base import Retract, UserWords

DELIVERED_REASONS = ("", "absorbed_mid_turn")


class _Entry(NamedTuple):
    line: int
    at: str
    raw: str
    words: str

    @property
    def key(self) -> str:
        return f"queue:{self.line}"

    def told(self) -> UserWords:
        return UserWords(self.key, self.at, self.words, "queued")


class Queue:
    """The queue as its records tell it."""

    def __init__(self) -> None:
        self._waiting: list[_Entry] = []
        self._handed_over: list[_Entry] = []
        self._told: list[_Entry] = []

    def enqueue(self, line: int, at: str, raw: str, words: str) -> None:
        """An entry; ``words`` is "" for one that is not the person's, which still has its place in the queue."""
        self._waiting.append(_Entry(line, at, raw.strip(), words))

    def dequeue(self, raw: str) -> None:
        """The next entry, or the one named, becomes a prompt."""
        entry = self._take(raw)
        if entry is not None:
            self._handed_over.append(entry)

    def remove(self, raw: str, reason: str) -> Iterator[UserWords]:
        """The next entry, or the one named, was taken up by the running turn, or taken back for another reason."""
        entry = self._take(raw)
        if entry is not None and entry.words and reason in DELIVERED_REASONS:
            self._told.append(entry)
            yield entry.told()

    def take_back(self) -> None:
        """All entries went back into the input box."""
        self._waiting.clear()

    def repeated(self, words: str) -> Iterator[Retract]:
        """A record tells these words: the entry that holds them is no turn of its own."""
        wanted = words.strip()
        for entry in self._told:
            if entry.words.strip() == wanted:
                self._told.remove(entry)
                yield Retract(entry.key)
                return
        for entries in (self._handed_over, self._waiting):
            for entry in entries:
                if entry.words.strip() == wanted:
                    entries.remove(entry)
                    return

    def settle(self) -> None:
        """The person's next prompt is on record, so what was delivered before it is not told again later."""
        self._told.clear()
        self._handed_over.clear()

    def left(self) -> Iterator[UserWords]:
        """What no record ever repeated or took back, when the file is over."""
        for entry in sorted((*self._handed_over, *self._waiting)):
            if entry.words:
                yield entry.told()

    def _take(self, raw: str) -> _Entry | None:
        wanted = raw.strip()
        for place, entry in enumerate(self._waiting):
            if not wanted or entry.raw == wanted:
                return self._waiting.pop(place)
        return None
