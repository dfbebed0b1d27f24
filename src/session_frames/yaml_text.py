"""YAML as YAML 1.2 has it: ``on``, ``yes`` and ``off`` are words, not booleans; times stay text."""

from __future__ import annotations

import re
from typing import Any

import yaml

from session_frames.errors import FormatError

_SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_SafeDumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
_BOOLEAN = re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$")


_SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")


def _as_1_2(base: Any) -> Any:
    """The loader without the booleans and times of YAML 1.1."""

    class Loader(base):  # type: ignore[misc]
        pass

    Loader.yaml_implicit_resolvers = {
        first: [
            (tag, pattern)
            for tag, pattern in resolvers
            if tag not in ("tag:yaml.org,2002:bool", "tag:yaml.org,2002:timestamp")
        ]
        for first, resolvers in base.yaml_implicit_resolvers.items()
    }
    Loader.add_implicit_resolver("tag:yaml.org,2002:bool", _BOOLEAN, list("tTfF"))
    return Loader


_Loader = _as_1_2(_SafeLoader)


def load_yaml(data: bytes, name: str) -> Any:
    """The value in the bytes; ``FormatError`` names file, line and column of what is wrong."""
    # Only the slower loader reads half of a surrogate pair.
    loader = _as_1_2(yaml.SafeLoader) if _SURROGATE_ESCAPE.search(data) else _Loader
    try:
        _refuse_aliases(data, loader, name)
        return yaml.load(data, loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise FormatError(f"'{name}' is not valid YAML{_place(mark)}: {error.problem or error.context}") from error
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise FormatError(f"'{name}' is not valid YAML: {str(error).splitlines()[0]}") from error


def _place(mark: Any) -> str:
    return f" at line {mark.line + 1} column {mark.column + 1}" if mark else ""


def _refuse_aliases(data: bytes, loader: Any, name: str) -> None:
    """An alias can hold itself, or make gigabytes of a few lines; nothing that is written here has any."""
    if b"&" not in data or b"*" not in data:
        return
    for event in yaml.parse(data, loader):
        if isinstance(event, yaml.AliasEvent):
            raise FormatError(
                f"'{name}' cannot be read: an alias (*{event.anchor}){_place(event.start_mark)}",
                hint="write out what the alias stands for",
            )


def dump_yaml(value: Any) -> str:
    """The value as YAML text, keys in their order, letters of every script as they are."""
    try:
        return _dump(value, _SafeDumper)
    except UnicodeEncodeError:  # half of a surrogate pair: only the slower dumper can write it as an escape
        return _dump(value, yaml.SafeDumper)


def _dump(value: Any, dumper: Any) -> str:
    text: str = yaml.dump(value, Dumper=dumper, allow_unicode=True, sort_keys=False, width=120)
    return text
