"""What Claude Code's tools did: the files a call touches, and what its result says."""

from __future__ import annotations

import re
from typing import Any

from session_frames.model import CallOutcome
from session_frames.transcripts.base import Edit, Record, ToolResult, dict_of, joined_texts, list_of, text_of
from session_frames.transcripts.edits import Runs, added_by_hunk_lines, added_by_replacing, added_by_writing

SHELLS = ("Bash", "PowerShell")
READERS = ("Read", "NotebookRead")
WRITERS = ("Write", "Edit", "MultiEdit", "NotebookEdit")

_EXIT_CODE = re.compile(r"Exit code (-?\d+)\b")
_CREATED = "File created successfully"


def edits_of_call(tool: str, arguments: Any) -> tuple[Edit, ...]:
    """The files that a call is to touch, as far as its input tells."""
    values = dict_of(arguments)
    path = text_of(values.get("file_path")) or text_of(values.get("notebook_path"))
    if not path:
        return ()
    if tool in READERS:
        return (Edit(path, "read"),)
    if tool not in WRITERS:
        return ()
    return (Edit(path, "modified", "", _added(tool, values)),)


def _added(tool: str, values: Record) -> Runs:
    if tool == "Write":
        return added_by_writing(text_of(values.get("content")))
    if tool == "NotebookEdit":
        return () if values.get("edit_mode") == "delete" else added_by_writing(text_of(values.get("new_source")))
    replaced = [dict_of(one) for one in list_of(values.get("edits"))] if tool == "MultiEdit" else [values]
    return tuple(
        run
        for one in replaced
        for run in added_by_replacing(text_of(one.get("old_string")), text_of(one.get("new_string")))
    )


def edits_of_result(edits: tuple[Edit, ...], text: str, structured: Any) -> tuple[Edit, ...] | None:
    """The files of a call as its result tells them; None where it knows nothing better than the call."""
    if len(edits) != 1 or edits[0].change == "read":
        return None
    edit, result = edits[0], dict_of(structured)
    hunks = [dict_of(hunk) for hunk in list_of(result.get("structuredPatch"))]
    created = result.get("type") == "create" or text.startswith(_CREATED) or _starts_empty(result)
    if not hunks and not created:
        return None
    added = edit.added
    if hunks:
        added = tuple(run for hunk in hunks for run in added_by_hunk_lines(_texts(hunk.get("lines"))))
    return (edit._replace(change="added" if created else "modified", added=added),)


def _starts_empty(result: Record) -> bool:
    """An edit of nothing into something makes the file."""
    return result.get("oldString") == "" and result.get("originalFile") in ("", None)


def _texts(values: Any) -> list[str]:
    return [value for value in list_of(values) if isinstance(value, str)]


def result_of(block: Record, at: str, tool: str, edits: tuple[Edit, ...], structured: Any) -> ToolResult:
    """The result that a ``tool_result`` block tells."""
    text, kind = _content(block.get("content"))
    beside = dict_of(structured)
    exit_code: int | None = None
    outcome: CallOutcome
    if block.get("is_error") is True:
        match = _EXIT_CODE.match(text)
        exit_code = int(match.group(1)) if match else None
        outcome = "failed"
    elif beside.get("interrupted") is True:
        outcome = "failed"
    elif tool in SHELLS and beside.get("backgroundTaskId"):
        outcome = "unknown"  # it is still running
    else:
        outcome = "passed"
    return ToolResult(
        text_of(block.get("tool_use_id")),
        at,
        text,
        outcome,
        edits_of_result(edits, text, structured),
        exit_code,
        kind,
    )


def _content(content: Any) -> tuple[str, str]:
    """The text of a result, and the mime type of what in it is no text."""
    if isinstance(content, str):
        return content, ""
    texts: list[str] = []
    kind = ""
    for block in map(dict_of, list_of(content)):
        texts.append(text_of(block.get("text")) or text_of(block.get("tool_name")))
        kind = kind or text_of(dict_of(block.get("source")).get("media_type"))
    return joined_texts(texts), kind


def command_of(tool: str, arguments: Any) -> str:
    """The command line, when the tool is a shell."""
    return text_of(dict_of(arguments).get("command")) if tool in SHELLS else ""
