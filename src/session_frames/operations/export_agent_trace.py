"""A frame as an Agent Trace record: which files it changed and, given their content, which lines are its own."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from session_frames import __version__
from session_frames.model import FileChange, Frame
from session_frames.operations.attribution import writers_of_lines
from session_frames.operations.export_facts import facts_of_frame, json_document
from session_frames.transcripts.model_names import with_maker
from session_frames.transcripts.session_steps import NO_TIME, utc

VERSION = "0.1"
# Keys of a maker stand under a domain in reverse.
VENDOR_KEY = "dev.session-frames"
_LONGEST_MODEL = 250


class Revision(NamedTuple):
    """A commit, and the lines of a file in it (None where it has no such text file)."""

    commit: str
    lines: Callable[[str], Sequence[str] | None]


NOWHERE = Revision("", lambda path: None)


def trace_of_frame(frame: Frame, revision: Revision = NOWHERE) -> str:
    """The record as JSON. Lines are told only as they stand in a revision; without one there are no ranges."""
    boundary = frame.get("boundary", {})
    record: dict[str, Any] = {
        "version": VERSION,
        "id": str(uuid.uuid5(uuid.NAMESPACE_URL, f"frame:{frame['id']}:{revision.commit}")),
        "timestamp": utc(boundary.get("ended_at", "") or boundary.get("started_at", "")) or NO_TIME,
    }
    if revision.commit:
        record["vcs"] = {"type": "git", "revision": revision.commit}
    record |= {
        "tool": {"name": "frames", "version": __version__},
        "files": [_file(frame, change, revision) for change in frame.get("files", []) if change["change"] != "read"],
        "metadata": {VENDOR_KEY: facts_of_frame(frame)},
    }
    return json_document(record)


def _file(frame: Frame, change: FileChange, revision: Revision) -> dict[str, Any]:
    path = change["path"]
    contributor = {"type": "ai"}
    models = frame.get("session", {}).get("models", [])
    if models:
        contributor["model_id"] = with_maker(models[-1])[:_LONGEST_MODEL]
    conversation = {
        "url": f"frame:{frame['id']}",
        "contributor": contributor,
        "ranges": list(_ranges(frame, [path, *filter(None, [change.get("old_path", "")])], revision.lines(path))),
    }
    return {"path": path, "conversations": [conversation]}


def _ranges(frame: Frame, paths: list[str], lines: Sequence[str] | None) -> Iterator[dict[str, Any]]:
    """The stretches of lines that calls of the frame wrote and that still stand so."""
    if not lines:
        return
    written = [writer is not None for writer in writers_of_lines(lines, [frame], paths)]
    edges = [at for at, (before, here) in enumerate(pairwise([False, *written, False])) if before != here]
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        content = "\n".join(lines[start:end]).encode("utf-8", "surrogatepass")
        yield {
            "start_line": start + 1,
            "end_line": end,
            "content_hash": f"sha256:{hashlib.sha256(content).hexdigest()}",
        }
