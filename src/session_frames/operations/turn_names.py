"""Turns and calls as a person names them: numbers, ranges, call numbers and ids (``3 14 22-30 14.3``)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from session_frames.errors import UsageError
from session_frames.model import Frame, Turn
from session_frames.operations.context_edits import moment_of


class Selection(NamedTuple):
    """What was named, in the order of the session: ids of turns; (turn, call) ids of single calls."""

    turns: tuple[str, ...]
    calls: tuple[tuple[str, str], ...]

    @property
    def touched(self) -> list[str]:
        """The turns named, and those whose calls were."""
        return list(dict.fromkeys([*self.turns, *(turn for turn, _ in self.calls)]))


def select(frame: Frame, words: Iterable[str]) -> Selection:
    """The turns and calls that are meant; ``UsageError`` names those that exist where one does not."""
    turns = frame.get("turns", [])
    ids = {turn["id"]: place for place, turn in enumerate(turns)}
    places: set[int] = set()
    calls: dict[tuple[int, int], tuple[str, str]] = {}
    named = " ".join(words).replace(",", " ").split()
    if not named:
        raise UsageError("no turns are named", hint=_which_there_are(frame))
    for word in named:
        one, of, span = (re.fullmatch(form, word) for form in (r"(\d+)", r"(\d+)\.(\d+)", r"(\d+)-(\d+)"))
        if word in ids:
            places.add(ids[word])
        elif one and 0 < int(one[1]) <= len(turns):
            places.add(int(one[1]) - 1)
        elif span and 0 < int(span[1]) <= int(span[2]) <= len(turns):
            places.update(range(int(span[1]) - 1, int(span[2])))
        elif of and 0 < int(of[1]) <= len(turns):
            place, number = int(of[1]) - 1, int(of[2])
            calls[place, number] = turns[place]["id"], _call_id(turns[place], place + 1, number)
        else:
            raise UsageError(f"no such turn: '{word}'", hint=_which_there_are(frame))
    return Selection(tuple(turns[place]["id"] for place in sorted(places)), tuple(calls[key] for key in sorted(calls)))


# What is a number, a range, a call, the present, or a date or time that somebody began to write.
_MOMENT: Final = re.compile(r"\d+(-\d*|\.\d+)?|now|\d{1,2}:\d\d(:\d\d)?|\d{4}-\d\d?-\d\d?([ T].*)?", re.IGNORECASE)


def reads_as_moment(frame: Frame, name: str) -> bool:
    """Does the word mean a turn, a call, an event or a time, so that it can't be the name of something else, too?"""
    known = {one["id"] for one in (*frame.get("turns", []), *frame.get("events", []))}
    return bool(_MOMENT.fullmatch(name)) or moment_of(name) is not None or name in known


def _call_id(turn: Turn, number: int, wanted: int) -> str:
    calls = turn.get("calls", [])
    if not 0 < wanted <= len(calls):
        there = f"calls {number}.1-{number}.{len(calls)}" if len(calls) > 1 else f"one call, {number}.1"
        raise UsageError(
            f"no such call: '{number}.{wanted}'", hint=f"turn {number} has {there if calls else 'no calls'}"
        )
    return calls[wanted - 1]["id"]


def _which_there_are(frame: Frame) -> str:
    count = len(frame.get("turns", []))
    return f"the frame has turns 1-{count}" if count else "the frame has no turns yet"


def one_turn(frame: Frame, word: str) -> str:
    """The id of the one turn that a word means, "" for none; ``UsageError`` where it means several."""
    if not word:
        return ""
    chosen = select(frame, [word])
    if len(chosen.turns) != 1 or chosen.calls:
        raise UsageError(f"'{word}' is not one turn", hint="a number or an id, such as 14")
    return chosen.turns[0]


def numbers_of(frame: Frame, ids: Iterable[str]) -> list[int]:
    """The numbers of these turns, in order; ids that the frame does not have are passed over."""
    wanted = set(ids)
    return [number for number, turn in enumerate(frame.get("turns", []), 1) if turn["id"] in wanted]


def call_names(frame: Frame, calls: Iterable[tuple[str, str]]) -> list[str]:
    """The names (``14.3``) of these (turn, call) ids, in order."""
    wanted = set(calls)
    return [
        f"{number}.{at}"
        for number, turn in enumerate(frame.get("turns", []), 1)
        for at, call in enumerate(turn.get("calls", []), 1)
        if (turn["id"], call["id"]) in wanted
    ]


def spans(numbers: Sequence[int]) -> str:
    """Sorted numbers as a person writes them: ``3, 14, 22-30``."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def named_turns(numbers: Sequence[int]) -> str:
    """``turn 3`` or ``turns 3, 14, 22-30``."""
    return f"turn{'' if len(numbers) == 1 else 's'} {spans(numbers)}"
