"""``init``, ``uninit`` and ``doctor``: the record of the set-up is gone, hooks are shared, frames hold conflicts."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from command_line import frames, out
from git_repos import commit_files, frame_of, git, status, turn, workspace
from test_init import foreign_settings, hooks_path, set_up, shell_hook, snapshot, told

from session_frames.frame_json import encode
from session_frames.storage.hook_text import GUARDS
from session_frames.workspace.health import doctor
from session_frames.workspace.setup import Initialised, init, uninit

FRAME = frame_of([turn(1, role="user", text="hello")])
LOST = "frames was set up here, but its record of that is gone"


def lose_record(path: Path) -> None:
    shutil.rmtree(path / ".git/frames")


# ---------------------------------------------------------------------------------------------------------------------
# Without a record


@pytest.mark.parametrize("again", [False, True], ids=["uninit", "init, uninit"])
def test_what_is_ours_is_recognised_without_a_record(repo: Path, again: bool) -> None:
    shell_hook(repo)
    (repo / ".gitattributes").write_text("*.txt text\n")
    before = snapshot(repo)
    set_up(repo)
    lose_record(repo)
    (finding,) = doctor(workspace(repo))
    assert finding.what.startswith(LOST)
    assert ".git/hooks/pre-commit" in finding.what
    assert "merge.frame.driver" in finding.what
    if again:
        found = set_up(repo)
        assert found.changed == ()
        assert {".gitattributes", ".git/info/exclude", ".git/hooks/post-commit", "notes.displayRef"} <= {
            *found.recognised
        }
        assert doctor(workspace(repo)) == []
        assert set_up(repo) == found._replace(recognised=())

    done = uninit(workspace(repo))

    assert {outcome for _, outcome in done.files} == {"our part removed"}
    assert snapshot(repo) == before
    assert told(repo) == ["frames is not set up in this repository"]
    assert uninit(workspace(repo)).files == ()


def test_another_interpreter_after_the_record_was_lost(repo: Path) -> None:
    before = snapshot(repo)
    init(workspace(repo), python="/gone/python")
    lose_record(repo)
    set_up(repo)
    uninit(workspace(repo))
    assert snapshot(repo) == before


def test_the_command_line_says_what_it_recognised(repo: Path) -> None:
    out("init", cwd=repo)
    lose_record(repo)
    shown = out("init", cwd=repo)
    assert "recognised .gitattributes: uninit takes frames' part out of it\n" in shown
    assert "nothing to change" not in shown
    lose_record(repo)
    assert "our part removed .git/hooks/pre-commit\n" in out("uninit", cwd=repo)


def test_a_clone_does_not_take_the_teams_files_for_its_own(repo: Path, tmp_path: Path) -> None:
    hooks_path(repo)
    set_up(repo)
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "set up", "--no-verify")
    git(tmp_path, "clone", "-q", str(repo), "clone")
    clone = tmp_path / "clone"
    git(clone, "config", "core.hooksPath", ".githooks")
    assert uninit(workspace(clone)).files == ()
    set_up(clone)
    uninit(workspace(clone))
    assert status(clone) == ""


def test_a_driver_of_somebody_else_is_not_recognised(repo: Path) -> None:
    foreign_settings(repo)
    before = snapshot(repo)
    assert uninit(workspace(repo)).settings == ()
    assert snapshot(repo) == before


def test_settings_changed_by_others_survive_a_second_init(repo: Path) -> None:
    init(workspace(repo), python="/first/python")
    git(repo, "config", "branch.main.remote", "origin")
    init(workspace(repo), python="/second/python")
    uninit(workspace(repo))
    config = (repo / ".git/config").read_text()
    assert "remote = origin" in config
    assert "frame" not in config


# ---------------------------------------------------------------------------------------------------------------------
# Hooks that several repositories share


@pytest.fixture
def shared(repo: Path, tmp_path: Path) -> Path:
    """A folder of hooks that every repository of this user runs."""
    folder = tmp_path / "shared-hooks"
    folder.mkdir()
    git(repo, "config", "--global", "core.hooksPath", str(folder))
    return folder


def other_repository(path: Path) -> Path:
    other = path.parent / "other"
    git(path.parent, "init", "-q", str(other))
    return other


def outside(folder: Path) -> str:
    return f"git runs hooks from '{folder}', outside this repository: frames' hooks are not there"


def test_a_shared_folder_of_hooks_is_not_touched(repo: Path, shared: Path) -> None:
    done = set_up(repo)
    assert (done.hooks, done.outside) == ("", str(shared))
    assert list(shared.iterdir()) == []
    (finding,) = doctor(workspace(repo))
    assert (finding.what, finding.hint) == (outside(shared), "frames init --shared-hooks")
    assert doctor(workspace(repo), fix=True) == [finding]
    assert list(shared.iterdir()) == []
    assert b"outside this repository" in frames("init", cwd=repo).stderr


def test_a_shared_folder_gets_hooks_when_it_is_wished(repo: Path, shared: Path) -> None:
    other = other_repository(repo)
    done = set_up(repo, shared_hooks=True)
    assert (done.hooks, done.outside) == (str(shared), "")
    assert {file.name for file in shared.iterdir()} == set(GUARDS)
    assert set_up(other).hooks == str(shared)
    assert told(repo) == told(other) == []
    (shared / "pre-commit").unlink()
    assert doctor(workspace(repo), fix=True) == []

    uninit(workspace(repo))

    assert list(shared.iterdir()) == []
    assert told(other) == [outside(shared)]


def test_a_shared_folder_is_no_concern_without_hooks(repo: Path, shared: Path) -> None:
    done: Initialised = set_up(repo, hooks=False)
    assert (done.hooks, done.outside) == ("", "")
    assert told(repo) == []


def test_uninit_without_a_record_leaves_a_shared_folder_alone(repo: Path, shared: Path) -> None:
    set_up(repo, shared_hooks=True)
    lose_record(repo)
    done = uninit(workspace(repo))
    assert {file.name for file in shared.iterdir()} == set(GUARDS)
    assert done.stays == (f"frames' hooks in '{shared}', outside this repository",)


def test_hooks_of_another_work_tree_are_of_this_repository(repo: Path, tmp_path: Path) -> None:
    commit_files(repo, "base", a_py="x\n")
    git(repo, "config", "core.hooksPath", str(repo / "hooks"))
    git(repo, "worktree", "add", "-q", str(tmp_path / "linked"))
    assert set_up(tmp_path / "linked").hooks == str(repo / "hooks")


# ---------------------------------------------------------------------------------------------------------------------
# Frames


def test_conflicts_that_a_merge_left_are_told(repo: Path) -> None:
    set_up(repo)
    folder = repo / ".copilot/sessions"
    folder.mkdir(parents=True)
    conflict = {"id": "c1", "where": "/goal", "values": ["read\nlabels " + "x" * 200, "read weights"]}
    (folder / "a.frame.json").write_bytes(encode({**FRAME, "merge_conflicts": [conflict]}))  # type: ignore[typeddict-item]
    (finding,) = doctor(workspace(repo))
    assert finding.level == "error"
    assert finding.what.startswith(
        "'.copilot/sessions/a.frame.json': a merge left a conflict in /goal: \"read\\nlabels xxx"
    )
    assert finding.what.endswith('x… | "read weights"')
    assert "\n" not in finding.what


def test_frame_files_that_git_has_not_merged_are_told(repo: Path) -> None:
    commit_files(repo, "base", a_py="x\n")
    set_up(repo)
    file = repo / ".copilot/sessions/a.frame.json"
    file.parent.mkdir(parents=True)
    for branch, goal in (("side", "one"), ("main", "two")):
        git(repo, "checkout", "-q", *(["-b"] if branch == "side" else []), branch)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(encode({**FRAME, "goal": goal}))
        git(repo, "add", "-A")
        git(repo, "commit", "-qm", goal, "--no-verify")
    git(repo, "merge", "side", code=1)
    assert "'.copilot/sessions/a.frame.json' is not merged yet" in told(repo)
    git(repo, "add", "-A")
    assert not any("not merged yet" in what for what in told(repo))
