"""The report on some commits, or on what happened since a day, with the frames that belong to them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from session_frames.errors import UsageError
from session_frames.model import Frame
from session_frames.operations.report import FrameTold, Report, ReportedCommit, ReportedLink, report_of
from session_frames.storage.commit_links import IN_TREE, Link, links_of
from session_frames.storage.frame_store import ARCHIVE, SESSIONS
from session_frames.storage.written_lines import NEVER_TOO_OLD, Author, authors_of_frames, load_frames
from session_frames.workspace.catalog import catalog, load
from session_frames.workspace.core import Workspace
from session_frames.workspace.linking import renew_links

_FIELDS = "%H%x00%s%x00%an%x00%aI"


def report(ws: Workspace, revisions: str = "", since: str = "") -> Report:
    """What the commits of ``BASE..HEAD``, or those since a date, and their frames amount to.

    Without either, the commits that this branch has and its upstream, else the default branch of the remote, has not.
    Of a frame that grew, what rests on the turns that these commits brought. With ``since`` also the frames that ended
    since and that no commit holds.
    """
    if since and not revisions:
        asked = ws.repo.head() or ""
    else:
        asked = ws.repo.resolve_range(revisions or _own_commits(ws))
    commits = _commits(ws, [f"--since={since}"] if since else [], asked) if asked else []
    renew_links(ws, [commit["commit"] for commit in commits])
    links = links_of(ws.index, [commit["commit"] for commit in commits])
    for commit in commits:
        commit["frames"] = [_reported(link) for link in links.get(commit["commit"], [])]
    newest_first = [link for commit in commits for link in links.get(commit["commit"], [])]
    told = list(_told(ws, newest_first, commits[0]["commit"])) if newest_first else []
    if since and not revisions:
        held = {one.frame["id"] for one in told}
        told += [FrameTold(frame, None) for frame in _ended_since(ws, since) if frame["id"] not in held]
    told.sort(key=lambda one: (one.frame.get("boundary", {}).get("started_at", ""), one.frame["id"]))
    return report_of(commits, told, revisions=asked, since=since)


def _own_commits(ws: Workspace) -> str:
    for base in ("@{upstream}", "origin/HEAD"):
        if found := ws.repo.line("rev-parse", "-q", "--verify", "--end-of-options", base + "^{commit}"):
            return f"{found}..HEAD"
    raise UsageError(
        "which commits? this branch has no upstream", hint="frames report main..HEAD, or frames report --since DATE"
    )


def _commits(ws: Workspace, options: Sequence[str], asked: str) -> list[ReportedCommit]:
    """These commits, newest first, without their frames yet."""
    out = ws.repo.run("log", "-z", "--no-notes", f"--format={_FIELDS}", *options, asked, "--")
    fields = out.decode("utf-8", "replace").split("\0")
    return [
        ReportedCommit(commit=fields[at], subject=fields[at + 1], author=fields[at + 2], date=fields[at + 3], frames=[])
        for at in range(0, len(fields) - 3, 4)
    ]


def _reported(link: Link) -> ReportedLink:
    return ReportedLink(frame=link.frame_id, link=link.kind, new_turns=[list(span) for span in link.new_turns])


def _told(ws: Workspace, links: Sequence[Link], tip: str) -> Iterator[FrameTold]:
    """The frames of these links, each as the newest commit has it, else as it is known, and what the links brought."""
    brought: defaultdict[str, set[int] | None] = defaultdict(set)
    for link in links:
        turns = brought[link.frame_id]
        if link.kind != IN_TREE:
            brought[link.frame_id] = None  # nobody can tell which of its turns
        elif turns is not None:
            turns.update(number for first, last in link.new_turns for number in range(first, last + 1))
    known = authors_of_frames(ws.index, brought)
    held = {link.frame_id: link.blob for link in reversed(links) if link.path} | _held(ws, tip)
    wanted = [_author(name, held.get(name, ""), known.get(name)) for name in brought]
    for author, frame in load_frames(ws.repo, filter(None, wanted)):
        turns = brought[author.frame]
        yield FrameTold(frame, None if turns is None else frozenset(turns))


def _held(ws: Workspace, commit: str) -> dict[str, str]:
    """Frame -> blob of those that this commit's tree holds."""
    blobs = [file.blob for file in ws.repo.tree_files(commit, [SESSIONS, ARCHIVE])]
    return {version.frame: blob for blob, version in ws.index.versions(blobs).items()}


def _author(frame: str, blob: str, known: Author | None) -> Author | None:
    return Author(frame, blob, "", NEVER_TOO_OLD) if blob else known


def _ended_since(ws: Workspace, since: str) -> Iterator[Frame]:
    """The frames that no commit holds and that ended since; git tells what the date means."""
    told = ws.repo.line("rev-parse", f"--since={since}") or ""
    age = re.fullmatch(r"--max-age=(\d+)", told)
    limit = _moment(int(age[1])) if age else since
    for entry in catalog(ws).entries:
        if not entry.in_history and (entry.summary["ended_at"] or entry.summary["started_at"]) >= limit:
            yield load(ws, entry)


def _moment(seconds: int) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
