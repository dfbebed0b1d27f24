"""init, uninit, doctor."""

from __future__ import annotations

import click

from session_frames.cli import output
from session_frames.cli.main import Context
from session_frames.cli.options import json_option
from session_frames.workspace import setup


@click.command()
@click.option(
    "--agent",
    "agents",
    multiple=True,
    type=click.Choice(setup.AGENTS),
    help="Tell the agent what to keep when it compacts, and keep its session before it does.",
)
@click.option("--local", is_flag=True, help="Keep frames out of the shared tree and out of commit messages.")
@click.option("--no-hooks", is_flag=True, help="Install no git hooks.")
@click.option("--shared-hooks", is_flag=True, help="Install hooks also in a folder outside of this repository.")
@json_option
@click.pass_obj
def init(
    context: Context, agents: tuple[str, ...], local: bool, no_hooks: bool, shared_hooks: bool, as_json: bool
) -> None:
    """Make this repository keep session frames: attributes, merge driver, notes display, git hooks.

    Run twice, it changes nothing. frames uninit takes all of it back.
    """
    done = setup.init(
        context.workspace,
        local=local,
        hooks=not no_hooks,
        shared_hooks=shared_hooks,
        agents=tuple(dict.fromkeys(agents)),
    )
    if as_json:
        output.write_json(done._asdict())
        return
    for path in done.changed:
        output.write(f"changed {path}\n")
    for path in done.recognised:
        output.write(f"recognised {path}: uninit takes frames' part out of it\n")
    if not done.changed and not done.recognised:
        output.write("nothing to change: this repository is set up\n")
    if done.ignored:
        output.complain("warning: git ignores .copilot/sessions, so frames are kept in the private area only")
    elif done.local:
        output.write("frames stay in the private area of this repository\n")
    if done.outside:
        output.complain(f"warning: git runs hooks from '{done.outside}', outside this repository: none are installed")
        output.complain("  hint: frames init --shared-hooks installs them there, for every repository that uses them")
    if done.snippet:
        output.complain("add this to the settings of the tool that manages the hooks here:")
        output.complain(done.snippet)


@click.command()
@json_option
@click.pass_obj
def uninit(context: Context, as_json: bool) -> None:
    """Take back what init did: every touched file byte for byte. Frames stay."""
    done = setup.uninit(context.workspace)
    if as_json:
        output.write_json({**done._asdict(), "files": dict(done.files)})
        return
    for path, outcome in done.files:
        output.write(f"{outcome} {path}\n")
    for name in done.settings:
        output.write(f"unset {name}\n")
    if not done.files and not done.settings:
        output.write("nothing to take back\n")
    for kept in done.stays:
        output.write(f"stays: {kept}\n")


@click.command()
@click.option("--fix", is_flag=True, help="Mend what can be mended safely.")
@json_option
@click.pass_obj
def doctor(context: Context, fix: bool, as_json: bool) -> int:
    """Say what is not right here, each with a way out. Exit 1 when something is."""
    from session_frames.workspace.health import doctor as examine

    findings = examine(context.workspace, fix=fix)
    for finding in findings:
        if as_json:
            output.write_json(finding._asdict())
        else:
            output.write(f"{finding.level}: {finding.what}\n")
            if finding.hint:
                output.write(f"  hint: {finding.hint}\n")
    if not findings and not as_json:
        output.write("all is well\n")
    return 1 if any(finding.level != "note" for finding in findings) else 0


COMMANDS = {"init": init, "uninit": uninit, "doctor": doctor}
