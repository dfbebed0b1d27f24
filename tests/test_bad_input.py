"""Bad input: one clear message, the right exit code, nothing half-written, never a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import Session, err, frames, git, json_lines, out

NO_FRAMES = [
    ("empty", b"", 3, "the file is empty"),
    ("nul", b"\0" * 300, 3, "only NUL bytes"),
    ("text", b"hello there\n", 3, "does not begin with a JSON value"),
    ("other json", b'{"a": 1}\n', 3, "no format recognises its first records"),
    ("binary", bytes(range(256)) * 8, 3, "does not begin with a JSON value"),
]


@pytest.mark.parametrize(("name", "data", "code", "words"), NO_FRAMES, ids=[case[0] for case in NO_FRAMES])
def test_what_is_no_transcript_is_said_so(repo: Path, name: str, data: bytes, code: int, words: str) -> None:
    (repo / "x.jsonl").write_bytes(data)
    for verb in (["import", "x.jsonl"], ["close", "--transcript", "x.jsonl"]):
        message = err(*verb, cwd=repo, code=code)
        assert message.startswith("error: 'x.jsonl'" if verb[0] == "import" else "error: ")
        assert words in message
        assert "x.jsonl" in message
    assert err("import", "-", cwd=repo, code=code, stdin=data).startswith("error: 'standard input'")
    assert not (repo / ".copilot").exists()
    assert git("status", "--porcelain", cwd=repo) == "?? x.jsonl\n"


def test_a_transcript_without_conversation(repo: Path) -> None:
    line = '{"type":"file-history-snapshot","messageId":"m","snapshot":{},"isSnapshotUpdate":false}\n'
    (repo / "x.jsonl").write_text(line)
    assert "no conversation in 'x.jsonl'" in err("import", "--agent", "claude-code", "x.jsonl", cwd=repo, code=3)


def test_missing_file_folder_and_permission(repo: Path) -> None:
    assert (
        err("import", "none.jsonl", cwd=repo, code=5) == "error: cannot read 'none.jsonl': No such file or directory\n"
    )
    (repo / "folder").mkdir()
    assert err("import", "folder", cwd=repo, code=1) == "error: no sessions found in 'folder'\n"
    assert "it is a folder" in err("close", "--transcript", "folder", cwd=repo, code=5)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become another user who may not read the file")
def test_no_permission(tmp_path: Path, repo: Path) -> None:
    secret = Session(repo).user("hello").save(tmp_path / "secret.jsonl")
    secret.chmod(0)
    for folder in (tmp_path, *tmp_path.parents):
        if folder != Path("/") and folder.stat().st_uid == os.geteuid() and len(folder.parts) > 2:
            folder.chmod(folder.stat().st_mode | 0o755)
    subprocess.run(["chown", "-R", "65534", str(repo)], check=True)
    done = subprocess.run(
        ["setpriv", "--reuid=65534", "--clear-groups", os.path.realpath(sys.executable), "-c", "print()"],
        capture_output=True,
    )
    if done.returncode:
        pytest.skip("another user may not run this interpreter")
    code = (
        "import sys; sys.path[:0] = " + repr(sys.path) + "\n"
        "from session_frames.cli.main import main; main(['import', " + repr(str(secret)) + "])"
    )
    done = subprocess.run(
        ["setpriv", "--reuid=65534", "--clear-groups", os.path.realpath(sys.executable), "-c", code],
        cwd=repo,
        capture_output=True,
        env={**os.environ, "HOME": str(repo)},
    )
    if b"ModuleNotFoundError" in done.stderr or b"PermissionError" in done.stderr:
        pytest.skip("another user may not read this installation")
    assert done.stderr.decode() == f"error: cannot read '{secret}': Permission denied\n"
    assert done.returncode == 5


def test_damage_is_told_by_line_and_everything_else_is_read(repo: Path) -> None:
    lines = Session(repo).user("one").agent("two").user("three").agent("four").user("five").text.splitlines(True)
    damaged = "\ufeff" + lines[0] + "\n" + lines[1] + "\0" * 300 + "\n" + '{"type":"x","prN' + lines[2] + lines[3]
    (repo / "x.jsonl").write_bytes(damaged.encode() + lines[4].encode()[:40])
    done = frames("import", "x.jsonl", cwd=repo)
    assert b"warning: 3 records of 'x.jsonl' were not understood" in done.stderr
    (frame,) = json_lines("show", "--json", cwd=repo)
    assert [turn["text"] for turn in frame["turns"]] == ["one", "two", "three", "four"]
    assert sorted(record["reason"] for record in frame["skipped_records"]) == [
        "NUL bytes",
        "damaged record in front of an intact one",
        "not JSON",
    ]
    assert "records lost in 'x.jsonl'" in err("import", "--strict", "x.jsonl", cwd=repo, code=3)


def test_crlf_line_separators_surrogates_and_invalid_utf8(repo: Path) -> None:
    session = (
        Session(repo).user("line\u2028sep\u2029and\u0085more\x1c").agent("half \ud83d").user("한글 그대로\r\n둘째 줄")
    )
    text = session.text.replace("\n", "\r\n").encode("utf-8", "surrogatepass")
    (repo / "x.jsonl").write_bytes(text.replace(b"half", b"h\xfflf"))
    out("import", "x.jsonl", cwd=repo)
    (frame,) = json_lines("show", "--json", cwd=repo)
    users = [turn["text"] for turn in frame["turns"] if turn["role"] == "user"]
    assert users == ["line\u2028sep\u2029and\u0085more\x1c", "한글 그대로\r\n둘째 줄"]
    for path in (repo / ".copilot/sessions").iterdir():
        path.read_bytes().decode("utf-8")
    for verb in (["show"], ["list"], ["resume"], ["export", "--format", "yaml"], ["export", "--format", "md"]):
        out(*verb, cwd=repo).encode("utf-8")


def test_a_lone_surrogate_in_the_persons_words_stays(repo: Path) -> None:
    escaped = Session(repo).user("cut MARK").agent("ok").text.replace("MARK", "\\ud83d")
    (repo / "x.jsonl").write_text(escaped)
    out("close", "--transcript", "x.jsonl", cwd=repo)
    (path,) = (repo / ".copilot/sessions").iterdir()
    assert '"text": "cut \\ud83d"' in path.read_bytes().decode("utf-8")
    assert "cut \ufffd" in out("show", cwd=repo)
    (frame,) = json_lines("show", "--json", cwd=repo)
    assert frame["turns"][0]["text"] == "cut \ud83d"


def test_a_line_of_12_mb(repo: Path) -> None:
    session = Session(repo).user("look").bash("cat big", "x" * (12 << 20)).agent("done").user("thanks")
    session.save(repo / "x.jsonl")
    out("import", "x.jsonl", cwd=repo)
    (path,) = (repo / ".copilot/sessions").iterdir()
    assert path.stat().st_size < 10_000
    (frame,) = json_lines("show", "--json", cwd=repo)
    assert frame["turns"][1]["calls"][0]["result"]["size"] == 12 << 20


def test_outside_of_a_repository(tmp_path: Path) -> None:
    for verb in ("status", "list", "show", "close", "resume", "init", "doctor", "uninit"):
        assert err(verb, cwd=tmp_path, code=5).startswith("error: not a git repository")
    assert err("blame", "x", cwd=tmp_path, code=5).startswith("error: not a git repository")
    done = frames("log", cwd=tmp_path, code=5)
    assert done.stderr.startswith(b"error: not a git repository")


def test_inside_the_git_folder_and_in_a_bare_repository(repo: Path, tmp_path: Path) -> None:
    Session(repo).user("fix it").agent("done").save(repo / "x.jsonl")
    out("close", "--transcript", "x.jsonl", "--topic", "login", cwd=repo)
    git("commit", "-q", "-m", "one", cwd=repo)
    assert "must be run in a work tree" in err("close", cwd=repo / ".git", code=5)
    git("clone", "-q", "--bare", str(repo), str(tmp_path / "bare.git"), cwd=tmp_path)
    bare = tmp_path / "bare.git"
    for verb in (["close"], ["init"], ["start"], ["import", "x"]):
        assert "must be run in a work tree" in err(*verb, cwd=bare, code=5)
    assert "Topic: login" in out("log", cwd=bare)
    assert len(json_lines("list", "--json", cwd=bare)) == 1
    assert "fix it" in out("resume", cwd=bare)


def test_before_the_first_commit(repo: Path) -> None:
    Session(repo).user("begin").agent("begun").save(repo / "x.jsonl")
    out("import", "x.jsonl", cwd=repo)
    (frame,) = json_lines("show", "--json", cwd=repo)
    assert "base" not in frame["git"]
    assert "head" not in frame["git"]
    assert frame["git"]["branch"] == "main"
    done = frames("log", cwd=repo, code=128)
    assert done.stderr.decode().startswith("fatal: your current branch 'main' does not have any commits yet")
    assert err("blame", "x.jsonl", cwd=repo, code=5).count("\n") == 1
    assert "begin" in out("resume", cwd=repo)
    assert "on branch main" in out("status", cwd=repo)


def test_detached_head(repo: Path) -> None:
    (repo / "a").write_text("a\n")
    git("add", "a", cwd=repo)
    git("commit", "-q", "-m", "a", cwd=repo)
    git("checkout", "-q", "--detach", cwd=repo)
    session = Session(repo).user("fix it").agent("done")
    for record in session.records:
        record["gitBranch"] = "HEAD"
    session.save(repo / "x.jsonl")
    out("close", "--transcript", "x.jsonl", cwd=repo)
    assert "HEAD is detached" in out("status", cwd=repo)
    (frame,) = json_lines("show", "--json", cwd=repo)
    assert "branch" not in frame["git"]
    assert len(frame["git"]["head"]) == 40
    assert "fix it" in out("resume", cwd=repo)


def test_names_that_mean_nothing_or_too_much(repo: Path) -> None:
    for at in (1, 2):
        session = (
            Session(repo, session_id=f"{at}" * 8 + "-0000-4000-8000-00000000c0de").user("speed up search").agent("ok")
        )
        session.save(repo / f"{at}.jsonl")
        out("import", f"{at}.jsonl", "--topic", "search", cwd=repo)
    message = err("show", "search", cwd=repo, code=2)
    assert message.startswith("error: 'search' means 2 frames:\n")
    assert message.count("\n  ") == 2
    message = err("resume", "serch", cwd=repo, code=2)
    assert message == "error: no frame is called 'serch'\nhint: did you mean: search\n"
    assert err("show", "../../etc/passwd", cwd=repo, code=2).startswith("error: no such frame file")
    assert err("show", "search", "-f", "x", cwd=repo, code=2).startswith("error: name the frame once")
    assert err("nosuch", cwd=repo, code=2).startswith("error: no such verb: 'nosuch'")


def test_a_damaged_frame_file_is_named(repo: Path) -> None:
    Session(repo).user("fix it").agent("done").save(repo / "x.jsonl")
    out("import", "x.jsonl", cwd=repo)
    (path,) = (repo / ".copilot/sessions").iterdir()
    path.write_text("{\n<<<<<<< ours\n")
    shown = str(path.relative_to(repo))
    assert "<<<<<<<" in err("show", shown, cwd=repo, code=4)
    assert "line 2" in err("show", shown, cwd=repo, code=4)
    done = frames("validate", cwd=repo, code=4)
    assert shown in done.stdout.decode()
    listed = frames("list", cwd=repo)  # the private copy is still known
    assert shown in listed.stderr.decode()


def test_options_are_never_revisions(repo: Path, tmp_path: Path) -> None:
    (repo / "a").write_text("a\n")
    git("add", "a", cwd=repo)
    git("commit", "-q", "-m", "a", cwd=repo)
    target = tmp_path / "pwn"
    for option in ([f"--output={target}"], ["--output", str(target)]):
        assert err("log", *option, cwd=repo, code=2).startswith("error: '--output' is refused")
        assert err("log", "--json", *option, cwd=repo, code=2).startswith("error: '--output' is refused")
    frames("log", f"--outpu={target}", cwd=repo, code=128)  # git itself knows no short form of it
    assert err("blame", f"--contents={target}", "a", cwd=repo, code=2).startswith("error: ")
    assert err("blame", "--", f"--contents={target}", "a", cwd=repo, code=2).startswith("error: not a revision")
    assert not target.exists()


@pytest.mark.parametrize(
    "topic",
    ["../../pwn", "/etc/x", "..\\..\\x", "a/b", "con", "aux.txt", "x.", " x", "é" * 400, "-rf", ".git", "한글 주제"],
)
def test_no_topic_leads_out_of_the_folder(repo: Path, topic: str) -> None:
    import re

    Session(repo).user("fix it").agent("done").save(repo / "x.jsonl")
    out("close", "--transcript", "x.jsonl", f"--topic={topic}", cwd=repo)
    (path,) = (repo / ".copilot/sessions").iterdir()
    assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,100}\.frame\.json", path.name)
    (frame,) = json_lines("show", "--json", cwd=repo)
    assert frame["topic"] == topic
    assert {str(p.relative_to(repo)) for p in repo.rglob("*") if p.is_file() and ".git/" not in str(p)} == {
        "x.jsonl",
        f".copilot/sessions/{path.name}",
    }


def test_the_reader_that_goes_away(repo: Path) -> None:
    session = Session(repo)
    for at in range(400):
        session.user(f"question {at} " + "x" * 200).agent("answer " + "y" * 200)
    session.save(repo / "x.jsonl")
    out("import", "x.jsonl", cwd=repo)
    command = f"{sys.executable} -m session_frames show | head -1"
    done = subprocess.run(["sh", "-c", command], cwd=repo, capture_output=True)
    assert done.stdout.startswith(b"frame ")
    assert done.stderr == b""
    done = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m session_frames show > /dev/full"], cwd=repo, capture_output=True
    )
    assert done.returncode == 5
    assert done.stderr.decode().count("\n") == 1
    done = subprocess.run(["sh", "-c", f"{sys.executable} -m session_frames show >&-"], cwd=repo, capture_output=True)
    assert b"Traceback" not in done.stderr
    assert done.returncode in (0, 5, 141)


def test_the_symlink_that_leads_away(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (repo / ".copilot").symlink_to(tmp_path / "elsewhere")
    Session(repo).user("fix it").agent("done").save(repo / "x.jsonl")
    assert "by a symbolic link" in err("import", "x.jsonl", cwd=repo, code=6)
    assert list((tmp_path / "elsewhere").iterdir()) == []


REFUSED = [
    (["list", "--since", "2026-13-45"], "not a date: '2026-13-45'\nhint: --since YYYY-MM-DD"),
    (["list", "--since", "foo"], "not a date: 'foo'"),
    (["list", "--since", "20260102"], "not a date: '20260102'"),
    (["import", "--all", "--since", "tomorrow"], "not a date: 'tomorrow'"),
    (["log", "--graph", "--json"], "--json and --graph exclude each other"),
    (["show", "--json", "--format", "md"], "--json and --format md exclude each other"),
    (["start", "   "], "topic is blank"),
    (["close", "--topic", " "], "--topic is blank"),
    (["import", "x.jsonl", "--into", "login", "--only", ""], "--only is blank"),
    (["import", ""], "SOURCE is blank"),
    (["import", "x.jsonl", " "], "SOURCE is blank"),
    (["import", "x.jsonl", "--into", ""], "--into is blank"),
    (["import", "--all", "--from", ""], "--from is blank"),
    (["context", ""], "frame is blank"),
    (["context", "-f", " "], "-f is blank"),
    (["context", "--at", ""], "--at is blank"),
    (["show", ""], "frame is blank"),
    (["show", "--turns", ""], "--turns is blank"),
    (["resume", ""], "frame is blank"),
    (["resume", "--branch", " "], "--branch is blank"),
    (["list", "--topic", ""], "--topic is blank"),
    (["delete", ""], "frame is blank"),
    (["decide", "x", "--supersedes", ""], "--supersedes is blank"),
    (["decide", "x", "--turn", ""], "--turn is blank"),
    (["checkpoint", "c", "--turn", ""], "--turn is blank"),
    (["branch", "b", "--from", ""], "--from is blank"),
    (["restore", "--checkpoint", ""], "--checkpoint is blank"),
    (["edit", "login", "--item", "1f0c", "--text", ""], "--text is blank"),
    (["edit", "login", "--item", "1f0c", "--state", " "], "--state is blank"),
    (["edit", "login", "--item", "", "--text", "x"], "--item is blank"),
    (["blame", "nosuch.py"], "'nosuch.py'"),
    (["blame", "-L", "400,500", "x.jsonl"], "has only 2 lines"),
    (["show", "abc"], "no frame is called 'abc', and an id needs at least 4 of its digits"),
]


@pytest.mark.parametrize(("args", "told"), REFUSED, ids=[" ".join(case[0]) for case in REFUSED])
def test_what_is_asked_wrongly_is_told(repo: Path, args: list[str], told: str) -> None:
    Session(repo).user("fix it").agent("done").save(repo / "x.jsonl")
    out("import", "x.jsonl", "--topic", "login", cwd=repo)
    git("add", "-A", cwd=repo)
    git("commit", "-q", "-m", "one", cwd=repo)
    message = err(*args, cwd=repo, code=2)
    assert told in message
    assert message.startswith("error: ")


def test_a_path_that_was_printed_works_in_every_folder(repo: Path) -> None:
    Session(repo).user("fix it").agent("done").save(repo / "x.jsonl")
    out("import", "x.jsonl", cwd=repo)
    (repo / "src").mkdir()
    (frame,) = json_lines("list", "--json", cwd=repo / "src")
    for path in (frame["path"], f"../{frame['path']}"):
        assert "fix it" in out("show", path, cwd=repo / "src")
    out("archive", frame["path"], cwd=repo / "src")


def test_escapes_are_not_echoed(repo: Path) -> None:
    assert out("start", "a\033[31mred", cwd=repo).startswith("opened a<U+001B>[31mred")
    for args in (["show", "\033[31mred"], ["import", "\033[31mred"]):
        code = 2 if args[0] == "show" else 5
        assert "'<U+001B>[31mred'" in err(*args, cwd=repo, code=code)


def test_what_is_no_regular_file_is_passed_over(repo: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mixed"
    folder.mkdir()
    os.mkfifo(folder / "pipe")
    (folder / "zero").symlink_to("/dev/zero")
    (folder / "linked").symlink_to(repo)
    (folder / "gone").symlink_to(tmp_path / "nowhere")
    Session(repo).user("linked").agent("done").save(repo / "x.jsonl")
    assert err("import", str(folder), cwd=repo, code=1) == f"error: no sessions found in '{folder}'\n"
    Session(repo).user("fix it").agent("done").save(folder / "y.jsonl")
    assert "2 turns" in out("import", str(folder), cwd=repo)
    assert frames("import", "--all", "--from", str(folder), cwd=repo).stderr == b"0 taken, 1 unchanged, 0 skipped\n"
    message = err("import", "/proc/self/mem", cwd=repo, code=5)
    assert message == "error: cannot read '/proc/self/mem': Input/output error\n"
    assert frames("import", "/proc", cwd=repo, code=1).stderr == b"error: no sessions found in '/proc'\n"


def test_one_is_not_told_as_many(repo: Path) -> None:
    session = Session(repo).user("one").agent("two")
    (repo / "x.jsonl").write_text(session.text + "{broken\n" + Session(repo).user("one").text)
    done = frames("import", "x.jsonl", cwd=repo)
    assert b"1 record of 'x.jsonl' was not understood" in done.stderr
    assert out("validate", cwd=repo) == "1 frame checked, 0 invalid\n"
    (repo / "x.jsonl").write_text(session.text.splitlines(keepends=True)[0])
    assert b"does not hold 1 turn of the frame any more; it stays" in frames("import", "x.jsonl", cwd=repo).stderr


def test_paths_behind_two_hyphens_reach_git(repo: Path) -> None:
    Session(repo).user("fix the parser").agent("done").save(repo / ".git/x.jsonl")
    (repo / "gone").write_text("a\n")
    git("add", "gone", cwd=repo)
    out("close", "--transcript", ".git/x.jsonl", "--topic", "parser", cwd=repo)
    git("commit", "-q", "-m", "one", cwd=repo)
    git("rm", "-q", "gone", cwd=repo)
    git("commit", "-q", "-m", "two", cwd=repo)
    assert [commit["subject"] for commit in json_lines("log", "--json", "--", "gone", cwd=repo)] == ["two", "one"]
    assert "one" in out("log", "--topic=parser", "--oneline", "--", "gone", cwd=repo)
    assert out("log", "--topic=parser", "--oneline", "--", "nosuch", cwd=repo) == ""


def test_the_frame_that_is_meant_without_a_name(repo: Path) -> None:
    for number, topic in ((1, "first"), (2, "second")):
        session = Session(repo, f"{number}" * 8 + "-0000-4000-8000-00000000c0de", start=f"2026-06-0{number}T10:00:00")
        session.user(f"part {number}").agent("done").save(repo / ".git/x.jsonl")
        out("close", "--transcript", ".git/x.jsonl", "--topic", topic, cwd=repo)
    assert "topic   second" in out("show", cwd=repo)
    out("archive", "second", cwd=repo)
    assert "topic   first" in out("show", cwd=repo)
    out("archive", "first", cwd=repo)
    assert "topic   second" in out("show", cwd=repo)


def test_the_only_frame_is_damaged(repo: Path) -> None:
    (repo / ".copilot/sessions").mkdir(parents=True)
    (repo / ".copilot/sessions/x.frame.json").write_text("[]")
    assert "x.frame.json" in err("show", cwd=repo, code=4)


def test_paths_of_windows_are_one_file(repo: Path) -> None:
    session = Session("C:\\Users\\ann\\proj").user("write it")
    session.call("Write", {"file_path": "C:\\Users\\ann\\proj\\src\\a.py", "content": "x = 1\n"}, "ok")
    session.call("Edit", {"file_path": "src\\a.py", "old_string": "1", "new_string": "2"}, "ok").agent("done")
    session.save(repo / ".git/x.jsonl")
    out("import", ".git/x.jsonl", cwd=repo)
    (frame,) = json_lines("show", "--json", cwd=repo)
    assert [file["path"] for file in frame["files"]] == ["src/a.py"]


def test_a_time_that_is_none_makes_no_frame_invalid(repo: Path) -> None:
    session = Session(repo).user("fix it").agent("done").user("고마워")
    session.save(repo / "x.jsonl")
    lines = [json.loads(line) for line in (repo / "x.jsonl").read_text().splitlines()]
    for line, time in zip(lines, ["yesterday", "2026-01-01 10:00:00", "2026-01-01T10:00:01Z"], strict=False):
        line["timestamp"] = time
    (repo / "x.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    out("import", "x.jsonl", cwd=repo)
    assert out("validate", cwd=repo) == "1 frame checked, 0 invalid\n"
    (frame,) = (json.loads(path.read_bytes()) for path in (repo / ".copilot/sessions").iterdir())
    assert [turn.get("at", "") for turn in frame["turns"]] == ["", "2026-01-01T10:00:00", "2026-01-01T10:00:01Z"]
