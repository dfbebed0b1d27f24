"""Each benchmark runs on a tiny history; no figure is looked at here. The page is one that the script wrote."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "benchmarks" / "run.py"
HEAD = "| what | floor | ratio | quartiles | on the clock | goal | |"
FIGURES = {
    "startup": 2, "log": 14, "blame": 2, "past": 5, "hooks": 3, "import": 2, "grown": 3, "merge": 2, "redaction": 2,
}  # fmt: skip
LONG = {"log": 5}
"""Figures more, where a history of 100,000 commits was measured as well."""


def run(*args: str) -> subprocess.CompletedProcess[str]:
    sizes = ("--rounds", "1", "--commits", "10", "--megabytes", "0.05")
    return subprocess.run([sys.executable, str(SCRIPT), *args, *sizes], capture_output=True, text=True)


@pytest.mark.parametrize("name", [*FIGURES, "large"])
def test_a_tiny_run(name: str) -> None:
    done = run(name)
    assert done.returncode == 0, done.stderr
    head, _, *rows = done.stdout.splitlines()
    assert head == HEAD
    assert len(rows) == FIGURES.get(name, 1)


def test_unknown_names_are_refused() -> None:
    done = run("nothing")
    assert done.returncode == 2
    assert "no such benchmark: nothing" in done.stderr


def test_the_page_is_what_the_script_writes() -> None:
    page = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    assert "written by benchmarks/run.py" in page
    tables = [part.partition("\n\n")[0].strip("\n").splitlines()[1:] for part in page.split(HEAD)[1:]]
    assert len(tables) == len(FIGURES)
    for (name, count), rows in zip(FIGURES.items(), tables, strict=True):
        assert len(rows) in (count, count + LONG.get(name, 0)), name


def test_structural_compaction_of_the_fixtures_loses_no_word() -> None:
    script = ROOT / "benchmarks" / "compaction.py"
    done = subprocess.run([sys.executable, str(script), "--fixtures"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    *_, total, _, summary = done.stdout.splitlines()
    assert total.startswith("| all | ")
    assert summary.endswith(", 0 words lost")
    assert float(summary.split("%")[0]) >= 20
    page = (ROOT / "docs" / "compaction.md").read_text(encoding="utf-8")
    *_, recorded = page.partition("written by benchmarks/compaction.py")[2].partition("<!-- end")[0].splitlines()
    assert recorded.startswith("| all | ")
    assert recorded.endswith(" | 0 |")
