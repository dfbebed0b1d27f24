"""``init`` changes nothing the second time, what was there goes on working, ``uninit`` restores every byte."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import frames
from git_repos import (
    SESSION,
    activate,
    commit_files,
    end,
    frame_files,
    frame_of,
    git,
    interpreter,
    status,
    trailers,
    turn,
    workspace,
)

from session_frames.errors import GitError, RefusedError
from session_frames.frame_json import encode
from session_frames.storage.hook_text import GUARDS, LOCAL_HOOKS
from session_frames.workspace.health import doctor
from session_frames.workspace.setup import Initialised, init, uninit

FRAME = frame_of([turn(1, role="user", text="hello")])
FILE = f".copilot/sessions/2026-06-02_parser_{FRAME['id'][:6]}.frame.json"


def set_up(path: Path, **options: object) -> Initialised:
    return init(workspace(path), python=interpreter(path.parent), **options)  # type: ignore[arg-type]


def snapshot(path: Path) -> dict[str, tuple[bytes | str, int]]:
    """Every file and link, with content and mode, save git's objects, logs and index."""
    found: dict[str, tuple[bytes | str, int]] = {}
    for folder, folders, names in os.walk(path):
        folders[:] = [name for name in folders if name not in ("objects", "logs", "frames")]
        for name in [*names, *folders]:
            file = os.path.join(folder, name)
            mode = os.lstat(file).st_mode
            if os.path.islink(file):
                found[file] = os.readlink(file), mode
            elif os.path.isdir(file):
                found[file] = "", mode
            elif name not in ("index", "COMMIT_EDITMSG"):
                found[file] = Path(file).read_bytes(), mode
    return found


def hook(path: Path, name: str, text: str, mode: int = 0o755, folder: str = ".git/hooks") -> Path:
    file = path / folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    file.chmod(mode)
    return file


# ---------------------------------------------------------------------------------------------------------------------
# States in which a repository may be. Each leaves the mark of its own hook in the file `ran`, or has none.


def plain(path: Path) -> None:
    pass


def shell_hook(path: Path) -> None:
    hook(path, "post-commit", "#!/usr/bin/env bash\nset -eu\necho mine >>ran\nexit 0\n")


def shell_hook_without_end(path: Path) -> None:
    hook(path, "post-commit", "#!/bin/sh\necho mine >>ran", 0o700)


def hook_without_first_line(path: Path) -> None:
    hook(path, "post-commit", "echo mine >>ran\n")


def python_hook(path: Path) -> None:
    hook(path, "post-commit", "#!/usr/bin/env python3\nopen('ran', 'a').write('mine\\n')\n")


def linked_hook(path: Path) -> None:
    hook(path, "post-commit.sh", "#!/bin/sh\necho mine >>ran\n", folder="scripts")
    (path / ".git/hooks").mkdir(exist_ok=True)
    os.symlink("../../scripts/post-commit.sh", path / ".git/hooks/post-commit")


def hook_switched_off(path: Path) -> None:
    hook(path, "post-commit", "#!/bin/sh\necho off >>ran\n", 0o644)


def no_hooks_folder(path: Path) -> None:
    for file in (path / ".git/hooks").iterdir():
        file.unlink()
    (path / ".git/hooks").rmdir()
    (path / ".git/info/exclude").unlink()
    (path / ".git/info").rmdir()


def hooks_path(path: Path) -> None:
    git(path, "config", "core.hooksPath", ".githooks")
    hook(path, "post-commit", "#!/bin/sh\necho mine >>ran\n", folder=".githooks")


def husky_9(path: Path) -> None:
    git(path, "config", "core.hooksPath", ".husky/_")
    find = '#!/usr/bin/env sh\ns=$(dirname "$(dirname "$0")")/$(basename "$0")\n'
    for name in (*GUARDS, "pre-push"):
        hook(path, name, '#!/usr/bin/env sh\n. "$(dirname "$0")/h"\n', folder=".husky/_")
    hook(path, "h", find + '[ ! -f "$s" ] && exit 0\nsh -e "$s" "$@"\n', folder=".husky/_")
    hook(path, ".gitignore", "*\n", 0o644, folder=".husky/_")
    hook(path, "post-commit", "echo mine >>ran\n", 0o644, folder=".husky")


def husky_8(path: Path) -> None:
    git(path, "config", "core.hooksPath", ".husky")
    hook(path, "husky.sh", 'echo "husky" >/dev/null\n', 0o644, folder=".husky/_")
    head = '#!/usr/bin/env sh\n. "$(dirname -- "$0")/_/husky.sh"\n'
    hook(path, "post-commit", head + "\necho mine >>ran\n", folder=".husky")


def crlf_attributes(path: Path) -> None:
    (path / ".gitattributes").write_bytes(b"*.txt text\r\n*.png binary")


def foreign_settings(path: Path) -> None:
    git(path, "config", "notes.displayRef", "refs/notes/review")
    git(path, "config", "merge.frame.driver", "mine")
    with (path / ".git/config").open("a") as file:
        file.write("# a person's remark\n[alias]\n  st = status ; short\n")


STATES = [
    plain, shell_hook, shell_hook_without_end, hook_without_first_line, python_hook, linked_hook, hook_switched_off,
    no_hooks_folder, hooks_path, husky_9, husky_8, crlf_attributes, foreign_settings,
]  # fmt: skip


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__)
def test_once_twice_and_back(repo: Path, state: Callable[[Path], None]) -> None:
    state(repo)
    before = snapshot(repo)

    first = set_up(repo)
    assert first.changed
    after = snapshot(repo)
    assert set_up(repo).changed == ()
    assert snapshot(repo) == after
    assert told(repo, {"PATH": with_frames(repo)}) == []

    activate(repo, FRAME)
    (repo / "a.py").write_text("x\n")
    git(repo, "add", "a.py")
    git(repo, "commit", "-qm", "m", CLAUDE_CODE_SESSION_ID=SESSION, PATH=with_frames(repo))
    assert frame_files(repo) == [FILE]
    assert trailers(repo) == [FRAME["id"]]
    ran = repo / "ran"
    expected = "mine\n" if "post-commit" in "".join(before) and state is not hook_switched_off else None
    assert (ran.read_text() if ran.exists() else None) == expected

    done = uninit(workspace(repo))
    assert {outcome for _, outcome in done.files} == {"restored"}
    assert "1 frame files" in done.stays[0]
    left = snapshot(repo)
    for gone in (ran, repo / "a.py", repo / FILE, *(repo / FILE).parents[:2], repo / ".git/refs/heads/main"):
        left.pop(str(gone), None)
    left = {file: held for file, held in left.items() if "/refs/" not in file}
    before = {file: held for file, held in before.items() if "/refs/" not in file}
    assert left == before


def with_frames(path: Path) -> str:
    """A search path on which `frames` is: committed hooks name nothing else."""
    folder = path.parent / "bin"
    folder.mkdir(exist_ok=True)
    script = folder / "frames"
    code = "from session_frames.__main__ import main; main()"
    script.write_text(f"#!/bin/sh\nexec {interpreter(path.parent)} -I -c '{code}' \"$@\"\n")
    script.chmod(0o755)
    return f"{folder}:{os.environ.get('PATH', os.defpath)}"


def test_linked_work_tree(repo: Path, tmp_path: Path) -> None:
    commit_files(repo, "base", a_py="x\n")
    linked = tmp_path / "linked"
    git(repo, "worktree", "add", "-q", str(linked))
    before = snapshot(tmp_path)
    assert set_up(linked).hooks == str(repo / ".git/hooks")
    assert (linked / ".gitattributes").exists()
    assert set_up(linked).changed == ()
    uninit(workspace(linked))
    left = snapshot(tmp_path)
    left.pop(str(tmp_path / "python"), None)
    assert left == before
    assert not (repo / ".git/frames").exists()


def test_nothing_stays_but_frames(repo: Path) -> None:
    before = snapshot(repo)
    set_up(repo)
    assert uninit(workspace(repo)).stays == ()
    assert snapshot(repo) == before
    assert not (repo / ".git/frames").exists()
    assert uninit(workspace(repo)).files == ()


def test_edits_around_ours_stay(repo: Path) -> None:
    shell_hook(repo)
    python = hook(repo, "post-merge", "#!/usr/bin/env python3\n")
    (repo / ".gitattributes").write_text("*.txt text\n")
    set_up(repo)
    for file in (".git/hooks/post-commit", ".gitattributes", ".git/hooks/pre-commit"):
        with (repo / file).open("a") as opened:
            opened.write("# added later\n")
    git(repo, "config", "branch.main.remote", "origin")

    outcomes = dict(uninit(workspace(repo)).files)

    assert outcomes[".git/hooks/post-commit"] == outcomes[".gitattributes"] == "our part removed"
    assert outcomes[".git/hooks/post-merge"] == "restored"
    assert (repo / ".git/hooks/post-commit").read_text() == (
        "#!/usr/bin/env bash\nset -eu\necho mine >>ran\nexit 0\n# added later\n"
    )
    assert (repo / ".git/hooks/pre-commit").read_text() == "#!/bin/sh\n# added later\n"
    assert (repo / ".gitattributes").read_text() == "*.txt text\n# added later\n"
    assert python.read_text() == "#!/usr/bin/env python3\n"
    config = (repo / ".git/config").read_text()
    assert "frame" not in config
    assert "remote = origin" in config


def test_settings_of_others_are_kept(repo: Path) -> None:
    foreign_settings(repo)
    set_up(repo)
    assert git(repo, "config", "--get-all", "notes.displayRef").split() == ["refs/notes/review", "refs/notes/frame[s]"]
    git(repo, "config", "branch.main.remote", "origin")
    uninit(workspace(repo))
    assert git(repo, "config", "--get-all", "notes.displayRef").split() == ["refs/notes/review"]
    assert git(repo, "config", "merge.frame.driver").strip() == "mine"


def test_frames_log_warns_of_no_notes_before_init(repo: Path) -> None:
    commit_files(repo, "base", a_py="x\n")
    for args in ((), ("--topic", "none")):
        assert frames("log", *args, cwd=repo).stderr == b""


def test_git_log_warns_of_no_notes_where_there_are_none(repo: Path) -> None:
    commit_files(repo, "base", a_py="x\n")
    set_up(repo)
    assert "warning" not in git(repo, "log")


def test_a_hook_that_fails_still_fails_and_gets_its_input(repo: Path) -> None:
    commit_files(repo, "base", a_py="x\n")
    hook(repo, "pre-commit", "#!/usr/bin/env python3\nimport sys\nsys.exit(3)\n")
    hook(repo, "commit-msg", '#!/bin/sh\ngrep -q good "$1" || exit 4\n')
    hook(repo, "post-rewrite", '#!/bin/sh\necho "$1" >ran\ncat >>ran\n')
    set_up(repo)
    activate(repo, FRAME)
    (repo / "a.py").write_text("y\n")
    git(repo, "commit", "-qam", "good", code=1, CLAUDE_CODE_SESSION_ID=SESSION)
    git(repo, "commit", "-qam", "bad", "--no-verify", CLAUDE_CODE_SESSION_ID=SESSION)
    old = git(repo, "rev-parse", "HEAD").strip()
    (repo / ".copilot").mkdir(exist_ok=True)
    git(repo, "commit", "-q", "--amend", "--no-verify", "-m", "good")
    assert (repo / "ran").read_text() == f"amend\n{old} {git(repo, 'rev-parse', 'HEAD')}"
    hook(repo, "pre-commit.frames-kept", "#!/bin/sh\nexit 0\n")
    (repo / "a.py").write_text("z\n")
    git(repo, "commit", "-qam", "bad", code=1, CLAUDE_CODE_SESSION_ID=SESSION)


def test_an_early_exit_does_not_skip_ours(repo: Path) -> None:
    hook(repo, "pre-commit", "#!/bin/sh\nexit 0\n")
    hook(repo, "prepare-commit-msg", "#!/bin/sh\nexec true\n")
    set_up(repo)
    activate(repo, FRAME)
    (repo / "a.py").write_text("y\n")
    git(repo, "add", "a.py")
    git(repo, "commit", "-qm", "m", CLAUDE_CODE_SESSION_ID=SESSION)
    assert trailers(repo) == [FRAME["id"]]


def test_a_hook_put_aside_by_another_tool_is_found(repo: Path) -> None:
    set_up(repo)
    ours = repo / ".git/hooks/pre-commit"
    text = ours.read_bytes()
    ours.rename(ours.with_name("pre-commit.legacy"))
    hook(repo, "pre-commit", '#!/bin/sh\n"$0.legacy" "$@"\n')
    assert set_up(repo).changed == ()
    assert ours.with_name("pre-commit.legacy").read_bytes() == text
    assert doctor(workspace(repo)) == []
    uninit(workspace(repo))
    assert not ours.with_name("pre-commit.legacy").exists()
    assert ours.read_text() == '#!/bin/sh\n"$0.legacy" "$@"\n'


def test_a_new_interpreter_takes_the_place_of_the_old(repo: Path) -> None:
    shell_hook(repo)
    before = snapshot(repo)
    init(workspace(repo), python="/gone/python")
    assert len(init(workspace(repo), python="/new/pyth'on").changed) == len(GUARDS) + 2
    text = (repo / ".git/hooks/post-commit").read_text()
    assert "/gone/" not in text
    assert text.count("# >>> frames >>>") == 1
    uninit(workspace(repo))
    assert snapshot(repo) == before


# ---------------------------------------------------------------------------------------------------------------------
# Special wishes and places


def test_local(repo: Path) -> None:
    before = snapshot(repo)
    done = set_up(repo, local=True)
    assert done.local
    assert not done.ignored
    assert git(repo, "config", "frames.local").strip() == "true"
    assert not (repo / ".gitattributes").exists()
    ours = [name for name in os.listdir(repo / ".git/hooks") if not name.endswith(".sample")]
    assert sorted(ours) == sorted(LOCAL_HOOKS)
    assert status(repo) == ""
    assert set_up(repo).changed == ()
    assert doctor(workspace(repo)) == []
    uninit(workspace(repo))
    assert snapshot(repo) == before


def test_ignored_folder_is_told_and_kept_local(repo: Path) -> None:
    (repo / ".gitignore").write_text(".copilot\n")
    done = set_up(repo)
    assert done.ignored
    assert done.local
    assert git(repo, "config", "frames.local").strip() == "true"
    assert not (repo / ".copilot").exists()


def test_no_hooks(repo: Path) -> None:
    done = set_up(repo, hooks=False)
    assert done.hooks == ""
    assert [name for name in os.listdir(repo / ".git/hooks") if not name.endswith(".sample")] == []
    assert doctor(workspace(repo)) == []


def test_attributes_said_elsewhere_are_enough(repo: Path) -> None:
    (repo / ".git/info/attributes").write_text("*.json merge=frame\n")
    assert ".gitattributes" not in set_up(repo).changed


def test_lefthook_gets_its_snippet(repo: Path) -> None:
    (repo / "lefthook.yml").write_text("pre-commit:\n")
    done = set_up(repo)
    assert done.hooks == ""
    assert "      run: frames git-hook prepare-commit-msg {1} {2} {3}\n" in done.snippet
    assert [name for name in os.listdir(repo / ".git/hooks") if not name.endswith(".sample")] == []


def test_never_sets_what_breaks_others(repo: Path) -> None:
    set_up(repo)
    assert git(repo, "config", "--local", "--get-regexp", r"^(core\.hookspath|remote\.)", code=1) == ""


def test_committed_hooks_name_nothing_of_this_machine(repo: Path) -> None:
    hooks_path(repo)
    set_up(repo)
    for name in GUARDS:
        assert str(repo.parent) not in (repo / ".githooks" / name).read_text()


def test_refusals(repo: Path, tmp_path: Path) -> None:
    os.symlink("elsewhere", repo / ".gitattributes")
    with pytest.raises(RefusedError, match="is a symbolic link"):
        set_up(repo)
    (repo / ".gitattributes").unlink()
    (repo / ".git/hooks/post-merge").mkdir()
    with pytest.raises(RefusedError, match="is no file"):
        set_up(repo)
    bare = tmp_path / "bare.git"
    subprocess.run(["git", "init", "-q", "--bare", str(bare)], check=True)
    with pytest.raises(GitError, match="must be run in a work tree"):
        set_up(bare)
    (tmp_path / "none").mkdir()
    with pytest.raises(GitError, match="not a git repository"):
        set_up(tmp_path / "none")


# ---------------------------------------------------------------------------------------------------------------------
# doctor


def told(path: Path, environ: dict[str, str] | None = None) -> list[str]:
    return [finding.what for finding in doctor(workspace(path, **(environ or {})))]


def test_doctor_of_a_fresh_clone(repo: Path, tmp_path: Path) -> None:
    assert told(repo) == ["frames is not set up in this repository"]
    set_up(repo)
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "m")
    git(tmp_path, "clone", "-q", str(repo), "clone")
    assert told(tmp_path / "clone") == [
        "frames is not set up in this repository",
        "attributes name the merge driver 'frame', which is not configured in this clone",
    ]


def break_path(path: Path) -> None:
    git(path, "config", "core.hooksPath", "elsewhere")


def break_mode(path: Path) -> None:
    (path / ".git/hooks/pre-commit").chmod(0o644)


def break_block(path: Path) -> None:
    (path / ".git/hooks/pre-commit").write_text("#!/bin/sh\n")


def break_display(path: Path) -> None:
    git(path, "config", "--unset", "notes.displayRef")


def break_driver(path: Path) -> None:
    git(path, "config", "--unset", "merge.frame.driver")


def break_attributes(path: Path) -> None:
    (path / ".gitattributes").unlink()


def break_index(path: Path) -> None:
    (path / ".git/frames/index.sqlite").write_text("no database")


def leave_temporary(path: Path) -> None:
    for file in (path / ".copilot/sessions/.x.frame.json.0f.tmp", path / ".git/frames/.y.tmp"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("")
        os.utime(file, (0, 0))


BREAKS = {
    break_path: "does not call frames",
    break_mode: "it is not executable",
    break_block: "does not call frames",
    break_display: "git log does not show frames",
    break_driver: "which is not configured in this clone",
    break_attributes: "no attributes give frame files to the merge driver",
    break_index: "is damaged; it is made anew",
    leave_temporary: "was left by a write that was interrupted",
}


@pytest.mark.parametrize("fault", BREAKS, ids=lambda fault: fault.__name__)
def test_doctor_finds_and_mends(repo: Path, fault: Callable[[Path], None]) -> None:
    commit_files(repo, "base", a_py="x\n")
    set_up(repo)
    assert doctor(workspace(repo)) == []
    fault(repo)
    said = told(repo)
    assert said
    assert all(BREAKS[fault] in what for what in said)
    before = status(repo)
    assert doctor(workspace(repo, PATH=with_frames(repo)), fix=True) == []
    assert status(repo) == before or fault in (break_path, break_attributes)


def test_doctor_finds_an_interpreter_that_is_gone(repo: Path) -> None:
    init(workspace(repo), python="/nowhere/python")
    said = told(repo, {"PATH": "/usr/bin:/bin"})
    assert len(said) == 2 + len(GUARDS)
    assert all("'/nowhere/python' is gone, and 'frames' is not on the path" in what for what in said)
    assert told(repo, {"PATH": with_frames(repo)}) == []


def test_doctor_finds_bad_frames(repo: Path) -> None:
    set_up(repo)
    folder = repo / ".copilot/sessions"
    folder.mkdir(parents=True)
    (folder / "a.frame.json").write_bytes(encode(FRAME))
    (folder / "b.frame.json").write_bytes(encode(FRAME))
    (folder / "c.frame.json").write_text("{\n<<<<<<< ours\n")
    (folder / "d.frame.json").write_text("{}")
    said = told(repo)
    assert said[0] == "'.copilot/sessions/b.frame.json' and '.copilot/sessions/a.frame.json' are the same frame"
    assert "a git conflict is left in it" in said[1]
    assert "'.copilot/sessions/d.frame.json' is not a valid frame" in said[2]
    assert len(said) == 3


def test_doctor_tells_of_an_ignored_folder(repo: Path) -> None:
    set_up(repo)
    (repo / ".gitignore").write_text(".copilot/\n")
    assert told(repo) == ["git ignores '.copilot/sessions': no frame gets into a commit"]
    end(repo, FRAME)
