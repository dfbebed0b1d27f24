"""hook."""

from __future__ import annotations

import click

from session_frames.cli.agent_entry import hook as hear
from session_frames.transcripts import HOOK_SETTINGS


@click.command()
@click.argument("agent", type=click.Choice(tuple(HOOK_SETTINGS)))
@click.argument("event", required=False)
def hook(agent: str, event: str | None) -> int:
    """Hear of an event of a session, told as one JSON object on standard input; the agent's settings call this.

    PreCompact: the session is kept as it is by now, its transcript included, privately; no file of the work tree is
    written. Nothing is said, any other event is ignored, and the exit code is always 0: no agent is ever held up.
    """
    return hear([agent, *([event] if event else [])])


COMMANDS = {"hook": hook}
