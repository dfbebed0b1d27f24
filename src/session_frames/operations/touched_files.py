"""Which files a session changed, told from its calls."""

from __future__ import annotations

from collections.abc import Iterable

from session_frames.model import MAIN_THREAD, Change, FileChange, Touched, Turn
from session_frames.operations.nested_calls import iter_calls
from session_frames.operations.shell_files import command_of, commits, effects

# What a later change makes of an earlier one; None: made and removed again, nothing is left of it.
_NET: dict[tuple[Change, Change], Change | None] = {
    ("added", "modified"): "added",
    ("added", "added"): "added",
    ("added", "deleted"): None,
    ("deleted", "added"): "modified",
    ("read", "added"): "modified",
    ("modified", "added"): "modified",
    ("renamed", "added"): "renamed",
    ("renamed", "modified"): "renamed",
    ("read", "read"): "read",
}


def files_of(turns: Iterable[Turn]) -> list[FileChange]:
    """The files of these turns, in order of first appearance: the net change against the session's start.

    Calls that failed or have no result yet count for nothing, nor do rewound turns. A file is ``read`` only when it
    was never written.
    """
    files: dict[str, FileChange] = {}
    committed: dict[str, FileChange] = {}
    for turn in turns:
        if turn.get("thread", MAIN_THREAD) != MAIN_THREAD:
            continue
        for _, call in iter_calls(turn):
            if call["outcome"] in ("failed", "pending"):
                continue
            for touched in call.get("files", []):
                _apply(files, touched, turn["id"])
            if call["outcome"] == "passed":
                committed = _by_name(files, committed, command_of(call.get("arguments")), turn["id"])
    return list(files.values())


def _by_name(
    files: dict[str, FileChange], committed: dict[str, FileChange], command: str, turn: str
) -> dict[str, FileChange]:
    """What a command did to files that the session knows: put back as they were committed, or removed.

    Returns the files as git would now put them back.
    """
    for effect in effects(command):
        if effect.change not in ("restored", "cleared"):
            continue
        for path in _known(files, effect.path):
            if effect.change == "cleared":
                _apply(files, Touched(path=path, change="deleted"), turn)
            elif path in committed:
                files[path] = committed[path]
            elif files[path]["change"] in ("modified", "deleted"):
                del files[path]
    return dict(files) if commits(command) else committed


def _known(files: Iterable[str], named: str) -> list[str]:
    """The files that a name on a command line means: the file itself, else all below the folder of that name.

    The command may have run in a folder below the top of the repository.
    """
    if named == ".":
        return list(files)
    same = [path for path in files if path == named or path.startswith(f"{named}/")]
    return same or [path for path in files if path.endswith(f"/{named}")]


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
