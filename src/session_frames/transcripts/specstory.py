"""SpecStory: ``.specstory/history/*.md`` in the work tree, sessions of many agents written down as Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import BinaryIO

from session_frames.transcripts import claude_words, codex_words
from session_frames.transcripts.base import (
    AgentText,
    Event,
    Meta,
    NoConversation,
    Reasoning,
    ToolCall,
    ToolResult,
    UserWords,
)
from session_frames.transcripts.cursor_words import own_words as cursor_query
from session_frames.transcripts.heads import origin_of
from session_frames.transcripts.specstory_blocks import (
    GENERATED,
    SESSION,
    Block,
    heading_of,
    iso_time,
    pieces,
    split,
)
from session_frames.transcripts.specstory_tools import shown

NAME = "specstory"

# A header stands within the first lines.
_HEADER_LINES = 12
_TITLES = ("# ", "## ")
_IMAGE = re.compile(r"\[Image: source: [^\]\n]{0,1000}\]")
# What Gemini CLI or an editor writes below the words, and the block above them.
_APPENDED = re.compile(
    r"^(?:Current File Path:\n```|User Selected Files:\n|PRIOR CHAT HISTORY:|--- Content from referenced files ---)",
    re.MULTILINE,
)
_CONTEXT, _CONTEXT_END = "<session_context>", "</session_context>"
_THOUGHT_WRAPPING = re.compile(r"<think>(?:<details><summary>[^<]*</summary>)?|(?:</details>)?</think>\s*\Z")


def find(home: str, environ: Mapping[str, str]) -> list[str]:
    """The histories in the work tree."""
    return ["{top}/.specstory/history/*.md"]


def sniff(head: bytes) -> bool:
    """The generator's own mark, or a comment that names the session, above a heading."""
    text = head.decode("utf-8", "replace").removeprefix("\ufeff").lstrip()
    if text.startswith(GENERATED):
        return True
    lines = text.split("\n")
    named = any(SESSION.match(line) for line in lines[:_HEADER_LINES])
    return named and any(heading_of(line) for line in lines)


def read(source: BinaryIO) -> Iterator[Event | NoConversation]:
    """The events of the session. Blocks in which the program speaks for the person are left out."""
    text = source.read().decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n")
    header, blocks = split(text.split("\n"))
    yield from _facts(header)
    yield from _Teller().tell(blocks)
    if not blocks:
        yield NoConversation("no prompt and no answer in it")


def _facts(header: list[str]) -> Iterator[Event]:
    for line in header:
        if found := SESSION.match(line):
            yield Meta("session_id", found[1])
            if started := iso_time(found[2]):
                yield Meta("started", started)
        elif line.startswith(_TITLES) and (title := _title(line)):
            yield Meta("title", title)


def _title(line: str) -> str:
    """The title without the time behind it; "" where the time is all."""
    title = line.lstrip("#").strip()
    words, _, time = title.rpartition(" (")
    title = words if words and iso_time(time.removesuffix(")")) else title
    return "" if iso_time(title) else title


# ---------------------------------------------------------------------------------------------------------------------
# What the person said


def person_words(text: str) -> str:
    """The person's words in a block, after the filters of every agent: a session may go on in another one."""
    words = text
    for own in _FILTERS:
        words = own(words)
        if not words.strip():
            return ""
    return words


def _without_codex_blocks(text: str) -> str:
    injected = text.lstrip().startswith(codex_words.INJECTED_STARTS)
    return "" if injected else codex_words.own_words(text)


def _without_images(text: str) -> str:
    """ "" where only the places of images are named."""
    return text if _IMAGE.sub("", text).strip() else ""


def _without_gemini_context(text: str) -> str:
    if text.lstrip().startswith(_CONTEXT):
        text = text.partition(_CONTEXT_END)[2]
    appended = _APPENDED.search(text)
    return text[: appended.start()] if appended else text


_FILTERS: tuple[Callable[[str], str], ...] = (
    _without_images,
    claude_words.typed_text,
    _without_codex_blocks,
    _without_gemini_context,
    cursor_query,
)


class _Teller:
    """Tells the blocks as events."""

    def __init__(self) -> None:
        self.calls = 0
        self.model = ""
        self.last = ""  # the words said last, "" once the agent answered
        self.unfolds = ""  # the time of a command whose expansion may follow

    def tell(self, blocks: list[Block]) -> Iterator[Event]:
        """The events of all blocks, in order."""
        for block in blocks:
            if block.heading.role == "user":
                yield from self._user(block)
            else:
                self.last = self.unfolds = ""
                yield from self._agent(block)

    def _user(self, block: Block) -> Iterator[Event]:
        at, text = block.heading.at, "\n".join(block.lines)
        expansion = bool(self.unfolds) and self.unfolds == (at or "-")
        self.unfolds = ""
        command = claude_words.parse_command(text)
        if command:
            if command.prompt:
                self.unfolds = at or "-"
            if command.prompt or not command.bare:
                yield UserWords("", at, command.text, "command")
            return
        words = "" if expansion else person_words(text)
        if not words.strip() or words.strip() == self.last:
            return  # sent again before an answer came
        self.last = words.strip()
        accepted = words.lstrip().startswith((claude_words.ACCEPTED_PLAN, codex_words.ACCEPTED_PLAN))
        yield UserWords("", at, words, "injected" if accepted else origin_of(words))

    def _agent(self, block: Block) -> Iterator[Event]:
        """What an agent said and did; of a sub-agent only what it did, its words are not for the person."""
        _, at, model = block.heading
        if model and model != self.model:
            self.model = model
            yield Meta("model", model)
        for piece in pieces(block.lines):
            text = "\n".join(piece.lines).strip("\n")
            if piece.kind == "tool":
                yield from self._call(piece.lines, at)
            elif not text.strip() or block.heading.role == "side":
                continue
            elif piece.kind == "thought":
                yield Reasoning("", at, _THOUGHT_WRAPPING.sub("", text).strip())
            else:
                yield AgentText("", at, text)

    def _call(self, lines: list[str], at: str) -> Iterator[Event]:
        self.calls += 1
        call_id, call = f"call:{self.calls}", shown(lines)
        yield ToolCall("", at, call_id, call.tool, call.arguments, call.edits, call.command)
        yield ToolResult(call_id, at, call.result, call.outcome, exit_code=call.exit_code)
        for answer in filter(None, call.answers):
            yield UserWords("", at, answer, "answer")
