"""Asking a person in the terminal: item by item what to keep of a session, and whether to cut it in two.

The talk goes to standard error, so that standard output holds the result alone. Nothing is written before the last
answer: whoever leaves early leaves everything as it was.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from session_frames.cli import output
from session_frames.errors import NothingFound, UsageError
from session_frames.model import Frame
from session_frames.operations.boundaries import Shift
from session_frames.operations.fence import line_shown
from session_frames.operations.review import Answer, candidate_lines, candidates
from session_frames.operations.split import split_frame

_CHOICES: Final[dict[str, str]] = {
    "k": "keep it",
    "e": "edit its text",
    "d": "drop it, also when the session is read again",
    "a": "keep it and all that follow",
    "q": "quit, nothing is written",
}
_YES_NO: Final[dict[str, str]] = {
    "y": "make two frames of it",
    "n": "leave it together",
    "q": "quit, nothing is written",
}
_NARROWEST: Final = 20


def require_terminal(what: str, hint: str | None = None) -> None:
    """``UsageError`` where nobody can be asked."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(f"{what} needs a terminal", hint=hint)


def review(frames: Sequence[Frame]) -> Mapping[str, Answer]:
    """Go through the items of the frames; an answer for each that was edited or dropped."""
    answers: dict[str, Answer] = {}
    for frame in frames:
        asked = candidates(frame)
        if not asked:
            output.complain(f"{line_shown(frame['topic'])}: nothing was found that could be reviewed")
        for number, candidate in enumerate(asked, 1):
            tell(["", *candidate_lines(frame, candidate, number, len(asked))])
            choice = ask("keep, edit, drop, all, quit", _CHOICES)
            if choice == "a":
                return answers
            if choice == "d":
                answers[candidate.item["id"]] = Answer("drop")
            elif choice == "e":
                text = " ".join(_line("new text (empty leaves it): ").split())
                if text and text != candidate.item["text"]:
                    answers[candidate.item["id"]] = Answer("edit", text)
    return answers


def chooser(*, sure: bool) -> Callable[[Frame, Sequence[Shift]], list[str]]:
    """What shows the places where a session may be cut, and asks about each; who is ``sure`` takes all."""

    def choose(frame: Frame, shifts: Sequence[Shift]) -> list[str]:
        parts = split_frame(frame, [shift.turn for shift in shifts])
        taken = []
        for at, shift in enumerate(shifts):
            tell(_boundary_lines(frame, shift, parts[at], parts[at + 1]))
            if not sure:
                require_terminal("--split", hint="frames close --split --yes makes a frame of each part")
            if sure or ask("two frames", _YES_NO) == "y":
                taken.append(shift.turn)
        return taken

    return choose


def _boundary_lines(frame: Frame, shift: Shift, before: Frame, after: Frame) -> Iterator[str]:
    numbers = {turn["id"]: number for number, turn in enumerate(frame.get("turns", []), 1)}
    yield f"boundary before turn {shift.number}: {shift.why}"
    yield f"  “{line_shown(shift.words)}”"
    for part in (before, after):
        first, last = numbers[part["turns"][0]["id"]], numbers[part["turns"][-1]["id"]]
        yield f"  turns {first}-{last}: {line_shown(part['topic'])}"


# ---------------------------------------------------------------------------------------------------------------------
# The terminal


def tell(lines: Iterable[str]) -> None:
    """Lines to the terminal, broken at its width as wide as Hangul and Kanji are; what follows is indented alike."""
    from rich.console import Console
    from rich.text import Text

    width = max(_NARROWEST, shutil.get_terminal_size().columns)
    console = Console(width=width, no_color=True)
    for line in lines:
        bare = line.lstrip(" ")
        indent = " " * (len(line) - len(bare))
        wrapped = Text(bare).wrap(console, max(_NARROWEST, width - len(indent))) if bare else [Text("")]
        for piece in wrapped:
            output.complain((indent + piece.plain.rstrip()).rstrip())


def ask(what: str, choices: Mapping[str, str]) -> str:
    """One of the choices, by its letter or the word that begins with it; asked again until it is one."""
    while True:
        said = _line(f"{what} [{'/'.join(choices)}]? ").strip().lower()
        letter = said[:1]
        if letter == "q" and said in ("q", "quit"):
            raise NothingFound("left before the end, nothing was written")
        if letter in choices:
            return letter
        for name, about in choices.items():
            output.complain(f"  {name}  {about}")


def _line(prompt: str) -> str:
    """A line typed by the person, in UTF-8 whatever the locale; the end of the input ends all."""
    sys.stderr.buffer.write(prompt.encode("utf-8"))
    sys.stderr.buffer.flush()
    typed = sys.stdin.buffer.readline()
    if not typed:
        raise KeyboardInterrupt
    return typed.decode("utf-8", "replace")
