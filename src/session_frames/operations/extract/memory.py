"""What was seen in texts before, so that the words of a grown session are not looked through anew.

Only answers that hang on a text alone are remembered. They can be kept from one extraction to the next: those that the
next one asks for again stay, the others go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, TypeVar

Answer = TypeVar("Answer")

# Question -> text -> answer.
Answers = dict[str, dict[str, Any]]


class _Memory:
    def __init__(self) -> None:
        self.before: Answers = {}
        self.now: Answers | None = None  # None: nothing is remembered


_memory = _Memory()


@contextmanager
def remembering(before: Answers | None = None) -> Iterator[Answers]:
    """While it lasts, no question is answered twice, nor one that was answered ``before``; what was asked and said."""
    outer = _memory.before, _memory.now
    now: Answers = {}
    _memory.before, _memory.now = before or {}, now
    try:
        yield now
    finally:
        _memory.before, _memory.now = outer


def is_remembering() -> bool:
    """Does something last in which answers are remembered?"""
    return _memory.now is not None


def remembered(question: Callable[[str], Answer]) -> Callable[[str], Answer]:
    """The function, whose answers hang on its text alone and are not changed by those who get them."""
    name = f"{question.__module__}.{question.__name__}"
    lately = lru_cache(maxsize=512)(question)

    def asked(text: str) -> Answer:
        if _memory.now is None:
            return lately(text)
        now = _memory.now.get(name)
        if now is None:
            now = _memory.now[name] = {}
        answer = now.get(text, _memory)
        if answer is _memory:
            answer = _memory.before.get(name, {}).get(text, _memory)
            if answer is _memory:
                answer = question(text)
            now[text] = answer
        return answer  # type: ignore[no-any-return]

    asked.__doc__ = question.__doc__
    return asked
