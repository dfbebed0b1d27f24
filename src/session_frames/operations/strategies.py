"""Which part of a context is given within a budget: by one of five strategies, or the one that fits size and use.

The user's words and pins are never cut to fit: a strategy that gives them and has no room for them says so. What is
given stands in the order of the session, the oldest first, so that the text of a grown frame begins as the older one
did and a cache of prompts holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, cast

from session_frames.errors import NotUnderstood
from session_frames.model import Frame
from session_frames.operations.context_view import Entry, is_pruned
from session_frames.operations.fence import fenced, line_shown, shown
from session_frames.operations.render import call_line, counted
from session_frames.operations.tokens import estimated_tokens
from session_frames.operations.verbatim import cut_in_the_middle

# Strategy -> what it gives.
MODES: Final[Mapping[str, str]] = {
    "auto": "the one that fits the size and the share that is used",
    "full": "all that is in context, the agent's oldest texts left out where the budget ends",
    "window": "the last turns, from one of the user on",
    "summary": "what holds, the summaries, and the user's words",
    "verbatim": "what holds, and every word of the user whole",
    "toc": "what holds, a line for each turn, and how to read it",
}

SMALL: Final = 16_000  # tokens; a prompt up to here is read again from the cache for less than one more request costs
NEARLY_ALL: Final = 2 / 3  # share of a context that is used; from here on reading on demand reads it all anyway
_RECENT = 6  # turns that the next one surely looks back to
_STEP = 4  # a window begins at every fourth turn of the user, so that its beginning rests while the session grows
_LONGEST_LINE = 80

Form = Literal["must", "may", "line", "no"]
# Strategies that leave something out by what they are, whatever the budget.
CHOOSY: Final = frozenset({"window", "summary", "verbatim"})
# Strategy -> how it gives turns of the user, summaries, and turns of the agent.
_FORMS: Mapping[str, tuple[Form, Form, Form]] = {
    "full": ("must", "may", "may"),
    "window": ("must", "may", "may"),
    "summary": ("must", "may", "no"),
    "verbatim": ("must", "no", "no"),
    "toc": ("line", "line", "line"),
}


class Choice(NamedTuple):
    """A strategy, and for one that was chosen by itself why: the size, the share used."""

    mode: str
    why: str = ""


class Piece(NamedTuple):
    """One entry as it is given."""

    entry: Entry
    text: str
    cost: int
    must: bool


class Fitted(NamedTuple):
    """What is given, in the order of the session, and the entries that are not."""

    pieces: list[Piece]
    left_out: list[Entry]


class OverBudget(NotUnderstood):
    """What may not be cut needs more than the budget holds; ``needed`` tokens."""

    def __init__(self, message: str, needed: int, *, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.needed = needed


def choose(frame: Frame, entries: Sequence[Entry], budget: int) -> Choice:
    """The strategy by two axes. One context where it is small or nearly all used: cached, it is cheap to read again and
    spares asking. A table of contents where it is large and little used.
    """
    size = sum(_piece(frame, entry, "may").cost for entry in entries)
    used = share_used(frame, entries)
    small = size <= SMALL
    what = "small" if small else "nearly all used" if used >= NEARLY_ALL else "large and little used"
    why = f"the context is {what}: {size:,} tokens, {used:.0%} of them used"
    if not small and used < NEARLY_ALL:
        return Choice("toc", why)
    if size <= budget * 3 // 4:
        return Choice("full", why)
    words = sum(piece.cost for piece in _offered(frame, entries, "summary").values() if piece.must)
    return Choice("summary" if words <= budget // 2 else "toc", f"{why}; whole it is over the budget")


def share_used(frame: Frame, entries: Sequence[Entry]) -> float:
    """The share of a context that the present state rests on: evidence of what holds or is open, pins, what is marked
    as holding or in progress, and the latest turns; 1 for an empty one.
    """
    cited = {
        evidence["turn"]
        for key in ("decisions", "constraints", "open_questions", "next_steps")
        for item in cast(dict[str, Any], frame).get(key, [])
        if item["status"] not in ("overruled", "rejected", "answered", "done")
        for evidence in item.get("evidence", [])
    }
    costs = [_piece(frame, entry, "may").cost for entry in entries]
    used = [
        cost
        for at, (entry, cost) in enumerate(zip(entries, costs, strict=True))
        if at >= len(entries) - _RECENT
        or entry.pinned
        or entry.annotation in ("key-constraint", "in-progress")
        or not cited.isdisjoint(entry.turns)
    ]
    return sum(used) / sum(costs) if entries else 1.0


def fit(frame: Frame, entries: Sequence[Entry], mode: str, room: int, window: int = 0) -> Fitted:
    """What a strategy gives within so many tokens; ``window`` is how many turns it keeps, 0 for what the room holds.

    ``OverBudget`` where pins and the user's words that the strategy gives need more by themselves.
    """
    begin = _window(frame, entries, window, room) if mode == "window" else 0
    offered = {at: piece for at, piece in _offered(frame, entries, mode).items() if at >= begin or piece.entry.pinned}
    given = {at: piece for at, piece in offered.items() if piece.must}
    needed = sum(piece.cost for piece in given.values())
    if needed > room:
        raise OverBudget(f"{_WHAT[mode]} need {needed:,} tokens, there is room for {max(room, 0):,}", needed)
    left = room - needed
    for at, piece in reversed(offered.items()):
        if at not in given:
            if piece.cost > left:
                break
            left -= piece.cost
            given[at] = piece
    return Fitted([given[at] for at in sorted(given)], [entry for at, entry in enumerate(entries) if at not in given])


_WHAT: Final[Mapping[str, str]] = {
    **dict.fromkeys(("full", "summary", "verbatim"), "the user's words and pins alone"),
    "window": "the user's last words and pins alone",
    "toc": "the user's last turn and pins alone",
}


def _offered(frame: Frame, entries: Sequence[Entry], mode: str) -> dict[int, Piece]:
    """The pieces that a strategy gives if there is room, by the place of their entry."""
    user, summary, agent = _FORMS[mode]
    forms = {"user": user, "summary": summary}
    last = {role: at for at, entry in enumerate(entries) for role in (entry.role,) if entry.text}
    whole = mode == "verbatim"
    offered: dict[int, Piece] = {}
    for at, entry in enumerate(entries):
        form = forms.get(entry.role, agent)
        if entry.pinned or (entry.role == "user" and form == "line" and last.get("user") == at):
            form = "must"
        elif entry.role == "agent" and form == "no" and mode == "summary" and last.get("agent") == at:
            form = "may"  # the present state
        if form != "no" and (entry.text or entry.calls):
            offered[at] = _piece(frame, entry, form, whole)
    return offered


def _window(frame: Frame, entries: Sequence[Entry], turns: int, room: int) -> int:
    """The place at which the window begins: at a turn of the user, if there is one."""
    begins = [at for at, entry in enumerate(entries) if entry.role == "user"]
    if not begins:
        return max(0, len(entries) - turns) if turns else 0
    if turns:
        return next((at for at in begins if at >= len(entries) - turns), begins[-1])
    costs = [_piece(frame, entry, "may").cost for entry in entries]
    fitting = [number for number, at in enumerate(begins) if sum(costs[at:]) <= room]
    if not fitting:
        return begins[-1]
    steady = next((number for number in fitting if number % _STEP == 0), fitting[0])
    return begins[steady] if fitting[0] else 0


# ---------------------------------------------------------------------------------------------------------------------
# An entry as text


def _piece(frame: Frame, entry: Entry, form: Form, whole: bool = False) -> Piece:
    text = _line(entry) if form == "line" else _words(frame, entry, whole)
    return Piece(entry, text, estimated_tokens(text) + 1, form == "must")


def _words(frame: Frame, entry: Entry, whole: bool) -> str:
    number = entry.numbers[0]
    text = entry.text
    if entry.role == "user" and not whole and not entry.pinned:
        text = cut_in_the_middle(text, frame["id"], number)
    pinned = ", pinned" if entry.pinned else ""
    mark = f", {entry.annotation}" if entry.annotation else ""
    lines = [f"{_who(entry)}{pinned}{mark}:"]
    if text:
        lines.append(fenced(shown(text)))
    lines += [f"  {number}.{at} {call_line(call)}" for at, call in enumerate(entry.calls, 1)]
    return "\n".join(lines)


def _who(entry: Entry) -> str:
    if entry.kind == "summary":
        return f"turns {hull(entry.numbers)}, summary"
    return f"turn {entry.numbers[0]}, {entry.role} said"


def _line(entry: Entry) -> str:
    words = line_shown(entry.text)
    words = words if len(words) <= _LONGEST_LINE else words[:_LONGEST_LINE].rstrip() + "…"
    marks = [entry.annotation, counted(len(entry.calls), "call") if entry.calls else "", f"{entry.tokens:,} tokens"]
    words = f"{words} " if words else ""
    return f"{hull(entry.numbers)} {entry.role}: {words}[{', '.join(filter(None, marks))}]"


def hull(numbers: Sequence[int]) -> str:
    """``3`` or ``3-9``: from the first to the last of these turns."""
    first, last = min(numbers), max(numbers)
    return str(first) if first == last else f"{first}-{last}"


# ---------------------------------------------------------------------------------------------------------------------
# What can be fetched


def fetch_lines(frame: Frame, left_out: Sequence[Entry]) -> list[str]:
    """How to read what is not given, a line each; never empty: the whole frame can always be read."""
    show = f"frames show {frame['id'][:6]}"
    groups: tuple[tuple[str, Callable[[Entry], bool]], ...] = (
        ("of the user", lambda entry: entry.role == "user"),
        ("of the agent", lambda entry: entry.role not in ("user", "summary")),
        ("that a summary stands for", lambda entry: entry.kind == "summary"),
    )
    lines = []
    for name, belongs in groups:
        entries = [entry for entry in left_out if belongs(entry)]
        numbers = [number for entry in entries for number in entry.numbers]
        if numbers:
            size = sum(entry.tokens for entry in entries)
            what = f"{counted(len(numbers), 'turn')} {name}, {size:,} tokens"
            lines.append(f"{show} --turns {hull(numbers)}  {what}")
    turns = frame.get("turns", [])
    out = [number for number, turn in enumerate(turns, 1) if is_pruned(turn)]
    if out:
        lines.append(f"{show} --turns {hull(out)}  {counted(len(out), 'turn')} pruned")
    replaced = [number for number, turn in enumerate(turns, 1) if turn.get("compacted")]
    if replaced:
        lines.append(f"{show} --turns {hull(replaced)}  {counted(len(replaced), 'turn')} compacted")
    lines.append(f"{show}  all {counted(len(turns), 'turn')}")
    return lines
