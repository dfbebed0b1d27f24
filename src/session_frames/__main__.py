"""Where every ``frames`` process begins.

What git calls, ``log``, ``blame`` and ``--version`` must start fast: they go to code that imports nothing heavy. The
rest is the command line's.
"""

from __future__ import annotations

import sys

# First word of the command line -> function of ``cli.git_entry``.
_LEAN = {"git-hook": "git_hook", "merge-driver": "merge_driver", "textconv": "textconv"}


def main() -> None:
    """Run the command line of this process and exit with its code."""
    try:
        from session_frames.cli.process import prepare

        prepare()
        code = _run(sys.argv[1:])
    except KeyboardInterrupt:  # before anything was begun that has more to say to it
        from session_frames.cli.output import complain

        complain("interrupted")
        code = 130
    except OSError as error:  # of what writes without the command line
        from session_frames.cli.main import failed_system_call

        code = failed_system_call(error)
    sys.exit(code)


def _run(args: list[str]) -> int:
    verb = args[0] if args else ""
    if verb in _LEAN:
        from session_frames.cli import git_entry

        called: int = getattr(git_entry, _LEAN[verb])(args[1:])
        return called
    if verb == "hook" and args[1:] and not any(arg.startswith("-") for arg in args):
        from session_frames.cli.agent_entry import hook

        return hook(args[1:])
    if verb == "--version":
        from session_frames import __version__

        print(f"frames {__version__}", flush=True)
        return 0
    if verb in ("log", "blame"):
        code = _run_around(verb, args[1:])
        if code is not None:
            return code
    from session_frames.cli.main import run

    return run(args)


def _run_around(verb: str, args: list[str]) -> int | None:
    """Around the command line, where a verb can do without it; None where it can't."""
    if verb == "log":
        from session_frames.cli.log_entry import log

        return log(args)
    from session_frames.cli.blame_entry import blame

    return blame(args)


if __name__ == "__main__":
    main()
