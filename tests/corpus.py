"""The recorded transcripts beside the project, and the comparison of what a reader finds with what the person said."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from session_frames.transcripts import FORMATS
from session_frames.transcripts.base import (
    Abandon,
    Edit,
    Meta,
    NoConversation,
    Retract,
    ToolCall,
    ToolResult,
    UserWords,
)

CORPUS = Path(__file__).resolve().parents[2] / "shared" / "corpus"

# Folder of the corpus -> transcript format that has to read it.
FOLDERS = {
    "claude-code": "claude-code",
    "codex": "codex",
    "vscode-copilot": "copilot-chat",
    "copilot-cli": "copilot-cli",
    "gemini-cli": "gemini-cli",
    "opencode": "opencode",
    "aider": "aider",
    "cursor": "cursor",
    "specstory": "specstory",
    "pi": "pi",
    "continue": "continue",
    "amp": "amp",
    "cline": "cline",
}
# The folder "other" holds a file or two of many agents: part of the file's name -> transcript format.
OTHERS = {
    "codebuddy": "codebuddy",
    "windsurf": "windsurf",
    "droid": "droid",
    "kimi": "kimi",
    "qwen": "qwen-code",
    "antigravity": "antigravity",
    "swe-agent": "swe-agent",
    "openhands": "openhands",
}


def cases() -> list[tuple[str, Path, Path]]:
    """(format, transcript, expectation) of every recorded file of the formats that are read; empty without a corpus."""
    found = []
    for expected in sorted((CORPUS / "expected").glob("*/*.json")):
        folder, file = expected.parent.name, expected.name.removesuffix(".json")
        name = FOLDERS.get(folder) or next((name for part, name in OTHERS.items() if part in file), "")
        if name in FORMATS:
            found.append((name, CORPUS / folder / file, expected))
    return found


def said(events: Iterable[Any]) -> list[str]:
    """The person's words, stripped, in order, as the events tell them."""
    turns: list[UserWords] = []
    for event in events:
        if isinstance(event, UserWords):
            turns.append(event)
        elif isinstance(event, Retract):
            turns = [turn for turn in turns if turn.key != event.key]
    return [turn.text.strip() for turn in turns if turn.text.strip()]


def sha(text: str) -> str:
    return hashlib.sha256(text.strip().encode("utf-8", "surrogatepass")).hexdigest()


def complaints(words: list[str], expected: dict[str, Any]) -> list[str]:
    """Every difference between the words found and the expectation; empty when all is right."""
    must = [entry["sha256"] for entry in expected["must"]]
    either = {entry["sha256"] for entry in expected["either"]}
    heads = {entry["sha256"]: entry["head"] for entry in expected["must"]}
    found = [sha(word) for word in words]
    wrong: list[str] = []
    at = 0
    for word, digest in zip(words, found, strict=True):
        if at < len(must) and digest == must[at]:
            at += 1
        elif digest in either:
            continue
        elif digest in must:
            wrong.append(f"out of order or twice: {word[:60]!r}")
        else:
            wrong.append(f"not said by the person: {word[:60]!r}")
        for head in expected["must_not_heads"]:
            if word.startswith(head) and digest not in must and digest not in either:
                wrong.append(f"injected: {head!r}")
    wrong += [f"missing: {heads[digest]!r}" for digest in must[at:] if digest not in found]
    return wrong


def read_events(name: str, path: Path) -> list[Any]:
    from session_frames.transcripts import get_format

    return list(get_format(name).read(io.BytesIO(path.read_bytes())))


def summary(events: list[Any]) -> dict[str, Any]:
    """What the orientation keys of an expectation count, as the events tell it."""
    calls: list[str] = []
    results: dict[str, ToolResult] = {}
    edits: dict[str, tuple[Edit, ...]] = {}
    for event in events:
        if isinstance(event, ToolCall):
            calls.append(event.id)
            edits[event.id] = event.edits
        elif isinstance(event, ToolResult):
            results[event.id] = event
    files: list[str] = []
    for call in calls:
        result = results.get(call)
        if result is None or result.outcome == "failed":
            continue
        for edit in edits[call] if result.edits is None else result.edits:
            if edit.change != "read":
                files += [path for path in (edit.old_path, edit.path) if path and path not in files]
    metas = [event for event in events if isinstance(event, Meta)]
    return {
        "conversation": not any(isinstance(event, NoConversation) for event in events),
        "tool_calls": len(set(calls)),
        "paired": len(set(calls) & set(results)),
        "files_edited": files,
        "models": list(dict.fromkeys(meta.value for meta in metas if meta.name == "model")),
        "cwd_first": next((meta.value for meta in metas if meta.name == "cwd"), None),
        "branch_first": next((meta.value for meta in metas if meta.name == "branch"), None),
        "abandoned": [event.keys for event in events if isinstance(event, Abandon)],
    }


def load(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return loaded


if __name__ == "__main__":  # python tests/corpus.py FORMAT [SUBSTRING]: what differs, file by file
    import sys

    for name, path, expectation in cases():
        if name != sys.argv[1] or (len(sys.argv) > 2 and sys.argv[2] not in path.name):
            continue
        expected = load(expectation)
        events = read_events(name, path)
        wrong = complaints(said(events), expected)
        found = summary(events)
        notes = [
            f"{key}: {found[key]!r} != {expected[key]!r}"
            for key in found
            if key in expected and found[key] != expected[key]
        ]
        print("ok " if not wrong else "BAD", path.name, *wrong, *[f"({note[:300]})" for note in notes], sep="\n    ")
