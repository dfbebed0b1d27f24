"""The built wheel works by itself: installed into a new environment, without the checkout."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path
from zipfile import ZipFile

import pytest

from session_frames import __version__

ROOT = Path(__file__).parents[1]


def run(*command: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(list(map(str, command)), cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, built without network by the backend that is installed here."""
    folder = tmp_path_factory.mktemp("wheel")
    options = ("--quiet", "--disable-pip-version-check", "--no-deps", "--no-index", "--no-build-isolation")
    run(sys.executable, "-m", "pip", "wheel", *options, "--wheel-dir", folder, ROOT, folder=folder)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of a new environment: the wheel, and its dependencies from this one."""
    folder = tmp_path_factory.mktemp("installed")
    run(sys.executable, "-m", "venv", "--without-pip", folder / "venv", folder=folder)
    python = folder / "venv" / "bin" / "python"
    options = ("--quiet", "--disable-pip-version-check", "--no-deps", "--no-index")
    run(sys.executable, "-m", "pip", "--python", python, "install", *options, wheel, folder=folder)
    (site,) = (folder / "venv" / "lib").glob("python*/site-packages")
    # A folder named in such a file is searched, but the files of this kind within it are not read: the checkout, which
    # is known here by one, stays unknown there.
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python.parent


def test_all_that_belongs_to_it_is_inside(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        names = archive.namelist()
        schema = archive.read("session_frames/schemas/frame.schema.json")
    assert schema == (ROOT / "schemas" / "frame.schema.json").read_bytes()
    assert {"session_frames/py.typed", "session_frames/demo/quotes.jsonl", "session_frames/demo/quotes.patch"} <= set(
        names
    )
    assert any(name.endswith("/LICENSE") for name in names)
    assert [name for name in names if not name.startswith(("session_frames/", "session_frames-"))] == []


def test_it_is_the_wheel_that_runs(environment: Path, tmp_path: Path) -> None:
    done = run(environment / "python", "-c", "import session_frames; print(session_frames.__file__)", folder=tmp_path)
    assert Path(done.stdout.strip()).is_relative_to(environment.parent)


@pytest.mark.parametrize("program", ["frames", "git-frames"])
def test_the_programs_are_there(program: str, environment: Path, tmp_path: Path) -> None:
    assert run(environment / program, "--version", folder=tmp_path).stdout == f"frames {__version__}\n"


def test_the_demo_runs(environment: Path, tmp_path: Path) -> None:
    done = run(environment / "frames", "demo", "work", folder=tmp_path)
    assert "3 frames checked, 0 invalid\n" in done.stdout
    assert (
        run(environment / "frames", "validate", folder=tmp_path / "work" / "parcel").stdout
        == "3 frames checked, 0 invalid\n"
    )


def test_it_needs_no_extra(environment: Path, tmp_path: Path) -> None:
    """Every module but those of the extras loads where their packages are missing."""
    code = """
import importlib, pkgutil, sys
for name in ("langchain_core", "langgraph", "ctok", "rs_bpe"):
    sys.modules[name] = None
import session_frames
skipped = ("session_frames.langchain.", "session_frames.__main__")
for module in pkgutil.walk_packages(session_frames.__path__, "session_frames."):
    if not module.name.startswith(skipped):
        importlib.import_module(module.name)
"""
    run(environment / "python", "-c", code, folder=tmp_path)
