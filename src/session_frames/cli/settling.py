"""merge --continue: both values of each conflict, and which one holds."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

from session_frames.cli import output
from session_frames.cli.main import Context
from session_frames.cli.review import ask, tell
from session_frames.errors import UsageError
from session_frames.model import Frame, MergeConflict
from session_frames.operations.fence import line_shown
from session_frames.operations.render import counted
from session_frames.operations.settle import BOTH, may_keep_both
from session_frames.workspace import settling
from session_frames.workspace.settling import Settled

_TAKES: Final[Mapping[str, int]] = {"1": 0, "2": 1, "both": BOTH}
_CHOICES: Final[dict[str, str]] = {
    "1": "the first holds",
    "2": "the second holds",
    "s": "skip it, it stays a conflict",
    "q": "quit, this frame stays as it is",
}
_LONGEST: Final = 400


def go_on(context: Context, names: Sequence[str], takes: Sequence[str], as_json: bool) -> int:
    """Settle by what was said on the command line, else by asking on a terminal; exit 1 while something is left."""
    said = _Said(takes)
    asks = not takes and not as_json and sys.stdin.isatty() and sys.stderr.isatty()
    planned = settling.plan_settling(context.workspace, names, _asking if asks else said)
    said.require_clear()
    settling.write_settled(context.workspace, planned)
    for one in planned:
        if as_json:
            output.write_json(_data(one))
        else:
            _tell(one)
    return 0 if all(one.is_done for one in planned) else 1


class _Said:
    """The choices of the command line, by the beginning of a conflict's id."""

    def __init__(self, takes: Sequence[str]) -> None:
        self._choices = dict(map(_choice, takes))
        if len(self._choices) < len(takes):
            raise UsageError("--take names one conflict twice")
        self._meant: dict[str, list[str]] = {name: [] for name in self._choices}

    def __call__(self, _: Frame, conflict: MergeConflict) -> int | None:
        name = next((name for name in self._choices if conflict["id"].startswith(name)), None)
        if name is None:
            return None
        self._meant[name].append(conflict["id"])
        return self._choices[name]

    def require_clear(self) -> None:
        """``UsageError`` for a choice that means no conflict, or several."""
        for name, meant in self._meant.items():
            if not meant:
                raise UsageError(f"no such conflict: '{name}'", hint="frames merge --continue lists them")
            if len(meant) > 1:
                raise UsageError(
                    f"'{name}' means {len(meant)} conflicts: {', '.join(meant)}", hint="name one by its id"
                )


def _choice(take: str) -> tuple[str, int]:
    name, _, which = take.partition("=")
    if not name or which not in _TAKES:
        raise UsageError(f"not a choice: '{take}'", hint="--take CONFLICT=1, CONFLICT=2 or CONFLICT=both")
    return name, _TAKES[which]


def _asking(frame: Frame, conflict: MergeConflict) -> int | None:
    both = {"b": "both stand"} if may_keep_both(conflict) else {}
    tell(["", f"{line_shown(frame['topic'])}: {line_shown(conflict['where'])}", *_values(conflict)])
    choices = {"1": _CHOICES["1"], "2": _CHOICES["2"], **both, "s": _CHOICES["s"], "q": _CHOICES["q"]}
    return {"1": 0, "2": 1, "b": BOTH}.get(ask("which holds", choices))


def _values(conflict: MergeConflict) -> list[str]:
    return [f"  {number}  {_shown(value)}" for number, value in enumerate(conflict["values"], 1)]


def _shown(value: Any) -> str:
    """A value on one line: the text of an item, else its JSON."""
    if value is None:
        return "nothing: it was removed"
    text = value if isinstance(value, str) else value.get("text") if isinstance(value, dict) else None
    return line_shown(text or json.dumps(value, ensure_ascii=False))[:_LONGEST]


def _data(one: Settled) -> dict[str, object]:
    return {
        "path": one.path,
        "id": one.frame["id"] if one.frame else "",
        "settled": one.settled,
        "left": [dict(conflict) for conflict in one.left],
        "staged": one.waits and one.is_done,
        "deleted_by_one_side": one.frame is None,
    }


def _tell(one: Settled) -> None:
    if one.frame is None:
        output.write(f"{one.path}: one side deleted it, the other changed it\n")
        output.complain(f"hint: git add -- '{one.path}' keeps it, git rm -- '{one.path}' deletes it")
        return
    rest = f", {len(one.left)} left" if one.left else ", staged" if one.waits else ""
    output.write(f"{one.path}: {counted(one.settled, 'conflict')} settled{rest}\n")
    for conflict in one.left:
        output.write_lines([f"  {conflict['id']}  {line_shown(conflict['where'])}", *_values(conflict)])
    if one.left:
        output.complain(f"hint: frames merge --continue --take {one.left[0]['id']}=1, or on a terminal")
