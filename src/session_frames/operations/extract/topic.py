"""Topic, title and goal, from the first real prompt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from session_frames.model import Turn

from .patterns import language_of
from .sentences import own_sentences, shortened

LAST_RESORT: Final = "session"
_MOST_WORDS: Final = 4
_LONGEST_WORD: Final = 30
_LONGEST_TOPIC: Final = 60
_LONGEST_TITLE: Final = 80
_LONGEST_GOAL: Final = 300

_GREETING: Final = (
    r"^(?:hi|hello|hey|hey there|good (?:morning|evening)|thanks?|continue|go on|go ahead|ok(?:ay)?|yes|test|ping|안녕\S*|하이|네"
    r"|계속|계속해\S*|こんにちは|おはよう\S*|続けて|お願いします|よろしく\S*)[\s.!,。！、]*$"
)

# Words that no label is made of.
_EMPTY: Final = frozenset(
    """
    a an the this that these those my our your their its his her it i i'd i'm i've we we're you they he she me us them who
    what which how why where when and or but so if then than because while to of in on at by for from with without into
    onto over under about between around right is are was were be been being am do does did don't doesn't didn't can can't
    could couldn't will would should shouldn't must may might have has had having not no yes please pls just also only
    still again now here there some any all every each both more most much many very too really quite want wants need
    needs like let let's lets make makes made get gets got gives give take takes see look looks check know think try
    trying help fix fixes add adds change update implement create write build refactor rewrite improve use using start
    run running find out up down off new first next one two thing things something way time problem issue bug work works
    working complain complains say says said yesterday today tomorrow currently silently sometimes always never keeps keep
    since until after before same whole should project repo code file files support review explain show tell hi hello hey
    thanks set move remove delete rename replace turn put send sends
    """.split()  # noqa: SIM905 - a list of 200 strings would be a page
)
_ASKED_FOR: Final = (
    r"\b(?:fix|add|implement|create|write|build|refactor|rewrite|improve|migrate|review|debug|speed up|clean up|remove|replace"
    r"|rename|move|update|optimi[sz]e|upgrade|port|document|test|support|explain|investigate|set up|extend|split|simplify)"
    r"\s+(.+)"
)
_WORD: Final = r"[A-Za-z0-9][\w'./#+-]*|[^\x00-\x7f]+"

_KOREAN_PARTICLE: Final = (
    r"(?:에서는|에서|으로|까지|부터|이랑|하고|처럼|보다|이나|에게|한테|은|는|이|가|을|를|에|로|도|와|과|의|만|랑)$"
)
_KOREAN_EMPTY: Final = r"^(?:가끔|지금|바로|너무|좀|자꾸|계속|그냥|일단|이거|그거|저거|우리|제가|내가|그리고|근데|그런데|혹시|안녕\S*|요즘|어제|오늘|다시|지금은|때마다|문제|부탁\S*)$"
_KOREAN_VERB: Final = r"(?:다|요|함|임|됨|음|줘|해|죠|자|니다|세요|는데|어서|아서|해서|하면|되면|면|려고|고|짐|싶어|싶음|인데|네|기|던|할|된|한|뱉는데|떨어짐|죽음)$"
_KOREAN_ASKED: Final = r"(\S+(?: \S+)?) ?(?:을|를)? ?(?:넣어|추가|고쳐|수정|개선|바꿔|만들어|구현|작성|정리|봐|리팩터링|리팩토링|막아|검토|줄여|적용|처리)"
# A run of one script; kanji that go on in hiragana are a verb's.
_JAPANESE_RUN: Final = (
    r"(?:[A-Za-z][A-Za-z0-9_.#/-]*|[\u30a0-\u30ff]{2,}"
    r"|[\u4e00-\u9fff]+(?=[をにはがのとでもへや、。\s]|$|[A-Za-z\u30a0-\u30ff]))"
)
_JAPANESE_NOUN: Final = rf"{_JAPANESE_RUN}(?:の?{_JAPANESE_RUN})*"
_JAPANESE_ASKED: Final = (
    rf"({_JAPANESE_NOUN})(?:を|に|は|が)?"
    r"(?:したい|直し|見直し|追加|足し|入れ|作っ|変え|改善|整理|防ぎ|調べ|修正|実装|対応)"
)
_JAPANESE_EMPTY: Final = frozenset(
    "今 方 件 本番 場合 一番 全部 最近 昨日 今日 手 中 上 下 前 後 何 為 事 物 時 人 行".split()
)  # noqa: SIM905


def first_prompt(turns: Sequence[Turn]) -> str:
    """The first message of the user that says something: no greeting, no command."""
    spoken = [turn.get("text", "") for turn in turns if turn["role"] == "user" and turn.get("origin") != "command"]
    for text in spoken:
        if text.strip() and not re.match(_GREETING, text.strip(), re.IGNORECASE) and not text.lstrip().startswith("/"):
            return text
    return ""


def topic_of(text: str) -> str:
    """A label of one to four words for what the prompt is about; never empty.

    A prompt that begins with a heading ("relay config: ...") is named by it, one that hands over a plan by the plan's
    heading. Else the label is what the first
    sentence is about and what is asked for.
    """
    text = re.sub(r"\S+://\S+", " ", text)
    sentences = list(own_sentences(text) or own_sentences(re.sub(r"^[>\s]+", "", text)))
    if not sentences:
        return LAST_RESORT
    plan = re.search(r"^#{1,3}\s+(?:plan|task|spec|feature|issue)?:?\s*(\S.*)$", text, re.IGNORECASE | re.MULTILINE)
    if plan and re.search(r"\bfollowing\b|[:：]$|다음|以下", sentences[0], re.IGNORECASE):
        sentences = [plan.group(1)]
    heading = re.match(r"^([^:：\n]{2,40})[:：]\s", sentences[0])
    if heading and len(heading.group(1).split()) <= _MOST_WORDS:
        sentences = [heading.group(1)]
    label = {"ko": _korean, "ja": _japanese, "en": _english}[language_of(" ".join(sentences[:3]))](sentences[:3])
    words = list(dict.fromkeys(word.strip("-'./,") for word in label))
    return " ".join(word[:_LONGEST_WORD] for word in words if word)[:_LONGEST_TOPIC].strip().lower() or LAST_RESORT


def _english(sentences: Sequence[str]) -> list[str]:
    """What is asked for, else what the first sentence is about."""
    asked: list[str] = []
    for sentence in sentences:
        match = re.search(_ASKED_FOR, sentence, re.IGNORECASE)
        if match:
            asked = _english_words(re.split(r"[,;:]| (?:so|because|when|where|which|that|and|but) ", match.group(1))[0])
            if asked:
                break
    return (asked or _english_words(sentences[0])[: _MOST_WORDS - 1])[:_MOST_WORDS]


def _english_words(text: str) -> list[str]:
    words = [word.rstrip(".,'").lower() for word in re.findall(_WORD, text)]
    return [_basename(word) for word in words if word not in _EMPTY and not re.fullmatch(r"\d[\w.]*", word)]


def _basename(word: str) -> str:
    return word.rstrip("/").rsplit("/", 1)[-1]


def _korean(sentences: Sequence[str]) -> list[str]:
    subject = _korean_nouns(sentences[0])[:3]
    asked = [
        re.sub(r"(?:을|를|은|는)$", "", word)
        for sentence in sentences
        for mark in re.findall(_KOREAN_ASKED, sentence)
        for word in mark.split()
        if not re.search(_KOREAN_EMPTY, word) and not re.search(_KOREAN_VERB, word)
    ]
    return [*subject, *(word for word in asked if word not in subject)][:_MOST_WORDS]


def _korean_nouns(text: str) -> list[str]:
    """The nouns of the text up to its first verb."""
    nouns: list[str] = []
    for word in re.findall(r"[\w.#+/-]+", text):
        bare = re.sub(_KOREAN_PARTICLE, "", word) if len(word) > 2 or not re.search(r"[가-힣]", word[:-1]) else word
        bare = re.sub(r"(?<=[A-Za-z0-9])[가-힣]{1,2}$", "", bare) or bare
        if re.fullmatch(_KOREAN_EMPTY, word) or re.fullmatch(_KOREAN_EMPTY, bare):
            continue
        if re.search(r"[가-힣]", word) and re.search(_KOREAN_VERB, word) and word == bare:
            if nouns:
                break
            continue
        if not re.match(r"\d", bare):
            nouns.append(_basename(bare))
    return nouns


def _japanese(sentences: Sequence[str]) -> list[str]:
    subject = _japanese_nouns(re.split(r"[、,]", sentences[0])[0])[:2]
    asked = [noun for sentence in sentences for noun in re.findall(_JAPANESE_ASKED, sentence)]
    return [*subject, *(noun for noun in asked if noun not in subject and noun not in _JAPANESE_EMPTY)][:_MOST_WORDS]


def _japanese_nouns(text: str) -> list[str]:
    return [noun for noun in re.findall(_JAPANESE_NOUN, text) if noun not in _JAPANESE_EMPTY]


def title_of(text: str) -> str:
    """The first sentence of the prompt, on one line."""
    sentences = own_sentences(text)
    first = " ".join((sentences[0] if sentences else text).split())
    return first if len(first) <= _LONGEST_TITLE else first[: _LONGEST_TITLE - 1].rstrip() + "…"


def goal_of(text: str) -> str:
    """The user's own words of the prompt, whole sentences up to some lines."""
    goal = ""
    for sentence in own_sentences(text):
        if goal and len(goal) + len(sentence) > _LONGEST_GOAL:
            break
        goal = f"{goal} {sentence}".strip()
    return goal or shortened(text)
