"""What a call did to files, from the tool's name and its arguments: the tools of the Copilots and of Gemini CLI."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from session_frames.transcripts.base import Edit, Record, dict_of, list_of, load_json, text_of
from session_frames.transcripts.edits import added_by_replacing, added_by_writing, edits_of_patch

SHELL_TOOLS = frozenset({"bash", "powershell", "shell", "run_in_terminal", "run_shell_command", "run_command"})

# The same thing has another key in each agent.
_PATH_KEYS = ("path", "filePath", "file_path", "absolute_path")
_WHOLE_KEYS = ("file_text", "content")
_OLD_KEYS = ("old_str", "oldString", "old_string")
_NEW_KEYS = ("new_str", "newString", "new_string")
_PATCH_KEYS = ("input", "patch")


def parsed_arguments(arguments: Any) -> Any:
    """The arguments as an object where they were written as the text of one."""
    if not isinstance(arguments, str):
        return arguments
    try:
        return load_json(arguments.encode("utf-8", "surrogatepass"))
    except ValueError:
        return arguments


def edits_of(tool: str, arguments: Any) -> tuple[Edit, ...]:
    """The files that the call was meant to write or read, none for a tool that is not known."""
    if tool == "apply_patch":
        return edits_of_patch(arguments if isinstance(arguments, str) else _first(dict_of(arguments), _PATCH_KEYS))
    maker = _MAKERS.get(tool)
    return maker(dict_of(arguments)) if maker else ()


def command_of(tool: str, arguments: Any) -> str:
    """The command line of a shell tool, else ""."""
    return text_of(dict_of(arguments).get("command")) if tool in SHELL_TOOLS else ""


def _first(arguments: Record, keys: tuple[str, ...]) -> str:
    return next((text for key in keys if (text := text_of(arguments.get(key)))), "")


def _written(arguments: Record) -> tuple[Edit, ...]:
    path = _first(arguments, _PATH_KEYS)
    return (Edit(path, "added", added=added_by_writing(_first(arguments, _WHOLE_KEYS))),) if path else ()


def _replaced(arguments: Record) -> tuple[Edit, ...]:
    path = _first(arguments, _PATH_KEYS)
    added = added_by_replacing(_first(arguments, _OLD_KEYS), _first(arguments, _NEW_KEYS))
    return (Edit(path, "modified", added=added),) if path else ()


def _replaced_often(arguments: Record) -> tuple[Edit, ...]:
    """One edit for each file, in order of appearance, with the lines of all its replacements."""
    edits: dict[str, Edit] = {}
    for replacement in list_of(arguments.get("replacements")):
        for edit in _replaced(dict_of(replacement)):
            before = edits.get(edit.path, edit._replace(added=()))
            edits[edit.path] = before._replace(added=before.added + edit.added)
    return tuple(edits.values())


def _inserted(arguments: Record) -> tuple[Edit, ...]:
    path = _first(arguments, _PATH_KEYS)
    return (Edit(path, "modified", added=added_by_writing(_first(arguments, _NEW_KEYS))),) if path else ()


def _changed(arguments: Record) -> tuple[Edit, ...]:
    """A change whose arguments mix new lines with a sketch of old ones."""
    path = _first(arguments, _PATH_KEYS)
    return (Edit(path, "modified"),) if path else ()


def _read(arguments: Record) -> tuple[Edit, ...]:
    path = _first(arguments, _PATH_KEYS)
    return (Edit(path, "read"),) if path else ()


def _by_command(arguments: Record) -> tuple[Edit, ...]:
    maker = _EDITOR_COMMANDS.get(text_of(arguments.get("command")))
    return maker(arguments) if maker else ()


_Maker = Callable[[Record], tuple[Edit, ...]]

_EDITOR_COMMANDS: Mapping[str, _Maker] = {
    "view": _read,
    "create": _written,
    "str_replace": _replaced,
    "insert": _inserted,
}

_MAKERS: Mapping[str, _Maker] = {
    "create": _written,
    "create_file": _written,
    "write_file": _written,
    "edit": _replaced,
    "replace": _replaced,
    "str_replace": _replaced,
    "replace_string_in_file": _replaced,
    "multi_replace_string_in_file": _replaced_often,
    "insert_edit_into_file": _changed,
    "edit_notebook_file": _changed,
    "str_replace_editor": _by_command,
    "view": _read,
    "read_file": _read,
}
