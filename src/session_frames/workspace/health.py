"""What is not right in a repository that frames works in, and what puts it right."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final, Literal, NamedTuple

from session_frames.errors import FramesError
from session_frames.storage.frame_store import ARCHIVE, SESSIONS
from session_frames.storage.hook_files import place_of_block
from session_frames.workspace.core import Workspace
from session_frames.workspace.setup import (
    DISPLAYED,
    SAMPLE_FRAME,
    HookPlace,
    has_attributes,
    hook_place,
    init,
    marks,
    missing_hooks,
    receipts_of,
    uses_lefthook,
    wanted_hooks,
)

# A note is nothing wrong: something that a person may not expect.
Level = Literal["error", "warning", "note"]

_REINSTALL: Final = "frames doctor --fix"
_INTERPRETER = re.compile(r"\[ -x '((?:[^']|'\\'')*)' \]")
_LONGEST_WRITE: Final = 60.0  # seconds; a younger temporary file may still be written
_WIDEST_VALUE: Final = 60  # characters
_TEMPORARY = re.compile(r"\..*\.tmp")


class Finding(NamedTuple):
    """Something that is not right, how bad it is, and what helps."""

    level: Level
    what: str
    hint: str


def doctor(ws: Workspace, *, fix: bool = False) -> list[Finding]:
    """What is not right here. With ``fix`` what can safely be put right is, and only what remains is told."""
    if fix:
        _fix(ws)
    return [finding for check in _CHECKS for finding in check(ws)]


def _fix(ws: Workspace) -> None:
    """Write anew what ``init`` had written, and remove what was left half done."""
    if not receipts_of(ws).is_empty():
        init(ws, hooks=receipts_of(ws).hooks)
    for path in _temporary_files(ws):
        with suppress(OSError):
            os.unlink(path)
    with suppress(FramesError):
        from session_frames.workspace.raw import clean_all

        clean_all(ws)
    with suppress(FramesError):
        from session_frames.storage.commit_links import refresh

        refresh(ws.repo, ws.index)


# ---------------------------------------------------------------------------------------------------------------------
# The checks


def _is_set_up(ws: Workspace) -> Iterator[Finding]:
    if not receipts_of(ws).is_empty():
        return
    found = marks(ws)
    if not any(found):
        yield Finding("note", "frames is not set up in this repository", "frames init")
        return
    listed = ", ".join((*found.lines, *found.hooks, *found.settings))
    yield Finding(
        "warning",
        f"frames was set up here, but its record of that is gone; what is recognised as its own: {listed}",
        "frames init keeps it, frames uninit takes it out",
    )


def _attributes(ws: Workspace) -> Iterator[Finding]:
    named, configured = has_attributes(ws), bool(ws.settings.values("merge.frame.driver"))
    if named and not configured:
        yield Finding(
            "error", "attributes name the merge driver 'frame', which is not configured in this clone", "frames init"
        )
    if configured and not named and not ws.keeps_local:
        yield Finding("error", "no attributes give frame files to the merge driver 'frame'", _REINSTALL)


def _driver(ws: Workspace) -> Iterator[Finding]:
    for name, does in (("merge.frame.driver", "merge"), ("diff.frame.textconv", "show")):
        for command in ws.settings.values(name):
            if not _is_runnable(ws, command):
                yield Finding("error", f"git cannot run frames to {does} a frame: {_missing(command)}", _REINSTALL)


def _hooks(ws: Workspace) -> Iterator[Finding]:
    top = ws.repo.require_top()
    if uses_lefthook(top):
        yield Finding("note", "lefthook manages the hooks here", "frames init prints what to add to its settings")
        return
    if not receipts_of(ws).hooks:
        return
    place = hook_place(ws)
    if place.outside and missing_hooks(place, ws.keeps_local):
        yield Finding(
            "warning",
            f"git runs hooks from '{place.folder}', outside this repository: frames' hooks are not there",
            "frames init --shared-hooks",
        )
        return
    yield from _faults_of_hooks(ws, place)


def _faults_of_hooks(ws: Workspace, place: HookPlace) -> Iterator[Finding]:
    for name in wanted_hooks(ws.keeps_local):
        path = os.path.join(place.folder, name)
        text = _text(place_of_block(path))
        if not text:
            yield Finding("error", f"the hook '{path}', which git runs, does not call frames", _REINSTALL)
        elif not place.by_shell and not os.access(path, os.X_OK):
            yield Finding("error", f"git does not run the hook '{path}': it is not executable", _REINSTALL)
        elif not _is_runnable(ws, text):
            yield Finding("error", f"the hook '{path}' cannot run frames: {_missing(text)}", _REINSTALL)


def _husky_is_active(ws: Workspace) -> Iterator[Finding]:
    top = ws.repo.require_top()
    if os.path.isdir(os.path.join(top, ".husky")) and not hook_place(ws).folder.startswith(os.path.join(top, ".husky")):
        yield Finding(
            "warning", "husky is here but not active in this clone", "run frames init again once it is installed"
        )


def _notes(ws: Workspace) -> Iterator[Finding]:
    if not receipts_of(ws).is_empty() and DISPLAYED not in ws.settings.values("notes.displayRef"):
        yield Finding("warning", f"git log does not show frames: notes.displayRef has no {DISPLAYED}", _REINSTALL)


def _ignored(ws: Workspace) -> Iterator[Finding]:
    if ws.repo.is_ignored(SAMPLE_FRAME) and not ws.keeps_local:
        yield Finding("warning", f"git ignores '{SESSIONS}': no frame gets into a commit", "frames init --local")


def _index(ws: Workspace) -> Iterator[Finding]:
    path = ws.state.path("index.sqlite")
    with suppress(OSError), open(path, "rb") as file:
        if file.read(16) != b"SQLite format 3\0":
            yield Finding("warning", f"the index '{path}' is damaged; it is made anew when needed", _REINSTALL)
    if os.path.exists(path) and not os.access(path, os.R_OK | os.W_OK):
        yield Finding("error", f"the index '{path}' cannot be read and written", "give yourself the permission")


def _frame_files(ws: Workspace) -> Iterator[Finding]:
    seen: dict[str, str] = {}
    for path in ws.store.iter_paths():
        try:
            frame = ws.store.read(path)
        except FramesError as error:
            hint = error.hint if error.hint and error.hint != "frames doctor" else f"git log -p -- '{path}'"
            yield Finding("error", error.message, hint)
            continue
        first = seen.setdefault(frame["id"], path)
        if first != path:
            yield Finding("error", f"'{path}' and '{first}' are the same frame", "keep one of them")
        for conflict in frame.get("merge_conflicts", []):
            values = " | ".join(_on_one_line(value) for value in conflict["values"])
            yield Finding(
                "error",
                f"'{path}': a merge left a conflict in {conflict['where']}: {values}",
                "frames merge --continue",
            )


def _unmerged(ws: Workspace) -> Iterator[Finding]:
    """Frame files in which git waits for a merge to be settled."""
    listed = ws.repo.run("ls-files", "-u", "-z", "--", SESSIONS, ARCHIVE).decode("utf-8", "surrogateescape")
    for path in dict.fromkeys(entry.partition("\t")[2] for entry in listed.split("\0") if entry):
        yield Finding("error", f"'{path}' is not merged yet", "frames merge --continue")


def _private_copies(ws: Workspace) -> Iterator[Finding]:
    for path in ws.state.list_closed_paths():
        try:
            ws.index.summary_of_file(path)
        except FramesError as error:
            yield Finding("warning", f"private copy: {error.message}", error.hint or "frames close writes it anew")
    for path in ws.state.list_damaged_paths():
        yield Finding("warning", f"'{path}' is a damaged private copy that was left aside", "delete it when you will")


def _left_behind(ws: Workspace) -> Iterator[Finding]:
    for path in _temporary_files(ws):
        yield Finding("warning", f"'{path}' was left by a write that was interrupted", _REINSTALL)


def _soon_deleted(ws: Workspace) -> Iterator[Finding]:
    from session_frames.workspace.rescue import endangered

    if ws.repo.top is None:
        return
    for lost in endangered(ws):
        sessions = "1 session" if len(lost.files) == 1 else f"{len(lost.files)} sessions"
        yield Finding(
            "warning",
            f"{lost.agent} deletes {sessions} of this repository within {lost.days} days: {lost.files[0]}"
            + (" …" if len(lost.files) > 1 else ""),
            "frames import --all",
        )


def _other_rules(ws: Workspace) -> Iterator[Finding]:
    from session_frames.workspace.raw import unclean

    if found := unclean(ws):
        told = "1 raw transcript was" if len(found) == 1 else f"{len(found)} raw transcripts were"
        yield Finding("warning", f"{told} redacted by other rules than those of today", _REINSTALL)


_CHECKS: Final[tuple[Callable[[Workspace], Iterator[Finding]], ...]] = (
    _is_set_up,
    _attributes,
    _driver,
    _hooks,
    _husky_is_active,
    _notes,
    _ignored,
    _index,
    _private_copies,
    _frame_files,
    _unmerged,
    _left_behind,
    _other_rules,
    _soon_deleted,
)


# ---------------------------------------------------------------------------------------------------------------------


def _is_runnable(ws: Workspace, command: str) -> bool:
    """Will git find frames: the interpreter that the command names, or ``frames`` on the path?"""
    return any(os.access(path, os.X_OK) for path in _interpreters(command)) or any(
        os.access(os.path.join(folder, "frames"), os.X_OK) for folder in ws.environ.get("PATH", "").split(os.pathsep)
    )


def _missing(command: str) -> str:
    named = "".join(f"'{path}' is gone, and " for path in _interpreters(command))
    return f"{named}'frames' is not on the path"


def _interpreters(command: str) -> list[str]:
    return [found.replace("'\\''", "'") for found in _INTERPRETER.findall(command)]


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError:
        return ""


def _on_one_line(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _WIDEST_VALUE else text[: _WIDEST_VALUE - 1] + "…"


def _temporary_files(ws: Workspace) -> list[str]:
    """Temporary files of ours that no process writes any more."""
    found = []
    folders = [os.path.join(ws.repo.require_top(), folder) for folder in (SESSIONS, ARCHIVE)]
    for start in (*folders, ws.state.root):
        for folder, _, names in os.walk(start):
            found += [os.path.join(folder, name) for name in names if _TEMPORARY.fullmatch(name)]
    return sorted(path for path in found if _age(path) > _LONGEST_WRITE)


def _age(path: str) -> float:
    try:
        return time.time() - os.stat(path).st_mtime
    except OSError:
        return 0.0
