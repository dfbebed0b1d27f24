"""Frames as sessions leave them, and edits as people and agents make them, for tests of laws.

``frames()`` draws a frame, ``triples()`` a base with two states that edits made of it. Which edits are made is drawn by
Hypothesis, so that a failing example shrinks to the few that matter; their details come from a seeded generator.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any, NamedTuple, cast

from hypothesis import strategies as st

from session_frames.model import Call, Frame, Turn, digest, frame_id, item_id
from session_frames.operations.touched_files import files_of

Record = dict[str, Any]
Edit = Callable[[Record, random.Random, str], None]

WORDS = (
    "use the token cache",
    "토큰 캐시를 쓰세요",
    "リフレッシュ",
    'keep «quotes» and "these"',
    "line one\nline two",
    "tab\there \u2028 and \x7f",
    "🙂 half \ud83d of it",
    "binary \udcb2",
    "ok",
    "key sk-abc123 is set",
)
SECRET = "sk-abc123"
PATHS = ("src/auth.py", "src/tokens.py", "docs/설계.md")
ARGUMENTS: tuple[Record, ...] = ({"n": 1}, {"n": True}, {"n": 1.0}, {"key": SECRET}, {"new": {"elided": {"size": 300}}})


class Triple(NamedTuple):
    """A base and the two states that edits made of it."""

    base: Frame
    ours: Frame
    theirs: Frame


@st.composite
def frames(draw: st.DrawFn, session: str = "s-1") -> Frame:
    """A frame of one session, after some edits."""
    rng = random.Random(draw(st.integers(0, 1 << 30)))
    return edited(new_frame(rng, session), draw(_EDIT_LISTS), rng, session)


@st.composite
def triples(draw: st.DrawFn) -> Triple:
    """A base and two states of it. All edits are of a few kinds, so that both sides often meet at one place."""
    rng = random.Random(draw(st.integers(0, 1 << 30)))
    kinds = st.sampled_from(draw(st.lists(st.sampled_from(sorted(EDITS)), min_size=1, max_size=5)))
    base = edited(new_frame(rng), draw(st.lists(kinds, max_size=6)), rng, "b")
    shared = edited(base, draw(st.lists(kinds, max_size=2)), rng, "s")
    ours, theirs = (edited(shared, draw(st.lists(kinds, max_size=6)), rng, side) for side in ("o", "t"))
    return Triple(base, ours, theirs)


@st.composite
def additions(draw: st.DrawFn) -> tuple[Frame, Frame, Frame, Frame]:
    """A base and three states of it to which edits only added records, each its own."""
    rng = random.Random(draw(st.integers(0, 1 << 30)))
    base = new_frame(rng)
    names = st.lists(st.sampled_from(ADDING), min_size=1, max_size=5)
    one, two, three = (edited(base, draw(names), rng, side) for side in ("o", "t", "z"))
    return base, one, two, three


def new_frame(rng: random.Random, session: str = "s-1") -> Frame:
    """The frame of a session with a few turns."""
    frame: Record = {
        "frame": "1.0",
        "id": frame_id("claude-code", session),
        "topic": rng.choice(WORDS),
        "status": "active",
        "session": {"agent": "claude-code", "session_id": session, "models": ["large"]},
        "boundary": {"started_at": "2026-06-02T10:00:00Z", "first": "u1", "start": "session"},
        "git": {"branch": "main", "base": "a" * 40},
        "turns": [],
    }
    for _ in range(rng.randrange(1, 5)):
        append_turn(frame, rng, "b")
    return cast(Frame, frame)


def edited(frame: Frame, names: list[str], rng: random.Random, side: str) -> Frame:
    """A new state of the frame: the named edits were made on one side."""
    state = cast(Record, copy.deepcopy(frame))
    for name in names:
        EDITS[name](state, rng, side)
    state["files"] = files_of(state["turns"])
    return cast(Frame, {key: value for key, value in state.items() if value not in ([], {}, "", None)})


# ---------------------------------------------------------------------------------------------------------------------
# Edits


def append_turn(frame: Record, rng: random.Random, side: str) -> None:
    number = len(frame["turns"]) + 1
    role = ("agent", "user")[number % 2]
    minute = number + rng.randrange(3)
    turn = Turn(id=f"{role[0]}{number}" if side == "b" else f"{side}-{number}", role=role, text=rng.choice(WORDS))  # type: ignore[typeddict-item]
    if rng.random() < 0.8:
        turn["at"] = f"2026-06-02T10:{minute:02}:00Z"
    frame["turns"].append(turn)
    if role == "agent":
        add_call(frame, rng, side)
    frame["boundary"]["last"] = turn["id"]
    frame["boundary"]["ended_at"] = f"2026-06-02T10:{minute:02}:30Z"


def grow_last_turn(frame: Record, rng: random.Random, side: str) -> None:
    turn = frame["turns"][-1]
    turn["text"] = turn.get("text", "") + "\n" + rng.choice(WORDS)
    if turn["role"] == "agent":
        add_call(frame, rng, side)
        turn["tokens"] = {"input": rng.randrange(9), "output": rng.randrange(9)}


def add_call(frame: Record, rng: random.Random, side: str) -> None:
    turn = frame["turns"][-1]
    calls = turn.setdefault("calls", [])
    call = Call(
        id=f"c{len(calls)}{rng.choice(('', side))}", tool="Edit", after=len(turn.get("text", "")), outcome="pending"
    )
    call["arguments"] = rng.choice(
        [{"n": 1}, {"n": True}, {"n": 1.0}, {"key": SECRET}, {"new": {"elided": {"size": 300}}}]
    )
    if rng.random() < 0.7:
        call["outcome"] = rng.choice(("passed", "failed", "unknown"))
        call["files"] = [{"path": rng.choice(PATHS), "change": rng.choice(("added", "modified", "deleted", "read"))}]
        call["wrote"] = {call["files"][0]["path"]: ["abcdef" * rng.randrange(1, 4)]}
        call["result"] = {"size": 7, "digest": digest(side), "head": f"done {SECRET}"}
    if all(known["id"] != call["id"] for known in calls):
        calls.append(call)


def settle_call(frame: Record, rng: random.Random, side: str) -> None:
    for turn in frame["turns"]:
        for call in turn.get("calls", []):
            if call["outcome"] == "pending":
                call["outcome"] = rng.choice(("passed", "failed"))


def mark_turn(frame: Record, rng: random.Random, side: str) -> None:
    turn = rng.choice(frame["turns"])
    key, value = rng.choice(
        [("pinned", True), ("pruned", True), ("annotation", "resolved"), ("annotation", "dead-end"), ("note", side)]
    )
    if turn.get(key) == value:
        del turn[key]
    else:
        turn[key] = value


def redact(frame: Record, rng: random.Random, side: str) -> None:
    def hidden(value: Any) -> Any:
        if isinstance(value, str):
            return value.replace(SECRET, "[redacted:api-key]")
        if isinstance(value, dict):
            return {key: hidden(item) for key, item in value.items()}
        return [hidden(item) for item in value] if isinstance(value, list) else value

    place = rng.randrange(len(frame["turns"]))
    before = frame["turns"][place]
    frame["turns"][place] = hidden(before)
    if before != frame["turns"][place]:
        where = f"turns/{before['id']}/text"
        redaction = {"id": item_id("redaction", where, "api-key"), "rule": "api-key", "where": where, "count": 1}
        if redaction not in frame.setdefault("redactions", []):
            frame["redactions"].append(redaction)


def drop_text(frame: Record, rng: random.Random, side: str) -> None:
    turn = rng.choice(frame["turns"])
    if turn["role"] == "agent" and turn.pop("text", ""):
        for call in turn.get("calls", []):
            call["after"] = 0
        frame.setdefault("elided", []).append({"reason": "dropped", "where": turn["id"], "count": 1, "chars": 9})


def add_item(frame: Record, rng: random.Random, side: str) -> None:
    turn = rng.choice(frame["turns"])["id"]
    text = f"{rng.choice(WORDS)} ({side if rng.random() < 0.8 else ''})"
    kind, statuses = rng.choice(
        [
            ("decisions", ("accepted", "proposed", "rejected")),
            ("constraints", ("accepted", "overruled")),
            ("open_questions", ("open", "deferred")),
            ("next_steps", ("open", "done")),
        ]
    )
    item = {"id": item_id(kind, turn, text), "text": text, "status": rng.choice(statuses), "by": "agent"}
    item["evidence"] = [{"turn": turn, "quote": text}]
    if rng.random() < 0.3:
        item["verified"] = False
    if kind == "decisions" and rng.random() < 0.5:
        item["subject"] = "token storage"
    if all(known["id"] != item["id"] for known in frame.setdefault(kind, [])):
        frame[kind].append(item)


def change_item(frame: Record, rng: random.Random, side: str) -> None:
    for kind, key, values in (
        ("decisions", "status", ("accepted", "overruled")),
        ("decisions", "rationale", ("because", "짧아서")),
        ("open_questions", "answer", ("yes", "no")),
        ("next_steps", "status", ("done", "deferred")),
    ):
        if frame.get(kind) and rng.random() < 0.6:
            rng.choice(frame[kind])[key] = rng.choice(values)
    if frame.get("decisions") and rng.random() < 0.3:
        rng.choice(frame["decisions"]).setdefault("evidence", []).append({"turn": "u1", "quote": side})


def remove_item(frame: Record, rng: random.Random, side: str) -> None:
    kind = rng.choice(("decisions", "next_steps", "checkpoints", "tool_results", "threads", "merge_conflicts"))
    if frame.get(kind):
        frame[kind].pop(rng.randrange(len(frame[kind])))


def add_tool_result(frame: Record, rng: random.Random, side: str) -> None:
    content = rng.choice(WORDS)
    lifetime = rng.choice(
        [
            {"kind": "session"},
            {"kind": "commit", "tree": digest(side)},
            {"kind": "date", "expires_at": f"2026-07-0{rng.randrange(1, 9)}T00:00:00Z"},
            {"kind": "files", "files": {rng.choice(PATHS): digest(content)}},
            {"kind": "manual"},
        ]
    )
    result = {"id": item_id("result", "u1", content), "tool": "Grep", "content": content, "lifetime": lifetime}
    known = [item for item in frame.setdefault("tool_results", []) if item["id"] != result["id"]]
    frame["tool_results"] = [*known, result]


def invalidate_result(frame: Record, rng: random.Random, side: str) -> None:
    if frame.get("tool_results"):
        rng.choice(frame["tool_results"])["lifetime"]["invalidated"] = True


def compact(frame: Record, rng: random.Random, side: str) -> None:
    turns = frame["turns"][: rng.randrange(1, len(frame["turns"]) + 1)]
    summary = rng.choice(WORDS) + side
    compaction = {"id": item_id("compaction", turns[0]["id"], summary), "summary": summary, "by": "agent"}
    compaction["turns"] = [turn["id"] for turn in turns]
    if all(known["id"] != compaction["id"] for known in frame.setdefault("compactions", [])):
        frame["compactions"].append(compaction)
        for turn in turns:
            turn["compacted"] = compaction["id"]
        add_event(frame, rng, side)


def undo_compaction(frame: Record, rng: random.Random, side: str) -> None:
    if frame.get("compactions"):
        undone = frame["compactions"].pop()
        for turn in frame["turns"]:
            if turn.get("compacted") == undone["id"]:
                del turn["compacted"]


def add_event(frame: Record, rng: random.Random, side: str) -> None:
    at = f"2026-06-02T11:{rng.randrange(60):02}:00Z"
    event = {
        "id": item_id("event", at, side),
        "at": at,
        "kind": "pin",
        "by": "user",
        "data": {"n": rng.choice((1, True))},
    }
    if all(known["id"] != event["id"] for known in frame.setdefault("events", [])):
        frame["events"].append(event)


def add_named(frame: Record, rng: random.Random, side: str) -> None:
    name = rng.choice(("before refactoring", "전", f"mine {side}"))
    turn = rng.choice(frame["turns"])["id"]
    kind, record = rng.choice(
        [
            ("checkpoints", {"name": name, "turn": turn}),
            ("threads", {"name": name, "from_turn": turn, "status": rng.choice(("open", "abandoned"))}),
        ]
    )
    if all(known["name"] != name for known in frame.setdefault(kind, [])):
        frame[kind].append(record)


def add_own(frame: Record, rng: random.Random, side: str) -> None:
    name = f"{side} {rng.randrange(100)}"
    turn = frame["turns"][0]["id"]
    frame.setdefault("checkpoints", []).append({"name": f"{name} {len(frame['checkpoints'])}", "turn": turn})


def add_own_step(frame: Record, rng: random.Random, side: str) -> None:
    steps = frame.setdefault("next_steps", [])
    text = f"{side} {len(steps)}"
    steps.append({"id": item_id("step", "u1", text), "text": text, "status": "open", "by": "agent"})


def add_own_event(frame: Record, rng: random.Random, side: str) -> None:
    at = f"2026-06-02T11:{rng.randrange(60):02}:00Z"
    number = len(frame.setdefault("events", []))
    frame["events"].append({"id": item_id("event", f"{side}{number}", at), "at": at, "kind": "pin"})


def add_own_turn(frame: Record, rng: random.Random, side: str) -> None:
    number = len(frame["turns"]) + 1
    at = f"2026-06-02T10:{rng.randrange(60):02}:00Z"
    frame["turns"].append(Turn(id=f"{side}-{number}", role="user", text=rng.choice(WORDS), at=at))


def add_check(frame: Record, rng: random.Random, side: str) -> None:
    check = {"command": "pytest -q", "outcome": rng.choice(("passed", "failed")), "turn": frame["turns"][-1]["id"]}
    frame.setdefault("verification", []).append(check)
    frame.setdefault("unverified", []).append({"text": f"fast enough ({side})"})
    frame.setdefault("skipped_records", []).append(
        {"reason": rng.choice(("not JSON", "unknown type")), "count": rng.randrange(1, 5), "lines": [rng.randrange(9)]}
    )


def set_field(frame: Record, rng: random.Random, side: str) -> None:
    frame[rng.choice(("topic", "title", "goal"))] = rng.choice((*WORDS[:3], side))


def set_status(frame: Record, rng: random.Random, side: str) -> None:
    frame["status"] = rng.choice(("active", "closed", "exported", "archived"))
    frame["git"]["head"] = digest(rng.choice(WORDS) + side, 40)
    frame["session"]["models"] = [*frame["session"]["models"], rng.choice(("small", side))]


def set_unknown(frame: Record, rng: random.Random, side: str) -> None:
    key = rng.choice(("x_note", "later", "x_\ud83d"))
    value = rng.choice([1, True, 1.0, None, "", [], {"k": [1, {"b": 2, "a": 1}]}, side])
    holder = rng.choice([frame, rng.choice(frame["turns"]), frame["session"], frame["boundary"]])
    holder[key] = value


EDITS: dict[str, Edit] = {
    edit.__name__: edit
    for edit in (
        append_turn,
        grow_last_turn,
        settle_call,
        mark_turn,
        redact,
        drop_text,
        add_item,
        change_item,
        remove_item,
        add_tool_result,
        invalidate_result,
        compact,
        undo_compaction,
        add_event,
        add_named,
        add_own,
        add_own_step,
        add_own_event,
        add_own_turn,
        add_check,
        set_field,
        set_status,
        set_unknown,
    )
}
ADDING = ("add_own", "add_own_step", "add_own_event", "add_own_turn")

_EDIT_LISTS = st.lists(st.sampled_from(sorted(EDITS)), max_size=8)
