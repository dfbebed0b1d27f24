"""The agents that frames works with: what is told here is told nowhere else outside ``transcripts/``."""

from __future__ import annotations

from collections.abc import Mapping

# Variables in which an agent names its session to the processes that it starts. A git that finds the id of an active
# session in one of them was started from that session's own shell.
SESSION_VARIABLES = (
    "CLAUDE_CODE_SESSION_ID",
    "CODEX_THREAD_ID",
    "GEMINI_SESSION_ID",
    "FRAMES_SESSION_ID",  # for agents that have no variable of their own
)


def session_ids(environ: Mapping[str, str]) -> frozenset[str]:
    """The ids of the agents' sessions that this process runs in."""
    return frozenset(environ[name] for name in SESSION_VARIABLES if environ.get(name))
