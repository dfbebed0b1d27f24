"""The filters of ``frames log``: git shows those of its commits that have a frame which passes them."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import err, git, json_lines, out
from git_fixtures import Work, make_frame

from session_frames.model import Decision, Frame


def decision(text: str) -> Decision:
    return {"id": text[:4], "text": text, "status": "accepted", "by": "user", "evidence": []}


def of_codex(session: str) -> Frame:
    return {**make_frame(session), "session": {"agent": "codex", "session_id": session}}


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """Commits `first`, `auth`, `between`, `forms`, `auth again` on main, and `side` on another branch."""
    work = Work(tmp_path / "work")
    work.commit("first")
    auth = make_frame("auth-redesign", decisions=[decision("RS256 signing")])
    work.put(auth)
    work.put_bytes("a.py", b"a\n")
    work.commit("auth")
    work.git("checkout", "-q", "-b", "other")
    work.put(of_codex("side"))
    work.commit("side")
    work.git("checkout", "-q", "main")
    work.put_bytes("b.py", b"b\n")
    work.commit("between")
    work.put(of_codex("forms"))
    work.commit("forms")
    work.put(make_frame("auth-redesign", 4, decisions=[decision("RS256 signing")]), "auth-redesign")
    work.put_bytes("a.py", b"aa\n")
    work.commit("auth again")
    return work.path


CASES = [
    (["--topic", "AUTH"], ["auth again", "auth"]),
    (["--topic=auth-redesign"], ["auth again", "auth"]),
    (["--agent", "codex"], ["forms"]),
    (["--agent", "codex", "--all"], ["side", "forms"]),
    (["--decision", "rs256"], ["auth again", "auth"]),
    (["--decision", "rs256", "--agent", "codex"], []),
    (["--frame", "forms"], ["forms"]),
    (["--topic", "auth", "-1"], ["auth again"]),
    (["--topic", "auth", "-n", "1", "--skip=1"], ["auth"]),
    (["--topic", "auth", "--max-count=9", "--reverse"], ["auth", "auth again"]),
    (["--topic", "auth", "HEAD~1"], ["auth"]),
    (["--topic", "auth", "HEAD~3..HEAD"], ["auth again"]),
    (["--topic", "auth", "^HEAD~2", "main"], ["auth again"]),
    (["--topic", "side", "other"], ["side"]),
    (["--topic", "auth", "--grep", "again"], ["auth again"]),
    (["--topic", "auth", "--", "a.py"], ["auth again", "auth"]),
    (["--topic", "auth", "a.py"], ["auth again", "auth"]),
    (["--topic", "auth", "-S", "aa"], ["auth again"]),
    (["--topic", "forms", "--", "a.py"], []),
    (["--topic", "none"], []),
]


@pytest.mark.parametrize(("args", "subjects"), CASES, ids=[" ".join(args) for args, _ in CASES])
def test_which_commits_are_shown(work: Path, args: list[str], subjects: list[str]) -> None:
    assert out("log", "--format=%s", *args, cwd=work).splitlines() == subjects
    assert [commit["subject"] for commit in json_lines("log", "--json", *args, cwd=work)] == subjects


def test_they_are_shown_as_git_shows_them(work: Path) -> None:
    shown = out("log", "--topic", "forms", "--stat", cwd=work)
    assert shown == git("log", "--notes", "--notes=frames", "--stat", "-1", "HEAD~1", cwd=work)
    assert "Topic: forms" in shown


def test_from_a_folder_with_paths_of_it(work: Path) -> None:
    (work / "sub").mkdir()
    assert out("log", "--format=%s", "--topic", "auth", "--", "../a.py", cwd=work / "sub").count("auth") == 2


def test_after_the_dashes_stand_paths(work: Path) -> None:
    assert out("log", "--format=%s", "--", "--topic", cwd=work) == ""


@pytest.mark.parametrize("option", ["--graph", "-L1,1:a.py", "-L", "-g", "--walk-reflogs"])
def test_what_a_list_can_t_do_is_refused(work: Path, option: str) -> None:
    told = err("log", "--topic", "auth", option, cwd=work, code=2)
    assert told.startswith(f"error: '{option[:2] if option.startswith('-L') else option}' does not go with --frame")


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["--topic"], "'--topic' needs a value"),
        (["--topic", "x", "-n", "many"], "'-n' needs a number"),
        (["--frame", "nothing"], "no frame is called 'nothing'"),
    ],
)
def test_what_is_not_understood(work: Path, args: list[str], told: str) -> None:
    assert told in err("log", *args, cwd=work, code=2)


def test_a_bad_revision_is_git_s_error(work: Path) -> None:
    assert "bad revision 'nowhere'" in err("log", "--topic", "auth", "nowhere", cwd=work, code=5)
