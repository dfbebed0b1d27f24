"""What a call did to files, for agents whose few tools differ by spelling only.

``Write``, ``write_file`` and ``write_to_file`` are one tool, ``old_str`` and ``oldText`` one argument.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from session_frames.model import CallOutcome
from session_frames.transcripts.base import Edit, Record, ToolCall, dict_of, text_of
from session_frames.transcripts.edits import added_by_replacing, added_by_writing
from session_frames.transcripts.moments import path_of
from session_frames.transcripts.tool_edits import edits_of, parsed_arguments

_PATH_KEYS = (
    "path",
    "file_path",
    "filePath",
    "absolute_path",
    "AbsolutePath",
    "TargetFile",
    "notebook_path",
)
_WHOLE_KEYS = ("content", "file_text", "CodeContent")
_OLD_KEYS = ("old_string", "old_str", "oldText", "old", "TargetContent")
_NEW_KEYS = ("new_string", "new_str", "newText", "new", "ReplacementContent")
_LIST_KEYS = ("edits", "edit", "changes", "ReplacementChunks")
_COMMAND_KEYS = ("command", "cmd", "CommandLine")

_SHELLS = frozenset({"bash", "execute", "shell", "runcommand", "runshellcommand", "powershell"})
_PATCH = "applypatch"


def is_shell(tool: str) -> bool:
    """Does the tool run a command line?"""
    return _plain(tool) in _SHELLS


def call_of(key: str, at: str, call_id: str, tool: str, arguments: Any) -> ToolCall:
    """The call, with the files it was meant to touch and its command line."""
    values = parsed_arguments(arguments)
    return ToolCall(key, at, call_id, tool, values, edits_of_call(tool, values), command_of_call(tool, values))


def edits_of_call(tool: str, arguments: Any) -> tuple[Edit, ...]:
    """The files that the call was meant to write or read; none for a tool that is not known."""
    name = _plain(tool)
    if name == _PATCH:
        return edits_of("apply_patch", arguments)
    maker = _MAKERS.get(name)
    values = dict_of(arguments)
    path = path_of(_first(values, _PATH_KEYS))
    return (maker(path, values),) if maker and path else ()


def command_of_call(tool: str, arguments: Any) -> str:
    """The command line of a shell tool, else ""."""
    return _first(dict_of(arguments), _COMMAND_KEYS) if is_shell(tool) else ""


def outcome_of_exit(code: int | None, otherwise: CallOutcome) -> CallOutcome:
    """What an exit code says, or what is known without one."""
    if code is None:
        return otherwise
    return "failed" if code else otherwise if otherwise == "failed" else "passed"


def _plain(tool: str) -> str:
    return tool.lower().replace("_", "").replace("-", "")


def _first(values: Record, keys: tuple[str, ...]) -> str:
    return next((text for key in keys if (text := text_of(values.get(key)))), "")


def _read(path: str, values: Record) -> Edit:
    return Edit(path, "read")


def _created(path: str, values: Record) -> Edit:
    return Edit(path, "added", added=added_by_writing(_first(values, _WHOLE_KEYS)))


def _written(path: str, values: Record) -> Edit:
    return _created(path, values)._replace(change="modified")


def _replaced(path: str, values: Record) -> Edit:
    listed = next((found for key in _LIST_KEYS if (found := parsed_arguments(values.get(key)))), None)
    pairs = [dict_of(pair) for pair in (listed if isinstance(listed, list) else [listed or values])]
    runs = (added_by_replacing(_first(pair, _OLD_KEYS), _first(pair, _NEW_KEYS)) for pair in pairs)
    return Edit(path, "modified", added=tuple(run for several in runs for run in several))


def _changed(path: str, values: Record) -> Edit:
    return Edit(path, "modified")


_Maker = Callable[[str, Record], Edit]

_MAKERS: Mapping[str, _Maker] = {
    "read": _read,
    "readfile": _read,
    "viewfile": _read,
    "create": _created,
    "createfile": _created,
    "write": _written,
    "writefile": _written,
    "writetofile": _written,
    "edit": _replaced,
    "editfile": _replaced,
    "multiedit": _replaced,
    "replace": _replaced,
    "strreplacefile": _replaced,
    "replacefilecontent": _replaced,
    "multireplacefilecontent": _replaced,
    "undoedit": _changed,
    "notebookedit": _changed,
}
