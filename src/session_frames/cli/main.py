"""The command line: verbs by name, one context for all, one place where errors become text and a number."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from importlib import import_module
from typing import Any, NoReturn

import click

from session_frames import __version__
from session_frames.cli import output
from session_frames.errors import EXIT_CODES, EnvironmentError_, FramesError, UsageError
from session_frames.workspace.core import Workspace

# Verb -> module that holds its command and what the overview says of it; nothing is imported before it is called.
VERBS: dict[str, dict[str, tuple[str, str]]] = {
    "Set up": {
        "init": ("setup", "make this repository keep session frames"),
        "uninit": ("setup", "take back what init did, byte for byte"),
        "doctor": ("setup", "say what is not right here"),
        "demo": ("demo", "run the whole loop in a new scratch repository"),
    },
    "Capture": {
        "start": ("capture", "open a frame on this branch"),
        "status": ("history", "active and uncommitted frames"),
        "close": ("capture", "turn what the agent recorded into a frame"),
        "import": ("capture", "bring in transcripts and exported frames"),
    },
    "Look": {
        "list": ("history", "the frames that are known here"),
        "show": ("history", "one frame, or some of its turns"),
        "log": ("history", "git log with the frames under each commit"),
        "blame": ("history", "git blame with frame and turn a line"),
        "diff": ("context", "two frames compared, or two moments of a context"),
        "why": ("links", "the turn, the words and the decisions behind a line"),
    },
    "Context": {
        "resume": ("history", "the opening context for the next session"),
        "context": ("context", "what a model would be given now, or was then"),
        "pin": ("context", "keep turns in context"),
        "unpin": ("context", "take pins away"),
        "prune": ("context", "take turns or calls out of context"),
        "restore": ("context", "bring them back, or go back to a checkpoint"),
        "compact": ("compact", "let summaries stand for turns: preview, apply, undo"),
        "annotate": ("context", "say that turns are resolved, overruled, a dead end, …"),
        "decide": ("items", "note a decision"),
        "ask": ("items", "note an open question"),
        "answer": ("items", "answer a question"),
        "edit": ("items", "change topic, title, goal or an item"),
        "checkpoint": ("threads", "set a named point to go back to"),
        "branch": ("threads", "begin, give up or merge a thread"),
        "switch": ("threads", "go on in another thread"),
        "cherry-pick": ("threads", "take turns of another thread"),
    },
    "Across frames": {
        "merge": ("curate", "make one frame of several"),
        "archive": ("curate", "move closed frames to the archive"),
        "unarchive": ("curate", "move frames back from the archive"),
        "export": ("curate", "a frame as JSON, YAML or Markdown"),
        "report": ("report", "what some commits decided, verified and left open, for a pull request"),
        "validate": ("curate", "check frame files against the schema"),
        "raw": ("raw", "the raw transcripts that are kept: list, prune"),
        "delete": ("raw", "delete a frame for good"),
        "sync": ("sync", "exchange raw transcripts with one remote, only when asked"),
        "link": ("links", "link a frame and a commit by hand, or look for all links anew"),
    },
    "Doors": {
        "hook": ("agents", "called by agents: an event of a session, as JSON on standard input"),
        "completion": ("completion", "completion script for a shell"),
    },
}
_MODULES = {verb: module for verbs in VERBS.values() for verb, (module, _) in verbs.items()}


class Context:
    """What every verb shares, made when it is first needed."""

    def __init__(self, cwd: str, environ: dict[str, str], args: Sequence[str] = ()) -> None:
        self.cwd = cwd
        self.environ = environ
        self.args = args  # as they were typed: click takes a `--` out

    @cached_property
    def workspace(self) -> Workspace:
        """The workspace around the current folder."""
        return Workspace(self.cwd, self.environ, _now)

    @cached_property
    def colour(self) -> bool:
        """Are colours wanted on standard output?"""
        return output.wants_colour(self.environ, self.workspace.repo.config("color.ui"))

    def page(self, lines: Any) -> None:
        """Lines through git's pager, on a terminal."""
        pager = self.workspace.repo.line("var", "GIT_PAGER") if sys.stdout.isatty() else None
        output.page(lines, pager, self.environ)


# What a write can meet and a read can't.
_OF_WRITING = (errno.EBADF, errno.ENOSPC, errno.EFBIG)


def _now() -> str:
    from datetime import UTC, datetime

    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class _ReaderGone(Exception):
    """Standard output leads nowhere any more. click would make another exit code of an ``OSError``."""


@contextmanager
def _past_click() -> Iterator[None]:
    """What click would tell in its own way comes out as it should be told here."""
    try:
        yield
    except BrokenPipeError as error:
        raise _ReaderGone from error
    except KeyboardInterrupt as error:
        raise click.Abort from error


class _Verbs(click.Group):
    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        with _past_click():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        with _past_click():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        module = _MODULES.get(cmd_name)
        if module is None:
            return None
        command: click.Command = import_module(f"session_frames.cli.{module}").COMMANDS[cmd_name]
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and args[0] not in _MODULES and not args[0].startswith("-") and not ctx.resilient_parsing:
            from difflib import get_close_matches

            nearest = get_close_matches(args[0], _MODULES, n=3)
            hint = f"did you mean: {', '.join(nearest)}" if nearest else "frames --help lists the verbs"
            raise UsageError(f"no such verb: '{args[0]}'", hint=hint)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for heading, verbs in VERBS.items():
            with formatter.section(heading):
                formatter.write_dl([(verb, about) for verb, (_, about) in verbs.items()])


@click.group(cls=_Verbs, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="frames %(version)s")
@click.pass_context
def frames(ctx: click.Context) -> None:
    """Session frames: AI coding sessions as versioned files in git."""
    if ctx.invoked_subcommand is None:
        command = frames.get_command(ctx, "status")
        assert command is not None
        ctx.invoke(command)


def main(args: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit with its number; the only place that does."""
    sys.exit(run(list(sys.argv[1:] if args is None else args)))


def run(args: list[str]) -> int:
    """Run the command line; the exit code (see ``errors.EXIT_CODES``)."""
    try:
        context = Context(_working_directory(), dict(os.environ), args)
        code = frames.main(args, prog_name="frames", standalone_mode=False, obj=context)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except FramesError as error:
        return _failed(error)
    except click.exceptions.Exit as done:
        return done.exit_code
    except _ReaderGone:
        output.silence_stdout()
        return 141
    except click.UsageError as error:
        output.complain(f"error: {_lowered(error.format_message())}")
        if error.ctx is not None:
            output.complain(f"hint: {error.ctx.command_path} --help")
        return 2
    except click.ClickException as error:
        output.complain(f"error: {_lowered(error.format_message())}")
        return 2
    except (KeyboardInterrupt, click.Abort):
        output.complain("interrupted")
        return 130
    except BrokenPipeError:
        output.silence_stdout()
        return 141
    except OSError as error:
        return failed_system_call(error)
    except Exception as error:  # a fault of ours: say so, keep what helps to mend it
        return _fault(error)


def _working_directory() -> str:
    try:
        return os.getcwd()
    except OSError as error:
        raise EnvironmentError_("the current folder does not exist any more") from error


def _failed(error: FramesError) -> int:
    _flush_what_was_said()
    output.complain(f"error: {error.message}")
    cause = error.__cause__
    if (
        cause is not None
        and str(cause)
        and str(cause) not in error.message
        and not isinstance(cause, (OSError, ValueError))
    ):
        output.complain(f"caused by: {cause}")
    if error.hint:
        output.complain(f"hint: {error.hint}")
    return error.exit_code


def _flush_what_was_said() -> None:
    try:
        sys.stdout.flush()
    except OSError:
        output.silence_stdout()


def failed_system_call(error: OSError) -> int:
    """Say what failed, unless it is only that the reader has gone; the exit code."""
    output.silence_stdout()
    if error.errno == errno.EPIPE:
        return 141
    where = f" '{error.filename}'" if error.filename else ""
    doing = "cannot write to standard output: " if not where and error.errno in _OF_WRITING else ""
    output.complain(f"error: {doing}{(error.strerror or str(error)).lower()}{where}")
    return 5


def _lowered(message: str) -> str:
    return (message[:1].lower() + message[1:]).rstrip(".")


def _fault(error: Exception) -> int:
    """A report without the user's text: where in our code it happened, not what was in hand."""
    import platform
    import traceback

    frames_of_ours = [
        f"{os.path.basename(entry.filename)}:{entry.lineno} {entry.name}"
        for entry in traceback.extract_tb(error.__traceback__)
    ]
    verb = next((arg for arg in sys.argv[1:] if arg in _MODULES), "")
    versions = f"frames {__version__}, Python {platform.python_version()}, {platform.system()}"
    report = "\n".join([versions, f"verb: {verb}", f"fault: {type(error).__name__}", *frames_of_ours, ""])
    folder = os.path.join(os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state"), "frames")
    path = os.path.join(folder, f"fault-{os.getpid()}.txt")
    try:
        os.makedirs(folder, exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(report)
    except OSError:
        path = ""
    output.silence_stdout()
    output.complain(f"error: {EXIT_CODES[70].split(';')[0]}: {type(error).__name__}")
    output.complain(f"hint: please report it with the file '{path}'" if path else f"hint: {frames_of_ours[-1:]}")
    return 70
