"""Links of frames and commits: made by hand, found anew, and brought up to date before anything is asked of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from session_frames.errors import NothingFound
from session_frames.storage.commit_links import iter_links, refresh
from session_frames.storage.content_links import Newest, compare_content, forget_comparisons
from session_frames.storage.hand_links import HandLink, change_hand_links, copy_hand_links
from session_frames.storage.notes_view import refresh_view
from session_frames.storage.written_lines import Gathered, renew_authors
from session_frames.workspace.core import Workspace


def renew_links(ws: Workspace, asked: Sequence[str] = (), newest: int | None = None) -> None:
    """Bring links and notes up to what git's history and the frames known here tell.

    Where no more than the ``newest`` commits of HEAD are to be shown, links are inferred for these alone.
    """
    gathered = Gathered()
    found = refresh(ws.repo, ws.index, asked, seen=ws.seen, gather=gathered)
    renew_authors(ws.repo, ws.index, gathered)
    compare_content(ws.repo, ws.index, Newest(found.head, newest) if newest is not None and found.head else None)
    refresh_view(ws.repo, ws.index, ws.state, found.notes_tip)


# ---------------------------------------------------------------------------------------------------------------------
# By hand


class Linked(NamedTuple):
    """A frame and a commit that are joined by hand, or not any more; ``changed`` is False where they were already."""

    frame_id: str
    topic: str
    commit: str
    changed: bool


def link(ws: Workspace, frame: str, commit: str, *, remove: bool = False) -> Linked:
    """Join a frame and a commit, or part them; ``NothingFound`` where no link by hand is there to be removed."""
    from session_frames.workspace.catalog import get_entry

    summary = get_entry(ws, frame).summary
    made = HandLink(summary["id"], ws.repo.resolve(commit))

    def change(links: list[HandLink]) -> list[HandLink]:
        return [link for link in links if link != made] if remove else [*links, made]

    changed = change_hand_links(ws.state, change)
    if remove and not changed:
        raise NothingFound(f"frame '{made.frame[:12]}' and commit '{made.commit[:12]}' are not linked by hand")
    copy_hand_links(ws.index)
    renew_links(ws)
    return Linked(made.frame, summary["topic"], made.commit, changed)


def follow_rewrites(ws: Workspace, lines: Iterable[str]) -> bool:
    """Let links by hand follow a rewrite, told as git tells its hook: a line ``OLD NEW`` for each commit.

    A commit that was rewritten twice is followed to its last form. The old commit keeps its link: another branch may
    hold it still. Did any link follow?
    """
    pairs = [line.split()[:2] for line in lines if len(line.split()) >= 2]

    def change(links: list[HandLink]) -> list[HandLink]:
        return links + [link._replace(commit=new) for link in links for new in _later_forms(link.commit, pairs)]

    changed = bool(pairs) and change_hand_links(ws.state, change)
    if changed:
        copy_hand_links(ws.index)
    return changed


def _later_forms(commit: str, pairs: Sequence[Sequence[str]]) -> list[str]:
    """What a commit became, the forms between included, in the order of time."""
    forms = [commit]
    for old, new in pairs:
        if old in forms and new not in forms:
            forms.append(new)
    return forms[1:]


# ---------------------------------------------------------------------------------------------------------------------
# Anew


class Repaired(NamedTuple):
    """What ``link --repair`` found: links by kind, and how many commits were compared with what frames wrote."""

    kinds: dict[str, int]
    compared: int
    changed: int


def link_repair(ws: Workspace) -> Repaired:
    """Read what is new, compare the whole history with what all known frames wrote, and write the notes anew."""
    found = refresh(ws.repo, ws.index)
    forget_comparisons(ws.index)
    renew_authors(ws.repo, ws.index)
    compared = compare_content(ws.repo, ws.index, even_partial=True)
    refresh_view(ws.repo, ws.index, ws.state, found.notes_tip)
    reached = _reached(ws)
    kinds = Counter(one.kind for one in iter_links(ws.index) if one.commit in reached)
    return Repaired(dict(sorted(kinds.items())), *compared)


def _reached(ws: Workspace) -> set[str]:
    """The commits that a ref reaches: what rewrites left behind is still in the index and not worth telling."""
    return set(ws.repo.run("rev-list", "--all").decode("ascii").split())
