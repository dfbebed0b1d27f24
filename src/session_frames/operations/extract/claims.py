"""What the agent says it ran or checked though the transcript shows no such run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from session_frames.model import Check, Claim, Turn

from .patterns import find
from .sentences import own_sentences, shortened

# Things that are run, as they are called in a sentence.
_RUNNABLE: Final = (
    r"\b(?:e2e|clippy|ruff|mypy|eslint|lint(?:er)?|pytest|tsc|rubocop|pylint|flake8|prettier|vitest|jest|playwright"
    r"|cypress"
    r"|integration tests?|benchmarks?|smoke tests?|golangci-lint|shellcheck|valgrind|bandit"
    r"|[a-z]+-(?:analyze|check|verify|lint|test))(?![\w-])"
)


def read_claims(turns: Sequence[Turn], checks: Sequence[Check]) -> list[Claim]:
    """Claims of a run that the agent took back in its next turn, or that names a tool no call ever ran."""
    found: list[Claim] = []
    for place, turn in enumerate(turns):
        if turn["role"] != "agent":
            continue
        for sentence in own_sentences(turn.get("text", "")):
            if not find("claim_ran", sentence) or find("asks", sentence):
                continue
            tool = re.search(_RUNNABLE, sentence, re.IGNORECASE)
            never_ran = tool is not None and not _ran(tool.group().lower(), turns[: place + 1], checks)
            if never_ran or _taken_back(turns, place):
                found.append({"text": shortened(sentence), "turn": turn["id"]})
    return found


def _taken_back(turns: Sequence[Turn], place: int) -> bool:
    following = next((one for one in turns[place + 1 :] if one["role"] == "agent"), None)
    return following is not None and any(find("admit", one) for one in own_sentences(following.get("text", "")))


def _ran(tool: str, turns: Sequence[Turn], checks: Sequence[Check]) -> bool:
    """Does any call of these turns, or a check in one of them, name the tool? The newest first."""
    for turn in reversed(turns):
        if any(tool in str(call.get("arguments", "")).lower() for call in turn.get("calls", [])):
            return True
    seen = {turn["id"] for turn in turns}
    return any(tool in check["command"].lower() for check in checks if check.get("turn", "") in seen)
