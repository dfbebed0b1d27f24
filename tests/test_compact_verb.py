"""``frames compact``: a preview, what is done, and taking it back, as a person types it."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from command_line import Session, err, frames, git, json_lines, out
from git_repos import activate, frame_of, turn

HEARD = f"{shlex.quote(sys.executable)} -c"
ROUNDS = ("그리고 시간도 처리해 주세요", "and zones", "ok, thanks")


def talk(repo: Path) -> Path:
    """A session of eight turns; its frame is committed. The frame's file."""
    session = Session(repo).user("please parse dates").agent("I look at the parser first.")
    session.call("Read", {"file_path": f"{repo}/dates.py"}, "x = 1\n" * 300).agent("The cause is the first line.")
    session.write("dates.py", "def parse(): ...\n" * 40).agent("Dates are parsed.")
    for words in ROUNDS:
        session.user(words).call("Read", {"file_path": f"{repo}/dates.py"}, "x = 1\n" * 300)
        session.agent(f"Done: {words}. " * 6)
    session.save(repo / "s.jsonl")
    out("import", "s.jsonl", cwd=repo)
    git("add", ".copilot", cwd=repo)
    git("commit", "-q", "-m", "frame", cwd=repo)
    return file_of(repo)


def file_of(repo: Path) -> Path:
    (path,) = (repo / ".copilot").rglob("*.frame.json")
    return path


def held(path: Path) -> dict[str, Any]:
    frame: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return frame


def words(path: Path) -> list[str]:
    return [turn["text"] for turn in held(path)["turns"] if turn["role"] == "user"]


def summaries(repo: Path, text: str) -> str:
    (repo / "sums.md").write_text(text, encoding="utf-8")
    return "sums.md"


def test_preview_writes_nothing_and_apply_does_what_it_showed(repo: Path) -> None:
    path = talk(repo)
    before = path.read_bytes()
    shown = out("compact", cwd=repo).split("\n")
    assert shown[1].startswith("  shorten 2, 4: ")
    assert shown[2:5] == [
        "  without 3 tool outputs, 1 repeated read",
        "  stays   1, 3, 5, 7: your words",
        "  stays   6, 8: recent",
    ]
    assert shown[6] == "preview: --apply does it"
    assert path.read_bytes() == before

    done = out("compact", "--apply", cwd=repo).split("\n")
    assert done[:6] == shown[:6]
    assert done[6].endswith("not staged; frames compact --undo takes it back")
    assert words(path) == ["please parse dates", *ROUNDS]
    assert [turn["text"] for turn in held(path)["turns"]] == [turn["text"] for turn in json.loads(before)["turns"]]

    after = path.read_bytes()
    assert out("compact", "--apply", cwd=repo).endswith("\nnothing to do\n")
    assert path.read_bytes() == after
    frames("validate", cwd=repo)


def test_undo_leaves_the_file_as_it_was_byte_for_byte(repo: Path) -> None:
    path = talk(repo)
    before = path.read_bytes()
    out("compact", "--apply", cwd=repo)
    assert out("compact", "--undo", cwd=repo).startswith("undone: the compaction of turns 2, 4\n")
    assert path.read_bytes() == before
    assert git("status", "--porcelain", "--", ".copilot", cwd=repo) == ""
    assert err("compact", "--undo", cwd=repo, code=1) == (
        "error: no compaction to undo\nhint: frames context shows what a model is given\n"
    )


def test_undo_of_what_a_commit_holds_is_recorded(repo: Path) -> None:
    path = talk(repo)
    before = held(path)
    out("compact", "--apply", cwd=repo)
    git("commit", "-q", "-am", "compacted", cwd=repo)
    (told,) = json_lines("compact", "--undo", "--json", cwd=repo)
    assert told["turns"] == [2, 4]
    after = held(path)
    assert after["turns"] == before["turns"]
    assert [event["kind"] for event in after["events"]] == ["compact", "undo"]
    assert out("compact", cwd=repo).split("\n")[1].startswith("  shorten 2, 4: ")


def test_undo_restores_the_earlier_compaction_and_then_none(repo: Path) -> None:
    path = talk(repo)
    first = path.read_bytes()
    out("compact", "--apply", cwd=repo)
    second = path.read_bytes()
    out("compact", "--apply", "--summary", summaries(repo, "## 2-5\nall of it\n"), cwd=repo)
    assert words(path) == ["please parse dates", *ROUNDS]
    out("compact", "--undo", cwd=repo)
    assert path.read_bytes() == second
    out("compact", "--undo", cwd=repo)
    assert path.read_bytes() == first


def test_edit_in_between_is_kept_by_undo(repo: Path) -> None:
    path = talk(repo)
    out("compact", "--apply", cwd=repo)
    out("pin", "1", cwd=repo)
    out("compact", "--undo", cwd=repo)
    frame = held(path)
    assert frame["turns"][0]["pinned"] is True
    assert [turn.get("compacted") for turn in frame["turns"]] == [None] * 8
    assert [event["kind"] for event in frame["events"]] == ["compact", "pin", "undo"]


def test_summaries_of_a_file(repo: Path) -> None:
    path = talk(repo)
    file = summaries(repo, "## 2\n원인은 첫 줄\n\n## 4\nread and wrote\n## 8\nlast\n## 12\nnone\n")
    done = frames("compact", "--summary", file, "--apply", cwd=repo)
    told = done.stdout.decode().split("\n")
    assert told[1].startswith("  replace 2: ")
    assert told[2].startswith("  replace 4: ")
    assert done.stderr.decode() == (
        "warning: summary 8: turn 8 stays (recent)\nwarning: summary 12: the frame has turns 1-8, not 12\n"
    )
    shown = out("context", cwd=repo)
    assert "원인은 첫 줄" in shown
    assert "please parse dates" in shown
    assert [one["by"] for one in held(path)["compactions"]] == ["user", "user"]


def test_summary_longer_than_its_turns_is_told(repo: Path) -> None:
    talk(repo)
    done = frames("compact", "--summary", summaries(repo, "## 4\n" + "long " * 900), cwd=repo)
    assert done.stderr.decode().startswith("warning: summary 4: costs ")
    assert "nothing to do" in done.stdout.decode()


def test_file_without_headings_stands_for_all_that_may_be_replaced(repo: Path) -> None:
    path = talk(repo)
    done = frames("compact", "--summary", "-", "--keep-recent", "0", "--apply", cwd=repo, stdin="모두 끝".encode())
    assert done.stdout.decode().split("\n")[1].startswith("  replace 2, 4, 6, 8: ")
    assert words(path) == ["please parse dates", *ROUNDS]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"## 4-2\nx\n", "error: 'sums.md:1': '4-2' is no range of turns\n"),
        (b"", "error: 'sums.md' holds no summary\n"),
        (b"## 2\n\xff\n", "error: 'sums.md' is no UTF-8 text: byte 5\n"),
    ],
)
def test_file_that_is_wrong_is_told(repo: Path, text: bytes, message: str) -> None:
    talk(repo)
    (repo / "sums.md").write_bytes(text)
    code = 2 if not text else 4
    assert err("compact", "--summary", "sums.md", cwd=repo, code=code).startswith(message)


def test_command_is_given_the_turns_and_what_it_says_stands_for_them(repo: Path) -> None:
    path = talk(repo)
    code = (
        "import sys; text = sys.stdin.read(); print('heard', len(text.split()), 'words', 'Dates are parsed.' in text)"
    )
    told = out("compact", "--turns", "2", "--summarizer", f"{HEARD} {shlex.quote(code)}", "--apply", cwd=repo)
    assert told.split("\n")[1].startswith("  replace 2: ")
    assert "not asked for" in told
    (made,) = held(path)["compactions"]
    assert made["summary"].startswith("heard ")
    assert made["summary"].endswith(" words True")
    assert made["by"] == "pipeline"
    assert out("compact", "--turns", "2", "--summarizer", "false", cwd=repo).endswith("\nnothing to do\n")


def test_command_is_asked_only_until_the_budget_is_met(repo: Path) -> None:
    talk(repo)
    code = "import sys; open('asked', 'a').write(sys.stdin.readline()); print('short')"
    args = ("compact", "--keep-recent", "0", "--summarizer", f"{HEARD} {shlex.quote(code)}")
    (whole,) = json_lines("compact", "--keep-recent", "0", "--json", cwd=repo)
    (told,) = json_lines(*args, "--budget", str(whole["before"] - 50), "--json", cwd=repo)
    assert [group["outcome"] for group in told["groups"]] == ["chosen", "not needed", "not needed", "not needed"]
    assert told["after"] <= told["target"]
    assert (repo / "asked").read_text().startswith("--- 2 agent")
    assert len((repo / "asked").read_text().splitlines()) == 1


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("false", "summarizer 'false' failed with exit code 1"),
        ("true", "summarizer 'true' printed nothing"),
        ("no-such-command-here", "summarizer 'no-such-command-here' did not start: No such file or directory"),
    ],
)
def test_command_that_fails_leaves_all_as_it_is(repo: Path, command: str, problem: str) -> None:
    path = talk(repo)
    before = path.read_bytes()
    done = frames("compact", "--summarizer", command, "--apply", cwd=repo, code=3)
    assert done.stderr.decode() == f"warning: {problem}; these turns and those behind them stay\n"
    assert path.read_bytes() == before


def test_summary_is_redacted_before_it_is_kept(repo: Path) -> None:
    path = talk(repo)
    key = "AKIA" + "ABCDEFGHIJKLMNOP"
    out("compact", "--summary", summaries(repo, f"## 2\nthe key is {key}\n"), "--apply", cwd=repo)
    assert key not in path.read_text()
    assert "[redacted:" in path.read_text()


def test_saved_summaries_are_read_again(repo: Path) -> None:
    talk(repo)
    out("compact", "--keep-recent", "0", "--summarizer", "echo 짧게", "--save", "saved.md", cwd=repo)
    assert (repo / "saved.md").read_text().startswith("## 2\n짧게\n\n## 4\n")
    told = out("compact", "--keep-recent", "0", "--summary", "saved.md", cwd=repo)
    assert told.count("  replace ") == 4


def test_agents_own_summary(repo: Path) -> None:
    session = Session(repo).user("please parse dates").agent("long story " * 60).user("and?").agent("more " * 60)
    session.user("This session is being continued: dates are parsed")
    session.records[-1]["isCompactSummary"] = True
    session.user("go on").agent("ok").save(repo / "s.jsonl")
    out("import", "s.jsonl", cwd=repo)
    told = out("compact", "--agent-summary", "--keep-recent", "1", "--apply", cwd=repo)
    assert told.split("\n")[1].startswith("  replace 2, 4: ")
    shown = out("context", cwd=repo)
    assert "dates are parsed" in shown
    assert "long story" not in shown
    assert words(file_of(repo)) == ["please parse dates", "and?", "go on"]

    path = file_of(repo)
    compacted = path.read_bytes()
    assert "unchanged" in out("import", "s.jsonl", cwd=repo)
    assert path.read_bytes() == compacted


def test_without_a_summary_of_the_agents_own(repo: Path) -> None:
    talk(repo)
    assert err("compact", "--agent-summary", cwd=repo, code=1).startswith(
        "error: the transcript holds no summary of the agent's own\n"
    )


def test_budget_that_is_missed_is_said(repo: Path) -> None:
    talk(repo)
    done = frames("compact", "--budget", "300", "--reserve", "20", cwd=repo, code=3)
    assert "target 280 (300 less 20)" in done.stdout.decode()
    assert "over the target" in done.stdout.decode()
    assert done.stderr.decode().endswith("hint: a smaller --keep-recent, or summaries for what stays\n")
    (told,) = json_lines("compact", "--budget", "300", "--reserve", "20", "--json", cwd=repo, code=3)
    assert told["over"] == told["after"] - 280

    done = frames("compact", "--budget", "5", cwd=repo, code=3)
    assert done.stderr.decode().startswith("your words alone cost ")
    assert done.stderr.decode().endswith(" over the target; none is cut\n")


def test_budget_that_is_met_already_needs_nothing(repo: Path) -> None:
    path = talk(repo)
    before = path.read_bytes()
    told = out("compact", "--budget", "100000", "--apply", cwd=repo)
    assert "not needed" in told
    assert told.endswith("\nnothing to do\n")
    assert path.read_bytes() == before


def test_pinned_turn_stays(repo: Path) -> None:
    talk(repo)
    out("pin", "2", cwd=repo)
    told = out("compact", cwd=repo)
    assert "  stays   2: pinned\n" in told
    assert told.split("\n")[1].startswith("  shorten 4: ")


def test_drop_leaves_the_agents_texts_out_for_good(repo: Path) -> None:
    path = talk(repo)
    text = held(path)["turns"][1]["text"] + " "
    session_words = words(path)
    assert err("compact", "--drop", "--apply", cwd=repo, code=2).startswith(
        "error: --drop needs a summary to stand for the texts\n"
    )
    before = path.read_bytes()
    file = summaries(repo, "## 4\nread and wrote\n")
    told = out("compact", "--summary", file, "--drop", "--apply", cwd=repo)
    assert told.endswith("; 1 text of the agent left out of the file for good\n")
    frame = held(path)
    assert frame["turns"][3]["text"].startswith("\n[… ")
    assert frame["turns"][1]["text"] + " " == text
    assert words(path) == session_words
    (elision,) = [one for one in frame["elided"] if "digest" in one]
    assert elision["where"] == f"turns/{frame['turns'][3]['id']}/text"
    assert err("compact", "--undo", cwd=repo, code=6) == (
        "error: the compaction left texts out of the file, it can't be undone\n"
        "hint: git log shows the commits that hold the file as it was\n"
    )

    dropped = path.read_bytes()
    assert len(dropped) < len(before) + 2000
    assert "unchanged" in out("import", "s.jsonl", cwd=repo)
    assert path.read_bytes() == dropped
    frames("validate", cwd=repo)


def test_archived_frame_is_compacted_where_it_lies(repo: Path) -> None:
    path = talk(repo)
    frame = held(path)
    out("archive", frame["id"], cwd=repo)
    archived = file_of(repo)
    before = archived.read_bytes()
    out("compact", frame["id"], "--apply", cwd=repo)
    assert "compacted" in archived.read_text()
    out("compact", "--undo", frame["id"], cwd=repo)
    assert archived.read_bytes() == before


def test_compaction_stays_when_the_session_is_read_again(repo: Path) -> None:
    path = talk(repo)
    out("compact", "--apply", cwd=repo)
    compacted = held(path)
    session = Session(repo)
    session.records = [json.loads(line) for line in (repo / "s.jsonl").read_text().split("\n") if line]
    session.user("one more").agent("yes").save(repo / "s.jsonl")
    out("import", "s.jsonl", cwd=repo)
    grown = held(path)
    assert grown["turns"][:8] == compacted["turns"]
    assert grown["compactions"] == compacted["compactions"]
    assert words(path)[-1] == "one more"


def test_active_frame_is_compacted_in_the_private_area(repo: Path) -> None:
    turns = [turn(1, role="user", text="질문"), turn(2, text="a long answer " * 30), turn(3, role="user", text="ok")]
    activate(repo, frame_of(turns))
    told = out("compact", "--summary", summaries(repo, "## 2\n짧게\n"), "--keep-recent", "0", "--apply", cwd=repo)
    assert told.split("\n")[1].startswith("  replace 2: ")
    assert "짧게" in out("context", cwd=repo)
    out("compact", "--undo", cwd=repo)
    assert "짧게" not in out("context", cwd=repo)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--summary", "x", "--summarizer", "y"), "give one of --summary, --summarizer and --agent-summary"),
        (("--summarizer-timeout", "3"), "--summarizer-timeout needs --summarizer"),
        (("--reserve", "3"), "--reserve needs a --budget that is at least as large"),
        (("--budget", "2", "--reserve", "3"), "--reserve needs a --budget that is at least as large"),
        (("--undo", "--apply"), "--undo stands alone"),
        (("--turns", "99"), "no such turn: '99'"),
        (("--summarizer", "'"), "--summarizer is no command line: No closing quotation"),
    ],
)
def test_wrong_command_lines(repo: Path, args: tuple[str, ...], message: str) -> None:
    talk(repo)
    assert err("compact", *args, cwd=repo, code=2).startswith(f"error: {message}\n")
