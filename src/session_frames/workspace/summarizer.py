"""A command of the person's choice that is given text and answers with text. It runs without a shell, for a while."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import tempfile
from contextlib import suppress
from threading import Timer
from typing import Final

from session_frames.errors import UsageError
from session_frames.workspace.core import Workspace

LARGEST_ANSWER: Final = 10 << 20
PATIENCE: Final = 120.0  # seconds


def arguments_of(command: str) -> list[str]:
    """The command line given with ``--summarizer``, cut as a shell would; ``UsageError`` where it is none."""
    try:
        arguments = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"--summarizer is no command line: {error}") from error
    if not arguments:
        raise UsageError("--summarizer names no command")
    return arguments


def answer_of(ws: Workspace, arguments: list[str], given: bytes, patience: float = PATIENCE) -> tuple[bytes, str]:
    """What the command prints when it is given this on standard input, in the current folder; or what went wrong."""
    with tempfile.TemporaryFile() as source:
        source.write(given)
        source.seek(0)
        try:
            process = subprocess.Popen(
                arguments,
                stdin=source,
                stdout=subprocess.PIPE,
                cwd=ws.cwd,
                env=dict(ws.environ),
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            return b"", f"did not start: {error.strerror if isinstance(error, OSError) else error}"
        late: list[bool] = []

        def give_up() -> None:
            late.append(True)
            _end(process)

        timer = Timer(patience, give_up)
        timer.start()
        try:
            answer = process.stdout.read(LARGEST_ANSWER + 1) if process.stdout is not None else b""
            code = None if len(answer) > LARGEST_ANSWER else process.wait()
        finally:
            timer.cancel()
            _end(process)
            process.wait()
            if process.stdout is not None:
                process.stdout.close()
    return answer, f"took longer than {patience:g} seconds" if late else _failure(code)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the command and what it started; they are a process group of their own."""
    with suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)


def _failure(code: int | None) -> str:
    if code is None:
        return f"printed more than {LARGEST_ANSWER >> 20} MB"
    if code:
        return f"failed with exit code {code}" if code > 0 else f"was ended by signal {-code}"
    return ""
