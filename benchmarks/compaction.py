"""Tokens saved by structural compaction, by format of the transcript, and the words that it loses: none.

    python benchmarks/compaction.py [--fixtures] [--write]

Reads the recorded transcripts beside the project, or with ``--fixtures``, and where there are none, those of the tests.
``--write`` puts the table into ``docs/compaction.md``; only the recorded ones go there. Exit 1 when a word is lost.
"""

from __future__ import annotations

import io
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

from session_frames.model import Frame
from session_frames.operations.assemble import assemble
from session_frames.operations.compact import Limits, applied, compactable, structural
from session_frames.operations.context_view import entries
from session_frames.operations.tokens import estimated_tokens
from session_frames.transcripts import FORMATS, get_format, sniff_format
from session_frames.transcripts.base import AgentText, Reasoning, ToolCall, ToolResult, UserWords

ROOT = Path(__file__).resolve().parents[1]
RECORDED = ROOT.parent / "shared" / "corpus"
FIXTURES = ROOT / "tests" / "transcripts"
PAGE = ROOT / "docs" / "compaction.md"
BEGIN, END = "<!-- written by benchmarks/compaction.py -->", "<!-- end of what it wrote -->"
HEAD = ("format", "sessions", "as recorded", "in the frame", "structural", "saved", "words lost")
GOAL = 0.20


class Figures(NamedTuple):
    """One transcript: estimated tokens of all that it tells, of its frame before and after, and the words lost."""

    recorded: int
    before: int
    after: int
    lost: int


def transcripts(folder: Path) -> Iterator[tuple[str, bytes]]:
    """(format, content) of every file below the folder that is a transcript with a conversation."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        content = path.read_bytes()
        name = sniff_format(content[: 64 << 10])
        if name is not None:
            yield name, content


def measured(name: str, content: bytes) -> Figures | None:
    """The figures of one transcript; None where there is no conversation in it."""
    events = list(get_format(name).read(io.BytesIO(content)))
    turns = assemble(events).turns
    if not turns:
        return None
    frame = cast(Frame, {"frame": "1.0", "id": "0" * 24, "topic": "t", "status": "closed", "turns": turns})
    limits = Limits(recent=0)
    found = structural(compactable(frame, limits), limits)
    after = applied(found, "2026-06-02T10:00:00Z")
    return Figures(sum(map(told, events)), found.plan.before, found.plan.after, lost(frame, after))


def told(event: Any) -> int:
    """What an event cost the agent itself."""
    if isinstance(event, (UserWords, AgentText, Reasoning, ToolResult)):
        return estimated_tokens(event.text)
    return estimated_tokens(json.dumps(event.arguments, ensure_ascii=False)) if isinstance(event, ToolCall) else 0


def lost(frame: Frame, after: Frame) -> int:
    """How many words of the user and the agent that were in context are not any more, in their order."""
    given = {entry.turns[0]: entry.text for entry in entries(after)}
    return sum(
        missing(entry.text, given.get(entry.turns[0], ""), exact=entry.role == "user") for entry in entries(frame)
    )


def missing(text: str, given: str, *, exact: bool) -> int:
    words = re.findall(r"\S+", text)
    if exact:
        return 0 if text == given else max(1, len(words))
    rest = iter(re.findall(r"\S+", given))
    return sum(word not in rest for word in words)


def rows(found: Iterable[tuple[str, Figures]]) -> Iterator[tuple[str, ...]]:
    """The rows of the table: a format each, then all."""
    by_format: dict[str, list[Figures]] = defaultdict(list)
    for name, figures in found:
        by_format[name].append(figures)
    everything = [figures for listed in by_format.values() for figures in listed]
    for name in [name for name in FORMATS if name in by_format]:
        yield row(name, by_format[name])
    yield row("all", everything)


def row(name: str, found: Sequence[Figures]) -> tuple[str, ...]:
    total = Figures(*map(sum, zip(*found, strict=True)))
    saved = f"{saving(total):.0%}"
    return (name, str(len(found)), *(f"{count:,}" for count in total[:3]), saved, str(total.lost))


def saving(total: Figures) -> float:
    return 1 - total.after / total.before if total.before else 0.0


def table(lines: Iterable[tuple[str, ...]]) -> str:
    """The lines as Markdown."""
    return "\n".join(f"| {' | '.join(line)} |" for line in (HEAD, ("---",) * len(HEAD), *lines))


def main(arguments: Sequence[str]) -> int:
    recorded = RECORDED.is_dir() and "--fixtures" not in arguments
    found = [
        (name, figures)
        for name, content in transcripts(RECORDED if recorded else FIXTURES)
        if (figures := measured(name, content)) is not None
    ]
    lines = list(rows(found))
    print(table(lines))
    total = Figures(*map(sum, zip(*(figures for _, figures in found), strict=True)))
    print(f"\n{saving(total):.1%} saved (goal {GOAL:.0%}), {total.lost} words lost")
    if "--write" in arguments and recorded:
        text = PAGE.read_text(encoding="utf-8")
        before, after = text.split(BEGIN)[0], text.split(END)[1]
        PAGE.write_text(f"{before}{BEGIN}\n{table(lines)}\n{END}{after}", encoding="utf-8")
    return 1 if total.lost else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
