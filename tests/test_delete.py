"""Deleting a frame: what still holds it is said, and nothing of it is left in git's common directory."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import zstandard
from command_line import Session, err, frames, git, json_lines, out

WORD = "zwoelfgeteilt"
REFUSED = "error: delete asks before it does anything, and nobody can be asked here\nhint: frames delete {} --yes\n"


def keep(repo: Path, digits: str = "3f", topic: str = "") -> str:
    """Close one small session that says WORD; the frame's id."""
    session = Session(repo, f"{digits}1c9a2e-0000-4000-8000-00000000c0de")
    session.user(f"please make the parser {WORD}").agent(f"Decision: we keep it {WORD} because it is simple. Done.")
    session.save(repo / f"{digits}.jsonl")
    named = ("--topic", topic) if topic else ()
    (one,) = json_lines("close", "--transcript", f"{digits}.jsonl", *named, "--json", cwd=repo)
    (repo / f"{digits}.jsonl").unlink()
    return str(one["id"])


def everything(repo: Path) -> bytes:
    """Every byte of the private area, segments unpacked, and every note that git can reach."""
    parts: list[bytes] = []
    for path in (repo / ".git/frames").rglob("*"):
        data = path.read_bytes() if path.is_file() else b""
        parts += [os.fsencode(path.name), zstandard.decompress(data) if path.suffix == ".zst" else data]
    notes = subprocess.run(["git", "log", "--all", "--notes=frames", "--format=%N"], cwd=repo, capture_output=True)
    return b"\n".join([*parts, notes.stdout])


def plan(frame_id: str, repo: Path) -> str:
    done = frames("delete", frame_id, cwd=repo, code=2)
    assert done.stderr.decode() == REFUSED.format(frame_id[:12])
    return done.stdout.decode()


@pytest.fixture
def committed(repo: Path) -> tuple[Path, str]:
    """A frame that a commit holds, seen by index and notes."""
    frame_id = keep(repo)
    git("commit", "-q", "-m", "the parser", cwd=repo)
    out("log", cwd=repo)
    return repo, frame_id


def test_nothing_happens_unless_somebody_says_yes(committed: tuple[Path, str]) -> None:
    repo, frame_id = committed
    before = everything(repo)
    head = git("rev-parse", "HEAD", cwd=repo)[:12]
    (path,) = (repo / ".copilot/sessions").iterdir()
    (topic,) = [one["topic"] for one in json_lines("list", "--json", cwd=repo)]
    size = sum(file.stat().st_size for file in (repo / ".git/frames/raw" / frame_id).iterdir())
    assert plan(frame_id, repo) == (
        f"frame {topic}  {frame_id[:12]}\n"
        f"  deletes  .copilot/sessions/{path.name}\n"
        f"  deletes  {repo}/.git/frames/closed/{frame_id}.frame.json\n"
        f"  deletes  its raw transcript, {size / 1000:.1f} kB\n"
        "  deletes  its traces in index and notes\n"
        f"  held by  1 commit, the newest {head}\n"
        "  held by  branch main\n"
    )
    assert err("delete", frame_id, "--json", cwd=repo, code=2) == REFUSED.format(frame_id[:12])
    assert path.exists()
    assert everything(repo).count(WORD.encode()) == before.count(WORD.encode())


def test_no_trace_is_left_here(committed: tuple[Path, str]) -> None:
    repo, frame_id = committed
    assert WORD.encode() in everything(repo)
    assert frame_id.encode() in everything(repo)
    assert out("delete", frame_id, "--yes", cwd=repo).endswith("held by  branch main\ndeleted\n")
    left = everything(repo)
    for trace in (WORD, frame_id, "parser"):
        assert trace.encode() not in left
    (path,) = git("diff", "--cached", "--name-only", cwd=repo).split()
    assert git("status", "--porcelain", cwd=repo) == f"D  {path}\n"
    git("commit", "-q", "-m", "without it", cwd=repo)
    assert "Notes (frames)" not in out("log", cwd=repo)
    assert err("list", cwd=repo, code=1) == "no frames found\n"
    assert f"no frame is called '{frame_id}'" in err("show", frame_id, cwd=repo, code=2)
    assert WORD in git("show", f"HEAD~:{path}", cwd=repo)


def test_everything_that_still_holds_it_is_said(committed: tuple[Path, str], tmp_path: Path) -> None:
    repo, frame_id = committed
    other = keep(repo, "aa", "other")
    git("commit", "-q", "-m", f"named\n\nFrame: {frame_id}", cwd=repo)
    (merged,) = json_lines("merge", frame_id, other, "--topic", "both", "--json", cwd=repo)
    git("branch", "side", "HEAD~", cwd=repo)
    git("tag", "v1", cwd=repo)
    git("update-ref", "refs/remotes/origin/main", "HEAD", cwd=repo)
    git("checkout", "-q", "--orphan", "empty", cwd=repo)
    git("rm", "-rfq", "--cached", ".", cwd=repo)
    git("commit", "-q", "--allow-empty", "-m", "nothing", cwd=repo)
    git("worktree", "add", "-q", str(tmp_path / "tree"), "side", cwd=repo)
    (told,) = json_lines("delete", frame_id, "--yes", "--json", cwd=repo)
    assert told["held_by"] == {
        "commits": 1,
        "newest": git("rev-parse", "side", cwd=repo).strip(),
        "named_by": 1,
        "refs": ["branch main", "branch side", "remote branch origin/main", "tag v1"],
        "frames": [{"id": merged["id"], "topic": "both"}],
        "work_trees": [str(tmp_path / "tree")],
        "remote_ref": "",
    }
    assert (told["id"], told["frame_deleted"], len(told["paths"]), len(told["private"])) == (frame_id, True, 1, 1)


def test_a_frame_that_was_never_committed_is_held_by_nothing(repo: Path) -> None:
    frame_id = keep(repo)
    assert plan(frame_id, repo).endswith("  held by  nothing else in this repository\n")
    frames("delete", frame_id, "--yes", cwd=repo)
    assert git("status", "--porcelain", cwd=repo) == ""
    assert list((repo / ".copilot/sessions").iterdir()) == []


def test_a_file_that_is_not_tracked_and_a_copy_in_the_archive(repo: Path) -> None:
    keep(repo)
    git("rm", "-q", "--cached", "-r", ".copilot", cwd=repo)
    (path,) = (repo / ".copilot/sessions").iterdir()
    copy = repo / ".copilot/archive/2026-06" / path.name
    copy.parent.mkdir(parents=True)
    copy.write_bytes(path.read_bytes())
    frames("delete", f".copilot/sessions/{path.name}", "--yes", cwd=repo)
    assert not path.exists()
    assert not copy.exists()
    assert git("status", "--porcelain", cwd=repo) == ""


def test_only_the_raw_transcript(committed: tuple[Path, str]) -> None:
    repo, frame_id = committed
    done = frames("delete", "--raw", frame_id, cwd=repo, code=2)
    assert done.stderr.decode() == REFUSED.format(f"{frame_id[:12]} --raw")
    assert "its raw transcript" in out("delete", "--raw", frame_id, "--yes", cwd=repo)
    assert not (repo / ".git/frames/raw" / frame_id).exists()
    assert f"please make the parser {WORD}" in out("show", frame_id, cwd=repo)
    told = err("delete", "--raw", frame_id, "--yes", cwd=repo, code=1)
    assert told == f"error: no raw transcript of frame '{frame_id[:12]}' is kept\n"


def test_an_active_frame_and_what_was_rescued(repo: Path) -> None:
    out("start", "parser", cwd=repo)
    (one,) = json_lines("list", "--json", cwd=repo)
    assert f"/.git/frames/active/{one['id']}.json\n" in plan(one["id"], repo)
    frames("delete", "@", "--yes", cwd=repo)
    assert out("status", cwd=repo) == "on branch main\nno active or uncommitted frames\n"

    session = Session(repo).user(f"please make it {WORD}").agent("done")
    path = session.save_at_home()
    frames("import", "--all", cwd=repo)
    (rescued,) = json_lines("list", "--json", cwd=repo)
    frames("delete", rescued["id"], "--yes", cwd=repo)
    assert WORD.encode() not in everything(repo)
    assert rescued["id"].encode() not in everything(repo)
    assert path.exists()


def test_other_frames_stay_as_they_are(repo: Path) -> None:
    frame_id, other = keep(repo), keep(repo, "aa", "other")
    git("commit", "-q", "-m", "both", cwd=repo)
    out("log", cwd=repo)
    before = frames("show", "--raw", other, cwd=repo).stdout
    frames("delete", frame_id, "--yes", cwd=repo)
    assert [one["id"] for one in json_lines("list", "--json", cwd=repo)] == [other]
    assert frames("show", "--raw", other, cwd=repo).stdout == before
    (logged,) = json_lines("log", "--json", cwd=repo)
    assert [frame["id"] for frame in logged["frames"]] == [other]
    assert git("log", "--notes=frames", "--format=%N", cwd=repo).count("Topic: ") == 1


def test_one_has_to_be_named(committed: tuple[Path, str]) -> None:
    told = err("delete", cwd=committed[0], code=2)
    assert told == "error: name the frame to delete\nhint: frames list shows all\n"


def test_at_most_ten_processes_of_git(committed: tuple[Path, str], tmp_path: Path) -> None:
    repo, frame_id = committed
    log = tmp_path / "trace"
    frames("delete", frame_id, "--yes", cwd=repo, GIT_TRACE2_EVENT=str(log))
    started: list[Any] = [json.loads(line) for line in log.read_text().splitlines()]
    by_us = [event for event in started if event["event"] == "start" and "/" not in event["sid"]]
    assert 0 < len(by_us) <= 10, [event["argv"] for event in by_us]
