"""status, list, show, log, blame, resume."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import click

from session_frames.cli import output
from session_frames.cli.blame_entry import blame_lines
from session_frames.cli.log_entry import SHOWN_NOTES
from session_frames.cli.main import Context
from session_frames.cli.options import date_of, frame_argument, frame_of, frame_option, json_option, not_blank
from session_frames.errors import UsageError
from session_frames.operations.context import DEFAULT_BUDGET, opening_data
from session_frames.operations.exchange import EXPORTS
from session_frames.operations.fence import line_shown
from session_frames.operations.render import counted, frame_lines
from session_frames.operations.strategies import MODES
from session_frames.storage.quick_look import look, may_name_commits
from session_frames.transcripts.agent_sessions import SESSIONS
from session_frames.workspace import blame as blaming
from session_frames.workspace import history, resume_into
from session_frames.workspace.catalog import Entry
from session_frames.workspace.history import State
from session_frames.workspace.log_filters import choose, has_filters


@click.command()
@json_option
@click.pass_obj
def status(context: Context, as_json: bool) -> None:
    """Active and uncommitted frames of this repository."""
    state = history.status(context.workspace)
    if as_json:
        output.write_json(
            {
                "branch": state.branch,
                "active": [
                    {**entry.summary, "work_tree": state.work_trees.get(entry.summary["id"], "")}
                    for entry in state.active
                ],
                "uncommitted": [
                    {**waiting.summary, "path": waiting.path, "uncommitted_turns": waiting.turns}
                    for waiting in state.uncommitted
                ],
                "changed": state.changed,
                "damaged": [{"path": path, "error": error.message} for path, error in state.damaged.items()],
            }
        )
    else:
        output.write_lines(_status_lines(state, context.colour))


def _status_lines(state: State, colour: bool) -> Iterator[str]:
    yield f"on branch {state.branch}" if state.branch else "HEAD is detached"
    for entry in state.active:
        where = state.work_trees.get(entry.summary["id"], "")
        agent = entry.summary["agent"] or "no agent yet"
        yield f"active       {_topic(entry, colour)}  {agent}, {counted(entry.summary['turns'], 'turn')}, {where}"
    for waiting in state.uncommitted:
        short = output.painted(waiting.summary["id"][:6], "yellow", colour)
        turns = counted(waiting.turns, "turn")
        yield f"uncommitted  {short} {line_shown(waiting.summary['topic'])}  {turns}, {waiting.path}"
    for path in state.changed:
        yield f"changed      {line_shown(path)}"
    for path, error in state.damaged.items():
        yield f"damaged      {path}: {error.message}"
    if not (state.active or state.uncommitted or state.changed or state.damaged):
        yield "no active or uncommitted frames"


def _topic(entry: Entry, colour: bool) -> str:
    short = output.painted(entry.summary["id"][:6], "yellow", colour)
    return f"{short} {line_shown(entry.summary['topic'])}"


@click.command("list")
@click.option(
    "--status",
    "wanted",
    type=click.Choice(["active", "closed", "archived", "exported"]),
    help="Only frames of this status.",
)
@click.option("--active", is_flag=True, help="Only frames whose session runs.")
@click.option("--topic", callback=not_blank, help="Only topics that contain this.")
@click.option("--branch", callback=not_blank, help="Only frames of this branch.")
@click.option(
    "--since",
    default="",
    callback=date_of,
    metavar="DATE",
    help="Only frames that ended on or after this date (YYYY-MM-DD).",
)
@click.argument("paths", nargs=-1)
@json_option
@click.pass_obj
def list_(
    context: Context,
    wanted: str | None,
    active: bool,
    topic: str,
    branch: str,
    since: str,
    paths: tuple[str, ...],
    as_json: bool,
) -> int:
    """The frames that are known here, the newest first; with PATHS those that touched one of them."""
    found = history.list_(
        context.workspace,
        status=wanted or "",
        active=active,
        topic=topic,
        branch=branch,
        since=since,
        paths=paths,
    )
    for path, error in found.damaged.items():
        output.complain(f"warning: {error.message}" if path in error.message else f"warning: {path}: {error.message}")
    if as_json:
        for entry in found.entries:
            output.write_json({**entry.summary, "path": entry.path, "active": entry.active})
    elif found.entries:
        context.page(_table(found.entries, context.colour))
    else:
        output.complain("no frames found")
    return 0 if found.entries else 1


def _table(entries: list[Entry], colour: bool) -> list[str]:
    """Aligned columns; Hangul and Kanji are two columns wide."""
    from rich.cells import cell_len, set_cell_size

    rows = [
        (
            entry.summary["id"][:6],
            (entry.summary["started_at"] or "")[:10],
            "active" if entry.active else entry.summary["status"],
            line_shown(entry.summary["topic"]),
            entry.summary["agent"],
            counted(entry.summary["turns"], "turn"),
            entry.path or ("in history" if entry.in_history else "private"),
        )
        for entry in entries
    ]
    widths = [min(40, max(cell_len(row[at]) for row in rows)) for at in range(6)]
    lines = []
    for row in rows:
        cells = [set_cell_size(cell, width) for cell, width in zip(row, widths, strict=False)]
        cells[0] = output.painted(cells[0], "yellow", colour)
        lines.append("  ".join([*cells, row[6]]).rstrip())
    return lines


@click.command()
@frame_argument
@frame_option
@click.option("--turns", callback=not_blank, metavar="TURNS", help='Only these turns: "3 14 22-30".')
@click.option("--format", "form", type=click.Choice(["text", *EXPORTS]), default="text", help="How to show it.")
@click.option("--raw", "as_raw", is_flag=True, help="Its raw transcript instead, byte for byte as it is kept.")
@json_option
@click.pass_obj
def show(
    context: Context, frame: str | None, name: str | None, turns: str, form: str, as_raw: bool, as_json: bool
) -> None:
    """One frame: what was decided and is open, its files, checks and turns."""
    if as_raw:
        from session_frames.workspace.raw import raw_text

        if turns or as_json or form != "text":
            raise UsageError("--raw gives the whole transcript: no --turns, --format or --json with it")
        for chunk in raw_text(context.workspace, frame_of(frame, name)):
            sys.stdout.buffer.write(chunk)
        return
    if as_json and form not in ("text", "json"):
        raise UsageError(f"--json and --format {form} exclude each other")
    shown, chosen = history.show(context.workspace, frame_of(frame, name), turns)
    if turns:
        shown_turns = [turn for _, turn in chosen]
        if as_json or form != "text":
            shown = {**shown, "turns": shown_turns}
    if as_json:
        output.write_json(shown)
    elif form == "text":
        context.page(frame_lines(shown, chosen))
    else:
        output.write(EXPORTS[form](shown))


@click.command(
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False, "help_option_names": []}
)
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
@click.pass_obj
def log(context: Context, args: tuple[str, ...]) -> None:
    """git log with the frames under each commit: every option and path of git log, and --json.

    Only commits with a frame: --frame FRAME, --topic TEXT, --agent NAME, --decision TEXT.
    """
    args = tuple(context.args[context.args.index("log") + 1 :]) if "log" in context.args else args
    context.workspace.seen = look(context.environ, args if may_name_commits(list(args)) else ())
    before_paths = args[: args.index("--")] if "--" in args else args
    if "--json" in before_paths:
        if "--graph" in before_paths:
            raise UsageError("--json and --graph exclude each other")
        rest = [arg for at, arg in enumerate(args) if not (arg == "--json" and at < len(before_paths))]
        for commit in history.log(context.workspace, rest):
            output.write_json(commit)
        return
    history.prepare_log(context.workspace, args)
    shown = list(args)
    if has_filters(args):
        chosen = choose(context.workspace, args)
        if not chosen.commits:
            return
        _become_standard_input(chosen.stdin())
        shown = chosen.args
    sys.stdout.flush()
    os.execvp("git", ["git", "log", "--notes", SHOWN_NOTES, *shown])


def _become_standard_input(content: bytes) -> None:
    """What the program reads that takes the place of this one."""
    import tempfile

    with tempfile.TemporaryFile() as file:
        file.write(content)
        file.seek(0)
        os.dup2(file.fileno(), 0)


@click.command()
@click.argument("arguments", nargs=-1, required=True, metavar="[REV] FILE")
@click.option("-L", "lines", multiple=True, metavar="A,B", help="Only these lines.")
@json_option
@click.pass_obj
def blame(context: Context, arguments: tuple[str, ...], lines: tuple[str, ...], as_json: bool) -> None:
    """git blame of a FILE with the frame and the turn that wrote each line."""
    if len(arguments) > 2:
        raise UsageError("name one file, or a revision and a file")
    *revision, file = arguments
    blamed = blaming.blame(context.workspace, file, revision[0] if revision else "", lines)
    if as_json:
        for line in blamed:
            output.write_json(line)
    else:
        painted = context.colour
        context.page(output.painted(commit, "yellow", painted) + rest for commit, rest in blame_lines(list(blamed)))


@click.command()
@frame_argument
@frame_option
@click.option("--branch", callback=not_blank, help="The latest frame of this branch.")
@click.option("--budget", type=int, help=f"Tokens that it may take; {DEFAULT_BUDGET} where none are said.")
@click.option("--mode", type=click.Choice(list(MODES)), help=f"{'; '.join(f'{n}: {w}' for n, w in MODES.items())}.")
@click.option("--window", type=click.IntRange(min=1), metavar="TURNS", help="How many turns --mode window keeps.")
@click.option("--format", "form", type=click.Choice(["md", "json"]), default="md", help="How to write it.")
@click.option("--into", "agent", type=click.Choice(list(SESSIONS)), help="Write a session that this agent can resume.")
@json_option
@click.pass_obj
def resume(
    context: Context,
    frame: str | None,
    name: str | None,
    branch: str,
    budget: int | None,
    mode: str | None,
    window: int | None,
    form: str,
    agent: str | None,
    as_json: bool,
) -> None:
    """The opening context for the next session: the user's own words, what changed since, what holds."""
    wanted = frame_of(frame, name)
    if wanted and branch:
        raise UsageError("name a frame or a branch, not both")
    if window and mode != "window":
        raise UsageError("--window is for --mode window")
    if agent:
        if budget is not None or mode:
            raise UsageError("--into writes the whole session: no --budget and no --mode with it")
        written = resume_into.write_session(context.workspace, agent, wanted, branch)
        if as_json or form == "json":
            output.write_json(written._asdict())
        else:
            output.write(f"{written.path}\n{written.command}\n")
        return
    resumed = history.resume(
        context.workspace,
        wanted,
        branch=branch,
        budget=DEFAULT_BUDGET if budget is None else budget,
        mode=mode or "auto",
        window=window or 0,
    )
    if as_json or form == "json":
        output.write_json(opening_data(resumed.frame, resumed.changes, resumed.made, resumed.wanted))
    else:
        output.write(resumed.made.text)


COMMANDS = {"status": status, "list": list_, "show": show, "log": log, "blame": blame, "resume": resume}
