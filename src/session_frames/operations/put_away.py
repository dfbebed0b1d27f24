"""The turns of a transcript that was not read to its end, put away until the reading goes on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from session_frames.operations.assemble import Asked, Assembler, Locate
from session_frames.operations.drafts import Draft
from session_frames.operations.redact import Policy, find_secrets

# What comes from outside when the reading goes on.
_FROM_OUTSIDE = ("policy", "locate")

AssemblerState = dict[str, Any]


def put_away(assembler: Assembler) -> AssemblerState:
    """What the assembler has to know to go on, as plain values that share what they hold with it.

    The command of a call that has its result is left out: nothing asks for it again, and it may hold a secret.
    """
    kept = {name: value for name, value in vars(assembler).items() if name not in _FROM_OUTSIDE}
    kept["calls"] = {key: _without_command(asked) for key, asked in assembler.calls.items()}
    kept["nested"] = {call: put_away(nested) for call, nested in assembler.nested.items()}
    return kept


def go_on(state: AssemblerState, policy: Policy | None, locate: Locate) -> Assembler:
    """The assembler as it was when it was put away."""
    assembler = Assembler(policy, locate, state["keep_reasoning"])
    vars(assembler).update(state)
    assembler.nested = {call: go_on(nested, policy, locate) for call, nested in state["nested"].items()}
    return assembler


def _without_command(asked: Asked) -> Asked:
    return asked._replace(command=None) if "result" in asked.call else asked


def holds_secret(value: Any, policy: Policy) -> bool:
    """Does a secret stand in what is put away? Turns were redacted when they were made, and are passed over."""
    texts = set(_texts(value))
    return any(find_secrets(text, policy) for text in policy.suspects(list(texts)))


def _texts(value: Any) -> Iterator[str]:
    """Every text in a value made of plain ones and of objects that hold such; a text with its name in front of it."""
    left = [value]
    while left:
        value = left.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, Draft):
            continue
        elif isinstance(value, Asked):
            left.append(value.command)
        elif isinstance(value, Mapping):
            yield from (f"{key}: {item}" for key, item in value.items() if _is_named(key, item))
            left += value.keys()
            left += value.values()
        elif isinstance(value, list | tuple | set | frozenset):
            left += value
        elif hasattr(value, "__dict__"):
            left.append(vars(value))


def _is_named(key: Any, item: Any) -> bool:
    """Is the item a text under a name? Ids of records name others, which says nothing."""
    return isinstance(key, str) and isinstance(item, str) and key.isidentifier()
