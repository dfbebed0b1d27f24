"""How fast texts are redacted, beside the least that any literal-first search can cost.

    python benchmarks/redact.py [FOLDER]

FOLDER holds transcripts (``*.jsonl``), sources or prose; the standard library's sources where it is left out. Times
are of the processor, best of three, so that a busy machine does not count.
"""

from __future__ import annotations

import json
import sys
import sysconfig
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from session_frames.operations.redact import DEFAULT, find_secrets, redact_value

READ = (".jsonl", ".json", ".md", ".py", ".txt", ".rst")
FLOOR_LITERALS = ("password", "secret", "token", "api_key", "ghp_", "sk-", "akia", "eyj", "://", "-----begin")
LONG = 400
LIMIT = 60_000_000


def records(folder: Path) -> list[Any]:
    """The decoded lines of transcripts, and other files as one text each."""
    found: list[Any] = []
    size = 0
    for path in sorted(folder.rglob("*")):
        if path.suffix not in READ or not path.is_file() or size > LIMIT:
            continue
        text = path.read_text("utf-8", "surrogateescape")
        size += len(text)
        found += decoded(text) if path.suffix == ".jsonl" else [text]
    return found


def decoded(text: str) -> Iterable[Any]:
    for line in text.split("\n"):
        try:
            yield json.loads(line)
        except ValueError:
            yield line


def texts_of(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from texts_of(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts_of(item)


def best(run: Callable[[], object]) -> float:
    times = []
    for _ in range(3):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)


def floor(texts: list[str]) -> None:
    for text in texts:
        lowered = text.lower()
        for literal in FLOOR_LITERALS:
            lowered.find(literal)


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(sysconfig.get_paths()["stdlib"])
    loaded = records(folder)
    texts = [text for record in loaded for text in texts_of(record)]
    long = [text for text in texts if len(text) >= LONG]
    characters, long_characters = sum(map(len, texts)), sum(map(len, long))
    counts: dict[str, int] = {}

    def record(rule: str, where: str, count: int) -> None:
        counts[rule] = counts.get(rule, 0) + count

    start = time.process_time()
    find_secrets("password: compiled", DEFAULT)
    print(f"ready            {(time.process_time() - start) * 1e3:8.1f} ms")
    for name, size, run in (
        ("find_secrets", long_characters, lambda: [find_secrets(text, DEFAULT) for text in long]),
        ("lower + 10 finds", long_characters, lambda: floor(long)),
        ("redact_value", characters, lambda: [redact_value(value, DEFAULT, "", record) for value in loaded]),
    ):
        print(f"{name:16} {size / best(run) / 1e6:8.1f} MB/s over {size / 1e6:.1f} MB")
    print("replaced", {rule: count // 3 for rule, count in sorted(counts.items())})


if __name__ == "__main__":
    main()
