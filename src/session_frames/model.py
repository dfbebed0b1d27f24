"""What a frame is: plain JSON values, typed.

A frame in memory is the JSON object of its file (``schemas/frame.schema.json``), so unknown keys of other tools survive
on every level and every operation is a function from values to values. The classes below give the keys their types;
the order of the keys is the order in which they are written. A key may be missing when it holds its default (empty
list, false, null, empty string), save where it is ``Required``.

Nothing here is ever changed in place once it has been handed on: operations copy what they change.
"""

# No `from __future__ import annotations`: strings would have to be compiled, one by one, at each start of a hook.

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal, Required, TypedDict

FORMAT_VERSION: Final = "1.0"

Status = Literal["active", "closed", "archived", "exported"]
DecisionStatus = Literal["proposed", "accepted", "deferred", "overruled", "rejected", "unknown"]
QuestionStatus = Literal["open", "answered", "deferred"]
StepStatus = Literal["open", "done", "deferred"]
By = Literal["user", "agent", "pipeline"]
Change = Literal["added", "modified", "deleted", "renamed", "read"]
Role = Literal["user", "agent", "system"]
Origin = Literal["typed", "queued", "answer", "injected", "command"]
CallOutcome = Literal["passed", "failed", "pending", "unknown"]
CheckOutcome = Literal["passed", "failed", "unknown"]
BoundaryKind = Literal["session", "checkpoint", "topic-shift", "user"]
ThreadStatus = Literal["open", "merged", "abandoned"]
Annotation = Literal["resolved", "overruled", "key-constraint", "in-progress", "dead-end"]
LifetimeKind = Literal["session", "commit", "date", "files", "manual"]

MAIN_THREAD: Final = "main"


class Session(TypedDict, total=False):
    agent: str
    agent_version: str
    session_id: str
    models: list[str]
    parent: str


class Boundary(TypedDict, total=False):
    started_at: str
    ended_at: str
    first: str
    last: str
    start: BoundaryKind
    end: BoundaryKind


class Git(TypedDict, total=False):
    branch: str
    base: str
    head: str


class Evidence(TypedDict, total=False):
    turn: Required[str]
    quote: Required[str]


class Decision(TypedDict, total=False):
    id: Required[str]
    text: Required[str]
    subject: str
    status: Required[DecisionStatus]
    by: Required[By]
    rationale: str
    evidence: list[Evidence]
    supersedes: str
    verified: bool  # written only when false; absent means verified


class Constraint(TypedDict, total=False):
    id: Required[str]
    text: Required[str]
    status: Required[DecisionStatus]
    by: Required[By]
    evidence: list[Evidence]
    verified: bool


class Question(TypedDict, total=False):
    id: Required[str]
    text: Required[str]
    status: Required[QuestionStatus]
    by: Required[By]
    answer: str
    evidence: list[Evidence]
    verified: bool


class NextStep(TypedDict, total=False):
    id: Required[str]
    text: Required[str]
    status: Required[StepStatus]
    by: Required[By]
    evidence: list[Evidence]
    verified: bool


class Check(TypedDict, total=False):
    command: Required[str]
    outcome: Required[CheckOutcome]
    turn: str


class Claim(TypedDict, total=False):
    text: Required[str]
    turn: str


class FileChange(TypedDict, total=False):
    path: Required[str]
    change: Required[Change]
    old_path: str
    turns: list[str]


class Excerpt(TypedDict, total=False):
    """What stays of a long text: its size in characters, the digest of the (redacted) whole, both ends."""

    size: Required[int]
    digest: str
    head: str
    tail: str
    kind: str


class Lifetime(TypedDict, total=False):
    kind: Required[LifetimeKind]
    tree: str
    expires_at: str
    files: dict[str, str]
    invalidated: bool


class ToolResult(TypedDict, total=False):
    id: Required[str]
    tool: Required[str]
    arguments: Any
    topic: str
    turn: str
    at: str
    tokens: int
    digest: str
    content: str
    lifetime: Required[Lifetime]


class Touched(TypedDict, total=False):
    path: Required[str]
    change: Required[Change]
    old_path: str


class Call(TypedDict, total=False):
    id: Required[str]
    tool: Required[str]
    after: int  # characters of the turn's text that came before the call
    arguments: Any
    outcome: Required[CallOutcome]
    files: list[Touched]
    wrote: dict[str, list[str]]  # path -> runs of added lines, 6 base64url characters a line
    result: Excerpt
    subagent: Any
    pruned: bool


class Tokens(TypedDict, total=False):
    input: int
    output: int
    cache_read: int
    cache_write: int
    context: int  # of the turn's last request, where it took several


class Turn(TypedDict, total=False):
    id: Required[str]
    thread: str  # absent: the main thread
    role: Required[Role]
    at: str
    text: str
    reasoning: str
    calls: list[Call]
    tokens: Tokens
    origin: Origin
    pinned: bool
    pruned: bool
    compacted: str
    annotation: Annotation
    note: str
    picked: dict[str, str]  # thread that took the turn, too -> its last turn then
    subagent: Any


class Thread(TypedDict, total=False):
    name: Required[str]
    parent: str
    from_turn: str
    status: Required[ThreadStatus]
    commit: str
    branch: str


class Checkpoint(TypedDict, total=False):
    name: Required[str]
    turn: Required[str]
    at: str
    commit: str
    branch: str
    note: str


class Compaction(TypedDict, total=False):
    id: Required[str]
    at: str
    turns: list[str]
    kind: Literal["structural"]
    summary: Required[str]
    by: By
    tokens_before: int
    tokens_after: int
    digest: str


class Event(TypedDict, total=False):
    id: Required[str]
    at: Required[str]
    kind: Required[str]
    by: By
    turns: list[str]
    data: Any


class MergedFrom(TypedDict, total=False):
    id: Required[str]
    topic: str
    session: Session
    boundary: Boundary
    git: Git


class MergeConflict(TypedDict, total=False):
    id: Required[str]
    where: Required[str]
    values: Required[list[Any]]


class Redaction(TypedDict, total=False):
    id: Required[str]
    rule: Required[str]
    where: Required[str]
    count: Required[int]


class Elision(TypedDict, total=False):
    reason: Required[str]
    where: str
    count: int
    chars: int
    digest: str


class SkippedRecords(TypedDict, total=False):
    reason: Required[str]
    count: Required[int]
    lines: list[int]


class Frame(TypedDict, total=False):
    frame: Required[str]
    id: Required[str]
    topic: Required[str]
    title: str
    status: Required[Status]
    goal: str
    session: Session
    boundary: Boundary
    git: Git
    decisions: list[Decision]
    constraints: list[Constraint]
    open_questions: list[Question]
    next_steps: list[NextStep]
    verification: list[Check]
    unverified: list[Claim]
    files: list[FileChange]
    tool_results: list[ToolResult]
    turns: list[Turn]
    thread: str  # the current one; absent: the main thread
    threads: list[Thread]
    checkpoints: list[Checkpoint]
    compactions: list[Compaction]
    events: list[Event]
    merged_from: list[MergedFrom]
    merge_conflicts: list[MergeConflict]
    redactions: list[Redaction]
    elided: list[Elision]
    skipped_records: list[SkippedRecords]


# The status of a frame moves along these edges only.
STATUS_TRANSITIONS: Final[Mapping[Status, tuple[Status, ...]]] = {
    "active": ("closed",),
    "closed": ("active", "archived", "exported"),
    "exported": ("closed", "archived"),
    "archived": ("closed",),
}


def digest(text: str, digits: int = 32) -> str:
    """The first ``digits`` hex digits of sha256 of the text; a lone surrogate counts as its three bytes."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:digits]


def joined_digest(parts: Iterable[str], digits: int) -> str:
    """Digest of several texts, each kept apart from the next by its length."""
    return digest("".join(f"{len(part)}:{part}" for part in parts), digits)


def frame_id(agent: str, session_id: str, start: str = "session") -> str:
    """The id of a frame: 24 hex digits of (agent, the agent's session id, start boundary).

    ``start`` is ``session`` for a frame that begins with its session, else the id of its first turn.
    """
    return joined_digest((agent, session_id, start), 24)


def merged_id(ids: Iterable[str]) -> str:
    """The id of the frame made of several sessions: the digest of their sorted ids."""
    return joined_digest(sorted(set(ids)), 24)


def item_id(kind: str, turn: str, content: str) -> str:
    """The id of a decision, question, event and the like: 8 hex digits of (kind, turn id, content)."""
    return joined_digest((kind, turn, content), 8)
