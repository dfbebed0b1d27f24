"""The runs of lines that a call added."""

from __future__ import annotations

import pytest

from session_frames.transcripts.base import Edit
from session_frames.transcripts.edits import (
    added_by_hunk_lines,
    added_by_replacing,
    added_by_writing,
    edits_of_patch,
    lines_of,
)


@pytest.mark.parametrize(
    ("text", "lines"),
    [("", []), ("\n", [""]), ("a\nb", ["a", "b"]), ("a\nb\n", ["a", "b"]), ("a\u2028b\x0cc\n", ["a\u2028b\x0cc"])],
)
def test_lines_end_with_line_feeds_only(text: str, lines: list[str]) -> None:
    assert lines_of(text) == lines


def test_a_whole_file_is_one_run() -> None:
    assert added_by_writing("a\nb\n") == (("a", "b"),)
    assert added_by_writing("") == ()


@pytest.mark.parametrize(
    ("old", "new", "runs"),
    [
        ("", "a\nb", (("a", "b"),)),
        ("a\nb", "a\nb", ()),
        ("a\nb\nc", "a\nX\nc", (("X",),)),
        ("a\nb\nc\nd", "X\na\nb\nY\nd", (("X",), ("Y",))),
        ("a\na\na", "a\na", ()),
        ("a\na", "a\na\na", (("a",),)),
        ("a\nb\nc", "c", ()),
        ("x", "x\nx", (("x",),)),
    ],
)
def test_only_what_the_old_text_lacks_is_added(old: str, new: str, runs: tuple[tuple[str, ...], ...]) -> None:
    assert added_by_replacing(old, new) == runs


def test_runs_of_hunks() -> None:
    diff = ["--- a/x", "+++ b/x", "@@ -1 +1 @@", "-old", "+new", "-more", "+newer", " same", "+++ counter;", "+last"]
    assert added_by_hunk_lines(diff) == (("new", "newer"), ("++ counter;", "last"))


def test_files_of_a_patch() -> None:
    patch = "\r\n".join(
        [
            "*** Begin Patch",
            "*** Update File: a",
            "*** Move to: b",
            "@@",
            "+1",
            " keep",
            "+2",
            "*** Delete File: c",
            "*** End Patch",
            "+ignored",
            "*** Begin Patch",
            "*** Add File: d",
            "+3",
        ]
    )
    assert edits_of_patch(patch) == (
        Edit("b", "renamed", "a", (("1",), ("2",))),
        Edit("c", "deleted"),
        Edit("d", "added", "", (("3",),)),
    )
