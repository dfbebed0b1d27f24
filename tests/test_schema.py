"""The published schema and the model say the same, key by key, and problems are told so that a person can mend them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, is_typeddict

import pytest

from session_frames import migrations
from session_frames.errors import FormatError
from session_frames.frame_json import decode, fields_of, parse_json
from session_frames.model import Frame
from session_frames.schema import Problem, is_valid, load_schema, problems, problems_of_version

SCHEMAS = Path(__file__).parents[1] / "schemas"
VALID = Path(__file__).parent / "frames" / "valid"
INVALID = VALID.parent / "invalid"

MINIMAL = {"frame": "1.0", "id": "a" * 24, "topic": "t", "status": "closed"}

# A published minor never changes. What is new goes into the next minor and gets a frozen copy of its own.
FROZEN = {"frame-1.0.schema.json": "c009766910b2a4cd4d5fcca27f0b7d205bb71e1621f7f381c849de1c68c744c2"}

_JSON_TYPES = {str: "string", int: "integer", bool: "boolean"}


def nodes(
    record: type = Frame, schema: dict[str, Any] | None = None, where: str = "$"
) -> Iterator[tuple[str, type, Any]]:
    """Every TypedDict of the model with the part of the schema that describes it."""
    whole = load_schema()
    node = whole if schema is None else schema
    yield where, record, node
    for key, field in fields_of(record).items():
        hint, below = field.hint, node["properties"].get(key, {})
        while get_origin(hint) is list:
            hint, below = get_args(hint)[0], below.get("items", {})
        if is_typeddict(hint):
            target = whole["$defs"][below["$ref"].removeprefix("#/$defs/")]
            yield from nodes(hint, target, f"{where}.{key}")


NODES = list(nodes())


@pytest.mark.parametrize(("where", "record", "node"), NODES, ids=[where for where, _, _ in NODES])
def test_schema_and_model_have_the_same_keys_in_the_same_order(where: str, record: type, node: Any) -> None:
    fields = fields_of(record)
    assert list(node["properties"]) == list(fields)
    assert node.get("required", []) == [key for key, field in fields.items() if field.required]
    assert node["type"] == "object"
    assert "additionalProperties" not in node


@pytest.mark.parametrize(("where", "record", "node"), NODES, ids=[where for where, _, _ in NODES])
def test_schema_and_model_have_the_same_types(where: str, record: type, node: Any) -> None:
    for key, field in fields_of(record).items():
        assert_same_type(f"{where}.{key}", field.hint, node["properties"][key])


def assert_same_type(where: str, hint: Any, node: dict[str, Any]) -> None:
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is Any:
        assert set(node) <= {"description"}, where
    elif is_typeddict(hint):
        assert set(node) <= {"description", "$ref"}, where
    elif origin is Literal:
        assert (node["type"], node["enum"]) == ("string", list(arguments)), where
    elif origin is list:
        assert node["type"] == "array", where
        assert_same_type(where + "[]", arguments[0], node["items"])
    elif origin is dict:
        assert node["type"] == "object", where
        assert_same_type(where + "{}", arguments[1], node["additionalProperties"])
    else:
        assert node["type"] == _JSON_TYPES[hint], where
        assert node.get("default", True), where
        assert "enum" not in node, where


def test_every_definition_is_used() -> None:
    used = {id(node) for _, _, node in NODES}
    names = {json.dumps(node, sort_keys=True) for _, _, node in NODES}
    assert used
    assert {json.dumps(node, sort_keys=True) for node in load_schema()["$defs"].values()} <= names


def test_everything_is_described() -> None:
    for where, _, node in NODES:
        assert node["description"].endswith("."), where
        for key, item in node["properties"].items():
            assert len(item["description"]) > 5, f"{where}.{key}"


def test_schema_is_a_schema() -> None:
    from jsonschema import Draft202012Validator

    Draft202012Validator.check_schema(load_schema())


@pytest.mark.parametrize("name", sorted(FROZEN))
def test_published_schemas_are_frozen(name: str) -> None:
    assert hashlib.sha256((SCHEMAS / "archive" / name).read_bytes()).hexdigest() == FROZEN[name]


def test_the_current_schema_is_the_newest_frozen_one() -> None:
    newest = sorted((SCHEMAS / "archive").iterdir())[-1]
    assert newest.name in FROZEN
    assert (SCHEMAS / "frame.schema.json").read_bytes() == newest.read_bytes()


def test_every_key_is_in_a_sample() -> None:
    frame = json.loads((VALID / "every-key.frame.json").read_bytes())
    seen: dict[type, set[str]] = {record: set() for _, record, _ in NODES}

    def visit(record: type, value: dict[str, Any]) -> None:
        seen[record] |= value.keys()
        for key, field in fields_of(record).items():
            hint = field.hint
            items = value.get(key, []) if get_origin(hint) is list else [value[key]] if key in value else []
            item_hint = get_args(hint)[0] if get_origin(hint) is list else hint
            for item in items if is_typeddict(item_hint) else ():
                visit(item_hint, item)

    visit(Frame, frame)
    assert {record.__name__: set(fields_of(record)) - keys for record, keys in seen.items()} == {
        record.__name__: set() for record in seen
    }


# ---------------------------------------------------------------------------------------------------------------------
# Problems


def test_a_valid_frame_has_no_problems() -> None:
    assert problems(MINIMAL) == []


def test_all_problems_are_told_in_the_order_of_the_file() -> None:
    turns: list[Any] = [{"id": f"u{number}", "role": "user"} for number in range(12)]
    turns[2] = {"id": "a3", "role": "agent", "calls": [{"id": "c1", "tool": "Bash", "outcome": "bogus"}]}
    turns[10] = {"id": 7, "pinned": 1}
    assert problems({**MINIMAL, "status": "open", "turns": turns}) == [
        Problem("$.status", "'open' is not one of active, closed, archived, exported"),
        Problem("$.turns[2].calls[0].outcome", "'bogus' is not one of passed, failed, pending, unknown"),
        Problem("$.turns[10]", "'role' is required"),
        Problem("$.turns[10].id", "expected a string, found a number"),
        Problem("$.turns[10].pinned", "expected true or false, found a number"),
    ]


def test_each_missing_key_is_told_once() -> None:
    assert problems({}) == [Problem("$", f"'{key}' is required") for key in ("frame", "id", "status", "topic")]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"frame": "2.0"}, ("$.frame", "'2.0' is not a version like 1.0")),
        ({"id": "x"}, ("$.id", "'x' is not 24 lower-case hex digits")),
        ({"turns": {}}, ("$.turns", "expected a list, found an object")),
        ({"elided": [{"reason": "r", "count": -1}]}, ("$.elided[0].count", "expected 0 or more, found -1")),
        ({"elided": [{"reason": "r", "count": 1.0}]}, ("$.elided[0].count", "expected a whole number, found a number")),
        (
            {"merge_conflicts": [{"id": "1", "where": "topic", "values": [1]}]},
            ("$.merge_conflicts[0].values", "expected at least 2 items, found 1"),
        ),
        (
            {"merge_conflicts": [{"id": "1", "where": "topic", "values": [1, 2, 3]}]},
            ("$.merge_conflicts[0].values", "expected at most 2 items, found 3"),
        ),
    ],
)
def test_a_problem_says_what_was_expected(change: dict[str, Any], problem: tuple[str, str]) -> None:
    assert problems({**MINIMAL, **change}) == [Problem(*problem)]


TIMES = {
    True: ["", "2026-06-02T09:30:00Z", "2026-06-02T09:30:00.123Z", "2026-06-02T09:30:00+09:00", "2026-06-02T09:30:00"],
    False: ["yesterday", "bad", "2026-06-02", "2026-13-02T09:30:00Z", "2026-02-30T09:30:00Z", "2026-06-02T09:30:00Z\n"],
}


@pytest.mark.parametrize(("valid", "time"), [(valid, time) for valid, times in TIMES.items() for time in times])
def test_a_time_is_a_time(valid: bool, time: str) -> None:
    frame = {
        **MINIMAL,
        "turns": [{"id": "u1", "role": "user", "at": time}],
        "events": [{"id": "e1", "at": time, "kind": "pin"}],
    }
    assert is_valid(frame) == valid
    told = f"{time!r} is not a time like 2026-06-02T09:30:00Z"
    wanted = [] if valid else [Problem(f"$.{key}[0].at", told) for key in ("events", "turns")]
    assert problems_of_version(frame) == wanted


_ITEM = {"id": "1", "text": "x", "by": "user"}
_ONCE: dict[str, tuple[str, Any]] = {
    "decisions": ("id", {**_ITEM, "status": "accepted"}),
    "constraints": ("id", {**_ITEM, "status": "accepted"}),
    "open_questions": ("id", {**_ITEM, "status": "open"}),
    "next_steps": ("id", {**_ITEM, "status": "open"}),
    "turns": ("id", {"id": "u1", "role": "user"}),
    "threads": ("name", {"name": "시도", "status": "open"}),
    "checkpoints": ("name", {"name": "c", "turn": "u1"}),
    "compactions": ("id", {"id": "1", "summary": "s"}),
    "events": ("id", {"id": "1", "at": "2026-06-02T09:30:00Z", "kind": "pin"}),
}


@pytest.mark.parametrize("key", _ONCE)
def test_no_two_records_of_a_list_are_called_the_same(key: str) -> None:
    name, record = _ONCE[key]
    other = {**record, name: "other"}
    assert problems_of_version({**MINIMAL, key: [record, other]}) == []
    told = f"expected {name}s that differ, found {record[name]!r} of $.{key}[0] again"
    assert problems_of_version({**MINIMAL, key: [record, other, record]}) == [Problem(f"$.{key}[2].{name}", told)]


def test_what_the_schema_refuses_and_what_stands_twice_is_told_together() -> None:
    turn = {"id": "u1", "role": "user"}
    assert problems_of_version({**MINIMAL, "threads": 7, "events": [7, {}], "turns": [turn, {"id": "u1"}, 1]}) == [
        Problem("$.events[0]", "expected an object, found a number"),
        *(Problem("$.events[1]", f"'{key}' is required") for key in ("at", "id", "kind")),
        Problem("$.threads", "expected a list, found a number"),
        Problem("$.turns[1]", "'role' is required"),
        Problem("$.turns[1].id", "expected ids that differ, found 'u1' of $.turns[0] again"),
        Problem("$.turns[2]", "expected an object, found a number"),
    ]


@pytest.mark.parametrize(("kind", "key"), [("commit", "tree"), ("date", "expires_at"), ("files", "files")])
def test_a_lifetime_says_what_it_depends_on(kind: str, key: str) -> None:
    result = {"id": "1", "tool": "Grep", "lifetime": {"kind": kind}}
    assert problems({**MINIMAL, "tool_results": [result]}) == [
        Problem("$.tool_results[0].lifetime", f"'{key}' is required")
    ]


def test_a_path_with_odd_keys_is_quoted() -> None:
    call = {"id": "c1", "tool": "Edit", "outcome": "passed", "wrote": {"a b.py": "x"}}
    assert problems({**MINIMAL, "turns": [{"id": "a1", "role": "agent", "calls": [call]}]}) == [
        Problem("$.turns[0].calls[0].wrote['a b.py']", "expected a list, found a string")
    ]


def test_a_newer_minor_may_know_more_names() -> None:
    frame = {**MINIMAL, "frame": "1.7", "status": "paused", "turns": [{"role": "user"}]}
    assert problems(frame, newer_minor=True) == [Problem("$.turns[0]", "'id' is required")]


@pytest.mark.parametrize("path", sorted(VALID.iterdir()), ids=lambda path: path.name)
def test_valid_samples_are_valid_by_the_schema(path: Path) -> None:
    frame = decode(path.read_bytes(), path.name)
    assert problems(frame, newer_minor=frame["frame"] != "1.0") == []


def mutants(value: Any) -> Iterator[Any]:
    """The value with one thing changed: a key taken away or strange, an item left out or doubled, another value."""
    yield from (None, True, 7, -1, 1.0, "x", "", [], [1], {}, {"kind": "date"}, {"x": 1})
    if isinstance(value, dict):
        for key, item in value.items():
            yield {other: one for other, one in value.items() if other != key}
            yield from ({**value, key: changed} for changed in mutants(item))
        yield {**value, "x_more": [1]}
    elif isinstance(value, list):
        yield [*value, *value]
        yield value[1:]
        for at, item in enumerate(value):
            yield from ([*value[:at], changed, *value[at + 1 :]] for changed in mutants(item))
    elif isinstance(value, str):
        yield value + "\n"


@pytest.mark.parametrize("newer_minor", [False, True])
def test_yes_and_no_are_said_as_the_schema_says_them(newer_minor: bool) -> None:
    sample = json.loads((VALID / "every-key.frame.json").read_bytes())
    told = {True: 0, False: 0}
    for frame in (sample, *islice(mutants(sample), int(newer_minor), None, 4)):
        valid = problems(frame, newer_minor=newer_minor) == []
        assert is_valid(frame, newer_minor=newer_minor) == valid, frame
        told[valid] += 1
    assert min(told.values()) > 100


@pytest.mark.parametrize("path", sorted((*VALID.iterdir(), *INVALID.iterdir())), ids=lambda path: path.name)
def test_samples_are_valid_or_not_as_the_schema_says(path: Path) -> None:
    try:
        frame = parse_json(path.read_bytes(), path.name)
    except FormatError:
        return
    for newer_minor in (False, True):
        assert is_valid(frame, newer_minor=newer_minor) == (problems(frame, newer_minor=newer_minor) == [])


# ---------------------------------------------------------------------------------------------------------------------
# Migrations


def steps() -> list[migrations.Step]:
    listed: list[migrations.Step] = []

    @migrations.step(to="1.1", steps=listed)
    def add_mood(frame: Frame) -> Frame:
        return {**frame, "frame": "1.1", "x_mood": "calm"}  # type: ignore[typeddict-unknown-key]

    @migrations.step(to="1.10", steps=listed)
    def rename_topic(frame: Frame) -> Frame:
        return {**frame, "frame": "1.10", "topic": frame["topic"].upper()}

    return listed


def frame_of(version: str) -> Frame:
    return {"frame": version, "id": "a" * 24, "topic": "t", "status": "closed"}


def test_steps_lead_from_each_older_version_to_the_newest() -> None:
    assert migrations.migrate(frame_of("1.0"), steps()) == {**frame_of("1.10"), "topic": "T", "x_mood": "calm"}
    assert migrations.migrate(frame_of("1.9"), steps()) == {**frame_of("1.10"), "topic": "T"}
    assert migrations.migrate(frame_of("1.10"), steps()) == frame_of("1.10")
    assert migrations.migrate(frame_of("1.11"), steps()) == frame_of("1.11")


def test_migrating_changes_nothing_in_place() -> None:
    frame = frame_of("1.0")
    migrations.migrate(frame, steps())
    assert frame == frame_of("1.0")


def test_a_step_must_change_the_version() -> None:
    with pytest.raises(ValueError, match=r"^step to 1\.1 left the frame at 1\.0$"):
        migrations.migrate(frame_of("1.0"), [migrations.Step("1.1", lambda frame: frame)])


def test_steps_stand_in_order() -> None:
    with pytest.raises(ValueError, match=r"^step to 1\.2 stands behind the step to 1\.10$"):
        migrations.step(to="1.2", steps=steps())


def test_the_first_version_needs_no_steps() -> None:
    assert migrations.migrate(frame_of("1.0")) == frame_of("1.0")
