"""The text that git hooks hold: a block of shell between two markers, put into a hook without changing what it does.

The block leaves at once when there is nothing to do, so that a commit without a session costs about a millisecond. It
never fails, never reads the hook's input away from it, and calls nothing while frames itself runs git.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

BEGIN: Final = b"# >>> frames >>>"
END: Final = b"# <<< frames <<<"
KEPT_SUFFIX: Final = ".frames-kept"

_FOLDERS = ".copilot/sessions .copilot/archive"
_STAGED = f"git diff --cached --quiet --no-ext-diff --no-textconv -- {_FOLDERS} 2>/dev/null || frames_due=1"
_BROUGHT = f"git diff-tree -m --root -r --name-only --no-commit-id HEAD -- {_FOLDERS} 2>/dev/null"
_KNOWN = '[ ! -d .copilot ] && [ ! -e "$frames_home/index.sqlite" ] || frames_due=1'

# Hook -> what tells, in shell, that there is something to do.
GUARDS: Final[Mapping[str, str]] = {
    # A session is active, or something was staged for a commit that never came.
    "pre-commit": 'for frames_file in "$frames_home/active/"*.json "$frames_home/staged/"*.json; do\n'
    '    [ ! -e "$frames_file" ] || frames_due=1\n'
    "  done",
    # An amend that keeps its message: what the commit brought counts as well, the message may not name it any more.
    "prepare-commit-msg": f"{_STAGED}\n"
    '  if [ -z "$frames_due" ] && [ "${2-} ${3-}" = "commit HEAD" ] && [ -d .copilot ]; then\n'
    f'    [ -z "$({_BROUGHT})" ] || frames_due=1\n'
    "  fi",
    # Without an editor the message was complete before: git sets its editor to `:` then.
    "commit-msg": f'[ "${{GIT_EDITOR-}}" = : ] || {_STAGED}',
    "post-commit": 'for frames_file in "$frames_home/staged/"*.json; do\n'
    '    [ ! -e "$frames_file" ] || frames_due=1\n'
    "  done\n"
    f'  [ ! -d .copilot ] || [ -z "$({_BROUGHT})" ] || frames_due=1',
    "post-merge": _KNOWN,
    "post-checkout": f'[ "${{3-}}" != 1 ] || [ "${{1-}}" = "${{2-}}" ] || {{ {_KNOWN}; }}',
    "post-rewrite": _KNOWN,
}

# The hooks that frames kept out of the tree need.
LOCAL_HOOKS: Final = tuple(name for name in GUARDS if name.startswith("post-"))

# Hooks that get something on their standard input; the part of the hook behind the block must get it as well.
_WITH_INPUT = ("post-rewrite",)

_SHELLS = re.compile(rb"#![ \t]*(?:\S*/)?(?:env[ \t]+(?:-S[ \t]+)?)?(?:\S*/)?(?:sh|bash|dash|ash|ksh)(?:[ \t\r]|$)")
_HUSKY_HEAD = re.compile(rb"^\.[ \t].*/_/husky\.sh.*\n", re.MULTILINE)
_BLOCK = re.compile(rb"^" + BEGIN + rb".*?^" + END + rb"[^\n]*(?:\n|\Z)", re.MULTILINE | re.DOTALL)

_HEAD = """\
if [ -z "${FRAMES_HOOK-}" ]; then
  frames_home=.git/frames frames_due=
  if [ "${GIT_DIR-.git}" != .git ] || [ ! -d .git ]; then
    frames_home=$(git rev-parse --git-common-dir 2>/dev/null)/frames || :
  fi
"""
_DUE = """\
  if [ -n "$frames_due" ]; then
    frames_code=127
"""
_ON_PATH = 'if [ "$frames_code" = 127 ] && command -v frames >/dev/null 2>&1'
_NOT_FOUND = """\
    if [ "$frames_code" = 127 ]; then
      echo "frames: not found, this commit takes no frame (frames init installs the hooks anew)" >&2
    fi
"""
_FROM_INPUT = """ <<FRAMES_INPUT || frames_code=$?
$frames_input
FRAMES_INPUT
"""
_INPUT_AGAIN = """\
    exec <<FRAMES_INPUT
$frames_input
FRAMES_INPUT
"""

# 127 is what a shell says when it finds no such command: the next one is tried then.
PYTHON_CODE: Final = """\
try:
    from session_frames.__main__ import main
except ImportError:
    raise SystemExit(127)
main()"""


def shell_quoted(text: str) -> str:
    """The text as one word of a shell."""
    return "'" + text.replace("'", "'\\''") + "'"


def hook_block(name: str, python: str | None, kept: bool = False) -> bytes:
    """The block for the hook ``name``.

    ``python`` is the interpreter that frames is installed for; None in a file that is committed, where only ``frames``
    on the path can be named. With ``kept`` the block ends by handing over to the hook that it stands in front of.
    """
    has_input = name in _WITH_INPUT
    call = f'git-hook {name} "$@"' + (_FROM_INPUT if has_input else " </dev/null || frames_code=$?\n")
    first = f"{BEGIN.decode()} (written by frames init, removed by frames uninit)\n"
    parts = [first, _HEAD, f"  {GUARDS[name]}\n", _DUE]
    if has_input:
        parts.append("    frames_input=$(cat)\n")
    if python:
        command = f"FRAMES_HOOK=1 {shell_quoted(python)} -I -c {shell_quoted(PYTHON_CODE)} {call}"
        parts.append(f"    if [ -x {shell_quoted(python)} ]; then\n      frames_code=0\n      {command}    fi\n")
    parts.append(f"    {_ON_PATH}; then\n      frames_code=0\n      FRAMES_HOOK=1 frames {call}    fi\n")
    if python and name == "pre-commit":
        parts.append(_NOT_FOUND)
    if has_input:
        parts.append(_INPUT_AGAIN)
    parts.append("  fi\nfi\n")
    if kept:
        original = f'"${{0%/*}}/{name}{KEPT_SUFFIX}"'
        parts.append(f'[ ! -x {original} ] || exec {original} "$@"\n')
    parts.append(END.decode() + "\n")
    return "".join(parts).encode("utf-8", "surrogateescape")


def is_shell(content: bytes) -> bool:
    """Can a block of shell stand in this hook? git runs a text without a first line of its own as shell, too."""
    if b"\0" in content[:8000]:
        return False
    first = content.split(b"\n", 1)[0]
    return bool(_SHELLS.match(first)) if first.startswith(b"#!") else True


def has_block(content: bytes) -> bool:
    """Does the hook hold a block of ours?"""
    return bool(_BLOCK.search(content))


def with_block(content: bytes, block: bytes) -> bytes:
    """The hook with the block: in place of the one it has, else before anything in it can leave the hook."""
    old = _BLOCK.search(content)
    if old:
        return content[: old.start()] + block + content[old.end() :]
    husky = _HUSKY_HEAD.search(content)
    at = husky.end() if husky else content.find(b"\n") + 1 if content.startswith(b"#!") else 0
    if content.startswith(b"#!") and b"\n" not in content:
        return content + b"\n" + block
    return content[:at] + block + content[at:]


def without_block(content: bytes) -> bytes:
    """The hook without the block."""
    return _BLOCK.sub(b"", content, count=1)
