"""Events of OpenHands' agent library: each names its ``kind``; calls and results are linked by ``tool_call_id``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from session_frames.model import CallOutcome
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
    UserWords,
    dict_of,
    text_of,
)
from session_frames.transcripts.chat_messages import block_texts
from session_frames.transcripts.heads import origin_of
from session_frames.transcripts.tool_edits import edits_of, parsed_arguments

KINDS = (
    "SystemPromptEvent",
    "MessageEvent",
    "ActionEvent",
    "ObservationEvent",
    "UserRejectObservation",
    "AgentErrorEvent",
    "Condensation",
    "CondensationRequest",
    "CondensationSummaryEvent",
    "ConversationStateUpdateEvent",
    "ConversationErrorEvent",
    "LLMCompletionLogEvent",
    "PauseEvent",
    "TokenEvent",
)
_SHELLS = frozenset({"terminal", "execute_bash", "bash"})
_EDITORS = frozenset({"file_editor", "str_replace_editor"})
_DEFAULT_REASON = "User rejected the action"


class Kinds:
    """Tells events as they come: everything that links them stands in them."""

    def __init__(self) -> None:
        self.model = ""
        self.handlers: Mapping[str, Callable[[Record, str, str], Iterator[Event]]] = {
            "MessageEvent": self._message,
            "ActionEvent": self._action,
            "ObservationEvent": self._observation,
            "UserRejectObservation": self._rejected,
            "AgentErrorEvent": self._error,
            "Condensation": self._summary,
            "CondensationSummaryEvent": self._summary,
            "ConversationStateUpdateEvent": self._state,
        }

    def tell(self, record: Record) -> Iterator[Event]:
        """The events of one record."""
        kind = text_of(record.get("kind"))
        handler = self.handlers.get(kind)
        if handler is not None:
            yield from handler(record, text_of(record.get("id")), text_of(record.get("timestamp")))
        elif kind not in KINDS:
            yield Skipped(f"unknown event kind '{kind}'", 0)

    def _message(self, record: Record, key: str, at: str) -> Iterator[Event]:
        message = dict_of(record.get("llm_message"))
        text = block_texts(message.get("content"))
        if thinking := text_of(message.get("reasoning_content")):
            yield Reasoning(key, at, thinking)
        if text.strip() and record.get("source") == "user":
            yield UserWords(key, at, text, origin_of(text))
        elif text.strip() and message.get("role") == "assistant":
            yield AgentText(key, at, text)

    def _action(self, record: Record, key: str, at: str) -> Iterator[Event]:
        action, tool = dict_of(record.get("action")), text_of(record.get("tool_name"))
        if thinking := text_of(record.get("reasoning_content")):
            yield Reasoning(key, at, thinking)
        if (thought := block_texts(record.get("thought"))).strip():
            yield AgentText(key, at, thought)
        arguments = _arguments(record, action)
        if tool == "finish":
            if text := text_of(arguments.get("message")):
                yield AgentText(key, at, text)
        elif tool == "think":
            if text := text_of(arguments.get("thought")):
                yield Reasoning(key, at, text)
        else:
            edits = edits_of("str_replace_editor", arguments) if tool in _EDITORS else edits_of(tool, arguments)
            command = text_of(arguments.get("command")) if tool in _SHELLS else ""
            yield ToolCall(key, at, text_of(record.get("tool_call_id")), tool, arguments, edits, command)

    def _observation(self, record: Record, key: str, at: str) -> Iterator[Event]:
        if record.get("tool_name") in ("finish", "think"):
            return
        seen = dict_of(record.get("observation"))
        text = block_texts(seen.get("content")) or text_of(seen.get("output")) or text_of(seen.get("error"))
        code = next((one for one in (seen.get("exit_code"), dict_of(seen.get("metadata")).get("exit_code"))), None)
        code = code if isinstance(code, int) and not isinstance(code, bool) and code >= 0 else None
        failed = seen.get("is_error") is True or bool(code)
        outcome: CallOutcome = "failed" if failed else "passed" if code == 0 else "unknown"
        yield ToolResult(text_of(record.get("tool_call_id")), at, text, outcome, exit_code=code)

    def _rejected(self, record: Record, key: str, at: str) -> Iterator[Event]:
        reason = text_of(record.get("rejection_reason"))
        yield ToolResult(text_of(record.get("tool_call_id")), at, reason, "failed")
        if record.get("rejection_source", "user") == "user" and reason.strip() not in ("", _DEFAULT_REASON):
            yield UserWords(key, at, reason, "answer")

    def _error(self, record: Record, key: str, at: str) -> Iterator[Event]:
        yield ToolResult(text_of(record.get("tool_call_id")), at, text_of(record.get("error")), "failed")

    def _summary(self, record: Record, key: str, at: str) -> Iterator[Event]:
        if summary := text_of(record.get("summary")):
            yield Summary(key, at, summary, kept=None)  # single records are left out, not all before it

    def _state(self, record: Record, key: str, at: str) -> Iterator[Event]:
        """The model and the folder, from the state that the first of these holds."""
        value = dict_of(record.get("value"))
        model = text_of(dict_of(dict_of(value.get("agent")).get("llm")).get("model"))
        if model and model != self.model:
            self.model = model
            yield Meta("model", model)
        if folder := text_of(dict_of(value.get("workspace")).get("working_dir")):
            yield Meta("cwd", folder)


def _arguments(record: Record, action: Record) -> Record:
    """The arguments as the model gave them; of a call that could not be made there is nothing else."""
    call = dict_of(record.get("tool_call"))
    given = dict_of(parsed_arguments(call.get("arguments") or dict_of(call.get("function")).get("arguments")))
    return given or {name: value for name, value in action.items() if name != "kind"}
