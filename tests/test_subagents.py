"""Sub-agents: their log hangs on the call that started them; nobody's words, but their lines are found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Session, git, json_lines, out

from session_frames.operations import slim
from session_frames.operations.assemble import assemble
from session_frames.operations.compose import compose
from session_frames.operations.redact import DEFAULT
from session_frames.transcripts import claude_code

PROMPT = "Write the module for weights, with one function."
MODULE = "def weight_in_grams(text):\n    return int(text)\n"


def _parent(repo: Path) -> Session:
    session = Session(repo).user("let a helper write it")
    return session.call(
        "Task", {"description": "weights", "prompt": PROMPT, "subagent_type": "coder"}, "It is written."
    )


def _child(repo: Path) -> Session:
    child = Session(repo, start="2026-06-02T12:00:00")
    child.user(PROMPT).agent("I begin.").write("weights.py", MODULE).agent("Done.")
    for number, record in enumerate(child.records):
        record["isSidechain"] = True
        record["agentId"] = "a21e2f5"
        record["uuid"] = f"side-{number}"
        record["parentUuid"] = f"side-{number - 1}" if number else None
    return child


def _check(repo: Path) -> None:
    (frame,) = json_lines("show", "--json", cwd=repo)
    assert [turn["text"] for turn in frame["turns"] if turn["role"] == "user"] == ["let a helper write it"]
    (call,) = frame["turns"][1]["calls"]
    log = call["subagent"]["turns"]
    assert [(turn["role"], turn["text"]) for turn in log] == [("system", PROMPT), ("agent", "I begin.\n\nDone.")]
    assert [(file["path"], file["change"]) for file in frame["files"]] == [("weights.py", "added")]
    (repo / "weights.py").write_text(MODULE)
    git("add", "weights.py", ".copilot", cwd=repo)
    git("commit", "-q", "-m", "weights", cwd=repo)
    blamed = json_lines("blame", "--json", "weights.py", cwd=repo)
    assert [line["call"] for line in blamed] == ["2.1", "2.1"]


def test_in_a_file_of_its_own(repo: Path) -> None:
    path = _parent(repo).save_at_home()
    _child(repo).save(path.with_suffix("") / "subagents/agent-a21e2f5.jsonl")
    stranger = _child(repo)
    for record in stranger.records:
        record["sessionId"] = "another"
    stranger.save(path.parent / "agent-b.jsonl")
    out("close", cwd=repo)
    _check(repo)


def test_among_the_records_of_its_parent(repo: Path) -> None:
    parent, child = _parent(repo), _child(repo)
    parent.records[2:2] = child.records  # between the call and its result
    path = parent.save(repo / ".git/s.jsonl")
    out("import", str(path), cwd=repo)
    _check(repo)


def test_a_check_that_a_helper_ran_counts_where_it_was_called(repo: Path) -> None:
    parent, child = _parent(repo), _child(repo)
    child.records[3:3] = Session(repo).user(PROMPT).call("Bash", {"command": "pytest -q"}, "3 passed").records[1:]
    for number, record in enumerate(child.records):
        record |= {"isSidechain": True, "uuid": f"side-{number}", "parentUuid": f"side-{number - 1}"}
    parent.records[2:2] = child.records
    path = parent.save(repo / ".git/s.jsonl")
    out("import", str(path), cwd=repo)
    (frame,) = json_lines("show", "--json", cwd=repo)
    (check,) = frame["verification"]
    assert check == {"command": "pytest -q", "outcome": "passed", "turn": frame["turns"][1]["id"]}


def test_known_by_the_id_in_the_result(repo: Path) -> None:
    parent, child = _parent(repo), _child(repo)
    parent.records[-1]["toolUseResult"] = {"agentId": "a21e2f5", "status": "completed"}
    child.records[0]["message"]["content"] = "a prompt that was put in other words"
    path = parent.save_at_home()
    child.save(path.with_suffix("") / "subagents/agent-a21e2f5.jsonl")
    out("close", cwd=repo)
    (frame,) = json_lines("show", "--json", cwd=repo)
    assert frame["turns"][1]["calls"][0]["subagent"]["turns"][0]["text"] == "a prompt that was put in other words"


def test_what_a_helper_did_is_slimmed_as_well(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slim, "TARGET", 100)
    parent, child = _parent(repo), _child(repo)
    child.call("Bash", {"command": "cat x" + " y" * 200}, "many words\n" * 300).agent("and so on " * 200)
    for number, record in enumerate(child.records):
        record |= {"isSidechain": True, "uuid": f"side-{number}", "parentUuid": f"side-{number - 1}"}
    parent.records[2:2] = child.records
    with parent.save(repo / ".git/s.jsonl").open("rb") as source:
        frame = compose(assemble(claude_code.read(source)), "claude-code", DEFAULT)
    assert frame["turns"][0]["text"] == "let a helper write it"
    written, ran = frame["turns"][1]["calls"][0]["subagent"]["turns"][1]["calls"]
    assert written["wrote"]
    assert ran["result"].keys() == ran["arguments"]["command"]["elided"].keys() == {"size", "digest"}
    assert [(one["reason"], one["count"]) for one in frame["elided"]] == [
        ("ends of results", 3),
        ("ends of arguments", 1),
        ("middles of agent texts", 1),
    ]


@pytest.mark.parametrize("agent", ["acompact-1", "aside_question-2"])
def test_what_is_no_work_is_passed_over(repo: Path, agent: str) -> None:
    path, child = _parent(repo).save_at_home(), _child(repo)
    for record in child.records:
        record["agentId"] = agent
    child.save(path.with_suffix("") / f"subagents/agent-{agent}.jsonl")
    out("close", cwd=repo)
    (frame,) = json_lines("show", "--json", cwd=repo)
    assert '"subagent":' not in json.dumps(frame)
