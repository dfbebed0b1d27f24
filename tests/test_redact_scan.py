"""The one pass over a text finds what a search for each literal by itself would."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from session_frames.operations.redact_rules import CORES, FOLLOWED_BY, RULES
from session_frames.operations.redact_scan import Scanner

# Those behind which nothing in particular has to follow.
FREE = {
    (literal, number)
    for number, rule in enumerate(RULES)
    for literal in rule.literals
    if not any(word in literal for word in (*FOLLOWED_BY, *CORES))
}
PIECES = [*(literal for literal, _ in sorted(FREE)), *" .:='\\-_\n", "한글", "é", "x" * 40, "0" * 40]
SCANNER = Scanner(RULES)


def searched(text: str) -> Iterator[tuple[int, int]]:
    lowered = text.lower()
    for literal, number in FREE:
        shown = lowered if literal == literal.lower() else text
        at = shown.find(literal)
        while at >= 0:
            yield number, at
            at = shown.find(literal, at + 1)


@settings(deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=12), st.booleans())
def test_each_literal_is_found_wherever_it_stands(pieces: list[str], capitals: bool) -> None:
    text = "".join(pieces)
    text = text.upper() if capitals else text
    assert set(searched(text)) <= set(SCANNER.places(text))


def test_what_has_to_follow_is_asked_for() -> None:
    assert not set(SCANNER.places("input_tokens and the keys, a secret, SKY and v1.2.3"))
    assert set(SCANNER.places("token: x"))
    assert set(SCANNER.places("SK" + "0" * 32))
