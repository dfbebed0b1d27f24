"""What plain shell commands do to files, as far as the command line alone is certain of it.

Read are the commands that remove, move, write and restore files by name, and the few tools that rewrite a file of
their own. A pattern for names, a variable, a loop, a pipe or an alternative makes a command uncertain: it is passed
over.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import dropwhile
from typing import Any, Final, Literal, NamedTuple

from session_frames.model import Change
from session_frames.operations.command_lines import signed, without_heredocs

# As a file's change; "restored": put back by git; "cleared": removed if it was there, with all below it.
Deed = Literal["added", "modified", "deleted", "renamed", "restored", "cleared"]

_LONGEST: Final = 20_000
_MAY_CHANGE: Final = r"\b(?:rm|mv|git|cat|add|remove|install|uninstall|db:\w+)\b"
_ASSIGNMENT: Final = r"[A-Za-z_]\w*="
_INDIRECT: Final = r"[*?\[{$`~]|^/dev/"
_CONTROL: Final = r"(?:^|[\s;])(?:for|while|until|if|case|function)\s|\$\(|`"
_STREAMS: Final = r"\d?>&\d|(?:\b2|&)>>?\s*[^\s;&|]+"
_GOES_ON: Final = ("", "&&", ";")
_FORCED: Final = r"-[a-zA-Z]*[rRf]|--(?:recursive|force)"
_REDIRECTED: Final = r"(>>?)\s*([^\s<>;&|]+)"
_ANYWHERE: Final = ("-g", "--global", "--no-save", "--script", "--dry-run", "-n", "--cached")


class Effect(NamedTuple):
    """What became of one file; ``path`` is as on the command line, below the folders that ``cd`` went to."""

    path: str
    change: Deed
    old_path: str = ""


def effects(command: str) -> list[Effect]:
    """What the command did to files, given that it passed."""
    command = command[:_LONGEST]
    if not re.search(_MAY_CHANGE, command):
        return []
    line = re.sub(_STREAMS, " ", without_heredocs(command))
    if re.search(_CONTROL, line):
        return []
    found: list[Effect] = []
    folder = ""
    for words in _certain(line):
        if words[0] == "cd" and len(words) > 1:
            folder = posixpath.join(folder, words[1])
            continue
        found += [_below(folder, effect) for effect in _effects_of(words) if _is_plain(folder, effect)]
    return found


def sure_changes(command: str) -> list[tuple[str, Change, str]]:
    """Those of the effects that hold whatever was there before: (path, change, old path)."""
    return [
        (effect.path, effect.change, effect.old_path)
        for effect in effects(command)
        if effect.change != "restored" and effect.change != "cleared"
    ]


def commits(command: str) -> bool:
    """Whether the command records what was changed so far, so that git puts no more of it back."""
    return bool(re.search(r"\bgit\s+(?:-C\s+\S+\s+)?commit\b", command[:_LONGEST]))


def command_of(arguments: Any) -> str:
    """The command line among the arguments of a call, "" where there is none or only an excerpt of it is kept."""
    if not isinstance(arguments, dict):
        return ""
    command = arguments.get("command") or arguments.get("cmd")
    if isinstance(command, list) and command and all(isinstance(word, str) for word in command):
        return str(command[-1]) if command[1:2] in (["-lc"], ["-c"]) else " ".join(command)
    return command if isinstance(command, str) else ""


def _certain(line: str) -> Iterator[list[str]]:
    """The simple commands that surely ran and passed: no part of a pipe, an alternative or a subshell."""
    before = ""
    for words, after in signed(line):
        bare = list(dropwhile(_assigns, words))
        if bare and before in _GOES_ON and after in _GOES_ON:
            yield bare
        before = after


def _assigns(word: str) -> bool:
    return bool(re.match(_ASSIGNMENT, word))


def _below(folder: str, effect: Effect) -> Effect:
    paths = [
        posixpath.normpath(posixpath.join(folder, path)) if path else "" for path in (effect.path, effect.old_path)
    ]
    return Effect(paths[0], effect.change, paths[1])


def _is_plain(folder: str, effect: Effect) -> bool:
    return not any(re.search(_INDIRECT, path) for path in (folder, effect.path, effect.old_path))


def _effects_of(words: Sequence[str]) -> Iterator[Effect]:
    if words[:2] in (["bundle", "exec"], ["uv", "run"], ["poetry", "run"]):
        words = words[2:]
    program = " ".join(words[:1]).rsplit("/", 1)[-1]
    for name, arguments in ((f"{program} {' '.join(words[1:2])}", words[2:]), (program, words[1:])):
        reader = _READERS.get(name)
        if reader:
            yield from reader(arguments)
            return
    yield from _own_files(f"{program} {' '.join(words[1:2])}", words[2:])


def _named(arguments: Sequence[str]) -> list[str]:
    """The arguments that are no options; all behind ``--``."""
    if "--" in arguments:
        at = list(arguments).index("--")
        return [*_named(arguments[:at]), *arguments[at + 1 :]]
    return [word for word in arguments if not word.startswith(("-", ">", "<"))]


def _removed(arguments: Sequence[str]) -> Iterator[Effect]:
    if any(word in _ANYWHERE for word in arguments):
        return
    unsure = any(re.match(_FORCED, word) for word in arguments)
    for path in _named(arguments):
        yield Effect(path, "cleared" if unsure else "deleted")


def _moved(arguments: Sequence[str]) -> Iterator[Effect]:
    """From each source to the target, which is a folder when it is written as one or takes several."""
    if any(word in _ANYWHERE for word in arguments):
        return
    *sources, target = _named(arguments) or [""]
    for source in sources:
        name = posixpath.basename(source)
        folder = len(sources) > 1 or target.endswith("/") or target in (".", "..") or not _has_suffix(target)
        if _has_suffix(source):
            yield Effect(posixpath.join(target, name) if folder else target, "renamed", source)


def _has_suffix(path: str) -> bool:
    return "." in posixpath.basename(path.rstrip("/")).lstrip(".")


def _checked_out(arguments: Sequence[str]) -> Iterator[Effect]:
    """``git checkout -- FILE``, from the index or HEAD; from any other commit it is a change as any other."""
    if list(arguments[:1]) == ["HEAD"]:
        arguments = arguments[1:]
    if list(arguments[:1]) == ["--"]:
        yield from (Effect(path, "restored") for path in arguments[1:])
    elif list(arguments) == ["."]:
        yield Effect(".", "restored")


def _restored(arguments: Sequence[str]) -> Iterator[Effect]:
    options = [word for word in arguments if word.startswith("-") and word != "--"]
    if all(option in ("--worktree", "-W", "-SW", "-q") for option in options):
        yield from (Effect(path, "restored") for path in _named(arguments))


def _reset(arguments: Sequence[str]) -> Iterator[Effect]:
    if "--hard" in arguments and set(_named(arguments)) <= {"HEAD"}:
        yield Effect(".", "restored")


def _written(arguments: Sequence[str]) -> Iterator[Effect]:
    """``cat > FILE <<END``: the text stands on the command line, so the file is meant to be kept."""
    line = " ".join(arguments)
    target = re.search(_REDIRECTED, line)
    if target and "<<" in line:
        yield Effect(target[2], "modified" if target[1] == ">>" else "added")


def _own_files(name: str, arguments: Sequence[str]) -> Iterator[Effect]:
    """The files that a tool keeps for itself and rewrites when it is told to add or migrate something."""
    if name in _TAKES_NAMES and not _named(arguments):
        return
    if not any(word in _ANYWHERE for word in arguments):
        yield from (Effect(path, "modified") for path in _OWN_FILES.get(name, ()))


_READERS: Final[dict[str, Callable[[Sequence[str]], Iterator[Effect]]]] = {
    "rm": _removed,
    "git rm": _removed,
    "mv": _moved,
    "git mv": _moved,
    "git checkout": _checked_out,
    "git restore": _restored,
    "git reset": _reset,
    "cat": _written,
}
_OWN_FILES: Final = {
    "rails db:migrate": ("db/schema.rb",),
    "rake db:migrate": ("db/schema.rb",),
    "cargo add": ("Cargo.toml",),
    "cargo remove": ("Cargo.toml",),
    "poetry add": ("pyproject.toml", "poetry.lock"),
    "poetry remove": ("pyproject.toml", "poetry.lock"),
    "uv add": ("pyproject.toml", "uv.lock"),
    "uv remove": ("pyproject.toml", "uv.lock"),
    "npm install": ("package.json", "package-lock.json"),
    "npm uninstall": ("package.json", "package-lock.json"),
    "yarn add": ("package.json", "yarn.lock"),
    "yarn remove": ("package.json", "yarn.lock"),
    "pnpm add": ("package.json", "pnpm-lock.yaml"),
    "pnpm remove": ("package.json", "pnpm-lock.yaml"),
    "bundle add": ("Gemfile", "Gemfile.lock"),
}
_TAKES_NAMES: Final = frozenset(_OWN_FILES) - {"rails db:migrate", "rake db:migrate"}
