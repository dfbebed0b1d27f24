"""Raw transcripts as git objects, for as long as it takes to exchange them with a remote.

They lie in a bare repository of the private area, ``<common dir>/frames/exchange.git``, one commit a frame under
``refs/frames/raw/<frame id>``: the manifest and the segments as files. No ref and no object database of the person's
own repository ever holds them, so no push, mirror or bundle of it takes them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Final, NamedTuple

from session_frames.errors import GitError
from session_frames.storage.git_repo import Answer, GitRepo, without_local_environment
from session_frames.storage.private_state import PrivateState, write_atomically
from session_frames.storage.raw_manifest import NAME

REFS: Final = "refs/frames/raw/"
_FOLDER: Final = "exchange.git"
_REMOVED: Final = "removed"
_ID_LENGTH: Final = 24
_FRESH: Final = ("-c", "core.looseCompression=0", "-c", "gc.auto=0", "-c", "maintenance.auto=false")


class Held(NamedTuple):
    """What a commit of the exchange holds: the bytes of the manifest, and the blob of each other file."""

    manifest: bytes
    files: dict[str, str]


class Outgoing(NamedTuple):
    """A raw transcript to be given away: the commit that it follows (or "") with the blobs that it has, by name; name
    in the new commit -> file; its manifest. A name stands for one content.
    """

    parent: str
    known: dict[str, str]
    files: dict[str, str]
    manifest: bytes


class Pushed(NamedTuple):
    """What a remote said of one ref: accepted, or why not."""

    frame_id: str
    refused: str


class Exchange:
    """The bare repository of one private area, made when something is first exchanged."""

    def __init__(self, repo: GitRepo, state: PrivateState) -> None:
        self._repo = repo
        self._state = state
        self.folder = state.path(_FOLDER)
        environ = {**without_local_environment(repo.environ), "GIT_DIR": self.folder}
        self._own = GitRepo(self.folder, environ, self.folder, self.folder, None, repo.object_format)

    def exists(self) -> bool:
        """Was anything exchanged from here?"""
        return os.path.isdir(self.folder)

    def make(self) -> None:
        """Make the repository where it is not there yet."""
        if not self.exists():
            form = f"--object-format={self._repo.object_format}"
            outside = without_local_environment(self._repo.environ)
            GitRepo("/", outside, "/", "/", None, self._repo.object_format).run(
                "init", "-q", "--bare", "--template=", form, self.folder
            )

    def tips(self) -> dict[str, str]:
        """Frame id -> commit of what was exchanged last."""
        return (
            _tips(self._own.run("for-each-ref", "--format=%(objectname)%09%(refname)", REFS)) if self.exists() else {}
        )

    def read(self, commits: Iterable[str]) -> dict[str, Held]:
        """What these commits hold, by one process; a commit that is not of this kind is left out."""
        wanted = list(commits)
        names = [name for commit in wanted for name in (f"{commit}^{{tree}}", f"{commit}:{NAME}")]
        found = dict(self._own.iter_blobs(names))
        held = {}
        for commit in wanted:
            tree, manifest = found[f"{commit}^{{tree}}"], found[f"{commit}:{NAME}"]
            if tree is not None and manifest is not None:
                held[commit] = Held(manifest, dict(_files_of_tree(tree, self._repo.object_format)))
        return held

    def iter_files(self, blobs: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """(blob, content), in the order asked."""
        yield from self._own.iter_blobs(blobs)

    # -- writing ------------------------------------------------------------------------------------------------------

    def add(self, outgoing: Mapping[str, Outgoing], seconds: int) -> dict[str, str]:
        """Commit these raw transcripts, by frame id; their commits. What the commit before has is not read again."""
        new = {
            (frame_id, name): path
            for frame_id, one in outgoing.items()
            for name, path in one.files.items()
            if name not in one.known
        }
        blobs = dict(zip(new, self._hash(new.values()), strict=True))
        told: list[bytes] = []
        for mark, (frame_id, one) in enumerate(outgoing.items(), 1):
            told.append(f"commit {REFS}{frame_id}\nmark :{mark}\n".encode())
            told.append(f"committer frames <> {seconds} +0000\ndata 0\n".encode())
            told.append(f"from {one.parent}\n".encode() if one.parent else b"")
            told.append(b"deleteall\n")
            told.append(b"M 100644 inline %s\ndata %d\n%s\n" % (NAME.encode(), len(one.manifest), one.manifest))
            for name in one.files:
                told.append(f"M 100644 {one.known.get(name) or blobs[frame_id, name]} {name}\n".encode())
            told.append(b"\nget-mark :%d\n" % mark)
        out = self._own.run("fast-import", "--quiet", "--force", "--done", stdin=b"".join([*told, b"done\n"]))
        return dict(zip(outgoing, out.decode().split(), strict=True))

    def _hash(self, paths: Iterable[str]) -> list[str]:
        stdin = "".join(f"{path}\n" for path in paths).encode("utf-8", "surrogateescape")
        if not stdin:
            return []
        return (
            self._own.run(*_FRESH, "hash-object", "-w", "--no-filters", "--stdin-paths", stdin=stdin).decode().split()
        )

    def set_tips(self, tips: Mapping[str, str]) -> None:
        """From here on this is what was exchanged last; "" for what is not exchanged any more."""
        lines = [f"update {REFS}{name} {tip}" if tip else f"delete {REFS}{name}" for name, tip in tips.items()]
        if lines:
            self._own.run("update-ref", "--stdin", stdin="".join(f"{line}\n" for line in lines).encode())

    def removed(self) -> set[str]:
        """The frames whose raw transcript was removed here after it had been exchanged."""
        try:
            with open(os.path.join(self.folder, _REMOVED), encoding="ascii") as file:
                return set(file.read().split())
        except FileNotFoundError:
            return set()

    def remove(self, frame_ids: Iterable[str]) -> None:
        """Take these raw transcripts out of the exchange for good, their objects included, and note it."""
        if not self.exists():
            return
        with self._state.lock("sync"):
            gone = {name: "" for name in frame_ids if name in self.tips()}
            if gone:
                noted = sorted(self.removed() | gone.keys())
                write_atomically(os.path.join(self.folder, _REMOVED), "".join(f"{name}\n" for name in noted).encode())
                self.set_tips(gone)
                self._own.run("-c", "gc.reflogExpire=now", "gc", "--quiet", "--prune=now")

    def remove_all(self) -> None:
        """Take the whole exchange away."""
        import shutil

        with suppress(FileNotFoundError):
            shutil.rmtree(self.folder)

    # -- the remote ---------------------------------------------------------------------------------------------------

    def remote_tips(self, remote: str) -> dict[str, str]:
        """Frame id -> commit, as the remote has them now."""
        answer = self._ask("ls-remote", "--refs", "--", remote, REFS + "*")
        if answer.code:
            raise _failure("ls-remote", answer)
        return _tips(answer.out)

    def fetch(self, remote: str, tips: Mapping[str, str]) -> None:
        """Bring the objects of these commits into the exchange, and no ref anywhere."""
        options = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-prune", "--refmap=")
        answer = self._ask("fetch", *options, "--", remote, *(REFS + name for name in tips))
        if answer.code:
            raise _failure("fetch", answer)

    def push(self, remote: str, tips: Mapping[str, str]) -> list[Pushed]:
        """Give these commits to the remote, and nothing else; what it said of each."""
        options = ("--porcelain", "--no-follow-tags", "--no-signed", "--no-mirror")
        refspecs = (f"{tip}:{REFS}{name}" for name, tip in tips.items())
        answer = self._ask("push", *options, "--", remote, *refspecs)
        said = list(_pushed(answer.out.decode("utf-8", "replace")))
        if answer.code and not said:
            raise _failure("push", answer)
        return said

    def _ask(self, *args: str) -> Answer:
        """Run git on the exchange with the person's own settings of the remote, and from where its path counts from.

        Their hooks are for their own pushes.
        """
        settings = os.path.join(self._repo.common_dir, "config")
        cwd = self._repo.top or self._repo.git_dir
        return self._own.ask(
            "-c", f"include.path={settings}", "-c", "core.hooksPath=/dev/null", *_FRESH, *args, cwd=cwd
        )


def _failure(verb: str, answer: Answer) -> GitError:
    lines = [line for line in answer.err.decode("utf-8", "replace").splitlines() if line.strip()]
    told = next((line for line in lines if line.startswith(("fatal:", "error:"))), lines[-1] if lines else "")
    return GitError(f"git {verb} failed: {told.removeprefix('fatal: ').removeprefix('error: ') or answer.code}")


def _tips(out: bytes) -> dict[str, str]:
    pairs = (line.split("\t") for line in out.decode("utf-8", "replace").splitlines())
    tips = {pair[1].removeprefix(REFS): pair[0] for pair in pairs if len(pair) == 2}
    return {name: tip for name, tip in tips.items() if len(name) == _ID_LENGTH and set(name) <= set("0123456789abcdef")}


def _pushed(out: str) -> Iterator[Pushed]:
    """git's porcelain lines: ``<flag> TAB <from>:<to> TAB <summary>``."""
    for line in out.splitlines():
        parts = line.split("\t")
        if len(parts) == 3 and REFS in parts[1]:
            yield Pushed(parts[1].rpartition(REFS)[2], parts[2] if parts[0].startswith("!") else "")


def _files_of_tree(tree: bytes, object_format: str) -> Iterator[tuple[str, str]]:
    """(name, blob) of each plain file of a tree object."""
    length = 32 if object_format == "sha256" else 20
    at = 0
    while at < len(tree):
        end = tree.index(b"\0", at)
        mode, _, name = tree[at:end].partition(b" ")
        at = end + 1 + length
        if mode.startswith(b"100") and name != NAME.encode():
            yield name.decode("utf-8", "replace"), tree[end + 1 : at].hex()
