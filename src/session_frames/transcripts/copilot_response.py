"""The answer to one request of a VS Code chat: its parts, with what the request's metadata knows of its calls."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple

from session_frames.model import CallOutcome
from session_frames.transcripts.base import (
    AgentText,
    Edit,
    Event,
    Reasoning,
    Record,
    Skipped,
    ToolCall,
    ToolResult,
    UserWords,
    dict_of,
    int_of,
    list_of,
    load_json,
    text_of,
)
from session_frames.transcripts.edits import Runs, lines_of
from session_frames.transcripts.tool_edits import SHELL_TOOLS, command_of, edits_of, parsed_arguments

_CALL = "toolInvocationSerialized"
_THINKING = "thinking"
_EDIT_GROUPS = frozenset({"textEditGroup", "notebookEditGroup"})
_TEXTS = frozenset({"", "markdownContent", "markdownVuln", "inlineReference"})

# Parts that show something to the person and say nothing of their own.
_NOISE_NAMES = """
    agentDetection clearToPreviousToolInvocation codeCitation codeCitations codeblockUri command confirmation
    disabledClaudeHooks elicitation elicitation2 elicitationSerialized error extensions externalEdit hook
    mcpServersInteractionRequired mcpServersStarting mcpServersStartingSlow move multiDiffData planReview
    prepareToolInvocation progressMessage progressTask progressTaskResult progressTaskSerialized pullRequest
    questionCarousel reference references toolInvocation treeData undoStop usedContext warning workspaceEdit
"""
_NOISE = frozenset(_NOISE_NAMES.split())

# Open and close the fence in which an edit is shown.
_FENCE = re.compile(r"\s*`{3,}\s*\Z")

# Tools have one name for the editor and one for the model; the arguments go with the model's.
_MODEL_NAMES = {
    "copilot_applyPatch": "apply_patch",
    "copilot_createDirectory": "create_directory",
    "copilot_createFile": "create_file",
    "copilot_createNewWorkspace": "create_new_workspace",
    "copilot_editNotebook": "edit_notebook_file",
    "copilot_fetchWebPage": "fetch_webpage",
    "copilot_findFiles": "file_search",
    "copilot_findTestFiles": "test_search",
    "copilot_findTextInFiles": "grep_search",
    "copilot_getChangedFiles": "get_changed_files",
    "copilot_getErrors": "get_errors",
    "copilot_getSearchResults": "get_search_view_results",
    "copilot_getVSCodeAPI": "get_vscode_api",
    "copilot_githubRepo": "github_repo",
    "copilot_insertEdit": "insert_edit_into_file",
    "copilot_listCodeUsages": "list_code_usages",
    "copilot_listDirectory": "list_dir",
    "copilot_memory": "memory",
    "copilot_multiReplaceString": "multi_replace_string_in_file",
    "copilot_readFile": "read_file",
    "copilot_replaceString": "replace_string_in_file",
    "copilot_runNotebookCell": "run_notebook_cell",
    "copilot_searchCodebase": "semantic_search",
    "copilot_searchWorkspaceSymbols": "search_workspace_symbols",
    "copilot_testFailure": "test_failure",
    "copilot_think": "think",
    "vscode_fetchWebPage_internal": "fetch_webpage",
}

_ASK_TOOLS = frozenset({"vscode_askQuestions", "ask_questions"})

# ``isConfirmed.type`` of a call that the person did not let run: denied, skipped.
_REFUSED = frozenset({0, 5})

_EXIT = re.compile(r"^Command exited with code (-?\d{1,10})\s*\Z", re.MULTILINE)


def iso_of(value: Any) -> str:
    """The time of a count of milliseconds since 1970, else ""."""
    milliseconds = int_of(value)
    if milliseconds <= 0:
        return ""
    try:
        moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    except (OverflowError, ValueError, OSError):
        return ""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def response_events(request: Record) -> Iterator[Event]:
    """What the agent said and did on one request, in order."""
    key = text_of(request.get("responseId")) or text_of(request.get("requestId"))
    at = iso_of(request.get("timestamp"))
    rounds = _Rounds(dict_of(dict_of(dict_of(request.get("result")).get("metadata"))))
    said: list[str] = []
    for number, (part, groups) in enumerate(_with_edit_groups(list_of(request.get("response")))):
        kind = text_of(part.get("kind"))
        if kind in _TEXTS:
            said.append(_text_of_part(kind, part))
            continue
        if kind in _NOISE:
            continue
        yield from _told(key, at, said)
        if kind == _THINKING:
            yield from _thinking(key, at, part)
        elif kind == _CALL:
            yield from _call(key, at, f"{key}:{number}", part, groups, rounds)
        elif kind in _EDIT_GROUPS:
            yield from _edit_without_call(key, at, f"{key}:{number}", groups)
        else:
            yield Skipped(f"unknown response part '{kind}'", 0)
    yield from _told(key, at, said)


def _with_edit_groups(parts: list[Any]) -> Iterator[tuple[Record, list[Record]]]:
    """Each part, with the groups of edits that a call made; groups without a call stand on their own."""
    told: list[tuple[Record, list[Record]]] = []
    editor: list[Record] | None = None
    for part in map(dict_of, parts):
        kind = text_of(part.get("kind"))
        if kind in _EDIT_GROUPS and editor is not None:
            editor.append(part)
            continue
        groups: list[Record] = [part] if kind in _EDIT_GROUPS else []
        told.append((part, groups))
        if kind == _CALL:
            editor = groups if _may_edit(part) else None
    yield from told


def _may_edit(call: Record) -> bool:
    tool = _model_name(text_of(call.get("toolId")))
    return tool not in SHELL_TOOLS and tool != "read_file"


def _model_name(tool_id: str) -> str:
    return _MODEL_NAMES.get(tool_id, tool_id)


# ---------------------------------------------------------------------------------------------------------------------
# Words


def _told(key: str, at: str, said: list[str]) -> Iterator[Event]:
    """The text collected so far; the list is emptied."""
    text = "".join(said)
    said.clear()
    if text.strip():
        yield AgentText(key, at, text)


def _text_of_part(kind: str, part: Record) -> str:
    if kind == "inlineReference":
        return _name_of_reference(part)
    content = part.get("value") if kind == "" else part.get("content")
    text = text_of(content) or text_of(dict_of(content).get("value"))
    return "" if _FENCE.match(text) else text


def _name_of_reference(part: Record) -> str:
    """A reference reads as the name of its symbol or file."""
    target = dict_of(part.get("inlineReference"))
    location = dict_of(target.get("location"))
    path = next((path for place in (target, location) if (path := _path_of(dict_of(place.get("uri")) or place))), "")
    return text_of(part.get("name")) or text_of(target.get("name")) or re.split(r"[/\\]", path)[-1]


def _thinking(key: str, at: str, part: Record) -> Iterator[Event]:
    value = part.get("value")
    text = text_of(value) or "\n".join(filter(None, map(text_of, list_of(value))))
    if text.strip():
        yield Reasoning(key, at, text)


# ---------------------------------------------------------------------------------------------------------------------
# Calls


class _Rounds:
    """The calls as the model made them. Parts of the response name them otherwise, but stand in the same order."""

    def __init__(self, metadata: Record) -> None:
        rounds = map(dict_of, list_of(metadata.get("toolCallRounds")))
        self.open = [dict_of(call) for one in rounds for call in list_of(one.get("toolCalls"))]
        self.results = dict_of(metadata.get("toolCallResults"))

    def take(self, part: Record) -> Record:
        """The model's call that the part shows, each only once; empty where there is none."""
        shown, tool = text_of(part.get("toolCallId")), _model_name(text_of(part.get("toolId")))
        for place, call in enumerate(self.open):
            same = bool(shown) and text_of(call.get("id")).split("__vscode-")[0] == shown
            if same or text_of(call.get("name")) == tool:
                return self.open.pop(place)
        return {}

    def text(self, call: Record) -> str:
        """What the tool answered to the model."""
        result = dict_of(self.results.get(text_of(call.get("id"))))
        return "\n".join(filter(None, (_text_of_tree(part) for part in list_of(result.get("content")))))


def _text_of_tree(part: Any) -> str:
    """A result is text or a tree of text nodes."""
    value = dict_of(part).get("value")
    if isinstance(value, str):
        return value
    texts: list[str] = []
    open_nodes = [dict_of(dict_of(value).get("node"))]
    while open_nodes:
        node = open_nodes.pop()
        text = text_of(node.get("text"))
        if text and texts and node.get("lineBreakBefore") is True and not texts[-1].endswith("\n"):
            texts.append("\n")
        texts.append(text)
        open_nodes += map(dict_of, reversed(list_of(node.get("children"))))
    return "".join(texts)


class _Result(NamedTuple):
    text: str
    outcome: CallOutcome
    exit_code: int | None


def _call(key: str, at: str, made_up: str, part: Record, groups: list[Record], rounds: _Rounds) -> Iterator[Event]:
    call = rounds.take(part)
    call_id = text_of(part.get("toolCallId")) or made_up
    tool = text_of(call.get("name")) or text_of(part.get("toolId"))
    specific = dict_of(part.get("toolSpecificData"))
    arguments = parsed_arguments(call.get("arguments")) if call else specific.get("rawInput")
    meant = edits_of(tool, arguments)
    yield ToolCall(key, at, call_id, tool, arguments, meant, _command_line(specific) or command_of(tool, arguments))
    result = _result(part, specific, rounds.text(call))
    if part.get("isComplete") is not True and not result.text and not groups:
        return
    edits = _done(meant, groups)
    # An edit that the editor shows was made.
    outcome = "passed" if groups and result.outcome == "unknown" else result.outcome
    yield ToolResult(call_id, at, result.text, outcome, edits, result.exit_code)
    if tool in _ASK_TOOLS:
        yield from _answers(call_id, at, result.text)


def _edit_without_call(key: str, at: str, call_id: str, groups: list[Record]) -> Iterator[Event]:
    """Edits that the answer's code blocks made, in the modes without tools."""
    edits = _done((), groups)
    if edits:
        yield ToolCall(key, at, call_id, text_of(groups[0].get("kind")), {}, edits)
        yield ToolResult(call_id, at, "", "passed")


def _command_line(specific: Record) -> str:
    line = specific.get("commandLine")
    spellings = (dict_of(line).get(name) for name in ("userEdited", "toolEdited", "original"))
    return text_of(line) or next((text for text in map(text_of, spellings) if text), "")


def _result(part: Record, specific: Record, text: str) -> _Result:
    details = dict_of(part.get("resultDetails"))
    text = text or "\n".join(text_of(dict_of(item).get("value")) for item in list_of(details.get("output")))
    found = _EXIT.search(text)
    code = dict_of(specific.get("terminalCommandState")).get("exitCode")
    if isinstance(code, bool) or not isinstance(code, int):
        code = int(found[1]) if found else None
    return _Result(text, _outcome(part.get("isConfirmed"), details.get("isError"), code), code)


def _outcome(confirmed: Any, error: Any, code: int | None) -> CallOutcome:
    answer = dict_of(confirmed).get("type")
    refused = confirmed is False or (isinstance(answer, int) and answer in _REFUSED and answer is not False)
    if refused or error is True or code:
        return "failed"
    return "passed" if error is False or code == 0 else "unknown"


def _answers(call_id: str, at: str, text: str) -> Iterator[Event]:
    """What the person answered to the agent's questions: typed, or chosen from a list."""
    try:
        answers = dict_of(dict_of(load_json(text.encode("utf-8", "surrogatepass"))).get("answers"))
    except ValueError:
        return
    for number, answer in enumerate(map(dict_of, answers.values())):
        chosen = ", ".join(filter(None, map(text_of, list_of(answer.get("selected")))))
        if words := text_of(answer.get("freeText")) or chosen:
            yield UserWords(f"{call_id}:{number}", at, words, "answer")


# ---------------------------------------------------------------------------------------------------------------------
# Edits


def _done(meant: tuple[Edit, ...], groups: list[Record]) -> tuple[Edit, ...]:
    """The files read, and those that the editor says were edited.

    The arguments tell better than the editor which lines are new, because the editor replaces whole regions.
    """
    known = {_same_path(edit.path): edit for edit in meant}
    done = {edit.path: edit for edit in meant if edit.change == "read"}
    for group in groups:
        path = _path_of(dict_of(group.get("uri")))
        edit = known.get(_same_path(path))
        if edit is not None and edit.added:
            done[path] = edit._replace(path=path)
        elif path:
            before = done.get(path, Edit(path, "modified"))
            done[path] = before._replace(added=before.added + _runs(group))
    return tuple(done.values())


def _same_path(path: str) -> str:
    return path.replace("\\", "/").lstrip("/").lower()


def _path_of(uri: Record) -> str:
    return text_of(uri.get("fsPath")) or text_of(uri.get("path"))


def _runs(group: Record) -> Runs:
    """The lines that a group put in; edits of lines that follow each other are one run."""
    runs: list[list[str]] = []
    expected = 0
    for edit in (dict_of(edit) for batch in list_of(group.get("edits")) for edit in list_of(batch)):
        lines = lines_of(text_of(edit.get("text")).replace("\r\n", "\n").removeprefix("\n"))
        if not lines:
            continue
        start = int_of(dict_of(edit.get("range")).get("startLineNumber"))
        if runs and 0 < start <= expected:
            runs[-1] += lines
        else:
            runs.append(lines)
        expected = start + len(lines)
    return tuple(map(tuple, runs))
