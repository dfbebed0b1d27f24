"""An agent that is about to compact has its session kept; it is never held up, and its settings go byte for byte."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from command_line import Session, err, frames, git, json_lines, out
from git_repos import commit_files, status, workspace

from session_frames.storage.agent_hooks import with_agent_hooks, without_agent_hooks
from session_frames.workspace.setup import uninit

SETTINGS = ".claude/settings.json"
OURS = "frames hook claude-code || true"


def payload(transcript: Path, cwd: Path, **more: Any) -> bytes:
    """What Claude Code tells before it compacts."""
    told = {"session_id": "x", "transcript_path": str(transcript), "cwd": str(cwd), "hook_event_name": "PreCompact"}
    return json.dumps({**told, "trigger": "auto", "custom_instructions": None, **more}).encode()


def hear(data: bytes, cwd: Path, *args: str) -> str:
    """Tell it through the real program; what it says to standard error."""
    done = frames("hook", "claude-code", *args, cwd=cwd, stdin=data)
    assert done.stdout == b""
    return done.stderr.decode()


@pytest.fixture
def place(repo: Path) -> Path:
    commit_files(repo, "first", README="x\n")
    return repo


def words(repo: Path) -> list[str]:
    (entry,) = json_lines("list", "--json", cwd=repo)
    (shown,) = json_lines("show", "--json", entry["id"], cwd=repo)
    return [turn["text"] for turn in shown["turns"] if turn["role"] == "user"]


# ---------------------------------------------------------------------------------------------------------------------
# The event


def test_a_session_is_kept_before_it_is_compacted(place: Path) -> None:
    session = Session(place).user("정수만 쓰자. Cents only.").agent("Yes.")
    transcript = session.save_at_home()
    assert hear(payload(transcript, place), place) == ""
    assert words(place) == ["정수만 쓰자. Cents only."]
    assert status(place) == ""
    session.user("And no floats").agent("None.").save_at_home()
    assert hear(payload(transcript, place), place, "PreCompact") == ""
    assert hear(payload(transcript, place), place) == ""  # told twice
    assert words(place) == ["정수만 쓰자. Cents only.", "And no floats"]
    assert len(json_lines("raw", "list", "--json", cwd=place)) == 1
    transcript.unlink()  # as the agent does after a month
    assert words(place) == ["정수만 쓰자. Cents only.", "And no floats"]


def test_an_active_frame_takes_what_was_said(place: Path) -> None:
    session = Session(place).user("Cents only").agent("Yes.")
    transcript = session.save_at_home()
    out("start", "money", cwd=place, CLAUDE_CODE_SESSION_ID=session.session_id)
    assert hear(payload(transcript, place), place) == ""
    (entry,) = json_lines("list", "--active", "--json", cwd=place)
    assert entry["topic"] == "money"
    assert words(place) == ["Cents only"]
    assert status(place) == ""


def test_a_frame_in_the_tree_is_not_written(place: Path) -> None:
    session = Session(place).user("Cents only").agent("Yes.")
    transcript = session.save_at_home()
    out("close", cwd=place)
    git("commit", "-qm", "frame", cwd=place)
    session.user("One more").agent("Done.").save_at_home()
    assert hear(payload(transcript, place), place) == ""
    assert status(place) == ""
    transcript.unlink()
    (copy,) = (place / ".git/frames/closed").glob("*.json")
    assert "One more" in copy.read_text()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"hook_event_name": "Unheard"}',
        b'{"hook_event_name": "PreCompact"}',
        b'{"hook_event_name": "PreCompact", "transcript_path": 7, "cwd": []}',
        b"\xff\xfe",
        b'{"x": "' + b"y" * (5 << 20) + b'"}',
    ],
    ids=lambda data: repr(data[:40]),
)
def test_what_is_no_event_is_passed_over_in_silence(place: Path, data: bytes) -> None:
    assert hear(data, place) == ""
    assert not (place / ".git/frames/closed").exists()


def test_a_failure_is_one_line_and_never_holds_up_the_agent(place: Path, tmp_path: Path) -> None:
    told = hear(payload(tmp_path / "gone.jsonl", place), place)
    assert told == f"frames: hook: cannot read '{tmp_path}/gone.jsonl': No such file or directory\n"
    outside = tmp_path / "nowhere"
    outside.mkdir()
    transcript = Session(place).user("x").agent("y").save_at_home()
    told = hear(payload(transcript, outside), outside)
    assert told.startswith("frames: hook: not a git repository")
    assert told.count("\n") == 1


def test_secrets_do_not_pass(place: Path) -> None:
    secret = "ghp_" + "A1b2C3d4E5f6G7h8I9j0" + "K1l2M3n4O5p6Q7r8"
    transcript = Session(place).user(f"the token is {secret}").agent("Noted.").save_at_home()
    hear(payload(transcript, place), place)
    kept = b"".join(path.read_bytes() for path in (place / ".git/frames").rglob("*") if path.is_file())
    assert secret.encode() not in kept
    assert secret.encode() not in frames("show", "--raw", cwd=place).stdout


def test_nothing_slow_is_loaded_for_an_event_that_is_not_heard(place: Path) -> None:
    code = "import sys; from session_frames.cli.agent_entry import _hear; _hear('', b'{}'); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=place, capture_output=True, text=True, check=True)
    assert not {"click", "git", "jsonschema", "yaml", "rich"} & set(done.stdout.split())


# ---------------------------------------------------------------------------------------------------------------------
# The settings


FOREIGN = [
    json.dumps({"model": "x", "hooks": {"Stop": [{"hooks": []}]}, "z": 1}, indent=2).encode() + b"\n",
    b'{\n\t"permissions": {\n\t\t"allow": [\n\t\t\t"Bash(ls)"\n\t\t]\n\t}\n}',
    b"{}\n",
    b"{}",
    '{"이름": "값", "hooks": {"PreCompact": [{"matcher": "auto", "hooks": [{"command": "x"}]}]}}'.encode(),
    b'{\r\n  "a": 1\r\n}\r\n',
    b"\xef\xbb\xbf{\n  \"a\": 1\n}\n",
]  # fmt: skip


@pytest.mark.parametrize("before", FOREIGN)
def test_foreign_settings_stay_and_ours_go_byte_for_byte(repo: Path, before: bytes) -> None:
    file = repo / SETTINGS
    file.parent.mkdir()
    file.write_bytes(before)
    assert f"changed {SETTINGS}\n" in out("init", "--agent", "claude-code", cwd=repo)
    held = file.read_bytes()
    was, now = (json.loads(data.removeprefix(b"\xef\xbb\xbf")) for data in (before, held))
    assert now["hooks"]["PreCompact"][-1] == {"hooks": [{"type": "command", "command": OURS}]}
    assert [key for key in now if key in was] == list(was)
    assert {key: value for key, value in now.items() if key != "hooks"} == {
        key: value for key, value in was.items() if key != "hooks"
    }
    assert json.loads(without_agent_hooks(held).removeprefix(b"\xef\xbb\xbf") or b"{}") == was
    assert (b"\r\n" in held) == (b"\r\n" in before)
    assert held.endswith(b"\n") == before.endswith(b"\n")
    assert out("init", "--agent", "claude-code", cwd=repo) == "nothing to change: this repository is set up\n"
    assert dict(uninit(workspace(repo)).files)[SETTINGS] == "restored"
    assert file.read_bytes() == before


def test_settings_that_were_not_there_are_gone_again(repo: Path) -> None:
    out("init", "--agent", "claude-code", cwd=repo)
    assert json.loads((repo / SETTINGS).read_bytes()) == {
        "hooks": {"PreCompact": [{"hooks": [{"type": "command", "command": OURS}]}]}
    }
    uninit(workspace(repo))
    assert not (repo / ".claude").exists()


def test_what_was_added_since_stays(repo: Path) -> None:
    out("init", "--agent", "claude-code", cwd=repo)
    file = repo / SETTINGS
    held = json.loads(file.read_bytes())
    file.write_text(json.dumps({"mine": True, **held}))
    assert dict(uninit(workspace(repo)).files)[SETTINGS] == "our part removed"
    assert json.loads(file.read_bytes()) == {"mine": True}


@pytest.mark.parametrize(
    "before",
    [b'// mine\n{"a": 1}', b"{", b"[]", b'{"a": 1, "a": 2}', b'{"hooks": []}', b'{"hooks": {"Stop": 7}}', b"\xff"],
)
def test_settings_that_can_not_be_changed_safely_are_refused_with_what_to_add(repo: Path, before: bytes) -> None:
    file = repo / SETTINGS
    file.parent.mkdir()
    file.write_bytes(before)
    told = err("init", "--agent", "claude-code", cwd=repo, code=6)
    assert told.startswith(f"error: '{SETTINGS}' can't be changed safely: ")
    assert f'"command": "{OURS}"' in told
    assert file.read_bytes() == before
    assert not (repo / "CLAUDE.md").exists()
    assert not (repo / ".gitattributes").exists()


def test_a_clone_whose_settings_are_there_has_nothing_to_change() -> None:
    once = with_agent_hooks(None, "claude-code", ("PreCompact",), SETTINGS)
    assert with_agent_hooks(once, "claude-code", ("PreCompact",), SETTINGS) == once
    assert without_agent_hooks(once) == b""


def test_the_installed_command_line_keeps_the_session(place: Path, tmp_path: Path) -> None:
    """As the agent runs it: the command of the settings, by a shell, with what is installed on the path."""
    out("init", "--agent", "claude-code", cwd=place)
    command = json.loads((place / SETTINGS).read_bytes())["hooks"]["PreCompact"][0]["hooks"][0]["command"]
    transcript = Session(place).user("Cents only").agent("Yes.").save_at_home()
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "frames"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m session_frames "$@"\n')
    program.chmod(0o755)
    for path, kept in ((f"{folder}:{os.environ['PATH']}", True), ("/usr/bin:/bin", False)):
        done = subprocess.run(
            ["sh", "-c", command], input=payload(transcript, place), cwd=place, env={**os.environ, "PATH": path},
            stdout=subprocess.PIPE, check=True,
        )  # fmt: skip
        assert done.stdout == b""
        if kept:
            assert words(place) == ["Cents only"]
