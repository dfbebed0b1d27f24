"""What belongs to this machine only: ``<common dir>/frames/``, its locks, and writing without half a file.

Nothing here is a git object or under a ref, so no push, mirror or bundle takes it; and nothing is under a linked work
tree's own git directory, which ``git worktree remove`` deletes.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypedDict

from session_frames.errors import EnvironmentError_, RefusedError

if TYPE_CHECKING:
    from session_frames.model import Frame

# What is added to the name of a private copy that can't be read.
DAMAGED = ".damaged"

_LOCK_WAIT = 10.0
_REPLACE_TRIES = 20


class ActiveFrame(TypedDict, total=False):
    """One session that runs, or that was opened by hand, as the private area knows it."""

    frame: Frame
    work_tree: str
    transcript: str
    session_id: str


class PrivateState:
    """The private area of one repository."""

    def __init__(self, common_dir: str) -> None:
        self.root = os.path.join(common_dir, "frames")

    def path(self, *parts: str) -> str:
        """A path in the private area."""
        return os.path.join(self.root, *parts)

    def exists(self) -> bool:
        """Has anything been kept here yet?"""
        return os.path.isdir(self.root)

    @contextmanager
    def lock(self, name: str = "write", wait: float = _LOCK_WAIT) -> Iterator[None]:
        """Hold the lock ``name``; ``RefusedError`` when another process keeps it longer than ``wait`` seconds.

        The kernel lets go of it when its owner dies, however that happens; the file that stays means nothing.
        """
        import fcntl

        make_folder(self.root)
        path = self.path(name + ".lock")
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise EnvironmentError_(f"cannot open '{path}': {error.strerror}") from error
        try:
            deadline = time.monotonic() + wait
            while True:
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except OSError:
                    if time.monotonic() > deadline:
                        owner = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip()
                        raise RefusedError(
                            f"'{path}' is locked by process {owner or 'unknown'}", hint="wait until it has ended"
                        ) from None
                    time.sleep(0.01)
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, str(os.getpid()).encode(), 0)
            yield
        finally:
            os.close(descriptor)

    # -- active frames ------------------------------------------------------------------------------------------------

    def list_active(self) -> list[ActiveFrame]:
        """The active frames of all work trees, oldest first; a damaged entry is left out."""
        entries = [entry for path in _json_files(self.path("active")) if (entry := _read_json(path))]
        return sorted(entries, key=lambda entry: entry["frame"].get("boundary", {}).get("started_at", ""))

    def save_active(self, entry: ActiveFrame) -> None:
        """Keep an active frame."""
        data = json.dumps(entry, ensure_ascii=True, indent=1).encode()
        write_atomically(self.path("active", entry["frame"]["id"] + ".json"), data)

    def drop_active(self, frame_id: str) -> None:
        """The session of this frame has ended."""
        _remove(self.path("active", frame_id + ".json"))

    # -- copies of closed frames --------------------------------------------------------------------------------------

    def closed_path(self, frame_id: str) -> str:
        """Where the copy of a frame that was closed on this machine lies."""
        return self.path("closed", frame_id + ".frame.json")

    def list_closed_paths(self) -> list[str]:
        """The copies of all frames closed on this machine."""
        return _json_files(self.path("closed"))

    def list_damaged_paths(self) -> list[str]:
        """The copies that could not be read and were left aside."""
        return _files(self.path("closed"), DAMAGED)


def make_folder(path: str) -> None:
    """The folder, made with its parents where it is missing."""
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise EnvironmentError_(f"cannot create folder '{path}': {error.strerror}") from error


def write_atomically(path: str, data: bytes) -> None:
    """Write the file whole or not at all: temporary file in the same folder, fsync, replace.

    ``EnvironmentError_`` names the path when the disk is full, a permission is missing or another process keeps the
    file open (retried for some seconds); the old file is then as it was.
    """
    folder, name = os.path.split(path)
    make_folder(folder)
    temporary = os.path.join(folder, f".{name}.{os.urandom(4).hex()}.tmp")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o666)
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(descriptor, view) :]
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        _replace(temporary, path)
    except OSError as error:
        _remove(temporary)
        raise EnvironmentError_(f"cannot write '{path}': {error.strerror or error}") from error
    except BaseException:
        _remove(temporary)
        raise


def _replace(temporary: str, path: str) -> None:
    for attempt in range(_REPLACE_TRIES):
        try:
            os.replace(temporary, path)
            return
        except PermissionError:
            if attempt == _REPLACE_TRIES - 1:
                raise
            time.sleep(0.01 * (attempt + 1))


def _remove(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)


def _json_files(folder: str) -> list[str]:
    return _files(folder, ".json")


def _files(folder: str, ending: str) -> list[str]:
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    return [os.path.join(folder, name) for name in names if name.endswith(ending) and not name.startswith(".")]


def _read_json(path: str) -> Any:
    try:
        with open(path, "rb") as file:
            value = json.loads(file.read())
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) and isinstance(value.get("frame"), dict) else None
