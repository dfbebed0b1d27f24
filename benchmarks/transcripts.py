"""Make a large transcript as Claude Code records one; the same arguments give the same bytes.

    python benchmarks/transcripts.py DEST [--megabytes M] [--seed S]

A session of one person: prompts, thinking, calls of tools with their results, a picture now and then. Results are many
small ones and a few large ones, and stand in the file twice, as text and with structure.
"""

from __future__ import annotations

import argparse
import base64
import json
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from repositories import Words

SESSION = "5f0e2d1c-0000-4000-8000-0000000bea57"
FOLDER = "/home/dev/project"
EPOCH = 1_780_000_000

Record = dict[str, Any]


class Recorder:
    """A session, record by record."""

    def __init__(self, seed: int) -> None:
        self.source = random.Random(seed)
        self.words = Words(self.source)
        self.count = 0
        self.parent: str | None = None

    def records(self) -> Iterator[Record]:
        """Records without end: a prompt, some calls, the answer."""
        while True:
            yield self._user(self.words.prose(self.source.randrange(40, 600)), origin={"kind": "human"})
            for _ in range(self.source.randint(1, 12)):
                if self.source.random() < 0.5:
                    signature = base64.b64encode(self.source.randbytes(400)).decode()
                    thinking = self.words.prose(self.source.randrange(80, 1_500))
                    yield self._agent({"type": "thinking", "thinking": thinking, "signature": signature})
                yield from self._call()
            yield self._agent({"type": "text", "text": self.words.prose(self.source.randrange(100, 2_500))})

    def _call(self) -> Iterator[Record]:
        tool = self.source.choices(("Read", "Bash", "Edit", "Write"), weights=(35, 35, 22, 8))[0]
        path = f"{FOLDER}/src/part{self.source.randrange(24):02d}/module{self.source.randrange(10):02d}.py"
        body = self.words.code(max(2, self._size() // 30))
        old, new = self.words.code(4), self.words.code(9)
        arguments = {
            "Read": {"file_path": path},
            "Bash": {"command": f"pytest -q {path}", "description": self.words.latin(30)},
            "Edit": {"file_path": path, "old_string": old, "new_string": new},
            "Write": {"file_path": path, "content": body},
        }[tool]
        call = f"toolu_{self.count:012d}"
        yield self._agent({"type": "tool_use", "id": call, "name": tool, "input": arguments})
        if tool == "Read" and self.source.random() < 0.01:
            yield self._picture(call)
            return
        changed = {"filePath": path, "oldString": old, "newString": new, "originalFile": body}
        written = tool in ("Edit", "Write")
        told = f"The file {path} has been updated." if written else body
        structured = changed if written else {"stdout": body, "stderr": "", "interrupted": False}
        result = {"type": "tool_result", "tool_use_id": call, "content": told, "is_error": self.source.random() < 0.04}
        yield self._user([result], toolUseResult=structured)

    def _picture(self, call: str) -> Record:
        data = base64.b64encode(self.source.randbytes(self.source.randrange(20_000, 300_000))).decode()
        picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}
        result = {"type": "tool_result", "tool_use_id": call, "content": [picture]}
        return self._user([result], toolUseResult={"type": "image", "file": {"base64": data, "type": "image/png"}})

    def _size(self) -> int:
        low, high = 200, 200_000
        return int(low / (1 - self.source.random() * (1 - low / high)))

    def _agent(self, block: Record) -> Record:
        usage = {"input_tokens": 8, "output_tokens": self.source.randrange(1, 3_000), "cache_read_input_tokens": 90_000}
        message = {"id": f"msg_{self.count:012d}", "type": "message", "role": "assistant", "model": "model-x"}
        return self._record("assistant", {**message, "content": [block], "usage": usage})

    def _user(self, content: Any, **more: Any) -> Record:
        return self._record("user", {"role": "user", "content": content}, **more)

    def _record(self, kind: str, message: Record, **more: Any) -> Record:
        self.count += 1
        uuid = f"5f0e2d1c-0000-4000-8000-{self.count:012d}"
        record = {
            "parentUuid": self.parent,
            "isSidechain": False,
            "userType": "external",
            "cwd": FOLDER,
            "sessionId": SESSION,
            "version": "2.1.200",
            "gitBranch": "main",
            "type": kind,
            "message": message,
            **more,
            "uuid": uuid,
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(EPOCH + self.count * 4)),
        }
        self.parent = uuid
        return record


def main() -> None:
    """Write the transcript that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dest", type=Path)
    parser.add_argument("--megabytes", type=float, default=40)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    size = 0
    with options.dest.open("wb") as file:
        for record in Recorder(options.seed).records():
            size += file.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
            if size >= options.megabytes * 1e6:
                break


if __name__ == "__main__":
    main()
