"""Kilo Code: the layouts of Cline and of OpenCode in places of its own."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from session_frames.storage.transcript_files import events_of, list_transcripts
from session_frames.transcripts import cline, get_format, kilo, opencode, sniff_format
from session_frames.transcripts.base import UserWords

CASES = Path(__file__).parent / "transcripts"
TRANSCRIPTS = ("opencode/export-two-patches", "cline/sdk-messages", "cline/sdk-compacted")


@pytest.mark.parametrize("case", TRANSCRIPTS)
def test_it_reads_what_the_other_program_would_and_claims_nothing(case: str) -> None:
    data = (CASES / case / "transcript.json").read_bytes()
    other = get_format(case.split("/")[0])
    assert list(kilo.read(io.BytesIO(data))) == list(other.read(io.BytesIO(data)))
    assert not kilo.sniff(data)
    assert sniff_format(data[: 64 << 10]) == other.NAME


def test_its_place_tells_it(tmp_path: Path) -> None:
    tasks = tmp_path / ".config/Code/User/globalStorage/kilocode.kilo-code/tasks/17"
    storage = tmp_path / ".local/share/kilo/storage"
    (storage / "session/p").mkdir(parents=True)
    (storage / "message/ses_1").mkdir(parents=True)
    tasks.mkdir(parents=True)
    words = [{"role": "user", "content": [{"type": "text", "text": "<task>\nhi\n</task>"}]}]
    (tasks / "api_conversation_history.json").write_text(json.dumps(words), "utf-8")
    session = {"id": "ses_1", "projectID": "p", "directory": "/proj", "time": {"created": 1, "updated": 1}}
    (storage / "session/p/ses_1.json").write_text(json.dumps(session), "utf-8")
    message = {"id": "msg_1", "sessionID": "ses_1", "role": "user", "time": {"created": 1}}
    (storage / "message/ses_1/msg_1.json").write_text(json.dumps(message), "utf-8")
    part = {"id": "prt_1", "messageID": "msg_1", "type": "text", "text": "ho"}
    (storage / "part/msg_1").mkdir(parents=True)
    (storage / "part/msg_1/prt_1.json").write_text(json.dumps(part), "utf-8")

    found = list_transcripts([str(tmp_path)], {}, ["cline", "opencode", "kilo"])
    assert {file.format for file in found} == {"kilo"}
    said = set()
    for file in found:
        with open(file.path, "rb") as source:
            said |= {event.text for event in events_of("kilo", source, file.path) if isinstance(event, UserWords)}
    assert said == {"hi", "ho"}


def test_companions_are_those_of_the_layout() -> None:
    for path in ("/t/17/api_conversation_history.json", "/t/17/ui_messages.json"):
        assert kilo.companions(path) == cline.companions(path) != []
    assert kilo.companions("/d/kilo.db") == opencode.companions("/d/kilo.db") == ["/d/kilo.db-wal"]
