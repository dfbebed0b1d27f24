"""Token counts: the estimate is close by script and kind, exact where a counter is installed, and each says which."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from session_frames.operations.tokens import (
    FACTORS,
    REFERENCE,
    TRAITS,
    Count,
    counted_tokens,
    estimated_tokens,
    exact_counter,
    summed,
    traits,
)

# Texts of each kind with the counts that the exact counters gave, so that none has to be installed here.
RECORDED: list[dict[str, Any]] = json.loads((Path(__file__).parent / "token_counts.json").read_text(encoding="utf-8"))
PROSE = ("English", "Korean", "Japanese", "Chinese")
OFF = {("anthropic", True): 0.10, ("anthropic", False): 0.20, ("openai", True): 0.15, ("openai", False): 0.20}


@pytest.mark.parametrize("vocabulary", FACTORS)
@pytest.mark.parametrize("number", range(len(RECORDED)), ids=lambda number: f"{number} {RECORDED[number]['kind']}")
def test_the_estimate_is_close(number: int, vocabulary: str) -> None:
    text, exact = RECORDED[number]["text"], RECORDED[number][vocabulary]
    off = abs(estimated_tokens(text, vocabulary) / exact - 1)
    assert off <= OFF[vocabulary, RECORDED[number]["kind"] in PROSE]


def test_every_kind_is_recorded_more_than_once() -> None:
    kinds = [one["kind"] for one in RECORDED]
    assert {kind for kind in kinds if kinds.count(kind) > 1} == {*PROSE, "code", "mixed"}


@pytest.mark.parametrize("vocabulary", FACTORS)
def test_each_trait_has_a_factor(vocabulary: str) -> None:
    assert len(FACTORS[vocabulary]) == len(TRAITS)
    assert len(traits("plain")) == len(traits("한 字 かな")) == len(TRAITS)


@given(st.text(), st.text())
def test_laws(one: str, other: str) -> None:
    assert estimated_tokens("") == 0
    assert estimated_tokens(one) >= 0
    # Runs that meet become one, and Kanji are told by the Kana around them: the sum is near, never far.
    assert estimated_tokens(one + other) <= estimated_tokens(one) + estimated_tokens(other) + len(one + other) + 5


def test_a_lone_surrogate_counts() -> None:
    assert estimated_tokens("\ud83d") > 0


@pytest.mark.parametrize("vocabulary", FACTORS)
def test_exact_counts_are_those_recorded(vocabulary: str) -> None:
    exact = exact_counter(vocabulary)
    if exact is None:
        pytest.skip("its package is not installed: extra tokens")
    assert exact("") == 0
    assert exact("a") == 1
    assert [exact(one["text"]) for one in RECORDED] == [one[vocabulary] for one in RECORDED]
    assert counted_tokens("a", vocabulary) == Count(1, "exact")


def test_without_a_counter_the_number_is_called_estimated() -> None:
    code = (
        "import sys; sys.modules['ctok'] = sys.modules['rs_bpe'] = None\n"
        "from session_frames.operations.tokens import counted_tokens\n"
        "print(*(counted_tokens('한국어 text', name).source for name in ('anthropic', 'openai')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "estimated estimated\n", done.stderr


def test_no_counter_is_loaded_before_it_is_asked_for() -> None:
    code = "import sys, session_frames.operations.tokens; print({'ctok', 'rs_bpe'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"


def test_a_sum_is_as_good_as_its_worst_part() -> None:
    assert summed([Count(2, "usage"), Count(3, "exact")]) == Count(5, "exact")
    assert summed([Count(2, "usage"), Count(3, "estimated")]) == Count(5, "estimated")
    assert summed([Count(2, "usage")]) == Count(2, "usage")
    assert REFERENCE == "anthropic"
