"""Topic, title and goal, from the first real prompt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from session_frames.model import Turn

from .patterns import language_of
from .patterns import vocabulary as vocab
from .sentences import own_sentences, shortened

LAST_RESORT: Final = "session"
_MOST_WORDS: Final = 4
_LONGEST_WORD: Final = 30
_LONGEST_TOPIC: Final = 60
_READ: Final = 2500  # characters; what a prompt is about stands at its beginning
_LONGEST_TITLE: Final = 80
_LONGEST_GOAL: Final = 300
_WORD: Final = r"[A-Za-z0-9][\w'./#+-]*|[^\x00-\x7f]+"


def first_prompt(turns: Sequence[Turn]) -> str:
    """The first message of the user that says something: no greeting, no command."""
    spoken = [turn.get("text", "") for turn in turns if turn["role"] == "user" and turn.get("origin") != "command"]
    for text in spoken:
        if (
            text.strip()
            and not re.match(vocab.GREETING, text.strip(), re.IGNORECASE)
            and not text.lstrip().startswith("/")
        ):
            return text
    return ""


def topic_of(text: str) -> str:
    """A label of one to four words for what the prompt is about; never empty.

    A prompt that begins with a heading ("relay config: ...") is named by it, one that hands over a plan by the plan's
    heading. Else the label is what the first
    sentence is about and what is asked for.
    """
    text = re.sub(r"\b[A-Za-z][A-Za-z0-9+.-]{1,20}://\S+", " ", text[:_READ])
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
        match = re.search(vocab.ASKED_FOR, sentence, re.IGNORECASE)
        if match:
            asked = _english_words(re.split(r"[,;:]| (?:so|because|when|where|which|that|and|but) ", match.group(1))[0])
            if asked:
                break
    return (asked or _english_words(sentences[0])[: _MOST_WORDS - 1])[:_MOST_WORDS]


def _english_words(text: str) -> list[str]:
    words = [word.rstrip(".,'").lower() for word in re.findall(_WORD, text)]
    return [_basename(word) for word in words if word not in vocab.NO_LABEL and not re.fullmatch(r"\d[\w.]*", word)]


def _basename(word: str) -> str:
    return word.rstrip("/").rsplit("/", 1)[-1]


def _korean(sentences: Sequence[str]) -> list[str]:
    subject = _korean_nouns(sentences[0])[:3]
    asked = [
        noun
        for sentence in sentences
        for mark in re.findall(vocab.KOREAN_ASKED, sentence)
        for noun in _korean_objects(mark.split())
    ]
    return [*subject, *(word for word in asked if word not in subject)][:_MOST_WORDS]


def _korean_objects(words: Sequence[str]) -> list[str]:
    """What is asked for: the last word stands right before the verb and may end like a particle ("재시도")."""
    bare = [re.sub(vocab.KOREAN_PARTICLE, "", word) for word in words[:-1]]
    bare.append(re.sub(r"(?:을|를|은|는)$", "", words[-1]))
    return [
        word for word in bare if not re.search(vocab.KOREAN_NO_LABEL, word) and not re.search(vocab.KOREAN_VERB, word)
    ]


def _korean_nouns(text: str) -> list[str]:
    """The nouns of the text up to its first verb."""
    nouns: list[str] = []
    for word in re.findall(r"[\w.#+/-]+", text):
        bare = (
            re.sub(vocab.KOREAN_PARTICLE, "", word) if len(word) > 2 or not re.search(r"[가-힣]", word[:-1]) else word
        )
        bare = re.sub(r"(?<=[A-Za-z0-9])[가-힣]{1,2}$", "", bare) or bare
        if re.fullmatch(vocab.KOREAN_NO_LABEL, word) or re.fullmatch(vocab.KOREAN_NO_LABEL, bare):
            continue
        if re.search(r"[가-힣]", word) and re.search(vocab.KOREAN_VERB, word) and word == bare:
            if len(nouns) > 1:
                break
            continue
        if not re.match(r"\d", bare):
            nouns.append(_basename(bare))
    return nouns


def _japanese(sentences: Sequence[str]) -> list[str]:
    subject = _japanese_nouns(re.split(r"[、,]", sentences[0])[0])[:2]
    asked = [noun for sentence in sentences for noun in re.findall(vocab.JAPANESE_ASKED, sentence)]
    return [*subject, *(noun for noun in asked if noun not in subject and noun not in vocab.JAPANESE_NO_LABEL)][
        :_MOST_WORDS
    ]


def _japanese_nouns(text: str) -> list[str]:
    return [noun for noun in re.findall(vocab.JAPANESE_NOUN, text) if noun not in vocab.JAPANESE_NO_LABEL]


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
