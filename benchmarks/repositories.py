#!/usr/bin/env python3
"""Make a large git repository whose commits carry frames; the same arguments give the same object ids.

    python benchmarks/repositories.py DEST [--commits N] [--rate R] [--layout archived|flat] [--size B] [--seed S]

What is in it: a tree of small source files, side branches with merges (about one commit in twelve), and on ``--rate``
of the ordinary commits a frame, named by a ``Frame: <id>`` trailer. One frame in four is of a session that goes on, so
its file grows in the next commits. With ``--layout archived`` the frames of a month move to
``.copilot/archive/YYYY-MM/`` once it is over, as ``frames archive`` does; ``flat`` leaves all in one folder. Sizes
follow a bounded Pareto law: many small frames, a few large ones.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import time
from itertools import accumulate
from pathlib import Path
from typing import IO, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from session_frames import frame_json, model

SESSIONS = ".copilot/sessions"
ARCHIVE = ".copilot/archive"
EPOCH = 1_600_000_000

_PARTS = [head + vowel + tail for head in "bcdfghklmnprstv" for vowel in "aeiou" for tail in ("", "n", "r", "s", "t")]
_SCRIPTS = [
    "프레임 세션 커밋 함수 오류 테스트 구현 설정 검색 색인 저장소 브랜치 병합 결정 이유 파일".split(),
    "設定を変更 関数の実装 検索 索引 エラー処理 テスト 保存する 性能改善 履歴".split(),
    "修改配置 实现函数 全文搜索 建立索引 错误处理 单元测试 提交记录 性能优化".split(),
]


class Words:
    """Text drawn from one random source: mostly made-up Latin words, by Zipf's law, at times another script."""

    def __init__(self, source: random.Random, vocabulary: int = 5_000) -> None:
        self.source = source
        self.words = ["".join(source.choices(_PARTS, k=source.randint(1, 3))) for _ in range(vocabulary)]
        self.weights = list(accumulate(1 / (rank + 2) for rank in range(vocabulary)))

    def latin(self, characters: int) -> str:
        """About so many characters in Latin script."""
        return " ".join(self.source.choices(self.words, cum_weights=self.weights, k=max(1, characters // 6)))

    def prose(self, characters: int) -> str:
        """About so many characters, one text in five in Korean, Japanese or Chinese."""
        if self.source.random() < 0.8:
            return self.latin(characters)
        return " ".join(self.source.choices(self.source.choice(_SCRIPTS), k=max(1, characters // 5)))

    def code(self, lines: int) -> str:
        """So many lines that look like Python."""
        drawn = self.source.choices(self.words, cum_weights=self.weights, k=3 * lines)
        return "".join(f"{drawn[at]} = {drawn[at + 1]}({drawn[at + 2]!r}, {at})\n" for at in range(0, 3 * lines, 3))


class LiveSession:
    """A session that is recorded commit by commit."""

    def __init__(self, words: Words, number: int, when: int) -> None:
        self.words = words
        session_id = f"session-{number:08d}"
        frame_id = model.frame_id("claude-code", session_id)
        topic = words.latin(14).replace(" ", "-")
        self.name = f"{time.strftime('%Y-%m-%d', time.gmtime(when))}_{topic}_{frame_id[:6]}.frame.json"
        self.frame: dict[str, Any] = {
            "frame": model.FORMAT_VERSION,
            "id": frame_id,
            "topic": topic,
            "status": "closed",
            "goal": words.prose(120),
            "session": {"agent": "claude-code", "session_id": session_id, "models": ["model-x"]},
            "boundary": {"started_at": _stamp(when)},
            "decisions": [],
            "open_questions": [],
            "files": [],
            "turns": [],
        }
        self.size = 0

    def go_on(self, when: int, paths: list[str], size: int) -> None:
        """About so many bytes more of conversation, about these files."""
        turns, source = self.frame["turns"], self.words.source
        upto = self.size + size
        while self.size < upto:
            number = len(turns) + 1
            body = self.words.prose(min(source.choice((120, 300, 900, 2_500)), max(40, upto - self.size)))
            turn: dict[str, Any] = {"id": f"{self.frame['id'][:8]}-{number}", "role": ("agent", "user")[number % 2]}
            turn |= {"at": _stamp(when - 3_600 + number), "text": body}
            if number % 2 == 0:
                turn["calls"] = [self._call(number, path) for path in paths]
            turns.append(turn)
            self.size += len(body.encode()) + 400
        turn_id = turns[-1]["id"]
        self._item("decisions", "accepted", turn_id)
        if source.random() < 0.3:
            self._item("open_questions", source.choice(("open", "deferred")), turn_id)
        known = {file["path"] for file in self.frame["files"]}
        self.frame["files"] += [
            {"path": path, "change": "modified", "turns": [turn_id]} for path in paths if path not in known
        ]
        self.frame["boundary"]["ended_at"] = _stamp(when)

    def _call(self, number: int, path: str) -> dict[str, Any]:
        digest = model.digest(f"{self.frame['id']} {number} {path}")
        return {
            "id": f"call-{number}",
            "tool": "Edit",
            "arguments": {"file_path": path},
            "outcome": "passed",
            "files": [{"path": path, "change": "modified"}],
            "wrote": {path: [digest[:24]]},
            "result": {"size": 40 + number, "digest": digest},
        }

    def _item(self, kind: str, status: str, turn: str) -> None:
        text = self.words.prose(60)
        item = {"id": model.item_id(kind, turn, text), "text": text, "status": status, "by": "agent"}
        self.frame[kind].append(item)

    def data(self) -> bytes:
        """The frame as it stands."""
        return frame_json.encode(self.frame)  # type: ignore[arg-type]


class FastImport:
    """Writes the stream that ``git fast-import`` reads."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self.pipe = pipe
        self.marks = 0

    def blob(self, content: bytes) -> int:
        """A blob; its mark."""
        self.marks += 1
        self.pipe.write(b"blob\nmark :%d\ndata %d\n%b\n" % (self.marks, len(content), content))
        return self.marks

    def commit(self, ref: str, when: int, message: str, parents: list[int], changes: list[str]) -> int:
        """A commit; its mark."""
        self.marks += 1
        lines = [f"commit {ref}", f"mark :{self.marks}"]
        lines += [f"{role} Dev <dev@example.org> {when} +0000" for role in ("author", "committer")]
        text = message.encode()
        self.pipe.write("\n".join([*lines, f"data {len(text)}\n"]).encode() + text)
        links = [f"{'merge' if number else 'from'} :{parent}" for number, parent in enumerate(parents)]
        self.pipe.write("".join(f"{line}\n" for line in ["", *links, *changes, ""]).encode())
        return self.marks


class History:
    """Commits one after the other, until there are enough."""

    def __init__(self, stream: FastImport, options: argparse.Namespace) -> None:
        self.stream = stream
        self.options = options
        self.source = random.Random(options.seed)
        self.words = Words(self.source)
        self.when = EPOCH
        self.made = self.frames = 0
        self.paths = [f"src/part{folder:02d}/module{file:02d}.py" for folder in range(24) for file in range(10)]
        self.running: LiveSession | None = None
        self.closed: dict[str, int] = {}  # name -> mark of its last content
        self.tip = 0

    def write(self) -> None:
        """Write it all."""
        first = [f"M 100644 :{self.stream.blob(self.words.code(40).encode())} {path}" for path in self.paths]
        self.tip = self._commit("refs/heads/main", "Initial import\n", [], first)
        while self.made < self.options.commits:
            if self.source.random() < 0.09:
                self._side_branch()
            else:
                self.tip, _ = self._ordinary("refs/heads/main", self.tip)

    def _side_branch(self) -> None:
        tip, changes = self.tip, list[str]()
        for _ in range(self.source.randint(1, 6)):
            tip, changed = self._ordinary("refs/heads/topic", tip)
            changes += changed
        self.tip, _ = self._ordinary("refs/heads/main", self.tip, with_frame=False)
        self.tip = self._commit("refs/heads/main", "Merge branch 'topic'\n", [self.tip, tip], changes)
        self.running = None
        self._archive_last_month()

    def _ordinary(self, ref: str, parent: int, with_frame: bool = True) -> tuple[int, list[str]]:
        paths = self.source.sample(self.paths, self.source.randint(1, 2))
        changes = [f"M 100644 :{self.stream.blob(self.words.code(30).encode())} {path}" for path in paths]
        message = f"{self.words.latin(50)}\n\n{self.words.latin(self.source.randrange(6, 200))}\n"
        if with_frame and self.source.random() < self.options.rate:
            session = self._session()
            session.go_on(self.when, paths, self._size())
            mark = self.stream.blob(session.data())
            self.closed[session.name] = mark
            changes.append(f"M 100644 :{mark} {SESSIONS}/{session.name}")
            message += f"\nFrame: {session.frame['id']}\n"
        return self._commit(ref, message, [parent], changes), changes

    def _session(self) -> LiveSession:
        if self.running is None or self.source.random() < 0.75:
            self.frames += 1
            self.running = LiveSession(self.words, self.frames, self.when)
        return self.running

    def _size(self) -> int:
        low, high = self.options.size // 4, self.options.size * 25
        return int(low / (1 - self.source.random() * (1 - low / high)))

    def _archive_last_month(self) -> None:
        month = time.strftime("%Y-%m", time.gmtime(self.when))
        done = {name: mark for name, mark in self.closed.items() if name[:7] < month}
        if self.options.layout == "flat" or not done:
            return
        changes = []
        for name, mark in done.items():
            changes += [f"D {SESSIONS}/{name}", f"M 100644 :{mark} {ARCHIVE}/{name[:7]}/{name}"]
            del self.closed[name]
        self.tip = self._commit("refs/heads/main", "Archive the frames of last month\n", [self.tip], changes)

    def _commit(self, ref: str, message: str, parents: list[int], changes: list[str]) -> int:
        self.when += self.source.randrange(30, 1_800)
        self.made += 1
        return self.stream.commit(ref, self.when, message, parents, changes)


def make_repository(destination: Path, options: argparse.Namespace) -> History:
    """Make the repository, packed and with a commit-graph; nothing is checked out."""
    subprocess.run(["git", "init", "-q", "-b", "main", str(destination)], check=True)
    git = ["git", "-C", str(destination)]
    with subprocess.Popen([*git, "fast-import", "--quiet", "--done"], stdin=subprocess.PIPE) as importer:
        assert importer.stdin is not None
        history = History(FastImport(importer.stdin), options)
        history.write()
        importer.stdin.write(b"done\n")
    if importer.returncode:
        raise SystemExit("git fast-import failed")
    subprocess.run([*git, "gc", "-q"], check=True)
    subprocess.run([*git, "commit-graph", "write", "--reachable"], check=True, stderr=subprocess.DEVNULL)
    return history


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """The options, checked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dest", type=Path)
    parser.add_argument("--commits", type=int, default=10_000)
    parser.add_argument("--rate", type=float, default=0.1, help="ordinary commits with a frame")
    parser.add_argument("--layout", choices=["archived", "flat"], default="archived")
    parser.add_argument("--size", type=int, default=9_000, help="about what a frame has in bytes after one commit")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args(arguments)


def _stamp(when: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(when))


def main() -> None:
    """Make the repository that the command line asks for."""
    options = parse()
    start = time.perf_counter()
    history = make_repository(options.dest, options)
    print(f"{history.made} commits, {history.frames} frames, {time.perf_counter() - start:.1f} s -> {options.dest}")


if __name__ == "__main__":
    main()
