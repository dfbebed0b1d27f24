"""Summaries in a file: which turns each stands for, and what is wrong with a file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from session_frames.errors import FormatError
from session_frames.operations.summary_file import Section, parse_summaries, write_summaries


def test_sections_with_their_turns() -> None:
    text = "# Notes\n\n## 2-3\n원인은 첫 줄\n\n### and why\nso\n## turns 5-6, 8 ##\r\nlists\n## turn 9\n"
    assert parse_summaries(text, "s.md") == [
        Section((2, 3), "원인은 첫 줄\n\n### and why\nso"),
        Section((5, 6, 8), "lists"),
        Section((9,), ""),
    ]


def test_heading_in_a_code_block_is_text() -> None:
    text = "## 2\n````\n## 3\n```\n## 4\n````\nend"
    assert parse_summaries(text, "s.md") == [Section((2,), "````\n## 3\n```\n## 4\n````\nend")]


def test_other_headings_are_text() -> None:
    assert parse_summaries("## 2\n## Next steps\nnone", "s.md") == [Section((2,), "## Next steps\nnone")]


def test_file_without_headings_is_one_summary() -> None:
    assert parse_summaries("all of it\n", "s.md") == [Section((), "all of it")]
    assert parse_summaries(" \n", "s.md") == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("## 5-2\nx", "'s.md:1': '5-2' is no range of turns"),
        ("\n## 0\nx", "'s.md:2': '0' is no range of turns"),
        ("## 1-999999999\nx", "'s.md:1': '1-999999999' is no range of turns"),
        ("words\n## 2\nx", "'s.md': text before the first heading"),
        ("## 2-4\nx\n## 4\ny", "'s.md:3': turn 4 has a summary already, in line 1"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, message: str) -> None:
    with pytest.raises(FormatError) as told:
        parse_summaries(text, "s.md")
    assert told.value.message == message


@given(st.lists(st.tuples(st.sets(st.integers(1, 40), min_size=1), st.sampled_from(["a", "b\n\nc", "요약"]))))
def test_what_is_written_is_read_again(found: list[tuple[set[int], str]]) -> None:
    taken: set[int] = set()
    sections = []
    for numbers, text in found:
        if numbers - taken:
            sections.append(Section(tuple(sorted(numbers - taken)), text))
            taken |= numbers
    assert parse_summaries(write_summaries(sections), "s.md") == sections
