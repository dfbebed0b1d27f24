"""Options that several verbs share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def json_option(command: Command) -> Command:
    """``--json``: machine-readable output."""
    return click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")(command)


def frame_option(command: Command) -> Command:
    """``-f/--frame``: the frame that is meant."""
    return click.option(
        "-f", "--frame", "name", metavar="FRAME", help="Id prefix, topic, path, or @ for the active one."
    )(command)


def frame_of(argument: str | None, option: str | None) -> str | None:
    """The frame named as argument or by ``-f``, not by both."""
    if argument and option:
        raise click.UsageError("name the frame once: as argument or with -f")
    return argument or option
