"""What was tried and left, and what was looked up again."""

from __future__ import annotations

from typing import Any

import pytest

from session_frames.model import Frame
from session_frames.operations.context import Changes, Wanted, opening, opening_data
from session_frames.operations.dead_ends import dead_ends, repeated_lookups, told


def call(tool: str, arguments: Any, outcome: str = "passed", **files: str) -> dict[str, Any]:
    touched = [{"path": path.replace("__", "."), "change": change} for path, change in files.items()]
    return {"id": "c", "tool": tool, "arguments": arguments, "outcome": outcome, "files": touched}


def edit(old: str, new: str, change: str = "modified") -> dict[str, Any]:
    return call("Edit", {"file_path": "app.py", "old_string": old, "new_string": new}, app__py=change)


def bash(command: str, outcome: str = "passed", **files: str) -> dict[str, Any]:
    return call("Bash", {"command": command}, outcome, **files)


def frame_of(*turns: list[dict[str, Any]] | str) -> Frame:
    """A frame of these turns: words of the user, or calls of the agent."""
    made = [
        {"id": f"t{number}", "role": "user", "text": turn}
        if isinstance(turn, str)
        else {"id": f"t{number}", "role": "agent", "text": "Done.", "calls": turn}
        for number, turn in enumerate(turns, 1)
    ]
    return {"id": "f" * 26, "topic": "app", "turns": made}  # type: ignore[typeddict-item]


def ends(frame: Frame) -> list[tuple[str, str, list[str], str]]:
    return [(one["kind"], one["what"], one["tried"], one["ended"]) for one in dead_ends(frame)]


RESTORED = ("git checkout -- app.py", "git restore app.py", "git checkout .", "git reset --hard")


@pytest.mark.parametrize("command", RESTORED)
def test_a_change_that_git_put_back(command: str) -> None:
    frame = frame_of("try a lock", [edit("a", "lock(a)")], "no", [bash(command)])
    assert ends(frame) == [("restored", "app.py", ["t2"], "t4")]


def test_what_was_committed_is_no_dead_end() -> None:
    frame = frame_of("a lock", [edit("a", "lock(a)"), bash("git commit -am lock")], "next", [bash("git checkout .")])
    assert ends(frame) == []


def test_an_edit_and_its_opposite() -> None:
    frame = frame_of("use a set", [edit("[]", "set()")], "order matters", [edit("set()", "[]")])
    assert ends(frame) == [("edited-back", "app.py", ["t2"], "t4")]


def test_an_opposite_in_the_same_turn_or_of_another_place_is_none() -> None:
    assert ends(frame_of("go", [edit("[]", "set()"), edit("set()", "[]")])) == []
    assert ends(frame_of("go", [edit("[]", "set()")], "more", [edit("set()", "frozenset()")])) == []


def test_the_opposite_of_a_long_text_is_told_by_its_digest() -> None:
    long = {"elided": {"size": 900, "digest": "d1", "head": "x"}}
    one = call("Edit", {"old_string": "a", "new_string": long}, app__py="modified")
    other = call("Edit", {"old_string": long, "new_string": "a"}, app__py="modified")
    assert ends(frame_of("go", [one], "back", [other])) == [("edited-back", "app.py", ["t2"], "t4")]


def test_patches_are_compared_by_their_lines() -> None:
    patch = "*** Begin Patch\n*** Update File: app.py\n@@\n-x = 1\n+x = 2\n*** End Patch\n"
    back = "*** Begin Patch\n*** Update File: app.py\n@@\n-x = 2\n+x = 1\n*** End Patch\n"
    made = frame_of("go", [call("apply_patch", patch, app__py="modified")], "no", [call("p", back, app__py="modified")])
    assert ends(made) == [("edited-back", "app.py", ["t2"], "t4")]


def test_a_file_made_and_removed_again() -> None:
    frame = frame_of("measure", [call("Write", {}, m__py="added")], "remove it", [bash("rm m.py", m__py="deleted")])
    assert ends(frame) == [("removed", "m.py", ["t2"], "t4")]


def test_a_file_that_was_there_before_and_was_removed_is_none() -> None:
    frame = frame_of("tidy", [edit("a", "b")], "not needed", [bash("rm app.py", app__py="deleted")])
    assert ends(frame) == []


@pytest.mark.parametrize(
    ("order", "back"),
    [
        ("add a captcha to the login", "forget the captcha, legal says no"),
        ("로그인에 캡차 넣어줘", "캡차는 없던 걸로 하자"),
        ("ログインにCAPTCHAを入れて", "CAPTCHAの件は忘れて"),
    ],
)
def test_work_for_an_order_that_the_user_took_back(order: str, back: str) -> None:
    frame = frame_of(order, [edit("a", "captcha(a)")], back, [])
    assert ends(frame) == [("withdrawn", "app.py", ["t2"], "t3")]


def test_a_command_that_never_worked_and_was_left() -> None:
    frame = frame_of(
        "start it", [bash("docker compose up", "failed"), bash("docker compose up", "failed"), bash("python -m app")]
    )
    assert ends(frame) == [("gave-up", "docker compose up", ["t2"], "t2")]


@pytest.mark.parametrize("last", [[], [bash("make", "passed")]])
def test_a_command_that_works_in_the_end_or_ends_the_session_was_not_given_up(last: list[dict[str, Any]]) -> None:
    assert ends(frame_of("build", [bash("make", "failed"), bash("make", "failed"), *last])) == []


def test_a_failed_or_pending_change_and_another_thread_count_for_nothing() -> None:
    frame = frame_of("go", [edit("[]", "set()")], "back", [{**edit("set()", "[]"), "outcome": "failed", "files": []}])
    assert ends(frame) == []
    frame = frame_of("go", [edit("[]", "set()")], "back", [{**edit("set()", "[]"), "outcome": "pending"}])
    assert ends(frame) == []


def looks(frame: Frame) -> list[tuple[str, str, list[str], list[str]]]:
    return [(one["kind"], one["what"], one["turns"], one["unchanged"]) for one in repeated_lookups(frame)]


READ = call("Read", {"file_path": "app.py"}, app__py="read")


def test_a_file_read_again_with_and_without_a_change_between() -> None:
    frame = frame_of("a", [READ], "b", [READ], "c", [edit("a", "b"), READ])
    assert looks(frame) == [("read", "app.py", ["t2", "t4", "t6"], ["t4"])]


def test_the_same_search_again_whatever_is_beside_it() -> None:
    one = call("Grep", {"pattern": "lock", "description": "find it"})
    other = call("Grep", {"pattern": "lock", "description": "find it again"})
    assert looks(frame_of("a", [one], "b", [other])) == [("search", "lock", ["t2", "t4"], ["t4"])]
    assert looks(frame_of("a", [bash("rg  lock src")], "b", [bash("rg lock src", "failed")])) == [
        ("search", "rg lock src", ["t2", "t4"], ["t4"])
    ]


@pytest.mark.parametrize(
    "command", ["pytest -q", "git commit -m x", "sed -i s/a/b/ app.py", "cat a > b", "python a.py"]
)
def test_what_is_no_look_up(command: str) -> None:
    assert looks(frame_of("a", [bash(command)], "b", [bash(command)])) == []


def test_other_arguments_are_another_look_up() -> None:
    part = call("Read", {"file_path": "app.py", "offset": 200}, app__py="read")
    assert looks(frame_of("a", [READ], "b", [part])) == []


def test_looking_twice_in_one_turn_is_no_repetition() -> None:
    assert looks(frame_of("a", [READ, READ])) == []


def test_the_next_session_is_told_what_was_tried() -> None:
    frame = frame_of("try a lock", [READ, edit("a", "lock(a)")], "no", [READ, bash("git checkout -- app.py")])
    made = opening(frame, Changes(True, [], [], []))
    assert "## Tried and left\n- app.py: changed in turn 2, put back by git in turn 4\n" in made.text
    data = opening_data(frame, Changes(True, [], [], []), made, Wanted(budget=4000))
    assert data["dead_ends"] == dead_ends(frame)
    assert data["repeated_lookups"] == repeated_lookups(frame) != []


def test_it_only_tells() -> None:
    frame = frame_of("try a lock", [edit("a", "lock(a)")], "no", [bash("git checkout -- app.py")])
    before = repr(frame)
    numbers = {turn["id"]: number for number, turn in enumerate(frame["turns"], 1)}
    assert told(dead_ends(frame)[0], numbers) == "changed in turn 2, put back by git in turn 4"
    assert repr(frame) == before
