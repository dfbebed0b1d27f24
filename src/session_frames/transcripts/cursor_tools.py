"""What a call of Cursor did to files, from the tool's name and its arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from session_frames.transcripts.base import Edit, Record, dict_of, list_of, text_of
from session_frames.transcripts.edits import added_by_replacing, added_by_writing, edits_of_patch

SHELL_TOOLS = frozenset({"Shell", "Bash", "run_terminal_cmd", "run_terminal_command"})

# The same thing had other keys in other versions.
_PATH_KEYS = ("path", "file_path", "target_file", "target_notebook", "relative_workspace_path")
_WHOLE_KEYS = ("contents", "content")
_OLD_KEYS = ("old_string", "old_str")
_NEW_KEYS = ("new_string", "new_str")
_PATCH_KEYS = ("patch", "input")


def edits_of(tool: str, arguments: Any) -> tuple[Edit, ...]:
    """The files that the call was meant to write or read, none for a tool that is not known."""
    if tool in ("ApplyPatch", "apply_patch"):
        return edits_of_patch(arguments if isinstance(arguments, str) else _first(dict_of(arguments), _PATCH_KEYS))
    maker = _MAKERS.get(tool)
    path = _first(dict_of(arguments), _PATH_KEYS)
    return (maker(path, dict_of(arguments)),) if maker and path else ()


def command_of(tool: str, arguments: Any) -> str:
    """The command line of a shell tool, else ""."""
    return text_of(dict_of(arguments).get("command")) if tool in SHELL_TOOLS else ""


def _first(arguments: Record, keys: tuple[str, ...]) -> str:
    return next((text for key in keys if (text := text_of(arguments.get(key)))), "")


def _written(path: str, arguments: Record) -> Edit:
    return Edit(path, "added", added=added_by_writing(_first(arguments, _WHOLE_KEYS)))


def _replaced(path: str, arguments: Record) -> Edit:
    changes = [arguments, *map(dict_of, list_of(arguments.get("edits")))]
    runs = [run for one in changes for run in added_by_replacing(_first(one, _OLD_KEYS), _first(one, _NEW_KEYS))]
    return Edit(path, "modified", added=tuple(runs))


def _sketched(path: str, arguments: Record) -> Edit:
    """A change whose arguments mix new lines with a sketch of old ones."""
    return Edit(path, "modified")


def _deleted(path: str, arguments: Record) -> Edit:
    return Edit(path, "deleted")


def _read(path: str, arguments: Record) -> Edit:
    return Edit(path, "read")


_MAKERS: Mapping[str, Callable[[str, Record], Edit]] = {
    "Write": _written,
    "write": _written,
    "write_file": _written,
    "StrReplace": _replaced,
    "Edit": _replaced,
    "MultiEdit": _replaced,
    "search_replace": _replaced,
    "EditNotebook": _replaced,
    "edit_notebook": _replaced,
    "edit_file": _sketched,
    "Delete": _deleted,
    "delete_file": _deleted,
    "Read": _read,
    "ReadFile": _read,
    "read_file": _read,
}
