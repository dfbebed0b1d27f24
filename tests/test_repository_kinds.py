"""Every kind of repository: the whole loop works in it, and what it says is the same everywhere."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from command_line import CLAUDE_SESSION, Session, err, frames, git, json_lines, out

CODE = "def parse_the_label(text):\n    return text.strip()\n"
NAME = "parser.py"
OTHER_SESSION = "77777777-0000-4000-8000-00000000c0de"
GIT = tuple(int(part) for part in subprocess.check_output(["git", "--version"], text=True).split()[2].split(".")[:2])


class Place(NamedTuple):
    """Where a person works, and what is particular about it."""

    top: Path
    environ: dict[str, str] = {}  # noqa: RUF012


def commit(path: Path, message: str = "base", **files: str) -> None:
    for name, content in files.items():
        (path / name).write_text(content)
    git("add", "-A", cwd=path)
    git("commit", "-q", "--allow-empty", "-m", message, cwd=path)


def new(path: Path, *options: str) -> Path:
    git("init", "-q", *options, str(path), cwd=path.parent)
    commit(path, README="read me\n")
    commit(path, "second", README="read me, please\n")
    return path


def plain(tmp: Path) -> Place:
    return Place(new(tmp / "repo"))


def blanks_and_hangul(tmp: Path) -> Place:
    (tmp / "my work" / "세션 프레임").mkdir(parents=True)
    return Place(new(tmp / "my work" / "세션 프레임" / "저장소 'x' $HOME"))


def unborn(tmp: Path) -> Place:
    git("init", "-q", "repo", cwd=tmp)
    return Place(tmp / "repo")


def detached(tmp: Path) -> Place:
    path = new(tmp / "repo")
    git("checkout", "-q", "--detach", cwd=path)
    return Place(path)


def linked(tmp: Path) -> Place:
    git("worktree", "add", "-q", "-b", "side", str(tmp / "linked tree"), cwd=new(tmp / "repo"))
    return Place(tmp / "linked tree")


def linked_of_bare(tmp: Path) -> Place:
    git("clone", "-q", "--bare", str(new(tmp / "source")), str(tmp / "bare.git"), cwd=tmp)
    git("worktree", "add", "-q", str(tmp / "linked"), "main", cwd=tmp / "bare.git")
    return Place(tmp / "linked")


def submodule(tmp: Path) -> Place:
    source, outer = new(tmp / "library"), new(tmp / "outer")
    git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(source), "library", cwd=outer)
    git("commit", "-qm", "library", cwd=outer)
    return Place(outer / "library")


def separate_git_dir(tmp: Path) -> Place:
    return Place(new(tmp / "repo", "--separate-git-dir", str(tmp / "elsewhere.git")))


def sha256(tmp: Path) -> Place:
    return Place(new(tmp / "repo", "--object-format=sha256"))


def reftable(tmp: Path) -> Place:
    if GIT < (2, 45):
        pytest.skip("this git knows no reftable")
    return Place(new(tmp / "repo", "--ref-format=reftable"))


def shallow(tmp: Path) -> Place:
    git("clone", "-q", "--depth=1", f"file://{new(tmp / 'source')}", "repo", cwd=tmp)
    return Place(tmp / "repo")


def partial(tmp: Path) -> Place:
    """Its remote is gone: whatever would be fetched fails."""
    source = new(tmp / "source")
    commit(source, "third", README="once more\n")
    git("config", "uploadpack.allowFilter", "true", cwd=source)
    git("clone", "-q", "--filter=blob:none", f"file://{source}", "repo", cwd=tmp)
    source.rename(tmp / "gone")
    return Place(tmp / "repo")


def sparse(tmp: Path) -> Place:
    path = new(tmp / "repo")
    (path / "folder").mkdir()
    commit(path / "folder", "folder", inside="x\n")
    git("sparse-checkout", "set", "--cone", "folder", cwd=path)
    return Place(path)


def sparse_without_cone(tmp: Path) -> Place:
    path = new(tmp / "repo")
    git("sparse-checkout", "set", "--no-cone", "/*", "!/.copilot", cwd=path)
    return Place(path)


def alternates(tmp: Path) -> Place:
    git("clone", "-q", "--shared", str(new(tmp / "source")), "repo", cwd=tmp)
    return Place(tmp / "repo")


def replaced(tmp: Path) -> Place:
    path = new(tmp / "repo")
    commit(path, "third")
    git("replace", "--graft", "HEAD~1", cwd=path)
    return Place(path)


def grafted(tmp: Path) -> Place:
    path = new(tmp / "repo")
    (path / ".git/info/grafts").write_text(git("rev-parse", "HEAD", cwd=path))
    git("config", "advice.graftFileDeprecated", "false", cwd=path)
    return Place(path)


def packed(tmp: Path) -> Place:
    path = new(tmp / "repo")
    git("pack-refs", "--all", cwd=path)
    git("gc", "-q", cwd=path)
    git("commit-graph", "write", "--reachable", cwd=path)
    return Place(path)


def split_index(tmp: Path) -> Place:
    path = new(tmp / "repo")
    git("config", "core.splitIndex", "true", cwd=path)
    git("config", "core.untrackedCache", "true", cwd=path)
    git("config", "index.version", "4", cwd=path)
    return Place(path)


def environment(tmp: Path) -> Place:
    """As hooks and other tools of git call: everything is said in the environment."""
    path = new(tmp / "repo")
    return Place(path, {"GIT_DIR": str(path / ".git"), "GIT_WORK_TREE": str(path)})


def linked_environment(tmp: Path) -> Place:
    place = linked(tmp)
    git_dir = git("rev-parse", "--absolute-git-dir", cwd=place.top).strip()
    return place._replace(environ={"GIT_DIR": git_dir, "GIT_INDEX_FILE": f"{git_dir}/index"})


SETTINGS = """\
[color]
	ui = always
[core]
	abbrev = 5
	quotePath = true
	pager = false
	autocrlf = input
	commentChar = ";"
[log]
	showSignature = true
	date = relative
	decorate = full
	follow = true
	showRoot = false
	abbrevCommit = true
	mailmap = false
[format]
	pretty = oneline
[diff]
	noprefix = true
	mnemonicPrefix = true
	renames = copies
	algorithm = histogram
	external = false
	relative = true
	interHunkContext = 9
	context = 9
	wordRegex = .
	submodule = log
	ignoreSubmodules = all
[blame]
	showEmail = true
	date = relative
	coloring = highlightRecent
	blankBoundary = true
	showRoot = true
[i18n]
	logOutputEncoding = ISO-8859-1
	commitEncoding = ISO-8859-1
[status]
	short = true
	branch = true
	relativePaths = false
[notes]
	rewriteRef = refs/notes/*
[trailer]
	separators = "=:"
	ifexists = replace
[commit]
	cleanup = whitespace
	verbose = true
[column]
	ui = always
[alias]
	log = status
	rev-parse = status
[grep]
	lineNumber = true
[push]
	default = current
[merge]
	log = true
[fetch]
	prune = true
"""


def settings(tmp: Path) -> Place:
    """A person's settings that change what git prints."""
    path = new(tmp / "repo")
    with Path(os.environ["GIT_CONFIG_GLOBAL"]).open("a") as file:
        file.write(SETTINGS)
    return Place(path, {"LANG": "tr_TR.UTF-8", "LANGUAGE": "ko", "PYTHONUTF8": "0", "GIT_PAGER": "false"})


def no_locale(tmp: Path) -> Place:
    return Place(new(tmp / "repo"), {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"})


KINDS = [
    plain, blanks_and_hangul, unborn, detached, linked, linked_of_bare, submodule, separate_git_dir, sha256, reftable,
    shallow, partial, sparse, sparse_without_cone, alternates, replaced, grafted, packed, split_index, environment,
    linked_environment, settings, no_locale,
]  # fmt: skip


TRAILER = "%(trailers:key=Frame,valueonly)"
PLAIN = ("--no-color", "--encoding=UTF-8", "--no-show-signature")
UNDER_THE_COMMIT = "Topic: 라벨 parser"


def session(place: Place, session_id: str = CLAUDE_SESSION) -> Session:
    made = Session(place.top, session_id).user("라벨을 읽는 파서를 작성해 줘: parse the label").write(NAME, CODE)
    return made.agent("The parser is there. We decided to strip blanks.")


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__name__)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    kind: Callable[[Path], Place] = request.param
    return kind(tmp_path)


def status(place: Place) -> str:
    return git("status", "--porcelain=v1", "--no-branch", cwd=place.top, **place.environ)


def test_the_whole_loop(place: Place, tmp_path: Path) -> None:
    top, environ = place.top, place.environ
    assert status(place) == ""
    assert "changed" in out("init", cwd=top, **environ)
    git("add", ".gitattributes", cwd=top, **environ)
    git("commit", "-qm", "set up", cwd=top, **environ)
    assert status(place) == ""

    transcript = session(place).save(tmp_path / "transcript.jsonl")
    (top / NAME).write_text(CODE)
    git("add", NAME, cwd=top, **environ)
    out("close", "--transcript", str(transcript), "--topic", "라벨 parser", cwd=top, **environ)
    git("commit", "-qm", "Parse labels", cwd=top, **environ)
    assert status(place) == ""
    shown = git("show", *PLAIN, "--name-only", f"--format={TRAILER}", "HEAD", cwd=top, **environ)
    frame, path, name = shown.split()
    assert f"\nFrame: {frame}\n" in git("cat-file", "commit", "HEAD", cwd=top, **environ)
    assert name == NAME
    assert path.startswith(".copilot/sessions/2026-06-02_")

    (told,) = json_lines("log", "--json", "-1", cwd=top, **environ)
    assert told["subject"] == "Parse labels"
    assert [(found["id"], found["topic"], found["link"]) for found in told["frames"]] == [
        (frame, "라벨 parser", "in-tree")
    ]
    assert UNDER_THE_COMMIT in out("log", "-1", *PLAIN, "--format=medium", cwd=top, **environ)
    assert UNDER_THE_COMMIT in git("log", "-1", *PLAIN, "--notes=frames", cwd=top, **environ)
    for line in json_lines("blame", "--json", NAME, cwd=top, **environ):
        assert (line["frame"], line["call"], line["link"]) == (frame, "2.1", "in-tree")
    why = out("why", f"{NAME}:1", cwd=top, **environ)
    assert "라벨을 읽는 파서를 작성해 줘" in why
    (listed,) = json_lines("list", "--json", cwd=top, **environ)
    assert (listed["id"], listed["path"]) == (frame, path)
    assert "라벨을 읽는 파서를 작성해 줘" in out("resume", cwd=top, **environ)

    other = session(place, OTHER_SESSION).save(tmp_path / "other.jsonl")
    out("import", str(other), cwd=top, **environ)
    git("add", "-A", "--sparse", cwd=top, **environ)
    git("commit", "-qm", "another", cwd=top, **environ)
    assert status(place) == ""
    assert len(git("log", "-1", *PLAIN, f"--format={TRAILER}", cwd=top, **environ).split()) == 1
    out("uninit", cwd=top, **environ)
    assert status(place) == " D .gitattributes\n"


# ---------------------------------------------------------------------------------------------------------------------
# Where there is no work tree, or no repository

READING = [("log", "-1"), ("list",), ("blame", NAME), ("why", f"{NAME}:1"), ("resume",)]


def test_what_only_reads_works_in_a_bare_repository(tmp_path: Path) -> None:
    source = new(tmp_path / "source")
    transcript = session(Place(source)).save(tmp_path / "transcript.jsonl")
    commit(source, parser_py="")
    (source / "parser_py").unlink()
    (source / NAME).write_text(CODE)
    out("close", "--transcript", str(transcript), cwd=source)
    commit(source, "Parse labels")
    git("clone", "-q", "--bare", str(source), "bare.git", cwd=tmp_path)
    bare = tmp_path / "bare.git"
    for args in READING:
        assert out(*args, cwd=bare) != ""
    for args in (("init",), ("close", "--transcript", str(transcript)), ("start", "x")):
        assert "this operation must be run in a work tree" in err(*args, cwd=bare, code=5)
    assert "this operation must be run in a work tree" in err("init", cwd=source / ".git", code=5)


@pytest.mark.parametrize("args", [*READING, ("init",), ("import", "x.jsonl"), ("status",)], ids=lambda args: args[0])
def test_no_repository(tmp_path: Path, args: tuple[str, ...]) -> None:
    (tmp_path / "x.jsonl").write_text("")
    said = frames(*args, cwd=tmp_path, code=5).stderr.decode()
    assert "not a git repository" in said
    assert len(said.splitlines()) <= 2


@pytest.mark.parametrize("args", [*READING, ("init",), ("status",)], ids=lambda args: args[0])
def test_a_repository_that_git_does_not_trust(tmp_path: Path, args: tuple[str, ...]) -> None:
    """git's own words are shown, and nothing goes round them."""
    path = new(tmp_path / "repo")
    done = frames(*args, cwd=path, code=5, GIT_TEST_ASSUME_DIFFERENT_OWNER="1")
    assert f"detected dubious ownership in repository at '{path}'" in done.stderr.decode()
    assert f"hint: if you trust its owner: git config --global --add safe.directory {path}" in done.stderr.decode()
    assert not (path / ".git/frames").exists()


# ---------------------------------------------------------------------------------------------------------------------
# Names


NO_TEXT = "raw\udcff.txt"  # its bytes are no UTF-8: no agent can name it in its transcript
NAMES = [
    "dé/a b.txt",
    "new\nline.txt",
    'q"uote.txt',
    " lead.txt",
    "a b/ b/c",
    "한글/파일.txt",
    "-rf",
    ":(top)x",
]


@pytest.mark.parametrize("quoted", ["true", "false"])
def test_names_of_files(repo: Path, tmp_path: Path, quoted: str) -> None:
    git("config", "core.quotePath", quoted, cwd=repo)
    commit(repo)
    made = Session(repo).user("write them all")
    for number, name in enumerate(NAMES):
        text = "".join(f"line {line} of the file with number {number}\n" for line in range(3))
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        (repo / name).write_text(text)
        made.write(name, text)
    out("close", "--transcript", str(made.save(tmp_path / "transcript.jsonl")), cwd=repo)
    commit(repo, "all of them", **{NO_TEXT: "of nobody\n"})
    (frame,) = json_lines("show", "--json", cwd=repo)
    assert sorted(file["path"] for file in frame["files"]) == sorted(NAMES)
    for number, name in enumerate(NAMES):
        for line in json_lines("blame", "--json", "--", name, cwd=repo):
            assert (line["frame"], line["call"]) == (frame["id"], f"2.{number + 1}")
        (told,) = json_lines("log", "--json", "--", f":(literal){name}", cwd=repo)
        assert [found["id"] for found in told["frames"]] == [frame["id"]]
        assert "\\303" not in out("blame", "--", name, cwd=repo)
    assert [line["call"] for line in json_lines("blame", "--json", "--", NO_TEXT, cwd=repo)] == [""]
    assert len(json_lines("log", "--json", "--", NO_TEXT, cwd=repo)) == 1


@pytest.mark.parametrize("args", [("blame", "--output=pwn", NAME), ("blame", "--contents=/etc/passwd", NAME)])
def test_what_looks_like_an_option_is_none(repo: Path, args: tuple[str, ...]) -> None:
    commit(repo, **{NAME: "first line\n"})
    err(*args, cwd=repo, code=2)
    git("update-ref", "refs/heads/--output=pwn", "HEAD", cwd=repo)
    assert "first line" in out("blame", "--", "--output=pwn", NAME, cwd=repo)
    assert "no frame" in err("resume", "--branch=--output=pwn", cwd=repo, code=2)
    assert "--output=pwn" in err("resume", "--", "--output=pwn", cwd=repo, code=2)
    assert not (repo / "pwn").exists()
