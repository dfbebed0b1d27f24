"""What happens around a commit: a session's frame goes into the session's own commits, and the message names it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Final, NamedTuple, cast

from session_frames import frame_json
from session_frames.errors import FormatError, FramesError
from session_frames.model import Frame, digest
from session_frames.operations.membership import is_of_session, written_lines
from session_frames.storage.commit_index import (
    amended_parents,
    blob_id,
    changes_more_than_frames,
    is_in_sequence,
    iter_hunks,
    merge_heads,
    read_blobs,
    stage,
    staged_frames,
    unstage,
)
from session_frames.storage.commit_slip import drop_slip, write_slip
from session_frames.storage.private_state import ActiveFrame, make_folder, write_atomically
from session_frames.workspace.core import Workspace
from session_frames.workspace.opened import as_opened
from session_frames.workspace.session_parts import last_part

_KEY: Final = "Frame"

# A hook must not keep a commit waiting for somebody else's lock.
_LOCK_WAIT: Final = 0.5

# Behind the last trailer, with a colon, whatever the user's settings are. The shell part of the hooks says the same.
_PLACED: Final = (
    "-c", "trailer.separators=:", "interpret-trailers", "--in-place", "--no-divider",
    "--where", "end", "--if-exists", "addIfDifferent", "--if-missing", "add",
)  # fmt: skip

# Turn id -> characters of its text, number of its calls.
_Turns = dict[str, tuple[int, int]]


class _Staged(NamedTuple):
    """A frame that this commit takes: its file, and what the file held before."""

    frame: Frame
    path: str
    before: bytes | None


_SCISSORS = re.compile(rb"^.+ -{24} >8 -{24}\r?$", re.MULTILINE)


# ---------------------------------------------------------------------------------------------------------------------
# pre-commit


def pre_commit(ws: Workspace, session_ids: Collection[str]) -> list[str]:
    """Add the frames of the sessions that make this commit; what was staged for one that never came is taken out.

    ``session_ids`` are the agents' sessions from whose shells git was started. The answer is what went wrong.
    """
    top = ws.repo.require_top()
    drop_slip(ws.repo, ws.state)
    here = [entry for entry in ws.state.list_active() if _same_folder(entry.get("work_tree", ""), top)]
    notes = _list_notes(ws)
    if not (here or notes) or is_in_sequence(ws.repo):
        return []
    staged: dict[str, _Staged] = {}
    complaints: list[str] = []
    for entry in here:
        try:
            frame = _caught_up(ws, entry) if entry.get("session_id") else _taken_over(ws, entry, session_ids)
            if frame.get("turns") and _belongs(ws, entry, frame, session_ids):
                found = _stage_frame(ws, last_part(ws, frame))
                staged.update({found.frame["id"]: found} if found else {})
        except FramesError as error:
            complaints.append(f"frame '{entry['frame']['id'][:8]}' is not in this commit: {error.message}")
    for note in notes:
        if note["id"] not in staged:
            _take_out(ws, note)
    if len(staged) == 1 and not merge_heads(ws.repo):
        with suppress(FramesError):
            _leave_slip(ws, *staged.values())
    return complaints


def _same_folder(one: str, other: str) -> bool:
    return one == other or os.path.realpath(one) == os.path.realpath(other)


def _caught_up(ws: Workspace, entry: ActiveFrame) -> Frame:
    """The frame with what was said by now; one that was opened before its transcript was there looks for it."""
    if not entry.get("transcript") and entry["frame"].get("turns"):
        return entry["frame"]
    from session_frames.workspace.capture import catch_up

    return as_opened(catch_up(ws, entry), entry["frame"])


def _taken_over(ws: Workspace, entry: ActiveFrame, session_ids: Collection[str]) -> Frame:
    """The session that makes this commit, for a frame that was opened by hand: from here on the frame is its own."""
    from session_frames.workspace.opened import sessions_since

    for session in sessions_since(ws, entry):
        if _belongs(ws, session, session["frame"], session_ids):
            with ws.state.lock(wait=_LOCK_WAIT):
                ws.state.save_active(session)
                ws.state.drop_active(entry["frame"]["id"])
            return session["frame"]
    return entry["frame"]


def _belongs(ws: Workspace, entry: ActiveFrame, frame: Frame, session_ids: Collection[str]) -> bool:
    """Is the commit the session's: made from its shell, or of lines that it wrote? Never one that changes nothing."""
    own = {entry.get("session_id"), frame.get("session", {}).get("session_id")}
    if own.intersection(session_ids):
        return changes_more_than_frames(ws.repo)
    written = written_lines(frame)
    return bool(written) and is_of_session(iter_hunks(ws.repo, list(written)), written)


def _stage_frame(ws: Workspace, frame: Frame) -> _Staged | None:
    """Write the frame's file and stage it; None where frames are kept out of the tree."""
    if ws.keeps_local:
        return None
    from session_frames.storage.frame_store import decoding_once

    with ws.state.lock(wait=_LOCK_WAIT), decoding_once():
        path = ws.store.find_path(frame["id"])
        if path is None:
            path = ws.store.new_path(frame)
            if ws.repo.is_ignored(path):
                return None
        else:
            frame = _renewed(ws, path, frame)
        before = _content(ws.store.full(path))
        data = frame_json.encode(frame)
        _write_note(ws, frame["id"], path, blob_id(ws.repo, data))
        try:
            ws.store.write(frame, path, data)
            stage(ws.repo, path)
        except BaseException:
            _put_back(ws.store.full(path), before)
            _drop_note(ws, frame["id"])
            raise
    return _Staged(frame, path, before)


def _leave_slip(ws: Workspace, staged: _Staged) -> None:
    """Tell the hooks after this one what they would find out, where the commit takes this frame and no other."""
    from session_frames.operations.commit_note import IN_TREE, TRAILER, Noted, note_text, ranges_of
    from session_frames.operations.summary import summarize

    files = staged_frames(ws.repo)
    if len(files) != 1 or files[0].path != staged.path:
        return
    (file,) = files
    is_old = staged.before is not None and blob_id(ws.repo, staged.before) == file.old
    content = {file.old: staged.before} if is_old else read_blobs(ws.repo, {file.old: file.path} if file.old else {})
    old = dict(_turns_of(filter(None, content.values()))).get(staged.frame["id"])
    new = _turns(staged.frame)
    if old is not None and not _has_grown(old, new):
        return
    added = ranges_of(number for number, turn in enumerate(new, 1) if turn not in (old or {}))
    kind = IN_TREE if added else TRAILER
    note = note_text([Noted(kind, staged.frame["id"], staged.path, added, summarize(staged.frame))])
    write_slip(ws.repo, ws.state, f"{_KEY}: {staged.frame['id']}", file.line, note)


def _renewed(ws: Workspace, path: str, frame: Frame) -> Frame:
    """The frame with what people did to it in its file."""
    from session_frames.operations.renew import renew

    old = ws.store.read(path)
    frame_json.require_writable(old, path)
    return cast(Frame, {**renew(old, frame)[0], "status": "active"})


def _content(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def _put_back(path: str, content: bytes | None) -> None:
    if content is not None:
        write_atomically(path, content)
        return
    with suppress(OSError):
        os.unlink(path)
        os.removedirs(os.path.dirname(path))


# ---------------------------------------------------------------------------------------------------------------------
# What was staged for a commit that was given up


def _note_path(ws: Workspace, frame_id: str) -> str:
    return ws.state.path("staged", frame_id + ".json")


def _write_note(ws: Workspace, frame_id: str, path: str, blob: str) -> None:
    """Nothing is lost with the note: it is written without waiting for the disk."""
    note = {"id": frame_id, "work_tree": ws.repo.require_top(), "path": path, "blob": blob}
    make_folder(ws.state.path("staged"))
    with open(_note_path(ws, frame_id), "w", encoding="ascii") as file:
        file.write(json.dumps(note))


def _drop_note(ws: Workspace, frame_id: str) -> None:
    with suppress(OSError):
        os.unlink(_note_path(ws, frame_id))


def _list_notes(ws: Workspace) -> list[dict[str, str]]:
    """The notes of this work tree; one whose writer was killed says nothing and goes."""
    folder, top = ws.state.path("staged"), ws.repo.require_top()
    notes = []
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        if not name.endswith(".json"):
            continue
        path = os.path.join(folder, name)
        try:
            note = json.loads(_content(path) or b"")
        except ValueError:
            os.unlink(path)
            continue
        if _same_folder(note["work_tree"], top):
            notes.append(note)
    return notes


def _take_out(ws: Workspace, note: dict[str, str]) -> None:
    held = unstage(ws.repo, note["path"], note["blob"])
    full = ws.store.full(note["path"])
    content = _content(full)
    if held is not None and content is not None and blob_id(ws.repo, content) == note["blob"]:
        _put_back(full, read_blobs(ws.repo, {held.blob: note["path"]}).get(held.blob) if held.blob else None)
    _drop_note(ws, note["id"])


# ---------------------------------------------------------------------------------------------------------------------
# prepare-commit-msg, commit-msg


def prepare_commit_msg(ws: Workspace, path: str, source: str = "", origin: str = "") -> None:
    """Name in the message each frame that the commit adds or grows.

    A message that is still to be written gets nothing: an empty one, or a template left as it is, must go on giving
    the commit up. ``commit_msg`` does it then. A message that comes from HEAD (``origin``) is that of an amend: what
    the amended commit brought is named again, should an earlier message have lost it.
    """
    if source == "template":
        _write_template_digest(ws, path)
    elif not _is_empty(ws, path):
        amends = (source, origin) == ("commit", "HEAD")
        _add_trailers(ws, path, amended_parents(ws.repo) if amends else ["", *merge_heads(ws.repo)])


def commit_msg(ws: Workspace, path: str) -> None:
    """The same for a message that was written in an editor."""
    untouched = _take_template_digest(ws)
    if not _is_empty(ws, path) and digest(_words(ws, path)) != untouched:
        _add_trailers(ws, path, ["", *merge_heads(ws.repo)])


def _add_trailers(ws: Workspace, path: str, parents: Sequence[str]) -> None:
    trailers = [word for frame_id in _grown_frames(ws, parents) for word in ("--trailer", f"{_KEY}: {frame_id}")]
    if trailers:
        _end_last_line(path)
        placed = ("--where", "end", "--if-exists", "addIfDifferent", "--if-missing", "add")
        ws.repo.run(
            "-c", "trailer.separators=:", "interpret-trailers", "--in-place", "--no-divider", *placed, *trailers, path
        )


def _end_last_line(path: str) -> None:
    """Behind a line without an end git would put the trailer into the last paragraph."""
    content = _content(path)
    if content and not content.endswith(b"\n"):
        with open(path, "ab") as file:
            file.write(b"\n")


def _grown_frames(ws: Workspace, parents: Sequence[str]) -> list[str]:
    """The ids of the frames that the commit adds or makes grow, against every parent ("": HEAD).

    A turn in which the agent commits several times grows from commit to commit: more calls and words count, too.
    """
    grown: set[str] | None = None
    for parent in parents:
        files = staged_frames(ws.repo, parent)
        wanted = {blob: file.path for file in files for blob in (file.old, file.new) if blob}
        content = read_blobs(ws.repo, wanted)
        old = dict(_turns_of(content[file.old] for file in files if file.old in content))
        new = dict(_turns_of(content[file.new] for file in files if file.new in content))
        here = {frame_id for frame_id, turns in new.items() if frame_id not in old or _has_grown(old[frame_id], turns)}
        grown = here if grown is None else grown & here
        if not grown:
            break
    return sorted(grown or ())


def _turns_of(contents: Iterable[bytes]) -> Iterator[tuple[str, _Turns]]:
    for content in contents:
        with suppress(FormatError):
            frame = frame_json.decode(content)
            yield frame["id"], _turns(frame)


def _turns(frame: Frame) -> _Turns:
    return {turn["id"]: (len(turn.get("text", "")), len(turn.get("calls", []))) for turn in frame.get("turns", [])}


def _has_grown(old: _Turns, new: _Turns) -> bool:
    return any(turn not in old or words > old[turn][0] or calls > old[turn][1] for turn, (words, calls) in new.items())


def _is_empty(ws: Workspace, path: str) -> bool:
    return not _words(ws, path).strip()


def _words(ws: Workspace, path: str) -> str:
    """What git keeps of the message: nothing below the scissors, no comments unless no editor was there to add any."""
    with open(path, "rb") as file:
        message = file.read()
    if ws.environ.get("GIT_EDITOR") != ":":
        scissors = _SCISSORS.search(message)
        message = message[: scissors.start()] if scissors else message
        message = ws.repo.run("stripspace", "--strip-comments", stdin=message)
    return message.decode("utf-8", "replace")


def _template_path(ws: Workspace) -> str:
    return ws.state.path("template")


def _write_template_digest(ws: Workspace, path: str) -> None:
    make_folder(ws.state.root)
    with open(_template_path(ws), "w", encoding="ascii") as file:
        file.write(digest(_words(ws, path)))


def _take_template_digest(ws: Workspace) -> str:
    content = _content(_template_path(ws))
    with suppress(OSError):
        os.unlink(_template_path(ws))
    return (content or b"").decode("ascii", "replace")


# ---------------------------------------------------------------------------------------------------------------------
# post-*


def post_commit(ws: Workspace) -> None:
    """The commit was made. What was meant for it and is not in it goes; in a rebase the view waits for its end."""
    drop_slip(ws.repo, ws.state)
    for note in _list_notes(ws):
        _take_out(ws, note)
    if not is_in_sequence(ws.repo):
        renew_view(ws)


def renew_view(ws: Workspace) -> None:
    """Bring the index of links and the notes that git shows up to date."""
    from session_frames.storage.commit_links import refresh
    from session_frames.storage.notes_view import refresh_view

    refreshed = refresh(ws.repo, ws.index)
    refresh_view(ws.repo, ws.index, ws.state, refreshed.notes_tip)
