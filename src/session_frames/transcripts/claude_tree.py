"""The tree that Claude Code's records make by ``parentUuid``, and the branches of it that were rewound."""

from __future__ import annotations

from collections.abc import Iterator

from session_frames.transcripts.base import Record, text_of

# Records that chains merely run through.
_PASSED_THROUGH = ("attachment", "progress", "system")


class Tree:
    """Who follows whom. Only ids are kept, so that a large file costs little.

    Parents are missing in many files (cut heads, filtered records); such a record follows the one before it. A branch
    counts as rewound only when a later prompt on the active path hangs on the very message on which it began: tool
    calls that ran side by side make branches too, and a broken chain must not lose a turn.
    """

    def __init__(self) -> None:
        self._parents: dict[str, str] = {}
        self._before: dict[str, str] = {}
        self._passed: set[str] = set()
        self._aside: set[str] = set()
        self._boundaries: set[str] = set()
        self._prompts: list[str] = []
        self._told: list[str] = []
        self._newest = ""
        self._leaf = ""
        self._orphans: dict[str, int] = {}  # a parent that was not there when a record named it -> the record's line

    def aside(self, uuid: str) -> None:
        """There is a record of this id, outside of the main line."""
        self._orphans.pop(uuid, None)
        self._aside.add(uuid)

    def missing(self) -> Iterator[int]:
        """Of each parent that is named and is not in the file, the line of the first record that names it."""
        yield from (line for parent, line in self._orphans.items() if parent not in self._parents)

    def add(self, uuid: str, kind: str, record: Record, line: int) -> None:
        """A record of the main line; the first of an id counts."""
        if uuid in self._parents:
            return
        named = text_of(record.get("parentUuid"))
        if named and named not in self._parents and named not in self._aside:
            self._orphans.setdefault(named, line)
        parent = named or text_of(record.get("logicalParentUuid"))
        if parent == self._newest:
            parent = self._newest  # the same text once, and no need to know what came before
        else:
            self._before[uuid] = self._newest
        self._parents[uuid] = parent
        self._newest = uuid
        if record.get("subtype") == "compact_boundary":
            self._boundaries.add(uuid)
        elif kind in _PASSED_THROUGH:
            self._passed.add(uuid)
        else:
            self._leaf = uuid

    def holds(self, uuid: str) -> bool:
        """Is there a record of this id?"""
        return uuid in self._parents

    def prompt(self, uuid: str) -> None:
        """The record is a prompt of the person."""
        self._prompts.append(uuid)

    def told(self, uuid: str) -> None:
        """Events were told under this id."""
        self._told.append(uuid)

    def rewound(self) -> tuple[str, ...]:
        """The ids told from branches that were left for another prompt, in the order of the file."""
        active = self._active_path()
        last_on: dict[str, int] = {}
        for number, uuid in enumerate(self._prompts):
            if uuid in active:
                last_on[self._anchor(uuid)] = number
        dead = {
            uuid
            for number, uuid in enumerate(self._prompts)
            if uuid not in active and (anchor := self._anchor(uuid)) and last_on.get(anchor, -1) > number
        }
        if not dead:
            return ()
        for uuid, parent in self._parents.items():
            if parent in dead and uuid not in active:
                dead.add(uuid)
        return tuple(dict.fromkeys(uuid for uuid in self._told if uuid in dead))

    def _active_path(self) -> set[str]:
        path: set[str] = set()
        uuid = self._leaf
        while uuid and uuid not in path:
            path.add(uuid)
            parent = self._parents[uuid]
            uuid = parent if parent in self._parents else self._before.get(uuid, "")
        return path

    def _anchor(self, uuid: str) -> str:
        """The message on which a record hangs; "" where the chain is broken before one."""
        seen: set[str] = set()
        uuid = self._parents[uuid]
        while uuid in self._passed and uuid not in seen:
            seen.add(uuid)
            uuid = self._parents[uuid]
        return uuid if uuid in self._parents and uuid not in self._boundaries else ""
