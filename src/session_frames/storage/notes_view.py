"""The local notes ref from which ``git log`` itself prints the frames under each commit.

``refs/notes/frames`` is a view of the index: nobody else writes it, and it may be lost at any time. Several processes
that write notes at once lose most of them, so all of it happens under our own lock; and when the ref does not stand
where it was left, it is written anew from the index, without history.
"""

from __future__ import annotations

import hashlib
import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress

from session_frames.errors import EnvironmentError_, RefusedError
from session_frames.operations.commit_note import Noted, note_text
from session_frames.storage.commit_history import NOTES_REF, is_object_id
from session_frames.storage.commit_links import Link, iter_links, links_of
from session_frames.storage.git_repo import GitRepo
from session_frames.storage.hand_links import VIEW_TIP
from session_frames.storage.index import Index
from session_frames.storage.private_state import PrivateState

# `git notes add` costs 7-9 ms a note, `git fast-import` 28-40 ms however many there are.
_FEW = 2

# So many notes may hooks have added since the last look: with more it is faster to write all anew.
_MOST_BY_HOOKS = 500

_ANY_TIP = "any"  # not where the view was left: so it is looked at
_MESSAGE = b"Frames of the commits\n"
_WHO = "frames"
_MAIL = "frames@localhost"
_WHEN = "946684800 +0000"  # always the same, so that the same notes are the same objects
# Under which all notes are written, also those of the hooks.
IDENTITY = {
    "GIT_AUTHOR_NAME": _WHO,
    "GIT_AUTHOR_EMAIL": _MAIL,
    "GIT_AUTHOR_DATE": _WHEN,
    "GIT_COMMITTER_NAME": _WHO,
    "GIT_COMMITTER_EMAIL": _MAIL,
    "GIT_COMMITTER_DATE": _WHEN,
}


# ---------------------------------------------------------------------------------------------------------------------
# The ref


def refresh_view(repo: GitRepo, index: Index, state: PrivateState, notes_tip: str | None = None) -> int:
    """Bring ``refs/notes/frames`` up to what the index knows; how many notes were written.

    ``notes_tip`` is where the ref stands, as ``commit_links.refresh`` has just seen it; git is asked when it is not
    given. Nothing is written, and nothing is raised, where the repository is read-only or a lock is held too long: what
    could not be written now is written the next time.
    """
    try:
        tip = _tip(repo) if notes_tip is None else notes_tip
        if tip == index.value(VIEW_TIP) and not index.rows("SELECT 1 FROM unwritten LIMIT 1"):
            return 0
        with state.lock("view"):
            return _write_view(repo, index)
    except (EnvironmentError_, RefusedError):
        return 0


def rewrite_view(repo: GitRepo, index: Index, state: PrivateState) -> int:
    """Write all notes anew, without the history in which those before still stand; how many were written."""
    with index.write() as database:
        database.execute("DELETE FROM meta WHERE key = ?", (VIEW_TIP,))
    return refresh_view(repo, index, state, _ANY_TIP)


def _write_view(repo: GitRepo, index: Index) -> int:
    tip, known = _tip(repo), index.value(VIEW_TIP)
    unwritten = index.rows("SELECT number, commit_id FROM unwritten ORDER BY number")
    by_hooks = {} if tip == known else _notes_between(repo, known, tip)
    if by_hooks is not None:
        links = links_of(index, dict.fromkeys([*(commit for _, commit in unwritten), *by_hooks]))
        notes = _notes(index, links)
        tip = _remove(repo, [commit for commit in by_hooks if commit not in notes], tip)
        there = {commit for commit, blob in by_hooks.items() if _blob_id(repo, notes.get(commit, "")) == blob}
        notes = {commit: text for commit, text in notes.items() if commit not in there}
        notes = _existing(repo, notes, at_least=_FEW + 1)
        new_tip = _add_many(repo, notes, tip) if len(notes) > _FEW else _add_few(repo, notes, tip)
    else:
        links = defaultdict(list)
        for link in iter_links(index):
            links[link.commit].append(link)
        notes = _existing(repo, _notes(index, links), at_least=1)
        new_tip = _add_many(repo, notes, "") if notes else _drop(repo, tip)
    with index.write() as database:
        database.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (VIEW_TIP, new_tip))
        # What another process has added meanwhile has a higher number and stays.
        database.execute("DELETE FROM unwritten WHERE number <= ?", (unwritten[-1][0] if unwritten else 0,))
    return len(notes)


def _notes_between(repo: GitRepo, old: str, new: str) -> dict[str, str] | None:
    """Commit -> blob of its note, for the notes by which two states of the ref differ.

    Hooks add the note of the commit just made by themselves. None when it can't be that: then all is written anew.
    """
    writers = repo.ask("log", "--format=%ae", f"{old}..{new}").out.split() if old and new else []
    if set(writers) != {_MAIL.encode()}:
        return None
    answer = repo.ask("diff-tree", "-r", "-z", "--no-renames", "--no-abbrev", old, new)
    fields = answer.out.decode("ascii", "replace").split("\0")
    if answer.code or len(fields) > 2 * _MOST_BY_HOOKS:
        return None
    gone, notes = dict[str, str](), dict[str, str]()
    for facts, path in zip(fields[::2], fields[1::2], strict=False):
        commit = path.replace("/", "")  # git sorts the notes into folders when they get many
        _, _, before, after, status = facts.split(" ")
        if not is_object_id(commit):
            return None
        if status == "D":
            gone[commit] = before
        else:
            notes[commit] = after
    if not gone.keys() <= notes.keys():
        return None
    return {commit: blob for commit, blob in notes.items() if gone.get(commit) != blob}


def _blob_id(repo: GitRepo, text: str) -> str:
    content = text.encode()
    return hashlib.new(repo.object_format, b"blob %d\0" % len(content) + content).hexdigest()


def _remove(repo: GitRepo, commits: Sequence[str], tip: str) -> str:
    """Take the notes off commits that have no frame, such as those that were amended right after; the tip then."""
    if not commits:
        return tip
    repo.run("notes", "--ref=frames", "remove", "--ignore-missing", *commits, env=IDENTITY)
    return _tip(repo)


def _notes(index: Index, links: Mapping[str, Sequence[Link]]) -> dict[str, str]:
    summaries = index.summaries(link.blob for found in links.values() for link in found)
    return {
        commit: note_text(
            [
                Noted(link.kind, link.frame_id, link.path, link.new_turns, summaries[link.blob])
                for link in sorted(found, key=lambda link: link.path)
            ]
        )
        for commit, found in links.items()
    }


def _existing(repo: GitRepo, notes: dict[str, str], at_least: int) -> dict[str, str]:
    """The notes on commits that are still there: ``git fast-import`` stops at others, ``git notes`` does not mind."""
    if len(notes) < at_least:
        return notes
    there = {commit for commit, content in repo.iter_blobs(notes) if content is not None}
    return {commit: text for commit, text in notes.items() if commit in there}


def _add_few(repo: GitRepo, notes: Mapping[str, str], tip: str) -> str:
    for commit, text in notes.items():
        repo.run("notes", "--ref=frames", "add", "-f", "-F", "-", commit, stdin=text.encode(), env=IDENTITY)
    return _tip(repo) if notes else tip


def _add_many(repo: GitRepo, notes: Mapping[str, str], tip: str) -> str:
    """Add all notes at once: to those at ``tip``, or in place of whatever the ref holds where that is empty."""
    who = f"{_WHO} <{_MAIL}> {_WHEN}".encode()
    parts = [b"commit %b\nmark :1\ncommitter %b\n%b" % (NOTES_REF.encode(), who, _data(_MESSAGE))]
    if tip:
        parts.append(b"from %b\n" % tip.encode())
    parts += [b"N inline %b\n%b" % (commit.encode(), _data(text.encode())) for commit, text in notes.items()]
    parts.append(b"\nget-mark :1\ndone\n")
    force = [] if tip else ["--force"]
    return repo.run("fast-import", "--quiet", "--done", *force, stdin=b"".join(parts)).decode().strip()


def _data(content: bytes) -> bytes:
    return b"data %d\n%b\n" % (len(content), content)


def _drop(repo: GitRepo, tip: str) -> str:
    if tip:
        repo.run("update-ref", "-d", NOTES_REF, tip)
    return ""


def _tip(repo: GitRepo) -> str:
    """Where the ref stands; git is asked only where it keeps it in another way than in a file."""
    with suppress(OSError), open(os.path.join(repo.common_dir, *NOTES_REF.split("/")), encoding="ascii") as file:
        tip = file.read().strip()
        if is_object_id(tip):
            return tip
    return repo.line("rev-parse", "-q", "--verify", NOTES_REF) or ""
