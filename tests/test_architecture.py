"""The import rule of ``docs/architecture.md`` holds, and the other rules of that page that a program can check."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from session_frames.transcripts import FORMATS

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "session_frames"
MODULES = sorted(PACKAGE.rglob("*.py"))
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")

# Slow to load: imported inside a function, save in the modules that are about them.
HEAVY = ("click", "git", "jsonschema", "yaml", "rich", "orjson", "anyascii")
AT_TOP = {"click": ("cli",), "yaml": ("yaml_text",)}

# The names that are ordinary words of programs, too, prove nothing.
EXCHANGE = {"atif", "langchain", "openai-messages", "anthropic-messages"}  # forms of a talk, no agents
AGENTS = sorted(
    {name.split("-")[0] for name in {*FORMATS} - EXCHANGE} - {"amp", "continue", "cursor", "goose", "pi", "swe"}
)
# git for all verbs, one question for `frames log` and `frames blame`; what people see: git log, the pager, the demo.
STARTERS = {
    "storage/git_repo.py",
    "storage/quick_look.py",
    "storage/quick_blame.py",
    "cli/history.py",
    "cli/log_entry.py",
    "cli/output.py",
    "cli/demo.py",
    "workspace/summarizer.py",  # the command given with --summarizer
}
NO_NAMES = ("utils", "util", "common", "helpers", "helper", "manager", "handler", "handlers", "misc")


class Import(NamedTuple):
    """One import: the full name of what is imported, and whether it happens when the module is loaded."""

    name: str
    at_top: bool


def shown(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


def part_of(path: Path) -> str:
    """The part of the package that a file belongs to: the first folder, or the module itself."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def import_table() -> dict[str, tuple[str, ...]]:
    rows = re.findall(r"^\| `(\w+)` \| [0-9a-z]+ \| ?(.*) ?\|$", PAGE, re.MULTILINE)
    return {part: tuple(re.findall(r"`([\w.]+)`", allowed)) for part, allowed in rows}


def imports(path: Path) -> Iterator[Import]:
    """All imports of a file; those only for the type checker aside."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    package = ("session_frames", *path.relative_to(PACKAGE).parent.parts)
    yield from _imports(tree, package, at_top=True)


def _imports(node: ast.AST, package: tuple[str, ...], at_top: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        if isinstance(child, ast.Import):
            yield from (Import(alias.name, at_top) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            above = package[: len(package) - child.level + 1] if child.level else ()
            module = ".".join((*above, *((child.module,) if child.module else ())))
            yield from (Import(f"{module}.{alias.name}", at_top) for alias in child.names)
        else:
            function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from _imports(child, package, at_top and not function)


def test_the_table_names_each_part_once_from_the_bottom_up() -> None:
    table = import_table()
    parts = {part_of(path) for path in MODULES} - {"__init__"}
    assert set(table) == parts
    for at, (part, allowed) in enumerate(table.items()):
        assert all(one.split(".")[0] in list(table)[:at] for one in allowed), part


@pytest.mark.parametrize("path", MODULES, ids=shown)
def test_imports_point_upwards(path: Path) -> None:
    part = part_of(path)
    allowed = import_table().get(part, ())
    for name in (one.name for one in imports(path)):
        if not name.startswith("session_frames.") or name == "session_frames.__version__":
            continue
        inside = name.removeprefix("session_frames.")
        assert inside.split(".")[0] == part or any(inside == one or inside.startswith(one + ".") for one in allowed), (
            f"{part} may not import {inside}"
        )


@pytest.mark.parametrize("path", MODULES, ids=shown)
def test_what_is_slow_to_load_is_not_loaded_with_a_module(path: Path) -> None:
    for name, at_top in imports(path):
        library = name.split(".")[0]
        if library in HEAVY:
            assert not at_top or part_of(path) in AT_TOP.get(library, ()), name


@pytest.mark.parametrize("path", MODULES, ids=shown)
def test_only_the_command_line_knows_click(path: Path) -> None:
    if part_of(path) != "cli":
        assert [one.name for one in imports(path) if one.name.split(".")[0] in ("click", "rich")] == []


@pytest.mark.parametrize("path", [path for path in MODULES if part_of(path) != "transcripts"], ids=shown)
def test_no_agent_is_named_outside_of_the_formats(path: Path) -> None:
    for text in words_of_code(path):
        words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", text.replace(".copilot", ""))
        assert not any(word.lower() in AGENTS for word in words), text


def words_of_code(path: Path) -> Iterator[str]:
    """Names and texts of the code; comments and descriptions are for people."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    described = [node for node in ast.walk(tree) if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)]
    descriptions = [node.body[0].value for node in described if node.body and isinstance(node.body[0], ast.Expr)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in descriptions:
            yield node.value
        elif isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.alias | ast.FunctionDef | ast.ClassDef):
            yield node.name


@pytest.mark.parametrize("path", MODULES, ids=shown)
def test_modules_are_named_by_what_they_hold(path: Path) -> None:
    assert not any(
        word in NO_NAMES for part in path.relative_to(PACKAGE).parts for word in part.split(".")[0].split("_")
    )


def test_other_programs_are_started_in_few_places() -> None:
    starters = ("os.posix_spawn", "os.exec", "os.fork", "subprocess.")
    found = {
        shown(path) for path in MODULES if any(starter in path.read_text(encoding="utf-8") for starter in starters)
    }
    git = {
        "storage/git_repo.py",
        "storage/quick_look.py",
        "storage/quick_blame.py",
        "cli/log_entry.py",
        "cli/history.py",
    }
    # ``cli/process`` starts this very program once more, where the locale is not UTF-8.
    assert found == {*git, "cli/process.py", "cli/demo.py", "cli/output.py", "workspace/summarizer.py"}
