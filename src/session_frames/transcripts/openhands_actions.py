"""Events of OpenHands before its agent library: actions and observations, linked by ``cause`` or by their order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
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
    UserWords,
    dict_of,
    text_of,
)
from session_frames.transcripts.heads import origin_of
from session_frames.transcripts.tool_edits import edits_of

# Of the program itself: its state, what it looked up for the prompt, the prompt.
_QUIET_ACTIONS = frozenset({"system", "recall", "null", "change_agent_state", "condensation_request", "start", "stop"})
_QUIET_OBSERVATIONS = frozenset({"null", "agent_state_changed", "recall", "system", "think", "success", "chat"})
_FAILED = frozenset({"error", "user_rejected"})

# What in a flattened action is no argument of it.
_ENVELOPE = frozenset(
    "id timestamp source message cause action observation llm_metrics tool_call_metadata timeout thought "
    "is_confirmed confirmation_state action_risk security_risk keep_prompt hidden blocking kernel_init_code".split()
)
# Actions on files, and the tool of the same arguments.
_FILE_TOOLS = {"write": "create_file", "read": "read_file", "edit": "str_replace_editor"}


class Actions:
    """Tells actions and observations as events; remembers which calls wait for their observation."""

    def __init__(self) -> None:
        self.begun = False
        self.open: list[str] = []
        self.calls: dict[str, str] = {}  # id of an action -> id of its call
        self.count = 0
        self.model = ""
        self.special: Mapping[str, Callable[[Record, Record, str], Iterator[Event]]] = {
            "message": self._message,
            "think": self._think,
            "finish": self._finish,
            "reject": self._finish,
            "condensation": self._condensation,
        }

    def tell(self, record: Record) -> Iterator[Event]:
        """The events of one record."""
        at = text_of(record.get("timestamp"))
        action, observation = text_of(record.get("action")), text_of(record.get("observation"))
        if observation:
            yield from self._observation(record, observation, at)
        elif action in _QUIET_ACTIONS:
            return
        elif action:
            arguments = dict_of(record.get("args")) or record
            yield from self.special.get(action, self._call)(record, arguments, at)
        else:
            yield Skipped("neither action nor observation", 0)

    def _message(self, record: Record, arguments: Record, at: str) -> Iterator[Event]:
        text = text_of(arguments.get("content"))
        # Old records do not say who speaks: the task comes before anything that the agent does.
        persons = record.get("source") == "user" if "source" in record else not self.begun
        self.begun = True
        if text.strip():
            yield UserWords(_key(record), at, text, origin_of(text)) if persons else AgentText(_key(record), at, text)

    def _think(self, record: Record, arguments: Record, at: str) -> Iterator[Event]:
        if text := text_of(arguments.get("thought")):
            yield Reasoning(_key(record), at, text)

    def _finish(self, record: Record, arguments: Record, at: str) -> Iterator[Event]:
        outputs = dict_of(arguments.get("outputs"))
        words = (
            arguments.get("final_thought"),
            arguments.get("thought"),
            outputs.get("content"),
            outputs.get("reason"),
        )
        if text := next((text for word in words if (text := text_of(word)).strip()), ""):
            yield AgentText(_key(record), at, text)

    def _condensation(self, record: Record, arguments: Record, at: str) -> Iterator[Event]:
        if summary := text_of(arguments.get("summary")):
            yield Summary(_key(record), at, summary, kept=None)  # single records are left out, not all before it

    def _call(self, record: Record, arguments: Record, at: str) -> Iterator[Event]:
        self.begun = True
        action, asked = text_of(record.get("action")), dict_of(record.get("tool_call_metadata"))
        model = text_of(dict_of(asked.get("model_response")).get("model"))
        if model and model != self.model:
            self.model = model
            yield Meta("model", model)
        if (thought := text_of(arguments.get("thought"))).strip():
            yield AgentText(_key(record), at, thought)
        self.count += 1
        own = _key(record)
        call_id = text_of(asked.get("tool_call_id")) or own or f"call:{self.count}"
        self.open.append(call_id)
        self.calls[own] = call_id
        fields = {name: value for name, value in arguments.items() if name not in _ENVELOPE}
        edits = edits_of(_file_tool(action, fields), fields)
        command = text_of(fields.get("command")) if action == "run" else ""
        yield ToolCall(own, at, call_id, text_of(asked.get("function_name")) or action, fields, edits, command)

    def _observation(self, record: Record, kind: str, at: str) -> Iterator[Event]:
        asked = text_of(dict_of(record.get("tool_call_metadata")).get("tool_call_id"))
        cause = record.get("cause")
        named = asked or self.calls.get(str(cause), "")
        if kind in _QUIET_OBSERVATIONS and named not in self.open:
            return
        # Only records without links are answered in the order in which they were asked.
        call_id = named or (self.open[0] if self.open and cause is None else "")
        if call_id not in self.open:
            yield Skipped("observation without its action", 0)
            return
        self.open.remove(call_id)
        code = _exit_code(record)
        failed = kind in _FAILED or bool(code)
        outcome = "failed" if failed else "passed" if code == 0 else "unknown"
        yield ToolResult(call_id, at, text_of(record.get("content")), outcome, exit_code=code)  # type: ignore[arg-type]


def _key(record: Record) -> str:
    own = record.get("id")
    return str(own) if isinstance(own, int | str) else ""


def _file_tool(action: str, fields: Record) -> str:
    """The tool whose arguments the action has; an edit without a command has a range of lines and new content."""
    if action == "edit" and not fields.get("command"):
        return "insert_edit_into_file"
    return _FILE_TOOLS.get(action, action)


def _exit_code(record: Record) -> int | None:
    extras = dict_of(record.get("extras"))
    places: tuple[Any, ...] = (
        record.get("exit_code"),
        extras.get("exit_code"),
        dict_of(extras.get("metadata")).get("exit_code"),
    )
    return next((code for code in places if isinstance(code, int) and not isinstance(code, bool) and code >= 0), None)
