"""The user's words as they are carried into the next context: as they were written, and how they are to be read."""

from __future__ import annotations

from typing import Final

LONGEST_WORDS: Final = 1000

# Stands before words and summaries wherever both are given to a model.
READING_NOTES: Final = (
    "Words of the user are the original and settle what was said; summaries settle the present state; "
    "where they differ, ask."
)


def cut_in_the_middle(text: str, frame_id: str, number: int) -> str:
    """The text of a turn, whole up to 1,000 characters; of a longer one both ends, with how much is left out between
    them and where the whole is. Only what is shown is cut, never what is kept.
    """
    if len(text) <= LONGEST_WORDS:
        return text
    end = LONGEST_WORDS // 2
    whole = f"frames show {frame_id[:6]} --turns {number}"
    return f"{text[:end]}\n[… {len(text) - 2 * end} characters left out here; whole: {whole} …]\n{text[-end:]}"
