"""Codex's transcripts: one talk in many encodings, patches in disguise, outcomes, copied and rolled back turns."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from session_frames.transcripts import codex, sniff_format
from session_frames.transcripts.base import (
    Abandon,
    AgentText,
    Edit,
    Meta,
    NoConversation,
    Reasoning,
    Retract,
    Skipped,
    Summary,
    ToolCall,
    ToolResult,
    Usage,
    UserWords,
)

FIXTURES = Path(__file__).parent / "transcripts" / "codex"
AT = "2026-01-01T10:00:00.000Z"


def record(kind: str, payload: Any, at: str = AT) -> dict[str, Any]:
    return {"timestamp": at, "type": kind, "payload": payload}


def meta(session: str = "s1", at: str = AT, **more: Any) -> dict[str, Any]:
    return record("session_meta", {"id": session, "timestamp": AT, "cwd": "/w", **more}, at)


def item(kind: str, at: str = AT, **values: Any) -> dict[str, Any]:
    return record("response_item", {"type": kind, **values}, at)


def message(role: str, *texts: str, at: str = AT) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return item("message", at, role=role, content=[{"type": kind, "text": text} for text in texts])


def event(kind: str, at: str = AT, **values: Any) -> dict[str, Any]:
    return record("event_msg", {"type": kind, **values}, at)


def typed(text: str, at: str = AT) -> dict[str, Any]:
    return event("user_message", at, message=text, images=[])


def completed(kind: str, text: str) -> dict[str, Any]:
    return event("item_completed", item={"type": kind, "content": [{"type": "Text", "text": text}]})


def call(name: str, arguments: Any, identity: str = "c1") -> dict[str, Any]:
    return item("function_call", name=name, arguments=json.dumps(arguments), call_id=identity)


def custom(name: str, text: str, identity: str = "c1") -> dict[str, Any]:
    return item("custom_tool_call", name=name, input=text, call_id=identity)


def output(value: Any, identity: str = "c1") -> dict[str, Any]:
    return item("function_call_output", call_id=identity, output=value)


def as_lines(records: list[Any]) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in records)


def events(source: bytes | list[Any]) -> list[Any]:
    data = source if isinstance(source, bytes) else as_lines(source)
    return list(codex.read(io.BytesIO(data)))


def only(kind: type, told: list[Any]) -> list[Any]:
    return [one for one in told if isinstance(one, kind)]


def said(source: bytes | list[Any]) -> list[str]:
    """The words of every turn that stands at the end."""
    turns: list[UserWords] = []
    for told in events(source):
        if isinstance(told, UserWords):
            turns.append(told)
        elif isinstance(told, Retract):
            turns = [turn for turn in turns if turn.key != told.key]
    return [turn.text for turn in turns]


@pytest.mark.parametrize("case", sorted(path.name for path in FIXTURES.iterdir()))
def test_recorded(case: str) -> None:
    data = (FIXTURES / case / "transcript.jsonl").read_bytes()
    words = json.loads((FIXTURES / case / "words.json").read_text("utf-8"))
    assert [spoken.strip() for spoken in said(data)] == words
    assert sniff_format(data[:65536]) == "codex"


# ---------------------------------------------------------------------------------------------------------------------
# Places


def test_places() -> None:
    assert codex.find("/home/dev", {})[0] == "/home/dev/.codex/sessions/*/*/*/rollout-*.jsonl"
    assert codex.find("/home/dev", {"CODEX_HOME": "/srv/c"})[2] == "/srv/c/archived_sessions/rollout-*.jsonl"


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b'{"type":"user","uuid":"u","message":{}}\n',
        b'{"type":"session.start","data":{},"id":"1","timestamp":"t"}\n',
        b'{"sessionId":"s","messages":[]}',
    ],
)
def test_other_files_are_not_known(head: bytes) -> None:
    assert not codex.sniff(head)


def test_a_cut_first_line_and_a_bare_one_are_known() -> None:
    long_line = json.dumps(meta(base_instructions={"text": "x" * 70000}), separators=(",", ":")).encode()
    assert codex.sniff(long_line[:65536])
    assert codex.sniff(b'{"id":"s","timestamp":"t","instructions":null}\n')


# ---------------------------------------------------------------------------------------------------------------------
# One talk, four encodings

PROMPTS = ("fix X", "go", "go")
INJECTED = [
    message("developer", "<permissions instructions>be careful</permissions instructions>"),
    message("user", "# AGENTS.md instructions for /w\n\nuse tabs", "<environment_context>\n<cwd>/w</cwd>"),
    message("user", "<recommended_plugins>\nx\n</recommended_plugins>"),
]
ENCODINGS = {
    "events": lambda text: [typed(text)],
    "items and events": lambda text: [message("user", text), typed(text)],
    "events and items": lambda text: [typed(text), message("user", text)],
    "completed items": lambda text: [completed("UserMessage", text)],
    "items, completed items and events": lambda text: [
        message("user", text),
        completed("UserMessage", text),
        typed(text),
    ],
    "items": lambda text: [message("user", text)],
}
ANSWERS = {
    "events": [event("agent_message", message="done")],
    "items": [message("assistant", "done")],
    "both": [event("agent_message", message="done"), message("assistant", "done")],
    "all": [message("assistant", "done"), completed("AgentMessage", "done"), event("agent_message", message="done")],
}


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_encoding_gives_the_same_talk(encoding: str, answer: str) -> None:
    records = [meta(), *INJECTED]
    for prompt in PROMPTS:
        records += [*ENCODINGS[encoding](prompt), *ANSWERS[answer]]
    assert said(records) == list(PROMPTS)
    assert [told.text for told in only(AgentText, events(records))] == ["done"] * 3


def test_the_same_words_twice_in_a_row_are_two_turns() -> None:
    twice = [message("user", "go"), typed("go"), message("user", "go"), typed("go")]
    assert said([meta(), *twice]) == ["go", "go"]


def test_an_item_that_no_event_confirms_is_taken_back() -> None:
    records = [meta(), message("user", "[some blanked instructions]"), message("user", "fix X"), typed("fix X")]
    assert said(records) == ["fix X"]


def test_words_answered_before_the_first_event_stand() -> None:
    records = [meta(), message("user", "old"), message("assistant", "done"), message("user", "new"), typed("new")]
    assert said(records) == ["old", "new"]


def test_compaction_does_not_repeat_the_words() -> None:
    history = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "one"}]}]
    records = [meta()]
    for prompt in ("one", "two", "three"):
        records += [message("user", prompt), typed(prompt), message("assistant", "ok")]
    records += [record("compacted", {"message": "what was done", "replacement_history": history})]
    records += [message("user", "four"), typed("four")]
    assert said(records) == ["one", "two", "three", "four"]
    assert only(Summary, events(records)) == [Summary("", AT, "what was done")]


# ---------------------------------------------------------------------------------------------------------------------
# Whose words


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ("# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n## My request for Codex:\nfix it\n", ["fix it\n"]),
        ("\n# Files mentioned by the user:\n\n## a.png: /a.png\n\n## My request for Codex:\n\n", []),
        ("# Files mentioned by the user:\n\n## a.png: /a.png\n", []),
        ("# A heading of mine\n\ntext", ["# A heading of mine\n\ntext"]),
        ("## User Input\n\n```text\nadd login\n```\n\nbody", ["add login"]),
        ("\n## User Input\n\n```text\n\n```\n\nbody", []),
        ("PLEASE IMPLEMENT THIS PLAN:\n# Plan", ["PLEASE IMPLEMENT THIS PLAN:\n# Plan"]),
    ],
)
def test_what_stands_around_the_words(raw: str, words: list[str]) -> None:
    assert said([meta(), typed(raw)]) == words


def test_origins() -> None:
    records = [typed("hi"), typed("## User Input\n```text\nx\n```"), typed("PLEASE IMPLEMENT THIS PLAN:\n1")]
    assert [told.origin for told in only(UserWords, events([meta(), *records]))] == ["typed", "command", "injected"]


def test_injected_kinds_of_messages_are_nobodys() -> None:
    injected = record("event_msg", {"type": "user_message", "message": "be nice", "kind": "user_instructions"})
    assert said([meta(), injected, typed("hi")]) == ["hi"]


def test_every_answer_is_a_turn() -> None:
    given = {"answers": {"one": {"answers": ["Tabs"]}, "two": {"answers": ["Later", "user_note: next week"]}}}
    records = [meta(), typed("go"), call("request_user_input", {"questions": []}), output(json.dumps(given))]
    told = only(UserWords, events(records))
    assert [(one.key, one.origin, one.text) for one in told[1:]] == [
        ("line:4:1", "answer", "Tabs"),
        ("line:4:2", "answer", "Later"),
        ("line:4:3", "answer", "next week"),
    ]


def test_rolled_back_turns_are_abandoned() -> None:
    records = [meta(), typed("one"), message("assistant", "1"), typed("two"), typed("three")]
    rolled = [
        *records,
        event("thread_rolled_back", num_turns=2),
        typed("four"),
        event("thread_rolled_back", num_turns=9),
    ]
    assert only(Abandon, events(rolled)) == [Abandon(("line:4", "line:5")), Abandon(("line:2", "line:3", "line:7"))]
    assert said(rolled) == ["one", "two", "three", "four"]


def test_what_was_said_within_a_rolled_back_turn_goes_with_it() -> None:
    given = json.dumps({"answers": {"one": {"answers": ["Tabs"]}}})
    records = [meta(), typed("one"), call("request_user_input", {}), output(given), message("assistant", "ok")]
    told = events([*records, message("assistant", "more"), event("thread_rolled_back", num_turns=1)])
    assert only(Abandon, told) == [Abandon(("line:2", "line:3", "line:4:1", "line:5"))]


# ---------------------------------------------------------------------------------------------------------------------
# Sessions

LATER = "2026-01-01T10:05:00.000Z"


def copied_history() -> list[dict[str, Any]]:
    return [
        meta("s2"),
        meta("s1"),
        message("user", "old"),
        typed("old"),
        call("shell", {"command": ["ls"]}, "old-call"),
        output("x", "old-call"),
        message("assistant", "old answer"),
    ]


def test_copied_history_is_not_told_as_turns() -> None:
    records = [*copied_history(), message("user", "new", at=LATER), typed("new", at=LATER), message("assistant", "ok")]
    told = events(records)
    assert said(records) == ["new"]
    assert [one.text for one in only(AgentText, told)] == ["ok"]
    assert [one.id for one in only(ToolCall, told)] == ["old-call"]
    assert [(one.name, one.value) for one in only(Meta, told) if one.name in ("session_id", "parent")] == [
        ("session_id", "s2"),
        ("parent", "s1"),
    ]


def test_a_prompt_given_with_the_resumption_is_told() -> None:
    answer = message("assistant", "ok", at=LATER)
    assert said([*copied_history(), message("user", "new"), typed("new"), answer]) == ["new"]
    assert said([*copied_history(), typed("new")]) == ["new"]


def test_a_session_that_is_resumed_in_its_file_goes_on() -> None:
    records = [meta(), typed("one"), message("assistant", "1"), meta(at=LATER), typed("two", at=LATER)]
    assert said(records) == ["one", "two"]


def test_a_forked_session_names_its_parent() -> None:
    told = events([meta("s2", forked_from_id="s0"), meta("s1"), typed("old")])
    assert [one.value for one in only(Meta, told) if one.name == "parent"] == ["s0"]


def test_a_sub_agents_file_is_no_conversation() -> None:
    told = events([meta(source={"subagent": {"thread_spawn": {}}}), typed("do this"), message("assistant", "ok")])
    assert only(NoConversation, told) == [NoConversation("a sub-agent's own file")]
    assert [one.name for one in only(Meta, told)] == ["session_id", "started", "cwd"]
    assert only(UserWords, told) == []


@pytest.mark.parametrize("records", [[], [meta()], [meta(), *INJECTED], [meta(), event("task_started")]])
def test_files_without_a_conversation(records: list[Any]) -> None:
    assert only(NoConversation, events(records)) == [NoConversation("nobody speaks in it")]


def test_facts() -> None:
    git = {"commit_hash": "abc123", "branch": "main"}
    context = record("turn_context", {"cwd": "/w", "model": "gpt-x"})
    told = only(Meta, events([meta(cli_version="0.99.0", git=git), context, context, typed("hi")]))
    assert [(one.name, one.value) for one in told] == [
        ("session_id", "s1"),
        ("started", AT),
        ("agent_version", "0.99.0"),
        ("cwd", "/w"),
        ("branch", "main"),
        ("base", "abc123"),
        ("model", "gpt-x"),
    ]


def test_the_bare_form() -> None:
    context = "<environment_context>\nCurrent working directory: /w\nApproval policy: never\n</environment_context>"
    records = [
        {"id": "s1", "timestamp": AT, "instructions": None, "git": {"branch": "main"}},
        {"record_type": "state"},
        message("user", context)["payload"],
        message("user", "hi")["payload"],
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
        message("assistant", "ho")["payload"],
    ]
    told = events(records)
    assert [one.text for one in told if isinstance(one, (UserWords, AgentText, Reasoning))] == ["hi", "hm", "ho"]
    assert [(one.name, one.value) for one in only(Meta, told)] == [
        ("session_id", "s1"),
        ("started", AT),
        ("branch", "main"),
        ("cwd", "/w"),
    ]
    assert only(Skipped, told) == []


def test_tokens_are_those_of_the_whole_session() -> None:
    counts = {"input_tokens": 100, "cached_input_tokens": 60, "output_tokens": 7}
    records = [
        meta(),
        typed("hi"),
        event("token_count", info={"total_token_usage": {"input_tokens": 5}}),
        event("token_count", info={"total_token_usage": counts}),
        event("token_count", info=None),
    ]
    assert only(Usage, events(records)) == [Usage("total", 40, 7, 60, 0, total=True)]


# ---------------------------------------------------------------------------------------------------------------------
# Tools

PATCH = '*** Begin Patch\n*** Update File: a.py\n@@\n ctx\n-old\n+new "x"\n*** Add File: b.py\n+b\\n\n*** End Patch'
PATCHED = (Edit("a.py", "modified", "", (('new "x"',),)), Edit("b.py", "added", "", (("b\\n",),)))
ESCAPED = PATCH.replace("\\", "\\\\").replace("`", "\\`")
ARRAY = ",\n".join(json.dumps(line) for line in PATCH.split("\n"))


@pytest.mark.parametrize(
    "disguise",
    [
        custom("apply_patch", PATCH),
        call("apply_patch", {"input": PATCH}),
        call("shell", {"command": ["apply_patch", PATCH]}),
        call("shell", {"command": ["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}\nEOF\n"]}),
        call("exec_command", {"cmd": f"cd /w && apply_patch <<'EOF'\n{PATCH}\nEOF"}),
        custom("exec", f"const patch = {json.dumps(PATCH)};\nawait tools.apply_patch(patch);"),
        custom("exec", f"await tools.apply_patch(`{ESCAPED}`);"),
        custom("exec", f"await tools.apply_patch(String.raw`{PATCH}`);"),
        custom("exec", f'await tools.apply_patch([{ARRAY}].join("\\n"));'),
        item("local_shell_call", call_id="c1", action={"type": "exec", "command": ["apply_patch", PATCH]}),
    ],
)
def test_patches_in_every_disguise(disguise: dict[str, Any]) -> None:
    assert only(ToolCall, events([meta(), disguise]))[0].edits == PATCHED


def test_a_moved_and_a_deleted_file() -> None:
    patch = "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n+x\n*** Delete File: c\n*** End Patch"
    told = only(ToolCall, events([meta(), custom("apply_patch", patch)]))[0]
    assert told.edits == (Edit("b", "renamed", "a", (("x",),)), Edit("c", "deleted"))


def test_a_patch_that_is_only_written_down_is_no_edit() -> None:
    told = only(ToolCall, events([meta(), call("shell_command", {"command": f"cat > p <<'EOF'\n{PATCH}\nEOF"})]))[0]
    assert told.edits == ()


@pytest.mark.parametrize(
    ("arguments", "command", "read"),
    [
        ({"command": ["bash", "-lc", "sed -n '1,200p' src/a.py"]}, "sed -n '1,200p' src/a.py", ["src/a.py"]),
        ({"command": ["cat", "my file"]}, "cat 'my file'", ["my file"]),
        ({"cmd": "cat a.py b.py"}, "cat a.py b.py", ["a.py", "b.py"]),
        ({"command": "cat a.py | head"}, "cat a.py | head", []),
        ({"command": "sed -n 's/a/b/p' a.py"}, "sed -n 's/a/b/p' a.py", []),
        ({"cmd": "cat 'unclosed"}, "cat 'unclosed", []),
        ({"session_id": 3, "chars": ""}, "", []),
    ],
)
def test_command_lines_and_what_they_read(arguments: Any, command: str, read: list[str]) -> None:
    told = only(ToolCall, events([meta(), call("exec_command", arguments)]))[0]
    assert told.command == command
    assert told.edits == tuple(Edit(path, "read") for path in read)


def test_command_lines_of_a_script() -> None:
    script = 'const r = await tools.exec_command({"cmd":"go test ./...","yield_time_ms":1});\ntext(r); f({cmd: `ls`})'
    assert only(ToolCall, events([meta(), custom("exec", script)]))[0].command == "go test ./...\nls"


@pytest.mark.parametrize(
    ("value", "outcome", "code", "text"),
    [
        (json.dumps({"output": "hi", "metadata": {"exit_code": 0}}), "passed", 0, "hi"),
        (json.dumps({"output": "no", "metadata": {"exit_code": 2}}), "failed", 2, "no"),
        ("Exit code: 1\nWall time: 0.1 seconds\nOutput:\nExit code: 0\n", "failed", 1, None),
        ("Chunk ID: a1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nx", "passed", 0, None),
        ("Chunk ID: a1\nWall time: 9 seconds\nProcess running with session ID 7\nOutput:\nx", "unknown", None, None),
        ("failed in sandbox X with execution error: denied, exit code: 101", "failed", None, None),
        ("apply_patch verification failed: Failed to find lines", "failed", None, None),
        ("Success. Updated the following files:\nM a.py\n", "passed", None, None),
        ("Plan updated", "passed", None, None),
        ("some text, Exit code: 3", "unknown", None, None),
        ({"content": "hi", "success": False}, "failed", None, "hi"),
        ([{"type": "input_text", "text": "Script completed\n"}], "unknown", None, "Script completed\n"),
        ([{"type": "input_text", "text": '{"exit_code": 0}'}, {"type": "input_text", "text": '{"exit_code":4}'}],
         "failed", 4, None),
    ],
)  # fmt: skip
def test_outcomes(value: Any, outcome: str, code: int | None, text: str | None) -> None:
    told = only(ToolResult, events([meta(), call("shell", {"command": ["x"]}), output(value)]))[0]
    assert (told.id, told.outcome, told.exit_code) == ("c1", outcome, code)
    if text is not None:
        assert told.text == text


def test_what_an_event_knows_of_a_command() -> None:
    records = [
        meta(),
        call("shell", {"command": ["x"]}),
        event("exec_command_end", call_id="c1", exit_code=3),
        output("plain"),
        custom("apply_patch", PATCH, "c2"),
        event("patch_apply_end", call_id="c2", success=False),
        item("custom_tool_call_output", call_id="c2", output="plain"),
    ]
    assert [(one.outcome, one.exit_code) for one in only(ToolResult, events(records))] == [("failed", 3), ("failed", 1)]


def test_images_in_outputs_keep_their_kind_only() -> None:
    blocks = [{"type": "input_text", "text": "shot"}, {"type": "input_image", "image_url": "data:image/png;base64,AAA"}]
    told = only(ToolResult, events([meta(), call("view_image", {"path": "a"}), output(blocks)]))[0]
    assert (told.text, told.kind) == ("shot", "image/png")


def test_searches_without_an_id_are_no_calls() -> None:
    records = [meta(), item("web_search_call", action={"query": "x"}), item("tool_search_call", call_id="c1")]
    assert [(one.id, one.tool) for one in only(ToolCall, events(records))] == [("c1", "tool_search")]


def test_reasoning_is_told_once() -> None:
    thought = item("reasoning", summary=[{"type": "summary_text", "text": "**Look**"}], content=None)
    told = events([meta(), typed("hi"), event("agent_reasoning", text="**Look**"), thought])
    assert only(Reasoning, told) == [Reasoning("line:3", AT, "**Look**")]


def test_unknown_records_are_told() -> None:
    told = events([record("hologram", {}), item("dance"), event("sing"), event("sing_updated"), typed("hi")])
    assert only(Skipped, told) == [
        Skipped("unknown record type 'hologram'", 1),
        Skipped("unknown item type 'dance'", 2),
        Skipped("unknown event type 'sing'", 3),
    ]


# ---------------------------------------------------------------------------------------------------------------------
# Damage


def test_damage_hides_nothing_else() -> None:
    lines = as_lines([meta(), *(typed(f"word {number}") for number in range(1, 5))]).splitlines(keepends=True)
    lines[2] = b'{"type":"x","prN' + lines[2]
    lines.insert(2, b"\0" * 300 + b"\n")
    lines.insert(2, b"\n")
    lines[-1] = lines[-1][:40]
    told = events(b"".join(lines))
    assert [one.text for one in only(UserWords, told)] == ["word 1", "word 2", "word 3"]
    assert [(one.reason, one.line) for one in only(Skipped, told)] == [
        ("NUL bytes", 4),
        ("damaged record in front of an intact one", 5),
        ("not JSON", 7),
    ]


def test_separators_and_half_an_emoji_inside_a_text() -> None:
    words = "x\u2028y\u0085z"
    data = b"\xef\xbb\xbf" + json.dumps(typed(words), ensure_ascii=False).encode() + b"\n"
    assert said(data + as_lines([typed("cut \ud83d")])) == [words, "cut \ud83d"]


ODD: list[Any] = [None, 3, -1.5, True, "text", [], ["x", 1], {}, {"type": "text"}, {"0": []}]


@pytest.mark.parametrize("value", ODD, ids=repr)
def test_no_type_of_value_in_any_place_is_fatal(value: Any) -> None:
    whole = [
        meta(git={"branch": "main"}, source={"custom": "x"}),
        meta("s2"),
        *INJECTED,
        typed("hi"),
        completed("UserMessage", "hi"),
        call("shell", {"command": ["apply_patch", PATCH]}),
        event("exec_command_end", call_id="c1", exit_code=3),
        output([{"type": "input_text", "text": "x"}]),
        item("reasoning", summary=[{"text": "x"}]),
        event("token_count", info={"total_token_usage": {"input_tokens": 5}}),
        event("thread_rolled_back", num_turns=1),
        record("compacted", {"message": "x"}),
    ]
    for number, one in enumerate(whole):
        for swapped in with_each_value_swapped(one, value):
            events([*whole[:number], swapped, *whole[number + 1 :]])


def with_each_value_swapped(whole: Any, value: Any) -> list[Any]:
    """Copies of a JSON value with each of its places replaced once."""
    places = list(whole.items()) if isinstance(whole, dict) else list(enumerate(whole))
    copies = []
    for key, inner in places:
        for new in [value, *(with_each_value_swapped(inner, value) if isinstance(inner, (dict, list)) else [])]:
            copy = whole.copy()
            copy[key] = new
            copies.append(copy)
    return copies
