"""A frame as bytes and back.

``encode`` writes the one canonical form, ``decode`` reads any JSON that has the shape of a frame. What belongs where is
read from the annotations in ``model`` and from nowhere else, so that the two can't differ. The schema says the same to
other tools; it is too slow to be asked at every read (``schema.problems`` does so where frames come from outside).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import cache
from json.encoder import encode_basestring as _quoted
from typing import Any, Final, Literal, NamedTuple, Required, get_args, get_origin, get_type_hints, is_typeddict

from session_frames.errors import FormatError, NewerVersion
from session_frames.model import FORMAT_VERSION, Frame, Turn

FRAME_ID: Final = re.compile(r"[0-9a-f]{24}")
VERSION: Final = re.compile(r"(0|[1-9][0-9]{0,3})\.(0|[1-9][0-9]{0,3})")

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_CONFLICT_MARKER = re.compile(rb"^<{7}( |$)", re.MULTILINE)

# What stands in front of the first turn; no text holds a line break.
_FIRST_TURN = '\n  "turns": [\n    '

# A fault found by the shape check: where, below the value that was checked, and what was expected.
_Fault = tuple[str, str]


class Kind(NamedTuple):
    """What a value of one type looks like: how it is written and what can be wrong with it."""

    write: Callable[[Any, str], str]
    """The value as text; the second argument is the indentation of the line it begins on."""
    fault: Callable[[Any, bool], _Fault | None]
    """The first fault of a value; with ``True`` a name that a newer minor may have added is none."""


class Field(NamedTuple):
    """One key of an object: must it be there, the type it was annotated with, and the kind of its values."""

    required: bool
    hint: Any
    kind: Kind
    is_default: Callable[[Any], bool]
    """Does a missing key mean the same as this value?"""


# ---------------------------------------------------------------------------------------------------------------------
# Writing


def encode(frame: Frame) -> bytes:
    """The canonical bytes of a frame: the same frame is always the same bytes, and they are valid UTF-8."""
    return b"".join(_encoded(frame))


def encoded_size(frame: Frame) -> int:
    """How many bytes ``encode`` makes of a frame."""
    return sum(map(len, _encoded(frame)))


def _encoded(frame: Frame) -> Iterator[bytes]:
    """The bytes of a frame piece by piece: its whole text would be as wide as its widest character."""
    try:
        yield from map(_utf8, _pieces(frame))
    except RecursionError as error:
        raise FormatError("frame cannot be written: a value is nested too deep") from error


def _pieces(frame: Frame) -> Iterator[str]:
    """The text of a frame, cut between its turns."""
    write, write_turn = _object_kind(Frame).write, _object_kind(Turn).write
    turns = frame.get("turns", [])
    if not turns:
        yield write(frame, "") + "\n"
        return
    first, *others = turns
    text = write({**frame, "turns": [first]}, "")
    end = text.index(_FIRST_TURN) + len(_FIRST_TURN) + len(write_turn(first, "    "))
    yield text[:end]
    for turn in others:
        yield ",\n    " + write_turn(turn, "    ")
    yield text[end:] + "\n"


def _utf8(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        # Halves of a pair that stand side by side are one character; only what then remains alone needs the escape.
        paired = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        return _LONE_SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", paired).encode("utf-8")


def _write_any(value: Any, pad: str) -> str:
    """Any JSON value, its keys in the order found."""
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, dict):
        inner = pad + "  "
        return _braced([f"{_quoted(key)}: {_write_any(item, inner)}" for key, item in value.items()], pad)
    if isinstance(value, list):
        inner = pad + "  "
        return _bracketed([_write_any(item, inner) for item in value], pad)
    if type(value) is int:
        return str(value)
    # The standard library knows how to write the rest, and refuses what JSON has no word for.
    return json.dumps(value, allow_nan=False)


def _braced(members: list[str], pad: str) -> str:
    if not members:
        return "{}"
    return "{\n" + pad + "  " + f",\n{pad}  ".join(members) + "\n" + pad + "}"


def _bracketed(items: list[str], pad: str) -> str:
    if not items:
        return "[]"
    return "[\n" + pad + "  " + f",\n{pad}  ".join(items) + "\n" + pad + "]"


def _is_empty(value: Any) -> bool:
    return value is None or value is False or value == "" or value == [] or value == {}


def _is_true(value: Any) -> bool:
    return value is True


def _never(value: Any) -> bool:
    return False


# An item is verified unless it says that it is not.
_TRUE_WHEN_MISSING: Final = frozenset({"verified"})


def _object_writer(fields: dict[str, Field]) -> Callable[[Any, str], str]:
    plan = [(key, f"{_quoted(key)}: ", *field) for key, field in fields.items()]

    def write(value: dict[str, Any], pad: str) -> str:
        inner = pad + "  "
        members = []
        known = 0
        for key, label, required, _, (write_field, _), is_default in plan:
            if key not in value:
                continue
            known += 1
            item = value[key]
            if is_default(item):
                continue
            text = write_field(item, inner)
            if text != "{}" or required:
                members.append(label + text)
        if known < len(value):
            unknown = [key for key in value if key not in fields]
            unknown.sort(key=lambda key: key.startswith("x_"))  # stable: else in the order found
            members += [f"{_quoted(key)}: {_write_any(value[key], inner)}" for key in unknown]
        return _braced(members, pad)

    return write


# ---------------------------------------------------------------------------------------------------------------------
# Reading


def decode(data: bytes, name: str = "") -> Frame:
    """The frame in these bytes; ``FormatError`` says what is wrong with them and where.

    A newer minor version is read, a newer major one is not.
    """
    return require_shape(parse_json(data, name), name)


def require_shape(value: Any, name: str = "") -> Frame:
    """The JSON value, if it is a frame that can be read; ``FormatError`` as from ``decode``."""
    require_known_version(value, name)
    try:
        fault = _object_kind(Frame).fault(value, _version(value["frame"]) > _version(FORMAT_VERSION))
    except RecursionError as error:
        raise _invalid(name, "a value is nested too deep") from error
    if fault is None and not FRAME_ID.fullmatch(value["id"]):
        fault = ".id", f"{value['id']!r} is not 24 lower-case hex digits"
    if fault is not None:
        raise _invalid(name, f"${fault[0]}: {fault[1]}")
    frame: Frame = value
    return frame


def is_newer(frame: Frame) -> bool:
    """Was the frame written by a newer version of the format than this one?"""
    return _version(frame["frame"]) > _version(FORMAT_VERSION)


def require_writable(frame: Frame, name: str = "") -> None:
    """Raise ``FormatError`` when a newer version wrote the frame: what we don't know we must not rewrite."""
    if is_newer(frame):
        told = f"cannot change {_subject(name)}: it was written by a newer version (format {frame['frame']})"
        raise NewerVersion(told, hint="upgrade frames to change this file")


def parse_json(data: bytes, name: str) -> Any:
    """The JSON value in these bytes, whatever its shape; ``FormatError`` says where it is no JSON."""
    if not data.strip():
        raise _invalid(name, "the file is empty")
    if b"\0" in data:
        raise _invalid(name, f"a NUL byte {_position(data, data.index(0))}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _invalid(name, f"not UTF-8 {_position(data, error.start)}") from error
    try:
        return json.loads(text, parse_constant=_refuse_constant, parse_float=_finite)
    except json.JSONDecodeError as error:
        marker = _CONFLICT_MARKER.search(data)
        if marker:
            told = f"a git conflict is left in it, <<<<<<< {_position(data, marker.start())}"
            raise _invalid(name, told, hint="frames doctor") from error
        what = _uncapitalised(error.msg)
        raise _invalid(name, f"{what} at line {error.lineno} column {error.colno}") from error
    except RecursionError as error:
        raise _invalid(name, "a value is nested too deep") from error
    except ValueError as error:
        raise _invalid(name, _uncapitalised(str(error).split(";")[0])) from error


def _uncapitalised(message: str) -> str:
    return message[:1].lower() + message[1:]


def _refuse_constant(word: str) -> Any:
    raise ValueError(f"'{word}' is not a JSON number")


def _finite(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"the number '{digits}' is too large")
    return number


def _position(data: bytes, offset: int) -> str:
    line_start = data.rfind(b"\n", 0, offset) + 1
    return f"at line {data.count(10, 0, offset) + 1} column {offset - line_start + 1}"


def require_known_version(value: Any, name: str) -> None:
    """Raise ``FormatError`` unless the JSON value is an object that names a version which can be read here."""
    if not isinstance(value, dict):
        raise _invalid(name, f"expected an object, found {type_word(value)}")
    if "frame" not in value:
        raise _invalid(name, "$: 'frame' is required")
    version = value["frame"]
    if not isinstance(version, str):
        raise _invalid(name, f"$.frame: expected a string, found {type_word(version)}")
    if not VERSION.fullmatch(version):
        raise _invalid(name, f"$.frame: {version!r} is not a version like {FORMAT_VERSION}")
    major, ours = _version(version)[0], _version(FORMAT_VERSION)[0]
    if major > ours:
        told = f"cannot read {_subject(name)}: it was written by a newer version (format {version})"
        raise NewerVersion(told, hint="upgrade frames to read this file")
    if major < ours:
        raise _invalid(name, f"$.frame: {version!r} is not a version that ever was")


def _version(text: str) -> tuple[int, int]:
    major, minor = text.split(".")
    return int(major), int(minor)


def _subject(name: str) -> str:
    return f"'{name}'" if name else "the frame"


def _invalid(name: str, what: str, hint: str = "") -> FormatError:
    return FormatError(
        f"{_subject(name)} is not a valid frame: {what}",
        hint=hint or (f"frames validate {name}" if name else None),
    )


# ---------------------------------------------------------------------------------------------------------------------
# Kinds: what the annotations of the model say


@cache
def fields_of(record: type) -> dict[str, Field]:
    """The keys of a TypedDict of the model, in the order in which they are written."""
    fields = {}
    for key, hint in get_type_hints(record, include_extras=True).items():
        required = get_origin(hint) is Required
        inner = get_args(hint)[0] if required else hint
        default = _never if required else _is_true if key in _TRUE_WHEN_MISSING else _is_empty
        fields[key] = Field(required, inner, _kind(inner), default)
    return fields


def _kind(hint: Any) -> Kind:
    if is_typeddict(hint):
        return _object_kind(hint)
    if hint in _SCALARS:
        return _SCALARS[hint]
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return _literal_kind(arguments)
    if origin is list:
        return _list_kind(_kind(arguments[0]))
    if origin is dict:
        return _map_kind(_kind(arguments[1]))
    raise TypeError(f"no JSON form for {hint}")


@cache
def _object_kind(record: type) -> Kind:
    fields = fields_of(record)
    required = [key for key, field in fields.items() if field.required]
    checks = {key: field.kind.fault for key, field in fields.items()}

    def fault(value: Any, newer: bool) -> _Fault | None:
        if not isinstance(value, dict):
            return "", f"expected an object, found {type_word(value)}"
        for key in required:
            if key not in value:
                return "", f"'{key}' is required"
        for key, item in value.items():
            check = checks.get(key)
            found = check(item, newer) if check else None
            if found:
                return f".{key}{found[0]}", found[1]
        return None

    return Kind(_object_writer(fields), fault)


def _list_kind(items: Kind) -> Kind:
    write_item, item_fault = items

    def write(value: list[Any], pad: str) -> str:
        inner = pad + "  "
        return _bracketed([write_item(item, inner) for item in value], pad)

    def fault(value: Any, newer: bool) -> _Fault | None:
        if not isinstance(value, list):
            return "", f"expected a list, found {type_word(value)}"
        for index, item in enumerate(value):
            found = item_fault(item, newer)
            if found:
                return f"[{index}]{found[0]}", found[1]
        return None

    return Kind(write, fault)


def _map_kind(values: Kind) -> Kind:
    write_value, value_fault = values

    def write(value: dict[str, Any], pad: str) -> str:
        inner = pad + "  "
        return _braced([f"{_quoted(key)}: {write_value(item, inner)}" for key, item in value.items()], pad)

    def fault(value: Any, newer: bool) -> _Fault | None:
        if not isinstance(value, dict):
            return "", f"expected an object, found {type_word(value)}"
        for key, item in value.items():
            found = value_fault(item, newer)
            if found:
                return f"[{key!r}]{found[0]}", found[1]
        return None

    return Kind(write, fault)


def _literal_kind(names: tuple[str, ...]) -> Kind:
    allowed = frozenset(names)

    def fault(value: Any, newer: bool) -> _Fault | None:
        if not isinstance(value, str):
            return "", f"expected a string, found {type_word(value)}"
        if value not in allowed and not newer:
            return "", f"{value!r} is not one of {', '.join(names)}"
        return None

    return Kind(_write_text, fault)


def _write_text(value: str, pad: str) -> str:
    return _quoted(value)


def _text_fault(value: Any, newer: bool) -> _Fault | None:
    return None if isinstance(value, str) else ("", f"expected a string, found {type_word(value)}")


def _count_fault(value: Any, newer: bool) -> _Fault | None:
    if not isinstance(value, int) or isinstance(value, bool):
        return "", f"expected a whole number, found {type_word(value)}"
    return None if value >= 0 else ("", f"expected 0 or more, found {value}")


def _flag_fault(value: Any, newer: bool) -> _Fault | None:
    return None if isinstance(value, bool) else ("", f"expected true or false, found {type_word(value)}")


def _no_fault(value: Any, newer: bool) -> _Fault | None:
    return None


_SCALARS: Final[dict[Any, Kind]] = {
    str: Kind(_write_text, _text_fault),
    int: Kind(_write_any, _count_fault),
    bool: Kind(_write_any, _flag_fault),
    Any: Kind(_write_any, _no_fault),
}


def type_word(value: Any) -> str:
    """What a person calls the type of a JSON value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return _TYPE_WORDS.get(type(value), "something else")


_TYPE_WORDS: Final = {str: "a string", int: "a number", float: "a number", list: "a list", dict: "an object"}


_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?", re.ASCII)


def is_time(value: Any) -> bool:
    """Is it a time as frames hold it, UTC where it names no zone? "" is one that is not known, and what is no text is
    told by its type."""
    if not isinstance(value, str) or not value:
        return True
    if not _TIME.fullmatch(value):
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True
