"""Tables of patterns by language and kind, compiled when first asked for.

Each language module has one table, ``PATTERNS``: kind -> regular expressions, any of which will do. They are matched
without regard to case, on one clause or sentence at a time (both are bounded in length), and a repeated group always
begins with a fixed word, so that matching stays linear. The kinds:

=================  ====================================================================================================
``lead_in``        words before a clause that carry nothing ("so", "그럼", "じゃ"); cut off before the rest is looked at
``break``          where a sentence falls into clauses, beside commas
``asks``           a question, with or without a question mark
``musing``         thinking aloud, guessing, doubt; nothing in such a sentence is taken
``sarcasm``        said in mockery; nothing in such a sentence is taken
``hearsay``        somebody else's words
``approve``        the whole clause is an approval of what the agent proposed
``agree_stated``   the whole clause approves what the agent stated
``refuse``         the whole clause refuses what the agent proposed
``deny``           "I never asked for that"
``pick``           the whole clause picks the option ``{label}``
``finite``         a statement with a verb, no mere answer
``fact``           a question for a fact, that leaves nothing to choose
``grants``         a yes in other words
``declines``       a no in other words
``for_now``        a no that holds for now
``bids``           an order or a wish; it answers a yes-or-no question
``direct``         an order that says which way something is done
``chore``          an order to do a step of the work
``unsettled``      the sentence doubts, supposes, waits for somebody or speaks of what others wrote
``remark``         a mere remark
``reason``         the clause only says why
``contrast``       "X, not Y": names what is not meant, and replaces nothing by itself
``changes``        the message tells of a change
``switches``       a change to something that is named
``beside``         comes beside what is settled, and replaces nothing
``ordinals``       names of the first, second ... option
``word_pick``      the whole clause names one of the agent's alternatives (group ``what``)
``yes_no``         the whole clause settles one of several things asked (groups ``what`` and ``no``)
``forbid``         a prohibition
``rules_heading``  a heading of rules ("Constraints:")
``statement``      a clause that tells a fact; under such a heading it gives the reason
``must``           a requirement that holds all along
``negative``       a thing is not wanted; decision or constraint, as the context tells
``leave``          a thing stays as it is; decision or constraint, as the context tells
``choose``         a choice, said outright
``suffices``       a thing will do; a choice where the agent offered or asked something
``chosen_for``     what a choice is for (group ``what``)
``lift``           a prohibition is lifted
``also``           something is allowed beside what was ("too")
``only``           a rule that allows one thing only
``defer``          put off
``put_off_last``   the agent's question is put off, not named
``withdraw_last``  what was said last is taken back
``withdraw``       a named thing is taken back (group ``what``)
``forget``         a named thing that was said is to be forgotten (group ``what``)
``call_off``       a named thing that was asked for is called off (group ``what``)
``own_words``      what is taken back is said to be the speaker's own words
``trouble``        the agent tells of a warning or a failure
``joined``         two things in one breath
``correct``        "wait, no" inside a message
``slip``           words that turn to what is meant, at the end of what was said by mistake
``object``         a value is wrong, too big, no longer wanted
``reversal``       a choice that replaces an earlier one
``new_value``      nothing but another value
``goes_back``      a return to an earlier state, which ends the choice that the sentence before speaks of
``turns_back``     a reversal so strong that a choice it speaks of no longer stands
``restate``        an earlier rule is repeated
``order``          an order to do something; no decision, but it can be withdrawn
``propose``        the agent proposes
``offer``          the agent offers something extra
``step``           the proposal is only a step of the work (run, look, check)
``claims_user``    the agent says that the user said so
``weak_yes``       an acknowledgement; it approves a suggestion, not what the agent tells of its own work
``suggest``        the proposal suggests
``ack``            the whole sentence only acknowledges
``pronoun``        the clause names its thing by a pronoun only
``rule``           a ``negative`` that is a rule for what follows, not an answer
``unknown``        the sentence asks in itself ("which", "몇", "どの")
``time``           a time or a pronoun; a step that names nothing else needs its context
``smalltalk``      a polite question that asks nothing about the work
``either_or``      the agent's sentence names alternatives
``which``          a question that a mere yes does not answer
``thanks``         the whole sentence thanks
``request``        a question that is a request
``no_answer``      the agent or the user cannot say
``keeps_open``     the sentence says that a question is open
``commit``         the user will do it
``remaining``      what is left to do
``done``           reports something as done
``claim_ran``      the agent says that something was run or checked
``admit``          the agent takes back what it claimed
=================  ====================================================================================================
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Final, NamedTuple

from ..memory import remembered
from .cues import bits, mask

_HANGUL: Final = r"[\uac00-\ud7a3\u3131-\u318e]"
_JAPANESE: Final = r"[\u3040-\u30ff\u4e00-\u9fff]"


class _Kind(NamedTuple):
    """The patterns of one kind in one language."""

    whole: re.Pattern[str]
    inside: re.Pattern[str] | None  # of them those that may match elsewhere than at the beginning


def language_of(text: str) -> str:
    """``ko``, ``ja`` or ``en``, by script."""
    if text.isascii():
        return "en"
    if re.search(_HANGUL, text):
        return "ko"
    return "ja" if re.search(_JAPANESE, text) else "en"


def _table(language: str) -> dict[str, tuple[str, ...]]:
    patterns: dict[str, tuple[str, ...]] = import_module(f"{__name__}.{language}").PATTERNS
    return patterns


@cache
def _compiled(language: str, kind: str) -> _Kind | None:
    alternatives = _table(language).get(kind, ())
    if not alternatives:
        return None
    # One that takes whatever comes first matches where the text begins, or nowhere.
    inside = [pattern for pattern in alternatives if not pattern.startswith(("^", r"\S.*"))]
    return _Kind(_any_of(alternatives), _any_of(inside) if inside else None)


def _any_of(alternatives: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in alternatives), re.IGNORECASE)


@remembered
def _seen(text: str) -> tuple[str, int, set[str]]:
    """The language of a text, the bits of the kinds of which a cue stands in it, and what was not found in it yet."""
    language = language_of(text)
    return language, mask(language, text), set()


def find(kind: str, text: str) -> re.Match[str] | None:
    """The first place where the text, in its own language, matches the kind."""
    language, cued, missed = _seen(text)
    bit = bits(language).get(kind, 0)
    patterns = _compiled(language, kind) if kind not in missed and (cued & bit or not bit) else None
    if patterns is None:
        return None
    if text[:1].isspace() or "\n" in text:
        found = patterns.whole.search(text)
    else:
        found = patterns.whole.match(text) or (patterns.inside.search(text, 1) if patterns.inside else None)
    if found is None:
        missed.add(kind)
    return found


def opening(kind: str, text: str) -> re.Match[str] | None:
    """The match of the kind with which the text, in its own language, begins."""
    patterns = _compiled(language_of(text), kind)
    return patterns.whole.match(text) if patterns else None


def whole(kind: str, text: str) -> re.Match[str] | None:
    """The match of the kind that covers the whole text but for blanks and full stops."""
    patterns = _compiled(language_of(text), kind)
    return patterns.whole.fullmatch(text.strip(" \t.!。！、,~…ㅋㅎ")) if patterns else None


def split(kind: str, text: str) -> list[str]:
    """The text cut at each match of the kind."""
    patterns = _compiled(language_of(text), kind)
    return patterns.whole.split(text) if patterns else [text]


def named(match: re.Match[str], group: str) -> str:
    """The text of the first of ``group``, ``group2``, ``group3`` ... that took part, else ""."""
    return next((text for name, text in match.groupdict().items() if text and name.startswith(group)), "")


def picks_ordinal(number: int, text: str) -> bool:
    """Whether the whole text picks the option by its place ("the second one", "두 번째", "二つ目")."""
    names = _table(language_of(text))["ordinals"]
    return number <= len(names) and picks(names[number - 1], text)


def picks(label: str, text: str) -> bool:
    """Whether the whole text picks the option of that label (an expression; labels are a letter or digits)."""
    bare = text.strip(" \t.!。！、,~…ㅋㅎ")
    return any(
        re.fullmatch(pattern.replace("{label}", rf"\(?(?:{label})\)?"), bare, re.IGNORECASE)
        for pattern in _table(language_of(text))["pick"]
    )
