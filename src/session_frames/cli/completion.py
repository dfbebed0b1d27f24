"""completion: what a shell needs to complete verbs and options."""

from __future__ import annotations

import click

from session_frames.cli import output

_SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(_SHELLS))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """The completion script for a shell, on standard output.

    bash and zsh: eval "$(frames completion bash)" in the shell's start file; fish: frames completion fish | source.
    """
    from click.shell_completion import get_completion_class

    root = ctx.find_root()
    script = get_completion_class(shell)
    assert script is not None
    output.write(script(root.command, {}, "frames", "_FRAMES_COMPLETE").source())


COMMANDS = {"completion": completion}
