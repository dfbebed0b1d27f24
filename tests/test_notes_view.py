"""The notes that git prints under a commit, tried on real repositories."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from git_fixtures import SESSIONS, Work, make_frame

import session_frames
from session_frames.errors import RefusedError
from session_frames.operations.commit_note import Noted, Ranges, display_width, note_text, shown
from session_frames.operations.summary import summarize
from session_frames.storage.commit_links import refresh
from session_frames.storage.index import Index
from session_frames.storage.notes_view import refresh_view
from session_frames.storage.private_state import PrivateState

A = make_frame("a")["id"]


@pytest.fixture
def work(tmp_path: Path) -> Work:
    return Work(tmp_path / "repo")


def pair(new_turns: Ranges = ((1, 2),), kind: str = "in-tree", **more: object) -> Noted:
    """A link and a summary of which some keys are given."""
    summary = summarize(make_frame("a"))
    summary.update(more)  # type: ignore[typeddict-item]
    return Noted(kind, A, f"{SESSIONS}/a.frame.json", new_turns, summary)


# -- the text ---------------------------------------------------------------------------------------------------------


def test_a_note_is_as_the_command_line_page_shows_it() -> None:
    noted = pair(
        ((12, 38),),
        topic="auth-redesign",
        turns=38,
        tool_calls=61,
        cached=4,
        decisions=["JWT over session cookies", "RS256 signing"],
        open_questions=["refresh token rotation (deferred)"],
    )
    noted = noted._replace(path=f"{SESSIONS}/2026-06-02_auth-redesign_7f3a9c.frame.json")
    assert note_text([noted]) == (
        ".copilot/sessions/2026-06-02_auth-redesign_7f3a9c.frame.json\n"
        "Topic: auth-redesign | Turns: 38 (12-38 new) | Tool calls: 61, 4 cached\n"
        "Key decisions: JWT over session cookies; RS256 signing\n"
        "Open at close: refresh token rotation (deferred)\n"
    )


SECOND_LINES = {
    "nothing but turns": (pair(()), "Topic: a | Turns: 2"),
    "no topic": (pair(topic=""), "Turns: 2 (1-2 new)"),
    "calls, none cached": (pair(tool_calls=3), "Topic: a | Turns: 2 (1-2 new) | Tool calls: 3"),
    "single turns": (pair(((2, 2), (4, 6))), "Topic: a | Turns: 2 (2, 4-6 new)"),
    "many ranges": (
        pair(tuple((n, n) for n in range(1, 20, 2))),
        "Topic: a | Turns: 2 (1, 3, 5, 7, … new)",
    ),
}


@pytest.mark.parametrize(("given", "line"), SECOND_LINES.values(), ids=SECOND_LINES)
def test_what_is_empty_is_left_out(given: Noted, line: str) -> None:
    assert note_text([given]).split("\n")[1:] == [line, ""]


def test_a_frame_that_only_the_message_names_is_shown_as_such() -> None:
    assert note_text([pair((), kind="trailer")]) == f"Frame: {A} (trailer)\nTopic: a | Turns: 2\n"


@pytest.mark.parametrize(("count", "tail"), [(5, None), (6, "… and 1 more frame"), (8, "… and 3 more frames")])
def test_five_frames_are_listed_and_the_rest_counted(count: int, tail: str | None) -> None:
    blocks = note_text([pair()] * count).rstrip("\n").split("\n\n")
    assert len(blocks) == 5 + (tail is not None)
    assert tail is None or blocks[-1] == tail


@pytest.mark.parametrize("word", ["decision", "결정사항", "決定"])
def test_lines_are_bounded(word: str) -> None:
    text = note_text(
        [pair(decisions=[f"{word} {n} " * 4 for n in range(40)], open_questions=[word * 500], topic=word * 99)]
    )
    lines = text.splitlines()
    assert max(map(display_width, lines)) < 260
    assert lines[2].rpartition("; ")[2].startswith("… (+")
    assert lines[3].endswith("…")


def test_nothing_in_a_note_is_obeyed_by_a_terminal() -> None:
    evil = "a\x1b[31mb\x07c\x9bd\u202ee\u2066f\ud800g\nh\r\n\ti\u2028j"
    assert shown(evil) == "a�[31mb�c�d�e�f�g h i j"
    text = note_text([pair(topic=evil, decisions=[evil], open_questions=[evil])])
    assert not any(character < " " for character in text.replace("\n", ""))
    assert len(text.splitlines()) == 4
    text.encode()


# -- the ref ----------------------------------------------------------------------------------------------------------


def test_git_log_prints_the_frame_under_its_commit(work: Work) -> None:
    work.put(make_frame("a", 3))
    work.commit("feature")
    assert work.view() == 1
    printed = work.git("log", "-1", "--notes=frames", "--format=%s%n%N")
    assert printed == f"feature\n{SESSIONS}/a.frame.json\nTopic: a | Turns: 3 (1-3 new)"
    assert work.git("log", "-1", "--format=%an <%ae> %cn <%ce>", "refs/notes/frames") == (
        "frames <frames@localhost> frames <frames@localhost>"
    )


@pytest.mark.parametrize("count", [1, 3, 4, 30])
def test_few_notes_and_many_are_the_same(work: Work, count: int) -> None:
    commits = set()
    work.commit("first")
    assert work.view() == 0
    for number in range(count):
        work.put(make_frame(f"s{number}"))
        commits.add(work.commit())
    assert work.view() == count
    assert work.view() == 0
    assert work.noted() == commits
    added = {commit: work.note(commit) for commit in commits}
    work.git("update-ref", "-d", "refs/notes/frames")
    assert work.view() == count
    assert {commit: work.note(commit) for commit in commits} == added


def test_notes_are_added_to_those_that_are_there(work: Work) -> None:
    commits = set()
    for count in (5, 1, 4, 2):
        for _ in range(count):
            work.put(make_frame(f"s{len(commits)}"))
            commits.add(work.commit())
        assert work.view() == count
        assert work.noted() == commits


def test_a_note_of_a_trailer_follows_the_newest_version(work: Work) -> None:
    named = work.commit(f"work\n\nFrame: {A}\n")
    work.view()
    assert work.note(named) == ""
    for turns in (2, 4):
        work.put(make_frame("a", turns))
        work.commit()
        assert work.view() == 2
        assert work.note(named) == f"Frame: {A} (trailer)\nTopic: a | Turns: {turns}"


def test_an_amended_commit_gets_its_note(work: Work) -> None:
    work.put(make_frame("a"))
    work.commit()
    work.view()
    work.git("commit", "-q", "--amend", "-m", "another")
    assert work.view() == 1
    assert work.note("HEAD") == f"{SESSIONS}/a.frame.json\nTopic: a | Turns: 2 (1-2 new)"


CHANGES = {
    "deleted": ("update-ref", "-d", "refs/notes/frames"),
    "a note removed": ("notes", "--ref=frames", "remove", "HEAD"),
    "a note overwritten": ("notes", "--ref=frames", "add", "-f", "-m", "mine", "HEAD"),
    "a note on another commit": ("notes", "--ref=frames", "add", "-m", "mine", "HEAD~2"),
    "pointed to a commit": ("update-ref", "refs/notes/frames", "HEAD"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_view_that_somebody_changed_is_written_anew_without_history(work: Work, change: tuple[str, ...]) -> None:
    work.commit("first")
    for session in "ab":
        work.put(make_frame(session))
        work.commit()
        work.view()
    notes = work.git("notes", "--ref=frames", "list")
    work.git(*change)
    assert work.view() == 2
    assert work.git("notes", "--ref=frames", "list") == notes
    assert work.git("rev-list", "--count", "refs/notes/frames") == "1"
    assert work.view() == 0


def test_a_lost_index_writes_the_view_anew(work: Work) -> None:
    for session in "ab":
        work.put(make_frame(session))
        work.commit()
    work.view()
    os.unlink(work.state().path("index.sqlite"))
    assert work.view() == 2
    assert len(work.noted()) == 2


def test_notes_of_others_in_our_ref_go_when_there_is_nothing_to_show(work: Work) -> None:
    work.commit("first")
    work.git("notes", "--ref=frames", "add", "-m", "mine")
    assert work.view() == 0
    assert work.git("for-each-ref", "refs/notes") == ""


def test_a_rebase_that_copies_notes_is_put_right(work: Work) -> None:
    work.git("config", "notes.rewriteRef", "refs/notes/*")
    work.commit("first")
    work.put(make_frame("a"))
    work.commit()
    work.view()
    path = work.put(make_frame("b"))
    work.git("commit", "-q", "--amend", "--no-edit")
    assert work.view() >= 1
    assert path in work.note("HEAD")


def test_commits_that_are_gone_get_no_note(work: Work) -> None:
    work.commit("first")
    for number in range(6):
        work.put(make_frame(f"s{number}"))
        work.commit()
    kept = work.head("HEAD^")
    with work.index() as index:
        work.refresh(index)
    work.git("reset", "-q", "--hard", "HEAD^")
    work.git("reflog", "expire", "--expire=now", "--all")
    work.git("prune", "--expire=now")
    assert work.view() == 5
    assert kept in work.noted()
    assert not list((work.path / ".git").glob("fast_import_crash*"))
    assert work.view() == 0


def test_no_reflog_is_written(work: Work) -> None:
    work.git("config", "core.logAllRefUpdates", "always")
    for count in (1, 5):
        for number in range(count):
            work.put(make_frame(f"s{count}-{number}"))
            work.commit()
        work.view()
    assert not (work.path / ".git/logs/refs/notes").exists()


def test_what_cannot_be_written_now_is_written_the_next_time(work: Work) -> None:
    work.put(make_frame("a"))
    work.commit()
    lock = work.path / ".git/refs/notes/frames.lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    assert work.view() == 0
    lock.unlink()
    assert work.view() == 1


def test_a_lock_held_too_long_is_borne(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    work.put(make_frame("a"))
    work.commit()

    def refuse(*_: object) -> None:
        raise RefusedError("locked")

    with monkeypatch.context() as patch:
        patch.setattr(PrivateState, "lock", refuse)
        assert work.view() == 0
    assert work.view() == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root")
def test_a_read_only_repository_is_borne(work: Work) -> None:
    work.put(make_frame("a"))
    work.commit()
    folders = [work.path / ".git", *(path for path in (work.path / ".git").rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    try:
        assert work.view() == 0
    finally:
        for folder in folders:
            folder.chmod(0o755)


def test_nothing_new_asks_git_nothing(work: Work) -> None:
    work.put(make_frame("a"))
    work.commit()
    work.view()
    repo, state = work.open(), work.state()
    with Index.open(state) as index:
        tip = refresh(repo, index).notes_tip
        repo.environ = {"PATH": ""}  # no git to be found
        assert refresh_view(repo, index, state, tip) == 0


@pytest.mark.parametrize("init", [["--object-format=sha256"], []])
def test_other_repositories(tmp_path: Path, init: list[str]) -> None:
    work = Work(tmp_path / "repo", *init)
    for number in range(5):
        work.put(make_frame(f"s{number}"))
        work.commit()
    subprocess.run(["git", "clone", "-q", "--bare", str(work.path), str(tmp_path / "bare")], check=True)
    bare = Work(tmp_path / "bare", make=False)
    assert bare.view() == 5
    assert len(bare.noted()) == 5
    assert work.view() == 5


ONE_OF_MANY = """
import os, sys
from session_frames.storage.commit_links import refresh
from session_frames.storage.git_repo import GitRepo
from session_frames.storage.index import Index
from session_frames.storage.notes_view import refresh_view
from session_frames.storage.private_state import PrivateState

sys.stdin.readline()
repo = GitRepo.open(sys.argv[1], dict(os.environ))
state = PrivateState(repo.common_dir)
with Index.open(state) as index:
    refresh_view(repo, index, state, refresh(repo, index).notes_tip)
"""


def start(folder: Path) -> subprocess.Popen[bytes]:
    source = os.path.dirname(os.path.dirname(session_frames.__file__))
    return subprocess.Popen(
        [sys.executable, "-c", ONE_OF_MANY, str(folder)],
        env={**os.environ, "PYTHONPATH": source},
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@pytest.mark.parametrize("begin_with", ["nothing", "damaged index"])
def test_twenty_processes_at_once_lose_no_note(work: Work, tmp_path: Path, begin_with: str) -> None:
    commits = set()
    work.commit("first")
    trees = []
    for number in range(20):
        work.git("worktree", "add", "-q", "-b", f"branch{number}", str(tmp_path / f"tree{number}"))
        trees.append(Work(tmp_path / f"tree{number}", make=False))
    if begin_with == "damaged index":
        os.makedirs(work.state().root)
        Path(work.state().path("index.sqlite")).write_bytes(b"broken" * 3000)
    for _ in range(2):
        processes = [start(tree.path) for tree in trees]
        for number, (tree, process) in enumerate(zip(trees, processes, strict=True)):
            tree.put(make_frame(f"s{number}-{len(commits)}"))
            commits.add(tree.commit())
            assert process.stdin is not None
            process.stdin.write(b"\n")
            process.stdin.flush()
        for process in processes:
            assert process.communicate()[1].decode() == ""
            assert process.returncode == 0
    assert work.noted() == commits
    with suppress(FileNotFoundError):
        assert not os.path.exists(work.state().path("index.sqlite-journal")) or (
            os.path.getsize(work.state().path("index.sqlite-journal")) == 0
        )
    assert work.view() == 0
