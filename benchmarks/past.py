"""Make the past of a project: a history that agents and people wrote, and the transcripts that the agents left.

    python benchmarks/past.py DEST [--commits N] [--sessions S] [--seed S]

``DEST/repo`` is the history, without a frame or a trailer in it; ``DEST/home`` holds the transcripts;
``DEST/truth.json`` says of each line of each file which call of which session wrote it. People edit what agents wrote
before and after it is committed, move blocks, indent them anew, rename files and squash the work of several sessions
into one commit.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import time
from pathlib import Path
from typing import Any, NamedTuple

from repositories import EPOCH, FastImport

STEP = 900
FILES = 60
PARTS = 6
USER = "/home/dev"

_NAMES = "parcel weight label price band route depot driver stamp zone quote total order batch shelf scale".split()
_VERBS = "load save find sort merge split check count print parse build close open send read plan".split()
_USUAL = ["        return None", "    else:", "        pass", "", "    try:", "        continue", "    return result"]


class Line(NamedTuple):
    """A line, and the call that wrote it: session, turn, number of the call; None for a person's."""

    text: str
    origin: tuple[str, int, int] | None


class Session:
    """A session as its agent records it."""

    def __init__(self, number: int, top: str, when: int) -> None:
        self.id = f"{number:08d}-0000-4000-8000-0000000bea57"
        self.top = top
        self.when = when
        self.turn = self.call = 0
        self.records: list[dict[str, Any]] = []

    def ask(self, words: str) -> None:
        """What the user wants next."""
        self.turn, self.call = self.turn + 2, 0
        self._record("user", {"role": "user", "content": words})

    def edit(self, path: str, old: str, new: str) -> tuple[str, int, int]:
        """A call that puts text in the place of text, or writes a new file where there is no old text."""
        self.call += 1
        call = f"toolu_{self.turn:06d}{self.call:06d}"
        file = f"{self.top}/{path}"
        name, given = ("Edit", {"old_string": old, "new_string": new}) if old else ("Write", {"content": new})
        asked = {"type": "tool_use", "id": call, "name": name, "input": {"file_path": file, **given}}
        message = {"id": f"msg_{len(self.records):012d}", "type": "message", "role": "assistant", "model": "model-x"}
        self._record("assistant", {**message, "content": [asked], "usage": {"input_tokens": 8, "output_tokens": 80}})
        result = {"type": "tool_result", "tool_use_id": call, "content": f"The file {file} has been updated."}
        told = {"filePath": file, "oldString": old, "newString": new} if old else {"type": "create", "filePath": file}
        self._record("user", {"role": "user", "content": [result]}, toolUseResult=told)
        return self.id, self.turn, self.call

    def _record(self, kind: str, message: dict[str, Any], **more: Any) -> None:
        number = len(self.records)
        self.records.append(
            {
                "parentUuid": f"{self.id[:24]}{number - 1:012d}" if number else None,
                "isSidechain": False,
                "userType": "external",
                "cwd": self.top,
                "sessionId": self.id,
                "version": "2.1.200",
                "gitBranch": "main",
                "type": kind,
                "message": message,
                **more,
                "uuid": f"{self.id[:24]}{number:012d}",
                "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(self.when + number)),
            }
        )

    def save(self, home: Path) -> None:
        """Where the agent keeps it."""
        path = home / ".claude/projects" / self.top.replace("/", "-") / f"{self.id}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(record) + "\n" for record in self.records), encoding="utf-8")


class Past:
    """The history, commit by commit."""

    def __init__(self, stream: FastImport, options: argparse.Namespace, top: str) -> None:
        self.stream, self.options, self.top = stream, options, top
        self.source = random.Random(options.seed)
        self.files: dict[str, list[Line]] = {}
        self.tip: list[int] = []
        self.made = self.sessions = self.renamed = 0

    def write(self, home: Path) -> None:
        """Write it all, the transcripts too."""
        for number in range(FILES):
            path = f"src/part{number % PARTS}/module{number:03d}.py"
            self.files[path] = [Line(text, None) for _ in range(8) for text in self._function()]
        self._commit("Begin", set(self.files))
        every = max(2, self.options.commits // max(1, self.options.sessions))
        while self.made < self.options.commits:
            if self.sessions < self.options.sessions and self.made // every >= self.sessions:
                self._work_of_agents(home)
            else:
                self._work_of_a_person()

    # -- agents --------------------------------------------------------------------------------------------------------

    def _work_of_agents(self, home: Path) -> None:
        """One session and its commits, or several whose work is squashed into one commit."""
        squashed = self.source.randint(2, 3) if self.source.random() < 0.15 else 0
        changed = set[str]()
        for _ in range(squashed or 1):
            session = Session(self.sessions, self.top, self._now() - 600)
            self.sessions += 1
            paths = self.source.sample(sorted(self.files), self.source.randint(1, 2))
            for _ in range(self.source.randint(1, 3)):
                session.ask(f"please {self.source.choice(_VERBS)} the {self.source.choice(_NAMES)}s")
                touched = {self._edit(session, paths) for _ in range(self.source.randint(1, 4))}
                self._mend(touched)
                changed |= touched
                if not squashed:
                    self._commit("Work of a session", touched)
            session.save(home)
        if squashed:
            self._commit("Several things at once", changed)

    def _edit(self, session: Session, paths: list[str]) -> str:
        if self.source.random() < 0.1:
            path = f"src/part{self.source.randrange(PARTS)}/new{session.id[:8]}_{session.turn}_{session.call}.py"
            texts = [text for _ in range(self.source.randint(2, 5)) for text in self._function()]
            origin = session.edit(path, "", _text(texts))
            self.files[path] = [Line(text, origin) for text in texts]
            return path
        path = self.source.choice(paths)
        lines = self.files[path]
        start = self.source.randrange(max(1, len(lines) - 6))
        end = start + self.source.choice((1, 1, 1, 3, 5))
        while not _text([line.text for line in lines[start:end]]):
            start, end = max(0, start - 1), end + 1
        held = lines[start:end]
        texts = [*self._function(), *(self._function() if self.source.random() < 0.3 else [])]
        shape = self.source.choices(("before", "after", "instead"), weights=(3, 4, 3))[0]
        old = _text([line.text for line in held])
        new = {"before": [old, *texts], "after": [*texts, old], "instead": texts}[shape]
        origin = session.edit(path, old, _text(new))
        added = [Line(text, origin) for text in texts]
        lines[start:end] = {"before": [*held, *added], "after": [*added, *held], "instead": added}[shape]
        return path

    def _mend(self, paths: set[str]) -> None:
        """A person looks it over before it is committed, and changes a line here and there."""
        for path in sorted(paths) if self.source.random() < 0.4 else ():
            at = self.source.randrange(len(self.files[path]))
            self.files[path][at] = Line(self._statement(), None)

    # -- people --------------------------------------------------------------------------------------------------------

    def _work_of_a_person(self) -> None:
        path = self.source.choice(sorted(self.files))
        lines = self.files[path]
        at = self.source.randrange(len(lines))
        chance = self.source.random()
        if chance < 0.02:
            self.renamed += 1
            new = f"{path.rpartition('/')[0]}/renamed{self.renamed:04d}.py"
            self.files[new] = self.files.pop(path)
            self._commit("Rename", {new}, gone=path)
            return
        if chance < 0.05:
            block = lines[at : at + 10]
            del lines[at : at + 10]
            to = self.source.randrange(len(lines) + 1)
            lines[to:to] = block
        elif chance < 0.08:
            lines[at : at + 8] = [line._replace(text=f"    {line.text}") for line in lines[at : at + 8]]
        elif chance < 0.3 and len(lines) > 250:
            del lines[at : at + 30]
        elif chance < 0.6:
            lines[at] = Line(self._statement(), None)
        else:
            lines[at:at] = [Line(text, None) for text in self._function()]
        if not lines:
            lines.append(Line(self._statement(), None))
        self._commit("Work of a person", {path})

    # -- code ----------------------------------------------------------------------------------------------------------

    def _function(self) -> list[str]:
        body = [self._statement() for _ in range(self.source.randint(2, 7))]
        for _ in range(self.source.randint(0, 2)):
            body.insert(self.source.randrange(len(body) + 1), self.source.choice(_USUAL))
        return [f"def {self._name()}({self.source.choice(_NAMES)}, {self.source.choice(_NAMES)}_id):", *body, ""]

    def _statement(self) -> str:
        left, right = self._name(), self._name()
        return f"    {left} = {right}({self.source.choice(_NAMES)}, {self.source.randrange(100)})"

    def _name(self) -> str:
        return f"{self.source.choice(_VERBS)}_{self.source.choice(_NAMES)}"

    def _now(self) -> int:
        return EPOCH + self.made * STEP

    def _commit(self, message: str, paths: set[str], gone: str = "") -> None:
        changes = [f"D {gone}"] if gone else []
        for path in sorted(paths):
            content = _text([line.text for line in self.files[path]]) + "\n"
            changes.append(f"M 100644 :{self.stream.blob(content.encode())} {path}")
        self.tip = [self.stream.commit("refs/heads/main", self._now(), f"{message}\n", self.tip, changes)]
        self.made += 1


def _text(lines: list[str]) -> str:
    return "\n".join(lines)


def main() -> None:
    """Make the past that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dest", type=Path)
    parser.add_argument("--commits", type=int, default=10_000)
    parser.add_argument("--sessions", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    repo = options.dest.resolve() / "repo"
    subprocess.run(["git", "init", "-q", "-b", "main", str(repo)], check=True)
    git = ["git", "-C", str(repo)]
    with subprocess.Popen([*git, "fast-import", "--quiet", "--done"], stdin=subprocess.PIPE) as importer:
        assert importer.stdin is not None
        past = Past(FastImport(importer.stdin), options, str(repo))
        past.write(options.dest / "home")
        importer.stdin.write(b"done\n")
    if importer.returncode:
        raise SystemExit("git fast-import failed")
    subprocess.run([*git, "gc", "-q"], check=True)
    subprocess.run([*git, "reset", "-q", "--hard"], check=True)
    truth = {path: [line.origin for line in lines] for path, lines in past.files.items()}
    (options.dest / "truth.json").write_text(json.dumps(truth), encoding="utf-8")


if __name__ == "__main__":
    main()
