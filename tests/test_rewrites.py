"""What people do with history, with real git: which frames are found afterwards, and how certain that is.

Each operation runs twice: on a branch whose commits brought their frames, and on one from which a reviewer has taken
frame files and trailers, so that only this machine still has the frames. What was found is kept in
``golden/rewrites.json``, from which the table in ``docs/rewrites.md`` is made; ``--renew`` writes it anew.
"""

from __future__ import annotations

import json
import random
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import frames, json_lines, out
from git_repos import activate, commit_files, end, frame_of, git, turn, workspace

from session_frames import frame_json
from session_frames.model import Frame
from session_frames.storage.private_state import write_atomically

GOLDEN = Path(__file__).parent / "golden" / "rewrites.json"
SESSIONS = ("one", "two", "three")
KINDS = ("certain", "inferred", "missed", "false")
VARIANTS = ("kept", "taken out")
NO_HOOKS = ("-c", "core.hooksPath=/dev/null")


def lines_of(name: str) -> list[str]:
    return [f"def {name}_{number}(argument): return argument + {number}" for number in range(6)]


def text(lines: list[str]) -> str:
    return "".join(line + "\n" for line in lines)


def session(name: str) -> Frame:
    return frame_of([turn(1, role="user", text=f"write {name}"), turn(2, {f"{name}.py": lines_of(name)})], name, name)


def keep(repo: Path, frame: Frame) -> None:
    """As `frames close` leaves it in the private area."""
    write_atomically(workspace(repo).state.closed_path(frame["id"]), frame_json.encode({**frame, "status": "closed"}))


def work(repo: Path, name: str) -> None:
    """What a session does before its commit."""
    (repo / f"{name}.py").write_text(text(lines_of(name)))
    git(repo, "add", "-A")


def commit_as_session(repo: Path, name: str, variant: str) -> None:
    """The session commits what it wrote: with its frame, or so that no commit tells of it."""
    frame = session(name)
    keep(repo, frame)
    if variant == "taken out":
        git(repo, *NO_HOOKS, "commit", "-qm", f"add {name}")
        return
    activate(repo, frame, name)
    git(repo, "commit", "-qm", f"add {name}")
    end(repo, frame)


def build(repo: Path, variant: str) -> None:
    """A commit of a person on `main`, and on `topic` a commit of each session."""
    frames("init", cwd=repo)
    commit_files(repo, "base", base_txt="base\n")
    git(repo, "branch", "main-before")
    git(repo, "checkout", "-q", "-b", "topic")
    for name in SESSIONS:
        work(repo, name)
        commit_as_session(repo, name, variant)
    git(repo, "checkout", "-q", "main")
    commit_files(repo, "a person's work", person_txt="of a person, and long enough to tell\n")
    git(repo, "checkout", "-q", "topic")


@pytest.fixture(scope="module")
def branches(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {}


@pytest.fixture
def branch(branches: dict[str, Path], tmp_path_factory: pytest.TempPathFactory, variant: str, repo: Path) -> Path:
    """A copy of a repository: `main` with a commit of a person, and on it `topic` with a commit of each session."""
    if variant not in branches:
        template = branches[variant] = tmp_path_factory.mktemp("branch") / "repo"
        git(template.parent, "init", "-q", "repo")
        build(template, variant)
    shutil.rmtree(repo)
    shutil.copytree(branches[variant], repo, symlinks=True)
    return repo


# ---------------------------------------------------------------------------------------------------------------------
# The operations


def rebase_by(repo: Path, script: str, editor: str = "true") -> None:
    """`git rebase -i` with a list that `sed` edits."""
    editors = {"GIT_SEQUENCE_EDITOR": f"sed -i -e '{script}'", "GIT_EDITOR": editor}
    git(repo, "rebase", "-q", "-i", "main-before", **editors)


def squash(repo: Path, *message: str) -> None:
    git(repo, "checkout", "-q", "main")
    git(repo, "merge", "-q", "--squash", "topic")
    git(repo, "commit", "-q", *message)


def squash_at_forge(repo: Path, message: str) -> None:
    """On a forge no hook runs."""
    git(repo, "checkout", "-q", "main")
    git(repo, "merge", "-q", "--squash", "topic")
    git(repo, *NO_HOOKS, "commit", "-q", "-m", message)


def forge_text(repo: Path) -> str:
    bodies = git(repo, "log", "--reverse", "--no-notes", "--format=* %B", "main-before..topic")
    return f"Three functions (#1)\n\n{bodies}"


def pull_with_rebase(repo: Path) -> None:
    remote = repo.parent / "remote.git"
    git(repo, "clone", "-q", "--bare", ".", str(remote))
    git(repo, "remote", "add", "origin", str(remote))
    git(repo, "push", "-q", "-f", "origin", "topic~2:refs/heads/topic")
    other = repo.parent / "other"
    git(repo, "clone", "-q", "-b", "topic", str(remote), str(other))
    commit_files(other, "another person's work", other_txt="of another person\n")
    git(other, "push", "-q", "origin", "topic")
    git(repo, "pull", "-q", "--rebase", "origin", "topic")


def cherry_pick(repo: Path) -> None:
    git(repo, "checkout", "-q", "main")
    git(repo, "cherry-pick", "main-before..topic")


def revert_twice(repo: Path) -> None:
    git(repo, "revert", "--no-edit", "HEAD")
    git(repo, "revert", "--no-edit", "HEAD")


def other_author(repo: Path) -> None:
    stream = git(repo, "fast-export", "--branches").replace("ann@example.org", "eve@example.org")
    git(repo, "fast-import", "--quiet", "--force", stdin=stream)


def through_mail(repo: Path) -> None:
    patches = git(repo, "format-patch", "--stdout", "main-before..topic")
    git(repo, "checkout", "-q", "main")
    git(repo, "am", "-q", stdin=patches)


def stash_and_commit(repo: Path, variant: str) -> None:
    work(repo, "four")
    git(repo, "stash", "push", "-q")
    git(repo, "stash", "pop", "-q", "--index")
    commit_as_session(repo, "four", variant)


def abort_rebase(repo: Path) -> None:
    git(repo, "checkout", "-q", "main")
    commit_files(repo, "in the way", three_py="something else, which is in the way\n")
    git(repo, "checkout", "-q", "topic")
    git(repo, "rebase", "main", code=1)
    git(repo, "rebase", "--abort")


def merge(repo: Path) -> None:
    git(repo, "checkout", "-q", "main")
    git(repo, "merge", "-q", "--no-ff", "-m", "merge", "topic")


OPERATIONS: dict[str, Callable[[Path, str], object]] = {
    "nothing": lambda repo, variant: None,
    "merge": lambda repo, variant: merge(repo),
    "amend with a new message": lambda repo, variant: git(repo, "commit", "-q", "--amend", "-m", "new"),
    "rebase -i: reword": lambda repo, variant: rebase_by(repo, "1s/pick/reword/", editor="echo better >"),
    "rebase -i: fixup": lambda repo, variant: rebase_by(repo, "2s/pick/fixup/"),
    "rebase -i: fixup of two": lambda repo, variant: rebase_by(repo, "2,3s/pick/fixup/"),
    "rebase -i: another order": lambda repo, variant: rebase_by(repo, "1{h;d};2G"),
    "rebase -i: drop": lambda repo, variant: rebase_by(repo, "2d"),
    "rebase --onto": lambda repo, variant: git(repo, "rebase", "-q", "--onto", "main", "topic~2"),
    "rebase --exec": lambda repo, variant: git(repo, "rebase", "-q", "--exec", "true", "main"),
    "pull --rebase": lambda repo, variant: pull_with_rebase(repo),
    "cherry-pick": lambda repo, variant: cherry_pick(repo),
    "revert": lambda repo, variant: git(repo, "revert", "--no-edit", "HEAD"),
    "revert of a revert": lambda repo, variant: revert_twice(repo),
    "merge --squash, git's text": lambda repo, variant: squash(repo, "--no-edit"),
    "merge --squash, edited text": lambda repo, variant: squash(repo, "-m", "Three functions"),
    "squash at a forge, oldest first": lambda repo, variant: squash_at_forge(repo, forge_text(repo)),
    "squash at a forge, title only": lambda repo, variant: squash_at_forge(repo, "Three functions (#1)"),
    "rewrite of all authors, no hooks": lambda repo, variant: other_author(repo),
    "format-patch and am": lambda repo, variant: through_mail(repo),
    "stash and pop": stash_and_commit,
    "rebase --abort": lambda repo, variant: abort_rebase(repo),
}  # fmt: skip


# ---------------------------------------------------------------------------------------------------------------------
# What is found


def sources(repo: Path, commit: str) -> set[str]:
    """The sessions whose lines the commit adds: each of them wrote in a file of its own."""
    counted = git(
        repo, "show", "--numstat", "--no-diff-merges", "--no-renames", "--no-notes", "--format=", commit
    ).splitlines()
    added = [line.split("\t")[2] for line in counted if line.split("\t")[0] not in ("0", "-")]
    return {path.removesuffix(".py") for path in added if path.endswith(".py")}


def found(repo: Path) -> dict[str, int]:
    """How many sessions of commits were found, and how."""
    counts: Counter[str] = Counter(dict.fromkeys(KINDS, 0))
    for commit in json_lines("log", "--json", cwd=repo):
        meant = sources(repo, commit["commit"])
        named = {frame["topic"]: frame["link"] for frame in commit["frames"]}
        for topic, link in named.items():
            counts["false" if topic not in meant else "inferred" if link == "inferred" else "certain"] += 1
        counts["missed"] += len(meant - named.keys())
    return dict(counts)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_what_is_found_after(operation: str, variant: str, branch: Path, request: pytest.FixtureRequest) -> None:
    OPERATIONS[operation](branch, variant)
    counts = found(branch)
    table = json.loads(GOLDEN.read_text()) if GOLDEN.exists() else {}
    if request.config.getoption("--renew"):
        table.setdefault(operation, {})[variant] = counts
        GOLDEN.write_text(json.dumps({name: table[name] for name in OPERATIONS if name in table}, indent=1) + "\n")
    assert table[operation][variant] == counts
    assert counts["false"] == 0
    assert counts["missed"] == 0
    assert counts["inferred" if variant == "kept" else "certain"] == 0
    repaired = json.loads(out("link", "--repair", "--json", cwd=branch))
    assert repaired["changed"] == 0
    assert found(branch) == counts


def linked(folder: Path) -> Path:
    git(folder, "init", "-q", "-b", "elsewhere", "outer")
    commit_files(folder / "outer", "first", first_txt="first\n")
    git(folder / "outer", "worktree", "add", "-q", "-b", "main", str(folder / "linked"))
    return folder / "linked"


def sha256(folder: Path) -> Path:
    git(folder, "init", "-q", "--object-format=sha256", "sha256")
    return folder / "sha256"


def shallow(folder: Path) -> Path:
    git(folder, "init", "-q", "source")
    for number in range(3):
        commit_files(folder / "source", f"past {number}", past_txt=f"{number}\n")
    git(folder, "clone", "-q", "--depth=1", f"file://{folder / 'source'}", "shallow")
    return folder / "shallow"


@pytest.mark.parametrize(
    "operation",
    ["amend with a new message", "rebase -i: fixup", "cherry-pick", "squash at a forge, title only", "rebase --abort"],
)
@pytest.mark.parametrize("kind", [linked, sha256, shallow], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_same_is_found_in_every_kind_of_repository(
    kind: Callable[[Path], Path], operation: str, variant: str, tmp_path: Path
) -> None:
    repo = kind(tmp_path)
    build(repo, variant)
    OPERATIONS[operation](repo, variant)
    assert found(repo) == json.loads(GOLDEN.read_text())[operation][variant]


def test_the_table_is_of_these_operations() -> None:
    assert list(json.loads(GOLDEN.read_text())) == list(OPERATIONS)


# ---------------------------------------------------------------------------------------------------------------------
# Twenty frames in one commit


VERBS = ("load", "parse", "merge", "render", "check", "split", "order", "count")
NOUNS = ("label", "parcel", "weight", "quote", "route", "price", "batch", "range")


def block(source: random.Random) -> list[str]:
    """A function as sessions write them: some lines tell much, some (``return None``) are everywhere."""
    verb, noun, other = source.choice(VERBS), source.choice(NOUNS), source.choice(NOUNS)
    body = [
        f"    {noun}_{source.randrange(99)} = {verb}_{other}({noun}, {source.randrange(99)})"
        for _ in range(source.randint(3, 9))
    ]
    return [f"def {verb}_{noun}_{source.randrange(999)}({noun}, {other}):", *body, "    return None", "", ""]


def generated(repo: Path, variant: str, count: int = 20) -> dict[str, list[tuple[str, str]]]:
    """Sessions that write blocks into the same files, squashed into one commit; path -> (line, frame and call)."""
    source = random.Random(20)
    files: dict[str, list[tuple[str, str]]] = {f"module{number}.py": [] for number in range(3)}
    for number in range(count):
        turns = [turn(1, role="user", text="please")]
        name = f"s{number:02}"
        for at in range(2, 8):
            path, lines = source.choice(list(files)), block(source)
            turns.append({**turn(at, {path: lines}), "id": f"{name}-{at}"})
            place = source.choice([0, len(files[path])])
            files[path][place:place] = [(line, f"{name} {at}.1") for line in lines]
        frame: Frame = {**frame_of(turns, name, name), "status": "closed"}
        if variant == "taken out":
            keep(repo, frame)
        else:
            write_atomically(str(repo / f".copilot/sessions/{name}.frame.json"), frame_json.encode(frame))
    for path, written in files.items():
        (repo / path).write_text(text([line for line, _ in written]))
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "Twenty sessions (#20)")
    return files


@pytest.mark.parametrize("variant", VARIANTS)
def test_lines_of_a_squash_of_twenty_frames(repo: Path, variant: str) -> None:
    commit_files(repo, "first", README="first\n")
    right = wrong = 0
    for path, written in generated(repo, variant).items():
        for line, (_, writer) in zip(json_lines("blame", "--json", path, cwd=repo), written, strict=True):
            named = f"{line['topic']} {line['call']}" if line["call"] else ""
            right += named == writer
            wrong += named not in ("", writer)
            assert line["link"] in ("", "in-tree" if variant == "kept" else "inferred")
    assert right + wrong > 900
    assert right >= 0.95 * (right + wrong)
    assert wrong <= 0.01 * (right + wrong)
    (squashed, _) = json_lines("log", "--json", cwd=repo)
    assert len(squashed["frames"]) == 20
