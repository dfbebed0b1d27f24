"""A frame over its size: what goes, in which order, and what never does."""

from __future__ import annotations

from typing import Any, cast

import pytest

from session_frames.frame_json import encoded_size
from session_frames.model import Frame
from session_frames.operations import slim

WORDS = "이 함수를 고쳐 주세요. " * 60


def call(number: int) -> dict[str, Any]:
    return {
        "id": f"c{number}",
        "tool": "Edit",
        "arguments": {"file_path": f"src/a{number}.py", "new_string": {"elided": {"size": 900, "digest": "d" * 32}}},
        "outcome": "passed",
        "files": [{"path": f"src/a{number}.py", "change": "modified"}],
        "wrote": {f"src/a{number}.py": ["AAAAAA"]},
        "result": {"size": 4, "digest": "e" * 32},
    }


@pytest.fixture
def frame() -> Frame:
    turns: list[dict[str, Any]] = []
    for number in range(0, 200, 2):
        turns.append({"id": f"u{number}", "role": "user", "text": WORDS})
        turns.append({"id": f"a{number}", "role": "agent", "text": "done", "calls": [call(number), call(number + 1)]})
    return cast(Frame, {"frame": "1.0", "id": "0" * 24, "topic": "t", "status": "closed", "turns": turns})


def test_of_a_very_large_one_arguments_and_results_go_oldest_first(
    frame: Frame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slim, "TARGET", 1000)
    monkeypatch.setattr(slim, "LARGE", encoded_size(frame) - 10_000)
    slimmed = slim.slim(frame)
    assert encoded_size(slimmed) <= slim.LARGE
    calls = [call for turn in slimmed["turns"] for call in turn.get("calls", [])]
    bare = [call for call in calls if "arguments" not in call]
    assert 0 < len(bare) < len(calls)
    assert bare == calls[: len(bare)]
    assert not any("result" in call for call in bare)
    assert all(call["files"] and call["wrote"] and call["outcome"] == "passed" for call in calls)
    assert [turn["text"] for turn in slimmed["turns"] if turn["role"] == "user"] == [WORDS] * 100
    (elided,) = slimmed["elided"]
    assert (elided["reason"], elided["count"]) == ("arguments and results", len(bare))


def test_one_that_is_only_large_keeps_them(frame: Frame, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slim, "TARGET", 1000)
    assert slim.slim(frame)["turns"] == frame["turns"]
