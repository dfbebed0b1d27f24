"""Which lines a call added: from replacements, whole-file writes, unified diffs and apply_patch texts."""

from __future__ import annotations

from difflib import SequenceMatcher

from session_frames.model import Change
from session_frames.transcripts.base import Edit

Runs = tuple[tuple[str, ...], ...]


def lines_of(text: str) -> list[str]:
    """The lines of a text, split on ``\\n`` only, without a trailing empty one."""
    lines = text.split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    return lines


def added_by_writing(text: str) -> Runs:
    """The runs of a whole new file: all its lines."""
    lines = tuple(lines_of(text))
    return (lines,) if lines else ()


def added_by_replacing(old: str, new: str) -> Runs:
    """The runs of lines in ``new`` that ``old`` does not have at that place.

    Both are parts of a file: a line end that only the new text has at its end makes one line more, an empty one.
    """
    before, after = _without_common_ends(old.split("\n"), new.split("\n"))
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    return tuple(
        tuple(after[b1:b2]) for tag, _, _, b1, b2 in matcher.get_opcodes() if tag in ("insert", "replace") and b2 > b1
    )


def _without_common_ends(before: list[str], after: list[str]) -> tuple[list[str], list[str]]:
    """Both without the lines that they begin and end with in common: comparing the rest is much cheaper."""
    shorter = min(len(before), len(after))
    start = 0
    while start < shorter and before[start] == after[start]:
        start += 1
    end = 0
    while end < shorter - start and before[-1 - end] == after[-1 - end]:
        end += 1
    return before[start : len(before) - end], after[start : len(after) - end]


def added_by_hunk_lines(lines: list[str]) -> Runs:
    """The runs of ``+`` lines of diff hunks; any other line ends a run. Heads (``---``, ``+++``) are none."""
    runs: list[tuple[str, ...]] = []
    run: list[str] = []
    previous = ""
    for line in [*lines, ""]:
        in_head = line.startswith("+++ ") and previous.startswith("--- ")
        previous = line
        if line.startswith("+") and not in_head:
            run.append(line[1:])
        elif line.startswith("-"):
            continue
        elif run:
            runs.append(tuple(run))
            run = []
    return tuple(runs)


_FILE_HEADS: dict[str, Change] = {
    "*** Add File: ": "added",
    "*** Update File: ": "modified",
    "*** Delete File: ": "deleted",
}


def edits_of_patch(patch: str) -> tuple[Edit, ...]:
    """The files of an ``apply_patch`` text (``*** Begin Patch`` … ``*** End Patch``), in order."""
    edits: list[Edit] = []
    path, old_path, body = "", "", list[str]()
    change: Change = "modified"

    def close() -> None:
        if path:
            added = added_by_hunk_lines(body) if change != "deleted" else ()
            edits.append(Edit(path, change, old_path, added))

    for line in patch.replace("\r\n", "\n").split("\n"):
        head = next((head for head in _FILE_HEADS if line.startswith(head)), None)
        if head is not None:
            close()
            path, old_path, change, body = line[len(head) :].strip(), "", _FILE_HEADS[head], []
        elif line.startswith("*** Move to: "):
            old_path, path, change = path, line[len("*** Move to: ") :].strip(), "renamed"
        elif line.startswith("*** End Patch"):
            close()
            path, body = "", []
        else:
            body.append(line)
    close()
    return tuple(edits)
