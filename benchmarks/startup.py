"""What it takes to start."""

from __future__ import annotations

from collections.abc import Iterator

from measure import FRAMES, PYTHON, Bench, Figure, Side


def figures(bench: Bench) -> Iterator[Figure]:
    """``--version`` beside an empty program, ``--help`` beside the library that it is made with."""
    empty = Side("`python -c pass`", (PYTHON, "-c", "pass"), bench.folder)
    click = Side("`python -c 'import click'`", (PYTHON, "-c", "import click"), bench.folder)
    yield bench.figure("`frames --version`", empty, Side("", (FRAMES, "--version"), bench.folder), goal=1.6)
    yield bench.figure("`frames --help`", click, Side("", (FRAMES, "--help"), bench.folder), goal=1.3)
