"""A call as SpecStory shows it: which tool, on what, with what result."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from session_frames.model import CallOutcome, Change
from session_frames.transcripts.base import Edit
from session_frames.transcripts.claude_words import REFUSALS, refusal_reason
from session_frames.transcripts.edits import Runs, added_by_hunk_lines, added_by_writing
from session_frames.transcripts.specstory_blocks import fenced

_ATTRIBUTE = re.compile(r'data-tool-(type|name)="([^"]*)"')
_SUMMARY = re.compile(r"<summary>(?:Tool use: \*\*[^*]*\*\*)?(.*?)</summary>(.*)\Z")
_CODE = re.compile(r"`([^`]+)`")
_PATCHED = re.compile(r"\*\*(Update|Add|Delete): `([^`]+)`\*\*\s*\Z")
_CHANGES: dict[str, Change] = {"Update": "modified", "Add": "added", "Delete": "deleted"}
# What Claude Code answers about a file that it wrote.
_WROTE = (
    re.compile(r"The file (\S.*?) has been updated"),
    re.compile(r"File created successfully at: (\S.*)"),
)
_ERROR = "<tool_use_error>"
_EXIT = re.compile(r"^(?:Exit code:?|Process exited with code) (-?\d{1,10})\s*$", re.MULTILINE)
_EXIT_WITHIN = 500
_SHELL_FENCES = ("bash", "sh", "zsh", "shell", "powershell")
_RESULT_FENCES = ("text", "")
_WRAPPING = ("<details>", "</details>", "</details></tool-use>")

_ANSWER = "**Answer:**"
_QUESTION = re.compile(r"\*\*.*\*\* _\([^()]*\)_\s*\Z")


class Shown(NamedTuple):
    """A call as it is shown. ``answers`` are words of the person: to a question, or with a refusal."""

    tool: str
    arguments: dict[str, str]
    command: str
    edits: tuple[Edit, ...]
    result: str
    outcome: CallOutcome
    exit_code: int | None
    answers: list[str]


class _Body(NamedTuple):
    text: list[str]  # what stands above the first fence, the rest of the summary first
    between: list[str]  # all that stands in no fence
    fences: list[tuple[str, str]]  # language and content


def shown(lines: list[str]) -> Shown:
    """The call that a ``<tool-use>`` block shows."""
    named = dict(_ATTRIBUTE.findall(lines[0]))
    kind, tool = named.get("type", ""), named.get("name", "")
    body = _body(lines[1:])
    result = next((content for language, content in reversed(body.fences) if language in _RESULT_FENCES), "")
    command = _command(body) if kind == "shell" else ""
    path = next(iter(_CODE.findall("\n".join(body.text))), "") if kind in ("read", "write") else ""
    patched = _patched(lines)
    failed = result.startswith((_ERROR, *REFUSALS))
    exit_code = _exit_code(result) if kind == "shell" or patched else None
    reason = refusal_reason(result, tool)
    return Shown(
        tool,
        _arguments(command, path, body.text),
        command,
        patched or _edits(kind, path, result, body),
        result,
        "failed" if failed or exit_code else "unknown" if exit_code is None else "passed",
        exit_code,
        [*_answers(lines), *([reason] if reason else [])],
    )


def _body(lines: list[str]) -> _Body:
    rest: list[str] = []
    for line in lines:
        found = _SUMMARY.match(line) if line.startswith("<summary>") else None
        if found:
            rest += [part.strip() for part in found.groups() if part.strip()]
        elif line.rstrip() not in _WRAPPING:
            rest.append(line)
    text: list[str] = []
    between: list[str] = []
    fences: list[tuple[str, str]] = []
    for language, content in fenced(rest):
        if language != "-":
            fences.append((language, "\n".join(content)))
            continue
        between += content
        text += content if not fences else []
    return _Body([line.strip() for line in text if line.strip()], between, fences)


def _command(body: _Body) -> str:
    """The command line: in a fence of a shell, else the code right above the result."""
    if fence := next((content for language, content in body.fences if language in _SHELL_FENCES), ""):
        return fence
    start = max((at for at, line in enumerate(body.text) if line.startswith("`")), default=len(body.text))
    return "\n".join(body.text[start:]).strip("`")


def _arguments(command: str, path: str, text: list[str]) -> dict[str, str]:
    if command:
        return {"command": command}
    if path:
        return {"path": path}
    return {"input": "\n".join(text)} if text else {}


def _exit_code(result: str) -> int | None:
    found = _EXIT.search(result[:_EXIT_WITHIN])
    return int(found[1]) if found else None


def _patched(lines: list[str]) -> tuple[Edit, ...]:
    """The files of an applied patch, each below a line that names it."""
    edits: list[Edit] = []
    for language, content in fenced(lines):
        if language == "diff" and edits:
            edits[-1] = edits[-1]._replace(added=added_by_hunk_lines(content))
        for found in filter(None, map(_PATCHED.match, content if language == "-" else ())):
            edits.append(Edit(found[2], _CHANGES[found[1]]))
    return tuple(edits)


def _edits(kind: str, path: str, result: str, body: _Body) -> tuple[Edit, ...]:
    if kind == "read":
        return (Edit(path, "read"),) if path else ()
    if kind != "write":
        return ()
    told = next((found[1].strip() for pattern in _WROTE if (found := pattern.match(result))), "")
    content = next(((language, text) for language, text in body.fences if language not in _RESULT_FENCES), None)
    if not (told or path):
        return ()
    return (Edit(told or path, "modified", added=_added(content)),)


def _added(content: tuple[str, str] | None) -> Runs:
    if content is None:
        return ()
    language, text = content
    return added_by_hunk_lines(text.split("\n")) if language == "diff" else added_by_writing(text)


def _answers(lines: list[str]) -> Iterator[str]:
    """The answers in a box of questions, each up to the next question."""
    answer: list[str] | None = None
    for line in lines:
        if line.startswith(_ANSWER):
            if answer is not None:
                yield "\n".join(answer).strip()
            answer = [line.removeprefix(_ANSWER)]
        elif answer is not None and (_QUESTION.match(line) or line.rstrip() in _WRAPPING):
            yield "\n".join(answer).strip()
            answer = None
        elif answer is not None:
            answer.append(line)
    if answer is not None:
        yield "\n".join(answer).strip()
