"""What has to be known before git can print the frames under its commits."""

from __future__ import annotations

from collections.abc import Sequence

from session_frames.errors import UsageError
from session_frames.storage.commit_history import is_object_id
from session_frames.storage.quick_look import may_name_commits
from session_frames.workspace.core import Workspace
from session_frames.workspace.linking import renew_links


def prepare_log(ws: Workspace, args: Sequence[str], newest: int | None = None) -> None:
    """Bring index and notes view up to what ``args`` ask for, so that git itself can print the frames.

    ``newest``: no more than so many of the newest commits of HEAD are shown.
    """
    for arg in args:
        if arg == "--":
            break
        if arg == "--output" or arg.startswith("--output="):
            raise UsageError(
                "'--output' is refused: frames log writes to standard output only", hint="use a redirection"
            )
    renew_links(ws, _asked_commits(ws, args), newest)


def _asked_commits(ws: Workspace, args: Sequence[str]) -> list[str]:
    """The commits that the arguments name, also those that no ref reaches."""
    if not may_name_commits(list(args)):
        return []
    if ws.seen is not None:
        return list(filter(is_object_id, ws.seen.asked))
    answer = ws.repo.ask("rev-parse", "--revs-only", "--no-flags", *args, cwd=ws.cwd)
    names = (name.lstrip("^") for name in answer.out.decode("utf-8", "replace").split())
    return list(filter(is_object_id, names))
