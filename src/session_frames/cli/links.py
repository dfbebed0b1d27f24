"""why, link."""

from __future__ import annotations

from collections.abc import Iterator

import click

from session_frames.cli import output
from session_frames.cli.main import Context
from session_frames.cli.options import frame_argument, json_option
from session_frames.errors import UsageError
from session_frames.operations.fence import line_shown, shown
from session_frames.operations.render import counted
from session_frames.workspace import linking
from session_frames.workspace import why as reasons
from session_frames.workspace.linking import Linked, Repaired
from session_frames.workspace.why import Reason

_UNKNOWN = "unknown"


@click.command()
@click.argument("arguments", nargs=-1, required=True, metavar="[REV] FILE:LINE")
@json_option
@click.pass_obj
def why(context: Context, arguments: tuple[str, ...], as_json: bool) -> int:
    """Why a line is there: its commit, the turn and call that wrote it, the user's words that asked for it, and the
    decisions that cite them. FILE:FIRST-LAST asks for several lines."""
    if len(arguments) > 2:
        raise UsageError("name one place, or a revision and a place")
    *revision, place = arguments
    found = reasons.why(context.workspace, place, revision[0] if revision else "")
    if as_json:
        for reason in found:
            output.write_json(reason)
    else:
        context.page(_all_lines(found, context.colour))
    return 0 if any(reason["call"] for reason in found) else 1


def _all_lines(found: list[Reason], colour: bool) -> Iterator[str]:
    for number, reason in enumerate(found):
        if number:
            yield ""
        yield from _reason_lines(reason, colour)


def _reason_lines(reason: Reason, colour: bool) -> Iterator[str]:
    for number, line in enumerate(reason["lines"], reason["first_line"]):
        yield output.painted(f"{reason['file']}:{number}", "cyan", colour) + f"  {shown(line)}"
    commit = output.painted(reason["commit"][:12], "yellow", colour)
    who = f"{line_shown(reason['author'])}, {reason['date'][:10]}"
    yield f"commit     {commit} {line_shown(reason['subject'])} ({who})"
    if not reason["frame"]:
        yield f"frame      {_UNKNOWN}"
        return
    yield f"frame      {reason['frame'][:12]} {line_shown(reason['topic'])} ({reason['link']})"
    if not reason["call"]:
        yield f"turn       {_UNKNOWN}"
        return
    argument = line_shown(reason["arguments"])[:100]
    yield " ".join(filter(None, (f"turn       {reason['call']}", line_shown(reason["tool"]), argument)))
    if asked := reason["asked"]:
        yield f"asked for  in turn {asked['turn']}"
        yield from (f"    {line}" for line in shown(asked["text"]).strip("\n").split("\n"))
    if reason["decisions"]:
        yield "decided"
    for decision in reason["decisions"]:
        turns = ", ".join(map(str, decision["turns"]))
        yield f"    [{decision['status']}, by {decision['by']}, turn {turns}] {line_shown(decision['text'])}"
        if decision["rationale"]:
            yield f"      because {line_shown(decision['rationale'])}"


@click.command()
@frame_argument
@click.argument("commit", required=False)
@click.option("--remove", is_flag=True, help="Take a link by hand back.")
@click.option("--repair", is_flag=True, help="Compare the whole history anew with what the known frames wrote.")
@json_option
@click.pass_obj
def link(context: Context, frame: str | None, commit: str | None, remove: bool, repair: bool, as_json: bool) -> None:
    """Link a FRAME and a COMMIT by hand. The link stays on this machine and follows the commit when it is rewritten."""
    if repair:
        if frame or remove:
            raise UsageError("--repair looks at everything: name no frame, and nothing to remove")
        _tell_repaired(linking.link_repair(context.workspace), as_json)
        return
    if not frame or not commit:
        raise UsageError("name a frame and a commit", hint="frames link FRAME COMMIT, or frames link --repair")
    _tell_linked(linking.link(context.workspace, frame, commit, remove=remove), remove, as_json)


def _tell_repaired(repaired: Repaired, as_json: bool) -> None:
    if as_json:
        output.write_json(repaired._asdict())
        return
    for kind, count in repaired.kinds.items():
        output.write(f"{kind:<9} {counted(count, 'link')}\n")
    compared, changed = counted(repaired.compared, "commit"), repaired.changed
    output.write(f"{compared} compared with what frames wrote, {changed} linked otherwise than before\n")


def _tell_linked(linked: Linked, remove: bool, as_json: bool) -> None:
    if as_json:
        output.write_json(
            {"frame": linked.frame_id, "topic": linked.topic, "commit": linked.commit, "linked": not remove}
        )
        return
    what = "not linked by hand any more" if remove else "linked" if linked.changed else "linked already"
    output.write(f"{linked.frame_id[:12]} {line_shown(linked.topic)}, {linked.commit[:12]}: {what}\n")


COMMANDS = {"why": why, "link": link}
