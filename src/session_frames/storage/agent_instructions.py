"""What ``frames init --agent`` writes for an agent to read: a section between two marks at the end of its own file."""

from __future__ import annotations

import re
from typing import Final

_BEGIN: Final = b"<!-- frames: written by frames init --agent, removed by frames uninit -->"
_END: Final = b"<!-- end of frames -->"
# With the empty line that sets it apart.
_SECTION: Final = re.compile(rb"(?:(?<=\n)\r?\n)?^" + _BEGIN + rb".*?^" + _END + rb"[^\n]*(?:\n|\Z)", re.M | re.S)

COMPACT_INSTRUCTIONS: Final = """\
# Compact instructions

When this conversation is compacted, keep in the summary:

- the user's requests in their own words and order, above all the newest one with all of its parts
- decisions with their reasons, and what was turned down and why
- constraints that hold, and questions that are still open
- the files that were changed, what was checked and how that ended, and what nobody checked
- what is to be done next

Leave out tool output, the contents of files, and all but one line of what led nowhere. The summary says how things
stand; what the user said is settled by the user's own words.
"""


def with_section(content: bytes | None, text: str) -> bytes:
    """The file with the section: in place of the one that it has, else at its end, in the line ends that it has."""
    content = content or b""
    end = b"\r\n" if b"\r\n" in content else b"\n"
    section = b"".join(line + end for line in (_BEGIN, *text.encode().splitlines(), _END))
    held = _SECTION.search(content)
    if held:
        apart = held[0][: held[0].index(_BEGIN)]
        return content[: held.start()] + apart + section + content[held.end() :]
    if not content:
        return section
    return content + (b"" if content.endswith(b"\n") else end) + end + section


def without_section(content: bytes) -> bytes:
    """The file without the section, and without the empty line in front of it."""
    return _SECTION.sub(b"", content, count=1)


def has_section(content: bytes) -> bool:
    """Does the file hold a section of ours?"""
    return bool(_SECTION.search(content))
