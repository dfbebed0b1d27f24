"""A frame over 1 MB is slimmed: what a commit or the raw transcript holds anyway goes first, the user's words never."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from session_frames.frame_json import encoded_size
from session_frames.model import Call, Elision, Excerpt, Frame, Turn, digest

TARGET = 1 << 20
LARGE = 5 << 20
LONGEST_AGENT_TEXT = 1000
_KEPT_END = 400


def slim(frame: Frame) -> Frame:
    """The frame, slimmed oldest turn first until its file is at most 1 MB; each step is counted in ``elided``.

    Steps: heads and tails of results, then of arguments, then the middle of agent texts over 1,000 characters. Of one
    that is over 5 MB even so, the arguments and results of calls go as a whole, down to that size.
    """
    size = encoded_size(frame)
    if size <= TARGET:
        return frame
    turns = list(frame.get("turns", []))
    elided: list[Elision] = list(frame.get("elided", []))
    steps = [*((TARGET, *step) for step in _STEPS), (LARGE, *_LAST_STEP)]
    for limit, reason, step in steps:
        count = chars = 0
        for at, turn in enumerate(turns):
            if size <= limit:
                break
            slimmed, items, saved = _with_subagents(turn, step)
            if items:
                turns[at] = slimmed
                count, chars, size = count + items, chars + saved, size - saved
        if count:
            elided.append(Elision(reason=reason, count=count, chars=chars))
    return cast(Frame, {**frame, "turns": turns, "elided": elided})


def _with_subagents(turn: Turn, step: _Step) -> tuple[Turn, int, int]:
    """A step for the turn and for those of the sub-agents that its calls started."""
    turn, count, saved = step(turn)
    calls = list(turn.get("calls", []))
    for at, call in enumerate(calls):
        log = call.get("subagent")
        if not isinstance(log, dict) or not isinstance(log.get("turns"), list):
            continue
        inner = [_with_subagents(one, step) if _is_turn(one) else (one, 0, 0) for one in log["turns"]]
        items = sum(items for _, items, _ in inner)
        if items:
            calls[at] = cast(Call, {**call, "subagent": {**log, "turns": [one for one, _, _ in inner]}})
            count, saved = count + items, saved + sum(chars for _, _, chars in inner)
    return (cast(Turn, {**turn, "calls": calls}), count, saved) if calls and count else (turn, count, saved)


def _is_turn(value: Any) -> bool:
    """What another program wrote as a sub-agent's log may be anything."""
    return isinstance(value, dict) and "role" in value and all(isinstance(one, dict) for one in value.get("calls", []))


def _without_result_ends(turn: Turn) -> tuple[Turn, int, int]:
    calls, count, saved = [], 0, 0
    for call in turn.get("calls", []):
        result = call.get("result", Excerpt(size=0))
        ends = len(result.get("head", "")) + len(result.get("tail", ""))
        if ends and "digest" in result:
            bare = {key: value for key, value in result.items() if key not in ("head", "tail")}
            call = cast(Call, {**call, "result": bare})
            count, saved = count + 1, saved + ends
        calls.append(call)
    return cast(Turn, {**turn, "calls": calls}), count, saved


def _without_argument_ends(turn: Turn) -> tuple[Turn, int, int]:
    saved = [0, 0]

    def bare(value: Any) -> Any:
        if isinstance(value, dict):
            if set(value) == {"elided"} and isinstance(value["elided"], dict):
                excerpt = value["elided"]
                ends = len(excerpt.get("head", "")) + len(excerpt.get("tail", ""))
                if ends:
                    saved[0] += 1
                    saved[1] += ends
                return {"elided": {key: item for key, item in excerpt.items() if key not in ("head", "tail")}}
            return {key: bare(item) for key, item in value.items()}
        return [bare(item) for item in value] if isinstance(value, list) else value

    calls = [
        cast(Call, {**call, "arguments": bare(call["arguments"])}) if "arguments" in call else call
        for call in turn.get("calls", [])
    ]
    return cast(Turn, {**turn, "calls": calls}), saved[0], saved[1]


def left_out_mark(text: str) -> str:
    """What stands in a frame in place of an agent's text that was left out."""
    return f"\n[… {len(text)} characters left out, digest {digest(text)} …]\n"


def _without_middle(turn: Turn) -> tuple[Turn, int, int]:
    text = turn.get("text", "")
    if turn["role"] != "agent" or len(text) <= LONGEST_AGENT_TEXT or turn.get("pinned"):
        return turn, 0, 0
    shorter = text[:_KEPT_END] + left_out_mark(text[_KEPT_END:-_KEPT_END]) + text[-_KEPT_END:]
    # Where in the text a call came cannot be told any more, only its order.
    calls = [cast(Call, {**call, "after": min(call.get("after", 0), len(shorter))}) for call in turn.get("calls", [])]
    return cast(Turn, {**turn, "text": shorter, "calls": calls}), 1, len(text) - len(shorter)


def _without_details(turn: Turn) -> tuple[Turn, int, int]:
    """What a call did stays: its tool, its outcome, the files and their lines."""
    calls, count, saved = [], 0, 0
    for call in turn.get("calls", []):
        gone = [call[key] for key in ("arguments", "result") if key in call]
        if gone:
            call = cast(Call, {key: value for key, value in call.items() if key not in ("arguments", "result")})
            count, saved = count + 1, saved + sum(map(_size, gone))
        calls.append(call)
    return cast(Turn, {**turn, "calls": calls}), count, saved


def _size(value: Any) -> int:
    """How many characters are in a JSON value, its keys too."""
    if isinstance(value, dict):
        return sum(len(key) + _size(item) for key, item in value.items())
    return sum(map(_size, value)) if isinstance(value, list) else len(str(value))


_Step = Callable[[Turn], tuple[Turn, int, int]]
_STEPS: tuple[tuple[str, _Step], ...] = (
    ("ends of results", _without_result_ends),
    ("ends of arguments", _without_argument_ends),
    ("middles of agent texts", _without_middle),
)
_LAST_STEP: tuple[str, _Step] = ("arguments and results", _without_details)
