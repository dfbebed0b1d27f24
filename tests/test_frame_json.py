"""Bytes of frames: one canonical form, and what is wrong with others is said so that a person can mend it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from frame_strategies import frames
from hypothesis import HealthCheck, given, settings

from session_frames.errors import FormatError
from session_frames.frame_json import decode, encode, is_newer, require_writable
from session_frames.model import Frame
from session_frames.operations.merge_values import same
from session_frames.schema import problems

SAMPLES = Path(__file__).parent / "frames"
VALID = sorted((SAMPLES / "valid").iterdir())
INVALID = sorted((SAMPLES / "invalid").iterdir())

MINIMAL: Frame = {"frame": "1.0", "id": "a" * 24, "topic": "t", "status": "closed"}

LAWS = settings(
    max_examples=200, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck)
)

# Faults that the schema sees too: the file is JSON and of a version that can be read.
SHAPE_FAULTS = {
    "call-outcome-bogus": "$.turns[1].calls[0].outcome: 'ok' is not one of passed, failed, pending, unknown",
    "count-with-a-fraction": "$.redactions[0].count: expected a whole number, found a number",
    "id-is-a-path": "$.id: '../../etc/passwd' is not 24 lower-case hex digits",
    "no-topic": "$: 'topic' is required",
    "no-version": "$: 'frame' is required",
    "offset-negative": "$.turns[0].calls[0].after: expected 0 or more, found -1",
    "pinned-is-a-number": "$.turns[0].pinned: expected true or false, found a number",
    "status-bogus": "$.status: 'bogus' is not one of active, closed, archived, exported",
    "title-is-null": "$.title: expected a string, found null",
    "turn-role-bogus": "$.turns[0].role: 'boss' is not one of user, agent, system",
    "turn-without-role": "$.turns[1]: 'role' is required",
    "turns-is-an-object": "$.turns: expected a list, found an object",
    "version-no-number": "$.frame: 'one' is not a version like 1.0",
    "wrote-is-a-text": "$.turns[0].calls[0].wrote['a b.py']: expected a list, found a string",
}
OTHER_FAULTS = {
    "conflict-markers": "a git conflict is left in it, <<<<<<< at line 4 column 1",
    "cut-off": "expecting value at line 13 column 1",
    "empty": "the file is empty",
    "missing-comma": "expecting ',' delimiter at line 5 column 3",
    "nan": "'NaN' is not a JSON number",
    "not-an-object": "expected an object, found a list",
    "not-utf-8": "not UTF-8 at line 4 column 14",
    "nul-bytes": "a NUL byte at line 7 column 1",
    "number-too-large": "the number '1e999' is too large",
}


def fault_of(path: Path) -> str:
    return path.name.removesuffix(".frame.json")


# ---------------------------------------------------------------------------------------------------------------------
# Reading


def test_every_invalid_sample_has_its_message() -> None:
    assert {fault_of(path) for path in INVALID} == {*SHAPE_FAULTS, *OTHER_FAULTS, "newer-major"}


@pytest.mark.parametrize("path", INVALID, ids=fault_of)
def test_invalid_samples_are_refused(path: Path) -> None:
    fault = fault_of(path)
    with pytest.raises(FormatError) as caught:
        decode(path.read_bytes(), path.name)
    assert caught.value.exit_code == 4
    if fault == "newer-major":
        assert caught.value.message == f"cannot read '{path.name}': it was written by a newer version (format 2.0)"
        assert caught.value.hint == "upgrade frames to read this file"
        return
    what = {**SHAPE_FAULTS, **OTHER_FAULTS}[fault]
    assert caught.value.message == f"'{path.name}' is not a valid frame: {what}"
    assert caught.value.hint == ("frames doctor" if fault == "conflict-markers" else f"frames validate {path.name}")


@pytest.mark.parametrize("fault", sorted(SHAPE_FAULTS))
def test_schema_says_the_same_of_shape_faults(fault: str) -> None:
    frame = json.loads((SAMPLES / "invalid" / f"{fault}.frame.json").read_bytes())
    assert SHAPE_FAULTS[fault] in [f"{problem.path}: {problem.message}" for problem in problems(frame)]


def test_a_frame_without_a_name_is_told_without_one() -> None:
    with pytest.raises(FormatError) as caught:
        decode(b"{}")
    assert (caught.value.message, caught.value.hint) == (
        "the frame is not a valid frame: $: 'frame' is required",
        None,
    )


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"[" * 100_000, "a value is nested too deep"),
        (b'{"frame": "1.0", "x": ' + b"9" * 5000 + b"}", "exceeds the limit (4300 digits)"),
        (b'{"frame": "0.9"}', "$.frame: '0.9' is not a version that ever was"),
        (b'{"frame": 1.0}', "$.frame: expected a string, found a number"),
        (b"\xff\xfe{\x00}\x00", "a NUL byte at line 1 column 4"),
        (b"null", "expected an object, found null"),
        (b"true", "expected an object, found true"),
    ],
)
def test_odd_bytes_are_refused(data: bytes, what: str) -> None:
    with pytest.raises(FormatError) as caught:
        decode(data, "a.frame.json")
    assert caught.value.message.startswith(f"'a.frame.json' is not a valid frame: {what}")


def test_other_writers_may_use_a_bom_and_crlf() -> None:
    data = b"\xef\xbb\xbf" + encode(MINIMAL).replace(b"\n", b"\r\n")
    assert encode(decode(data)) == encode(MINIMAL)


def test_text_that_looks_like_a_conflict_marker_is_text() -> None:
    frame: Frame = {**MINIMAL, "goal": "<<<<<<< ours\n=======\n>>>>>>> theirs"}
    assert decode(encode(frame)) == frame


# ---------------------------------------------------------------------------------------------------------------------
# Writing


@pytest.mark.parametrize("path", VALID, ids=fault_of)
def test_valid_samples_are_read_and_written_byte_for_byte(path: Path) -> None:
    written = encode(decode(path.read_bytes(), path.name))
    if not fault_of(path).startswith("other-writer"):
        assert written == path.read_bytes()
    assert encode(decode(written)) == written


def test_keys_stand_in_the_order_of_the_format_and_defaults_are_left_out() -> None:
    frame: Any = {
        "x_own": {"b": "", "a": []},
        "later": None,
        "turns": [
            {"x_t": 0, "text": "한글 \u2028", "mood": "", "role": "agent", "id": "a1", "pinned": False, "calls": []},
        ],
        "status": "closed",
        "goal": "",
        "git": {"branch": ""},
        "topic": "",
        "redactions": [{"count": 0, "where": "", "rule": "r", "id": "1"}],
        "decisions": [
            {"verified": True, "by": "agent", "status": "unknown", "text": "", "id": "1"},
            {"verified": False, "by": "agent", "status": "unknown", "text": "", "id": "2"},
        ],
        "a": [],
        "id": "a" * 24,
        "frame": "1.0",
    }
    assert encode(frame).decode() == (
        "{\n"
        '  "frame": "1.0",\n'
        f'  "id": "{"a" * 24}",\n'
        '  "topic": "",\n'
        '  "status": "closed",\n'
        '  "decisions": [\n'
        "    {\n"
        '      "id": "1",\n'
        '      "text": "",\n'
        '      "status": "unknown",\n'
        '      "by": "agent"\n'
        "    },\n"
        "    {\n"
        '      "id": "2",\n'
        '      "text": "",\n'
        '      "status": "unknown",\n'
        '      "by": "agent",\n'
        '      "verified": false\n'
        "    }\n"
        "  ],\n"
        '  "turns": [\n'
        "    {\n"
        '      "id": "a1",\n'
        '      "role": "agent",\n'
        '      "text": "한글 \u2028",\n'
        '      "mood": "",\n'
        '      "x_t": 0\n'
        "    }\n"
        "  ],\n"
        '  "redactions": [\n'
        "    {\n"
        '      "id": "1",\n'
        '      "rule": "r",\n'
        '      "where": "",\n'
        '      "count": 0\n'
        "    }\n"
        "  ],\n"
        '  "later": null,\n'
        '  "a": [],\n'
        '  "x_own": {\n'
        '    "b": "",\n'
        '    "a": []\n'
        "  }\n"
        "}\n"
    )


def test_lone_surrogates_are_escaped_and_pairs_are_not() -> None:
    frame: Frame = {**MINIMAL, "title": "cut \ud83d, low \udcb2, pair \ud83d\ude00, whole 🙂"}
    written = encode(frame)
    assert b'"cut \\ud83d, low \\udcb2, pair \xf0\x9f\x98\x80, whole \xf0\x9f\x99\x82"' in written
    assert written.decode("utf-8")
    assert encode(decode(written)) == written


def test_numbers_are_written_as_they_are() -> None:
    numbers = [0, -1, 1.0, 1e22, -0.0, 10**30, 1.5e-7, True, None]
    frame: Any = {**MINIMAL, "x_numbers": numbers}
    read: Any = decode(encode(frame))
    assert list(map(repr, read["x_numbers"])) == list(map(repr, numbers))


def test_what_json_has_no_word_for_is_not_written() -> None:
    with pytest.raises(ValueError, match="Out of range float values"):
        encode({**MINIMAL, "x_n": float("nan")})  # type: ignore[typeddict-unknown-key]


def test_a_value_nested_too_deep_is_told() -> None:
    value: Any = []
    for _ in range(5000):
        value = [value]
    with pytest.raises(FormatError, match=r"^frame cannot be written: a value is nested too deep$"):
        encode({**MINIMAL, "x_deep": value})  # type: ignore[typeddict-unknown-key]


@LAWS
@given(frames())
def test_the_same_frame_is_always_the_same_bytes(frame: Frame) -> None:
    written = encode(frame)
    read = decode(written)
    assert same(read, json.loads(json.dumps(frame)))
    assert encode(read) == written
    known = [key for key in frame if key in Frame.__annotations__]
    other_order: Any = {**dict.fromkeys(reversed(known)), **frame}
    assert encode(other_order) == written
    assert problems(read) == []


# ---------------------------------------------------------------------------------------------------------------------
# Versions


def test_a_newer_minor_is_read_and_not_written_over() -> None:
    frame = decode((SAMPLES / "valid" / "newer-minor.frame.json").read_bytes())
    assert is_newer(frame)
    with pytest.raises(FormatError) as caught:
        require_writable(frame, "a.frame.json")
    assert caught.value.message == "cannot change 'a.frame.json': it was written by a newer version (format 1.7)"
    assert caught.value.hint == "upgrade frames to change this file"
    assert caught.value.exit_code == 4


def test_this_version_is_written() -> None:
    require_writable(MINIMAL)
    assert not is_newer(MINIMAL)


# ---------------------------------------------------------------------------------------------------------------------
# Cost


def test_reading_and_writing_imports_nothing_heavy() -> None:
    code = "import sys; before = set(sys.modules); import session_frames.frame_json; print(*set(sys.modules) - before)"
    loaded = set(
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    )
    assert not loaded & {"jsonschema", "orjson", "click", "yaml", "git", "rich", "pathlib", "importlib.resources"}


def test_a_large_frame_is_written_and_read_fast() -> None:
    turn = {
        "id": "",
        "role": "agent",
        "text": "말 words " * 60,
        "calls": [{"id": "c", "tool": "t", "outcome": "passed"}] * 5,
    }
    frame: Any = {**MINIMAL, "turns": [{**turn, "id": f"a{number}"} for number in range(1000)]}
    start = time.process_time()
    data = encode(frame)
    decode(data)
    assert len(data) > 1 << 20
    assert time.process_time() - start < 0.5  # a tenth of it on a machine at rest
