"""What every transcript format is made of: records read from bytes, and events told in the order of the file.

A transcript format is a module with

``NAME``
    the agent's name, as the frame stores it;
``find(home, environ)``
    the places where its transcripts lie, as glob patterns; ``storage`` walks them. One that begins with ``{top}/`` lies
    in the work tree itself, and what is found there belongs to that repository;
``BESIDE`` (may be missing)
    the files beside a transcript that name the working directory: (path from the transcript, key of its JSON object,
    "" for plain text);
``KEEPS_DAYS`` (may be missing)
    after how many days the agent deletes a session by itself;
``companions(path)`` (may be missing)
    glob patterns of the other files that belong to the same session (a sub-agent's log, the parts of a split layout);
    ``read`` then takes a second argument, ``companions``: an iterator of (path, content in bytes), opened one by one;
``line_reader(head)`` (may be missing)
    of a format of one record a line: what reads it line by line, so that a grown file need not be read anew as a whole
    (see ``line_readers``);
``sniff(head)``
    is this the beginning of one of its files? (content decides, never the file's name);
``read(source)``
    an iterator of events.

Readers are literal: they say what the file says, in its order; what it means is decided in ``operations``. A record
that is not understood is told as ``Skipped``, never dropped silently and never fatal.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, BinaryIO, NamedTuple, Protocol

from session_frames.model import CallOutcome, Change, Origin

Record = dict[str, Any]


# ---------------------------------------------------------------------------------------------------------------------
# Events


class Begins(NamedTuple):
    """Another session of the same file begins: a database, or a log in which sessions follow each other.

    A file of one session need not tell it. ``key`` is the session's id, or "" where it has none.
    """

    key: str = ""


class Meta(NamedTuple):
    """A fact about the session.

    ``name`` is one of ``session_id agent_version model cwd project_hash branch base parent title started``. ``model``,
    ``cwd`` and ``branch`` may be told several times, in order of appearance; of the others the last counts, but for
    ``session_id``, ``base`` and ``started`` the first. ``project_hash`` is sha256 of the project's absolute path.
    """

    name: str
    value: str


class UserWords(NamedTuple):
    """What the person said: typed, queued, an answer, a reason given with a refusal, a command with its arguments.

    ``key`` names it for a later ``Retract``; it is the turn's id unless ``""`` (then the turn is numbered ``u<n>``).
    """

    key: str
    at: str
    text: str
    origin: Origin = "typed"


class AgentText(NamedTuple):
    """Words of the agent. ``key`` is the id of its record ("" where there is none); one with ``:`` was made up."""

    key: str
    at: str
    text: str


class Reasoning(NamedTuple):
    """The agent's thinking; kept only when the user asks for it."""

    key: str
    at: str
    text: str


class Edit(NamedTuple):
    """One file that a call wrote or read.

    ``path`` is as in the call. ``added`` holds the runs of lines that the call added, without those it only repeats.
    """

    path: str
    change: Change
    old_path: str = ""
    added: tuple[tuple[str, ...], ...] = ()


class ToolCall(NamedTuple):
    """A request to a tool. ``command`` is the shell command line when the tool ran one."""

    key: str
    at: str
    id: str
    tool: str
    arguments: Any
    edits: tuple[Edit, ...] = ()
    command: str = ""


class ToolResult(NamedTuple):
    """The answer to a call, joined by ``id``.

    ``outcome`` is what the record itself says (an error flag, an exit code), else ``unknown``; ``edits``, where given,
    replace those of the call, because the result knows better. ``kind`` is a mime type for what is no text.
    """

    id: str
    at: str
    text: str
    outcome: CallOutcome = "unknown"
    edits: tuple[Edit, ...] | None = None
    exit_code: int | None = None
    kind: str = ""


class Usage(NamedTuple):
    """Token counts of one message of the agent; told again with the same ``key`` the last one counts.

    ``total`` says that the counts are of the whole session so far, not of one message.
    """

    key: str
    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    total: bool = False


class Summary(NamedTuple):
    """A compaction summary that the agent wrote; nobody's turn.

    It stands for what was told before it, down to the record ``kept``, where the format names the first that stays;
    None says that nobody can tell what it stands for.
    """

    key: str
    at: str
    text: str
    kept: str | None = ""


class Retract(NamedTuple):
    """The words told under ``key`` are no turn after all (told again elsewhere, or taken back)."""

    key: str


class Abandon(NamedTuple):
    """The turns that begin with these keys were rewound: they stay, in an abandoned thread.

    ``keys`` name any event (words, text or call) of the turn.
    """

    keys: tuple[str, ...]


class Skipped(NamedTuple):
    """A record that was not understood, or a damaged line. ``line`` counts from 1; 0 where there are no lines.

    ``MISSING_PARENT`` as the reason says that the record was understood, but follows one that is not in the file.
    """

    reason: str
    line: int


MISSING_PARENT = "missing parent"


class Nested(NamedTuple):
    """What a sub-agent said or did, in the order of its log; ``call`` is the id of the call that started it."""

    call: str
    event: UserWords | AgentText | Reasoning | ToolCall | ToolResult | Usage


Event = (
    Begins
    | Meta
    | UserWords
    | AgentText
    | Reasoning
    | ToolCall
    | ToolResult
    | Usage
    | Nested
    | Summary
    | Retract
    | Abandon
    | Skipped
)


class NoConversation(NamedTuple):
    """Told instead of a conversation: the file is of this format, but is not a session of a person.

    For example a sub-agent's own file, or one that holds bookkeeping only. ``why`` is shown to the user.
    """

    why: str


class ReachesBack(Exception):
    """A record speaks of what was put away before it: the whole file has to be read (see ``line_readers``)."""


class TranscriptFormat(Protocol):
    """The shape of a transcript format module."""

    NAME: str

    def find(self, home: str, environ: Mapping[str, str]) -> list[str]:
        """Glob patterns of the places where this agent keeps its transcripts."""

    def sniff(self, head: bytes) -> bool:
        """Is this the beginning (up to 64 KiB) of one of this format's files?"""

    def read(self, source: BinaryIO) -> Iterator[Event | NoConversation]:
        """The events of the transcript, in the order of the file. The source can be sought."""


# ---------------------------------------------------------------------------------------------------------------------
# Records


class Line(NamedTuple):
    """One JSON object of a JSON Lines file and the line it stands in (from 1)."""

    number: int
    record: Record


def load_json(text: bytes) -> Any:
    """The JSON value of the bytes; lenient about lone surrogates, invalid UTF-8 and a BOM.

    Raises ``ValueError`` where it is no JSON, also for nesting too deep to read.
    """
    import orjson

    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        pass
    try:
        return json.loads(text.decode("utf-8-sig", "replace"))
    except RecursionError as error:
        raise ValueError("nesting too deep") from error


def iter_lines(source: Iterable[bytes], first: int = 1) -> Iterator[Line | Skipped]:
    """The JSON objects of a JSON Lines file, one at a time, never the whole file; each damaged line is told.

    ``first`` is the number of the line with which the source begins.

    Lines end with ``\\n`` only. Blank lines are nothing; runs of NUL bytes are told once a line. An object glued behind
    a cut stub (``{"type":"x","prN{"type":...}``) is recovered when it has the shape of a record.
    """
    import orjson

    for number, raw in enumerate(source, first):
        try:
            value = orjson.loads(raw)
        except orjson.JSONDecodeError:
            value = None
        if type(value) is dict:
            yield Line(number, value)
            continue
        text = raw.strip(b" \t\r\n")
        if not text:
            continue
        stripped = text.strip(b"\0 \t\r\n")
        if not stripped:
            yield Skipped("NUL bytes", number)
            continue
        try:
            value = load_json(stripped)
        except ValueError:
            value = _behind_a_stub(stripped)
            if value is None:
                yield Skipped("not JSON", number)
                continue
            yield Skipped("damaged record in front of an intact one", number)
        if isinstance(value, dict):
            yield Line(number, value)
        else:
            yield Skipped("not a JSON object", number)


_MOST_STUBS = 64


def _behind_a_stub(text: bytes) -> Record | None:
    """The record that follows a cut one on the same line, or None.

    Tried at each later ``{``; only an object with a record's shape that reaches the end of the line counts, so that an
    object nested in the stub is not taken for a record.
    """
    if not text.endswith(b"}"):
        return None
    start = text.find(b"{", 1)
    for _ in range(_MOST_STUBS):
        if start < 0:
            return None
        try:
            value = load_json(text[start:])
        except ValueError:
            value = None
        if isinstance(value, dict) and _has_record_shape(value):
            return value
        start = text.find(b"{", start + 1)
    return None


def _has_record_shape(value: Record) -> bool:
    return isinstance(value.get("type"), str) and any(
        key in value for key in ("message", "payload", "content", "data", "uuid", "timestamp", "sessionId", "id")
    )


def iter_records(source: Iterable[bytes], skipped: Callable[[Skipped], None]) -> Iterator[Line]:
    """As ``iter_lines``, with the damaged ones handed to ``skipped`` instead."""
    for item in iter_lines(source):
        if isinstance(item, Skipped):
            skipped(item)
        else:
            yield item


# ---------------------------------------------------------------------------------------------------------------------
# Values that may have any type, read leniently


def text_of(value: Any) -> str:
    """The value if it is a string, else ""."""
    return value if isinstance(value, str) else ""


def dict_of(value: Any) -> Record:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def list_of(value: Any) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def int_of(value: Any) -> int:
    """The value if it is a whole number, else 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def joined_texts(parts: Iterable[str]) -> str:
    """Text blocks of one message joined by a line break; empty ones left out."""
    return "\n".join(part for part in parts if part)
