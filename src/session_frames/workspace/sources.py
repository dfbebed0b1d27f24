"""What a person names to be imported: a transcript, an exported frame, a folder of them, or standard input."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from typing import BinaryIO, NamedTuple

from session_frames import frame_json
from session_frames.errors import EnvironmentError_, NothingFound, NotUnderstood, UsageError
from session_frames.model import Frame
from session_frames.operations.adopt import adopt, adopt_markdown
from session_frames.operations.compose import redact_frame
from session_frames.operations.exchange import frame_of_text, is_frame_text
from session_frames.operations.markdown import is_frame_markdown
from session_frames.operations.slim import slim
from session_frames.storage.frame_store import read_bytes
from session_frames.storage.transcript_files import files_below, open_transcript, transcript_of_bytes
from session_frames.transcripts import FORMATS
from session_frames.workspace.core import Workspace
from session_frames.workspace.keeping import Renewal, read_again
from session_frames.workspace.reading import read_transcripts

_HEAD = 4096


class Wish(NamedTuple):
    """What a person asked for with a source: the agent it is of, a topic, the thinking too, that nothing is written."""

    agent: str | None = None
    topic: str = ""
    keep_reasoning: bool = False
    dry_run: bool = False


class Found(NamedTuple):
    """A frame, what messages call its place, and how it comes to an older form of it."""

    frame: Frame
    shown: str
    renewal: Renewal


def frames_of(ws: Workspace, source: str, stdin: BinaryIO | None, wish: Wish) -> Iterator[Found]:
    """The frames in a source."""
    path = os.path.join(ws.cwd, source)
    if source == "-":
        assert stdin is not None
        yield from _in_bytes(ws, stdin.read(), "standard input", wish)
    elif os.path.isdir(path):
        yield from _in_folder(ws, path, source, wish)
    else:
        yield from _in_file(ws, path, source, wish)


def _in_folder(ws: Workspace, folder: str, source: str, wish: Wish) -> Iterator[Found]:
    """Every file below the folder that some format recognises; the others are passed over."""
    found = False
    for path in files_below(folder):
        try:
            for one in _in_file(ws, path, os.path.join(source, os.path.relpath(path, folder)), wish):
                found = True
                yield one
        except NotUnderstood:
            continue
    if not found:
        raise NothingFound(f"no sessions found in '{source}'")


def _in_file(ws: Workspace, path: str, shown: str, wish: Wish) -> Iterator[Found]:
    with _opened(path, shown) as file:
        try:
            head = file.read(_HEAD)
        except OSError as error:
            raise EnvironmentError_(f"cannot read '{shown}': {error.strerror}") from error
        if is_frame_text(head):
            yield from _in_bytes(ws, head + file.read(), shown, wish)
            return
    if wish.agent:
        name, transcript = _known(wish.agent), _opened(path, shown)
    else:
        name, transcript = open_transcript(path, shown)
    with closing(transcript):
        yield from _in_transcript(ws, name, transcript, shown, wish)


def _opened(path: str, shown: str) -> BinaryIO:
    try:
        return open(path, "rb")
    except OSError:
        read_bytes(path, shown)  # raises what is wrong with it
        raise


def _in_bytes(ws: Workspace, data: bytes, shown: str, wish: Wish) -> Iterator[Found]:
    if is_frame_text(data[:_HEAD]):
        frame = frame_of_text(data, shown)
        frame_json.require_writable(frame, shown)
        renewal = adopt_markdown if is_frame_markdown(data[:_HEAD]) else adopt
        yield Found(slim(redact_frame(frame, ws.policy, turns_too=True)), shown, renewal)
        return
    name, file = transcript_of_bytes(data, shown, _known(wish.agent) if wish.agent else "")
    yield from _in_transcript(ws, name, file, shown, wish)


def _in_transcript(ws: Workspace, name: str, file: BinaryIO, shown: str, wish: Wish) -> Iterator[Found]:
    readings = read_transcripts(
        ws, name, file, shown, topic=wish.topic, keep_reasoning=wish.keep_reasoning, dry_run=wish.dry_run
    )
    for reading in readings:
        yield Found(reading.frame, shown, read_again)


def _known(name: str) -> str:
    if name not in FORMATS:
        raise UsageError(f"unknown agent '{name}'", hint="known: " + ", ".join(FORMATS))
    return name
