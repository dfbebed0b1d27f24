"""Exports: valid in the makers' eyes, and every word comes back through our own readers."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import corpus
import jsonschema
import pytest
from command_line import Session, git, out

from session_frames.model import Call, Frame, Turn
from session_frames.operations.anchors import run_anchor
from session_frames.operations.assemble import assemble
from session_frames.operations.compose import compose
from session_frames.operations.exchange import EXPORTS, is_frame_text
from session_frames.operations.export_agent_trace import VENDOR_KEY, Revision, trace_of_frame
from session_frames.operations.redact import DEFAULT
from session_frames.transcripts import get_format, sniff_format
from session_frames.transcripts.model_names import with_maker
from session_frames.transcripts.session_steps import NO_RESULT

TALKS = ("atif", "openai-messages", "anthropic-messages", "langchain")

LONG = {"elided": {"size": 900, "digest": "e" * 32, "head": "first words", "tail": "last words"}}


def frame(**more: Any) -> Frame:
    turns = [
        Turn(id="u1", role="user", at="2026-06-02T10:00:00Z", text="add login\n", origin="typed"),
        Turn(
            id="a1",
            role="agent",
            at="2026-06-02T12:00:05+02:00",
            text="First I look.\n\nNow I write.",
            reasoning="what would be best?",
            tokens={"input": 10, "output": 5, "cache_read": 100, "cache_write": 20},
            calls=[
                Call(
                    id="c1",
                    tool="Read",
                    after=13,
                    arguments={"file_path": "login.py"},
                    outcome="passed",
                    result={"size": 9000, "digest": "d" * 32, "head": "def one():", "tail": "    pass"},
                ),
                Call(id="c2", tool="Write", after=27, arguments={"content": LONG}, outcome="pending"),
                Call(id="c3", tool="Bash", after=27, outcome="failed", result={"size": 4, "head": "boom"}),
            ],
        ),
        Turn(id="u2", role="user", text="no", thread="rewound-1", pinned=True),
        Turn(id="i1", role="system", text="## Contract", origin="injected"),
        Turn(id="u3", role="user", text="/commit now", origin="command"),
        Turn(id="a2", role="agent", text="Done \U0001f600."),
    ]
    return Frame(
        **{
            "frame": "1.0",
            "id": "7f3a9c" + "0" * 18,
            "topic": "login",
            "status": "closed",
            "session": {"agent": "codex", "agent_version": "0.140.0", "session_id": "s1", "models": ["gpt-5"]},
            "boundary": {"ended_at": "2026-06-02T10:09:00Z"},
            "turns": turns,
            "threads": [{"name": "rewound-1", "status": "abandoned"}],
            **more,
        }  # type: ignore[typeddict-item]
    )


def words(turns: list[Turn]) -> list[tuple[str, str]]:
    """Who said what, in order; what follows in the same role makes one turn when it is read."""
    told: list[tuple[str, str]] = []
    for turn in turns:
        text = turn.get("text", "").strip()
        if turn["role"] == "system" or not text:
            continue
        if told and told[-1][0] == turn["role"] == "agent":
            told[-1] = ("agent", f"{told[-1][1]}\n\n{text}")
        else:
            told.append((turn["role"], text))
    return told


def read_back(form: str, text: str) -> list[Turn]:
    data = text.encode("utf-8")
    found = sniff_format(data[: 64 << 10])
    # Words of a person alone are the same in both of the two.
    assert found == form or (b'"role": "assistant"' not in data and {found, form} < {*TALKS})
    assembled = assemble(get_format(form).read(io.BytesIO(data)), policy=None)
    assert assembled.skipped_records == []
    return assembled.turns


@pytest.mark.parametrize("form", TALKS)
def test_every_word_comes_back_in_order(form: str) -> None:
    told = frame()
    back = read_back(form, EXPORTS[form](told))
    assert words(back) == words(told["turns"])
    calls = [call for turn in back for call in turn.get("calls", [])]
    assert [(call["id"], call["tool"]) for call in calls] == [("c1", "Read"), ("c2", "Write"), ("c3", "Bash")]


def recorded() -> list[tuple[str, Path]]:
    return [(name, path) for name, path, _ in corpus.cases()]


@pytest.mark.skipif(not recorded(), reason="the corpus of recorded transcripts (../shared/corpus) is not beside this")
@pytest.mark.parametrize("form", TALKS)
def test_every_word_of_recorded_sessions_comes_back(form: str) -> None:
    for name, path in recorded():
        assembled = assemble(get_format(name).read(io.BytesIO(path.read_bytes())))
        if assembled.no_conversation or not assembled.turns:
            continue
        told = compose(assembled, name, DEFAULT)
        assert words(read_back(form, EXPORTS[form](told))) == words(told["turns"]), path


@pytest.mark.parametrize("form", [*TALKS, "agent-trace"])
def test_an_export_is_no_frame_and_says_so_by_its_content(form: str) -> None:
    text = EXPORTS[form](frame())
    assert not is_frame_text(text.encode()[:4096])
    assert text.endswith("\n")
    assert EXPORTS[form](frame()) == text


# ---------------------------------------------------------------------------------------------------------------------
# ATIF


def trajectory(told: Frame) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(EXPORTS["atif"](told))
    return loaded


def test_the_makers_package_takes_the_trajectory() -> None:
    atif = pytest.importorskip("atif")
    atif.Trajectory.model_validate(trajectory(frame()))
    atif.Trajectory.model_validate(trajectory(Frame(frame="1.0", id="0" * 24, topic="t", status="closed", turns=[])))


@pytest.mark.skipif(not recorded(), reason="the corpus of recorded transcripts (../shared/corpus) is not beside this")
def test_the_makers_package_takes_recorded_sessions() -> None:
    atif = pytest.importorskip("atif")
    for name, path in recorded():
        assembled = assemble(get_format(name).read(io.BytesIO(path.read_bytes())))
        if not assembled.no_conversation:
            atif.Trajectory.model_validate(trajectory(compose(assembled, name, DEFAULT)))


def test_a_call_and_its_result_stand_in_one_step() -> None:
    steps = trajectory(frame())["steps"]
    assert [step["message"] for step in steps[1:3]] == ["First I look.", "Now I write."]
    assert steps[1]["observation"]["results"][0]["source_call_id"] == "c1"
    assert steps[1]["reasoning_content"] == "what would be best?"
    assert "reasoning_content" not in steps[2]
    # The counts are of the turn: with its last step, the cached ones counted in.
    assert steps[2]["metrics"] == {"prompt_tokens": 130, "completion_tokens": 5, "cached_tokens": 100}
    assert steps[1]["timestamp"] == "2026-06-02T10:00:05.000Z"
    assert "timestamp" not in steps[3]


def test_what_is_not_whole_is_said_and_nothing_is_made_up() -> None:
    steps = trajectory(frame())["steps"]
    read, (write, shell) = steps[1]["tool_calls"][0], steps[2]["tool_calls"]
    assert read["extra"]["frames"] == {"outcome": "passed", "cut": {"result": {"size": 9000, "digest": "d" * 32}}}
    assert write["extra"]["frames"]["cut"] == {
        "arguments": [{"where": "/content", "size": 900}],
        "result": "not recorded",
    }
    assert write["arguments"]["content"].startswith("first words\n[… 900 characters in all")
    assert [result["source_call_id"] for result in steps[2]["observation"]["results"]] == [shell["tool_call_id"]]
    assert steps[3]["extra"]["frames"] == {"turn": "u2", "thread": "rewound-1", "pinned": True}


# ---------------------------------------------------------------------------------------------------------------------
# Lists of messages


def test_each_call_is_answered_by_a_tool_message() -> None:
    document = json.loads(EXPORTS["openai-messages"](frame()))
    messages = document["messages"]
    roles = "user assistant tool assistant tool tool user system user assistant"
    assert [message["role"] for message in messages] == roles.split()
    assert messages[3]["tool_calls"][0]["function"]["name"] == "Write"
    assert json.loads(messages[1]["tool_calls"][0]["function"]["arguments"]) == {"file_path": "login.py"}
    assert messages[4] == {"role": "tool", "tool_call_id": "c2", "content": NO_RESULT}
    facts = document["metadata"]["frames"]
    assert facts["session"]["models"] == ["gpt-5"]
    assert [(turn["turn"], turn["message"]) for turn in facts["turns"]][:4] == [
        ("u1", 0),
        ("a1", 1),
        ("a1", 3),
        ("u2", 6),
    ]
    assert facts["turns"][2]["calls"]["c3"] == {"outcome": "failed"}


def test_blocks_answer_calls_in_the_next_message() -> None:
    document = json.loads(EXPORTS["anthropic-messages"](frame()))
    messages = document["messages"]
    assert document["system"] == [{"type": "text", "text": "## Contract"}]
    assert [block["type"] for block in messages[3]["content"]] == ["text", "tool_use", "tool_use"]
    assert [block.get("is_error") for block in messages[4]["content"]] == [None, True]
    for number, message in enumerate(messages):
        asked = [block["id"] for block in message["content"] if isinstance(block, dict) and block["type"] == "tool_use"]
        if asked:
            assert [block["tool_use_id"] for block in messages[number + 1]["content"]] == asked


def test_a_message_history_loads() -> None:
    messages = pytest.importorskip("langchain_core.messages")
    loaded = messages.messages_from_dict(json.loads(EXPORTS["langchain"](frame())))
    assert [message.type for message in loaded] == "human ai tool ai tool tool human system human ai".split()
    assert loaded[1].tool_calls[0]["args"] == {"file_path": "login.py"}
    assert loaded[3].usage_metadata["total_tokens"] == 135
    assert [message.status for message in loaded if message.type == "tool"] == ["success", "success", "error"]
    assert loaded[0].response_metadata["frames"]["frame"] == frame()["id"]
    assert loaded[6].response_metadata["frames"]["thread"] == "rewound-1"


@pytest.mark.parametrize("form", ["openai-messages", "anthropic-messages"])
def test_lists_of_messages_load_there_too(form: str) -> None:
    messages = pytest.importorskip("langchain_core.messages")
    loaded = messages.convert_to_messages(json.loads(EXPORTS[form](frame()))["messages"])
    assert next(message.text for message in loaded if message.type == "human" and message.text) == "add login\n"


# ---------------------------------------------------------------------------------------------------------------------
# Agent Trace

_CONTRIBUTOR = {
    "type": "object",
    "properties": {
        "type": {"enum": ["human", "ai", "mixed", "unknown"]},
        "model_id": {"type": "string", "maxLength": 250},
    },
    "required": ["type"],
    "additionalProperties": False,
}
_LINE = {"type": "integer", "minimum": 1}
_RANGE = {
    "type": "object",
    "properties": {
        "start_line": _LINE,
        "end_line": _LINE,
        "content_hash": {"type": "string", "pattern": "^[a-z0-9]+:[0-9a-f]+$"},
        "contributor": _CONTRIBUTOR,
    },
    "required": ["start_line", "end_line"],
    "additionalProperties": False,
}
_CONVERSATION = {
    "type": "object",
    "properties": {
        "url": {"type": "string", "pattern": "^[a-z][a-z0-9+.-]*:"},
        "contributor": _CONTRIBUTOR,
        "ranges": {"type": "array", "items": _RANGE},
    },
    "required": ["ranges"],
    "additionalProperties": False,
}
_FILE = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "conversations": {"type": "array", "items": _CONVERSATION}},
    "required": ["path", "conversations"],
    "additionalProperties": False,
}
# What the specification asks of a record.
TRACE_RECORD = {
    "type": "object",
    "properties": {
        "version": {"type": "string", "pattern": r"^[0-9]+\.[0-9]+$"},
        "id": {
            "type": "string",
            "pattern": "^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$",
        },
        "timestamp": {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$"},
        "vcs": {
            "type": "object",
            "properties": {"type": {"enum": ["git", "jj", "hg", "svn"]}, "revision": {"type": "string"}},
            "required": ["type", "revision"],
            "additionalProperties": False,
        },
        "tool": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "version": {"type": "string"}},
            "required": ["name", "version"],
            "additionalProperties": False,
        },
        "files": {"type": "array", "items": _FILE},
        "metadata": {"type": "object", "propertyNames": {"pattern": r"^[a-z0-9-]+(\.[a-z0-9-]+)+$"}},
    },
    "required": ["version", "id", "timestamp", "files"],
    "additionalProperties": False,
}

WRITTEN = ["def log_in(name, password):", "    return check(name, password)"]


def changed_frame() -> Frame:
    call = Call(
        id="c1",
        tool="Write",
        outcome="passed",
        wrote={"login.py": [run_anchor(WRITTEN)], "old.py": [run_anchor(WRITTEN)]},
    )
    return frame(
        turns=[Turn(id="u1", role="user", text="go"), Turn(id="a1", role="agent", calls=[call])],
        files=[
            {"path": "login.py", "change": "modified"},
            {"path": "new.py", "old_path": "old.py", "change": "renamed"},
            {"path": "gone.py", "change": "deleted"},
            {"path": "seen.py", "change": "read"},
        ],
    )


def trace(text: str) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(text)
    jsonschema.validate(record, TRACE_RECORD)
    return record


def lines_of(files: dict[str, list[str]]) -> Callable[[str], list[str] | None]:
    return files.get


def test_lines_are_told_as_they_stand_in_the_revision() -> None:
    content = ["import os", *WRITTEN, "", *WRITTEN, "print('by somebody else')"]
    revision = Revision("a" * 40, lines_of({"login.py": content, "new.py": WRITTEN}))
    record = trace(trace_of_frame(changed_frame(), revision))
    assert record["vcs"] == {"type": "git", "revision": "a" * 40}
    assert [file["path"] for file in record["files"]] == ["login.py", "new.py", "gone.py"]
    ranges = {
        file["path"]: [(one["start_line"], one["end_line"]) for one in file["conversations"][0]["ranges"]]
        for file in record["files"]
    }
    assert ranges == {"login.py": [(2, 3), (5, 6)], "new.py": [(1, 2)], "gone.py": []}
    conversation = record["files"][0]["conversations"][0]
    assert conversation["url"] == f"frame:{frame()['id']}"
    assert conversation["contributor"] == {"type": "ai", "model_id": "openai/gpt-5"}
    assert conversation["ranges"][0]["content_hash"] == conversation["ranges"][1]["content_hash"]
    assert record["metadata"][VENDOR_KEY]["topic"] == "login"
    assert record["timestamp"] == "2026-06-02T10:09:00.000Z"


def test_without_a_revision_no_line_is_claimed() -> None:
    record = trace(EXPORTS["agent-trace"](changed_frame()))
    assert "vcs" not in record
    assert [file["conversations"][0]["ranges"] for file in record["files"]] == [[], [], []]


def test_a_model_is_named_with_its_maker_where_one_is_known() -> None:
    assert with_maker("claude-opus-4-8") == "anthropic/claude-opus-4-8"
    assert with_maker("GPT-5") == "openai/GPT-5"
    assert with_maker("own/model") == "own/model"
    assert with_maker("house-model") == "house-model"


def test_the_verb_tells_the_lines_of_head(repo: Path) -> None:
    session = Session(repo).user("add login").write("login.py", "\n".join(WRITTEN) + "\n").agent("Done.")
    session.save(repo / ".git/s.jsonl")
    (repo / "login.py").write_text("import os\n" + "\n".join(WRITTEN) + "\n")
    git("add", ".", cwd=repo)
    out("close", "--transcript", ".git/s.jsonl", "--topic", "login", cwd=repo)
    git("commit", "-q", "-m", "login", cwd=repo)
    record = trace(out("export", "--format", "agent-trace", cwd=repo))
    assert record["vcs"]["revision"] == git("rev-parse", "HEAD", cwd=repo).strip()
    (file,) = record["files"]
    (span,) = file["conversations"][0]["ranges"]
    assert (file["path"], span["start_line"], span["end_line"]) == ("login.py", 2, 3)


@pytest.mark.parametrize("form", TALKS)
def test_an_exported_talk_is_imported_again(repo: Path, form: str) -> None:
    Session(repo).user("add login").bash("pytest -q", "3 passed").agent("Done.").save(repo / ".git/s.jsonl")
    out("close", "--transcript", ".git/s.jsonl", "--topic", "login", cwd=repo)
    out("export", "--format", form, "-o", ".git/talk.json", cwd=repo)
    out("import", ".git/talk.json", cwd=repo)
    listed = out("list", "--json", cwd=repo).splitlines()
    assert {json.loads(line)["agent"] for line in listed} == {"claude-code", form}
