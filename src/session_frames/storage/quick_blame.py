"""What ``frames blame`` printed the last time, as long as git says the same and nothing that frames know has changed.

git's blame is all the work there is then. As in ``quick_look`` nothing heavy is imported: what git says runs beside
this process, and is compared byte by byte with what it said when the answer was made.
"""

from __future__ import annotations

import os
import zlib

from session_frames import __version__
from session_frames.storage.quick_look import SCHEMA_VERSION, Look, folder_stamp

# As many answers are kept at most; one that falls on the place of another takes it.
_PLACES = 64

# The user's configuration that would change the bytes that are read.
_STEADY = (
    "-c", "color.ui=false", "-c", "core.quotePath=false", "-c", "log.showSignature=false",
    "-c", "i18n.logOutputEncoding=UTF-8",
)  # fmt: skip


class Asked:
    """One question: the file as it was named, the revision or "", the form of the answer; git answers meanwhile."""

    def __init__(self, file: str, revision: str, form: str, environ: dict[str, str]) -> None:
        self.words = "\0".join((file, revision, form, os.getcwd()))
        at = [f"{revision}^{{commit}}"] if revision else []
        steady = {**environ, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
        read_end, write_end = os.pipe()
        streams = [(os.POSIX_SPAWN_DUP2, write_end, 1), (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)]
        command = ["git", *_STEADY, "blame", "--porcelain", *at, "--", file]
        try:
            self._pid = os.posix_spawnp("git", command, steady, file_actions=streams)
        except BaseException:
            os.close(read_end)
            raise
        finally:
            os.close(write_end)
        self._output = read_end

    def said(self) -> bytes | None:
        """All that git says; None when it fails."""
        with open(self._output, "rb") as output:
            said = output.read()
        return None if os.waitpid(self._pid, 0)[1] else said


def state_of(seen: Look) -> str:
    """What changes when anything changes that an answer rests on, beside what git says of the file."""
    private = f"{seen.common_dir}/frames"
    files = (f"{private}/index.sqlite", f"{private}/links.json", f"{seen.common_dir}/config")
    top = seen.top or ""
    archive = f"{top}/.copilot/archive"
    months = sorted(os.listdir(archive)) if os.path.isdir(archive) else []
    folders = (f"{private}/closed", f"{top}/.copilot/sessions", archive, *(f"{archive}/{month}" for month in months))
    stamps = [*map(_file_stamp, files), *map(folder_stamp, folders)]
    return "\n".join([f"{__version__} {SCHEMA_VERSION}", top, seen.head, *sorted(set(seen.tips)), *stamps])


def recall(seen: Look, asked: Asked, said: bytes) -> bytes | None:
    """The answer that was given when everything was as it is now; None where there is none."""
    try:
        with open(_place(seen, asked), "rb") as file:
            kept = file.read()
    except OSError:
        return None
    head = _head(seen, asked, said)
    return kept[len(head) :] if kept.startswith(head) else None


def keep(seen: Look, asked: Asked, said: bytes, state: str, answer: bytes) -> None:
    """Keep an answer, unless what it rests on has changed since it was ``state``."""
    if not seen.plain or state != state_of(seen):
        return
    from contextlib import suppress

    from session_frames.errors import FramesError
    from session_frames.storage.private_state import write_atomically

    with suppress(FramesError):
        write_atomically(_place(seen, asked), _head(seen, asked, said) + answer)


def _head(seen: Look, asked: Asked, said: bytes) -> bytes:
    words = f"{state_of(seen)}\n{asked.words}\n{len(said)}\n".encode("utf-8", "surrogateescape")
    return words + said


def _place(seen: Look, asked: Asked) -> str:
    number = zlib.crc32(asked.words.encode("utf-8", "surrogateescape")) % _PLACES
    return f"{seen.common_dir}/frames/blame/{number}"


def _file_stamp(path: str) -> str:
    try:
        facts = os.stat(path)
    except OSError:
        return ""
    return f"{facts.st_size} {facts.st_mtime_ns} {facts.st_ino}"
