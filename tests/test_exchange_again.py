"""Exports that come back where the frame is known: a person's edits are taken over, and nothing else changes."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from command_line import Session, err, out

INVALID = [
    (
        "json",
        '{"frame": "1.0", "id": 3, "topic": "x", "status": "done"}',
        ["$.id: expected a string", "$.status: 'done'"],
    ),
    ("yaml", "frame: '1.0'\nid: x\ntopic: []\nstatus: closed\n", ["$.id: 'x' is not 24", "$.topic: expected a string"]),
    (
        "md",
        "<!-- session frame 1.0 0123456789abcdef01234567 -->\n# x\n\n"
        "## Decisions\n\n- [nonsense, user] a\n- [accepted, x] b\n",
        ["$.decisions[0].status: 'nonsense' is not one of", "$.decisions[1].by: 'x' is not one of"],
    ),
]


@pytest.mark.parametrize(("form", "text", "told"), INVALID, ids=[case[0] for case in INVALID])
def test_what_is_no_frame_is_not_kept_and_all_is_told(repo: Path, form: str, text: str, told: list[str]) -> None:
    (repo / f"x.{form}").write_text(text)
    message = err("import", f"x.{form}", cwd=repo, code=4)
    assert message.startswith(f"error: 'x.{form}' is not a valid frame: ")
    checked = out("validate", f"x.{form}", cwd=repo, code=4)
    for problem in told:
        assert problem in message
        assert problem in checked
    assert not (repo / ".copilot").exists()
    assert not list((repo / ".git/frames").glob("closed/*"))


def test_aliases_are_refused_before_they_grow(repo: Path) -> None:
    layers = "".join(f"x_{at}: &l{at} [{', '.join([f'*l{at - 1}'] * 9)}]\n" for at in range(1, 9))
    head = "frame: '1.0'\nid: 0123456789abcdef01234567\ntopic: x\nstatus: closed\n"
    for name, tail, place in (
        ("self.yaml", "goal: &a [*a]\n", "line 5 column 11"),
        ("many.yaml", f"x_0: &l0 [{'a, ' * 8}a]\n{layers}", "line 6 column 11"),
    ):
        (repo / name).write_text(head + tail)
        started = time.monotonic()
        assert f"'{name}' cannot be read: an alias" in (message := err("import", name, cwd=repo, code=4))
        assert place in message
        assert time.monotonic() - started < 5
    (repo / ".copilot").mkdir()
    (repo / ".copilot/config.yaml").write_text("redact: &a [*a]\n")
    Session(repo).user("hello").agent("hi").save(repo / "s.jsonl")
    assert "an alias (*a) at line 1 column 13" in err("import", "s.jsonl", cwd=repo, code=4)


def test_yaml_that_json_has_no_word_for(repo: Path) -> None:
    (repo / "x.yaml").write_text("frame: '1.0'\ngoal: !!binary aGVsbG8=\n")
    assert "'x.yaml' is not a valid frame" in err("import", "x.yaml", cwd=repo, code=4)


def test_validate_reads_what_export_writes(repo: Path) -> None:
    Session(repo).user("use SQLite for the cache").agent("ok").save(repo / "s.jsonl")
    out("import", "s.jsonl", cwd=repo)
    for form in ("json", "yaml", "md"):
        out("export", "--format", form, "-o", f"x.{form}", cwd=repo)
        assert "1 frame" in out("validate", f"x.{form}", cwd=repo)
