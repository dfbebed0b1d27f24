"""Is a value valid by the schema, yes or no: the schema as plain functions, forty times as fast as explaining a fault.

``schema.problems`` tells what is wrong; it is asked only where something is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from session_frames.frame_json import is_time

Test = Callable[[Any], bool]

_TYPES: Final[Mapping[str, Test]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
}
# What says nothing of what is valid.
_NOTES: Final = frozenset(
    ("$schema", "$id", "$comment", "$defs", "title", "description", "default", "then", "examples")
)

TIME_FORMAT: Final = "date-time"


def _all(tests: Sequence[Test]) -> Test:
    if len(tests) == 1:
        return tests[0]

    def test(value: Any) -> bool:
        for one in tests:  # noqa: SIM110 - a generator takes twice as long
            if not one(value):
                return False
        return True

    return test


class _Schema(NamedTuple):
    """The whole schema while it is compiled."""

    parts: Mapping[str, Any]  # the definitions
    tests: dict[str, Test]  # of those that were compiled already
    newer_minor: bool

    def test(self, node: Mapping[str, Any]) -> Test:
        """What tells whether a value is valid by this part of the schema."""
        return _all([_KEYWORDS[keyword](self, rule, node) for keyword, rule in node.items() if keyword not in _NOTES])

    def at(self, reference: str) -> Test:
        """The test of a definition, which may hold itself."""
        name = reference.removeprefix("#/$defs/")
        if name not in self.tests:
            self.tests[name] = lambda value: self.tests[name](value)
            self.tests[name] = self.test(self.parts[name])
        return self.tests[name]


_Builder = Callable[[_Schema, Any, Mapping[str, Any]], Test]


def _properties(schema: _Schema, rule: Mapping[str, Any], node: Mapping[str, Any]) -> Test:
    tests = {key: schema.test(one) for key, one in rule.items()}

    def test(value: Any) -> bool:
        if isinstance(value, dict):
            for key, item in value.items():
                if key in tests and not tests[key](item):
                    return False
        return True

    return test


def _items(schema: _Schema, rule: Mapping[str, Any], node: Mapping[str, Any]) -> Test:
    test = schema.test(rule)
    return lambda value: not isinstance(value, list) or all(map(test, value))


def _additional(schema: _Schema, rule: Mapping[str, Any], node: Mapping[str, Any]) -> Test:
    test, known = schema.test(rule), node.get("properties", {})
    return lambda value: not isinstance(value, dict) or all(test(value[key]) for key in value if key not in known)


def _required(schema: _Schema, rule: list[str], node: Mapping[str, Any]) -> Test:
    keys = frozenset(rule)
    return lambda value: not isinstance(value, dict) or keys <= value.keys()


def _enum(schema: _Schema, rule: list[str], node: Mapping[str, Any]) -> Test:
    names = frozenset(rule)
    return lambda value: not isinstance(value, str) or schema.newer_minor or value in names


def _pattern(schema: _Schema, rule: str, node: Mapping[str, Any]) -> Test:
    search = re.compile(rule).search
    return lambda value: not isinstance(value, str) or search(value) is not None


def _format(schema: _Schema, rule: str, node: Mapping[str, Any]) -> Test:
    return {TIME_FORMAT: is_time}[rule]


def _if(schema: _Schema, rule: Mapping[str, Any], node: Mapping[str, Any]) -> Test:
    condition, then = schema.test(rule), schema.test(node["then"])
    return lambda value: not condition(value) or then(value)


_KEYWORDS: Final[Mapping[str, _Builder]] = {
    "$ref": lambda schema, rule, node: schema.at(rule),
    "additionalProperties": _additional,
    "allOf": lambda schema, rule, node: _all([schema.test(part) for part in rule]),
    "const": lambda schema, rule, node: lambda value: value == rule,
    "enum": _enum,
    "format": _format,
    "if": _if,
    "items": _items,
    "maxItems": lambda schema, rule, node: lambda value: not isinstance(value, list) or len(value) <= rule,
    "minItems": lambda schema, rule, node: lambda value: not isinstance(value, list) or len(value) >= rule,
    "minimum": lambda schema, rule, node: lambda value: not isinstance(value, int) or value >= rule,
    "pattern": _pattern,
    "properties": _properties,
    "required": _required,
    "type": lambda schema, rule, node: _TYPES[rule],
}


def compiled(schema: Mapping[str, Any], *, newer_minor: bool = False) -> Test:
    """What tells whether a value is valid by the schema; ``newer_minor`` as in ``schema.problems``.

    ``KeyError`` where the schema has a keyword that is not known here.
    """
    whole = _Schema(schema.get("$defs", {}), {}, newer_minor)
    return whole.test(schema)
