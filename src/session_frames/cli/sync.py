"""sync."""

from __future__ import annotations

import click

from session_frames.cli import output
from session_frames.cli.main import Context
from session_frames.cli.options import json_option, not_blank
from session_frames.cli.raw import size_shown
from session_frames.errors import UsageError
from session_frames.operations.fence import line_shown
from session_frames.operations.render import counted
from session_frames.workspace import sync as exchange
from session_frames.workspace.sync import Sync

# What is not as it should be, and how it is told.
_WRONG = {
    exchange.DIFFERENT: "both sides have what the other has not; both stay",
    exchange.REFUSED: "not taken",
    exchange.DAMAGED: "not taken from the remote",
}


@click.command()
@click.argument("remote", required=False, metavar="[REMOTE]", callback=not_blank)
@click.option("--dry-run", is_flag=True, help="Say what would be sent and fetched; do neither.")
@click.option("--stop", is_flag=True, help="Elect no remote any more.")
@json_option
@click.pass_obj
def sync(context: Context, remote: str, dry_run: bool, stop: bool, as_json: bool) -> int:
    """Exchange raw transcripts with one remote, those of frames that commits hold; frames themselves travel by push.

    Nothing leaves this machine before a REMOTE is named. The first one is elected: no other gets them from then on,
    nor that one at another address, until --stop. They lie there under refs/frames/raw/, which no clone and no plain
    fetch takes. Exit 1 when something could not be exchanged.
    """
    if stop:
        if remote or dry_run:
            raise UsageError("--stop goes with nothing else")
        return _tell_stopped(exchange.stop_sync(context.workspace), as_json)
    done = exchange.sync(context.workspace, remote, dry_run=dry_run)
    if as_json:
        if done.elected:
            output.complain(_elected(done, dry_run))
        for one in done.frames:
            output.write_json({**one._asdict(), "remote": done.remote, "done": not dry_run})
    else:
        _tell(done, dry_run)
    return 1 if any(one.what in _WRONG for one in done.frames) else 0


def _tell_stopped(remote: str, as_json: bool) -> int:
    if as_json:
        output.write_json({"remote": remote, "stopped": bool(remote)})
    elif remote:
        output.write(f"'{remote}' gets no raw transcripts any more; what it has stays there\n")
    else:
        output.complain("no remote is elected")
    return 0 if remote else 1


def _elected(done: Sync, dry_run: bool) -> str:
    return f"'{done.remote}' {'would be' if dry_run else 'is'} the remote for raw transcripts from now on"


def _tell(done: Sync, dry_run: bool) -> None:
    if done.elected:
        output.write(_elected(done, dry_run) + "\n")
    for one in done.frames:
        if one.what != exchange.SAME:
            why = f": {one.why or _WRONG[one.what]}" if one.what in _WRONG else ""
            size = f"  {size_shown(one.raw_size)}" if one.raw_size else ""
            output.write(f"{one.what:<9} {one.id[:6]} {line_shown(one.topic)}{size}{line_shown(why)}\n")
    same = sum(one.what == exchange.SAME for one in done.frames)
    if same or not done.frames:
        output.write(f"{counted(same, 'raw transcript')} the same on both sides\n")
    if dry_run:
        output.write("nothing was sent or fetched\n")


COMMANDS = {"sync": sync}
