"""raw list, raw prune, delete."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import datetime

import click

from session_frames.cli import output
from session_frames.cli.main import Context
from session_frames.cli.options import frame_argument, frame_of, frame_option, json_option
from session_frames.errors import UsageError
from session_frames.operations.fence import line_shown
from session_frames.operations.render import counted
from session_frames.workspace import deletion
from session_frames.workspace import raw as verbs
from session_frames.workspace.deletion import Deletion
from session_frames.workspace.raw import RawKept


@click.group()
def raw() -> None:
    """The raw transcripts that are kept: what they take, and how to limit it.

    list shows each one's size, as it was and as it is stored, its age and its segments; with --check every segment is
    read. prune removes raw transcripts, never frames: by age, or the oldest until the rest takes no more than so many
    MB. frames show --raw gives one back.

    close and import keep the transcript that they read, redacted and compressed, in git's common directory: no git
    object, under no ref. It is the one file that they read, without the logs of sub-agents beside it; nothing is kept
    where that file is a database or shared by several sessions. A last line that breaks off is kept when it is whole.
    git config frames.raw false turns all of that off.
    """


@raw.command("list")
@click.option("--check", is_flag=True, help="Read every segment and say which is damaged.")
@json_option
@click.pass_obj
def raw_list(context: Context, check: bool, as_json: bool) -> int:
    """The raw transcripts that are kept, the one saved last first."""
    kept = verbs.raw_list(context.workspace, check)
    if as_json:
        for one in kept:
            output.write_json(_data(one))
    elif kept:
        context.page([*_lines(kept, context.workspace.now(), context.colour), _total(kept)])
    else:
        output.complain("no raw transcripts are kept")
    for one in kept:
        for damage in one.damage:
            output.complain(f"warning: {one.id[:6]}: {damage}")
    if any(one.damage for one in kept):
        return 4
    return 0 if kept else 1


@raw.command("prune")
@click.option("--older-than", type=click.IntRange(min=0), metavar="DAYS", help="Those saved longer ago than this.")
@click.option("--keep-under", type=click.IntRange(min=0), metavar="MB", help="The oldest, until the rest takes less.")
@click.option("--dry-run", is_flag=True, help="Say what would be removed; remove nothing.")
@json_option
@click.pass_obj
def raw_prune(context: Context, older_than: int | None, keep_under: int | None, dry_run: bool, as_json: bool) -> None:
    """Remove raw transcripts, never frames."""
    gone = verbs.raw_prune(context.workspace, older_than=older_than, keep_under=keep_under, dry_run=dry_run)
    if as_json:
        for one in gone:
            output.write_json({**_data(one), "removed": not dry_run})
        return
    output.write_lines(_lines(gone, context.workspace.now(), context.colour))
    done = "would be removed" if dry_run else "removed"
    output.write(f"{done}: {_total(gone)}\n" if gone else "nothing to remove\n")


def _data(one: RawKept) -> dict[str, object]:
    return {**one._asdict(), "damage": list(one.damage)}


def _lines(kept: list[RawKept], now: str, colour: bool) -> Iterator[str]:
    from rich.cells import cell_len, set_cell_size

    topics = [line_shown(one.topic) for one in kept]
    width = min(40, max(map(cell_len, topics), default=0))
    for one, topic in zip(kept, topics, strict=True):
        short = output.painted(one.id[:6], "yellow", colour)
        sizes = f"{size_shown(one.raw_size):>9} as {size_shown(one.stored_size):>9}"
        rest = f"{age_shown(one.saved_at, now)}  {counted(one.segments, 'segment')}"
        yield f"{short}  {set_cell_size(topic, width)}  {one.agent:<14}  {sizes}  {rest}"


def _total(kept: list[RawKept]) -> str:
    sizes = (sum(one.raw_size for one in kept), sum(one.stored_size for one in kept))
    return f"{counted(len(kept), 'transcript')}, {size_shown(sizes[0])} as {size_shown(sizes[1])}"


def size_shown(size: int) -> str:
    """``900 B``, ``12.3 kB``, ``4.0 MB``, ``1.2 GB``."""
    for unit, bytes_ in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= bytes_:
            return f"{size / bytes_:.1f} {unit}"
    return f"{size} B"


def age_shown(then: str, now: str) -> str:
    """``today``, ``1 day``, ``30 days``."""
    days = (datetime.fromisoformat(now) - datetime.fromisoformat(then)).days
    return counted(days, "day") if days > 0 else "today"


# ---------------------------------------------------------------------------------------------------------------------
# delete


@click.command()
@frame_argument
@frame_option
@click.option("--raw", "raw_only", is_flag=True, help="Only its raw transcript; the frame stays.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@click.pass_obj
def delete(context: Context, frame: str | None, name: str | None, raw_only: bool, yes: bool, as_json: bool) -> int:
    """Delete a frame for good, after saying what still holds it.

    Its file goes from this work tree (staged as git rm would), its copy, its raw transcript and every trace in index
    and notes from git's common directory. Commits are never changed: those that hold the frame, and the branches that
    reach them, are named. What nothing refers to any more git keeps until git gc --prune=now. The agent's own record of
    the session is not touched, and can be imported again.
    """
    wanted = frame_of(frame, name)
    if wanted is None:
        raise UsageError("name the frame to delete", hint="frames list shows all")
    planned = deletion.plan_delete(context.workspace, wanted, raw_only)
    if not as_json:
        output.write_lines(_plan_lines(planned))
    if not yes and not _may(planned):
        output.write("nothing was deleted\n")
        return 1
    deletion.delete(context.workspace, planned)
    if as_json:
        output.write_json(_plan_data(planned))
    else:
        output.write("deleted\n")
    return 0


def _may(planned: Deletion) -> bool:
    """The person's answer; ``UsageError`` where nobody can be asked."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        sys.stdout.flush()
        what = f"frames delete {planned.summary['id'][:12]}{'' if planned.whole else ' --raw'} --yes"
        raise UsageError("delete asks before it does anything, and nobody can be asked here", hint=what)
    sys.stdout.flush()
    return click.confirm("delete this for good?", err=True)


def _plan_lines(planned: Deletion) -> Iterator[str]:
    yield f"frame {line_shown(planned.summary['topic'])}  {planned.summary['id'][:12]}"
    yield from (f"  deletes  {path}" for path in planned.paths)
    yield from (f"  deletes  {path}" for path in planned.private)
    if planned.raw_size:
        yield f"  deletes  its raw transcript, {size_shown(planned.raw_size)}"
    held = planned.held_by
    if held.remote_ref:
        remote, _, ref = held.remote_ref.partition(" ")
        yield f"  held by  remote {remote}, its raw transcript: git push {remote} :{ref}"
    if not planned.whole:
        return
    yield "  deletes  its traces in index and notes"
    if held.commits:
        yield f"  held by  {counted(held.commits, 'commit')}, the newest {held.newest[:12]}"
    if held.named_by:
        yield f"  named by {counted(held.named_by, 'commit message')}"
    yield from (f"  held by  {ref}" for ref in held.refs)
    yield from (f"  held by  frame {line_shown(one['topic'])} {one['id'][:6]}, merged from it" for one in held.frames)
    yield from (f"  held by  work tree {tree}" for tree in held.work_trees)
    if not any(held):
        yield "  held by  nothing else in this repository"


def _plan_data(planned: Deletion) -> dict[str, object]:
    held = planned.held_by
    return {
        "id": planned.summary["id"],
        "topic": planned.summary["topic"],
        "frame_deleted": planned.whole,
        "paths": list(planned.paths),
        "private": list(planned.private),
        "raw_size": planned.raw_size,
        "held_by": {
            "commits": held.commits,
            "newest": held.newest,
            "named_by": held.named_by,
            "refs": list(held.refs),
            "frames": [{"id": one["id"], "topic": one["topic"]} for one in held.frames],
            "work_trees": list(held.work_trees),
            "remote_ref": held.remote_ref,
        },
    }


COMMANDS = {"raw": raw, "delete": delete}
