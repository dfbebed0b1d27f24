"""Claude Code's transcripts: whose words, which calls, what was rewound, and files that are damaged."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from session_frames.transcripts import claude_code, sniff_format
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

FIXTURES = Path(__file__).parent / "transcripts" / "claude-code"
ENVELOPE = {"sessionId": "s1", "timestamp": "2026-01-01T10:00:00.000Z", "isSidechain": False}


def user(uuid: str, content: Any, parent: str | None = None, **more: Any) -> dict[str, Any]:
    message = {"role": "user", "content": content}
    return {**ENVELOPE, "type": "user", "uuid": uuid, "parentUuid": parent, "message": message, **more}


def agent(uuid: str, *blocks: dict[str, Any], parent: str | None = None, **more: Any) -> dict[str, Any]:
    message = {"id": f"msg-{uuid}", "role": "assistant", "model": "claude-x", "content": list(blocks), **more}
    return {**ENVELOPE, "type": "assistant", "uuid": uuid, "parentUuid": parent, "message": message}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(name: str, identity: str, **values: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": identity, "name": name, "input": values}


def result(identity: str, content: Any, *, failed: bool = False) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": identity, "content": content, "is_error": failed}


def queue(operation: str, content: str | None = None, **more: Any) -> dict[str, Any]:
    record = {"type": "queue-operation", "operation": operation, "sessionId": "s1", **more}
    return record if content is None else {**record, "content": content}


def queued(uuid: str, prompt: str, **more: Any) -> dict[str, Any]:
    attachment = {"type": "queued_command", "prompt": prompt, **more}
    return {**ENVELOPE, "type": "attachment", "uuid": uuid, "attachment": attachment}


def as_lines(records: list[Any]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def events(source: bytes | list[Any]) -> list[Any]:
    data = source if isinstance(source, bytes) else as_lines(source)
    return list(claude_code.read(io.BytesIO(data)))


def only(kind: type, told: list[Any]) -> list[Any]:
    return [event for event in told if isinstance(event, kind)]


def said(source: bytes | list[Any]) -> list[tuple[str, str]]:
    """(origin, words) of every turn that stands at the end."""
    turns: list[UserWords] = []
    for event in events(source):
        if isinstance(event, UserWords):
            turns.append(event)
        elif isinstance(event, Retract):
            turns = [turn for turn in turns if turn.key != event.key]
    return [(turn.origin, turn.text) for turn in turns]


@pytest.mark.parametrize("case", sorted(path.name for path in FIXTURES.iterdir()))
def test_recorded(case: str) -> None:
    data = (FIXTURES / case / "transcript.jsonl").read_bytes()
    words = json.loads((FIXTURES / case / "words.json").read_text("utf-8"))
    assert [spoken.strip() for _, spoken in said(data)] == words
    assert sniff_format(data[:65536]) == "claude-code"
    assert only(Abandon, events(data)) == []


# ---------------------------------------------------------------------------------------------------------------------
# Places


def test_places_are_below_the_home() -> None:
    patterns = claude_code.find("/home/dev", {})
    assert "/home/dev/.claude/projects/*/*.jsonl" in patterns


def test_a_configured_place_counts_alone_and_literally() -> None:
    assert claude_code.find("/home/dev", {"CLAUDE_CONFIG_DIR": "/srv/[x]"}) == ["/srv/[[]x]/projects/*/*.jsonl"]


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"not json\n",
        b'{"timestamp":"t","type":"response_item","payload":{}}\n',
        b'{"type":"session.start","data":{},"id":"1","timestamp":"t"}\n',
        b'{"sessionId":"s","messages":[]}',
        b'{"type":"user","uuid":"u","message":{"role":"user","parts":[{"text":"hi"}]}}\n',
    ],
)
def test_other_files_are_not_known(head: bytes) -> None:
    assert not claude_code.sniff(head)


def test_one_long_cut_line_is_known() -> None:
    line = as_lines([user("u1", "x" * 70000)])
    assert claude_code.sniff(line[:65536])


# ---------------------------------------------------------------------------------------------------------------------
# Whose words


def test_queued_words_delivered_by_an_attachment_are_one_turn() -> None:
    records = [
        user("u1", "fix login"),
        agent("a1", call("Bash", "c1", command="ls")),
        queue("enqueue", "keep the old URL too"),
        queued("q1", "keep the old URL too"),
    ]
    assert said(records) == [("typed", "fix login"), ("queued", "keep the old URL too")]
    assert only(UserWords, events(records))[1].key == "q1"


@pytest.mark.parametrize("reason", [{}, {"reason": "absorbed_mid_turn"}])
def test_queued_words_taken_up_by_the_running_turn_are_a_turn(reason: dict[str, str]) -> None:
    records = [user("u1", "fix login"), queue("enqueue", "keep it"), queue("remove", **reason), agent("a1", text("ok"))]
    assert said(records) == [("typed", "fix login"), ("queued", "keep it")]
    told = only(UserWords, events(records))[1]
    assert told.key == "queue:2"


def test_queued_words_repeated_as_a_prompt_are_one_turn() -> None:
    records = [user("u1", "fix login"), queue("enqueue", "keep it"), queue("dequeue"), user("u2", "keep it")]
    assert said(records) == [("typed", "fix login"), ("typed", "keep it")]
    without_dequeue = [user("u1", "fix login"), queue("enqueue", "keep it"), user("u2", "keep it")]
    assert said(without_dequeue) == [("typed", "fix login"), ("typed", "keep it")]


def test_removed_then_attached_words_are_told_where_they_were_delivered() -> None:
    records = [
        user("u1", "fix login"),
        queue("enqueue", "keep it"),
        queue("remove", "keep it"),
        agent("a1", text("working")),
        queued("q1", "keep it"),
    ]
    assert said(records) == [("typed", "fix login"), ("queued", "keep it")]
    assert Retract("queue:2") in events(records)


@pytest.mark.parametrize("taken_back", [queue("popAll"), queue("remove", reason="user_cancelled")])
def test_queued_words_taken_back_are_no_turn(taken_back: dict[str, Any]) -> None:
    assert said([user("u1", "fix login"), queue("enqueue", "keep it"), taken_back]) == [("typed", "fix login")]


def test_words_that_were_never_delivered_are_the_last_turn() -> None:
    records = [user("u1", "fix login"), queue("enqueue", "keep it"), agent("a1", text("done"))]
    assert said(records) == [("typed", "fix login"), ("queued", "keep it")]


def test_a_queued_command_is_told_by_its_own_record_and_a_path_is_none() -> None:
    records = [
        user("u1", "start"),
        queue("enqueue", "/review it"),
        queue("remove"),
        queue("enqueue", "/tmp/log has it"),
    ]
    assert said([*records, queue("remove")]) == [("typed", "start"), ("queued", "/tmp/log has it")]


def test_the_same_words_typed_later_do_not_take_the_queued_ones_back() -> None:
    records = [
        user("u1", "start"),
        queue("enqueue", "go"),
        queue("remove"),
        user("u2", "something else"),
        user("u3", "go"),
    ]
    assert [spoken for _, spoken in said(records)] == ["start", "go", "something else", "go"]


@pytest.mark.parametrize(
    "attachment",
    [
        {"type": "file", "content": "keep it"},
        {"type": "queued_command", "prompt": "keep it", "commandMode": "task-notification"},
        {"type": "queued_command", "prompt": "keep it", "origin": {"kind": "task-notification"}},
        {"type": "queued_command", "prompt": "<task-notification>\nkeep it</task-notification>"},
    ],
)
def test_other_attachments_are_no_turns(attachment: dict[str, Any]) -> None:
    record = {**ENVELOPE, "type": "attachment", "uuid": "x", "attachment": attachment}
    assert said([user("u1", "fix login"), record]) == [("typed", "fix login")]


def test_what_the_program_writes_is_nobodys_words() -> None:
    records = [
        user("m1", "<local-command-caveat>Caveat: The messages below</local-command-caveat>", isMeta=True),
        user("m2", "<command-name>/model</command-name>\n<command-message>model</command-message>"),
        user("m3", "<local-command-stdout>Set model</local-command-stdout>"),
        user("m4", "Search the code", isSidechain=True),
        agent("a1", call("Read", "c1", file_path="/a")),
        user("m5", [result("c1", "the file")]),
        user("m6", "[Request interrupted by user]"),
        user("m7", "<task-notification>\ndone</task-notification>", origin={"kind": "task-notification"}),
        user(
            "u1",
            "<command-message>review</command-message>\n<command-name>/review</command-name>\n"
            "<command-args>review the parser</command-args>",
        ),
        user("u2", "Fix <div> parsing"),
        user("u3", "<div> is broken"),
    ]
    assert said(records) == [
        ("command", "/review review the parser"),
        ("typed", "Fix <div> parsing"),
        ("typed", "<div> is broken"),
    ]


def test_a_bare_command_is_told_when_it_starts_a_prompt() -> None:
    message_first = "<command-message>init is analyzing</command-message>\n<command-name>/init</command-name>"
    assert said([user("u1", message_first)]) == [("command", "/init")]
    name_first = "<command-name>/init</command-name>\n<command-message>init</command-message>"
    assert said([user("u1", name_first), user("m1", "Please analyze", isMeta=True)]) == [("command", "/init")]
    assert said([user("u1", name_first), user("u2", "hello")]) == [("typed", "hello")]


def test_a_skill_that_the_agent_calls_is_no_command_of_the_person() -> None:
    unfolded = "<command-message>pdf is running</command-message>\n<command-name>pdf</command-name>"
    records = [
        user("u1", "make a pdf"),
        agent("a1", call("Skill", "c1", skill="pdf")),
        user("r1", [result("c1", "Launching skill: pdf")]),
        user("m1", unfolded),
        user("m2", "Base directory for this skill: /x", sourceToolUseID="c1"),
        agent("a2", text("done")),
        user("u2", unfolded),
    ]
    assert said(records) == [("typed", "make a pdf"), ("command", "/pdf")]


def test_blocks_beside_typed_text_are_cut_out() -> None:
    blocks = [
        text("<ide_opened_file>The user opened a.py</ide_opened_file>"),
        text("<system-reminder>\nbe nice\n</system-reminder>\nfirst line"),
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
        text("second line <system-reminder>x</system-reminder>"),
    ]
    assert said([user("u1", blocks)]) == [("typed", "first line\nsecond line")]


def test_only_an_image_is_no_turn() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
    assert said([user("u1", [image]), user("u2", "see above")]) == [("typed", "see above")]


def test_the_reason_of_a_refusal_is_an_answer() -> None:
    refusal = (
        "The user doesn't want to proceed with this tool use. The tool use was rejected. "
        "To tell you how to proceed, the user said:\nuse tabs, not spaces"
    )
    records = [agent("a1", call("Edit", "c1", file_path="/a")), user("r1", [result("c1", refusal, failed=True)])]
    assert said(records) == [("answer", "use tabs, not spaces")]
    assert only(ToolResult, events(records))[0].outcome == "failed"


@pytest.mark.parametrize(
    "output",
    [
        "The user doesn't want to proceed with this tool use. STOP what you are doing and wait for the user",
        "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n"
        "The user wants to clarify these questions.",
        "<tool_use_error>grep says: the user said:\nhello</tool_use_error>",
    ],
)
def test_a_refusal_without_a_reason_is_no_turn(output: str) -> None:
    records = [agent("a1", call("Bash", "c1", command="x")), user("r1", [result("c1", output, failed=True)])]
    assert said(records) == []


def test_every_answer_of_a_question_box_is_a_turn() -> None:
    questions = [{"question": "Which one?"}, {"question": 'And "how"?'}]
    sentence = (
        'User has answered your questions: "Which one?"="the "first", please", "And "how"?"="slowly". '
        "You can now continue with the user's answers in mind."
    )
    given = {"questions": questions, "answers": {"Which one?": 'the "first", please', 'And "how"?': "slowly"}}
    records = [agent("a1", call("AskUserQuestion", "c1", questions=questions)), user("r1", [result("c1", sentence)])]
    expected = [("answer", 'the "first", please'), ("answer", "slowly")]
    assert said(records) == expected  # cut out of the sentence
    records[1]["toolUseResult"] = given
    assert said(records) == expected
    assert [event.key for event in only(UserWords, events(records))] == ["r1", "r1:2"]


def test_an_accepted_plan_is_told_as_injected() -> None:
    assert said([user("u1", "Implement the following plan:\n\n# Plan")]) == [
        ("injected", "Implement the following plan:\n\n# Plan")
    ]
    approved = [agent("a1", call("ExitPlanMode", "c1", plan="p")), user("r1", [result("c1", "User has approved")])]
    assert said(approved) == []


def test_compaction_is_a_summary() -> None:
    records = [
        user("u1", "fix login"),
        agent("a1", text("done"), parent="u1"),
        user("u2", "<command-name>/compact</command-name>\n<command-args>keep X</command-args>", "a1"),
        {**ENVELOPE, "type": "system", "subtype": "compact_boundary", "uuid": "b1", "parentUuid": None},
        user("s1", "This session is being continued from a previous conversation", "b1", isCompactSummary=True),
        user("u3", "go on", "s1"),
    ]
    told = events(records)
    assert said(records) == [("typed", "fix login"), ("command", "/compact keep X"), ("typed", "go on")]
    assert [event.text for event in only(Summary, told)] == [
        "This session is being continued from a previous conversation"
    ]
    assert only(Abandon, told) == []


# ---------------------------------------------------------------------------------------------------------------------
# The agent


def test_one_message_in_several_lines() -> None:
    usage = [{"output_tokens": 1}, {"output_tokens": 1}, {"output_tokens": 159, "input_tokens": 7}]
    lines = [
        agent("a1", {"type": "thinking", "thinking": "hm", "signature": "s"}, usage=usage[0]),
        agent("a2", text("I will look."), usage=usage[1]),
        agent("a3", call("Bash", "c1", command="ls -l"), usage=usage[2]),
    ]
    for line in lines:
        line["message"]["id"] = "m1"
    told = events([user("u1", "look"), lines[0], lines[1], lines[1], lines[2]])
    assert only(Reasoning, told) == [Reasoning("a1", ENVELOPE["timestamp"], "hm")]
    assert only(AgentText, told) == [AgentText("a2", ENVELOPE["timestamp"], "I will look.")]
    assert [(one.id, one.command) for one in only(ToolCall, told)] == [("c1", "ls -l")]
    assert only(Usage, told)[-1] == Usage("m1", 7, 159)
    assert {one.key for one in only(Usage, told)} == {"m1"}


def test_what_the_client_writes_as_the_agent_is_not_told() -> None:
    error = agent("a1", text("API Error: 500"), model="<synthetic>")
    told = events([user("u1", "hello"), error])
    assert only(AgentText, told) == []
    assert [meta for meta in only(Meta, told) if meta.name == "model"] == []


def test_edits_come_from_the_structured_result() -> None:
    patch = [{"oldStart": 1, "lines": [" a", "-b", "+c", "+d", " e", "+f"]}]
    records = [
        agent("a1", call("Edit", "c1", file_path="/x.py", old_string="b", new_string="c\nd")),
        user("r1", [result("c1", "updated")], toolUseResult={"filePath": "/x.py", "structuredPatch": patch}),
        agent("a2", call("Write", "c2", file_path="/new.py", content="one\ntwo\n")),
        user("r2", [result("c2", "ok")], toolUseResult={"type": "create", "structuredPatch": []}),
    ]
    told = only(ToolResult, events(records))
    assert told[0].edits == (Edit("/x.py", "modified", "", (("c", "d"), ("f",))),)
    assert told[1].edits == (Edit("/new.py", "added", "", (("one", "two"),)),)


@pytest.mark.parametrize(
    ("name", "values", "edits"),
    [
        ("Read", {"file_path": "/a"}, (Edit("/a", "read"),)),
        ("Edit", {"file_path": "/a", "old_string": "x\ny", "new_string": "x\nz"}, (("z",),)),
        ("MultiEdit", {"file_path": "/a", "edits": [{"old_string": "", "new_string": "p"}, 3]}, (("p",),)),
        ("NotebookEdit", {"notebook_path": "/a", "new_source": "q"}, (("q",),)),
        ("Write", {"file_path": "/a", "content": "r"}, (("r",),)),
        ("Grep", {"path": "/a"}, ()),
    ],
)
def test_edits_as_far_as_the_input_tells(name: str, values: dict[str, Any], edits: Any) -> None:
    told = only(ToolCall, events([agent("a1", call(name, "c1", **values))]))[0]
    is_edit = bool(edits) and not isinstance(edits[0], Edit)
    assert told.edits == ((Edit("/a", "modified", "", edits),) if is_edit else edits)


def test_outcomes() -> None:
    records = [
        agent("a1", *(call("Bash", f"c{number}", command="x") for number in range(4))),
        user("r0", [result("c0", "Exit code 101\nerror", failed=True)]),
        user("r1", [result("c1", "fine")], toolUseResult={"stdout": "fine", "interrupted": False}),
        user("r2", [result("c2", "running")], toolUseResult={"backgroundTaskId": "b1"}),
        user("r3", [result("c3", "stopped")], toolUseResult={"interrupted": True}),
    ]
    told = [(one.outcome, one.exit_code) for one in only(ToolResult, events(records))]
    assert told == [("failed", 101), ("passed", None), ("unknown", None), ("failed", None)]


def test_images_in_results_keep_their_kind_only() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * 5000}}
    told = only(ToolResult, events([user("r1", [result("c1", [text("shot"), image])])]))[0]
    assert (told.text, told.kind) == ("shot", "image/png")


def test_titles() -> None:
    summary = {"type": "summary", "summary": "Own", "leafUuid": "u1"}
    foreign = {"type": "summary", "summary": "Foreign", "leafUuid": "elsewhere"}
    generated = {"type": "ai-title", "aiTitle": "Generated", "sessionId": "s1"}
    custom = {"type": "custom-title", "customTitle": "Chosen", "sessionId": "s1"}

    def titles(*records: Any) -> list[str]:
        return [meta.value for meta in only(Meta, events([*records, user("u1", "hi")])) if meta.name == "title"]

    assert titles(foreign) == []
    assert titles(summary, foreign) == ["Own"]
    assert titles(summary, generated) == ["Generated"]
    assert titles(custom, summary, generated) == ["Chosen"]


def test_facts_are_told_when_they_change() -> None:
    first = user("u1", "hi", cwd="/a", gitBranch="main", version="2.1.0")
    second = user("u2", "ho", cwd="/b", gitBranch="main", version="2.1.0", sessionId="s2")
    metas = only(Meta, events([first, first, second]))
    assert [(meta.name, meta.value) for meta in metas] == [
        ("agent_version", "2.1.0"),
        ("cwd", "/a"),
        ("branch", "main"),
        ("started", ENVELOPE["timestamp"]),
        ("cwd", "/b"),
        ("session_id", "s2"),
        ("parent", "s1"),
    ]


def test_a_resumed_session_copied_into_a_new_file_names_both() -> None:
    answer = agent("a1", text("ho"))
    answer["sessionId"] = "s2"
    metas = only(Meta, events([user("u1", "hi"), answer, user("u2", "on", sessionId="s2")]))
    named = [(meta.name, meta.value) for meta in metas if meta.name in ("session_id", "parent")]
    assert named == [("session_id", "s2"), ("parent", "s1")]


# ---------------------------------------------------------------------------------------------------------------------
# Trees


def test_a_rewound_prompt_is_abandoned() -> None:
    records = [
        user("u1", "set up storage"),
        agent("a1", text("Which?"), parent="u1"),
        user("u2", "use MySQL", "a1"),
        agent("a2", text("MySQL it is"), parent="u2"),
        user("v2", "use SQLite", "a1"),
        agent("b2", text("SQLite it is"), parent="v2"),
    ]
    assert only(Abandon, events(records)) == [Abandon(("u2", "a2"))]
    assert [spoken for _, spoken in said(records)] == ["set up storage", "use MySQL", "use SQLite"]


def test_a_rewind_through_hook_records_is_seen() -> None:
    hook = {**ENVELOPE, "type": "system", "subtype": "stop_hook_summary", "uuid": "h1", "parentUuid": "a1"}
    records = [
        user("u1", "one"),
        agent("a1", text("1"), parent="u1"),
        user("u2", "two", "a1"),
        hook,
        user("v2", "too", "h1"),
    ]
    assert only(Abandon, events(records)) == [Abandon(("u2",))]


def test_parallel_calls_are_no_rewind() -> None:
    records = [
        user("u1", "read both"),
        agent("a1", call("Read", "c1", file_path="/a"), parent="u1"),
        agent("a2", call("Read", "c2", file_path="/b"), parent="a1"),
        user("r2", [result("c2", "b")], "a2"),
        user("r1", [result("c1", "a")], "a1"),
        agent("a3", text("read"), parent="r2"),
        user("u2", "thanks", "a3"),
    ]
    told = events(records)
    assert only(Abandon, told) == []
    assert [one.id for one in only(ToolResult, told)] == ["c2", "c1"]


def test_missing_parents_lose_nothing() -> None:
    records = [
        user("u1", "one"),
        agent("a1", text("1"), parent="u1"),
        {**ENVELOPE, "type": "attachment", "uuid": "h", "parentUuid": "a1", "attachment": {"type": "hook_success"}},
        user("u2", "two", "h"),
        {"type": "file-history-snapshot", "messageId": "u2", "snapshot": {}},
        agent("a2", text("2"), parent="never-written"),
        user("u3", "three", "a2", sessionId="s2"),
        agent("a3", text("3"), parent="u3"),
    ]
    told = events(records)
    assert [one.text for one in told if isinstance(one, (UserWords, AgentText))] == [
        "one", "1", "two", "2", "three", "3",
    ]  # fmt: skip
    assert only(Abandon, told) == []
    assert only(Skipped, told) == [Skipped("missing parent", 6)]


def test_prompts_without_parents_are_no_rewind() -> None:
    assert only(Abandon, events([user("u1", "one"), user("u2", "two"), agent("a", text("x"), parent="u2")])) == []


def test_parents_in_a_circle_do_not_hang() -> None:
    records = [user("u1", "one", "a1"), agent("a1", text("x"), parent="u1"), user("u2", "two", "a1")]
    assert only(Abandon, events(records)) == []


# ---------------------------------------------------------------------------------------------------------------------
# Files


@pytest.mark.parametrize(
    ("records", "why"),
    [
        ([], "nobody speaks in it"),
        ([{"type": "teleported-from", "remoteSessionId": "r"}], "nobody speaks in it"),
        ([user("m1", "<local-command-stdout>x</local-command-stdout>")], "nobody speaks in it"),
        ([user("u1", "run it", isSidechain=True, agentId="x")], "a sub-agent's own file"),
    ],
)
def test_files_without_a_conversation(records: list[Any], why: str) -> None:
    told = events(records)
    assert only(NoConversation, told) == [NoConversation(why)]
    assert only(UserWords, told) == []


def test_side_lines_in_a_parents_file_are_passed_over() -> None:
    side = agent("x1", text("inside"), call("Bash", "c9", command="ls"))
    side["isSidechain"] = True
    told = events([user("u1", "go"), side, agent("a1", text("done"))])
    assert [one.text for one in only(AgentText, told)] == ["done"]
    assert only(ToolCall, told) == []
    assert only(Skipped, told) == []


def test_unknown_records_are_told() -> None:
    told = events([{"type": "hologram", "uuid": "x"}, agent("a1", {"type": "dance"})])
    assert only(Skipped, told) == [
        Skipped("unknown record type 'hologram'", 1),
        Skipped("unknown block type 'dance'", 2),
    ]


def test_a_message_spread_to_characters_is_skipped() -> None:
    spread = agent("a1", text("x"))
    spread["message"].update({"0": "e", "1": "v"})
    told = events([user("u1", "go"), spread])
    assert only(Skipped, told) == [Skipped("damaged message", 2)]
    assert only(AgentText, told) == []


FIVE = [user(f"u{number}", f"word {number}") for number in range(1, 6)]


def damaged(change: str) -> bytes:
    lines = as_lines(FIVE).splitlines(keepends=True)
    if change == "cut tail":
        lines[4] = lines[4][: len(lines[4]) // 2]
    elif change == "NUL line":
        lines.insert(2, b"\0" * 300 + b"\n")
    elif change == "stub":
        lines[2] = b'{"type":"x","prN' + lines[2]
    elif change == "blank line":
        lines.insert(2, b"\n")
    elif change == "NUL tail":
        lines.append(b"\0" * 1700)
    elif change == "BOM":
        lines[0] = b"\xef\xbb\xbf" + lines[0]
    return b"".join(lines)


@pytest.mark.parametrize(
    ("change", "found", "skipped"),
    [
        ("cut tail", 4, [("not JSON", 5)]),
        ("NUL line", 5, [("NUL bytes", 3)]),
        ("stub", 5, [("damaged record in front of an intact one", 3)]),
        ("blank line", 5, []),
        ("NUL tail", 5, [("NUL bytes", 6)]),
        ("BOM", 5, []),
    ],
)
def test_damage_hides_nothing_else(change: str, found: int, skipped: list[tuple[str, int]]) -> None:
    told = events(damaged(change))
    assert [one.text for one in only(UserWords, told)] == [f"word {number}" for number in range(1, found + 1)]
    assert [(one.reason, one.line) for one in only(Skipped, told)] == skipped
    assert claude_code.sniff(damaged(change))


def test_line_separators_inside_a_text_are_text() -> None:
    words = "x\u2028y\u2029z\u0085w\x1cv"
    data = json.dumps(user("u1", words), ensure_ascii=False).encode() + b"\n" + as_lines([user("u2", "next")])
    assert said(data) == [("typed", words), ("typed", "next")]


def test_half_an_emoji_survives() -> None:
    assert said(b'{"type":"user","uuid":"u1","message":{"content":"cut \\ud83d"}}\n') == [("typed", "cut \ud83d")]


@pytest.mark.parametrize("indent", [None, 2])
def test_the_web_document_is_read_like_lines(indent: int | None) -> None:
    document = {"loglines": [user("u1", "hi"), 7, agent("a1", text("ho"))]}
    data = json.dumps(document, indent=indent).encode()
    told = events(data)
    assert claude_code.sniff(data)
    assert [one.text for one in told if isinstance(one, (UserWords, AgentText))] == ["hi", "ho"]
    assert only(Skipped, told) == [Skipped("not a JSON object", 2)]


def test_a_broken_web_document_is_told() -> None:
    assert only(Skipped, events(b'{"loglines": [')) == [Skipped("not JSON", 0)]


ODD: list[Any] = [None, 3, -1.5, True, "text", [], ["x", 1], {}, {"type": "text"}, {"0": []}]


@pytest.mark.parametrize("value", ODD, ids=repr)
def test_no_type_of_value_in_any_place_is_fatal(value: Any) -> None:
    whole = [
        user("u1", [text("hi"), result("c1", "x")], toolUseResult={"answers": {"q": "a"}, "structuredPatch": [{}]}),
        agent("a1", call("Edit", "c1", file_path="/a", old_string="a", new_string="b"), usage={"output_tokens": 1}),
        queue("enqueue", "later"),
        queued("q1", "now"),
        {"type": "summary", "summary": "s", "leafUuid": "u1"},
    ]
    for number, record in enumerate(whole):
        for swapped in with_each_value_swapped(record, value):
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
