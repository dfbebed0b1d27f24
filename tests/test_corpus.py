"""Every recorded transcript beside the project: the person's words exactly, calls paired, files listed."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import corpus
import pytest

from session_frames import frame_json
from session_frames.operations.assemble import assemble
from session_frames.operations.compose import compose
from session_frames.operations.redact import DEFAULT
from session_frames.schema import problems
from session_frames.transcripts import get_format, sniff_format

CASES = corpus.cases()
ABSENT = "the corpus of recorded transcripts (../shared/corpus) is not beside this checkout"

pytestmark = pytest.mark.skipif(not CASES, reason=ABSENT)

# Expectations that contradict themselves: a key that our reading does not match, and why.
KNOWN_DIFFERENCES = {
    ("gemini-cli", "19-headless.jsonl", "files_edited"): "its calls have no result, so none is known to have succeeded",
    ("cursor", "06-transcript.jsonl", "files_edited"): "its calls have no result, so none is known to have succeeded",
}

# Recorded files in which turns were rewound: how many records of them.
REWOUND = {"07-qwen-4k.jsonl": [2]}


def _ids(case: tuple[str, Path, Path]) -> str:
    return f"{case[0]}/{case[1].name}"


@pytest.mark.parametrize("case", CASES, ids=_ids)
def test_words_are_exactly_what_the_person_said(case: tuple[str, Path, Path]) -> None:
    name, path, expectation = case
    expected = corpus.load(expectation)
    assembled = assemble(get_format(name).read(io.BytesIO(path.read_bytes())), policy=None)
    words = [turn.get("text", "").strip() for turn in assembled.turns if turn["role"] == "user"]
    assert corpus.complaints(words, expected) == []


@pytest.mark.parametrize("case", CASES, ids=_ids)
def test_calls_files_and_models_are_told(case: tuple[str, Path, Path]) -> None:
    name, path, expectation = case
    expected = corpus.load(expectation)
    found = corpus.summary(corpus.read_events(name, path))
    wrong = {
        key: (value, expected[key])
        for key, value in found.items()
        if key in expected and value != expected[key] and (name, path.name, key) not in KNOWN_DIFFERENCES
    }
    assert wrong == {}
    assert [*map(len, found["abandoned"])] == REWOUND.get(path.name, [])


@pytest.mark.parametrize("case", CASES, ids=_ids)
def test_each_file_becomes_a_valid_frame_or_is_said_to_hold_no_conversation(case: tuple[str, Path, Path]) -> None:
    name, path, expectation = case
    expected = corpus.load(expectation)
    assembled = assemble(get_format(name).read(io.BytesIO(path.read_bytes())))
    if expected.get("conversation") is False:
        assert assembled.no_conversation or not assembled.turns
        return
    if assembled.no_conversation:
        assert "conversation" not in expected
        return
    frame = compose(assembled, name, DEFAULT)
    data = frame_json.encode(frame)
    assert problems(json.loads(data)) == []
    assert frame_json.encode(frame_json.decode(data)) == data
    again = compose(assemble(get_format(name).read(io.BytesIO(path.read_bytes()))), name, DEFAULT)
    assert frame_json.encode(again) == data


@pytest.mark.parametrize("case", CASES, ids=_ids)
def test_content_tells_the_format(case: tuple[str, Path, Path]) -> None:
    name, path, expectation = case
    if "conversation" not in corpus.load(expectation) or path.suffix == ".yaml":
        return  # a look-alike, or a file that lies beside transcripts
    # Event streams of Copilot are one format, whichever of its programs wrote them.
    found = sniff_format(path.read_bytes()[: 64 << 10])
    assert found == name or {found, name} == {"copilot-cli", "copilot-chat"}


def test_files_of_agents_that_are_not_read_are_nobodys() -> None:
    read = {path for _, path, _ in CASES}
    others = [path for path in corpus.CORPUS.glob("*/*") if path.parent.name in {*corpus.FOLDERS, "other"}]
    taken = {
        path.name: found
        for path in others
        if path not in read and (found := sniff_format(path.read_bytes()[: 64 << 10]))
    }
    assert taken == {}


def _annotated() -> list[Path]:
    return sorted((corpus.CORPUS / "annotated").glob("*.expected.json")) if CASES else []


@pytest.mark.parametrize("expectation", _annotated(), ids=lambda path: path.name)
def test_turns_of_annotated_sessions(expectation: Path) -> None:
    expected: dict[str, Any] = corpus.load(expectation)
    transcript = expectation.with_name(expectation.name.replace(".expected.json", ".jsonl"))
    assembled = assemble(get_format(expected["format"]).read(io.BytesIO(transcript.read_bytes())), policy=None)
    words = [turn.get("text", "").strip() for turn in assembled.turns if turn["role"] == "user"]
    assert words == [text.strip() if isinstance(text, str) else text["text"].strip() for text in expected["user_turns"]]
    assert len(assembled.turns) == expected["turns"]
