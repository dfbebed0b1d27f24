"""Aider: one Markdown history of many chats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import corpus
import pytest
from transcript_events import check_recorded, events_of, of, recorded_cases, words

from session_frames.operations.assemble import assemble_all
from session_frames.transcripts import aider, sniff_format
from session_frames.transcripts.aider_edits import Proposal, added_to, proposals
from session_frames.transcripts.base import (
    AgentText,
    Begins,
    Edit,
    Meta,
    NoConversation,
    ToolCall,
    ToolResult,
    Usage,
    UserWords,
)

CASES = [case for case in corpus.cases() if case[0] == "aider"]
START = "# aider chat started at 2025-03-04 05:06:07"
BANNER = "> Aider v0.86.2  \n> Main model: openai/gpt-5 with diff edit format  \n"


def chat(*parts: str, start: str = START) -> bytes:
    return "\n".join(("", start, "", BANNER, *parts, "")).encode()


def events(data: bytes) -> list[Any]:
    return events_of("aider", data)


@pytest.mark.parametrize("case", recorded_cases("aider"))
def test_recorded_words(case: str) -> None:
    check_recorded("aider", case)


def _sessions(found: list[Any]) -> list[tuple[str | None, list[str]]]:
    """(start as the history writes it, words) of each chat."""
    told: list[tuple[str | None, list[str]]] = []
    for event in found:
        if isinstance(event, Begins):
            told.append((None, []))
        elif isinstance(event, Meta) and event.name == "started":
            told[-1] = (event.value.replace("T", " "), told[-1][1])
        elif isinstance(event, UserWords):
            told[-1][1].append(event.text)
    return told


@pytest.mark.skipif(
    not CASES, reason="the corpus of recorded transcripts (../shared/corpus) is not beside this checkout"
)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case[1].name)
def test_each_turn_stands_in_its_chat(case: tuple[str, Path, Path]) -> None:
    expected = corpus.load(case[2])
    must = {entry["sha256"]: entry["session"] for entry in expected["must"]}
    either = {entry["sha256"] for entry in expected["either"]}
    told = _sessions(events(case[1].read_bytes()))
    counted = [(start, sum(corpus.sha(text) in must for text in said)) for start, said in told]
    wanted = [(one["start"], one["turns"]) for one in expected["sessions"]]
    # Words that are said again where they may be left out make a chat's count the larger one.
    repeated = bool(must.keys() & either)
    assert [start for start, _ in counted] == [start for start, _ in wanted]
    assert all(
        found == turns or (repeated and found > turns) for (_, found), (_, turns) in zip(counted, wanted, strict=True)
    )


# ---------------------------------------------------------------------------------------------------------------------
# Chats


def test_chats_are_sessions_with_their_time_version_and_model() -> None:
    found = events(
        chat("#### one  \n\nFirst.\n") + chat("#### two  \n\nSecond.\n", start=START.replace("05:06", "15:16"))
    )
    assert found == [
        Begins(),
        Meta("started", "2025-03-04T05:06:07"),
        Meta("agent_version", "0.86.2"),
        Meta("model", "openai/gpt-5"),
        UserWords("", "", "one"),
        AgentText("", "", "First."),
        Begins(),
        Meta("started", "2025-03-04T15:16:07"),
        Meta("agent_version", "0.86.2"),
        Meta("model", "openai/gpt-5"),
        UserWords("", "", "two"),
        AgentText("", "", "Second."),
    ]
    turns = [[turn["id"] for turn in one.turns] for one in assemble_all(found)]
    assert turns == [["u1", "a1"], ["u1", "a1"]]


def test_what_stands_above_the_first_heading_is_a_chat_of_its_own() -> None:
    found = events(b"#### before  \n\nYes.\n" + chat("#### after  \n\nNo.\n"))
    assert [(start, said) for start, said in _sessions(found)] == [
        (None, ["before"]),
        ("2025-03-04 05:06:07", ["after"]),
    ]


def test_of_a_chat_in_which_nobody_speaks_only_the_facts_are_told() -> None:
    found = events(chat("#### /exit  \n") + chat("#### hello  \n"))
    assert len(of(Begins, found)) == 2
    assert [bool(one.turns) for one in assemble_all(found)] == [False, True]
    assert not of(NoConversation, found)


@pytest.mark.parametrize("data", [b"", b"\n", chat(), chat("#### /add a.py  \n", "#### <blank>  \n")])
def test_a_history_without_prompts_and_answers_is_no_conversation(data: bytes) -> None:
    assert of(NoConversation, events(data)) == [NoConversation("no prompt and no answer in it")]


def test_old_names_of_the_model() -> None:
    lines = "> Models: claude-3 with diff edit format, weak model claude-h  \n> Model gpt-4 has hit a limit!  \n"
    found = events(f"{START}\n\n{lines}\n#### a  \n".encode())
    assert [event.value for event in of(Meta, found) if event.name == "model"] == ["claude-3"]


# ---------------------------------------------------------------------------------------------------------------------
# The person's words


def test_lines_that_follow_each_other_are_one_turn() -> None:
    found = events(chat("#### one  \n####   \n####   set in  \n", "#### two  \n"))
    assert words(found) == ["one\n\n  set in", "two"]


def test_a_heading_in_an_answer_is_told_by_its_missing_blanks() -> None:
    found = events(chat("#### do it  \n\nA plan:\n\n#### Step 1\n\n> quoted\n\nDone.\n"))
    assert words(found) == ["do it"]
    assert of(AgentText, found) == [AgentText("", "", "A plan:\n\n#### Step 1\n\n> quoted\n\nDone.")]


def test_without_blanks_a_heading_above_the_token_count_is_the_answers() -> None:
    text = "#### do it\n\nA plan:\n\n#### Step 1\n\nDone.\n\n> Tokens: 5 sent, 6 received.\n\n#### and then\n\nYes.\n"
    assert words(events(chat(text))) == ["do it", "and then"]


def test_without_blanks_and_counts_a_heading_goes_on_in_the_next_line() -> None:
    assert words(events(chat("#### do it\n\nA plan:\n\n#### Step 1\nFirst.\n\n#### and then\n\nYes.\n"))) == [
        "do it",
        "and then",
    ]


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("/add a.py b.py", []),
        ("/clear", []),
        ("/hel", []),
        ("/model gpt-5", []),
        ("/add/a/b.py", []),
        ("<blank>", []),
        ("/ask why?", [("/ask why?", "command")]),
        ("/run make test", [("/run make test", "command")]),
        ("!make test", [("!make test", "command")]),
        ("why?", [("why?", "typed")]),
    ],
)
def test_commands(typed: str, told: list[tuple[str, str]]) -> None:
    found = of(UserWords, events(chat(f"#### {typed}  \n")))
    assert [(event.text, event.origin) for event in found] == told


def test_the_words_of_a_command_are_logged_once_more() -> None:
    found = events(chat("#### /ask why?  \n", "#### why?  \n", "Because.\n", "#### why?  \n"))
    assert words(found) == ["/ask why?", "why?"]


def test_in_architect_mode_the_answer_is_no_prompt() -> None:
    answer = "Change the first function.\n\n> as the style guide says\n\n- Then the second one."
    echo = "".join(f"#### {line}  \n" for line in answer.split("\n"))
    found = events(chat("#### how?  \n", f"{answer}\n\n> Tokens: 10 sent, 20 received.  \n", echo, "Edited.\n"))
    assert words(found) == ["how?"]
    assert [event.text for event in of(AgentText, found)] == [answer, "Edited."]


def test_the_answer_without_its_thinking_is_an_echo_as_well() -> None:
    end = "Change the first function, then the second one, then both."
    found = events(chat("#### how?  \n", f"Thinking aloud.\n\n{end}\n", f"#### {end}  \n", "Edited.\n"))
    assert words(found) == ["how?"]


def test_a_short_word_of_the_answer_may_be_taken_up() -> None:
    assert words(events(chat("#### a or b?  \n", "My choice:\n\nb\n", "#### b  \n"))) == ["a or b?", "b"]


# ---------------------------------------------------------------------------------------------------------------------
# What the program prints


def test_output_of_several_lines_is_not_the_answer() -> None:
    found = events(chat("#### /map  \n> Files:\n\na.py:\n⋮\ndef f()  \n", "#### what is f?  \n\nA function.\n"))
    assert [event.text for event in of(AgentText, found)] == ["A function."]


def test_tokens() -> None:
    found = events(
        chat(
            "#### a  \n\nb\n",
            "> Tokens: 3.6k sent, 141 received. Cost: $0.01 message, $0.01 session.  ",
            "> Tokens: 10,332 sent, 1.5k cache write, 2M cache hit, 439 received.  ",
            "> Tokens: , sent, 1.1.1 received.  ",
        )
    )
    assert of(Usage, found) == [
        Usage("tokens:1", input=3600, output=141),
        Usage("tokens:2", input=10332, output=439, cache_read=2000000, cache_write=1500),
        Usage("tokens:3"),
    ]


BLOCK = "src/a.py\n```python\n<<<<<<< SEARCH\nold\nsame\n=======\nnew\nsame\n>>>>>>> REPLACE\n```\n"


def test_an_applied_edit_is_a_call_with_the_lines_that_the_answer_adds() -> None:
    found = events(chat("#### a  \n", BLOCK, "> Applied edit to src/a.py  \n> Applied edit to src/a.py  \n"))
    assert of(ToolCall, found) == [
        ToolCall("", "", "edit:1", "edit", {"path": "src/a.py"}, (Edit("src/a.py", "modified", "", (("new",),)),))
    ]
    assert of(ToolResult, found) == [ToolResult("edit:1", "", "Applied edit to src/a.py", "passed")]


def test_an_edit_that_was_not_applied_is_no_call() -> None:
    assert of(ToolCall, events(chat("#### a  \n", BLOCK, "> Skipping edits to src/a.py  \n"))) == []


@pytest.mark.parametrize(
    "printed",
    ["> Creating empty file src/a.py  \n", "> src/a.py  \n> Create new file? (Y)es/(N)o [Yes]: y  \n"],
)
def test_a_created_file_is_added(printed: str) -> None:
    found = events(chat("#### a  \n", BLOCK, printed + "> Applied edit to src/a.py  \n", "#### b  \n", BLOCK))
    assert [call.edits[0].change for call in of(ToolCall, found)] == ["added"]


def test_each_answer_has_its_own_edits() -> None:
    again = BLOCK.replace("new", "newer")
    applied = "> Applied edit to src/a.py  \n"
    found = events(chat("#### a  \n", BLOCK, applied, again, applied, "#### b  \n", "No edit.\n", applied))
    assert [call.edits[0].added for call in of(ToolCall, found)] == [(("new",),), (("newer",),), ()]


@pytest.mark.parametrize(
    ("answer", "proposed"),
    [
        (BLOCK, [Proposal("src/a.py", (("new",),))]),
        (BLOCK.replace("```python", "<source>python").replace("```", "</source>"), [Proposal("src/a.py", (("new",),))]),
        (BLOCK.replace("src/a.py\n```python", "```python src/a.py"), [Proposal("src/a.py", (("new",),))]),
        (BLOCK.replace("src/a.py", "**`src/a.py`**:"), [Proposal("src/a.py", (("new",),))]),
        (BLOCK * 2, [Proposal("src/a.py", (("new",),))] * 2),
        (
            BLOCK.replace("```\n", "\n") + "<<<<<<< SEARCH\n=======\nmore\n>>>>>>> REPLACE\n",
            [Proposal("src/a.py", (("new",),)), Proposal("src/a.py", (("more",),))],
        ),
        ("```diff\n--- a.py\n+++ b.py\n@@ @@\n-old\n+new\n same\n```\n", [Proposal("b.py", (("new",),))]),
        ("a.py\n```\none\ntwo\n```\n", [Proposal("a.py", (("one", "two"),))]),
        (
            "*** Begin Patch\n*** Add File: a.py\n+one\n*** End Patch\n",
            [Proposal("a.py", (("one",),))],
        ),
        ("<<<<<<< SEARCH\nold\n=======\nnever ends\n", []),
        ("Only words.", []),
    ],
)
def test_proposals(answer: str, proposed: list[Proposal]) -> None:
    assert proposals(answer) == proposed


def test_paths_may_be_told_shorter_or_with_other_slashes() -> None:
    a, b = Proposal("src/a.py", (("a",),)), Proposal("b.py", (("b",),))
    assert added_to("src\\a.py", [a, b]) == (("a",),)
    assert added_to("lib/b.py", [a, b]) == (("b",),)
    assert added_to("c.py", [a, b]) == ()
    assert added_to("c.py", [a]) == (("a",),)


# ---------------------------------------------------------------------------------------------------------------------
# Finding and knowing


def test_places() -> None:
    assert aider.find("/home/someone", {}) == ["{top}/.aider.chat.history.md", "{top}/*/.aider.chat.history.md"]


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (f"\n\n{START}\n\n", "aider"),
        (f"\ufeff{START}\r\n", "aider"),
        (f"#### before  \n\nYes.\n\n{START}\n\n", "aider"),
        (f"# How a history looks\n\n```\n{START}\n```\n", None),
        (f"# How a history looks\n\n{START}\n\n", None),
        ("#### only a heading\n\n> and a quotation\n", None),
        ("# aider chat started at noon\n", None),
        ("# A project\n\nWhat it does.\n", None),
    ],
)
def test_sniff(head: str, name: str | None) -> None:
    assert sniff_format(head.encode()) == name
