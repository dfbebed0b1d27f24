"""report."""

from __future__ import annotations

import click

from session_frames.cli import output
from session_frames.cli.main import Context
from session_frames.cli.options import not_blank
from session_frames.operations.report import report_markdown
from session_frames.workspace import report as reports


@click.command()
@click.argument("revisions", required=False, metavar="[BASE..HEAD]", callback=not_blank)
@click.option("--since", metavar="DATE", callback=not_blank, help="Commits and frames since then, in git's words.")
@click.option("--format", "form", type=click.Choice(["md", "json"]), default="md", help="What to write.")
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.pass_obj
def report(context: Context, revisions: str, since: str, form: str, as_json: bool) -> int:
    """What was decided, verified and left open in some commits, as Markdown for a pull request. Without a range the
    commits of this branch that its upstream does not have. Exit 1 when there is nothing to report."""
    made = reports.report(context.workspace, revisions, since)
    if as_json or form == "json":
        output.write_json(made)
    elif made["commits"] or made["frames"]:
        output.write(report_markdown(made))
    else:
        output.complain("no commits and no frames")
    return 0 if made["commits"] or made["frames"] else 1


COMMANDS = {"report": report}
