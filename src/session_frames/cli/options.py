"""Options that several verbs share."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

import click

from session_frames.errors import UsageError

Command = TypeVar("Command", bound=Callable[..., Any])


def json_option(command: Command) -> Command:
    """``--json``: machine-readable output."""
    return click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")(command)


def not_blank(ctx: click.Context, parameter: click.Parameter, value: str | None) -> str:
    """The value of an option or argument that must say something where it is given; "" where it is not."""
    return not_blank_or_none(ctx, parameter, value) or ""


def not_blank_or_none(_ctx: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """The same, None where it is not given."""
    if value is not None and not value.strip():
        raise UsageError(f"{parameter.opts[0]} is blank", hint="give it a word, or leave it out")
    return value


def date_of(_ctx: click.Context, parameter: click.Parameter, value: str) -> str:
    """The value of an option that is a date."""
    from datetime import date

    with suppress(ValueError):
        if not value or date.fromisoformat(value).isoformat() == value:
            return value
    raise UsageError(f"not a date: '{value}'", hint=f"--{parameter.name} YYYY-MM-DD, such as 2026-06-02")


def frame_option(command: Command) -> Command:
    """``-f/--frame``: the frame that is meant."""
    return click.option(
        "-f",
        "--frame",
        "name",
        metavar="FRAME",
        callback=not_blank_or_none,
        help="Id prefix, topic, path, or @ for the active one.",
    )(command)


def frame_argument(command: Command) -> Command:
    """``[FRAME]``: the frame that is meant, for ``frame_of``."""
    return click.argument("frame", required=False, callback=not_blank_or_none)(command)


def frame_of(argument: str | None, option: str | None) -> str | None:
    """The frame named as argument or by ``-f``, not by both."""
    if argument and option:
        raise click.UsageError("name the frame once: as argument or with -f")
    return argument or option
