"""What ``frames init`` writes into a repository, with a receipt of each change, so that all of it can be taken back.

A receipt holds the file as it was and the digest of what was written. A file that nobody touched since is restored byte
for byte; in one that was edited only our part is taken out.
"""

from __future__ import annotations

import base64
import json
import os
import stat
from collections.abc import Callable, Mapping
from contextlib import suppress
from hashlib import sha256
from typing import Final, Literal, TypedDict

from session_frames.errors import RefusedError
from session_frames.storage.agent_hooks import has_agent_hooks, without_agent_hooks
from session_frames.storage.agent_instructions import has_section, without_section
from session_frames.storage.frame_store import read_bytes
from session_frames.storage.hook_text import KEPT_SUFFIX, has_block, hook_block, is_shell, with_block, without_block
from session_frames.storage.private_state import PrivateState, write_atomically

ATTRIBUTES_LINE: Final = b"*.frame.json text eol=lf merge=frame diff=frame"
EXCLUDE_LINE: Final = b".copilot/**/.*.tmp"

_NEW_HOOK = b"#!/bin/sh\n"
_EXECUTABLE = 0o755
_PUT_ASIDE = ".legacy"

Kind = Literal["hook", "line", "section", "settings", "config"]
Outcome = Literal["restored", "our part removed", "gone already"]


class Receipt(TypedDict, total=False):
    """One changed file: what it held before (base64, None where there was no file), its mode, digest of what it got."""

    kind: Kind
    before: str | None
    mode: int
    after: str
    kept: bool  # the hook that was there lies beside it, under another name


class Receipts:
    """What was written into this repository. Paths are kept relative, so that the repository can be moved."""

    def __init__(self, state: PrivateState, common_dir: str, top: str) -> None:
        self._path = state.path("installed.json")
        self._roots = {"common": common_dir, "tree": top}
        self.files: dict[str, Receipt] = {}
        self.folders: list[str] = []
        self.config: dict[str, list[str]] = {}
        self.hooks = False  # hooks are wanted here, wherever they are
        with suppress(OSError, ValueError, KeyError, TypeError):
            with open(self._path, "rb") as file:
                held = json.loads(file.read())
            self.files, self.folders, self.config = held["files"], held["folders"], held["config"]
            self.hooks = held.get("hooks", bool(self.of_kind("hook")))

    def save(self) -> None:
        """Write the receipts down."""
        held = {"files": self.files, "folders": self.folders, "config": self.config, "hooks": self.hooks}
        write_atomically(self._path, json.dumps(held, indent=1).encode())

    def remove(self) -> None:
        """Forget all of them."""
        with suppress(OSError):
            os.unlink(self._path)
        self.files, self.folders, self.config, self.hooks = {}, [], {}, False

    def want_hooks(self) -> None:
        """Remember that hooks are wanted here, also where others wrote them or nobody may."""
        if not self.hooks:
            self.hooks = True
            self.save()

    def of_kind(self, kind: Kind) -> list[str]:
        """The paths of the files with a receipt of this kind."""
        return [self.path(key) for key, receipt in self.files.items() if receipt["kind"] == kind]

    def is_empty(self) -> bool:
        """Was nothing written, or all of it taken back?"""
        return not (self.files or self.config)

    def key(self, path: str) -> str:
        """The name of a path in the receipts."""
        for name, root in self._roots.items():
            if path.startswith(root.rstrip("/") + "/"):
                return f"{name}:{path[len(root.rstrip('/')) + 1 :]}"
        return f"absolute:{path}"

    def path(self, key: str) -> str:
        """The path behind a name in the receipts."""
        root, _, path = key.partition(":")
        return os.path.join(self._roots[root], path) if root in self._roots else path

    # -- writing ------------------------------------------------------------------------------------------------------

    def put(self, path: str, content: bytes, kind: Kind, mode: int | None = None, kept: bool = False) -> bool:
        """Write the file and keep a receipt; False when it already is like that. ``mode`` None leaves it as it is."""
        current = _content(path)
        if current == content and (mode is None or _mode(path) == mode):
            return False
        self._note_folders(os.path.dirname(path))
        self._note(path, current, content, kind, kept)
        self.save()
        before = _mode(path)
        if current != content:
            write_atomically(path, content)
        if mode is not None or current is not None:
            os.chmod(path, before if mode is None else mode)
        return True

    def recognise(self, path: str, kind: Kind) -> None:
        """A receipt for a file that holds our part without one: what it was before is not known, only what is ours."""
        content = _content(path) or b""
        left = _origin(kind, content, None)
        receipt = Receipt(kind=kind, before=_packed(left), after="", mode=_mode(path))
        if kind == "hook" and os.path.lexists(path.removesuffix(_PUT_ASIDE) + KEPT_SUFFIX):
            receipt["kept"] = True
        self.files[self.key(path)] = receipt
        self.save()

    def note_config(self, path: str, before: bytes | None, values: Mapping[str, list[str]]) -> None:
        """git changed its configuration file for us; ``values`` are those that the changed keys had."""
        for name, old in values.items():
            self.config.setdefault(name, old)
        self._note(path, before, _content(path) or b"", "config", kept=False)
        self.save()

    def _note(self, path: str, current: bytes | None, content: bytes, kind: Kind, kept: bool) -> None:
        known = self.files.get(self.key(path))
        if known and current is not None and _digest(current) == known["after"]:
            known["after"] = _digest(content)
            return
        if known and kind == "config":
            known["after"] = ""  # edited by others as well: only setting by setting can be taken back
            return
        origin = None if current is None else _origin(kind, current, known)
        receipt = Receipt(kind=kind, before=_packed(origin), after=_digest(content), mode=_mode(path))
        if kept or (known and known.get("kept")):
            receipt["kept"] = True
        self.files[self.key(path)] = receipt

    def _note_folders(self, folder: str) -> None:
        missing = []
        while not os.path.isdir(folder):
            missing.append(folder)
            folder = os.path.dirname(folder)
        for made in reversed(missing):
            os.mkdir(made)
            self.folders.append(self.key(made))

    # -- taking back --------------------------------------------------------------------------------------------------

    def take_back(self, key: str) -> Outcome:
        """Restore one file, or take our part out of it; its receipt is gone then."""
        receipt, path = self.files[key], self.path(key)
        for place in places_of_hook(path) if receipt["kind"] == "hook" else (path,):
            outcome = self._take_back(receipt, place, path + KEPT_SUFFIX)
            if outcome != "gone already":
                break
        del self.files[key]
        self.save()
        return outcome

    def _take_back(self, receipt: Receipt, path: str, kept: str) -> Outcome:
        current = _content(path)
        if current is None or (receipt["kind"] == "hook" and not has_block(current)):
            return "gone already"
        if _digest(current) == receipt["after"]:
            if receipt.get("kept") and os.path.lexists(kept):
                os.replace(kept, path)
            else:
                _restore(path, _unpacked(receipt["before"]), receipt["mode"])
            return "restored"
        left = _STRIP[receipt["kind"]](current)
        if left in (b"", _NEW_HOOK) and receipt["before"] is None:
            os.unlink(path)
            if receipt.get("kept") and os.path.lexists(kept):
                os.replace(kept, path)
        elif left != current:
            _restore(path, left, _mode(path))
        return "our part removed"

    def remove_empty_folders(self) -> None:
        """Remove the folders that were made for our files and hold nothing else."""
        for key in reversed(self.folders):
            with suppress(OSError):
                os.rmdir(self.path(key))
        self.folders = []


# ---------------------------------------------------------------------------------------------------------------------
# Hooks


def places_of_hook(path: str) -> tuple[str, ...]:
    """Where a hook of ours may be by now: other tools put the hook they found aside and go on calling it."""
    return path, path + _PUT_ASIDE


def place_of_block(path: str) -> str:
    """Where the hook that holds our block is by now; "" where none does."""
    return next((place for place in places_of_hook(path) if has_block(_content(place) or b"")), "")


def install_hook(receipts: Receipts, folder: str, name: str, python: str | None, by_shell: bool = False) -> str | None:
    """Put our block into the hook; the path that was written, or None when it was there already.

    A hook that is no shell script, a link, or switched off (not executable) is moved aside and called by the new one
    as git would have called it. ``by_shell``: whatever is in the folder is run by a shell, executable or not.
    """
    path = os.path.join(folder, name)
    path = place_of_block(path) or path
    kept = os.path.join(folder, name + KEPT_SUFFIX)
    if os.path.lexists(path) and not has_block(_content(path) or b"") and _must_be_kept(path, by_shell):
        if os.path.lexists(kept):
            raise RefusedError(f"'{kept}' is in the way of the hook '{path}'", hint="move one of them away")
        os.rename(path, kept)
    current = _content(path)
    is_kept = os.path.lexists(kept)
    content = with_block(_NEW_HOOK if current is None else current, hook_block(name, python, is_kept))
    mode = None if by_shell and current is not None else _EXECUTABLE if current is None else _mode(path) | 0o111
    return path if receipts.put(path, content, "hook", mode, is_kept) else None


def _must_be_kept(path: str, by_shell: bool) -> bool:
    if not os.path.isfile(path) and not os.path.islink(path):
        raise RefusedError(f"'{path}' is no file", hint="remove it, then run frames init again")
    if os.path.islink(path):
        return True
    return not by_shell and not (os.access(path, os.X_OK) and is_shell(read_bytes(path)))


# ---------------------------------------------------------------------------------------------------------------------
# Lines


def with_line(content: bytes | None, line: bytes) -> bytes:
    """The file with the line at its end, in the line ends that the file has."""
    content = content or b""
    end = b"\r\n" if b"\r\n" in content else b"\n"
    return content + (end if content and not content.endswith(b"\n") else b"") + line + end


def file_has_line(path: str, line: bytes) -> bool:
    """Is there a file, no link, that holds the line?"""
    return not os.path.islink(path) and has_line(_content(path), line)


def has_line(content: bytes | None, line: bytes) -> bool:
    """Does the file hold the line?"""
    return any(held.strip() == line for held in (content or b"").splitlines())


def file_has_section(path: str) -> bool:
    """Is there a file, no link, that holds what an agent is told of us?"""
    return not os.path.islink(path) and has_section(_content(path) or b"")


def file_has_agent_hooks(path: str) -> bool:
    """Is there a file, no link, with hooks of an agent that call us?"""
    return not os.path.islink(path) and has_agent_hooks(_content(path) or b"")


def _without_lines(content: bytes) -> bytes:
    ours = (ATTRIBUTES_LINE, EXCLUDE_LINE)
    return b"".join(held for held in content.splitlines(keepends=True) if held.strip() not in ours)


_STRIP: Final[Mapping[Kind, Callable[[bytes], bytes]]] = {
    "hook": without_block,
    "line": _without_lines,
    "section": without_section,
    "settings": without_agent_hooks,
    "config": lambda content: content,
}


def _origin(kind: Kind, current: bytes, known: Receipt | None) -> bytes | None:
    """What a file would be without our part; None when nothing but our part made it."""
    left = _STRIP[kind](current)
    made_by_us = left != current and left in (b"", _NEW_HOOK) and not (known and known["before"] is not None)
    return None if made_by_us else left


# ---------------------------------------------------------------------------------------------------------------------
# Files


def _content(path: str) -> bytes | None:
    return read_bytes(path) if os.path.isfile(path) else None


def _mode(path: str) -> int:
    try:
        return stat.S_IMODE(os.stat(path).st_mode)
    except OSError:
        return 0o644


def _restore(path: str, content: bytes | None, mode: int) -> None:
    if content is None:
        os.unlink(path)
        return
    write_atomically(path, content)
    os.chmod(path, mode)


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()


def _packed(content: bytes | None) -> str | None:
    return None if content is None else base64.b64encode(content).decode()


def _unpacked(packed: str | None) -> bytes | None:
    return None if packed is None else base64.b64decode(packed)
