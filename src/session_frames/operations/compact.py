"""Compaction of a frame: what may be replaced, by which summaries, and the frame after it.

Nothing is taken out of the file: turns are marked and the summary is added, so what changes is what a model is given.
The user's words are never replaced, nor what is pinned, what a standing decision or constraint rests on, and the last
turns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Literal, NamedTuple, cast

from session_frames.model import By, Compaction, Event, Frame, item_id, joined_digest
from session_frames.operations.context_edits import record, steps, with_values
from session_frames.operations.context_view import Entry, entries
from session_frames.operations.dropped import without_texts
from session_frames.operations.plan_compaction import Group, Offer, Plan, Record, plan_compaction
from session_frames.operations.structural import Structural, Structure
from session_frames.operations.tokens import estimated_tokens
from session_frames.operations.turn_names import spans

# Why an entry stays, in the order in which this is looked at.
Reason = Literal["your words", "pinned", "decided here", "key constraint", "not asked for", "recent"]


class Written(NamedTuple):
    """A summary that somebody wrote, for the turns with these numbers; ``id`` where it stands in the frame already."""

    numbers: tuple[int, ...]
    text: str
    by: By
    id: str = ""


class Compactable(NamedTuple):
    """The context of a frame as a compaction sees it: its entries, and why those stay that stay."""

    frame: Frame
    entries: list[Entry]
    stays: list[Reason | None]
    cost: Callable[[Entry], int]


class Limits(NamedTuple):
    """What a compaction is to reach: a budget and what of it is kept free, and how many of the last entries stay."""

    budget: int | None = None
    reserve: int = 0
    recent: int = 4


class Proposal(NamedTuple):
    """What a compaction would do to a frame. ``told`` says what of the given summaries could not be used, and why."""

    context: Compactable
    plan: Plan
    kind: Literal["written", "structural"]
    written: dict[str, Written]  # text of a summary that was offered -> where it comes from
    told: list[str]

    def numbers(self, group: Group) -> tuple[int, ...]:
        """The numbers of the turns that a group replaces."""
        return tuple(number for entry in self.members(group) for number in entry.numbers)

    def members(self, group: Group) -> list[Entry]:
        """The entries of a group."""
        wanted = set(group.records)
        return [entry for entry in self.context.entries if entry.turns[0] in wanted]

    @property
    def words_alone(self) -> int:
        """What the user's words cost by themselves."""
        return sum(map(self.context.cost, (entry for entry in self.context.entries if entry.role == "user")))


def compactable(
    frame: Frame,
    limits: Limits,
    scope: Iterable[str] | None = None,
    *,
    cost: Callable[[Entry], int] = lambda entry: entry.tokens,
) -> Compactable:
    """What of the frame's context may be replaced; with a ``scope`` only these turns (ids)."""
    found = entries(frame)
    cited = _cited(frame)
    within = None if scope is None else set(scope)
    last = len(found) - limits.recent
    return Compactable(frame, found, [_why(e, at >= last, cited, within) for at, e in enumerate(found)], cost)


def _cited(frame: Frame) -> set[str]:
    items = [*frame.get("decisions", []), *frame.get("constraints", [])]
    standing = [item for item in items if item["status"] == "accepted" and item.get("verified", True)]
    return {evidence["turn"] for item in standing for evidence in item.get("evidence", [])}


def _why(entry: Entry, recent: bool, cited: set[str], within: set[str] | None) -> Reason | None:
    if entry.role == "user":
        return "your words"
    if entry.pinned:
        return "pinned"
    if entry.kind == "turn" and entry.turns[0] in cited:
        return "decided here"
    if entry.annotation == "key-constraint":
        return "key constraint"
    if within is not None and not within.issuperset(entry.turns):
        return "not asked for"
    return "recent" if recent else None


# ---------------------------------------------------------------------------------------------------------------------
# What would be done


def structural(context: Compactable, limits: Limits) -> Proposal:
    """Replace turns by themselves without tool output, images, repeated reads and reasoning."""
    costs = {entry.turns[0]: context.cost(entry) for entry in context.entries} | _cheaper(context)
    plan = _plan(context, limits, lambda run: [Offer(run, sum(costs[key] for key in run))])
    return Proposal(context, plan, "structural", {}, [])


def _cheaper(context: Compactable) -> dict[str, int]:
    """The turns whose structural form costs less than they do, by id, with that cost."""
    forms = _forms(context)
    costs = {}
    for entry in context.entries:
        if entry.turns[0] in forms:
            text = forms[entry.turns[0]].text
            cost = context.cost(entry._replace(text=text, calls=(), tokens=estimated_tokens(text)))
            if cost < context.cost(entry):
                costs[entry.turns[0]] = cost
    return costs


def _forms(context: Compactable) -> dict[str, Structural]:
    """The structural form of each turn that stands for itself as it is, by its id."""
    structure = Structure()
    turns = {turn["id"]: turn for turn in context.frame.get("turns", [])}
    forms = {}
    for entry in context.entries:
        if entry.kind == "turn" and entry.role != "user" and not entry.compaction:
            forms[entry.turns[0]] = structure.of(entry.text, entry.calls)
        elif entry.kind == "turn":
            structure.pass_over(turns[entry.turns[0]].get("calls", []))
    return forms


def written(
    context: Compactable,
    limits: Limits,
    summaries: Sequence[Written],
    ask: Callable[[list[Entry]], Written | None] | None = None,
) -> Proposal:
    """Replace turns by these summaries; ``ask`` is called for a group for which there is none, when its turn comes."""
    free = [entry for entry, reason in zip(context.entries, context.stays, strict=True) if reason is None]
    by_key = {entry.turns[0]: entry for entry in free}
    offered: dict[str, Written] = {}
    offers: list[Offer] = []
    told = []
    for summary in summaries:
        problem = _problem(context, free, summary)
        if problem:
            told.append(f"summary {spans(summary.numbers)}: {problem}")
        else:
            keys = tuple(entry.turns[0] for entry in free if set(entry.numbers) <= set(summary.numbers))
            offered[summary.text] = summary
            offers.append(Offer(keys, _cost_of(context, summary.text), summary.text))

    def for_run(run: tuple[str, ...]) -> list[Offer]:
        group = [by_key[key] for key in run]
        # What was summed up once is not asked about again: each answer would be another one.
        if ask is None or all(entry.kind == "summary" for entry in group):
            return offers
        answer = ask(group)
        if answer is None:
            return []
        offered[answer.text] = answer
        offers.append(Offer(run, _cost_of(context, answer.text), answer.text))
        return offers[-1:]

    plan = _plan(context, limits, for_run)
    for offer in offers:
        problem = _unused(plan, offer)
        if problem:
            told.append(f"summary {spans(offered[offer.summary].numbers)}: {problem}")
    return Proposal(context, plan, "written", offered, told)


def _unused(plan: Plan, offer: Offer) -> str:
    """Why a summary was not taken; "" where it was, or where the target was met without it."""
    touched = [group for group in plan.groups if set(group.records) & set(offer.records)]
    whole = {record for group in touched for record in group.records}
    if any(group.summary == offer.summary and group.fate == "chosen" for group in touched):
        return ""
    if any(group.fate == "not needed" for group in touched):
        return ""
    if whole - set(offer.records):
        return "is for a part of turns that are replaced together or not at all"
    before = sum(group.before for group in touched)
    if offer.cost >= before:
        return f"costs {offer.cost} tokens, the turns themselves {before}"
    return "another one that saves more stands for these turns"


# A turn that stays for one of these reasons may lie among those that a summary stands for: it is then said twice.
_WITHIN: Final = ("your words", "pinned", "decided here", "key constraint")


def _problem(context: Compactable, free: Sequence[Entry], summary: Written) -> str:
    """Why a summary can't be used; "" where it can."""
    last = len(context.frame.get("turns", []))
    wanted = set(summary.numbers)
    unknown = [number for number in summary.numbers if not 0 < number <= last]
    if unknown:
        return f"the frame has turns 1-{last}, not {spans(unknown)}"
    if not summary.text.strip():
        return "it is empty"
    torn = [entry for entry in free if wanted & set(entry.numbers) and not wanted.issuperset(entry.numbers)]
    if torn:
        return f"turns {spans(torn[0].numbers)} are one summary already and stay together"
    touched = any(wanted & set(entry.numbers) for entry in free)
    for entry, reason in zip(context.entries, context.stays, strict=True):
        allowed = touched and (reason in _WITHIN or summary.by == "agent")
        if reason and not allowed and wanted & set(entry.numbers):
            return f"turn {spans(entry.numbers)} stays ({reason})"
    return "" if touched else "none of these turns is in context"


def _cost_of(context: Compactable, text: str) -> int:
    return context.cost(Entry("summary", (), (), "summary", text, (), False, "", estimated_tokens(text), ""))


def _plan(context: Compactable, limits: Limits, offers: Callable[[tuple[str, ...]], Sequence[Offer]]) -> Plan:
    records = [
        Record(entry.turns[0], context.cost(entry), reason is not None)
        for entry, reason in zip(context.entries, context.stays, strict=True)
    ]
    return plan_compaction(records, offers, budget=limits.budget, reserve=limits.reserve)


def own_summaries(frame: Frame) -> list[Written]:
    """The agent's own summaries for which the transcript told the turns."""
    numbers = {turn["id"]: number for number, turn in enumerate(frame.get("turns", []), 1)}
    return [
        Written(tuple(numbers[turn] for turn in one["turns"] if turn in numbers), one["summary"], "agent", one["id"])
        for one in frame.get("compactions", [])
        if one.get("by") == "agent" and one.get("turns") and one["summary"].strip()
    ]


def standing(context: Compactable) -> dict[str, list[int]]:
    """Why turns stay -> their numbers, in the order of the session."""
    found: dict[str, list[int]] = {}
    for entry, reason in zip(context.entries, context.stays, strict=True):
        if reason:
            found.setdefault(reason, []).extend(entry.numbers)
    return found


def left_out(proposal: Proposal) -> Counter[str]:
    """How much of what the chosen turns lose: outputs, images, repeated reads."""
    forms = _forms(proposal.context)
    chosen = [key for group in proposal.plan.chosen for key in group.records]
    return sum((forms[key].left_out for key in chosen if key in forms), Counter())


# ---------------------------------------------------------------------------------------------------------------------
# Doing it


def applied(proposal: Proposal, at: str, *, drop: bool = False) -> Frame:
    """The frame after the compaction, with the event; the frame itself where nothing was chosen.

    ``drop`` also leaves the agent's texts of these turns out of it; that can't be undone.
    """
    frame = proposal.context.frame
    marks: dict[str, str] = {}
    made: list[Compaction] = []
    if proposal.kind == "structural":
        made = _structural_record(proposal, at)
        marks = {turn: one["id"] for one in made for turn in one["turns"]}
    else:
        for group in proposal.plan.chosen:
            compaction = _written_record(proposal, group, at)
            made.append(compaction)
            marks |= {turn: compaction["id"] for entry in proposal.members(group) for turn in entry.turns}
    if not marks:
        return frame
    known = {one["id"] for one in frame.get("compactions", [])}
    compacted = {
        **frame,
        "turns": [{**turn, "compacted": marks[turn["id"]]} if turn["id"] in marks else turn for turn in frame["turns"]],
        "compactions": [*frame.get("compactions", []), *(one for one in made if one["id"] not in known)],
    }
    data: dict[str, Any] = {"before": proposal.plan.before, "after": proposal.plan.after}
    after = cast(Frame, compacted)
    if drop:
        after, data["dropped"] = without_texts(after, marks)
    return record(after, "compact", turns=list(marks), data=data, at=at, was=frame)


def _structural_record(proposal: Proposal, at: str) -> list[Compaction]:
    """One for all turns that get cheaper: each of them stands for itself, nothing is written twice."""
    context, costs = proposal.context, _cheaper(proposal.context)
    members = [entry for group in proposal.plan.chosen for entry in proposal.members(group) if entry.turns[0] in costs]
    if not members:
        return []
    turns = [entry.turns[0] for entry in members]
    return [
        Compaction(
            id=item_id("compaction", turns[0], " ".join(["structural", *turns])),
            at=at,
            turns=turns,
            kind="structural",
            summary="",
            by="pipeline",
            tokens_before=sum(map(context.cost, members)),
            tokens_after=sum(costs[turn] for turn in turns),
            digest=words_digest(context.frame, turns),
        )
    ]


def _written_record(proposal: Proposal, group: Group, at: str) -> Compaction:
    summary = proposal.written[group.summary]
    frame = proposal.context.frame
    own = next((one for one in frame.get("compactions", []) if one["id"] == summary.id), None)
    if own is not None:
        return own
    turns = [turn for entry in proposal.members(group) for turn in entry.turns]
    return Compaction(
        id=item_id("compaction", turns[0], summary.text + " ".join(turns)),
        at=at,
        turns=turns,
        summary=summary.text,
        by=summary.by,
        tokens_before=group.before,
        tokens_after=group.after,
        digest=words_digest(frame, turns),
    )


def words_digest(frame: Frame, turns: Sequence[str]) -> str:
    """The digest of the user's words from the first of these turns to the last."""
    places = {turn["id"]: place for place, turn in enumerate(frame["turns"])}
    between = [places[turn] for turn in turns]
    span = frame["turns"][min(between) : max(between) + 1]
    return joined_digest([turn.get("text", "") for turn in span if turn["role"] == "user"], 32)


def last_compaction(frame: Frame) -> Event | None:
    """The event of the newest compaction that was not undone."""
    undone = {
        event["data"].get("event")
        for event in frame.get("events", [])
        if event["kind"] == "undo" and isinstance(event.get("data"), dict)
    }
    done = [event for event in frame.get("events", []) if event["kind"] == "compact" and event["id"] not in undone]
    return done[-1] if done else None


def taken_back(frame: Frame, event: Event) -> Frame:
    """The frame as it was before its last event, byte for byte; only for an event that no commit holds yet."""
    assert frame["events"][-1]["id"] == event["id"]
    held = with_values(frame, {step.place: step.before for step in steps(event)})
    rest = frame["events"][:-1]
    return cast(Frame, {**held, "events": rest} if rest else {k: v for k, v in held.items() if k != "events"})
