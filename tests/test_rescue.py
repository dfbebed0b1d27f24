"""Every session of this repository that its agents still have; what they will delete; and neighbours' ones."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from command_line import Session, frames, git, json_lines, out


def _id(number: int) -> str:
    return f"{number:08d}-0000-4000-8000-00000000c0de"


@pytest.fixture
def home(repo: Path, tmp_path: Path) -> Path:
    """Three sessions of this repository, one of another, one that records no folder, one that is damaged."""
    for number in (1, 2, 3):
        session = Session(repo, _id(number)).user(f"work on part {number} of it").agent("done")
        path = session.save_at_home()
        os.utime(path, (1_700_000_000 + number * 86_400, 1_700_000_000 + number * 86_400))
    other = tmp_path / "other"
    git("init", "-q", str(other), cwd=tmp_path)
    Session(other, _id(4)).user("somebody else's hunter2hunter2").agent("done").save_at_home()
    folder = Path(os.environ["HOME"]) / ".claude/projects/odd"
    homeless = Session("", _id(5)).user("where am I").agent("nowhere")
    homeless.save(folder / f"{_id(5)}.jsonl")
    return Path(os.environ["HOME"])


def test_all_are_taken_into_the_private_area(repo: Path, home: Path) -> None:
    answers = json_lines("import", "--all", "--json", cwd=repo)
    assert [answer["outcome"] for answer in answers].count("taken") == 3
    (skipped,) = [answer for answer in answers if answer["outcome"] == "skipped"]
    assert skipped["why"] == "it records no working directory"
    assert git("status", "--porcelain", cwd=repo) == ""
    assert [entry["path"] for entry in json_lines("list", "--json", cwd=repo)] == ["", "", ""]
    assert b"hunter2" not in b"".join(path.read_bytes() for path in (repo / ".git/frames").rglob("*") if path.is_file())

    again = json_lines("import", "--all", "--json", cwd=repo)
    assert [answer["outcome"] for answer in again if answer["outcome"] != "skipped"] == ["unchanged"] * 3

    grown = Session(repo, _id(2)).user("work on part 2 of it").agent("done").user("and more").agent("ok")
    grown.save_at_home()
    after = json_lines("import", "--all", "--json", cwd=repo)
    assert sorted(answer["outcome"] for answer in after) == ["skipped", "taken", "unchanged", "unchanged"]


def test_shared_they_go_to_the_archive(repo: Path, home: Path) -> None:
    out("import", "--all", "--share", "--since", "2023-11-16", cwd=repo)
    files = sorted(str(path.relative_to(repo)) for path in (repo / ".copilot/archive").rglob("*.json"))
    assert len(files) == 2
    assert all(file.startswith(".copilot/archive/2026-06/2026-06-02_") for file in files)
    assert {entry["status"] for entry in json_lines("list", "--json", cwd=repo)} == {"archived"}


def test_since_looks_at_the_files_time(repo: Path, home: Path) -> None:
    answers = json_lines("import", "--all", "--since", "2023-11-16", "--json", cwd=repo)
    assert [answer["outcome"] for answer in answers].count("taken") == 2


def test_any_folder_wherever_it_was_recorded(repo: Path, tmp_path: Path) -> None:
    backup = tmp_path / "backup"
    Session("/home/somebody/else", _id(7)).user("from a backup").agent("ok").save(backup / "deep/er/x.jsonl")
    (backup / "notes.txt").write_text("no transcript\n")
    answers = json_lines("import", "--all", "--from", str(backup), "--json", cwd=repo)
    assert [answer["outcome"] for answer in answers] == ["taken"]
    done = frames("import", "--all", "--from", "nowhere", cwd=repo, code=5)
    assert done.stderr == b"error: no such folder: 'nowhere'\n"


def test_other_homes_are_found(repo: Path, tmp_path: Path) -> None:
    config = tmp_path / "config"
    Session(repo, _id(8)).user("elsewhere").agent("ok").save(config / "projects/x/8.jsonl")
    done = out("import", "--all", "--json", cwd=repo, CLAUDE_CONFIG_DIR=str(config))
    assert json.loads(done)["outcome"] == "taken"


def test_doctor_says_what_the_agent_will_delete(repo: Path) -> None:
    path = Session(repo, _id(9)).user("old work").agent("ok").save_at_home()
    old = time.time() - 26 * 86_400
    os.utime(path, (old, old))
    told = frames("doctor", cwd=repo, code=1).stdout.decode()
    assert f"deletes 1 session of this repository within 7 days: {path}" in told
    assert "hint: frames import --all" in told
    out("import", "--all", cwd=repo)
    assert "deletes" not in frames("doctor", cwd=repo).stdout.decode()


def test_a_branch_of_checkpoints_and_conversations_in_notes(repo: Path) -> None:
    (repo / "a").write_text("a\n")
    git("add", "a", cwd=repo)
    git("commit", "-q", "-m", "a", cwd=repo)
    session = Session("/home/dev/elsewhere", _id(10)).user("kept in a checkpoint").agent("ok")
    git("checkout", "-q", "--orphan", "entire/checkpoints/v1", cwd=repo)
    session.save(repo / "ab/cdef012345/0/full.jsonl")
    session.user("and more").agent("done").save(repo / "12/cdef012345/0/full.jsonl")
    git("add", ".", cwd=repo)
    git("commit", "-q", "-m", "checkpoints", cwd=repo)
    git("checkout", "-q", "main", cwd=repo)
    note = Session("/home/dev/elsewhere", _id(11)).user("kept in a note").agent("ok").text
    (repo / ".git/note").write_text(note)
    git("notes", "--ref=chats", "add", "-F", ".git/note", "HEAD", cwd=repo)
    git("notes", "add", "-m", "a note of a person", "HEAD", cwd=repo)
    answers = json_lines("import", "--all", "--json", cwd=repo)
    assert sorted(answer["source"].split(":")[0] for answer in answers) == ["entire/checkpoints/v1", "refs/notes/chats"]
    turns = {answer["source"].split(":")[0]: answer["summaries"][0]["turns"] for answer in answers}
    assert turns == {"entire/checkpoints/v1": 4, "refs/notes/chats": 2}


def test_what_can_not_go_together(repo: Path) -> None:
    assert b"--all takes no SOURCE" in frames("import", "--all", "x", cwd=repo, code=2).stderr
    assert b"go with --all" in frames("import", "--share", "x", cwd=repo, code=2).stderr
    assert frames("import", "--all", cwd=repo, code=1).stderr == b"no session of this repository was found\n"
