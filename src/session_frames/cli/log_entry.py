"""``frames log`` as git's own log: the notes are brought up to date, then git takes the place of this process.

Nothing heavy is imported here, nor anything at all that is not needed when there is nothing new.
"""

from __future__ import annotations

import os

from session_frames.storage.quick_look import LOG_FILTERS, Look, is_current, look, may_name_commits, newest_shown

# As a pattern: git warns of a ref that does not exist, and of no pattern that matches nothing.
SHOWN_NOTES = "--notes=frame[s]"


def log(args: list[str]) -> int | None:
    """Become ``git log ARGS``. Comes back when the command line has to say more than git can: None, or an exit code.

    Whatever fails is left to the command line, which tries again and tells it.
    """
    before_paths = args[: args.index("--")] if "--" in args else args
    if any(arg == "--json" or arg.startswith(("--output", *LOG_FILTERS)) for arg in before_paths):
        return None
    try:
        asked = args if may_name_commits(args) else []
        seen, newest = look(dict(os.environ), asked), newest_shown(args)
        if asked or not is_current(seen, newest):
            _bring_up_to_date(args, newest, seen)
        os.execvp("git", ["git", "log", "--notes", SHOWN_NOTES, *args])
    except KeyboardInterrupt:
        from session_frames.cli.output import complain

        complain("interrupted")
        return 130
    except Exception:  # nothing is hidden: the command line does the same again, and tells what fails there
        return None


def _bring_up_to_date(args: list[str], newest: int | None, seen: Look | None) -> None:
    from session_frames.workspace.core import Workspace
    from session_frames.workspace.log_view import prepare_log

    ws = Workspace(os.getcwd(), os.environ, _no_clock, seen)
    prepare_log(ws, args, newest)
    ws.repo.close()


def _no_clock() -> str:
    raise AssertionError("the log does not ask what time it is")
