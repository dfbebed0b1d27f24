"""Planted secrets: after the whole loop none is in an object, the index, a file of the private area or a message."""

from __future__ import annotations

import base64
import os
import random
import string
import subprocess
import zlib
from pathlib import Path

import pytest
from command_line import Session, frames, git

_LETTERS = string.ascii_letters + string.digits


def _made(prefix: str, length: int, seed: int, letters: str = _LETTERS) -> str:
    return prefix + "".join(random.Random(seed).choices(letters, k=length))


def _secrets() -> dict[str, str]:
    """Made when they are needed, so that no key-shaped string stands in this file."""
    return {
        "anthropic": _made("sk-" + "ant-api03-", 93, 1) + "AA",
        "github": _made("gh" + "p_", 36, 2),
        "github-fine": _made("github_" + "pat_", 82, 3),
        "slack": "xox" + "b-" + "1234567890-1234567890-" + _made("", 24, 4),
        "aws": _made("AK" + "IA", 16, 5, string.ascii_uppercase + "234567"),
        "stripe": _made("wh" + "sec_", 32, 6),
        "supabase": _made("sb_" + "secret_", 31, 7),
        "password": _made("", 12, 8),
    }


def _pem() -> str:
    body = base64.b64encode(random.Random(9).randbytes(96)).decode()
    lines = [body[at : at + 64] for at in range(0, len(body), 64)]
    return "\n".join(["-----BEGIN " + "RSA PRIVATE KEY-----", *lines, "-----END " + "RSA PRIVATE KEY-----"])


def _everything(repo: Path) -> bytes:
    """Every byte under the repository, every object unpacked, wherever it is."""
    parts = [path.read_bytes() for path in repo.rglob("*") if path.is_file()]
    parts += [os.fsencode(str(path.relative_to(repo))) for path in repo.rglob("*")]
    parts.append(subprocess.run(
        ["git", "cat-file", "--batch-all-objects", "--batch"], cwd=repo, capture_output=True, check=True
    ).stdout)  # fmt: skip
    for path in (repo / ".git/objects").rglob("*"):
        if path.is_file() and path.parent.name not in ("pack", "info"):
            parts.append(zlib.decompress(path.read_bytes()))
    return b"\n".join(parts)


@pytest.fixture
def planted(repo: Path, tmp_path: Path) -> tuple[Path, Path, list[str]]:
    secrets = _secrets()
    pem = _pem()
    team = "INT-" + _made("", 10, 10, string.digits)
    (repo / ".copilot").mkdir()
    (repo / ".copilot/config.yaml").write_text(
        "redaction:\n  rules:\n    - name: internal-ticket-key\n      pattern: 'INT-[0-9]{10}'\n"
    )
    session = Session(repo)
    session.user(f"비밀번호는 {secrets['password']} 이고, password: {secrets['password']}\nkey={secrets['anthropic']}")
    session.agent(f"I use {secrets['github']} now. Decision: keep {secrets['slack']} in the vault. {team}")
    session.bash(f"curl -H 'Authorization: Bearer {secrets['github-fine']}' https://example.org", "ok")
    environment = f"PATH=/bin\nAWS_ACCESS_KEY_ID={secrets['aws']}\nPGPASSWORD={secrets['password']}\nHOME=/root"
    session.bash("env", environment)
    session.bash("cat key.pem", "\n".join(f"{at:6}\t{line}" for at, line in enumerate(pem.split("\n"), 1)))
    session.write(
        "settings.py", f"WEBHOOK = '{secrets['stripe']}'\nDATABASE = 'postgres://app:{secrets['password']}@db/x'\n"
    )
    session.write(f"dump-{secrets['supabase']}.txt", "nothing to see here\n")
    session.user(f"use {secrets['stripe']}, not the other. " + pem.replace("\n", "\\n"))
    transcript = session.save(tmp_path / "s.jsonl")
    lines = [line for line in pem.split("\n") if not line.startswith("-----")]
    return repo, transcript, [*secrets.values(), *lines, team]


def test_after_the_whole_loop(planted: tuple[Path, Path, list[str]]) -> None:
    repo, transcript, secrets = planted
    key = secrets[0]
    said = [frames("init", cwd=repo)]
    said.append(frames("start", f"topic {key}", "--goal", f"reach {key}", cwd=repo))
    said.append(frames("close", "--dry-run", "--transcript", str(transcript), cwd=repo))
    said.append(
        frames(
            "close",
            "--transcript",
            str(transcript),
            "--topic",
            f"한글 {key}",
            "--commit",
            "-m",
            f"with {key}",
            cwd=repo,
        )
    )
    said.append(frames("import", str(transcript), "--topic", f"again {key}", cwd=repo))
    for verb in ("list", "show", "log", "resume", "status", "validate", "doctor"):
        said.append(frames(verb, cwd=repo, code=0))
    said += [frames("export", "--format", form, cwd=repo) for form in ("json", "yaml", "md")]
    git("add", "-A", cwd=repo)
    git("commit", "-q", "--allow-empty", "-m", "rest", cwd=repo)
    words = b"".join(done.stdout + done.stderr for done in said)
    stored = _everything(repo)
    home = b"".join(path.read_bytes() for path in Path(os.environ["HOME"]).rglob("*") if path.is_file())
    for secret in secrets:
        for place, content in (("the repository", stored), ("what was said", words), ("the home folder", home)):
            assert secret.encode() not in content, f"{secret[:8]}… is in {place}"
    assert b"[redacted:" in words


def test_an_imported_frame_is_redacted_as_well(planted: tuple[Path, Path, list[str]], tmp_path: Path) -> None:
    repo, _, secrets = planted
    frame = {
        "frame": "1.0",
        "id": "0123456789abcdef01234567",
        "topic": f"t {secrets[0]}",
        "status": "closed",
        "goal": secrets[1],
        "session": {"agent": "claude-code", "session_id": "s" * 36},
        "decisions": [{"id": "a" * 8, "text": f"use {secrets[2]}", "status": "accepted", "by": "user"}],
        "turns": [
            {"id": "u1", "role": "user", "text": secrets[0], "note": secrets[3]},
            {"id": "a1", "role": "agent", "calls": [
                {"id": "c", "tool": "Bash", "arguments": {"command": f"echo {secrets[1]}"}, "outcome": "passed"}]},
        ],
        "x_tool": {"free": secrets[4]},
    }  # fmt: skip
    import json

    (tmp_path / "f.json").write_text(json.dumps(frame))
    frames("import", str(tmp_path / "f.json"), cwd=repo)
    git("add", "-A", cwd=repo)
    git("commit", "-q", "-m", "rest", cwd=repo)
    stored = _everything(repo)
    assert [secret[:8] for secret in secrets[:5] if secret.encode() in stored] == []
    shown = json.loads(frames("show", "0123456789", "--json", cwd=repo).stdout)
    assert shown["session"]["session_id"] == "s" * 36
    assert len(shown["redactions"]) >= 6


def test_ids_hashes_and_paths_are_spared(repo: Path, tmp_path: Path) -> None:
    commit = "4c1e7b2f9a0d3e5f6a7b8c9d0e1f2a3b4c5d6e7f"
    text = (
        f"see {commit} and 7f3a9c1d-1b2c-4d3e-8f90-a1b2c3d4e5f6, "
        f"sha512-{base64.b64encode(b'x' * 64).decode()}, /srv/app/Volumes/Quick/Prop2/data, "
        'input_cost_per_token: 1.4e-06, os.environ/MY_API_KEY, $TOKEN, <YOUR_KEY>, apiKey == "", sk-ant-...'
    )
    Session(repo).user(text).agent("ok").save(tmp_path / "s.jsonl")
    frames("import", str(tmp_path / "s.jsonl"), cwd=repo)
    import json

    shown = json.loads(frames("show", "--json", cwd=repo).stdout)
    assert shown["turns"][0]["text"] == text
    assert "redactions" not in shown


def test_a_bad_rule_of_the_team_is_named(repo: Path, tmp_path: Path) -> None:
    (repo / ".copilot").mkdir()
    (repo / ".copilot/config.yaml").write_text("redaction:\n  rules:\n    - name: broken\n      pattern: '['\n")
    Session(repo).user("hello there").agent("ok").save(tmp_path / "s.jsonl")
    done = frames("import", str(tmp_path / "s.jsonl"), cwd=repo, code=2)
    assert b"broken" in done.stderr
    (repo / ".copilot/config.yaml").write_text("redaction: [\n")
    done = frames("import", str(tmp_path / "s.jsonl"), cwd=repo, code=4)
    assert b"'.copilot/config.yaml' is not valid YAML at line 2" in done.stderr


def test_a_key_in_a_session_id_is_taken_out(repo: Path, tmp_path: Path) -> None:
    key = _secrets()["anthropic"]
    Session(repo, key).user("hello there").agent("ok").save(tmp_path / f"{key}.jsonl")
    frames("close", "--transcript", str(tmp_path / f"{key}.jsonl"), "--commit", cwd=repo)
    assert key.encode() not in _everything(repo)


def test_a_rule_that_comes_later_cleans_what_was_kept(repo: Path, tmp_path: Path) -> None:
    secret = "whk_" + _made("", 20, 12, string.ascii_lowercase + string.digits)
    Session(repo).user(f"use {secret} for the hook").agent(f"{secret} it is").save(tmp_path / "s.jsonl")
    frames("import", str(tmp_path / "s.jsonl"), "--topic", f"hook {secret}", cwd=repo)
    (first,) = (repo / ".copilot/sessions").iterdir()
    assert secret in first.read_text()
    rule = "redaction:\n  rules:\n    - name: hook-key\n      pattern: 'whk_[a-z0-9]{20}'\n"
    (repo / ".copilot/config.yaml").write_text(rule)
    frames("close", "--transcript", str(tmp_path / "s.jsonl"), cwd=repo)
    (path,) = (repo / ".copilot/sessions").iterdir()
    assert secret not in path.read_text()
    assert secret not in path.name
    assert git("status", "--porcelain", "--", ".copilot/sessions", cwd=repo) == f"A  .copilot/sessions/{path.name}\n"


def test_a_misspelt_setting_is_told(repo: Path, tmp_path: Path) -> None:
    Session(repo).user("hello there").agent("ok").save(tmp_path / "s.jsonl")
    (repo / ".copilot").mkdir()
    for text, key in (("redaction:\n  rule: []\n", "redaction.rule"), ("redact: {}\n", "redact")):
        (repo / ".copilot/config.yaml").write_text(text)
        done = frames("import", str(tmp_path / "s.jsonl"), cwd=repo, code=2)
        assert f"unknown setting '{key}'".encode() in done.stderr
        assert b"hint: known: redaction" in done.stderr
