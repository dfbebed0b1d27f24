"""Text of a frame where a program or a person reads it: it can't close its fence, and hides nothing."""

from __future__ import annotations

import re

# C0 and C1 controls but for tab and line feed, bidi overrides and isolates, zero-width and other invisible signs, tags.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)


def shown(text: str) -> str:
    """The text with control and invisible characters as ``<U+202E>``; line breaks and tabs stay.

    A lone surrogate is shown as U+FFFD. Joiners inside emoji and scripts that need them stay.
    """
    return _HIDDEN.sub(_as_code, text.replace("\r\n", "\n"))


def _as_code(found: re.Match[str]) -> str:
    code = ord(found[0])
    return "\ufffd" if 0xD800 <= code <= 0xDFFF else f"<U+{code:04X}>"


def line_shown(text: str) -> str:
    """As ``shown``, on one line."""
    return " ".join(shown(text).split())


def fence_for(text: str) -> str:
    """A run of backticks that is longer than any in the text, three at least."""
    return "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))


def fenced(text: str) -> str:
    """The text between fences that it can't close, byte for byte."""
    fence = fence_for(text)
    return f"{fence}\n{text}\n{fence}"
