"""What Codex's tools did: the command line of a call, the files it touches, and what its output says."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from typing import Any

from session_frames.model import CallOutcome
from session_frames.transcripts.base import Edit, dict_of, int_of, joined_texts, list_of, text_of
from session_frames.transcripts.edits import edits_of_patch

PATCH_TOOL = "apply_patch"
QUESTION_TOOL = "request_user_input"

_PATCH_BEGIN = "*** Begin Patch"
_PATCH_END = "*** End Patch"
_SHELLS = ("bash", "sh", "zsh", "/bin/bash", "/bin/sh", "/bin/zsh", "/usr/bin/bash", "/usr/bin/zsh")
# A command line in the text of a code-mode script.
_SCRIPT_COMMAND = re.compile(r"""\bcmd["']?\s*:\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`)""")
_LITERAL = re.compile(r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`""")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0", "\n": ""}
_NOT_PLAIN = re.compile(r"[|&;<>$`\n]")
_SED_RANGE = re.compile(r"[0-9$,]+p")

_EXIT_CODE = re.compile(r"^(?:Exit code: |Process exited with code )(-?\d+)", re.MULTILINE)
_EXIT_CODE_INSIDE = re.compile(r'"exit_code"\s*:\s*(-?\d+)')
# The head that the shell tools write before the output of the command.
_ENVELOPES = ("Exit code: ", "Chunk ID: ", "Wall time: ")
_HEAD_CHARS = 400
# Beginnings of outputs that tell of a failure without an exit code.
FAILED_STARTS = (
    "failed in sandbox",
    "failed to parse function arguments",
    "execution error:",
    "exec_command failed",
    "apply_patch verification failed",
    "error: ",
    "err: ",
    "Error: ",
    "aborted",
    "rejected",
    "exec command rejected by user",
    "patch rejected",
    "unsupported call",
    "unsupported custom tool call",
    "command timed out",
    "Script failed",
    "Script error",
    "Script terminated",
    "collab spawn failed",
)
_PATCH_DONE = "Success. Updated the following files:"


def arguments_of(payload: dict[str, Any]) -> Any:
    """The arguments of a call: JSON in a string, a plain text, or an object."""
    for key in ("arguments", "input", "action"):
        value = payload.get(key)
        if value is None:
            continue
        if not isinstance(value, str):
            return value
        if value.startswith("{"):
            try:
                return json.loads(value)
            except (ValueError, RecursionError):
                return value
        return value
    return {}


def command_of(arguments: Any) -> str:
    """The shell command line of a call, "" where it ran none."""
    if isinstance(arguments, str):
        return joined_texts(_unquoted(match.group(1)) for match in _SCRIPT_COMMAND.finditer(arguments))
    values = dict_of(arguments)
    if isinstance(command := values.get("command"), list):
        words = [text_of(word) for word in command]
        if len(words) == 3 and words[0] in _SHELLS and words[1] in ("-lc", "-c"):
            return words[2]
        return shlex.join(words)
    return text_of(command) or text_of(values.get("cmd"))


def edits_of_call(tool: str, arguments: Any, command: str) -> tuple[Edit, ...]:
    """The files that a call patches, in whichever way the patch is passed, or plainly reads."""
    if isinstance(arguments, str):
        return tuple(edit for patch in _patches_in_script(arguments) for edit in edits_of_patch(patch))
    values = dict_of(arguments)
    if tool == PATCH_TOOL:
        patch = text_of(values.get("input")) or text_of(values.get("patch"))
        return edits_of_patch(patch)
    argv = list_of(values.get("command"))
    if len(argv) > 1 and argv[0] in (PATCH_TOOL, "applypatch"):
        return edits_of_patch(text_of(argv[1]))
    if _PATCH_BEGIN in command:
        return _edits_of_heredoc(command)
    return tuple(Edit(path, "read") for path in _plainly_read(command))


def _edits_of_heredoc(command: str) -> tuple[Edit, ...]:
    start = command.find(_PATCH_BEGIN)
    if not re.search(r"\bapply_?patch\b", command[:start]):
        return ()
    return tuple(edit for _, patch in _between_marks(command) for edit in edits_of_patch(patch))


def _between_marks(text: str) -> Iterator[tuple[int, str]]:
    """The patches in a text, each with its place."""
    start = text.find(_PATCH_BEGIN)
    while start >= 0:
        end = text.find(_PATCH_END, start)
        end = len(text) if end < 0 else end + len(_PATCH_END)
        yield start, text[start:end]
        start = text.find(_PATCH_BEGIN, end)


def _patches_in_script(script: str) -> Iterator[str]:
    """The patches in a text that is one, or in the string literals of a code-mode script."""
    is_patch = script.lstrip().startswith(_PATCH_BEGIN)
    for place, patch in _between_marks(script):
        quote = script[place - 1 : place]
        if is_patch or script[:place].endswith("String.raw`"):
            yield patch
        elif quote and patch[len(_PATCH_BEGIN) :].startswith(quote):  # an array of lines, joined by the script
            yield "\n".join(_unquoted(literal) for literal in _LITERAL.findall(f"{quote}{patch}{quote}"))
        else:
            yield _unescaped(patch)


def _unquoted(literal: str) -> str:
    return _unescaped(literal[1:-1])


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(_escaped_character, text) if "\\" in text else text


def _escaped_character(match: re.Match[str]) -> str:
    code = match.group(1)
    if code[0] in "ux" and len(code) > 1:
        return chr(int(code[1:], 16))
    return _ESCAPES.get(code, code)


def _plainly_read(command: str) -> list[str]:
    """The files that a command line of nothing but ``cat`` or ``sed -n`` shows."""
    if not command.startswith(("cat ", "sed -n ")) or _NOT_PLAIN.search(command):
        return []
    try:
        words = shlex.split(command)
    except ValueError:
        return []
    if words[0] == "sed":
        return words[3:] if len(words) > 3 and _SED_RANGE.fullmatch(words[2]) else []
    return [word for word in words[1:] if not word.startswith("-")]


def output_of(output: Any) -> tuple[str, str]:
    """The text of an output, and the mime type of what in it is no text."""
    if isinstance(output, str):
        return output, ""
    if isinstance(output, dict):
        if isinstance(output.get("content"), str):
            return text_of(output.get("content")), ""
        output = list_of(output.get("content")) or list_of(output.get("content_items")) or [output]
    texts: list[str] = []
    kind = ""
    for block in map(dict_of, list_of(output)):
        texts.append(text_of(block.get("text")))
        url = text_of(block.get("image_url"))
        kind = kind or (url[5:].partition(";")[0][:80] if url.startswith("data:") else "image" if url else "")
    return joined_texts(texts), kind


def outcome_of(output: Any, text: str) -> tuple[str, CallOutcome, int | None]:
    """What the output says: its text without the envelope, the outcome and the exit code."""
    if isinstance(output, dict) and isinstance(output.get("success"), bool):
        return text, "passed" if output["success"] else "failed", None
    if text.startswith("{"):
        unwrapped, code = _unwrapped(text)
        if code is not None:
            return unwrapped, "failed" if code else "passed", code
    if text.startswith(_ENVELOPES) and (match := _EXIT_CODE.search(text[:_HEAD_CHARS].partition("\nOutput:")[0])):
        code = int(match.group(1))
        return text, "failed" if code else "passed", code
    if text.startswith(FAILED_STARTS) or (text.startswith(PATCH_TOOL) and " failed:" in text[:80]):
        return text, "failed", None
    if text.startswith(("Plan updated", _PATCH_DONE)):
        return text, "passed", None
    if isinstance(output, list) and (codes := [int(code) for code in _EXIT_CODE_INSIDE.findall(text)]):
        worst = next((code for code in codes if code), 0)
        return text, "failed" if worst else "passed", worst
    return text, "unknown", None


def _unwrapped(text: str) -> tuple[str, int | None]:
    """The output in the envelope of 2025: ``{"output": ..., "metadata": {"exit_code": ...}}``."""
    try:
        value = dict_of(json.loads(text))
    except (ValueError, RecursionError):
        return text, None
    code = dict_of(value.get("metadata")).get("exit_code")
    return text_of(value.get("output")), int_of(code) if isinstance(code, int) else None
