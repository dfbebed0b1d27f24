"""Writing results: always UTF-8, in git's colours and pager, and without a traceback when the reader goes away."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

from session_frames.operations.fence import shown

_SOON_DONE = 1.0
_COLOURS = {"yellow": "33", "green": "32", "red": "31", "cyan": "36", "bold": "1", "dim": "2"}


def write(text: str) -> None:
    """Text to standard output; half of a surrogate pair is shown as U+FFFD, whatever the locale."""
    sys.stdout.buffer.write(text_bytes(text))


def text_bytes(text: str) -> bytes:
    """Text as ``write`` writes it."""
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace").encode("utf-8")


def write_lines(lines: Iterable[str]) -> None:
    """Lines to standard output, one at a time."""
    for line in lines:
        write(line + "\n")


def write_json(value: Any) -> None:
    """One value on one line; half of a surrogate pair stays as its escape."""
    sys.stdout.buffer.write(json_bytes(value))


def json_bytes(value: Any) -> bytes:
    """A value as ``write_json`` writes it."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError:
        data = json.dumps(value).encode("ascii")
    return data + b"\n"


def complain(text: str) -> None:
    """A line for people, to standard error; control characters in it are shown as their codes."""
    data = (shown(text) + "\n").encode("utf-8", "replace")
    with suppress(OSError):  # nobody hears it
        sys.stderr.buffer.write(data)
        sys.stderr.buffer.flush()


def wants_colour(environ: Mapping[str, str], setting: str | None) -> bool:
    """As git decides: ``color.ui``, a terminal, ``NO_COLOR``, ``TERM``; ``FORCE_COLOR`` overrides."""
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR") or environ.get("CLICOLOR_FORCE") or setting == "always":
        return True
    if setting in ("false", "never") or environ.get("TERM") == "dumb":
        return False
    return sys.stdout.isatty()


def painted(text: str, colour: str, on: bool) -> str:
    """The text in a colour, where colours are wanted."""
    return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m" if on and text else text


def page(lines: Iterable[str], pager: str | None, environ: Mapping[str, str]) -> None:
    """Lines through the pager that git would take, on a terminal; else straight out."""
    if not pager or pager == "cat" or not sys.stdout.isatty():
        write_lines(lines)
        return
    import subprocess

    settings = {**environ, "LESS": environ.get("LESS", "FRX"), "LV": environ.get("LV", "-c")}
    with subprocess.Popen(pager, shell=True, stdin=subprocess.PIPE, env=settings) as process:
        assert process.stdin is not None
        # A reader that has seen enough closes the pipe: nothing is wrong then.
        with suppress(BrokenPipeError):
            for line in lines:
                process.stdin.write((line + "\n").encode("utf-8", "replace"))
        with suppress(BrokenPipeError):
            process.stdin.close()


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on standard error for work that takes longer than a second, on a terminal only."""
    if not sys.stderr.isatty():
        yield lambda done, of: None
        return
    started = time.monotonic()
    with ExitStack() as stack:
        bars: list[Callable[[int, int], None]] = []

        def tell(done: int, of: int) -> None:
            if not bars and time.monotonic() - started > _SOON_DONE:
                bars.append(stack.enter_context(_bar(what)))
            for bar in bars:
                bar(done, of)

        yield tell


@contextmanager
def _bar(what: str) -> Iterator[Callable[[int, int], None]]:
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)


def silence_stdout() -> None:
    """Nothing more is written: the interpreter's last flush must not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
