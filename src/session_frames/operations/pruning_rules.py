"""What a team prunes by rule (``.copilot/pruning-rules.json``): the file checked line by line, and what it takes.

    {"rules": [{"tool": "Read", "older_than_turns": 10}, {"annotation": "dead-end"}, {"result_tokens_over": 1000}]}

All conditions of a rule have to hold. A rule that speaks of calls takes calls, each with its result; any other takes
turns. A user's turn is taken only by a rule that names its role or its annotation.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any, Final, NamedTuple, get_args

from session_frames.errors import FormatError
from session_frames.model import Annotation, Call, CallOutcome, Frame, Role, Turn
from session_frames.operations.context_view import turn_tokens
from session_frames.operations.threads import turns_of_thread
from session_frames.operations.tokens import estimated_tokens
from session_frames.operations.turn_names import Selection

_CHARACTERS_PER_TOKEN: Final = 3
RULES_FILE: Final = ".copilot/pruning-rules.json"


class Candidate(NamedTuple):
    """A turn, or one of its calls, that a rule is asked about."""

    turn: Turn
    call: Call | None
    age: int  # turns of the thread behind it
    repeated: bool  # is the call made again later, with the same arguments?


class Condition(NamedTuple):
    """One condition of a rule: what it means, of what kind its value is, whether it speaks of calls, and the test."""

    about: str
    kind: str
    of_calls: bool
    holds: Callable[[Candidate, Any], bool]


def _call(candidate: Candidate) -> Call:
    assert candidate.call is not None
    return candidate.call


def result_tokens(call: Call) -> int:
    """The estimated tokens of a call's whole result, of which the frame may hold both ends only."""
    result = call.get("result", {})
    ends = result.get("head", "") + result.get("tail", "")
    size: int = result.get("size", 0)
    return estimated_tokens(ends) * max(size, len(ends)) // len(ends) if ends else size // _CHARACTERS_PER_TOKEN


# The keys of a rule, with what the documentation says of them.
CONDITIONS: Final[Mapping[str, Condition]] = {
    "tool": Condition(
        "the call is of this tool; `*` stands for any letters",
        "text",
        True,
        lambda c, v: fnmatchcase(_call(c)["tool"], v),
    ),
    "outcome": Condition(
        "the call ended like this", "|".join(get_args(CallOutcome)), True, lambda c, v: _call(c)["outcome"] == v
    ),
    "result_tokens_over": Condition(
        "its result, as the agent saw it, has more estimated tokens",
        "number",
        True,
        lambda c, v: result_tokens(_call(c)) > v,
    ),
    "repeated": Condition(
        "the same call, with the same arguments, comes again later", "true or false", True, lambda c, v: c.repeated is v
    ),
    "older_than_turns": Condition(
        "more turns than this come after it in the thread", "number", False, lambda c, v: c.age > v
    ),
    "annotation": Condition(
        "the turn has this annotation",
        "|".join(get_args(Annotation)),
        False,
        lambda c, v: c.turn.get("annotation") == v,
    ),
    "role": Condition("who speaks in the turn", "|".join(get_args(Role)), False, lambda c, v: c.turn["role"] == v),
    "tokens_over": Condition(
        "the turn has more estimated tokens", "number", False, lambda c, v: turn_tokens(c.turn) > v
    ),
}
_NAMES_A_USERS_TURN: Final = ("annotation", "role")
_NO_CONDITION: Final = "a rule is an object with one condition at least"

Rule = Mapping[str, Any]


def parse_rules(data: bytes) -> list[Rule]:
    """The rules in the bytes of a rules file; ``FormatError`` names the line of what is wrong."""
    try:
        text = data.decode("utf-8-sig")
        value = json.loads(text)
    except UnicodeDecodeError as error:
        raise FormatError(f"'{RULES_FILE}' is not UTF-8") from error
    except json.JSONDecodeError as error:
        raise FormatError(f"'{RULES_FILE}', line {error.lineno}: {error.msg.lower()}") from error
    lines = _lines_of(text)

    def wrong(path: tuple[Any, ...], what: str, there_are: str = f"conditions: {', '.join(CONDITIONS)}") -> FormatError:
        while path not in lines and path:
            path = path[:-1]
        return FormatError(f"'{RULES_FILE}', line {lines.get(path, 1)}: {what}", hint=there_are)

    for key in value if isinstance(value, dict) else ():
        if key != "rules" and not key.startswith("x_"):
            raise wrong((key,), f"no such key: '{key}'", "keys: rules, and what begins with x_")
    rules = value.get("rules") if isinstance(value, dict) else None
    if not isinstance(rules, list):
        raise wrong(("rules",), 'not an object with a list of "rules"')
    for number, rule in enumerate(rules):
        if not isinstance(rule, dict):
            raise wrong(("rules", number), _NO_CONDITION)
        for key, wanted in rule.items():
            if key not in CONDITIONS and key != "name" and not key.startswith("x_"):
                raise wrong(("rules", number, key), f"no such condition: '{key}'")
            if key in CONDITIONS and not _fits(CONDITIONS[key].kind, wanted):
                kind = CONDITIONS[key].kind.replace("|", ", ")
                raise wrong(("rules", number, key), f"'{key}' must be {'one of ' if ', ' in kind else 'a '}{kind}")
        if not any(key in CONDITIONS for key in rule):
            raise wrong(("rules", number), _NO_CONDITION)
    return rules


def _fits(kind: str, value: Any) -> bool:
    if kind == "number":
        return type(value) is int and value >= 0
    if kind == "true or false":
        return isinstance(value, bool)
    return isinstance(value, str) and bool(value) and (kind == "text" or value in kind.split("|"))


# A text, a sign, or a word or number of a JSON document.
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+')


def _lines_of(text: str) -> dict[tuple[Any, ...], int]:
    """The line of each value of a JSON document, by the keys and places that lead to it; of a member, its key's."""
    tokens = [(found[0], text.count("\n", 0, found.start()) + 1) for found in _TOKEN.finditer(text)]
    lines: dict[tuple[Any, ...], int] = {}

    def value(at: int, path: tuple[Any, ...]) -> int:
        token, line = tokens[at]
        lines.setdefault(path, line)
        if token not in "{[":
            return at + 1
        at, place = at + 1, 0
        while tokens[at][0] not in "}]":
            if tokens[at][0] == ",":
                at += 1
                continue
            key: Any = place
            if token == "{":
                key = json.loads(tokens[at][0])
                lines[*path, key] = tokens[at][1]
                at += 2
            at = value(at, (*path, key))
            place += 1
        return at + 1

    value(0, ())
    return lines


# ---------------------------------------------------------------------------------------------------------------------


class Taken(NamedTuple):
    """What the rules take, how much each rule took, and the pinned turns that stay although a rule named them."""

    selection: Selection
    by_rule: list[int]
    pinned: list[str]


def matches(frame: Frame, rules: list[Rule]) -> Taken:
    """What the rules take of the current thread; what is pruned already is passed over."""
    turns: dict[str, None] = {}
    calls: dict[tuple[str, str], None] = {}
    pinned: dict[str, None] = {}
    by_rule = [0] * len(rules)
    candidates = list(_candidates(frame))
    for number, rule in enumerate(rules):
        of_calls = any(key in CONDITIONS and CONDITIONS[key].of_calls for key in rule)
        for candidate in candidates:
            if (candidate.call is not None) is not of_calls or not _takes(rule, candidate):
                continue
            name = candidate.turn["id"]
            if candidate.turn.get("pinned"):
                pinned[name] = None
                continue
            by_rule[number] += 1
            if candidate.call is not None:
                calls[name, candidate.call["id"]] = None
            else:
                turns[name] = None
    return Taken(Selection(tuple(turns), tuple(one for one in calls if one[0] not in turns)), by_rule, [*pinned])


def _takes(rule: Rule, candidate: Candidate) -> bool:
    if (
        candidate.call is None
        and candidate.turn["role"] == "user"
        and not any(key in rule for key in _NAMES_A_USERS_TURN)
    ):
        return False
    return all(CONDITIONS[key].holds(candidate, value) for key, value in rule.items() if key in CONDITIONS)


def _candidates(frame: Frame) -> Iterator[Candidate]:
    places = turns_of_thread(frame)
    last: dict[str, tuple[str, int]] = {}
    for place in places:
        for at, call in enumerate(frame["turns"][place].get("calls", [])):
            last[_asked(call)] = frame["turns"][place]["id"], at
    for behind, place in enumerate(places):
        turn, age = frame["turns"][place], len(places) - 1 - behind
        if turn.get("pruned"):
            continue
        yield Candidate(turn, None, age, False)
        for at, call in enumerate(turn.get("calls", [])):
            if not call.get("pruned"):
                yield Candidate(turn, call, age, last[_asked(call)] != (turn["id"], at))


def _asked(call: Call) -> str:
    return json.dumps([call["tool"], call.get("arguments")], sort_keys=True)
