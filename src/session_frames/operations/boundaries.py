"""Where a session turns to another topic: explicit words of the user, an accepted "next would be …", a long pause.

Found is offered, never done: whoever asked decides. Words alone that can also begin a further step of the same work
("next: …") count only where something is named that nobody spoke of before and where the new matter lasts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from session_frames.model import MAIN_THREAD, Turn
from session_frames.operations.extract.patterns import find, language_of, whole
from session_frames.operations.extract.patterns.vocabulary import GENERIC_WORDS
from session_frames.operations.extract.sentences import clauses, last_sentences, own_sentences
from session_frames.operations.extract.topic import LAST_RESORT, topic_of
from session_frames.operations.extract.words import about
from session_frames.operations.nested_calls import iter_calls

LONG_PAUSE: Final = timedelta(hours=3)
_LASTS: Final = 2  # messages of the user that a topic takes at least where its beginning is not certain


class Shift(NamedTuple):
    """A place where the topic may change: before which turn, its number, why, and the words that show it."""

    turn: str
    number: int
    why: str
    words: str


class _Marks(NamedTuple):
    """What one language says at the beginning of a sentence when the topic changes; any of the expressions will do."""

    lead_in: str
    surely: tuple[str, ...]  # can't be said of a further step of the same work
    perhaps: tuple[str, ...]  # can
    agent_next: str  # the agent offers what could come next (group 1)


_THING: Final = r"(?:thing|issue|matter|note|story|problem|bug|item|point)"
_TOPIC: Final = r"(?:topic|subject|task)"
_NEW: Final = r"(?:new|another|next|second|third|other)"
_APART: Final = r"(?:different|separate|unrelated)"
_FULLY: Final = r"(?:completely |totally |entirely )?"
_STOP: Final = r"(?: entirely| altogether)?\s*(?:[:,.;–—]|-\s|$)"
_MARKS: Final[dict[str, _Marks]] = {
    "en": _Marks(
        lead_in=r"(?:(?:ok(?:ay)?|all ?right|right|great|good|cool|fine|thanks?|thank you|perfect|now|so|and|then|also"
        r"|but|well|oh|hey|ah|anyway|nice|done|that's done|yes|yep)\b[\s,.!–—-]*)",
        surely=(
            rf"(?:on )?(?:an? |to )?{_FULLY}{_APART} (?:{_THING}|{_TOPIC}){_STOP}",
            rf"(?:on )?(?:(?:an?|the|to|to an?) )?{_NEW} {_TOPIC}{_STOP}",
            r"(?:let'?s |can we |time to |i want to )?switch(?:ing)? (?:topics?|subjects?|gears)\b",
            r"(?:let'?s |can we |time to |i want to )?chang(?:e|ing)(?: of| the)? (?:topics?|subjects?)\b",
            rf"unrelated(?:ly)?{_STOP}",
            rf"(?:something|completely|totally) (?:else|different|unrelated){_STOP}",
        ),
        perhaps=(
            rf"(?:the |an? )?{_NEW} {_THING}{_STOP}",
            r"next(?: up)?\s*(?:[:,–—]|\.$|$)",
            r"next up is\b",
            r"second(?:ly)?\s*:",
            rf"(?:let'?s )?mov(?:e|ing) on(?: to\b|{_STOP})",
            r"on to\b",
        ),
        agent_next=r"\bnext (?:would be|is|could be|comes)\b(.+)",
    ),
    "ko": _Marks(
        lead_in=r"(?:(?:오케이|ㅇㅋ|ㅇㅇ|네|넵|응|어|좋아요?|굿|그럼|그러면|자|아|이제|그리고|근데|그건 됐고|ok)"
        r"[\s,.!~]+)",
        surely=(
            r"(?:주제|화제|얘기|이야기|말)(?:를|을|도|는)? ?(?:좀 )?(?:바꿔|바꾸|바꿀|돌려|돌리|전환)",
            r"(?:완전 ?|전혀 ?)?(?:다른|딴|별개의?|새로운) ?(?:얘기|이야기|주제)"
            r"(?:인데|지만|로|는|은|를|하나|\s*[:,.…–—-]|$)",
            r"별건(?:으로|인데|이지만|\s*[:,.]|$)",
            r"다음 ?주제",
        ),
        perhaps=(
            r"(?:두|세) ?번째(?:로|는|은)?\s*(?:[:,.]|$)",
            r"(?:둘째|셋째)(?:로|는)?\s*[:,.]",
            r"별개로",
            r"다음(?: ?(?:건|작업|이슈|문제|거|것|일|할 일))?(?:은|는|으로|으로는)?\s*(?:[:,.]|$)",
            r"다음(?:은|으로는?)\s",
            r"(?:다른|딴) ?(?:건|문제|작업|이슈|거)(?:인데|는|은|하나|\s*[:,])",
        ),
        agent_next=r"다음(?:은|으로는?)\s*(.+?)(?:할까요|인가요|일까요|갈까요|볼까요|입니다)",
    ),
    "ja": _Marks(
        lead_in=r"(?:(?:じゃあ?|では|さて|それでは?|それじゃあ?|よし|うん|はい|了解|ありがとう|あと|OK|いいね)[、。,.!！\s]*)",
        surely=(
            r"(?:ちょっと|少し)?話(?:は|が|を)?(?:変わ|変え|替え|かわ)",
            r"話題(?:は|が|を)?(?:変|替|転換)",
            r"(?:全然|まったく|全く)?(?:別件|(?:別|違う)の?(?:話題?|件|トピック))"
            r"(?:です|だ|なん|で|に|を|の|[、。:：,]|$)",
            r"次の(?:話題|議題|トピック|テーマ)",
        ),
        perhaps=(
            r"次(?:は|に|の(?:件|タスク|課題|問題|バグ|作業))?\s*[、。:：,]",
            r"次(?:は|の(?:件|タスク|課題|問題|バグ|作業)は?)",
            r"(?:二|2|２|三|3|３)(?:つ|個|番)目(?:は|の|[、。:：,])",
            r"ところで|それとは別に|もう一件",
        ),
        agent_next=r"次は(.+?)(?:でしょうか|ですか|にしますか|をやりますか|に移りますか|に進みますか)",
    ),
}


def find_shifts(turns: Sequence[Turn]) -> list[Shift]:
    """The places where the topic changes, in order; none in a session about one thing."""
    said = [at for at, turn in enumerate(turns) if _is_said(turn)]
    found: list[Shift] = []
    for at in said[1:]:
        shift = _by_words(turns, at) or _by_offer(turns, at) or _by_pause(turns, at)
        if shift:
            found.append(shift)
    return found


def _is_said(turn: Turn) -> bool:
    """Is it a message of the user on the main thread?"""
    main = turn.get("thread", MAIN_THREAD) == MAIN_THREAD
    return main and turn["role"] == "user" and turn.get("origin") not in ("injected", "command")


def new_words(text: str) -> str:
    """The words of a message from where it turns to another topic; the whole message where it says no such thing."""
    mark = _mark(text)
    if mark and mark.rest:
        return mark.rest
    sentences = own_sentences(text)
    agreed = len(sentences) > 1 and whole("approve", clauses(sentences[0])[0].text)
    return " ".join(sentences[1:]) if agreed else text


def topic_of_words(words: str) -> str:
    """The label for what such words are about: what they say first, before any reason is given."""
    first = next((clause.text for sentence in own_sentences(words) for clause in clauses(sentence)), words)
    label = topic_of(first)
    return label if label != LAST_RESORT else topic_of(words)


# ---------------------------------------------------------------------------------------------------------------------
# Said in so many words


class _Mark(NamedTuple):
    sure: bool
    sentence: str
    rest: str  # what follows the mark in the message


def _mark(text: str) -> _Mark | None:
    """The first sentence of the message's own words that begins with a mark."""
    sentences = own_sentences(text)
    for at, sentence in enumerate(sentences):
        if find("hearsay", sentence):
            continue
        for language in dict.fromkeys((language_of(sentence), language_of(text))):
            match, sure = _opens(language, sentence)
            if match:
                rest = [_without_ending(sentence[match.end() :]), *sentences[at + 1 :]]
                return _Mark(sure, sentence, " ".join(part for part in rest if part))
    return None


def _opens(language: str, sentence: str) -> tuple[re.Match[str] | None, bool]:
    """The mark with which the sentence begins, or a part of it after "then", and whether it is a sure one."""
    marks = _MARKS[language]
    for sure, patterns in ((True, marks.surely), (False, marks.perhaps)):
        mark = f"(?:{'|'.join(patterns)})"
        match = re.match(f"{marks.lead_in}{{0,3}}{mark}", sentence, re.IGNORECASE)
        match = match or re.search(rf"(?<=[,;、])\s*{marks.lead_in}{{1,3}}{mark}", sentence, re.IGNORECASE)
        if match:
            return match, sure
    return None, False


def _without_ending(rest: str) -> str:
    """Without what still belongs to the mark: its stop, or the ending of its verb ("바꿔|서, …", "変わる|けど、…")."""
    bare = re.sub(r"^[\uac00-\ud7a3\u3040-\u309f]{1,6}[,、]\s*", "", rest)
    return re.sub(r"^(?:[\s:：,、。.;–—]|-\s)+", "", bare).rstrip()


def _by_words(turns: Sequence[Turn], at: int) -> Shift | None:
    mark = _mark(turns[at].get("text", ""))
    if mark is None:
        return None
    if not mark.sure and not (_fresh(turns, at, mark.rest) and _lasts(turns, at)):
        return None
    return Shift(turns[at]["id"], at + 1, "the user turns to something else", mark.sentence)


def _fresh(turns: Sequence[Turn], at: int, words: str) -> frozenset[str]:
    """What the words are about that nobody spoke of before."""
    before = frozenset().union(*(_named(turn.get("text", "")) for turn in turns[:at]))
    return _named(words) - before - GENERIC_WORDS


def _named(text: str) -> frozenset[str]:
    """What a text is about; an option ("--since") counts, whatever word it is made of."""
    return about(text) | frozenset(re.findall(r"(?<![\w-])--[a-z][\w-]+", text.lower()))


def _lasts(turns: Sequence[Turn], at: int) -> bool:
    """Does the matter take several messages of the user, or changes of files that were not touched before?"""
    return sum(map(_is_said, turns[at:])) >= _LASTS or _only_new_files(turns, at)


# ---------------------------------------------------------------------------------------------------------------------
# The agent offered what could come next, and the user took it up by name


def _by_offer(turns: Sequence[Turn], at: int) -> Shift | None:
    before, text = turns[at - 1], turns[at].get("text", "")
    sentences = own_sentences(text)
    if before["role"] != "agent" or len(sentences) < _LASTS or not whole("approve", clauses(sentences[0])[0].text):
        return None
    for sentence in last_sentences(before.get("text", ""))[-2:]:
        match = re.search(_MARKS[language_of(sentence)].agent_next, sentence, re.IGNORECASE)
        named = _fresh(turns, at - 1, match[1]) if match else frozenset()
        again = [turn for turn in turns[at:] if _is_said(turn) and named & _named(turn.get("text", ""))]
        if named & _named(text) and len(again) >= _LASTS:
            return Shift(turns[at]["id"], at + 1, "the user takes up what the agent offers as the next thing", sentence)
    return None


# ---------------------------------------------------------------------------------------------------------------------
# A long pause, after which other files are worked on


def _by_pause(turns: Sequence[Turn], at: int) -> Shift | None:
    pause = _pause_before(turns, at)
    if pause < LONG_PAUSE or not _only_new_files(turns, at):
        return None
    text = turns[at].get("text", "")
    spoken = frozenset().union(*(about(turn.get("text", "")) for turn in turns[:at] if _is_said(turn)))
    if not about(text) - GENERIC_WORDS or about(text) & spoken - GENERIC_WORDS:
        return None
    hours = int(pause.total_seconds() // 3600)
    sentences = own_sentences(text)
    return Shift(turns[at]["id"], at + 1, f"a pause of {hours} hours, then only new files", (*sentences, text)[0])


def _pause_before(turns: Sequence[Turn], at: int) -> timedelta:
    times = [turn["at"] for turn in turns[:at] if turn.get("at")]
    now = turns[at].get("at", "")
    if not times or not now:
        return timedelta()
    try:
        return datetime.fromisoformat(now) - datetime.fromisoformat(max(times))
    except (ValueError, TypeError):
        return timedelta()


def _only_new_files(turns: Sequence[Turn], at: int) -> bool:
    """Are files changed from here on, and none of them was touched before?"""
    before = {path for path, _ in _touched(turns[:at])}
    changed = {path for path, change in _touched(turns[at:]) if change != "read"}
    return bool(changed) and not changed & before


def _touched(turns: Sequence[Turn]) -> list[tuple[str, str]]:
    return [
        (file["path"], file["change"])
        for turn in turns
        for _, call in iter_calls(turn)
        for file in call.get("files", [])
    ]
