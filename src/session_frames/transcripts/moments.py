"""Times and places as some agents write them: counts since 1970, ``file:`` addresses."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote, urlsplit

_DRIVE = re.compile(r"/[A-Za-z]:")


def iso_of_milliseconds(value: Any) -> str:
    """The time of a count of milliseconds since 1970, else ""."""
    if not isinstance(value, int | float) or isinstance(value, bool) or value <= 0:
        return ""
    try:
        moment = datetime.fromtimestamp(value / 1000, UTC)
    except (OverflowError, ValueError, OSError):
        return ""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def iso_of_seconds(value: Any) -> str:
    """The time of a count of seconds since 1970, else ""."""
    numeric = isinstance(value, int | float) and not isinstance(value, bool)
    return iso_of_milliseconds(value * 1000) if numeric else ""


def path_of(value: str) -> str:
    """The path that a ``file:`` address names; any other text as it is."""
    if not value.startswith("file:"):
        return value
    try:
        path = unquote(urlsplit(value).path)
    except ValueError:
        return value
    return path[1:] if _DRIVE.match(path) else path
