"""Questions that either side put, and whether they were answered, put off or left open."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from session_frames.model import By, Decision, Evidence, Question, QuestionStatus, Turn, item_id

from .patterns import find, opening, whole
from .sentences import clauses, last_sentences, own_sentences, shortened
from .words import about, shared

_SHORTEST: Final = 6
_LONGEST_BARE_ANSWER: Final = 20
_STEM: Final = 2  # characters in which a verb of the answer is that of the question


@dataclass
class _Asked:
    text: str
    by: By
    place: int
    evidence: list[Evidence]
    status: QuestionStatus
    answer: str = ""


def read_questions(turns: Sequence[Turn], decisions: Sequence[Decision]) -> list[Question]:
    """The questions of the conversation; what was decided later about an open one answers it."""
    asked: list[_Asked] = []
    for place, turn in enumerate(turns):
        reader = _of_user if turn["role"] == "user" else _of_agent
        asked += reader(turns, place)
    places = {turn["id"]: place for place, turn in enumerate(turns)}
    for question in asked:
        _settle_later(question, decisions, places)
    return [_as_question(one) for one in asked]


def _as_question(one: _Asked) -> Question:
    question: Question = {
        "id": item_id("question", one.evidence[0]["turn"], one.text),
        "text": one.text,
        "status": one.status,
        "by": one.by,
        "evidence": one.evidence,
    }
    if one.answer:
        question["answer"] = one.answer
    return question


def _quoted(turn: Turn, text: str) -> Evidence:
    return {"turn": turn["id"], "quote": shortened(text)}


def _asks_something(sentence: str) -> bool:
    return bool(find("asks", sentence)) and len(sentence) >= _SHORTEST and not find("request", sentence)


def _of_agent(turns: Sequence[Turn], place: int) -> list[_Asked]:
    """The agent's last question to the user, and what the user made of it in the next turn."""
    turn = turns[place]
    questions = [one for one in last_sentences(turn.get("text", "")) if _asks_something(one)]
    if not questions or not about(questions[-1]) or find("step", questions[-1]) or find("smalltalk", questions[-1]):
        return []
    text = shortened(questions[-1])
    reply = next((one for one in turns[place + 1 :] if one["role"] == "user"), None)
    asked = _Asked(text, "agent", place, [_quoted(turn, text)], "open")
    said = own_sentences(reply.get("text", "")) if reply else ()
    if reply is None or not said:
        return [asked]
    plain = [one for one in said if not find("asks", one)]
    put_off = _put_off(plain)
    if put_off:
        asked.status = "deferred"
        asked.evidence.append(_quoted(reply, put_off))
    elif not find("asks", said[0]) and not find("musing", said[0]) and not find("no_answer", said[0]):
        if not _answers(said[0], text):
            return []
        if _says_nothing(said[0], text):
            return [asked] if find("which", text) else []
        asked.status, asked.answer = "answered", shortened(said[0])
        asked.evidence.append(_quoted(reply, said[0]))
    return [asked]


def _answers(reply: str, question: str) -> bool:
    """Whether the reply speaks to the question: short, a yes or no with more behind it, or about the same thing."""
    first = clauses(reply)[0].text if clauses(reply) else reply
    if len(first) <= _LONGEST_BARE_ANSWER or shared(reply, question):
        return True
    return not find("which", question) and any(
        (said := opening(kind, reply)) is not None and not reply[said.end() : said.end() + 1].isalnum()
        for kind in ("weak_yes", "refuse")
    )


def _says_nothing(reply: str, question: str) -> bool:
    """Whether the reply is no answer: thanks, or a mere yes where there is something to choose from."""
    kinds = ("thanks", "weak_yes", "approve", "ack") if find("which", question) else ("thanks",)
    return any(whole(kind, reply) for kind in kinds)


def _unknown(sentence: str) -> bool:
    """ "I don't know which", "몇으로 할지 모르겠네"."""
    return bool(find("no_answer", sentence) and find("unknown", sentence))


def _put_off(sentences: Sequence[str]) -> str:
    for sentence in sentences:
        for clause in clauses(sentence):
            if find("put_off_last", clause.text) or find("defer", clause.text):
                return clause.text
    return ""


def _of_user(turns: Sequence[Turn], place: int) -> list[_Asked]:
    """The user's questions, answered by the agent's next words unless these say that it cannot tell."""
    turn = turns[place]
    said = own_sentences(turn.get("text", ""))
    put_off = _put_off([one for one in said if not find("asks", one)])
    following = turns[place + 1] if place + 1 < len(turns) else None
    answers = own_sentences(following.get("text", "")) if following and following["role"] == "agent" else ()
    found: list[_Asked] = []
    for number, sentence in enumerate(said):
        text = _question_in(sentence)
        unknown = bool(put_off) and not text and _unknown(sentence)
        open_mark = bool(find("keeps_open", sentence))
        if not (text or unknown or open_mark):
            continue
        asked = _Asked(shortened(text or sentence), "user", place, [_quoted(turn, text or sentence)], "open")
        if put_off and (unknown or open_mark or number == len(said) - 2):
            asked.status = "deferred"
        elif text and not open_mark and not _ends_the_talk(turns, place):
            if not following or not answers:
                continue
            if len(answers) > 1 and not _is_spoken_to(said[number : number + 2], following.get("text", "")):
                continue
            if find("no_answer", answers[0]):
                continue
            answer = next((one for one in answers if not _says_nothing(one, text)), "")
            if not answer:
                continue
            asked.status, asked.answer = "answered", shortened(answer)
            asked.evidence.append(_quoted(following, answer))
            _put_off_after_the_answer(asked, turns, place)
        found.append(asked)
    return found


def _is_spoken_to(asked: Sequence[str], answer: str) -> bool:
    """Whether a longer answer speaks to a question, or to one right behind it ("where? in the migration?").

    Or it begins with the verb that was asked ("ずれない?", "ずれます。").
    """
    question = " ".join(one for one in asked if find("asks", one))
    echoes = not answer[:_STEM].isascii() and answer[:_STEM] in question
    return echoes or bool(shared(question, answer))


def _ends_the_talk(turns: Sequence[Turn], place: int) -> bool:
    """Whether nobody said anything after that turn."""
    return not any(turn.get("text", "").strip() for turn in turns[place + 1 :])


def _put_off_after_the_answer(asked: _Asked, turns: Sequence[Turn], place: int) -> None:
    """The user heard the answer and put the matter off all the same."""
    reply = turns[place + 2] if place + 2 < len(turns) else None
    said = own_sentences(reply.get("text", "")) if reply and reply["role"] == "user" else ()
    put_off = _put_off(said)
    if reply and put_off and not any(_unknown(sentence) for sentence in said):
        asked.status, asked.answer = "deferred", ""
        asked.evidence.append(_quoted(reply, put_off))


def _question_in(sentence: str) -> str:
    """The question of the sentence, without a mark such as "still open:" before it."""
    if not _asks_something(sentence) or find("deny", sentence):
        return ""
    text = re.sub(r"^[\w ]*\bopen\b[\w ]*: *", "", sentence)
    return text if len(about(text)) > 1 or find("keeps_open", sentence) else ""


def _settle_later(question: _Asked, decisions: Sequence[Decision], places: dict[str, int]) -> None:
    for decision in decisions:
        first = decision["evidence"][0]
        if question.status == "open" and question.evidence[0] in decision["evidence"][1:]:
            question.status, question.answer = "answered", first["quote"]
            question.evidence.append(first)
            return
        later = places[first["turn"]] > question.place + 1
        if not later or not shared(question.text, decision["text"]):
            continue
        if decision["status"] == "deferred":
            question.status, question.answer = "deferred", ""
            question.evidence.append(first)
        elif decision["status"] == "accepted" and question.status != "answered":
            question.status, question.answer = "answered", first["quote"]
            question.evidence.append(first)
            return
