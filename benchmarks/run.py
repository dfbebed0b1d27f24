#!/usr/bin/env python3
"""Measure frames beside the least that the same work can cost, and write docs/performance.md.

    python benchmarks/run.py [NAME…] [--write] [--long] [--rounds N] [--commits N] [--megabytes M] [--folder DIR]

Without a NAME everything is measured and the page is written; with some, their figures are printed, and with --write
they take the place of those of the same name on the page. --long measures a history of 100,000 commits besides, which
takes some minutes to make.
"""

from __future__ import annotations

import argparse
import os
import platform
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

import git_history
import growing
import hooks
import importing
import linking
import merging
import redaction
import startup
from measure import Bench, Figure

PAGE = Path(__file__).resolve().parents[1] / "docs" / "performance.md"
MARK = "<!-- written by benchmarks/run.py -->"

# Name -> heading on the page, and what is measured. The last one holds a whole transcript in this process.
BENCHMARKS: Mapping[str, tuple[str, Callable[[Bench], Iterator[Figure]]]] = {
    "startup": ("Starting", startup.figures),
    "log": ("History", git_history.figures),
    "blame": ("Blame", git_history.blame_figures),
    "past": ("The past, at once", linking.figures),
    "hooks": ("Hooks", hooks.figures),
    "import": ("Transcripts", importing.figures),
    "grown": ("Grown transcripts", growing.figures),
    "merge": ("Merging and checking", merging.figures),
    "redaction": ("Redaction", redaction.figures),
}
# Too slow to be measured unless they are named.
ON_REQUEST: Mapping[str, Callable[[Bench], Iterator[Figure]]] = {"large": importing.large_figures}

_HEAD = f"""\
# Performance

{MARK}

Each figure is how many times the processor time of its floor a thing takes: the least that the same work can cost, as a
process that ran right before it. The median of all pairs stands first, then the quartiles, then the same ratio on the
clock. Ratios hold from machine to machine, milliseconds do not.
"""

_TAIL = """\
## What the figures rest on

- **`frames log` is `git log`.** frames makes sure that index and notes know every tip, with one process of git and
  three queries, and then git takes the place of the process: graph, colours, pager and every option are git's own. That
  look imports nothing but SQLite's module: a screen costs an interpreter's start and git, however long the history is.
- **`frames blame` is `git blame`.** While nothing changes that its answer rests on, git's work is all there is.
- **What is shown is compared.** Links inferred from content need the diff of a commit: those of the commits that
  `frames log -30` shows, of all others when they are asked for, once.
- **Nothing is read twice.** Commits and blobs never change their meaning, so the index is keyed by their ids and only
  what no ref reached before is read, by three processes of git whatever its size.
- **What starts often imports little.** Hooks, the drivers, `log` and `--version` go around the command line; libraries
  that are slow to load are imported where they are used.
- **Hooks are shell until there is something to do.** Without a session a commit pays for a few tests of files and one
  `git diff --cached` once the tree holds frames. The ordinary commit of a session starts one interpreter, in
  pre-commit; what the later hooks need lies ready for their shell.
- **git runs ahead of its reader.** `GIT_FLUSH=0` and a pipe of 1 MiB: by default git flushes after each commit.
- **Transcripts are read line by line**, redacted as decoded strings before anything is cut, and never held whole.
- **A session that grew is read on.** What is left to do then grows with the frame, not with the transcript; the one
  measured here has the words and calls of some weeks, and a frame of 7 MB.

## Measuring again

    make bench

or `python benchmarks/run.py NAME…` for some of {names}. All repositories and transcripts are made anew in a temporary
folder, the same ones each time.
"""


def page_text(tables: Mapping[str, str]) -> str:
    """The page for these tables, by the name of what they measure."""
    names = ", ".join(f"`{name}`" for name in BENCHMARKS)
    parts = [f"## {heading}\n\n{tables[name]}" for name, (heading, _) in BENCHMARKS.items() if name in tables]
    return "\n".join([_HEAD, f"Measured with {_versions()}.\n", *parts, _TAIL.replace("{names}", names)])


def tables_of(page: str) -> dict[str, str]:
    """The tables of a page, by name."""
    headings = {heading: name for name, (heading, _) in BENCHMARKS.items()}
    sections = (section.partition("\n\n") for section in page.split("\n## ")[1:])
    return {headings[heading]: text.rstrip("\n") + "\n" for heading, _, text in sections if heading in headings}


def table(figures: Sequence[Figure]) -> str:
    """The figures, one a line."""
    rows = [
        "| what | floor | ratio | quartiles | on the clock | goal | |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for figure in figures:
        goal = f"≤ {figure.goal:g}" if figure.goal else ""
        met = "" if figure.goal is None else "met" if figure.is_met else "not met"
        told = "; ".join(filter(None, (met, figure.note)))
        cells = (
            figure.what,
            figure.floor,
            f"{figure.cpu:.2f}",
            f"{figure.low:.2f} – {figure.high:.2f}",
            f"{figure.wall:.2f}",
            goal,
            told,
        )
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows) + "\n"


def _versions() -> str:
    git = subprocess.run(["git", "--version"], capture_output=True, text=True, check=True).stdout.split()[2]
    cores = os.cpu_count()
    return f"{cores} cores, Python {platform.python_version()}, git {git}, SQLite {sqlite3.sqlite_version}"


def measure(names: Sequence[str], bench: Bench) -> dict[str, list[Figure]]:
    """The figures of these benchmarks, told on standard error while they come."""
    figures: dict[str, list[Figure]] = {}
    for name in names:
        for figure in (BENCHMARKS[name][1] if name in BENCHMARKS else ON_REQUEST[name])(bench):
            figures.setdefault(name, []).append(figure)
            print(f"{name}: {figure.what}: {figure.cpu:.2f} x {figure.floor}", file=sys.stderr, flush=True)
    return figures


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join((*BENCHMARKS, *ON_REQUEST))}")
    parser.add_argument("--write", action="store_true", help="write the figures of these names to the page")
    parser.add_argument("--long", action="store_true", help="a history of ten times --commits besides")
    parser.add_argument("--rounds", type=int, default=21, help="pairs of each comparison")
    parser.add_argument("--commits", type=int, default=10_000, help="length of the history")
    parser.add_argument("--megabytes", type=float, default=24, help="size of the transcript")
    parser.add_argument("--folder", type=Path, help="where what is generated stays, to be used again")
    options = parser.parse_args()
    unknown = set(options.names) - BENCHMARKS.keys() - ON_REQUEST.keys()
    if unknown:
        parser.error(f"no such benchmark: {', '.join(sorted(unknown))}")
    with tempfile.TemporaryDirectory(prefix="frames-bench-") as temporary:
        folder = options.folder or Path(temporary)
        bench = Bench(folder.resolve(), options.rounds, options.commits, options.megabytes, options.long)
        figures = measure(options.names or list(BENCHMARKS), bench)
    tables = {name: table(found) for name, found in figures.items()}
    if options.names:
        print(table([figure for found in figures.values() for figure in found]), end="")
        tables = {**tables_of(PAGE.read_text(encoding="utf-8")), **tables}
    if options.write or not options.names:
        PAGE.write_text(page_text(tables), encoding="utf-8")


if __name__ == "__main__":
    main()
