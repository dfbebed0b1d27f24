"""Make a repository with one long file that many commits wrote, some of them with a frame.

    python benchmarks/long_file.py DEST [--commits N]

Each commit adds three lines at a random place of ``long.py``; one in ten brings a frame.
"""

from __future__ import annotations

import argparse
import random
import subprocess
from pathlib import Path

from repositories import EPOCH, SESSIONS, FastImport, LiveSession, Words

LINES = 3
FRAME_EVERY = 10


def write(stream: FastImport, commits: int) -> None:
    """Write the commits."""
    source = random.Random(1)
    words = Words(source)
    lines: list[str] = []
    parents: list[int] = []
    for number in range(commits):
        at = source.randint(0, len(lines))
        lines[at:at] = words.code(LINES).splitlines()
        content = "".join(line + "\n" for line in lines).encode()
        changes = [f"M 100644 :{stream.blob(content)} long.py"]
        message, when = f"{words.latin(40)}\n", EPOCH + number * 900
        if number % FRAME_EVERY == 0:
            session = LiveSession(words, number, when)
            session.go_on(when, ["long.py"], 9_000)
            changes.append(f"M 100644 :{stream.blob(session.data())} {SESSIONS}/{session.name}")
            message += f"\nFrame: {session.frame['id']}\n"
        parents = [stream.commit("refs/heads/main", when, message, parents, changes)]


def main() -> None:
    """Make the repository that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dest", type=Path)
    parser.add_argument("--commits", type=int, default=1_500)
    options = parser.parse_args()
    subprocess.run(["git", "init", "-q", "-b", "main", str(options.dest)], check=True)
    git = ["git", "-C", str(options.dest), "fast-import", "--quiet", "--done"]
    with subprocess.Popen(git, stdin=subprocess.PIPE) as importer:
        assert importer.stdin is not None
        write(FastImport(importer.stdin), options.commits)
        importer.stdin.write(b"done\n")
    if importer.returncode:
        raise SystemExit("git fast-import failed")


if __name__ == "__main__":
    main()
