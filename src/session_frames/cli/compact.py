"""compact."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any

import click

from session_frames.cli import output
from session_frames.cli.edited import edited_data, where
from session_frames.cli.main import Context
from session_frames.cli.options import frame_argument, frame_of, frame_option, json_option, not_blank
from session_frames.errors import UsageError
from session_frames.operations.compact import Limits, Proposal, left_out, standing
from session_frames.operations.plan_compaction import Fate, Group
from session_frames.operations.render import counted
from session_frames.operations.turn_names import named_turns, numbers_of, spans
from session_frames.storage.frame_store import read_bytes
from session_frames.workspace import compacting
from session_frames.workspace.compacting import Compacted, Source, Wish

_TOKENS = click.IntRange(min=0)


@click.command()
@frame_argument
@frame_option
@click.option("--turns", callback=not_blank, metavar="TURNS", help="Only these turns, such as '3 22-30'.")
@click.option("--budget", type=_TOKENS, metavar="TOKENS", help="Replace no more than is needed for this many tokens.")
@click.option("--reserve", type=_TOKENS, default=0, metavar="TOKENS", help="Tokens of the budget that are kept free.")
@click.option("--keep-recent", type=_TOKENS, metavar="N", help="How many of the last turns stay (4).")
@click.option("--summary", callback=not_blank, metavar="FILE", help="Summaries, by turns; - is standard input.")
@click.option("--summarizer", callback=not_blank, metavar="CMD", help="A command: turns in, their summary out.")
@click.option("--summarizer-timeout", type=click.FloatRange(min=0), metavar="SECONDS", help="For each summary (120).")
@click.option("--agent-summary", is_flag=True, help="The summaries that the agent wrote when it compacted its session.")
@click.option("--save", callback=not_blank, metavar="FILE", help="Write the summaries to a file for --summary.")
@click.option("--drop", is_flag=True, help="Leave the agent's texts out of the file as well; can't be undone.")
@click.option("--apply", "do", is_flag=True, help="Do it; else it is only shown.")
@click.option("--undo", is_flag=True, help="Take back the newest compaction.")
@json_option
@click.pass_obj
def compact(context: Context, /, frame: str | None, name: str | None, undo: bool, as_json: bool, **wanted: Any) -> int:
    """Replace turns by summaries in what a model is given: a preview unless --apply.

    Without --summary, --summarizer and --agent-summary each turn stands for itself, without tool output, images,
    repeated reads and reasoning. Your words, pins, what decisions rest on and the last turns always stay. Exit 3 where
    the budget is exceeded after all.
    """
    name = frame_of(frame, name)
    if undo:
        if any(wanted.values()):
            raise UsageError("--undo stands alone", hint="frames compact --undo [FRAME]")
        return _undo(context, name, as_json)
    wish = _wish(context, wanted)
    done = (compacting.apply if wanted["do"] else compacting.preview)(context.workspace, name, wish)
    if wanted["save"]:
        compacting.save(context.workspace, wanted["save"], done.proposal)
    if as_json:
        output.write_json(_as_data(done, wish))
    else:
        output.write_lines(_lines(done, wish))
    sys.stdout.flush()  # what is told of it stands below
    for line in done.told:
        output.complain(f"warning: {line}")
    failed = wish.source.kind == "command" and done.told  # what was asked for is partly done
    return _over(done.proposal) or (3 if failed else 0)


def _wish(context: Context, wanted: dict[str, Any]) -> Wish:
    source = _source(context, wanted)
    if wanted["drop"] and source.kind == "structural":
        hint = "--summary, --summarizer or --agent-summary"
        raise UsageError("--drop needs a summary to stand for the texts", hint=hint)
    budget, reserve = wanted["budget"], wanted["reserve"]
    if reserve and (budget is None or reserve > budget):
        raise UsageError("--reserve needs a --budget that is at least as large")
    recent = Limits().recent if wanted["keep_recent"] is None else wanted["keep_recent"]
    turns = (wanted["turns"],) if wanted["turns"] else ()
    return Wish(turns, Limits(budget, reserve, recent), source, wanted["drop"])


def _source(context: Context, wanted: dict[str, Any]) -> Source:
    file, command, timeout = wanted["summary"], wanted["summarizer"], wanted["summarizer_timeout"]
    if bool(file) + bool(command) + wanted["agent_summary"] > 1:
        raise UsageError("give one of --summary, --summarizer and --agent-summary")
    if timeout is not None and not command:
        raise UsageError("--summarizer-timeout needs --summarizer")
    if file == "-":
        return Source("file", "standard input", sys.stdin.buffer.read())
    if file:
        return Source("file", file, read_bytes(os.path.join(context.cwd, file), file))
    if command:
        return Source("command", command) if timeout is None else Source("command", command, patience=timeout)
    return Source("agent" if wanted["agent_summary"] else "structural")


def _undo(context: Context, name: str | None, as_json: bool) -> int:
    edited, event = compacting.undo(context.workspace, name)
    turns = numbers_of(edited.frame, event["turns"])
    if as_json:
        output.write_json({**edited_data(edited), "undone": event["id"], "turns": turns})
    else:
        output.write(f"undone: the compaction of {named_turns(turns)}\n  {where(edited)}\n")
    return 0


# ---------------------------------------------------------------------------------------------------------------------
# What is shown


def _lines(done: Compacted, wish: Wish) -> Iterator[str]:
    proposal, plan = done.proposal, done.proposal.plan
    free = f" ({wish.limits.budget} less {wish.limits.reserve})" if wish.limits.reserve else ""
    target = "" if plan.target is None else f", target {plan.target}{free}"
    yield f"{plan.before} tokens (estimated){target}"
    yield from _structural_lines(proposal) if proposal.kind == "structural" else _group_lines(proposal)
    for reason, numbers in standing(proposal.context).items():
        yield f"  stays   {spans(numbers)}: {reason}"
    saved = plan.before - plan.after
    yield f"{plan.after} tokens after, {saved} saved{f', {plan.over} over the target' if plan.over else ''}"
    yield _ending(done)


def _group_lines(proposal: Proposal) -> Iterator[str]:
    for group in proposal.plan.groups:
        yield _line("replace", group.fate, sorted(proposal.numbers(group)), group.before, group.saving)


def _structural_lines(proposal: Proposal) -> Iterator[str]:
    """All turns of one fate on one line: each agent's turn is a group of its own here."""
    by_fate: dict[Fate, list[Group]] = {}
    for group in proposal.plan.groups:
        by_fate.setdefault(group.fate, []).append(group)
    for fate, groups in by_fate.items():
        numbers = sorted(number for group in groups for number in proposal.numbers(group))
        before, saving = (sum(values) for values in zip(*((one.before, one.saving) for one in groups), strict=True))
        yield _line("shorten", fate, numbers, before, saving)
    counts = ", ".join(counted(count, what) for what, count in left_out(proposal).items())
    if counts:
        yield f"  without {counts}"


def _line(what: str, fate: Fate, numbers: list[int], before: int, saving: int) -> str:
    if fate == "chosen":
        return f"  {what} {spans(numbers)}: {before} -> {before - saving}, saves {saving}"
    return f"  stays   {spans(numbers)}: {before}, {fate}"


def _ending(done: Compacted) -> str:
    if done.edited is None:
        return "preview: --apply does it" if done.proposal.plan.chosen else "nothing to do"
    if not done.edited.changed:
        return "nothing to do"
    dropped = done.edited.frame["events"][-1]["data"].get("dropped", [])
    if dropped:
        return f"{where(done.edited)}; {counted(len(dropped), 'text')} of the agent left out of the file for good"
    return f"{where(done.edited)}; frames compact --undo takes it back"


def _as_data(done: Compacted, wish: Wish) -> dict[str, Any]:
    proposal, plan = done.proposal, done.proposal.plan
    groups = [
        {
            "turns": list(proposal.numbers(group)),
            "before": group.before,
            "after": group.before - group.saving,
            "saving": group.saving,
            "outcome": group.fate,
            "summary": group.summary,
        }
        for group in plan.groups
    ]
    edited = edited_data(done.edited) if done.edited else {"frame": proposal.context.frame["id"], "changed": False}
    return {
        **edited,
        "topic": proposal.context.frame["topic"],
        "kind": wish.source.kind,
        **wish.limits._asdict(),
        "before": plan.before,
        "target": plan.target,
        "after": plan.after,
        "over": plan.over,
        "tokens_are": "estimated",
        "groups": groups,
        "stays": standing(proposal.context),
        "left_out": dict(left_out(proposal)) if proposal.kind == "structural" else {},
        "told": done.told,
    }


def _over(proposal: Proposal) -> int:
    """Exit 3 where the target is missed, with what could be done about it."""
    plan = proposal.plan
    if not plan.over or plan.target is None:
        return 0
    words = proposal.words_alone
    if words > plan.target:
        output.complain(f"your words alone cost {words} tokens, {words - plan.target} over the target; none is cut")
    else:
        output.complain(f"{plan.over} tokens over the target")
        output.complain("hint: a smaller --keep-recent, or summaries for what stays")
    return 3


COMMANDS = {"compact": compact}
