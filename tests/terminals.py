"""A command on a terminal of its own: what it shows, what is typed, how it ends."""

from __future__ import annotations

import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import ioctl
from pathlib import Path

from command_line import interruptible


def _own_terminal() -> None:
    ioctl(0, termios.TIOCSCTTY, 0)
    interruptible()


class Terminal:
    """``frames ARGS`` on a terminal of its own: what it shows, what is typed, how it ends."""

    def __init__(self, args: tuple[str, ...], cwd: Path, environ: dict[str, str], columns: int) -> None:
        self.ours, theirs = pty.openpty()
        ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "session_frames", *args],
            cwd=cwd,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**os.environ, "TERM": "xterm", **environ},
            start_new_session=True,
            preexec_fn=_own_terminal,
        )
        os.close(theirs)
        self.shown = ""
        self._bytes = b""

    def until(self, text: str) -> str:
        """What is shown up to this text, from the last time on."""
        deadline = time.monotonic() + 60
        while text not in self.shown:
            assert time.monotonic() < deadline, self.shown
            assert self._read(), self.shown
        before, self.shown = self.shown.split(text, 1)
        return before + text

    def type(self, text: str) -> None:
        os.write(self.ours, text.encode())

    def end(self) -> tuple[int, str]:
        """The exit code, and what was shown to the end."""
        while self._read():
            pass
        return self.process.wait(timeout=60), self.shown

    def _read(self) -> bool:
        ready, _, _ = select.select([self.ours], [], [], 60)
        try:
            data = os.read(self.ours, 65536) if ready else b""
        except OSError:  # the other side is closed
            data = b""
        self._bytes += data
        whole = self._bytes.decode("utf-8", "ignore")
        self.shown += whole.replace("\r\n", "\n")
        self._bytes = self._bytes[len(whole.encode()) :]
        return bool(data)


@contextmanager
def terminal(*args: str, cwd: Path, columns: int = 100, **environ: str) -> Iterator[Terminal]:
    opened = Terminal(args, cwd, environ, columns)
    try:
        yield opened
    finally:
        opened.process.kill()
        opened.process.wait()
        os.close(opened.ours)
