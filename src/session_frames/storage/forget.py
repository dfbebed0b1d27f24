"""Taking what the private area knows of a frame out of it, so that none of its words is left there."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import Any

from session_frames.errors import FramesError
from session_frames.storage.index import Index, IndexLost, path_bytes, path_text
from session_frames.storage.private_state import PrivateState, write_atomically

# Every table with rows of single frames, whichever they are in this version.
_TABLES = (
    "SELECT made.name FROM sqlite_master AS made JOIN pragma_table_info(made.name) AS field "
    "WHERE made.type = 'table' AND field.name = 'frame'"
)


def private_paths(state: PrivateState, frame_id: str) -> list[str]:
    """The files of the private area that hold this frame and nothing else, those that are there."""
    paths = [state.closed_path(frame_id), *(state.path(part, f"{frame_id}.json") for part in ("active", "staged"))]
    return [path for path in paths if os.path.exists(path)]


def forget_in_index(index: Index, frame_id: str) -> bool:
    """No row of the index tells of this frame any more; its words are overwritten in the file, not only unlinked.

    True where commits were linked to it, so that notes may tell of it too. What commits hold is read again should the
    index ever be made anew.
    """
    index.close()
    linked = True
    with suppress(IndexLost):  # it was damaged: an empty one has taken its place
        index.rows("PRAGMA secure_delete = ON")
        names = {
            os.path.basename(path_text(path))
            for table in ("frames", "links")
            for (path,) in index.rows(f"SELECT path FROM {table} WHERE frame = ?", (frame_id,))
        }
        files = [path for path, summary in index.rows("SELECT path, summary FROM files") if _is_of(summary, frame_id)]
        linked = bool(index.rows("SELECT 1 FROM all_links WHERE frame = ? LIMIT 1", (frame_id,)))
        tables = [table for (table,) in index.rows(_TABLES)]
        with index.write() as database:
            for table in tables:
                database.execute(f"DELETE FROM {table} WHERE frame = ?", (frame_id,))
            database.executemany("DELETE FROM places WHERE name = ?", ((path_bytes(name),) for name in names))
            database.executemany("DELETE FROM files WHERE path = ?", ((path,) for path in files))
    return linked


def _is_of(summary: str, frame_id: str) -> bool:
    return frame_id in summary and bool(json.loads(summary)["id"] == frame_id)


def forget_rescued(state: PrivateState, frame_id: str) -> None:
    """The list of files that ``import --all`` has read tells of this frame no more."""
    path = state.path("rescued.json")
    with suppress(OSError, ValueError, FramesError), open(path, "rb") as file:
        known: dict[str, Any] = json.loads(file.read())
        left = {name: entry for name, entry in known.items() if frame_id not in json.dumps(entry)}
        if len(left) < len(known):
            write_atomically(path, json.dumps(left).encode())
