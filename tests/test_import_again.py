"""Reading the same session again, in whatever state: one frame, nothing lost, nothing doubled (fault case A28)."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from command_line import CLAUDE_SESSION, Session, frames, git, json_lines, out


def _frame_file(repo: Path) -> Path:
    (path,) = (repo / ".copilot/sessions").iterdir()
    return path


def _session(repo: Path, turns: int) -> Session:
    session = Session(repo)
    for at in range(1, turns + 1):
        if at % 2:
            session.user(f"please do part {at} of the parser")
        else:
            session.agent(f"part {at - 1} is done")
    return session


def test_again_grown_truncated_and_copied(repo: Path) -> None:
    _session(repo, 4).save(repo / "s.jsonl")
    out("close", "--transcript", "s.jsonl", cwd=repo)
    path = _frame_file(repo)
    git("commit", "-q", "-m", "frame", cwd=repo)

    frame = json.loads(path.read_text())
    frame["turns"][1]["pinned"] = True
    frame["turns"][2]["annotation"] = "key-constraint"
    frame["turns"][2]["note"] = "메모"
    path.write_text(json.dumps(frame))
    out("import", "s.jsonl", cwd=repo)
    pinned = path.read_bytes()
    assert json.loads(pinned)["turns"] == frame["turns"]

    assert "unchanged" in out("import", "s.jsonl", cwd=repo)
    assert path.read_bytes() == pinned

    _session(repo, 6).save(repo / "s.jsonl")
    out("import", "s.jsonl", cwd=repo)
    grown = json.loads(path.read_text())
    assert [turn["text"] for turn in grown["turns"]][4:] == ["please do part 5 of the parser", "part 5 is done"]
    assert grown["turns"][:4] == frame["turns"]
    assert _frame_file(repo) == path

    whole = path.read_bytes()
    _session(repo, 2).save(repo / "s.jsonl")
    done = frames("import", "s.jsonl", cwd=repo)
    assert done.stderr.decode() == "warning: 's.jsonl' does not hold 4 turns of the frame any more; they stay\n"
    assert path.read_bytes() == whole

    _session(repo, 6).save(repo / "copy under another name.jsonl")
    out("import", "copy under another name.jsonl", cwd=repo)
    assert path.read_bytes() == whole
    assert _frame_file(repo) == path


def test_closing_again_without_news_changes_nothing_even_at_another_commit(repo: Path) -> None:
    _session(repo, 4).save_at_home()
    out("close", cwd=repo)
    git("commit", "-q", "-m", "frame", cwd=repo)
    (repo / "a").write_text("a\n")
    git("add", "a", cwd=repo)
    git("commit", "-q", "-m", "a", cwd=repo)
    assert "unchanged" in out("close", cwd=repo)
    assert git("status", "--porcelain", cwd=repo) == ""


def test_a_later_topic_changes_the_field_and_not_the_name(repo: Path) -> None:
    _session(repo, 2).save(repo / "s.jsonl")
    out("close", "--transcript", "s.jsonl", "--topic", "parser", cwd=repo)
    path = _frame_file(repo)
    out("close", "--transcript", "s.jsonl", "--topic", "구문 분석기", cwd=repo)
    assert _frame_file(repo) == path
    assert json.loads(path.read_text())["topic"] == "구문 분석기"
    out("import", "s.jsonl", cwd=repo)
    assert json.loads(path.read_text())["topic"] == "구문 분석기"


def test_two_machines_make_the_same_frame(repo: Path, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere"
    git("init", "-q", str(other), cwd=tmp_path)
    for place in (repo, other):
        _session("/home/ann/work/parser", 4).save(place / "s.jsonl")
        out("import", "s.jsonl", cwd=place)
    assert _frame_file(repo).name == _frame_file(other).name
    assert _frame_file(repo).read_bytes() == _frame_file(other).read_bytes()


def test_the_newest_session_of_this_repository_and_of_no_other(repo: Path, tmp_path: Path) -> None:
    """Fault case A04: the folder's name is the same for both repositories."""
    other = tmp_path / "re-po"
    git("init", "-q", str(other), cwd=tmp_path)
    folder = Path(os.environ["HOME"]) / ".claude/projects/shared-by-both"
    mine = Session(repo, "a1" * 4 + "-0000-4000-8000-000000000001").user("mine, the older one").agent("ok")
    theirs = Session(other, "b2" * 4 + "-0000-4000-8000-000000000002").user("theirs: hunter2hunter2").agent("ok")
    os.utime(mine.save(folder / "mine.jsonl"), (1_000_000, 1_000_000))
    os.utime(theirs.save(folder / "theirs.jsonl"), (2_000_000, 2_000_000))
    out("close", cwd=repo)
    (frame,) = json_lines("show", "--json", cwd=repo)
    assert frame["turns"][0]["text"] == "mine, the older one"
    assert "theirs" not in out("list", cwd=repo)
    assert b"theirs" not in b"".join(path.read_bytes() for path in (repo / ".copilot").rglob("*.json"))

    homeless = [{**record, "cwd": ""} for record in mine.records]
    for path in folder.iterdir():
        path.unlink()
    (folder / "homeless.jsonl").write_text("".join(json.dumps(record) + "\n" for record in homeless))
    done = frames("close", cwd=repo, code=2)
    assert str(folder / "homeless.jsonl") in done.stderr.decode()


def test_a_session_of_a_linked_work_tree_and_of_a_subfolder(repo: Path, tmp_path: Path) -> None:
    (repo / "a").write_text("a\n")
    git("add", "a", cwd=repo)
    git("commit", "-q", "-m", "a", cwd=repo)
    git("worktree", "add", "-q", str(tmp_path / "wt"), "-b", "side", cwd=repo)
    (tmp_path / "wt/sub").mkdir()
    Session(tmp_path / "wt/sub").user("work in the linked tree").agent("ok").save_at_home()
    out("close", cwd=tmp_path / "wt")
    assert git("status", "--porcelain", cwd=repo) == ""
    assert git("status", "--porcelain", cwd=tmp_path / "wt").startswith("A  .copilot/sessions/")
    assert [entry["path"] for entry in json_lines("list", "--json", cwd=repo)] == [""]


def test_a_nested_repository_is_another_one(repo: Path) -> None:
    nested = repo / "vendor/lib"
    git("init", "-q", str(nested), cwd=repo)
    Session(nested).user("work in the nested one").agent("ok").save_at_home()
    assert "no session of this repository was found" in frames("close", cwd=repo, code=1).stderr.decode()
    out("close", cwd=nested)


def test_paths_are_those_of_the_repository_wherever_it_was_recorded(repo: Path) -> None:
    session = (
        Session("/home/ann/parser").user("write it").write("src/한글 모듈.py", "def parse_everything():\n    pass\n")
    )
    session.call("Read", {"file_path": "/etc/hosts"}, "127.0.0.1").agent("done")
    session.save(repo / "s.jsonl")
    out("import", "s.jsonl", cwd=repo)
    (frame,) = json_lines("show", "--json", cwd=repo)
    assert [(file["path"], file["change"]) for file in frame["files"]] == [("src/한글 모듈.py", "added")]
    assert frame["elided"] == [{"reason": "path outside the repository", "count": 1}]
    assert "/home/ann" not in _frame_file(repo).read_text()
    wrote = frame["turns"][1]["calls"][0]["wrote"]
    assert list(wrote) == ["src/한글 모듈.py"]
    assert [len(run) for run in wrote["src/한글 모듈.py"]] == [12]


def test_start_gives_topic_goal_and_base_to_the_session_that_is_closed(repo: Path) -> None:
    (repo / "a").write_text("a\n")
    git("add", "a", cwd=repo)
    git("commit", "-q", "-m", "a", cwd=repo)
    base = git("rev-parse", "HEAD", cwd=repo).strip()
    out("start", "auth", "--goal", "log in with a key", cwd=repo)
    assert "active" in out("status", cwd=repo)
    assert json_lines("list", "--active", "--json", cwd=repo)[0]["topic"] == "auth"
    assert frames("start", "again", cwd=repo, code=2).stderr.startswith(b"error: a frame is already open")
    assert "gave up auth" in out("start", "--cancel", cwd=repo)
    out("start", "auth", "--goal", "log in with a key", cwd=repo)
    _session(repo, 2).save_at_home()
    # That session ended before the frame was opened.
    assert b"no session went on since the frame 'auth' was opened" in frames("close", cwd=repo, code=1).stderr
    assert "active" in out("status", cwd=repo)
    session = _session(repo, 2)
    for record in session.records:
        record["timestamp"] = record["timestamp"].replace("2026-", "2099-")
    session.save_at_home()
    (repo / "b").write_text("b\n")
    git("add", "b", cwd=repo)
    git("commit", "-q", "-m", "b", cwd=repo)
    out("close", cwd=repo)
    (frame,) = json_lines("show", "--json", cwd=repo)
    assert frame["topic"] == "auth"
    assert frame["goal"] == "log in with a key"
    assert frame["git"]["base"] == base
    assert frame["git"]["head"] == git("rev-parse", "HEAD", cwd=repo).strip()
    assert "active" not in out("status", cwd=repo).split("\n", 1)[1]


def test_dry_run_writes_nothing_and_shows_what_would_be_redacted(repo: Path) -> None:
    key = "sk-ant-" + "api03-" + "Zq8" * 31 + "AA"
    Session(repo).user(f"the key is {key}").agent("ok").save(repo / "s.jsonl")
    shown = out("close", "--dry-run", "--transcript", "s.jsonl", cwd=repo)
    assert "redacted: 1 x " in shown
    assert key not in shown
    assert not (repo / ".copilot").exists()
    assert not list((repo / ".git/frames").glob("closed/*"))


def test_exports_come_back(repo: Path, tmp_path: Path) -> None:
    session = _session(repo, 2).write("src/a.py", "x = compute_something()\n").bash("pytest -q", "1 passed in 0.1s")
    session.user("좋아, 그걸로 가자 — ``` 그리고 \ud83d").agent("## API contract\n\nGET /x\n\n## Other\n\nno")
    text = session.text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    (repo / "s.jsonl").write_text(text)
    out("close", "--transcript", "s.jsonl", "--topic", "왕복", cwd=repo)
    path = _frame_file(repo)
    original = path.read_bytes()
    for form in ("json", "yaml", "md"):
        target = tmp_path / f"exported.{form}"
        out("export", "왕복", "--format", form, "-o", str(target), cwd=repo)
        fresh = tmp_path / f"fresh-{form}"
        git("init", "-q", str(fresh), cwd=tmp_path)
        out("import", str(target), cwd=fresh)
        if form != "md":
            assert _frame_file(fresh).read_bytes() == original
        else:
            back, was = json.loads(_frame_file(fresh).read_text()), json.loads(original)
            assert back["id"] == was["id"]
            assert back["topic"] == "왕복"
            assert [t.get("text") for t in back["turns"]] == [t.get("text") for t in was["turns"]]
            assert [d["text"] for d in back.get("decisions", [])] == [d["text"] for d in was.get("decisions", [])]
            assert [f["path"] for f in back["files"]] == [f["path"] for f in was["files"]]


def test_parts_of_a_frame_come_into_another(repo: Path, tmp_path: Path) -> None:
    backend = Session(repo, "aa" * 4 + "-0000-4000-8000-000000000001").user("design the API")
    backend.agent("# Notes\n\n## API contract\n\nGET /orders\n\n### Errors\n\n404\n\n## Later\n\nx").save(
        tmp_path / "b.jsonl"
    )
    front = Session(repo, "bb" * 4 + "-0000-4000-8000-000000000002").user("build the page").agent("ok")
    front.save(tmp_path / "f.jsonl")
    out("import", str(tmp_path / "f.jsonl"), "--topic", "front", cwd=repo)
    out("import", str(tmp_path / "b.jsonl"), "--into", "front", "--only", "heading:api contract", cwd=repo)
    (frame,) = json_lines("show", "front", "--json", cwd=repo)
    assert frame["turns"][-1]["role"] == "system"
    assert frame["turns"][-1]["text"] == "## API contract\n\nGET /orders\n\n### Errors\n\n404"
    assert [origin["topic"] for origin in frame["merged_from"]]
    again = out("import", str(tmp_path / "b.jsonl"), "--into", "front", "--only", "heading:api contract", cwd=repo)
    assert "nothing new" in again
    assert frames("import", str(tmp_path / "b.jsonl"), "--into", "front", "--only", "nope", cwd=repo, code=2)


def _database(*sessions: tuple[str, str, str]) -> bytes:
    """An OpenCode database: (session id, directory, what the person said)."""
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(
            "CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, directory TEXT, title TEXT,"
            " version TEXT, revert TEXT, time_created INTEGER, time_updated INTEGER);"
            "CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER,"
            " data TEXT);"
            "CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER,"
            " time_updated INTEGER, data TEXT);"
        )
        for at, (session, directory, said) in enumerate(sessions):
            facts = (session, "p", None, directory, "T", "1.3", None, 1_780_000_000_000 + at, 1_780_000_000_000 + at)
            database.execute("INSERT INTO session VALUES (?,?,?,?,?,?,?,?,?)", facts)
            info = json.dumps({"role": "user", "time": {"created": 1_780_000_000_000}})
            database.execute("INSERT INTO message VALUES (?,?,?,?,?)", (f"m{at}", session, 0, 0, info))
            part = json.dumps({"type": "text", "text": said})
            database.execute("INSERT INTO part VALUES (?,?,?,?,?,?)", (f"p{at}", f"m{at}", session, 0, 0, part))
        database.commit()
        return database.serialize()


def test_of_a_database_of_many_projects_only_the_sessions_of_this_one(repo: Path) -> None:
    home = Path(os.environ["XDG_DATA_HOME"]) / "opencode"
    home.mkdir(parents=True)
    (home / "opencode.db").write_bytes(
        _database(
            ("ses_1", str(repo), "ours, the older"),
            ("ses_2", str(repo / "sub"), "ours, the newer"),
            ("ses_3", "/home/dev/other", "somebody else's"),
        )
    )
    out("close", cwd=repo)
    (frame,) = json_lines("show", "--json", cwd=repo)
    assert [turn["text"] for turn in frame["turns"]] == ["ours, the newer"]
    out("import", str(home / "opencode.db"), cwd=repo)
    assert sorted(entry["session_id"] for entry in json_lines("list", "--json", cwd=repo)) == ["ses_1", "ses_2"]
    assert b"somebody" not in b"".join(path.read_bytes() for path in repo.rglob("*") if path.is_file())


def test_a_session_that_repeats_another_is_linked_to_it(repo: Path) -> None:
    """Resumed under another id the agent copied the whole history (fault cases A29 to A33)."""
    old = _session(repo, 4)
    old.save(repo / "old.jsonl")
    out("import", "old.jsonl", cwd=repo)
    copied = _session(repo, 6)
    copied.save(repo / "new.jsonl")
    other = "99999999-0000-4000-8000-00000000c0de"
    (repo / "new.jsonl").write_text(copied.text.replace(copied.session_id, other))
    out("import", "new.jsonl", cwd=repo)
    frames_by_id = {entry["session_id"]: entry for entry in json_lines("list", "--json", cwd=repo)}
    assert set(frames_by_id) == {old.session_id, other}
    (child,) = json_lines("show", frames_by_id[other]["id"], "--json", cwd=repo)
    assert child["session"]["parent"] == old.session_id
    again = (repo / frames_by_id[other]["path"]).read_bytes()
    out("import", "new.jsonl", "old.jsonl", cwd=repo)
    assert (repo / frames_by_id[other]["path"]).read_bytes() == again
    copied.user("and more")
    (repo / "new.jsonl").write_text(copied.text.replace(copied.session_id, other))
    out("import", "new.jsonl", cwd=repo)
    (grown,) = json_lines("show", frames_by_id[other]["id"], "--json", cwd=repo)
    assert grown["session"]["parent"] == old.session_id
    (parent,) = json_lines("show", frames_by_id[old.session_id]["id"], "--json", cwd=repo)
    assert "parent" not in parent["session"]


def test_what_a_person_changed_in_the_file_stays(repo: Path) -> None:
    session = _session(repo, 2).user("use SQLite. don't touch api.py").agent("ok").user("should we log misses?")
    session.agent("yes, let's do that").save_at_home()
    out("close", cwd=repo)
    path = _frame_file(repo)
    frame = json.loads(path.read_text())
    assert frame["constraints"][0]["status"] == "accepted"
    frame["constraints"][0]["status"] = "overruled"
    frame["constraints"].append({"id": "0" * 8, "text": "keep it small", "status": "accepted", "by": "user"})
    kinds = [key for key in ("decisions", "open_questions", "next_steps") if frame.get(key)]
    assert kinds
    removed = frame[kinds[0]].pop(0)
    path.write_text(json.dumps(frame))
    changed = {key: frame.get(key, []) for key in ("constraints", *kinds)}
    for turns in (session, session.user("and the docs").agent("done")):
        turns.save_at_home()
        out("close", cwd=repo)
        again = json.loads(path.read_text())
        assert {key: again.get(key, []) for key in changed} == changed
        assert removed["id"] not in [item["id"] for item in again.get(kinds[0], [])]
    # A clone has no copy of what was written here.
    for copy in (repo / ".git/frames/closed").iterdir():
        copy.unlink()
    session.user("thanks").save_at_home()
    out("close", cwd=repo)
    again = json.loads(path.read_text())
    assert again["constraints"] == changed["constraints"]
    assert len(again["turns"]) == len(session.records)


def test_a_file_that_cannot_be_read_gets_no_second_one(repo: Path) -> None:
    _session(repo, 2).save_at_home()
    out("close", cwd=repo)
    path = _frame_file(repo)
    for damage in ('{"frame": "2.0"', '[{"frame"'):
        path.write_text(path.read_text().replace('{\n  "frame": "1.0"', damage, 1))
        before = path.read_bytes()
        for verb in (["close"], ["show"], ["resume"], ["archive", json.loads(json.dumps(path.name))[-17:-11]]):
            done = frames(*verb, cwd=repo, code=4)
            assert path.name.encode() in done.stderr
        assert _frame_file(repo) == path
        assert path.read_bytes() == before
        path.write_text(path.read_text().replace(damage, '{\n  "frame": "1.0"', 1))


def test_a_locked_index_moves_nothing(repo: Path) -> None:
    _session(repo, 2).save_at_home()
    out("close", "--topic", "tea", cwd=repo)
    git("commit", "-q", "-m", "frame", cwd=repo)
    (repo / ".git/index.lock").touch()
    done = frames("archive", "tea", cwd=repo, code=5)
    assert b"hint: another git is at work here" in done.stderr
    (repo / ".git/index.lock").unlink()
    assert git("status", "--porcelain", cwd=repo) == ""
    out("archive", "tea", cwd=repo)
    assert git("status", "--porcelain", cwd=repo).startswith("R ")
    assert "is there already" in out("archive", "tea", cwd=repo)


def test_closes_at_the_same_time_all_commit(repo: Path, tmp_path: Path) -> None:
    import subprocess
    import sys

    for number in range(4):
        session = Session(repo, f"{number}" * 8 + "-0000-4000-8000-00000000c0de").user(f"part {number}").agent("ok")
        session.save(tmp_path / f"{number}.jsonl")
    command = [sys.executable, "-m", "session_frames", "close", "--commit", "--transcript"]
    running = [subprocess.Popen([*command, str(tmp_path / f"{number}.jsonl")], cwd=repo) for number in range(4)]
    assert [process.wait(60) for process in running] == [0] * 4
    assert git("status", "--porcelain", cwd=repo) == ""
    assert git("rev-list", "--count", "HEAD", cwd=repo).strip() == "4"


def test_a_parent_that_is_not_there_is_told_and_loses_nothing(repo: Path) -> None:
    """Fault case A25."""
    session = _session(repo, 3)
    session.records[2]["parentUuid"] = "00000000-0000-4000-8000-00000000dead"
    session.save(repo / "s.jsonl")
    done = frames("import", "s.jsonl", cwd=repo)
    assert done.stderr.decode() == "warning: 1 missing parent in 's.jsonl': what came before is not in the file\n"
    (frame,) = json_lines("show", "--json", cwd=repo)
    assert len(frame["turns"]) == len(session.records)
    assert frame["skipped_records"] == [{"reason": "missing parent", "count": 1, "lines": [3]}]
    assert "1 x missing parent (lines 3)" in out("show", cwd=repo)


def _session_with_items(repo: Path) -> Session:
    session = Session(repo).user("Fix the parser. No new dependencies.").agent("Done.")
    return session.user("Should we cache 결과? Let's use msgspec.").agent("It uses msgspec now.")


def test_an_emptied_title_and_goal_stay_empty(repo: Path) -> None:
    _session_with_items(repo).save(repo / "s.jsonl")
    out("close", "--transcript", "s.jsonl", cwd=repo)
    (frame,) = json_lines("show", "--json", cwd=repo)
    assert {"title", "goal"} <= set(frame)
    out("edit", frame["id"], "--title", "", "--goal", "", cwd=repo)
    for verb in (("import", "s.jsonl"), ("close", "--transcript", "s.jsonl")):
        out(*verb, cwd=repo)
        (frame,) = json_lines("show", "--json", cwd=repo)
        assert not {"title", "goal"} & set(frame)

    out("edit", frame["id"], "--title", "", "--goal", "열쇠로 로그인", cwd=repo)
    out("import", "s.jsonl", cwd=repo)
    (frame,) = json_lines("show", "--json", cwd=repo)
    assert ("title" in frame, frame["goal"]) == (False, "열쇠로 로그인")


@pytest.mark.parametrize("inside", [{}, {"CLAUDE_CODE_SESSION_ID": CLAUDE_SESSION}], ids=["in a shell", "by its agent"])
@pytest.mark.parametrize("known", [False, True], ids=["first", "closed before"])
def test_topic_and_goal_of_start_reach_the_session(repo: Path, known: bool, inside: dict[str, str]) -> None:
    _session(repo, 2).save(repo / "s.jsonl")
    if known:
        out("close", "--transcript", "s.jsonl", cwd=repo)
    out("start", "구문 분석기", "--goal", "parse all of it", cwd=repo, **inside)
    out("close", "--transcript", "s.jsonl", cwd=repo)
    (frame,) = json_lines("show", "--json", cwd=repo)
    assert (frame["topic"], frame["goal"]) == ("구문 분석기", "parse all of it")
    assert "active" not in out("status", cwd=repo)
    out("import", "s.jsonl", cwd=repo)
    assert json_lines("show", "--json", cwd=repo) == [frame]


def test_a_goal_given_when_closing_again_is_taken(repo: Path) -> None:
    _session(repo, 2).save(repo / "s.jsonl")
    out("close", "--transcript", "s.jsonl", cwd=repo)
    out("close", "--transcript", "s.jsonl", "--goal", "all parts", cwd=repo)
    assert json_lines("show", "--json", cwd=repo)[0]["goal"] == "all parts"


def test_giving_up_an_opened_frame_lists_what_was_noted_on_it(repo: Path) -> None:
    def opened() -> str:
        name: str = json_lines("start", "auth", "--json", cwd=repo)[0]["id"]
        out("decide", "-f", name, "키는 정수로", cwd=repo)
        out("decide", "-f", name, "sessions last a day", cwd=repo)
        out("ask", "-f", name, "which clock?", cwd=repo)
        return name

    name = opened()
    assert out("start", "--cancel", cwd=repo) == (
        f"gave up auth  {name[:12]}\n"
        "  2 decisions noted on it, not kept:\n    키는 정수로\n    sessions last a day\n"
        "  1 question noted on it, not kept:\n    which clock?\n"
    )
    name = opened()
    (told,) = json_lines("start", "--cancel", "--json", cwd=repo)
    assert told["id"] == name
    assert [one["text"] for one in told["decisions"]] == ["키는 정수로", "sessions last a day"]
    assert [one["text"] for one in told["open_questions"]] == ["which clock?"]


@pytest.mark.parametrize("with_copy", [True, False], ids=["written here", "cloned"])
def test_words_changed_in_the_file_come_back_and_nothing_else_changes(repo: Path, with_copy: bool) -> None:
    (repo / "a").write_text("a\n")
    git("add", "a", cwd=repo)
    git("commit", "-q", "-m", "a", cwd=repo)
    _session_with_items(repo).save(repo / "s.jsonl")
    out("close", "--transcript", "s.jsonl", cwd=repo)
    path = _frame_file(repo)
    whole = path.read_bytes()
    frame = json.loads(whole)
    assert frame["constraints"]
    assert frame["git"]["head"]
    if not with_copy:
        shutil.rmtree(repo / ".git/frames/closed")
    frame["turns"][0]["text"] = "somebody else's words"
    path.write_text(json.dumps(frame))
    out("import", "s.jsonl", cwd=repo)
    assert path.read_bytes() == whole

    # An item that was changed along with the words is an edit all the same.
    frame["constraints"][0]["text"] = "no dependency at all"
    path.write_text(json.dumps(frame))
    out("import", "s.jsonl", cwd=repo)
    again = json.loads(path.read_text())
    assert again["turns"] == json.loads(whole)["turns"]
    assert [one["text"] for one in again["constraints"]] == ["no dependency at all"]
    assert [(one["kind"], one["data"]["id"]) for one in again["events"]] == [("edit", frame["constraints"][0]["id"])]
