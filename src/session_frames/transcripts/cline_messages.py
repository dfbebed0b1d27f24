"""The messages between Cline or Roo and the model, told as events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from session_frames.transcripts.base import (
    AgentText,
    Event,
    Meta,
    Reasoning,
    Record,
    Skipped,
    Summary,
    ToolCall,
    ToolResult,
    Usage,
    UserWords,
    dict_of,
    int_of,
    joined_texts,
    list_of,
    text_of,
)
from session_frames.transcripts.cline_tools import (
    QUESTIONS,
    SAID,
    calls_in,
    command_of,
    edits_of,
    exit_code_of,
    result_of,
    split_head,
)
from session_frames.transcripts.cline_words import facts_of, is_summary, typed_words, words_of_result
from session_frames.transcripts.edit_shapes import at_of
from session_frames.transcripts.heads import origin_of

_MODEL_KEYS = ("id", "modelId")


def blocks_of(message: Record) -> list[Record]:
    """The blocks of a message; a text alone is one."""
    content = message.get("content")
    return (
        [{"type": "text", "text": content}] if isinstance(content, str) else [dict_of(one) for one in list_of(content)]
    )


class Teller:
    """Tells messages as events; remembers which calls are still without their result."""

    def __init__(self) -> None:
        self.open: dict[str, str] = {}  # call id -> tool, in order
        self.written: list[str] = []  # ids of open calls that were written as XML
        self.facts: dict[str, str] = {}

    def tell(self, messages: Iterable[Any]) -> Iterator[Event]:
        """The events of the messages, in order."""
        for number, entry in enumerate(messages):
            message = dict_of(entry)
            role, key = text_of(message.get("role")), text_of(message.get("id")) or f"m{number}"
            at = at_of(message.get("ts"))
            if role == "user":
                yield from self._user(key, at, message)
            elif role == "assistant":
                yield from self._assistant(key, at, message)
            else:
                yield Skipped(f"unknown role '{role}'", 0)

    def _fact(self, name: str, value: str) -> Iterator[Event]:
        if value and self.facts.get(name) != value:
            self.facts[name] = value
            yield Meta(name, value)

    # -- what goes to the model ---------------------------------------------------------------------------------------

    def _user(self, key: str, at: str, message: Record) -> Iterator[Event]:
        blocks = blocks_of(message)
        if dict_of(message.get("metadata")).get("kind") == "compaction_summary" or message.get("isSummary") is True:
            yield Summary(key, at, joined_texts(text_of(block.get("text")) for block in blocks))
            return
        alone = not self.written and not any(block.get("type") == "tool_result" for block in blocks)
        words: list[str] = []
        texts = [text_of(block.get("text")) for block in blocks if block.get("type") == "text"]
        for name, value in (fact for text in texts for fact in facts_of(text)):
            yield from self._fact(name, value)
        for block in blocks:
            if block.get("type") == "tool_result":
                yield from self._result(key, at, block)
        if alone and texts and is_summary(texts[0]):
            yield Summary(key, at, texts[0])
            texts = texts[1:]
        yield from self._texts(key, at, texts, alone, words)
        if said := joined_texts(words):
            yield UserWords(key, at, said, origin_of(said))

    def _texts(self, key: str, at: str, texts: list[str], alone: bool, words: list[str]) -> Iterator[Event]:
        """Texts: results of calls that were written as XML, and words, which are put into ``words``."""
        results: list[tuple[str, list[str]]] = []
        for text in texts:
            tool, rest = split_head(text)
            call_id = next((call for call in self.written if self.open.get(call) == tool), "")
            if call_id:
                self.written.remove(call_id)
                results.append((call_id, [rest]))
            elif results and not text.lstrip().startswith("<environment_details>"):
                results[-1][1].append(text)
            elif said := typed_words(text, alone):
                words.append(said)
        for call_id, parts in results:
            yield from self._result(key, at, {"tool_use_id": call_id, "content": joined_texts(parts)})

    def _result(self, key: str, at: str, block: Record) -> Iterator[Event]:
        call_id = text_of(block.get("tool_use_id"))
        tool = self.open.pop(call_id, "")
        text, outcome = result_of(block.get("content"), block.get("is_error") is True)
        code = exit_code_of(tool, text)
        yield ToolResult(call_id, at, text, "failed" if code else outcome, exit_code=code)
        if said := words_of_result(text, tool in QUESTIONS):
            yield UserWords(f"{key}:{call_id}", at, said, "answer")

    # -- what comes from it -------------------------------------------------------------------------------------------

    def _assistant(self, key: str, at: str, message: Record) -> Iterator[Event]:
        self.written.clear()
        model = dict_of(message.get("modelInfo"))
        for name in _MODEL_KEYS:
            yield from self._fact("model", text_of(model.get(name)))
        for number, block in enumerate(blocks_of(message)):
            kind = text_of(block.get("type"))
            if kind == "text":
                yield from self._said(f"{key}:{number}", key, at, text_of(block.get("text")))
            elif kind in ("thinking", "reasoning"):
                thought = text_of(block.get("thinking")) or text_of(block.get("text"))
                if thought.strip():
                    yield Reasoning(key, at, thought)
            elif kind == "tool_use":
                call_id = text_of(block.get("id")) or f"{key}:{number}"
                yield from self._call(key, at, call_id, text_of(block.get("name")), block.get("input"))
        yield from _usage(key, dict_of(message.get("metrics")))

    def _said(self, made_up: str, key: str, at: str, text: str) -> Iterator[Event]:
        written = calls_in(text)
        if written.text.strip():
            yield AgentText(key, at, written.text)
        for number, (tool, arguments) in enumerate(written.calls):
            call_id = f"{made_up}:{number}"
            self.written.append(call_id)
            yield from self._call(key, at, call_id, tool, arguments)

    def _call(self, key: str, at: str, call_id: str, tool: str, arguments: Any) -> Iterator[Event]:
        said = text_of(dict_of(arguments).get(SAID.get(tool, "")))
        if said.strip():
            yield AgentText(key, at, said)
        self.open[call_id] = tool
        yield ToolCall(key, at, call_id, tool, arguments, edits_of(tool, arguments), command_of(tool, arguments))


def _usage(key: str, metrics: Record) -> Iterator[Event]:
    """The counts of the SDK, or those that an extension keeps."""
    tokens = dict_of(metrics.get("tokens"))
    usage = Usage(
        key,
        input=int_of(metrics.get("inputTokens")) or int_of(tokens.get("prompt")),
        output=int_of(metrics.get("outputTokens")) or int_of(tokens.get("completion")),
        cache_read=int_of(metrics.get("cacheReadTokens")) or int_of(tokens.get("cached")),
        cache_write=int_of(metrics.get("cacheWriteTokens")),
    )
    if any(usage[1:]):
        yield usage
