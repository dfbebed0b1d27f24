"""Kilo Code: tasks in VS Code as Cline and Roo lay them out, and a command line that stores as OpenCode does.

The files are equal to theirs, so content never tells this format: only the place where a file lies does. A file that is
imported by its path is called Cline's or OpenCode's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from glob import escape
from typing import BinaryIO

from session_frames.transcripts import cline, opencode
from session_frames.transcripts.base import Begins, Event, NoConversation
from session_frames.transcripts.heads import peek

NAME = "kilo"

_EXTENSIONS = ("kilocode.kilo-code",)


def find(home: str, environ: Mapping[str, str]) -> list[str]:
    """The tasks in the storage of VS Code and its kin and of the older command line, and the newer one's storage."""
    older = f"{escape(home)}/.kilocode/cli/global/tasks/*/api_conversation_history.json"
    return [*cline.task_places(home, environ, _EXTENSIONS), older, *opencode.places(home, environ, "kilo")]


def companions(path: str) -> list[str]:
    """The other files of the task, or of the session."""
    return cline.companions(path) or opencode.companions(path)


def sniff(head: bytes) -> bool:
    """Never: nothing in the files tells them from those of Cline and OpenCode."""
    return False


def read(source: BinaryIO, companions: Iterable[tuple[str, bytes]] = ()) -> Iterator[Event | Begins | NoConversation]:
    """The events, read as those of the program whose layout the file has."""
    if opencode.sniff(peek(source)):
        return opencode.read(source, companions)
    return cline.read(source, companions)
