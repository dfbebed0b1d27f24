"""Which files a session changed, told from its calls."""

from __future__ import annotations

from collections.abc import Iterable

from session_frames.model import MAIN_THREAD, Change, FileChange, Touched, Turn
from session_frames.operations.nested_calls import iter_calls

# What a later change makes of an earlier one; None: made and removed again, nothing is left of it.
_NET: dict[tuple[Change, Change], Change | None] = {
    ("added", "modified"): "added",
    ("added", "added"): "added",
    ("added", "deleted"): None,
    ("deleted", "added"): "modified",
    ("renamed", "modified"): "renamed",
    ("read", "read"): "read",
}


def files_of(turns: Iterable[Turn]) -> list[FileChange]:
    """The files of these turns, in order of first appearance: the net change against the session's start.

    Calls that failed or have no result yet count for nothing, nor do rewound turns. A file is ``read`` only when it
    was never written.
    """
    files: dict[str, FileChange] = {}
    for turn in turns:
        if turn.get("thread", MAIN_THREAD) != MAIN_THREAD:
            continue
        for _, call in iter_calls(turn):
            if call["outcome"] in ("failed", "pending"):
                continue
            for touched in call.get("files", []):
                _apply(files, touched, turn["id"])
    return list(files.values())


def _apply(files: dict[str, FileChange], touched: Touched, turn: str) -> None:
    path, change = touched["path"], touched["change"]
    before = files.get(path)
    if change == "read" and before is not None and before["change"] != "read":
        return
    if change == "renamed":
        origin = files.pop(touched.get("old_path", ""), None)
        if origin is not None and origin["change"] == "added":
            change = "added"
    net = _NET.get((before["change"], change), change) if before else change
    if net is None:
        del files[path]
        return
    same_kind = before is not None and (before["change"] == "read") == (net == "read")
    turns = list(before.get("turns", [])) if before and same_kind else []
    if not turns or turns[-1] != turn:
        turns.append(turn)
    file = FileChange(path=path, change=net, turns=turns)
    old_path = touched.get("old_path") or (before.get("old_path") if before else None)
    if net == "renamed" and old_path:
        file["old_path"] = old_path
    files[path] = file
