"""What is said of its frames under a commit: the text of the note that git prints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from session_frames.operations.summary import Summary

IN_TREE: Final = "in-tree"
TRAILER: Final = "trailer"

_MOST_FRAMES = 5
_MOST_RANGES = 4
_WIDTH = 200  # display columns of one line

# What a terminal would obey instead of showing it: C0, C1, marks of direction, half characters. Breaks become blanks.
_BREAKS = "\t\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029"
_OBEYED = [(0x00, 0x1F), (0x7F, 0x9F), (0x61C, 0x61C), (0x200E, 0x200F), (0x202A, 0x202E), (0x2066, 0x2069)]
_HALVES = (0xD800, 0xDFFF)
_SHOWN = {code: "\ufffd" for first, last in [*_OBEYED, _HALVES] for code in range(first, last + 1)}
_SHOWN.update(dict.fromkeys(map(ord, _BREAKS), " "))

# Numbers of turns, both ends included.
Ranges = tuple[tuple[int, int], ...]


class Noted(NamedTuple):
    """A frame under a commit: what joins the two, where the commit holds it, which turns are new in it."""

    kind: str
    frame_id: str
    path: str
    new_turns: Ranges
    summary: Summary


def ranges_of(numbers: Iterable[int]) -> Ranges:
    """Ascending numbers as ranges, both ends included."""
    ranges: list[tuple[int, int]] = []
    for number in numbers:
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1] = ranges[-1][0], number
        else:
            ranges.append((number, number))
    return tuple(ranges)


def note_text(frames: Sequence[Noted]) -> str:
    """The note of one commit: four lines for each frame, what is empty left out; at most five frames.

    A frame that came with the commit is named by its file, any other by its id and the kind of its link, such as
    ``Frame: ID (inferred)``.
    """
    blocks = ["\n".join(_frame_lines(noted)) for noted in frames[:_MOST_FRAMES]]
    more = len(frames) - _MOST_FRAMES
    if more > 0:
        blocks.append(f"… and {more} more {'frame' if more == 1 else 'frames'}")
    return "\n\n".join(blocks) + "\n"


def _frame_lines(link: Noted) -> Iterable[str]:
    summary = link.summary
    yield shown(link.path) if link.kind == IN_TREE else f"Frame: {link.frame_id} ({link.kind})"
    turns = f"Turns: {summary['turns']}" + (f" ({_range_words(link.new_turns)} new)" if link.new_turns else "")
    cached = f", {summary['cached']} cached" if summary["cached"] else ""
    calls = f"Tool calls: {summary['tool_calls']}{cached}" if summary["tool_calls"] or cached else ""
    topic = f"Topic: {_cut(shown(summary['topic']), _WIDTH)}" if summary["topic"] else ""
    yield " | ".join(filter(None, (topic, turns, calls)))
    for label, texts in (("Key decisions", summary["decisions"]), ("Open at close", summary["open_questions"])):
        if texts:
            yield f"{label}: {_listed(texts)}"


def _range_words(ranges: Ranges) -> str:
    words = [str(first) if first == last else f"{first}-{last}" for first, last in ranges[:_MOST_RANGES]]
    return ", ".join(words + ["…"] * (len(ranges) > _MOST_RANGES))


def _listed(texts: Sequence[str]) -> str:
    """The texts side by side as far as one line holds them, then how many are left out."""
    line = _cut(shown(texts[0]), _WIDTH)
    taken = 1
    for text in texts[1:]:
        longer = f"{line}; {shown(text)}"
        if display_width(longer) > _WIDTH:
            break
        line, taken = longer, taken + 1
    left = len(texts) - taken
    return f"{line}; … (+{left})" if left else line


def shown(text: str) -> str:
    """The text on one line, with nothing in it that a terminal obeys."""
    return " ".join(text.translate(_SHOWN).split())


def display_width(text: str) -> int:
    """How many columns of a terminal the text takes: wide characters two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    import unicodedata  # only for texts that are not ASCII

    if unicodedata.east_asian_width(character) in "WF":
        return 2
    return 0 if unicodedata.combining(character) else 1


def _cut(text: str, width: int) -> str:
    if display_width(text) <= width:
        return text
    taken = 0
    for at, character in enumerate(text):
        taken += _columns(character)
        if taken > width - 1:
            return text[:at].rstrip() + "…"
    return text
