"""A team's own rules and what it allows, from the settings; a pattern that would do harm is refused by name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from session_frames.errors import UsageError
from session_frames.operations.redact import Policy, policy
from session_frames.operations.redact_match import as_pattern
from session_frames.operations.redact_pattern import Pattern, Rule

_NAME = Pattern(r"[A-Za-z0-9][A-Za-z0-9_-]{0,59}")


def rules_from_config(config: Mapping[str, Any]) -> Policy:
    """The policy that ``redaction`` in ``.copilot/config.yaml`` asks for."""
    section = config.get("redaction") or {}
    if not isinstance(section, Mapping):
        raise UsageError("cannot read the setting 'redaction': it has to hold 'rules' and 'allow'")
    _refuse_unknown(config, ("redaction",), "")
    _refuse_unknown(section, ("rules", "allow"), "redaction.")
    rules = [_configured(entry, number) for number, entry in enumerate(_list(section, "rules"), 1)]
    allow = [_allowed(entry, number) for number, entry in enumerate(_list(section, "allow"), 1)]
    return policy(rules, allow)


def _refuse_unknown(section: Mapping[str, Any], known: tuple[str, ...], place: str) -> None:
    """A misspelt setting would switch a team's rules off without a word."""
    for key in section:
        if key not in known and not str(key).startswith("x_"):
            raise UsageError(
                f"unknown setting '{place}{key}' in .copilot/config.yaml",
                hint=f"known: {', '.join(place + name for name in known)}; keys of other tools begin with x_",
            )


def _list(section: Mapping[str, Any], key: str) -> Sequence[Any]:
    entries = section.get(key) or []
    if not isinstance(entries, list):
        raise UsageError(f"cannot read the setting 'redaction.{key}': it has to be a list")
    return entries


def _configured(entry: Any, number: int) -> Rule:
    place = f"redaction.rules[{number}]"
    name = entry.get("name") if isinstance(entry, Mapping) else None
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise UsageError(f"cannot use the rule '{place}': its name has to be letters, digits, '-' and '_'")
    place = f"{place} {name}"
    _refuse_unknown(entry, ("name", "pattern", "literals"), f"redaction.rules[{number}].")
    pattern = entry.get("pattern")
    if not isinstance(pattern, str) or not pattern:
        raise UsageError(f"cannot use the rule '{place}': it has no pattern")
    try:
        compiled = re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise UsageError(f"cannot use the rule '{place}': its pattern is not one ({error})") from error
    _refuse_bad(pattern, compiled, f"the rule '{place}'")
    literals = entry.get("literals") or []
    if isinstance(literals, str) or not all(isinstance(literal, str) and literal for literal in literals):
        raise UsageError(f"cannot use the rule '{place}': its literals have to be a list of words")
    group = 1 if compiled.groups == 1 else 0
    return Rule(name, tuple(literals), pattern, group)


def _allowed(entry: Any, number: int) -> str:
    place = f"the entry 'redaction.allow[{number}]'"
    if not isinstance(entry, str) or not entry:
        raise UsageError(f"cannot use {place}: it has to be a text or a pattern")
    compiled = as_pattern(entry)
    if compiled is not None:  # else it is a text, and stays as such
        _refuse_bad(entry, compiled, place)
    return entry


def _refuse_bad(pattern: str, compiled: re.Pattern[str], place: str) -> None:
    if compiled.match(""):
        raise UsageError(f"cannot use {place}: it matches the empty text")
    if nests_repeats(pattern):
        raise UsageError(f"cannot use {place}: one unbounded repeat stands inside another, which can take forever")


def nests_repeats(pattern: str) -> bool:
    """Does an unbounded repeat stand inside another one? Such a pattern can take exponential time."""
    # Only the standard library's own parser reads patterns as they are run.
    parser: Any = getattr(re, "_parser")  # noqa: B009
    return _nests(parser.parse(pattern), False, parser.MAXREPEAT)


def _nests(node: Any, inside: bool, unbounded: Any) -> bool:
    if isinstance(node, (list, tuple)) or hasattr(node, "data"):
        parts = list(node)
        if len(parts) == 3 and isinstance(parts[0], int) and hasattr(parts[2], "data"):  # (low, high, repeated)
            endless = parts[1] == unbounded
            return (endless and inside) or _nests(parts[2], inside or endless, unbounded)
        return any(_nests(part, inside, unbounded) for part in parts)
    return False
