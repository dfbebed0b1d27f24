"""Calls with those that sub-agents made for them."""

from __future__ import annotations

from collections.abc import Iterator

from session_frames.model import Call, Turn


def iter_calls(turn: Turn) -> Iterator[tuple[int, Call]]:
    """(number of the turn's own call, call): each call of the turn, followed by those its sub-agents made."""
    for number, call in enumerate(turn.get("calls", []), 1):
        yield number, call
        for nested in _turns_of_subagent(call):
            yield from ((number, inner) for _, inner in iter_calls(nested))


def _turns_of_subagent(call: Call) -> list[Turn]:
    log = call.get("subagent")
    turns = log.get("turns") if isinstance(log, dict) else None
    return [turn for turn in turns if isinstance(turn, dict)] if isinstance(turns, list) else []  # type: ignore[misc]
