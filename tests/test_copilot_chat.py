"""VS Code chats: exported, kept as one document, kept as a log of edits."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from session_frames.errors import FramesError, NotUnderstood
from session_frames.transcripts import copilot_chat, sniff_format
from session_frames.transcripts.base import (
    AgentText,
    Edit,
    Meta,
    NoConversation,
    Reasoning,
    Skipped,
    ToolCall,
    ToolResult,
    Usage,
    UserWords,
)

CASES = Path(__file__).parent / "transcripts" / "copilot-chat"
AT = 1760000000123
AT_ISO = "2025-10-09T08:53:20.123Z"


def request(text: str = "fix it", number: int = 1, **more: Any) -> dict[str, Any]:
    return {
        "requestId": f"request_{number}",
        "responseId": f"response_{number}",
        "timestamp": AT,
        "modelId": "copilot/gpt-5",
        "message": {"text": text, "parts": []},
        "response": [],
        **more,
    }


def document(*requests: dict[str, Any], **more: Any) -> bytes:
    return json.dumps({"version": 3, "sessionId": "s1", "requests": list(requests), **more}).encode()


def log(*records: Any) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def events(data: bytes) -> list[Any]:
    return list(copilot_chat.read(io.BytesIO(data)))


def words(found: list[Any]) -> list[str]:
    return [event.text for event in found if isinstance(event, UserWords)]


def of(kind: type[Any], found: list[Any]) -> list[Any]:
    return [event for event in found if isinstance(event, kind)]


def markdown(text: str) -> dict[str, Any]:
    return {"value": text, "supportHtml": False}


def call(tool: str, call_id: str = "c1", **more: Any) -> dict[str, Any]:
    return {"kind": "toolInvocationSerialized", "toolId": tool, "toolCallId": call_id, "isComplete": True, **more}


@pytest.mark.parametrize("case", sorted(path.name for path in CASES.iterdir()))
def test_recorded_words(case: str) -> None:
    transcript = next((CASES / case).glob("transcript.*"))
    with transcript.open("rb") as source:
        found = list(copilot_chat.read(source))
    assert [text.strip() for text in words(found)] == json.loads((CASES / case / "words.json").read_text("utf-8"))
    assert sniff_format(transcript.read_bytes()) in ("copilot-chat", "copilot-cli")


# ---------------------------------------------------------------------------------------------------------------------
# The log of edits


def test_edit_log_is_replayed() -> None:
    stub = request("hello")
    data = log(
        {"kind": 0, "v": {"version": 3, "sessionId": "s1", "requests": [], "responderUsername": "x"}},
        {"kind": 2, "k": ["requests"], "v": [stub]},
        {"kind": 1, "k": ["requests", 0, "response"], "v": [markdown("draft")]},
        {"kind": 1, "k": ["requests", 0, "response"], "v": [markdown("final")]},
        {"kind": 1, "k": ["customTitle"], "v": "T"},
        {"kind": 3, "k": ["responderUsername"]},
    )
    found = events(data)
    assert words(found) == ["hello"]
    assert [event.text for event in of(AgentText, found)] == ["final"]
    assert Meta("title", "T") in found
    assert of(Skipped, found) == []
    assert events(b"\xef\xbb\xbf" + data) == found


def test_edit_log_cuts_a_list_before_it_pushes() -> None:
    found = events(
        log(
            {"kind": 0, "v": {"requests": [request("one", 1), request("two", 2), request("three", 3)]}},
            {"kind": 2, "k": ["requests"], "v": [request("other", 4)], "i": 1},
        )
    )
    assert words(found) == ["one", "other"]


def test_later_full_state_replaces_all() -> None:
    found = events(
        log({"kind": 0, "v": {"requests": [request("old")]}}, {"kind": 0, "v": {"requests": [request("new")]}})
    )
    assert words(found) == ["new"]


def test_edit_log_without_full_state_is_an_error() -> None:
    data = log({"kind": 2, "k": ["requests"], "v": [request()]}, {"kind": 1, "k": ["customTitle"], "v": "T"})
    assert copilot_chat.sniff(data)
    with pytest.raises(NotUnderstood, match="full state"):
        events(data)


def test_edits_that_lead_nowhere_are_told() -> None:
    found = events(
        log(
            {"kind": 0, "v": {"requests": [request("one")]}},
            {"kind": 1, "k": ["requests", 7, "response"], "v": []},
            {"kind": 9, "k": ["x"]},
            {"kind": "1", "k": ["x"]},
            {"kind": 3, "k": ["requests", True]},
        )
    )
    assert words(found) == ["one"]
    assert of(Skipped, found) == [
        Skipped("edit of a place that is not there", 2),
        Skipped("unknown kind of edit 9", 3),
        Skipped("edit without a kind", 4),
        Skipped("edit of a place that is not there", 5),
    ]


@pytest.mark.parametrize(
    ("damage", "lines"),
    [
        (lambda lines: [*lines[:2], lines[2][:20]], [3]),
        (lambda lines: [lines[0], b"\0" * 300, *lines[1:]], [2]),
        (lambda lines: [lines[0], b"", *lines[1:]], []),
        (lambda lines: [*lines, b"\0" * 1700], [4]),
    ],
    ids=["cut", "nul line", "blank line", "nul tail"],
)
def test_damaged_lines_hide_nothing_else(damage: Any, lines: list[int]) -> None:
    whole = log(
        {"kind": 0, "v": {"requests": [request("one")]}},
        {"kind": 2, "k": ["requests"], "v": [request("two", 2)]},
        {"kind": 1, "k": ["customTitle"], "v": "T"},
    ).split(b"\n")[:-1]
    found = events(b"\n".join(damage(whole)))
    assert words(found) == ["one", "two"]
    assert [event.line for event in of(Skipped, found)] == lines


# ---------------------------------------------------------------------------------------------------------------------
# Requests


def test_facts_and_times() -> None:
    found = events(document(request(agent={"extensionVersion": "0.37.1"}), customTitle="T", creationDate=AT))
    assert found[:3] == [Meta("session_id", "s1"), Meta("title", "T"), Meta("started", AT_ISO)]
    assert Meta("model", "copilot/gpt-5") in found
    assert Meta("agent_version", "0.37.1") in found
    assert UserWords("request_1", AT_ISO, "fix it") in found


def test_exported_chat_is_known_by_its_first_request() -> None:
    found = events(json.dumps({"requests": [request("a", 4), request("b", 5)]}).encode())
    assert Meta("session_id", "request_4") in found


def test_buttons_and_requests_of_the_program_are_not_words() -> None:
    found = events(
        document(
            request("real"),
            request("@agent Try Again", 2, confirmation="Try Again"),
            request('@agent Continue: "Continue to iterate?"', 3),
            request("a terminal has ended", 4, isSystemInitiated=True),
        )
    )
    assert words(found) == ["real"]


def test_a_prompt_taken_back_was_typed_all_the_same() -> None:
    assert words(events(document(request("oops", shouldBeRemovedOnSend={"requestId": "request_1"})))) == ["oops"]


def test_slash_command_keeps_its_words() -> None:
    found = events(document(request("/fix the parser"), request("/home/someone/file is broken", 2)))
    assert [(event.text, event.origin) for event in of(UserWords, found)] == [
        ("/fix the parser", "command"),
        ("/home/someone/file is broken", "typed"),
    ]


def test_no_conversation() -> None:
    assert isinstance(events(document(responderUsername="x", initialLocation="panel"))[-1], NoConversation)


def test_look_alike_is_not_sniffed() -> None:
    data = document({"prompt": "write", "completion": "done", "timestamp": AT}, responderUsername="x")
    assert not copilot_chat.sniff(data)
    assert words(events(data)) == []


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"requests": 3}', b"plain text"])
def test_what_is_no_chat_is_refused(data: bytes) -> None:
    assert not copilot_chat.sniff(data)
    with pytest.raises(NotUnderstood):
        events(data)


# ---------------------------------------------------------------------------------------------------------------------
# Answers


def test_text_is_joined_and_split_by_calls() -> None:
    reference = {"kind": "inlineReference", "inlineReference": {"path": "/w/src/app.py", "scheme": "file"}}
    response = [
        {"kind": "thinking", "value": "hm"},
        markdown("Changed "),
        reference,
        markdown(" today."),
        call("copilot_findTextInFiles"),
        markdown("\n```\n"),
        {"kind": "undoStop", "id": "u"},
        markdown("\n```\n"),
        markdown("Done."),
    ]
    found = events(document(request(response=response)))
    assert [event for event in found if isinstance(event, Reasoning | AgentText | ToolCall)] == [
        Reasoning("response_1", AT_ISO, "hm"),
        AgentText("response_1", AT_ISO, "Changed app.py today."),
        ToolCall("response_1", AT_ISO, "c1", "copilot_findTextInFiles", None),
        AgentText("response_1", AT_ISO, "Done."),
    ]


def test_unknown_parts_are_told() -> None:
    found = events(document(request(response=[{"kind": "hologram"}])))
    assert of(Skipped, found) == [Skipped("unknown response part 'hologram'", 0)]


def test_calls_get_arguments_and_results_of_the_model() -> None:
    arguments = {"command": "make test", "explanation": "run"}
    response = [
        call("run_in_terminal", "c1", toolSpecificData={"kind": "terminal", "commandLine": {"original": "make test"}}),
        call("mcp_x_update", "c2", resultDetails={"isError": True, "output": []}),
        call("mcp_x_get", "c3", resultDetails={"isError": False, "output": [{"value": "shown"}]}),
        call("copilot_readFile", "c4", isConfirmed={"type": 0}),
        call("copilot_readFile", "c5", isComplete=False),
    ]
    metadata = {
        "toolCallRounds": [
            {"toolCalls": [{"id": "m1", "name": "run_in_terminal", "arguments": json.dumps(arguments)}]},
            {"toolCalls": [{"id": "m2", "name": "mcp_x_update", "arguments": "{}"}]},
            {"toolCalls": [{"id": "m4", "name": "read_file", "arguments": '{"filePath": "/w/a.py"}'}]},
        ],
        "toolCallResults": {
            "m1": {"content": [{"value": "boom\n\n\nCommand exited with code 2"}]},
            "m2": {
                "content": [{"value": {"node": {"children": [{"text": "a"}, {"text": "b", "lineBreakBefore": True}]}}}]
            },
        },
    }
    found = events(document(request(response=response, result={"metadata": metadata})))
    calls, results = of(ToolCall, found), {event.id: event for event in of(ToolResult, found)}
    assert (calls[0].tool, calls[0].arguments, calls[0].command) == ("run_in_terminal", arguments, "make test")
    assert calls[3].edits == (Edit("/w/a.py", "read"),)
    assert [(results[key].outcome, results[key].text) for key in ("c1", "c2", "c3", "c4")] == [
        ("failed", "boom\n\n\nCommand exited with code 2"),
        ("failed", "a\nb"),
        ("passed", "shown"),
        ("failed", ""),
    ]
    assert results["c1"].exit_code == 2
    assert "c5" not in results


def test_edits_are_those_that_the_editor_shows() -> None:
    def group(path: str, *texts: str) -> dict[str, Any]:
        edits = [[{"text": text, "range": {"startLineNumber": line}}] for line, text in enumerate(texts, 1)]
        return {"kind": "textEditGroup", "uri": {"fsPath": path}, "edits": edits, "done": True}

    response = [
        call("copilot_replaceString", "c1"),
        group("/w/a.py", "keep\nnew"),
        call("copilot_insertEdit", "c2"),
        group("/w/b.py", "one", "two"),
        call("copilot_replaceString", "c3"),
    ]
    arguments = json.dumps({"filePath": "/w/a.py", "oldString": "keep\nold", "newString": "keep\nnew"})
    rounds = [
        {"toolCalls": [{"id": "m1", "name": "replace_string_in_file", "arguments": arguments}]},
        {"toolCalls": [{"id": "m2", "name": "insert_edit_into_file", "arguments": '{"filePath": "/w/b.py"}'}]},
        {"toolCalls": [{"id": "m3", "name": "replace_string_in_file", "arguments": arguments}]},
    ]
    found = events(document(request(response=response, result={"metadata": {"toolCallRounds": rounds}})))
    assert [(event.outcome, event.edits) for event in of(ToolResult, found)] == [
        ("passed", (Edit("/w/a.py", "modified", added=(("new",),)),)),
        ("passed", (Edit("/w/b.py", "modified", added=(("one", "two"),)),)),
        ("unknown", ()),
    ]


def test_edits_without_a_call_are_kept() -> None:
    group = {"kind": "textEditGroup", "uri": {"path": "/w/a.py"}, "edits": [[{"text": "x = 1"}]]}
    found = events(document(request(response=[markdown("Here:"), group])))
    assert of(ToolCall, found)[0].edits == (Edit("/w/a.py", "modified", added=(("x = 1",),)),)
    assert of(ToolResult, found)[0].outcome == "passed"


def test_answers_to_questions() -> None:
    answers = {
        "answers": {"A": {"selected": ["red", "blue"], "freeText": None}, "B": {"selected": [], "freeText": "no"}}
    }
    metadata = {
        "toolCallRounds": [{"toolCalls": [{"id": "m1", "name": "vscode_askQuestions", "arguments": "{}"}]}],
        "toolCallResults": {"m1": {"content": [{"value": json.dumps(answers)}]}},
    }
    found = events(document(request(response=[call("vscode_askQuestions")], result={"metadata": metadata})))
    assert [(event.text, event.origin) for event in of(UserWords, found)] == [
        ("fix it", "typed"),
        ("red, blue", "answer"),
        ("no", "answer"),
    ]


def test_usage() -> None:
    found = events(document(request(result={"usage": {"promptTokens": 90, "completionTokens": 4}})))
    assert of(Usage, found) == [Usage("request_1", input=90, output=4)]


# ---------------------------------------------------------------------------------------------------------------------
# Odd texts and odd types


def test_separators_and_lone_surrogates_stay() -> None:
    text = "x\u2028y\u2029z\u0085w\x1c"
    raw = json.dumps({"kind": 0, "v": {"requests": [request(text)]}}, ensure_ascii=False).encode()
    assert words(events(raw + b"\n")) == [text]
    assert words(events(document(request("cut \ud83d")))) == ["cut \ud83d"]


@pytest.mark.parametrize("value", [None, True, 3, 1.5, "x", [], [None], {}, {"a": []}])
def test_any_type_in_any_place(value: Any) -> None:
    whole = request(response=[call("copilot_readFile"), markdown("a")], result={"metadata": {"toolCallRounds": [{}]}})
    for key in whole:
        list_of_events = events(document({**whole, key: value}, request("after", 2)))
        assert "after" in words(list_of_events)
    for key in whole["response"][0]:
        events(document(request(response=[{**whole["response"][0], key: value}, value])))
    try:
        events(json.dumps({"requests": value}).encode())
    except FramesError:
        assert not isinstance(value, list)


def test_places() -> None:
    patterns = copilot_chat.find("/h", {"XDG_CONFIG_HOME": "/x"})
    assert "/x/Code/User/workspaceStorage/*/chatSessions/*.jsonl" in patterns
    assert "/x/Code - Insiders/User/workspaceStorage/*/chatSessions/*.json" in patterns
    assert "/h/Library/Application Support/Code/User/globalStorage/emptyWindowChatSessions/*.json" in patterns
    assert "/h/.config/VSCodium/User/workspaceStorage/*/chatSessions/*.jsonl" in copilot_chat.find("/h", {})
