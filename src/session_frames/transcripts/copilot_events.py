"""The event stream of the Copilot agent: one ``{type, data, id, timestamp, parentId}`` a line.

Copilot CLI keeps its sessions so; VS Code hands the same stream to its Stop hooks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, BinaryIO, NamedTuple

from session_frames.model import CallOutcome, Origin
from session_frames.transcripts.base import (
    Abandon,
    AgentText,
    Event,
    Line,
    Meta,
    NoConversation,
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
    list_of,
    text_of,
)
from session_frames.transcripts.heads import complete_lines, origin_of
from session_frames.transcripts.line_readers import LineReader, read_lines
from session_frames.transcripts.made_by import original_session
from session_frames.transcripts.tool_edits import SHELL_TOOLS, command_of, edits_of, parsed_arguments

# ---------------------------------------------------------------------------------------------------------------------
# What the program adds to the person's words

# Stands in front of or behind the words of one prompt; nobody types it.
_CLOCK = re.compile(
    r"\A\s*<current_datetime>[^<]*</current_datetime>\s*|\s*<current_datetime>[^<]*</current_datetime>\s*\Z"
)

# ``source`` of a prompt that a person sent; any other value names the part of the program that did.
_PERSONS = ("", "user", "immediate-prompt")
_COMMANDS = "command"

_ASK_TOOL = "ask_user"
_ANSWER = re.compile(r"\AUser (?:responded|selected): (.*)\Z", re.DOTALL)
# What the program answers while the person is away.
_ABSENT = "The user is not available to respond"

_REFUSAL = re.compile(r"\AThe user rejected this tool call\. User feedback: (.*)\Z", re.DOTALL)

_EXIT = re.compile(r"<(?:[^<>\n]* )?(?:exited|completed) with exit code (-?\d{1,10})>\s*\Z")
_EXIT_TOOLS = SHELL_TOOLS | {"read_bash", "read_powershell"}

# Records that say nothing about the talk, or repeat what others say.
_NOISE_NAMES = """
    abort assistant.intent assistant.message_delta assistant.message_start assistant.reasoning
    assistant.reasoning_delta assistant.streaming_delta assistant.turn_end assistant.turn_start assistant.usage
    auto_mode_switch.completed auto_mode_switch.requested capabilities.changed command.completed command.execute
    command.queued commands.changed elicitation.completed elicitation.requested exit_plan_mode.completed
    exit_plan_mode.requested external_tool.completed external_tool.requested hook.end hook.progress hook.start
    mcp.oauth_completed mcp.oauth_required pending_messages.modified permission.requested sampling.completed
    sampling.requested session.background_tasks_changed session.compaction_start session.custom_agents_updated
    session.error session.extensions_loaded session.handoff session.idle session.import_legacy session.info
    session.mcp_server_status_changed session.mcp_servers_loaded session.mode_changed session.plan_changed
    session.remote_steerable_changed session.skills_loaded session.task_complete session.tools_updated
    session.truncation session.usage_info session.warning session.workspace_file_changed skill.invoked
    subagent.completed subagent.deselected subagent.failed subagent.selected subagent.started system.message
    system.notification tool.execution_partial_result tool.execution_progress tool.user_requested
    user_input.completed user_input.requested
"""
_NOISE = frozenset(_NOISE_NAMES.split())


def refusal_reason(text: str) -> str:
    """What the person said when refusing a call, else ""."""
    found = _REFUSAL.match(text)
    return found[1] if found else ""


def answer_of(tool: str, text: str) -> str:
    """What the person answered to the agent's question, "" where the program did or there was no question."""
    found = _ANSWER.match(text) if tool == _ASK_TOOL else None
    return found[1] if found and not found[1].startswith(_ABSENT) else ""


def outcome_of_shell(tool: str, text: str, outcome: CallOutcome) -> tuple[CallOutcome, int | None]:
    """The outcome and exit code of a call; a shell's exit code says more than that the tool itself worked."""
    found = _EXIT.search(text) if tool in _EXIT_TOOLS else None
    if found is None:
        return outcome, None
    code = int(found[1])
    return ("failed" if code else outcome), code


# ---------------------------------------------------------------------------------------------------------------------
# Reading


class _Record(NamedTuple):
    id: str
    at: str
    line: int
    data: Record


def is_event_stream(head: bytes) -> bool:
    """Does the file begin like an event stream?"""
    return any(
        text_of(record.get("type")) in _HANDLERS.keys() | _NOISE and isinstance(record.get("data"), dict)
        for record in complete_lines(head)
    )


def read_events(source: BinaryIO) -> Iterator[Event | NoConversation]:
    """The events of a stream, in the order of the file."""
    return read_lines(_Stream(), source)


def stream_reader() -> LineReader:
    """The reader of a stream."""
    return _Stream()


class _Stream(LineReader):
    """What has to be remembered from one record to the next."""

    def __init__(self) -> None:
        self.tools: dict[str, str] = {}  # call id -> tool
        self.refused: set[str] = set()  # calls whose refusal was already told with its reason
        self.told: list[str] = []  # ids of the records that became words or text
        self.foreign: set[str] = set()  # calls of sub-agents
        self.model = ""
        self.spoken = False

    def end(self, companions: Iterable[tuple[str, bytes]] = ()) -> Iterator[Event | NoConversation]:
        if not self.spoken:
            yield NoConversation("no prompt and no answer in it")

    def events(self, line: Line) -> Iterator[Event]:
        kind = line.record.get("type")
        if not isinstance(kind, str):
            yield Skipped("record without a type", line.number)
            return
        handler = _HANDLERS.get(kind)
        if handler is None:
            if kind not in _NOISE:
                yield Skipped(f"unknown record type '{kind}'", line.number)
            return
        data = line.record.get("data")
        if not isinstance(data, dict):
            yield Skipped(f"record of type '{kind}' without data", line.number)
            return
        record = _Record(text_of(line.record.get("id")), text_of(line.record.get("timestamp")), line.number, data)
        # What a sub-agent says and does hangs on the call that started it.
        if text_of(data.get("parentToolCallId")) or text_of(line.record.get("agentId")):
            self.foreign.add(text_of(data.get("toolCallId")))
        else:
            yield from handler(self, record)

    def start(self, record: _Record) -> Iterator[Event]:
        version = text_of(record.data.get("copilotVersion"))
        facts = {
            "session_id": text_of(record.data.get("sessionId")),
            "agent_version": version if version != "unknown" else "",
            "started": text_of(record.data.get("startTime")) or record.at,
            "parent": original_session(record.data),
        }
        yield from (Meta(name, value) for name, value in facts.items() if value)
        yield from self.resume(record)

    def resume(self, record: _Record) -> Iterator[Event]:
        yield from self._place(dict_of(record.data.get("context")))
        yield from self._model(record.data.get("selectedModel"))

    def context(self, record: _Record) -> Iterator[Event]:
        yield from self._place(record.data)

    def _place(self, context: Record) -> Iterator[Event]:
        facts = {"cwd": "cwd", "branch": "branch", "headCommit": "base"}
        yield from (Meta(name, value) for key, name in facts.items() if (value := text_of(context.get(key))))

    def title(self, record: _Record) -> Iterator[Event]:
        if title := text_of(record.data.get("title")):
            yield Meta("title", title)

    def model_change(self, record: _Record) -> Iterator[Event]:
        yield from self._model(record.data.get("newModel"))

    def _model(self, value: Any) -> Iterator[Event]:
        model = text_of(value)
        if model and model != self.model:
            self.model = model
            yield Meta("model", model)

    def user(self, record: _Record) -> Iterator[Event]:
        words = _CLOCK.sub("", text_of(record.data.get("content")))
        origin = origin_of(words)
        source = text_of(record.data.get("source"))
        typed = source in _PERSONS or (source.startswith(_COMMANDS) and origin == "command")
        if typed and words.strip():
            yield from self._words(record, words, "queued" if source == "immediate-prompt" else origin)

    def _words(self, record: _Record, words: str, origin: Origin) -> Iterator[Event]:
        self.spoken = True
        self.told.append(record.id)
        yield UserWords(record.id, record.at, words, origin)

    def assistant(self, record: _Record) -> Iterator[Event]:
        data = record.data
        yield from self._model(data.get("model"))
        if thinking := text_of(data.get("reasoningText")):
            yield Reasoning(record.id, record.at, thinking)
        text = text_of(data.get("content"))
        requests = list_of(data.get("toolRequests"))
        self.told.append(record.id)
        if text.strip():
            self.spoken = True
            yield AgentText(record.id, record.at, text)
        for number, request in enumerate(map(dict_of, requests)):
            call_id = text_of(request.get("toolCallId")) or f"{record.id}:{number}"
            yield from self._call(record, call_id, text_of(request.get("name")), request.get("arguments"))
        if output := int_of(data.get("outputTokens")):
            yield Usage(text_of(data.get("messageId")) or record.id, output=output)

    def execution(self, record: _Record) -> Iterator[Event]:
        """A call that no message asked for: the person's own, or one whose request was lost."""
        call_id = text_of(record.data.get("toolCallId"))
        if call_id:
            self.told.append(record.id)
            yield from self._call(record, call_id, text_of(record.data.get("toolName")), record.data.get("arguments"))

    def _call(self, record: _Record, call_id: str, tool: str, arguments: Any) -> Iterator[Event]:
        if call_id in self.tools:
            return
        self.spoken = True
        self.tools[call_id] = tool
        arguments = parsed_arguments(arguments)
        yield ToolCall(
            record.id, record.at, call_id, tool, arguments, edits_of(tool, arguments), command_of(tool, arguments)
        )

    def completion(self, record: _Record) -> Iterator[Event]:
        call_id = text_of(record.data.get("toolCallId"))
        tool = self.tools.get(call_id)
        if tool is None:
            if call_id not in self.foreign:
                yield Skipped("result without its call", record.line)
            return
        result, error = record.data.get("result"), record.data.get("error")
        text = _result_text(result) or text_of(dict_of(error).get("message")) or text_of(error)
        outcome, code = outcome_of_shell(tool, text, _outcome(record.data))
        yield ToolResult(call_id, record.at, text, outcome, exit_code=code)
        reason = "" if call_id in self.refused else refusal_reason(text)
        if words := answer_of(tool, text) or reason:
            yield from self._words(record, words, "answer")

    def permission(self, record: _Record) -> Iterator[Event]:
        words = text_of(dict_of(record.data.get("result")).get("feedback"))
        if words.strip():
            self.refused.add(text_of(record.data.get("toolCallId")))
            yield from self._words(record, words, "answer")

    def compaction(self, record: _Record) -> Iterator[Event]:
        if summary := text_of(record.data.get("summaryContent")):
            yield Summary(record.id, record.at, summary)

    def rewind(self, record: _Record) -> Iterator[Event]:
        target = text_of(record.data.get("upToEventId"))
        if target not in self.told:
            yield Skipped("rewind to a record that is not there", record.line)
        else:
            place = self.told.index(target)
            yield Abandon(tuple(key for key in self.told[place:] if key))
            del self.told[place:]

    def shutdown(self, record: _Record) -> Iterator[Event]:
        counts = [
            dict_of(dict_of(metrics).get("usage")) for metrics in dict_of(record.data.get("modelMetrics")).values()
        ]
        names = ("inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens")
        totals = [sum(int_of(count.get(name)) for count in counts) for name in names]
        if any(totals):
            yield Usage("session:total", totals[0], totals[1], totals[2], totals[3], total=True)


def _result_text(result: Any) -> str:
    fields = dict_of(result)
    return (
        text_of(result)
        or text_of(fields.get("content"))
        or text_of(fields.get("detailedContent"))
        or text_of(fields.get("text_result_for_llm"))
    )


def _outcome(data: Record) -> CallOutcome:
    success = data.get("success")
    if isinstance(success, bool):
        return "passed" if success else "failed"
    return RESULT_TYPES.get(text_of(dict_of(data.get("result")).get("result_type")), "unknown")


RESULT_TYPES: Mapping[str, CallOutcome] = {
    "success": "passed",
    "failure": "failed",
    "rejected": "failed",
    "denied": "failed",
}

_HANDLERS: Mapping[str, Callable[[_Stream, _Record], Iterator[Event]]] = {
    "session.start": _Stream.start,
    "session.resume": _Stream.resume,
    "session.context_changed": _Stream.context,
    "session.title_changed": _Stream.title,
    "session.model_change": _Stream.model_change,
    "session.compaction_complete": _Stream.compaction,
    "session.snapshot_rewind": _Stream.rewind,
    "session.shutdown": _Stream.shutdown,
    "user.message": _Stream.user,
    "assistant.message": _Stream.assistant,
    "tool.execution_start": _Stream.execution,
    "tool.execution_complete": _Stream.completion,
    "permission.completed": _Stream.permission,
}
