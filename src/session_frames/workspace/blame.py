"""git's blame of a file, with the frame, the turn and the call that wrote each line."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Final, NamedTuple, TypedDict

from session_frames.errors import GitError, UsageError
from session_frames.operations.anchors import line_anchors
from session_frames.operations.attribution import TELLING_LINES_OF_A_STRANGER, FrameRuns, Writer, Writings, is_telling
from session_frames.storage.commit_links import IN_TREE, INFERRED, Link, links_of, refresh
from session_frames.storage.patches import unquoted
from session_frames.storage.written_lines import (
    NEVER_TOO_OLD,
    Author,
    Gathered,
    anchors_of_path,
    authors_of_frames,
    load_runs,
    renew_authors,
)
from session_frames.workspace.core import Workspace

# A call is told by the lines around a line, also by those that were not asked for.
_AROUND: Final = 100
_LAST_LINE: Final = 1_000_000_000

# No other word at the beginning of a line of the porcelain format is as long.
_SHORTEST_ID: Final = 40


# What git says of a file or lines that are not there.
_ASKED_WRONGLY = re.compile(r"no such path|cannot stat path|has only \d+ lines?|is outside repository")


class BlamedLine(TypedDict):
    """One line of ``frames blame``; ``frame``, ``turn`` and ``call`` are empty where nothing certain is known."""

    commit: str
    line: int
    author: str
    date: str
    text: str
    frame: str
    topic: str
    turn: str
    call: str
    link: str


class Traced(NamedTuple):
    """A line of a file: its commit with what git says of it, the link that it comes from, where the frame of that is
    read (None where it can't be), and who wrote the line.

    A link without a writer is that of the only frame of the commit: it is not known to have written this line.
    """

    commit: str
    line: int
    text: str
    facts: dict[str, str]
    link: Link | None
    source: Author | None
    writer: Writer | None


class _Blamed(NamedTuple):
    commit: str
    path: str
    original: int
    final: int
    text: str


class _Source(NamedTuple):
    """What the lines of a commit are compared with, and the links by which its frames are joined to it."""

    writings: Writings
    needed: int
    links: dict[str, Link]


class _Known(NamedTuple):
    """Where frames are read and what they wrote here, by their blob, and those that are not linked to the commits but
    wrote such lines in this file.
    """

    sources: dict[str, Author]
    runs: dict[str, FrameRuns]
    strangers: list[Author]


def blame(
    ws: Workspace, file: str, revision: str = "", lines: Sequence[str] = (), said: bytes | None = None
) -> Iterator[BlamedLine]:
    """git's blame of a file, with the frame of each line's commit and the turn and call that wrote the line.

    ``said`` is what ``git blame --porcelain`` says of it, where it was asked already.
    """
    found = trace(ws, file, revision, lines, said)
    topics = ws.index.summaries({one.link.blob for one in found if one.source and one.link})
    for traced in found:
        yield BlamedLine(
            commit=traced.commit,
            line=traced.line,
            author=traced.facts.get("author", ""),
            date=iso_date(traced.facts.get("author-time", ""), traced.facts.get("author-tz", "+0000")),
            text=traced.text,
            frame=traced.link.frame_id if traced.link else "",
            topic=topics[traced.link.blob]["topic"] if traced.source and traced.link else "",
            turn=str(traced.writer.turn) if traced.writer else "",
            call=traced.writer.address() if traced.writer else "",
            link=traced.link.kind if traced.link else "",
        )


def trace(
    ws: Workspace, file: str, revision: str = "", spans: Sequence[str] = (), said: bytes | None = None
) -> list[Traced]:
    """The lines of a file, or those of some ``spans`` (``A,B`` as git takes them), and where each comes from."""
    path = ws.store.relative(file, ws.cwd) if ws.repo.top else file
    if path is None:
        raise UsageError(f"'{file}' lies outside of this repository")
    wanted = [_range(span) for span in spans]
    at = [ws.repo.resolve(revision)] if revision else []
    options = [f"-L{max(1, one.start - _AROUND)},{one.stop - 1 + _AROUND}" for one in wanted]
    facts: dict[str, dict[str, str]] = {}
    if said is None:
        said = _ask_git(ws, [*options, *at, "--", path])
    blamed = list(_read_blame(said, facts))
    gathered = Gathered()
    refresh(ws.repo, ws.index, at, gather=gathered)  # all blamed commits are in the history of this one, or of HEAD
    renew_authors(ws.repo, ws.index, gathered)
    for span, one in zip(spans, wanted, strict=True):
        if not any(line.final in one for line in blamed):
            raise UsageError(f"'{file}' has no such lines: {span}")
    traced = _traced(ws, blamed, facts)
    return [line for line in traced if any(line.line in one for one in wanted)] if wanted else traced


def _ask_git(ws: Workspace, asked: Sequence[str]) -> bytes:
    try:
        with ws.repo.stream("blame", "--porcelain", *asked) as output:
            return output.read()
    except GitError as error:
        if _ASKED_WRONGLY.search(error.message):
            hint = "name a file that git tracks, and lines that it has"
            raise UsageError(error.message.removeprefix("git blame failed: "), hint=hint) from None
        raise


def _range(span: str) -> range:
    """The lines that ``A,B``, ``A,+N``, ``A,-N``, ``A`` or ``,B`` mean, as git counts them."""
    parts = re.fullmatch(r"(\d*)(?:,(?:([+-]?)(\d+))?)?", span)
    if not parts or not span.strip(","):
        raise UsageError(f"not a line range: '{span}'", hint="-L 10,20 or -L 10,+5")
    first, sign, last = int(parts[1] or 1), parts[2], int(parts[3] or _LAST_LINE)
    start, stop = {"+": (first, first + last), "-": (first - last + 1, first + 1)}.get(sign or "", (first, last + 1))
    return range(min(start, stop - 1), max(start + 1, stop))


def _read_blame(said: bytes, facts: dict[str, dict[str, str]]) -> Iterator[_Blamed]:
    commit, path, original, final = "", "", 0, 0
    lines = said.split(b"\n")
    for raw in lines[:-1]:
        if raw.startswith(b"\t"):
            yield _Blamed(commit, path, original, final, raw[1:].decode("utf-8", "surrogateescape"))
            continue
        key, _, value = raw.partition(b" ")
        if len(key) >= _SHORTEST_ID:
            commit = key.decode("ascii")
            first, _, second = value.partition(b" ")
            original, final = int(first), int(second.partition(b" ")[0])
            path = facts.setdefault(commit, {}).get("filename", "")
        elif key == b"filename":
            path = facts[commit]["filename"] = unquoted(value)
        elif key == b"previous":
            facts[commit]["previous"] = unquoted(value.partition(b" ")[2])
        else:
            facts[commit][key.decode("ascii", "replace")] = value.decode("utf-8", "surrogateescape")


# ---------------------------------------------------------------------------------------------------------------------
# Who wrote it


def _traced(ws: Workspace, blamed: Sequence[_Blamed], facts: dict[str, dict[str, str]]) -> list[Traced]:
    names = {one[key] for one in facts.values() for key in ("filename", "previous") if key in one}
    by_commit: defaultdict[str, list[_Blamed]] = defaultdict(list)
    for line in blamed:
        by_commit[line.commit].append(line)
    links = _certain_links(ws, by_commit)
    known = _known_frames(ws, links, names, [line.text for line in blamed if line.commit not in links])
    everyone = Writings([known.runs[one.blob] for one in known.strangers if one.blob in known.runs], names)
    writers: dict[int, tuple[Writer, Link]] = {}
    for commit, lines in by_commit.items():
        here = links.get(commit)
        source = (
            _linked_source(here, known.runs, names)
            if here
            else _inferred_source(commit, facts[commit], known.strangers, everyone)
        )
        for stretch in _stretches(lines) if source.links else ():
            found = source.writings.writers([line.text for line in stretch], source.needed, source.links)
            for line, writer in zip(stretch, found, strict=True):
                if writer:
                    writers[line.final] = writer, source.links[writer.frame_id]
    return [_line(one, facts[one.commit], writers.get(one.final), links.get(one.commit), known) for one in blamed]


def _certain_links(ws: Workspace, commits: Iterable[str]) -> dict[str, list[Link]]:
    found = links_of(ws.index, commits)
    certain = {commit: [link for link in links if link.kind != INFERRED] for commit, links in found.items()}
    return {commit: links for commit, links in certain.items() if links}


def _known_frames(
    ws: Workspace, links: dict[str, list[Link]], names: set[str], lines_without_link: Sequence[str]
) -> _Known:
    """The frames of these links, and all that wrote some of those lines in the file; by one process."""
    linked = [link for found in links.values() for link in found]
    newest = authors_of_frames(ws.index, (link.frame_id for link in linked if link.kind != IN_TREE))
    strangers = list(_strangers(ws, names, lines_without_link))
    wanted = {author.blob: author for author in (*newest.values(), *strangers)}
    for link in linked:
        wanted.setdefault(link.blob, Author(link.frame_id, link.blob, "", NEVER_TOO_OLD))
    return _Known(wanted, load_runs(ws.repo, ws.index, wanted.values(), names), strangers)


def _strangers(ws: Workspace, names: Iterable[str], lines: Sequence[str]) -> Iterator[Author]:
    """Who wrote at least as many of these lines as it takes to be named."""
    written = [(author, anchors) for name in names for author, anchors in anchors_of_path(ws.index, name).items()]
    telling = set(line_anchors(filter(is_telling, lines))) if written else set()
    counts: Counter[Author] = Counter()
    for author, anchors in written:
        counts[author] += len(telling & anchors)
    yield from (author for author, count in counts.items() if count >= TELLING_LINES_OF_A_STRANGER)


def _linked_source(links: Sequence[Link], runs: dict[str, FrameRuns], names: set[str]) -> _Source:
    by_frame = {link.frame_id: link for link in links}
    return _Source(Writings([runs[link.blob] for link in links if link.blob in runs], names), 1, by_frame)


def _inferred_source(commit: str, facts: dict[str, str], strangers: Sequence[Author], everyone: Writings) -> _Source:
    """Any of the strangers whose session had begun when the commit was made."""
    at = int(facts.get("committer-time", "0"))
    links = {one.frame: Link(commit, one.frame, INFERRED, "", one.blob, ()) for one in strangers if one.since <= at}
    return _Source(everyone, TELLING_LINES_OF_A_STRANGER, links)


def _stretches(lines: Iterable[_Blamed]) -> Iterator[list[_Blamed]]:
    """The lines of one commit that stood one after another in it, whatever has come between them since."""
    stretch: list[_Blamed] = []
    for line in sorted(lines, key=lambda line: (line.path, line.original)):
        if stretch and (stretch[-1].path, stretch[-1].original + 1) != (line.path, line.original):
            yield stretch
            stretch = []
        stretch.append(line)
    if stretch:
        yield stretch


def _line(
    line: _Blamed, facts: dict[str, str], found: tuple[Writer, Link] | None, links: list[Link] | None, known: _Known
) -> Traced:
    writer, link = found or (None, links[0] if links and len(links) == 1 else None)
    source = known.sources[link.blob] if link and link.blob in known.runs else None
    return Traced(line.commit, line.final, line.text, facts, link, source, writer)


@cache
def iso_date(seconds: str, zone: str) -> str:
    """A time as git's blame tells it, in ISO 8601; empty for what is none."""
    from datetime import datetime, timedelta, timezone

    if not seconds.isdigit():
        return ""
    sign = -1 if zone.startswith("-") else 1
    offset = (
        timedelta(hours=int(zone[1:3]), minutes=int(zone[3:5])) * sign if re.fullmatch(r"[+-]\d{4}", zone) else None
    )
    return datetime.fromtimestamp(int(seconds), timezone(offset or timedelta())).isoformat()
