"""What is passed over without a look at its strings holds nothing that such a look would find."""

from __future__ import annotations

import json
import string
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_redact import AROUND, KEYS

from session_frames.operations.redact import DEFAULT, Policy, Rule, policy, redact_value
from session_frames.operations.redact_lines import looked_at
from session_frames.operations.redact_raw import clean_lines
from session_frames.operations.redact_rules import RULES

LITERALS = sorted({literal for rule in RULES for literal in rule.literals})
WRITERS: list[Callable[[Any], str]] = [
    json.dumps,
    lambda value: json.dumps(value, ensure_ascii=False),
    lambda value: json.dumps(value, ensure_ascii=False, separators=(",", ":")),
    lambda value: json.dumps(value).replace("/", "\\/"),
    lambda value: json.dumps(value, ensure_ascii=False).replace("s", "\\u0073"),
]
SIGNS = [*" .:='\"`\\/-_>@\t\n?：는", "[", "]", " is ", "{'a': ", "\x1b[0m", "\ufffd", "é", "string", "key"]
VALUES = ["k8Jd82kdl2kd9J2kd92xx", "0" * 40, "a" * 30, "Q~", "hunter2hunter2", "user:pw9x8@host"]


def found(line: bytes, policy: Policy) -> bool:
    value = json.loads(line)
    return redact_value(value, policy, "", lambda *entry: None) is not value


def is_suspect(line: bytes, policy: Policy) -> bool:
    ((same, suspect),) = looked_at([line], policy)
    assert same is line
    return suspect


texts = st.lists(st.sampled_from([*LITERALS, *SIGNS, *VALUES]), max_size=8).map("".join)
records = st.recursive(
    texts, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=6
)


@settings(deadline=None, max_examples=400)
@given(records, st.sampled_from(WRITERS))
def test_nothing_is_missed(record: Any, write: Callable[[Any], str]) -> None:
    line = write({"type": "x", "message": record}).encode() + b"\n"
    if found(line, DEFAULT):
        assert is_suspect(line, DEFAULT)


@pytest.mark.parametrize("write", range(len(WRITERS)))
def test_every_kind_of_secret_is_seen_through_json(write: int) -> None:
    texts = [make() for _, make in KEYS] + [around.format(make()) for around, make in AROUND]
    for text in texts:
        for shown in (text, f"first\n{text}\nlast", json.dumps({"output": text}), f"{text} 한글"):
            line = WRITERS[write]({"content": shown, "usage": {"input_tokens": 7}}).encode() + b"\n"
            if found(line, DEFAULT):
                assert is_suspect(line, DEFAULT), shown


def test_a_key_that_names_its_value() -> None:
    assert is_suspect(b'{"input":{"api_key": "k8Jd82kdl2kd9J2kd92xx"}}\n', DEFAULT)
    assert is_suspect('{"input":{"내 token 값" : "k8Jd82kdl2kd9J2kd92xx"}}\n'.encode(), DEFAULT)


def test_an_ordinary_record_is_passed_over() -> None:
    usage = {"input_tokens": 7, "output_tokens": 8, "cache_read_input_tokens": 0}
    text = "Tokens are counted, keys are pressed; see https://example.org/a?b=c\nand \x1b[1mmore\x1b[0m of 한글"
    record = {"uuid": "5f0e2d1c-0000-4000-8000-000000000001", "message": {"usage": usage, "content": text}}
    assert not is_suspect(json.dumps(record, ensure_ascii=False).encode() + b"\n", DEFAULT)


@pytest.mark.parametrize(
    "rule", [Rule("a", ("acme-",), "acme-[0-9]{8}"), Rule("a", ('"acme"',), '"acme"'), Rule("a", (), "a+")]
)
def test_rules_of_a_team(rule: Rule) -> None:
    own = policy([rule])
    assert is_suspect(json.dumps({"x": 'see "ACME" and acme-12345678'}).encode() + b"\n", own)
    assert is_suspect(b'{"x": "nothing"}\n', own) == (rule.literals != ("acme-",))


def test_batches_keep_each_line_in_its_place() -> None:
    key = KEYS[2][1]()
    texts = [key if number % 7 == 3 else string.printable for number in range(6000)]
    lines = [json.dumps({"text": text}).encode() + b"\n" for text in texts]
    pieces = list(clean_lines(lines, DEFAULT))
    assert [piece.secrets for piece in pieces] == [int(number % 7 == 3) for number in range(6000)]
    assert [piece.source_size for piece in pieces] == [*map(len, lines)]
    assert all(piece.data == line for piece, line in zip(pieces, lines, strict=True) if not piece.secrets)
