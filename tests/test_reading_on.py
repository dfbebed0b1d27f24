"""A grown transcript is read from where its reading was put away, and gives the bytes of the whole reading."""

from __future__ import annotations

import io
import json
import os
import pickle
import random
import signal
import string
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import corpus
import pytest
import zstandard
from command_line import Session, git, json_lines, out
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from session_frames import frame_json
from session_frames.errors import NotUnderstood
from session_frames.operations.assemble import Assembled, assemble
from session_frames.operations.compose import compose
from session_frames.operations.extract import extract
from session_frames.operations.extract.memory import remembering
from session_frames.operations.redact import Rule, policy
from session_frames.storage import saved_readings
from session_frames.storage.transcript_files import events_of
from session_frames.workspace import reading_on
from session_frames.workspace.core import Workspace
from session_frames.workspace.locating import Locator
from session_frames.workspace.reading_on import ReadingOn, line_reader

READ_ON = ("claude-code", "codex", "gemini-cli", "copilot-cli")
SAMPLES = Path(__file__).parent / "transcripts"
MOST_CUTS = 8


def key(prefix: str, length: int) -> str:
    """A key, made when it is needed, so that no key-shaped string stands in this file."""
    return prefix + "".join(random.Random(length).choices(string.ascii_letters + string.digits, k=length))


def workspace(repo: Path) -> Workspace:
    return Workspace(str(repo), os.environ, lambda: "2026-06-02T12:00:00Z")


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every reading is put away, however little is new."""
    monkeypatch.setattr(reading_on, "SMALLEST", 0)
    monkeypatch.setattr(reading_on, "LEAST_NEWS", 1)
    monkeypatch.setattr(reading_on, "NEWS_PART", 1 << 60)


def frame_of(ws: Workspace, name: str, assembled: Assembled) -> bytes:
    """The bytes of the frame; none where there is no conversation."""
    if assembled.no_conversation or not assembled.turns:
        return b""
    return frame_json.encode(compose(assembled, name, ws.policy))


def whole(ws: Workspace, name: str, path: Path) -> bytes:
    """The frame of a reading that knows nothing of earlier ones."""
    with path.open("rb") as file:
        try:
            return frame_of(ws, name, assemble(events_of(name, file, str(path)), policy=ws.policy, locate=Locator(ws)))
        except NotUnderstood:
            return b""


class Read:
    """One reading that may go on with an earlier one."""

    def __init__(self, ws: Workspace, name: str, path: Path) -> None:
        self.went_on = False
        with path.open("rb") as file:
            reading = reading_on.reading_on(ws, name, file, keep_reasoning=False)
            if reading is None:
                self.frame = whole(ws, name, path)
                return
            try:
                self.frame = frame_of(ws, name, reading.assembled())
            except NotUnderstood:
                self.frame = b""
            self.went_on = reading.went_on
            reading.save(["f" * 24])


def grow(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def cases() -> list[tuple[str, Path]]:
    """(format, file) of every sample and recorded transcript that is read line by line."""
    files = [(name, path) for name in READ_ON for path in sorted((SAMPLES / name).glob("*/transcript*"))]
    files += [(name, path) for name, path, _ in corpus.cases() if name in READ_ON]
    return [(name, path) for name, path in files if line_reader(name, path.read_bytes()[: 64 << 10])]


def cuts_of(data: bytes) -> Sequence[int]:
    """The ends of all lines, and one place within the last of them; of a long file some."""
    ends = [at + 1 for at, byte in enumerate(data) if byte == 10]
    some = ends[:: max(1, len(ends) // MOST_CUTS)]
    return sorted({*some, max(0, len(data) - 5), len(data)})


@pytest.mark.parametrize(("name", "path"), cases(), ids=lambda value: value if isinstance(value, str) else value.name)
def test_every_cut_of_a_recorded_transcript_goes_on_to_the_same_bytes(
    name: str, path: Path, repo: Path, tmp_path: Path, eager: None
) -> None:
    ws, copy, data = workspace(repo), tmp_path / "t.jsonl", path.read_bytes()
    written = 0
    for cut in cuts_of(data):
        grow(copy, data[written:cut])
        written = cut
        assert Read(ws, name, copy).frame == whole(ws, name, copy), cut


def test_readings_of_every_format_do_go_on(repo: Path, tmp_path: Path, eager: None) -> None:
    went_on = set()
    for number, (name, path) in enumerate(cases()):
        ws, copy, data = workspace(repo), tmp_path / f"{number}.jsonl", path.read_bytes()
        for part in (data[: len(data) // 2], data[len(data) // 2 :]):
            grow(copy, part)
            went_on |= {name} if Read(ws, name, copy).went_on else set()
    if not corpus.cases():
        pytest.skip("the recorded transcripts are not beside this checkout")
    assert went_on == set(READ_ON)


# ---------------------------------------------------------------------------------------------------------------------
# Made sessions: anything may follow anything


def _envelope(kind: str, number: int, **more: Any) -> dict[str, Any]:
    record = {"type": kind, "uuid": f"u{number}", "parentUuid": f"u{number - 1}", "sessionId": "s", "cwd": "/home/a/p"}
    return {**record, "timestamp": f"2026-06-02T10:{number % 60:02d}:00Z", "isSidechain": False, **more}


WORDS = st.sampled_from(
    [
        "use sqlite for the cache",
        "캐시는 redis 쓰자",
        "キャッシュはsqliteに",
        "no, drop that",
        "ok",
        "next: write the docs",
        "",
    ]
)
CALLS = st.integers(0, 6)


def _claude(kind: str, number: int, words: str, call: int) -> dict[str, Any]:
    if kind == "prompt":
        return _envelope("user", number, message={"role": "user", "content": words})
    if kind == "text":
        return _envelope("assistant", number, message={"id": f"m{call}", "content": [{"type": "text", "text": words}]})
    if kind == "call":
        asked = {"type": "tool_use", "id": f"c{call}", "name": "Bash", "input": {"command": "pytest -q tests"}}
        return _envelope(
            "assistant", number, message={"id": f"m{call}", "content": [asked], "usage": {"output_tokens": 3}}
        )
    if kind == "result":
        answer = {"type": "tool_result", "tool_use_id": f"c{call}", "content": f"1 passed in 1s {words}"}
        return _envelope("user", number, message={"role": "user", "content": [answer]})
    if kind == "edit":
        asked = {"file_path": f"/home/a/p/f{call}.py", "content": f"a line of code {number}\n{words}"}
        block = {"type": "tool_use", "id": f"c{call}", "name": "Write", "input": asked}
        return _envelope("assistant", number, message={"id": f"m{call}", "content": [block]})
    if kind == "enqueue":
        return {"type": "queue-operation", "operation": "enqueue", "content": words, "sessionId": "s"}
    if kind == "remove":
        return {"type": "queue-operation", "operation": "remove", "content": words, "sessionId": "s"}
    if kind == "rewind":
        record = _envelope("user", number, message={"role": "user", "content": words})
        return {**record, "parentUuid": f"u{max(0, number - 1 - call)}"}
    if kind == "inside":
        record = _envelope("user", number, message={"role": "user", "content": words})
        return {**record, "isSidechain": True}
    if kind == "task":
        block = {"type": "tool_use", "id": f"c{call}", "name": "Task", "input": {"prompt": words}}
        return _envelope("assistant", number, message={"id": f"m{call}", "content": [block]})
    return _envelope("summary", number, summary=words, leafUuid=f"u{call}")


CLAUDE_KINDS = "prompt text call result edit enqueue remove rewind inside task title".split()


def _codex(kind: str, number: int, words: str, call: int) -> dict[str, Any]:
    payloads: dict[str, tuple[str, dict[str, Any]]] = {
        "meta": ("session_meta", {"id": f"s{call // 5}", "cwd": "/home/a/p"}),
        "prompt": ("event_msg", {"type": "user_message", "message": words}),
        "item": (
            "response_item",
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": words}]},
        ),
        "text": ("event_msg", {"type": "agent_message", "message": words}),
        "copy": (
            "response_item",
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": words}]},
        ),
        "call": (
            "response_item",
            {"type": "function_call", "name": "shell", "call_id": f"c{call}", "arguments": '{"command": "pytest -q"}'},
        ),
        "result": ("response_item", {"type": "function_call_output", "call_id": f"c{call}", "output": words}),
        "back": ("event_msg", {"type": "thread_rolled_back", "num_turns": call % 3}),
        "tokens": ("event_msg", {"type": "token_count", "info": {"total_token_usage": {"input_tokens": number}}}),
        "compacted": ("compacted", {"message": words}),
    }
    kind_of_record, payload = payloads[kind]
    return {"timestamp": f"2026-06-02T10:00:{number % 60:02d}Z", "type": kind_of_record, "payload": payload}


CODEX_KINDS = "meta prompt item text copy call result back tokens compacted".split()


def _gemini(kind: str, number: int, words: str, call: int) -> dict[str, Any]:
    at = f"2026-06-02T10:{number % 60:02d}:00Z"
    message: dict[str, Any] = {"id": f"m{number}", "timestamp": at, "content": words}
    asked = {"id": f"c{call}", "name": "shell", "args": {"command": "pytest"}}
    records: dict[str, dict[str, Any]] = {
        "prompt": {**message, "type": "user"},
        "text": {**message, "type": "gemini"},
        "again": {**message, "type": "gemini", "id": f"m{max(0, number - call)}"},
        "call": {**message, "type": "gemini", "toolCalls": [asked]},
        "done": {
            **message,
            "type": "gemini",
            "toolCalls": [{**asked, "status": "success", "result": [{"text": "1 passed"}]}],
        },
        "back": {"$rewindTo": f"m{max(0, number - call)}"},
        "facts": {"$set": {"summary": words, "directories": [f"/home/a/p{call // 6}"]}},
        "anew": {"$set": {"messages": [{**message, "type": "user"}]}},
    }
    return records[kind]


GEMINI_KINDS = "prompt prompt text again call done back facts anew".split()


def _copilot(kind: str, number: int, words: str, call: int) -> dict[str, Any]:
    data: dict[str, tuple[str, dict[str, Any]]] = {
        "prompt": ("user.message", {"content": words}),
        "text": ("assistant.message", {"content": words, "messageId": f"m{call}", "outputTokens": 3}),
        "call": (
            "assistant.message",
            {
                "content": "",
                "toolRequests": [{"toolCallId": f"c{call}", "name": "bash", "arguments": {"command": "pytest"}}],
            },
        ),
        "result": (
            "tool.execution_complete",
            {"toolCallId": f"c{call}", "success": True, "result": {"content": words}},
        ),
        "back": ("session.snapshot_rewind", {"upToEventId": f"e{max(0, number - call)}"}),
        "title": ("session.title_changed", {"title": words}),
        "end": ("session.shutdown", {"modelMetrics": {"x": {"usage": {"inputTokens": number}}}}),
    }
    kind_of_record, fields = data[kind]
    return {
        "type": kind_of_record,
        "data": fields,
        "id": f"e{number}",
        "timestamp": f"2026-06-02T10:{number % 60:02d}:00Z",
    }


COPILOT_KINDS = "prompt text call result back title end".split()

MADE = {
    "claude-code": (CLAUDE_KINDS, _claude),
    "codex": (CODEX_KINDS, _codex),
    "gemini-cli": (GEMINI_KINDS, _gemini),
    "copilot-cli": (COPILOT_KINDS, _copilot),
}


@pytest.mark.parametrize("name", READ_ON)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whatever_is_appended_the_frame_is_that_of_the_whole_reading(
    name: str, data: st.DataObject, repo: Path, tmp_path: Path, eager: None
) -> None:
    kinds, make = MADE[name]
    chosen = data.draw(st.lists(st.tuples(st.sampled_from(kinds), WORDS, CALLS), min_size=1, max_size=30))
    lines = [
        json.dumps(make(kind, number, words, call)).encode() + b"\n"
        for number, (kind, words, call) in enumerate(chosen)
    ]
    ws, path = workspace(repo), tmp_path / "t.jsonl"
    path.unlink(missing_ok=True)
    text, written = b"".join(lines), 0
    cuts = data.draw(st.lists(st.integers(0, len(text)), max_size=4))
    for cut in (*sorted(cuts), len(text)):
        grow(path, text[written:cut])
        written = cut
        assert Read(ws, name, path).frame == whole(ws, name, path)


# ---------------------------------------------------------------------------------------------------------------------
# What makes the whole file be read


def long_session(repo: Path, turns: int = 6) -> Session:
    session = Session(repo)
    for number in range(turns):
        session.user(f"please do part {number}").bash("pytest -q", f"{number} passed in 1s").agent(
            f"part {number} is done"
        )
    return session


class Growing:
    """A session that was read once, with its reading put away."""

    def __init__(self, repo: Path, session: Session) -> None:
        self.ws = workspace(repo)
        self.path = session.save(repo / "s.jsonl")
        self.first = Read(self.ws, "claude-code", self.path)

    def read(self) -> Read:
        read = Read(self.ws, "claude-code", self.path)
        assert read.frame == whole(self.ws, "claude-code", self.path)
        return read

    def saved(self) -> Path:
        (path,) = Path(self.ws.state.path("readings")).iterdir()
        return path


@pytest.fixture
def growing(repo: Path, eager: None) -> Growing:
    return Growing(repo, long_session(repo))


def more(repo: Path, turns: int = 8) -> bytes:
    return long_session(repo, turns).text.encode()


def test_a_grown_file_is_gone_on_with(growing: Growing, repo: Path) -> None:
    assert not growing.first.went_on
    assert growing.read().went_on
    growing.path.write_bytes(more(repo))
    assert growing.read().went_on


def test_a_file_that_was_rewritten_cut_or_replaced_is_read_as_a_whole(growing: Growing, repo: Path) -> None:
    text = growing.path.read_bytes()
    growing.path.write_bytes(text[: len(text) // 2])
    assert not growing.read().went_on
    growing.path.write_bytes(more(repo).replace(b"part 0", b"PART 0"))
    assert not growing.read().went_on
    other = repo / "other"
    other.write_bytes(growing.path.read_bytes())
    other.replace(growing.path)
    assert not growing.read().went_on


def test_a_damaged_reading_is_as_good_as_none(growing: Growing, repo: Path) -> None:
    whole_file = growing.saved().read_bytes()
    for damaged in (
        b"",
        whole_file[:50],
        whole_file[:-9],
        whole_file[:-9] + b"\0" * 9,
        b"[]\n" + whole_file,
        b"\xff\n",
    ):
        growing.saved().write_bytes(damaged)
        assert not growing.read().went_on
        growing.saved().write_bytes(whole_file)
    assert growing.read().went_on


def test_nothing_but_plain_values_is_taken_up(growing: Growing) -> None:
    class Harmful:
        def __reduce__(self) -> tuple[Any, ...]:
            return os.system, ("touch harmed",)

    for value in (Harmful(), saved_readings.SavedReadings, frame_json.encode, io.BytesIO):
        packed = saved_readings._packed(saved_readings.pickled(value), saved_readings.pickled(None))
        with pytest.raises(saved_readings.pickle.UnpicklingError, match="is no part of a reading"):
            list(saved_readings._unpacked(packed))
    assert not Path("harmed").exists()


def test_other_rules_read_the_whole_file_anew(growing: Growing, repo: Path) -> None:
    secret = "kestrel" + "Canary" * 3
    growing.path.write_bytes(more(repo).replace(b"part 1 is done", f"part 1 is {secret}".encode()))
    growing.read()
    assert growing.read().went_on
    growing.ws.policy = policy([Rule("bird", ("kestrel",), r"kestrel\w+")])
    read = growing.read()
    assert not read.went_on
    assert secret.encode() not in read.frame
    assert growing.read().went_on


def test_a_second_answer_to_a_call_reaches_back(growing: Growing) -> None:
    record = growing.path.read_text().splitlines()[2]
    grow(growing.path, record.replace("-000000000003", "-000000000099").encode() + b"\n")
    assert '"tool_result"' in record
    assert not growing.read().went_on


def test_a_path_that_is_taken_for_another_file_now_is_looked_at_again(repo: Path, eager: None) -> None:
    session = (
        Session("/home/ann/elsewhere").user("go").call("Read", {"file_path": "/srv/x/src/a.py"}, "text").agent("ok")
    )
    growing = Growing(repo, session)
    assert growing.read().went_on
    (repo / "src").mkdir()
    (repo / "src/a.py").write_text("a\n")
    read = growing.read()
    assert not read.went_on
    assert b"src/a.py" in read.frame


# ---------------------------------------------------------------------------------------------------------------------
# What is put away


def unpacked(path: Path) -> bytes:
    header, _, packed = path.read_bytes().partition(b"\n")
    size = int.from_bytes(packed[:8], "big")
    parts = (packed[16 : 16 + size], packed[16 + size :])
    return header + b"".join(zstandard.ZstdDecompressor().decompressobj().decompress(part) for part in parts)


def test_what_is_put_away_holds_no_secret(repo: Path, eager: None) -> None:
    token = key("ghp_", 36)
    session = (
        Session(repo)
        .user(f"the token is {token}")
        .bash(f"curl -H 'Authorization: Bearer {token}' example.org", f"ok {token}")
        .write("a.py", f"TOKEN = '{token}'\n")
        .call("Task", {"prompt": f"use {token} for it"}, "done")
        .agent(f"I used {token}")
    )
    growing = Growing(repo, session)
    assert token.encode() not in growing.first.frame
    assert token.encode() not in unpacked(growing.saved())
    assert growing.read().went_on


def test_while_a_secret_waits_for_its_answer_nothing_is_put_away(repo: Path, eager: None) -> None:
    session = Session(repo).user("go").write("a.py", f"TOKEN = '{key('ghp_', 36)}'\n")
    answer = session.records.pop()
    growing = Growing(repo, session)
    assert not Path(growing.ws.state.path("readings")).exists()
    session.records.append(answer)
    session.agent("written").save(growing.path)
    assert not growing.read().went_on
    assert growing.read().went_on


def test_all_readings_together_take_no_more_than_they_may(
    repo: Path, eager: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    ws = workspace(repo)
    paths = [
        Session(repo, f"{number}" * 8).user("go").agent("ok").save(repo / f"{number}.jsonl") for number in range(5)
    ]
    for path in paths[:2]:
        Read(ws, "claude-code", path)
    folder = Path(ws.state.path("readings"))
    size = sum(path.stat().st_size for path in folder.iterdir())
    monkeypatch.setattr(saved_readings, "MOST_BYTES", size)
    for path in paths[2:]:
        time.sleep(0.01)
        Read(ws, "claude-code", path)
    assert sum(path.stat().st_size for path in folder.iterdir()) <= size
    assert Read(ws, "claude-code", paths[-1]).went_on
    monkeypatch.setattr(saved_readings, "LARGEST", 10)
    Session(repo, "4" * 8).user("go").agent("ok").user("more").agent("ok").save(paths[-1])
    Read(ws, "claude-code", paths[-1])
    assert not Read(ws, "claude-code", paths[-1]).went_on


class Counted(io.FileIO):
    """A file that counts the bytes read from it."""

    taken = 0

    def readinto(self, buffer: Any) -> int | None:
        size = super().readinto(buffer)
        self.taken += size or 0
        return size


def test_only_what_is_new_is_read(repo: Path) -> None:
    session = Session(repo)
    for number in range(400):
        session.user(f"part {number} " + "word " * 1000).agent(f"done {number}")
    path, ws = session.save(repo / "s.jsonl"), workspace(repo)
    Read(ws, "claude-code", path)
    grow(path, session.user("one more").text.encode()[path.stat().st_size :])
    with Counted(str(path)) as raw, io.BufferedReader(raw) as file:
        reading = ReadingOn(ws, "claude-code", file, str(path), keep_reasoning=False)
        assert reading.assembled().turns[-1]["text"] == "one more"
        assert reading.went_on
    assert path.stat().st_size > 2_000_000
    assert raw.taken < 100_000


def test_what_was_seen_before_changes_nothing_of_what_is_found() -> None:
    for name, path in cases():
        with path.open("rb") as file:
            turns = assemble(events_of(name, file, str(path))).turns
        with remembering() as seen:
            extract(turns[: len(turns) * 2 // 3])
        with remembering(pickle.loads(pickle.dumps(seen))):
            found = extract(turns)
        assert found == extract(turns)


# ---------------------------------------------------------------------------------------------------------------------
# The verbs


def large(repo: Path, turns: int) -> Session:
    session = Session(repo)
    for number in range(turns):
        session.user(f"please do part {number}\n" + "some of it " * 800).agent(f"part {number} is done")
    return session


def readings(repo: Path) -> list[Path]:
    folder = repo / ".git/frames/readings"
    return sorted(folder.iterdir()) if folder.exists() else []


@pytest.fixture
def imported(repo: Path) -> Path:
    large(repo, 150).save(repo / "s.jsonl")
    out("import", "s.jsonl", cwd=repo)
    return repo


def test_import_again_after_growth_and_delete_at_the_end(imported: Path, tmp_path: Path) -> None:
    assert len(readings(imported)) == 1
    large(imported, 152).save(imported / "s.jsonl")
    out("import", "s.jsonl", cwd=imported)
    (path,) = (imported / ".copilot/sessions").iterdir()
    fresh = tmp_path / "fresh"
    git("init", "-q", str(fresh), cwd=tmp_path)
    out("import", str(imported / "s.jsonl"), cwd=fresh)
    (other,) = (fresh / ".copilot/sessions").iterdir()
    assert path.read_bytes() == other.read_bytes()
    assert "unchanged" in out("import", "s.jsonl", cwd=imported)
    (frame,) = json_lines("list", "--json", cwd=imported)
    told = out("delete", frame["id"], "--yes", cwd=imported)
    assert "/frames/readings/" in told
    assert readings(imported) == []


def test_a_dry_run_and_a_small_session_put_nothing_away(repo: Path) -> None:
    large(repo, 150).save(repo / "s.jsonl")
    out("import", "--dry-run", "s.jsonl", cwd=repo)
    out("close", "--dry-run", "--transcript", "s.jsonl", cwd=repo)
    large(repo, 3).save(repo / "t.jsonl")
    out("import", "t.jsonl", cwd=repo)
    assert readings(repo) == []


def test_prune_takes_readings_along(imported: Path) -> None:
    out("raw", "prune", "--older-than", "9999", cwd=imported)
    assert len(readings(imported)) == 1
    out("raw", "prune", "--keep-under", "0", "--dry-run", cwd=imported)
    assert len(readings(imported)) == 1
    out("raw", "prune", "--keep-under", "0", cwd=imported)
    assert readings(imported) == []
    large(imported, 152).save(imported / "s.jsonl")
    out("import", "s.jsonl", cwd=imported)
    assert len(readings(imported)) == 1
    (imported / "s.jsonl").unlink()
    out("raw", "prune", "--older-than", "9999", cwd=imported)
    assert readings(imported) == []


def test_a_killed_import_leaves_the_old_reading_or_the_new_one(imported: Path) -> None:
    begun = time.monotonic()
    out("import", "s.jsonl", cwd=imported)
    taken = time.monotonic() - begun
    for turns in range(151, 157):
        large(imported, turns * 2).save(imported / "s.jsonl")
        command = [sys.executable, "-m", "session_frames", "import", "s.jsonl"]
        process = subprocess.Popen(command, cwd=imported, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(taken * random.Random(turns).uniform(0.3, 1.1))
        process.send_signal(signal.SIGKILL)
        process.wait(30)
        ws = workspace(imported)
        assert Read(ws, "claude-code", imported / "s.jsonl").frame == whole(ws, "claude-code", imported / "s.jsonl")
