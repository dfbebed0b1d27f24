"""Where a key that is a block of lines ends, whatever a program put between its lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from session_frames.operations import redact_rules as kinds
from session_frames.operations.redact_pattern import Pattern

# Between two lines of a block: real or escaped breaks, quotes, and what programs print in front of a line.
_BREAK = Pattern(
    r"""(?:\\{1,8}(?:[nrt]|(?=[\s"']))|[\s"'`+,;|>:()│→#*]"""
    r"""|(?<=\n)-(?!-)|\x1b\[[0-9;]{0,8}m|[0-9]{1,7}(?=[ \t]*[:|→\t│]))+"""
)
_BODY = Pattern(r"[A-Za-z0-9+/]+={0,3}|=[A-Za-z0-9+/]{4}")
_BLOCK_HEADER = Pattern(r"(?:Proc-Type|DEK-Info|Comment|Version|Hash|Charset|Subject): ?[^\n\r\\\"]{0,200}")
_FOOT = Pattern(r"-----? ?END [A-Z0-9 ]{0,60}-{4,5}")
_PUTTY_LINE = Pattern(
    r"(?:Encryption|Comment|Public-Lines|Private-Lines|Key-Derivation|Argon2-[A-Za-z]{1,20}|Private-MAC|Private-Hash):"
    r" ?[^\n\r\\\"]{0,200}"
)


def _is_body(piece: str, first: bool) -> bool:
    if len(piece) >= (24 if first else 16):
        return True
    coded = re.search(r"[0-9+/=]|[a-z][A-Z]", piece) is not None
    return coded and (not first or len(piece) >= 12)


def _block_end(text: str, at: int, wall: int) -> int | None:
    """The end of the key block whose head ends at ``at``; None where no key follows the head."""
    end: int | None = None
    while True:
        gap = _BREAK.match(text, at, wall)
        start = gap.end() if gap else at
        foot = _FOOT.match(text, start, wall)
        if foot:
            return foot.end() if end is not None else None
        header = _BLOCK_HEADER.match(text, start, wall)
        if header:
            at = header.end()
            continue
        body = _BODY.match(text, start, wall)
        if body is None or not _ends_line(text, body.end(), wall):
            return end
        if not _is_body(body.group(), end is None) and not (end is not None and _foot_follows(text, body.end(), wall)):
            return end
        at = end = body.end()


def _ends_line(text: str, at: int, wall: int) -> bool:
    return at == wall or _BREAK.match(text, at, wall) is not None


def _foot_follows(text: str, at: int, wall: int) -> bool:
    gap = _BREAK.match(text, at, wall)
    return _FOOT.match(text, gap.end() if gap else at, wall) is not None


def _putty_end(text: str, at: int, wall: int) -> int | None:
    """The end of a PuTTY key file whose first line begins before ``at``."""
    line = re.compile(r"[^\n\r\\\"]{0,100}").match(text, at, wall)
    end = line.end() if line else at
    seen = False
    while True:
        gap = _BREAK.match(text, end, wall)
        start = gap.end() if gap else end
        header = _PUTTY_LINE.match(text, start, wall)
        body = None if header else _BODY.match(text, start, wall)
        if gap is None or (header is None and (body is None or not _is_body(body.group(), True))):
            return end if seen else None
        seen = seen or header is not None
        end = header.end() if header else body.end() if body else end


ENDS: Final[Mapping[str, Callable[[str, int, int], int | None]]] = {kinds.PEM: _block_end, kinds.PUTTY: _putty_end}
