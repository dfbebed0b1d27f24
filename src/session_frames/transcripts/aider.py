"""Aider: ``.aider.chat.history.md`` in the work tree, one Markdown file to which every chat is appended."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import BinaryIO

from session_frames.model import Change
from session_frames.transcripts.aider_edits import Proposal, added_to, proposals
from session_frames.transcripts.aider_lines import Chat, Part, chats, heading_time, parts
from session_frames.transcripts.base import (
    AgentText,
    Begins,
    Edit,
    Event,
    Meta,
    NoConversation,
    ToolCall,
    ToolResult,
    Usage,
    UserWords,
)

NAME = "aider"

_FILE = ".aider.chat.history.md"

# Commands that drive the program; any other one with words behind it speaks to the agent or to the shell.
_PROGRAM_COMMANDS = frozenset(
    "/add /chat-mode /clear /commit /copy /copy-context /diff /drop /edit /editor /editor-model /exit /load /ls /map "
    "/map-refresh /model /models /multiline-mode /paste /quit /read-only /reasoning-effort /report /reset /save "
    "/settings /think-tokens /tokens /undo /voice /weak-model /web".split()
)
# What stands for an empty input.
_BLANK = "<blank>"
# An echo of the end of an answer is told from a short word that the person took up.
_SHORTEST_ECHO = 40

_MODEL = re.compile(r"(?:Main model|Models?): (\S+) with ")
_VERSION = re.compile(r"Aider v(\S+)")
_APPLIED = re.compile(r"Applied edit to (.+)")
_CREATED = re.compile(r"Creating empty file (.+)")
_NEW_FILE = "Create new file?"
_COUNT = r"([\d.,]{1,15})([kM]?)"
_TOKENS = re.compile(rf"Tokens: {_COUNT} sent(?:, {_COUNT} cache write)?(?:, {_COUNT} cache hit)?, {_COUNT} received")
_FACTORS = {"": 1, "k": 1000, "M": 1000000}


def find(home: str, environ: Mapping[str, str]) -> list[str]:
    """The history at the top of the work tree, and those of folders in it in which Aider was started."""
    return ["{top}/" + _FILE, "{top}/*/" + _FILE]


def sniff(head: bytes) -> bool:
    """A history begins with the heading of a chat, or with lines of one whose heading is gone."""
    lines = head.decode("utf-8", "replace").removeprefix("\ufeff").replace("\r", "").lstrip("\n").split("\n")
    if heading_time(lines[0]):
        return True
    if not lines[0].startswith(("#### ", "> ")):
        return False
    alone = zip(lines, lines[1:], [*lines[2:], ""], strict=False)
    return any(not above.strip() and heading_time(line) and not below.strip() for above, line, below in alone)


def read(source: BinaryIO) -> Iterator[Event | Begins | NoConversation]:
    """The events of all chats, each a session; of one in which nobody speaks only its facts are told."""
    teller = _Teller()
    spoken = False
    for chat in chats(source):
        events = list(teller.tell(chat))
        spoken = spoken or any(isinstance(event, UserWords | AgentText) for event in events)
        if events:
            yield Begins()
        yield from events
    if not spoken:
        yield NoConversation("no prompt and no answer in it")


class _Teller:
    """Tells the parts of chats as events."""

    def __init__(self) -> None:
        self.calls = 0
        self.usages = 0
        self.answer: list[str] = []  # the answer since the person spoke
        self.proposed: list[Proposal] | None = []  # None: not looked for yet
        self.text: list[str] = []  # the answer whose edits are applied
        self.applied: set[str] = set()
        self.created: set[str] = set()
        self.above = ""  # the printed line above
        self.asked = ""  # words of a command, which are logged once more
        self.printed: list[tuple[re.Pattern[str], Callable[[re.Match[str]], Iterator[Event]]]] = [
            (_APPLIED, self._apply),
            (_CREATED, self._create),
            (_TOKENS, self._count),
            (_MODEL, lambda found: iter([Meta("model", found[1])])),
            (_VERSION, lambda found: iter([Meta("agent_version", found[1])])),
        ]

    def tell(self, chat: Chat) -> Iterator[Event]:
        """The events of one chat."""
        self.answer, self.asked, self.above = [], "", ""
        self.created = set()
        self._forget_answer()
        if chat.start:
            yield Meta("started", chat.start)
        tell = {"said": self._said, "printed": self._printed, "answer": self._answered}
        for part in parts(chat.lines):
            yield from tell[part.kind](part)

    def _said(self, part: Part) -> Iterator[Event]:
        text = "\n".join(part.lines)
        words = text.strip()
        if not words or words == _BLANK or self._is_echo(part):
            return
        repeated, self.asked = words == self.asked, ""
        if repeated:
            return
        self.answer = []
        self._forget_answer()
        if not words.startswith(("/", "!")):
            yield UserWords("", "", text)
            return
        name, _, arguments = words.partition(" ")
        if name.startswith("!") or (arguments.strip() and name not in _PROGRAM_COMMANDS):
            self.asked = arguments.strip()
            yield UserWords("", "", text, "command")

    def _is_echo(self, part: Part) -> bool:
        """In architect mode the answer is logged once more, as the prompt of the model that writes the edits."""
        said, answer = _bare(part.lines), _bare(self.answer)
        if not answer or not said or said != answer[-len(said) :]:
            return False
        return len(said) == len(answer) or sum(map(len, said)) >= _SHORTEST_ECHO

    def _answered(self, part: Part) -> Iterator[Event]:
        text = "\n".join(part.lines).strip("\n")
        if not text.strip():
            return
        self.asked = ""
        if self.applied:
            self._forget_answer()
        self.answer += part.lines
        self.text += part.lines
        self.proposed = None
        yield AgentText("", "", text)

    def _forget_answer(self) -> None:
        self.text, self.proposed = [], []
        self.applied = set()

    def _printed(self, part: Part) -> Iterator[Event]:
        for line in part.lines:
            for pattern, tell in self.printed:
                if found := pattern.match(line):
                    yield from tell(found)
                    break
            if line.startswith(_NEW_FILE):
                self.created.add(self.above)
            self.above = line

    def _create(self, found: re.Match[str]) -> Iterator[Event]:
        self.created.add(found[1].strip())
        return iter(())

    def _apply(self, found: re.Match[str]) -> Iterator[Event]:
        path = found[1].strip()
        if path in self.applied:
            return
        self.applied.add(path)
        if self.proposed is None:
            self.proposed = proposals("\n".join(self.text))
        change: Change = "added" if path in self.created else "modified"
        self.created.discard(path)
        self.calls += 1
        call = f"edit:{self.calls}"
        yield ToolCall("", "", call, "edit", {"path": path}, (Edit(path, change, "", added_to(path, self.proposed)),))
        yield ToolResult(call, "", found[0], "passed")

    def _count(self, found: re.Match[str]) -> Iterator[Event]:
        self.usages += 1
        counts = [_number(found[at], found[at + 1]) for at in range(1, 9, 2)]
        sent, written, hit, received = counts
        yield Usage(f"tokens:{self.usages}", input=sent, output=received, cache_read=hit, cache_write=written)


def _number(digits: str | None, unit: str | None) -> int:
    try:
        return round(float((digits or "0").replace(",", "")) * _FACTORS[unit or ""])
    except ValueError:
        return 0


def _bare(lines: list[str]) -> list[str]:
    """The lines without blanks at their ends, quotations and blank lines left out."""
    stripped = (line.strip() for line in lines)
    return [line for line in stripped if line and not line.startswith(">")]
