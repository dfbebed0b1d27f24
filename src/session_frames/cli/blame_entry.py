"""``frames blame`` of a whole file, around the command line: what takes long to load is loaded where it is needed.

Nothing heavy is imported here. On a terminal, and for every other option, the command line does the work.
"""

from __future__ import annotations

import os
import sys

from session_frames.storage.quick_blame import Asked, keep, recall, state_of
from session_frames.storage.quick_look import Look, look

TYPE_CHECKING = False  # the module of that name takes longer to load than all the rest
if TYPE_CHECKING:
    from collections.abc import Iterator

    from session_frames.workspace.blame import BlamedLine

_MOST_NAMES = 2  # a revision and a file
_WIDEST_AUTHOR = 20
_FORCED = ("FORCE_COLOR", "CLICOLOR_FORCE")


def blame(args: list[str]) -> int | None:
    """Print the blame that ``args`` ask for. None, when nothing was printed, leaves them to the command line.

    Whatever fails is left to it as well: it tries again, and tells what fails.
    """
    names = [arg for arg in args if arg != "--json"]
    if not 0 < len(names) <= _MOST_NAMES or any(name.startswith("-") for name in names) or _is_for_a_person():
        return None
    try:
        answer = _answer(names[-1], "".join(names[:-1]), "json" if "--json" in args else "text")
    except Exception:
        return None
    if answer is None:
        return None
    sys.stdout.buffer.write(answer)
    sys.stdout.flush()
    return 0


def _is_for_a_person() -> bool:
    return sys.stdout.isatty() or any(os.environ.get(name) for name in _FORCED)


def _answer(file: str, revision: str, form: str) -> bytes | None:
    environ = dict(os.environ)
    asked = Asked(file, revision, form, environ)
    seen = look(environ)
    said = asked.said()
    if said is None or seen is None or not seen.plain:
        return None
    return recall(seen, asked, said) or _made(seen, asked, said, (file, revision, form))


def _made(seen: Look, asked: Asked, said: bytes, question: tuple[str, str, str]) -> bytes | None:
    from session_frames.workspace.blame import blame
    from session_frames.workspace.core import Workspace

    file, revision, form = question
    state = state_of(seen)
    ws = Workspace(os.getcwd(), os.environ, _no_clock, seen)
    if ws.repo.config("color.ui") == "always":
        return None
    lines = list(blame(ws, file, revision, said=said))
    ws.index.close()
    answer = _FORMS[form](lines)
    keep(seen, asked, said, state, answer)
    return answer


def _no_clock() -> str:
    raise AssertionError("blame does not ask what time it is")


# ---------------------------------------------------------------------------------------------------------------------
# How it is written


def blame_lines(lines: list[BlamedLine]) -> Iterator[tuple[str, str]]:
    """Each line as people read it: the short id of its commit, and all that follows."""
    from session_frames.operations.fence import line_shown

    where = [f"{line['frame'][:6]} {line['call'] or '-'}" if line["frame"] else "-" for line in lines]
    width = max(map(len, where), default=0)
    names = {line["author"]: line_shown(line["author"]) for line in lines}
    columns = min(_WIDEST_AUTHOR, max(map(_width, names.values()), default=0))
    authors = {author: _in_columns(name, columns) for author, name in names.items()}
    number_width = len(str(lines[-1]["line"])) if lines else 0
    for line, place in zip(lines, where, strict=True):
        who = f"{authors[line['author']]} {line['date'][:10]} {line['line']:>{number_width}}"
        yield line["commit"][:8], f" {place:<{width}} ({who}) {line['text']}"


def _width(text: str) -> int:
    """How many columns of a terminal the text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _in_columns(text: str, columns: int) -> str:
    if text.isascii():
        return text[:columns].ljust(columns)
    from rich.cells import set_cell_size

    return set_cell_size(text, columns)


def _text(lines: list[BlamedLine]) -> bytes:
    from session_frames.cli.output import text_bytes

    return b"".join(text_bytes(f"{commit}{rest}\n") for commit, rest in blame_lines(lines))


def _json(lines: list[BlamedLine]) -> bytes:
    from session_frames.cli.output import json_bytes

    return b"".join(map(json_bytes, lines))


_FORMS = {"text": _text, "json": _json}
