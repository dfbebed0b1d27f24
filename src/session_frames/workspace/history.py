"""Looking: list, show, status, log, resume."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypedDict

from session_frames.errors import FormatError, UsageError
from session_frames.model import Frame, Turn
from session_frames.operations.context import DEFAULT_BUDGET, Changes, Opening, Wanted, opening
from session_frames.operations.summary import Summary
from session_frames.operations.tokens import FACTORS, REFERENCE
from session_frames.storage.commit_links import Link, links_of
from session_frames.storage.frame_store import ARCHIVE, SESSIONS
from session_frames.workspace.catalog import Catalog, Entry, catalog, get_entry, load
from session_frames.workspace.core import Workspace
from session_frames.workspace.log_filters import choose, has_filters
from session_frames.workspace.log_view import prepare_log as prepare_log

_CHUNK = 512


# ---------------------------------------------------------------------------------------------------------------------
# list, show, status


def list_(
    ws: Workspace,
    *,
    status: str = "",
    active: bool = False,
    topic: str = "",
    branch: str = "",
    since: str = "",
    paths: Sequence[str] = (),
) -> Catalog:
    """The frames that pass every filter, the newest first; ``paths`` are files or folders that they touched."""
    known = catalog(ws)
    wanted = [_path_filter(ws, path) for path in paths]
    entries = [
        entry
        for entry in known.entries
        if (not status or entry.summary["status"] == status)
        and (not active or entry.active)
        and (not topic or topic.casefold() in entry.summary["topic"].casefold())
        and (not branch or entry.summary["branch"] == branch)
        and (not since or (entry.summary["ended_at"] or entry.summary["started_at"]) >= since)
        and (not wanted or any(_touches(entry.summary["files"], path) for path in wanted))
    ]
    return Catalog(entries, known.damaged)


def _path_filter(ws: Workspace, path: str) -> str:
    inside = ws.store.relative(path, ws.cwd) if ws.repo.top else path
    if inside is None and ws.store.full("") in (ws.cwd, ws.cwd + "/"):
        return ""
    return (inside or "").rstrip("/")


def _touches(files: Iterable[str], path: str) -> bool:
    return any(file == path or file.startswith(path + "/") or not path for file in files)


def show(ws: Workspace, name: str | None, turns: str = "") -> tuple[Frame, list[tuple[int, Turn]]]:
    """A frame, and the turns of it that were asked for (``3 14 22-30``; all for ""), with numbers."""
    frame = load(ws, get_entry(ws, name))
    numbered = list(enumerate(frame.get("turns", []), 1))
    if not turns:
        return frame, numbered
    wanted = turn_numbers(frame, turns)
    return frame, [(number, turn) for number, turn in numbered if number in wanted]


def turn_numbers(frame: Frame, text: str) -> set[int]:
    """The turns that a person means: numbers, ranges, call numbers (their turn) or ids; ``UsageError`` for none."""
    ids = {turn["id"]: number for number, turn in enumerate(frame.get("turns", []), 1)}
    numbers: set[int] = set()
    for part in text.replace(",", " ").split():
        single = re.fullmatch(r"(\d+)(?:\.\d+)?", part)
        span = re.fullmatch(r"(\d+)-(\d+)", part)
        if part in ids:
            numbers.add(ids[part])
        elif single and 0 < int(single[1]) <= len(ids):
            numbers.add(int(single[1]))
        elif span and 0 < int(span[1]) <= int(span[2]) <= len(ids):
            numbers.update(range(int(span[1]), int(span[2]) + 1))
        else:
            raise UsageError(f"no such turn: '{part}'", hint=f"the frame has turns 1-{len(ids)}")
    return numbers


class Uncommitted(NamedTuple):
    """A frame whose last turns HEAD does not hold yet; ``turns`` is how many."""

    summary: Summary
    path: str
    turns: int


class State(NamedTuple):
    """What ``frames status`` tells."""

    branch: str
    active: list[Entry]
    work_trees: dict[str, str]  # frame id -> work tree of an active frame
    uncommitted: list[Uncommitted]
    changed: list[str]  # frame files that differ from HEAD otherwise
    damaged: dict[str, FormatError]


def status(ws: Workspace) -> State:
    """The active and uncommitted frames of this repository."""
    known = catalog(ws)
    held = _turns_held(ws)
    waiting = [
        Uncommitted(entry.summary, entry.path, entry.summary["turns"] - held.get(entry.summary["id"], 0))
        for entry in known.entries
        if entry.path and not entry.active and entry.summary["turns"] > held.get(entry.summary["id"], 0)
    ]
    work_trees = {active["frame"]["id"]: active["work_tree"] for active in ws.state.list_active()}
    return State(
        branch=ws.repo.branch() or "",
        active=[entry for entry in known.entries if entry.active],
        work_trees=work_trees,
        uncommitted=waiting,
        changed=[path for path in _changed_files(ws) if path not in {frame.path for frame in waiting}],
        damaged=known.damaged,
    )


def _changed_files(ws: Workspace) -> list[str]:
    """The frame files that are not as HEAD has them."""
    if ws.repo.top is None:
        return []
    out = ws.repo.run("status", "--porcelain", "-z", "--no-renames", "-uall", "--", SESSIONS, ARCHIVE)
    entries = [entry for entry in out.decode("utf-8", "surrogateescape").split("\0") if entry]
    there = [entry[3:] for entry in entries if "D" not in entry[:2]]
    names = {path.rpartition("/")[2] for path in there}
    moved_away = [entry[3:] for entry in entries if "D" in entry[:2]]
    return there + [path for path in moved_away if path.rpartition("/")[2] not in names]


def _turns_held(ws: Workspace) -> dict[str, int]:
    """How many turns of each frame HEAD holds."""
    head = ws.repo.head()
    blobs = [file.blob for file in ws.repo.tree_files(head, [SESSIONS, ARCHIVE])] if head else []
    return {summary["id"]: summary["turns"] for summary in ws.index.summaries(blobs).values()}


# ---------------------------------------------------------------------------------------------------------------------
# log


class LoggedFrame(TypedDict):
    """One frame of a commit in ``frames log --json``."""

    id: str
    path: str
    topic: str
    status: str
    turns: int
    new_turns: list[list[int]]
    tool_calls: int
    cached: int
    decisions: list[str]
    open_questions: list[str]
    link: str


class LoggedCommit(TypedDict):
    """One line of ``frames log --json``."""

    commit: str
    subject: str
    author: str
    date: str
    frames: list[LoggedFrame]


def log(ws: Workspace, args: Sequence[str]) -> Iterator[LoggedCommit]:
    """The commits that ``git log ARGS`` shows, in its order, each with its frames."""
    prepare_log(ws, args)
    chosen = choose(ws, args) if has_filters(args) else None
    if chosen is not None and not chosen.commits:
        return
    steady = (
        "--no-color",
        "--no-patch",
        "--no-show-signature",
        "--no-notes",
        "-z",
        "--format=%x01%H%x00%s%x00%an%x00%aI",
    )
    options, paths = _split_paths(chosen.args if chosen else args)
    stdin = chosen.stdin() if chosen else None
    with ws.repo.stream("log", *options, *steady, *paths, cwd=ws.cwd, stdin=stdin) as output:
        pending: list[LoggedCommit] = []
        for fields in _records(output):
            pending.append(
                LoggedCommit(commit=fields[0], subject=fields[1], author=fields[2], date=fields[3], frames=[])
            )
            if len(pending) >= _CHUNK:
                yield from _with_frames(ws, pending)
                pending = []
        yield from _with_frames(ws, pending)


def _split_paths(args: Sequence[str]) -> tuple[list[str], list[str]]:
    at = list(args).index("--") if "--" in args else len(args)
    return list(args[:at]), list(args[at:])


def _records(output: Any) -> Iterator[list[str]]:
    """The fields of each commit; a field separator within git's NUL-separated output opens a commit."""
    fields: list[str] = []
    rest = b""
    while block := output.read1(1 << 20):
        *whole, rest = (rest + block).split(b"\0")
        for field in whole:
            text = field.decode("utf-8", "replace")
            if text.startswith("\x01"):
                if len(fields) >= 4:
                    yield fields[:4]
                fields = [text[1:]]
            else:
                fields.append(text)
    if len(fields) == 3 and rest:
        fields.append(rest.decode("utf-8", "replace").rstrip("\n"))
    if len(fields) >= 4:
        yield fields[:4]


def _with_frames(ws: Workspace, commits: list[LoggedCommit]) -> list[LoggedCommit]:
    links = links_of(ws.index, [commit["commit"] for commit in commits])
    summaries = ws.index.summaries(link.blob for found in links.values() for link in found)
    for commit in commits:
        found = links.get(commit["commit"], [])
        commit["frames"] = [_logged(link, summaries[link.blob]) for link in found if link.blob in summaries]
    return commits


def _logged(link: Link, summary: Summary) -> LoggedFrame:
    return LoggedFrame(
        id=link.frame_id,
        path=link.path,
        topic=summary["topic"],
        status=summary["status"],
        turns=summary["turns"],
        new_turns=[list(span) for span in link.new_turns],
        tool_calls=summary["tool_calls"],
        cached=summary["cached"],
        decisions=summary["decisions"],
        open_questions=summary["open_questions"],
        link=link.kind,
    )


# ---------------------------------------------------------------------------------------------------------------------
# resume


class Resumed(NamedTuple):
    """The opening context of a frame for the next session, and how it was wanted."""

    frame: Frame
    changes: Changes
    made: Opening
    wanted: Wanted


def resume(
    ws: Workspace,
    name: str | None = None,
    *,
    branch: str = "",
    budget: int = DEFAULT_BUDGET,
    mode: str = "auto",
    window: int = 0,
) -> Resumed:
    """What the next session should begin with: what was said within the budget, what changed since, what holds."""
    if budget <= 0:
        raise UsageError(f"a budget must be above 0, not {budget}")
    wanted = Wanted(budget, mode, window, vocabulary_of(ws))
    entry = entry_to_resume(ws, name, branch)
    frame = load(ws, entry)
    changes = changes_since(ws, entry, frame)
    return Resumed(frame, changes, opening(frame, changes, wanted, _origin(ws, entry)), wanted)


def vocabulary_of(ws: Workspace) -> str:
    """The vocabulary by which tokens are counted here: git's ``frames.vocabulary``, else the reference."""
    name = ws.repo.config("frames.vocabulary") or REFERENCE
    if name not in FACTORS:
        raise UsageError(f"no such vocabulary: '{name}'", hint=f"git config frames.vocabulary {'|'.join(FACTORS)}")
    return name


def entry_to_resume(ws: Workspace, name: str | None, branch: str = "") -> Entry:
    """The frame of that name, else the latest of the branch, else the current one."""
    return _latest_of(ws, branch) if branch and name is None else get_entry(ws, name)


def _latest_of(ws: Workspace, branch: str) -> Entry:
    entries = [entry for entry in catalog(ws).entries if entry.summary["branch"] == branch]
    if not entries:
        raise UsageError(f"no frame on branch '{branch}'", hint="frames list shows all")
    return entries[0]


def _origin(ws: Workspace, entry: Entry) -> str:
    import os

    if os.path.exists(ws.state.closed_path(entry.summary["id"])) or entry.active:
        return "Closed on this machine." if not entry.active else "Still active."
    return "Not from this machine: it came with the repository."


def changes_since(ws: Workspace, entry: Entry, frame: Frame) -> Changes:
    """Commits and files since the frame's last commit (else since HEAD at its close, or at its start while it is
    active), and what is not committed."""
    head = ws.repo.head()
    base = _last_commit(ws, entry, frame)
    uncommitted = _uncommitted(ws) if ws.repo.top else []
    if not head or not base:
        return Changes(known=False, commits=[], files=[], uncommitted=uncommitted)
    commits = ws.repo.run("log", "--format=%h %s", f"{base}..{head}").decode("utf-8", "replace").splitlines()
    files = _name_status(ws.repo.run("diff", "--name-status", "-z", "--no-renames", "--no-ext-diff", base, head))
    return Changes(True, commits, files, uncommitted)


def _last_commit(ws: Workspace, entry: Entry, frame: Frame) -> str:
    if entry.path and ws.repo.head():
        holding = ws.repo.line("log", "-1", "--format=%H", "HEAD", "--", entry.path)
        if holding:
            return holding
    # One that has not ended yet has no last commit: it began on its base.
    spots = frame.get("git", {})
    head = spots.get("base", "") if frame["status"] == "active" else spots.get("head", "")
    if re.fullmatch(r"[0-9a-f]{40,64}", head) and not ws.repo.ask("merge-base", "--is-ancestor", head, "HEAD").code:
        return head
    return ""


def _name_status(out: bytes) -> list[str]:
    fields = out.decode("utf-8", "surrogateescape").split("\0")
    pairs = zip(fields[::2], fields[1::2], strict=False)
    return [f"{state} {path}" for state, path in pairs if not path.startswith((SESSIONS + "/", ARCHIVE + "/"))]


def _uncommitted(ws: Workspace) -> list[str]:
    out = ws.repo.run("status", "--porcelain", "-z", "--no-renames", "--untracked-files=normal")
    entries = out.decode("utf-8", "surrogateescape").split("\0")
    return [entry for entry in entries if entry and not entry[3:].startswith(".copilot/")]
