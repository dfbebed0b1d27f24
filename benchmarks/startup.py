"""What it takes to start."""

from __future__ import annotations

from collections.abc import Iterator

from measure import FRAMES, PYTHON, Bench, Figure, Side


def figures(bench: Bench) -> Iterator[Figure]:
    """``--version`` beside an installer's script that does nothing, ``--help`` beside the library that makes it."""
    script = Side("`python -c 'import re, sys'`", (PYTHON, "-c", "import re, sys"), bench.folder)
    click = Side("`python -c 'import click'`", (PYTHON, "-c", "import click"), bench.folder)
    yield bench.figure("`frames --version`", script, Side("", (FRAMES, "--version"), bench.folder), goal=1.3)
    yield bench.figure("`frames --help`", click, Side("", (FRAMES, "--help"), bench.folder), goal=1.3)
