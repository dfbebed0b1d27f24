"""The repository's own git configuration, read and written through GitPython.

Only setting up and examining a repository come here: GitPython takes longer to load than a hook may last.
"""

from __future__ import annotations

from session_frames.errors import GitError
from session_frames.storage.git_repo import GitRepo


class GitSettings:
    """The configuration in the repository's own file; a key may hold several values."""

    def __init__(self, repo: GitRepo) -> None:
        from git import Git

        self._git = Git(repo.top or repo.git_dir)
        self._environ = {**repo.environ, "LC_ALL": "C"}
        self._held: list[tuple[str, str]] | None = None

    def values(self, name: str) -> list[str]:
        """All values of a key, in order; all keys are read at once."""
        if self._held is None:
            entries = self._ask("-z", "--list")[1].split("\0")[:-1]
            self._held = [(key, value) for key, _, value in (entry.partition("\n") for entry in entries)]
        return [value for key, value in self._held if key == _as_listed(name)]

    def add(self, name: str, value: str) -> None:
        """One value more for a key."""
        self._change("--add", name, value)

    def replace(self, name: str, value: str) -> None:
        """This value in place of all others of a key."""
        self._change("--replace-all", name, value)

    def unset(self, name: str, value: str = "") -> None:
        """No value for a key, or without this one; nothing happens where there is none."""
        self._ask(*(("--fixed-value", "--unset-all", name, value) if value else ("--unset-all", name)))

    def _change(self, *args: str) -> None:
        code, _, error = self._ask(*args)
        if code:
            raise GitError(f"git config failed: {error.strip() or f'exit code {code}'}")

    def _ask(self, *args: str) -> tuple[int, str, str]:
        self._held = None
        code, out, error = self._git.execute(
            ["git", "config", "--local", *args],
            env=self._environ,
            with_extended_output=True,
            with_exceptions=False,
            strip_newline_in_stdout=False,
        )
        return int(code), str(out), str(error)


def _as_listed(name: str) -> str:
    """A key as git lists it: only what stands between the first dot and the last one keeps its case."""
    section, _, rest = name.partition(".")
    middle, dot, key = rest.rpartition(".")
    return f"{section.lower()}.{middle}{dot}{key.lower()}"
