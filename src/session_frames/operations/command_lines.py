"""Command lines of a POSIX shell, split into words; what they mean is not looked at here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_PUNCTUATION: Final = frozenset(";&|()")
_TOKEN: Final = r"""[;&|()]+|(?:[^ \t\r\n'"\\;&|()]|'[^']*'|"(?:[^"\\]|\\.)*"|\\.)+|['"\\]"""
_QUOTE: Final = r"""'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)"""
_UNCLOSED: Final = frozenset("'\"\\")
_HEREDOC: Final = r"<<-?\s*(['\"]?)(\w+)\1"
REDIRECTION: Final = r"\d?>&\d|&>>?|\d?>\|"


def without_heredocs(command: str) -> str:
    """The command line without the text of its here-documents, which are data."""
    if "<<" not in command:
        return command
    kept: list[str] = []
    end = ""
    for line in command.split("\n"):
        if end:
            if line.strip() == end:
                end = ""
            continue
        kept.append(line)
        mark = re.search(_HEREDOC, line)
        end = mark.group(2) if mark else ""
    return "\n".join(kept)


def split(command: str) -> Iterator[list[str]]:
    """The words of each simple command on the line."""
    for words, _ in signed(command):
        if words:
            yield words


def signed(command: str) -> Iterator[tuple[list[str], str]]:
    """The words of each simple command, with the sign behind it ("&&", "|", ")" ...); "" at the end of a line."""
    for line in _joined_lines(command):
        words: list[str] = []
        for token in _tokens(line):
            if token and all(sign in _PUNCTUATION for sign in token):
                if words or token.startswith("("):
                    yield words, token
                words = []
            else:
                words.append(token)
        if words:
            yield words, ""


def _joined_lines(command: str) -> list[str]:
    """The lines of the command, those that continue or sit inside quotes joined."""
    lines: list[str] = []
    for line in command.replace("\\\n", " ").split("\n"):
        if lines and (lines[-1].count("'") % 2 or lines[-1].count('"') % 2):
            lines[-1] += "\n" + line
        else:
            lines.append(line)
    return lines


def _tokens(line: str) -> list[str]:
    """The words and signs of a line as a POSIX shell splits it, with quotes and escapes taken away."""
    tokens = re.findall(_TOKEN, line, re.DOTALL)
    if _UNCLOSED.isdisjoint(tokens):
        return [re.sub(_QUOTE, _unquoted, token, flags=re.DOTALL) for token in tokens]
    return re.findall(r"[;&|()]+|[^\s;&|()]+", line)  # a quote without its end: plain words will do


def _unquoted(quote: re.Match[str]) -> str:
    single, double, escaped = quote.groups()
    return single or escaped or re.sub(r'\\([\\"])', r"\1", double or "")
