"""The workspace around a folder, for a program that is no command line."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from session_frames.workspace.core import Workspace

Folder = str | os.PathLike[str]


def workspace_of(folder: Folder) -> Workspace:
    """The workspace of the repository around a folder."""
    return Workspace(os.path.abspath(os.fspath(folder)), dict(os.environ), _now)


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
