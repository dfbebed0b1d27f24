"""How each field of a frame is merged: one table, which the documentation prints.

A path names a field by its keys; ``[]`` stands for the records of a list. A path that is not in the table is merged as
a ``value``, so unknown and ``x_`` keys are, on every level.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

DEFAULT_STRATEGY: Final = "value"

STRATEGIES: Final[Mapping[str, str]] = {
    "value": "Three-way, as a whole value; changed to two different values is a conflict, unless one is the other "
    "redacted.",
    "fields": "Key by key, each by its own rule.",
    "newer version": "The higher version of the format.",
    "later status": "Three-way; changed on both sides, the later in active, closed, exported, archived.",
    "span": "Three-way for each end; moved on both sides, the earlier start with its base, the later end with its "
    "head.",
    "log": "Union by id, never removed, in the order of both sides, else by time and id; each turn key by key.",
    "text": "Three-way; of prefix and extension the longer, whole beats elided, redacted beats everything, "
    "else a conflict.",
    "calls": "Union by id in the order of both sides; each call key by key.",
    "offset": "With the side whose text was kept.",
    "outcome": "Three-way; changed on both sides, known beats unknown, unknown beats pending, else a conflict.",
    "whole": "Three-way; changed on both sides, redacted beats everything, whole beats elided, else a conflict.",
    "larger": "Three-way; changed on both sides, the larger number.",
    "earlier": "Three-way; changed on both sides, the earlier time.",
    "wider compaction": "Three-way; changed on both sides, the one that stands for more turns; both stay listed.",
    "records": "By id or name, each key by key; unchanged here and removed there is removed, changed here and removed "
    "there is a conflict.",
    "named records": "As records; one name given on both sides to two different things is a conflict.",
    "cached results": "By id; removed on one side is removed, changed on both sides never a conflict.",
    "lifetime": "Three-way; changed on both sides, invalidated wins, else the stricter of session, date (the earlier), "
    "commit, files, manual.",
    "either": "Three-way; changed on both sides, redacted wins, else the one whose canonical JSON sorts last.",
    "append only": "Union by id, ordered by time and id, nothing is ever removed.",
    "set": "Three-way for each member being there, in the order of both sides.",
    "computed": "Computed anew from the merged turns; paths that no call names are merged as records.",
    "tally": "By reason and place; changed on both sides, the larger numbers and all lines.",
}

RULES: Final[Mapping[str, str]] = {
    "frame": "newer version",
    "topic": "value",
    "title": "value",
    "status": "later status",
    "goal": "value",
    "session": "fields",
    "session.models": "set",
    "boundary": "span",
    "git": "span",
    "decisions": "records",
    "decisions[].evidence": "set",
    "constraints": "records",
    "constraints[].evidence": "set",
    "open_questions": "records",
    "open_questions[].evidence": "set",
    "next_steps": "records",
    "next_steps[].evidence": "set",
    "verification": "records",
    "unverified": "records",
    "files": "computed",
    "files[].turns": "set",
    "tool_results": "cached results",
    "tool_results[].arguments": "either",
    "tool_results[].tool": "either",
    "tool_results[].topic": "either",
    "tool_results[].turn": "either",
    "tool_results[].at": "either",
    "tool_results[].tokens": "either",
    "tool_results[].digest": "either",
    "tool_results[].content": "either",
    "tool_results[].lifetime": "lifetime",
    "turns": "log",
    "turns[].at": "earlier",
    "turns[].text": "text",
    "turns[].reasoning": "text",
    "turns[].calls": "calls",
    "turns[].calls[].after": "offset",
    "turns[].calls[].arguments": "whole",
    "turns[].calls[].outcome": "outcome",
    "turns[].calls[].files": "set",
    "turns[].calls[].wrote": "whole",
    "turns[].calls[].result": "whole",
    "turns[].calls[].subagent": "whole",
    "turns[].calls[].pruned": "value",
    "turns[].tokens": "fields",
    "turns[].tokens.input": "larger",
    "turns[].tokens.output": "larger",
    "turns[].tokens.cache_read": "larger",
    "turns[].tokens.cache_write": "larger",
    "turns[].tokens.context": "larger",
    "turns[].pinned": "value",
    "turns[].pruned": "value",
    "turns[].compacted": "wider compaction",
    "turns[].annotation": "value",
    "turns[].note": "value",
    "turns[].picked": "fields",
    "turns[].subagent": "whole",
    "thread": "either",
    "threads": "named records",
    "checkpoints": "named records",
    "compactions": "records",
    "events": "append only",
    "merged_from": "append only",
    "merged_from[].session": "fields",
    "merged_from[].session.models": "set",
    "merged_from[].boundary": "span",
    "merged_from[].git": "span",
    "merge_conflicts": "records",
    "redactions": "append only",
    "redactions[].count": "larger",
    "elided": "tally",
    "elided[].count": "larger",
    "elided[].chars": "larger",
    "skipped_records": "tally",
    "skipped_records[].count": "larger",
    "skipped_records[].lines": "set",
}

# What tells the records of a list apart; ``id`` where nothing else is said.
KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "verification": ("turn", "command"),
    "unverified": ("turn", "text"),
    "files": ("path",),
    "threads": ("name",),
    "checkpoints": ("name",),
    "elided": ("reason", "where"),
    "skipped_records": ("reason",),
}

LATER_STATUS: Final = ("active", "closed", "exported", "archived")
STRICTER_LIFETIME: Final = ("session", "date", "commit", "files", "manual")
KNOWN_OUTCOME: Final[Mapping[str, int]] = {"pending": 0, "unknown": 1, "passed": 2, "failed": 2}


class SpanEnd(NamedTuple):
    """What belongs to one end of a frame: the time that decides, and the keys of ``boundary`` and ``git`` with it."""

    time: str
    boundary: tuple[str, ...]
    git: tuple[str, ...]
    latest: bool


SPAN_ENDS: Final = (
    SpanEnd("started_at", ("started_at", "first", "start"), ("base",), latest=False),
    SpanEnd("ended_at", ("ended_at", "last", "end"), ("branch", "head"), latest=True),
)
