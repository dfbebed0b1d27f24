"""The tree that records make by naming their parent, and the branches of it that were left for another."""

from __future__ import annotations

from session_frames.transcripts.base import Abandon


class EntryTree:
    """Who follows whom; only ids are kept.

    The newest entry is the leaf: what is not on the way from it to the root was left for another branch. An entry
    whose parent is not in the file (a damaged line, a cut head) follows the one before it.
    """

    def __init__(self) -> None:
        self._parents: dict[str, str] = {}
        self._newest = ""

    def add(self, key: str, parent: str | None) -> None:
        """The next entry of the file; ``parent`` is "" for a root, None where it is not told."""
        if key in self._parents:
            return
        cut = parent is None or (parent and parent not in self._parents)
        self._parents[key] = self._newest if cut else parent or ""
        self._newest = key

    def left_branches(self) -> list[Abandon]:
        """Each branch that was left, with its entries in the order of the file."""
        active = self._active_path()
        branches: dict[str, list[str]] = {}
        branch_of: dict[str, str] = {}
        for key, parent in self._parents.items():
            if key not in active:
                branch_of[key] = branch_of.get(parent, key)
                branches.setdefault(branch_of[key], []).append(key)
        return [Abandon(tuple(keys)) for keys in branches.values()]

    def _active_path(self) -> set[str]:
        path: set[str] = set()
        key = self._newest
        while key and key not in path:
            path.add(key)
            key = self._parents.get(key, "")
        return path
