"""The only place that starts git.

Every call names what it wants in plumbing terms, with output that no configuration or locale of the user changes.
Processes are started with ``posix_spawn`` and talk through anonymous files, because importing ``subprocess`` costs a
hook more than everything else it does.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import BinaryIO, NamedTuple

from session_frames.errors import EnvironmentError_, GitError, UsageError

# The user's configuration that would change the bytes we parse.
_STEADY = (
    "-c", "color.ui=false",
    "-c", "core.quotePath=false",
    "-c", "log.showSignature=false",
    "-c", "i18n.logOutputEncoding=UTF-8",
    "-c", "core.logAllRefUpdates=false",
    "-c", "diff.noprefix=false",
)  # fmt: skip

# What `git rev-parse --local-env-vars` names: it binds git to one repository.
LOCAL_ENVIRONMENT = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CONFIG", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT",
    "GIT_OBJECT_DIRECTORY", "GIT_DIR", "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_GRAFT_FILE",
    "GIT_INDEX_FILE", "GIT_NO_REPLACE_OBJECTS", "GIT_REPLACE_REF_BASE", "GIT_PREFIX", "GIT_SHALLOW_FILE",
    "GIT_COMMON_DIR", "GIT_INTERNAL_SUPER_PREFIX",
)  # fmt: skip

_WHERE = ("--git-dir", "--git-common-dir", "--show-object-format", "--is-inside-work-tree", "--show-toplevel")
_PIPE_SIZE = 1 << 20
_INDEX_WAIT = 5.0
_ASKED_AT_ONCE = 32 << 10  # what the smallest pipe holds


class Answer(NamedTuple):
    """What a git process said: its exit code and both streams."""

    code: int
    out: bytes
    err: bytes


class TreeFile(NamedTuple):
    """A file in a tree: its path (surrogateescape for bytes that are no UTF-8) and blob id."""

    path: str
    blob: str


def without_local_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment for a git that works on another repository than the one a hook runs for."""
    return {name: value for name, value in environ.items() if name not in LOCAL_ENVIRONMENT}


class GitRepo:
    """One git repository: where it is, and the questions that frames asks it.

    ``top`` is the root of the work tree (``None`` in a bare repository or inside ``.git``), ``git_dir`` the git
    directory of this work tree, ``common_dir`` the one shared by all linked work trees. All are absolute.
    """

    def __init__(
        self, cwd: str, environ: Mapping[str, str], git_dir: str, common_dir: str, top: str | None, object_format: str
    ) -> None:
        self.cwd = cwd
        self.environ = environ
        self.git_dir = git_dir
        self.common_dir = common_dir
        self.top = top
        self.object_format = object_format
        self._objects: _Objects | None = None
        self._work_trees: list[str] = []

    @classmethod
    def open(cls, cwd: str, environ: Mapping[str, str]) -> GitRepo:
        """The repository that holds ``cwd``; ``GitError`` with git's own words where there is none."""
        answer = _git(
            cwd,
            environ,
            ["rev-parse", "--path-format=absolute", *_WHERE],
        )
        lines = answer.out.decode("utf-8", "surrogateescape").split("\n")
        if len(lines) < 5 or (answer.code and lines[3] != "false"):
            raise GitError(_last_words(answer.err) or "not a git repository", hint=_way_in(answer.err))
        git_dir, common_dir, object_format, inside = lines[:4]
        top = lines[4] if inside == "true" and not answer.code else None
        return cls(cwd, environ, os.path.normpath(git_dir), os.path.normpath(common_dir), top, object_format)

    # -- processes ----------------------------------------------------------------------------------------------------

    def ask(
        self, *args: str, stdin: bytes | None = None, env: Mapping[str, str] | None = None, cwd: str | None = None
    ) -> Answer:
        """Run git and give back whatever it said. Relative paths are relative to the top of the work tree."""
        environ = {**self.environ, **env} if env else self.environ
        return _git(cwd or self.top or self.git_dir, environ, args, stdin)

    def run(
        self, *args: str, stdin: bytes | None = None, env: Mapping[str, str] | None = None, cwd: str | None = None
    ) -> bytes:
        """As ``ask``, but ``GitError`` when git fails."""
        answer = self.ask(*args, stdin=stdin, env=env, cwd=cwd)
        if answer.code:
            raise _failure(args[0], answer)
        return answer.out

    def change_index(self, *args: str, stdin: bytes | None = None) -> bytes:
        """Run a git that writes the index; while another process holds its lock, try again for some seconds."""
        deadline = time.monotonic() + _INDEX_WAIT
        while True:
            answer = self.ask(*args, stdin=stdin)
            if not answer.code:
                return answer.out
            if b"index.lock" not in answer.err or time.monotonic() > deadline:
                raise _failure(args[0], answer)
            time.sleep(0.05)

    def line(self, *args: str) -> str | None:
        """The one line that git prints, or None when it fails or prints nothing."""
        answer = self.ask(*args)
        return None if answer.code else answer.out.decode("utf-8", "surrogateescape").rstrip("\n") or None

    @contextmanager
    def stream(self, *args: str, stdin: bytes | None = None, cwd: str | None = None) -> Iterator[BinaryIO]:
        """git's output while it is written; ``GitError`` afterwards when git failed and the reader read to the end."""
        with _anonymous(stdin) as source, _anonymous(b"") as errors:
            read_end, write_end = os.pipe()
            _widen(write_end)
            try:
                pid = _spawn(cwd or self.top or self.git_dir, self.environ, args, source, write_end, errors)
            finally:
                os.close(write_end)
            finished = False
            with os.fdopen(read_end, "rb", buffering=_PIPE_SIZE) as output:
                yield output
                finished = output.read(1) == b""
            code = _wait(pid)
            if code and finished:
                raise GitError(f"git {args[0]} failed: {_last_words(_content(errors)) or f'exit code {code}'}")

    # -- questions ----------------------------------------------------------------------------------------------------

    def require_top(self) -> str:
        """The root of the work tree; ``GitError`` in a bare repository or inside ``.git``."""
        if self.top is None:
            raise GitError("this operation must be run in a work tree", hint="run it in a checkout of the repository")
        return self.top

    def head(self) -> str | None:
        """The commit id of HEAD, or None before the first commit."""
        return self.line("rev-parse", "-q", "--verify", "HEAD^{commit}")

    def branch(self) -> str | None:
        """The name of the branch that HEAD is on (also before its first commit), or None when detached."""
        return self.line("symbolic-ref", "-q", "--short", "HEAD")

    def resolve(self, revision: str) -> str:
        """The commit id of a revision; ``UsageError`` for what is none (an option included)."""
        found = "" if "\n" in revision else self._open_or_idle().find_id(revision + "^{commit}")
        if not found:
            raise UsageError(f"not a revision: '{revision}'")
        return found

    def resolve_range(self, text: str) -> str:
        """``A..B``, ``A...B`` or one revision with commit ids in place of names; HEAD where one side is left out.

        ``UsageError`` for what is no revision, as ``resolve``.
        """
        for dots in ("...", ".."):
            first, found, last = text.partition(dots)
            if found:
                return self.resolve(first or "HEAD") + dots + self.resolve(last or "HEAD")
        return self.resolve(text)

    def config(self, name: str) -> str | None:
        """The value of a configuration key, or None."""
        return self.line("config", "--get", name)

    def hooks_dir(self) -> str:
        """The folder in which git looks for hooks (``core.hooksPath`` respected), absolute."""
        path = self.run("rev-parse", "--path-format=absolute", "--git-path", "hooks")
        return path.decode("utf-8", "surrogateescape").rstrip("\n")

    def work_trees(self) -> list[str]:
        """The roots of all work trees of this repository, the main one first; git is asked once."""
        if not self._work_trees:
            out = self.run("worktree", "list", "--porcelain", "-z").decode("utf-8", "surrogateescape")
            fields = out.split("\0")
            self._work_trees = [field[len("worktree ") :] for field in fields if field.startswith("worktree ")]
        return self._work_trees

    def is_ignored(self, path: str) -> bool:
        """Does git ignore this path (relative to the top)?"""
        return self.ask("check-ignore", "-q", "--no-index", "--", path).code == 0

    def tree_files(self, commit: str, folders: Sequence[str]) -> list[TreeFile]:
        """The files of a commit below these folders."""
        out = self.run("ls-tree", "-r", "-z", "--full-tree", commit, "--", *folders)
        files = []
        for entry in out.split(b"\0"):
            head, tab, path = entry.partition(b"\t")
            if tab:
                files.append(TreeFile(path.decode("utf-8", "surrogateescape"), head.split()[2].decode()))
        return files

    def iter_blobs(self, names: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """(name, content) of each object, in the order asked; None for what is missing.

        One process serves all questions of this repository, but for one that is asked while another is answered.
        """
        asked = list(names)
        if not asked:
            return
        objects, self._objects = self._open_or_idle(), None
        answered = False
        try:
            yield from objects.read(asked)
            answered = True
        finally:
            if answered and self._objects is None:
                self._objects = objects
            else:
                objects.close()

    def _open_or_idle(self) -> _Objects:
        """The process that waits for questions, else a new one that is the one from now on."""
        if self._objects is None:
            self._objects = _Objects(self.top or self.git_dir, self.environ)
        return self._objects

    def close(self) -> None:
        """Let the process go that reads objects."""
        if self._objects is not None:
            self._objects.close()
            self._objects = None


class _Objects:
    """A process that gives the content of objects, until it is closed or this one ends."""

    def __init__(self, cwd: str, environ: Mapping[str, str]) -> None:
        (asks, self._asks), (answers, written) = os.pipe(), os.pipe()
        _widen(written)
        try:
            with _anonymous(None) as errors:
                self._pid = _spawn(cwd, environ, ["cat-file", "--batch"], asks, written, errors)
        finally:
            os.close(asks)
            os.close(written)
        self._answers = os.fdopen(answers, "rb", buffering=_PIPE_SIZE)

    def read(self, names: Sequence[str]) -> Iterator[tuple[str, bytes | None]]:
        """(name, content) of each, None for what is missing; ``GitError`` when git has ended."""
        lines = [(name + "\n").encode("utf-8", "surrogateescape") for name in names]
        for part in _parts(list(zip(names, lines, strict=True))):
            try:
                os.write(self._asks, b"".join(line for _, line in part))
            except BrokenPipeError as error:
                raise GitError("git cat-file failed") from error
            for name, _ in part:
                yield name, self._answer()[1]

    def find_id(self, name: str) -> str:
        """The id of an object; empty where it is missing."""
        os.write(self._asks, f"{name}\n".encode("utf-8", "surrogateescape"))
        return self._answer()[0]

    def _answer(self) -> tuple[str, bytes | None]:
        line = self._answers.readline()
        if not line:
            raise GitError("git cat-file failed")
        head = line.split()
        if len(head) != 3 or head[1] not in (b"blob", b"commit", b"tree", b"tag"):
            return "", None
        content = self._answers.read(int(head[2]))
        self._answers.read(1)
        return head[0].decode(), content

    def close(self) -> None:
        """Git ends when nobody can ask any more, and answers go nowhere."""
        if not self._answers.closed:
            os.close(self._asks)
            self._answers.close()
            _wait(self._pid)

    def __del__(self) -> None:
        if hasattr(self, "_answers"):
            self.close()


def _parts(lines: list[tuple[str, bytes]]) -> Iterator[list[tuple[str, bytes]]]:
    """As many questions at a time as a pipe holds, so that nobody waits for the other."""
    part: list[tuple[str, bytes]] = []
    size = 0
    for name, line in lines:
        if part and size + len(line) > _ASKED_AT_ONCE:
            yield part
            part, size = [], 0
        part.append((name, line))
        size += len(line)
    if part:
        yield part


# ---------------------------------------------------------------------------------------------------------------------
# Processes


def _git(cwd: str, environ: Mapping[str, str], args: Sequence[str], stdin: bytes | None = None) -> Answer:
    with _anonymous(stdin) as source, _anonymous(b"") as out, _anonymous(b"") as errors:
        code = _wait(_spawn(cwd, environ, args, source, out, errors))
        return Answer(code, _content(out), _content(errors))


def _spawn(cwd: str, environ: Mapping[str, str], args: Sequence[str], stdin: int, stdout: int, stderr: int) -> int:
    steady = {**environ, "LC_ALL": "C", "GIT_FLUSH": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
    steady.pop("GIT_EXTERNAL_DIFF", None)
    streams = [(os.POSIX_SPAWN_DUP2, stdin, 0), (os.POSIX_SPAWN_DUP2, stdout, 1), (os.POSIX_SPAWN_DUP2, stderr, 2)]
    try:
        return os.posix_spawnp("git", ["git", "-C", cwd, *_STEADY, *args], steady, file_actions=streams)
    except FileNotFoundError as error:
        raise EnvironmentError_("git is not on the path", hint="install git") from error


def _wait(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


@contextmanager
def _anonymous(content: bytes | None) -> Iterator[int]:
    """A descriptor of a file without a name that holds ``content``, read from its start; /dev/null for None."""
    if content is None:
        descriptor = os.open(os.devnull, os.O_RDONLY)
    elif hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("frames")
    else:
        import tempfile

        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
    try:
        if content:
            view = memoryview(content)
            while view:
                view = view[os.write(descriptor, view) :]
            os.lseek(descriptor, 0, os.SEEK_SET)
        yield descriptor
    finally:
        os.close(descriptor)


def _content(descriptor: int) -> bytes:
    os.lseek(descriptor, 0, os.SEEK_SET)
    parts = []
    while part := os.read(descriptor, _PIPE_SIZE):
        parts.append(part)
    return b"".join(parts)


def _widen(descriptor: int) -> None:
    """A pipe of 1 MiB lets git run ahead of its reader; refused quietly where the system sets a lower limit."""
    try:
        import fcntl

        fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, _PIPE_SIZE)
    except (ImportError, AttributeError, OSError):
        pass


def _way_in(err: bytes) -> str:
    """What helps where git opens no repository: its own advice, when it does not trust the owner of this one."""
    lines = err.decode("utf-8", "replace").splitlines()
    advice = next((line.strip() for line in lines if "--add safe.directory" in line), "")
    return f"if you trust its owner: {advice}" if advice else "run it inside a git repository"


def _failure(verb: str, answer: Answer) -> GitError:
    words = _last_words(answer.err) or _last_words(answer.out) or f"exit code {answer.code}"
    locked = b"index.lock" in answer.err
    hint = "another git is at work here; if none is, remove the index.lock that it left" if locked else None
    return GitError(f"git {verb} failed: {words}", hint=hint)


def _last_words(err: bytes) -> str:
    """git's own complaint, without its prefix."""
    lines = [line for line in err.decode("utf-8", "replace").splitlines() if line.strip()]
    fatal = [line for line in lines if line.startswith(("fatal:", "error:"))]
    words = (fatal or lines or [""])[0]
    return words.removeprefix("fatal: ").removeprefix("error: ")
