"""Steering what a model is given, as a person types it: each verb, where it writes, what reading again keeps."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from command_line import CLAUDE_SESSION, Session, err, frames, git, json_lines, out

from session_frames.frame_json import encode

SHELL = {"CLAUDE_CODE_SESSION_ID": CLAUDE_SESSION}
RULES = ".copilot/pruning-rules.json"


def session_of(repo: Path) -> Session:
    """Nine turns: orders in three languages, each taken back later; calls in turn 2."""
    return (
        Session(repo)
        .user("Use SQLite for the token store")
        .call("Read", {"file_path": "a.py"}, "x = 1\n" * 900)
        .call("Read", {"file_path": "b.py"}, "y = 2")
        .call("Read", {"file_path": "a.py"}, "x = 1\n" * 900)
        .agent("It is in SQLite now.")
        .user("로그를 파일에 남겨 주세요")
        .agent("네, 남겼습니다.")
        .user("방금 건 무시해 주세요")
        .agent("알겠습니다.")
        .user("Keep the tests fast")
    )


@pytest.fixture
def closed(repo: Path) -> Path:
    """A repository with a frame that was closed and committed."""
    session_of(repo).save_at_home()
    out("close", "--topic", "tokens", cwd=repo)
    git("commit", "-q", "-m", "frame", cwd=repo)
    return repo


def frame_of(repo: Path) -> dict[str, Any]:
    value: dict[str, Any] = json_lines("show", "--json", cwd=repo)[0]
    return value


def file_of(repo: Path) -> Path:
    (path,) = (repo / ".copilot").rglob("*.frame.json")
    return path


def transcript() -> Path:
    """Where the agent keeps the session."""
    (path,) = (Path(os.environ["HOME"]) / ".claude/projects").rglob("*.jsonl")
    return path


def without_events(path: Path) -> bytes:
    frame = json.loads(path.read_bytes())
    frame.pop("events", None)
    return encode(frame)


def marks(repo: Path, key: str) -> list[int]:
    return [number for number, turn in enumerate(frame_of(repo)["turns"], 1) if turn.get(key)]


# ---------------------------------------------------------------------------------------------------------------------
# Turns


def test_pins_are_kept_and_their_use_is_told(closed: Path) -> None:
    told = out("pin", "1", "7", cwd=closed)
    assert told.startswith("pinned turns 1, 7  ")
    assert ", not staged\n" in told
    assert "  pins: " in told
    assert " of 30,000 tokens\n" in told
    assert marks(closed, "pinned") == [1, 7]
    assert out("pin", "1", cwd=closed).startswith("nothing to change")
    (done,) = json_lines("unpin", "7", "--json", cwd=closed)
    assert (done["turns"], done["changed"], done["staged"]) == ([7], True, False)
    assert done["pins"]["limit"] == 30_000
    assert marks(closed, "pinned") == [1]
    assert git("status", "--porcelain", cwd=closed).startswith(" M .copilot/sessions/")


def test_pins_may_take_a_share_of_the_budget_and_no_more(closed: Path) -> None:
    git("config", "frames.budget", "100", cwd=closed)
    git("config", "frames.pinShare", "0.1", cwd=closed)
    before = file_of(closed).read_bytes()
    told = err("pin", "1", "3", cwd=closed, code=6)
    assert told.startswith("error: the pins would take ")
    assert " of 10 tokens\n" in told
    assert "frames.pinShare" in told
    assert file_of(closed).read_bytes() == before
    git("config", "frames.pinShare", "much", cwd=closed)
    assert err("pin", "1", cwd=closed, code=2) == (
        "error: frames.pinShare is not a number from 0: 'much'\nhint: git config frames.pinShare 0.3\n"
    )


def test_what_is_pinned_is_not_pruned_and_what_is_pruned_not_pinned(closed: Path) -> None:
    out("pin", "2", cwd=closed)
    before = file_of(closed).read_bytes()
    for wanted in ("2", "1-3", "2.1"):
        assert err("prune", wanted, cwd=closed, code=6) == "error: turn 2 is pinned\nhint: frames unpin 2\n"
    assert file_of(closed).read_bytes() == before
    out("prune", "3", cwd=closed)
    assert err("pin", "3", cwd=closed, code=6) == "error: turn 3 is pruned\nhint: frames restore 3\n"


def test_pruning_and_restoring_gives_the_same_bytes_but_for_the_events(closed: Path) -> None:
    before = file_of(closed).read_bytes()
    assert out("prune", "2.1,2.3", "3-4", cwd=closed).startswith("pruned turns 3-4 and calls 2.1, 2.3: ")
    assert marks(closed, "pruned") == [3, 4]
    shown = out("context", cwd=closed)
    assert "  pruned: turns 3-4\n  pruned: calls 2.1, 2.3\n" in shown
    once = file_of(closed).read_bytes()
    assert out("prune", "3", "2.1", cwd=closed).startswith("nothing to change")
    assert file_of(closed).read_bytes() == once
    (data,) = json_lines("context", "--json", cwd=closed)
    assert [len(entry["calls"]) for entry in data["entries"] if entry["numbers"] == [2]] == [1]
    out("restore", "2", "3-4", cwd=closed)
    assert without_events(file_of(closed)) == before
    assert [event["kind"] for event in frame_of(closed)["events"]] == ["prune", "restore"]
    out("validate", cwd=closed)


def test_a_dry_run_changes_nothing(closed: Path) -> None:
    before = file_of(closed).read_bytes()
    assert out("prune", "2", "--dry-run", cwd=closed).startswith("would prune turn 2: ")
    assert file_of(closed).read_bytes() == before


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("pin", "99"), "error: no such turn: '99'\nhint: the frame has turns 1-7\n"),
        (("prune", "2-9"), "error: no such turn: '2-9'\nhint: the frame has turns 1-7\n"),
        (("prune", "2.9"), "error: no such call: '2.9'\nhint: turn 2 has calls 2.1-2.3\n"),
        (("prune", "1.1"), "error: no such call: '1.1'\nhint: turn 1 has no calls\n"),
        (("restore", "0"), "error: no such turn: '0'\nhint: the frame has turns 1-7\n"),
        (
            ("pin", "2.1"),
            "error: a single call can't be pinned, only its turn\nhint: calls can be pruned and restored\n",
        ),
        (("prune",), "error: name turns, or --resolved, or --rules\nhint: frames prune 22-30 14.3\n"),
        (("checkpoint", "x", "--turn", "1-2"), "error: '1-2' is not one turn\nhint: a number or an id, such as 14\n"),
        (("switch", "nowhere"), "error: no such thread: 'nowhere'\nhint: threads: main\n"),
        (("restore", "--checkpoint", "x"), "error: no such checkpoint: 'x'\nhint: there are no checkpoints\n"),
        (("branch", "rewound-3"), "error: 'rewound-3' is taken by frames itself\nhint: choose another name\n"),
        (
            ("context", "--at", "8"),
            "error: no such turn, event or time: '8'\n"
            "hint: the frame has turns 1-7; a time is like 2026-06-02T10:00:00Z\n",
        ),
    ],
)
def test_what_does_not_exist_is_told_with_what_does(closed: Path, words: tuple[str, ...], told: str) -> None:
    assert err(*words, cwd=closed, code=2) == told
    assert git("status", "--porcelain", cwd=closed) == ""


def test_turns_that_were_taken_back_are_pruned_in_any_language(repo: Path) -> None:
    session = session_of(repo).agent("They are.").user("ログをファイルに書いてください").agent("書きました。")
    session.user("さっきのは無視してください").agent("はい。").user("Add a cache please").agent("Added.")
    session.user("ok, ignore that").agent("Fine.").save_at_home()
    out("close", cwd=repo)
    out("pin", "14", cwd=repo)
    (done,) = json_lines("prune", "--resolved", "--json", cwd=repo)
    assert done["turns"] == [3, 4, 9, 10, 13]
    assert done["left_pinned"] == [14]
    assert frame_of(repo)["events"][-1]["by"] == "pipeline"
    assert out("prune", "--resolved", cwd=repo).startswith("nothing to change")


def test_annotations_make_a_preamble(closed: Path) -> None:
    out("annotate", "3", "5", "overruled", "-m", "로그는 표준 출력으로", cwd=closed)
    out("annotate", "2", "dead-end", cwd=closed)
    out("annotate", "7", "key-constraint", cwd=closed)
    shown = out("context", cwd=closed)
    assert "These turns hold throughout: turn 7\n" in shown
    assert "The following earlier decisions were overruled: turns 3, 5\n" in shown
    assert "“로그를 파일에 남겨 주세요”" in shown
    assert "로그는 표준 출력으로" in shown
    assert "Tried and given up, not to be tried again: turn 2\n" in shown
    assert "로그는 표준 출력으로" in out("resume", cwd=closed)
    out("annotate", "2", "3", "5", "7", "--clear", cwd=closed)
    assert "overruled" not in out("context", cwd=closed)
    assert err("annotate", "2", cwd=closed, code=2).startswith("error: name the turns, then what they are\n")
    assert err("annotate", "2", "done", cwd=closed, code=2) == (
        "error: 'done' is not a kind\nhint: frames annotate 12 18-20 overruled -m NOTE; "
        "kinds: resolved, overruled, key-constraint, in-progress, dead-end\n"
    )


def test_an_overruled_decision_is_never_shown_as_standing(closed: Path) -> None:
    (decision,) = [one for one in frame_of(closed)["decisions"] if "SQLite" in one["text"]]
    assert decision["status"] == "accepted"
    told = out("annotate", "1", "overruled", "-m", "we take files", cwd=closed)
    assert "accepted → overruled: Use SQLite for the token store\n" in told
    resumed = out("resume", cwd=closed)
    holds, _, fallen = resumed.partition("## No longer holds")
    assert "SQLite for" not in holds.partition("## Decisions that hold")[2]
    line = next(line for line in fallen.splitlines() if "SQLite" in line)
    assert line.startswith("- [overruled] Use SQLite for the token store")
    assert line.endswith("taken back: we take files")
    before = without_events(file_of(closed))
    out("import", str(transcript()), cwd=closed)
    assert without_events(file_of(closed)) == before
    told = out("annotate", "1", "--clear", cwd=closed)
    assert "overruled → accepted: Use SQLite for the token store\n" in told


# ---------------------------------------------------------------------------------------------------------------------
# Rules


def test_rules_name_calls_and_turns(closed: Path) -> None:
    rules = {
        "rules": [
            {"name": "read twice", "tool": "Re*d", "repeated": True},
            {"annotation": "dead-end"},
            {"role": "agent", "older_than_turns": 2},
            {"result_tokens_over": 100_000},
        ]
    }
    (closed / RULES).write_text(json.dumps(rules), encoding="utf-8")
    out("annotate", "6", "dead-end", cwd=closed)
    out("pin", "4", cwd=closed)
    (done,) = json_lines("prune", "--rules", "--dry-run", "--json", cwd=closed)
    assert (done["turns"], done["calls"], done["by_rule"]) == ([2, 6], [], [1, 1, 1, 0])
    assert done["left_pinned"] == [4]
    told = out("prune", "--rules", cwd=closed)
    assert told.startswith("pruned turns 2, 6: ")
    assert "  rule 1: 1\n  rule 2: 1\n  rule 3: 1\n  rule 4: 0\n  left alone, pinned: turn 4\n" in told
    assert out("prune", "--rules", cwd=closed).startswith("nothing to change")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "line 1: expecting property name enclosed in double quotes"),
        ("[]", 'line 1: not an object with a list of "rules"'),
        ('{\n  "rules": {}\n}', 'line 2: not an object with a list of "rules"'),
        ('{"rules": [\n  {"tool": "Read"},\n  {}\n]}', "line 3: a rule is an object with one condition at least"),
        ('{"rules": [\n {"tool": "Read",\n  "older": 3}]}', "line 3: no such condition: 'older'"),
        (
            '{"rules": [\n {"tool": "a\\"},{",\n  "older_than_turns": "3"}]}',
            "line 3: 'older_than_turns' must be a number",
        ),
        (
            '{"rules": [{"annotation": "done"}]}',
            "line 1: 'annotation' must be one of resolved, overruled, key-constraint, in-progress, dead-end",
        ),
        ('{"rules": [\n {"bogus": 1}]}', "line 2: no such condition: 'bogus'"),
        ('{\n"rules": [],\n"version": 1}', "line 3: no such key: 'version'"),
        ('{\n"rule": []}', "line 2: no such key: 'rule'\nhint: keys: rules, and what begins with x_"),
    ],
)
def test_wrong_rules_are_told_with_their_line(closed: Path, text: str, told: str) -> None:
    (closed / RULES).write_text(text, encoding="utf-8")
    assert err("prune", "--rules", cwd=closed, code=4).startswith(f"error: '{RULES}', {told}\n")


def test_without_rules_that_is_said(closed: Path) -> None:
    assert err("prune", "--rules", cwd=closed, code=1).startswith(
        f"error: no pruning rules: '{RULES}' does not exist\n"
    )


# ---------------------------------------------------------------------------------------------------------------------
# Items


def test_decisions_questions_and_answers_are_noted(closed: Path) -> None:
    (noted,) = json_lines("decide", "the tests fast", "--json", cwd=closed)
    assert noted["decision"]["by"] == "user"
    turn = frame_of(closed)["turns"][6]["id"]
    assert noted["decision"]["evidence"] == [{"turn": turn, "quote": "the tests fast"}]
    assert err("decide", "the tests fast", cwd=closed, code=2).startswith("error: 'the tests fast' is noted already, ")
    old = next(one["id"] for one in frame_of(closed)["decisions"] if "SQLite" in one["text"])
    (new,) = json_lines("decide", "파일에 둔다", "--turn", "7", "--supersedes", old, "--json", cwd=closed)
    assert new["decision"]["supersedes"] == old
    states = {one["text"]: one["status"] for one in frame_of(closed)["decisions"]}
    assert states["Use SQLite for the token store"] == "overruled"
    assert states["파일에 둔다"] == "accepted"
    assert "replaced by “파일에 둔다”" in out("resume", cwd=closed)
    (question,) = json_lines("ask", "どこに置きますか", "--json", cwd=closed)
    out("answer", question["question"]["id"][:5], "ここ", cwd=closed)
    (item,) = [one for one in frame_of(closed)["open_questions"] if one["id"] == question["question"]["id"]]
    assert (item["status"], item["answer"]) == ("answered", "ここ")
    assert err("answer", "ffffffff", "x", cwd=closed, code=2).startswith("error: no such question: 'ffffffff'\n")
    before = file_of(closed).read_bytes()
    out("close", cwd=closed)
    assert file_of(closed).read_bytes() == before


def test_an_agents_decision_is_the_users_only_in_the_users_words(closed: Path) -> None:
    out("import", str(transcript()), cwd=closed)
    named = ("-f", frame_of(closed)["id"])
    (noted,) = json_lines("decide", "rewrite all of it", *named, "--json", cwd=closed)
    assert noted["decision"]["by"] == "user"
    done = frames("decide", "delete all of it", *named, "--json", cwd=closed, **SHELL)
    assert json.loads(done.stdout)["decision"]["by"] == "agent"
    done = frames("decide", "Use SQLite", *named, "--json", cwd=closed, **SHELL)
    assert json.loads(done.stdout)["decision"]["by"] == "user"


def test_topic_title_goal_and_items_are_edited_by_options(closed: Path) -> None:
    name = file_of(closed).name
    item = frame_of(closed)["decisions"][0]["id"]
    out(
        "edit",
        "--topic",
        "token store 토큰",
        "--title",
        "",
        "--goal",
        "one\ntwo",
        "--item",
        item[:6],
        "--state",
        "deferred",
        cwd=closed,
    )
    frame = frame_of(closed)
    assert frame["topic"] == "token store 토큰"
    assert "title" not in frame
    assert frame["goal"] == "one\ntwo"
    assert frame["decisions"][0]["status"] == "deferred"
    assert [event["kind"] for event in frame["events"]] == ["edit", "edit"]
    assert file_of(closed).name == name
    told = err("edit", "--item", item, "--state", "done", cwd=closed, code=2)
    assert told.startswith("error: no state of a decision: 'done'\nhint: states: proposed, accepted")
    assert err("edit", "--topic", "", cwd=closed, code=2) == "error: the topic is blank\nhint: give it a word\n"


def test_a_frame_is_edited_in_an_editor(closed: Path, tmp_path: Path) -> None:
    editor = tmp_path / "editor.py"
    editor.write_text(
        "import sys\n"
        "text = open(sys.argv[1], encoding='utf-8').read()\n"
        "text = text.replace('topic: tokens', 'topic: 토큰')\n"
        "text = text.replace('[accepted] Use SQLite', '[deferred] Take SQLite')\n"
        "open(sys.argv[1], 'w', encoding='utf-8').write(text)\n"
    )
    as_typed = {"GIT_EDITOR": f"{sys.executable} {editor}"}
    assert out("edit", cwd=closed, **as_typed).startswith("edited topic, ")
    frame = frame_of(closed)
    assert frame["topic"] == "토큰"
    decision = frame["decisions"][0]
    assert (decision["text"], decision["status"]) == ("Take SQLite for the token store", "deferred")
    assert frames("edit", cwd=closed, GIT_EDITOR="true").stdout.startswith(b"nothing to change")
    assert frames("edit", cwd=closed, GIT_EDITOR="truncate -s 0", code=1).stderr == (
        b"error: the form came back empty, nothing was changed\n"
    )
    assert frames("edit", cwd=closed, GIT_EDITOR="false", code=5).stderr.startswith(b"error: the editor failed: ")
    assert err("edit", cwd=closed, code=2).startswith("error: the editor needs a terminal\n")


# ---------------------------------------------------------------------------------------------------------------------
# Checkpoints and threads


def test_going_back_to_a_checkpoint_leaves_later_turns_out_and_deletes_nothing(closed: Path) -> None:
    head = git("rev-parse", "--short=7", "HEAD", cwd=closed).strip()
    out("checkpoint", "before logs", "--turn", "2", "-m", "works", cwd=closed)
    assert out("checkpoint", "--list", cwd=closed) == f"before logs  turn 2, commit {head} on main  works\n"
    assert err("checkpoint", "before logs", cwd=closed, code=2).startswith(
        "error: there is a checkpoint 'before logs' already\n"
    )
    words = [turn.get("text") for turn in frame_of(closed)["turns"]]
    told = out("restore", "--checkpoint", "before logs", cwd=closed)
    assert "  not in context any more: turns 3-7\n" in told
    (data,) = json_lines("context", "--json", cwd=closed)
    assert [entry["numbers"] for entry in data["entries"]] == [[1], [2]]
    assert data["other_threads"] == {"main": [3, 4, 5, 6, 7]}
    assert [turn.get("text") for turn in frame_of(closed)["turns"]] == words
    assert out("restore", "--checkpoint", "before logs", cwd=closed).startswith(
        "nothing to change: nothing came after checkpoint 'before logs'  "
    )
    git("switch", "-q", "-c", "other", cwd=closed)
    told = out("switch", "main", cwd=closed)
    assert f"  this thread was on commit {head} on main\n" in told
    assert f"  git stands on commit {head} on other\n  git switch main goes there\n" in told
    assert len(json_lines("context", "--json", cwd=closed)[0]["entries"]) == 7


@pytest.mark.parametrize(
    "name",
    ["5", "99", "２", "2-4", "22-", "2.1", "now", "2026-06-02", "2026-06-02T10:00:00Z", "2026-6-2 later", "9:30"],
)
@pytest.mark.parametrize("verb", ["checkpoint", "branch"])
def test_no_name_reads_as_a_moment(closed: Path, verb: str, name: str) -> None:
    what = {"checkpoint": "checkpoint", "branch": "thread"}[verb]
    assert err(verb, name, cwd=closed, code=2) == (
        f"error: '{name}' reads as a turn, an event or a time\n"
        f"hint: name the {what} by a word, such as 'before {name}'\n"
    )


def test_a_name_is_that_of_no_turn_or_event(closed: Path) -> None:
    out("pin", "1", cwd=closed)
    frame = frame_of(closed)
    for taken in (frame["turns"][0]["id"], frame["events"][0]["id"]):
        assert "reads as a turn, an event or a time" in err("checkpoint", taken, cwd=closed, code=2)
    for name in ("1.2.0", "v5", "5 tries", "먼저", f"before {frame['turns'][0]['id']}"):
        out("checkpoint", name, cwd=closed)


def test_a_pin_wins_over_what_another_side_pruned(closed: Path) -> None:
    out("init", cwd=closed)
    git("switch", "-q", "-c", "side", cwd=closed)
    out("prune", "5", "2", cwd=closed)
    git("commit", "-q", "-a", "-m", "pruned", cwd=closed)
    git("switch", "-q", "main", cwd=closed)
    out("pin", "5", cwd=closed)
    git("commit", "-q", "-a", "-m", "pinned", cwd=closed)
    git("merge", "-q", "--no-edit", "side", cwd=closed)
    (data,) = json_lines("context", "--json", cwd=closed)
    assert [entry["numbers"] for entry in data["entries"]] == [[1], [3], [4], [5], [6], [7]]
    assert (data["pins"]["turns"], data["pruned"]) == ([5], [2])
    out("unpin", "5", cwd=closed)
    (data,) = json_lines("context", "--json", cwd=closed)
    assert data["pruned"] == [2, 5]


def test_threads_share_turns_up_to_the_branching_point(closed: Path) -> None:
    out("branch", "시도", "--from", "4", cwd=closed)
    assert "* main, 7 turns\n" in out("branch", cwd=closed)
    out("switch", "시도", cwd=closed)
    session_of(closed).agent("They are fast.").user("try files").save_at_home()
    out("close", cwd=closed)
    (data,) = json_lines("context", "--json", cwd=closed)
    assert [entry["numbers"][0] for entry in data["entries"]] == [1, 2, 3, 4, 8, 9]
    out("cherry-pick", "main", "7", cwd=closed)
    assert "took" not in out("cherry-pick", "main", "7", cwd=closed)
    assert err("cherry-pick", "main", "8", cwd=closed, code=2) == (
        "error: turn 8 is not in thread 'main'\nhint: it has turns 1-7\n"
    )
    out("switch", "main", cwd=closed)
    out("branch", "--merge", "시도", cwd=closed)
    (data,) = json_lines("context", "--json", cwd=closed)
    assert [entry["numbers"][0] for entry in data["entries"]] == [*range(1, 10)]
    assert err("branch", "--abandon", "시도", cwd=closed, code=6) == "error: thread '시도' is merged already\n"
    out("branch", "again", "--from", "2", cwd=closed)
    out("switch", "again", cwd=closed)
    told = out("branch", "--abandon", "again", cwd=closed)
    assert told.startswith("abandoned thread 'again'")
    assert told.endswith("  thread 'main' is the current one now\n")
    assert "  it was abandoned, and is open again\n" in out("switch", "again", cwd=closed)
    out("switch", "main", cwd=closed)
    assert "open again" not in out("switch", "again", cwd=closed)
    out("switch", "main", cwd=closed)
    assert "current" not in out("branch", "--abandon", "again", cwd=closed)
    assert json_lines("switch", "again", "--json", cwd=closed)[0]["taken_up_again"] is True
    assert json_lines("branch", "--abandon", "again", "--json", cwd=closed)[0]["thread"] == "main"
    assert [one["name"] for one in json_lines("branch", "--json", cwd=closed) if one["current"]] == ["main"]
    out("validate", cwd=closed)


# ---------------------------------------------------------------------------------------------------------------------
# Where it is written


def test_edits_outlive_reading_the_grown_session_again(closed: Path) -> None:
    out("pin", "1", cwd=closed)
    out("prune", "2.2", "4", cwd=closed)
    out("annotate", "3", "resolved", "-m", "끝", cwd=closed)
    out("checkpoint", "c", cwd=closed)
    before = frame_of(closed)
    session_of(closed).agent("They are fast.").user("more").save_at_home()
    out("close", cwd=closed)
    after = frame_of(closed)
    assert after["turns"][:7] == before["turns"]
    assert len(after["turns"]) == 9
    for key in ("events", "checkpoints"):
        assert after[key] == before[key]


def test_a_frame_that_waits_for_its_first_commit_stays_staged_whole(repo: Path) -> None:
    session_of(repo).save_at_home()
    out("close", cwd=repo)
    assert ", staged\n" in out("pin", "1", cwd=repo)
    assert git("status", "--porcelain", cwd=repo).startswith("A  ")
    git("commit", "-q", "-m", "frame", cwd=repo)
    assert ", not staged\n" in out("pin", "3", cwd=repo)
    file_of(repo).write_bytes(file_of(repo).read_bytes())
    git("add", "-A", cwd=repo)
    file_of(repo).write_text(file_of(repo).read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert ", not staged\n" in out("pin", "5", cwd=repo)


def test_an_active_frame_is_edited_privately_and_goes_with_its_commits(repo: Path) -> None:
    out("init", cwd=repo)
    git("add", "-A", cwd=repo)
    git("commit", "-q", "--allow-empty", "-m", "set up", cwd=repo)
    out("start", "tokens", cwd=repo, **SHELL)
    session = session_of(repo)
    session.write("store.py", "def store_the_token_well():\n    return 1\n").save_at_home()
    told = out("pin", "1", cwd=repo, **SHELL)
    assert "  kept privately, goes with the session's next commit\n" in told
    out("prune", "3-4", cwd=repo)
    out("decide", "Use SQLite", cwd=repo)
    assert git("status", "--porcelain", cwd=repo) == ""
    (repo / "store.py").write_text("def store_the_token_well():\n    return 1\n")
    git("add", "store.py", cwd=repo)
    git("commit", "-q", "-m", "store", cwd=repo, **SHELL)
    committed = json.loads(git("show", f"HEAD:{file_of(repo).relative_to(repo)}", cwd=repo))
    assert [number for number, turn in enumerate(committed["turns"], 1) if turn.get("pinned")] == [1]
    assert [number for number, turn in enumerate(committed["turns"], 1) if turn.get("pruned")] == [3, 4]
    out("unpin", "1", cwd=repo)
    out("restore", "4", cwd=repo)
    assert git("status", "--porcelain", cwd=repo) == ""
    assert (marks(repo, "pinned"), marks(repo, "pruned")) == ([], [3])
    session.agent("all done").save_at_home()
    out("close", cwd=repo)
    assert (marks(repo, "pinned"), marks(repo, "pruned")) == ([], [3])
    frame = frame_of(repo)
    assert [event["kind"] for event in frame["events"]] == ["pin", "prune", "decide", "unpin", "restore"]
    assert "Use SQLite" in [one["text"] for one in frame["decisions"]]
    assert frame["topic"] == "tokens"


def test_what_an_active_session_says_belongs_to_the_thread_that_is_current(repo: Path) -> None:
    out("init", cwd=repo)
    git("add", "-A", cwd=repo)
    git("commit", "-q", "--allow-empty", "-m", "set up", cwd=repo)
    out("start", "tokens", cwd=repo, **SHELL)
    session = Session(repo).user("Use SQLite").agent("ok").user("로그").agent("네")
    session.save_at_home()
    out("branch", "redis", "--from", "2", cwd=repo)
    out("switch", "redis", cwd=repo)
    text = "def redis_store_of_tokens():\n    return 2\n"
    session.user("try redis instead").write("r.py", text).save_at_home()
    (repo / "r.py").write_text(text)
    git("add", "r.py", cwd=repo)
    git("commit", "-q", "-m", "redis", cwd=repo, **SHELL)
    out("switch", "main", cwd=repo)
    session.user("back to SQLite").agent("fine").save_at_home()
    expected = ["main"] * 4 + ["redis"] * 2 + ["main"] * 2
    for verb in (("context",), ("close",)):
        out(*verb, cwd=repo)
        (data,) = json_lines("context", "--json", cwd=repo)
        assert [entry["numbers"] for entry in data["entries"]] == [[1], [2], [3], [4], [7], [8]]
        assert data["other_threads"] == {"redis": [5, 6]}
    assert [turn.get("thread", "main") for turn in frame_of(repo)["turns"]] == expected


def test_what_was_noted_before_the_session_was_known_goes_into_its_frame(repo: Path) -> None:
    out("start", "tokens", cwd=repo)
    out("decide", "No new dependency", cwd=repo)
    out("edit", "--goal", "store tokens", cwd=repo)
    session_of(repo).save_at_home()
    out("close", "--transcript", str(transcript()), cwd=repo)
    frame = frame_of(repo)
    assert "No new dependency" in [one["text"] for one in frame["decisions"]]
    assert frame["goal"] == "store tokens"


def test_archived_and_private_frames_are_edited_where_they_are(closed: Path) -> None:
    out("archive", "tokens", cwd=closed)
    out("pin", "1", cwd=closed)
    frame = frame_of(closed)
    assert frame["status"] == "archived"
    assert frame["turns"][0]["pinned"] is True
    assert file_of(closed).parts[-3] == "archive"
    file_of(closed).unlink()
    git("rm", "-q", "--cached", "-r", ".copilot", cwd=closed)
    told = out("pin", "3", "-f", frame["id"], cwd=closed)
    assert "  kept privately\n" in told
    assert [bool(turn.get("pinned")) for turn in frame_of_id(closed, frame["id"])["turns"]][:3] == [True, False, True]


def frame_of_id(repo: Path, name: str) -> dict[str, Any]:
    value: dict[str, Any] = json_lines("show", name, "--json", cwd=repo)[0]
    return value


def test_a_frame_of_a_newer_version_is_not_written_and_unknown_keys_stay(closed: Path) -> None:
    path = file_of(closed)
    frame = json.loads(path.read_bytes())
    frame["x_new"] = {"k": [1]}
    frame["turns"][0]["x_new"] = {"b": 1, "a": 2}
    path.write_text(json.dumps(frame), encoding="utf-8")
    out("pin", "1", cwd=closed)
    kept = json.loads(path.read_bytes())
    assert kept["x_new"] == {"k": [1]}
    assert list(kept["turns"][0]["x_new"].items()) == [("b", 1), ("a", 2)]
    path.write_bytes(path.read_bytes().replace(b'"frame": "1.0"', b'"frame": "1.7"'))
    before = path.read_bytes()
    for words in (("prune", "3"), ("decide", "x"), ("checkpoint", "c"), ("branch", "b"), ("edit", "--topic", "t")):
        assert "written by a newer version" in err(*words, cwd=closed, code=4)
    assert path.read_bytes() == before
    out("context", cwd=closed)


def test_a_secret_in_a_note_is_taken_out_before_it_is_stored(closed: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    out("annotate", "1", "resolved", "-m", f"token {secret}", cwd=closed)
    out("decide", f"use {secret}", cwd=closed)
    out("checkpoint", f"at {secret}", "-m", secret, cwd=closed)
    out("edit", "--goal", f"hide {secret}", cwd=closed)
    for path in [file_of(closed), *(closed / ".git/frames").rglob("*.json")]:
        assert secret.encode() not in path.read_bytes(), path
    assert "turns/" in json.dumps(frame_of(closed)["redactions"])


def test_edits_of_two_branches_merge(closed: Path) -> None:
    out("init", cwd=closed)
    git("add", "-A", cwd=closed)
    git("commit", "-q", "-m", "set up", cwd=closed)
    git("switch", "-q", "-c", "side", cwd=closed)
    out("pin", "1", cwd=closed)
    out("prune", "2.1", cwd=closed)
    git("commit", "-q", "-a", "-m", "side", cwd=closed)
    git("switch", "-q", "main", cwd=closed)
    out("annotate", "3", "dead-end", cwd=closed)
    out("prune", "2.3", cwd=closed)
    git("commit", "-q", "-a", "-m", "main", cwd=closed)
    git("merge", "-q", "--no-edit", "side", cwd=closed)
    frame = frame_of(closed)
    assert "merge_conflicts" not in frame
    assert [bool(call.get("pruned")) for call in frame["turns"][1]["calls"]] == [True, False, True]
    assert frame["turns"][0]["pinned"] is True
    assert frame["turns"][2]["annotation"] == "dead-end"
    assert sorted(event["kind"] for event in frame["events"]) == ["annotate", "pin", "prune", "prune"]


# ---------------------------------------------------------------------------------------------------------------------
# Looking back


def test_the_context_of_a_moment_is_what_was_in_it_then(closed: Path) -> None:
    states = [json_lines("context", "--json", cwd=closed)[0]["entries"]]
    for words in (("pin", "1"), ("prune", "3-4"), ("annotate", "7", "in-progress"), ("restore", "4")):
        out(*words, cwd=closed)
        states.append(json_lines("context", "--json", cwd=closed)[0]["entries"])
    events = frame_of(closed)["events"]
    for event, state in zip(events, states[1:], strict=True):
        for moment in (event["id"], event["at"]):
            assert json_lines("context", "--at", moment, "--json", cwd=closed)[0]["entries"] == state
    (then,) = json_lines("context", "--at", "5", "--json", cwd=closed)
    assert then["entries"] == states[0][:5]
    changes = json_lines("diff", "--context", events[0]["id"], "now", "--json", cwd=closed)[0]["changes"]
    assert [(change["sign"], (change["from"] or change["to"])["numbers"]) for change in changes] == [
        ("-", [3]),
        ("~", [7]),
    ]
    shown = out("diff", "--context", "2", "now", cwd=closed)
    assert "+ 7  user  [in-progress] Keep the tests fast\n" in shown


def test_two_frames_are_compared(closed: Path) -> None:
    other = "77777777-0000-4000-8000-00000000c0de"
    Session(closed, other).user("Use SQLite for the token store").agent("ok").save_at_home()
    out("close", "--topic", "other", cwd=closed, CLAUDE_CODE_SESSION_ID=other)
    shown = out("diff", "tokens", "other", cwd=closed)
    assert "-Topic: tokens\n+Topic: other\n" in shown
    (found,) = json_lines("diff", "tokens", "other", "--json", cwd=closed)
    assert found["topic"] == {"from": "tokens", "to": "other"}
    assert len(found["turns"]["removed"]) == 7
    assert out("diff", "other", "other", cwd=closed) == ""
    assert "- 1  user" in out("diff", "--context", "tokens", "other", cwd=closed)
    assert err("diff", "nosuch", "other", cwd=closed, code=2).startswith(
        "error: neither a frame nor a turn, event, checkpoint or time: 'nosuch'\n"
    )
