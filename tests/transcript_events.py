"""Reading made-up and recorded transcripts in tests: records in, events out."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from session_frames.transcripts import get_format, sniff_format
from session_frames.transcripts.base import UserWords

RECORDED = Path(__file__).parent / "transcripts"


def json_lines(*records: Any) -> bytes:
    """A JSON Lines file of these records; bytes stand for a line as it is."""
    lines = (record if isinstance(record, bytes) else json.dumps(record).encode() for record in records)
    return b"".join(line + b"\n" for line in lines)


def events_of(name: str, data: bytes) -> list[Any]:
    return list(get_format(name).read(io.BytesIO(data)))


def of(kind: type[Any], found: Iterable[Any]) -> list[Any]:
    return [event for event in found if isinstance(event, kind)]


def words(found: Iterable[Any]) -> list[str]:
    return [event.text for event in of(UserWords, found)]


def recorded_cases(name: str) -> list[str]:
    return sorted(path.name for path in (RECORDED / name).iterdir())


def check_recorded(name: str, case: str) -> list[Any]:
    """The file is known as one of this format, and its words are those that are written down beside it."""
    transcript = next((RECORDED / name / case).glob("transcript.*"))
    data = transcript.read_bytes()
    found = events_of(name, data)
    assert [text.strip() for text in words(found)] == json.loads(transcript.with_name("words.json").read_text("utf-8"))
    assert sniff_format(data) == name
    return found


def check_damage(name: str, *records: dict[str, Any]) -> None:
    """What else stands in a line costs no other line, and is told with its number; U+2028 ends none."""
    whole = events_of(name, json_lines(*records))
    nuls, cut = b"\0" * 300, json.dumps(records[-1]).encode()[:-7]
    found = events_of(name, json_lines(*records[:-1], nuls, b"", records[-1], cut))
    skipped = {(event.reason, event.line) for event in found if type(event).__name__ == "Skipped"}
    assert {("NUL bytes", len(records)), ("not JSON", len(records) + 3)} <= skipped
    assert words(found) == words(whole)
    unusual = json.dumps(records, ensure_ascii=False)
    assert "\u2028" in unusual
    assert any("\u2028" in word and "\ud83d" in word for word in words(whole))
