"""The planner of a compaction: the worked example, and what holds for any records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from session_frames.operations.plan_compaction import Offer, Plan, Record, plan_compaction

EXAMPLE = json.loads((Path(__file__).parent / "planner" / "records.json").read_text(encoding="utf-8"))


def word_cost(text: str) -> int:
    words = len(text.split())
    return words * 4 + max(words - 1, 0)


def example(budget: int, recent: int, *, summaries: bool = True) -> Plan:
    records = [Record(str(r["n"]), word_cost(r["text"]), r["protected"]) for r in EXAMPLE["records"]]
    offers = [Offer(tuple(map(str, s["records"])), word_cost(s["text"]), s["text"]) for s in EXAMPLE["summaries"]]
    return plan_compaction(
        records, lambda run: offers if summaries else [], budget=budget, reserve=EXAMPLE["reserve"], recent=recent
    )


@pytest.mark.parametrize(
    ("budget", "recent", "summaries", "target", "chosen", "after", "over"),
    [
        (260, 2, True, 200, [(("2", "3"), 49), (("5", "6"), 44)], 179, 0),
        (260, 3, True, 200, [(("2", "3"), 49)], 223, 23),
        (400, 2, True, 340, [], 272, 0),
        (260, 2, False, 200, [], 272, 72),
    ],
)
def test_worked_example(
    budget: int, recent: int, summaries: bool, target: int, chosen: list[Any], after: int, over: int
) -> None:
    plan = example(budget, recent, summaries=summaries)
    assert plan.before == 272
    assert plan.target == target
    assert [(group.records, group.saving) for group in plan.chosen] == chosen
    assert plan.after == after
    assert plan.over == over


def test_group_that_stays_says_why() -> None:
    assert [(group.records, group.fate) for group in example(260, 3).groups] == [
        (("2", "3"), "chosen"),
        (("5",), "no summary"),
    ]
    assert [group.fate for group in example(400, 2).groups] == ["not needed", "not needed"]
    records = [Record("a", 10), Record("b", 5, protected=True)]
    plan = plan_compaction(records, lambda run: [Offer(run, 10)])
    assert [(group.fate, group.saving) for group in plan.groups] == [("saves nothing", 0)]
    assert plan.after == plan.before == 15


def test_summary_of_several_whole_groups_stands_for_them_together() -> None:
    records = [Record("1", 20), Record("2", 9, protected=True), Record("3", 30), Record("4", 7)]
    wide = Offer(("1", "3", "4"), 12, "all of it")
    narrow = Offer(("1",), 12, "the first")
    plan = plan_compaction(records, lambda run: [narrow, wide] if run == ("1",) else [])
    assert [(group.records, group.saving) for group in plan.chosen] == [(("1", "3", "4"), 45)]
    torn = Offer(("1", "3"), 1)
    plan = plan_compaction(records, lambda run: [torn])
    assert [group.fate for group in plan.groups] == ["no summary", "no summary"]


def test_summaries_are_asked_for_only_until_the_target_is_met() -> None:
    asked: list[tuple[str, ...]] = []

    def offers(run: tuple[str, ...]) -> list[Offer]:
        asked.append(run)
        return [Offer(run, 1)]

    records = [Record("1", 50), Record("2", 5, protected=True), Record("3", 50)]
    plan = plan_compaction(records, offers, budget=60)
    assert asked == [("1",)]
    assert plan.after == 56


RECORDS = st.lists(st.tuples(st.integers(0, 60), st.booleans()), max_size=14).map(
    lambda values: [Record(str(at), cost, protected) for at, (cost, protected) in enumerate(values)]
)


@given(RECORDS, st.integers(0, 30), st.one_of(st.none(), st.integers(0, 400)), st.integers(0, 5), st.integers(1, 3))
def test_laws(records: list[Record], cost: int, budget: int | None, recent: int, width: int) -> None:
    def offers(run: tuple[str, ...]) -> list[Offer]:
        wide = tuple(r.key for r in records if not r.protected and int(r.key) >= int(run[0]))[: len(run) * width]
        return [Offer(wide, cost + 1), Offer(run, cost)]

    plan = plan_compaction(records, offers, budget=budget, recent=recent)
    kept = {r.key for at, r in enumerate(records) if r.protected or at >= len(records) - recent}
    grouped = [key for group in plan.groups for key in group.records]
    costs = {record.key: record.cost for record in records}
    assert grouped == [record.key for record in records if record.key not in kept]  # each once, in order
    assert plan.protected == sum(costs[key] for key in kept)
    assert all(group.saving > 0 for group in plan.chosen)
    assert plan.after == plan.before - sum(group.saving for group in plan.groups)
    if budget is not None:
        assert plan.over == max(0, plan.after - budget)
        needed = plan.before - sum(group.saving for group in plan.chosen[:-1])
        assert not plan.chosen or needed > budget  # the last one chosen was needed
