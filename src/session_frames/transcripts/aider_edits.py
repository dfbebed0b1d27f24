"""The edits that an answer of Aider proposes: which lines each file would get, whatever the edit format."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from session_frames.transcripts.edits import (
    Runs,
    added_by_hunk_lines,
    added_by_replacing,
    added_by_writing,
    edits_of_patch,
    lines_of,
)

_SEARCH = re.compile(r"<{5,9} SEARCH>?\s*\Z")
_DIVIDER = re.compile(r"={5,9}\s*\Z")
_REPLACE = re.compile(r">{5,9} REPLACE\s*\Z")
# Of the kinds of fences Aider takes one that the files do not hold.
_FENCE = re.compile(r"(`{3,}|</?(?:source|code|pre|codeblock|sourcecode)>)(.*)\Z")
_PATCH = "*** Begin Patch"
_NEW_SIDE = "+++ "
_LOOK_BACK = 3  # lines above a block among which its path may stand


class Proposal(NamedTuple):
    """What an answer would add to one file; ``path`` is "" where the answer does not say which."""

    path: str
    added: Runs


def proposals(answer: str) -> list[Proposal]:
    """The proposed edits of an answer: of its most exact form, replacements before diffs before whole files."""
    lines = lines_of(answer)
    for form in (_replacements, _patches, _diffs, _whole_files):
        if found := list(form(lines)):
            return found
    return []


def added_to(path: str, proposed: list[Proposal]) -> Runs:
    """The lines that the proposals add to a file, as far as they name it; a path may be told shorter or longer."""
    wanted = _plain(path)
    named = {_plain(proposal.path) for proposal in proposed}
    near = {told for told in named if told.endswith("/" + wanted) or wanted.endswith("/" + told)}
    fitting = named & {wanted} or near or (named if len(named) == 1 else set())
    return tuple(run for proposal in proposed if _plain(proposal.path) in fitting for run in proposal.added)


def _plain(path: str) -> str:
    return path.replace("\\", "/").removeprefix("./")


def _replacements(lines: list[str]) -> Iterator[Proposal]:
    """SEARCH/REPLACE blocks; one without a path of its own belongs to the file of the one before."""
    path = ""
    at = 0
    while at < len(lines):
        if not _SEARCH.match(lines[at]):
            at += 1
            continue
        path = _path_above(lines, at) or path
        old: list[str] = []
        new: list[str] = []
        side = old
        at += 1
        while at < len(lines) and not _REPLACE.match(lines[at]) and not _SEARCH.match(lines[at]):
            if side is old and _DIVIDER.match(lines[at]):
                side = new
            else:
                side.append(lines[at])
            at += 1
        if at < len(lines) and _REPLACE.match(lines[at]):
            yield Proposal(path, added_by_replacing(_text(old), _text(new)))
            at += 1


def _text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _path_above(lines: list[str], at: int) -> str:
    """The path in the lines right above a block, fences passed over."""
    for line in reversed(lines[max(0, at - _LOOK_BACK) : at]):
        if path := _path_in(line):
            return path
        if not _FENCE.match(line):
            break
    return ""


def _path_in(line: str) -> str:
    """The path that a line holds as a heading, as code or alone."""
    fence = _FENCE.match(line)
    if fence:
        after = fence[2].split(" ")[-1].strip()
        return after if "." in after or "/" in after else ""
    path = line.strip().rstrip(":").lstrip("#").strip().strip("`*")
    return path if path and len(path) < 512 and path != "..." else ""


def _patches(lines: list[str]) -> Iterator[Proposal]:
    if _PATCH in lines:
        for edit in edits_of_patch("\n".join(lines[lines.index(_PATCH) :])):
            yield Proposal(edit.path, edit.added)


def _fences(lines: list[str]) -> Iterator[tuple[str, str, list[str]]]:
    """(path above, language, content) of each fenced block that is closed."""
    opened: tuple[int, str, str] | None = None
    for at, line in enumerate(lines):
        fence = _FENCE.match(line)
        if fence is None:
            continue
        if opened is None:
            opened = (at, fence[1], fence[2].strip())
        elif fence[1] == opened[1].replace("<", "</") and not fence[2].strip():
            start, _, language = opened
            yield _path_above(lines, start), language, lines[start + 1 : at]
            opened = None


def _diffs(lines: list[str]) -> Iterator[Proposal]:
    """The files of unified diffs in fences."""
    for _, language, content in _fences(lines):
        if language != "diff":
            continue
        starts = [at for at, line in enumerate(content) if line.startswith(_NEW_SIDE)]
        for start, end in zip(starts, [*starts[1:], len(content)], strict=True):
            path = content[start].removeprefix(_NEW_SIDE).split("\t")[0].strip().removeprefix("b/")
            yield Proposal(path, added_by_hunk_lines(content[start + 1 : end]))


def _whole_files(lines: list[str]) -> Iterator[Proposal]:
    """Fenced blocks below a path: the file as it is to be."""
    for path, _, content in _fences(lines):
        if path:
            yield Proposal(path, added_by_writing(_text(content)))
