"""Is there a conversation in it, and the answers of the person that stand in results of questions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from session_frames.transcripts.base import (
    AgentText,
    Event,
    NoConversation,
    ToolCall,
    UserWords,
    dict_of,
    load_json,
    text_of,
)


def or_no_conversation(events: Iterable[Event | NoConversation]) -> Iterator[Event | NoConversation]:
    """The events; where nobody speaks in them, that is told at the end."""
    told = False
    for event in events:
        told = told or isinstance(event, UserWords | AgentText | ToolCall | NoConversation)
        yield event
    if not told:
        yield NoConversation("no prompt and no answer in it")


def answers_in_json(text: str) -> list[str]:
    """The answers of a result of the form ``{"answers": {question: answer}}``, in its order."""
    try:
        answers = dict_of(dict_of(load_json(text.encode("utf-8", "surrogatepass"))).get("answers"))
    except ValueError:
        return []
    return [answer for value in answers.values() if (answer := text_of(value)).strip()]
