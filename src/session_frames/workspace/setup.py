"""Setting a repository up for frames, and taking all of it back."""

from __future__ import annotations

import os
import sys
from typing import Final, NamedTuple

from session_frames.errors import RefusedError
from session_frames.storage.frame_store import ARCHIVE, SESSIONS
from session_frames.storage.git_settings import GitSettings
from session_frames.storage.hook_files import (
    ATTRIBUTES_LINE,
    EXCLUDE_LINE,
    Outcome,
    Receipts,
    has_line,
    install_hook,
    with_line,
)
from session_frames.storage.hook_text import GUARDS, LOCAL_HOOKS, PYTHON_CODE, shell_quoted
from session_frames.workspace.core import LOCAL_SETTING, Workspace

NOTES_REF: Final = "refs/notes/frames"
SAMPLE_FRAME: Final = f"{SESSIONS}/2026-06-02_topic_000000.frame.json"

# Tools that write the hook files themselves and run only what their own settings name.
_LEFTHOOK = tuple(
    f"{folder}{dot}lefthook.{ending}"
    for folder in ("", ".config/")
    for dot in ("", ".")
    for ending in ("yml", "yaml", "toml", "json", "jsonc")
)

_HOOK_ARGUMENTS = {"prepare-commit-msg": " {1} {2} {3}", "commit-msg": " {1}", "post-checkout": " {1} {2} {3}"}


class Initialised(NamedTuple):
    """What ``init`` did: the files and settings that it changed (none the second time), and what a person must know."""

    changed: tuple[str, ...]
    hooks: str  # the folder whose hooks call frames; "" where none do
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


# ---------------------------------------------------------------------------------------------------------------------
# init


def init(ws: Workspace, *, local: bool = False, hooks: bool = True, python: str | None = None) -> Initialised:
    """Set up this repository. Run again it changes nothing.

    ``local`` keeps frames out of the tree; so it is where git ignores their folder. ``python`` is the interpreter that
    git's hooks name, by default the one that runs this.
    """
    top = ws.repo.require_top()
    ignored = ws.repo.is_ignored(SAMPLE_FRAME)
    local = local or ignored or ws.keeps_local
    python = python or sys.executable
    with ws.state.lock("setup"):
        receipts = receipts_of(ws)
        changed = []
        if not local and not has_attributes(ws):
            changed += _add_line(receipts, os.path.join(top, ".gitattributes"), ATTRIBUTES_LINE)
        changed += _add_line(receipts, os.path.join(ws.repo.common_dir, "info", "exclude"), EXCLUDE_LINE)
        changed += _configure(ws, receipts, wanted_config(python, local))
        snippet = lefthook_snippet(local) if hooks and uses_lefthook(top) else ""
        place = hook_place(ws)
        install = hooks and not snippet
        if install:
            changed += _install_hooks(receipts, place, wanted_hooks(local), python)
    shown = tuple(_shown(path, top) for path in changed)
    return Initialised(shown, place.folder if install else "", local, ignored, snippet)


def receipts_of(ws: Workspace) -> Receipts:
    """The receipts of what was written into this repository."""
    return Receipts(ws.state, ws.repo.common_dir, ws.repo.require_top())


def has_attributes(ws: Workspace) -> bool:
    """Do the attributes of frame files name our merge driver already, wherever that is said?"""
    answer = ws.repo.run("check-attr", "-z", "merge", "--", SAMPLE_FRAME)
    return answer.split(b"\0")[2] == b"frame"


def _add_line(receipts: Receipts, path: str, line: bytes) -> list[str]:
    if os.path.islink(path):
        raise RefusedError(f"'{path}' is a symbolic link", hint=f"add this line yourself: {line.decode()}")
    content = None
    if os.path.exists(path):
        with open(path, "rb") as file:
            content = file.read()
    if has_line(content, line):
        return []
    receipts.put(path, with_line(content, line), "line")
    return [path]


def wanted_config(python: str, local: bool) -> dict[str, str]:
    """The settings of git that frames needs, all of them in the repository's own file."""
    # A recursive merge makes a common ancestor out of several. A conflict in one must not be settled there: one side
    # could then look unchanged. With `binary` the ancestor's own ancestor stands in, and the conflict is seen.
    wanted = {
        "merge.frame.name": "session frame merge",
        "merge.frame.driver": merge_command(python),
        "merge.frame.recursive": "binary",
        "diff.frame.textconv": textconv_command(python),
        "notes.displayRef": NOTES_REF,
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
    settings = GitSettings(ws.repo)
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
    committed = real.startswith(real_top) and not real.startswith(os.path.realpath(ws.repo.common_dir) + "/")
    return HookPlace(folder, committed, by_shell=False)


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
# uninit


def uninit(ws: Workspace) -> Uninitialised:
    """Take back what ``init`` wrote: unchanged files byte for byte, our part alone out of edited ones. Frames stay."""
    top = ws.repo.require_top()
    with ws.state.lock("setup"):
        receipts = receipts_of(ws)
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
        settings = GitSettings(ws.repo)
        for name, old in receipts.config.items():
            _restore_setting(settings, name, old)
    return tuple(receipts.config)


def _restore_setting(settings: GitSettings, name: str, old: list[str]) -> None:
    """Give a setting its former values; what a person set since is theirs."""
    if name == "notes.displayRef":
        if NOTES_REF not in old:
            settings.unset(name, NOTES_REF)
        return
    settings.unset(name)
    for value in old:
        settings.add(name, value)


def _what_stays(ws: Workspace) -> tuple[str, ...]:
    frames = sum(1 for _ in ws.store.iter_paths())
    stays = [f"{frames} frame files in {SESSIONS} and {ARCHIVE}"] if frames else []
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
