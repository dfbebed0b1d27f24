"""The public contract, ``schemas/frame.schema.json``, and what is wrong with a frame by it.

Asked where a frame comes from outside: ``frames validate``, import, migration, CI. Plain reads rely on
``frame_json.decode``, which is ten times as fast.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from session_frames.frame_json import VERSION, is_newer, is_time, type_word
from session_frames.schema_check import TIME_FORMAT, Test, compiled

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

SCHEMA_NAME: Final = "frame.schema.json"

_TYPES: Final = {
    "object": "an object",
    "array": "a list",
    "string": "a string",
    "integer": "a whole number",
    "boolean": "true or false",
}
# List of records -> the key by which each of them is meant, once in the list.
_NAMED_BY: Final = {
    **dict.fromkeys(
        ("decisions", "constraints", "open_questions", "next_steps", "turns", "compactions", "events"), "id"
    ),
    **dict.fromkeys(("threads", "checkpoints"), "name"),
}


class Problem(NamedTuple):
    """One thing that is wrong with a frame: where (``$.turns[0].role``), and what was expected."""

    path: str
    message: str


@cache
def schema_text(name: str = SCHEMA_NAME) -> str:
    """A schema as it is published: from the installed package, else from the checkout."""
    packaged = files("session_frames") / "schemas" / name
    if packaged.is_file():
        return packaged.read_text(encoding="utf-8")
    return (Path(__file__).parents[2] / "schemas" / name).read_text(encoding="utf-8")


def load_schema() -> dict[str, Any]:
    """The schema as JSON values; a new copy each time."""
    schema: dict[str, Any] = json.loads(schema_text())
    return schema


def problems(frame: Any, *, newer_minor: bool = False) -> list[Problem]:
    """All that is wrong with a frame by the schema, sorted by path.

    With ``newer_minor`` a name that a list of names does not hold is no problem: newer versions may add some.
    """
    found = {problem for error in _validator().iter_errors(frame) for problem in _told(error, newer_minor)}
    return sorted(found, key=_sort_key)


def is_valid(frame: Any, *, newer_minor: bool = False) -> bool:
    """Are there no ``problems``? Answered without saying which; a value nested too deep to be seen may have some."""
    try:
        return _test(newer_minor)(frame)
    except RecursionError:
        return False


def problems_of_version(frame: Any) -> list[Problem]:
    """The ``problems`` of a frame of the version that it names, asked fast where there are none, and the records that
    can't be told apart."""
    version = frame.get("frame") if isinstance(frame, dict) else None
    newer_minor = isinstance(version, str) and VERSION.fullmatch(version) is not None and is_newer(frame)
    found = [] if is_valid(frame, newer_minor=newer_minor) else problems(frame, newer_minor=newer_minor)
    return sorted([*found, *_repeated(frame)], key=_sort_key)


def _repeated(frame: Any) -> Iterator[Problem]:
    """Records of one list that have the id or the name of an earlier one, which JSON Schema has no words for."""
    for key, name in _NAMED_BY.items():
        records = frame.get(key) if isinstance(frame, dict) else None
        seen: dict[str, int] = {}
        for place, record in enumerate(records if isinstance(records, list) else []):
            value = record.get(name) if isinstance(record, dict) else None
            if isinstance(value, str) and (first := seen.setdefault(value, place)) != place:
                yield Problem(
                    f"$.{key}[{place}].{name}",
                    f"expected {name}s that differ, found {value!r} of $.{key}[{first}] again",
                )


@cache
def _test(newer_minor: bool) -> Test:
    return compiled(load_schema(), newer_minor=newer_minor)


@cache
def _validator() -> Validator:
    from jsonschema import Draft202012Validator, FormatChecker
    from jsonschema.validators import extend

    # JSON Schema takes 1.0 for an integer; offsets and counts are used as such, so here it is none.
    whole = Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    )
    strict = extend(Draft202012Validator, type_checker=whole)  # type: ignore[no-untyped-call]
    formats = FormatChecker(formats=())
    formats.checks(TIME_FORMAT)(is_time)
    validator: Validator = strict(load_schema(), format_checker=formats)
    return validator


def _told(error: ValidationError, newer_minor: bool) -> Iterator[Problem]:
    path = "$" + "".join(_step(part) for part in error.absolute_path)
    found: Any = error.instance
    rule: Any = error.validator_value
    if error.validator == "required":
        # jsonschema tells each missing key by its text only; told twice, they are one problem.
        for key in rule:
            if key not in found:
                yield Problem(path, f"'{key}' is required")
    elif error.validator == "enum":
        # What is no string at all is told by "type".
        if isinstance(found, str) and not newer_minor:
            yield Problem(path, f"{found!r} is not one of {', '.join(rule)}")
    elif error.validator == "pattern":
        schema: Any = error.schema
        yield Problem(path, f"{found!r} is not {schema['$comment']}")
    else:
        yield Problem(path, _MESSAGES[str(error.validator)](found, rule))


def _step(part: str | int) -> str:
    if isinstance(part, int):
        return f"[{part}]"
    return f".{part}" if part.isidentifier() else f"[{part!r}]"


def _sort_key(problem: Problem) -> tuple[list[tuple[int, str]], str]:
    """Order of paths as a person reads them: ``[2]`` before ``[10]``."""
    steps = re.split(r"\[(?=\d)|\.", problem.path)
    return [(int(step[:-1]), "") if step[:-1].isdecimal() else (-1, step) for step in steps], problem.message


# What the schema asks for -> the message, from the value found and what was asked for.
_MESSAGES: Final[dict[str, Callable[[Any, Any], str]]] = {
    "type": lambda found, name: f"expected {_TYPES[name]}, found {type_word(found)}",
    "format": lambda found, _: f"{found!r} is not a time like 2026-06-02T09:30:00Z",
    "minimum": lambda found, least: f"expected {least} or more, found {found}",
    "minItems": lambda found, least: f"expected at least {least} items, found {len(found)}",
    "maxItems": lambda found, most: f"expected at most {most} items, found {len(found)}",
}
