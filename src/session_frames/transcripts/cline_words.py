"""What the person said in a message of Cline or Roo, and the facts in what the program put around it."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Blocks that the program appends to a prompt.
_APPENDED = re.compile(
    r"<(environment_details|file_content|folder_content|url_content|workspace_diagnostics|terminal_output"
    r"|git_working_state|git_commit|explicit_instructions|mode_notice|hook_context|slash_command)\b[^>]*>.*?(?:</\1>|\Z)",
    re.DOTALL,
)
# Tags in which the program puts what the person typed.
_TASK = re.compile(r"\A\s*<(task|user_message|user_input|feedback|answer)\b[^>]*>(.*)</\1>", re.DOTALL)
_FEEDBACK = re.compile(r"^The user [^\n<]*\n<feedback>(.*?)</feedback>", re.MULTILINE | re.DOTALL)
_MESSAGE = re.compile(r"^<user_message>(.*)</user_message>", re.MULTILINE | re.DOTALL)
_ANSWER = re.compile(r"\A\s*<answer>(.*)</answer>", re.DOTALL)

# A mention as the program writes it out -> as it was typed.
_MENTIONS = (
    (re.compile(r"'([^'\n]+)' \(see below for (?:file|folder) content\)"), r"@/\1"),
    (re.compile(r"'([^'\n]+)' \(see below for site content\)"), r"@\1"),
    (re.compile(r"Git commit '([^'\n]+)' \(see below for commit info\)"), r"@\1"),
    (re.compile(r"Workspace Problems \(see below for diagnostics\)"), "@problems"),
    (re.compile(r"Terminal Output \(see below for output\)"), "@terminal"),
    (re.compile(r"Working directory changes \(see below for details\)"), "@git-changes"),
)

_SUMMARY_HEAD = "Context summary:"
# Words of the program in a message that holds nothing of a person.
_NOTICE_HEADS = (
    "[ERROR]",
    "[TASK RESUMPTION]",
    "[NOTE]",
    "[Continuing after",
    "Tool [",
    "The user denied this operation.",
    "The previous conversation history with the user has been",
    "You are responding with empty",
)

_DIRECTORY = re.compile(r"^# Current (?:Working|Workspace) Directory \(([^\n]+?)\)(?: Files)?\s*$", re.MULTILINE)
_MODEL = re.compile(r"<model>([^<\n]+)</model>")
_ENVIRONMENT = re.compile(r"<environment_details>.*", re.DOTALL)


def is_summary(text: str) -> bool:
    """Does a summary of what was said before stand here?"""
    return text.lstrip().startswith(_SUMMARY_HEAD)


def typed_words(text: str, alone: bool) -> str:
    """What the person typed of a text, "" for none; ``alone``: nothing else than words can stand there."""
    bare = _APPENDED.sub("", text)
    wrapped = _TASK.match(bare)
    if wrapped:
        return as_typed(wrapped[2])
    if bare.lstrip().startswith(_NOTICE_HEADS):
        found = _MESSAGE.search(bare)
        return as_typed(found[1]) if found else ""
    return as_typed(bare) if alone else words_of_result(bare)


def words_of_result(text: str, asked: bool = False) -> str:
    """What the person said in the result of a tool; ``asked``: the tool was a question."""
    found = _FEEDBACK.search(text) or (asked and (_ANSWER.match(text) or _MESSAGE.search(text)))
    return as_typed(found[1]) if found else ""


def as_typed(text: str) -> str:
    """The text with mentions as they were typed, without the line breaks that the tags bring."""
    for pattern, typed in _MENTIONS:
        text = pattern.sub(typed, text)
    return text.strip("\n") if text.strip() else ""


def facts_of(text: str) -> Iterator[tuple[str, str]]:
    """(name, value) of the facts that the program tells the model of the environment."""
    environment = _ENVIRONMENT.search(text)
    if environment is None:
        return
    if directory := _DIRECTORY.search(environment[0]):
        yield "cwd", directory[1]
    if model := _MODEL.search(environment[0]):
        yield "model", model[1]
