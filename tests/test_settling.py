"""What a merge left for a person: both values of each conflict, the one that is chosen holds, and git goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest
from command_line import err, json_lines, out
from frame_strategies import Triple, triples
from git_repos import commit_files, git, status
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from terminals import terminal
from test_merge_driver import CLASH_OURS, CLASH_THEIRS, FILE, decision, diverge, merged, with_decisions

from session_frames import frame_json
from session_frames.model import Frame, frame_id
from session_frames.operations.merge import merge
from session_frames.operations.merge_rules import KEYS
from session_frames.operations.merge_values import canonical
from session_frames.operations.settle import BOTH, may_keep_both, settle
from session_frames.schema import problems_of_version

NOW = "2026-06-02T12:00:00Z"
BASE = with_decisions(decision("a"))


def value_at(frame: dict[str, Any], place: str) -> Any:
    """What a frame holds at a place, looked up in the plainest way; None for nothing."""
    held: Any = frame
    path = ""
    while place:
        if isinstance(held, list):
            keys = KEYS.get(path, ("id",))
            named = {"/".join(str(one.get(key, "")) for key in keys): one for one in held if isinstance(one, dict)}
            name = next((name for name in named if place == name or place.startswith(name + "/")), None)
            if name is None:
                return None
            held, place, path = named[name], place[len(name) + 1 :], path + "[]"
        else:
            key, _, place = place.partition("/")
            held, path = held.get(key), f"{path}.{key}".strip(".")
            if held is None:
                return None
    return held


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(triples(), st.data())
def test_what_was_chosen_holds_and_nothing_is_left(triple: Triple, data: st.DataObject) -> None:
    frame = merge(*triple).frame
    words = [turn.get("text", "") for turn in frame.get("turns", []) if turn["role"] == "user"]
    while conflicts := frame.get("merge_conflicts", []):
        conflict = conflicts[0]
        choice = data.draw(st.sampled_from([0, 1, *([BOTH] if may_keep_both(conflict) else [])]))
        before = frame
        frame = settle(frame, conflict, choice, NOW)
        assert conflict["id"] not in [one["id"] for one in frame.get("merge_conflicts", [])]
        assert len(frame["events"]) == len(before.get("events", [])) + 1
        if not may_keep_both(conflict) and "#" not in conflict["where"]:
            held = value_at(cast(dict[str, Any], frame), conflict["where"])
            chosen = conflict["values"][choice]
            assert canonical(held) == canonical(chosen), conflict["where"]
    if not any(conflict["where"].startswith("turns/") for conflict in merge(*triple).frame.get("merge_conflicts", [])):
        assert [turn.get("text", "") for turn in frame.get("turns", []) if turn["role"] == "user"] == words
    assert problems_of_version(json.loads(frame_json.encode(frame))) == []


def test_of_two_decisions_the_other_is_overruled() -> None:
    one = {**decision("b", "use tabs"), "subject": "indent"}
    other = {**decision("c", "use blanks"), "subject": "indent"}
    frame = merge(BASE, with_decisions(decision("a"), one), with_decisions(decision("a"), other)).frame
    (conflict,) = frame["merge_conflicts"]
    both = settle(frame, conflict, BOTH, NOW)
    assert [item["status"] for item in both["decisions"]] == ["accepted"] * 3
    first = conflict["values"].index(next(value for value in conflict["values"] if value["text"] == "use tabs"))
    settled = settle(frame, conflict, first, NOW)
    assert {item["text"]: item["status"] for item in settled["decisions"]} == {
        "decision a": "accepted",
        "use tabs": "accepted",
        "use blanks": "overruled",
    }
    assert [item.get("supersedes") for item in settled["decisions"] if item["text"] == "use tabs"] == ["c" * 8]


# ---------------------------------------------------------------------------------------------------------------------
# The command


@pytest.fixture
def stuck(repo: Path) -> Path:
    """A merge that git could not do: without a driver the frame file holds the markers of a text merge."""
    diverge(repo, BASE, CLASH_OURS, CLASH_THEIRS)
    git(repo, "merge", "-q", "--no-edit", "side", code=1)
    assert "<<<<<<<" in (repo / FILE).read_text()
    return repo


def test_markers_of_a_text_merge_become_a_frame_with_conflicts(stuck: Path) -> None:
    shown = out("merge", "--continue", cwd=stuck, code=1)
    (conflict,) = merged(stuck)["merge_conflicts"]
    assert shown == (
        f"{FILE}: 0 conflicts settled, 1 left\n"
        f"  {conflict['id']}  decisions/aaaaaaaa/text\n"
        '  1  use blanks\n  2  use tabs\n'
    )  # fmt: skip
    assert f"UU {FILE}" in status(stuck)

    shown = out("merge", "--continue", "--take", f"{conflict['id'][:4]}=1", cwd=stuck)
    assert shown == f"{FILE}: 1 conflict settled, staged\n"
    assert [item["text"] for item in merged(stuck)["decisions"]] == ["use blanks"]
    assert "merge_conflicts" not in merged(stuck)
    assert merged(stuck)["events"][-1]["data"]["not_taken"] == "use tabs"
    git(stuck, "commit", "-q", "--no-edit")
    assert status(stuck) == ""
    assert err("merge", "--continue", cwd=stuck, code=1) == "error: no frame here has conflicts\n"


def test_a_text_merge_that_had_nothing_to_settle_is_staged_at_once(repo: Path) -> None:
    ours, theirs = (with_decisions(decision("a"), decision(name)) for name in "bc")
    diverge(repo, BASE, ours, theirs)
    git(repo, "merge", "-q", "--no-edit", "side", code=1)
    assert out("merge", "--continue", cwd=repo) == f"{FILE}: 0 conflicts settled, staged\n"
    assert sorted(item["text"] for item in merged(repo)["decisions"]) == ["decision a", "decision b", "decision c"]
    git(repo, "commit", "-q", "--no-edit")


def test_a_file_that_one_side_deleted_is_the_persons(repo: Path) -> None:
    diverge(repo, BASE, CLASH_OURS, CLASH_THEIRS)
    git(repo, "rm", "-q", FILE)
    git(repo, "commit", "-qm", "gone")
    git(repo, "merge", "-q", "--no-edit", "side", code=1)
    assert out("merge", "--continue", cwd=repo, code=1) == f"{FILE}: one side deleted it, the other changed it\n"
    (told,) = json_lines("merge", "--continue", "--json", cwd=repo, code=1)
    assert told["deleted_by_one_side"] is True


def test_conflicts_of_a_merge_of_frames_are_settled_the_same_way(repo: Path) -> None:
    commit_files(repo, "first", x_txt="x")
    for name, text in (("one", "use tabs"), ("two", "use blanks")):
        frame = with_decisions({**decision(name[0], text), "subject": "indent"})
        frame = cast(Frame, {**frame, "id": frame_id("agent", name), "session": {"agent": "agent", "session_id": name}})
        path = repo / f".copilot/sessions/2026-06-02_{name}_x.frame.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(frame_json.encode(cast(Frame, {**frame, "status": "closed", "topic": name})))
    told = out("merge", "one", "two", "--topic", "both", cwd=repo, code=1)
    assert "conflict in decisions/" in told
    (left,) = json_lines("merge", "--continue", "--json", "both", cwd=repo, code=1)
    conflict = left["left"][0]["id"]
    (done,) = json_lines("merge", "--continue", "--json", "--take", f"{conflict}=both", cwd=repo)
    assert (done["settled"], done["left"], done["staged"]) == (1, [], False)


def test_on_a_terminal_each_conflict_is_asked(stuck: Path) -> None:
    with terminal("merge", "--continue", cwd=stuck) as screen:
        told = screen.until("which holds [1/2/s/q]? ")
        assert "decisions/aaaaaaaa/text\n  1  use blanks\n  2  use tabs\n" in told
        screen.type("2\n")
        code, shown = screen.end()
        assert (code, "1 conflict settled, staged" in shown) == (0, True)
    assert [item["text"] for item in merged(stuck)["decisions"]] == ["use tabs"]


def test_leaving_early_writes_nothing(stuck: Path) -> None:
    before = (stuck / FILE).read_bytes()
    with terminal("merge", "--continue", cwd=stuck) as screen:
        screen.until("which holds [1/2/s/q]? ")
        screen.type("q\n")
        assert screen.end()[0] == 1
    assert (stuck / FILE).read_bytes() == before


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["--continue", "--topic", "x"], "--topic goes with a new merge, not with --continue"),
        (["a", "b", "--take", "x=1"], "--take goes with --continue"),
        ([], "name the frames to merge"),
        (["--continue", "--take", "x"], "not a choice: 'x'"),
        (["--continue", "--take", "x=3"], "not a choice: 'x=3'"),
        (["--continue", "--take", "ffff=1"], "no such conflict: 'ffff'"),
        (["--continue", "--take", "x=1", "--take", "x=2"], "--take names one conflict twice"),
        (["--continue", "nosuch"], "no frame is called 'nosuch'"),
    ],
)
def test_wrong_words(stuck: Path, args: list[str], told: str) -> None:
    before = (stuck / FILE).read_bytes()
    assert err("merge", *args, cwd=stuck, code=2).startswith(f"error: {told}\n")
    assert (stuck / FILE).read_bytes() == before


def test_both_can_not_stand_in_one_field(stuck: Path) -> None:
    out("merge", "--continue", cwd=stuck, code=1)
    conflict = merged(stuck)["merge_conflicts"][0]["id"]
    told = err("merge", "--continue", "--take", f"{conflict}=both", cwd=stuck, code=2)
    assert told == "error: 'decisions/aaaaaaaa/text' holds one value: both can't stand\n"


def test_a_beginning_that_means_several_conflicts_settles_none(repo: Path) -> None:
    """More conflicts than there are hex digits: some two begin alike."""
    sides = ([{**decision("a", f"{side} {number}"), "id": f"{number:08x}"} for number in range(17)] for side in "xyz")
    base, ours, theirs = (with_decisions(*side) for side in sides)
    diverge(repo, base, ours, theirs)
    git(repo, "merge", "-q", "--no-edit", "side", code=1)
    out("merge", "--continue", cwd=repo, code=1)
    ids = [conflict["id"] for conflict in merged(repo)["merge_conflicts"]]
    digit = next(digit for digit in "0123456789abcdef" if sum(name.startswith(digit) for name in ids) > 1)
    before = (repo / FILE).read_bytes()
    told = err("merge", "--continue", "--take", f"{digit}=1", cwd=repo, code=2)
    assert told.startswith(f"error: '{digit}' means ")
    assert (repo / FILE).read_bytes() == before
