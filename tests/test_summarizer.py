"""A command proposes items: what it invents never comes out as the user's, and its failures cost nothing."""

from __future__ import annotations

import json
import shlex
import sys
import time
from pathlib import Path
from typing import Any

import corpus
import pytest
from command_line import Session, err, frames, out

from session_frames.model import Frame
from session_frames.operations.proposed_items import judge
from session_frames.operations.redact import DEFAULT
from session_frames.schema import problems
from session_frames.storage.transcript_files import events_of

ANNOTATED = corpus.CORPUS / "annotated"
NAMES = sorted(path.stem for path in ANNOTATED.glob("*.jsonl"))
ITEMS = ("decisions", "constraints", "open_questions", "next_steps")

SAID = [
    ("user", "the cache grows without end. use an LRU list. maybe redis later? don't touch store.py"),
    ("agent", "I could cap it at 500 entries and log every eviction. Shall I?"),
    ("user", "yes"),
    ("agent", "Done. As you decided, the metrics go to Graphite."),
    ("user", "a guideline I got:\n\n> We decided to use TOML everywhere.\n\nnot ours. also warm the cache at start"),
    ("agent", "Warming is in."),
    ("user", "ignore that, no warming"),
    ("agent", "Removed."),
    ("user", "캐시 상한은 500으로 하자. ログはwarnにして"),
    ("agent", "네."),
]


def frame_of(said: list[tuple[str, str]] = SAID) -> Frame:
    turns: Any = [{"id": f"t{number}", "role": role, "text": text} for number, (role, text) in enumerate(said, 1)]
    turns[3]["calls"] = [
        {"id": "c", "tool": "Bash", "outcome": "passed", "result": {"size": 9, "head": "use mongo for the queue"}}
    ]
    compaction: Any = {"id": "k", "turns": ["t1"], "summary": "The user decided to use Kafka."}
    return Frame(frame="1.0", id="0" * 24, topic="cache", status="closed", turns=turns, compactions=[compaction])


def judged(key: str = "decisions", **entry: Any) -> tuple[dict[str, Any], str]:
    """The item that one proposal becomes, and what is told of it."""
    entry.setdefault("by", "user")
    answer = judge(frame_of(), {key: [entry]})
    items: list[dict[str, Any]] = dict(answer.frame).get(key, [])  # type: ignore[assignment]
    assert problems(answer.frame) == []
    return items[-1] if items else {}, "\n".join(answer.told)


# ---------------------------------------------------------------------------------------------------------------------
# What is the user's


@pytest.mark.parametrize(
    ("key", "text", "evidence"),
    [
        ("decisions", "Use an LRU list", [{"turn": 1, "quote": "use an LRU list"}]),
        ("decisions", "Use an LRU list", [{"turn": "t1", "quote": "use an LRU list"}]),
        ("constraints", "Do not touch store.py", [{"turn": "1", "quote": "don't touch store.py"}]),
        (
            "decisions",
            "Cap it at 500 entries, log every eviction",
            [
                {"turn": 3, "quote": "yes"},
                {"turn": 2, "quote": "I could cap it at 500 entries and log every eviction."},
            ],
        ),
        ("decisions", "캐시 상한 500", [{"turn": 9, "quote": "캐시 상한은 500으로 하자"}]),
        ("decisions", "ログはwarn", [{"turn": 9, "quote": "ログはwarnにして"}]),
    ],
)
def test_what_the_users_words_say_is_the_users(key: str, text: str, evidence: list[dict[str, Any]]) -> None:
    item, told = judged(key, text=text, evidence=evidence)
    assert (item["by"], item.get("verified", True), told) == ("user", True, "")
    assert item["evidence"][0]["turn"].startswith("t")


INVENTED = {
    "no evidence": ("Use Postgres", []),
    "a quote that nobody said": ("Use Postgres", [{"turn": 1, "quote": "use Postgres"}]),
    "a quote of another turn": ("Use an LRU list", [{"turn": 3, "quote": "use an LRU list"}]),
    "no such turn": ("Use an LRU list", [{"turn": 99, "quote": "use an LRU list"}]),
    "an empty quote": ("Use an LRU list", [{"turn": 1, "quote": " "}]),
    "reworded": ("Use an LRU list", [{"turn": 1, "quote": "Use an LRU list"}]),
    "the agent's claim": ("Metrics go to Graphite", [{"turn": 4, "quote": "the metrics go to Graphite"}]),
    "the agent's proposal": ("Log every eviction", [{"turn": 2, "quote": "log every eviction"}]),
    "a tool result": ("Use mongo for the queue", [{"turn": 4, "quote": "use mongo for the queue"}]),
    "a compaction summary": ("Use Kafka", [{"turn": 1, "quote": "The user decided to use Kafka."}]),
    "a true quote beside an invention": ("Use Postgres for the queue", [{"turn": 3, "quote": "yes"}]),
    "an approval of something else": (
        "Metrics go to Graphite",
        [{"turn": 3, "quote": "yes"}, {"turn": 4, "quote": "the metrics go to Graphite"}],
    ),
    "more than was said": ("Use an LRU list with 900 entries", [{"turn": 1, "quote": "use an LRU list"}]),
    "other words added": ("Use an LRU list in Redis with Lua", [{"turn": 1, "quote": "use an LRU list"}]),
    "a musing": ("redis later", [{"turn": 1, "quote": "maybe redis later"}]),
    "out of a prohibition": ("touch store.py", [{"turn": 1, "quote": "touch store.py"}]),
    "the contrary": ("Do not use an LRU list", [{"turn": 1, "quote": "use an LRU list"}]),
    "a pasted document": ("Use TOML everywhere", [{"turn": 5, "quote": "use TOML everywhere"}]),
    "taken back": ("Warm the cache at start", [{"turn": 5, "quote": "warm the cache at start"}]),
    "another number": ("캐시 상한 900", [{"turn": 9, "quote": "캐시 상한은 500으로 하자"}]),
}


@pytest.mark.parametrize("name", INVENTED)
@pytest.mark.parametrize("key", ITEMS)
def test_an_invention_is_never_the_users(name: str, key: str) -> None:
    if key == "open_questions" and name in ("a musing", "the contrary", "out of a prohibition"):
        pytest.skip("a question is no rule: whether it is affirmative says nothing")
    text, evidence = INVENTED[name]
    item, told = judged(key, text=text, evidence=evidence)
    assert item["by"] == "agent"
    assert told
    assert item.get("verified") is False or name in ("the agent's claim", "the agent's proposal")
    if key in ("decisions", "constraints") and item.get("verified") is False:
        assert item["status"] != "accepted"


def test_what_was_read_without_a_model_wins() -> None:
    frame = frame_of()
    old: Any = {
        "id": "11111111",
        "text": "use an LRU list",
        "status": "overruled",
        "by": "user",
        "evidence": [{"turn": "t1", "quote": "use an LRU list"}],
    }
    frame["decisions"] = [old]
    quote = {"turn": 1, "quote": "use an LRU list"}
    answer = judge(frame, {"decisions": [{"text": "Take the LRU list", "by": "user", "evidence": [quote]}]})
    assert answer.frame["decisions"][0] == old
    item = answer.frame["decisions"][1]
    assert (item["status"], item["by"], item["verified"]) == ("overruled", "agent", False)
    assert answer.told == ("proposal 'Take the LRU list': contradicts 'use an LRU list', which is overruled",)
    old["status"] = "accepted"
    known = judge(frame, {"decisions": [{"text": "Take the LRU list", "by": "user", "evidence": [quote]}]})
    assert known.frame["decisions"] == [old], "it is known already"


def test_labels_rest_on_the_users_words() -> None:
    wanted = {"topic": "LRU cache", "title": "Cache with an LRU list", "goal": "the cache grows without end."}
    answer = judge(frame_of(), wanted)
    assert {key: dict(answer.frame)[key] for key in wanted} == wanted
    assert judge(frame_of(), wanted, topic_is_given=True).frame["topic"] == "cache"
    answer = judge(frame_of(), {"topic": "kafka migration", "title": "x" * 200, "goal": "Make the cache great"})
    assert answer.frame == frame_of()
    assert len(answer.told) == 3


@pytest.mark.parametrize(
    "entry",
    [
        {},
        "use redis",
        {"text": ""},
        {"text": 3},
        {"text": "x", "status": "decided"},
        {"text": "x", "by": "pipeline"},
        {"text": "x", "evidence": [{"turn": 1}]},
        {"text": "x", "evidence": "turn 1"},
        {"text": "x" * 1001},
    ],
)
def test_an_item_that_is_not_valid_is_left_out_and_the_others_stay(entry: Any) -> None:
    good = {"text": "Use an LRU list", "by": "user", "evidence": [{"turn": 1, "quote": "use an LRU list"}]}
    answer = judge(frame_of(), {"decisions": [entry, good]})
    assert [item["text"] for item in answer.frame["decisions"]] == ["Use an LRU list"]
    assert len(answer.told) == 1
    assert "item 1 of 'decisions' is not valid" in answer.told[0]


@pytest.mark.parametrize("proposed", [[], 3, None, {"decisions": {}}, {"decisions": [1] * 501}])
def test_what_is_no_list_of_items_is_told(proposed: Any) -> None:
    answer = judge(frame_of(), proposed)
    assert answer.frame == frame_of()
    assert len(answer.told) == 1


@pytest.mark.skipif(not NAMES, reason="no corpus beside the project")
@pytest.mark.parametrize("name", NAMES)
def test_inventions_over_a_real_session_are_never_the_users(name: str) -> None:
    """Every sentence of the agent, and what must not come out as decided, is put forward as the user's."""
    from session_frames.operations.assemble import assemble_all
    from session_frames.operations.compose import compose

    expected = json.loads((ANNOTATED / f"{name}.expected.json").read_text("utf-8"))
    with open(ANNOTATED / f"{name}.jsonl", "rb") as file:
        events = events_of(expected["format"], file, name)
        *_, read = assemble_all(events, policy=DEFAULT, locate=lambda path, cwd: path, keep_reasoning=False)
    frame = compose(read, expected["format"], DEFAULT)
    before = {item["id"] for item in [*frame["decisions"], *frame["constraints"]]}
    users = [number for number, turn in enumerate(frame["turns"], 1) if turn["role"] == "user"]
    proposals: list[dict[str, Any]] = []
    for wrong in expected["not_decisions"]:
        turns = [wrong["turn"]] if wrong["turn"] else range(1, len(frame["turns"]) + 1)
        proposals += [
            {"text": wrong["quote"], "by": "user", "evidence": [{"turn": number, "quote": wrong["quote"]}]}
            for number in turns
        ]
    for number, turn in enumerate(frame["turns"], 1):
        for line in turn.get("text", "").splitlines():
            if turn["role"] == "agent" and line.strip():
                text, elsewhere = line[:300], users[number % len(users)]
                proposals += [
                    {"text": text, "by": "user", "evidence": [{"turn": place, "quote": text}]}
                    for place in (number, elsewhere)
                ]
    answer = judge(frame, {"decisions": proposals[:500]})
    added = [item for item in answer.frame["decisions"] if item["id"] not in before]
    assert added
    assert [item["text"] for item in added if item["by"] == "user"] == []


# ---------------------------------------------------------------------------------------------------------------------
# The command


def session(cwd: Path) -> Session:
    made = Session(cwd)
    made.user("the cache grows without end. use an LRU list. token ghp_" + "a1B2" * 9).agent("I read it.")
    made.user("keep the log at warn").agent("Done.")
    made.save_at_home()
    return made


def summarizer(tmp_path: Path, code: str) -> str:
    """A command line that runs this code; ``session`` is what it was given."""
    path = tmp_path / "propose it.py"
    path.write_text(f"import json, sys, time, os\nsession = json.load(sys.stdin)\n{code}\n", encoding="utf-8")
    return shlex.join([sys.executable, str(path)])


GOOD = (
    "print(json.dumps({'decisions': [{'text': 'LRU list for the cache that grows', 'by': 'user', 'evidence':"
    " [{'turn': 1, 'quote': 'the cache grows without end. use an LRU list.'}]},"
    " {'text': 'Use Postgres', 'by': 'user', 'evidence': [{'turn': 1, 'quote': 'use Postgres'}]}]}))"
)


def kept(repo: Path) -> dict[str, Any]:
    (path,) = (repo / ".copilot/sessions").glob("*.json")
    loaded: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return loaded


def test_the_command_is_given_the_redacted_session(repo: Path, tmp_path: Path) -> None:
    session(repo)
    seen = tmp_path / "seen.json"
    command = summarizer(tmp_path, f"open({str(seen)!r}, 'w').write(json.dumps(session)); print('{{}}')")
    out("close", "--summarizer", command, cwd=repo)
    given = json.loads(seen.read_text())
    assert "ghp_" not in seen.read_text()
    assert [(turn["number"], turn["role"]) for turn in given["turns"]] == [
        (1, "user"),
        (2, "agent"),
        (3, "user"),
        (4, "agent"),
    ]
    assert given["turns"][2]["text"] == "keep the log at warn"
    assert {"id", "number", "role", "text"} == set(given["turns"][0])
    assert all(key in given for key in ("topic", "title", "goal", *ITEMS))


def test_proposals_are_checked_kept_and_stay_when_the_session_is_read_again(repo: Path, tmp_path: Path) -> None:
    made = session(repo)
    done = frames("close", "--summarizer", summarizer(tmp_path, GOOD), cwd=repo)
    assert b"warning: proposal 'Use Postgres': its quote does not stand in the turn" in done.stderr
    frame = kept(repo)
    by_text = {item["text"]: item for item in frame["decisions"]}
    assert (by_text["Use Postgres"]["by"], by_text["Use Postgres"]["verified"]) == ("agent", False)
    assert {event["kind"] for event in frame["events"]} == {"propose"}
    assert "Use Postgres" not in out("close", cwd=repo), "it is no standing decision"
    assert kept(repo) == frame
    out("close", "--summarizer", summarizer(tmp_path, GOOD), cwd=repo)
    assert kept(repo) == frame
    made.user("thanks").agent("Bye.").save_at_home()
    out("close", cwd=repo)
    assert {item["text"] for item in kept(repo)["decisions"]} >= set(by_text)
    out("validate", cwd=repo)


FAILURES = {
    "it fails": ("sys.exit(3)", "failed with exit code 3"),
    "it is killed": ("os.kill(os.getpid(), 9)", "was ended by signal 9"),
    "no JSON": ("print('Here are the decisions:')", "printed no JSON"),
    "nothing": ("", "printed no JSON"),
    "no object": ("print('[1]')", "printed no JSON object"),
    "nested without end": ("print('[' * 200000)", "printed no JSON"),
    "not UTF-8": ("sys.stdout.buffer.write(b'\\xff\\xfe{')", "printed no JSON"),
    "too much": ("sys.stdout.write('x' * (11 << 20))", "printed more than 10 MB"),
    "no end of it": ("\nwhile True: sys.stdout.write('x' * 65536)", "printed more than 10 MB"),
    "too slow": ("time.sleep(60)", "took longer than 1 seconds"),
    "a child that stays": ("os.fork() or time.sleep(60)", "took longer than 1 seconds"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_command_that_fails_costs_nothing(repo: Path, tmp_path: Path, name: str) -> None:
    session(repo)
    code, told = FAILURES[name]
    limit = "1" if "1 seconds" in told else "60"
    begun = time.monotonic()
    command = summarizer(tmp_path, code)
    done = frames("close", "--summarizer", command, "--summarizer-timeout", limit, cwd=repo)
    assert time.monotonic() - begun < 50
    assert told in done.stderr.decode()
    assert "the frame is what was read without it" in done.stderr.decode()
    with_it = kept(repo)
    out("close", cwd=repo)
    assert kept(repo) == with_it
    assert [item["text"] for item in with_it["decisions"]] == ["use an LRU list", "keep the log at warn"]


def test_a_command_that_is_not_there_or_no_command(repo: Path) -> None:
    session(repo)
    done = frames("close", "--summarizer", "no-such-command --all", cwd=repo)
    assert b"summarizer 'no-such-command' did not start" in done.stderr
    assert kept(repo)["decisions"]
    assert "no command line" in err("close", "--summarizer", "'unclosed", cwd=repo, code=2)
    assert "names no command" in err("close", "--summarizer", " ", cwd=repo, code=2)
    assert "summarizer-timeout" in err("close", "--summarizer-timeout", "0", cwd=repo, code=2)


def test_no_shell_reads_the_command(repo: Path, tmp_path: Path) -> None:
    session(repo)
    frames("close", "--summarizer", f"echo {{}} ; touch {tmp_path}/made $(touch {tmp_path}/made)", cwd=repo)
    assert not (tmp_path / "made").exists()


def test_a_secret_that_the_command_makes_up_is_not_stored(repo: Path, tmp_path: Path) -> None:
    session(repo)
    secret = "ghp_" + "z9Y8" * 9
    command = summarizer(tmp_path, f"print(json.dumps({{'next_steps': [{{'text': 'rotate {secret}'}}]}}))")
    frames("close", "--summarizer", command, cwd=repo)
    assert secret not in json.dumps(kept(repo))
    assert "rotate" in json.dumps(kept(repo))


def test_a_dry_run_shows_the_proposals_and_writes_nothing(repo: Path, tmp_path: Path) -> None:
    session(repo)
    done = frames("close", "--dry-run", "--summarizer", summarizer(tmp_path, GOOD), cwd=repo)
    assert b"Use Postgres" in done.stderr
    assert not (repo / ".copilot").exists()
