"""No round of compaction, import, merge or archive loses a word of the user: all are there, in order, byte for byte.

A world is one session that grows, as its transcript holds it, and the frame that people, agents and git made of it.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, cast

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from session_frames import frame_json
from session_frames.model import Frame, Turn, frame_id
from session_frames.operations.compact import (
    Limits,
    Written,
    applied,
    compactable,
    last_compaction,
    own_summaries,
    structural,
    taken_back,
    written,
)
from session_frames.operations.context_edits import undo
from session_frames.operations.context_view import entries
from session_frames.operations.merge import merge, merge_sessions
from session_frames.operations.renew import renew

WORDS = (
    "use the token cache, please: 1. read 2. write 3. test",
    "토큰 캐시를 쓰세요  \n\t끝에 빈칸  ",
    "はい。次はテスト。",
    "```\ncode ``` in it\n```\r\nCRLF\r\n",
    "👩‍💻 zwj \u2028 and half \ud83d of it",
    "long " * 400,
    "ok",
    "",
)


class World:
    """One session and its frame; ``words`` are what the user said so far."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.turns: list[Turn] = []
        self.summaries: list[dict[str, Any]] = []
        self.clock = 0
        for _ in range(4):
            self.say()
        self.frame = self.transcript()

    def at(self) -> str:
        self.clock += 1
        return f"2026-06-02T{10 + self.clock // 3600 % 12}:{self.clock // 60 % 60:02}:{self.clock % 60:02}Z"

    def say(self) -> None:
        """Somebody says something; the agent may go on in its last turn."""
        number, rng = len(self.turns) + 1, self.rng
        at = self.at()
        last = self.turns[-1] if self.turns else None
        if last is not None and last["role"] == "agent" and rng.random() < 0.3:
            self.turns[-1] = cast(Turn, {**last, "text": last.get("text", "") + "\n\nand " + rng.choice(WORDS)})
            return
        role = "user" if last is None or last["role"] == "agent" or rng.random() < 0.2 else "agent"
        turn: dict[str, Any] = {"id": f"{role[0]}{number}", "role": role, "at": at, "text": rng.choice(WORDS)}
        if role == "agent":
            turn["text"] += " so I did" * rng.randrange(30)
            result = {"size": 900, "head": "out " * rng.randrange(1, 60)}
            turn["calls"] = [{"id": f"c{number}", "tool": "Bash", "outcome": "passed", "result": result}]
        self.turns.append(cast(Turn, turn))
        if role == "agent" and rng.random() < 0.1:
            turns = [turn["id"] for turn in self.turns]
            self.summaries.append({"id": f"s{number}", "at": at, "turns": turns, "summary": "so far", "by": "agent"})

    def transcript(self) -> Frame:
        """What reading the session gives now."""
        frame: dict[str, Any] = {
            "frame": "1.0",
            "id": frame_id("agent", "s"),
            "topic": "cache",
            "status": "closed",
            "session": {"agent": "agent", "session_id": "s"},
            "boundary": {"started_at": "2026-06-02T09:00:00Z"},
            "turns": list(self.turns),
        }
        return cast(Frame, frame | ({"compactions": list(self.summaries)} if self.summaries else {}))

    # -- rounds -------------------------------------------------------------------------------------------------------

    def grow(self, frame: Frame) -> Frame:
        if len(self.turns) < 40:
            self.say()
        return renew(frame, self.transcript())[0]

    def compact(self, frame: Frame) -> Frame:
        rng = self.rng
        limits = Limits(rng.choice((None, 200, 2000)), rng.choice((0, 50)), rng.randrange(4))
        scope = None if rng.random() < 0.5 else [turn["id"] for turn in frame["turns"] if rng.random() < 0.5]
        context = compactable(frame, limits, scope)
        if rng.random() < 0.4:
            return applied(structural(context, limits), self.at())
        count = len(frame["turns"])
        first = rng.randrange(1, count + 1)
        wide = Written(tuple(range(first, rng.randrange(first, count + 1) + 1)), f"in short {rng.random()}", "user")
        found = written(context, limits, [wide, *own_summaries(frame)])
        return applied(found, self.at(), drop=rng.random() < 0.2)

    def undo(self, frame: Frame) -> Frame:
        event = last_compaction(frame)
        if event is None or event["data"].get("dropped"):
            return frame
        if frame["events"][-1] is event and self.rng.random() < 0.5:
            return taken_back(frame, event)
        return undo(frame, event["id"], at=self.at())

    def merge(self, frame: Frame) -> Frame:
        ours, theirs = (self.edited(frame) for _ in range(2))
        return merge(self.rng.choice((frame, None)), ours, theirs).frame

    def archive(self, frame: Frame) -> Frame:
        status = "archived" if frame["status"] == "closed" else "closed"
        return frame_json.decode(frame_json.encode(cast(Frame, {**frame, "status": status})), "archive")

    def pin(self, frame: Frame) -> Frame:
        at = self.rng.randrange(len(frame["turns"]))
        turn = cast(Turn, {**frame["turns"][at], "pinned": not frame["turns"][at].get("pinned", False)})
        return cast(Frame, {**frame, "turns": [*frame["turns"][:at], turn, *frame["turns"][at + 1 :]]})

    def edited(self, frame: Frame) -> Frame:
        for _ in range(self.rng.randrange(1, 3)):
            frame = self.rng.choice((self.compact, self.undo, self.grow, self.pin))(frame)
        return frame

    def round(self) -> None:
        kinds: tuple[Callable[[Frame], Frame], ...] = (self.compact, self.grow, self.merge, self.archive, self.undo)
        self.frame = self.rng.choice(kinds)(self.frame)
        self.check()

    def check(self) -> None:
        said = [(turn["id"], turn.get("text", "")) for turn in self.turns if turn["role"] == "user"]
        held = [(turn["id"], turn.get("text", "")) for turn in self.frame["turns"] if turn["role"] == "user"]
        assert held == said[: len(held)]
        assert len(held) >= len(said) - 1  # what was said in a branch that the merge did not take is read again next
        given = [(entry.turns[0], entry.text) for entry in entries(self.frame) if entry.role == "user"]
        assert given == held


def test_thousand_rounds_lose_no_word() -> None:
    world = World(7)
    for _ in range(1000):
        world.round()
    world.frame = renew(world.frame, world.transcript())[0]
    world.check()
    assert sum(turn["role"] == "user" for turn in world.turns) > 10
    assert {event["kind"] for event in world.frame["events"]} == {"compact", "undo"}
    assert not world.frame.get("merge_conflicts", [])


@settings(
    max_examples=25, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck)
)  # fmt: skip
@given(st.integers(0, 1 << 30), st.integers(1, 20))
def test_few_rounds_of_any_session(seed: int, rounds: int) -> None:
    world = World(seed)
    for _ in range(rounds):
        world.round()


@settings(max_examples=20, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 1 << 30))
def test_merging_compacted_sessions_keeps_the_words_of_both(seed: int) -> None:
    one, other = World(seed), World(seed + 1)
    other.frame = cast(Frame, {**other.frame, "id": frame_id("agent", "t")})
    one.frame, other.frame = one.compact(one.frame), other.compact(other.frame)
    merged = merge_sessions([one.frame, other.frame]).frame
    said = [turn.get("text", "") for world in (one, other) for turn in world.turns if turn["role"] == "user"]
    assert sorted(turn.get("text", "") for turn in merged["turns"] if turn["role"] == "user") == sorted(said)
