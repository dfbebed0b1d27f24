"""What a process needs before anything else: UTF-8 throughout, and three standard streams. Nothing is imported here."""

from __future__ import annotations

import os
import sys

# Name of a standard stream, in the order of their numbers -> mode, and how it is opened where the caller closed it.
# Reading finds nothing then, writing results fails, and what is said to standard error is not heard.
_STREAMS = {"stdin": ("r", os.O_RDONLY), "stdout": ("w", os.O_RDONLY), "stderr": ("w", os.O_WRONLY)}


def prepare() -> None:
    """Make the process ready; under a locale of another encoding it starts anew, in UTF-8."""
    for number, (name, (mode, flags)) in enumerate(_STREAMS.items()):
        if getattr(sys, name) is None:
            _open(number, name, mode, flags)
    if sys.getfilesystemencoding() != "utf-8" and sys.executable:
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])


def _open(number: int, name: str, mode: str, flags: int) -> None:
    """Open a standard stream on nothing, so that no other file gets its number."""
    opened = os.open(os.devnull, flags)
    if opened != number:
        os.dup2(opened, number)
        os.close(opened)
    os.set_inheritable(number, True)
    setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
