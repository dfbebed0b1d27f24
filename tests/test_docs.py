"""The pages are true: generated parts are as the tables have them, links lead somewhere, examples do what they show."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from session_frames.cli.main import VERBS

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def shown(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_generated_parts_are_as_the_generator_makes_them(page: Path, generator: ModuleType) -> None:
    assert page.read_text(encoding="utf-8") == generator.page_text(page), "run: make docs"


def test_every_generated_part_stands_on_a_page(generator: ModuleType) -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert [name for name in generator.PARTS if f"<!-- begin {name} -->" not in text] == []


def test_every_verb_is_documented_with_each_option(generator: ModuleType) -> None:
    import click

    from session_frames.cli.main import frames

    page = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    for verb in [verb for verbs in VERBS.values() for verb in verbs]:
        command = frames.get_command(click.Context(frames), verb)
        assert command is not None
        section = page.split(f"### frames {verb}\n")[1].split("\n### ")[0]
        assert command.help, verb
        for param in command.params:
            if isinstance(param, click.Option):
                assert all(f"`{option}" in section or f", {option}" in section for option in param.opts), verb


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        file, _, heading = target.partition("#")
        linked = (page.parent / file).resolve() if file else page
        assert linked.exists(), target
        if heading:
            assert heading in headings(linked), target


def headings(page: Path) -> list[str]:
    found = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return [re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in found]


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_files_that_a_page_names_are_there(page: Path) -> None:
    for name in re.findall(r"`((?:tests|docs|src|schemas)/[\w/.-]+\.\w+)`", page.read_text(encoding="utf-8")):
        assert (ROOT / name).exists(), name


def test_each_decision_has_a_number_of_its_own() -> None:
    pages = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    assert [int(page.name[:4]) for page in pages] == list(range(1, len(pages) + 1))
    assert [page.read_text(encoding="utf-8").split(".")[0] for page in pages] == [
        f"# {n + 1}" for n in range(len(pages))
    ]


# ---------------------------------------------------------------------------------------------------------------------
# Examples


def examples(page: Path) -> list[tuple[str, list[str]]]:
    """The commands of the page's ``console`` blocks, each with the output that it shows."""
    found: list[tuple[str, list[str]]] = []
    for block in re.findall(r"^```console\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            else:
                found[-1][1].append(line)
    return found


def as_pattern(lines: list[str]) -> str:
    """``…`` alone on a line stands for any lines, within a line for any text."""
    return "".join(
        r"(?:.*\n)*?" if line == "…" else ".*".join(re.escape(part) for part in line.split("…")) + r"\s*\n"
        for line in lines
    )


@pytest.mark.parametrize("page", [page for page in PAGES if examples(page)], ids=shown)
def test_every_example_does_what_it_shows(page: Path, tmp_path: Path, environ: dict[str, str]) -> None:
    environ["PATH"] = os.pathsep.join((os.path.dirname(sys.executable), environ.get("PATH", os.defpath)))
    folder = tmp_path
    for command, lines in examples(page):
        if command.startswith("cd "):
            folder = folder / command[3:]
            assert folder.is_dir(), command
            continue
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=folder,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}"
        if lines:
            assert re.fullmatch(as_pattern(lines), done.stdout), f"{command}\n{done.stdout}"


def test_the_first_screen_of_the_readme_says_how_to_run_it() -> None:
    screen = "\n".join((ROOT / "README.md").read_text(encoding="utf-8").splitlines()[:24])
    assert all(command in screen for command in ("make demo", "make test", "pipx install ."))
