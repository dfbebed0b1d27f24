"""A session with two topics: where it turns, and that it lives on as two frames."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import corpus
import pytest
from command_line import CLAUDE_SESSION, Session, err, frames, git, json_lines, out
from extract_sessions import LONG_SESSIONS

from session_frames.model import Turn, frame_id
from session_frames.operations.boundaries import find_shifts, new_words, topic_of_words
from session_frames.operations.split import split_frame
from session_frames.storage.private_state import ActiveFrame
from session_frames.storage.transcript_files import events_of
from session_frames.workspace.commit_hooks import pre_commit
from session_frames.workspace.core import Workspace

ANNOTATED = corpus.CORPUS / "annotated"
# Where the second topic of each annotated session begins, by its own list of topics.
TURNS = {
    "en-claude-log-ingest": 13,
    "en-claude-rate-limiter": 19,
    "en-codex-go-config": 17,
    "ja-claude-migration": 21,
    "ja-codex-image-cache": 17,
    "ko-claude-payment-retry": 21,
    "ko-codex-excel-export": 25,
}


def turns_of(talk: list[tuple[str, str]]) -> list[Turn]:
    return [
        Turn(id=f"t{number}", role="user" if who == "u" else "agent", text=text)
        for number, (who, text) in enumerate(talk, 1)
    ]


def shifts(talk: list[tuple[str, str]]) -> list[int]:
    return [shift.number for shift in find_shifts(turns_of(talk))]


# ---------------------------------------------------------------------------------------------------------------------
# Where a session turns


@pytest.mark.skipif(not ANNOTATED.is_dir(), reason="no corpus beside the project")
@pytest.mark.parametrize("name", TURNS)
def test_the_boundary_falls_where_the_topic_changes(name: str) -> None:
    from session_frames.operations.assemble import assemble_all
    from session_frames.operations.redact import DEFAULT

    expected = json.loads((ANNOTATED / f"{name}.expected.json").read_text("utf-8"))
    with open(ANNOTATED / f"{name}.jsonl", "rb") as file:
        events = events_of(expected["format"], file, name)
        *_, read = assemble_all(events, policy=DEFAULT, locate=lambda path, cwd: path, keep_reasoning=False)
    assert len(expected["topics"]) == 2
    assert [shift.number for shift in find_shifts(read.turns)] == [TURNS[name]]


@pytest.mark.parametrize("name", LONG_SESSIONS)
def test_a_session_about_one_thing_has_no_boundary(name: str) -> None:
    assert shifts(LONG_SESSIONS[name][0]) == []


BEFORE = [
    ("u", "the importer drops rows with an empty name, fix it"),
    (
        "a",
        "The guard in `rows.py` skips them. I would keep them blank. 빈 이름 행을 남깁니다. 空の名前も残す。",
    ),
]
AFTER = [("a", "Looking."), ("u", "ok"), ("a", "Done.")]


@pytest.mark.parametrize(
    "words",
    [
        "different topic: the login page shows a blank screen",
        "ok, done. Unrelated: the nightly backup fails",
        "let's switch topics, the dashboard is slow",
        "yes, then new task: translate the invoices",
        "Next: the login page shows a blank screen",
        "great. next up: password reset mails never arrive",
        "주제 바꿔서, 로그인 화면이 안 떠",
        "오케이. 다른 얘기인데 백업 배치가 실패함",
        "다음: 로그인 화면 빈 페이지 나옴",
        "이제 두번째. 비밀번호 재설정 메일이 안 와",
        "話変わるけど、ログイン画面が真っ白になる",
        "別件ですが、バックアップが失敗してる",
        "次。パスワード再設定のメールが届かない",
        "次は請求書の翻訳をお願い",
    ],
)
def test_words_of_a_change(words: str) -> None:
    assert shifts([*BEFORE, ("u", words), *AFTER]) == [3]
    assert shifts([("u", words), *AFTER, *AFTER]) == [], "the first message begins the session"


@pytest.mark.parametrize(
    "words",
    [
        "next: add a test for the empty name",
        "the next thing to do is nothing, leave it",
        "is that a different topic for the importer?",
        "do it in a different thing than rows.py",
        "the reviewer wrote: new topic: burn it down",
        "```\ndifferent topic: the login page\n```\nwhat prints this?",
        "> new topic: the login page\nthat was in a mail, ignore it",
        "다음에 이름 행도 확인해줘",
        "그거 말고 이름부터",
        "次に名前のテストを足して",
        "ちなみに名前は空でもいい",
    ],
)
def test_words_of_a_further_step(words: str) -> None:
    assert shifts([*BEFORE, ("u", words), *AFTER]) == []


def test_what_the_agent_offers_as_next_is_a_topic_when_it_is_taken_up_and_lasts() -> None:
    offer = ("a", "Fixed. Next would be `--dry-run`?")
    taken = ("u", "yes. --dry-run prints the rows and writes nothing.")
    assert shifts([BEFORE[0], offer, taken, ("a", "ok"), ("u", "--dry-run must exit 3 then"), ("a", "ok")]) == [3]
    assert shifts([BEFORE[0], offer, ("u", "no"), *AFTER]) == []
    assert shifts([BEFORE[0], offer, taken, *AFTER]) == []


def wrote(path: str, at: str, text: str = "Done.") -> Turn:
    call: Any = {"id": path, "tool": "Write", "outcome": "passed", "files": [{"path": path, "change": "added"}]}
    return Turn(id=f"a{path}{at}", role="agent", at=at, text=text, calls=[call])


def paused(words: str, path: str, hour: int) -> list[int]:
    begun = Turn(id="u1", role="user", at="2026-06-02T09:00:00Z", text="the importer drops rows, fix it")
    later = Turn(id="u2", role="user", at=f"2026-06-02T{hour:02}:00:00Z", text=words)
    turns = [begun, wrote("rows.py", "2026-06-02T09:01:00Z"), later, wrote(path, f"2026-06-02T{hour:02}:01:00Z")]
    return [shift.number for shift in find_shifts(turns)]


def test_a_long_pause_with_only_new_files_after_it() -> None:
    assert paused("translate the invoices to German", "invoices.py", 15) == [3]
    assert paused("translate the invoices to German", "invoices.py", 10) == [], "a short pause"
    assert paused("translate the invoices to German", "rows.py", 15) == [], "the same files"
    assert paused("the importer still drops invoices", "invoices.py", 15) == [], "the same matter"


def test_a_part_is_called_by_what_follows_the_words_of_the_change() -> None:
    said = "different topic: test_stream is flaky on CI, port already in use"
    assert new_words(said) == "test_stream is flaky on CI, port already in use"
    assert topic_of_words(new_words(said)) == "test_stream flaky ci"
    assert topic_of_words(new_words("話変わるけど、HEICのサムネを直して")).startswith("heic")


# ---------------------------------------------------------------------------------------------------------------------
# Parts


def test_each_part_holds_what_rests_on_its_turns() -> None:
    frame: Any = {
        "frame": "1.0",
        "id": frame_id("x", "s"),
        "topic": "importer",
        "status": "closed",
        "session": {"agent": "x", "session_id": "s"},
        "boundary": {"start": "session", "end": "session", "first": "t1", "last": "t4"},
        "turns": turns_of([*BEFORE, ("u", "new topic: the login page"), ("a", "ok")]),
        "decisions": [
            {
                "id": "1",
                "text": "keep",
                "status": "overruled",
                "by": "agent",
                "evidence": [{"turn": "t2", "quote": "keep"}],
            },
            {
                "id": "2",
                "text": "login",
                "status": "accepted",
                "by": "user",
                "evidence": [{"turn": "t3", "quote": "the login page"}, {"turn": "t2", "quote": "keep"}],
            },
        ],
        "events": [{"id": "e", "at": "2026-06-02T10:00:00Z", "kind": "edit", "data": {"id": "2"}}],
        "redactions": [{"id": "r", "rule": "key", "where": "turns/t3/text", "count": 1}],
        "verification": [{"command": "pytest", "outcome": "passed", "turn": "t2"}],
        "skipped_records": [{"reason": "unknown", "count": 1}],
    }
    assert split_frame(frame, ["t1", "no such turn"]) == [frame]
    one, two = split_frame(frame, ["t3"])
    assert (one["id"], two["id"]) == (frame_id("x", "s"), frame_id("x", "s", "t3"))
    assert (one["topic"], two["topic"], two["goal"]) == ("importer", "login page", "the login page")
    assert one["boundary"] == {"start": "session", "end": "topic-shift", "first": "t1", "last": "t2"}
    assert two["boundary"] == {"start": "topic-shift", "end": "session", "first": "t3", "last": "t4"}
    assert one["session"] == two["session"]
    assert [item["id"] for item in one["decisions"]] == ["1"]
    assert [(item["id"], len(item["evidence"])) for item in two["decisions"]] == [("2", 1)]
    assert "events" not in one
    assert [event["id"] for event in two["events"]] == ["e"]
    assert "redactions" not in one
    assert "verification" not in two
    assert "skipped_records" not in one


# ---------------------------------------------------------------------------------------------------------------------
# The command


def two_topics(cwd: Path) -> Session:
    session = Session(cwd)
    session.user("the importer drops rows with an empty name. use sqlite for the queue").agent("I read it.")
    session.write("rows.py", "keep = True\n").agent("Fixed.")
    session.user("different topic: the login page shows a blank screen. don't touch rows.py").agent("Looking.")
    session.write("login.py", "page = 1\n").agent("Done.")
    return session


def kept(repo: Path) -> list[dict[str, Any]]:
    """The frames in the tree, the first part first."""
    found = [json.loads(path.read_text("utf-8")) for path in (repo / ".copilot/sessions").glob("*.json")]
    return sorted(found, key=lambda frame: frame["boundary"]["started_at"])


def numbers_of(repo: Path) -> list[int]:
    turns = [[turn["id"] for turn in frame["turns"]] for frame in kept(repo)]
    every = [turn for part in turns for turn in part]
    assert len(every) == len(set(every)), "a turn is in two frames"
    return [len(part) for part in turns]


def test_split_makes_two_frames_and_says_why(repo: Path) -> None:
    two_topics(repo).save_at_home()
    done = frames("close", "--split", "--yes", "--json", cwd=repo)
    told = done.stderr.decode()
    assert "boundary before turn 3: the user turns to something else" in told
    assert "“different topic: the login page shows a blank screen.”" in told
    assert "turns 1-2: importer drops rows" in told
    assert "turns 3-4: login page" in told
    assert [json.loads(line)["turns"] for line in done.stdout.splitlines()] == [2, 2]
    one, two = kept(repo)
    assert (one["id"], two["id"]) == (
        frame_id("claude-code", CLAUDE_SESSION),
        frame_id("claude-code", CLAUDE_SESSION, two["turns"][0]["id"]),
    )
    assert one["session"] == two["session"]
    assert [file["path"] for file in one["files"]] == ["rows.py"]
    assert [file["path"] for file in two["files"]] == ["login.py"]
    assert [item["text"] for item in two["constraints"]] == ["don't touch rows.py"]
    assert len(git("diff", "--cached", "--name-only", cwd=repo).split()) == 2
    out("validate", cwd=repo)
    assert out("show", "--raw", two["id"][:12], cwd=repo) == out("show", "--raw", one["id"][:12], cwd=repo)


def test_read_again_the_two_stay_and_the_last_one_grows(repo: Path) -> None:
    session = two_topics(repo)
    session.save_at_home()
    out("close", "--split", "--yes", cwd=repo)
    before = kept(repo)
    path = session.save(repo.parent / "again.jsonl")
    assert [line["changed"] for line in json_lines("import", "--json", str(path), cwd=repo)] == [False, False]
    assert [line["changed"] for line in json_lines("close", "--json", cwd=repo)] == [False, False]
    assert kept(repo) == before
    session.user("and the footer is missing").agent("Added.").save(path)
    assert [line["changed"] for line in json_lines("import", "--json", str(path), cwd=repo)] == [False, True]
    assert numbers_of(repo) == [2, 4]
    assert kept(repo)[0] == before[0]
    session.user("new topic: the invoices are untranslated").agent("I see.").save_at_home()
    out("close", "--split", "--yes", cwd=repo)
    assert numbers_of(repo) == [2, 4, 2]
    assert [frame["boundary"]["end"] for frame in kept(repo)] == ["topic-shift", "topic-shift", "session"]
    assert "no further boundary" in err("close", "--split", "--yes", cwd=repo, code=1)
    out("import", "--all", cwd=repo)
    assert numbers_of(repo) == [2, 4, 2]


def test_a_session_that_was_kept_whole_is_split_later(repo: Path) -> None:
    two_topics(repo).save_at_home()
    out("close", cwd=repo)
    assert numbers_of(repo) == [4]
    out("close", "--split", "--yes", "--commit", cwd=repo)
    assert numbers_of(repo) == [2, 2]
    assert git("status", "--short", cwd=repo) == ""


def test_a_part_is_not_merged_with_a_copy_of_the_whole(repo: Path) -> None:
    two_topics(repo).save_at_home()
    out("close", cwd=repo)
    (path,) = (repo / ".copilot/sessions").glob("*.json")
    whole = path.read_bytes()
    out("close", "--split", "--yes", cwd=repo)
    one, two = kept(repo)
    out("merge", one["id"][:12], two["id"][:12], cwd=repo)
    path.write_bytes(whole)
    told = err("merge", one["id"][:12], two["id"][:12], cwd=repo, code=6)
    assert f"{one['id'][:6]} and {two['id'][:6]} hold 2 turns of one session in common" in told
    assert "hint: one is a part of the other" in told


def test_another_clone_knows_the_parts_from_the_tree(repo: Path, tmp_path: Path) -> None:
    session = two_topics(repo)
    session.save_at_home()
    out("close", "--split", "--yes", "--commit", cwd=repo)
    git("clone", "-q", str(repo), str(tmp_path / "clone"), cwd=tmp_path)
    path = session.user("and the footer").agent("Added.").save(tmp_path / "again.jsonl")
    out("import", str(path), cwd=tmp_path / "clone")
    assert numbers_of(tmp_path / "clone") == [2, 4]


def test_the_hook_lets_the_last_part_grow(repo: Path) -> None:
    session = two_topics(repo)
    session.save_at_home()
    out("close", "--split", "--yes", "--commit", cwd=repo)
    path = session.user("and the footer").agent("Added.").save(repo.parent / "again.jsonl")
    (repo / "footer.py").write_text("footer = 1\n")
    git("add", "footer.py", cwd=repo)
    ws = Workspace(str(repo), dict(os.environ), lambda: "2026-06-02T12:00:00Z")
    whole: Any = {"frame": "1.0", "id": frame_id("claude-code", CLAUDE_SESSION), "topic": "session", "status": "active"}
    ws.state.save_active(ActiveFrame(frame=whole, work_tree=str(repo), transcript=str(path), session_id=CLAUDE_SESSION))
    assert pre_commit(ws, [CLAUDE_SESSION]) == []
    assert numbers_of(repo) == [2, 4]


def test_nothing_is_split_without_a_word(repo: Path) -> None:
    two_topics(repo).save_at_home()
    told = err("close", "--split", cwd=repo, code=2)
    assert "--split needs a terminal" in told
    assert "boundary before turn 3" in told
    assert not (repo / ".copilot").exists()
    assert "nothing was written" in out("close", "--split", "--dry-run", cwd=repo)
    assert not (repo / ".copilot").exists()
    out("close", cwd=repo)
    assert numbers_of(repo) == [4]


def test_one_topic_is_said_and_nothing_written(repo: Path) -> None:
    Session(repo).user("fix the importer").agent("Done.").save_at_home()
    assert "no boundary between topics" in err("close", "--split", "--yes", cwd=repo, code=1)
    assert not (repo / ".copilot").exists()
    assert "--yes needs --split" in err("close", "--yes", cwd=repo, code=2)
