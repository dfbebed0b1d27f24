"""Where Codex keeps its transcripts, and how one is known."""

from __future__ import annotations

import glob
import os
from collections.abc import Mapping

from session_frames.transcripts.base import Record, load_json

RECORD_TYPES = (
    "session_meta",
    "turn_context",
    "response_item",
    "event_msg",
    "compacted",
    "world_state",
    "inter_agent_communication_metadata",
)
# The facts by which the first line of the bare form is known.
_BARE_FACTS = ("instructions", "git")


def find(home: str, environ: Mapping[str, str]) -> list[str]:
    """Glob patterns of the places where Codex keeps its transcripts."""
    base = glob.escape(environ.get("CODEX_HOME") or os.path.join(home, ".codex"))
    return [
        os.path.join(base, "sessions", "*", "*", "*", "rollout-*.jsonl"),
        os.path.join(base, "sessions", "rollout-*.jsonl"),
        os.path.join(base, "archived_sessions", "rollout-*.jsonl"),
    ]


def sniff(head: bytes) -> bool:
    """Is this the beginning of a Codex transcript?"""
    for raw in head.split(b"\n")[:64]:
        line = raw.strip(b"\0 \t\r")
        if not line.startswith((b"{", b"\xef\xbb\xbf{")):
            continue
        try:
            record = load_json(line)
        except ValueError:
            if b'"type":"session_meta"' in line[:300] and b'"payload":' in line[:300]:
                return True
            continue
        if record.get("type") in RECORD_TYPES and isinstance(record.get("payload"), dict):
            return True
        if is_bare_head(record) or record.get("record_type") == "state":
            return True
    return False


def is_bare_head(record: Record) -> bool:
    """The first line of the bare form holds facts and no type."""
    return (
        "type" not in record and "timestamp" in record and "id" in record and not record.keys().isdisjoint(_BARE_FACTS)
    )
