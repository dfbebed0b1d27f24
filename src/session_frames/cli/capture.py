"""start, close, import."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING, BinaryIO

import click

from session_frames.cli import output
from session_frames.cli.main import Context
from session_frames.cli.options import date_of, json_option, not_blank
from session_frames.errors import EnvironmentError_, FramesError, UsageError
from session_frames.operations.fence import line_shown
from session_frames.operations.render import closing_lines, counted, giving_up_lines, redaction_counts
from session_frames.operations.summary import summarize
from session_frames.transcripts.base import MISSING_PARENT
from session_frames.workspace import capture, keeping, rescue
from session_frames.workspace.catalog import get_entry, load
from session_frames.workspace.keeping import Captured
from session_frames.workspace.rescue import Wanted

if TYPE_CHECKING:
    from session_frames.workspace.assisted_close import Help


@click.command()
@click.argument("topic", required=False, callback=not_blank)
@click.option("--goal", default="", help="What the session is to reach.")
@click.option(
    "--cancel",
    is_flag=True,
    help="Give up the frame that was opened and has no session yet; lists what was noted on it.",
)
@json_option
@click.pass_obj
def start(context: Context, topic: str, goal: str, cancel: bool, as_json: bool) -> None:
    """Open a frame on this branch.

    The session that is closed next in this work tree takes topic and goal over.
    """
    if cancel:
        for frame in capture.cancel_start(context.workspace):
            if as_json:
                output.write_json(frame)
            else:
                output.write_lines(giving_up_lines(frame))
        return
    frame = capture.start(context.workspace, topic, goal)
    if as_json:
        output.write_json(frame)
    else:
        output.write(f"opened {line_shown(frame['topic'])}  {frame['id'][:12]}\n")


@click.command()
@click.option("--topic", callback=not_blank, help="The topic, in place of the one found in the first prompt.")
@click.option("--goal", default="", help="The goal, in place of the one found.")
@click.option("--transcript", metavar="FILE", help="The transcript to read; - for standard input.")
@click.option("--agent", metavar="NAME", help="Look for a session of this agent only.")
@click.option("--commit", "do_commit", is_flag=True, help="Commit the frame's file, and nothing else, at once.")
@click.option("-m", "--message", help="The message of that commit.")
@click.option("--dry-run", is_flag=True, help="Show what would be written and redacted; write nothing.")
@click.option("--keep-reasoning", is_flag=True, help="Keep the agent's thinking as well.")
@click.option("--review", is_flag=True, help="Go through what was found: keep, edit or drop each item.")
@click.option("--summarizer", default="", metavar="CMD", help="A command that proposes items; each is checked.")
@click.option(
    "--summarizer-timeout",
    default=120.0,
    show_default=True,
    type=click.FloatRange(min=0, min_open=True, max=86400),
    metavar="SECONDS",
    help="How long that command may take.",
)
@click.option("--split", is_flag=True, help="Offer two frames where the topic changes.")
@click.option("--yes", is_flag=True, help="With --split: do not ask.")
@json_option
@click.pass_obj
def close(
    context: Context,
    topic: str,
    goal: str,
    transcript: str | None,
    agent: str | None,
    do_commit: bool,
    message: str | None,
    dry_run: bool,
    keep_reasoning: bool,
    review: bool,
    summarizer: str,
    summarizer_timeout: float,
    split: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Turn what the agent recorded into a frame, and stage it.

    Without --transcript the newest session whose recorded working directory lies in this repository is taken. The next
    git commit takes the frame with the code.
    """
    if message and not do_commit:
        raise UsageError("-m needs --commit")
    if do_commit and dry_run:
        raise UsageError("--commit and --dry-run exclude each other")
    if review and dry_run:
        raise UsageError("--review and --dry-run exclude each other")
    if yes and not split:
        raise UsageError("--yes needs --split")
    wanted = _help(review, summarizer, summarizer_timeout, split, yes or dry_run)
    ws = context.workspace
    # Where a person is asked meanwhile, no bar stands in the way.
    with nullcontext(ws.progress) if wanted else output.progress("reading") as ws.progress:
        captured = capture.close(
            ws,
            transcript=transcript,
            stdin=sys.stdin.buffer,
            agent=agent,
            topic=topic,
            goal=goal,
            dry_run=dry_run,
            keep_reasoning=keep_reasoning,
            wanted=wanted,
        )
    committed = keeping.commit(context.workspace, captured, message) if do_commit else ""
    for one in (*captured.earlier, captured):
        if as_json:
            output.write_json(_captured_json(one, committed))
        else:
            _show(one, dry_run)
    if committed and not as_json:
        output.write(f"  committed {committed[:12]}\n")
    _note(captured)


def _help(review: bool, summarizer: str, patience: float, split: bool, sure: bool) -> Help | None:
    """The help that was asked for; None for the plain reading, which loads nothing of it."""
    if not (review or summarizer or split):
        return None
    from session_frames.cli import review as asking
    from session_frames.workspace.assisted_close import Help

    if review:
        asking.require_terminal("--review")
    return Help(summarizer, patience, asking.chooser(sure=sure) if split else None, asking.review if review else None)


@click.command("import")
@click.argument("sources", nargs=-1, metavar="SOURCE…")
@click.option("--agent", metavar="NAME", help="Read the sources as transcripts of this agent.")
@click.option("--topic", callback=not_blank, help="The topic of the frame.")
@click.option("--into", callback=not_blank, metavar="FRAME", help="Bring the source into this frame.")
@click.option(
    "--only",
    callback=not_blank,
    metavar="PART[,PART]",
    help='With --into: decisions, open_questions …, or "heading:TITLE".',
)
@click.option("--all", "take_all", is_flag=True, help="Every session of this repository on this machine.")
@click.option("--share", is_flag=True, help="With --all: into .copilot/archive, not the private area.")
@click.option(
    "--since",
    default="",
    callback=date_of,
    metavar="DATE",
    help="With --all: sessions that ended on or after YYYY-MM-DD.",
)
@click.option(
    "--from",
    "folder",
    callback=not_blank,
    metavar="DIR",
    help="With --all: every session below DIR, wherever it was recorded.",
)
@click.option("--strict", is_flag=True, help="Refuse a source in which a record was not understood.")
@click.option("--dry-run", is_flag=True, help="Show what would be written and redacted; write nothing.")
@click.option("--keep-reasoning", is_flag=True, help="Keep the agent's thinking as well.")
@json_option
@click.pass_obj
def import_(
    context: Context,
    sources: tuple[str, ...],
    agent: str | None,
    topic: str,
    into: str,
    only: str,
    take_all: bool,
    share: bool,
    since: str,
    folder: str,
    strict: bool,
    dry_run: bool,
    keep_reasoning: bool,
    as_json: bool,
) -> int:
    """Bring in transcripts of any known agent, and frames that were exported.

    A SOURCE is a file, a folder of them, or - for standard input. Importing again updates the same frame. Files are
    written, nothing is staged. With --all every session of this repository that its agents still have is taken into the
    private area: the rescue before they delete them.
    """
    if take_all:
        if sources or into or only or topic:
            raise UsageError("--all takes no SOURCE, --topic, --into or --only")
        return _rescue(context, Wanted(since, share, _folder(context, folder), (agent,) if agent else ()), as_json)
    if share or since or folder:
        raise UsageError("--share, --since and --from go with --all")
    if not all(source.strip() for source in sources):
        raise UsageError("SOURCE is blank", hint="give it a word, or leave it out")
    if not sources:
        raise UsageError("name what to import", hint="frames import FILE…, or frames close for the newest session")
    ws = context.workspace
    target = load(ws, get_entry(ws, into)) if into else None
    stdin: BinaryIO = sys.stdin.buffer
    answers = capture.import_(
        ws,
        sources,
        stdin=stdin,
        agent=agent,
        topic=topic,
        into=target,
        only=only,
        strict=strict,
        dry_run=dry_run,
        keep_reasoning=keep_reasoning,
    )
    code = 0
    with output.progress("reading") as ws.progress:
        for answer in answers:
            if isinstance(answer, FramesError):
                if len(sources) == 1:
                    raise answer
                output.complain(f"error: {answer.message}")
                code = code or answer.exit_code
                continue
            for one in (*answer.earlier, answer):
                if as_json:
                    output.write_json(_captured_json(one, ""))
                elif one.parts or into:
                    output.write(f"{one.path}: {', '.join(one.parts) or 'nothing new'} from {line_shown(one.source)}\n")
                else:
                    _show(one, dry_run)
            _note(answer)
    return code


def _folder(context: Context, folder: str) -> str:
    if folder and not os.path.isdir(os.path.join(context.cwd, folder)):
        raise EnvironmentError_(f"no such folder: '{folder}'")
    return os.path.join(context.cwd, folder) if folder else ""


def _rescue(context: Context, wanted: Wanted, as_json: bool) -> int:
    """Take every session, with a bar on a terminal, and say what was taken, unchanged or skipped, and why."""
    counts = {"taken": 0, "unchanged": 0, "skipped": 0}
    with output.progress("reading sessions") as progress:
        for answer in rescue.rescue(context.workspace, wanted, progress):
            counts[answer.outcome] += 1
            if as_json:
                frames = [{key: summary[key] for key in ("id", "topic", "turns")} for summary in answer.summaries]
                output.write_json({**answer._asdict(), "summaries": frames})
            else:
                output.write_lines(_rescued_lines(answer))
    told = ", ".join(f"{number} {outcome}" for outcome, number in counts.items())
    output.complain(f"{told}" if any(counts.values()) else "no session of this repository was found")
    return 0 if any(counts.values()) else 1


def _rescued_lines(answer: rescue.Rescued) -> Iterator[str]:
    if answer.outcome == "skipped":
        yield f"skipped    {answer.agent:<12} {line_shown(answer.source)}: {answer.why}"
    for summary in answer.summaries:
        turns = counted(summary["turns"], "turn")
        yield f"{answer.outcome:<10} {answer.agent:<12} {summary['id'][:6]} {line_shown(summary['topic'])}  {turns}"


def _show(captured: Captured, dry_run: bool) -> None:
    output.write_lines(closing_lines(captured.frame, captured.path))
    if dry_run:
        output.write("  nothing was written (--dry-run)\n")
    elif not captured.changed:
        output.write("  unchanged\n")


def _note(captured: Captured) -> None:
    if captured.lost_turns:
        output.complain(
            f"warning: '{captured.source}' does not hold {counted(captured.lost_turns, 'turn')} of the frame any more; "
            + ("it stays" if captured.lost_turns == 1 else "they stay")
        )
    counts = {record["reason"]: record["count"] for record in captured.frame.get("skipped_records", [])}
    if missing := counts.pop(MISSING_PARENT, 0):
        told = counted(missing, "missing parent")
        output.complain(f"warning: {told} in '{captured.source}': what came before is not in the file")
    if skipped := sum(counts.values()):
        were = f"{counted(skipped, 'record')} of '{captured.source}' {'was' if skipped == 1 else 'were'}"
        output.complain(f"warning: {were} not understood (see skipped_records)")
    for note in captured.notes:
        output.complain(f"warning: {note}")


def _captured_json(captured: Captured, committed: str) -> dict[str, object]:
    return {
        **summarize(captured.frame),
        "path": captured.path,
        "source": captured.source,
        "changed": captured.changed,
        "staged": captured.staged,
        "committed": committed,
        "lost_turns": captured.lost_turns,
        "redacted": redaction_counts(captured.frame),
        "skipped_records": captured.frame.get("skipped_records", []),
        "elided": captured.frame.get("elided", []),
        "notes": list(captured.notes),
        "parts": list(captured.parts),
    }


COMMANDS = {"start": start, "close": close, "import": import_}
