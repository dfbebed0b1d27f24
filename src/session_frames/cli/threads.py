"""checkpoint, branch, switch, cherry-pick."""

from __future__ import annotations

import click

from session_frames.cli import output
from session_frames.cli.edited import tell
from session_frames.cli.main import Context
from session_frames.cli.options import frame_option, json_option, not_blank
from session_frames.errors import UsageError
from session_frames.operations.context_report import checkpoint_line, spot_words, thread_lines, threads_data
from session_frames.operations.fence import line_shown
from session_frames.operations.thread_edits import Spot
from session_frames.operations.threads import current_thread
from session_frames.operations.turn_names import named_turns, numbers_of
from session_frames.workspace import threads
from session_frames.workspace.context_edits import current_frame


@click.command()
@click.argument("point", required=False, metavar="NAME")
@click.option("--turn", callback=not_blank, metavar="TURN", help="Behind this turn; without it behind the last one.")
@click.option("-m", "--message", metavar="NOTE", callback=not_blank, help="A note on the checkpoint.")
@click.option("--list", "as_list", is_flag=True, help="The checkpoints of the frame.")
@frame_option
@json_option
@click.pass_obj
def checkpoint(
    context: Context, point: str | None, turn: str, message: str, as_list: bool, name: str | None, as_json: bool
) -> None:
    """Set a named point to go back to; without NAME list them. frames restore --checkpoint NAME goes back."""
    if point is None or as_list:
        if turn or message or point is not None:
            raise UsageError("--list takes no name, turn or note")
        frame = current_frame(context.workspace, name)
        numbers = {one["id"]: number for number, one in enumerate(frame.get("turns", []), 1)}
        points = [{**one, "number": numbers.get(one["turn"], 0)} for one in frame.get("checkpoints", [])]
        for one in points:
            if as_json:
                output.write_json(one)
            else:
                output.write(checkpoint_line(one) + "\n")
        return
    edited = threads.set_checkpoint(context.workspace, name, point, turn, message)
    made = edited.frame["checkpoints"][-1]
    number = numbers_of(edited.frame, [made["turn"]])[0]
    tell(edited, f"checkpoint '{line_shown(made['name'])}' behind turn {number}", as_json, {"checkpoint": made})


@click.command()
@click.argument("thread", required=False, metavar="NAME")
@click.option(
    "--from",
    "turn",
    callback=not_blank,
    metavar="TURN",
    help="Share all up to this turn; without it up to the last one.",
)
@click.option("--abandon", metavar="NAME", help="Give this thread up; nothing is deleted.")
@click.option("--merge", metavar="NAME", help="Take all turns of this thread into the current one.")
@frame_option
@json_option
@click.pass_obj
def branch(
    context: Context,
    thread: str | None,
    turn: str,
    abandon: str | None,
    merge: str | None,
    name: str | None,
    as_json: bool,
) -> None:
    """Begin a thread of the conversation, give one up, or merge one; without NAME list them."""
    ws = context.workspace
    chosen = [one for one in (thread, abandon, merge) if one is not None]
    if len(chosen) > 1 or (turn and thread is None):
        raise UsageError("one of NAME [--from TURN], --abandon NAME, --merge NAME")
    if not chosen:
        listed = threads_data(current_frame(ws, name))
        if as_json:
            for one in listed:
                output.write_json(one)
        else:
            output.write_lines(thread_lines(listed))
        return
    if abandon is not None:
        edited = threads.abandon(ws, name, abandon)
        current = current_thread(edited.frame)
        tell(edited, f"abandoned thread '{line_shown(abandon)}'", as_json, {"thread": current})
        if not as_json and current_thread(edited.was) != current:
            output.write(f"  thread '{line_shown(current)}' is the current one now\n")
    elif merge is not None:
        edited = threads.merge_thread(ws, name, merge)
        taken = numbers_of(edited.frame, edited.frame["events"][-1].get("turns", [])) if edited.changed else []
        what = f": {named_turns(taken)}" if taken else ""
        tell(edited, f"merged thread '{line_shown(merge)}'{what}", as_json, {"taken": taken})
    else:
        assert thread is not None
        edited = threads.branch(ws, name, thread, turn)
        made = edited.frame["threads"][-1]
        number = numbers_of(edited.frame, [made["from_turn"]])[0]
        told = line_shown(made["name"])
        tell(edited, f"thread '{told}' from turn {number}", as_json, {"thread": made})
        if not as_json:
            output.write(f"  frames switch '{told}' makes it the current one\n")


@click.command()
@click.argument("thread", metavar="NAME")
@frame_option
@json_option
@click.pass_obj
def switch(context: Context, thread: str, name: str | None, as_json: bool) -> None:
    """Make another thread the current one: what is said next belongs to it. Git's work tree stays as it is."""
    done = threads.switch(context.workspace, name, thread)
    tell(
        done.edited,
        f"on thread '{line_shown(thread)}'",
        as_json,
        {"then": done.then.facts(), "now": done.now.facts(), "taken_up_again": done.taken_up_again},
    )
    if not as_json and done.edited.changed:
        if done.taken_up_again:
            output.write("  it was abandoned, and is open again\n")
        output.write_lines(_spot_lines(done.then, done.now))


def _spot_lines(then: Spot, now: Spot) -> list[str]:
    if not then.commit and not then.branch:
        return []
    lines = [f"  this thread was{_on(then)}"]
    if then != now:
        lines += [f"  git stands{_on(now)}", f"  git switch {then.branch or f'--detach {then.commit[:7]}'} goes there"]
    return lines


def _on(spot: Spot) -> str:
    return spot_words(*spot).replace(", commit", " on commit", 1).lstrip(",") or " nowhere yet"


@click.command("cherry-pick")
@click.argument("thread", metavar="NAME")
@click.argument("turns", nargs=-1, required=True, metavar="TURNS…")
@frame_option
@json_option
@click.pass_obj
def cherry_pick(context: Context, thread: str, turns: tuple[str, ...], name: str | None, as_json: bool) -> None:
    """Take turns of another thread into the current one, too."""
    edited = threads.cherry_pick(context.workspace, name, thread, turns)
    taken = numbers_of(edited.frame, edited.frame["events"][-1].get("turns", [])) if edited.changed else []
    tell(edited, f"took {named_turns(taken)} of thread '{line_shown(thread)}'", as_json, {"taken": taken})


COMMANDS = {"checkpoint": checkpoint, "branch": branch, "switch": switch, "cherry-pick": cherry_pick}
