"""What a session tried and left: changes that were undone, commands that never worked, and what was looked up again.

Told from the calls alone, and only told: nothing in the frame is changed by it. Whatever can't be told from whole
arguments (a long text of which an excerpt is kept, say) is compared by its digest.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, TypedDict

from session_frames.model import MAIN_THREAD, Call, Frame, Touched, Turn
from session_frames.operations.command_lines import split
from session_frames.operations.extract import withdrawals
from session_frames.operations.nested_calls import iter_calls
from session_frames.operations.shell_files import command_of, commits, effects

# "restored": git put the file back; "edited-back": a later edit is the opposite; "removed": made and removed again;
# "withdrawn": the user took the message back that asked for it; "gave-up": a command that failed each time it ran.
DeadEndKind = Literal["restored", "edited-back", "removed", "withdrawn", "gave-up"]
LookupKind = Literal["read", "search"]


class DeadEnd(TypedDict):
    """Work that led nowhere: a file or a command, the turns of the attempts and the turn that undid or ended them."""

    kind: DeadEndKind
    what: str
    tried: list[str]
    ended: str


class Lookup(TypedDict):
    """The same look-up in several turns; ``unchanged`` are those before which nothing had changed since the last."""

    kind: LookupKind
    what: str
    turns: list[str]
    unchanged: list[str]


_OLD: Final = ("old_string", "old_str", "oldText", "old")
_NEW: Final = ("new_string", "new_str", "newText", "new")
_READS: Final = frozenset({"cat", "sed", "head", "tail", "less", "bat", "nl"})
_SEARCHES: Final = frozenset({"rg", "grep", "ag", "ack", "find", "fd", "ls", "tree"})
_SEARCH_TOOLS: Final = r"^(?:grep|glob|ls|list|find|search|codebase|websearch|webfetch|fetch)"
# Arguments that change nothing about what is looked up.
_BESIDE: Final = frozenset({"description", "explanation", "timeout", "yield_time_ms", "max_output_tokens"})
_FAILURES: Final = 2  # as often has a command to fail before it was given up
_LONGEST_NAME: Final = 120


def dead_ends(frame: Frame) -> list[DeadEnd]:
    """What was tried and undone or given up, in the order in which it ended."""
    made = list(_calls(frame.get("turns", [])))
    places = {turn["id"]: number for number, turn in enumerate(frame.get("turns", []))}
    found = [*_undone(made), *_withdrawn(frame, made), *_given_up(made)]
    ends: dict[tuple[str, str], DeadEnd] = {}
    for one in found:  # what a withdrawal names and git put back is one dead end
        ends.setdefault((one["what"], one["tried"][-1]), one)
    return sorted(ends.values(), key=lambda one: places[one["ended"]])


def repeated_lookups(frame: Frame) -> list[Lookup]:
    """The same file read, or the same search made, in more than one turn."""
    seen: dict[tuple[LookupKind, str], Lookup] = {}
    changed: list[str] = []  # the files changed so far; how many there were at the last look
    looked: dict[tuple[LookupKind, str], int] = {}
    for turn, call in _calls(frame.get("turns", [])):
        look = _look(call)
        if look:
            key = (look.kind, look.key)
            known = seen.setdefault(key, {"kind": look.kind, "what": look.what, "turns": [], "unchanged": []})
            if known["turns"][-1:] != [turn]:
                if known["turns"] and not _matters(look, changed[looked[key] :]):
                    known["unchanged"].append(turn)
                known["turns"].append(turn)
            looked[key] = len(changed)
        changed += [file["path"] for file in _written(call)]
    return [one for one in seen.values() if len(one["turns"]) > 1]


_TOLD: Final[dict[DeadEndKind, str]] = {
    "restored": "changed in {tried}, put back by git in {ended}",
    "edited-back": "changed in {tried}, edited back in {ended}",
    "removed": "made in {tried}, removed again in {ended}",
    "withdrawn": "changed in {tried}, what asked for it was taken back by the user in {ended}",
    "gave-up": "failed in {tried}, not run again",
}


def told(one: DeadEnd, numbers: Mapping[str, int]) -> str:
    """The dead end in words, without its name; ``numbers`` are those of the turns by id."""
    tried = [str(numbers[turn]) for turn in one["tried"]]
    turns = f"turn{'s' if len(tried) > 1 else ''} {', '.join(tried)}"
    return _TOLD[one["kind"]].format(tried=turns, ended=f"turn {numbers[one['ended']]}")


def _calls(turns: Sequence[Turn]) -> Iterator[tuple[str, Call]]:
    """(id of the turn, call) of the main thread; calls that never came to an end are left out."""
    for turn in turns:
        if turn.get("thread", MAIN_THREAD) == MAIN_THREAD:
            yield from ((turn["id"], call) for _, call in iter_calls(turn) if call["outcome"] != "pending")


def _written(call: Call) -> list[Touched]:
    passed = call["outcome"] != "failed"
    return [file for file in call.get("files", []) if passed and file["change"] != "read"]


# ---------------------------------------------------------------------------------------------------------------------
# Work undone


def _undone(made: Sequence[tuple[str, Call]]) -> Iterator[DeadEnd]:
    """Files that git put back, that were made and removed again, and edits of which a later one is the opposite."""
    attempts: dict[str, list[str]] = {}  # path -> turns that changed it since it was last committed or put back
    added: set[str] = set()
    edits: list[_Edit] = []
    for turn, call in made:
        for edit in _edits(turn, call):
            opposite = next((one for one in reversed(edits) if one.undone_by(edit)), None)
            if opposite and opposite.turn != turn:
                edits.remove(opposite)
                yield {"kind": "edited-back", "what": edit.path, "tried": [opposite.turn], "ended": turn}
            else:
                edits.append(edit)
        for file in _written(call):
            path = file["path"]
            if file["change"] == "deleted":
                tried = attempts.pop(path, [])
                if path in added and set(tried) != {turn}:
                    yield {"kind": "removed", "what": path, "tried": tried, "ended": turn}
                continue
            if file["change"] == "added" and path not in attempts:
                added.add(path)
            attempts[path] = [*(one for one in attempts.get(path, []) if one != turn), turn]
        command = command_of(call.get("arguments")) if call["outcome"] == "passed" else ""
        for effect in effects(command):
            back = [one for one in attempts if effect.path in (".", one) or one.endswith(f"/{effect.path}")]
            for path in back if effect.change == "restored" else ():
                if path not in added:
                    yield {"kind": "restored", "what": path, "tried": attempts.pop(path), "ended": turn}
        if commits(command):
            attempts.clear()
            added.clear()


class _Edit(NamedTuple):
    turn: str
    path: str
    old: str
    new: str

    def undone_by(self, later: _Edit) -> bool:
        """Is the later edit the opposite of this one?"""
        return (self.path, self.old, self.new) == (later.path, later.new, later.old)


def _edits(turn: str, call: Call) -> Iterator[_Edit]:
    """The edits that give what they replace: an argument each, or the lines of a patch of one file."""
    written, arguments = _written(call), call.get("arguments")
    if len(written) != 1:
        return
    path = written[0]["path"]
    if isinstance(arguments, dict):
        old = next((arguments[key] for key in _OLD if key in arguments), None)
        new = next((arguments[key] for key in _NEW if key in arguments), None)
        if old is not None and new is not None and old != new:
            yield _Edit(turn, path, _canonical(old), _canonical(new))
    elif isinstance(arguments, str) and written[0]["change"] == "modified":
        lines = [line for line in arguments.split("\n") if not line.startswith(("+++", "---", "***"))]
        old_lines = [line[1:] for line in lines if line.startswith("-")]
        new_lines = [line[1:] for line in lines if line.startswith("+")]
        if "".join(old_lines).strip() and "".join(new_lines).strip():
            yield _Edit(turn, path, "\n".join(old_lines), "\n".join(new_lines))


def _canonical(value: Any) -> str:
    """The text, or what stands for a long one: its size and digest."""
    if isinstance(value, dict) and isinstance(value.get("elided"), dict):
        value = {key: value["elided"].get(key) for key in ("size", "digest")}
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)


def _withdrawn(frame: Frame, made: Sequence[tuple[str, Call]]) -> Iterator[DeadEnd]:
    """Files that were changed for a message that the user took back."""
    for one in withdrawals(frame):
        tried: dict[str, list[str]] = {}
        for turn, call in made:
            if turn in one.turns:
                for file in _written(call):
                    tried[file["path"]] = [*(known for known in tried.get(file["path"], []) if known != turn), turn]
        for path, turns in tried.items():
            yield {"kind": "withdrawn", "what": path, "tried": turns, "ended": one.words["turn"]}


def _given_up(made: Sequence[tuple[str, Call]]) -> Iterator[DeadEnd]:
    """Commands that failed whenever they ran, more than once, while others passed after them."""
    runs: dict[str, list[tuple[str, Call]]] = {}
    for turn, call in made:
        command = " ".join(command_of(call.get("arguments")).split())
        if command and not _looks_up(command):
            runs.setdefault(command, []).append((turn, call))
    for command, ran in runs.items():
        if len(ran) < _FAILURES or any(call["outcome"] != "failed" for _, call in ran):
            continue
        last = next(place for place, (_, call) in enumerate(made) if call is ran[-1][1])
        if any(call["outcome"] == "passed" and command_of(call.get("arguments")) for _, call in made[last + 1 :]):
            turns = list(dict.fromkeys(turn for turn, _ in ran))
            yield {"kind": "gave-up", "what": _named(command), "tried": turns, "ended": turns[-1]}


# ---------------------------------------------------------------------------------------------------------------------
# Look-ups


class _Look(NamedTuple):
    kind: LookupKind
    key: str
    what: str
    paths: tuple[str, ...]  # what is read; empty for a search, which any change may answer otherwise


def _look(call: Call) -> _Look | None:
    """What the call looks up; None for one that does anything else, or failed."""
    arguments = call.get("arguments")
    command = " ".join(command_of(arguments).split())
    files = call.get("files", [])
    if command:
        kind = _looks_up(command)
        searched = kind == "search"
        if not kind or (call["outcome"] == "failed" and not searched):
            return None
        paths = tuple(file["path"] for file in files) if not searched else ()
        return _Look(kind, command, _named(" ".join(paths) or command), paths)
    if call["outcome"] == "failed":
        return None
    bare = {key: value for key, value in arguments.items() if key not in _BESIDE} if isinstance(arguments, dict) else {}
    key = f"{call['tool']} {json.dumps(bare, sort_keys=True, ensure_ascii=False)}"
    if files and all(file["change"] == "read" for file in files):
        paths = tuple(file["path"] for file in files)
        return _Look("read", key, " ".join(paths), paths)
    if bare and not files and re.match(_SEARCH_TOOLS, re.sub(r"[^a-z]", "", call["tool"].lower())):
        told = next((str(bare[name]) for name in ("pattern", "query", "regex", "url", "path") if bare.get(name)), key)
        return _Look("search", key, _named(told), ())
    return None


def _looks_up(command: str) -> LookupKind | None:
    """What the command line looks up where it does nothing else."""
    programs = [words for words in split(command) if words[0] not in ("cd", "true", "wc", "sort")]
    if not programs or ">" in command:
        return None
    if all(words[0] in _READS and not _writes(words) for words in programs[:1]) and _only(programs[1:]):
        return "read"
    return "search" if programs[0][0] in _SEARCHES and _only(programs[1:]) else None


def _only(programs: Sequence[list[str]]) -> bool:
    return all(words[0] in _READS | _SEARCHES and not _writes(words) for words in programs)


def _writes(words: Sequence[str]) -> bool:
    return words[0] == "sed" and any(word.startswith("-i") or word == "--in-place" for word in words)


def _matters(look: _Look, changed: Sequence[str]) -> bool:
    """Could the changes since give another answer?"""
    return bool(changed) if not look.paths else any(path in look.paths for path in changed)


def _named(text: str) -> str:
    return text if len(text) <= _LONGEST_NAME else text[: _LONGEST_NAME - 1].rstrip() + "…"
