"""Frames merge as frames, and whatever goes wrong in the driver ends in git's own merge with markers."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any, cast

import pytest
from git_repos import commit_files, frame_of, git, interpreter, status, turn, workspace

from session_frames.frame_json import decode, encode
from session_frames.model import Frame
from session_frames.operations.textconv import frame_text
from session_frames.workspace.setup import init

FILE = ".copilot/sessions/2026-06-02_parser_0.frame.json"


def decision(name: str, text: str = "") -> dict[str, Any]:
    return {"id": name * 8, "text": text or f"decision {name}", "status": "accepted", "by": "agent"}


def with_decisions(*decisions: dict[str, Any], turns: int = 1, **other: Any) -> Frame:
    frame = frame_of([turn(number) for number in range(1, turns + 1)])
    return cast(Frame, {**frame, "decisions": list(decisions), **other})


BASE = with_decisions(decision("a"))
OURS = with_decisions(decision("a"), decision("b"), turns=2)
THEIRS = with_decisions(decision("a"), decision("c"), turns=3)
CLASH_OURS = with_decisions(decision("a", "use tabs"))
CLASH_THEIRS = with_decisions(decision("a", "use blanks"))


@pytest.fixture
def made(repo: Path, tmp_path: Path) -> Path:
    init(workspace(repo), hooks=False, python=interpreter(tmp_path))
    git(repo, "add", ".gitattributes")
    git(repo, "commit", "-qm", "attributes")
    return repo


def put(path: Path, frame: Frame | None, message: str) -> None:
    file = path / FILE
    file.parent.mkdir(parents=True, exist_ok=True)
    if frame is not None:
        file.write_bytes(encode(frame))
    commit_files(path, message, **{f"{message}_txt": message})


def diverge(path: Path, base: Frame | None, ours: Frame, theirs: Frame) -> None:
    put(path, base, "base")
    git(path, "checkout", "-qb", "side")
    put(path, theirs, "theirs")
    git(path, "checkout", "-q", "main")
    put(path, ours, "ours")


def merged(path: Path) -> Frame:
    return decode((path / FILE).read_bytes(), FILE)


def names(frame: Frame) -> list[str]:
    return sorted(item["text"] for item in frame["decisions"])


ALL = ["decision a", "decision b", "decision c"]


def by_merge(path: Path, code: int) -> None:
    git(path, "merge", "-q", "--no-edit", "side", code=code)


def by_rebase(path: Path, code: int) -> None:
    git(path, "rebase", "-q", "side", code=code)


def by_pick(path: Path, code: int) -> None:
    git(path, "cherry-pick", "side", code=code)


def by_stash(path: Path, code: int) -> None:
    theirs = git(path, "cat-file", "-p", f"side:{FILE}")
    ours = (path / FILE).read_bytes()
    git(path, "checkout", "-q", "HEAD~1", "--", FILE)
    git(path, "commit", "-qm", "back")
    (path / FILE).write_text(theirs)
    git(path, "stash", "-q")
    (path / FILE).write_bytes(ours)
    git(path, "commit", "-qam", "again")
    git(path, "stash", "pop", code=code)


WAYS = [by_merge, by_rebase, by_pick, by_stash]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_what_both_sides_added_is_there_once(made: Path, way: Any) -> None:
    diverge(made, BASE, OURS, THEIRS)
    way(made, 0)
    assert names(merged(made)) == ALL
    assert [item["id"] for item in merged(made)["turns"]] == ["t1", "t2", "t3"]
    assert (made / FILE).read_bytes() == encode(merged(made))


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_conflict_is_data_and_the_path_stays_unmerged(made: Path, way: Any) -> None:
    diverge(made, BASE, CLASH_OURS, CLASH_THEIRS)
    way(made, 1)
    assert len(merged(made)["merge_conflicts"]) == 1
    assert f"UU {FILE}" in status(made)
    text = (made / FILE).read_text()
    assert "use tabs" in text
    assert "use blanks" in text
    assert "<<<<<<<" not in text


def test_sides_can_be_swapped(made: Path) -> None:
    diverge(made, BASE, OURS, THEIRS)
    by_merge(made, 0)
    one = (made / FILE).read_bytes()
    git(made, "checkout", "-q", "side")
    git(made, "merge", "-q", "--no-edit", "main^1")
    assert (made / FILE).read_bytes() == one


def test_both_sides_added_the_file(made: Path) -> None:
    diverge(made, None, OURS, THEIRS)
    by_merge(made, 0)
    assert names(merged(made)) == ALL


def test_a_criss_cross_conflict_is_seen(made: Path) -> None:
    diverge(made, BASE, CLASH_OURS, CLASH_THEIRS)
    git(made, "branch", "ours")
    for branch, other, text in (("main", "side", "use tabs"), ("side", "ours", "use blanks")):
        git(made, "checkout", "-q", branch)
        git(made, "merge", "-q", "--no-edit", other, code=1)
        (made / FILE).write_bytes(encode(with_decisions(decision("a", text))))
        git(made, "commit", "-qam", "settled")
    git(made, "checkout", "-q", "main")
    by_merge(made, 1)
    assert len(merged(made)["merge_conflicts"]) == 1


# ---------------------------------------------------------------------------------------------------------------------
# The driver fails


def fail_with(path: Path, tmp_path: Path, script: str | None) -> None:
    """Put a script, or nothing, in place of the interpreter that the driver names."""
    command = git(path, "config", "merge.frame.driver").rstrip("\n")
    broken = tmp_path / "broken"
    if script is not None:
        broken.write_text(f"#!/bin/sh\n{script}\n")
        broken.chmod(0o755)
    git(path, "config", "merge.frame.driver", command.replace(interpreter(tmp_path), str(broken)))


@pytest.mark.parametrize("script", [None, "exit 1", "exit 2", "exit 255", "kill -9 $$", "exit 127"])
def test_a_broken_driver_leaves_markers(made: Path, tmp_path: Path, script: str | None) -> None:
    fail_with(made, tmp_path, script)
    diverge(made, BASE, OURS, THEIRS)
    git(made, "merge", "-q", "--no-edit", "side", code=1, PATH="/usr/bin:/bin")
    text = (made / FILE).read_text()
    assert "<<<<<<< ours" in text
    assert "decision b" in text
    assert "decision c" in text
    assert f"UU {FILE}" in status(made)


def test_a_text_merge_without_conflict_is_still_to_be_looked_at(made: Path, tmp_path: Path) -> None:
    fail_with(made, tmp_path, "exit 1")
    long = with_decisions(*(decision(letter) for letter in "abcdefgh"))
    ours, theirs = (cast(Frame, json.loads(encode(long))) for _ in range(2))
    ours["topic"] = "first"
    theirs["decisions"][-1]["text"] = "last"
    diverge(made, long, ours, theirs)
    git(made, "merge", "-q", "--no-edit", "side", code=1, PATH="/usr/bin:/bin")
    assert f"UU {FILE}" in status(made)
    assert "<<<<<<<" not in (made / FILE).read_text()


def test_a_newer_format_is_not_merged(made: Path) -> None:
    newer = cast(Frame, {**THEIRS, "frame": "1.9"})
    diverge(made, BASE, OURS, newer)
    by_merge(made, 1)
    assert "<<<<<<< ours" in (made / FILE).read_text()


def run(tmp_path: Path, *args: str) -> subprocess.CompletedProcess[str]:
    command = [interpreter(tmp_path), "-I", "-c", "from session_frames.__main__ import main; main()", *args]
    return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "code"),
    [
        (encode(BASE), encode(OURS), encode(THEIRS), 0),
        (b"", encode(OURS), encode(THEIRS), 0),
        (encode(BASE), encode(CLASH_OURS), encode(CLASH_THEIRS), 10),
        (b"{", encode(OURS), encode(THEIRS), 1),
        (encode(BASE), b"", encode(THEIRS), 1),
        (encode(BASE), encode(OURS), b"<<<<<<< x\n", 1),
        (encode(BASE), encode(OURS), b"\xff\xfe", 1),
    ],
)
def test_exit_codes(tmp_path: Path, base: bytes, ours: bytes, theirs: bytes, code: int) -> None:
    for name, content in (("O", base), ("A", ours), ("B", theirs)):
        (tmp_path / name).write_bytes(content)
    before = sorted(os.listdir(tmp_path))
    done = run(tmp_path, "merge-driver", "O", "A", "B", "7", FILE)
    assert done.returncode == code
    assert ((tmp_path / "A").read_bytes() == ours) == (code == 1)
    assert (tmp_path / "O").read_bytes() == base
    assert (tmp_path / "B").read_bytes() == theirs
    assert set(os.listdir(tmp_path)) - set(before) <= {"python"}
    assert done.stdout == ""


def test_wrong_arguments_and_missing_files_are_faults(tmp_path: Path) -> None:
    assert run(tmp_path, "merge-driver").returncode == 1
    assert run(tmp_path, "merge-driver", "O", "A", "B", "7", FILE).returncode == 1


# ---------------------------------------------------------------------------------------------------------------------
# textconv


def test_a_diff_shows_what_changed_in_words(made: Path) -> None:
    put(made, BASE, "base")
    (made / FILE).write_bytes(encode(OURS))
    shown = git(made, "diff")
    assert "+Decision (accepted, agent): decision b\n" in shown
    assert "+2 agent: did it\n" in shown
    assert '"decisions"' not in shown


def test_a_diff_without_frames_shows_the_file(made: Path, tmp_path: Path) -> None:
    put(made, BASE, "base")
    (made / FILE).write_bytes(encode(OURS))
    command = git(made, "config", "diff.frame.textconv").rstrip("\n")
    git(made, "config", "diff.frame.textconv", command.replace(interpreter(tmp_path), "/nowhere"))
    assert '+      "text": "decision b",' in git(made, "diff", PATH="/usr/bin:/bin")
    git(made, "config", "diff.frame.textconv", command)
    (made / FILE).write_text("{ damaged\n")
    assert "+{ damaged\n" in git(made, "diff")


def test_text_of_a_frame() -> None:
    frame = with_decisions(
        decision("a"),
        open_questions=[{"id": "q", "text": "Who?", "status": "answered", "by": "user", "answer": "Ann"}],
        next_steps=[{"id": "n", "text": "ship\nit", "status": "open", "by": "agent"}],
        files=[{"path": "a.py", "change": "added"}],
        verification=[{"command": "make test", "outcome": "passed"}],
    )
    frame["turns"] = [cast(Any, {**turn(1, {"a.py": ["x"]}), "pinned": True, "thread": "side"})]
    assert frame_text(frame).splitlines() == [
        "Topic: parser",
        "Status: active",
        "Decision (accepted, agent): decision a",
        "Question: Who? -> Ann",
        "Next step (open): ship it",
        "Check (passed): make test",
        "File (added): a.py",
        "1 agent [pinned, thread side]: did it (1 calls)",
    ]


# ---------------------------------------------------------------------------------------------------------------------
# Merges of other shapes


def test_a_frame_that_was_archived_on_one_side_is_merged_where_it_lies_now(made: Path) -> None:
    put(made, BASE, "base")
    git(made, "checkout", "-qb", "side")
    put(made, OURS, "ours")
    git(made, "checkout", "-q", "main")
    archived = FILE.replace("sessions", "archive/2026-06")
    (made / archived).parent.mkdir(parents=True)
    git(made, "mv", FILE, archived)
    git(made, "commit", "-qm", "archived")
    by_merge(made, 0)
    assert not (made / FILE).exists()
    assert names(decode((made / archived).read_bytes(), archived)) == ["decision a", "decision b"]


def test_an_octopus_asks_no_driver_and_loses_nothing(made: Path) -> None:
    """git merges the text of each file itself then, and refuses where that fails; one after the other they merge."""
    put(made, BASE, "base")
    for name in "bcd":
        git(made, "checkout", "-qb", name, "main")
        put(made, with_decisions(decision("a"), decision(name)), name)
    git(made, "checkout", "-q", "main")
    before = git(made, "rev-parse", "HEAD")
    assert "Should not be doing an octopus" in git(made, "merge", "-q", "--no-edit", "b", "c", "d", code=2)
    git(made, "reset", "-q", "--hard")
    assert (git(made, "rev-parse", "HEAD"), status(made)) == (before, "")
    for name in "bcd":
        git(made, "merge", "-q", "--no-edit", name)
    assert names(merged(made)) == [*ALL, "decision d"]
