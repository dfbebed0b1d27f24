"""Large transcripts: what is told while one is read, and what grows with it."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from session_frames.storage.transcript_files import watched
from session_frames.transcripts import claude_code

RECORD = {"isSidechain": False, "sessionId": "s1", "cwd": "/w", "version": "2.1.0", "timestamp": "2026-06-02T10:00:00Z"}


def record(number: int, kind: str, content: Any, **more: Any) -> bytes:
    message = {"role": kind, "content": content}
    whole = {**RECORD, "type": kind, "uuid": f"r{number}", "parentUuid": f"r{number - 1}", "message": message, **more}
    return json.dumps(whole).encode() + b"\n"


def call(number: int) -> list[dict[str, Any]]:
    return [{"type": "tool_use", "id": f"c{number}", "name": "Read", "input": {"file_path": f"/w/a{number}.py"}}]


def result(number: int, content: Any) -> list[dict[str, Any]]:
    return [{"type": "tool_result", "tool_use_id": f"c{number}", "content": content}]


def test_progress_tells_how_far_the_file_was_read() -> None:
    source = io.BytesIO(record(0, "user", "go") + b"".join(record(n, "user", f"and {n}") for n in range(1, 3000)))
    size = len(source.getvalue())
    told: list[tuple[int, int]] = []
    events = list(watched(claude_code.read(source), source, lambda done, of: told.append((done, of))))
    assert len(events) > 3000
    assert len(told) > 3
    assert {of for _, of in told} == {size}
    assert told == sorted(told)
    assert told[-1][0] <= size


# Memory is asked of a process of its own: what it has touched, and not what its parts have set aside.
READ = """
import sys
from session_frames.frame_json import encode, encoded_size
from session_frames.operations.assemble import assemble
from session_frames.operations.compose import compose
from session_frames.operations.redact import DEFAULT
from session_frames.transcripts import claude_code
with open(sys.argv[1], "rb") as source:
    frame = compose(assemble(claude_code.read(source)), "claude-code", DEFAULT)
assert len(encode(frame)) == encoded_size(frame) < 60_000
with open("/proc/self/status") as status:
    print(next(int(line.split()[1]) >> 10 for line in status if line.startswith("VmHWM:")))
"""


def pictures(count: int) -> Iterator[bytes]:
    yield record(0, "user", "look at these")
    for number in range(1, count + 1):
        picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * 1_000_000}}
        yield record(2 * number, "assistant", call(number))
        yield record(2 * number + 1, "user", result(number, [picture]), toolUseResult={"type": "image"})


def one_line(megabytes: int) -> Iterator[bytes]:
    yield record(0, "user", "read it")
    yield record(1, "assistant", call(1))
    yield record(2, "user", result(1, "some words\n" * (megabytes * 100_000)))


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells the peak")
@pytest.mark.parametrize(
    ("lines", "most"), [(pictures(50), 60), (one_line(12), 110)], ids=["50 pictures of 1 MB", "a line of 12 MB"]
)
def test_memory_follows_the_longest_line(lines: Iterator[bytes], most: int, tmp_path: Path) -> None:
    with (tmp_path / "session.jsonl").open("wb") as file:
        file.writelines(lines)
    answer = subprocess.run(
        [sys.executable, "-c", READ, str(tmp_path / "session.jsonl")], capture_output=True, check=True, text=True
    )
    assert int(answer.stdout) < most
