"""What agents call: ``frames hook AGENT [EVENT]``, with one JSON object on standard input.

Whatever happens, the agent goes on: the exit code is 0 and nothing is said on standard output. What went wrong is one
line on standard error, which agents show to nobody unless they are asked to.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence

# More than this is no event; what is left of it is not read.
_LARGEST = 16 << 20


def hook(argv: Sequence[str]) -> int:
    """``hook AGENT [EVENT]``: hear of an event. The event's name in the object counts where none is given."""
    try:
        _hear(argv[1] if len(argv) > 1 else "", sys.stdin.buffer.read(_LARGEST))
    except Exception as error:
        told = getattr(error, "message", "") or f"{type(error).__name__}: {error}"
        print(f"frames: hook: {' '.join(told.split())}", file=sys.stderr)
    return 0


def _hear(event: str, data: bytes) -> None:
    import json

    try:
        payload = json.loads(data)
    except ValueError:
        return
    if not isinstance(payload, dict):
        return
    event = event or str(payload.get("hook_event_name", ""))
    cwd = payload.get("cwd")
    folder = cwd if isinstance(cwd, str) and os.path.isdir(cwd) else os.getcwd()
    from session_frames.workspace.agent_events import told
    from session_frames.workspace.core import Workspace

    told(
        Workspace(folder, dict(os.environ), lambda: time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())), event, payload
    )
