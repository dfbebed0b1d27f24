"""Which records a compaction replaces by a summary, so that what stays fits a budget.

This knows nothing of frames: a record has a key, a cost and whether it is protected, a summary stands for records and
has a cost of its own. What a token is, is the caller's affair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple


class Record(NamedTuple):
    """One piece of the context; a protected one is never replaced."""

    key: str
    cost: int
    protected: bool = False


class Offer(NamedTuple):
    """A summary that could stand for exactly these records."""

    records: tuple[str, ...]
    cost: int
    summary: str = ""


# What becomes of a group: it is replaced; the target was met before its turn came; nobody summed it up; its summary
# costs as much as the records themselves.
Fate = Literal["chosen", "not needed", "no summary", "saves nothing"]


class Group(NamedTuple):
    """Records side by side that may be replaced together. ``after`` is the cost of their summary, if there is one."""

    records: tuple[str, ...]
    before: int
    after: int
    fate: Fate
    summary: str = ""

    @property
    def saving(self) -> int:
        """What replacing the group saves, the summary's own cost subtracted; 0 for a group that stays."""
        return self.before - self.after if self.fate == "chosen" else 0


class Plan(NamedTuple):
    """What a compaction would do. ``target`` is None where no budget was given."""

    before: int
    after: int
    target: int | None
    protected: int  # cost of what is never replaced
    groups: tuple[Group, ...]

    @property
    def chosen(self) -> list[Group]:
        """The groups that are replaced, oldest first."""
        return [group for group in self.groups if group.fate == "chosen"]

    @property
    def over(self) -> int:
        """By how much the target is missed after all; 0 where it is met."""
        return 0 if self.target is None else max(0, self.after - self.target)


# Given a run of unprotected records side by side: the summaries that were made for it, or for it and runs behind it.
Offers = Callable[[tuple[str, ...]], Sequence[Offer]]


def plan_compaction(
    records: Sequence[Record], offers: Offers, *, budget: int | None = None, reserve: int = 0, recent: int = 0
) -> Plan:
    """The groups of records, oldest first, and which of them are replaced until the budget less the reserve is met.

    Protected records and the last ``recent`` ones stay. Without a budget every group is replaced whose summary saves
    something. ``offers`` is asked only for groups whose turn comes. A summary may stand for several whole groups; of
    those that fit, the one that saves most is taken.
    """
    before = sum(record.cost for record in records)
    target = None if budget is None else budget - reserve
    last = len(records) - recent
    kept = [record.protected or at >= last for at, record in enumerate(records)]
    runs = list(_runs(records, kept))
    groups: list[Group] = []
    after = before
    while runs:
        if target is not None and after <= target:
            group, runs = _group(runs[:1], None, "not needed"), runs[1:]
        else:
            group, runs = _best(runs, offers)
        groups.append(group)
        after -= group.saving
    protected = sum(record.cost for record, stays in zip(records, kept, strict=True) if stays)
    return Plan(before, after, target, protected, tuple(groups))


_Run = list[Record]


def _runs(records: Sequence[Record], kept: Sequence[bool]) -> Iterator[_Run]:
    """The unprotected records, those side by side together."""
    run: _Run = []
    for record, stays in zip(records, kept, strict=True):
        if not stays:
            run.append(record)
        elif run:
            yield run
            run = []
    if run:
        yield run


def _best(runs: list[_Run], offers: Offers) -> tuple[Group, list[_Run]]:
    """What becomes of the first run, alone or with those behind it, and the runs that are left."""
    best, taken = _group(runs[:1], None, "no summary"), 1
    for offer in offers(_keys(runs[:1])):
        width = _width(runs, offer.records)
        before = sum(record.cost for run in runs[:width] for record in run)
        if before - offer.cost > best.saving:
            best, taken = _group(runs[:width], offer, "chosen"), width
        elif width == 1 and best.fate == "no summary":
            best = _group(runs[:1], offer, "saves nothing")
    return best, runs[taken:]


def _width(runs: Sequence[_Run], wanted: tuple[str, ...]) -> int:
    """How many whole runs, from the first, hold exactly these records; 0 where none do."""
    for width in range(1, len(runs) + 1):
        keys = _keys(runs[:width])
        if len(keys) >= len(wanted):
            return width if keys == wanted else 0
    return 0


def _keys(runs: Sequence[_Run]) -> tuple[str, ...]:
    return tuple(record.key for run in runs for record in run)


def _group(runs: Sequence[_Run], offer: Offer | None, fate: Fate) -> Group:
    before = sum(record.cost for run in runs for record in run)
    return Group(_keys(runs), before, offer.cost if offer else 0, fate, offer.summary if offer else "")
