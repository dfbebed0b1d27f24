"""Kimi's calls and their results, the same in both forms of its log."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from session_frames.transcripts.base import Event, ToolResult, UserWords, dict_of, joined_texts, list_of, text_of
from session_frames.transcripts.file_tools import call_of, is_shell, outcome_of_exit
from session_frames.transcripts.spoken import answers_in_json

_ASK_TOOL = "AskUserQuestion"
_EXIT = re.compile(r"(?:exit code:? |exited with code )(-?\d{1,10})", re.IGNORECASE)


def part_texts(parts: Any) -> str:
    """The texts of content parts, or the text that stands in place of them."""
    if isinstance(parts, str):
        return parts
    blocks = map(dict_of, list_of(parts))
    return joined_texts(text_of(block.get("text")) for block in blocks if block.get("type") == "text")


class Calls:
    """Tells calls and results, each once: what is tried again is logged again."""

    def __init__(self) -> None:
        self._told: set[str] = set()
        self._open: dict[str, str] = {}  # call id -> tool

    def asked(self, key: str, at: str, call_id: str, tool: str, arguments: Any) -> Iterator[Event]:
        """The call, unless it was told before."""
        if call_id in self._told:
            return
        self._told.add(call_id)
        self._open[call_id] = tool
        yield call_of(key, at, call_id, tool, arguments)

    def answered(self, call_id: str, at: str, output: Any, failed: bool) -> Iterator[Event]:
        """The result of a call, and what the person answered in it."""
        tool = self._open.pop(call_id, "")
        text = part_texts(output)
        if not text and output:
            text = json.dumps(output, ensure_ascii=False)
        found = _EXIT.findall(text) if failed and is_shell(tool) else []
        code = int(found[-1]) if found else None
        yield ToolResult(call_id, at, text, outcome_of_exit(code, "failed" if failed else "passed"), exit_code=code)
        if tool == _ASK_TOOL:
            for number, answer in enumerate(answers_in_json(text)):
                yield UserWords(f"{call_id}:{number}", at, answer, "answer")
