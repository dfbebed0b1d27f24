#!/usr/bin/env python3
"""How far the token estimates are off, by kind of text, and the factors made anew; writes docs/tokens.md.

    python benchmarks/token_estimates.py [--fit]

The exact counters (extra ``tokens``) have to be installed, and ctok also on Python 3.11 (pip's
``--ignore-requires-python``). The texts are those that a Debian system has anyway: translated messages and tutorials,
the standard library, headers, scripts, and this project's own pages and code.
"""

from __future__ import annotations

import argparse
import gettext
import glob
import platform
import random
import re
import statistics
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from importlib import metadata
from pathlib import Path
from pydoc_data.topics import topics
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from session_frames.operations.tokens import FACTORS, TRAITS, exact_counter, traits  # noqa: E402

PAGE = ROOT / "docs" / "tokens.md"
# How much a kind counts when the factors are fitted; prose is most of what is counted.
_WEIGHTS = {**dict.fromkeys(("en", "ko", "ja", "zh"), 2.0), "records full of ids": 0.5}
BEGIN, END = "<!-- measured from here -->", "<!-- to here -->"
SIZE = 6000  # characters of a slice
MOST = 4  # slices of one source

PROSE = {"en": "English", "ko": "Korean", "ja": "Japanese", "zh": "Chinese"}
_NAMES = {**PROSE, "ru": "Russian", "de": "German", "fr": "French", "es": "Spanish"}
_SCRIPT = {"ko": "[\uac00-\ud7a3]", "ja": "[\u3040-\u30ff]", "zh": "[\u4e00-\u9fff]", "ru": "[\u0400-\u04ff]"}
_LOCALES = {"ko": "ko", "ja": "ja", "zh": "zh_CN", "ru": "ru", "de": "de", "fr": "fr", "es": "es"}
# What some trait costs at least and at most: the texts hold too little of it, or only together with another.
_BOUNDS = {"hangul": (0.25, 9.0), "line_breaks": (0.3, 0.6), "runs_of_spaces": (0.1, 9.0), "four_byte": (2.0, 2.5)}
_CATALOGS = "git bash coreutils dpkg libc glib20 gettext-tools postgres-15 gnupg2 binutils procps-ng wget tar".split()


class Slice(NamedTuple):
    """Some thousand characters of one source."""

    kind: str
    source: str
    text: str
    tokens: dict[str, int]


def cut(kind: str, source: str, text: str) -> Iterator[tuple[str, str, str]]:
    """Up to ``MOST`` slices of a text, spread over all of it."""
    parts = [text[at : at + SIZE] for at in range(0, len(text), SIZE)]
    parts = [part for part in parts if len(part) > SIZE // 3]
    step = max(1, len(parts) // MOST)
    yield from ((kind, source, part) for part in parts[::step][:MOST])


def prose() -> Iterator[tuple[str, str, str]]:
    """Translated messages, tutorials and manuals."""
    for kind, locale in _LOCALES.items():
        for name in _CATALOGS:
            path = Path(f"/usr/share/locale/{locale}/LC_MESSAGES/{name}.mo")
            if path.exists():
                with path.open("rb") as file:
                    known = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
                said = [text for key, text in known.items() if key and isinstance(text, str) and is_prose(text, kind)]
                random.Random(name).shuffle(said)
                yield from cut(kind, name, "\n".join(said))
    for kind, suffix in (("en", ""), ("ko", ".ko.utf-8"), ("ja", ".ja.utf-8"), ("zh", ".zh_cn.utf-8")):
        for path in map(Path, glob.glob(f"/usr/share/vim/vim*/tutor/tutor{suffix}")):
            yield from cut(kind, "tutor", re.sub(r"[~=\-#]{4,}", "", path.read_text("utf-8", "replace")))
    for path in map(Path, sorted(glob.glob("/usr/share/vim/vim*/doc/usr_*.txt"))[:8]):
        yield from cut("en", path.name, path.read_text("utf-8", "replace"))
    for path in sorted((ROOT / "docs").rglob("*.md")):
        yield from cut("en", path.name, without_code(path.read_text("utf-8")))
    yield from cut("en", "topics", "\n".join(topics[name] for name in ("import", "objects", "naming", "execmodel")))
    for one in sorted(metadata.distributions(), key=lambda one: str(one.metadata["Name"])):
        described = without_code(str(one.metadata.get_payload() or ""))
        if described.isascii():
            yield from list(cut("en", str(one.metadata["Name"]), described))[:1]


def without_code(text: str) -> str:
    """The words of a page: no fenced or indented lines, no tables, no addresses."""
    kept = re.sub(r"```.*?```", "", text, flags=re.DOTALL).split("\n")
    return "\n".join(line for line in kept if re.search("[a-z] [a-z]", line) and not re.search(r"^(\||    )|://", line))


def is_prose(text: str, kind: str) -> bool:
    """Is the message a sentence in its language, not a list of options?"""
    if len(text) < 40 or text.lstrip().startswith("-"):
        return False
    script = _SCRIPT.get(kind)
    return script is None or len(re.findall(script, text)) > len(text) / 4


def code() -> Iterator[tuple[str, str, str]]:
    """Programs and data of several languages."""
    library = Path(statistics.__file__).parent
    places = {
        "Python": [*library.glob("*.py"), *(ROOT / "src").rglob("*.py"), *(ROOT / "tests").glob("*.py")],
        "JavaScript": Path("/usr/lib/node_modules").rglob("lib/*.js"),
        "C": [*Path("/usr/include").glob("*.h"), *library.parent.parent.glob("include/python3*/*.h")],
        "shell": [path for path in Path("/usr/lib/git-core").glob("git-*") if path.suffix != ".py"],
        "Perl": Path("/usr/share/perl").glob("*/*.pm"),
        "JSON": [*Path("/usr/lib/node_modules").rglob("package.json"), ROOT / "schemas" / "frame.schema.json"],
    }
    for language, paths in places.items():
        chosen = sorted({path.resolve() for path in paths if path.is_file()})
        random.Random(language).shuffle(chosen)
        found = 0
        for path in chosen:
            data = path.read_bytes() if path.stat().st_size < 400_000 else b""
            if len(data) > SIZE and b"\0" not in data and found < 16:
                text = data.decode("utf-8", "replace")
                yield (language, path.name, text[: 2 * SIZE][-SIZE:])
                found += 1
    talks = [*(ROOT / "src").rglob("demo/*.jsonl"), *(ROOT / "tests" / "transcripts").rglob("*.jsonl")]
    for path in sorted(talks, key=lambda path: path.stat().st_size)[-10:]:
        yield from list(cut("records full of ids", path.name, path.read_text("utf-8")))[:2]
    told = subprocess.run(["git", "-C", str(ROOT), "log", "-p", "-n", "8"], capture_output=True, text=True).stdout
    yield from cut("diff", "git log -p", told)


def mixed(found: Sequence[tuple[str, str, str]]) -> Iterator[tuple[str, str, str]]:
    """Prose with code between: what a talk with an agent is made of."""
    programs = [text for kind, _, text in found if kind in ("Python", "shell", "diff")]
    for kind, language in PROSE.items():
        words = [text for known, _, text in found if known == kind][:8]
        for number, (said, program) in enumerate(zip(words, programs[::3], strict=False)):
            blocks = zip(pieces(said, 600), pieces(program, 400), strict=False)
            text = "\n\n".join(f"{words}\n\n```\n{lines}\n```" for words, lines in blocks)
            yield (f"{language} with code", f"mixed {number}", text)


def pieces(text: str, size: int) -> list[str]:
    """The text in pieces of this size."""
    return [text[at : at + size] for at in range(0, len(text), size)]


def slices() -> list[Slice]:
    """All slices, counted."""
    counters = {name: exact_counter(name) for name in FACTORS}
    missing = [name for name, counter in counters.items() if counter is None]
    if missing:
        sys.exit(f"no exact counter for {', '.join(missing)}: pip install 'session-frames[tokens]'")
    found = [*prose(), *code()]
    found += mixed(found)
    return [
        Slice(kind, source, text, {name: counter(text) for name, counter in counters.items() if counter})
        for kind, source, text in found
    ]


def fitted(known: Sequence[Slice], vocabulary: str) -> tuple[float, ...]:
    """The factors with the least squares of the relative errors; each kind of text counts the same."""
    number = {kind: sum(one.kind == kind for one in known) for kind in {one.kind for one in known}}
    rows, aims = [], []
    for one in known:
        weight = _WEIGHTS.get(one.kind, 1.0) / number[one.kind] ** 0.5
        rows.append([weight * value / one.tokens[vocabulary] for value in traits(one.text)])
        aims.append(weight)
    columns = list(zip(*rows, strict=True))
    products = [[sum(map(float.__mul__, left, right)) for right in columns] for left in columns]
    targets = [sum(map(float.__mul__, column, aims)) for column in columns]
    bounds = [_BOUNDS.get(trait, (0.0, 9.0)) for trait in TRAITS]
    factors = [least for least, _ in bounds]
    for _ in range(4000):
        for at, row in enumerate(products):
            if row[at]:
                rest = sum(map(float.__mul__, row, factors)) - targets[at]
                factors[at] = min(bounds[at][1], max(bounds[at][0], factors[at] - rest / row[at]))
    return tuple(round(factor, 2) for factor in factors)


def errors(known: Iterable[Slice], vocabulary: str, factors: Sequence[float]) -> dict[str, list[float]]:
    """Kind -> relative error of each slice."""
    found: dict[str, list[float]] = {}
    for one in known:
        estimate = sum(map(float.__mul__, factors, traits(one.text)))
        found.setdefault(one.kind, []).append(estimate / one.tokens[vocabulary] - 1)
    return found


def held_out(known: Sequence[Slice], vocabulary: str) -> dict[str, list[float]]:
    """Kind -> errors on slices of sources that the factors were not fitted to: each of three parts by the other two."""
    sources = sorted({(one.kind, one.source) for one in known})
    part = {source: at % 3 for at, source in enumerate(sources)}
    found: dict[str, list[float]] = {}
    for number in range(3):
        rest = [one for one in known if part[one.kind, one.source] != number]
        tried = [one for one in known if part[one.kind, one.source] == number]
        for kind, values in errors(tried, vocabulary, fitted(rest, vocabulary)).items():
            found.setdefault(kind, []).extend(values)
    return found


def table(known: Sequence[Slice]) -> str:
    """The errors by kind, for each vocabulary."""
    cells = ("mean", "95 % of the slices within", "held out: 95 % within")
    head = ["kind", "slices", *(f"{name}: {cell}" for name in FACTORS for cell in cells)]
    rows = [f"| {' | '.join(head)} |", "| " + " | ".join("---" for _ in head) + " |"]
    by_kind = {name: errors(known, name, FACTORS[name]) for name in FACTORS}
    by_kind_held = {name: held_out(known, name) for name in FACTORS}
    for kind in dict.fromkeys(one.kind for one in known):
        row = [_NAMES.get(kind, kind), str(len(by_kind[next(iter(FACTORS))][kind]))]
        for name in FACTORS:
            values = by_kind[name][kind]
            row += [f"{statistics.fmean(values):+.1%}", f"{most(values):.1%}", f"{most(by_kind_held[name][kind]):.1%}"]
        rows.append(f"| {' | '.join(row)} |")
    return "\n".join(rows)


def most(values: Sequence[float]) -> float:
    """What 95 % of the errors do not go beyond."""
    ordered = sorted(map(abs, values))
    return ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]


def main() -> None:
    """Measure, and write the page; or print the factors as they would be fitted now."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fit", action="store_true", help="print the factors instead")
    options = parser.parse_args()
    known = slices()
    if options.fit:
        for name in FACTORS:
            factors = dict(zip(TRAITS, fitted(known, name), strict=True))
            print(f'    "{name}": (\n        ' + ", ".join(map(str, factors.values())) + ",\n    ),")
        return
    size = sum(len(one.text) for one in known)
    told = (
        f"{len(known)} slices of {size // len(known)} characters, Python {platform.python_version()}.\n\n{table(known)}"
    )
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}\n{told}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
