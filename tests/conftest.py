"""Every test works in its own home with its own git: nothing of the machine's user is read or written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

AUTHOR_DATE = "2026-06-02T10:00:00+00:00"


def clean_environment(home: Path) -> dict[str, str]:
    """The environment of a test: no GIT_*, no agent's variables, a home of its own, fixed author and dates."""
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "TMPDIR", "VIRTUAL_ENV")}
    return {
        **kept,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_STATE_HOME": str(home / ".local/state"),
        "XDG_DATA_HOME": str(home / ".local/share"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": str(home / ".gitconfig"),
        "GIT_AUTHOR_NAME": "Ann Author",
        "GIT_AUTHOR_EMAIL": "ann@example.org",
        "GIT_COMMITTER_NAME": "Ann Author",
        "GIT_COMMITTER_EMAIL": "ann@example.org",
        "GIT_AUTHOR_DATE": AUTHOR_DATE,
        "GIT_COMMITTER_DATE": AUTHOR_DATE,
        "TZ": "UTC",
    }


@pytest.fixture(autouse=True)
def _own_environment(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path_factory.mktemp("home")
    (home / ".gitconfig").write_text("[init]\n\tdefaultBranch = main\n")
    clean = clean_environment(home)
    for name in list(os.environ):
        monkeypatch.delenv(name)
    for name, value in clean.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def environ() -> dict[str, str]:
    """The environment of this test, for processes that it starts."""
    return dict(os.environ)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A new git repository without a commit."""
    import subprocess

    path = tmp_path / "repo"
    subprocess.run(["git", "init", "-q", str(path)], check=True)
    return path


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--renew", action="store_true", help="write the golden files anew; review the difference")
