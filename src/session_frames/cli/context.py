"""pin, unpin, prune, restore, annotate, context, diff."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from session_frames.cli import output
from session_frames.cli.edited import tell, touched_words
from session_frames.cli.main import Context
from session_frames.cli.options import frame_argument, frame_of, frame_option, json_option, not_blank, not_blank_or_none
from session_frames.errors import UsageError
from session_frames.operations.context_report import change_lines, context_data, context_lines, spot_words
from session_frames.operations.context_view import entries
from session_frames.operations.fence import line_shown
from session_frames.operations.pruning_rules import RULES_FILE
from session_frames.operations.textconv import frame_text
from session_frames.operations.threads import current_thread, turns_of_thread
from session_frames.operations.turn_control import ANNOTATIONS, pinned_tokens
from session_frames.operations.turn_names import named_turns, numbers_of
from session_frames.workspace import context as contexts
from session_frames.workspace import context_edits, threads
from session_frames.workspace.context_edits import Edited, PrunedByRule

_TURNS = click.argument("turns", nargs=-1, metavar="TURNS…")


@click.command()
@_TURNS
@frame_option
@json_option
@click.pass_obj
def pin(context: Context, turns: tuple[str, ...], name: str | None, as_json: bool) -> None:
    """Keep turns in context, whatever is pruned, compacted or cut for the budget."""
    _require(turns, "frames pin 3 14 22-30")
    _tell_pins(context, context_edits.pin(context.workspace, name, turns), "pinned", as_json)


@click.command()
@_TURNS
@frame_option
@json_option
@click.pass_obj
def unpin(context: Context, turns: tuple[str, ...], name: str | None, as_json: bool) -> None:
    """Take pins away."""
    _require(turns, "frames unpin 3 14 22-30")
    _tell_pins(context, context_edits.unpin(context.workspace, name, turns), "unpinned", as_json)


def _tell_pins(context: Context, edited: Edited, done: str, as_json: bool) -> None:
    used, limit = pinned_tokens(edited.frame), context.workspace.pin_limit
    tell(edited, f"{done} {touched_words(edited)}", as_json, {"pins": {"tokens": used, "limit": limit}})
    if not as_json:
        output.write(f"  pins: {used:,} of {limit:,} tokens\n")


@click.command()
@_TURNS
@click.option("--resolved", is_flag=True, help="What later words of the user took back, with the answers to it.")
@click.option("--rules", "by_rules", is_flag=True, help=f"What the rules in {RULES_FILE} name.")
@click.option("--dry-run", is_flag=True, help="Say what would be pruned, and change nothing.")
@frame_option
@json_option
@click.pass_obj
def prune(
    context: Context,
    turns: tuple[str, ...],
    resolved: bool,
    by_rules: bool,
    dry_run: bool,
    name: str | None,
    as_json: bool,
) -> None:
    """Take turns (3 14 22-30), or single calls with their results (14.3), out of context; they stay in the frame."""
    if bool(turns) + resolved + by_rules != 1:
        raise UsageError("name turns, or --resolved, or --rules", hint="frames prune 22-30 14.3")
    ws = context.workspace
    if turns:
        _tell_pruned(context_edits.prune(ws, name, turns, dry_run=dry_run), dry_run, as_json, {})
        return
    by_rule = context_edits.prune_by_rules if by_rules else context_edits.prune_withdrawn
    done = by_rule(ws, name, dry_run=dry_run)
    pinned = numbers_of(done.edited.frame, done.taken.pinned)
    _tell_pruned(done.edited, dry_run, as_json, {"left_pinned": pinned, "by_rule": done.taken.by_rule})
    if not as_json:
        output.write_lines(_rule_lines(done, by_rules))


def _tell_pruned(edited: Edited, dry_run: bool, as_json: bool, more: dict[str, Any]) -> None:
    less = _tokens(edited.was) - _tokens(edited.frame)
    words = f"{'would prune' if dry_run else 'pruned'} {touched_words(edited)}: {less:,} tokens less in context"
    if dry_run and not as_json:
        output.write(f"{words if edited.changed else 'nothing to prune'}\n")
        return
    tell(edited, words, as_json, {"dry_run": dry_run, "tokens_less": less, **more})


def _rule_lines(done: PrunedByRule, by_rules: bool) -> Iterator[str]:
    for number, count in enumerate(done.taken.by_rule if by_rules else [], 1):
        yield f"  rule {number}: {count}"
    if done.taken.pinned:
        yield f"  left alone, pinned: {named_turns(numbers_of(done.edited.frame, done.taken.pinned))}"


def _tokens(frame: Any) -> int:
    return sum(entry.tokens for entry in entries(frame))


@click.command()
@_TURNS
@click.option(
    "--checkpoint",
    callback=not_blank_or_none,
    metavar="NAME",
    help="Go back to this checkpoint: later turns leave the context.",
)
@frame_option
@json_option
@click.pass_obj
def restore(context: Context, turns: tuple[str, ...], checkpoint: str | None, name: str | None, as_json: bool) -> None:
    """Bring pruned turns and calls back, or go back to a checkpoint."""
    if bool(turns) == (checkpoint is not None):
        raise UsageError("name turns, or --checkpoint NAME", hint="frames restore 22-30 14.3")
    if checkpoint is None:
        edited = context_edits.restore(context.workspace, name, turns)
        tell(edited, f"restored {touched_words(edited)}", as_json)
        return
    edited = threads.back_to_checkpoint(context.workspace, name, checkpoint)
    frame, was = edited.frame, edited.was
    gone = sorted({*turns_of_thread(was)} - {*turns_of_thread(frame)})
    tell(
        edited,
        f"back at checkpoint '{line_shown(checkpoint)}'",
        as_json,
        {"thread": current_thread(frame), "not_in_context": [place + 1 for place in gone]},
        f"nothing came after checkpoint '{line_shown(checkpoint)}'",
    )
    if edited.changed and not as_json:
        left = current_thread(was)
        if gone:
            output.write(f"  not in context any more: {named_turns([place + 1 for place in gone])}\n")
        output.write(f"  thread '{line_shown(current_thread(frame))}' begins there; frames switch '{left}' goes back\n")
        point = next(one for one in frame["checkpoints"] if one["name"] == checkpoint)
        output.write(f"  the checkpoint was set{_spot(point.get('commit', ''), point.get('branch', ''))}\n")


def _spot(commit: str, branch: str) -> str:
    return spot_words(commit, branch).replace(", commit", " on commit", 1).lstrip(",")


@click.command()
@click.argument("words", nargs=-1, metavar="TURNS… " + "|".join(ANNOTATIONS))
@click.option("-m", "--message", metavar="NOTE", callback=not_blank, help="A note on the turns.")
@click.option("--clear", is_flag=True, help="Take annotation and note away.")
@frame_option
@json_option
@click.pass_obj
def annotate(
    context: Context, words: tuple[str, ...], message: str, clear: bool, name: str | None, as_json: bool
) -> None:
    """Say what turns are. What was decided in an overruled turn is overruled with it."""
    turns, kind = (words, None) if clear else (words[:-1], words[-1] if words else "")
    if not turns or (kind is not None and kind not in ANNOTATIONS):
        hint = f"frames annotate 12 18-20 overruled -m NOTE; kinds: {', '.join(ANNOTATIONS)}"
        is_none = f"'{line_shown(kind)}' is not a kind" if turns and kind else "name the turns, then what they are"
        raise UsageError(is_none, hint=hint)
    if clear and message:
        raise UsageError("--clear takes the note away, too: no -m with it")
    annotation = next((one for one in ANNOTATIONS if one == kind), None)
    edited = context_edits.annotate(context.workspace, name, turns, annotation, message)
    done = f"annotated {touched_words(edited)}: {kind}" if kind else f"no longer annotated: {touched_words(edited)}"
    tell(edited, done, as_json)
    if not as_json:
        output.write_lines(_fallen_lines(edited))


def _fallen_lines(edited: Edited) -> Iterator[str]:
    """The items whose state an annotation changed."""
    for key in ("decisions", "constraints"):
        before = {item["id"]: item["status"] for item in edited.was.get(key, [])}  # type: ignore[attr-defined]
        for item in edited.frame.get(key, []):  # type: ignore[attr-defined]
            if before.get(item["id"], item["status"]) != item["status"]:
                yield f"  {before[item['id']]} → {item['status']}: {line_shown(item['text'])}"


def _require(turns: tuple[str, ...], example: str) -> None:
    if not turns:
        raise UsageError("name the turns", hint=example)


# ---------------------------------------------------------------------------------------------------------------------
# Looking


@click.command()
@frame_argument
@frame_option
@click.option(
    "--at",
    "moment",
    callback=not_blank,
    metavar="MOMENT",
    help="As it was when a turn began, or at a time, an event or a checkpoint.",
)
@json_option
@click.pass_obj
def context(context: Context, frame: str | None, name: str | None, moment: str, as_json: bool) -> None:
    """What a model would be given of a frame: its turns, pins, summaries, cached results, checkpoints and threads."""
    ws = context.workspace
    data = context_data(contexts.view(ws, frame_of(frame, name), moment), contexts.limits(ws), moment)
    if as_json:
        output.write_json(data)
    else:
        context.page(context_lines(data))


@click.command()
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option(
    "--context", "of_contexts", is_flag=True, help="Compare what is in context, at two moments or of two frames."
)
@frame_option
@json_option
@click.pass_obj
def diff(context: Context, first: str, second: str, of_contexts: bool, name: str | None, as_json: bool) -> None:
    """Compare two frames, or two moments of one: A and B are frames, turns, events, checkpoints, times or now."""
    one, other = contexts.sides(context.workspace, first, second, name)
    if of_contexts:
        changes = contexts.compared_contexts(one, other)
        if as_json:
            output.write_json(
                {
                    "from": one.name,
                    "to": other.name,
                    "tokens": [_tokens(one.frame), _tokens(other.frame)],
                    "changes": [
                        {"sign": change.sign, "from": _data(change.before), "to": _data(change.after)}
                        for change in changes
                    ],
                }
            )
            return
        lines = [f"--- {line_shown(one.name)}", f"+++ {line_shown(other.name)}", *change_lines(changes)]
        lines.append(f"tokens: {_tokens(one.frame):,} → {_tokens(other.frame):,}, estimated")
        context.page(_coloured(lines, context.colour))
    elif as_json:
        output.write_json({"from": one.name, "to": other.name, **contexts.compared_frames(one.frame, other.frame)})
    else:
        from difflib import unified_diff

        before, after = (list(map(line_shown, frame_text(side.frame).splitlines())) for side in (one, other))
        lines = list(unified_diff(before, after, line_shown(one.name), line_shown(other.name), lineterm=""))
        context.page(_coloured(lines, context.colour))


def _data(entry: Any) -> Any:
    return None if entry is None else entry._asdict()


def _coloured(lines: list[str], colour: bool) -> Iterator[str]:
    for line in lines:
        if line.startswith(("---", "+++")):
            yield output.painted(line, "bold", colour)
        else:
            sign = {"-": "red", "+": "green", "@": "cyan", "~": "yellow"}.get(line[:1])
            yield output.painted(line, sign, colour) if sign else line


COMMANDS = {
    "pin": pin,
    "unpin": unpin,
    "prune": prune,
    "restore": restore,
    "annotate": annotate,
    "context": context,
    "diff": diff,
}
