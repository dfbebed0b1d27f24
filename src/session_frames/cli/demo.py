"""demo: the whole loop in a new scratch repository, each command shown with what it prints."""

from __future__ import annotations

import os
import sys
from typing import Final, NamedTuple

import click

from session_frames.cli import output
from session_frames.cli.main import Context
from session_frames.errors import EnvironmentError_, RefusedError
from session_frames.transcripts import SESSION_VARIABLES

# What lies beside the scratch repository: two recorded sessions, and what they and a person changed.
_RECORDED: Final = (
    "project.patch",
    "quotes.jsonl",
    "quotes.patch",
    "readme.patch",
    "express.jsonl",
    "express.patch",
)


class _Chapter(NamedTuple):
    """Some commands, what they are for, and when the person at the keyboard ran them."""

    about: str
    at: str
    commands: tuple[str, ...]


# The ids of frames follow from their sessions, so the recorded ones always get these.
_CHAPTERS: Final = (
    _Chapter(
        "A repository with one commit.",
        "2026-06-02T08:40:00Z",
        (
            "git init -q -b main",
            "git apply ../recorded/project.patch",
            "git add .",
            "git commit -q -m 'a flat rate'",
        ),
    ),
    _Chapter(
        "Set it up for frames, once.",
        "2026-06-02T08:50:00Z",
        (
            "frames init",
            "git add .gitattributes",
            "git commit -q -m 'chore: keep session frames'",
        ),
    ),
    _Chapter(
        "An agent worked; what it changed, and what it recorded, is here. The frame is committed with the code.",
        "2026-06-02T09:12:00Z",
        (
            "git apply ../recorded/quotes.patch",
            "frames close --transcript ../recorded/quotes.jsonl",
            "git add .",
            "git commit -q -m 'feat: quotes by weight band'",
        ),
    ),
    _Chapter(
        "From the commit to the session, and from a line to the turn that wrote it.",
        "2026-06-02T09:20:00Z",
        (
            "frames log -1",
            "frames blame -L 6,14 parcel/quote.py",
            "frames show b833b3 --turns 5-7",
        ),
    ),
    _Chapter(
        "Another agent on a branch, a person on main.",
        "2026-06-02T13:30:00Z",
        (
            "git checkout -q -b express",
            "git apply ../recorded/express.patch",
            "frames close --transcript ../recorded/express.jsonl --topic 'express quotes'",
            "git commit -q -a -m 'feat: express'",
            "git checkout -q main",
            "git apply ../recorded/readme.patch",
            "git commit -q -a -m 'docs: say that prices are in cents'",
        ),
    ),
    _Chapter(
        "The branches meet, and so do their frames.",
        "2026-06-02T15:00:00Z",
        (
            "git merge -q --no-edit express",
            "frames log --graph --oneline",
            "frames merge b833b3 a2ffa5 --topic 'parcel quotes'",
        ),
    ),
    _Chapter(
        "What the next session is told.",
        "2026-06-02T15:10:00Z",
        ("frames resume 'parcel quotes' --budget 1300",),
    ),
    _Chapter(
        "The sources go to the archive; all files are what the schema says.",
        "2026-06-02T15:20:00Z",
        (
            "frames archive b833b3 a2ffa5",
            "git add .copilot",
            "git commit -q -m 'chore: one frame for the quotes'",
            "frames list",
            "frames validate",
            "git status --short",
        ),
    ),
)


@click.command()
@click.argument("folder", metavar="[DIR]", required=False)
@click.pass_obj
def demo(context: Context, folder: str | None) -> int:
    """Run the whole loop in a new scratch repository, each command shown.

    The repository is made in DIR, which must be empty or new; without it in a temporary folder, which stays. Your own
    git settings make no difference, and no network is needed.
    """
    place = _new_folder(os.path.join(context.cwd, folder) if folder else None, folder or "")
    _copy_recorded(os.path.join(place, "recorded"))
    repository = os.path.join(place, "parcel")
    os.mkdir(repository)
    for number, chapter in enumerate(_CHAPTERS, 1):
        output.write(f"# {number}. {chapter.about}\n")
        for command in chapter.commands:
            output.write(f"$ {command}\n")
            code, printed = _run(command, repository, _environment(context.environ, chapter.at))
            output.write(printed)
            sys.stdout.flush()
            if code:
                output.complain(f"error: '{command}' ended with {code}; the repository is in '{repository}'")
                return 1
        output.write("\n")
    output.complain(f"the repository is in '{repository}'")
    return 0


def _new_folder(path: str | None, shown: str) -> str:
    if path is None:
        import tempfile

        return tempfile.mkdtemp(prefix="frames-demo-")
    try:
        os.makedirs(path, exist_ok=True)
        if os.listdir(path):
            raise RefusedError(f"'{shown}' is not empty", hint="frames demo with a new folder, or with none")
    except OSError as error:
        raise EnvironmentError_(f"cannot make '{shown}': {error.strerror}") from error
    return path


def _copy_recorded(folder: str) -> None:
    from importlib.resources import files

    os.mkdir(folder)
    for name in _RECORDED:
        with open(os.path.join(folder, name), "wb") as file:
            file.write((files("session_frames") / "demo" / name).read_bytes())


def _environment(environ: dict[str, str], at: str) -> dict[str, str]:
    """That of this process without what would make a difference: git's settings, an agent's session, the clock."""
    kept = {
        name: value
        for name, value in environ.items()
        if not name.startswith("GIT_") and name not in SESSION_VARIABLES and name not in ("FORCE_COLOR", "NO_COLOR")
    }
    author = {
        f"GIT_{role}_{what}": value
        for role in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "Ann Author"), ("EMAIL", "ann@example.org"), ("DATE", at))
    }
    return {
        **kept,
        **author,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_PAGER": "cat",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
    }


def _run(command: str, folder: str, environ: dict[str, str]) -> tuple[int, str]:
    import shlex
    import subprocess

    words = shlex.split(command)
    if words[0] == "frames":
        words[:1] = [sys.executable, "-m", "session_frames"]
    done = subprocess.run(
        words, cwd=folder, env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    return done.returncode, done.stdout.decode("utf-8", "replace")


COMMANDS = {"demo": demo}
