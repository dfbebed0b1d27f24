"""Events of a transcript -> turns: numbered, paired, redacted and cut to what a frame keeps."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple, cast

from session_frames.model import (
    Call,
    Check,
    Compaction,
    Elision,
    Redaction,
    SkippedRecords,
    Thread,
    Touched,
    Turn,
    item_id,
)
from session_frames.operations.anchors import run_anchor
from session_frames.operations.drafts import Draft, turn_ids
from session_frames.operations.excerpts import excerpt_of_result, shallow, shortened
from session_frames.operations.extract.verification import is_check, outcome_of
from session_frames.operations.redact import DEFAULT, Policy, find_secrets, redact_text, redact_value
from session_frames.operations.shell_files import sure_changes
from session_frames.operations.summaries import Summaries
from session_frames.transcripts.base import (
    Abandon,
    AgentText,
    Begins,
    Edit,
    Event,
    Meta,
    Nested,
    NoConversation,
    ReachesBack,
    Reasoning,
    Retract,
    Skipped,
    Summary,
    ToolCall,
    ToolResult,
    Usage,
    UserWords,
)

LONGEST_COMMAND = 300
MOST_LINES_TOLD = 20

# Where a path of the transcript lies in the repository: (path as recorded, working directory) -> path from the top of
# the work tree, or None when it is outside.
Locate = Callable[[str, str], str | None]


class Assembled(NamedTuple):
    """A transcript as a frame keeps it, before anything is said about what it means."""

    turns: list[Turn]
    meta: dict[str, list[str]]  # name of a fact -> its values in order of appearance
    verification: list[Check]
    threads: list[Thread]
    compactions: list[Compaction]
    redactions: list[Redaction]
    elided: list[Elision]
    skipped_records: list[SkippedRecords]
    no_conversation: str  # why there is none, else ""
    shares_file: bool = False  # other sessions stand in the same file, and may be of other repositories

    def fact(self, name: str) -> str:
        """The fact of that name ("" where the transcript does not tell it): the first for ids, else the last."""
        values = self.meta.get(name) or [""]
        return values[0] if name in ("session_id", "base", "started", "branch", "cwd") else values[-1]


def assemble(
    events: Iterable[Event | NoConversation],
    *,
    policy: Policy | None = DEFAULT,
    locate: Locate | None = None,
    keep_reasoning: bool = False,
) -> Assembled:
    """The turns and facts that the events tell.

    Every string is redacted under ``policy`` (None: not at all, for comparisons only) before anything is cut or
    hashed. Paths that ``locate`` does not place in the repository are left out of ``files`` and ``wrote``.
    """
    assembler = Assembler(policy, locate or (lambda path, cwd: path), keep_reasoning)
    for event in events:
        assembler.take(event)
    return assembler.finish()


def assemble_all(
    events: Iterable[Event | NoConversation],
    *,
    policy: Policy | None = DEFAULT,
    locate: Locate | None = None,
    keep_reasoning: bool = False,
) -> Iterator[Assembled]:
    """As ``assemble``, for a file that may hold several sessions (``Begins``): one after another, at least one."""
    assembler = Assembler(policy, locate or (lambda path, cwd: path), keep_reasoning)
    begun = False
    for event in events:
        if isinstance(event, Begins):
            if begun:
                yield assembler.finish()._replace(shares_file=True)
                assembler = Assembler(policy, assembler.locate, keep_reasoning)
            begun = True
        else:
            assembler.take(event)
    yield assembler.finish()._replace(shares_file=begun)


class Asked(NamedTuple):
    """A call that was made: what of it has to be known when its result comes, and no more."""

    draft: Draft
    call: Call
    number: int  # in its turn
    command: str | None  # None: forgotten, because the reading was put away when the result was there


class Assembler:
    """What the events told so far; it can be put away and gone on with (``operations.put_away``)."""

    def __init__(self, policy: Policy | None, locate: Locate, keep_reasoning: bool) -> None:
        self.policy = policy
        self.locate = locate
        self.keep_reasoning = keep_reasoning
        self.drafts: list[Draft] = []
        self.meta: dict[str, list[str]] = {}
        self.calls: dict[str, Asked] = {}
        self.checks: dict[object, tuple[Draft, Check]] = {}  # by draft and number of the call
        self.abandoned: list[set[str]] = []
        self.nested: dict[str, Assembler] = {}
        self.summaries = Summaries()
        self.hits: dict[tuple[str, Draft, str], int] = {}
        self.skipped: dict[str, SkippedRecords] = {}
        self.outside = 0
        self.counted = [0, 0, 0, 0]
        self.no_conversation = ""
        self.waiting_keys: set[str] = set()
        self.waiting_key = ""

    def take(self, event: Event | NoConversation) -> None:
        """Take in one event."""
        _TAKE[type(event)](self, event)

    # -- one method an event ------------------------------------------------------------------------------------------

    def take_meta(self, event: Meta) -> None:
        values = self.meta.setdefault(event.name, [])
        if event.value and (not values or values[-1] != event.value):
            values.append(event.value)

    def take_words(self, event: UserWords) -> None:
        draft = Draft("user", event.key, event.at)
        draft.origin = event.origin
        self.drafts.append(draft)
        draft.text.add(self.clean(event.text, draft, "text"))
        self.waiting_keys, self.waiting_key = set(), ""

    def take_text(self, event: AgentText) -> None:
        draft = self.agent_draft(event.key, event.at)
        draft.text.add(self.clean(event.text, draft, "text"))

    def take_reasoning(self, event: Reasoning) -> None:
        if self.drafts and self.drafts[-1].role == "agent":
            draft = self.agent_draft(event.key, event.at)
        elif not self.keep_reasoning:
            # Thinking alone makes no turn, but when words follow the turn begins with this record.
            self.waiting_key = self.waiting_key or event.key
            self.waiting_keys.add(event.key)
            return
        else:
            draft = self.agent_draft(event.key, event.at)
        if self.keep_reasoning:
            draft.reasoning.add(self.clean(event.text, draft, "reasoning"))

    def take_call(self, event: ToolCall) -> None:
        draft = self.agent_draft(event.key, event.at)
        number = len(draft.calls) + 1
        call = Call(id=event.id, tool=event.tool, outcome="pending")
        if draft.text.size:
            call["after"] = draft.text.size
        event = event._replace(arguments=shallow(event.arguments))
        arguments = self.clean_value(self.without_root(event.arguments), draft, f"calls/{number}/arguments")
        if arguments not in (None, {}, [], ""):
            call["arguments"] = shortened(arguments)
        self.set_edits(call, event.edits, draft, number)
        draft.calls.append(call)
        self.calls[event.id] = Asked(draft, call, number, event.command)

    def take_result(self, event: ToolResult) -> None:
        found = self.calls.get(event.id)
        if found is None:
            self.take_skipped(Skipped("result without a call", 0))
            return
        draft, call, number, asked = found
        if asked is None:
            raise ReachesBack
        text = self.clean(event.text, draft, f"calls/{number}/result")
        call["outcome"] = event.outcome
        call["result"] = excerpt_of_result(text, event.kind)
        if event.edits is not None:
            self.set_edits(call, event.edits, draft, number)
        if asked and event.outcome == "passed" and not call.get("files"):
            sure = sure_changes(asked)
            self.set_edits(call, (Edit(path, change, old) for path, change, old in sure), draft, number)
        if asked and is_check(asked):
            failed = None if event.outcome in ("unknown", "pending") else event.outcome == "failed"
            command = self.clean(str(self.without_root(asked)), draft, f"calls/{number}/arguments")
            check = Check(command=command[:LONGEST_COMMAND], outcome=outcome_of(asked, text, event.exit_code, failed))
            self.checks[draft, number] = (draft, check)

    def take_nested(self, event: Nested) -> None:
        """What a sub-agent did hangs on the call that started it; nobody's own words are in it."""
        nested = self.nested.get(event.call)
        if nested is None:
            nested = self.nested[event.call] = Assembler(self.policy, self.locate, self.keep_reasoning)
            nested.meta = self.meta
        nested.take(event.event)

    def take_usage(self, event: Usage) -> None:
        if not self.drafts or self.drafts[-1].role != "agent":
            return
        counts = list(event[1:5])
        if event.total:  # of the whole session: what was not counted before belongs to this turn
            counts = [max(0, count - before) for count, before in zip(counts, self.counted, strict=True)]
        tokens = self.drafts[-1].tokens
        key = f"total {len(tokens)}" if event.total else event.key
        before = tokens.get(key, (0, 0, 0, 0))
        tokens[key] = (counts[0], counts[1], counts[2], counts[3])
        self.counted = [sum(new) for new in zip(self.counted, counts, (-count for count in before), strict=True)]

    def take_summary(self, event: Summary) -> None:
        text = redact_text(event.text, self.policy)[0] if self.policy else event.text
        self.summaries.add(event, text, self.drafts)

    def take_retract(self, event: Retract) -> None:
        self.drafts = [draft for draft in self.drafts if draft.role != "user" or draft.key != event.key]

    def take_abandon(self, event: Abandon) -> None:
        self.abandoned.append(set(event.keys))

    def take_skipped(self, event: Skipped) -> None:
        told = self.skipped.setdefault(event.reason, SkippedRecords(reason=event.reason, count=0, lines=[]))
        told["count"] += 1
        if event.line and len(told["lines"]) < MOST_LINES_TOLD:
            told["lines"].append(event.line)

    def take_no_conversation(self, event: NoConversation) -> None:
        self.no_conversation = event.why

    # -- parts --------------------------------------------------------------------------------------------------------

    def agent_draft(self, key: str, at: str) -> Draft:
        if self.drafts and self.drafts[-1].role == "agent":
            if key:
                self.drafts[-1].keys.add(key)
            return self.drafts[-1]
        draft = Draft("agent", self.waiting_key or key, at)
        draft.keys |= self.waiting_keys
        self.waiting_keys, self.waiting_key = set(), ""
        self.drafts.append(draft)
        return draft

    def clean(self, text: str, draft: Draft, where: str) -> str:
        if self.policy is None or not text:
            return text
        cleaned, hits = self.policy.redact_again(text)
        for hit in hits:
            self.note_hit(hit.rule, draft, where, 1)
        return cleaned

    def clean_value(self, value: Any, draft: Draft, where: str) -> Any:
        if self.policy is None:
            return value
        return redact_value(
            value, self.policy, where, lambda rule, place, count: self.note_hit(rule, draft, place, count)
        )

    def note_hit(self, rule: str, draft: Draft, where: str, count: int) -> None:
        key = (rule, draft, where)
        self.hits[key] = self.hits.get(key, 0) + count

    def without_root(self, value: Any) -> Any:
        """Arguments with the paths of this machine made relative to the working directory."""
        root = self.cwd().rstrip("/\\")
        return _replaced(value, root, _below(root)) if len(root) > 1 else value

    def cwd(self) -> str:
        """The working directory by now, "" where none was told."""
        return (self.meta.get("cwd") or [""])[-1]

    def set_edits(self, call: Call, edits: Iterable[Edit], draft: Draft, number: int) -> None:
        files: list[Touched] = []
        wrote: dict[str, list[str]] = {}
        cwd = self.cwd()
        for edit in edits:
            path = self.locate(edit.path, cwd)
            if path is None:
                self.outside += 1
                continue
            path = self.clean(path, draft, f"calls/{number}/files")
            touched = Touched(path=path, change=edit.change)
            old_path = edit.old_path and self.locate(edit.old_path, cwd)
            if old_path:
                touched["old_path"] = old_path
            if touched not in files:
                files.append(touched)
            runs = [anchor for run in edit.added if (anchor := self.anchor(run))]
            if runs:
                wrote.setdefault(path, []).extend(runs)
        for key, value in (("files", files), ("wrote", wrote)):
            call.pop(key, None)  # type: ignore[misc]
            if value:
                call[key] = value  # type: ignore[literal-required]

    def anchor(self, run: tuple[str, ...]) -> str:
        if self.policy is None:
            return run_anchor(run)
        hidden: list[int] = []
        hits = find_secrets("\n".join(run), self.policy)
        if hits:
            start = 0
            for at, line in enumerate(run):
                end = start + len(line)
                if any(hit.start <= end and hit.end > start for hit in hits):
                    hidden.append(at)
                start = end + 1
        return run_anchor(run, hidden)

    # -- the end ------------------------------------------------------------------------------------------------------

    def finish(self) -> Assembled:
        drafts = list(self.joined_drafts())
        self.hang_nested()
        ids = turn_ids(drafts)
        threads = self.mark_abandoned(drafts, ids)
        checks = [Check({**check, "turn": ids[id(draft)]}) for draft, check in self.checks.values() if id(draft) in ids]
        return Assembled(
            turns=[draft.turn(ids[id(draft)]) for draft in drafts],
            meta=self.meta,
            verification=checks,
            threads=threads,
            compactions=self.summaries.compactions(drafts, ids),
            redactions=self.redactions(ids),
            elided=[Elision(reason="path outside the repository", count=self.outside)] if self.outside else [],
            skipped_records=[_told(record) for record in self.skipped.values()],
            no_conversation=self.no_conversation,
        )

    def hang_nested(self) -> None:
        """Put each sub-agent's log on its call; one whose call is not in the file is counted as not understood."""
        for call_id, nested in self.nested.items():
            found = self.calls.get(call_id)
            log = nested.finish()
            if found is None:
                self.take_skipped(Skipped("a sub-agent's log without its call", 0))
                continue
            draft, call, number, _ = found
            call["subagent"] = {"turns": [_as_told_to_subagent(turn) for turn in log.turns]}
            self.checks.update({id(check): (draft, check) for check in log.verification})
            place = f"calls/{number}/subagent"
            for redaction in log.redactions:
                self.note_hit(redaction["rule"], draft, f"{place}/{redaction['where']}", redaction["count"])
            self.outside += nested.outside
            for record in log.skipped_records:
                told = self.skipped.setdefault(
                    record["reason"], SkippedRecords(reason=record["reason"], count=0, lines=[])
                )
                told["count"] += record["count"]

    def joined_drafts(self) -> Iterator[Draft]:
        """The drafts, with agent turns that a retraction left side by side made one; empty user turns left out."""
        last: Draft | None = None
        for draft in self.drafts:
            if draft.is_empty:
                continue
            if last is not None and last.role == draft.role == "agent":
                last.take_over(draft)
                for key in ((draft, number) for number in range(1, len(draft.calls) + 1)):
                    if key in self.checks:
                        self.checks[key] = (last, self.checks[key][1])
                continue
            if last is not None:
                yield last
            last = draft
        if last is not None:
            yield last

    def mark_abandoned(self, drafts: list[Draft], ids: dict[int, str]) -> list[Thread]:
        threads: list[Thread] = []
        for keys in self.abandoned:
            name = f"rewound-{len(threads) + 1}"
            before = ""
            found = False
            for draft in drafts:
                if draft.keys & keys:
                    draft.thread, found = name, True
                elif not found:
                    before = ids[id(draft)]
            if found:
                thread = Thread(name=name, parent="main", status="abandoned")
                if before:
                    thread["from_turn"] = before
                threads.append(thread)
        return threads

    def redactions(self, ids: dict[int, str]) -> list[Redaction]:
        told = []
        for (rule, draft, where), count in self.hits.items():
            if id(draft) in ids:
                place = f"turns/{ids[id(draft)]}/{where}"
                told.append(Redaction(id=item_id("redaction", place, rule), rule=rule, where=place, count=count))
        return told


_TAKE: dict[type, Callable[[Assembler, Any], None]] = {
    Begins: lambda assembler, event: None,
    Nested: Assembler.take_nested,
    Meta: Assembler.take_meta,
    UserWords: Assembler.take_words,
    AgentText: Assembler.take_text,
    Reasoning: Assembler.take_reasoning,
    ToolCall: Assembler.take_call,
    ToolResult: Assembler.take_result,
    Usage: Assembler.take_usage,
    Summary: Assembler.take_summary,
    Retract: Assembler.take_retract,
    Abandon: Assembler.take_abandon,
    Skipped: Assembler.take_skipped,
    NoConversation: Assembler.take_no_conversation,
}


def _as_told_to_subagent(turn: Turn) -> Turn:
    """The prompts of a sub-agent are the agent's, not a person's."""
    if turn["role"] != "user":
        return turn
    return cast(Turn, {**{key: value for key, value in turn.items() if key != "origin"}, "role": "system"})


def _told(record: SkippedRecords) -> SkippedRecords:
    return record if record["lines"] else SkippedRecords(reason=record["reason"], count=record["count"])


@lru_cache(maxsize=8)
def _below(root: str) -> re.Pattern[str]:
    """The folder with what lies in it, or the folder alone; not one whose name only begins like it."""
    return re.compile(re.escape(root) + r"""(?:([/\\])|(?![\w.\-]))""")


def _replaced(value: Any, root: str, pattern: re.Pattern[str]) -> Any:
    if isinstance(value, str):
        return pattern.sub(lambda found: "" if found[1] else ".", value) if root in value else value
    if isinstance(value, dict):
        return {key: _replaced(item, root, pattern) for key, item in value.items()}
    if isinstance(value, list):
        return [_replaced(item, root, pattern) for item in value]
    return value
