"""What the frames known here wrote: frames of history, of the private area and of the work tree, by path and anchor."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from session_frames.errors import FormatError, FramesError
from session_frames.frame_json import decode
from session_frames.model import Frame, digest
from session_frames.operations.anchors import anchors_of_run
from session_frames.operations.attribution import FrameRuns, Run, Writer, frame_runs, written_anchors
from session_frames.storage.commit_index import blob_id
from session_frames.storage.frame_store import ARCHIVE, SESSIONS, SUFFIX, read_bytes
from session_frames.storage.git_repo import GitRepo
from session_frames.storage.index import Index, Version, path_bytes, path_text, read_version
from session_frames.storage.quick_look import CLOSED_STAMP, UNCOMPARED, folder_stamp

_PLACES: Final = "places"

# A clock that is wrong by less than this makes no commit older than the session that wrote its lines.
_LEEWAY: Final = 86_400

NEVER_TOO_OLD: Final = 0

# The frames of which another version is known than the one that was looked at, or none any more.
_OTHER_VERSIONS: Final = """
SELECT f.frame FROM frames f LEFT JOIN authors a ON a.frame = f.frame
    WHERE f.held AND (a.blob IS NULL OR a.blob <> f.blob)
UNION SELECT k.frame FROM kept k LEFT JOIN authors a ON a.frame = k.frame
    WHERE k.frame <> '' AND (a.blob IS NULL OR a.blob <> k.blob)
UNION SELECT a.frame FROM authors a WHERE NOT EXISTS (SELECT 1 FROM frames f WHERE f.frame = a.frame)
"""


class Author(NamedTuple):
    """A frame that wrote something: the version looked at, and where it is read, a file or (``""``) git's objects.

    No commit made before ``since`` can hold what the session wrote.
    """

    frame: str
    blob: str
    file: str
    since: int


class Written(NamedTuple):
    """What a frame wrote: path -> anchors of its lines in one string, and the time before which no commit holds any."""

    since: int
    lines: Mapping[str, str]


class Gathered(dict[str, Written]):
    """What frames wrote that were read for something else, by blob: they need not be read again."""

    def __call__(self, blob: str, frame: Frame) -> None:
        """Take what this frame wrote."""
        self[blob] = _written(frame)


# ---------------------------------------------------------------------------------------------------------------------
# Files of this machine


def _find_kept(repo: GitRepo, index: Index, gathered: Gathered) -> bool:
    """Look through those folders of frame files, of the private area and of this work tree, that changed since; False
    where none did.
    """
    closed = index.state.path("closed")
    before = _stamps_of(index.value(_PLACES))
    stamps = {folder: folder_stamp(folder) for folder in (closed, *_folders(repo))}
    changed = {folder for folder in stamps if stamps[folder] != before.get(folder)}
    vanished = {
        folder for folder in before.keys() - stamps.keys() if repo.top and folder.startswith(_archive(repo.top))
    }
    if stamps[closed] != index.value(CLOSED_STAMP):
        changed.add(closed)
    if not changed | vanished:
        return False
    files = list(_files(changed))
    known = {file: seen for folder in changed | vanished for file, seen in _known_in(index, folder)}
    read = {file: found for file in files if (found := _read_kept(repo, index, file, known.get(file, ""), gathered))}
    gone = known.keys() - set(files)
    with index.write() as database:
        if read or gone:
            _keep_files(database, read, gone)
        after = {folder: stamp for folder, stamp in before.items() if folder not in vanished} | stamps
        text = "\n".join(f"{stamp} {folder}" for folder, stamp in after.items())
        keep = ((_PLACES, text), (CLOSED_STAMP, stamps[closed]))
        database.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", keep)
    return True


def _known_in(index: Index, folder: str) -> list[tuple[str, str]]:
    """(file, stamp) of the files that were seen in a folder."""
    inside = path_bytes(folder) + b"/", path_bytes(folder) + b"0"  # the next sign after the slash
    rows = index.rows("SELECT file, stamp FROM kept WHERE file > ? AND file < ?", inside)
    return [(path_text(file), seen) for file, seen in rows]


def _stamps_of(text: str) -> dict[str, str]:
    """Folder -> its stamp, as they are kept in one text."""
    pairs = (line.partition(" ") for line in text.split("\n") if line)
    return {folder: stamp for stamp, _, folder in pairs}


def _keep_files(
    database: sqlite3.Connection, read: Mapping[str, tuple[str, str, Version]], gone: Iterable[str]
) -> None:
    """Keep what was read of files, and derive anew which of their frames only files hold."""
    touched = {version.frame for _, _, version in read.values()}
    for file in (*gone, *read):
        key = (path_bytes(file),)
        touched.update(frame for (frame,) in database.execute("SELECT frame FROM kept WHERE file = ?", key))
        database.execute("DELETE FROM kept WHERE file = ?", key)
    for file, (seen, blob, version) in read.items():
        database.execute("INSERT OR IGNORE INTO blobs VALUES (?, ?, ?, ?, ?)", (blob, *version))
        row = (path_bytes(file), seen, version.frame, blob, len(version.turn_keys()))
        database.execute("INSERT INTO kept VALUES (?, ?, ?, ?, ?)", row)
    frames = [(frame,) for frame in touched if frame]
    database.executemany("DELETE FROM frames WHERE NOT held AND frame = ?", frames)
    database.executemany(
        "INSERT OR IGNORE INTO frames SELECT frame, blob, x'', max(turns), 0, 0 FROM kept WHERE frame = ? "
        "GROUP BY frame",
        frames,
    )
    for table in ("trailers", "by_hand"):
        named = f"SELECT commit_id FROM {table} WHERE frame = ? AND frame IN (SELECT frame FROM frames WHERE NOT held)"
        database.executemany(f"INSERT OR REPLACE INTO unwritten (commit_id) {named}", frames)


def _folders(repo: GitRepo) -> list[str]:
    if repo.top is None:
        return []
    archive = _archive(repo.top)
    months = sorted(os.listdir(archive)) if os.path.isdir(archive) else []
    return [os.path.join(repo.top, SESSIONS), *(archive + month for month in months)]


def _archive(top: str) -> str:
    return os.path.join(top, ARCHIVE, "")


def _files(folders: Iterable[str]) -> Iterator[str]:
    """The frame files that lie in these folders."""
    for folder in sorted(folders):
        with suppress(OSError):
            names = sorted(os.listdir(folder))
            yield from (os.path.join(folder, name) for name in names if name.endswith(SUFFIX) and name[0] != ".")


def _read_kept(
    repo: GitRepo, index: Index, file: str, seen: str, gathered: Gathered
) -> tuple[str, str, Version] | None:
    """(stamp, blob id, version) of a file that is not as it was ``seen``; a version that is known is not read again."""
    with suppress(OSError, FramesError):
        facts = os.stat(file)
        stamp = f"{facts.st_size} {facts.st_mtime_ns} {facts.st_ino}"
        if stamp != seen:
            data = read_bytes(file)
            blob = blob_id(repo, data)
            known = index.versions([blob]).get(blob)
            return stamp, blob, known or read_version(data, file, lambda _, frame: gathered(blob, frame))
    return None


# ---------------------------------------------------------------------------------------------------------------------
# Their lines


def renew_authors(repo: GitRepo, index: Index, gathered: Gathered | None = None) -> None:
    """Read what frames wrote whose newest version is another one than at the last look; nothing where nothing is new.

    The paths of those that wrote something else are marked: the history is still to be compared with them.
    """
    gathered = Gathered() if gathered is None else gathered
    if not _find_kept(repo, index, gathered) and not index.value(UNCOMPARED):
        return
    candidates = {frame for (frame,) in index.rows(_OTHER_VERSIONS)}
    if not candidates:
        return
    rows = index.rows_for("SELECT frame, blob, file, started, digest FROM authors WHERE frame IN (?)", candidates)
    known = {frame: (Author(frame, blob, path_text(file), since), kept) for frame, blob, file, since, kept in rows}
    newest = _newest(index, candidates)
    changed = [one for one in newest.values() if one.frame not in known or known[one.frame][0].blob != one.blob]
    gone = known.keys() - newest.keys()
    read = dict(_lines_of(repo, index, changed, gathered))
    grown = {frame for frame, (_, _, mark) in read.items() if mark != (known[frame][1] if frame in known else "")}
    with index.write() as database:
        for frame in grown | gone:
            since = read[frame][0].since if frame in read else NEVER_TOO_OLD
            _mark(database, frame, since)
            database.execute("DELETE FROM written WHERE frame = ?", (frame,))
        for frame in gone:
            database.execute("DELETE FROM authors WHERE frame = ?", (frame,))
        for frame, (author, lines, mark) in read.items():
            row = (frame, author.blob, path_bytes(author.file), author.since, mark)
            database.execute("INSERT OR REPLACE INTO authors VALUES (?, ?, ?, ?, ?)", row)
            if frame in grown:
                written = [(path_bytes(path), frame, anchors) for path, anchors in lines.items()]
                database.executemany("INSERT INTO written VALUES (?, ?, ?)", written)
                _mark(database, frame, author.since)


def _mark(database: sqlite3.Connection, frame: str, since: int) -> None:
    """The paths of the frame are to be compared again."""
    marked = (
        "INSERT INTO rewritten SELECT path, ? FROM written WHERE frame = ? "
        "ON CONFLICT (path) DO UPDATE SET since = min(since, excluded.since)"
    )
    if database.execute(marked, (since, frame)).rowcount:
        database.execute("INSERT OR REPLACE INTO meta VALUES (?, '1')", (UNCOMPARED,))


def _newest(index: Index, frames: Collection[str]) -> dict[str, Author]:
    """The version of each of these frames with most turns; of those with the same number the one a commit holds."""
    found: dict[str, tuple[int, Author]] = {}
    asked = (
        "SELECT frame, blob, x'', turns FROM frames WHERE held AND frame IN (?)",
        "SELECT frame, blob, file, turns FROM kept WHERE frame IN (?) ORDER BY file",
    )
    for frame, blob, file, turns in (row for statement in asked for row in index.rows_for(statement, frames)):
        if frame not in found or turns > found[frame][0]:
            found[frame] = turns, Author(frame, blob, path_text(file), NEVER_TOO_OLD)
    return {frame: author for frame, (_, author) in found.items()}


def _lines_of(
    repo: GitRepo, index: Index, authors: Sequence[Author], gathered: Gathered
) -> Iterator[tuple[str, tuple[Author, Mapping[str, str], str]]]:
    """Frame -> (author, path -> anchors, a digest of these)."""
    versions = index.versions(author.blob for author in authors)
    unread = []
    for author in authors:
        if author.blob in versions and not versions[author.blob].wrote:
            yield author.frame, (author, {}, "")
        elif author.blob in gathered:
            yield author.frame, _marked(author, gathered[author.blob])
        else:
            unread.append(author)
    for author, frame in load_frames(repo, unread):
        yield author.frame, _marked(author, _written(frame))


def _marked(author: Author, written: Written) -> tuple[Author, Mapping[str, str], str]:
    text = "\n".join(f"{path}\n{anchors}" for path, anchors in sorted(written.lines.items()))
    return author._replace(since=written.since), written.lines, digest(text) if text else ""


def _written(frame: Frame) -> Written:
    lines = {path: "".join(sorted(anchors)) for path, anchors in written_anchors(frame).items()}
    return Written(_since(frame), lines)


def load_frames(repo: GitRepo, authors: Iterable[Author]) -> Iterator[tuple[Author, Frame]]:
    """The frames themselves, one process for all that lie among git's objects; what can't be read is left out."""
    committed: dict[str, Author] = {}
    for author in authors:
        if not author.file:
            committed[author.blob] = author
            continue
        with suppress(FramesError):
            yield author, decode(read_bytes(author.file), author.file)
    for blob, content in repo.iter_blobs(committed):
        if content is not None:
            with suppress(FormatError):
                yield committed[blob], decode(content, blob)


def load_runs(repo: GitRepo, index: Index, authors: Iterable[Author], paths: Iterable[str]) -> dict[str, FrameRuns]:
    """Blob -> what that version of a frame wrote in files of these paths; a version is decoded the first time only."""
    wanted = {author.blob: author for author in authors}
    runs: dict[str, dict[str, list[Run]]] = {}
    started: dict[str, str] = {}
    for path in dict.fromkeys(["", *paths]):
        asked = f"SELECT blob, runs FROM runs WHERE path = x'{path_bytes(path).hex()}' AND blob IN (?)"
        for blob, text in index.rows_for(asked, wanted):
            if path:
                rows = json.loads(text)
                frame = wanted[blob].frame
                runs.setdefault(blob, {})[path] = [Run(Writer(frame, *row[:3]), row[3]) for row in rows]
            else:
                started[blob] = text
    found = {blob: FrameRuns(at, wanted[blob].frame, runs.get(blob, {})) for blob, at in started.items()}
    read = {
        author.blob: frame_runs(frame)
        for author, frame in load_frames(repo, [author for author in wanted.values() if author.blob not in found])
    }
    _keep_runs(index, read)
    return found | read


def _keep_runs(index: Index, read: Mapping[str, FrameRuns]) -> None:
    rows = [(blob, b"", one.started) for blob, one in read.items()]
    for blob, one in read.items():
        for path, runs in one.runs.items():
            told = [[run.writer.turn, run.writer.turn_id, run.writer.call, run.anchors] for run in runs]
            rows.append((blob, path_bytes(path), json.dumps(told)))
    if rows:
        with suppress(FramesError), index.write() as database:
            database.executemany("INSERT OR REPLACE INTO runs VALUES (?, ?, ?)", rows)


def _since(frame: Frame) -> int:
    from datetime import datetime

    started = frame.get("boundary", {}).get("started_at", "")
    try:
        return max(NEVER_TOO_OLD, int(datetime.fromisoformat(started).timestamp()) - _LEEWAY)
    except ValueError:
        return NEVER_TOO_OLD


# ---------------------------------------------------------------------------------------------------------------------
# Asking


def anchors_of_path(index: Index, path: str) -> dict[Author, set[str]]:
    """Who wrote in files of this path, and what."""
    asked = (
        "SELECT a.frame, a.blob, a.file, a.started, w.anchors FROM written w JOIN authors a ON a.frame = w.frame "
        "WHERE w.path = ?"
    )
    rows = index.rows(asked, (path_bytes(path),))
    return {
        Author(frame, blob, path_text(file), since): set(anchors_of_run(anchors))
        for frame, blob, file, since, anchors in rows
    }


def authors_of_frames(index: Index, frames: Iterable[str]) -> dict[str, Author]:
    """The newest version of each of these frames; what was not looked at is left out."""
    rows = index.rows_for("SELECT frame, blob, file, started FROM authors WHERE frame IN (?)", frames)
    return {frame: Author(frame, blob, path_text(file), since) for frame, blob, file, since in rows}


def oldest_author(index: Index) -> int:
    """The time before which no commit holds what any frame wrote."""
    asked = "SELECT min(started) FROM authors WHERE frame IN (SELECT frame FROM written)"
    ((oldest,),) = index.rows(asked)
    return oldest or NEVER_TOO_OLD


def written_paths(index: Index) -> set[str]:
    """All paths in which a frame wrote."""
    return {path_text(path) for (path,) in index.rows("SELECT DISTINCT path FROM written")}
