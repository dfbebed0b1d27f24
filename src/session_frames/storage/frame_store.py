"""Frame files in the work tree: where they are, reading and writing them, and finding one by what a person calls it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from session_frames import frame_json
from session_frames.errors import EnvironmentError_, FormatError, RefusedError, UsageError
from session_frames.model import Frame
from session_frames.storage.private_state import write_atomically

SESSIONS = ".copilot/sessions"
ARCHIVE = ".copilot/archive"
SUFFIX = ".frame.json"

LONGEST_TOPIC = 60
LARGEST_FILE = 50 << 20

_ID_IN_NAME = re.compile(r"_([0-9a-f]{6,24})\.frame\.json$")
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)")


def ascii_topic(topic: str) -> str:
    """The topic as it stands in a file name: ASCII letters, digits and hyphens, never empty or reserved."""
    if not topic.isascii():
        from anyascii import anyascii  # slow to load: only for topics that need it

        topic = anyascii(topic)
    words = re.sub(r"[^A-Za-z0-9]+", "-", topic).strip("-").lower()[:LONGEST_TOPIC].strip("-")
    return "session" if not words or _RESERVED.fullmatch(words) else words


def file_name(frame: Frame) -> str:
    """``<YYYY-MM-DD>_<topic>_<id6>.frame.json``; the date is the session's start in UTC."""
    started = frame.get("boundary", {}).get("started_at", "")
    date = started[:10] if re.fullmatch(r"\d{4}-\d\d-\d\d", started[:10]) else "0000-00-00"
    return f"{date}_{ascii_topic(frame['topic'])}_{frame['id'][:6]}{SUFFIX}"


def archive_folder(frame: Frame) -> str:
    """The folder of the archive that a frame goes to: by the month of its start."""
    started = frame.get("boundary", {}).get("started_at", "")
    return f"{ARCHIVE}/{started[:7] if re.fullmatch(r'[0-9]{4}-[0-9]{2}', started[:7]) else '0000-00'}"


# Content of a file -> its frame; None: every file is decoded for itself.
_decoded: ContextVar[dict[bytes, Frame] | None] = ContextVar("decoded", default=None)


@contextmanager
def decoding_once() -> Iterator[None]:
    """While it lasts, files of the same content are the same frame, decoded once; nobody may change it."""
    token = _decoded.set({})
    try:
        yield
    finally:
        _decoded.reset(token)


def read_frame(path: str, name: str = "") -> Frame:
    """The frame in a file; ``FormatError`` or ``EnvironmentError_`` names the file."""
    data, known = read_bytes(path, name), _decoded.get()
    frame = known.get(data) if known else None
    if frame is None:
        frame = frame_json.decode(data, name or path)
        if known is not None:
            known[data] = frame
    return frame


def read_bytes(path: str, name: str = "") -> bytes:
    """The content of a file; ``EnvironmentError_`` says why it can't be read."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except IsADirectoryError as error:
        raise EnvironmentError_(f"cannot read '{name or path}': it is a folder") from error
    except OSError as error:
        raise EnvironmentError_(f"cannot read '{name or path}': {error.strerror}") from error


class FrameStore:
    """The frame files of one work tree; paths are relative to its top, with ``/``."""

    def __init__(self, top: str) -> None:
        self.top = top

    def full(self, path: str) -> str:
        """The absolute path of a frame file."""
        return os.path.join(self.top, path)

    def iter_paths(self) -> Iterator[str]:
        """All frame files: the current ones by name, then the archived ones by month and name."""
        yield from self._names(SESSIONS)
        try:
            months = sorted(os.listdir(self.full(ARCHIVE)))
        except OSError:
            return
        for month in months:
            yield from self._names(f"{ARCHIVE}/{month}")

    def _names(self, folder: str) -> list[str]:
        try:
            names = os.listdir(self.full(folder))
        except OSError:
            return []
        return [f"{folder}/{name}" for name in sorted(names) if name.endswith(SUFFIX) and not name.startswith(".")]

    def read(self, path: str) -> Frame:
        """The frame in a file of this work tree."""
        return read_frame(self.full(path), path)

    def find_path(self, frame_id: str) -> str | None:
        """The file of the frame with this id, or None. Files whose name does not hold the id are opened last.

        ``FormatError`` for a file that carries the id in its name and can't be read: it must not get a second one.
        """
        paths = list(self.iter_paths())
        for path in paths:
            # Most names are told apart by this alone: thousands of them are looked at in each commit of a session.
            if f"_{frame_id[:6]}" in path:
                named = _ID_IN_NAME.search(path)
                if named and frame_id.startswith(named[1]) and self.read(path)["id"] == frame_id:
                    return path
        strangers = (path for path in paths if not _ID_IN_NAME.search(path))
        return next((path for path in strangers if self._id_in(path) == frame_id), None)

    def _id_in(self, path: str) -> str:
        try:
            return self.read(path)["id"]
        except (FormatError, EnvironmentError_):
            return ""

    def write(self, frame: Frame, path: str, data: bytes = b"") -> bool:
        """Write the frame to this path; False when the file already holds exactly that.

        ``data`` are its bytes, where they were encoded already.

        ``RefusedError`` when the path would lead out of the work tree or the frame is too large to commit.
        """
        data = data or frame_json.encode(frame)
        if len(data) > LARGEST_FILE:
            raise RefusedError(
                f"frame '{frame['id']}' has {len(data) >> 20} MB, too many to be committed",
                hint="frames compact --drop leaves the agent's texts out of the file",
            )
        full = self.full(path)
        self._require_inside(path)
        try:
            with open(full, "rb") as file:
                if file.read() == data:
                    return False
        except OSError:
            pass
        write_atomically(full, data)
        return True

    def _require_inside(self, path: str) -> None:
        """A symbolic link in ``.copilot`` must not lead a write to somewhere else."""
        folder = os.path.dirname(self.full(path))
        expected = os.path.join(os.path.realpath(self.top), os.path.dirname(path))
        if os.path.realpath(folder) != os.path.normpath(expected) or os.path.islink(self.full(path)):
            raise RefusedError(f"'{path}' leads out of the work tree by a symbolic link", hint="remove the link")

    def new_path(self, frame: Frame) -> str:
        """The path for a frame that has no file yet: under ``.copilot/sessions``, or the archive when archived.

        Another frame's file of the same name (also when only the case of letters differs) is never taken: the id part
        then gets longer.
        """
        folder = archive_folder(frame) if frame["status"] == "archived" else SESSIONS
        taken = {name.lower() for name in self._names(folder)}
        name = file_name(frame)
        digits = 6
        while f"{folder}/{name}".lower() in taken and digits < len(frame["id"]):
            digits += 2
            name = file_name(frame).replace(frame["id"][:6] + SUFFIX, frame["id"][:digits] + SUFFIX)
        return f"{folder}/{name}"

    def relative(self, path: str, cwd: str) -> str | None:
        """A path given by a person, as a path from the top of the work tree; None when it lies outside."""
        full = os.path.normpath(os.path.join(cwd, path))
        for top in (self.top, os.path.realpath(self.top)):
            if full.startswith(top.rstrip("/") + "/"):
                return full[len(top.rstrip("/")) + 1 :].replace(os.sep, "/")
        real = os.path.realpath(full)
        top = os.path.realpath(self.top).rstrip("/")
        return real[len(top) + 1 :].replace(os.sep, "/") if real.startswith(top + "/") else None


def require_id(frame_id: str) -> str:
    """The id, if it can be one; ``UsageError`` for anything that could be a path or an option."""
    if not re.fullmatch(r"[0-9a-f]{4,64}", frame_id):
        raise UsageError(f"not a frame id: '{frame_id}'")
    return frame_id
