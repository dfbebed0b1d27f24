"""The filters of ``frames log`` itself: which of the commits that git would show have a frame that passes them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from session_frames.errors import UsageError
from session_frames.operations.summary import Summary
from session_frames.storage.commit_links import commits_of_frames, known_frames
from session_frames.storage.quick_look import LOG_FILTERS
from session_frames.workspace.core import Workspace

# What git can't do with a list of commits in place of a history, and why.
_REFUSED: Final[Mapping[str, str]] = {
    "--graph": "a list of commits has no lines to draw",
    "-L": "lines are followed through a whole history",
    "-g": "the reflog is walked in place of the history",
    "--walk-reflogs": "the reflog is walked in place of the history",
    "--stdin": "the list of commits is read from there",
}

# Options that say which history is walked, and how. The list is what came of it, so they are not said again.
_WALKS: Final = (
    "--all", "--branches", "--tags", "--remotes", "--glob", "--exclude", "--not", "--reflog", "--reverse",
    "--topo-order", "--date-order", "--author-date-order", "--ancestry-path", "--boundary", "--left-right",
    "--left-only", "--right-only", "--cherry", "--cherry-pick", "--cherry-mark", "--simplify-by-decoration",
    "--full-history",
    "--simplify-merges", "--sparse", "--dense", "--no-walk", "--do-walk", "--merge", "--bisect", "--ignore-missing",
)  # fmt: skip

# Options whose value may be an argument of its own, which is then no revision and no path.
_WITH_VALUE: Final = (
    "-S", "-G", "-O", "-l", "--author", "--committer", "--grep", "--since", "--after", "--until", "--before", "--date",
    "--encoding", "--diff-filter", "--glob", "--exclude", "--decorate-refs", "--decorate-refs-exclude",
)  # fmt: skip

# Options that say how many commits are shown: they count those that pass.
_COUNTS: Final[Mapping[str, str]] = {"-n": "most", "--max-count": "most", "--skip": "skip"}
_SHORT_COUNT = re.compile(r"-n?(\d+)")

_PASSES: Final[Mapping[str, Callable[[Summary, str], bool]]] = {
    "--frame": lambda summary, frame_id: summary["id"] == frame_id,
    "--topic": lambda summary, text: text.casefold() in summary["topic"].casefold(),
    "--agent": lambda summary, name: summary["agent"].casefold() == name.casefold(),
    "--decision": lambda summary, text: any(text.casefold() in one.casefold() for one in summary["decisions"]),
}


class Chosen(NamedTuple):
    """The commits to be shown, in order, and the arguments for ``git log --stdin`` that say how."""

    commits: list[str]
    args: list[str]

    def stdin(self) -> bytes:
        """The list as git reads it."""
        return "".join(f"{commit}\n" for commit in self.commits).encode("ascii")


class _Arguments(NamedTuple):
    """The arguments, told apart; ``how`` leaves out of ``options`` what says which history is walked."""

    filters: list[tuple[str, str]]
    options: list[str]
    how: list[str]
    paths: list[str]
    counts: dict[str, int]


def has_filters(args: Sequence[str]) -> bool:
    """Is one of the arguments before the paths a filter?"""
    before = args[: args.index("--")] if "--" in args else args
    return any(arg.partition("=")[0] in LOG_FILTERS for arg in before)


def choose(ws: Workspace, args: Sequence[str]) -> Chosen:
    """The commits that ``git log`` would show with the other arguments and that have a frame which passes every filter.

    ``GitError`` where git does not understand the others.
    """
    told = _told_apart(ws, args)
    commits = _linked_commits(ws, told.filters)
    steady = ("--no-color", "--no-patch", "--no-show-signature", "--no-notes", "-z", "--format=%H")
    with ws.repo.stream("log", *told.options, *steady, "--", *told.paths, cwd=ws.cwd) as output:
        shown = (field.strip().decode("ascii", "replace") for field in output.read().split(b"\0"))
        kept = [commit for commit in shown if commit in commits]
    skip = told.counts.get("skip", 0)
    most = told.counts.get("most", len(kept))
    return Chosen(kept[skip : skip + most], ["--no-walk=unsorted", "--stdin", *told.how, "--", *told.paths])


def _linked_commits(ws: Workspace, filters: Sequence[tuple[str, str]]) -> set[str]:
    from session_frames.workspace.catalog import get_entry

    meant = [(name, get_entry(ws, value).summary["id"] if name == "--frame" else value) for name, value in filters]
    passing = [
        frame
        for frame, summary in known_frames(ws.index, in_history=False).items()
        if all(_PASSES[name](summary, value) for name, value in meant)
    ]
    return commits_of_frames(ws.index, passing)


# ---------------------------------------------------------------------------------------------------------------------
# The arguments


def _told_apart(ws: Workspace, args: Sequence[str]) -> _Arguments:
    at = list(args).index("--") if "--" in args else len(args)
    told = _Arguments([], [], [], list(args[at + 1 :]), {})
    dashes = at < len(args)
    words = iter(args[:at])
    for word in words:
        name, equals, value = word.partition("=")
        _refuse(name)
        short = _SHORT_COUNT.fullmatch(word)
        if name in LOG_FILTERS:
            told.filters.append((name, value if equals else _value(words, name)))
        elif short:
            told.counts["most"] = int(short[1])
        elif name in _COUNTS:
            told.counts[_COUNTS[name]] = _number(name, value if equals else _value(words, name))
        else:
            is_path = not word.startswith("-") and not dashes and os.path.lexists(os.path.join(ws.cwd, word))
            if is_path:
                told.paths.append(word)
            else:
                _add(told, word, words)
    return told


def _add(told: _Arguments, word: str, words: Iterator[str]) -> None:
    """An option or revision of git, with its value where that is an argument of its own."""
    whole = [word, _value(words, word)] if word in _WITH_VALUE else [word]
    told.options.extend(whole)
    if word.startswith("-") and word.partition("=")[0] not in _WALKS:
        told.how.extend(whole)


def _refuse(name: str) -> None:
    refused = next((one for one in _REFUSED if name == one or (one == "-L" and name.startswith(one))), None)
    if refused:
        raise UsageError(f"'{refused}' does not go with {', '.join(LOG_FILTERS)}: {_REFUSED[refused]}")


def _value(words: Iterator[str], name: str) -> str:
    value = next(words, None)
    if value is None:
        raise UsageError(f"'{name}' needs a value")
    return value


def _number(name: str, value: str) -> int:
    if not value.isdigit():
        raise UsageError(f"'{name}' needs a number, not '{value}'")
    return int(value)
