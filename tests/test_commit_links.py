"""Which frames belong to which commits, tried on real repositories."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from git_fixtures import ARCHIVE, SESSIONS, Work, make_frame

import session_frames
from session_frames import frame_json
from session_frames.errors import EnvironmentError_, FormatError
from session_frames.storage.commit_history import read_refs, squashed_frames
from session_frames.storage.commit_links import (
    Link,
    commits_of,
    iter_links,
    known_frames,
    known_paths,
    links_of,
    refresh,
)
from session_frames.storage.index import Index

A, B, C = (make_frame(session)["id"] for session in "abc")


@pytest.fixture
def work(tmp_path: Path) -> Work:
    return Work(tmp_path / "repo")


def links(work: Work, commit: str, *asked: str) -> list[tuple[str, str, tuple[tuple[int, int], ...]]]:
    """(frame id, kind, new turns) of each link of a commit, by a fresh index and by the one that grew."""
    with work.index() as index:
        work.refresh(index, *asked)
        grown = links_of(index, [commit]).get(commit, [])
    os.unlink(work.state().path("index.sqlite"))
    with work.index() as index:
        work.refresh(index, *asked)
        anew = links_of(index, [commit]).get(commit, [])
    assert grown == anew
    return [(link.frame_id, link.kind, link.new_turns) for link in anew]


def peek(work: Work) -> None:
    """Let the index read what is there so far."""
    with work.index() as index:
        work.refresh(index)


# -- in-tree ----------------------------------------------------------------------------------------------------------


def test_a_commit_that_adds_a_frame_has_all_its_turns(work: Work) -> None:
    path = work.put(make_frame("a", 3))
    commit = work.commit()
    blob = work.head(f"HEAD:{path}")
    with work.index() as index:
        assert work.refresh(index)[:2] == (1, 1)
        assert list(iter_links(index)) == [Link(commit, A, "in-tree", path, blob, ((1, 3),))]
        assert work.refresh(index)[:2] == (0, 0)


def test_growth_says_which_turns_are_new(work: Work) -> None:
    work.put(make_frame("a", 3))
    work.commit()
    peek(work)
    work.put(make_frame("a", 5))
    assert links(work, work.commit()) == [(A, "in-tree", ((4, 5),))]


def test_turns_that_came_between_are_new_too(work: Work) -> None:
    turns = make_frame("a", 6)["turns"]
    frame = make_frame("a")
    frame["turns"] = [turns[0], turns[2], turns[3]]
    work.put(frame)
    work.commit()
    work.put(make_frame("a", 6))
    assert links(work, work.commit()) == [(A, "in-tree", ((2, 2), (5, 6)))]


@pytest.mark.parametrize("change", [{"status": "archived"}, {"title": "another"}, {"turns": 1}])
def test_a_change_without_new_turns_is_no_link(work: Work, change: dict[str, Any]) -> None:
    work.put(make_frame("a"))
    work.commit()
    work.put(make_frame("a", **change))
    assert links(work, work.commit()) == []


@pytest.mark.parametrize("target", [f"{ARCHIVE}/a.frame.json", f"{SESSIONS}/other.frame.json"])
def test_a_move_is_no_link(work: Work, target: str) -> None:
    path = work.put(make_frame("a"))
    work.commit()
    peek(work)
    (work.path / target).parent.mkdir(parents=True, exist_ok=True)
    work.git("mv", path, target)
    moved = work.commit()
    assert links(work, moved) == []
    with work.index() as index:
        work.refresh(index)
        assert known_paths(index) == {A: target}


def test_a_move_that_also_grows_links_what_grew(work: Work) -> None:
    path = work.put(make_frame("a", 2))
    work.commit()
    work.git("rm", "-q", path)
    work.put(make_frame("a", 4), folder=ARCHIVE)
    assert links(work, work.commit()) == [(A, "in-tree", ((3, 4),))]


def test_a_second_copy_of_the_file_is_no_link(work: Work) -> None:
    work.put(make_frame("a"))
    work.commit()
    peek(work)
    work.put(make_frame("a"), folder=ARCHIVE)
    assert links(work, work.commit()) == []


def test_another_frame_in_the_same_file_is_an_added_frame(work: Work) -> None:
    work.put(make_frame("a"), name="same")
    work.commit()
    work.put(make_frame("b"), name="same")
    assert links(work, work.commit()) == [(B, "in-tree", ((1, 2),))]


def test_deletion_is_no_link_and_coming_back_is_one(work: Work) -> None:
    path = work.put(make_frame("a"))
    added = work.commit()
    work.git("rm", "-q", path)
    removed = work.commit()
    work.git("checkout", added, "--", path)
    again = work.commit()
    assert links(work, removed) == []
    assert links(work, again) == [(A, "in-tree", ((1, 2),))]


def test_a_revert_of_the_addition_is_no_link(work: Work) -> None:
    work.commit("first")
    work.put(make_frame("a"))
    work.commit(f"feature\n\nFrame: {A}\n")
    work.git("revert", "--no-edit", "HEAD")
    assert links(work, work.head()) == []


def test_an_amended_commit_has_the_link_and_the_old_one_keeps_it(work: Work) -> None:
    work.put(make_frame("a"))
    old = work.commit(f"one\n\nFrame: {A}\n")
    peek(work)
    work.git("commit", "-q", "--amend", "-m", "another message")
    new = work.head()
    with work.index() as index:
        work.refresh(index)
        assert {link.commit for link in commits_of(index, A)} == {old, new}
    assert links(work, new) == [(A, "in-tree", ((1, 2),))]


def test_a_clean_merge_links_nothing_and_both_sides_are_read(work: Work) -> None:
    work.commit("first")
    work.git("checkout", "-q", "-b", "side")
    work.put(make_frame("a"))
    left = work.commit("left")
    work.git("checkout", "-q", "main")
    work.put(make_frame("b"))
    right = work.commit("right")
    work.git("merge", "-q", "--no-edit", "side")
    assert links(work, work.head()) == []
    assert links(work, left) == [(A, "in-tree", ((1, 2),))]
    assert links(work, right) == [(B, "in-tree", ((1, 2),))]


def diverged(work: Work, change_left: Callable[[], object], change_right: Callable[[], object]) -> None:
    """Two sides of one history with frame `a` of two turns; a merge of `side` is left open."""
    work.put(make_frame("a", 2))
    work.commit("first")
    work.git("checkout", "-q", "-b", "side")
    change_left()
    work.commit("left")
    work.git("checkout", "-q", "main")
    change_right()
    work.commit("right")
    peek(work)
    subprocess.run(["git", "merge", "-q", "--no-commit", "side"], cwd=work.path, capture_output=True)


def test_a_merge_that_adds_turns_itself_links_these(work: Work) -> None:
    diverged(work, lambda: work.put(make_frame("a", 3)), lambda: work.put(make_frame("a", 4)))
    work.put(make_frame("a", 6))
    assert links(work, work.commit("merge")) == [(A, "in-tree", ((5, 6),))]


def test_a_merge_that_adds_a_frame_itself_links_it(work: Work) -> None:
    diverged(work, lambda: work.put(make_frame("b")), lambda: work.commit("nothing"))
    work.put(make_frame("c"))
    assert links(work, work.commit("merge")) == [(C, "in-tree", ((1, 2),))]


def test_a_merge_that_joins_both_sides_changed_the_frame_but_brings_no_new_turn(work: Work) -> None:
    other = make_frame("a", 2)
    extra = make_frame("x", 1)["turns"]
    other["turns"] = other["turns"] + extra
    both = make_frame("a", 3)
    both["turns"] = both["turns"] + extra
    diverged(work, lambda: work.put(make_frame("a", 3)), lambda: work.put(other))
    work.put(both)
    assert links(work, work.commit("merge")) == [(A, "in-tree", ())]


def test_a_merge_that_takes_one_side_whole_links_nothing(work: Work) -> None:
    diverged(work, lambda: work.put(make_frame("a", 3)), lambda: work.put(make_frame("a", 4)))
    work.put(make_frame("a", 4))
    assert links(work, work.commit("merge")) == []


def archive_a(work: Work) -> None:
    (work.path / ARCHIVE).mkdir(parents=True, exist_ok=True)
    work.git("mv", f"{SESSIONS}/a.frame.json", f"{ARCHIVE}/a.frame.json")


@pytest.mark.parametrize("mover", ["left", "right"])
def test_a_merge_knows_a_frame_that_one_side_moved_and_the_other_grew(work: Work, mover: str) -> None:
    sides: dict[str, Callable[[], object]] = {
        "left": lambda: work.put(make_frame("a", 4)),
        "right": lambda: work.put(make_frame("a", 4)),
    }
    sides[mover] = lambda: archive_a(work)
    diverged(work, sides["left"], sides["right"])
    work.git("rm", "-q", "-f", "--ignore-unmatch", f"{SESSIONS}/a.frame.json")
    work.put(make_frame("a", 5), folder=ARCHIVE)
    assert links(work, work.commit("merge")) == [(A, "in-tree", ((5, 5),))]


def test_an_orphan_branch_has_its_own_first_commit(work: Work) -> None:
    work.put(make_frame("a"))
    work.commit()
    peek(work)
    work.git("checkout", "-q", "--orphan", "other")
    assert links(work, work.commit("root of its own")) == [(A, "in-tree", ((1, 2),))]


def test_only_regular_frame_files_in_both_folders_count(work: Work) -> None:
    frame = frame_json.encode(make_frame("a"))
    work.put_bytes(f"{SESSIONS}/README.md", b"text")
    work.put_bytes("elsewhere/a.frame.json", frame)
    (work.path / SESSIONS / "link.frame.json").symlink_to("../../elsewhere/a.frame.json")
    work.git("add", "-A")
    assert links(work, work.commit()) == []


INVALID = {
    "no json": b"{",
    "conflict markers": b"<<<<<<< ours\n{}\n=======\n{}\n>>>>>>> theirs\n",
    "newer major": frame_json.encode(make_frame("a")).replace(b'"1.0"', b'"9.0"'),
    "empty": b"",
    "not utf-8": b'{"frame": "\xff"}',
    "a list": b"[]",
}


@pytest.mark.parametrize("data", INVALID.values(), ids=INVALID)
def test_an_invalid_frame_is_skipped_and_remembered(work: Work, data: bytes) -> None:
    work.put_bytes(f"{SESSIONS}/a.frame.json", data)
    work.put(make_frame("b"))
    commit = work.commit(f"work\n\nFrame: {A}\n")
    assert links(work, commit) == [(B, "in-tree", ((1, 2),))]
    blob = work.head(f"HEAD:{SESSIONS}/a.frame.json")
    with work.index() as index:
        assert index.versions([blob])[blob].frame == ""
        assert index.summaries([blob]) == {}
        assert list(known_frames(index)) == [B]


NAMES = ["dé a b", 'q"uote', " lead", "new\nline", "tab\tbed", os.fsdecode(b"raw\xff")]


@pytest.mark.parametrize("name", NAMES)
def test_any_file_name_is_told_as_it_is(work: Work, name: str) -> None:
    path = work.put(make_frame("a"), name=name)
    work.commit()
    with work.index() as index:
        work.refresh(index)
        assert [link.path for link in iter_links(index)] == [path]


# -- trailers ---------------------------------------------------------------------------------------------------------


def trailer_links(work: Work, message: str) -> list[str]:
    """The frames that a commit with this message is linked to, where frames a and b are known and c is not."""
    work.put(make_frame("a"))
    work.put(make_frame("b"))
    work.commit("frames")
    found = links(work, work.commit(message))
    assert {kind for _, kind, _ in found} <= {"trailer"}
    return [frame for frame, _, _ in found]


MESSAGES = {
    "last block": (f"work\n\nFrame: {A}\n", [A]),
    "two, and others": (f"work\n\nFrame: {A}\nCo-authored-by: X <x@example.org>\nFrame: {B}\n", [A, B]),
    "any case": (f"work\n\nfRAME: {A}\n", [A]),
    "unknown frame": (f"work\n\nFrame: {C}\n", []),
    "not an id": ("work\n\nFrame: ../../etc/passwd\nFrame: a.frame.json\n", []),
    "middle of the body": (f"work\n\nFrame: {A}\n\nMore words follow here.\n", []),
    "indented": (f"work\n\nquoting:\n\n    Frame: {A}\n", []),
    "quoted": (f"work\n\n> Frame: {A}\n", []),
    "subject": (f"Frame: {A}\n", []),
    "reverted": (f'Revert "work"\n\nThis reverts commit 1234.\n\n    Frame: {A}\n\nReason: none\n', []),
    "other key": (f"work\n\nFrames: {A}\nMy-Frame: {B}\n", []),
}


@pytest.mark.parametrize(("message", "frames"), MESSAGES.values(), ids=MESSAGES)
def test_trailers_count_in_the_last_block_only(work: Work, message: str, frames: list[str]) -> None:
    assert trailer_links(work, message) == frames


def test_a_trailer_shows_the_newest_version_of_its_frame(work: Work) -> None:
    path = work.put(make_frame("a", 2))
    work.commit()
    named = work.commit(f"work\n\nFrame: {A}\n")
    work.put(make_frame("a", 4))
    work.commit()
    with work.index() as index:
        work.refresh(index)
        (link,) = links_of(index, [named])[named]
        assert link == Link(named, A, "trailer", path, work.head(f"HEAD:{path}"), ())


def test_a_trailer_links_once_its_frame_is_known(work: Work) -> None:
    named = work.commit(f"work\n\nFrame: {A}\n")
    assert links(work, named) == []
    peek(work)
    work.put(make_frame("a"))
    work.commit()
    assert links(work, named) == [(A, "trailer", ())]


def test_a_commit_that_brings_and_names_a_frame_is_linked_in_tree(work: Work) -> None:
    work.put(make_frame("a"))
    assert links(work, work.commit(f"work\n\nFrame: {A}\n")) == [(A, "in-tree", ((1, 2),))]


def squash_branch(work: Work) -> None:
    work.commit("first")
    work.git("checkout", "-q", "-b", "feature")
    for session in "ab":
        work.put(make_frame(session))
        work.commit(f"work on {session}\n\nFrame: {model_id(session)}\n")
    work.git("checkout", "-q", "main")


def model_id(session: str) -> str:
    return make_frame(session)["id"]


def test_gits_own_squash_text_links_all_frames(work: Work) -> None:
    squash_branch(work)
    peek(work)
    work.git("merge", "-q", "--squash", "feature")
    work.git("rm", "-rqf", ".copilot")
    work.git("commit", "-q", "--allow-empty", "--no-edit")
    assert sorted(links(work, work.head())) == sorted([(A, "trailer", ()), (B, "trailer", ())])


def test_a_squash_links_all_that_it_brings(work: Work) -> None:
    squash_branch(work)
    before = work.head()
    work.git("merge", "-q", "--squash", "feature")
    work.git("commit", "-q", "-m", "title only")
    found = links(work, work.head())
    assert found == [(A, "in-tree", ((1, 2),)), (B, "in-tree", ((1, 2),))]
    assert links(work, before) == []


def test_a_squash_made_by_a_forge_links_by_what_it_brings(work: Work) -> None:
    squash_branch(work)
    work.git("checkout", "-q", "feature", "--", ".")
    message = f"feature (#1)\n\n* work on a\n\nFrame: {A}\n\n* work on b\n\nFrame: {B}\n"
    assert [frame for frame, _, _ in links(work, work.commit(message))] == [A, B]


def squashed(*messages: str) -> str:
    """The text that `git merge --squash` prepares."""
    sections = [
        f"commit {'0' * 40}\nAuthor: X <x@example.org>\nDate:   today\n\n"
        + "".join(f"    {line}\n" if line else "\n" for line in message.split("\n"))
        for message in messages
    ]
    return "Squashed commit of the following:\n\n" + "\n".join(sections)


SQUASHED = {
    "all commits": (squashed(f"b\n\nFrame: {B}", f"a\n\nFrame: {A}"), [B, A]),
    "words before": ("my own title\n\n" + squashed(f"a\n\nFrame: {A}"), [A]),
    "squash of a squash": (squashed("outer\n\n" + squashed(f"a\n\nFrame: {A}")), [A]),
    "middle of an inner body": (squashed(f"a\n\nFrame: {A}\n\nmore words"), []),
    "quoted in an inner body": (squashed(f"a\n\n    Frame: {A}"), []),
    "inner subject": (squashed(f"Frame: {A}"), []),
    "before any commit": (f"Squashed commit of the following:\n\n    Frame: {A}\n", []),
    "no marker": (f"a\n\n    Frame: {A}\n", []),
}


@pytest.mark.parametrize(("message", "frames"), SQUASHED.values(), ids=SQUASHED)
def test_squash_text_is_read_as_the_messages_that_it_holds(message: str, frames: list[str]) -> None:
    assert squashed_frames(message) == frames


# -- which commits are looked at --------------------------------------------------------------------------------------


def test_before_the_first_commit_there_is_nothing(work: Work) -> None:
    with work.index() as index:
        assert work.refresh(index) == (0, 0, "", "")
        assert list(iter_links(index)) == []


def test_a_detached_head_is_looked_at_also_of_another_work_tree(work: Work, tmp_path: Path) -> None:
    work.commit("first")
    work.git("worktree", "add", "-q", "--detach", str(tmp_path / "other"))
    other = Work(tmp_path / "other", make=False)
    other.put(make_frame("a"))
    there = other.commit()
    work.git("checkout", "-q", "--detach")
    work.put(make_frame("b"))
    here = work.commit()
    with work.index() as index:
        work.refresh(index)
        assert set(links_of(index, [there, here])) == {there, here}


def test_a_commit_that_no_ref_reaches_is_read_when_asked_for(work: Work) -> None:
    work.commit("first")
    work.put(make_frame("a"))
    lost = work.commit()
    work.git("reset", "-q", "--hard", "HEAD^")
    assert links(work, lost) == []
    with work.index() as index:
        work.refresh(index, "--all", "HEAD", "0" * 40)
        assert list(iter_links(index)) == []
        work.refresh(index, lost)
        assert [link.commit for link in iter_links(index)] == [lost]
        assert work.refresh(index, lost)[:2] == (0, 0)


def test_a_commit_that_was_asked_for_too_early_is_read_once_it_is_there(work: Work, tmp_path: Path) -> None:
    work.put(make_frame("a"))
    commit = work.commit()
    other = Work(tmp_path / "other")
    with other.index() as index:
        assert other.refresh(index, commit)[:2] == (0, 0)
        other.git("fetch", "-q", str(work.path), "main:fetched")
        assert other.refresh(index, commit)[:2] == (1, 1)


def test_tips_that_vanished_are_borne(work: Work) -> None:
    work.put(make_frame("a"))
    first = work.commit()
    work.git("checkout", "-q", "-b", "side")
    work.put(make_frame("b"))
    work.commit()
    peek(work)
    work.git("checkout", "-q", "main")
    work.git("branch", "-q", "-D", "side")
    work.git("reflog", "expire", "--expire=now", "--all")
    work.git("prune", "--expire=now")
    work.put(make_frame("c"))
    last = work.commit()
    with work.index() as index:
        assert work.refresh(index).links_added == 1
        assert set(links_of(index, [first, last])) == {first, last}


def test_tags_of_anything_and_other_notes_are_borne(work: Work) -> None:
    path = work.put(make_frame("a"))
    commit = work.commit()
    work.git("tag", "-a", "-m", "x", "annotated")
    work.git("tag", "blob", f"HEAD:{path}")
    work.git("tag", "tree", "HEAD^{tree}")
    work.git("notes", "--ref=other", "add", "-m", "note")
    assert links(work, commit) == [(A, "in-tree", ((1, 2),))]


def test_the_boundary_of_a_shallow_clone_says_nothing(work: Work, tmp_path: Path) -> None:
    for turns in (2, 3, 4):
        work.put(make_frame("a", turns))
        work.commit(f"turn {turns}\n\nFrame: {A}\n")
    subprocess.run(["git", "clone", "-q", "--depth=2", f"file://{work.path}", str(tmp_path / "clone")], check=True)
    clone = Work(tmp_path / "clone", make=False)
    assert links(clone, clone.head("HEAD^")) == [(A, "trailer", ())]
    assert links(clone, clone.head()) == [(A, "in-tree", ((4, 4),))]
    peek(clone)
    clone.git("fetch", "-q", "--unshallow")
    assert links(clone, clone.head("HEAD^")) == [(A, "in-tree", ((3, 3),))]
    assert links(clone, clone.head("HEAD^^")) == [(A, "in-tree", ((1, 2),))]


def test_a_replaced_commit_is_read_as_git_shows_it(work: Work) -> None:
    work.put(make_frame("a"))
    work.commit()
    work.put(make_frame("b"))
    last = work.commit()
    assert links(work, last) == [(B, "in-tree", ((1, 2),))]
    work.git("replace", "--graft", "HEAD")
    assert links(work, last) == [(A, "in-tree", ((1, 2),)), (B, "in-tree", ((1, 2),))]
    work.git("replace", "-d", last)
    assert links(work, last) == [(B, "in-tree", ((1, 2),))]


def test_a_repository_of_sha256(tmp_path: Path) -> None:
    work = Work(tmp_path / "repo", "--object-format=sha256")
    work.put(make_frame("a"))
    commit = work.commit(f"work\n\nFrame: {A}\n")
    assert len(commit) == 64
    assert links(work, commit) == [(A, "in-tree", ((1, 2),))]


def test_a_bare_repository(work: Work, tmp_path: Path) -> None:
    work.put(make_frame("a"))
    commit = work.commit()
    subprocess.run(["git", "clone", "-q", "--bare", str(work.path), str(tmp_path / "bare")], check=True)
    assert links(Work(tmp_path / "bare", make=False), commit) == [(A, "in-tree", ((1, 2),))]


ODD_SETTINGS = {
    "log.showSignature": "true", "log.showRoot": "false", "format.pretty": "oneline", "core.quotePath": "true",
    "color.ui": "always", "color.diff": "always", "i18n.logOutputEncoding": "UTF-16", "log.date": "relative",
    "core.abbrev": "4", "diff.noprefix": "true", "diff.renames": "copies", "log.diffMerges": "first-parent",
    "diff.orderFile": "missing", "grep.patternType": "fixed", "log.follow": "true", "diff.relative": "true",
    "core.commentChar": ";", "notes.displayRef": "*", "log.mailmap": "false", "log.abbrevCommit": "true",
    "log.decorate": "full", "diff.external": "false",
}  # fmt: skip


def test_settings_of_the_user_change_nothing(work: Work) -> None:
    work.put(make_frame("a"), name="dé a")
    work.commit(f"café\n\nFrame: {B}\n")
    work.git("checkout", "-q", "-b", "side")
    work.put(make_frame("b"))
    work.commit("side")
    work.git("checkout", "-q", "main")
    work.commit("main")
    work.git("merge", "-q", "--no-commit", "side")
    work.put(make_frame("c"))
    work.commit("merge")
    with work.index() as index:
        work.refresh(index)
        plain = sorted(iter_links(index))
    os.unlink(work.state().path("index.sqlite"))
    for name, value in ODD_SETTINGS.items():
        work.git("config", "--global", name, value)
    with work.index() as index:
        work.refresh(index)
        assert sorted(iter_links(index)) == plain
    assert len(plain) == 4


def test_a_message_of_another_encoding(work: Work) -> None:
    work.put(make_frame("a"))
    work.commit("frames")
    message = work.path / "message"
    message.write_bytes(b"caf\xe9 \xff\n\nFrame: " + A.encode() + b"\n")
    work.git("-c", "i18n.commitEncoding=ISO-8859-1", "commit", "-q", "--allow-empty", "-F", "message")
    assert links(work, work.head()) == [(A, "trailer", ())]
    work.git("commit", "-q", "--allow-empty", "-F", "message")
    assert links(work, work.head()) == [(A, "trailer", ())]


def test_git_is_started_four_times_at_most(work: Work, tmp_path: Path) -> None:
    for number in range(30):
        work.put(make_frame(f"s{number}", 2))
        work.commit(f"work\n\nFrame: {model_id(f's{number}')}\n")
        if number % 3 == 0:
            work.git("mv", f"{SESSIONS}/s{number}.frame.json", f"{SESSIONS}/moved{number}.frame.json")
            work.commit("moved")
    repo = work.open()
    trace = tmp_path / "trace"
    counts = []
    with work.index() as index:
        for _ in range(2):
            trace.write_text("")
            repo.environ = {**os.environ, "GIT_TRACE2_EVENT": str(trace)}
            refresh(repo, index)
            events = [json.loads(line) for line in trace.read_text().splitlines()]
            counts.append([event["argv"] for event in events if event["event"] == "start"])
    assert len(counts[0]) == 4
    assert len(counts[1]) == 1


# -- the index itself -------------------------------------------------------------------------------------------------


def damage(path: str, how: str) -> None:
    data = Path(path).read_bytes()
    broken = {
        "deleted": None,
        "empty": b"",
        "garbage": b"not a database" * 1000,
        "truncated": data[: len(data) // 2 // 4096 * 4096],
        "zeroed": data[:4096] + bytes(len(data) - 4096),
        "head lost": bytes(100) + data[100:],
    }[how]
    os.unlink(path)
    if broken is not None:
        Path(path).write_bytes(broken)


DAMAGES = ["deleted", "empty", "garbage", "truncated", "zeroed", "head lost"]


@pytest.mark.parametrize("how", DAMAGES)
def test_a_damaged_index_is_filled_again(work: Work, how: str) -> None:
    commits = []
    for number in range(40):
        work.put(make_frame(f"s{number}", 30))
        commits.append(work.commit(f"work\n\nFrame: {A}\n"))
    with work.index() as index:
        work.refresh(index)
        whole = list(iter_links(index))
    damage(work.state().path("index.sqlite"), how)
    with work.index() as index:
        work.refresh(index)
        assert list(iter_links(index)) == whole
        assert len(links_of(index, commits)) == 40
        assert len(known_frames(index)) == 40
    with work.index() as index:
        assert work.refresh(index)[:2] == (0, 0)


def test_damage_that_is_met_while_reading_is_repaired_too(work: Work) -> None:
    for number in range(40):
        work.put(make_frame(f"s{number}", 30))
        work.commit()
    path = work.state().path("index.sqlite")
    peek(work)
    pages = os.path.getsize(path) // 4096
    with open(path, "r+b") as file:  # all pages but the first, and those of the tables that a quiet refresh asks
        for page in range(12, pages):
            file.seek(page * 4096)
            file.write(b"\xff" * 4096)
    with work.index() as index:
        work.refresh(index)
        assert len(list(iter_links(index))) == 40
        assert len(known_frames(index)) == 40


def test_an_index_of_another_version_is_made_anew(work: Work) -> None:
    work.put(make_frame("a"))
    commit = work.commit()
    peek(work)
    with sqlite3.connect(work.state().path("index.sqlite")) as database:
        database.execute("UPDATE meta SET value = 'older' WHERE key = 'validity'")
        database.execute("ALTER TABLE links ADD COLUMN strange")
    database.close()
    with work.index() as index:
        assert work.refresh(index).links_added == 1
        assert list(links_of(index, [commit])) == [commit]


def test_an_index_that_cannot_be_written_lives_in_memory(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    work.put(make_frame("a"))
    work.commit()
    peek(work)
    work.put(make_frame("b"))
    work.commit()
    path = work.state().path("index.sqlite")
    before = Path(path).read_bytes()
    monkeypatch.setattr(os, "access", lambda *_: False)
    with work.index() as index:
        assert work.refresh(index).links_added == 1
        assert len(list(iter_links(index))) == 2
    assert Path(path).read_bytes() == before


def test_an_index_that_is_locked_says_so(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("session_frames.storage.index._BUSY_SECONDS", 0.05)
    work.put(make_frame("a"))
    work.commit()
    with work.index() as index:
        index.rows("SELECT 1")
    holder = sqlite3.connect(work.state().path("index.sqlite"), isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    with work.index() as index, pytest.raises(EnvironmentError_, match="other processes keep it locked"):
        work.refresh(index)
    holder.close()


def test_the_newest_version_is_the_longest_then_the_last(work: Work) -> None:
    path = work.put(make_frame("a", 4, title="long"))
    work.commit()
    work.put(make_frame("a", 4, title="pinned"))
    work.commit()
    work.git("checkout", "-q", "-b", "old", "HEAD^")
    work.put(make_frame("a", 2, title="short"))
    work.commit()
    with work.index() as index:
        work.refresh(index)
        assert known_frames(index)[A]["title"] == "pinned"
        assert known_frames(index)[A]["turns"] == 4
        assert known_paths(index) == {A: path}
        assert [link.new_turns for link in commits_of(index, A)] == [((1, 4),)]


def test_the_summary_of_a_file_is_read_once(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    path = work.put(make_frame("a", 3))
    file = str(work.path / path)
    with work.index() as index:
        assert index.summary_of_file(file)["turns"] == 3
    with work.index() as index, monkeypatch.context() as patch:
        patch.setattr(frame_json, "decode", None)
        assert index.summary_of_file(file)["turns"] == 3
    work.put(make_frame("a", 4))
    with work.index() as index:
        assert index.summary_of_file(file)["turns"] == 4
        Path(file).write_text("{")
        with pytest.raises(FormatError):
            index.summary_of_file(file)
        os.unlink(file)
        with pytest.raises(EnvironmentError_, match=r"cannot read .*No such file"):
            index.summary_of_file(file)


LIGHT = """
import sys
import session_frames.storage.notes_view
heavy = {"subprocess", "pathlib", "dataclasses", "click", "git", "jsonschema", "yaml", "asyncio", "inspect"}
print(sorted(heavy & set(sys.modules)))
"""


def test_nothing_heavy_is_imported(environ: dict[str, str]) -> None:
    source = os.path.dirname(os.path.dirname(session_frames.__file__))
    done = subprocess.run(
        [sys.executable, "-S", "-c", LIGHT], env={**environ, "PYTHONPATH": source}, capture_output=True, check=True
    )
    assert done.stdout.decode() == "[]\n"


def test_a_repository_that_was_copied_still_works(work: Work, tmp_path: Path) -> None:
    work.put(make_frame("a"))
    commit = work.commit()
    peek(work)
    shutil.copytree(work.path, tmp_path / "copy", symlinks=True)
    copy = Work(tmp_path / "copy", make=False)
    assert links(copy, commit) == [(A, "in-tree", ((1, 2),))]
    assert read_refs(copy.open()).tips == {commit}


def test_an_index_is_opened_when_it_is_asked_first(work: Work) -> None:
    with Index.open(work.state()):
        pass
    assert not work.state().exists()
