"""The strategies of ``merge_rules`` at work: one merge of two frames, field by field."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, cast

from session_frames.model import Decision, Frame, MergeConflict, joined_digest
from session_frames.operations.merge_rules import (
    DEFAULT_STRATEGY,
    KNOWN_OUTCOME,
    LATER_STATUS,
    RULES,
    SPAN_ENDS,
    STRICTER_LIFETIME,
    SpanEnd,
)
from session_frames.operations.merge_sides import Key, Record, Sides, joined, keyed_by, list_of, objects_of, values_of
from session_frames.operations.merge_values import (
    ABSENT,
    canonical,
    fuller_value,
    in_order,
    merged_text,
    more_redacted,
    redacted_value,
    same,
    sorts_last,
)
from session_frames.operations.touched_files import files_of

# What a list does with a record that one side changed and the other removed: (place, ours, theirs) -> what stays.
_Lone = Callable[[str, Any, Any], Any]

_NO_TURN = 1 << 30


def conflict_record(place: str, ours: Any, theirs: Any) -> MergeConflict:
    """Both values of a place, their keys sorted: the same record whichever side is ours."""
    values = sorted(map(canonical, (ours, theirs)))
    return MergeConflict(id=joined_digest([place, *values], 8), where=place, values=[*map(json.loads, values)])


class Merger:
    """One merge of two frames: the conflicts found so far, and what the order of records is taken from."""

    def __init__(self, base: Frame | None, ours: Frame, theirs: Frame) -> None:
        self.sides = cast(Sides, (base or {}, ours, theirs))
        self.found: dict[str, MergeConflict] = {}
        self.turns: list[Any] = []
        self.turn_numbers: dict[str, int] = {}
        self.widths = {
            compaction["id"]: len(compaction.get("turns", []))
            for frame in (theirs, ours)
            for compaction in frame.get("compactions", [])
        }

    def frame(self, head: Mapping[str, Any]) -> Frame:
        """The merged frame; ``head`` holds the values that are known beforehand."""
        # Turns first: the order of what cites them, and the files, follow from theirs.
        turns = self.value("turns", "turns", *values_of(self.sides, "turns", ""))
        self.turns = [] if turns is ABSENT else turns
        self.turn_numbers = {turn["id"]: number for number, turn in enumerate(self.turns)}
        merged = self.members("", "", self.sides, {"id": self.sides[1]["id"], "turns": turns, **head})
        self.compare_decisions(merged.get("decisions", []))
        if self.found:
            listed = {conflict["id"]: conflict for conflict in merged.get("merge_conflicts", [])} | self.found
            merged["merge_conflicts"] = [listed[id] for id in sorted(listed)]
        return cast(Frame, merged)

    def conflicts(self) -> list[MergeConflict]:
        """The conflicts that were found, by id."""
        return [self.found[id] for id in sorted(self.found)]

    def value(self, path: str, place: str, base: Any, ours: Any, theirs: Any) -> Any:
        """The merged value of one place, by the rule of its path."""
        strategy = RULES.get(path, DEFAULT_STRATEGY)
        if strategy not in _OWN_ORDER:
            if same(ours, theirs) or same(base, theirs):
                return ours
            if same(base, ours):
                return theirs
        return STRATEGIES[strategy](self, path, place, base, ours, theirs)

    def conflict(self, place: str, ours: Any, theirs: Any) -> Any:
        """Note a conflict; returns what the place holds meanwhile."""
        record = conflict_record(place, ours, theirs)
        self.found[record["id"]] = record
        return sorts_last(ours, theirs)

    def compare_decisions(self, merged: list[Decision]) -> None:
        """An accepted decision of each side on one subject that disagree are a conflict; both stay."""
        ours, theirs = ({item["id"] for item in _accepted(side.get("decisions", []))} for side in self.sides[1:])
        standing = [item for item in _accepted(merged) if item.get("subject")]
        for one in standing:
            for other in standing:
                if one["id"] in ours - theirs and other["id"] in theirs - ours and _disagree(one, other):
                    self.conflict("decisions/" + "+".join(sorted((one["id"], other["id"]))), one, other)

    # -- objects ------------------------------------------------------------------------------------------------------

    def fields(self, path: str, place: str, base: Any, ours: Any, theirs: Any) -> Record:
        return self.members(path, place, objects_of(base, ours, theirs), {})

    def members(self, path: str, place: str, sides: Sides, done: Mapping[str, Any]) -> Record:
        """An object merged key by key; ``done`` holds the values that are known already."""
        known = {**self.spans(path, place, sides), **done}
        merged = {}
        for key in [*in_order(list(sides[1]), list(sides[2]), str), *known]:
            if key in merged:
                continue
            if key in known:
                value = known[key]
            else:
                value = self.value(joined(path, ".", key), joined(place, "/", key), *values_of(sides, key, path))
            if value is not ABSENT:
                merged[key] = value
        return merged

    def spans(self, path: str, place: str, sides: Sides) -> Record:
        """``boundary`` and ``git`` of a frame: each end as one, so that times and commits belong together."""
        names = [name for name in ("boundary", "git") if RULES.get(joined(path, ".", name)) == "span"]
        merged: dict[str, Record] = {}
        for name in names:
            ends = {key for end in SPAN_ENDS for key in getattr(end, name)}
            strange = ({key: item for key, item in side.get(name, {}).items() if key not in ends} for side in sides)
            merged[name] = self.members(joined(path, ".", name), joined(place, "/", name), objects_of(*strange), {})
        for end in SPAN_ENDS if names else ():
            for name, items in _span_end(end, sides).items():
                merged[name] |= items
        return {name: items or ABSENT for name, items in merged.items()}

    def turn(self, path: str, place: str, base: Any, ours: Any, theirs: Any) -> Record:
        """A turn; where its calls stand in the text follows from the text that was kept."""
        sides = objects_of(base, ours, theirs)
        turn = self.members(path, place, sides, {})
        text = turn.get("text", "")
        if not turn.get("calls"):
            return turn
        offsets = [_offsets(side, text) for side in sides[1:]]
        calls = []
        for call in turn["calls"]:
            known = [side[call["id"]] for side in offsets if call["id"] in side]
            exact = [after for after, holds in known if holds] or [after for after, _ in known]
            after = min(exact[0], len(text)) if len(exact) == 1 else min(call.get("after", 0), len(text))
            calls.append(call if after == call.get("after", 0) else {**call, "after": after})
        return {**turn, "calls": calls}

    # -- values -------------------------------------------------------------------------------------------------------

    def plain(self, path: str, place: str, base: Any, ours: Any, theirs: Any) -> Any:
        # A record of the conflict would bring the secret back.
        redacted = redacted_value(ours, theirs)
        return self.conflict(place, ours, theirs) if redacted is None else redacted

    def version(self, path: str, place: str, base: Any, ours: str, theirs: str) -> str:
        return max(ours, theirs, key=lambda version: [int(part) for part in version.split(".")])

    def status(self, path: str, place: str, base: Any, ours: str, theirs: str) -> str:
        return max(ours, theirs, key=lambda status: (_position(LATER_STATUS, status), status))

    def text(self, path: str, place: str, base: Any, ours: Any, theirs: Any) -> Any:
        texts = ["" if side is ABSENT else side for side in (base, ours, theirs)]
        text = merged_text(*texts)
        return self.conflict(place, ours, theirs) if text is None else text

    def outcome(self, path: str, place: str, base: Any, ours: str, theirs: str) -> Any:
        known = [KNOWN_OUTCOME.get(outcome, max(KNOWN_OUTCOME.values())) for outcome in (ours, theirs)]
        if known[0] == known[1]:
            return self.conflict(place, ours, theirs)
        return ours if known[0] > known[1] else theirs

    def whole(self, path: str, place: str, base: Any, ours: Any, theirs: Any) -> Any:
        if ours is ABSENT or theirs is ABSENT:
            return theirs if ours is ABSENT else ours
        redacted = more_redacted(ours, theirs)
        fuller = fuller_value(ours, theirs) if redacted is None else redacted
        return self.conflict(place, ours, theirs) if fuller is None else fuller

    def either(self, path: str, place: str, base: Any, ours: Any, theirs: Any) -> Any:
        redacted = more_redacted(ours, theirs)
        return sorts_last(ours, theirs) if redacted is None else redacted

    def larger(self, path: str, place: str, base: Any, ours: Any, theirs: Any) -> Any:
        return max(side for side in (ours, theirs) if side is not ABSENT)

    def earlier(self, path: str, place: str, base: Any, ours: Any, theirs: Any) -> Any:
        return min(side for side in (ours, theirs) if side is not ABSENT)

    def offset(self, path: str, place: str, base: Any, ours: Any, theirs: Any) -> int:
        return min(0 if side is ABSENT else side for side in (ours, theirs))

    def wider_compaction(self, path: str, place: str, base: Any, ours: Any, theirs: Any) -> Any:
        ids = (side for side in (ours, theirs) if side is not ABSENT)
        return max(ids, key=lambda id: (self.widths.get(id, -1), id))

    def lifetime(self, path: str, place: str, base: Any, ours: Record, theirs: Record) -> Record:
        stricter = min(ours, theirs, key=_strictness)
        invalidated = ours.get("invalidated") or theirs.get("invalidated")
        return {**stricter, "invalidated": True} if invalidated else stricter

    # -- lists --------------------------------------------------------------------------------------------------------

    def records(self, path: str, place: str, base: Any, ours: Any, theirs: Any) -> Any:
        return self.listed(path, place, (base, ours, theirs), self.conflict)

    def cached_results(self, path: str, place: str, base: Any, ours: Any, theirs: Any) -> Any:
        return self.listed(path, place, (base, ours, theirs), lambda where, one, other: ABSENT)

    def tally(self, path: str, place: str, base: Any, ours: Any, theirs: Any) -> Any:
        return self.listed(path, place, (base, ours, theirs), _the_one_there)

    def computed(self, path: str, place: str, base: Any, ours: Any, theirs: Any) -> Any:
        named = {
            path
            for turn in self.turns
            for call in turn.get("calls", [])
            for touched in call.get("files", [])
            for path in (touched["path"], touched.get("old_path"))
        }
        sides = (base, ours, theirs)
        unnamed = tuple([item for item in list_of(side) if item["path"] not in named] for side in sides)
        rest = self.listed(path, place, unnamed, _the_one_there)
        return [*files_of(self.turns), *list_of(rest)] or ABSENT

    def append_only(self, path: str, place: str, base: Any, ours: Any, theirs: Any) -> Any:
        return self.listed(path, place, (base, ours, theirs), None)

    def listed(self, path: str, place: str, sides: tuple[Any, ...], lone: _Lone | None) -> Any:
        """A list merged record by record; without ``lone`` nothing is ever removed from it."""
        keyed = [keyed_by(path, list_of(side)) for side in sides]
        merged: dict[Key, Any] = {}
        for key in {**keyed[1], **keyed[2]}:
            base, ours, theirs = (side.get(key, ABSENT) for side in keyed)
            record = self.record(path, f"{place}/{'/'.join(key)}", base, ours, theirs, lone)
            if record is not ABSENT:
                merged[key] = record
        rank = self.ranks(path, keyed).__getitem__
        left, right = ([key for key in side if key in merged] for side in keyed[1:])
        order = in_order(left, right, rank)
        if RULES[path] == "append only" and len(order) not in (len(left), len(right)):
            order.sort(key=rank)
        return [merged[key] for key in order] or ABSENT

    def record(self, path: str, place: str, base: Any, ours: Any, theirs: Any, lone: _Lone | None) -> Any:
        """One record of a list, or ``ABSENT`` where it was removed."""
        if lone is None and (ours is ABSENT or theirs is ABSENT):
            return _the_one_there(place, ours, theirs)
        if same(ours, theirs) or same(base, theirs):
            return ours
        if same(base, ours):
            return theirs
        if ours is ABSENT or theirs is ABSENT:
            return lone(place, ours, theirs) if lone else ABSENT
        if RULES[path] == "named records" and base is ABSENT:
            return self.conflict(place, ours, theirs)
        return (self.turn if path == "turns" else self.fields)(f"{path}[]", place, base, ours, theirs)

    def ranks(self, path: str, keyed: list[dict[Key, Any]]) -> dict[Key, Any]:
        """What decides the order of two records of which no side holds both: time, turn, key."""
        ranks: dict[Key, Any] = {}
        for side in keyed[1:]:
            latest = ""
            for key, record in side.items():
                time, number = self.when(record)
                if path == "turns":
                    # Clocks step back in transcripts, turns don't: a turn is as late as the latest before it.
                    time = latest = max(time, latest)
                rank = (time, number, key)
                ranks[key] = min(rank, ranks.get(key, rank))
        return ranks

    def when(self, record: Any) -> tuple[str, int]:
        """The time of a record, and the number of the turn that it cites first."""
        if not isinstance(record, dict):
            return "", 0
        time = record.get("at") or record.get("boundary", {}).get("started_at", "")
        cited = record.get("turn") or next((item["turn"] for item in record.get("evidence", [])), "")
        return time, self.turn_numbers.get(cited, _NO_TURN)


# ---------------------------------------------------------------------------------------------------------------------
# Parts of the rules


def _the_one_there(place: str, ours: Any, theirs: Any) -> Any:
    return theirs if ours is ABSENT else ours


def _offsets(turn: Record, text: str) -> dict[str, tuple[int, bool]]:
    """Where the calls of one side's turn stand in the merged text, and whether that is certain."""
    own = turn.get("text", "")
    holds = text.startswith(own)
    shift = 0 if holds else len(text) - len(own)
    return {call["id"]: (max(0, call.get("after", 0) + shift), holds) for call in turn.get("calls", [])}


def _accepted(decisions: Iterable[Decision]) -> list[Decision]:
    return [decision for decision in decisions if decision["status"] == "accepted"]


def _disagree(one: Decision, other: Decision) -> bool:
    replaced = one["id"] == other.get("supersedes") or other["id"] == one.get("supersedes")
    return one.get("subject") == other.get("subject") and one["text"] != other["text"] and not replaced


def _span_end(end: SpanEnd, sides: Sides) -> dict[str, Record]:
    """The keys of one end: three-way as one value, else the side whose time reaches further."""
    base, ours, theirs = (
        {
            name: {key: side[name][key] for key in getattr(end, name) if key in side.get(name, {})}
            for name in ("boundary", "git")
        }
        for side in sides
    )
    if same(ours, theirs) or same(base, theirs):
        return ours
    if same(base, ours):
        return theirs
    farthest = max if end.latest else min
    return farthest(ours, theirs, key=lambda group: _reach(group["boundary"].get(end.time, ""), end.latest, group))


def _reach(time: str, latest: bool, group: Record) -> tuple[bool, str, str]:
    # A time that is not known reaches nowhere.
    return bool(time) if latest else not time, time, canonical(group)


def _position(order: tuple[str, ...], name: str) -> int:
    return order.index(name) if name in order else len(order)


def _strictness(lifetime: Record) -> tuple[int, str, str]:
    valid = {key: value for key, value in lifetime.items() if key != "invalidated"}
    return _position(STRICTER_LIFETIME, lifetime["kind"]), lifetime.get("expires_at", ""), canonical(valid)


# ---------------------------------------------------------------------------------------------------------------------

_Strategy = Callable[[Merger, str, str, Any, Any, Any], Any]

STRATEGIES: Final[Mapping[str, _Strategy]] = {
    "value": Merger.plain,
    "fields": Merger.fields,
    "newer version": Merger.version,
    "later status": Merger.status,
    "log": Merger.append_only,
    "text": Merger.text,
    "calls": Merger.append_only,
    "offset": Merger.offset,
    "outcome": Merger.outcome,
    "whole": Merger.whole,
    "larger": Merger.larger,
    "earlier": Merger.earlier,
    "wider compaction": Merger.wider_compaction,
    "records": Merger.records,
    "named records": Merger.records,
    "cached results": Merger.cached_results,
    "lifetime": Merger.lifetime,
    "either": Merger.either,
    "append only": Merger.append_only,
    "set": Merger.records,
    "computed": Merger.computed,
    "tally": Merger.tally,
}
# These look at every record, whatever the list as a whole did.
_OWN_ORDER: Final = frozenset({"log", "append only", "computed"})
