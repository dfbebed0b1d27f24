"""The compaction summaries that an agent wrote in its transcript, and the turns that each of them stands for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from session_frames.model import Compaction, item_id
from session_frames.operations.drafts import Draft
from session_frames.transcripts.base import Summary


class _Found(NamedTuple):
    compaction: Compaction
    before: frozenset[Draft]  # the drafts that were there
    last: Draft | None
    extent: tuple[int, int]  # of the last one, when the summary was written
    kept: str | None


class Summaries:
    """The summaries of a transcript while it is read."""

    def __init__(self) -> None:
        self._found: dict[str, _Found] = {}

    def add(self, event: Summary, text: str, drafts: Sequence[Draft]) -> None:
        """One more, its text already redacted; ``drafts`` are the turns before it. One told twice counts once."""
        made = Compaction(id=item_id("compaction", event.key or event.at, text), summary=text, by="agent")
        if event.at:
            made["at"] = event.at
        last = drafts[-1] if drafts else None
        extent = _extent(last) if last else (0, 0)
        found = _Found(made, frozenset(drafts), last, extent, event.kept)
        self._found.setdefault(made["id"], found)

    def compactions(self, drafts: Sequence[Draft], ids: Mapping[int, str]) -> list[Compaction]:
        """The summaries as a frame keeps them, with the ids of the turns that each stands for.

        These are the turns before it, without those that were rewound. A turn that went on behind the summary is none
        of them: the summary does not know the rest of it.
        """
        return [_told(found, _turns(found, drafts, ids)) for found in self._found.values()]


def _told(found: _Found, turns: list[str]) -> Compaction:
    return Compaction({**found.compaction, "turns": turns}) if turns else found.compaction


def _turns(found: _Found, drafts: Sequence[Draft], ids: Mapping[int, str]) -> list[str]:
    if found.kept is None or (found.kept and not any(found.kept in draft.keys for draft in drafts)):
        return []
    turns: list[str] = []
    for draft in drafts:
        went_on = draft is found.last and _extent(draft) != found.extent
        if draft not in found.before or went_on or (found.kept and found.kept in draft.keys):
            break
        if not draft.thread:
            turns.append(ids[id(draft)])
    return turns


def _extent(draft: Draft) -> tuple[int, int]:
    return draft.text.size, len(draft.calls)
