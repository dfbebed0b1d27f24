"""Exports that come back where the frame is known: a person's edits are taken over, and nothing else changes."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
import yaml
from command_line import Session, err, frames, git, out

INVALID = [
    (
        "json",
        '{"frame": "1.0", "id": 3, "topic": "x", "status": "done"}',
        ["$.id: expected a string", "$.status: 'done'"],
    ),
    ("yaml", "frame: '1.0'\nid: x\ntopic: []\nstatus: closed\n", ["$.id: 'x' is not 24", "$.topic: expected a string"]),
    (
        "md",
        "<!-- session frame 1.0 0123456789abcdef01234567 -->\n# x\n\n"
        "## Decisions\n\n- [nonsense, user] a\n- [accepted, x] b\n",
        ["$.decisions[0].status: 'nonsense' is not one of", "$.decisions[1].by: 'x' is not one of"],
    ),
]


@pytest.mark.parametrize(("form", "text", "told"), INVALID, ids=[case[0] for case in INVALID])
def test_what_is_no_frame_is_not_kept_and_all_is_told(repo: Path, form: str, text: str, told: list[str]) -> None:
    (repo / f"x.{form}").write_text(text)
    message = err("import", f"x.{form}", cwd=repo, code=4)
    assert message.startswith(f"error: 'x.{form}' is not a valid frame: ")
    checked = out("validate", f"x.{form}", cwd=repo, code=4)
    for problem in told:
        assert problem in message
        assert problem in checked
    assert not (repo / ".copilot").exists()
    assert not list((repo / ".git/frames").glob("closed/*"))


def test_aliases_are_refused_before_they_grow(repo: Path) -> None:
    layers = "".join(f"x_{at}: &l{at} [{', '.join([f'*l{at - 1}'] * 9)}]\n" for at in range(1, 9))
    head = "frame: '1.0'\nid: 0123456789abcdef01234567\ntopic: x\nstatus: closed\n"
    for name, tail, place in (
        ("self.yaml", "goal: &a [*a]\n", "line 5 column 11"),
        ("many.yaml", f"x_0: &l0 [{'a, ' * 8}a]\n{layers}", "line 6 column 11"),
    ):
        (repo / name).write_text(head + tail)
        started = time.monotonic()
        assert f"'{name}' cannot be read: an alias" in (message := err("import", name, cwd=repo, code=4))
        assert place in message
        assert time.monotonic() - started < 5
    (repo / ".copilot").mkdir()
    (repo / ".copilot/config.yaml").write_text("redact: &a [*a]\n")
    Session(repo).user("hello").agent("hi").save(repo / "s.jsonl")
    assert "an alias (*a) at line 1 column 13" in err("import", "s.jsonl", cwd=repo, code=4)


def test_yaml_that_json_has_no_word_for(repo: Path) -> None:
    (repo / "x.yaml").write_text("frame: '1.0'\ngoal: !!binary aGVsbG8=\n")
    assert "'x.yaml' is not a valid frame" in err("import", "x.yaml", cwd=repo, code=4)


def test_validate_reads_what_export_writes(repo: Path) -> None:
    Session(repo).user("use SQLite for the cache").agent("ok").save(repo / "s.jsonl")
    out("import", "s.jsonl", cwd=repo)
    for form in ("json", "yaml", "md"):
        out("export", "--format", form, "-o", f"x.{form}", cwd=repo)
        assert "1 frame" in out("validate", f"x.{form}", cwd=repo)


def _known(repo: Path) -> tuple[Path, bytes]:
    """A frame with calls, files, decisions and a question, committed nowhere; its file and what is in it."""
    session = Session(repo).user("use SQLite for the cache. don't touch api.py. what about Redis?")
    session.write("src/a.py", "x = compute_something()\n").bash("pytest -q", "1 passed in 0.1s")
    session.user("좋아, 그걸로 가자\r\n``` 그리고 \ud83d").agent("done").save(repo / "s.jsonl")
    out("import", "s.jsonl", "--topic", "cache", cwd=repo)
    (path,) = (repo / ".copilot/sessions").iterdir()
    return path, path.read_bytes()


@pytest.mark.parametrize("form", ["json", "yaml", "md"])
def test_an_export_that_nobody_edited_changes_nothing(repo: Path, form: str) -> None:
    path, before = _known(repo)
    text = frames("export", "--format", form, cwd=repo).stdout
    assert "unchanged" in frames("import", "-", cwd=repo, stdin=text).stdout.decode()
    assert path.read_bytes() == before
    path.unlink()  # the private copy knows it too
    assert frames("import", "-", cwd=repo, stdin=text).returncode == 0
    assert path.read_bytes() == before


def test_ids_survive_markdown_in_a_fresh_repository(repo: Path, tmp_path: Path) -> None:
    _, before = _known(repo)
    was = json.loads(before)
    out("export", "--format", "md", "-o", str(tmp_path / "x.md"), cwd=repo)
    fresh = tmp_path / "fresh"
    git("init", "-q", str(fresh), cwd=tmp_path)
    out("import", str(tmp_path / "x.md"), cwd=fresh)
    (path,) = (fresh / ".copilot/sessions").iterdir()
    now = json.loads(path.read_text())
    for key in ("turns", "decisions", "constraints", "open_questions"):
        assert [one["id"] for one in now.get(key, [])] == [one["id"] for one in was.get(key, [])]


@pytest.mark.parametrize("marks", [True, False], ids=["with ids", "without"])
def test_edits_in_markdown_are_taken_over_and_nothing_else(repo: Path, marks: bool) -> None:
    import re

    path, before = _known(repo)
    was = json.loads(before)
    text = out("export", "--format", "md", cwd=repo)
    assert "[accepted, user] use SQLite for the cache" in text
    text = text.replace("[accepted, user] use SQLite for the cache", "[overruled, user] use SQLite for caching")
    text = text.replace("# cache\n", "# 캐시\n").replace("- status:", "- goal: faster\n- status:", 1)
    text = text if marks else re.sub(" <!-- \\S+ -->$", "", text, flags=re.MULTILINE)
    frames("import", "-", cwd=repo, stdin=text.encode())
    now = json.loads(path.read_text())
    assert (now["topic"], now["goal"]) == ("캐시", "faster")
    assert now["turns"] == was["turns"]
    assert now["files"] == was["files"]
    assert now["decisions"][0] == {**was["decisions"][0], "status": "overruled", "text": "use SQLite for caching"}
    assert now["constraints"] == was["constraints"]
    edited = path.read_bytes()
    out("import", "s.jsonl", cwd=repo)  # the session is read again: the person's word stays
    assert path.read_bytes() == edited


def test_words_that_were_edited_in_markdown_are_refused(repo: Path) -> None:
    path, before = _known(repo)
    text = out("export", "--format", "md", cwd=repo)
    for edited in (text.replace("```\ndone\n", "```\ndone!\n"), text + "\n### 9 user\n\n```\nmore\n```\n"):
        assert edited != text
        assert "is not the one of the known frame" in err("import", "-", cwd=repo, code=6, stdin=edited.encode())
    assert path.read_bytes() == before
    broken = text.replace("- [accepted, user] use", "- accepted: use")
    assert "is no item" in err("import", "-", cwd=repo, code=4, stdin=broken.encode())


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_an_edited_export_is_the_persons_word(repo: Path, form: str) -> None:
    path, before = _known(repo)
    frame = json.loads(before)
    frame["turns"][0]["pinned"] = True
    path.write_text(json.dumps(frame))
    edited = json.loads(before)
    edited.update(topic="캐시", goal="faster", title="A title")
    edited["decisions"][0]["status"] = "overruled"
    edited["decisions"][0]["text"] = "use SQLite for caching"
    text = json.dumps(edited) if form == "json" else yaml.safe_dump(edited, sort_keys=False)
    frames("import", "-", cwd=repo, stdin=text.encode())
    now = json.loads(path.read_text())
    assert (now["topic"], now["goal"], now["title"]) == ("캐시", "faster", "A title")
    assert now["decisions"] == edited["decisions"]
    assert now["turns"] == frame["turns"]
    kept = path.read_bytes()
    frames("import", "-", cwd=repo, stdin=text.encode())
    out("import", "s.jsonl", cwd=repo)
    assert path.read_bytes() == kept


def test_a_damaged_private_copy_is_left_aside(repo: Path) -> None:
    path, before = _known(repo)
    (copy,) = (repo / ".git/frames/closed").iterdir()
    copy.write_bytes(before.replace(b'"accepted"', b'"nonsense"'))
    os.utime(copy, (1_000_000, 1_000_000))
    assert "private copy" in out("doctor", cwd=repo, code=1)
    done = frames("import", "s.jsonl", cwd=repo)
    assert done.stderr.decode().count(copy.name) == 2
    assert copy.read_bytes() == path.read_bytes()
    assert b"warning" not in frames("import", "s.jsonl", cwd=repo).stderr
    assert f"{copy.name}.damaged" in out("doctor", cwd=repo, code=1)
    assert out("list", cwd=repo)
