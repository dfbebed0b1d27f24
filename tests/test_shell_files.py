"""What plain shell commands do to files, alone and in a session."""

from __future__ import annotations

from typing import Any

import pytest

from session_frames.operations.assemble import assemble
from session_frames.operations.shell_files import Effect, command_of, effects
from session_frames.operations.touched_files import files_of
from session_frames.transcripts.base import AgentText, Edit, ToolCall, ToolResult

EFFECTS = [
    ("rm notes.txt", [("notes.txt", "deleted")]),
    ("git rm -q a.py b.py && pytest -q", [("a.py", "deleted"), ("b.py", "deleted")]),
    ("rm -f out.csv", [("out.csv", "cleared")]),
    ("rm -rf build", [("build", "cleared")]),
    ("rm a.txt > /dev/null 2>&1; ls", [("a.txt", "deleted")]),
    ("rm a.txt 2> errors.log", [("a.txt", "deleted")]),
    ("rm 'my notes.txt'", [("my notes.txt", "deleted")]),
    ("rm -- -odd.txt", [("-odd.txt", "deleted")]),
    ("cd lib && rm ./a.py", [("lib/a.py", "deleted")]),
    ("mv a.py b.py", [("b.py", "renamed", "a.py")]),
    ("git mv lib/a.py lib/old/", [("lib/old/a.py", "renamed", "lib/a.py")]),
    ("mv a.py b.py archive", [("archive/a.py", "renamed", "a.py"), ("archive/b.py", "renamed", "b.py")]),
    ("git checkout -- src/a.py", [("src/a.py", "restored")]),
    ("git checkout HEAD -- src/a.py", [("src/a.py", "restored")]),
    ("git restore a.py b.py", [("a.py", "restored"), ("b.py", "restored")]),
    ("git reset -q --hard", [(".", "restored")]),
    ("cat > run.sh <<'EOF'\nrm -rf x.py\nEOF", [("run.sh", "added")]),
    ("cat >> run.sh <<EOF\nls\nEOF\nrm a.txt", [("run.sh", "modified"), ("a.txt", "deleted")]),
    ("FOO=1 bundle exec rails db:migrate", [("db/schema.rb", "modified")]),
    ("npm install left-pad", [("package.json", "modified"), ("package-lock.json", "modified")]),
]

NO_EFFECTS = """
ls src
echo "rm a.py"
rm *.pyc
rm $FILE
rm `cat list`
for f in a b; do rm $f; done
rm a.py || true
ls | xargs rm
(cd lib && rm a.py) && ls
mv src lib
git checkout main
git checkout -b rm a.py
git checkout main -- a.py
git restore --staged a.py
git restore --source=main a.py
git stash -- a.py
git rm --cached a.py
git mv -n a.py b.py
git reset HEAD a.py
cat notes.txt
cat <<EOF
cat a.txt > b.txt
npm install
npm install -g eslint
git commit -m "rm a.py"
""".strip().splitlines()


@pytest.mark.parametrize(("command", "wanted"), EFFECTS)
def test_what_a_command_does_to_files(command: str, wanted: list[tuple[Any, ...]]) -> None:
    assert effects(command) == [Effect(*one) for one in wanted]


@pytest.mark.parametrize("command", NO_EFFECTS)
def test_what_is_not_certain_is_left_out(command: str) -> None:
    assert effects(command) == []


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        ({"command": "rm a"}, "rm a"),
        ({"cmd": "rm a"}, "rm a"),
        ({"command": ["bash", "-lc", "rm a && ls"]}, "rm a && ls"),
        ({"command": ["rm", "a"]}, "rm a"),
        ({"command": {"elided": {"size": 400}}}, ""),
        ("rm a", ""),
        (None, ""),
    ],
)
def test_the_command_line_among_the_arguments(arguments: Any, command: str) -> None:
    assert command_of(arguments) == command


def net(*steps: tuple[str, str] | str, outcome: Any = "passed") -> dict[str, str]:
    """The files after these steps: (path, change) of an edit tool, or a command."""
    events: list[Any] = [AgentText("k", "", "working")]
    for number, step in enumerate(steps):
        name, at = str(number), ""
        if isinstance(step, str):
            events.append(ToolCall("k", at, name, "Bash", {"command": step}, (), step))
            events.append(ToolResult(name, at, "", outcome))
        else:
            edit = Edit(step[0], step[1])  # type: ignore[arg-type]
            events += [ToolCall("k", at, name, "Edit", {}, (edit,)), ToolResult(name, at, "", "passed")]
    return {file["path"]: file["change"] for file in files_of(assemble(events).turns)}


ADDED, MODIFIED, READ = ("lib/a.py", "added"), ("lib/a.py", "modified"), ("lib/a.py", "read")
NET = [
    ((ADDED, "rm lib/a.py"), {}),
    ((ADDED, "rm -f lib/a.py"), {}),
    ((ADDED, "rm -rf lib"), {}),
    ((MODIFIED, "rm -rf lib"), {"lib/a.py": "deleted"}),
    (("rm -rf lib",), {}),
    (("rm lib/a.py",), {"lib/a.py": "deleted"}),
    ((READ, "git rm lib/a.py"), {"lib/a.py": "deleted"}),
    ((MODIFIED, "git checkout -- lib/a.py"), {}),
    ((MODIFIED, "cd lib && git restore a.py"), {}),
    ((MODIFIED, "git restore ."), {}),
    ((MODIFIED, "rm lib/a.py", "git checkout -- lib/a.py"), {}),
    ((ADDED, "git checkout -- ."), {"lib/a.py": "added"}),
    ((MODIFIED, "git commit -am x", MODIFIED, "git checkout -- lib/a.py"), {"lib/a.py": "modified"}),
    ((MODIFIED, "git checkout -- lib/a.py", MODIFIED), {"lib/a.py": "modified"}),
    ((MODIFIED, "git checkout -- lib/b.py"), {"lib/a.py": "modified"}),
    ((ADDED, "mv lib/a.py lib/b.py"), {"lib/b.py": "added"}),
    ((MODIFIED, "git mv lib/a.py lib/b.py"), {"lib/b.py": "renamed"}),
    ((READ, "cat > lib/a.py <<E\nx\nE"), {"lib/a.py": "modified"}),
    (("cat > lib/a.py <<E\nx\nE", "rm lib/a.py"), {}),
]


@pytest.mark.parametrize(("steps", "files"), NET)
def test_the_net_change_of_a_session(steps: tuple[Any, ...], files: dict[str, str]) -> None:
    assert net(*steps) == files


@pytest.mark.parametrize("outcome", ["failed", "unknown"])
def test_only_a_command_that_passed_counts(outcome: str) -> None:
    assert net(MODIFIED, "git checkout -- lib/a.py", "rm lib/b.py", outcome=outcome) == {"lib/a.py": "modified"}
