"""Secrets taken out of a raw transcript: a record keeps its bytes, unless a secret stands in it.

Strings are looked at as the record means them, decoded: in its raw bytes the escape in front of a word hides where the
word begins. What is no JSON (a damaged line, a log line in between, a transcript in Markdown) is looked at as text, and
the quoted strings in it once more decoded.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from session_frames.operations.redact import Policy, redact_text, redact_value
from session_frames.operations.redact_lines import looked_at
from session_frames.transcripts.base import load_json

_QUOTED = re.compile(r'"((?:[^"\\\n]++|\\.)*+)("?)')  # one whose end is missing reaches to the end of its line
_LONGEST_RUN = 1000
BLANKS: Final = b"\0 \t\r\n\xef\xbb\xbf"


class Piece(NamedTuple):
    """A part of a transcript after redaction, and how many bytes of the source it stands for.

    One that is not ``closed`` may still go on: the last line without its end, or lines that are no record and behind
    which no record stands yet, so that a key of many lines is seen whole.
    """

    data: bytes
    source_size: int
    secrets: int
    closed: bool = True


def is_record(line: bytes) -> bool:
    """Is the line one whole JSON object or array, as those of JSON Lines are?"""
    try:
        return isinstance(load_json(line), dict | list)
    except ValueError:
        return False


def clean_lines(lines: Iterable[bytes], policy: Policy) -> Iterator[Piece]:
    """The lines of a JSON Lines file, one piece a record; neighbouring lines that are no record are one piece.

    A last line without its end is told when it is a record by itself; half a record is left for later.
    """
    run: list[bytes] = []
    for line, suspect in looked_at(lines, policy):
        piece = _record(line, policy) if suspect else Piece(line, len(line), 0) if is_record(line) else None
        if piece is None:
            if line.endswith(b"\n"):
                run.append(line)
            if len(run) < _LONGEST_RUN:
                continue
        if run:
            yield _text(b"".join(run), policy)
            run = []
        if piece is not None:
            yield piece._replace(closed=line.endswith(b"\n"))
    if run:
        yield _text(b"".join(run), policy)._replace(closed=False)


def clean_whole(data: bytes, policy: Policy) -> Piece:
    """A transcript that is one JSON document, or text: the strings of the document, or the text as a whole.

    A document that breaks off is taken as text, without its last line: half a secret is none that is found.
    """
    piece = _record(data, policy)
    if piece is not None:
        return piece
    if data.strip(BLANKS)[:1] in (b"{", b"["):
        data = data[: data.rfind(b"\n") + 1]
    pieces = [_record(line, policy) or _text(line, policy) for line in data.splitlines(keepends=True)]
    whole = _text(b"".join(piece.data for piece in pieces), policy)
    return Piece(whole.data, len(data), whole.secrets + sum(piece.secrets for piece in pieces))


def _record(line: bytes, policy: Policy) -> Piece | None:
    """The JSON value in these bytes after redaction, or None where they hold none."""
    try:
        value = load_json(line)
        if not isinstance(value, dict | list):
            return None
        found = _Count()
        if redact_value(value, policy, "", found.take) is value:
            return Piece(line, len(line), 0)
        # Once more by the slower reader, which gives every number back as it stood.
        body = line.decode("utf-8-sig", "replace")
        redacted = redact_value(json.loads(body), policy, "", _Count().take)
    except (ValueError, RecursionError):
        return None
    end = body[len(body.rstrip()) :]
    return Piece(_encoded(redacted, "\n" in body.strip()) + end.encode(), len(line), found.secrets)


class _Count:
    def __init__(self) -> None:
        self.secrets = 0

    def take(self, rule: str, where: str, count: int) -> None:
        self.secrets += count


def _encoded(value: Any, indented: bool) -> bytes:
    form: dict[str, Any] = {"indent": 2} if indented else {"separators": (",", ":")}
    try:
        return json.dumps(value, ensure_ascii=False, **form).encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return json.dumps(value, **form).encode()


def _text(data: bytes, policy: Policy) -> Piece:
    """Bytes that are no JSON: redacted as text, the quoted strings with an escape in them decoded before."""
    secrets = 0

    def string(match: re.Match[str]) -> str:
        nonlocal secrets
        if "\\" not in match[1]:
            return match[0]
        try:
            decoded = json.loads(f'"{match[1]}"', strict=False)
        except ValueError:
            return match[0]
        redacted, hits = redact_text(decoded, policy)
        secrets += len(hits)
        return json.dumps(redacted)[:-1] + match[2] if hits else match[0]

    text = _QUOTED.sub(string, data.decode("utf-8", "surrogateescape"))
    redacted, hits = redact_text(text, policy)
    return Piece(redacted.encode("utf-8", "surrogateescape"), len(data), secrets + len(hits))
