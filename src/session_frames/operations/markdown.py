"""A frame as Markdown that a person reads, and the frame that such a text holds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, cast

from session_frames.errors import FormatError
from session_frames.model import FORMAT_VERSION, Call, Frame, Turn, item_id
from session_frames.operations.adopt import one_line
from session_frames.operations.fence import fenced

_MARK = "<!-- session frame "
# An id stands behind its heading or item, where a reader does not see it.
_ID = r"(?: <!-- (\S+) -->)?$"
_ITEM = re.compile(r"- \[(\w+), (\w+)\] (.*?)" + _ID)
_FACTS = (
    ("status", ("status",)),
    ("agent", ("session", "agent")),
    ("session", ("session", "session_id")),
    ("branch", ("git", "branch")),
    ("base", ("git", "base")),
    ("head", ("git", "head")),
    ("started", ("boundary", "started_at")),
    ("ended", ("boundary", "ended_at")),
)
# Heading -> key of the frame and kind of its items.
_SECTIONS = {
    "Decisions": ("decisions", "decision"),
    "Constraints": ("constraints", "constraint"),
    "Open questions": ("open_questions", "question"),
    "Next steps": ("next_steps", "step"),
}


def markdown_of_frame(frame: Frame) -> str:
    """The frame as Markdown: facts, decisions and the like, files, checks, and every turn word for word.

    Tool calls stand by name and outcome only; JSON and YAML carry everything.
    """
    return "\n".join(_lines(frame)).rstrip("\n") + "\n"


def _lines(frame: Frame) -> Iterator[str]:
    yield f"{_MARK}{frame['frame']} {frame['id']} -->"
    yield f"# {one_line(frame['topic'])}"
    yield ""
    if frame.get("title"):
        yield f"- title: {one_line(frame['title'])}"
    if frame.get("goal"):
        yield f"- goal: {one_line(frame['goal'])}"
    for name, path in _FACTS:
        value: Any = frame
        for key in path:
            value = value.get(key, {}) if isinstance(value, dict) else {}
        if value:
            yield f"- {name}: {one_line(str(value))}"
    numbers = {turn["id"]: at for at, turn in enumerate(frame.get("turns", []), 1)}
    for heading, (key, _) in _SECTIONS.items():
        items = cast(dict[str, Any], frame).get(key, [])
        if items:
            yield from ("", f"## {heading}", "")
        for item in items:
            yield f"- [{item['status']}, {item['by']}] {one_line(item['text'])}{_id_mark(item['id'])}"
            if item.get("answer"):
                yield f"  - answer: {one_line(item['answer'])}"
            for evidence in item.get("evidence", []):
                yield f"  - turn {numbers.get(evidence['turn'], '?')}: “{one_line(evidence['quote'])}”"
    if frame.get("files"):
        yield from ("", "## Files", "")
        for file in frame["files"]:
            came = f" (from `{one_line(file['old_path'])}`)" if file.get("old_path") else ""
            yield f"- {file['change']} `{one_line(file['path'])}`{came}"
    if frame.get("verification"):
        yield from ("", "## Verification", "")
        for check in frame["verification"]:
            yield f"- {check['outcome']}: `{one_line(check['command'])}`"
    if frame.get("turns"):
        yield from ("", "## Turns")
    for number, turn in enumerate(frame.get("turns", []), 1):
        at = f" {turn['at']}" if turn.get("at") else ""
        yield from ("", f"### {number} {turn['role']}{at}{_id_mark(turn['id'])}", "")
        if turn.get("text"):
            yield fenced(turn["text"])
        for place, call in enumerate(turn.get("calls", []), 1):
            yield f"- call {number}.{place} {one_line(call['tool'])}: {call['outcome']}"


def _id_mark(name: str) -> str:
    return f" <!-- {name} -->" if re.fullmatch(r"\w+(?:[-.:/@#+=]\w+)*", name) else ""


# ---------------------------------------------------------------------------------------------------------------------
# Reading


def is_frame_markdown(head: bytes) -> bool:
    """Does a text that begins like this come from ``markdown_of_frame``?"""
    return head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(_MARK.encode())


def frame_of_markdown(text: str, name: str) -> Frame:
    """The frame that a Markdown export holds: facts, items, files, checks and the words of the turns.

    What Markdown does not carry (arguments and results of calls, pins, anchors) is not in it. Turns and items keep
    their ids. ``FormatError`` names the line of what is no item.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    mark = re.match(re.escape(_MARK) + r"(\S+) ([0-9a-f]{24}) -->", lines[0].strip())
    if mark is None or len(lines) < 2 or not lines[1].startswith("# "):
        raise FormatError(f"'{name}' is not a valid frame: line 1 names no version and id, or line 2 no topic")
    if mark[1] != FORMAT_VERSION:
        raise FormatError(f"'{name}' is of version {mark[1]}", hint="export it as JSON or YAML")
    frame: dict[str, Any] = {"frame": mark[1], "id": mark[2], "topic": lines[1][2:].strip(), "status": "closed"}
    _read_facts(frame, lines)
    turns = _read_turns(lines, name)
    ids = [turn["id"] for turn in turns]
    section = ""
    last: dict[str, Any] = {}
    end = next((at for at, line in enumerate(lines) if line == "## Turns"), len(lines))
    for number, line in enumerate(lines[:end], 1):
        if line.startswith("## "):
            section = line[3:].strip()
        elif section in _SECTIONS:
            last = _read_item(frame, section, line, last, ids)
            if line.startswith("- ") and not _ITEM.match(line):
                raise FormatError(f"'{name}' is not a valid frame: line {number} is no item: '- [status, by] text'")
        elif section == "Files":
            found = re.match(r"- (added|modified|deleted|renamed|read) `([^`]*)`(?: \(from `([^`]*)`\))?$", line)
            if found:
                file = {"path": found[2], "change": found[1], **({"old_path": found[3]} if found[3] else {})}
                frame.setdefault("files", []).append(file)
        elif section == "Verification":
            found = re.match(r"- (passed|failed|unknown): `(.*)`$", line)
            if found:
                frame.setdefault("verification", []).append({"command": found[2], "outcome": found[1]})
    if turns:
        frame["turns"] = turns
    return cast(Frame, frame)


def _read_facts(frame: dict[str, Any], lines: list[str]) -> None:
    places = dict(_FACTS) | {"title": ("title",), "goal": ("goal",)}
    for line in lines[2:]:
        if line.startswith("#"):
            return
        found = re.match(r"- (\w+): (.*)$", line)
        if found and found[1] in places:
            *outer, key = places[found[1]]
            target = frame
            for part in outer:
                target = target.setdefault(part, {})
            target[key] = found[2]


def _read_item(frame: dict[str, Any], section: str, line: str, last: dict[str, Any], ids: list[str]) -> dict[str, Any]:
    key, kind = _SECTIONS[section]
    item = _ITEM.match(line)
    if item:
        new = {"id": item[4] or item_id(kind, "", item[3]), "text": item[3], "status": item[1], "by": item[2]}
        frame.setdefault(key, []).append(new)
        return new
    answer = re.match(r"  - answer: (.*)$", line)
    quote = re.match(r"  - turn (\d+): “(.*)”$", line)
    if answer:
        last["answer"] = answer[1]
    elif quote and 0 < int(quote[1]) <= len(ids):
        turn = ids[int(quote[1]) - 1]
        if last.get("id") == item_id(kind, "", last.get("text", "")):
            last["id"] = item_id(kind, turn, last["text"])
        last.setdefault("evidence", []).append({"turn": turn, "quote": quote[2]})
    return last


def _read_turns(lines: list[str], name: str) -> list[Turn]:
    turns: list[Turn] = []
    counts = {"user": 0, "agent": 0, "system": 0}
    at = next((at for at, line in enumerate(lines) if line == "## Turns"), len(lines)) + 1
    while at < len(lines):
        line = lines[at]
        head = re.match(r"### \d+ (user|agent|system)(?: (\S+))??" + _ID, line)
        fence = re.match(r"`{3,}$", line)
        call = re.match(r"- call \d+\.(\d+) (.*): (passed|failed|pending|unknown)$", line)
        if head:
            counts[head[1]] += 1
            name_of_turn = head[3] or f"{head[1][0]}{counts[head[1]]}"
            turn = Turn(id=name_of_turn, role=head[1])  # type: ignore[typeddict-item]
            if head[2]:
                turn["at"] = head[2]
            turns.append(turn)
        elif fence and turns:
            try:
                end = lines.index(line, at + 1)
            except ValueError:
                raise FormatError(f"'{name}' is not a valid frame: the text at line {at + 1} has no end") from None
            turns[-1]["text"] = "\n".join(lines[at + 1 : end])
            at = end
        elif call and turns:
            done = Call(id=f"{turns[-1]['id']}.{call[1]}", tool=call[2], outcome=call[3])  # type: ignore[typeddict-item]
            turns[-1].setdefault("calls", []).append(done)
        at += 1
    return turns
