"""Which frames were made on a branch, as far as the index knows them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from session_frames.storage.index import Index

if TYPE_CHECKING:
    from session_frames.operations.summary import Summary


def frames_of_branch(index: Index, branch: str) -> list[Summary]:
    """The newest version of each frame that was made on the branch; of the others not even the summary is parsed."""
    named = f'"branch": {json.dumps(branch)}'
    found = index.rows("SELECT summary FROM frames JOIN blobs USING (blob) WHERE instr(summary, ?)", (named,))
    summaries: list[Summary] = [json.loads(summary) for (summary,) in found]
    return [summary for summary in summaries if summary["branch"] == branch]
