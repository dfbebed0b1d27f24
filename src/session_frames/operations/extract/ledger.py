"""The decisions and constraints found so far, and what later words do to earlier ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

from session_frames.model import By, Constraint, Decision, DecisionStatus, Evidence, item_id

from .patterns import find, named
from .sentences import shortened
from .words import about, other_number, shared

ItemKind = Literal["decision", "constraint"]
_SURELY_THE_SAME: Final = 2
_STANDING: Final = ("accepted", "deferred", "proposed")


@dataclass
class Item:
    """A decision or a constraint in the making; ``place`` is the number of the turn that holds its first evidence."""

    kind: ItemKind
    text: str
    status: DecisionStatus
    by: By
    evidence: list[Evidence]
    place: int
    supersedes: Item | None = None
    instead: frozenset[str] = frozenset()  # what the alternatives that were not taken are about

    @property
    def id(self) -> str:
        return item_id(self.kind, self.evidence[0]["turn"], self.text)

    @property
    def words(self) -> str:
        """Its text and quotes: all that it may be called by later."""
        return "\n".join((self.text, *(one["quote"] for one in self.evidence)))


@dataclass
class Ledger:
    """Items in the order in which they were found."""

    items: list[Item] = field(default_factory=list)

    def add(
        self,
        kind: ItemKind,
        text: str,
        status: DecisionStatus,
        evidence: list[Evidence],
        place: int,
        *,
        by: By = "user",
        reverses: bool = False,
    ) -> Item | None:
        """Take a new item down; one that was found already gets its evidence. What it replaces is overruled."""
        text = shortened(text)
        if not text or not evidence:
            return None
        known = next((one for one in self.items if one.kind == kind and one.text == text), None)
        if known and known.status == status:
            known.evidence += [one for one in evidence if one not in known.evidence]
            return known
        item = Item(kind, text, status, by, evidence, place)
        if status in ("accepted", "deferred"):
            for earlier in self.items:
                if earlier.place < place and _replaces(item, earlier, reverses):
                    overrule(earlier)
                    item.supersedes = item.supersedes or earlier
        self.items.append(item)
        return item

    def standing_about(self, text: str) -> list[Item]:
        """The standing items that share most with the text; none where nothing is shared."""
        scored = [(len(shared(text, one.words)), one) for one in self.items if one.status in _STANDING]
        best = max((score for score, _ in scored), default=0)
        return [one for score, one in scored if score == best and best > 0]

    def standing_at(self, place: int) -> list[Item]:
        """The standing items whose first evidence is in that turn."""
        return [one for one in self.items if one.place == place and one.status in _STANDING]

    def decisions(self) -> list[Decision]:
        """The decisions as they go into a frame."""
        found: list[Decision] = []
        for item in self.items:
            if item.kind == "decision":
                decision: Decision = {
                    "id": item.id,
                    "text": item.text,
                    "status": item.status,
                    "by": item.by,
                    "evidence": item.evidence,
                }
                if item.supersedes:
                    decision["supersedes"] = item.supersedes.id
                found.append(decision)
        return found

    def constraints(self) -> list[Constraint]:
        """The constraints as they go into a frame."""
        return [
            {"id": item.id, "text": item.text, "status": item.status, "by": item.by, "evidence": item.evidence}
            for item in self.items
            if item.kind == "constraint"
        ]


def overrule(item: Item) -> None:
    """The item no longer holds."""
    item.status = "overruled"


def _replaces(item: Item, earlier: Item, reverses: bool) -> bool:
    """Whether the new item settles the earlier one anew.

    Another number of the same unit, a thing put off that is settled now, a yes where there was a no (or the other way
    round), or a word of reversal ("instead", "말고", "やっぱり"), each about the same thing.
    """
    if earlier.status not in ("accepted", "deferred", "rejected") or earlier.text == item.text:
        return False
    other = other_number(earlier.words, item.text)
    common = len(shared(item.words, earlier.words))
    if not common:
        return other and reverses
    if earlier.kind == "constraint" and common < _SURELY_THE_SAME:
        return False
    if reverses or earlier.status == "deferred":
        return True
    if _chosen_for(item.text) and _chosen_for(item.text) == _chosen_for(earlier.text):
        return True
    if earlier.kind == "constraint" or earlier.status == "rejected":
        return False
    return other or (_negative(item.text) != _negative(earlier.text) and about(item.text) <= about(earlier.words))


def _chosen_for(text: str) -> frozenset[str]:
    """What the choice is for: "use sqlite for the cache", "캐시는 redis 쓰자", "キャッシュはsqliteに"."""
    match = find("chosen_for", text) if find("choose", text) else None
    return about(named(match, "what")) if match else frozenset()


def _negative(text: str) -> bool:
    return bool(find("negative", text) or find("forbid", text))
