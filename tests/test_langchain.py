"""Histories of LangChain and checkpoints of LangGraph, with the real packages."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from command_line import git, json_lines, out

pytest.importorskip("langgraph", reason="extra langchain is not installed")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import (
        AIMessage,
        AIMessageChunk,
        BaseMessage,
        ChatMessage,
        FunctionMessage,
        HumanMessage,
        SystemMessage,
        ToolMessage,
        trim_messages,
    )
    from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
    from langchain_core.runnables.history import RunnableWithMessageHistory
    from langgraph.graph import START, MessagesState, StateGraph

    from session_frames.langchain import FrameChatMessageHistory, FrameCheckpointSaver

from session_frames.errors import FramesError, RefusedError, UsageError
from session_frames.langchain.checkpoints import frame_session

ROOT = Path(__file__).parents[1]
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*eprecat.*"),
]

EVERY_TYPE: list[BaseMessage] = [
    SystemMessage("You are 도우미"),
    HumanMessage("라벨을 파싱해 줘", name="ana", additional_kwargs={"lang": "ko"}, id="h1"),
    HumanMessage(
        [
            {"type": "text", "text": "look"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0="}},
        ]
    ),
    AIMessage(
        [{"type": "text", "text": "I look."}, {"type": "tool_use", "id": "c1", "name": "ls", "input": {"path": "."}}],
        tool_calls=[{"name": "ls", "args": {"path": "."}, "id": "c1", "type": "tool_call"}],
        invalid_tool_calls=[{"name": "ls", "args": "{", "id": "c2", "error": "no JSON", "type": "invalid_tool_call"}],
        usage_metadata={"input_tokens": 12, "output_tokens": 3, "total_tokens": 15},
        response_metadata={"model_name": "some-model"},
        additional_kwargs={"refusal": None},
    ),
    ToolMessage("a.py", tool_call_id="c1", status="error", artifact={"rows": [1, 2]}),
    FunctionMessage("3", name="count"),
    ChatMessage("aside", role="narrator"),
    AIMessageChunk("부분"),
    AIMessage(""),
]


def said(history: FrameChatMessageHistory) -> list[Any]:
    return [message.content for message in history.messages]


def chain(repo: Path, answers: Iterator[AIMessage]) -> RunnableWithMessageHistory:
    prompt = ChatPromptTemplate.from_messages([MessagesPlaceholder("history"), ("human", "{question}")])
    return RunnableWithMessageHistory(
        prompt | GenericFakeChatModel(messages=answers),
        lambda session_id: FrameChatMessageHistory(session_id, repo),
        input_messages_key="question",
        history_messages_key="history",
    )


def test_every_type_of_message_comes_back_as_it_was(repo: Path) -> None:
    FrameChatMessageHistory("s", repo).add_messages(EVERY_TYPE)
    FrameChatMessageHistory("s", repo).add_messages(EVERY_TYPE[:1])
    back = FrameChatMessageHistory("s", repo).messages
    assert back == [*EVERY_TYPE, EVERY_TYPE[0]]
    assert [type(one) for one in back[:-1]] == [type(one) for one in EVERY_TYPE]


def test_two_sessions_in_turn_never_mix(repo: Path) -> None:
    talk = chain(repo, iter([AIMessage(f"answer {at}") for at in range(6)]))
    for at in range(6):
        talk.invoke({"question": f"question {at}"}, {"configurable": {"session_id": "ab"[at % 2]}})
    for name, numbers in (("a", (0, 2, 4)), ("b", (1, 3, 5))):
        wanted = [text for at in numbers for text in (f"question {at}", f"answer {at}")]
        assert said(FrameChatMessageHistory(name, repo)) == wanted
    status = json.loads(out("status", "--json", cwd=repo))
    assert [(frame["session_id"], frame["turns"]) for frame in status["active"]] == [("a", 6), ("b", 6)]


def test_ids_are_taken_letter_for_letter(repo: Path) -> None:
    ids = ["a", "A", "a ", "a/b", "../a", "한", "한".encode().decode("utf-8")[:1] + "\u0301", "a (2, x)"]
    for at, name in enumerate(ids):
        FrameChatMessageHistory(name, repo).add_messages([HumanMessage(f"words {at}")])
    for at, name in enumerate(ids):
        assert said(FrameChatMessageHistory(name, repo)) == [f"words {at}"]
    for empty in ("", "  "):
        with pytest.raises(UsageError, match="a session id can't be empty"):
            FrameChatMessageHistory(empty, repo)
    assert FrameChatMessageHistory.new_session_id() != FrameChatMessageHistory.new_session_id()


def test_a_closed_session_is_not_opened_by_its_id(repo: Path) -> None:
    first = FrameChatMessageHistory("default", repo)
    first.add_messages([HumanMessage("parse labels. don't use regular expressions"), AIMessage("By the colon.")])
    one = first.frame_id
    path = first.close("labels")
    assert (repo / path).exists()
    assert git("diff", "--cached", "--name-only", cwd=repo).strip() == path
    assert first.frame_id == ""
    with pytest.raises(FramesError, match="no open history of session 'default'"):
        first.close()
    again = FrameChatMessageHistory("default", repo)
    assert again.messages == []
    again.add_messages([HumanMessage("something else")])
    assert said(again) == ["something else"]
    assert again.frame_id not in ("", one)
    again.clear()
    assert again.messages == []
    again.add_messages([HumanMessage("a third")])
    assert said(again) == ["a third"]
    assert len({one, again.frame_id}) == 2
    assert "don't use regular expressions" in out("show", "labels", cwd=repo)


def test_a_closed_session_is_gone_on_with_where_that_is_said(repo: Path) -> None:
    FrameChatMessageHistory("s", repo).add_messages([HumanMessage("one"), AIMessage("two")])
    path = FrameChatMessageHistory("s", repo).close("talk")
    more = FrameChatMessageHistory("s", repo, reopen=True)
    assert said(more) == ["one", "two"]
    more.add_messages([HumanMessage("three")])
    assert said(FrameChatMessageHistory("s", repo)) == ["one", "two", "three"]
    assert FrameChatMessageHistory("s", repo).close() == path
    assert [turn["text"] for turn in json.loads((repo / path).read_text())["turns"]] == ["one", "two", "three"]


def test_the_command_line_closes_the_session_used_last(repo: Path) -> None:
    FrameChatMessageHistory("s", repo).add_messages([HumanMessage("라벨을 파싱해 줘"), AIMessage("했습니다.")])
    out("close", "--topic", "labels", cwd=repo)
    (frame,) = json_lines("list", "--json", cwd=repo)
    assert (frame["agent"], frame["session_id"], frame["turns"], frame["status"]) == ("langchain", "s", 2, "closed")
    assert json.loads(out("status", "--json", cwd=repo))["active"] == []


def test_secrets_are_redacted_before_anything_is_written(repo: Path) -> None:
    secret = "ghp_" + "Zx9" * 12
    message = HumanMessage(f"use {secret}", additional_kwargs={"note": [secret]})
    FrameChatMessageHistory("s", repo).add_messages([message])
    assert secret not in str(FrameChatMessageHistory("s", repo).messages)
    for file in (repo / ".git").rglob("*"):
        assert not file.is_file() or secret.encode() not in file.read_bytes(), file


def test_what_json_cannot_hold_is_refused(repo: Path) -> None:
    history = FrameChatMessageHistory("s", repo)
    with pytest.raises(UsageError, match="a message holds what JSON can't: "):
        history.add_messages([HumanMessage("x", additional_kwargs={"open": object()})])
    assert history.messages == []


def test_many_writers_lose_nothing(repo: Path) -> None:
    def write(at: int) -> None:
        FrameChatMessageHistory("ab"[at % 2], repo).add_messages([HumanMessage(f"words {at}")])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(16)))
    for name, rest in (("a", 0), ("b", 1)):
        assert sorted(said(FrameChatMessageHistory(name, repo))) == sorted(f"words {at}" for at in range(rest, 16, 2))


def test_awaited_and_trimmed(repo: Path) -> None:
    history = FrameChatMessageHistory("s", repo)

    async def talk() -> list[BaseMessage]:
        for at in range(4):
            await history.aadd_messages([HumanMessage(f"question {at}"), AIMessage(f"answer {at}")])
        return await history.aget_messages()

    messages = asyncio.run(talk())
    assert len(messages) == 8
    window = trim_messages(messages, strategy="last", max_tokens=3, token_counter=len, start_on="human")
    assert [one.content for one in window] == ["question 3", "answer 3"]
    told = out("resume", history.frame_id[:8], "--mode", "window", "--window", "3", cwd=repo)
    assert re.findall(r"(?:question|answer) \d", told)[:2] == ["question 3", "answer 3"]
    summary = out("resume", history.frame_id[:8], "--mode", "summary", cwd=repo)
    assert [f"question {at}" in summary for at in range(4)] == [True] * 4


# ---------------------------------------------------------------------------------------------------------------------
# Graphs


def graph(repo: Path, *answers: str) -> Any:
    model = GenericFakeChatModel(messages=iter(AIMessage(text) for text in answers))
    built = StateGraph(MessagesState)
    built.add_node("model", lambda state: {"messages": [model.invoke(state["messages"])]})
    built.add_edge(START, "model")
    return built.compile(checkpointer=FrameCheckpointSaver(repo))


def test_the_saver_conforms(repo: Path) -> None:
    conformance = pytest.importorskip("langgraph.checkpoint.conformance")

    @conformance.checkpointer_test(name="frames")  # type: ignore[untyped-decorator]
    async def saver() -> Any:
        folder = repo / f"r{len(list(repo.iterdir()))}"
        subprocess.run(["git", "init", "-q", str(folder)], check=True)
        yield FrameCheckpointSaver(folder)

    report = asyncio.run(conformance.validate(saver))
    assert {name: result.failures for name, result in report.results.items() if not result.passed} == {}
    assert len(report.results) == 8


def test_the_talk_of_a_thread_is_a_frame_with_its_checkpoints(repo: Path) -> None:
    app, thread = graph(repo, "두 가지가 있습니다.", "그렇게 하겠습니다."), {"configurable": {"thread_id": "t"}}
    other = {"configurable": {"thread_id": "u"}}
    app.invoke({"messages": [HumanMessage("어떻게 파싱할까?")]}, thread)
    graph(repo, "Hello.").invoke({"messages": [HumanMessage("hi")]}, other)
    app.invoke({"messages": [HumanMessage("두 번째로")]}, thread)
    states = list(graph(repo).get_state_history(thread))
    assert [len(state.values.get("messages", [])) for state in states] == [4, 3, 2, 2, 1, 0]
    history = FrameChatMessageHistory(frame_session("t"), repo)
    assert said(history) == ["어떻게 파싱할까?", "두 가지가 있습니다.", "두 번째로", "그렇게 하겠습니다."]
    frame = json.loads(out("show", history.frame_id, "--json", cwd=repo))
    points = [(point["name"], point["note"]) for point in frame["checkpoints"]]
    ids = [state.config["configurable"]["checkpoint_id"] for state in reversed(states)]
    assert [name for name, _ in points] == ids[1:]
    assert points[0][1] == "step 0, loop"
    assert {point["turn"] for point in frame["checkpoints"]} <= {turn["id"] for turn in frame["turns"]}
    assert said(FrameChatMessageHistory(frame_session("u"), repo)) == ["hi", "Hello."]


def test_an_earlier_state_is_gone_on_from_and_deleting_states_keeps_the_frame(repo: Path) -> None:
    app, thread = graph(repo, "one", "two", "other two"), {"configurable": {"thread_id": "t"}}
    app.invoke({"messages": [HumanMessage("first")]}, thread)
    after_first = app.get_state(thread).config
    app.invoke({"messages": [HumanMessage("second")]}, thread)
    told = app.invoke({"messages": [HumanMessage("another second")]}, after_first)
    assert [one.content for one in told["messages"]] == ["first", "one", "another second", "other two"]
    app.checkpointer.delete_thread("t")
    assert app.get_state(thread).values == {}
    history = FrameChatMessageHistory(frame_session("t"), repo)
    assert said(history) == ["first", "one", "second", "two", "another second", "other two"]


def test_a_state_is_redacted_or_refused(repo: Path) -> None:
    secret = "ghp_" + "Zx9" * 12
    app, thread = graph(repo, f"I see {secret}"), {"configurable": {"thread_id": "t"}}
    app.invoke({"messages": [HumanMessage(f"use {secret}")]}, thread)
    assert secret not in str(app.get_state(thread).values)
    for file in (repo / ".git").rglob("*"):
        assert not file.is_file() or secret.encode() not in file.read_bytes(), file
    saver = FrameCheckpointSaver(repo)
    config = {"configurable": {"thread_id": "t", "checkpoint_ns": "", "checkpoint_id": "x"}}
    with pytest.raises(RefusedError, match=r"a secret .* could not be taken out of the state"):
        saver.put_writes(config, [("data", secret.encode())], "task")  # bytes are not looked into
    with pytest.raises(UsageError, match="a thread id can't be empty"):
        saver.get_tuple({"configurable": {"thread_id": ""}})


# ---------------------------------------------------------------------------------------------------------------------
# The page, and an installation without the extra


def test_the_examples_of_the_page_run(repo: Path) -> None:
    page = (ROOT / "docs" / "langchain.md").read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], cwd=repo, capture_output=True, text=True, env=dict(os.environ)
    )
    assert done.returncode == 0, done.stderr
    *lines, path, messages, checkpoints = done.stdout.splitlines()
    assert lines == ["By a regular expression.", "Then by the colon.", "4 messages"]
    assert (repo / path).exists()
    assert f"`{messages}` and `{checkpoints}`" in page
    told = out("resume", path, cwd=repo)
    assert "No, don't use any regular expression." in told


def test_nothing_of_the_extra_is_loaded_without_need() -> None:
    code = (
        "import sys, pkgutil, importlib, session_frames, session_frames.langchain\n"
        "from session_frames.cli import main\n"
        "print({'langchain_core', 'langgraph'} & set(sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"
