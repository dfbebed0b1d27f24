"""Setting a repository up for frames, and taking all of it back."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from session_frames.errors import RefusedError
from session_frames.storage.agent_hooks import with_agent_hooks
from session_frames.storage.agent_instructions import COMPACT_INSTRUCTIONS, with_section
from session_frames.storage.frame_store import ARCHIVE, SESSIONS, read_bytes
from session_frames.storage.git_settings import GitSettings
from session_frames.storage.hook_files import (
    ATTRIBUTES_LINE,
    EXCLUDE_LINE,
    Outcome,
    Receipts,
    file_has_agent_hooks,
    file_has_line,
    file_has_section,
    has_line,
    install_hook,
    place_of_block,
    with_line,
)
from session_frames.storage.hook_text import GUARDS, LOCAL_HOOKS, PYTHON_CODE, shell_quoted
from session_frames.transcripts import HOOK_SETTINGS, INSTRUCTION_FILES
from session_frames.workspace.core import LOCAL_SETTING, Workspace

# The agents that can be told something.
AGENTS: Final = tuple(INSTRUCTION_FILES)

NOTES_REF: Final = "refs/notes/frames"
# As a pattern: git warns of a ref that does not exist, and of no pattern that matches nothing.
DISPLAYED: Final = "refs/notes/frame[s]"
SAMPLE_FRAME: Final = f"{SESSIONS}/2026-06-02_topic_000000.frame.json"

# Tools that write the hook files themselves and run only what their own settings name.
_LEFTHOOK = tuple(
    f"{folder}{dot}lefthook.{ending}"
    for folder in ("", ".config/")
    for dot in ("", ".")
    for ending in ("yml", "yaml", "toml", "json", "jsonc")
)

# What tells that the value of a setting is ours, whichever interpreter it names.
_MARKS: Final[Mapping[str, str]] = {
    "merge.frame.driver": "frames merge-driver %O %A %B %L %P",
    "merge.frame.name": "session frame merge",
    "merge.frame.recursive": "binary",
    "diff.frame.textconv": 'frames textconv "$1"',
    "notes.displayRef": DISPLAYED,
    LOCAL_SETTING: "true",
}

_HOOK_ARGUMENTS = {"prepare-commit-msg": " {1} {2} {3}", "commit-msg": " {1}", "post-checkout": " {1} {2} {3}"}


class Initialised(NamedTuple):
    """What ``init`` did: the files and settings that it changed (none the second time), and what a person must know."""

    changed: tuple[str, ...]
    recognised: tuple[str, ...]  # what was ours already, without a record of it
    hooks: str  # the folder whose hooks call frames; "" where none do
    outside: str  # the folder from which git runs hooks, where it is not of this repository and got none
    local: bool  # frames stay out of the tree
    ignored: bool  # because git ignores their folder
    snippet: str  # to be added by hand to the settings of the tool that manages the hooks here


class Uninitialised(NamedTuple):
    """What ``uninit`` did with each file, and what of frames stays in the repository."""

    files: tuple[tuple[str, Outcome], ...]
    settings: tuple[str, ...]
    stays: tuple[str, ...]


class HookPlace(NamedTuple):
    """Where the hooks of this repository go."""

    folder: str
    committed: bool  # the files are in the work tree: nothing of this machine may stand in them
    by_shell: bool  # whatever is in the folder is run by a shell
    outside: bool = False  # the folder is none of this repository's: other repositories may run what is in it


class Marks(NamedTuple):
    """What of ours is in this repository, told by what it says."""

    lines: tuple[str, ...]
    sections: tuple[str, ...]
    agent_settings: tuple[str, ...]
    hooks: tuple[str, ...]
    settings: tuple[str, ...]


# ---------------------------------------------------------------------------------------------------------------------
# init


def init(
    ws: Workspace,
    *,
    local: bool = False,
    hooks: bool = True,
    shared_hooks: bool = False,
    agents: Sequence[str] = (),
    python: str | None = None,
) -> Initialised:
    """Set up this repository. Run again it changes nothing.

    ``local`` keeps frames out of the tree; so it is where git ignores their folder. ``python`` is the interpreter that
    git's hooks name, by default the one that runs this. A folder of hooks outside of this repository is written to
    with ``shared_hooks`` only, or where it once was. ``agents`` are told, each in its own file, what to keep when it
    compacts, and call frames before they do.
    """
    top = ws.repo.require_top()
    instructed = [os.path.join(top, INSTRUCTION_FILES[agent]) for agent in agents]
    for path in instructed:
        _require_no_link(path, "the section of docs/compaction.md by hand")
    hooked = {agent: _settings_with_hooks(top, agent) for agent in agents}
    ignored = ws.repo.is_ignored(SAMPLE_FRAME)
    local = local or ignored or ws.keeps_local
    python = python or sys.executable
    with ws.state.lock("setup"):
        receipts = receipts_of(ws)
        recognised = _recognise(ws, receipts) if receipts.is_empty() else ()
        changed = []
        if not local and not has_attributes(ws):
            changed += _add_line(receipts, os.path.join(top, ".gitattributes"), ATTRIBUTES_LINE)
        changed += _add_line(receipts, os.path.join(ws.repo.common_dir, "info", "exclude"), EXCLUDE_LINE)
        for path in instructed:
            changed += _add_section(receipts, path)
        for path, content in hooked.values():
            changed += [path] if receipts.put(path, content, "settings") else []
        changed += _configure(ws, receipts, wanted_config(python, local))
        snippet = lefthook_snippet(local) if hooks and uses_lefthook(top) else ""
        place = hook_place(ws)
        wanted = hooks and not snippet
        if wanted:
            receipts.want_hooks()
        if wanted and (not place.outside or shared_hooks or _is_written(receipts, place.folder)):
            changed += _install_hooks(receipts, place, wanted_hooks(local), python)
        there = wanted and not missing_hooks(place, local)
    return Initialised(
        changed=tuple(_shown(path, top) for path in changed),
        recognised=tuple(_shown(path, top) for path in recognised),
        hooks=place.folder if there else "",
        outside=place.folder if wanted and not there else "",
        local=local,
        ignored=ignored,
        snippet=snippet,
    )


def receipts_of(ws: Workspace) -> Receipts:
    """The receipts of what was written into this repository."""
    return Receipts(ws.state, ws.repo.common_dir, ws.repo.require_top())


def has_attributes(ws: Workspace) -> bool:
    """Do the attributes of frame files name our merge driver already, wherever that is said?"""
    answer = ws.repo.run("check-attr", "-z", "merge", "--", SAMPLE_FRAME)
    return answer.split(b"\0")[2] == b"frame"


def _add_line(receipts: Receipts, path: str, line: bytes) -> list[str]:
    _require_no_link(path, f"this line yourself: {line.decode()}")
    content = _content(path)
    if has_line(content, line):
        return []
    receipts.put(path, with_line(content, line), "line")
    return [path]


def _add_section(receipts: Receipts, path: str) -> list[str]:
    return [path] if receipts.put(path, with_section(_content(path), COMPACT_INSTRUCTIONS), "section") else []


def _settings_with_hooks(top: str, agent: str) -> tuple[str, bytes]:
    """(file, its new content) of an agent's settings; nothing is written yet: a refusal leaves all as it was."""
    name, events = HOOK_SETTINGS[agent]
    path = os.path.join(top, name)
    _require_no_link(path, "the hooks to the file that it leads to")
    return path, with_agent_hooks(_content(path), agent, events, name)


def _require_no_link(path: str, what: str) -> None:
    if os.path.islink(path):
        raise RefusedError(f"'{path}' is a symbolic link", hint=f"add {what}")


def _content(path: str) -> bytes | None:
    return read_bytes(path) if os.path.exists(path) else None


def wanted_config(python: str, local: bool) -> dict[str, str]:
    """The settings of git that frames needs, all of them in the repository's own file."""
    # A recursive merge makes a common ancestor out of several. A conflict in one must not be settled there: one side
    # could then look unchanged. With `binary` the ancestor's own ancestor stands in, and the conflict is seen.
    wanted = {
        "merge.frame.name": "session frame merge",
        "merge.frame.driver": merge_command(python),
        "merge.frame.recursive": "binary",
        "diff.frame.textconv": textconv_command(python),
        "notes.displayRef": DISPLAYED,
    }
    return {**wanted, LOCAL_SETTING: "true"} if local else wanted


def merge_command(python: str) -> str:
    """What git runs to merge two frames.

    Whatever goes wrong in there ends in git's own merge of the text, with markers: a driver that fails would otherwise
    leave our side alone in the file. The driver itself says 10 for a conflict, since Python says 1 for any fault.
    """
    call = "merge-driver %O %A %B %L %P"
    # git reads `%` in the command, and has no way to write one that it should leave alone.
    first = "" if "%" in python else f"[ -x {shell_quoted(python)} ] && {{ {_python(python)} {call}; s=$?; }}; "
    return (
        f"s=127; {first}[ $s = 127 ] && {{ frames {call}; s=$?; }}; "
        "[ $s = 0 ] && exit 0; [ $s = 10 ] && exit 1; "
        "git merge-file --marker-size=%L -L ours -L base -L theirs %A %O %B; exit 1"
    )


def textconv_command(python: str) -> str:
    """What git runs to show a frame as text. The file as it is where frames can't: else git shows no diff."""
    first = f'[ -x {shell_quoted(python)} ] && {_python(python)} textconv "$1"'
    return f'show() {{ {first} || frames textconv "$1" 2>/dev/null || cat -- "$1"; }}; show'


def _python(python: str) -> str:
    return f"{shell_quoted(python)} -I -c {shell_quoted(PYTHON_CODE)}"


def _configure(ws: Workspace, receipts: Receipts, wanted: dict[str, str]) -> list[str]:
    path = os.path.join(ws.repo.common_dir, "config")
    with open(path, "rb") as file:
        before = file.read()
    old = {}
    settings = ws.settings
    for name, value in wanted.items():
        held = settings.values(name)
        if value in held if name == "notes.displayRef" else held == [value]:
            continue
        old[name] = held
        change = settings.add if name == "notes.displayRef" else settings.replace
        change(name, value)
    if old:
        receipts.note_config(path, before, old)
    return list(old)


# ---------------------------------------------------------------------------------------------------------------------
# Hooks


def wanted_hooks(local: bool) -> tuple[str, ...]:
    """The hooks that frames needs."""
    return LOCAL_HOOKS if local else tuple(GUARDS)


def hook_place(ws: Workspace) -> HookPlace:
    """Where git looks for hooks; with husky the folder beside it, whose files husky calls."""
    top, folder = ws.repo.require_top(), ws.repo.hooks_dir()
    husky = os.path.join(top, ".husky")
    if os.path.normpath(folder) == os.path.join(husky, "_"):
        return HookPlace(husky, committed=True, by_shell=True)
    real, real_top = os.path.realpath(folder) + "/", os.path.realpath(top) + "/"
    in_git = real.startswith(os.path.realpath(ws.repo.common_dir) + "/")
    own = in_git or any(real.startswith(os.path.realpath(tree) + "/") for tree in (top, *ws.repo.work_trees()))
    return HookPlace(folder, real.startswith(real_top) and not in_git, by_shell=False, outside=not own)


def missing_hooks(place: HookPlace, local: bool) -> list[str]:
    """The hooks that frames needs and that don't call it."""
    return [name for name in wanted_hooks(local) if not place_of_block(os.path.join(place.folder, name))]


def _is_written(receipts: Receipts, folder: str) -> bool:
    return any(os.path.dirname(path) == folder for path in receipts.of_kind("hook"))


def uses_lefthook(top: str) -> bool:
    """Are the hooks of this repository lefthook's? It overwrites hook files and does not run what it finds there."""
    return any(os.path.exists(os.path.join(top, name)) for name in _LEFTHOOK)


def lefthook_snippet(local: bool) -> str:
    """What calls frames from lefthook's settings."""
    lines = []
    for name in wanted_hooks(local):
        lines += [f"{name}:", "  jobs:", "    - name: frames"]
        lines += [f"      run: frames git-hook {name}{_HOOK_ARGUMENTS.get(name, '')}"]
        lines += ["      use_stdin: true"] if name == "post-rewrite" else []
    return "\n".join(lines) + "\n"


def _install_hooks(receipts: Receipts, place: HookPlace, names: tuple[str, ...], python: str) -> list[str]:
    named = None if place.committed else python
    written = (install_hook(receipts, place.folder, name, named, place.by_shell) for name in names)
    return [path for path in written if path]


def _shown(path: str, top: str) -> str:
    return os.path.relpath(path, top) if path.startswith(top + "/") else path


# ---------------------------------------------------------------------------------------------------------------------
# What is ours without a record of it


def marks(ws: Workspace) -> Marks:
    """What of ours is in this repository, recognised by what it says.

    A clone brings files that another one committed, but no settings: without ours such a file is the team's alone.
    """
    top, place = ws.repo.require_top(), hook_place(ws)
    settings = _own_settings(ws)
    lines = [(os.path.join(ws.repo.common_dir, "info", "exclude"), EXCLUDE_LINE)]
    lines += [(os.path.join(top, ".gitattributes"), ATTRIBUTES_LINE)] if settings else []
    ours = not place.outside and (settings or not place.committed)
    hooks = [place_of_block(os.path.join(place.folder, name)) for name in (GUARDS if ours else ())]
    agent_files = [os.path.join(top, name) for name in INSTRUCTION_FILES.values()] if settings else []
    agent_settings = [os.path.join(top, name) for name, _ in HOOK_SETTINGS.values()] if settings else []
    return Marks(
        lines=tuple(path for path, line in lines if file_has_line(path, line)),
        sections=tuple(filter(file_has_section, agent_files)),
        agent_settings=tuple(filter(file_has_agent_hooks, agent_settings)),
        hooks=tuple(filter(None, hooks)),
        settings=settings,
    )


def _own_settings(ws: Workspace) -> tuple[str, ...]:
    settings = ws.settings
    found = tuple(name for name, mark in _MARKS.items() if any(mark in value for value in settings.values(name)))
    # A driver of the same name that is somebody else's has settings like ours.
    own = "merge.frame.driver" in found
    return tuple(name for name in found if own or not name.startswith("merge."))


def _recognise(ws: Workspace, receipts: Receipts) -> tuple[str, ...]:
    """Receipts for what is ours without one."""
    found = marks(ws)
    for path in found.lines:
        receipts.recognise(path, "line")
    for path in found.sections:
        receipts.recognise(path, "section")
    for path in found.agent_settings:
        receipts.recognise(path, "settings")
    for path in found.hooks:
        receipts.recognise(path, "hook")
    if found.hooks:
        receipts.want_hooks()
    if found.settings:
        receipts.config = {name: [] for name in found.settings}
        receipts.recognise(os.path.join(ws.repo.common_dir, "config"), "config")
    return (*found.lines, *found.sections, *found.agent_settings, *found.hooks, *found.settings)


# ---------------------------------------------------------------------------------------------------------------------
# uninit


def uninit(ws: Workspace) -> Uninitialised:
    """Take back what ``init`` wrote: unchanged files byte for byte, our part alone out of edited ones. Frames stay.

    Where the record of it is gone, what is recognised as ours is taken out.
    """
    top = ws.repo.require_top()
    with ws.state.lock("setup"):
        receipts = receipts_of(ws)
        if receipts.is_empty():
            _recognise(ws, receipts)
        files = []
        for key, receipt in list(receipts.files.items()):
            if receipt["kind"] == "config":
                continue
            files.append((_shown(receipts.path(key), top), receipts.take_back(key)))
        settings = _restore_config(ws, receipts)
        receipts.remove_empty_folders()
        receipts.remove()
        if ws.repo.line("rev-parse", "-q", "--verify", NOTES_REF):
            ws.repo.run("update-ref", "-d", NOTES_REF)
    return Uninitialised(tuple(files), settings, _what_stays(ws))


def _restore_config(ws: Workspace, receipts: Receipts) -> tuple[str, ...]:
    path = os.path.join(ws.repo.common_dir, "config")
    key = receipts.key(path)
    if key not in receipts.files:
        return ()
    if receipts.take_back(key) != "restored":
        settings = ws.settings
        for name, old in receipts.config.items():
            _restore_setting(settings, name, old)
    return tuple(receipts.config)


def _restore_setting(settings: GitSettings, name: str, old: list[str]) -> None:
    """Give a setting its former values; what a person set since is theirs."""
    if name == "notes.displayRef":
        if DISPLAYED not in old:
            settings.unset(name, DISPLAYED)
        return
    settings.unset(name)
    for value in old:
        settings.add(name, value)


def _what_stays(ws: Workspace) -> tuple[str, ...]:
    frames = sum(1 for _ in ws.store.iter_paths())
    stays = [f"{frames} frame files in {SESSIONS} and {ARCHIVE}"] if frames else []
    place = hook_place(ws)
    if place.outside and not missing_hooks(place, local=True):
        stays.append(f"frames' hooks in '{place.folder}', outside this repository")
    private = [name for name in _names(ws.state.root) if not name.endswith(".lock")]
    if private:
        stays.append(f"what only this machine holds in '{ws.state.root}'")
    elif ws.state.exists():
        for name in _names(ws.state.root):
            os.unlink(ws.state.path(name))
        os.rmdir(ws.state.root)
    return tuple(stays)


def _names(folder: str) -> list[str]:
    return os.listdir(folder) if os.path.isdir(folder) else []
