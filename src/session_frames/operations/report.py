"""What some commits and their frames amount to: decided, checked, not checked, left open; as data and as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypedDict, cast

from session_frames.model import Call, Frame
from session_frames.operations import dead_ends
from session_frames.operations.adopt import one_line
from session_frames.operations.fence import line_shown
from session_frames.operations.render import counted


class FrameTold(NamedTuple):
    """A frame and the numbers of its turns that are reported; None for all of them."""

    frame: Frame
    turns: frozenset[int] | None

    def tells(self, numbers: Iterable[int]) -> bool:
        """Does something that rests on these turns belong to the report? What rests on none does."""
        rests = list(numbers)
        return self.turns is None or not rests or any(number in self.turns for number in rests)


class ReportedLink(TypedDict):
    """A frame of a commit: how certain the link is, and the ranges of turns that the commit brought."""

    frame: str
    link: str
    new_turns: list[list[int]]


class ReportedCommit(TypedDict):
    """One commit of the report."""

    commit: str
    subject: str
    author: str
    date: str
    frames: list[ReportedLink]


class ReportedFrame(TypedDict):
    """One frame of the report; ``committed`` is False for one that no reported commit holds."""

    id: str
    topic: str
    title: str
    agent: str
    status: str
    turns: int
    committed: bool


class ReportedEvidence(TypedDict):
    """Where something was said: the turn's number, who spoke, and the words."""

    turn: int
    role: str
    quote: str


class ReportedItem(TypedDict):
    """A decision, constraint, question or next step."""

    frame: str
    id: str
    text: str
    status: str
    by: str
    rationale: str
    answer: str
    verified: bool
    evidence: list[ReportedEvidence]


class ReportedCheck(TypedDict):
    """A check that was run, with the outcome of its last run."""

    frame: str
    command: str
    outcome: str
    turn: int


class Unchecked(TypedDict):
    """What nobody checked: a claim of the agent (``text``), or files changed after the last check that passed."""

    frame: str
    text: str
    files: list[str]


class ReportedEnd(TypedDict):
    """What was tried and left: a file or a command, and what became of it, told with the numbers of the turns."""

    frame: str
    kind: str
    what: str
    told: str


class Report(TypedDict):
    """What ``frames report --format json`` gives."""

    range: str
    since: str
    commits: list[ReportedCommit]
    frames: list[ReportedFrame]
    decisions: list[ReportedItem]
    constraints: list[ReportedItem]
    open_questions: list[ReportedItem]
    next_steps: list[ReportedItem]
    verification: list[ReportedCheck]
    unchecked: list[Unchecked]
    dead_ends: list[ReportedEnd]


def report_of(
    commits: Sequence[ReportedCommit], told: Sequence[FrameTold], *, revisions: str = "", since: str = ""
) -> Report:
    """The report on these commits and frames. What was said in turns that are not told of is left out.

    What a frame brought that was merged into another one of them stands once, in that one.
    """
    held = {link["frame"] for commit in commits for link in commit["frames"]}
    merged = {origin["id"] for one in told for origin in one.frame.get("merged_from", [])}
    speaking = [one for one in told if one.frame["id"] not in merged]
    return Report(
        range=revisions,
        since=since,
        commits=list(commits),
        frames=[_frame(one.frame, one.frame["id"] in held) for one in told],
        decisions=[item for one in speaking for item in _items(one, "decisions")],
        constraints=[item for one in speaking for item in _items(one, "constraints")],
        open_questions=[item for one in speaking for item in _items(one, "open_questions")],
        next_steps=[item for one in speaking for item in _items(one, "next_steps")],
        verification=[check for one in speaking for check in _checks(one)],
        unchecked=[doubt for one in speaking for doubt in _unchecked(one)],
        dead_ends=[end for one in speaking for end in _dead_ends(one)],
    )


def _frame(frame: Frame, committed: bool) -> ReportedFrame:
    return ReportedFrame(
        id=frame["id"],
        topic=frame["topic"],
        title=frame.get("title", ""),
        agent=frame.get("session", {}).get("agent", ""),
        status=frame["status"],
        turns=len(frame.get("turns", [])),
        committed=committed,
    )


def _numbers(frame: Frame) -> dict[str, int]:
    return {turn["id"]: number for number, turn in enumerate(frame.get("turns", []), 1)}


def _items(told: FrameTold, key: str) -> Iterator[ReportedItem]:
    numbers = _numbers(told.frame)
    roles = {turn["id"]: turn["role"] for turn in told.frame.get("turns", [])}
    for item in cast(dict[str, Any], told.frame).get(key, []):
        said = [one for one in item.get("evidence", []) if one["turn"] in numbers]
        if told.tells(numbers[one["turn"]] for one in said):
            yield ReportedItem(
                frame=told.frame["id"],
                id=item["id"],
                text=item["text"],
                status=item["status"],
                by=item["by"],
                rationale=item.get("rationale", ""),
                answer=item.get("answer", ""),
                verified=item.get("verified", True),
                evidence=[
                    ReportedEvidence(turn=numbers[one["turn"]], role=roles[one["turn"]], quote=one["quote"])
                    for one in said
                ],
            )


def _checks(told: FrameTold) -> list[ReportedCheck]:
    """Each command once, as it ended last: a check that failed and passes now has passed."""
    numbers = _numbers(told.frame)
    last: dict[str, ReportedCheck] = {}
    for check in told.frame.get("verification", []):
        turn = numbers.get(check.get("turn", ""), 0)
        if told.tells([turn] if turn else []):
            last.pop(check["command"], None)
            last[check["command"]] = ReportedCheck(
                frame=told.frame["id"], command=check["command"], outcome=check["outcome"], turn=turn
            )
    return list(last.values())


def _unchecked(told: FrameTold) -> Iterator[Unchecked]:
    numbers = _numbers(told.frame)
    for claim in told.frame.get("unverified", []):
        turn = numbers.get(claim.get("turn", ""), 0)
        if told.tells([turn] if turn else []):
            yield Unchecked(frame=told.frame["id"], text=claim["text"], files=[])
    if files := _changed_since_last_check(told):
        yield Unchecked(frame=told.frame["id"], text="", files=files)


def _dead_ends(told: FrameTold) -> Iterator[ReportedEnd]:
    numbers = _numbers(told.frame)
    for one in dead_ends.dead_ends(told.frame):
        if told.tells([numbers[one["ended"]]]):
            words = dead_ends.told(one, numbers)
            yield ReportedEnd(frame=told.frame["id"], kind=one["kind"], what=one["what"], told=words)


def _changed_since_last_check(told: FrameTold) -> list[str]:
    """The files that calls changed, in the turns told of, after the last check that passed; all where none did."""
    passed = {
        (check["turn"], check["command"])
        for check in told.frame.get("verification", [])
        if check["outcome"] == "passed"
    }
    still = {file["path"] for file in told.frame.get("files", []) if file["change"] not in ("read", "deleted")}
    unchecked: dict[str, None] = {}
    for number, turn in enumerate(told.frame.get("turns", []), 1):
        commands = [command for checked, command in passed if checked == turn["id"]]
        for call in turn.get("calls", []):
            if any(_ran(call, command) for command in commands):
                unchecked.clear()
            for file in call.get("files", []):
                if file["change"] != "read" and file["path"] in still and told.tells([number]):
                    unchecked[file["path"]] = None
    return list(unchecked)


def _ran(call: Call, command: str) -> bool:
    """Is this the call of a check? A long command stands in a call by both its ends."""
    arguments = call.get("arguments")
    values = arguments.values() if isinstance(arguments, dict) else [arguments]
    return any(command in value for value in _texts(values)) or any(
        isinstance(value, dict) and command.startswith(str(value.get("head", "\0"))) for value in values
    )


def _texts(values: Iterable[Any]) -> Iterator[str]:
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            yield " ".join(map(str, value))


# ---------------------------------------------------------------------------------------------------------------------
# Markdown


_HOLDS = ("accepted",)
_OPEN = ("open", "deferred")
# Heading, key of the report, the states that stand under it.
_SECTIONS = (
    ("Decisions", "decisions", _HOLDS),
    ("Constraints", "constraints", _HOLDS),
    ("Given up or turned down", "decisions", ("overruled", "rejected")),
    ("Constraints that no longer hold", "constraints", ("overruled", "rejected")),
    ("Put off, proposed or not clear", "decisions", ("deferred", "proposed", "unknown")),
)
_OPEN_SECTIONS = (("Open questions", "open_questions", _OPEN), ("Next steps", "next_steps", _OPEN))
_MOST_FILES = 8
_WHO = {"user": "the user", "agent": "the agent", "pipeline": "a pipeline"}


def report_markdown(report: Report) -> str:
    """The report as Markdown that a person puts into a pull request as it is."""
    topics = {frame["id"]: f"{_text(frame['topic'])} `{frame['id'][:6]}`" for frame in report["frames"]}
    lines = [_opening(report), ""]
    for heading, key, states in _SECTIONS:
        lines += _section(heading, _item_lines(report, key, states, topics))
    lines += _section("Verified", [_check_line(check, topics) for check in report["verification"]])
    lines += _section("Not verified", _doubt_lines(report, topics))
    ends = [f"- {_code(end['what'])}: {end['told']} ({topics[end['frame']]})" for end in report["dead_ends"]]
    lines += _section("Tried and left", ends)
    for heading, key, states in _OPEN_SECTIONS:
        lines += _section(heading, _item_lines(report, key, states, topics))
    lines += _section("Commits and frames", _commit_lines(report, topics))
    return "\n".join(lines).rstrip("\n") + "\n"


def _opening(report: Report) -> str:
    agents = sorted({frame["agent"] for frame in report["frames"] if frame["agent"]})
    by = f", recorded by {_text(', '.join(agents))}" if agents else ""
    commits, frames = counted(len(report["commits"]), "commit"), counted(len(report["frames"]), "session frame")
    return f"{commits} and {frames}{by}."


def _section(heading: str, lines: list[str]) -> list[str]:
    return [f"## {heading}", "", *lines, ""] if lines else []


def _item_lines(report: Report, key: str, states: tuple[str, ...], topics: dict[str, str]) -> list[str]:
    lines: list[str] = []
    for item in cast(dict[str, list[ReportedItem]], report)[key]:
        if item["status"] in states:
            lines += _lines_of_item(item, topics[item["frame"]])
    return lines


def _lines_of_item(item: ReportedItem, topic: str) -> list[str]:
    """The text with its state and who said it; below it the reason, the answer, and the words where they differ."""
    state = "" if item["status"] in ("accepted", "open") else f" ({item['status']})"
    doubt = "" if item["verified"] else ", the words cited were not found"
    said = list(dict.fromkeys((one["turn"], one["role"], one["quote"]) for one in item["evidence"]))
    plain = len(said) == 1 and said[0][2] == item["text"]
    where = f", turn {said[0][0]}" if plain else ""
    lines = [f"- **{_text(item['text'])}**{state}, by {_WHO.get(item['by'], item['by'])}{doubt} ({topic}{where})"]
    for word, text in (("because", item["rationale"]), ("answer:", item["answer"])):
        if text:
            lines.append(f"  - {word} {_text(text)}")
    if not plain:
        lines += [f"  - {_WHO.get(role, role)}, turn {turn}: “{_text(quote)}”" for turn, role, quote in said]
    return lines


def _check_line(check: ReportedCheck, topics: dict[str, str]) -> str:
    turn = f", turn {check['turn']}" if check["turn"] else ""
    return f"- {check['outcome']}: {_code(check['command'])} ({topics[check['frame']]}{turn})"


def _doubt_lines(report: Report, topics: dict[str, str]) -> list[str]:
    checked = {check["frame"] for check in report["verification"]}
    lines = []
    for doubt in report["unchecked"]:
        where = topics[doubt["frame"]]
        if doubt["text"]:
            lines.append(f"- said, but no check shows it: {_text(doubt['text'])} ({where})")
            continue
        files = ", ".join(_code(file) for file in doubt["files"][:_MOST_FILES])
        more = f" and {len(doubt['files']) - _MOST_FILES} more" if len(doubt["files"]) > _MOST_FILES else ""
        since = "changed after the last check that passed" if doubt["frame"] in checked else "changed, no check was run"
        lines.append(f"- {since}: {files}{more} ({where})")
    return lines


def _commit_lines(report: Report, topics: dict[str, str]) -> list[str]:
    lines = []
    for commit in report["commits"]:
        frames = [
            f"{topics.get(link['frame'], link['frame'][:6])} ({', '.join(filter(None, (_turns(link), link['link'])))})"
            for link in commit["frames"]
        ]
        lines.append(f"- {commit['commit'][:10]} {_text(commit['subject'])}: {', '.join(frames) or 'no frame'}")
    lines += [f"- not committed: {topics[frame['id']]}" for frame in report["frames"] if not frame["committed"]]
    return lines


def _turns(link: ReportedLink) -> str:
    spans = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in link["new_turns"])
    return f"turns {spans}" if spans else ""


# What Markdown, or the page of a forge that shows it, would take for more than text.
_SPECIAL = re.compile(r"([\\`*\[\]<>|~&])|(?<!\w)(_)|(_)(?!\w)|(?<![\w.])([@#])(?=\w)")


def _text(text: str) -> str:
    """Text of a frame on one line of Markdown: shown, never formatted, no mention of anybody."""
    return _SPECIAL.sub(_escaped, line_shown(one_line(text)))


def _escaped(found: re.Match[str]) -> str:
    character = found[0]
    return f"{character}<!-- -->" if character in "@#" else f"\\{character}"


def _code(text: str) -> str:
    """The text as code on one line, whatever backticks it holds."""
    shown = line_shown(one_line(text))
    runs = [len(run) for run in re.findall(r"`+", shown)]
    fence = "`" * (max(runs, default=0) + 1)
    pad = " " if runs else ""
    return f"{fence}{pad}{shown}{pad}{fence}"
