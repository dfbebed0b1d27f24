"""A turn while it grows, and what a frame keeps of it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import cast

from session_frames.frame_json import is_time
from session_frames.model import Call, Tokens, Turn


class Words:
    """A text that grows block by block, joined by blank lines; a long one is copied once, at the end."""

    def __init__(self) -> None:
        self._blocks: list[str] = []
        self.size = 0

    def add(self, text: str) -> None:
        """One block more; an empty one is nothing."""
        if text:
            self.size += len(text) + (2 if self._blocks else 0)
            self._blocks.append(text)

    def extend(self, other: Words) -> int:
        """The blocks of another text behind these; by how many characters they moved."""
        before = self.size
        for block in other._blocks:
            self.add(block)
        return self.size - other.size if other.size else before

    def __str__(self) -> str:
        return "\n\n".join(self._blocks)


class Draft:
    """A turn while it grows."""

    def __init__(self, role: str, key: str, at: str) -> None:
        self.role = role
        self.keys = {key} if key else set()
        self.key = key
        self.at = time_of(at)
        self.text = Words()
        self.reasoning = Words()
        self.calls: list[Call] = []
        self.tokens: dict[str, tuple[int, int, int, int]] = {}  # input, output, cache read, cache write
        self.origin = ""
        self.thread = ""

    @property
    def is_empty(self) -> bool:
        """Is it a turn of the person without a word?"""
        return self.role == "user" and not str(self.text).strip()

    def take_over(self, other: Draft) -> None:
        """What the next turn of the same side says and does belongs to this one."""
        moved = self.text.extend(other.text)
        self.reasoning.extend(other.reasoning)
        for call in other.calls:
            if moved:
                call["after"] = call.get("after", 0) + moved
            self.calls.append(call)
        self.tokens.update(other.tokens)
        self.keys |= other.keys

    def turn(self, turn_id: str) -> Turn:
        """The turn as a frame keeps it."""
        turn = Turn(id=turn_id, role="user" if self.role == "user" else "agent")
        told = {
            "thread": self.thread,
            "at": self.at,
            "text": str(self.text),
            "reasoning": str(self.reasoning),
            "calls": self.calls,
            "tokens": _summed(self.tokens.values()),
            "origin": self.origin if self.role == "user" else "",
        }
        return cast(Turn, {**turn, **{name: value for name, value in told.items() if value}})


def turn_ids(drafts: Iterable[Draft]) -> dict[int, str]:
    """The id of each draft: the agent's own for its first record, else ``u<n>`` or ``a<n>``."""
    ids: dict[int, str] = {}
    taken: set[str] = set()
    counts = {"user": 0, "agent": 0}
    for draft in drafts:
        counts[draft.role] += 1
        own = draft.key
        name = own if own and ":" not in own and own not in taken else f"{draft.role[0]}{counts[draft.role]}"
        while name in taken:
            name += "+"
        taken.add(name)
        ids[id(draft)] = name
    return ids


def _summed(counts: Iterable[tuple[int, int, int, int]]) -> Tokens:
    names = ("input", "output", "cache_read", "cache_write")
    requests = [request for request in counts if any(request)]
    summed = {name: sum(column) for name, column in zip(names, zip(*requests, strict=True), strict=False)}
    if len(requests) > 1:
        summed["context"] = sum(requests[-1])
    return cast(Tokens, {name: count for name, count in summed.items() if count})


def time_of(text: str) -> str:
    """The time that a transcript writes, as frames hold it; "" for what is none."""
    if is_time(text):
        return text
    try:
        return datetime.fromisoformat(text).isoformat().replace("+00:00", "Z")
    except ValueError:
        return ""
