"""What a rule is, and expressions that cost nothing until used: a hook that has no text to redact compiles none."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import NamedTuple


class Rule(NamedTuple):
    """One kind of secret: its name (shown in the marker), where to look, and what it looks like."""

    name: str
    literals: tuple[str, ...]
    pattern: str
    group: int = 0


class Pattern:
    """A regular expression that is compiled when it is first used."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self._pattern = pattern
        self._flags = flags

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self._pattern, self._flags)

    @cached_property
    def match(self) -> Callable[..., re.Match[str] | None]:
        return self._compiled.match

    @cached_property
    def search(self) -> Callable[..., re.Match[str] | None]:
        return self._compiled.search

    @cached_property
    def fullmatch(self) -> Callable[..., re.Match[str] | None]:
        return self._compiled.fullmatch

    @cached_property
    def finditer(self) -> Callable[..., Iterator[re.Match[str]]]:
        return self._compiled.finditer
