"""The person's turns in a Codex transcript: which copy of a message counts, copied history, turns rolled back."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from session_frames.transcripts import codex_words as words
from session_frames.transcripts.base import Abandon, Retract, UserWords

# Copied history is written in one burst; the first longer pause ends it.
COPYING_PAUSE = timedelta(seconds=1)


class Turns:
    """Decides what of the person's messages is told.

    Events and completed items hold the person's words and nothing else. Items of the model's conversation hold injected
    messages too, so they count only while the file has shown none of the others; one that nobody answered before the
    first event came is taken back, because the event is its copy, or it was injected.
    """

    def __init__(self) -> None:
        self.copying = False
        self._turns: list[list[str]] = []  # of each turn the first key of everything that was said in it
        self._awaits_agent = False
        self._unconfirmed: list[str] = []
        self._has_events = False
        self._copies = words.Mirrors()
        self._copied_at: datetime | None = None
        self._held: list[UserWords] = []

    def from_event(self, place: str, text: str, at: str, key: str) -> Iterator[UserWords | Retract]:
        """A message told by an event or completed item."""
        self._has_events = True
        unconfirmed, self._unconfirmed = self._unconfirmed, []
        self._held = [event for event in self._held if event.key not in unconfirmed]
        for doubtful in unconfirmed:
            turn = next((turn for turn in self._turns if turn[0] == doubtful), None)
            if turn is not None:
                self._turns.remove(turn)
                self._awaits_agent = False
                yield Retract(doubtful)
        if self._copies.is_new(place, text):
            yield from self._say(words.told(text, at, key))

    def from_item(self, text: str, at: str, key: str) -> Iterator[UserWords]:
        """A message told by an item of the model's conversation."""
        if not self._has_events:
            self._unconfirmed.append(key)
            yield from self._say(words.told(text, at, key))

    def agent_acts(self, key: str) -> None:
        """The agent did something: what the person said before stands as it is, and has no more copies to come."""
        self._unconfirmed.clear()
        self._held.clear()
        self._copies.clear()
        if self._awaits_agent and not self.copying:
            self._turns[-1].append(key)
            self._awaits_agent = False

    def answer(self, key: str) -> None:
        """The person answered a question of the agent: words within a turn."""
        if self._turns:
            self._turns[-1].append(key)
            self._awaits_agent = True

    def roll_back(self, count: int) -> Iterator[Abandon]:
        """The last turns were taken back."""
        if self.copying or count <= 0:
            return
        keys = tuple(key for turn in self._turns[-count:] for key in turn)
        del self._turns[-count:]
        self._awaits_agent = False
        if keys:
            yield Abandon(keys)

    def start_copy(self, at: str) -> None:
        """History of another session follows, written at the moment of copying."""
        self.copying, self._copied_at = True, _time(at)

    def time_passes(self, at: str) -> Iterator[UserWords]:
        """A record of this time comes: if it follows a pause, the copied history is over."""
        time = _time(at)
        if not self.copying or time is None:
            return
        pause = self._copied_at is not None and time - self._copied_at >= COPYING_PAUSE
        self._copied_at = time
        if pause:
            yield from self.end_copy()

    def end_copy(self) -> Iterator[UserWords]:
        """The copied history is over; words at its end that nobody answered are new."""
        self.copying = False
        held, self._held = self._held, []
        for event in held:
            yield from self._say(event)

    def _say(self, event: UserWords | None) -> Iterator[UserWords]:
        if event is None:
            return
        if self.copying:
            self._held.append(event)
            return
        self._turns.append([event.key])
        self._awaits_agent = True
        yield event


def _time(at: str) -> datetime | None:
    try:
        return datetime.fromisoformat(at).replace(tzinfo=None)
    except ValueError:
        return None
