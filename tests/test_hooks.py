"""Frames travel in the commits of their sessions and in no other, whatever way the commit is made."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import CLAUDE_SESSION, Session
from git_repos import (
    SESSION,
    SOURCE,
    activate,
    commit_files,
    end,
    frame_files,
    frame_of,
    git,
    interpreter,
    status,
    trailers,
    turn,
    workspace,
)

from session_frames.operations.membership import Hunk, is_of_session, written_lines
from session_frames.storage.hook_text import GUARDS
from session_frames.transcripts import SESSION_VARIABLES
from session_frames.workspace.capture import close, start
from session_frames.workspace.setup import init

BASE = "".join(f"line number {n} of the base file\n" for n in range(30))
WROTE = ["def parse_the_header(data):", "    fields = data.split(b';')", "    return fields"]
FRAME = frame_of([turn(1, role="user", text="write a parser"), turn(2, {"a.py": WROTE})])
NEXT = ["def parse_the_body(data):", "    parts = data.partition(b'=')", "    return parts"]
GROWN = frame_of([*FRAME["turns"], turn(3, role="user", text="go on"), turn(4, {"a.py": NEXT})])
FILE = f".copilot/sessions/2026-06-02_parser_{FRAME['id'][:6]}.frame.json"


@pytest.fixture
def made(repo: Path, tmp_path: Path) -> Path:
    """A repository with hooks, a first commit, and a session that is about to write in a.py."""
    commit_files(repo, "base", a_py=BASE, b_py=BASE)
    init(workspace(repo), python=interpreter(tmp_path))
    git(repo, "add", ".gitattributes")
    git(repo, "commit", "-qm", "attributes")
    activate(repo, FRAME)
    return repo


def write(path: Path, lines: list[str], name: str = "a.py") -> None:
    (path / name).write_text((path / name).read_text() + "".join(line + "\n" for line in lines))


def counted(path: Path) -> int:
    return int(git(path, "rev-list", "--count", "HEAD"))


# ---------------------------------------------------------------------------------------------------------------------
# Every way to commit


def by_plain(path: Path) -> None:
    git(path, "add", "a.py")
    git(path, "commit", "-qm", "m")


def by_all(path: Path) -> None:
    git(path, "commit", "-qam", "m")


def by_patch(path: Path) -> None:
    git(path, "commit", "-qp", "-m", "m", stdin="y\n")


def by_path(path: Path) -> None:
    git(path, "commit", "-qm", "m", "--", "a.py")


def by_include(path: Path) -> None:
    git(path, "commit", "-qm", "m", "-i", "a.py")


def by_amend(path: Path) -> None:
    git(path, "add", "a.py")
    git(path, "commit", "-q", "--amend", "--no-edit")


def by_amended_path(path: Path) -> None:
    git(path, "commit", "-q", "--amend", "--no-edit", "--", "a.py")


def by_file(path: Path) -> None:
    git(path, "commit", "-qa", "-F", "-", stdin="m\n")


WAYS = [by_plain, by_all, by_patch, by_path, by_include, by_amend, by_amended_path, by_file]


def split_index(path: Path) -> None:
    git(path, "config", "core.splitIndex", "true")
    git(path, "update-index", "--split-index")


def sparse_checkout(path: Path) -> None:
    git(path, "sparse-checkout", "set", "--cone", "folder")


def as_git_makes_it(path: Path) -> None:
    pass


@pytest.mark.parametrize(
    ("kind", "way"),
    [(as_git_makes_it, way) for way in WAYS]
    + [(split_index, way) for way in (by_plain, by_all, by_path)]
    + [(sparse_checkout, way) for way in (by_plain, by_path)],
    ids=lambda part: part.__name__,
)
def test_the_frame_is_in_the_commit_and_nothing_else_is(
    made: Path, kind: Callable[[Path], None], way: Callable[[Path], None]
) -> None:
    kind(made)
    write(made, WROTE)
    before = set(git(made, "ls-files").split())

    way(made)

    assert status(made) == ""
    assert frame_files(made) == [FILE]
    assert trailers(made) == [FRAME["id"]]
    assert set(git(made, "ls-files").split()) == before | {FILE}
    end(made, FRAME)
    write(made, ["something of a person's own"], "b.py")
    git(made, "commit", "-qam", "next")
    assert status(made) == ""
    assert frame_files(made) == [FILE]
    assert trailers(made) == []
    assert git(made, "show", "--name-only", "--format=", "HEAD").split() == ["b.py"]


@pytest.mark.parametrize("way", [by_path, by_patch])
def test_what_the_user_left_out_stays_out(made: Path, way: Callable[[Path], None]) -> None:
    write(made, WROTE)
    (made / "b.py").write_text("changed at the top\n" + BASE)
    (made / "c.py").write_text("new\n")
    if way is by_path:
        git(made, "add", "b.py")
    git(made, "add", "-N", "c.py")

    if way is by_patch:
        git(made, "commit", "-qp", "-m", "m", stdin="y\nn\nn\n")
    else:
        by_path(made)

    assert git(made, "show", "--name-only", "--format=", "HEAD").split() == [FILE, "a.py"]
    assert status(made) == ("M  b.py\n A c.py\n" if way is by_path else " M b.py\n A c.py\n")


def test_commits_of_one_turn_and_the_next_are_all_linked(made: Path) -> None:
    for number in range(3):
        (made / f"f{number}").write_text("x\n")
        git(made, "add", f"f{number}")
        growing = turn(2, {"a.py": WROTE})
        growing["calls"] = growing["calls"] * (number + 1)
        activate(made, frame_of([FRAME["turns"][0], growing]))
        git(made, "commit", "-qm", f"m{number}", CLAUDE_CODE_SESSION_ID=SESSION)
        assert trailers(made) == [FRAME["id"]]
    activate(made, GROWN)
    write(made, NEXT)
    git(made, "commit", "-qam", "next")

    assert counted(made) == 6
    assert status(made) == ""
    assert trailers(made) == [FRAME["id"]]
    assert "t4" in git(made, "cat-file", "-p", f"HEAD:{FILE}")


def test_three_commits_are_three_commits(made: Path) -> None:
    before = counted(made)
    for number in range(3):
        write(made, [*WROTE, f"# part {number} of the parser"])
        git(made, "commit", "-qam", f"m{number}")
        assert status(made) == ""
    assert counted(made) == before + 3


def test_first_commit_of_a_repository(repo: Path, tmp_path: Path) -> None:
    init(workspace(repo), python=interpreter(tmp_path))
    activate(repo, FRAME)
    write_new = repo / "a.py"
    write_new.write_text("\n".join(WROTE) + "\n")
    git(repo, "add", "a.py", ".gitattributes")
    git(repo, "commit", "-qm", "first")

    assert frame_files(repo) == [FILE]
    assert trailers(repo) == [FRAME["id"]]
    assert status(repo) == ""


def test_detached_head_and_names_with_blanks(made: Path) -> None:
    git(made, "checkout", "-q", "--detach")
    name = 'ä "b" c\t.py'
    activate(made, frame_of([turn(1, {name: WROTE})]))
    (made / name).write_text("\n".join(WROTE) + "\n")
    git(made, "add", "-A")
    git(made, "commit", "-qm", "m")

    assert frame_files(made) == [FILE]


def test_merge_links_what_the_merge_itself_changed(made: Path) -> None:
    git(made, "checkout", "-qb", "side")
    write(made, WROTE)
    git(made, "commit", "-qam", "side")
    end(made, FRAME)
    git(made, "checkout", "-q", "main")
    write(made, ["x"], "b.py")
    git(made, "commit", "-qam", "main")

    git(made, "merge", "-q", "--no-edit", "side")

    assert status(made) == ""
    assert frame_files(made) == [FILE]
    assert trailers(made) == []
    assert trailers(made, "side") == [FRAME["id"]]


def test_squash_names_the_frames_that_it_brings(made: Path) -> None:
    git(made, "checkout", "-qb", "side")
    write(made, WROTE)
    git(made, "commit", "-qam", "side")
    activate(made, GROWN)
    write(made, NEXT)
    git(made, "commit", "-qam", "side 2")
    end(made, FRAME)
    git(made, "checkout", "-q", "main")

    git(made, "merge", "-q", "--squash", "side")
    git(made, "commit", "-q", "--no-edit")

    assert trailers(made) == [FRAME["id"]]
    assert status(made) == ""


def test_rebase_pick_and_revert_take_no_active_frame(made: Path) -> None:
    git(made, "checkout", "-qb", "side")
    write(made, WROTE)
    git(made, "commit", "-qam", "side")
    picked = git(made, "rev-parse", "HEAD").strip()
    git(made, "checkout", "-q", "main")
    write(made, ["x"], "b.py")
    git(made, "commit", "-qam", "main")
    activate(made, GROWN)

    git(made, "checkout", "-q", "side")
    git(made, "rebase", "-q", "main")
    assert trailers(made) == [FRAME["id"]]
    assert "t4" not in git(made, "cat-file", "-p", f"HEAD:{FILE}")
    assert status(made) == ""

    git(made, "checkout", "-qb", "other", "main")
    git(made, "cherry-pick", picked)
    assert trailers(made) == [FRAME["id"]]
    assert status(made) == ""

    git(made, "revert", "--no-edit", "HEAD")
    assert frame_files(made) == []
    assert trailers(made) == []
    assert status(made) == ""


def test_a_stopped_rebase_takes_no_frame(made: Path) -> None:
    git(made, "checkout", "-qb", "side")
    write(made, WROTE)
    git(made, "commit", "-qam", "side", "--no-verify")
    git(made, "checkout", "-q", "main")
    (made / "a.py").write_text(BASE + "in the way\n")
    git(made, "commit", "-qam", "main")
    git(made, "checkout", "-q", "side")

    git(made, "rebase", "main", code=1)
    (made / "a.py").write_text(BASE + "\n".join(WROTE) + "\n")
    git(made, "add", "a.py")
    git(made, "rebase", "--continue", GIT_EDITOR="true")

    assert frame_files(made) == []
    assert status(made) == ""


# ---------------------------------------------------------------------------------------------------------------------
# Other repositories and work trees


def tree_bytes(path: Path) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}


def test_linked_work_tree_touches_no_other(made: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    subprocess.run(["git", "init", "-q", str(other)], check=True)
    commit_files(other, "base", a_py=BASE)
    linked = tmp_path / "linked"
    git(made, "worktree", "add", "-q", str(linked), "-b", "linked")
    end(made, FRAME)
    activate(linked, FRAME)
    kept = {name: (made / ".git" / name).read_bytes() for name in ("HEAD", "index", "config")}
    before = tree_bytes(other)

    write(linked, WROTE)
    git(linked, "commit", "-qam", "m")

    assert frame_files(linked) == [FILE]
    assert trailers(linked) == [FRAME["id"]]
    assert status(linked) == ""
    assert {name: (made / ".git" / name).read_bytes() for name in kept} == kept
    assert tree_bytes(other) == before
    assert status(made) == ""
    write(made, WROTE)
    git(made, "commit", "-qam", "the session belongs to the other work tree")
    assert frame_files(made) == []


def test_submodule_is_a_repository_of_its_own(made: Path, tmp_path: Path) -> None:
    source = tmp_path / "library"
    subprocess.run(["git", "init", "-q", str(source)], check=True)
    commit_files(source, "base", a_py=BASE)
    git(made, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(source), "library")
    git(made, "commit", "-qm", "submodule")
    library = made / "library"
    init(workspace(library), python=interpreter(tmp_path))
    activate(library, FRAME)

    write(library, WROTE)
    git(library, "commit", "-qm", "m", "--", "a.py")

    assert frame_files(library) == [FILE]
    assert status(library) == "?? .gitattributes\n"
    assert frame_files(made) == []


# ---------------------------------------------------------------------------------------------------------------------
# Whose commit it is


@pytest.mark.parametrize("variable", SESSION_VARIABLES)
def test_a_commit_from_the_agents_shell_is_the_sessions(made: Path, variable: str) -> None:
    write(made, ["x"], "b.py")
    git(made, "commit", "-qam", "m", **{variable: SESSION})
    assert trailers(made) == [FRAME["id"]]


def test_a_persons_commit_stays_theirs(made: Path) -> None:
    write(made, ["# a person's own line, long enough to tell"])
    git(made, "commit", "-qam", "m", CLAUDE_CODE_SESSION_ID="another session")
    assert frame_files(made) == []
    assert trailers(made) == []
    assert status(made) == ""


def test_contents_are_those_of_the_commit_not_of_the_index(made: Path) -> None:
    write(made, ["# somebody else's"], "b.py")
    write(made, WROTE)
    git(made, "add", "a.py")
    git(made, "commit", "-qm", "m", "--", "b.py")
    assert git(made, "show", "--name-only", "--format=", "HEAD").split() == ["b.py"]
    assert status(made) == "M  a.py\n"


@pytest.mark.parametrize("args", [("--allow-empty", "-m", "m"), ("--amend", "-m", "reworded")])
def test_a_commit_that_changes_nothing_takes_no_frame(made: Path, args: tuple[str, ...]) -> None:
    git(made, "commit", "-q", *args, CLAUDE_CODE_SESSION_ID=SESSION)
    assert frame_files(made) == []
    assert status(made) == ""


def test_an_empty_commit_still_fails(made: Path) -> None:
    git(made, "commit", "-qm", "m", code=1, CLAUDE_CODE_SESSION_ID=SESSION)
    assert status(made) == ""


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (WROTE, True),
        ([*WROTE[:2], "one", "two"], True),
        ([*WROTE[:2], "one", "two", "three"], False),
        (["    return fields", ""], False),
        (["def parse_the_header(data):"], True),
        (["    return fields"], False),
        ([], False),
    ],
)
def test_the_rule_for_hunks(lines: list[str], expected: bool) -> None:
    written = written_lines(FRAME)
    assert is_of_session([Hunk("a.py", lines)], written) is expected
    assert not is_of_session([Hunk("b.py", lines)], written)


def test_lines_of_a_renamed_file_and_of_failed_calls() -> None:
    moved = turn(2, {"a.py": WROTE})
    moved["calls"].append(
        {
            "id": "c9",
            "tool": "Bash",
            "outcome": "passed",
            "files": [{"path": "z.py", "change": "renamed", "old_path": "a.py"}],
        }
    )
    failed = turn(3, {"f.py": WROTE})
    failed["calls"][0]["outcome"] = "failed"
    written = written_lines(frame_of([moved, failed]))
    assert written["z.py"] == written["a.py"]
    assert "f.py" not in written


# ---------------------------------------------------------------------------------------------------------------------
# Kept out of the tree; given up


def test_local_frames_are_not_staged(made: Path) -> None:
    git(made, "config", "frames.local", "true")
    write(made, WROTE)
    git(made, "commit", "-qam", "m")
    assert frame_files(made) == []
    assert trailers(made) == []
    assert not (made / ".copilot").exists()


def test_ignored_folder_is_respected(made: Path) -> None:
    (made / ".git/info/exclude").write_text(".copilot/\n")
    write(made, WROTE)
    git(made, "commit", "-qam", "m")
    assert frame_files(made) == []
    assert not (made / ".copilot").exists()


def test_what_a_given_up_commit_left_is_taken_out(made: Path) -> None:
    write(made, WROTE)
    git(made, "add", "a.py")
    git(made, "commit", code=1, GIT_EDITOR="true")
    assert git(made, "diff", "--cached", "--name-only").split() == [FILE, "a.py"]
    end(made, FRAME)
    write(made, ["x"], "b.py")

    git(made, "commit", "-qm", "another", "--", "b.py")

    assert git(made, "show", "--name-only", "--format=", "HEAD").split() == ["b.py"]
    assert status(made) == "M  a.py\n"
    assert not (made / FILE).exists()


def test_a_given_up_growth_goes_back_to_what_was_committed(made: Path) -> None:
    write(made, WROTE)
    git(made, "commit", "-qam", "m")
    kept = (made / FILE).read_bytes()
    activate(made, GROWN)
    write(made, NEXT)
    git(made, "commit", "-a", code=1, GIT_EDITOR="true")
    git(made, "add", "a.py", FILE)
    write(made, ["x"], "b.py")

    git(made, "commit", "-qm", "another", "--", "b.py")
    assert (made / FILE).read_bytes() == kept
    assert status(made) == "M  a.py\n"

    git(made, "commit", "-qm", "m2")
    assert trailers(made) == [FRAME["id"]]
    assert status(made) == ""
    assert not list((made / ".git/frames/staged").iterdir())


# ---------------------------------------------------------------------------------------------------------------------
# The message


EDITOR = 'sh -c \'printf "%s\\n" "typed in the editor" | cat - "$1" >"$1.new"; mv "$1.new" "$1"\' editor'

MESSAGES = {
    "subject": "subject",
    "divider": "subject\n\nabove\n---\nbelow",
    "indented": "subject\n\nprose\n    Key: value",
    "prose": "subject\n\nThe last paragraph is prose.",
    "other trailer": "subject\n\nbody\n\nCo-authored-by: Bo Bell <bo@example.org>",
    "quoted": "subject\n\n> Frame: 0123456789abcdef01234567\n\nbody",
    "crlf": "subject\r\n\r\nbody\r\n\r\nCo-authored-by: Bo Bell <bo@example.org>\r\n",
    "hash": "subject\n\n# kept, for no editor ran",
}


@pytest.mark.parametrize("cleanup", ["default", "verbatim"])
@pytest.mark.parametrize("name", MESSAGES)
def test_the_trailer_is_where_git_finds_it(made: Path, name: str, cleanup: str) -> None:
    git(made, "config", "commit.cleanup", cleanup)
    git(made, "config", "core.commentChar", ";")
    write(made, WROTE)
    message = made.parent / "message"
    message.write_bytes(MESSAGES[name].encode())
    git(made, "commit", "-qa", "-F", str(message))
    assert trailers(made) == [FRAME["id"]]
    body = git(made, "log", "-1", "--no-notes", "--format=%B")
    for line in MESSAGES[name].split():
        assert line.strip() in body
    assert ("Co-authored-by" in MESSAGES[name]) == ("Bo Bell" in git(made, "log", "-1", "--format=%(trailers)"))

    git(made, "commit", "-q", "--amend", "--no-edit")
    assert trailers(made) == [FRAME["id"]]


@pytest.mark.parametrize("args", [(), ("-v",), ("--cleanup=scissors",), ("--cleanup=scissors", "-v")])
@pytest.mark.parametrize("comment", ["#", ";"])
def test_a_message_from_the_editor_gets_its_trailer(made: Path, args: tuple[str, ...], comment: str) -> None:
    git(made, "config", "core.commentChar", comment)
    write(made, WROTE)
    git(made, "commit", "-qa", *args, GIT_EDITOR=EDITOR)
    assert git(made, "log", "-1", "--no-notes", "--format=%B").split("\n") == [
        "typed in the editor",
        "",
        f"Frame: {FRAME['id']}",
        "",
        "",
    ]


@pytest.mark.parametrize("args", [(), ("-v",), ("--cleanup=scissors",)])
def test_an_empty_message_still_gives_the_commit_up(made: Path, args: tuple[str, ...]) -> None:
    before = counted(made)
    write(made, WROTE)
    assert "empty commit message" in git(made, "commit", "-a", *args, code=1, GIT_EDITOR="true")
    assert counted(made) == before


def test_an_untouched_template_still_gives_the_commit_up(made: Path) -> None:
    template = made.parent / "template"
    template.write_text("Subject:\n\nWhy:\n# help\n")
    git(made, "config", "commit.template", str(template))
    write(made, WROTE)
    assert "did not edit the message" in git(made, "commit", "-a", code=1, GIT_EDITOR="true")
    git(made, "commit", "-qa", GIT_EDITOR=EDITOR)
    assert trailers(made) == [FRAME["id"]]


def test_a_new_message_drops_the_trailer_and_keeps_the_frame(made: Path) -> None:
    write(made, WROTE)
    git(made, "commit", "-qam", "m")
    end(made, FRAME)
    git(made, "commit", "-q", "--amend", "-m", "new")
    assert trailers(made) == []
    assert frame_files(made) == [FILE]


@pytest.mark.parametrize("editor", [(), ("-e",)])
def test_an_amend_that_keeps_its_message_names_the_frame_again(made: Path, editor: tuple[str, ...]) -> None:
    write(made, WROTE)
    git(made, "commit", "-qam", "m")
    end(made, FRAME)
    git(made, "commit", "-q", "--amend", "-m", "new")
    git(made, "commit", "-q", "--amend", *(editor or ("--no-edit",)), GIT_EDITOR="true")
    assert git(made, "log", "-1", "--no-notes", "--format=%B").split() == ["new", "Frame:", FRAME["id"]]

    write(made, ["something of a person's own"], "b.py")
    git(made, "commit", "-qam", "next")
    git(made, "commit", "-q", "--amend", "--no-edit")
    assert trailers(made) == []


def test_an_amended_first_commit_names_its_frame(repo: Path, tmp_path: Path) -> None:
    init(workspace(repo), python=interpreter(tmp_path))
    activate(repo, FRAME)
    (repo / "a.py").write_text("\n".join(WROTE) + "\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "first")
    end(repo, FRAME)
    git(repo, "commit", "-q", "--amend", "-m", "new")
    git(repo, "commit", "-q", "--amend", "--no-edit")
    assert trailers(repo) == [FRAME["id"]]


def test_a_frame_staged_by_hand_is_named_and_a_moved_one_is_not(made: Path) -> None:
    write(made, WROTE)
    git(made, "commit", "-qam", "m")
    end(made, FRAME)
    moved = FILE.replace("sessions/", "archive/2026-06/")
    (made / moved).parent.mkdir(parents=True)
    git(made, "mv", FILE, moved)
    git(made, "commit", "-qm", "archive")
    assert trailers(made) == []
    git(made, "rm", "-q", moved)
    git(made, "commit", "-qm", "remove")
    git(made, "checkout", "-q", "HEAD~1", "--", moved)
    git(made, "commit", "-qm", "by hand")
    assert trailers(made) == [FRAME["id"]]


def test_trailers_of_strangers_change_nothing(made: Path) -> None:
    write(made, ["x"], "b.py")
    git(made, "commit", "-qam", "m\n\nFrame: ../../etc\nFrame: 000000000000000000000000")
    assert frame_files(made) == []
    assert not (made / ".copilot").exists()


# ---------------------------------------------------------------------------------------------------------------------
# Broken surroundings


def committed(path: Path, **environ: str) -> tuple[list[str], float]:
    """What the hooks said of a commit that must go through, and how long it took."""
    begun = time.monotonic()
    said = git(path, "commit", "-qam", "m", **environ)
    return said.splitlines(), time.monotonic() - begun


def test_interpreter_gone(made: Path, tmp_path: Path) -> None:
    for name in GUARDS:
        hook = made / ".git/hooks" / name
        hook.write_text(hook.read_text().replace(interpreter(tmp_path), "/nowhere/python"))
    write(made, WROTE)
    said, _ = committed(made, PATH="/usr/bin:/bin")
    assert said == ["frames: not found, this commit takes no frame (frames init installs the hooks anew)"]


def test_package_gone(made: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    bare.write_text(f'#!/bin/sh\nexec {sys._base_executable} -S "$@"\n')  # type: ignore[attr-defined]
    bare.chmod(0o755)
    for name in GUARDS:
        hook = made / ".git/hooks" / name
        hook.write_text(hook.read_text().replace(interpreter(tmp_path), str(bare)))
    write(made, WROTE)
    said, _ = committed(made, PATH="/usr/bin:/bin")
    assert len(said) == 1


def test_no_room_for_the_frame(made: Path) -> None:
    """A file where the folder should be: as good as a folder that can't be written, and true for root as well."""
    (made / ".copilot").write_text("in the way\n")
    git(made, "add", ".copilot")
    write(made, WROTE)
    said, _ = committed(made)
    assert len(said) == 1
    assert said[0].startswith(f"frames: pre-commit: frame '{FRAME['id'][:8]}' is not in this commit: cannot create")
    assert status(made) == ""


def test_folder_without_permission(made: Path) -> None:
    """Root passes every mode: it gives that up for this commit."""
    without = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    if without and not shutil.which("setpriv"):
        pytest.skip("root can't give up its rights here")
    write(made, WROTE)
    folder = made / ".copilot/sessions"
    folder.mkdir(parents=True)
    folder.chmod(0o555)
    command = [*without, "git", "-C", str(made), "commit", "-qam", "m"]
    done = subprocess.run(command, capture_output=True, text=True)
    folder.chmod(0o755)
    assert done.returncode == 0
    assert len(done.stderr.splitlines()) == 1
    assert "Permission denied" in done.stderr
    assert frame_files(made) == []
    assert status(made) == ""


def test_killed_between_writing_and_staging(made: Path, tmp_path: Path) -> None:
    """What a killed hook left behind is gone after the commit."""
    write(made, WROTE)
    hook = made / ".git/hooks/pre-commit"
    text = hook.read_text()
    kill = (
        "import os, signal, session_frames.storage.commit_index as held\n"
        "held.stage = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    hook.write_text(text.replace("-c 'try:", f"-c '{kill}try:"))
    git(made, "commit", "-qam", "m")
    assert status(made) == ""
    assert frame_files(made) == []
    assert not (made / ".copilot").exists()
    hook.write_text(text)
    write(made, [*WROTE, "# again"])
    git(made, "commit", "-qam", "next")
    assert frame_files(made) == [FILE]


def test_pull_with_rebase_of_many_commits(made: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(made), "origin.git")
    git(made, "remote", "add", "origin", str(tmp_path / "origin.git"))
    for number in range(4):
        write(made, [*WROTE, f"# part {number} of the parser"])
        git(made, "commit", "-qam", f"m{number}")
    git(tmp_path, "clone", "-q", str(tmp_path / "origin.git"), "other")
    commit_files(tmp_path / "other", "theirs", c_py="x\n")
    git(tmp_path / "other", "push", "-q", "origin", "main")

    git(made, "pull", "-q", "--rebase", "origin", "main")

    assert status(made) == ""
    assert counted(made) == 7
    assert [trailers(made, f"HEAD~{number}") for number in range(5)] == [[], [], [], [FRAME["id"]], []]
    assert "Topic: parser" in git(made, "log", "-1", "HEAD~3")


def test_other_object_format(tmp_path: Path) -> None:
    path = tmp_path / "sha256"
    subprocess.run(["git", "init", "-q", "--object-format=sha256", str(path)], check=True)
    commit_files(path, "base", a_py=BASE)
    init(workspace(path), python=interpreter(tmp_path))
    activate(path, FRAME)
    write(path, WROTE)
    git(path, "commit", "-qm", "m", "--", "a.py")
    assert trailers(path) == [FRAME["id"]]
    assert status(path) == "?? .gitattributes\n"


def test_private_area_locked_by_somebody_else(made: Path) -> None:
    write(made, WROTE)
    with workspace(made).state.lock():
        said, took = committed(made)
    assert len(said) == 1
    assert "is locked by process" in said[0]
    assert took < 2
    assert frame_files(made) == []
    assert status(made) == ""


def test_index_locked_while_the_hook_runs(made: Path) -> None:
    hook = made / ".git/hooks/pre-commit"
    text = hook.read_text()
    hook.write_text(text.replace("#!/bin/sh\n", "#!/bin/sh\n: >.git/index.lock.lock\n") + "rm .git/index.lock.lock\n")
    write(made, WROTE)
    said, _ = committed(made)
    assert len(said) == 1
    assert "index.lock" in said[0]
    assert frame_files(made) == []
    assert status(made) == ""
    assert not (made / ".copilot").exists()


@pytest.mark.parametrize("content", ["{", "<<<<<<< ours\n{}\n=======\n", ""])
def test_damaged_frame_file_is_left_alone(made: Path, content: str) -> None:
    write(made, WROTE)
    git(made, "commit", "-qam", "m")
    (made / FILE).write_text(content)
    git(made, "commit", "-qam", "damage", "--no-verify")
    activate(made, GROWN)
    write(made, NEXT)
    committed(made)
    assert status(made) == "" or (made / FILE).read_text() == content


def test_damaged_active_entry_and_index(made: Path) -> None:
    (made / ".git/frames/active/0.json").write_text("{")
    (made / ".git/frames/index.sqlite").write_text("no database")
    write(made, WROTE)
    said, _ = committed(made)
    assert len(said) <= 1
    assert frame_files(made) == [FILE]


@pytest.mark.parametrize("args", [["git-hook"], ["git-hook", "no-such"], ["git-hook", "prepare-commit-msg"]])
def test_a_hook_never_fails(tmp_path: Path, args: list[str]) -> None:
    done = subprocess.run(
        [interpreter(tmp_path), "-I", "-c", "from session_frames.__main__ import main; main()", *args],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""


def test_git_shows_the_frame_under_the_commit(made: Path) -> None:
    write(made, WROTE)
    git(made, "commit", "-qam", "m")
    assert "Topic: parser" in git(made, "log", "-1")
    git(made, "commit", "-q", "--amend", "-m", "reworded")
    assert "Topic: parser" in git(made, "log", "-1")


# ---------------------------------------------------------------------------------------------------------------------
# What a hook loads

HEAVY = {"click", "git", "jsonschema", "yaml", "subprocess", "dataclasses", "pathlib", "rich", "asyncio", "inspect"}


@pytest.mark.parametrize("args", [["git-hook", name] for name in GUARDS] + [["--version"]], ids=lambda args: args[-1])
def test_nothing_heavy_is_imported(made: Path, args: list[str]) -> None:
    write(made, WROTE)
    git(made, "commit", "-qam", "m")
    activate(made, GROWN)
    write(made, NEXT)
    git(made, "add", "a.py")
    message = made / ".git/COMMIT_EDITMSG"
    message.write_text("subject\n")
    arguments = [str(message)] if args[-1].endswith("commit-msg") else []
    probe = (
        "import sys, json, atexit\n"
        f"sys.path.insert(0, {str(SOURCE)!r})\n"
        f"sys.argv = ['frames', *{args + arguments!r}]\n"
        "atexit.register(lambda: print(json.dumps(sorted(sys.modules))))\n"
        "from session_frames.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-I", "-c", probe], capture_output=True, text=True, cwd=made)
    assert done.returncode == 0
    assert done.stderr == ""
    assert HEAVY.intersection(json.loads(done.stdout.splitlines()[-1])) == set()


def test_redaction_that_fails_keeps_the_frame_out(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from session_frames.errors import RefusedError
    from session_frames.workspace import capture, commit_hooks

    def refuse(*_: object) -> None:
        raise RefusedError("a secret could not be removed")

    monkeypatch.setattr(capture, "catch_up", refuse)
    state = workspace(made).state
    entry = state.list_active()[0]
    state.save_active({**entry, "transcript": os.devnull})
    write(made, WROTE)
    git(made, "add", "a.py")
    assert commit_hooks.pre_commit(workspace(made), {SESSION}) == [
        f"frame '{FRAME['id'][:8]}' is not in this commit: a secret could not be removed"
    ]
    assert status(made) == "M  a.py\n"


# ---------------------------------------------------------------------------------------------------------------------
# Frames that were opened before their session


PARSER = "".join(line + "\n" for line in WROTE)


@pytest.fixture
def opened(repo: Path, tmp_path: Path) -> Path:
    """A repository with hooks in which a person has opened a frame, outside of any agent."""
    commit_files(repo, "base", b_py=BASE)
    init(workspace(repo), python=interpreter(tmp_path))
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "attributes")
    start(workspace(repo), "parser", "read the headers")
    return repo


def commit_parser(path: Path, **environ: str) -> None:
    (path / "parser.py").write_text(PARSER)
    git(path, "add", "parser.py")
    git(path, "commit", "-qm", "parser", **environ)


def test_a_frame_opened_by_hand_takes_the_session_that_makes_the_commit(opened: Path) -> None:
    session = Session(opened).user("write a parser").write("parser.py", PARSER)
    session.save_at_home()
    write(opened, ["a person's own line, quite another matter"], "b.py")
    git(opened, "commit", "-qam", "a person's own")
    assert frame_files(opened) == []

    commit_parser(opened)

    (path,) = frame_files(opened)
    frame = json.loads(git(opened, "cat-file", "-p", f"HEAD:{path}"))
    assert (frame["topic"], frame["goal"], frame["id"]) == ("parser", "read the headers", trailers(opened)[0])
    (entry,) = workspace(opened).state.list_active()
    assert (entry["session_id"], entry["frame"]["id"]) == (CLAUDE_SESSION, frame["id"])
    assert status(opened) == ""

    session.user("and the body").write("body.py", "".join(line + "\n" for line in NEXT)).save_at_home()
    (opened / "body.py").write_text("".join(line + "\n" for line in NEXT))
    git(opened, "add", "body.py")
    git(opened, "commit", "-qm", "body")
    assert frame_files(opened) == [path]
    assert trailers(opened) == [frame["id"]]

    closed = close(workspace(opened)).frame
    assert (closed["topic"], closed["goal"], len(closed["turns"])) == ("parser", "read the headers", 4)
    assert workspace(opened).state.list_active() == []


def other_folder(path: Path) -> None:
    Session(path.parent).user("write a parser").write("repo/parser.py", PARSER).save_at_home()


def before_it_was_opened(path: Path) -> None:
    Session(path, start="2026-06-01T10:00:00").user("write a parser").write("parser.py", PARSER).save_at_home()


def other_lines(path: Path) -> None:
    Session(path).user("write a parser").write("parser.py", "".join(NEXT)).save_at_home()


def taken_already(path: Path) -> None:
    Session(path).user("write a parser").write("parser.py", PARSER).save_at_home()
    activate(path, frame_of([turn(1, role="user", text="hello")], CLAUDE_SESSION), CLAUDE_SESSION)


@pytest.mark.parametrize("sort", [other_folder, before_it_was_opened, other_lines, taken_already])
def test_a_frame_opened_by_hand_takes_no_other_session(opened: Path, sort: Callable[[Path], None]) -> None:
    sort(opened)
    commit_parser(opened)
    assert frame_files(opened) == []
    assert "" in {entry["session_id"] for entry in workspace(opened).state.list_active()}


def test_a_frame_without_turns_is_in_no_commit(opened: Path) -> None:
    shell = {"CLAUDE_CODE_SESSION_ID": CLAUDE_SESSION}
    start(workspace(opened, **shell), "parser", "read the bodies")
    write(opened, ["x"], "b.py")
    git(opened, "commit", "-qam", "nothing is said yet", **shell)
    assert frame_files(opened) == []
    assert trailers(opened) == []

    Session(opened).user("write a parser").write("parser.py", PARSER).save_at_home()
    commit_parser(opened, **shell)
    (path,) = frame_files(opened)
    frame = json.loads(git(opened, "cat-file", "-p", f"HEAD:{path}"))
    assert (frame["topic"], frame["goal"], len(frame["turns"])) == ("parser", "read the bodies", 2)
