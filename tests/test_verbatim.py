"""The user's words in what a model is given: whole, or cut in the middle with the count and where the whole is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from session_frames.operations.verbatim import READING_NOTES, cut_in_the_middle


def test_short_words_are_whole() -> None:
    words = "한" * 1000
    assert cut_in_the_middle(words, "abcdef012345", 3) is words


def test_long_words_are_cut_in_the_middle_with_count_and_place() -> None:
    words = "a" * 500 + "字" * 41 + "z" * 500
    assert cut_in_the_middle(words, "abcdef012345", 3) == (
        "a" * 500 + "\n[… 41 characters left out here; whole: frames show abcdef --turns 3 …]\n" + "z" * 500
    )


@given(st.text(min_size=1001, max_size=1500))
def test_both_ends_stay_and_the_count_is_true(words: str) -> None:
    shown = cut_in_the_middle(words, "abcdef012345", 1)
    assert shown.startswith(words[:500])
    assert shown.endswith(words[-500:])
    assert f"[… {len(words) - 1000} characters left out here" in shown


def test_reading_notes_say_what_settles_what() -> None:
    assert "the original and settle what was said" in READING_NOTES
    assert "summaries settle the present state" in READING_NOTES
    assert "where they differ, ask" in READING_NOTES
