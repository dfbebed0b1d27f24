"""Parts of a frame, taken into another: lists by their name, or a section of an agent's text by its heading."""

from __future__ import annotations

import re
from typing import Any, cast

from session_frames.errors import UsageError
from session_frames.model import Frame, MergedFrom, Turn, item_id

# The lists that can be taken by name; their items are known by this key.
PARTS: dict[str, str] = {
    "decisions": "id",
    "constraints": "id",
    "open_questions": "id",
    "next_steps": "id",
    "tool_results": "id",
    "checkpoints": "name",
}
HEADING = "heading:"


def parse_parts(only: str) -> tuple[str, ...]:
    """The parts named by ``--only`` (all of them for ""); ``UsageError`` for one that does not exist."""
    if not only:
        return tuple(PARTS)
    parts = tuple(part.strip() for part in only.split(",") if part.strip())
    for part in parts:
        if part not in PARTS and not (part.startswith(HEADING) and part[len(HEADING) :].strip()):
            raise UsageError(f"no such part: '{part}'", hint=f"parts: {', '.join(PARTS)}, {HEADING}TITLE")
    return parts


def add_parts(target: Frame, source: Frame, parts: tuple[str, ...]) -> tuple[Frame, tuple[str, ...]]:
    """``target`` with these parts of ``source``, and what was taken, one line a part that had something new.

    Items that are there already stay as they are. Where they came from is kept in ``merged_from``.
    """
    frame: dict[str, Any] = dict(target)
    taken: list[str] = []
    for part in parts:
        if part.startswith(HEADING):
            turn = _section_turn(source, part[len(HEADING) :].strip())
            added = turn is not None and all(known["id"] != turn["id"] for known in frame.get("turns", []))
            if turn is not None and added:
                frame["turns"] = [*frame.get("turns", []), turn]
                taken.append(f"section '{part[len(HEADING) :].strip()}'")
            continue
        key = PARTS[part]
        known = {item[key] for item in frame.get(part, [])}
        new = [item for item in cast(dict[str, Any], source).get(part, []) if item[key] not in known]
        if new:
            frame[part] = [*frame.get(part, []), *new]
            taken.append(f"{len(new)} {part}")
    if taken and all(origin["id"] != source["id"] for origin in frame.get("merged_from", [])):
        origin = MergedFrom(id=source["id"], topic=source["topic"])
        for key in ("session", "boundary", "git"):
            if key in source:
                origin[key] = source[key]  # type: ignore[literal-required]
        frame["merged_from"] = [*frame.get("merged_from", []), origin]
    return cast(Frame, frame), tuple(taken)


def _section_turn(source: Frame, heading: str) -> Turn | None:
    """The newest section of that heading in what the agent wrote, as a turn that nobody in this session said."""
    for turn in reversed(source.get("turns", [])):
        if turn["role"] != "agent":
            continue
        section = section_of(turn.get("text", ""), heading)
        if section:
            return Turn(
                id="i" + item_id("section", source["id"] + turn["id"], section),
                role="system",
                text=section,
                origin="injected",
                **({"at": turn["at"]} if "at" in turn else {}),  # type: ignore[typeddict-item]
            )
    return None


def section_of(text: str, heading: str) -> str:
    """The Markdown section under that heading, down to the next heading of the same or a higher level ("" if none)."""
    lines = text.split("\n")
    start = level = -1
    fenced = False
    for at, line in enumerate(lines):
        fenced ^= line.lstrip().startswith("```")
        found = None if fenced else re.match(r"(#{1,6})\s+(.*?)\s*#*\s*$", line)
        if found and start >= 0 and len(found[1]) <= level:
            return "\n".join(lines[start:at]).rstrip()
        if found and start < 0 and found[2].casefold() == heading.casefold():
            start, level = at, len(found[1])
    return "\n".join(lines[start:]).rstrip() if start >= 0 else ""
