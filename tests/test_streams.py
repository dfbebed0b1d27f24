"""The edges of a process: streams that are closed, readers that leave, an interrupt, a locale that is not UTF-8."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_line import Session, git, interruptible, out

FRAMES = f"{sys.executable} -m session_frames"


def shell(command: str, cwd: Path, **environ: str) -> subprocess.CompletedProcess[bytes]:
    """Run a line of bash; ``frames`` in it is the program."""
    command = command.replace("frames", FRAMES, 1)
    return subprocess.run(["bash", "-c", command], cwd=cwd, capture_output=True, env={**os.environ, **environ})


@pytest.fixture
def kept(repo: Path) -> Path:
    session = Session(repo)
    for at in range(100):
        session.user(f"question {at} " + "x" * 2000).agent("answer")
    session.save(repo / "s.jsonl")
    out("import", "s.jsonl", "--topic", "럴", cwd=repo)
    git("add", "-A", cwd=repo)
    git("commit", "-q", "-m", "frame", cwd=repo)
    return repo


WRITES = [
    "list",
    "list --json",
    "show",
    "show --json",
    "export",
    "log --json",
    "status",
    "--help",
    "--version",
    "list -h",
]


@pytest.mark.parametrize("verb", WRITES)
def test_standard_output_is_closed(kept: Path, verb: str) -> None:
    done = shell(f"frames {verb} >&-", kept)
    assert done.returncode == 5
    assert done.stderr.decode() == "error: cannot write to standard output: bad file descriptor\n"


def test_all_streams_are_closed(kept: Path) -> None:
    assert shell("frames close <&- >&- 2>&-", kept).returncode == 1
    assert shell("frames list <&- 2>&-", kept).stdout
    assert b"the file is empty" in shell("frames import - <&-", kept).stderr
    assert shell("frames textconv .copilot/sessions/* <&- 2>&-", kept).stdout


@pytest.mark.parametrize("verb", [*WRITES, "textconv .copilot/sessions/*"])
def test_the_reader_has_gone(kept: Path, verb: str) -> None:
    done = shell(f"set -o pipefail; (sleep 0.1; frames {verb} 2>err) | exec 0<&-", kept)
    assert (done.returncode, done.stdout, (kept / "err").read_bytes()) == (141, b"", b"")


@pytest.mark.parametrize("verb", ["show", "show --json", "export"])
def test_the_reader_leaves_early(kept: Path, verb: str) -> None:
    done = shell(f"frames {verb} | head -c 1 >/dev/null; exit ${{PIPESTATUS[0]}}", kept)
    assert (done.returncode, done.stderr) == (141, b"")


def test_a_locale_that_is_not_utf_8(kept: Path) -> None:
    for verb in ("show", "list --topic 럴", "show 럴", "export --format md", "resume"):
        done = shell(f"frames {verb}", kept, PYTHONUTF8="0", LC_ALL="C")
        assert (done.returncode, done.stderr) == (0, b""), verb
        assert "럴".encode() in done.stdout
    (kept / "한글.jsonl").write_text(Session(kept, "99999999-0000-4000-8000-00000000c0de").user("hi").agent("ok").text)
    done = shell("frames import 한글.jsonl --topic 제목", kept, PYTHONUTF8="0", LC_ALL="C")
    assert "제목".encode() in done.stdout, done.stderr


@pytest.mark.parametrize("wait", [0.03, 0.06, 0.1, 0.2])
def test_an_interrupt_while_it_starts(repo: Path, wait: float) -> None:
    command = [
        sys.executable,
        "-c",
        "from session_frames.__main__ import main; print(flush=True); main()",
        "close",
        "--transcript",
        "-",
    ]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(command, cwd=repo, preexec_fn=interruptible, **pipes)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(wait)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (130, b"interrupted\n")
