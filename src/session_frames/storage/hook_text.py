"""The text that git hooks hold: a block of shell between two markers, put into a hook without changing what it does.

The block leaves at once when there is nothing to do, so that a commit without a session costs about a millisecond a
hook. It never fails, never reads the hook's input away from it, and calls nothing while frames itself runs git.

For the ordinary commit of a session one interpreter starts, in pre-commit. It leaves a slip (``commit_slip``), from
which the hooks after it do their part in shell: write the trailer, add the note. Whatever is not as the slip says goes
the long way, through ``frames git-hook``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from session_frames.storage.notes_view import IDENTITY

BEGIN: Final = b"# >>> frames >>>"
END: Final = b"# <<< frames <<<"
KEPT_SUFFIX: Final = ".frames-kept"

_FOLDERS = ".copilot/sessions .copilot/archive"
# `commit_index.staged_frames` asks the same: the slip is compared with what is printed here.
_STAGED = (
    "git diff --cached --raw --no-abbrev --no-ext-diff --no-textconv --no-renames --no-relative"
    f" --ignore-submodules=none -- {_FOLDERS} 2>/dev/null"
)
_BROUGHT = f"git diff-tree -m --root -r --name-only --no-commit-id HEAD -- {_FOLDERS} 2>/dev/null"
_KNOWN = '[ ! -d .copilot ] && [ ! -e "$frames_home/index.sqlite" ] || frames_due=1'

_SLIP = """\
frames_slip=${GIT_DIR:-.git}
  frames_slip=$frames_home/staged/${frames_slip##*/}.slip
"""
_READ_SLIP = "{ IFS= read -r frames_trailer && IFS= read -r frames_line && IFS= read -r frames_taken || :; }"

# Without the folder in the work tree nothing of it is staged, unless the work tree is a sparse one.
_PREPARE = f"""\
{_SLIP}\
  frames_staged=
  if [ -d .copilot ] || [ ! -d .git ] || [ -e "${{GIT_DIR:-.git}}/info/sparse-checkout" ]; then
    frames_staged=$({_STAGED}) || frames_due=1
  fi
  [ -z "$frames_staged" ] || frames_due=1
  if [ -s "$frames_slip" ]; then
    frames_trailer= frames_line= frames_taken= frames_words= frames_rest=
    {_READ_SLIP} <"$frames_slip"
    if [ "$frames_line" = "$frames_staged" ] && [ "${{GIT_EDITOR-}}" = : ] && [ "${{2-}}-${{3-}}" = message- ]; then
      while IFS= read -r frames_rest; do
        case $frames_rest in *[![:space:]]*) frames_words=1 ;; esac
      done <"$1"
      if [ -n "$frames_words" ] && [ -z "$frames_rest" ] && git -c trailer.separators=: interpret-trailers \\
        --in-place --no-divider --where end --if-exists addIfDifferent --if-missing add \\
        --trailer "$frames_trailer" "$1" 2>/dev/null
      then
        frames_due=
      fi
    fi
    if [ -n "$frames_due" ] || [ -z "$frames_staged" ]; then
      : >"$frames_slip"
    else
      printf '%s\\n' "$frames_trailer" "$frames_line" taken >"$frames_slip"
    fi
  fi
  # An amend that keeps its message: what the commit brought counts as well, the message may not name it any more.
  if [ -z "$frames_due" ] && [ "${{2-}} ${{3-}}" = "commit HEAD" ] && [ -d .copilot ]; then
    [ -z "$({_BROUGHT})" ] || frames_due=1
  fi"""

_WHO = " ".join(f"{name}='{value}'" for name, value in IDENTITY.items())
_POST_COMMIT = f"""\
{_SLIP}\
  frames_trailer= frames_line= frames_taken=
  [ ! -s "$frames_slip" ] || {_READ_SLIP} <"$frames_slip"
  if [ -n "$frames_taken" ] && [ -s "$frames_slip.note" ] && {_WHO} \\
    git -c core.logAllRefUpdates=false notes --ref=frames add -f -F "$frames_slip.note" HEAD >/dev/null 2>&1
  then
    rm -f "$frames_slip" "$frames_slip.note" "$frames_home/staged/${{frames_trailer#Frame: }}.json" || :
  else
    for frames_file in "$frames_home/staged/"*.json; do
      [ ! -e "$frames_file" ] || frames_due=1
    done
    [ ! -d .copilot ] || [ -z "$({_BROUGHT})" ] || frames_due=1
  fi"""

# Hook -> what tells, in shell, that there is something to do.
GUARDS: Final[Mapping[str, str]] = {
    # A session is active, or something was staged for a commit that never came.
    "pre-commit": 'for frames_file in "$frames_home/active/"*.json "$frames_home/staged/"*.json; do\n'
    '    [ ! -e "$frames_file" ] || frames_due=1\n'
    "  done",
    "prepare-commit-msg": _PREPARE,
    # Without an editor the message was complete before: git sets its editor to `:` then.
    "commit-msg": f'[ "${{GIT_EDITOR-}}" = : ] || [ -z "$({_STAGED})" ] || frames_due=1',
    "post-commit": _POST_COMMIT,
    "post-merge": _KNOWN,
    # Another branch, and not the first one of a new clone or work tree.
    "post-checkout": f"case ${{3-}}-${{1-}} in 1-*[!0]*) {_KNOWN} ;; esac",
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
