"""Short sessions by situation, one a file; those under ``held_out`` had no part in writing the rules.

A file holds what was said (``u:`` the user, ``a:`` the agent); ``=`` what is found in it, as ``kind status by: words``
or only the end of that, where a rule in an answer may as well be a decision; ``!`` words that must not come out as
something the user settled; and ``~`` the numbers of the turns that the user took back. What is told that is not so
fails for all of them; what is found of those held out is counted and printed (``pytest -s``).
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from session_frames.model import Turn
from session_frames.operations.extract import extract, quote_stands, withdrawn_turns

FOLDER = Path(__file__).parent / "sessions"
FILES = sorted(FOLDER.rglob("*.txt"))
LANGUAGES = ("en", "ko", "ja")
ROLES = {"u": "user", "a": "agent"}
KINDS = {
    "decision": "decisions",
    "constraint": "constraints",
    "question": "open_questions",
    "step": "next_steps",
}
HELD_OUT_FLOOR = 0.5


class Session(NamedTuple):
    turns: list[Turn]
    finds: list[str]
    never: list[str]
    withdrawn: list[str]


def read(path: Path) -> Session:
    session = Session([], [], [], [])
    for line in path.read_text(encoding="utf-8").splitlines():
        mark, text = line[:1], line[1:].lstrip(":").strip().replace("\\n", "\n")
        if mark in ROLES:
            number = len(session.turns) + 1
            session.turns.append({"id": f"t{number}", "role": ROLES[mark], "text": text})  # type: ignore[typeddict-item]
        elif mark == "~":
            session.withdrawn.extend(f"t{number}" for number in text.split())
        else:
            {"=": session.finds, "!": session.never}[mark].append(text)
    return session


def found_in(session: Session) -> list[tuple[str, str]]:
    """(kind, status and by; words) of every item."""
    extracted = extract(session.turns)
    return [
        (f"{kind} {item['status']} {item['by']}", item["text"])
        for kind, field in KINDS.items()
        for item in extracted[field]  # type: ignore[literal-required]
    ]


def missing(session: Session) -> list[str]:
    """What should be found and is not."""
    found = found_in(session)
    wanted = [(line, *line.split(": ", 1)) for line in session.finds]
    missed = [
        line for line, head, words in wanted if not any(told.endswith(head) and words in text for told, text in found)
    ]
    return missed + [f"withdrawn {turn}" for turn in session.withdrawn if turn not in taken_back(session)]


def wrongly_settled(session: Session) -> list[tuple[str, str]]:
    """(words that nobody settled, the item of the user that holds them)."""
    settled = [text for head, text in found_in(session) if head.endswith(" accepted user")]
    return [(words, text) for words in session.never for text in settled if words in text]


def taken_back(session: Session) -> list[str]:
    """The turns that the user took back."""
    return withdrawn_turns({"turns": session.turns})  # type: ignore[typeddict-item]


def named(path: Path) -> str:
    return str(path.relative_to(FOLDER).with_suffix(""))


@pytest.mark.parametrize("path", FILES, ids=named)
def test_nobody_is_said_to_have_settled_what_they_did_not(path: Path) -> None:
    assert wrongly_settled(read(path)) == []


@pytest.mark.parametrize("path", FILES, ids=named)
def test_no_turn_is_said_to_be_taken_back_that_was_not(path: Path) -> None:
    session = read(path)
    assert set(taken_back(session)) <= set(session.withdrawn)


@pytest.mark.parametrize("path", FILES, ids=named)
def test_each_item_rests_on_words_of_the_one_it_is_given_to(path: Path) -> None:
    session = read(path)
    roles = {turn["id"]: turn["role"] for turn in session.turns}
    extracted = extract(session.turns)
    for item in (*extracted["decisions"], *extracted["constraints"]):
        assert all(quote_stands(session.turns, evidence) for evidence in item["evidence"])
        assert roles[item["evidence"][0]["turn"]] == item["by"]


@pytest.mark.parametrize("path", [path for path in FILES if "held_out" not in path.parts], ids=named)
def test_what_is_found(path: Path) -> None:
    assert missing(read(path)) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_found_in_sessions_that_were_held_out(language: str) -> None:
    sessions = {path: read(path) for path in sorted((FOLDER / "held_out" / language).glob("*.txt"))}
    wanted = sum(len(session.finds) + len(session.withdrawn) for session in sessions.values())
    missed = {named(path): lines for path, session in sessions.items() if (lines := missing(session))}
    left = sum(map(len, missed.values()))
    print(f"\n{language}: {wanted - left} of {wanted} found; missed: {missed}")
    assert wanted - left >= HELD_OUT_FLOOR * wanted


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_are_enough_of_them(language: str) -> None:
    assert len(list((FOLDER / language).glob("*.txt"))) >= 20
    assert len(list((FOLDER / "held_out" / language).glob("*.txt"))) >= 20
