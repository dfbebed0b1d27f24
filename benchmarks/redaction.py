"""How fast texts are redacted, beside the least that any literal-first search can cost."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from measure import Bench, Figure, calls, figure_of

from session_frames.operations.redact import DEFAULT, find_secrets, redact_value

LITERALS = ("password", "secret", "token", "api_key", "ghp_", "sk-", "akia", "eyj", "://", "-----begin")
LONG = 400
ROUNDS = 3


def figures(bench: Bench) -> Iterator[Figure]:
    """The search alone on long texts, and whole records with their keys and short values."""
    transcript = bench.generate("transcripts.py", "large.jsonl", "--megabytes", str(bench.megabytes))
    with transcript.open("rb") as file:
        records = [json.loads(line) for line in file]
    texts = [text for record in records for text in _texts_of(record)]
    long = [text for text in texts if len(text) >= LONG]
    find_secrets("password: compiled", DEFAULT)
    yield _figure("secrets in texts of 400 characters and more", long, lambda: _search(long))
    yield _figure("whole records redacted", texts, lambda: _redact(records))


def _figure(what: str, texts: list[str], subject: Any) -> Figure:
    pairs = calls(lambda: _floor(texts), subject, ROUNDS)
    figure = figure_of(what, "`lower()` and ten `find()`", pairs, goal=3)
    fastest = min(sample.cpu for _, sample in pairs)
    return figure._replace(note=f"{sum(map(len, texts)) / fastest / 1e6:.0f} MB/s")


def _floor(texts: list[str]) -> None:
    for text in texts:
        lowered = text.lower()
        for literal in LITERALS:
            lowered.find(literal)


def _search(texts: list[str]) -> None:
    for text in texts:
        find_secrets(text, DEFAULT)


def _redact(records: list[Any]) -> None:
    for record in records:
        redact_value(record, DEFAULT, "", lambda rule, where, count: None)


def _texts_of(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _texts_of(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts_of(item)
