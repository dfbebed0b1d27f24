"""Resuming in an agent: the file that is written reads back with every word, and no call is without its result."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any

import corpus
import pytest
from command_line import Session, err, json_lines, out

from session_frames.model import Call, Frame, Turn
from session_frames.operations.assemble import Assembled, assemble
from session_frames.operations.compose import compose
from session_frames.operations.redact import DEFAULT
from session_frames.transcripts import get_format, sniff_format
from session_frames.transcripts.agent_sessions import SESSIONS, get_writer, new_session
from session_frames.transcripts.base import ToolCall, ToolResult
from session_frames.transcripts.session_steps import ANSWER_FOLLOWS, NO_RESULT, pieces_of, steps_of

CWD = "/home/dev/project"
NOW = "2026-06-10T08:00:00Z"
FIXTURES = Path(__file__).parent / "transcripts"


def read_back(agent: str, data: bytes) -> Assembled:
    return assemble(get_format(agent).read(io.BytesIO(data)))


def spoken(turns: list[Turn]) -> list[tuple[str, str, int]]:
    """Who said what, in order, and how many calls hang on it."""
    told = ((turn["role"], turn.get("text", "").strip(), len(turn.get("calls", []))) for turn in turns)
    return [said for said in told if said[1] or said[2]]


def transcripts() -> list[tuple[str, Path]]:
    """The fixtures of the four agents, and their recorded transcripts where they are beside the project."""
    fixtures = [
        (path.parts[-3], path) for path in sorted(FIXTURES.glob("*/*/transcript.*")) if path.parts[-3] in SESSIONS
    ]
    return fixtures + [(name, path) for name, path, _ in corpus.cases() if name in SESSIONS]


def frame_of(name: str, path: Path) -> Frame | None:
    assembled = assemble(get_format(name).read(io.BytesIO(path.read_bytes())))
    return None if assembled.no_conversation or not assembled.turns else compose(assembled, name, DEFAULT)


@pytest.mark.parametrize(("name", "path"), transcripts(), ids=lambda value: getattr(value, "name", value))
def test_every_word_comes_back_from_the_session_of_each_agent(name: str, path: Path) -> None:
    frame = frame_of(name, path)
    if frame is None:
        return  # nobody speaks in it
    for agent in SESSIONS:
        session = new_session(frame, agent, CWD, NOW)
        data = get_writer(agent).write(session)
        assert sniff_format(data[: 64 << 10]) == agent
        again = read_back(agent, data)
        assert spoken(again.turns) == spoken(frame["turns"]), agent
        assert again.skipped_records == []
        assert again.fact("session_id") == session.id
        assert again.fact("parent") == frame["session"]["session_id"]
        assert get_writer(agent).write(new_session(frame, agent, CWD, NOW)) == data


def test_there_are_transcripts_to_compare() -> None:
    assert {name for name, _ in transcripts()} == set(SESSIONS)


# ---------------------------------------------------------------------------------------------------------------------
# What a session is made of


def talk(*turns: Turn, **more: Any) -> Frame:
    return Frame(
        frame="1.0",
        id="7f3a9c" + "0" * 18,
        topic="parser",
        status="closed",
        session={"agent": "some-agent", "session_id": "s1"},
        turns=list(turns),
        **more,
    )


def user(text: str, key: str = "", **more: Any) -> Turn:
    return Turn(id=key or text, role="user", text=text, **more)


def agent_turn(text: str, *calls: Call, **more: Any) -> Turn:
    return Turn(id=text or "a", role="agent", text=text, calls=list(calls), **more)


def events(agent: str, frame: Frame) -> list[Any]:
    data = get_writer(agent).write(new_session(frame, agent, CWD, NOW))
    return list(get_format(agent).read(io.BytesIO(data)))


@pytest.mark.parametrize("agent", SESSIONS)
def test_no_call_is_without_a_result_and_no_id_comes_twice(agent: str) -> None:
    frame = talk(
        user("go"),
        agent_turn(
            "",
            Call(id="c.1", tool="Bash", outcome="pending"),
            Call(id="c.1", tool="my.tool", outcome="passed", result={"size": 4, "head": "done"}),
            Call(id="", tool="", outcome="unknown", result={"size": 0}),
        ),
    )
    told = events(agent, frame)
    calls = [event.id for event in told if isinstance(event, ToolCall)]
    results = [event.id for event in told if isinstance(event, ToolResult)]
    assert calls == ["c_1", "c_1-2", "call"]
    assert results == calls
    assert [event.tool for event in told if isinstance(event, ToolCall)] == ["Bash", "my_tool", "tool"]
    assert next(event.text for event in told if isinstance(event, ToolResult)) == NO_RESULT


@pytest.mark.parametrize("agent", SESSIONS)
def test_a_long_text_is_written_as_what_is_there(agent: str) -> None:
    elided = {"elided": {"size": 900, "head": "first words", "tail": "last words"}}
    call = Call(
        id="c1",
        tool="write_file",
        arguments={"path": "a.py", "edits": [{"new": elided}]},
        outcome="passed",
        result={"size": 5000, "digest": "d" * 32, "head": "one\ntwo", "tail": "nine\nten"},
    )
    (step,) = steps_of(talk(agent_turn("", call)))
    told = step.calls[0]
    assert told.cut == {
        "arguments": [{"where": "/edits/0/new", "size": 900}],
        "result": {"size": 5000, "digest": "d" * 32},
    }
    found = events(agent, talk(user("go"), agent_turn("", call)))
    arguments = next(event.arguments for event in found if isinstance(event, ToolCall))
    assert arguments["edits"][0]["new"].split("\n")[::2] == ["first words", "last words"]
    result = next(event.text for event in found if isinstance(event, ToolResult))
    assert result.split("\n") == ["one", "two", "[… 5000 characters in all, only the ends are kept …]", "nine", "ten"]


@pytest.mark.parametrize(
    ("agent", "tool", "result"),
    [
        ("claude-code", "AskUserQuestion", 'User has answered: "Which?"="the second one"'),
        ("copilot-cli", "ask_user", "User responded: the second one"),
        ("gemini-cli", "ask_user", '{"answers": {"0": "the second one"}}'),
        ("codex", "request_user_input", '{"answers": {"q": {"answers": ["the second one"]}}}'),
    ],
)
def test_an_answer_is_told_once(agent: str, tool: str, result: str) -> None:
    arguments = {"questions": [{"question": "Which?"}]}
    call = Call(id="c1", tool=tool, arguments=arguments, outcome="passed", result={"size": len(result), "head": result})
    frame = talk(user("go"), agent_turn("", call), user("the second one", origin="answer"), agent_turn("Fine."))
    told = events(agent, frame)
    assert corpus.said(told) == ["go", "the second one"]
    assert [event.text for event in told if isinstance(event, ToolResult)] == [ANSWER_FOLLOWS]
    assert steps_of(frame)[1].calls[0].result == result


@pytest.mark.parametrize("agent", SESSIONS)
def test_what_was_rewound_stays_rewound(agent: str) -> None:
    frame = talk(
        user("one", at="2026-06-02T10:00:00Z"),
        agent_turn("first"),
        user("two", thread="rewound-1"),
        agent_turn("second", thread="rewound-1"),
        user("three"),
        agent_turn("third"),
        threads=[{"name": "rewound-1", "status": "abandoned", "parent": "main"}],
    )
    again = read_back(agent, get_writer(agent).write(new_session(frame, agent, CWD, NOW)))
    assert [turn.get("text") for turn in again.turns] == ["one", "first", "two", "second", "three", "third"]
    assert [turn.get("thread") for turn in again.turns] == [None, None, "rewound-1", "rewound-1", None, None]


@pytest.mark.parametrize("agent", SESSIONS)
def test_what_nobody_said_is_nobodys_words(agent: str) -> None:
    imported = Turn(id="i1", role="system", text="## API contract", origin="injected")
    again = read_back(agent, get_writer(agent).write(new_session(talk(user("go"), imported), agent, CWD, NOW)))
    assert [turn.get("text") for turn in again.turns] == ["go"]


def test_texts_and_calls_stand_as_they_followed_each_other() -> None:
    def call(name: str, after: int) -> Call:
        return Call(id=name, tool="t", outcome="passed", after=after)

    turn = agent_turn("one\n\ntwo\n\nthree", call("a", 0), call("b", 3), call("c", 3), call("d", 5), call("e", 8))
    pieces = [(text, [call["id"] for call in calls]) for text, calls in pieces_of(turn)]
    # "d" points into the middle of a text that was changed since: it stays behind the calls before it.
    assert pieces == [("", ["a"]), ("one", ["b", "c", "d"]), ("two", ["e"]), ("three", [])]


def test_times_do_not_run_backwards_and_are_utc() -> None:
    frame = talk(user("a", at="2026-06-02T12:00:00+02:00"), user("b"), user("c", at="2026-06-02T09:00:00Z"))
    steps = new_session(frame, "codex", CWD, NOW).steps
    assert [step.at for step in steps] == ["2026-06-02T10:00:00.000Z"] * 3


@pytest.mark.parametrize("agent", SESSIONS)
def test_words_that_no_encoding_holds_come_back(agent: str) -> None:
    words = "half \ud83d a smile\u2028next line\u2029and 한국어"
    again = read_back(agent, get_writer(agent).write(new_session(talk(user(words)), agent, CWD, NOW)))
    assert [turn["text"] for turn in again.turns] == [words]


# ---------------------------------------------------------------------------------------------------------------------
# The verb


@pytest.fixture
def talked(repo: Path) -> Path:
    Session(repo).user("add login").bash("pytest -q", "3 passed").agent("Done.").save(repo / ".git/s.jsonl")
    out("close", "--transcript", ".git/s.jsonl", "--topic", "login", cwd=repo)
    return repo


PLACES = {
    "claude-code": ("CLAUDE_CONFIG_DIR", "projects/*/*.jsonl"),
    "codex": ("CODEX_HOME", "sessions/2026/06/02/rollout-2026-06-02T10-0*.jsonl"),
    "gemini-cli": ("GEMINI_CLI_HOME", ".gemini/tmp/*/chats/session-2026-06-02T10-0*.jsonl"),
    "copilot-cli": ("COPILOT_HOME", "session-state/*/events.jsonl"),
}


@pytest.mark.parametrize("agent", SESSIONS)
def test_the_file_lies_where_the_agent_looks(talked: Path, tmp_path: Path, agent: str) -> None:
    variable, pattern = PLACES[agent]
    home = tmp_path / "elsewhere"
    path, command = out("resume", "--into", agent, cwd=talked, **{variable: str(home)}).splitlines()
    assert [str(found) for found in home.glob(pattern)] == [path]
    session = read_back(agent, Path(path).read_bytes()).fact("session_id")
    assert command == get_writer(agent).COMMAND.format(id=session)
    found = get_format(agent).find(str(tmp_path), {variable: str(home)})
    assert any(
        Path(path).full_match(pattern) if hasattr(Path, "full_match") else Path(path).match(pattern)
        for pattern in found
    )


@pytest.mark.parametrize("agent", SESSIONS)
def test_written_twice_it_is_the_same_and_one_that_went_on_stays(talked: Path, agent: str) -> None:
    (first,) = json_lines("resume", "--into", agent, "--json", cwd=talked)
    assert first["written"]
    assert first["agent"] == agent
    (again,) = json_lines("resume", "--into", agent, "--json", cwd=talked)
    assert again == {**first, "written": False}
    path = Path(first["path"])
    content = path.read_bytes()
    with path.open("ab") as file:
        file.write(b'{"type":"said since"}\n')
    assert "went on" in err("resume", "--into", agent, cwd=talked, code=6)
    assert path.read_bytes().startswith(content)
    assert path.read_bytes() != content


def test_from_a_folder_inside_the_command_goes_to_the_top(talked: Path) -> None:
    inside = talked / "src"
    inside.mkdir()
    _, command = out("resume", "--into", "codex", cwd=inside).splitlines()
    assert command.startswith(f"cd {talked} && codex resume ")


def test_gemini_finds_it_under_the_name_that_it_gave_the_project(talked: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / ".gemini").mkdir(parents=True)
    (home / ".gemini/projects.json").write_text(json.dumps({"projects": {str(talked): "my-project"}}))
    path = out("resume", "--into", "gemini-cli", cwd=talked, GEMINI_CLI_HOME=str(home)).splitlines()[0]
    assert path.startswith(str(home / ".gemini/tmp/my-project/chats/session-"))


def test_copilot_finds_the_facts_beside_it(talked: Path) -> None:
    import yaml

    path = out("resume", "--into", "copilot-cli", cwd=talked).splitlines()[0]
    facts = yaml.safe_load((Path(path).parent / "workspace.yaml").read_text(encoding="utf-8"))
    assert facts["id"] == Path(path).parent.name
    assert os.path.realpath(facts["cwd"]) == os.path.realpath(talked)


def test_a_frame_without_turns_has_nothing_to_resume(repo: Path) -> None:
    out("start", "empty", cwd=repo)
    assert "no turns" in err("resume", "--into", "codex", cwd=repo, code=1)


def test_an_unknown_agent_is_refused(talked: Path) -> None:
    err("resume", "--into", "nobody", cwd=talked, code=2)


def test_a_session_that_nobody_went_on_with_is_not_taken_for_a_new_one(repo: Path) -> None:
    Session(repo).user("write the parser").agent("it is written").save_at_home()
    out("close", cwd=repo)
    (written,) = json_lines("resume", "--into", "claude-code", "--json", cwd=repo)
    answers = json_lines("import", "--all", "--json", cwd=repo)
    assert sorted(answer["outcome"] for answer in answers) == ["skipped", "unchanged"]
    assert "unchanged" in out("close", cwd=repo)
    assert len(json_lines("list", "--json", cwd=repo)) == 1

    path = Path(written["path"])
    last = json.loads(path.read_text().splitlines()[-1])
    session_id = next(json.loads(line)["sessionId"] for line in path.read_text().splitlines() if "sessionId" in line)
    more = Session(repo, session_id).user("and now the tests")
    more.records[0]["uuid"], more.records[0]["parentUuid"] = "next-1", last.get("uuid")
    path.write_text(path.read_text() + more.text)
    out("close", cwd=repo)
    assert len(json_lines("list", "--json", cwd=repo)) == 2
