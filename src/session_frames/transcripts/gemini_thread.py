"""The messages of a Gemini CLI session, in order, from a whole document or from a log of records."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from io import BytesIO
from typing import Any, BinaryIO, NamedTuple

from session_frames.transcripts.base import (
    Abandon,
    ReachesBack,
    Record,
    Skipped,
    dict_of,
    joined_texts,
    list_of,
    load_json,
    text_of,
)
from session_frames.transcripts.heads import begins_object, complete_lines, peek


class Message(NamedTuple):
    """One message, and the key by which its events are named."""

    key: str
    record: Record
    line: int


def content_text(content: Any) -> str:
    """The text of a message: a string, or the text parts joined, without thoughts."""
    parts = map(dict_of, list_of(content))
    return text_of(content) or joined_texts(
        text_of(part.get("text")) for part in parts if part.get("thought") is not True
    )


class Thread:
    """What is left of a session when its file has been read: facts, and what was said in order."""

    def __init__(self) -> None:
        self.facts: Record = {}
        self.entries: list[Message | Abandon | Skipped] = []
        self.understood = False
        self._away = 0  # of the entries before this one only the keys are left
        self._places: dict[str, int] = {}  # id of a message that was not rewound -> its entry
        self._speeches: set[bytes] = set()

    def take(self, record: Record, line: int) -> None:
        """Take in one record of a log."""
        self.understood = True
        if "$rewindTo" in record:
            self._rewind(text_of(record["$rewindTo"]), line)
        elif "$set" in record:
            self.patch(dict_of(record["$set"]), line)
        elif "type" in record:
            self._message(record, line)
        elif any(key in record for key in ("sessionId", "projectHash", "messages")):
            self.patch(record, line)
        else:
            self.entries.append(Skipped("record without a type", line))

    def patch(self, fields: Record, line: int) -> None:
        """New facts of the session, and perhaps the messages as the model has them."""
        self.facts.update((key, value) for key, value in fields.items() if key != "messages")
        self._synchronise(list_of(fields.get("messages")), line)

    def append(self, record: Record, line: int) -> None:
        """Add a message behind the others."""
        key = text_of(record.get("id"))
        if key:
            self._places[key] = len(self.entries)
        self._speeches.add(_digest(_speech(record)))
        self.entries.append(Message(key or f"message:{len(self.entries) + 1}", record, line))

    def _message(self, record: Record, line: int) -> None:
        """Add a message, or put it in the place of the older state of the same one."""
        key = text_of(record.get("id"))
        place = self._places.get(key)
        if place is None:
            self.append(record, line)
        else:
            if place < self._away:
                raise ReachesBack
            self._speeches.add(_digest(_speech(record)))
            self.entries[place] = Message(key, record, line)

    def _synchronise(self, messages: list[Any], line: int) -> None:
        """The model's context was replaced (at the start, by a compression, by a cancelled turn).

        What was said before stays said, and comes again under other ids; only what is new is added.
        """
        first = not self._places
        for record in map(dict_of, messages):
            key, speech = text_of(record.get("id")), _speech(record)
            if first or (key not in self._places and speech[1] and _digest(speech) not in self._speeches):
                self._message(record, line)

    def _rewind(self, key: str, line: int) -> None:
        """The message and all that follow it were taken back."""
        place = self._places.get(key)
        if place is None:
            self.entries.append(Skipped("rewind to a message that is not there", line))
            return
        self._places = {name: at for name, at in self._places.items() if at < place}
        gone = (entry.key for entry in self.entries[place:] if isinstance(entry, Message))
        self.entries.append(Abandon(tuple(dict.fromkeys(gone))))

    def present(self) -> Iterator[Message | Abandon | Skipped]:
        """What was not put away."""
        return iter(self.entries[self._away :])

    def put_away(self) -> None:
        """Forget all but the keys of what is there."""
        for at in range(self._away, len(self.entries)):
            entry = self.entries[at]
            if isinstance(entry, Message):
                self.entries[at] = entry._replace(record={})
        self._away = len(self.entries)

    def take_document(self, session: Record) -> None:
        """Take in a whole document."""
        self.understood = True
        self.patch({key: value for key, value in session.items() if key != "messages"}, 0)
        for record in list_of(session.get("messages")):
            self.append(dict_of(record), 0)


def _speech(record: Record) -> tuple[str, str]:
    return text_of(record.get("type")), content_text(record.get("content")).strip()


def _digest(speech: tuple[str, str]) -> bytes:
    return blake2b("\n".join(speech).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def may_be_document(head: bytes) -> bool:
    """Is no line of the head whole: a document, or a log that begins with a very long line?"""
    return begins_object(head) and not next(complete_lines(head), None)


def document_or_lines(source: BinaryIO) -> Record | BinaryIO:
    """The one document that the file is, else the lines of a log."""
    if not may_be_document(peek(source)):
        return source
    text = source.read()
    try:
        return dict_of(load_json(text))
    except ValueError:
        return BytesIO(text)
