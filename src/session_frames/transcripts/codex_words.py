"""What in a Codex message the person said, and what the program put there; and which copy of a message counts."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from session_frames.transcripts.base import Record, UserWords, dict_of, joined_texts, list_of, text_of

# Beginnings of the blocks that the program writes in the person's name.
INJECTED_STARTS = (
    "<environment_context>",
    "<user_instructions>",
    "<INSTRUCTIONS>",
    "# AGENTS.md instructions for ",
    "<permissions instructions>",
    "<collaboration_mode>",
    "<personality_spec>",
    "<model_switch>",
    "<multi_agent_mode>",
    "<app-context>",
    "<apps_instructions>",
    "<skills_instructions>",
    "<plugins_instructions>",
    "<recommended_plugins>",
    "<turn_aborted>",
    "<skill>",
    "<user_shell_command>",
    "<user_action>",
    "<subagent_notification>",
    "<hook_prompt",
    "<image name=",
    "<image>",
    "</image>",
    "Approved command prefix saved:",
    "Warning: apply_patch was requested via",
    "Warning: The maximum number of unified exec processes",
)

# An IDE or the desktop app writes what it knows first; the words follow this heading.
REQUEST_HEADING = re.compile(r"^## My request for Codex:[ \t]*$", re.MULTILINE)
CONTEXT_STARTS = (
    "# Context from my IDE setup:",
    "# Files mentioned by the user:",
    "# Applications mentioned by the user:",
    "# In app browser:",
    "# Browser comments:",
    "# Diff comments:",
    "# Selected text:",
)

# The body of a custom prompt, with its arguments in a fence.
_CUSTOM_PROMPT = re.compile(r"\s*## User Input\s*```text\n(.*?)\n?```", re.DOTALL)

# A plan that the agent wrote and the person accepted, sent back as a prompt.
ACCEPTED_PLAN = "PLEASE IMPLEMENT THIS PLAN:"

# Kinds of ``user_message`` that are not the person's (2025).
INJECTED_KINDS = ("user_instructions", "environment_context")

_TEXT_BLOCKS = ("input_text", "output_text", "text", "Text")
_CWD = re.compile(r"<cwd>(.*?)</cwd>|^Current working directory: (.*)$", re.MULTILINE)


def block_texts(content: Any) -> Iterator[str]:
    """The texts of a message's content, whether it is a string or a list of blocks."""
    if isinstance(content, str):
        yield content
    for block in list_of(content):
        if isinstance(block, dict) and block.get("type") in _TEXT_BLOCKS:
            yield text_of(block.get("text"))


def item_words(content: Any) -> str:
    """The person's words in a message item: its texts without the injected blocks, joined by a line break."""
    return joined_texts(text for text in block_texts(content) if not text.lstrip().startswith(INJECTED_STARTS))


def own_words(text: str) -> str:
    """What the person wrote in a message that may begin with what the IDE knows."""
    head = text.lstrip()
    if not head.startswith("# "):
        return text
    match = REQUEST_HEADING.search(head)
    if match:
        return head[match.end() :].lstrip("\r\n")
    return "" if head.startswith(CONTEXT_STARTS) else text


def custom_prompt_arguments(text: str) -> str | None:
    """The arguments with which a custom prompt was called, "" for none; None when the text is no such body."""
    match = _CUSTOM_PROMPT.match(text)
    return match.group(1).strip() if match else None


def working_directory(content: Any) -> str:
    """The directory that an environment block names."""
    for text in block_texts(content):
        if text.lstrip().startswith("<environment_context>") and (match := _CWD.search(text)):
            return (match.group(1) or match.group(2) or "").strip()
    return ""


def told(raw: str, at: str, key: str) -> UserWords | None:
    """The person's words in a message of theirs, or None where there are none."""
    arguments = custom_prompt_arguments(raw)
    if arguments is not None:
        return UserWords(key, at, arguments, "command") if arguments else None
    text = own_words(raw)
    if not text.strip():
        return None
    return UserWords(key, at, text, "injected" if text.lstrip().startswith(ACCEPTED_PLAN) else "typed")


def answers(output: str) -> list[str]:
    """The answers in the result of a question to the person, each alone, in order."""
    try:
        given = dict_of(dict_of(json.loads(output)).get("answers"))
    except (ValueError, RecursionError):
        return []
    return [word for value in given.values() for word in _answer(value) if word.strip()]


_NOTE = "user_note: "  # what the person typed beside a choice


def _answer(value: Any) -> Iterator[str]:
    chosen = dict_of(value).get("answers") if isinstance(value, dict) else value
    words = [chosen] if isinstance(chosen, str) else [text_of(one) for one in list_of(chosen)]
    for word in words:
        yield word.removeprefix(_NOTE)


def reasoning_texts(payload: Record) -> Iterator[str]:
    """The parts of the agent's thinking that are readable."""
    for block in map(dict_of, (*list_of(payload.get("summary")), *list_of(payload.get("content")))):
        if text := text_of(block.get("text")):
            yield text


class Mirrors:
    """Tells the first copy of a message that is written in several places, and every deliberate repetition.

    Each place is counted by itself: a text is new when one place has told it more often than it was told so far. To be
    emptied where copies can no longer come.
    """

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()
        self._told: Counter[str] = Counter()

    def is_new(self, place: str, text: str) -> bool:
        """Was this text not told yet?"""
        stripped = text.strip()
        self._counts[place, stripped] += 1
        if self._counts[place, stripped] <= self._told[stripped]:
            return False
        self._told[stripped] += 1
        return True

    def clear(self) -> None:
        """No copies of earlier messages are to be expected."""
        self._counts.clear()
        self._told.clear()
