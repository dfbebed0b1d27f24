"""Raw transcripts: given back byte for byte, appended to, redacted before anything is written, whole at any moment."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import random
import shutil
import signal
import sqlite3
import string
import subprocess
import sys
import time
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import zstandard
from command_line import Session, err, frames, git, json_lines, out

from session_frames.operations.policy_digest import policy_digest
from session_frames.operations.redact import DEFAULT, Rule, policy
from session_frames.operations.redact_raw import clean_lines, clean_whole
from session_frames.storage.private_state import PrivateState
from session_frames.storage.raw_manifest import Manifest
from session_frames.storage.raw_store import GROWN, NEW, REWRITTEN, SHORTER, UNCHANGED, RawStore, Saved, Source

FRAME = "7f3a9c" + "0" * 18
_LETTERS = string.ascii_letters + string.digits


def made(prefix: str, length: int, seed: int) -> str:
    """A key, made when it is needed, so that no key-shaped string stands in this file."""
    return prefix + "".join(random.Random(seed).choices(_LETTERS, k=length))


def record(number: int, text: str = "words") -> bytes:
    return json.dumps({"type": "user", "uuid": f"u{number}", "text": f"{text} {number}"}).encode() + b"\n"


def records(first: int, last: int) -> bytes:
    return b"".join(record(number) for number in range(first, last + 1))


class Kept:
    """A store of its own and one source that grows."""

    def __init__(self, folder: Path) -> None:
        self.store = RawStore(PrivateState(str(folder)))
        self.folder = Path(self.store.folder(FRAME))
        self.path = folder / "s.jsonl"
        self.seconds = 0

    def save(self, data: bytes | None = None, path: Path | None = None) -> Saved:
        """Save after appending ``data``."""
        path = path or self.path
        if data is not None:
            with path.open("ab") as file:
                file.write(data)
        return self.save_file(path)

    def save_file(self, path: Path) -> Saved:
        self.seconds += 1
        with path.open("rb") as file:
            source = Source(file, "claude-code", path.name)
            return self.store.save(FRAME, source, DEFAULT, f"2026-06-02T10:00:{self.seconds:02d}Z")

    @property
    def manifest(self) -> Manifest:
        found = self.store.find(FRAME)
        assert found is not None
        return found

    def text(self) -> bytes:
        return b"".join(self.store.iter_bytes(FRAME))

    def files(self) -> list[str]:
        return sorted(path.name for path in self.folder.iterdir())


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(tmp_path)


def unpacked(folder: Path) -> bytes:
    """What every segment in the folder holds, whether the manifest names it or not."""
    return b"".join(zstandard.decompress(path.read_bytes()) for path in sorted(folder.rglob("*.zst")))


# ---------------------------------------------------------------------------------------------------------------------
# Growing


def test_a_save_appends_what_is_new(kept: Kept) -> None:
    big = record(1, "x" * 300_000)
    assert kept.save(big).change == NEW
    first = (kept.folder / "0001.zst").read_bytes()
    assert kept.save(records(2, 3)).change == GROWN
    assert kept.files() == ["0001.zst", "0002.zst", "manifest.json"]
    assert (kept.folder / "0001.zst").read_bytes() == first
    assert unpacked(kept.folder)[len(big) :] == records(2, 3)
    assert [segment["source_size"] for segment in kept.manifest["segments"]] == [len(big), len(records(2, 3))]
    assert kept.text() == kept.path.read_bytes()
    assert kept.manifest["saved_at"] == "2026-06-02T10:00:02Z"


def test_small_saves_do_not_leave_many_files(kept: Kept) -> None:
    for number in range(40):
        kept.save(record(number, "y" * 10_000))
    assert len(kept.files()) == 3  # a segment of 256 KB, the last one, the manifest
    assert kept.text() == kept.path.read_bytes()


def test_nothing_is_written_for_what_did_not_change(kept: Kept) -> None:
    kept.save(records(1, 3))
    before = {path.name: path.read_bytes() for path in kept.folder.iterdir()}
    assert kept.save().change == UNCHANGED
    os.utime(kept.path, (1, 1))
    assert kept.save().change == UNCHANGED
    assert kept.manifest["saved_at"] == "2026-06-02T10:00:01Z"
    assert kept.text() == b"".join([records(1, 3)])
    assert before.keys() - {"0001.zst"} <= set(kept.files())


def test_a_save_reads_only_what_is_new_and_two_records(kept: Kept) -> None:
    class Counting(BytesIO):
        taken = 0

        def __init__(self, path: Path) -> None:
            super().__init__(path.read_bytes())
            self.descriptor = os.open(path, os.O_RDONLY)

        def fileno(self) -> int:
            return self.descriptor

        def read(self, size: int | None = -1, /) -> bytes:
            data = super().read(size)
            Counting.taken += len(data)
            return data

        def __next__(self) -> bytes:
            line = super().__next__()
            Counting.taken += len(line)
            return line

    kept.save(b"".join(record(number, "z" * 10_000) for number in range(500)))
    new = record(500)
    with kept.path.open("ab") as file:
        file.write(new)
    source = Counting(kept.path)
    assert kept.store.save(FRAME, Source(source, "claude-code", "s"), DEFAULT, "2026-06-02T11:00:00Z").change == GROWN
    os.close(source.descriptor)
    assert Counting.taken < 150_000  # of five million
    assert kept.text() == kept.path.read_bytes()


def test_half_a_line_waits_and_a_whole_record_without_its_end_is_replaced(kept: Kept) -> None:
    line = record(2)
    kept.save(record(1) + line[:20])
    assert kept.text() == record(1)
    kept.save(line[20:-1])
    assert kept.text() == record(1) + line[:-1]
    assert [segment["open"] for segment in kept.manifest["segments"]] == [False, True]
    kept.save(b"\n" + record(3))
    assert kept.text() == records(1, 3)
    assert [segment["open"] for segment in kept.manifest["segments"]] == [False]


def test_a_source_changed_before_its_end_is_stored_anew(kept: Kept) -> None:
    kept.save(records(1, 5))
    kept.path.write_bytes(record(9) + records(2, 8))
    assert kept.save().change == REWRITTEN
    assert kept.text() == record(9) + records(2, 8)
    assert kept.files() == ["0002.zst", "manifest.json"]


def test_a_change_in_the_middle_is_seen_where_the_file_did_not_grow(kept: Kept) -> None:
    kept.save(records(1, 5))
    kept.path.write_bytes(records(1, 2) + record(7) + records(4, 5))
    assert kept.save().change == REWRITTEN
    assert kept.text() == kept.path.read_bytes()


def test_a_part_of_what_is_kept_changes_nothing(kept: Kept) -> None:
    kept.save(records(1, 5))
    kept.path.write_bytes(records(1, 2) + record(3)[:9])
    assert kept.save().change == SHORTER
    assert kept.text() == records(1, 5)


def test_a_copy_that_grew_is_told_by_its_content(kept: Kept, tmp_path: Path) -> None:
    kept.save(records(1, 5))
    copy = tmp_path / "copy.jsonl"
    shutil.copy(kept.path, copy)
    assert kept.save(records(6, 7), copy).change == GROWN
    assert kept.text() == records(1, 7)
    other = tmp_path / "other.jsonl"
    other.write_bytes(records(1, 3) + record(40) + records(5, 9))
    assert kept.save_file(other).change == REWRITTEN
    assert kept.text() == other.read_bytes()


def test_one_document_replaces_the_one_before(kept: Kept) -> None:
    kept.path = kept.path.with_suffix(".json")
    for turns in (1, 2):
        document = json.dumps({"messages": [{"text": "words"}] * turns}, indent=2).encode()
        kept.path.write_bytes(document)
        kept.save()
        assert kept.text() == document
    assert kept.files() == ["0002.zst", "manifest.json"]


@pytest.mark.parametrize("content", [b"", b"\0" * 900, b"\x28\xb5\x2f\xfd\x00", "ä".encode("utf-16")])
def test_what_is_no_text_is_not_kept(kept: Kept, content: bytes) -> None:
    assert kept.save(content).manifest is None
    assert not kept.folder.exists()


def test_a_large_transcript_becomes_several_segments(kept: Kept) -> None:
    kept.save(b"".join(record(number, "q" * 1_000_000) for number in range(18)))
    assert [segment["raw_size"] // 1_000_000 for segment in kept.manifest["segments"]] == [9, 9]
    assert hashlib.sha256(kept.text()).digest() == hashlib.sha256(kept.path.read_bytes()).digest()


@pytest.mark.parametrize("content", [
    b'\xef\xbb\xbf{"a": 1}\r\n\r\n{"b":  2}\r\n',
    b'{"a": "\\ud800", "n": 123456789012345678901234567890, "f": 1.10}\n\0\0\0\n{"torn": "prN{"x": 1}\n',
    b'{"a": "\xff\xfe"}\nnot a record\n',
    b'{"a": 1}\n' + b'{"deep": ' + b"[" * 3000 + b"]" * 3000 + b"}\n",
    "# Chat\n\nwords \N{SNOWMAN}\n".encode(),
])  # fmt: skip
def test_bytes_come_back_as_they_were(kept: Kept, content: bytes) -> None:
    kept.save(content)
    assert kept.text() == content
    assert sum(segment["secrets"] for segment in kept.manifest["segments"]) == 0


# ---------------------------------------------------------------------------------------------------------------------
# Redaction


def test_only_records_with_a_secret_change() -> None:
    key = made("sk-" + "ant-api03-", 93, 1) + "AA"
    odd = b'{ "kept" :  "as it is",   "n": 1.50 }\n'
    text = b'{"n":123456789012345678901234567890,"text":"key\\n%b \\u00e9 \\ud800"}\r\n' % key.encode()
    first, second = clean_lines([odd, text], DEFAULT)
    assert first.data == odd
    assert json.loads(second.data) == {
        "n": 123456789012345678901234567890,
        "text": "key\n[redacted:anthropic-key] \u00e9 \ud800",
    }
    assert second.data.endswith(b"}\r\n")
    assert (first.secrets, second.secrets) == (0, 1)
    assert second.source_size == len(text)


def test_a_value_that_its_name_makes_secret_is_replaced() -> None:
    word = made("", 14, 2)
    (piece,) = clean_lines([json.dumps({"env": {"DB_PASSWORD": word}}).encode() + b"\n"], DEFAULT)
    assert word.encode() not in piece.data
    assert piece.secrets == 1


def pem() -> str:
    body = base64.b64encode(random.Random(3).randbytes(600)).decode()
    lines = [body[at : at + 64] for at in range(0, len(body), 64)]
    return "\n".join(["-----BEGIN " + "RSA PRIVATE KEY-----", *lines, "-----END " + "RSA PRIVATE KEY-----"])


def test_a_key_of_many_lines_between_records_is_seen_whole_however_it_was_saved(kept: Kept) -> None:
    key = pem() + "\n"
    data = record(1) + key.encode() + record(2)
    for at in range(0, len(data), 97):
        kept.save(data[at : at + 97])
    assert kept.text() == record(1) + b"[redacted:private-key]\n" + record(2)
    assert not any(line in unpacked(kept.folder).decode() for line in key.split("\n")[1:-2])


@pytest.mark.parametrize("step", [1, 7, 40])
def test_no_secret_survives_a_cut(kept: Kept, step: int) -> None:
    secrets = [made("gh" + "p_", 36, 4), made("sk-" + "ant-api03-", 93, 5) + "AA", made("", 12, 8)]
    lines = [
        {"text": f"token {secrets[0]} and\n{secrets[0]}"},
        {"nested": [json.dumps({"env": f"A=1\nKEY={secrets[1]}"})]},
        {"text": f"password: {secrets[2]}"},
    ]
    data = "".join(json.dumps(line) + "\n" for line in lines).encode()
    seen = b""
    for at in range(0, len(data), step):
        kept.save(data[at : at + step])
        seen += unpacked(kept.folder) if kept.folder.exists() else b""
    for secret in secrets:
        assert secret.encode() not in seen
        assert secret[:8].encode() not in seen
    assert kept.text().count(b"[redacted:") == 4


def test_damaged_lines_and_text_are_redacted_too(kept: Kept) -> None:
    key = made("gh" + "p_", 36, 7)
    torn = json.dumps({"text": f"the token:\n{key}\n"})[:-2].encode() + b"\n"
    kept.save(record(1) + torn + record(2))
    assert key.encode() not in unpacked(kept.folder)
    assert b"[redacted:github-token]" in kept.text()
    markdown = f"# Chat\n\n{key}\n\n{pem()}\n".encode()
    assert clean_whole(markdown, DEFAULT).data == b"# Chat\n\n[redacted:github-token]\n\n[redacted:private-key]\n"
    document = json.dumps({"messages": [f"x\n{key}"]}, indent=2).encode()
    assert json.loads(clean_whole(document, DEFAULT).data) == {"messages": ["x\n[redacted:github-token]"]}


def test_many_quotes_in_a_damaged_line_cost_nothing_more() -> None:
    line = b'{"text": "' + b'\\"' * 1_000_000 + b"\n"
    begun = time.process_time()
    (piece,) = clean_lines([line], DEFAULT)
    assert piece.data == line
    assert time.process_time() - begun < 5


def test_rules_that_came_later_clean_what_is_kept_of_a_grown_file(kept: Kept) -> None:
    from session_frames.operations.redact_settings import rules_from_config

    kept.save(b"".join(record(number, "the words") for number in (1, 2, 3)))
    rules = rules_from_config({"redaction": {"rules": [{"name": "team", "pattern": "the words [0-9]"}]}})
    assert type(rules) is type(policy())
    with kept.path.open("r+b") as file:
        file.seek(0, os.SEEK_END)
        file.write(record(4, "the words"))
        file.flush()
        saved = kept.store.save(FRAME, Source(file, "claude-code", "s.jsonl"), rules, "2026-06-02T10:00:09Z")
    assert saved.change == GROWN
    assert b"the words" not in unpacked(kept.folder)


# ---------------------------------------------------------------------------------------------------------------------
# Damage, death, crowds


def test_damage_is_told_by_name_and_mended_by_the_next_save(kept: Kept) -> None:
    kept.save(record(1, "x" * 300_000))
    kept.save(record(2, "y" * 300_000))
    (kept.folder / "0002.zst").write_bytes(zstandard.compress(b"other"))
    (error,) = kept.store.list_damage(FRAME)
    assert error.message == "segment '0002.zst' of the raw transcript is damaged: its content is not what was written"
    os.truncate(kept.folder / "0001.zst", 10)
    assert [error.message for error in kept.store.list_damage(FRAME)] == [
        "segment '0001.zst' of the raw transcript is damaged: its content is not what was written",
        "segment '0002.zst' of the raw transcript is damaged: its content is not what was written",
    ]
    kept.save(record(3))
    assert kept.store.list_damage(FRAME) == []
    assert kept.text() == kept.path.read_bytes()
    (kept.folder / "manifest.json").write_text('{"raw": 1, "segments": [{"file": "../../x"}]}')
    (error,) = kept.store.list_damage(FRAME)
    assert error.message == f"'{kept.folder / 'manifest.json'}' is damaged"
    kept.save(record(4))
    assert kept.text() == kept.path.read_bytes()


_SAVES = """
import sys
from session_frames.operations.redact import DEFAULT
from session_frames.storage.private_state import PrivateState
from session_frames.storage.raw_store import RawStore, Source
folder, frame, *paths = sys.argv[1:]
store = RawStore(PrivateState(folder))
print("ready", flush=True)
for path in paths:
    with open(path, "rb") as file:
        print(store.save(frame, Source(file, "claude-code", "s"), DEFAULT, "2026-06-02T10:00:00Z").change, flush=True)
"""


def saving(folder: Path, *paths: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", _SAVES, str(folder), FRAME, *map(str, paths)]
    return subprocess.Popen(command, stdout=subprocess.PIPE)


def test_killed_at_any_moment_the_old_or_the_new_is_there(tmp_path: Path) -> None:
    states = [b"".join(record(number, "k" * 200_000) for number in range(1, 4 * at + 1)) for at in range(1, 7)]
    paths = [tmp_path / f"{at}.jsonl" for at in range(len(states))]
    for path, state in zip(paths, states, strict=True):
        path.write_bytes(state)
    whole = 0
    for attempt in range(12):
        folder = tmp_path / f"common {attempt}"
        process = saving(folder, *paths)
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        time.sleep(random.Random(attempt).uniform(0, 0.1 * (attempt + 1)))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        store = RawStore(PrivateState(str(folder)))
        assert store.list_damage(FRAME) == []
        if store.find(FRAME):
            assert b"".join(store.iter_bytes(FRAME)) in states
            whole += 1
        with paths[-1].open("rb") as file:
            store.save(FRAME, Source(file, "claude-code", "s"), DEFAULT, "2026-06-02T10:00:00Z")
        assert b"".join(store.iter_bytes(FRAME)) == states[-1]
        held = {segment["file"] for segment in (store.find(FRAME) or {"segments": []})["segments"]}
        assert set(os.listdir(store.folder(FRAME))) == held | {"manifest.json"}
    assert whole > 0


def test_twenty_saves_at_once(tmp_path: Path) -> None:
    paths = [tmp_path / f"{at}.jsonl" for at in range(20)]
    for at, path in enumerate(paths, 1):
        path.write_bytes(b"".join(record(number, "p" * 5000) for number in range(10 * at)))
    processes = [saving(tmp_path / "common", path) for path in paths]
    told = [process.communicate()[0].decode().split() for process in processes]
    assert [process.returncode for process in processes] == [0] * 20
    assert {change for _, change in told} <= {NEW, GROWN, SHORTER}
    store = RawStore(PrivateState(str(tmp_path / "common")))
    assert store.list_damage(FRAME) == []
    assert b"".join(store.iter_bytes(FRAME)) == paths[-1].read_bytes()


# ---------------------------------------------------------------------------------------------------------------------
# The command line


def session(repo: Path, turns: int = 4) -> Session:
    made_up = Session(repo)
    for at in range(turns):
        made_up.user(f"please do part {at}").agent(f"part {at} is done")
    return made_up


def listed(repo: Path) -> Any:
    (one,) = json_lines("raw", "list", "--json", cwd=repo)
    return one


def test_close_keeps_it_and_show_gives_it_back(repo: Path) -> None:
    path = session(repo).save(repo / "s.jsonl")
    frames("close", "--transcript", "s.jsonl", cwd=repo)
    assert frames("show", "--raw", cwd=repo).stdout == path.read_bytes()
    session(repo, 6).save(path)
    frames("import", "s.jsonl", cwd=repo)
    assert frames("show", "--raw", cwd=repo).stdout == path.read_bytes()
    one = listed(repo)
    assert (one["agent"], one["source"], one["raw_size"]) == ("claude-code", "s.jsonl", path.stat().st_size)
    assert (one["secrets"], one["damage"]) == (0, [])
    shown = out("raw", "list", cwd=repo)
    assert one["topic"] in shown
    assert shown.endswith("today  1 segment\n" + shown.split("\n")[1] + "\n")
    assert git("status", "--porcelain", "--untracked-files=no", cwd=repo).count("\n") == 1
    assert "s.jsonl" not in git("for-each-ref", cwd=repo)


def test_piped_from_standard_input(repo: Path) -> None:
    text = session(repo).text.encode()
    frames("close", "--transcript", "-", cwd=repo, stdin=text)
    assert frames("show", "--raw", cwd=repo).stdout == text
    grown = session(repo, 6).text.encode()
    frames("import", "-", cwd=repo, stdin=grown)
    assert frames("show", "--raw", cwd=repo).stdout == grown
    assert listed(repo)["source"] == "standard input"


def test_every_session_of_this_machine(repo: Path) -> None:
    path = session(repo).save_at_home()
    frames("import", "--all", cwd=repo)
    assert frames("show", "--raw", listed(repo)["id"], cwd=repo).stdout == path.read_bytes()


def test_a_setting_turns_it_off(repo: Path) -> None:
    git("config", "frames.raw", "no", cwd=repo)
    session(repo).save(repo / "s.jsonl")
    frames("close", "--transcript", "s.jsonl", cwd=repo)
    assert err("raw", "list", cwd=repo, code=1) == "no raw transcripts are kept\n"
    said = err("show", "--raw", cwd=repo, code=1)
    assert said.startswith("error: no raw transcript of frame '")
    assert said.endswith("' is kept\nhint: frames import of its transcript keeps it\n")


def test_the_frame_does_not_suffer_where_it_cannot_be_kept(repo: Path) -> None:
    session(repo).save(repo / "s.jsonl")
    (repo / ".git/frames").mkdir()
    (repo / ".git/frames/raw").write_text("in the way")
    said = frames("close", "--transcript", "s.jsonl", cwd=repo).stderr.decode()
    assert said.startswith(f"warning: raw: not kept: cannot create folder '{repo}/.git/frames/raw/")
    assert len(json_lines("list", "--json", cwd=repo)) == 1


def test_dry_runs_and_frames_keep_nothing(repo: Path) -> None:
    session(repo).save(repo / "s.jsonl")
    frames("close", "--transcript", "s.jsonl", "--dry-run", cwd=repo)
    frames("import", "s.jsonl", "--dry-run", cwd=repo)
    assert err("raw", "list", cwd=repo, code=1) == "no raw transcripts are kept\n"
    git("config", "frames.raw", "false", cwd=repo)
    frames("close", "--transcript", "s.jsonl", cwd=repo)
    git("config", "--unset", "frames.raw", cwd=repo)
    (repo / "f.json").write_text(out("export", cwd=repo))
    frames("import", "f.json", cwd=repo)
    assert err("raw", "list", cwd=repo, code=1) == "no raw transcripts are kept\n"


def test_a_database_is_not_kept(kept: Kept) -> None:
    kept.path = kept.path.with_suffix(".db")
    with closing(sqlite3.connect(kept.path)) as database:
        database.executescript("CREATE TABLE session (id TEXT, words TEXT); INSERT INTO session VALUES ('a', 'b')")
    assert kept.save().manifest is None
    assert not kept.folder.exists()


def test_a_file_of_several_sessions_is_not_kept_and_that_is_said_once(repo: Path) -> None:
    chats = [f"# aider chat started at 2026-06-02 1{at}:00:00\n\n#### do {at}\n\ndone {at}\n\n" for at in range(3)]
    (repo / "chats.md").write_text("".join(chats))
    said = frames("import", "chats.md", cwd=repo)
    assert len(json_lines("list", "--json", cwd=repo)) == 3
    assert said.stderr.decode() == "warning: raw: not kept, 'chats.md' holds several sessions\n"
    assert err("raw", "list", cwd=repo, code=1) == "no raw transcripts are kept\n"
    (repo / "chat.md").write_text(chats[0])
    assert frames("import", "chat.md", cwd=repo).stderr == b""
    assert frames("show", "--raw", listed(repo)["id"], cwd=repo).stdout == chats[0].encode()


def test_of_a_session_in_many_files_nothing_is_kept(repo: Path) -> None:
    facts = {
        "id": "ses_1",
        "projectID": "p",
        "directory": str(repo),
        "title": "T",
        "version": "1",
        "time": {"created": 1},
    }
    message = {"id": "msg_1", "sessionID": "ses_1", "role": "user", "time": {"created": 2}}
    part = {"id": "prt_1", "messageID": "msg_1", "sessionID": "ses_1", "type": "text", "text": "please do it"}
    for path, value in (
        ("session/p/ses_1.json", facts),
        ("message/ses_1/msg_1.json", message),
        ("part/msg_1/prt_1.json", part),
    ):
        (repo / "storage" / path).parent.mkdir(parents=True)
        (repo / "storage" / path).write_text(json.dumps(value))
    source = "storage/session/p/ses_1.json"
    said = frames("import", source, cwd=repo).stderr.decode()
    assert said == f"warning: raw: not kept, what is said in '{source}' lies in files beside it\n"
    assert err("raw", "list", cwd=repo, code=1) == "no raw transcripts are kept\n"


def test_secrets_are_in_no_segment(repo: Path) -> None:
    key, word = made("gh" + "p_", 36, 8), made("", 12, 9)
    made_up = session(repo).user(f"use {key}").agent("ok").bash("env", f"PATH=/bin\nPGPASSWORD={word}\n{pem()}")
    name = f"dump-{key}.jsonl"
    made_up.save(repo / name)
    frames("close", "--transcript", name, cwd=repo)
    kept = unpacked(repo / ".git/frames/raw") + b"".join(
        path.read_bytes() for path in (repo / ".git/frames/raw").rglob("*.json")
    )
    for secret in (key, word, *pem().split("\n")[1:-1]):
        assert secret.encode() not in kept
    assert listed(repo)["source"] == "dump-[redacted:github-token].jsonl"
    assert listed(repo)["secrets"] == 3
    lines = frames("show", "--raw", cwd=repo).stdout.split(b"\n")
    source = (repo / name).read_bytes().split(b"\n")
    assert [new == old for new, old in zip(lines, source, strict=True)].count(False) == 2


def test_a_damaged_one_is_not_given_back(repo: Path) -> None:
    session(repo).save(repo / "s.jsonl")
    frames("close", "--transcript", "s.jsonl", cwd=repo)
    (segment,) = (repo / ".git/frames/raw").rglob("*.zst")
    data = bytearray(segment.read_bytes())
    data[len(data) // 2] ^= 0xFF
    segment.write_bytes(data)
    told = "segment '0001.zst' of the raw transcript is damaged: it can't be decompressed"
    assert err("show", "--raw", cwd=repo, code=4).split("\n")[0] == f"error: {told}"
    assert "please do part 0" in out("show", cwd=repo)
    done = frames("raw", "list", "--check", "--json", cwd=repo, code=4)
    assert json.loads(done.stdout)["damage"] == [told]
    assert done.stderr.decode() == f"warning: {listed(repo)['id'][:6]}: {told}\n"


def test_pruning_by_age_and_size(repo: Path) -> None:
    for name, at in (("aa", 1), ("bb", 2), ("cc", 3)):
        Session(repo, f"{name}1c9a2e-0000-4000-8000-00000000c0de").user(f"part {at}").agent("done").save(
            repo / f"{name}.jsonl"
        )
        frames("import", f"{name}.jsonl", cwd=repo)
    ids = [one["id"] for one in json_lines("raw", "list", "--json", cwd=repo)]
    for days, frame_id in ((1, ids[0]), (20, ids[1]), (40, ids[2])):
        path = repo / ".git/frames/raw" / frame_id / "manifest.json"
        manifest = json.loads(path.read_text())
        manifest["saved_at"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - days * 86400 - 60))
        path.write_text(json.dumps(manifest))
    assert [line.split("  ")[-2] for line in out("raw", "list", cwd=repo).splitlines()[:3]] == [
        "1 day", "20 days", "40 days",
    ]  # fmt: skip

    would = json_lines("raw", "prune", "--older-than", "10", "--dry-run", "--json", cwd=repo)
    assert [(one["id"], one["removed"]) for one in would] == [(ids[2], False), (ids[1], False)]
    assert out("raw", "prune", "--older-than", "30", cwd=repo).splitlines()[-1].startswith("removed: 1 transcript, ")
    assert [one["id"] for one in json_lines("raw", "list", "--json", cwd=repo)] == ids[:2]
    assert out("raw", "prune", "--keep-under", "1", cwd=repo) == "nothing to remove\n"
    assert out("raw", "prune", "--keep-under", "0", cwd=repo).splitlines()[-1].startswith("removed: 2 transcripts, ")
    assert os.listdir(repo / ".git/frames/raw") == []
    assert len(json_lines("list", "--json", cwd=repo)) == 3
    assert err("raw", "prune", cwd=repo, code=2) == (
        "error: say what to remove\nhint: frames raw prune --older-than DAYS or --keep-under MB\n"
    )


def test_raw_goes_with_nothing_else(repo: Path) -> None:
    session(repo).save(repo / "s.jsonl")
    frames("close", "--transcript", "s.jsonl", cwd=repo)
    for option in (("--turns", "1"), ("--json",), ("--format", "md")):
        said = err("show", "--raw", *option, cwd=repo, code=2)
        assert said == "error: --raw gives the whole transcript: no --turns, --format or --json with it\n"


# ---------------------------------------------------------------------------------------------------------------------
# Rules that came later

BIRD = policy([Rule("bird", ("kestrel",), r"kestrel\w+")])


def test_a_later_rule_cleans_what_is_kept_when_the_source_is_read_again(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    secret = "kestrel" + "Canary" * 3
    kept.save(records(1, 2) + record(3, secret))
    assert secret.encode() in kept.text()
    for data in (None, record(4, secret)):  # unchanged, then grown
        if data:
            with kept.path.open("ab") as file:
                file.write(data)
        with kept.path.open("rb") as file:
            kept.store.save(FRAME, Source(file, "claude-code", "s.jsonl"), BIRD, "2026-06-02T11:00:00Z")
        assert secret.encode() not in kept.text()
        assert kept.text().count(b"[redacted:bird]") == (2 if data else 1)
        assert sum(segment["secrets"] for segment in kept.manifest["segments"]) == (2 if data else 1)
    assert kept.text().splitlines()[0] + b"\n" == record(1)
    assert set(os.listdir(kept.folder)) == {"manifest.json", *(one["file"] for one in kept.manifest["segments"])}
    before = kept.manifest
    with kept.path.open("rb") as file:
        saved = kept.store.save(FRAME, Source(file, "claude-code", "s.jsonl"), BIRD, "2026-06-02T12:00:00Z")
    assert saved == Saved(before, UNCHANGED)


def test_what_its_source_has_lost_is_cleaned_as_well(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    secret = "kestrel" + "Canary" * 3
    kept.save(records(1, 3) + record(4, secret) + b"no record " + secret.encode() + b"\n" + records(5, 6))
    kept.path.write_bytes(records(1, 2))
    with kept.path.open("rb") as file:
        saved = kept.store.save(FRAME, Source(file, "claude-code", "s.jsonl"), BIRD, "2026-06-02T11:00:00Z")
    assert saved.change == SHORTER
    assert secret.encode() not in kept.text()
    assert kept.text().count(b"\n") == 7


def test_a_manifest_that_names_no_rules_is_cleaned_once(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    kept.save(records(1, 3))
    manifest: dict[str, Any] = {**kept.manifest}
    del manifest["rules"]
    (kept.folder / "manifest.json").write_text(json.dumps(manifest))
    assert kept.manifest["rules"] == ""
    kept.store.clean(FRAME, DEFAULT)
    assert kept.manifest["rules"] == policy_digest(DEFAULT)
    assert kept.manifest["segments"] == manifest["segments"]


@pytest.mark.parametrize("verb", [("show", "--raw"), ("doctor", "--fix")])
def test_a_rule_of_the_team_cleans_raw_transcripts_wherever_they_are_looked_at(
    repo: Path, verb: tuple[str, ...]
) -> None:
    secret = "kestrel" + "Canary" * 3
    out("init", cwd=repo)
    Session(repo).user(f"the bird is called {secret}").agent("ok").save(repo / "s.jsonl")
    out("import", "s.jsonl", cwd=repo)
    (repo / "s.jsonl").unlink()
    assert secret in out("show", "--raw", cwd=repo)
    rule = "redaction:\n  rules:\n    - name: bird\n      literals: [kestrel]\n      pattern: 'kestrel\\w+'\n"
    (repo / ".copilot/config.yaml").write_text(rule)
    told = out("doctor", cwd=repo, code=1)
    assert "1 raw transcript was redacted by other rules than those of today" in told
    assert secret not in out(*verb, cwd=repo)
    (folder,) = (repo / ".git/frames/raw").iterdir()
    kept = b"".join(zstandard.ZstdDecompressor().decompress(path.read_bytes()) for path in folder.glob("*.zst"))
    assert secret.encode() not in kept
    assert b"[redacted:bird]" in kept
    assert "other rules" not in out("doctor", cwd=repo)
