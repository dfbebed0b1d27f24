"""A turn's own words, cut into sentences and clauses; every piece stands letter for letter in the turn's text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from .memory import remembered
from .patterns import find, opening, split

# Longer than this, a message is mostly a pasted document, and only its first paragraph is taken for the person's words.
LONGEST_OWN_WORDS: Final = 2_500
_LONGEST_SENTENCE: Final = 600
_LONGEST_TEXT: Final = 20_000
LONGEST_QUOTE: Final = 200

_FENCE: Final = r"^\s*(?:```|~~~)"
_QUOTED_LINE: Final = (
    r"^\s*(?:>|\||//|#\s|\$ |\+\s|at \S+\(|Traceback |diff --git|@@ |File \"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d)"
)
_CODE_LINE: Final = r"^(?: {4}|\t)\S|^\s*(?:def|class|import|from|return|func|const|let|var|#include)\b.*[(){}:=;]"
_CODE_ENDS: Final = (";", "{", "}")
# A line that ends in a colon and announces something written elsewhere.
_ANNOUNCES_A_PASTE: Final = (
    r"\b(?:guide(?:line)?s?|specs?|docs?|document|e-?mails?|mails?|slack|message|ticket|issue|error|logs?|output"
    r"|trace|readme|policy"
    r"|wrote|writes|says|said|sent|got this|review|comment|notes?|paste|transcript|quote)\b"
    r"|문서|가이드|메일|슬랙|티켓|이슈|에러|오류|로그|출력|댓글|리뷰|공지|규정"
    r"|文書|ドキュメント|資料|メール|チケット|エラー|ログ|出力|コメント|レビュー|規約"
)
_SENTENCE_END: Final = (
    r"(?<=[.!?])[\"')\]]?\s+|(?<=[。！？])|(?<=[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3][?!])(?=[^\s?!])|(?<=\.{3})\s"
)
_MARK: Final = r"[.!?。！？]"  # every sentence ends behind one
_ABBREVIATION: Final = r"\b(?:(?P<always>e\.g|i\.e|etc|vs|cf|approx)|no|fig)\.\Z"
_IN_QUOTES: Final = (
    r"\"[^\"\n]{16,400}\"|“[^”\n]{16,400}”|「[^」\n]{8,400}」|『[^』\n]{8,400}』"
    r"|(?<=[\s(])\"[^\"\n]*[\uac00-\ud7a3\u3040-\u30ff][^\"\n]{7,400}\""
)
_LONGEST_MARK: Final = 10
_CLAUSE_END: Final = r"[,;、，；]\s*(?=\D)|,\s+|(?<=[\w`)]):\s+|：\s*|\s+[-–—]+\s+"


class Clause(NamedTuple):
    """A part of a sentence without its lead-in words, the sentence that it stands in, and whether it begins it."""

    text: str
    sentence: str
    first: bool


def own_lines(text: str) -> list[str]:
    """The lines that the author wrote: no fenced code, no quotation, no log or code line, no pasted document.

    Of a long text only the first part.
    """
    lines: list[str] = []
    fence = ""
    size = 0
    every = text[:_LONGEST_TEXT].split("\n")
    for number, line in enumerate(every):
        mark = re.match(_FENCE, line)
        if mark:
            fence = "" if fence else mark.group().strip()
            continue
        if fence or _is_quoted_or_code(line):
            continue
        if size + len(line) > LONGEST_OWN_WORDS:
            break
        size += len(line)
        lines.append(line)
        announces = line.rstrip().endswith((":", "：")) and re.search(_ANNOUNCES_A_PASTE, line, re.IGNORECASE)
        if announces and any(rest.strip() for rest in every[number + 1 :]):
            break
    return lines


def _is_quoted_or_code(line: str) -> bool:
    return bool(re.match(_QUOTED_LINE, line) or re.match(_CODE_LINE, line)) or line.rstrip().endswith(_CODE_ENDS)


@remembered
def own_sentences(text: str) -> tuple[str, ...]:
    """The sentences of the author's own lines."""
    return tuple(sentence for line in own_lines(text) for sentence in _sentences(line))


def last_sentences(text: str) -> tuple[str, ...]:
    """The sentences at the end of a long text, where an agent that worked for a while says what it wants."""
    return own_sentences(text if len(text) <= LONGEST_OWN_WORDS else _from_a_line(text[-LONGEST_OWN_WORDS:]))


def _from_a_line(text: str) -> str:
    return text.split("\n", 1)[-1]


def last_lines(text: str) -> list[str]:
    """The author's own lines at the end of a long text."""
    return own_lines(text if len(text) <= LONGEST_OWN_WORDS else _from_a_line(text[-LONGEST_OWN_WORDS:]))


def is_numbered_list(text: str) -> bool:
    """Whether the text has several numbered points: answers to a list, not the label of an option."""
    return len(re.findall(r"^\s*\(?(?:\d{1,2}|[A-Fa-f])[.):]\s+\S", text, re.MULTILINE)) > 1


def _sentences(line: str) -> Iterator[str]:
    line = re.sub(r"^\s*(?:[-*•]\s+)", "", line)
    start = 0
    for end in _ends(line):
        if _ends_in_an_abbreviation(line, end.start()):
            continue
        yield from _bounded(line[start : end.start()])
        start = end.end()
    yield from _bounded(line[start:])


def _ends_in_an_abbreviation(line: str, end: int) -> bool:
    """Whether the full stop there belongs to a word ("e.g. this", "no. 4"; not "is that a no. Then ...")."""
    mark = re.compile(_ABBREVIATION, re.IGNORECASE).search(line, max(0, end - _LONGEST_MARK), end)
    return mark is not None and re.compile(r"\s" if mark["always"] else r"\s+\d").match(line, end) is not None


def _ends(line: str) -> Iterator[re.Match[str]]:
    """Where sentences end. An end is tried behind each mark, which is much faster than at each character."""
    end = 0
    for mark in re.finditer(_MARK, line):
        found = re.compile(_SENTENCE_END).match(line, mark.end()) if mark.end() >= end else None
        if found:
            yield found
            end = found.end()


def _bounded(piece: str) -> Iterator[str]:
    piece = piece.strip()
    if piece and len(piece) <= _LONGEST_SENTENCE:
        yield piece


@remembered
def clauses(sentence: str) -> list[Clause]:
    """The clauses of a sentence, without the words that lead in."""
    found: list[Clause] = []
    for piece in _pieces(sentence):
        bare = _without_lead_in(piece)
        if bare:
            found.append(Clause(bare, sentence, not found))
    return found


def is_quoted(clause: Clause, text: str) -> bool:
    """Whether the clause stands in quotation marks in the text, with words enough to be somebody's sentence."""
    bare = clause.text.strip('"“”「」『』 ')
    return any(bare in quoted for quoted in _in_quotes(text))


@lru_cache(maxsize=64)
def _in_quotes(text: str) -> tuple[str, ...]:
    return tuple(mark.group() for mark in re.finditer(_IN_QUOTES, text[:_LONGEST_TEXT]))


def is_hearsay(clause: Clause) -> bool:
    """Whether the clause reports somebody else's words, or follows one that does ("the reviewer wrote: ...")."""
    before = clause.sentence[: clause.sentence.find(clause.text)]
    return bool(find("hearsay", clause.text) or (before and find("hearsay", before)))


def _pieces(sentence: str) -> Iterator[str]:
    start = 0
    for mark in re.finditer(_CLAUSE_END, sentence):
        yield from split("break", sentence[start : mark.start()])
        start = mark.end()
    yield from split("break", sentence[start:])


def _without_lead_in(piece: str) -> str:
    bare = piece.strip(" \t.!。！…~")
    lead = opening("lead_in", bare)
    if lead and lead.end() < len(bare):
        bare = bare[lead.end() :]
    return bare.strip()


def shortened(text: str) -> str:
    """The text cut to the length of a quote, at a blank where there is one; still a part of it."""
    text = text.strip()
    if len(text) <= LONGEST_QUOTE:
        return text
    cut = text[:LONGEST_QUOTE]
    return (cut.rsplit(" ", 1)[0] if " " in cut[LONGEST_QUOTE // 2 :] else cut).rstrip()
