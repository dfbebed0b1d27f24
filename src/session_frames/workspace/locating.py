"""Where the paths of a transcript lie in this repository."""

from __future__ import annotations

import os
from typing import NamedTuple

from session_frames.workspace.core import Workspace


class Looked(NamedTuple):
    """What a locator went by until now, beside the paths themselves."""

    first_cwd: str
    guesses: dict[str, str | None]  # path of another machine -> what it was taken for, by the files that are here


class Locator:
    """Says where a path of a transcript lies (see ``operations.assemble.Locate``).

    A session may have been recorded elsewhere, in another clone or on another machine: a path under its first working
    directory then counts from there, and any other is recognised when the work tree has a file of that name.
    """

    def __init__(self, ws: Workspace, looked: Looked | None = None) -> None:
        self._top = ws.repo.top or ""
        self.tops = tuple(dict.fromkeys([self._top, os.path.realpath(self._top)])) if self._top else ()
        self.looked = looked or Looked("", {})

    def __call__(self, path: str, cwd: str) -> str | None:
        path, cwd = _slashed(path), _slashed(cwd)
        if cwd and not self.looked.first_cwd:
            self.looked = self.looked._replace(first_cwd=cwd)
        full = path if _is_absolute(path) else _joined(cwd or self._top, path)
        for root in [*self.tops, *filter(None, (self.looked.first_cwd, cwd))]:
            inside = _below(full, root)
            if inside:
                return inside
        if not _is_absolute(full):
            return full
        if full not in self.looked.guesses:
            self.looked.guesses[full] = self._guess(full)
        return self.looked.guesses[full]

    def still_holds(self) -> bool:
        """Would every path be taken for the same file now?"""
        return all(self._guess(full) == guess for full, guess in self.looked.guesses.items())

    def _guess(self, full: str) -> str | None:
        parts = full.lstrip("/").split("/")
        for start in range(1, len(parts)):
            tail = "/".join(parts[start:])
            if len(parts) - start > 1 and os.path.exists(os.path.join(self._top, tail)):
                return tail
        return None


def _slashed(path: str) -> str:
    if len(path) > 1 and path[1] == ":":
        path = path[0].lower() + path[1:]
        return path.replace("\\", "/")
    # A relative path of Windows has no slash; a name of ours with a backslash in it is far rarer.
    return path if "/" in path else path.replace("\\", "/")


def _is_absolute(path: str) -> bool:
    return path.startswith("/") or path[1:2] == ":"


def _joined(folder: str, path: str) -> str:
    return os.path.normpath(f"{folder}/{path}") if folder else os.path.normpath(path)


def _below(path: str, root: str) -> str:
    root = root.rstrip("/")
    normal = os.path.normpath(path)
    return normal[len(root) + 1 :] if root and normal.startswith(root + "/") else ""
