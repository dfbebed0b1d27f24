"""``frames init --agent``: what the agent is told stands between marks in its own file, and goes byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import err, frames, out
from git_repos import workspace

from session_frames.workspace.setup import uninit

FILE = "CLAUDE.md"
BEGIN = "<!-- frames: written by frames init --agent, removed by frames uninit -->\n# Compact instructions\n"
END = "<!-- end of frames -->\n"


def outcomes(repo: Path) -> dict[str, str]:
    return dict(uninit(workspace(repo)).files)


BEFORE = [
    b"",
    b"\n",
    b"# Rules\n\nbe kind\n",
    "규칙 없음".encode(),
    b"a\r\nb\r\n",
    b"\xff\xfe",
    b"# Compact instructions\n",
]


@pytest.mark.parametrize("before", BEFORE)
def test_section_is_added_once_and_taken_out_byte_for_byte(repo: Path, before: bytes) -> None:
    file = repo / FILE
    file.write_bytes(before)
    assert f"changed {FILE}\n" in out("init", "--agent", "claude-code", cwd=repo)
    held = file.read_bytes()
    assert held.startswith(before)
    assert held.count(b"<!-- end of frames -->") == 1
    assert (b"\r\n<!-- end of frames -->\r\n" in held) == (b"\r\n" in before)
    assert out("init", "--agent", "claude-code", cwd=repo) == "nothing to change: this repository is set up\n"
    assert out("init", cwd=repo) == "nothing to change: this repository is set up\n"
    assert file.read_bytes() == held
    assert outcomes(repo)[FILE] == "restored"
    assert file.read_bytes() == before


def test_file_that_was_not_there_is_gone_again(repo: Path) -> None:
    out("init", "--agent", "claude-code", "--no-hooks", cwd=repo)
    text = (repo / FILE).read_text()
    assert text.startswith(BEGIN)
    assert text.endswith(END)
    assert "in their own words" in text
    assert outcomes(repo)[FILE] == "restored"
    assert not (repo / FILE).exists()


def test_what_was_written_around_the_section_stays(repo: Path) -> None:
    (repo / FILE).write_text("before\n")
    out("init", "--agent", "claude-code", cwd=repo)
    text = (repo / FILE).read_text().replace("before", "changed") + "after\n"
    (repo / FILE).write_text(text.replace("# Compact instructions", "# Compact instructions of ours"))
    assert out("init", "--agent", "claude-code", cwd=repo) == f"changed {FILE}\n"
    assert (repo / FILE).read_text() == text
    (repo / FILE).write_text(text + "later\n")
    assert outcomes(repo)[FILE] == "our part removed"
    assert (repo / FILE).read_text() == "changed\nafter\nlater\n"


def test_section_without_a_record_is_recognised(repo: Path) -> None:
    (repo / FILE).write_text("before\n")
    out("init", "--agent", "claude-code", cwd=repo)
    (repo / ".git/frames/installed.json").unlink()
    assert f"recognised {FILE}" in out("init", cwd=repo)
    assert outcomes(repo)[FILE] == "our part removed"
    assert (repo / FILE).read_text() == "before\n"


def test_nothing_is_written_without_being_asked(repo: Path) -> None:
    out("init", cwd=repo)
    assert not (repo / FILE).exists()


def test_link_is_left_alone_and_nothing_else_is_written(repo: Path) -> None:
    (repo / "AGENTS.md").write_text("x\n")
    (repo / FILE).symlink_to("AGENTS.md")
    told = err("init", "--agent", "claude-code", cwd=repo, code=6)
    assert told == (f"error: '{repo / FILE}' is a symbolic link\nhint: add the section of docs/compaction.md by hand\n")
    assert not (repo / ".gitattributes").exists()


def test_agent_that_cannot_be_told_anything(repo: Path) -> None:
    told = frames("init", "--agent", "nobody", cwd=repo, code=2).stderr.decode()
    assert "'nobody' is not" in told
