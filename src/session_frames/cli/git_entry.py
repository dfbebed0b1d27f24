"""What git calls: hooks, the merge driver and the textconv filter. Nothing heavy is imported here."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Final

from session_frames.errors import FramesError
from session_frames.workspace.core import Workspace

MERGED, CONFLICT, FAILED = 0, 10, 1

_Hook = Callable[[Workspace, Sequence[str]], "list[str] | None"]


def git_hook(argv: Sequence[str]) -> int:
    """``git-hook NAME ARGS``: run a hook. Whatever happens, git goes on: a failure is one line on stderr."""
    name = argv[0] if argv else ""
    try:
        hook = _HOOKS.get(name)
        if hook is None:
            raise FramesError(f"no such hook: '{name}'")
        complaints = hook(Workspace(os.getcwd(), os.environ, _now), argv[1:]) or []
    except FramesError as error:
        complaints = [error.message]
    except Exception as error:
        complaints = [f"{type(error).__name__}: {error}"]
    for complaint in complaints:
        print(f"frames: {name}: {' '.join(complaint.split())}", file=sys.stderr)
    return 0


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _pre_commit(ws: Workspace, args: Sequence[str]) -> list[str]:
    from session_frames.transcripts import session_ids
    from session_frames.workspace.commit_hooks import pre_commit

    return pre_commit(ws, session_ids(ws.environ))


def _prepare_commit_msg(ws: Workspace, args: Sequence[str]) -> None:
    from session_frames.workspace.commit_hooks import prepare_commit_msg

    prepare_commit_msg(ws, *args[:3])


def _commit_msg(ws: Workspace, args: Sequence[str]) -> None:
    from session_frames.workspace.commit_hooks import commit_msg

    commit_msg(ws, args[0])


def _post_commit(ws: Workspace, args: Sequence[str]) -> None:
    from session_frames.workspace.commit_hooks import post_commit

    post_commit(ws)


def _renew_view(ws: Workspace, args: Sequence[str]) -> None:
    from session_frames.workspace.commit_hooks import renew_view

    renew_view(ws)


def _post_checkout(ws: Workspace, args: Sequence[str]) -> None:
    from session_frames.workspace.branch_hint import post_checkout

    hint = post_checkout(ws)
    if hint:
        print(f"frames: {hint}", file=sys.stderr)


def _post_rewrite(ws: Workspace, args: Sequence[str]) -> None:
    from session_frames.storage.hand_links import read_hand_links

    if read_hand_links(ws.state):
        from session_frames.workspace.linking import follow_rewrites

        follow_rewrites(ws, sys.stdin.read().splitlines())
    _renew_view(ws, args)


_HOOKS: Final[Mapping[str, _Hook]] = {
    "pre-commit": _pre_commit,
    "prepare-commit-msg": _prepare_commit_msg,
    "commit-msg": _commit_msg,
    "post-commit": _post_commit,
    "post-merge": _renew_view,
    "post-checkout": _post_checkout,
    "post-rewrite": _post_rewrite,
}


def merge_driver(argv: Sequence[str]) -> int:
    """``merge-driver %O %A %B %L %P``: merge three frame files into the second one.

    0: merged; 10: merged, with conflicts kept as data; anything else: nothing was written, git's text merge is to be
    taken. The result is written once, when it is known to be a frame.
    """
    from session_frames import frame_json
    from session_frames.operations.merge import merge
    from session_frames.operations.render import counted
    from session_frames.storage.frame_store import read_bytes
    from session_frames.storage.private_state import write_atomically

    try:
        base_path, ours_path, theirs_path, _, name = argv
        # An empty base is no frame: both sides added the file.
        frames = [
            frame_json.decode(data, name) if data or at else None
            for at, data in enumerate(read_bytes(path, name) for path in (base_path, ours_path, theirs_path))
        ]
        base, ours, theirs = frames
        assert ours is not None
        assert theirs is not None
        for frame in frames:
            if frame is not None:
                frame_json.require_writable(frame, name)
        merged = merge(base, ours, theirs)
        content = frame_json.encode(merged.frame)
        frame_json.decode(content, name)
        write_atomically(os.path.abspath(ours_path), content)
    except Exception as error:
        told = error.message if isinstance(error, FramesError) else f"{type(error).__name__}: {error}"
        print(f"frames: merge-driver: {' '.join(told.split())}", file=sys.stderr)
        return FAILED
    if merged.conflicts:
        print(f"frames: {counted(len(merged.conflicts), 'conflict')} left in '{name}'", file=sys.stderr)
        return CONFLICT
    return MERGED


def textconv(argv: Sequence[str]) -> int:
    """``textconv FILE``: the frame as text for a diff; what is no frame is shown as it is."""
    from session_frames import frame_json
    from session_frames.operations.textconv import frame_text

    try:
        with open(argv[0], "rb") as file:
            content = file.read()
    except (OSError, IndexError) as error:
        print(f"frames: textconv: {error}", file=sys.stderr)
        return FAILED
    with suppress(FramesError):
        content = frame_text(frame_json.decode(content, argv[0])).encode("utf-8", "replace")
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()
    return 0
