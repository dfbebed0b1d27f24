"""Next steps: what the user takes on or names as left to do, and what the agent lists as left to do at the end.

A label ("Next steps:", "다음 단계:", "次のステップ：") makes the rest of its line a step, or each point of the list
below it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from session_frames.model import By, NextStep, StepStatus, Turn, item_id

from .patterns import find, named
from .patterns.vocabulary import NO_STEP, STEP_IN_LIST, STEPS_LABEL
from .proposals import offer_of
from .sentences import clauses, last_lines, last_sentences, own_lines, own_sentences, shortened
from .words import about, shared

_LIST_OF_STEPS: Final = r"[,、]\s*|;\s*|\s+and\s+"
_MOST_LISTED: Final = 8


def read_steps(turns: Sequence[Turn]) -> list[NextStep]:
    """The next steps in order; done where a later message of the user reports that very thing."""
    found: list[NextStep] = []
    for place, turn in enumerate(turns):
        if turn["role"] == "user":
            found += _taken_on(turns, place)
    known = "\n".join(step["text"] for step in found)
    return found + [
        step for step in _listed_last(turns) if len(shared(step["text"], known)) < min(2, len(about(step["text"])))
    ]


def _taken_on(turns: Sequence[Turn], place: int) -> list[NextStep]:
    text = turns[place].get("text", "")
    labelled = _labelled(own_lines(text)) if _has_label(text) else []
    found = [_step(turns, place, one, "user") for one in labelled]
    for sentence in own_sentences(text):
        if find("asks", sentence) or any(one in sentence or sentence in one for one in labelled):
            continue
        remaining = re.match(STEPS_LABEL, sentence, re.IGNORECASE) or find("remaining", sentence)
        if remaining:
            left = named(remaining, "what")
            found += [_step(turns, place, left, "user")] if _is_step(left) else []
            continue
        for clause in clauses(sentence):
            match = find("commit", clause.text)
            if match and not find("hearsay", clause.text):
                about_it = about(re.sub(_time(match.group()), " ", match.group()))
                # "I'll think about it" says what only together with what was said before it
                context = "" if about_it else _before(turns, place, sentence)
                if about_it or (context and not any(one["evidence"][0]["quote"] in sentence for one in found)):
                    found.append(_step(turns, place, match.group(), "user", context))
    return found


def _has_label(text: str) -> bool:
    return re.search(STEPS_LABEL, text, re.IGNORECASE | re.MULTILINE) is not None


def _labelled(lines: Sequence[str]) -> list[str]:
    """What stands behind a label, and the points of the list below one that stands alone."""
    found: list[str] = []
    listing = False
    for line in lines:
        label = re.match(STEPS_LABEL, line, re.IGNORECASE)
        point = re.match(STEP_IN_LIST, line) if listing and not label else None
        step = label["what"] if label else point["what"] if point and point["mark"] not in ("x", "X") else ""
        if _is_step(step):
            found.append(step.strip())
        listing = (label is not None and not label["what"]) or (listing and (point is not None or not line.strip()))
    return found


def _is_step(text: str) -> bool:
    return bool(about(text)) and not find("asks", text) and not re.match(NO_STEP, text, re.IGNORECASE)


def _time(text: str) -> str:
    match = find("time", text)
    return re.escape(match.group()) if match else r"(?!)"


def _before(turns: Sequence[Turn], place: int, sentence: str) -> str:
    """The sentence before; at the beginning of a message, what the agent proposed last."""
    said = own_sentences(turns[place].get("text", ""))
    at = said.index(sentence)
    if at:
        return said[at - 1]
    proposals = offer_of(turns[place - 1].get("text", "")).proposals if place else []
    return proposals[-1] if proposals else ""


def _listed_last(turns: Sequence[Turn]) -> list[NextStep]:
    """The last list of what is left in the agent's words."""
    for place in range(len(turns) - 1, -1, -1):
        if turns[place]["role"] != "agent":
            continue
        text = turns[place].get("text", "")
        labelled = _labelled(last_lines(text)) if _has_label(text) else []
        if labelled:
            steps = labelled if len(labelled) > 1 else re.split(_LIST_OF_STEPS, labelled[0])
            return [_step(turns, place, one, "agent") for one in steps[:_MOST_LISTED] if about(one)]
        for sentence in last_sentences(text):
            match = find("remaining", sentence)
            if match:
                listed = re.split(_LIST_OF_STEPS, named(match, "what"))[:_MOST_LISTED]
                return [_step(turns, place, one, "agent") for one in listed if _is_step(one)]
    return []


def _step(turns: Sequence[Turn], place: int, quote: str, by: By, context: str = "") -> NextStep:
    turn = turns[place]
    quote = shortened(quote.rstrip(" .。"))
    text = shortened(f"{quote} — {context}") if context else quote
    return {
        "id": item_id("step", turn["id"], text),
        "text": text,
        "status": _status(turns, place, text),
        "by": by,
        "evidence": [{"turn": turn["id"], "quote": quote}],
    }


def _status(turns: Sequence[Turn], place: int, text: str) -> StepStatus:
    for later in turns[place + 1 :]:
        if later["role"] == "user":
            for sentence in own_sentences(later.get("text", "")):
                if find("done", sentence) and shared(text, sentence) and not find("asks", sentence):
                    return "done"
    return "open"
