"""Transcripts on this machine: opening one, and finding those of a repository by the working directory inside them."""

from __future__ import annotations

import glob
import io
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, BinaryIO, NamedTuple, cast
from urllib.parse import unquote, urlsplit

from session_frames.errors import EnvironmentError_, FramesError, NotUnderstood
from session_frames.transcripts import FORMATS, get_format, sniff_format
from session_frames.transcripts.base import Begins, Event, Meta, NoConversation, dict_of, load_json, text_of

SNIFFED = 64 << 10
# A transcript tells its working directory in its first records; further down nobody looks.
_FACTS_WITHIN = 400
IN_TREE = "{top}/"
_TELLS_EVERY = 512  # events

AnyEvent = Event | NoConversation


class TranscriptFile(NamedTuple):
    """A transcript that lies where its agent keeps them."""

    path: str
    format: str
    modified: float
    in_tree: bool = False  # found in the work tree itself, where its agent keeps it


def open_transcript(path: str, shown: str = "") -> tuple[str, BinaryIO]:
    """The name of the format and the open file. ``NotUnderstood`` when no format knows it, with what was seen.

    ``shown`` is what messages call the file, where that is not its path.
    """
    shown = shown or path
    try:
        file = open(path, "rb")  # noqa: SIM115 - handed on open
        head = file.read(SNIFFED)
    except IsADirectoryError as error:
        raise EnvironmentError_(
            f"cannot read '{shown}': it is a folder", hint=f"frames import '{shown}' takes every session in it"
        ) from error
    except OSError as error:
        raise EnvironmentError_(f"cannot read '{shown}': {error.strerror}") from error
    name = recognise(head, shown)
    file.seek(0)
    return name, file


def transcript_of_bytes(data: bytes, name: str = "standard input", format_name: str = "") -> tuple[str, BinaryIO]:
    """As ``open_transcript``, for bytes that were piped in; with ``format_name`` they are not sniffed."""
    return format_name or recognise(data[:SNIFFED], name), io.BytesIO(data)


_OF_THE_KERNEL = ("/dev", "/proc", "/sys")


def recognise(head: bytes, name: str) -> str:
    """The format of a file that begins like this; ``NotUnderstood`` says what stands there instead."""
    found = sniff_format(head)
    if found is None:
        raise NotUnderstood(
            f"'{name}' is no transcript of a known agent: {_seen(head)}",
            hint="known: " + ", ".join(FORMATS),
        )
    return found


def _seen(head: bytes) -> str:
    stripped = head.strip(b"\0 \t\r\n\xef\xbb\xbf")
    if not head:
        return "the file is empty"
    if not stripped:
        return "it holds only NUL bytes or blanks"
    if stripped[:1] not in b"{[":
        return "it does not begin with a JSON value"
    return "no format recognises its first records"


def events_of(name: str, file: BinaryIO, path: str) -> Iterator[AnyEvent]:
    """The events of a transcript, with the companion files that its format names."""
    format_ = get_format(name)
    companions = getattr(format_, "companions", None)
    if companions is None:
        return format_.read(file)
    return cast(Any, format_).read(file, companions_of(name, path))  # type: ignore[no-any-return]


def companions_of(name: str, path: str) -> Iterator[tuple[str, bytes]]:
    """The other files that belong to the session in this one, each with its content."""
    companions = getattr(get_format(name), "companions", None)
    return _contents(companions(path) if companions and os.path.isfile(path) else ())


def watched(events: Iterable[AnyEvent], file: BinaryIO, progress: Callable[[int, int], None]) -> Iterator[AnyEvent]:
    """The events of a file; ``progress`` is told now and then how many of its bytes were read, of how many."""
    start = file.tell()
    size = file.seek(0, os.SEEK_END)
    file.seek(start)
    for count, event in enumerate(events):
        if count % _TELLS_EVERY == 0:
            progress(file.tell(), size)
        yield event


def _contents(patterns: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    for path in _matches(patterns):
        try:
            with open(path, "rb") as file:
                content = file.read()
        except OSError:
            continue
        yield path, content


def _matches(patterns: Iterable[str]) -> Iterator[str]:
    for pattern in patterns:
        yield from sorted(glob.iglob(pattern, recursive=True, include_hidden=True))


# ---------------------------------------------------------------------------------------------------------------------
# Finding


def files_below(folder: str) -> Iterator[str]:
    """Every regular file below a folder, by name. Folders are not followed through symbolic links, and what the kernel
    shows as files is passed over, be it devices or processes."""
    for place, folders, names in os.walk(folder):
        if place in _OF_THE_KERNEL:
            folders.clear()
            continue
        folders.sort()
        yield from (path for name in sorted(names) if os.path.isfile(path := os.path.join(place, name)))


def home_folders(home: str) -> list[str]:
    """The home folder, and under WSL those of the Windows users, in which their agents keep transcripts as well."""
    windows = glob.glob("/mnt/[a-z]/Users/*") if _is_wsl() else []
    return [home, *(path for path in sorted(windows) if os.path.isdir(os.path.join(path, "AppData")))]


def _is_wsl() -> bool:
    try:
        with open("/proc/sys/kernel/osrelease", encoding="ascii", errors="replace") as file:
            return "microsoft" in file.read().lower()
    except OSError:
        return False


def list_transcripts(
    homes: Sequence[str], environ: Mapping[str, str], formats: Iterable[str] = FORMATS, tops: Sequence[str] = ()
) -> list[TranscriptFile]:
    """Every transcript where the agents keep them, the newest first; nothing is opened.

    The environment's own places (``CODEX_HOME`` and the like) count for the first home. ``tops`` are work trees, for
    those agents that write into the repository itself.
    """
    found: dict[str, TranscriptFile] = {}
    for name in formats:
        for pattern in _patterns(name, homes, environ):
            in_tree = pattern.startswith(IN_TREE)
            inside = [os.path.join(glob.escape(top), pattern.removeprefix(IN_TREE)) for top in tops]
            for path in _matches(inside if in_tree else [pattern]):
                with suppress(OSError):
                    found[path] = TranscriptFile(path, name, os.stat(path).st_mtime, in_tree)
    return sorted(found.values(), key=lambda file: (-file.modified, file.path))


def _patterns(name: str, homes: Sequence[str], environ: Mapping[str, str]) -> list[str]:
    places = [get_format(name).find(home, {} if at else environ) for at, home in enumerate(homes)]
    return list(dict.fromkeys(pattern for found in places for pattern in found))


class Whereabouts(NamedTuple):
    """What the beginning of a transcript says of where it was recorded."""

    session_id: str
    directories: tuple[str, ...]
    project_hash: str = ""


def whereabouts(transcript: TranscriptFile) -> Whereabouts | None:
    """Where a transcript was recorded, from its first records and the small files that some agents lay beside it.

    None when the file can't be read or is not what its place says.
    """
    facts: dict[str, list[str]] = {}
    several = False
    try:
        with open(transcript.path, "rb") as file:
            for count, event in enumerate(events_of(transcript.format, file, transcript.path)):
                several = several or isinstance(event, Begins)
                if isinstance(event, Meta):
                    facts.setdefault(event.name, []).append(event.value)
                # Of several sessions in one file each may have been recorded elsewhere.
                if not several and (("cwd" in facts and "session_id" in facts) or count > _FACTS_WITHIN):
                    break
    except (OSError, FramesError):
        return None
    if transcript.in_tree:
        facts["cwd"] = [os.path.dirname(transcript.path)]
    directories = facts.get("cwd") or list(_beside(transcript))
    return Whereabouts((facts.get("session_id") or [""])[0], tuple(directories), (facts.get("project_hash") or [""])[0])


def _beside(transcript: TranscriptFile) -> Iterator[str]:
    """The working directory, where the agent writes it into a file beside the transcript.

    A format names those files in ``BESIDE``: (path from the transcript, key of a JSON object; "" for a plain text).
    """
    beside: Sequence[tuple[str, str]] = getattr(get_format(transcript.format), "BESIDE", ())
    for place, key in beside:
        path = os.path.normpath(os.path.join(os.path.dirname(transcript.path), place))
        try:
            with open(path, "rb") as file:
                data = file.read(SNIFFED)
        except OSError:
            continue
        value = text_of(dict_of(_json(data)).get(key)) if key else data.decode("utf-8", "replace").strip()
        if value:
            yield local_path(value)


def _json(data: bytes) -> Any:
    try:
        return load_json(data)
    except ValueError:
        return None


def local_path(value: str) -> str:
    """A path or ``file:`` URI as a path."""
    if value.startswith("file:"):
        return unquote(urlsplit(value).path)
    return value


def lies_in(directory: str, tops: Sequence[str]) -> bool:
    """Does this recorded working directory belong to one of these work trees?

    A repository of its own inside (a submodule, a nested clone) does not belong to the outer one.
    """
    real = os.path.realpath(directory)
    for top in tops:
        root = os.path.realpath(top)
        if real == root:
            return True
        if real.startswith(root.rstrip("/") + "/"):
            inner = real
            while inner != root:
                if os.path.exists(os.path.join(inner, ".git")):
                    break
                inner = os.path.dirname(inner)
            else:
                return True
    return False
