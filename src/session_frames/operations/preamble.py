"""What a reader of the context has to know before the turns: what people said that turns are, what was taken back,
and where the record and the words disagree, so that the user is asked and nothing overruled passes for standing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast

from session_frames.model import Annotation, Frame, Turn
from session_frames.operations.context_view import entries
from session_frames.operations.extract import Withdrawal
from session_frames.operations.fence import line_shown
from session_frames.operations.threads import turns_of_thread
from session_frames.operations.turn_names import named_turns, spans

# What is said of the turns of each annotation, in this order; the numbers follow.
SENTENCES: Final[Mapping[Annotation, str]] = {
    "key-constraint": "These turns hold throughout",
    "overruled": "The following earlier decisions were overruled",
    "dead-end": "Tried and given up, not to be tried again",
    "in-progress": "Begun and not finished",
    "resolved": "Settled, nothing is left to do",
}
_LONGEST_WORDS: Final = 120
_NO_LONGER: Final = ("overruled", "rejected")


def preamble(frame: Frame) -> list[str]:
    """The annotated turns of the current thread by what they are, with the notes; nothing where none is annotated."""
    found: dict[str, list[tuple[int, Turn]]] = {}
    for place in turns_of_thread(frame):
        turn = frame["turns"][place]
        if turn.get("annotation"):
            found.setdefault(turn["annotation"], []).append((place + 1, turn))
    lines = []
    for annotation, sentence in SENTENCES.items():
        turns = found.get(annotation, [])
        if turns:
            lines.append(f"{sentence}: {named_turns([number for number, _ in turns])}")
            lines += _noted(turns)
    return lines


def _noted(turns: Sequence[tuple[int, Turn]]) -> Iterator[str]:
    """What was noted, once for the turns that share it, beside the user's words; and what the user said that fell."""
    by_note: dict[str, list[tuple[int, Turn]]] = {}
    for number, turn in turns:
        by_note.setdefault(turn.get("note", ""), []).append((number, turn))
    for note, noted in by_note.items():
        said = [
            _quoted(turn.get("text", ""))
            for _, turn in noted
            if turn["role"] == "user" and (note or turn.get("annotation") == "overruled")
        ]
        words = f", the user said {', '.join(said)}" if said else ""
        why = f": {line_shown(note)}" if note else ""
        if words or why:
            yield f"  {named_turns([number for number, _ in noted])}{words}{why}"


def withdrawal_of(frame: Frame, item: Mapping[str, Any], taken_back: Sequence[Withdrawal]) -> str:
    """How an item that no longer holds was taken back: in whose words, by which decision; "" where nobody knows.

    ``taken_back`` is what ``extract.withdrawals`` finds in the frame.
    """
    numbers = {turn["id"]: number for number, turn in enumerate(frame.get("turns", []), 1)}
    for decision in frame.get("decisions", []):
        if decision.get("supersedes") == item["id"]:
            return f"replaced by “{line_shown(decision['text'])}”"
    cited = [one["turn"] for one in item.get("evidence", [])]
    for turn in frame.get("turns", []):
        if turn["id"] in cited and turn.get("annotation") == "overruled" and turn.get("note"):
            return f"taken back: {line_shown(turn['note'])}"
    for one in taken_back:
        if {*one.turns, *one.partly} & set(cited):
            return _took_back(one, numbers)
    later = item.get("evidence", [])[1:]
    return f"then, turn {numbers.get(later[-1]['turn'], '?')}: {_quoted(later[-1]['quote'])}" if later else ""


def _took_back(one: Withdrawal, numbers: Mapping[str, int]) -> str:
    return f"taken back in turn {numbers.get(one.words['turn'], '?')}: {_quoted(one.words['quote'])}"


def _quoted(text: str) -> str:
    line = line_shown(text)
    return f"“{line}”" if len(line) <= _LONGEST_WORDS else f"“{line[:_LONGEST_WORDS]}…”"


def contradictions(frame: Frame, taken_back: Sequence[Withdrawal]) -> list[str]:
    """Where what is recorded and the user's own words disagree, each as a question to the user."""
    return [
        *_withdrawn_but_standing(frame, taken_back),
        *_replaced_but_standing(frame),
        *_standing_in_a_summary(frame, taken_back),
    ]


def _items(frame: Frame) -> Iterator[dict[str, Any]]:
    for key in ("decisions", "constraints"):
        yield from cast(dict[str, Any], frame).get(key, [])


def _withdrawn_but_standing(frame: Frame, taken_back: Sequence[Withdrawal]) -> Iterator[str]:
    standing = [item for item in _items(frame) if item["status"] == "accepted" and item.get("evidence")]
    numbers = {turn["id"]: number for number, turn in enumerate(frame.get("turns", []), 1)}
    for one in taken_back:
        for item in standing:
            cited = {evidence["turn"] for evidence in item["evidence"]}
            if cited <= set(one.turns):
                how = _took_back(one, numbers)
                yield f"“{line_shown(item['text'])}” is recorded as decided, but {how}. Does it hold?"


def _replaced_but_standing(frame: Frame) -> Iterator[str]:
    by_id = {item["id"]: item for item in _items(frame)}
    for item in _items(frame):
        old = by_id.get(item.get("supersedes", ""))
        if old and old["status"] == item["status"] == "accepted":
            yield f"“{line_shown(item['text'])}” replaces “{line_shown(old['text'])}”, and both stand. Which holds?"


def _standing_in_a_summary(frame: Frame, taken_back: Sequence[Withdrawal]) -> Iterator[str]:
    fallen = [item for item in _items(frame) if item["status"] in _NO_LONGER]
    for entry in entries(frame) if fallen else []:
        if entry.kind != "summary":
            continue
        lines = [" ".join(line.split()).casefold() for line in entry.text.splitlines()]
        for item in fallen:
            text = " ".join(item["text"].split()).casefold()
            if any(text in line and not any(word in line for word in _NO_LONGER) for line in lines):
                how = withdrawal_of(frame, item, taken_back) or f"it is recorded as {item['status']}"
                yield (
                    f"the summary of turns {spans(entry.numbers)} says “{line_shown(item['text'])}”, but {how}. "
                    "Does it hold?"
                )
