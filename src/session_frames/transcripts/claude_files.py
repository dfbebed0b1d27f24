"""Where Claude Code keeps its transcripts, how one is known, and its records."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import BinaryIO, cast

from session_frames.transcripts.base import Line, Skipped, dict_of, iter_lines, list_of, load_json, text_of

# Records that are bookkeeping, of no interest once read.
IGNORED_TYPES = (
    "progress",
    "file-history-snapshot",
    "file-history-delta",
    "last-prompt",
    "pr-link",
    "mode",
    "permission-mode",
    "bridge-session",
    "frame-link",
    "teleported-from",
    "agent-name",
    "agent-color",
    "agent-setting",
    "tag",
    "worktree-state",
    "content-replacement",
    "attribution-snapshot",
)
# Records by which a file is known; each of these keys is in all of its records.
_KNOWN_BY = {
    "user": ("message", "uuid"),
    "assistant": ("message", "uuid"),
    "system": ("uuid", "sessionId"),
    "attachment": ("attachment", "uuid"),
    "progress": ("data", "uuid"),
    "summary": ("summary", "leafUuid"),
    "file-history-snapshot": ("messageId", "snapshot"),
    "queue-operation": ("operation", "sessionId"),
    "last-prompt": ("sessionId",),
    "custom-title": ("customTitle",),
    "ai-title": ("aiTitle",),
    "mode": ("mode", "sessionId"),
    "permission-mode": ("permissionMode",),
    "bridge-session": ("bridgeSessionId",),
    "teleported-from": ("remoteSessionId",),
    "agent-name": ("sessionId",),
    "pr-link": ("prUrl",),
}
_DOCUMENT_HEAD = b'"loglines"'


def find(home: str, environ: Mapping[str, str]) -> list[str]:
    """Glob patterns of the places where Claude Code keeps its transcripts."""
    configured = environ.get("CLAUDE_CONFIG_DIR")
    bases = [configured] if configured else [os.path.join(home, ".claude"), os.path.join(home, ".config", "claude")]
    return [os.path.join(glob.escape(base), "projects", "*", "*.jsonl") for base in bases]


def sniff(head: bytes) -> bool:
    """Is this the beginning of a Claude Code transcript?"""
    if is_document(head):
        return True
    for raw in head.split(b"\n")[:64]:
        line = raw.strip(b"\0 \t\r")
        if not line.startswith((b"{", b"\xef\xbb\xbf{")):
            continue
        try:
            record = load_json(line)
        except ValueError:
            if len(raw) > 4096 and b'"parentUuid":' in raw and b'"isSidechain":' in raw:
                return True
            continue
        if "parts" in dict_of(record.get("message")):
            return False  # another agent took over the envelope, with messages of a shape of its own
        keys = _KNOWN_BY.get(text_of(record.get("type")))
        if keys is not None and all(key in record for key in keys):
            return True
    return False


def is_document(head: bytes) -> bool:
    """Does the file begin like the one document of the web session API?"""
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    place = start.find(_DOCUMENT_HEAD, 0, 4096)
    return start.startswith(b"{") and place > 0 and b'"type"' not in start[:place]


def records(source: BinaryIO) -> Iterator[Line | Skipped]:
    """The records of a file, be it lines or the one document of the web session API."""
    first = source.readline()
    second = source.readline() if first.strip() == b"{" else b""
    if not is_document(first + second):
        yield from iter_lines(cast(BinaryIO, chain((first, second) if second else (first,), source)))
        return
    try:
        document = load_json(first + second + source.read())
    except ValueError:
        yield Skipped("not JSON", 0)
        return
    for number, record in enumerate(list_of(dict_of(document).get("loglines")), 1):
        yield Line(number, record) if isinstance(record, dict) else Skipped("not a JSON object", number)
