"""The tools of Cline and Roo: calls written as XML into the answer, results written as texts, and what they do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from session_frames.model import CallOutcome
from session_frames.transcripts.base import Edit, Record, dict_of, joined_texts, list_of, text_of
from session_frames.transcripts.edit_shapes import (
    Shapes,
    edits_by,
    first_text,
    looked_at,
    removed,
    replaced,
    written,
)
from session_frames.transcripts.edits import added_by_replacing, added_by_writing, edits_of_patch
from session_frames.transcripts.sqlite_bytes import json_of

QUESTIONS = frozenset({"ask_followup_question", "plan_mode_respond", "attempt_completion", "new_task", "ask_question"})
# Tools whose argument is said to the person.
SAID: Mapping[str, str] = {"attempt_completion": "result", "plan_mode_respond": "response"}

_SHELL_KEYS: Mapping[str, str] = {"execute_command": "command", "run_commands": "commands"}

# ---------------------------------------------------------------------------------------------------------------------
# Files

_BLOCK = re.compile(
    r"^(?:<{3,}|-{3,}) ?SEARCH>?[^\n]*\n(?::(?:start|end)_line:[^\n]*\n)*(?:-{3,}\n)?(.*?)"
    r"^={3,}\r?\n(.*?)^(?:>{3,}|\+{3,}) ?REPLACE",
    re.MULTILINE | re.DOTALL,
)


def _by_blocks(arguments: Record) -> tuple[Edit, ...]:
    """Blocks of an old text and the one that replaces it."""
    path = first_text(arguments, ("path",))
    pairs = _BLOCK.findall(first_text(arguments, ("diff",)))
    added = tuple(run for old, new in pairs for run in added_by_replacing(old, new))
    return (Edit(path, "modified", added=added),) if path else ()


def _inserted(arguments: Record) -> tuple[Edit, ...]:
    path = first_text(arguments, ("path",))
    return (Edit(path, "modified", added=added_by_writing(first_text(arguments, ("content",)))),) if path else ()


def _searched(arguments: Record) -> tuple[Edit, ...]:
    old, new = first_text(arguments, ("search",)), first_text(arguments, ("replace",))
    return replaced({**arguments, "old_text": old, "new_text": new})


def _edited(arguments: Record) -> tuple[Edit, ...]:
    """A replacement, an insertion at a line, or a new file."""
    if text_of(arguments.get("old_text")):
        return replaced(arguments)
    edits = written({**arguments, "content": arguments.get("new_text")})
    return tuple(edit._replace(change="modified") for edit in edits) if "insert_line" in arguments else edits


def _read_several(arguments: Record) -> tuple[Edit, ...]:
    files = [dict_of(file) for file in list_of(arguments.get("files"))]
    return tuple(edit for file in files for edit in looked_at(file)) or looked_at(arguments)


_SHAPES: Shapes = {
    "write_to_file": written,
    "replace_in_file": _by_blocks,
    "apply_diff": _by_blocks,
    "insert_content": _inserted,
    "search_and_replace": _searched,
    "search_replace": replaced,
    "edit_file": replaced,
    "edit": replaced,
    "delete_file": removed,
    "read_file": _read_several,
    "read_files": _read_several,
    "editor": _edited,
    "apply_patch": lambda arguments: edits_of_patch(first_text(arguments, ("input", "patch"))),
}


def edits_of(tool: str, arguments: Any) -> tuple[Edit, ...]:
    """The files that the call was meant to write or read."""
    return edits_by(_SHAPES, tool, arguments)


def command_of(tool: str, arguments: Any) -> str:
    """The command line of a shell tool, several of them one a line, else ""."""
    value = dict_of(arguments).get(_SHELL_KEYS.get(tool, ""))
    return value if isinstance(value, str) else "\n".join(map(text_of, list_of(value)))


# ---------------------------------------------------------------------------------------------------------------------
# Calls in XML

_CALL_TOOLS = (
    *(
        "execute_command",
        "read_file",
        "write_to_file",
        "replace_in_file",
        "apply_diff",
        "insert_content",
        "delete_file",
    ),
    *("search_and_replace", "search_files", "list_files", "list_code_definition_names", "browser_action", "web_fetch"),
    *("use_mcp_tool", "access_mcp_resource", "ask_followup_question", "attempt_completion", "new_task", "new_rule"),
    *("plan_mode_respond", "switch_mode", "fetch_instructions", "codebase_search", "update_todo_list", "condense"),
    *("delete_file", "load_mcp_documentation", "report_bug", "edit_file", "generate_image", "run_slash_command"),
)
_CALL = re.compile(rf"^[ \t]*<({'|'.join(_CALL_TOOLS)})>(.*?)^[ \t]*</\1>", re.MULTILINE | re.DOTALL)
_ONE_LINE_CALL = re.compile(rf"^[ \t]*<({'|'.join(_CALL_TOOLS)})>([^\n]*)</\1>", re.MULTILINE)
# A text may hold the tags of others: it ends at the last tag of its own.
_LONG = re.compile(r"<(content|diff|command|result|response)>(.*)</\1>", re.DOTALL)
_SHORT = re.compile(r"<(\w+)>(.*?)</\1>", re.DOTALL)


class Written(NamedTuple):
    """An answer as it was written: what was said, and the calls in it as (tool, arguments)."""

    text: str
    calls: list[tuple[str, Record]]


def calls_in(text: str) -> Written:
    """The calls that stand as XML in an answer, and the rest of the answer."""
    calls = [(found[1], _arguments(found[2])) for found in _found_calls(text)]
    return Written(_ONE_LINE_CALL.sub("", _CALL.sub("", text)).strip() if calls else text, calls)


def _found_calls(text: str) -> list[re.Match[str]]:
    return sorted((*_CALL.finditer(text), *_ONE_LINE_CALL.finditer(text)), key=lambda found: found.start())


def _arguments(body: str) -> Record:
    arguments: Record = {}
    for name, value in _LONG.findall(body):
        arguments[name] = value.strip("\n")
    for name, value in _SHORT.findall(_LONG.sub("", body)):
        arguments.setdefault(name, value.strip("\n"))
    if "args" in arguments:  # one level deeper, for several files at once
        arguments["files"] = [{"path": path.strip()} for path in re.findall(r"<path>(.*?)</path>", arguments["args"])]
    return arguments


# ---------------------------------------------------------------------------------------------------------------------
# Results

_HEAD = re.compile(rf"\A\s*\[({'|'.join(_CALL_TOOLS)})\b.*?\] Result:[ \t]*\n?", re.DOTALL)
_EXIT = re.compile(r"^Exit code: (-?\d{1,10})\s*$", re.MULTILINE)
_FAILED_HEADS = (
    "The tool execution failed",
    "The user denied this operation",
    "Error:",
    "Missing value for required parameter",
)


def split_head(text: str) -> tuple[str, str]:
    """(tool, rest) of a text that begins with the head of a result, else ("", text)."""
    found = _HEAD.match(text)
    return (found[1], text[found.end() :]) if found else ("", text)


def exit_code_of(tool: str, text: str) -> int | None:
    """The exit code that the result of a shell tool tells."""
    found = _EXIT.search(text) if tool in _SHELL_KEYS else None
    return int(found[1]) if found else None


def result_of(content: Any, is_error: bool) -> tuple[str, CallOutcome]:
    """The text of a result and how the call went."""
    text = content if isinstance(content, str) else joined_texts(_texts(content))
    parsed = json_of(content) if isinstance(content, str) and content.startswith(("{", "[")) else content
    rows = [dict_of(row) for row in (parsed if isinstance(parsed, list) else [parsed])]
    failed = is_error or any(row.get("success") is False for row in rows) or text.startswith(_FAILED_HEADS)
    return text, "failed" if failed else "passed"


def _texts(content: Any) -> Iterator[str]:
    for row in map(dict_of, list_of(content)):
        yield first_text(row, ("text", "result", "error"))
