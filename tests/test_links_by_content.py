"""Links that follow from content, and those that a person makes: shown as what they are, never as certain ones."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from command_line import err, frames, git, json_lines, out
from git_repos import commit_files, frame_of, turn, workspace

from session_frames import frame_json
from session_frames.model import Frame
from session_frames.storage.private_state import write_atomically
from session_frames.workspace.linking import follow_rewrites

LINES = [f"    value_{number} = compute(number_{number})" for number in range(10)]
BEFORE = {"GIT_COMMITTER_DATE": "2026-05-01T10:00:00+00:00", "GIT_AUTHOR_DATE": "2026-05-01T10:00:00+00:00"}


def text(lines: list[str]) -> str:
    return "".join(line + "\n" for line in lines)


def session(name: str = "one", path: str = "a.py", lines: list[str] = LINES) -> Frame:
    turns = [turn(1, role="user", text="please"), turn(2, {path: lines})]
    return {**frame_of(turns, session=name, topic=name), "status": "closed"}


def keep(repo: Path, frame: Frame) -> Frame:
    """As `frames close` leaves it: in the private area, not in the tree."""
    path = repo / f".git/frames/closed/{frame['id']}.frame.json"
    write_atomically(str(path), frame_json.encode(frame))
    return frame


def links(repo: Path, *args: str) -> list[list[tuple[str, str]]]:
    """(topic, kind of link) of each commit, the newest first."""
    logged = json_lines("log", "--json", *args, cwd=repo)
    return [[(frame["topic"], frame["link"]) for frame in commit["frames"]] for commit in logged]


def calls(repo: Path, file: str = "a.py") -> list[tuple[str, str]]:
    return [(line["topic"], line["link"]) for line in json_lines("blame", "--json", file, cwd=repo)]


@pytest.fixture
def made(repo: Path) -> Path:
    commit_files(repo, "first", README="nothing\n")
    return repo


def test_a_person_s_commit_of_what_a_session_wrote_is_inferred(made: Path) -> None:
    keep(made, session())
    commit_files(made, "by hand", a_py=text(LINES))
    assert links(made) == [[("one", "inferred")], []]
    assert calls(made) == [("one", "inferred")] * 10
    assert f"Frame: {session()['id']} (inferred)\n    Topic: one" in out("log", "-1", cwd=made)
    assert out("why", "a.py:3", cwd=made).count("(inferred)") == 1


def test_a_frame_in_the_work_tree_and_one_of_history_are_known(made: Path) -> None:
    commit_files(made, "by hand", a_py=text(LINES))
    path = made / ".copilot/sessions/one.frame.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(frame_json.encode(session()))
    assert links(made) == [[("one", "inferred")], []]
    commit_files(made, "the frame afterwards")
    assert links(made) == [[("one", "in-tree")], [("one", "inferred")], []]


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("b.py", LINES),
        ("a.py", LINES[:1] + [f"entirely other text {number}" for number in range(9)]),
        ("a.py", ["x = 1", "y = 2"]),
        ("a.py", LINES[:4] + [f"entirely other text {number}" for number in range(6)]),
    ],
    ids=["another file", "one line", "other content", "less than half"],
)
def test_what_is_no_session_s(made: Path, name: str, lines: list[str]) -> None:
    keep(made, session())
    commit_files(made, "by a person", **{name.replace(".", "_"): text(lines)})
    assert links(made) == [[], []]


def test_half_of_one_hunk_is_enough(made: Path) -> None:
    keep(made, session())
    commit_files(made, "edited", a_py=text(LINES[:5] + [f"entirely other text {number}" for number in range(5)]))
    assert links(made) == [[("one", "inferred")], []]
    assert calls(made) == [("one", "inferred")] * 5 + [("", "")] * 5


def test_a_commit_before_the_session_is_not_its_own(repo: Path) -> None:
    (repo / "a.py").write_text(text(LINES))
    git("add", "-A", cwd=repo)
    git("commit", "-qm", "older", cwd=repo, **BEFORE)
    keep(repo, session())
    assert links(repo) == [[]]
    assert calls(repo) == [("", "")] * 10


def test_of_two_that_match_equally_both_are_listed_and_a_weaker_one_is_not(made: Path) -> None:
    for name in ("one", "two"):
        keep(made, session(name))
    keep(made, session("less", lines=LINES[:6]))
    commit_files(made, "by hand", a_py=text(LINES))
    assert sorted(links(made)[0]) == [("one", "inferred"), ("two", "inferred")]


def test_several_sessions_share_a_hunk(made: Path) -> None:
    for at in range(5):
        keep(made, session(f"s{at}", lines=LINES[2 * at : 2 * at + 2]))
    commit_files(made, "squashed", a_py=text(LINES))
    assert sorted(links(made)[0]) == [(f"s{at}", "inferred") for at in range(5)]
    assert calls(made) == [(f"s{at // 2}", "inferred") for at in range(10)]


def test_a_commit_with_a_certain_link_is_not_guessed_at(made: Path) -> None:
    keep(made, session())
    path = made / ".copilot/sessions/two.frame.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(frame_json.encode(session("two", path="other.py")))
    commit_files(made, "with a frame", a_py=text(LINES))
    assert links(made) == [[("two", "in-tree")], []]


def test_a_trailer_names_a_frame_that_only_this_machine_has(made: Path) -> None:
    commit_files(made, f"work\n\nFrame: {session()['id']}", a_py="x\n")
    assert links(made) == [[], []]
    keep(made, session())
    assert links(made) == [[("one", "trailer")], []]
    assert "(trailer)" in out("log", "-1", cwd=made)


def test_what_is_new_is_compared_whichever_came_first(made: Path) -> None:
    commit_files(made, "early", a_py=text(LINES[:5]))
    assert links(made) == [[], []]
    keep(made, session(lines=LINES[:5]))
    assert links(made) == [[("one", "inferred")], []]
    commit_files(made, "late", a_py=text(LINES))
    assert links(made) == [[], [("one", "inferred")], []]
    keep(made, session())
    found = links(made)
    assert found == [[("one", "inferred")], [("one", "inferred")], []]
    assert json.loads(out("link", "--repair", "--json", cwd=made))["kinds"] == {"inferred": 2}
    assert links(made) == found


def test_what_is_shown_is_compared_and_the_rest_when_it_is_asked_for(made: Path) -> None:
    more = [f"    later_{number} = compute({number})" for number in range(3)]
    keep(made, session(lines=[*LINES, *more]))
    commit_files(made, "early", a_py=text(LINES))
    commit_files(made, "later", a_py=text([*LINES, *more]))
    git("switch", "-qc", "side", "HEAD~1", cwd=made)
    for count in ("-1", "-2"):
        frames("log", count, cwd=made)
        assert inferred(made) == {"early"}
    git("switch", "-q", "-", cwd=made)
    assert "(inferred)" in out("log", "-1", cwd=made)
    commit_files(made, "elsewhere", b_py="b\n")
    assert out("log", "-3", cwd=made).count("(inferred)") == 2
    assert links(made) == [[], [("one", "inferred")], [("one", "inferred")], []]


def inferred(repo: Path) -> set[str]:
    """The subjects of all commits that git itself shows with an inferred link."""
    shown = git("log", "--all", "--notes=frames", "-z", "--format=%s%n%N", cwd=repo).split("\0")
    return {commit.split("\n")[0] for commit in shown if "(inferred)" in commit}


def test_a_frame_that_goes_takes_its_links_along(made: Path) -> None:
    frame = keep(made, session())
    commit_files(made, "by hand", a_py=text(LINES))
    assert "(inferred)" in out("log", "-1", cwd=made)
    (made / f".git/frames/closed/{frame['id']}.frame.json").unlink()
    assert links(made) == [[], []]
    assert "(inferred)" not in out("log", "-1", cwd=made)


@pytest.mark.parametrize("name", ["a b.py", "한글.py", 'quo"te.py', "tab\t.py", "-x.py", ":(top)y.py"])
def test_odd_names(made: Path, name: str) -> None:
    keep(made, session(path=name))
    (made / name).write_text(text(LINES))
    git("add", "-A", cwd=made)
    git("commit", "-qm", "odd", cwd=made)
    assert links(made)[0] == [("one", "inferred")]
    assert calls(made, f"./{name}") == [("one", "inferred")] * 10


def test_settings_of_the_user_change_nothing(made: Path) -> None:
    keep(made, session())
    commit_files(made, "by hand", a_py=text(["head", "", "tail"]))
    commit_files(made, "by hand", a_py=text(["head", *LINES, "tail"]))
    settings = {
        "diff.noprefix": "true",
        "diff.mnemonicPrefix": "true",
        "color.ui": "always",
        "diff.interHunkContext": "50",
        "diff.context": "9",
        "log.showSignature": "true",
        "log.follow": "true",
        "log.decorate": "full",
        "format.pretty": "oneline",
        "diff.external": "false",
        "core.quotePath": "true",
        "log.date": "relative",
        "diff.renames": "copies",
    }
    for name, value in settings.items():
        git("config", name, value, cwd=made)
    assert links(made) == [[("one", "inferred")], [], []]


def test_repair_tells_what_was_found_by_kind(made: Path) -> None:
    keep(made, session())
    commit_files(made, "by hand", a_py=text(LINES))
    frames("link", "one", "HEAD~1", cwd=made)
    told = out("link", "--repair", cwd=made)
    assert told.splitlines()[:2] == ["hand      1 link", "inferred  1 link"]
    assert err("link", "--repair", "one", cwd=made, code=2).startswith("error: --repair looks at everything")


# ---------------------------------------------------------------------------------------------------------------------
# By hand


def test_a_link_by_hand_is_shown_and_taken_back(made: Path) -> None:
    keep(made, session())
    assert out("link", "one", "HEAD", cwd=made).endswith(": linked\n")
    assert out("link", "one", "HEAD", cwd=made).endswith(": linked already\n")
    assert links(made) == [[("one", "hand")]]
    assert f"Frame: {session()['id']} (hand)" in git("log", "--notes=frames", cwd=made)
    assert out("link", "--remove", "one", "HEAD", cwd=made).endswith(": not linked by hand any more\n")
    assert links(made) == [[]]
    assert "(hand)" not in git("log", "--notes=frames", cwd=made)
    assert "not linked by hand" in err("link", "--remove", "one", "HEAD", cwd=made, code=1)


def test_a_link_by_hand_is_taken_at_its_word(made: Path) -> None:
    keep(made, session(path="b.py", lines=["a line of the session", *LINES]))
    keep(made, session("two"))
    commit_files(made, "by hand", a_py=text(LINES))
    git("mv", "a.py", "b.py", cwd=made)
    git("commit", "-qm", "moved", cwd=made)
    frames("link", "one", "HEAD~1", cwd=made)
    assert sorted(links(made)[1]) == [("one", "hand"), ("two", "inferred")]
    assert calls(made, "b.py") == [("one", "hand")] * 10


def test_links_by_hand_outlive_the_index(made: Path) -> None:
    keep(made, session())
    frames("link", "one", "HEAD", cwd=made)
    (made / ".git/frames/index.sqlite").unlink()
    assert links(made) == [[("one", "hand")]]


def test_a_damaged_list_of_links_is_no_fault(made: Path) -> None:
    keep(made, session())
    (made / ".git/frames/links.json").write_text("[{")
    assert links(made) == [[]]


def rewrites(repo: Path, *args: str, **environ: str) -> list[list[str]]:
    """What git tells its post-rewrite hook during a command, call by call."""
    told = repo.parent / "told"
    hook = repo / ".git/hooks/post-rewrite"
    hook.write_text(f"#!/bin/sh\ncat >>{told}\necho >>{told}\n")
    hook.chmod(0o755)
    subprocess.run(["git", *args], cwd=repo, check=True, capture_output=True, env=_environ(environ))
    return [part.splitlines() for part in told.read_text().split("\n\n") if part.strip()]


def _environ(more: dict[str, str]) -> dict[str, str]:
    import os

    return {**os.environ, **more}


def test_a_link_by_hand_follows_rewrites(made: Path) -> None:
    keep(made, session())
    commit_files(made, "second", b_py="b\n")
    frames("link", "one", "HEAD", cwd=made)
    for arguments in (["commit", "-q", "--amend", "-m", "better"], ["commit", "-q", "--amend", "-m", "best"]):
        for lines in rewrites(made, *arguments):
            follow_rewrites(workspace(made), lines)
        (made.parent / "told").unlink()
    assert links(made) == [[("one", "hand")], []]


def test_a_chain_of_rewrites_is_followed_to_its_end(made: Path) -> None:
    frame = keep(made, session())
    commit_files(made, "second", b_py="b\n")
    frames("link", "one", "HEAD", cwd=made)
    first = git("rev-parse", "HEAD", cwd=made).strip()
    ids = [first, "1" * 40, "2" * 40]
    assert follow_rewrites(workspace(made), [f"{ids[0]} {ids[1]}", "", f"{ids[1]} {ids[2]} extra"])
    assert not follow_rewrites(workspace(made), [f"{ids[0]} {ids[1]}"])
    kept: list[dict[str, Any]] = json.loads((made / ".git/frames/links.json").read_text())
    assert kept == [{"frame": frame["id"], "commit": one} for one in ids]


@pytest.mark.parametrize("args", [[], ["one"], ["one", "HEAD", "more"]])
def test_a_link_needs_a_frame_and_a_commit(made: Path, args: list[str]) -> None:
    assert err("link", *args, cwd=made, code=2).startswith("error: ")


def test_unknown_names(made: Path) -> None:
    assert "no frame is called 'none'" in err("link", "none", "HEAD", cwd=made, code=2)
    keep(made, session())
    assert "not a revision: 'nowhere'" in err("link", "one", "nowhere", cwd=made, code=2)


def test_few_processes_whatever_is_new(made: Path, tmp_path: Path) -> None:
    """Commits and frames that are new at once, and notes to be written: the most that one verb finds to do."""
    path = made / ".copilot/sessions/one.frame.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(frame_json.encode(session()))
    commit_files(made, "with a frame", a_py=text(LINES))
    assert processes(made, tmp_path / "first", "log") <= 10
    assert processes(made, tmp_path / "again", "log") == 2
    keep(made, session("two", path="b.py"))
    commit_files(made, "by hand", b_py=text(LINES))
    for verb in (["log"], ["log", "--topic", "one"], ["log", "--json"], ["blame", "a.py"], ["link", "--repair"]):
        assert processes(made, tmp_path / "-".join(verb).replace("/", ""), *verb) <= 10, verb


def processes(repo: Path, trace: Path, *verb: str) -> int:
    frames(*verb, cwd=repo, GIT_TRACE2_EVENT=str(trace))
    return trace.read_text().count('"event":"start"')
