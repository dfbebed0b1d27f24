"""The completion scripts work in the shells that they are for."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

# What asks a shell to complete the words of a command line as if the tab key had been pressed.
_ASK = {
    "bash": 'eval "$(frames completion bash)"; COMP_WORDS=({words}); COMP_CWORD={last}; _frames_completion frames; '
    'printf "%s\\n" "${{COMPREPLY[@]}}"',
    "zsh": 'autoload -Uz compinit; compinit -D; eval "$(frames completion zsh)"; '
    "compadd() {{ :; }}; _describe() {{ print -l ${{(P)3}}; }}; "
    "words=({words}); CURRENT={last}+1; _frames_completion",
    "fish": 'frames completion fish | source; complete -C"{words}" | cut -f1',
}


@pytest.mark.parametrize("shell", list(_ASK))
@pytest.mark.parametrize(
    ("words", "wanted"), [("frames va", "validate"), ("frames close --dr", "--dry-run"), ("frames una", "unarchive")]
)
def test_verbs_and_options_are_completed(
    shell: str, words: str, wanted: str, tmp_path: Path, environ: dict[str, str]
) -> None:
    program = shutil.which(shell, path=os.defpath)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    environ["PATH"] = os.pathsep.join((os.path.dirname(sys.executable), os.defpath))
    asked = _ASK[shell].format(words=words, last=len(words.split()) - 1)
    done = subprocess.run([program, "-c", asked], cwd=tmp_path, env=environ, capture_output=True, text=True)
    assert wanted in done.stdout.split(), done.stderr


def test_an_unknown_shell(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "session_frames", "completion", "ksh"], cwd=tmp_path, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "'ksh' is not one of 'bash', 'zsh', 'fish'" in done.stderr
