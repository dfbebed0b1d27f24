"""merge, archive, unarchive, export, validate."""

from __future__ import annotations

import click

from session_frames.cli import output, settling
from session_frames.cli.main import Context
from session_frames.cli.options import frame_argument, frame_of, frame_option, json_option, not_blank
from session_frames.errors import EnvironmentError_, UsageError
from session_frames.operations.exchange import EXPORTS
from session_frames.operations.fence import line_shown
from session_frames.operations.render import counted
from session_frames.operations.summary import summarize
from session_frames.workspace import curate
from session_frames.workspace.curate import Moved


@click.command()
@click.argument("names", nargs=-1, metavar="FRAME FRAME…")
@click.option("--topic", callback=not_blank, help="The topic of the merged frame.")
@click.option("--continue", "go_on", is_flag=True, help="Settle what a merge left, of these frames or of all.")
@click.option("--take", multiple=True, metavar="CONFLICT=1|2|both", help="With --continue: the value that holds.")
@json_option
@click.pass_obj
def merge(
    context: Context, names: tuple[str, ...], topic: str, go_on: bool, take: tuple[str, ...], as_json: bool
) -> int:
    """Make one frame of several; its sources stay. Exit 1 when something is left for a person to settle.

    --continue goes through the conflicts that this verb or git left in frames, shows both values of each and asks which
    one holds; a frame in which none is left is staged where git waits for it.
    """
    if go_on:
        if topic:
            raise UsageError("--topic goes with a new merge, not with --continue")
        return settling.go_on(context, names, take, as_json)
    if take:
        raise UsageError("--take goes with --continue")
    if not names:
        raise UsageError("name the frames to merge", hint="frames list shows them; --continue settles a merge")
    merged = curate.merge(context.workspace, names, topic)
    if as_json:
        conflicts = [dict(conflict) for conflict in merged.conflicts]
        output.write_json({**summarize(merged.frame), "path": merged.path, "conflicts": conflicts})
    else:
        sources = ", ".join(f"{line_shown(frame['topic'])} {frame['id'][:6]}" for frame in merged.sources)
        output.write(f"merged {sources}\n  into {merged.path}\n")
        for conflict in merged.conflicts:
            output.write(f"  conflict in {line_shown(conflict['where'])}: both values are kept in merge_conflicts\n")
        if merged.conflicts:
            output.complain("hint: frames merge --continue")
    return 1 if merged.conflicts else 0


@click.command()
@click.argument("names", nargs=-1, metavar="FRAME…")
@click.option("--older-than", type=click.IntRange(min=0), metavar="DAYS", help="All closed frames that ended before.")
@json_option
@click.pass_obj
def archive(context: Context, names: tuple[str, ...], older_than: int | None, as_json: bool) -> int:
    """Move closed frames to .copilot/archive, staged as git mv would."""
    moved = curate.archive(context.workspace, names, older_than)
    _tell_moved(moved, as_json)
    return 0 if moved else 1


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="FRAME…")
@json_option
@click.pass_obj
def unarchive(context: Context, names: tuple[str, ...], as_json: bool) -> None:
    """Move frames back from the archive, staged as git mv would."""
    _tell_moved(curate.unarchive(context.workspace, names), as_json)


def _tell_moved(moved: list[Moved], as_json: bool) -> None:
    for frame in moved:
        if as_json:
            output.write_json({**summarize(frame.frame), "path": frame.path, "old_path": frame.old_path})
        else:
            there = frame.path == frame.old_path
            output.write(f"{frame.path} is there already\n" if there else f"{frame.old_path} -> {frame.path}\n")
    if not moved and not as_json:
        output.complain("no frames to move")


@click.command()
@frame_argument
@frame_option
@click.option("--format", "form", type=click.Choice(list(EXPORTS)), default="json", help="What to write.")
@click.option("--mark", is_flag=True, help="Set the frame's status to exported.")
@click.option("-o", "--output", "target", metavar="FILE", help="Write to this file.")
@click.pass_obj
def export(context: Context, frame: str | None, name: str | None, form: str, mark: bool, target: str | None) -> None:
    """A frame in one of the formats of exchange, to standard output or a file."""
    _, text = curate.export(context.workspace, frame_of(frame, name), form, mark)
    if target is None:
        output.write(text)
        return
    try:
        with open(target, "w", encoding="utf-8", errors="surrogatepass", newline="") as file:
            file.write(text)
    except OSError as error:
        raise EnvironmentError_(f"cannot write '{target}': {error.strerror}") from error


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH…]")
@click.option("--range", "revisions", metavar="BASE..HEAD", help="Every version that these commits brought.")
@json_option
@click.pass_obj
def validate(context: Context, paths: tuple[str, ...], revisions: str | None, as_json: bool) -> int:
    """Check frame files against the schema, all problems of each; without PATHS those of the work tree."""
    what = "frame" if revisions is None else "version"
    if revisions is None:
        checked = curate.validate(None if paths else context.workspace, context.cwd, paths)
    elif paths:
        raise UsageError("name files or a range of commits, not both")
    else:
        checked = curate.validate_range(context.workspace, revisions)
    for file in checked:
        if as_json:
            problems = [{"at": problem.path, "message": problem.message} for problem in file.problems]
            output.write_json({"path": file.path, "valid": not problems, "problems": problems})
        for problem in file.problems if not as_json else []:
            output.write(f"{line_shown(f'{file.path}: {problem.path}: {problem.message}')}\n")
    wrong = sum(bool(file.problems) for file in checked)
    if not as_json:
        output.write(f"{counted(len(checked), what)} checked, {wrong} invalid\n")
    return 4 if wrong else 0


COMMANDS = {"merge": merge, "archive": archive, "unarchive": unarchive, "export": export, "validate": validate}
