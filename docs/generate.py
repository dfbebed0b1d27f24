"""Writes the generated parts of the pages of this folder anew, from the tables in the code.

    python docs/generate.py

A generated part stands between ``<!-- begin NAME -->`` and ``<!-- end NAME -->``; all else on a page is written by
hand. Run twice, it changes nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import click

from session_frames.cli.main import VERBS, frames
from session_frames.errors import EXIT_CODES
from session_frames.operations.context_edits import KINDS
from session_frames.operations.merge_rules import KEYS, RULES, STRATEGIES
from session_frames.operations.preamble import SENTENCES
from session_frames.operations.pruning_rules import CONDITIONS
from session_frames.operations.redact_rules import RULES as REDACTION_RULES
from session_frames.schema import load_schema
from session_frames.transcripts import FORMATS, get_format

PAGES: Final = Path(__file__).parent
_REWRITES: Final = PAGES.parent / "tests" / "golden" / "rewrites.json"
_PART: Final = re.compile(r"<!-- begin (?P<name>[a-z-]+) -->\n.*?<!-- end (?P=name) -->", re.DOTALL)


def page_text(page: Path) -> str:
    """The page as it should be: each generated part anew, all else as it is."""

    def renewed(match: re.Match[str]) -> str:
        name = match["name"]
        return f"<!-- begin {name} -->\n\n{PARTS[name]().strip()}\n\n<!-- end {name} -->"

    return _PART.sub(renewed, page.read_text(encoding="utf-8"))


def generate() -> list[Path]:
    """Write all pages; those that changed."""
    changed = []
    for page in sorted(PAGES.rglob("*.md")):
        text = page_text(page)
        if text != page.read_text(encoding="utf-8"):
            page.write_text(text, encoding="utf-8")
            changed.append(page)
    return changed


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


# ---------------------------------------------------------------------------------------------------------------------
# The command line


def _command_line() -> str:
    return "\n".join(line for heading, verbs in VERBS.items() for line in (f"## {heading}", "", *_verbs(list(verbs))))


def _verbs(names: list[str]) -> Iterator[str]:
    for name in names:
        command = frames.get_command(click.Context(frames), name)
        assert command is not None
        yield from _verb(name, command)


def _verb(name: str, command: click.Command) -> Iterator[str]:
    yield f"### frames {name}"
    yield ""
    yield f"    frames {name}{_arguments(command)}"
    yield ""
    yield from (f"{' '.join(paragraph.split())}\n" for paragraph in (command.help or "").split("\n\n"))
    options = [_option(param) for param in command.params if isinstance(param, click.Option)]
    if options:
        yield _table(("option", "what it does"), options)
        yield ""
    for part, inner in command.commands.items() if isinstance(command, click.Group) else ():
        yield from _verb(f"{name} {part}", inner)


def _arguments(command: click.Command) -> str:
    shown = " [OPTIONS]" if any(isinstance(param, click.Option) for param in command.params) else ""
    shown += " {" + "|".join(command.commands) + "}" if isinstance(command, click.Group) else ""
    for param in command.params:
        if isinstance(param, click.Argument):
            name = param.metavar or (param.name or "").upper() + ("…" if param.nargs == -1 else "")
            if isinstance(param.type, click.Choice):
                name = "{" + "|".join(map(str, param.type.choices)) + "}"
            bare = param.required or name.startswith("[")
            shown += f" {name}" if bare else f" [{name}]"
    return shown


def _option(option: click.Option) -> tuple[str, str]:
    value = ""
    if isinstance(option.type, click.Choice):
        value = " " + "|".join(map(str, option.type.choices))
    elif not option.is_flag:
        value = " " + (option.metavar or option.type.name.upper())
    names = ", ".join(option.opts)
    return f"`{names}{value}`", option.help or ""


# ---------------------------------------------------------------------------------------------------------------------
# The frame


_KINDS: Final = {"string": "text", "integer": "whole number", "boolean": "true or false", "array": "list"}


def _schema() -> str:
    schema = load_schema()
    parts = [("The frame", "frame", schema)]
    parts += [(_words(name), name, part) for name, part in schema["$defs"].items()]
    return "\n".join(line for title, name, part in parts for line in _object(title, name, part))


def _words(name: str) -> str:
    return re.sub(r"([A-Z])", lambda match: " " + match[1].lower(), name).capitalize()


def _object(title: str, name: str, part: dict[str, Any]) -> Iterator[str]:
    yield f"### {title}"
    yield ""
    yield part["description"]
    yield ""
    required = part.get("required", [])
    rows = [
        (f"`{key}`" + (" \\*" if key in required else ""), _kind(value), value.get("description", ""))
        for key, value in part.get("properties", {}).items()
    ]
    if rows:
        yield _table(("key", "type", "meaning"), rows)
        yield ""


def _kind(value: dict[str, Any]) -> str:
    if "$ref" in value:
        name = value["$ref"].rsplit("/", 1)[-1]
        return f"[{_words(name).lower()}](#{_words(name).lower().replace(' ', '-')})"
    if "enum" in value:
        return " ".join(f"`{one}`" for one in value["enum"])
    kind = value.get("type")
    if kind == "array":
        return f"list of {_kind(value['items'])}"
    if kind == "object":
        inner = value.get("additionalProperties")
        return f"object of {_kind(inner)}" if isinstance(inner, dict) else "object"
    return _KINDS[kind] if kind else "any"


def _merge_rules() -> str:
    fields = _table(
        ("field", "rule", "records are told apart by"),
        [(f"`{path}`", rule, ", ".join(f"`{key}`" for key in KEYS.get(path, ()))) for path, rule in RULES.items()],
    )
    rules = _table(("rule", "what it does"), list(STRATEGIES.items()))
    return f"{rules}\n\n{fields}"


# ---------------------------------------------------------------------------------------------------------------------
# Small tables


def _exit_codes() -> str:
    return _table(("code", "meaning"), [(str(code), meaning) for code, meaning in EXIT_CODES.items()])


def _redaction() -> str:
    literals: dict[str, dict[str, None]] = {}
    for rule in REDACTION_RULES:
        literals.setdefault(rule.name, {}).update(dict.fromkeys(rule.literals))
    rows = [(f"`{name}`", " ".join(_code(literal) for literal in found)) for name, found in literals.items()]
    return f"{len(rows)} kinds:\n\n" + _table(("kind", "looked for where this stands"), rows)


_MOST_PLACES: Final = 4


def _code(literal: str) -> str:
    return f"`` {literal} ``" if "`" in literal else f"`{literal}`"


def _formats() -> str:
    return _table(
        ("agent", "looked for in"), [(f"`{name}`", _places(get_format(name).find("~", {}))) for name in FORMATS]
    )


def _places(patterns: list[str]) -> str:
    shown = [f"`{pattern}`" for pattern in patterns[:_MOST_PLACES]]
    more = len(patterns) - len(shown)
    return "<br>".join(shown) + (f"<br>and {more} more" if more else "")


def _rewrites() -> str:
    """What ``tests/test_rewrites.py`` has found, and holds the code to."""
    counted: dict[str, dict[str, dict[str, int]]] = json.loads(_REWRITES.read_text(encoding="utf-8"))
    kinds = ("certain", "inferred", "missed", "false")
    head = ("operation", *kinds, *(f"taken out: {kind}" for kind in kinds))
    rows = [
        (name, *(str(found[variant][kind]) for variant in ("kept", "taken out") for kind in kinds))
        for name, found in counted.items()
    ]
    return _table(head, rows)


# ---------------------------------------------------------------------------------------------------------------------
# The context


def _annotations() -> str:
    rows = [(f"`{kind}`", f"{sentence}: turns …") for kind, sentence in SENTENCES.items()]
    return _table(("kind", "sentence"), rows)


def _pruning_conditions() -> str:
    rows = [
        (f"`{key}`", one.kind.replace("|", ", "), "calls" if one.of_calls else "", one.about)
        for key, one in CONDITIONS.items()
    ]
    return _table(("condition", "value", "of", "holds when"), rows)


def _events() -> str:
    return _table(("event", "what was done"), [(f"`{kind}`", done) for kind, done in KINDS.items()])


PARTS: Final[dict[str, Callable[[], str]]] = {
    "command-line": _command_line,
    "schema": _schema,
    "merge-rules": _merge_rules,
    "exit-codes": _exit_codes,
    "redaction": _redaction,
    "formats": _formats,
    "rewrites": _rewrites,
    "annotations": _annotations,
    "pruning-conditions": _pruning_conditions,
    "events": _events,
}


if __name__ == "__main__":
    for written in generate():
        print(f"written: {written.relative_to(PAGES.parent)}")
