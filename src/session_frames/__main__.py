"""Where every ``frames`` process begins.

What git calls, ``log`` and ``--version`` must start fast: they go to code that imports nothing heavy. The rest is the
command line's.
"""

from __future__ import annotations

import sys

# First word of the command line -> function of ``cli.git_entry``.
_LEAN = {"git-hook": "git_hook", "merge-driver": "merge_driver", "textconv": "textconv"}


def main() -> None:
    """Run the command line of this process and exit with its code."""
    verb = sys.argv[1] if len(sys.argv) > 1 else ""
    if verb in _LEAN:
        from session_frames.cli import git_entry

        sys.exit(getattr(git_entry, _LEAN[verb])(sys.argv[2:]))
    if verb == "--version":
        from session_frames import __version__

        print(f"frames {__version__}")
        sys.exit(0)
    if verb == "log":
        from session_frames.cli.log_entry import log

        code = log(sys.argv[2:])
        if code is not None:
            sys.exit(code)
    from session_frames.cli.main import main as command_line

    sys.exit(command_line())


if __name__ == "__main__":
    main()
