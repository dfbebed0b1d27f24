"""Damaged transcripts of every format: never a traceback, a hang or a wrong exit code, whatever the damage.

``FUZZ_MUTANTS`` says how many (``make proof`` takes 20,000; a million: ``FUZZ_MUTANTS=1000000 FUZZ_SEED=7 pytest
tests/test_fuzz.py``). A fault found is kept as a case in ``FOUND``.
"""

from __future__ import annotations

import io
import json
import os
import random
import signal
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import corpus
import pytest

from session_frames import frame_json
from session_frames.errors import FramesError
from session_frames.operations.assemble import assemble_all
from session_frames.operations.compose import compose
from session_frames.operations.redact import DEFAULT
from session_frames.transcripts import FORMATS, get_format, sniff_format

MUTANTS = int(os.environ.get("FUZZ_MUTANTS", "2000"))
SEED = int(os.environ.get("FUZZ_SEED", "1"))
LARGEST = 40_000
SECONDS = 20

Mutator = Callable[[bytes, random.Random], bytes]


def _cut(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def _behead(data: bytes, chance: random.Random) -> bytes:
    return data[chance.randrange(len(data) + 1) :]


def _splice(data: bytes, chance: random.Random) -> bytes:
    at, start = chance.randrange(len(data) + 1), chance.randrange(len(data) + 1)
    return data[:at] + data[start : start + chance.randrange(2000)] + data[at:]


def _nul(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data) + 1)
    return data[:at] + b"\0" * chance.randrange(1, 2000) + data[at:]


def _flip(data: bytes, chance: random.Random) -> bytes:
    flipped = bytearray(data)
    for _ in range(chance.randrange(1, 20)):
        if flipped:
            flipped[chance.randrange(len(flipped))] ^= 1 << chance.randrange(8)
    return bytes(flipped)


def _lines(change: Callable[[list[bytes], random.Random], None]) -> Mutator:
    def mutate(data: bytes, chance: random.Random) -> bytes:
        lines = data.split(b"\n")
        change(lines, chance)
        return b"\n".join(lines)

    return mutate


def _duplicate(lines: list[bytes], chance: random.Random) -> None:
    lines.insert(chance.randrange(len(lines) + 1), chance.choice(lines))


def _drop(lines: list[bytes], chance: random.Random) -> None:
    del lines[chance.randrange(len(lines))]


def _json(change: Callable[[Any, random.Random], Any]) -> Mutator:
    """Change a value somewhere within a JSON line, or within the one document."""

    def mutate(data: bytes, chance: random.Random) -> bytes:
        lines = data.split(b"\n")
        places = [at for at, line in enumerate(lines) if line.strip().startswith(b"{")]
        try:
            if len(places) > 1:
                at = chance.choice(places)
                lines[at] = json.dumps(_changed(json.loads(lines[at]), change, chance)).encode()
                return b"\n".join(lines)
            return json.dumps(_changed(json.loads(data), change, chance)).encode()
        except (ValueError, RecursionError):
            return _flip(data, chance)

    return mutate


def _changed(value: Any, change: Callable[[Any, random.Random], Any], chance: random.Random) -> Any:
    if isinstance(value, dict) and value and chance.random() < 0.85:
        key = chance.choice(list(value))
        return {**value, key: _changed(value[key], change, chance)}
    if isinstance(value, list) and value and chance.random() < 0.85:
        at = chance.randrange(len(value))
        return [*value[:at], _changed(value[at], change, chance), *value[at + 1 :]]
    return change(value, chance)


def _other_type(value: Any, chance: random.Random) -> Any:
    return chance.choice([None, True, 0, -1, 1.5, "", "x", "\ud83d", [], {}, [[]], {"a": {}}, [None], "a\nb\r\nc"])


def _deep(value: Any, chance: random.Random) -> Any:
    for _ in range(chance.choice([5, 100, 900])):
        value = [value] if chance.random() < 0.5 else {"content": value}
    return value


def _huge(value: Any, chance: random.Random) -> Any:
    return chance.choice([10**30, -(10**400), 1e308, 2**63, "9" * 5000, *(sign * 100_000 for sign in "#< \n\u202ea가")])


MUTATORS: dict[str, Mutator] = {
    "cut": _cut,
    "behead": _behead,
    "splice": _splice,
    "NUL": _nul,
    "flip": _flip,
    "duplicate": _lines(_duplicate),
    "reorder": _lines(lambda lines, chance: chance.shuffle(lines)),
    "drop": _lines(_drop),
    "type": _json(_other_type),
    "deep": _json(_deep),
    "huge": _json(_huge),
}

# (format, bytes) of faults that were found once, as small as they get.
FOUND: list[tuple[str, bytes]] = [
    # A prompt of 100,000 signs without a blank: the search for addresses took minutes.
    ("claude-code", b'{"type":"user","uuid":"1","message":{"content":"' + b"#" * 100_000 + b'"}}\n'),
    # A long Chinese prompt without a mark: the search for what is asked for tried it in all ways.
    (
        "claude-code",
        b'{"type":"user","uuid":"1","message":{"content":"'
        + "カタ漢の字abc.の".encode() * 200
        + "漢字".encode() * 900
        + b'"}}\n',
    ),
]


def _samples() -> list[tuple[str, str, bytes]]:
    """(format, name, bytes): the recorded transcripts where they are at hand, and the samples of the tests."""
    files = [(name, path) for name, path, _ in corpus.cases()]
    for folder in (Path(__file__).parent / "transcripts").iterdir():
        if folder.name in FORMATS:
            files += [(folder.name, path) for path in sorted(folder.glob("*/transcript.*"))]
    return [(name, path.name, data) for name, path in sorted(files) if 0 < len(data := path.read_bytes()) <= LARGEST]


def _read(name: str, data: bytes) -> None:
    """What import does with the bytes, as its own format and as whatever they look like."""
    sniff_format(data[: 64 << 10])
    try:
        for assembled in assemble_all(get_format(name).read(io.BytesIO(data))):
            if assembled.turns and not assembled.no_conversation:
                written = frame_json.encode(compose(assembled, name, DEFAULT))
                assert frame_json.encode(frame_json.decode(written)) == written
    except FramesError as error:
        if error.exit_code not in (3, 4):
            raise


def test_mutants() -> None:
    samples = _samples()
    chance = random.Random(SEED)

    def too_long(number: int, frame: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, too_long)
    try:
        for number in range(MUTANTS):
            name, file, data = chance.choice(samples)
            kinds = [chance.choice(list(MUTATORS)) for _ in range(chance.choice([1, 1, 2, 3]))]
            for kind in kinds:
                data = MUTATORS[kind](data or b"{}", chance)
            signal.alarm(SECONDS)
            try:
                _read(name, data)
            except Exception as error:
                kept = Path(os.environ.get("FUZZ_KEEP", ".")) / f"fuzz-{name}-{SEED}-{number}.bin"
                kept.write_bytes(data)
                raise AssertionError(
                    f"mutant {number} of {name}/{file} ({', '.join(kinds)}), kept in {kept}"
                ) from error
            finally:
                signal.alarm(0)
    finally:
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(("name", "data"), FOUND, ids=[f"{at}-{name}" for at, (name, _) in enumerate(FOUND)])
def test_faults_found_before(name: str, data: bytes) -> None:
    _read(name, data)
