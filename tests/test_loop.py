"""The loop, end to end: what each command prints is compared with ``golden/loop.txt`` (renewed by ``--renew``)."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from command_line import Session

GOLDEN = Path(__file__).parent / "golden/loop.txt"

LABELS = """from dataclasses import dataclass


@dataclass(frozen=True)
class Label:
    name: str
    value: str


def parse_label(text: str) -> Label:
    name, _, value = text.partition(":")
    return Label(name.strip(), value.strip())
"""
WEIGHTS = """def weight_in_grams(value: str) -> int:
    number, unit = value.split()
    return int(float(number) * {"g": 1, "kg": 1000}[unit])
"""


class Loop:
    """A repository in which commands are run and written down with what they print."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.log: list[str] = []
        self.clock = 0

    def run(self, line: str, code: int = 0) -> str:
        """Run a line such as ``frames log -1``; ``frames`` is this checkout's."""
        self.clock += 1
        words = shlex.split(line)
        command = [sys.executable, "-m", "session_frames", *words[1:]] if words[0] == "frames" else words
        date = f"2026-06-02T10:{self.clock:02d}:00+00:00"
        environ = {**os.environ, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date, "GIT_PAGER": "cat"}
        done = subprocess.run(command, cwd=self.path, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        text = done.stdout.decode("utf-8")
        assert done.returncode == code, f"{line}\n{text}"
        self.log += [f"$ {line}", *([text.rstrip("\n")] if text.strip() else []), ""]
        return text

    def write(self, name: str, text: str) -> None:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def claude_session() -> str:
    session = Session("/home/dev/parcel")
    session.user("write a parser for parcel labels. don't add any dependency")
    session.agent("I can do it two ways: a regular expression, or splitting on the first colon. Which one?")
    session.user("let's split on the first colon")
    session.write("parcel/labels.py", LABELS)
    session.bash("python -m pytest -q", "1 failed, 3 passed in 0.12s\nExit code 1", error=True)
    session.bash("python -m pytest -q", "4 passed in 0.10s")
    session.agent("Labels are parsed. Should empty values be an error?")
    session.user("not now, let's leave empty values for later")
    return session.text


def codex_session() -> str:
    records: list[dict[str, Any]] = []

    def record(kind: str, payload: dict[str, Any]) -> None:
        at = f"2026-06-02T11:{len(records):02d}:00.000Z"
        records.append({"timestamp": at, "type": kind, "payload": payload})

    def event(payload: dict[str, Any]) -> None:
        record("event_msg", payload)

    session = {"id": "019e0000-0000-7000-8000-00000000c0de", "timestamp": "2026-06-02T11:00:00.000Z"}
    meta = {**session, "cwd": "/home/dev/parcel", "originator": "codex-tui", "cli_version": "0.139.0"}
    record("session_meta", {**meta, "git": {"branch": "weights"}})
    record("turn_context", {"cwd": "/home/dev/parcel", "model": "gpt-5.4"})
    event({"type": "user_message", "message": "라벨에 무게 단위를 추가해줘. 정수 그램으로 하자"})
    added = "".join(f"+{line}\n" for line in WEIGHTS.splitlines())
    patch = f"*** Begin Patch\n*** Add File: parcel/weights.py\n{added}*** End Patch\n"
    call = {
        "type": "custom_tool_call",
        "name": "apply_patch",
        "call_id": "call_1",
        "input": patch,
        "status": "completed",
    }
    record("response_item", call)
    answer = json.dumps({"output": "Success. Updated the following files:\nA parcel/weights.py\n"})
    record("response_item", {"type": "custom_tool_call_output", "call_id": "call_1", "output": answer})
    event({"type": "agent_message", "message": "무게는 정수 그램으로 저장합니다."})
    event({"type": "user_message", "message": "좋아"})
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def work_through(loop: Loop, transcripts: Path) -> None:
    (transcripts / "claude.jsonl").write_text(claude_session(), encoding="utf-8")
    (transcripts / "codex.jsonl").write_text(codex_session(), encoding="utf-8")
    loop.write("README.md", "# parcel\n")
    loop.run("git add README.md")
    loop.run("git commit -q -m 'Begin'")
    loop.run("frames init --json")
    loop.log[-2] = "(what init changed)"
    loop.run("git add .gitattributes")
    loop.run("git commit -q -m 'Keep session frames'")

    loop.write("parcel/labels.py", LABELS)
    loop.run("git add parcel")
    loop.run("frames close --transcript ../claude.jsonl --topic labels")
    loop.run("git status --short")
    loop.run("git commit -q -m 'feat: parse labels'")
    loop.run("git status --short")

    loop.run("git checkout -q -b weights HEAD~1")
    loop.write("parcel/weights.py", WEIGHTS)
    loop.run("git add parcel")
    loop.run("frames close --transcript ../codex.jsonl")
    loop.run("git commit -q -m 'feat: weights'")
    loop.run("git checkout -q main")
    loop.run("git merge -q --no-edit weights")
    loop.run("git status --short")

    loop.run("frames list")
    loop.run("frames log --graph")
    loop.run("frames log --json -3")
    loop.run("git log -2")
    loop.run("frames log --oneline -- parcel/weights.py")
    loop.run("frames blame parcel/labels.py")
    loop.run("frames blame --json -L 1,1 parcel/weights.py")
    loop.run("frames show labels --turns 3-4")
    loop.run("frames resume labels")
    loop.run("frames resume labels --budget 500")
    ids = [json.loads(line)["id"] for line in loop.run("frames list --json").splitlines()]
    loop.run(f"frames merge {ids[0]} {ids[1]} --topic parcel")
    loop.run("frames show parcel --turns 1")
    loop.run("git add .copilot")
    loop.run("git commit -q -m 'docs: one frame for both'")
    loop.run("frames archive labels")
    loop.run("git status --short")
    loop.run("git commit -q -m 'chore: archive'")
    loop.run("frames list --status archived")
    loop.run("frames log -2")
    loop.run("frames blame -L 1,1 parcel/labels.py")
    loop.run("frames validate")
    loop.run("frames unarchive labels")
    loop.run("git status --short")
    loop.run("frames status")
    loop.run("frames export labels --format md")
    loop.run("git show --format=%s HEAD~1 -- .copilot/sessions")
    loop.run("frames doctor")
    loop.run("frames uninit --json")
    loop.log[-2] = "(what uninit took back)"
    loop.run("git status --short")


def test_the_loop(repo: Path, request: pytest.FixtureRequest) -> None:
    loop = Loop(repo)
    work_through(loop, repo.parent)
    text = "\n".join(loop.log).replace(str(repo), "REPO") + "\n"
    if request.config.getoption("--renew"):
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text("utf-8")
