"""Why a line is there: commit, frame, turn and call, the user's words, the decisions; and what is not known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from command_line import err, frames, git, json_lines, out
from git_repos import commit_files

from session_frames import frame_json
from session_frames.model import FORMAT_VERSION, Frame, frame_id
from session_frames.operations.anchors import run_anchor

WORDS = "Totals are in cents, please.\n\nNever floats: they round."
LINES = ["def total(items):", "    return sum(item.cents for item in items)", ""]
MORE = ["def share(total, people):", "    return divmod(total, people)"]


def edit(number: int, path: str, lines: list[str]) -> dict[str, Any]:
    return {
        "id": f"c{number}",
        "tool": "Edit",
        "outcome": "passed",
        "arguments": {"file_path": path},
        "files": [{"path": path, "change": "modified"}],
        "wrote": {path: [run_anchor(lines)]},
    }


def session(path: str = "cents.py") -> Frame:
    return {
        "frame": FORMAT_VERSION,
        "id": frame_id("agent", "one"),
        "topic": "cents",
        "status": "closed",
        "session": {"agent": "agent", "session_id": "one"},
        "boundary": {"started_at": "2026-06-02T09:00:00Z"},
        "decisions": [
            {
                "id": "d1",
                "text": "cents, no floats",
                "status": "accepted",
                "by": "user",
                "rationale": "floats round",
                "evidence": [{"turn": "u1", "quote": "Never floats"}],
            },
            {
                "id": "d2",
                "text": "of another turn",
                "status": "accepted",
                "by": "agent",
                "evidence": [{"turn": "u2", "quote": "And shares"}],
            },
        ],
        "turns": [
            {"id": "u1", "role": "user", "text": WORDS},
            {"id": "a1", "role": "agent", "text": "Done.", "calls": [edit(1, path, LINES)]},
            {"id": "u2", "role": "user", "text": "And shares."},
            {"id": "a2", "role": "agent", "text": "Done.", "calls": [edit(2, "other.py", ["x"]), edit(3, path, MORE)]},
        ],
    }


def write(repo: Path, name: str, lines: list[str]) -> None:
    (repo / name).write_text("".join(line + "\n" for line in lines))


def put(repo: Path, frame: Frame) -> None:
    path = repo / ".copilot/sessions/2026-06-02_cents_abc.frame.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(frame_json.encode(frame))


@pytest.fixture
def linked(repo: Path) -> Path:
    """A repository whose second commit brings a frame and what it wrote, and a line that a person changed since."""
    commit_files(repo, "first", README="nothing\n")
    write(repo, "cents.py", [*LINES, *MORE])
    put(repo, session())
    commit_files(repo, "cents")
    write(repo, "cents.py", [*LINES, *MORE[:1], "    return divmod(total, max(1, people))  # by a person"])
    commit_files(repo, "a person's change")
    return repo


def test_all_of_it_is_told(linked: Path) -> None:
    (reason,) = json_lines("why", "--json", "cents.py:2", cwd=linked)
    assert reason["commit"] == git("rev-parse", "HEAD~1", cwd=linked).strip()
    assert {key: reason[key] for key in ("first_line", "last_line", "lines", "subject", "author", "link", "topic")} == {
        "first_line": 2,
        "last_line": 2,
        "lines": LINES[1:2],
        "subject": "cents",
        "author": "Ann Author",
        "link": "in-tree",
        "topic": "cents",
    }
    assert (reason["frame"], reason["call"], reason["turn"]) == (session()["id"], "2.1", 2)
    assert (reason["tool"], reason["arguments"]) == ("Edit", "cents.py")
    assert reason["asked"] == {"turn": 1, "id": "u1", "at": "", "text": WORDS}
    assert [(one["text"], one["rationale"], one["turns"]) for one in reason["decisions"]] == [
        ("cents, no floats", "floats round", [1])
    ]


def test_as_text(linked: Path) -> None:
    commit, frame = git("rev-parse", "--short=12", "HEAD~1", cwd=linked).strip(), session()["id"][:12]
    assert (
        out("why", "cents.py:2", cwd=linked)
        == f"""\
cents.py:2      return sum(item.cents for item in items)
commit     {commit} cents (Ann Author, 2026-06-02)
frame      {frame} cents (in-tree)
turn       2.1 Edit cents.py
asked for  in turn 1
    Totals are in cents, please.
{"    "}
    Never floats: they round.
decided
    [accepted, by user, turn 1] cents, no floats
      because floats round
"""
    )


def test_a_range_is_told_by_stretches(linked: Path) -> None:
    found = json_lines("why", "--json", "cents.py:1-5", cwd=linked)
    assert [(one["first_line"], one["last_line"], one["call"]) for one in found] == [
        (1, 3, "2.1"),
        (4, 4, "4.2"),
        (5, 5, ""),
    ]


def test_a_person_s_line_is_unknown(linked: Path) -> None:
    assert "frame      unknown" in out("why", "cents.py:5", cwd=linked, code=1)
    (reason,) = json_lines("why", "--json", "cents.py:5", cwd=linked, code=1)
    assert (reason["frame"], reason["call"], reason["asked"], reason["decisions"]) == ("", "", None, [])


def test_a_line_that_no_call_wrote_has_a_commit_and_a_frame_only(linked: Path) -> None:
    write(linked, "notes.txt", ["written by a shell command"])
    put(linked, {**session(), "turns": [*session()["turns"], {"id": "u3", "role": "user", "text": "and notes"}]})
    commit_files(linked, "notes")
    told = out("why", "notes.txt:1", cwd=linked, code=1)
    assert f"frame      {session()['id'][:12]} cents (in-tree)\nturn       unknown" in told


def test_an_older_revision_and_a_renamed_file(linked: Path) -> None:
    git("mv", "cents.py", "money.py", cwd=linked)
    commit_files(linked, "renamed")
    assert [one["call"] for one in json_lines("why", "--json", "money.py:1", cwd=linked)] == ["2.1"]
    assert [one["call"] for one in json_lines("why", "--json", "HEAD~2", "cents.py:5", cwd=linked)] == ["4.2"]


def test_lines_are_found_under_the_name_that_the_session_gave_the_file_later(repo: Path) -> None:
    frame = session("old.py")
    moved = {"path": "cents.py", "old_path": "old.py", "change": "renamed"}
    frame["turns"][-1]["calls"].append({"id": "c9", "tool": "Bash", "outcome": "passed", "files": [moved]})  # type: ignore[list-item]
    put(repo, frame)
    write(repo, "cents.py", LINES)
    commit_files(repo, "cents")
    assert [one["call"] for one in json_lines("why", "--json", "cents.py:2", cwd=repo)] == ["2.1"]


def test_a_line_inserted_in_a_call_s_lines_does_not_part_them(repo: Path) -> None:
    put(repo, session())
    write(repo, "cents.py", LINES)
    commit_files(repo, "cents")
    write(repo, "cents.py", [*LINES[:2], "# of a person, and long enough", *LINES[2:]])
    commit_files(repo, "a person's line")
    calls = [line["call"] for line in json_lines("blame", "--json", "cents.py", cwd=repo)]
    assert calls == ["2.1", "2.1", "", "2.1"]


@pytest.mark.parametrize("place", ["cents.py", "cents.py:0", "cents.py:3-1", "cents.py:x"])
def test_what_is_no_line_is_refused(linked: Path, place: str) -> None:
    assert err("why", place, cwd=linked, code=2).startswith("error: not a line")


def test_a_line_that_is_not_there(linked: Path) -> None:
    assert "'cents.py' has no such lines: 99,99" in err("why", "cents.py:99", cwd=linked, code=2)
    assert "has only 5 lines" in err("why", "cents.py:999", cwd=linked, code=2)


@pytest.mark.parametrize(
    ("span", "shown"),
    [("2,3", [2, 3]), ("2,+2", [2, 3]), ("3,-2", [2, 3]), ("4", [4, 5]), ("4,", [4, 5]), (",2", [1, 2])],
)
def test_ranges_as_git_takes_them(linked: Path, span: str, shown: list[int]) -> None:
    whole = json_lines("blame", "--json", "cents.py", cwd=linked)
    part = json_lines("blame", "--json", "-L", span, "cents.py", cwd=linked)
    assert part == [line for line in whole if line["line"] in shown]


def test_uncommitted_lines_are_unknown(linked: Path) -> None:
    write(linked, "cents.py", ["a line that was never committed"])
    assert "frame      unknown" in out("why", "cents.py:1", cwd=linked, code=1)


@pytest.mark.parametrize("verb", [["blame", "cents.py"], ["why", "cents.py:1-5"]])
def test_few_processes(linked: Path, tmp_path: Path, verb: list[str]) -> None:
    trace = tmp_path / "trace"
    frames(*verb, cwd=linked, GIT_TRACE2_EVENT=str(trace))
    assert trace.read_text().count('"event":"start"') <= 10
