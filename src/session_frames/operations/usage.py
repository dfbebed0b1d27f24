"""What a session's transcript recorded of its tokens: how full the context window was, and what was read and written.

Neither says anything of a service's usage limit: that is what an account may still ask for, and no transcript tells it.
"""

from __future__ import annotations

from typing import cast

from session_frames.model import Frame, Tokens, Turn
from session_frames.operations.threads import turns_of_thread
from session_frames.operations.tokens import Count

_REQUEST = ("input", "output", "cache_read", "cache_write")


def window_use(frame: Frame) -> Count | None:
    """The tokens of the current thread's last request: so full was the context window. None where none is recorded."""
    turns = frame.get("turns", [])
    for place in reversed(turns_of_thread(frame)):
        tokens = turns[place].get("tokens", {})
        if tokens.get("input") or tokens.get("cache_read"):
            return Count(tokens.get("context") or _sum(tokens), "usage")
    return None


def recorded(frame: Frame) -> Tokens:
    """What all requests of the session together read and wrote, as far as it is recorded."""
    found: list[Turn] = [turn for turn in frame.get("turns", []) if turn.get("tokens")]
    sums = {name: sum(int(str(turn["tokens"].get(name, 0))) for turn in found) for name in _REQUEST}
    return cast(Tokens, {name: count for name, count in sums.items() if count})


def _sum(tokens: Tokens) -> int:
    return sum(int(str(tokens.get(name, 0))) for name in _REQUEST)
