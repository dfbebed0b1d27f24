"""What pre-commit leaves for the hooks after it, so that they need no interpreter of their own.

The *slip* says which frame the commit takes: its trailer, and the line by which the index differs from HEAD. Beside it
lies the text of the commit's note. The shell part of the hooks (``hook_text``) uses both when the index still differs
by exactly this line, and takes the long way else; a slip that was not used for its commit is worth nothing.
"""

from __future__ import annotations

import os
from contextlib import suppress

from session_frames.storage.git_repo import GitRepo
from session_frames.storage.private_state import PrivateState, make_folder

_NOTE = ".note"


def write_slip(repo: GitRepo, state: PrivateState, trailer: str, line: str, note: str) -> None:
    """Leave a slip for the commit that is being made in this work tree; one that gets lost costs some time only."""
    make_folder(state.path("staged"))
    path = _slip_path(repo, state)
    with open(path + _NOTE, "wb") as file:
        file.write(note.encode())
    with open(path, "wb") as file:
        file.write(f"{trailer}\n{line}\n".encode("utf-8", "surrogateescape"))


def drop_slip(repo: GitRepo, state: PrivateState) -> None:
    """No slip, also none of a commit that was given up."""
    path = _slip_path(repo, state)
    for name in (path, path + _NOTE):
        with suppress(OSError):
            os.unlink(name)


def _slip_path(repo: GitRepo, state: PrivateState) -> str:
    """Each work tree has its own: no two commits are made in one at a time. The shell finds it by the same name."""
    return state.path("staged", os.path.basename(repo.git_dir) + ".slip")
