"""What some commits decided, verified and left open, ready for a pull request; and the check of frames in a range."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from command_line import err, git, json_lines, out
from git_repos import commit_files

from session_frames import frame_json
from session_frames.model import FORMAT_VERSION, Frame, frame_id


def check(number: int, command: str) -> dict[str, Any]:
    return {"id": f"k{number}", "tool": "Bash", "outcome": "passed", "arguments": {"command": command}}


def edit(number: int, path: str) -> dict[str, Any]:
    files = [{"path": path, "change": "modified"}]
    return {"id": f"e{number}", "tool": "Edit", "outcome": "passed", "arguments": {"file_path": path}, "files": files}


def session(turns: int = 6) -> Frame:
    """A session that decides, rules, checks, changes a file after the check, and leaves a question open."""
    spoken: list[dict[str, Any]] = [
        {"id": "u1", "role": "user", "text": "Never use floats. Which rounding?"},
        {"id": "a1", "role": "agent", "text": "Half even.", "calls": [edit(1, "cents.py"), check(1, "pytest -q")]},
        {"id": "u2", "role": "user", "text": "Half up, as the tax office does. 환불은 나중에."},
        {"id": "a2", "role": "agent", "text": "Done, tests pass.", "calls": [edit(2, "tax.py"), edit(3, "gone.py")]},
        {"id": "u3", "role": "user", "text": "Who signs off?"},
        {"id": "a3", "role": "agent", "text": "I do not know."},
    ]
    decided: list[dict[str, Any]] = [
        {"id": "d1", "text": "half even", "status": "overruled", "by": "agent", "evidence": [
            {"turn": "a1", "quote": "Half even"}, {"turn": "u2", "quote": "Half up"}]},
        {"id": "d2", "text": "half up", "status": "accepted", "by": "user", "rationale": "the tax office does",
         "evidence": [{"turn": "u2", "quote": "Half up"}]},
        {"id": "d3", "text": "환불은 나중에", "status": "deferred", "by": "user", "evidence": [
            {"turn": "u2", "quote": "환불은 나중에"}]},
    ]  # fmt: skip
    rule = {"id": "c1", "text": "Never use floats", "status": "accepted", "by": "user"}
    question = {"id": "q1", "text": "Who signs off?", "status": "open", "by": "user"}
    known = {turn["id"] for turn in spoken[:turns]}
    made: dict[str, Any] = {
        "frame": FORMAT_VERSION,
        "id": frame_id("agent", "one"),
        "topic": "rounding",
        "status": "closed",
        "session": {"agent": "agent", "session_id": "one"},
        "boundary": {"started_at": "2026-06-02T09:00:00Z", "ended_at": "2026-06-02T09:30:00Z"},
        "decisions": [one for one in decided if known >= {said["turn"] for said in one["evidence"]}],
        "constraints": [{**rule, "evidence": [{"turn": "u1", "quote": "Never use floats"}]}],
        "open_questions": [{**question, "evidence": [{"turn": "u3", "quote": "Who signs off?"}]}] if turns > 4 else [],
        "verification": [
            {"command": "pytest -q", "outcome": "failed", "turn": "a1"},
            {"command": "pytest -q", "outcome": "passed", "turn": "a1"},
        ],
        "unverified": [{"text": "tests pass", "turn": "a2"}] if turns > 3 else [],
        "files": [
            {"path": "cents.py", "change": "modified"},
            {"path": "tax.py", "change": "modified"},
            {"path": "gone.py", "change": "deleted"},
        ],
        "turns": spoken[:turns],
    }
    return made  # type: ignore[return-value]


def put(repo: Path, frame: Frame, name: str = "rounding_abc") -> Path:
    path = repo / f".copilot/sessions/2026-06-02_{name}.frame.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(frame_json.encode(frame))
    return path


@pytest.fixture
def branch(repo: Path) -> Path:
    """A branch with two commits that main does not have: one without a frame, one with the frame."""
    commit_files(repo, "first", README="nothing\n")
    git("switch", "-q", "-c", "work", cwd=repo)
    commit_files(repo, "by hand", note_txt="x\n")
    put(repo, session())
    commit_files(repo, "fix: round | as *they* do @tax", cents_py="x = 1\n")
    return repo


def test_a_report_reads_as_a_person_would_write_it(branch: Path) -> None:
    short = frame_id("agent", "one")[:6]
    commits = git("log", "--format=%h", "--abbrev=10", "main..work", cwd=branch).split()
    assert (
        out("report", "main..work", cwd=branch)
        == f"""\
2 commits and 1 session frame, recorded by agent.

## Decisions

- **half up**, by the user (rounding `{short}`)
  - because the tax office does
  - the user, turn 3: “Half up”

## Constraints

- **Never use floats**, by the user (rounding `{short}`, turn 1)

## Given up or turned down

- **half even** (overruled), by the agent (rounding `{short}`)
  - the agent, turn 2: “Half even”
  - the user, turn 3: “Half up”

## Put off, proposed or not clear

- **환불은 나중에** (deferred), by the user (rounding `{short}`, turn 3)

## Verified

- passed: `pytest -q` (rounding `{short}`, turn 2)

## Not verified

- said, but no check shows it: tests pass (rounding `{short}`)
- changed after the last check that passed: `tax.py` (rounding `{short}`)

## Open questions

- **Who signs off?**, by the user (rounding `{short}`, turn 5)

## Commits and frames

- {commits[0]} fix: round \\| as \\*they\\* do @<!-- -->tax: rounding `{short}` (turns 1-6, in-tree)
- {commits[1]} by hand: no frame
"""
    )


def test_of_a_frame_that_grew_only_what_the_commits_brought_is_told(branch: Path) -> None:
    git("switch", "-q", "-C", "grown", "main", cwd=branch)
    put(branch, session(2))
    commit_files(branch, "begun", cents_py="x = 1\n")
    put(branch, session())
    commit_files(branch, "went on", tax_py="x = 1\n")
    told = json.loads(out("report", "--format", "json", "HEAD~1..", cwd=branch))
    assert told["commits"][0]["frames"] == [
        {"frame": frame_id("agent", "one"), "link": "in-tree", "new_turns": [[3, 6]]}
    ]
    assert [one["text"] for one in told["decisions"]] == ["half even", "half up", "환불은 나중에"]
    assert told["constraints"] == []
    assert told["verification"] == []
    assert [(one["text"], one["files"]) for one in told["unchecked"]] == [("tests pass", []), ("", ["tax.py"])]
    begun = json.loads(out("report", "--json", "HEAD~2..HEAD~1", cwd=branch))
    assert [one["text"] for one in begun["constraints"]] == ["Never use floats"]
    assert begun["unchecked"] == []


def test_without_a_range_the_branch_is_compared_with_its_upstream(branch: Path, tmp_path: Path) -> None:
    told = err("report", cwd=branch, code=2)
    assert told == (
        "error: which commits? this branch has no upstream\n"
        "hint: frames report main..HEAD, or frames report --since DATE\n"
    )
    git("clone", "-q", str(branch), str(tmp_path / "clone"), cwd=tmp_path)
    clone = tmp_path / "clone"
    commit_files(clone, "only here", more_txt="x\n")
    assert [one["subject"] for one in json.loads(out("report", "--json", cwd=clone))["commits"]] == ["only here"]


def test_since_tells_also_of_what_no_commit_holds(branch: Path) -> None:
    loose = session()
    loose["id"] = frame_id("agent", "two")
    loose["topic"] = "loose ends"
    loose["boundary"]["ended_at"] = "2026-06-03T09:00:00Z"
    put(branch, loose, "loose_def")
    since = json.loads(out("report", "--json", "--since", "2026-06-02T00:00:00Z", cwd=branch))
    assert [(one["topic"], one["committed"]) for one in since["frames"]] == [("rounding", True), ("loose ends", False)]
    later = json.loads(out("report", "--json", "--since", "2026-06-02T23:00:00Z", cwd=branch))
    assert [one["topic"] for one in later["frames"]] == ["loose ends"]
    assert later["commits"] == []
    assert "- not committed: loose ends" in out("report", "--since", "2026-06-02T23:00:00Z", cwd=branch)
    assert err("report", "--since", "2026-07-01T00:00:00Z", cwd=branch, code=1) == "no commits and no frames\n"


def test_what_a_merged_frame_took_over_stands_once(branch: Path) -> None:
    other = session()
    other["id"] = frame_id("agent", "two")
    other["session"] = {"agent": "agent", "session_id": "two"}
    put(branch, other, "other_def")
    out("merge", other["id"], frame_id("agent", "one"), "--topic", "both", cwd=branch)
    commit_files(branch, "one of two", done_txt="x\n")
    told = json.loads(out("report", "--json", "main..", cwd=branch))
    assert len(told["frames"]) == 3
    assert {one["frame"] for one in told["decisions"]} == {
        one["id"] for one in told["frames"] if one["topic"] == "both"
    }


def test_text_of_a_frame_stays_text(branch: Path) -> None:
    hostile = session()
    hostile["topic"] = "</details><img src=x> `x` @root"
    hostile["decisions"][1]["text"] = "*bold*\n# heading [a](http://b) snake_case _it_ \u202eright"
    hostile["verification"][1]["command"] = "echo ``x``"
    put(branch, hostile)
    commit_files(branch, "hostile", x_txt="x")
    told = out("report", "main..", cwd=branch)
    assert "\\</details\\>\\<img src=x\\> \\`x\\` @<!-- -->root" in told
    assert "**\\*bold\\* # heading \\[a\\](http://b) snake_case \\_it\\_ \\<U+202E\\>right**" in told
    assert "``` echo ``x`` ```" in told


@pytest.mark.parametrize("revisions", ["nope..HEAD", "--all", "HEAD..--output=x", "main..work..main"])
def test_what_is_no_range_is_refused(branch: Path, revisions: str) -> None:
    for verb in (["report", "--", revisions], ["validate", f"--range={revisions}"]):
        told = err(*verb, cwd=branch, code=2)
        assert told.startswith("error: not a revision: '")
    assert not (branch / "x").exists()


# ---------------------------------------------------------------------------------------------------------------------
# validate --range


def test_every_version_of_a_range_is_validated(branch: Path) -> None:
    assert out("validate", "--range", "main..work", cwd=branch) == "1 version checked, 0 invalid\n"
    path = put(branch, session())
    path.write_text(path.read_text().replace('"closed"', '"shut"'))
    commit_files(branch, "broken", x_txt="x")
    broken = git("rev-parse", "--short=10", "HEAD", cwd=branch).strip()
    put(branch, session(4))
    commit_files(branch, "mended", y_txt="y")
    assert out("validate", cwd=branch) == "1 frame checked, 0 invalid\n"
    told = out("validate", "--range", "main..", cwd=branch, code=4)
    assert told.startswith(f"{broken}:.copilot/sessions/2026-06-02_rounding_abc.frame.json: $.status: ")
    assert told.endswith("3 versions checked, 1 invalid\n")
    lines = json_lines("validate", "--json", "--range", "main..", cwd=branch, code=4)
    assert [line["valid"] for line in lines] == [True, False, True]
    assert out("validate", "--range", "HEAD~1..", cwd=branch) == "1 version checked, 0 invalid\n"


def test_a_range_is_validated_without_a_work_tree(branch: Path, tmp_path: Path) -> None:
    subprocess.run(["git", "clone", "-q", "--bare", str(branch), str(tmp_path / "bare.git")], check=True)
    assert out("validate", "--range", "main..work", cwd=tmp_path / "bare.git") == "1 version checked, 0 invalid\n"
    assert "by the user" in out("report", "main..work", cwd=tmp_path / "bare.git")


def test_files_and_a_range_are_two_questions(branch: Path) -> None:
    told = err("validate", "--range", "main..", "x.json", cwd=branch, code=2)
    assert told == "error: name files or a range of commits, not both\n"


# ---------------------------------------------------------------------------------------------------------------------
# pre-commit, the tool


def test_pre_commit_runs_the_hook_that_is_defined_here(branch: Path, environ: dict[str, str]) -> None:
    """The definition is one that pre-commit takes; what it names finds an invalid frame and lets a valid one pass."""
    pytest.importorskip("pre_commit", reason="pre-commit is not installed")
    definition = Path(__file__).parents[1] / ".pre-commit-hooks.yaml"
    tool = [sys.executable, "-m", "pre_commit"]
    subprocess.run([*tool, "validate-manifest", str(definition)], check=True)
    (hook,) = yaml.safe_load(definition.read_text())
    config = {"repos": [{"repo": "local", "hooks": [{**hook, "language": "system"}]}]}
    (branch / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    git("add", ".pre-commit-config.yaml", cwd=branch)
    environ["PATH"] = os.pathsep.join((os.path.dirname(sys.executable), environ.get("PATH", os.defpath)))

    def run() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*tool, "run", "--all-files"], cwd=branch, env=environ, stdout=subprocess.PIPE, text=True, timeout=60
        )

    assert run().returncode == 0
    path = put(branch, session())
    path.write_text(path.read_text().replace('"closed"', '"shut"'))
    failed = run()
    assert failed.returncode == 1
    assert "$.status: " in failed.stdout
