"""Precision and recall of the extraction on the annotated sessions, by field and language.

    python benchmarks/extraction.py [--show] [--write]

``--write`` puts the table into ``docs/extraction.md``; ``--show`` lists what was wrong and what was missed.

An item is right when it stands at the annotated turn, names the thing and has the annotated status. Not counted against
it: what the annotations do not list exhaustively (small choices and proposals of the agent, a refusal of something
nobody wanted, questions answered at once). ``state`` is the share of the decisions found that have the annotated
status; a file is right when its net change is the annotated one.
"""

from __future__ import annotations

import json
import posixpath
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
import test_sessions as own

from session_frames.operations.assemble import assemble
from session_frames.operations.dead_ends import repeated_lookups
from session_frames.operations.extract import extract, quote_stands, withdrawn_turns
from session_frames.operations.touched_files import files_of
from session_frames.transcripts import claude_code, codex

ANNOTATED = Path(__file__).resolve().parents[2] / "shared" / "corpus" / "annotated"
READERS = {"claude-code": claude_code.read, "codex": codex.read}
FIELDS = ("decisions", "constraints", "open_questions", "next_steps", "verification", "unverified")
LANGUAGES = ("en", "ko", "ja", "all")
PAGE = Path(__file__).resolve().parents[1] / "docs" / "extraction.md"
MARK = "<!-- written by benchmarks/extraction.py -->"
# The least precision and recall that each row is meant to reach.
GOALS = {
    "decisions": (0.90, 0.75),
    "state": (0.90, 0.0),
    "constraints": (0.85, 0.75),
    "open_questions": (0.85, 0.75),
    "verification": (0.95, 0.95),
    "files": (1.0, 1.0),
    "withdrawn_turns": (0.90, 0.90),
    "repeated_lookups": (0.90, 0.90),
}

Item = Mapping[str, Any]


class Score:
    """Right, wrong and found-of-expected counts of one field."""

    def __init__(self) -> None:
        self.right = self.wrong = self.found = self.expected = 0

    def shares(self) -> tuple[float | None, float | None]:
        """Precision and recall, None where there is nothing to divide by."""
        taken = self.right + self.wrong
        return self.right / taken if taken else None, self.found / self.expected if self.expected else None

    def cells(self) -> tuple[str, str]:
        """Both as they are shown."""
        precision, recall = self.shares()
        return (
            f"{precision:.2f} ({self.right}/{self.right + self.wrong})" if precision is not None else "–",
            f"{recall:.2f} ({self.found}/{self.expected})" if recall is not None else "–",
        )

    def reaches(self, goal: tuple[float, float]) -> bool:
        """Whether both shares are at least those of the goal."""
        return all(share is None or share >= least for share, least in zip(self.shares(), goal, strict=True))


class Session:
    """An annotated session beside what was extracted from it."""

    def __init__(self, expected: Mapping[str, Any], transcript: Path) -> None:
        self.expected = expected
        with transcript.open("rb") as source:
            assembled = assemble(READERS[expected["format"]](source), locate=below_its_folder)
        self.turns = assembled.turns
        self.extracted: dict[str, Any] = {
            **extract(self.turns, verification=assembled.verification),
            "verification": assembled.verification,
        }
        self.numbers = {turn["id"]: number for number, turn in enumerate(self.turns, 1)}

    def places(self, item: Item) -> list[int]:
        """The numbers of the turns in which the item's evidence stands."""
        evidence = item.get("evidence") or [item]
        return [self.numbers.get(one.get("turn", ""), 0) for one in evidence]

    def topic_accepted(self) -> bool:
        """Whether the topic says one of the labels of the main topic, or the other way round."""
        topic = plain(self.extracted["topic"])
        labels = [plain(label) for label in self.expected["topics"][0]]
        return any(
            all(word in topic for word in label.split()) or all(word in label for word in topic.split())
            for label in labels
        )


def below_its_folder(path: str, folder: str) -> str | None:
    """The path from the folder in which the session ran, None where it lies elsewhere."""
    placed = posixpath.normpath(posixpath.join(folder, path))
    return posixpath.relpath(placed, folder or ".") if placed.startswith(folder) else None


def plain(text: str) -> str:
    return " ".join(text.lower().replace("-", " ").replace("_", " ").split())


def words_of(item: Item) -> str:
    return " ".join([item["text"], *(one["quote"] for one in item.get("evidence", ()))]).lower()


def names(item: Item, wanted: Item) -> bool:
    """Whether the item's words name the annotated thing."""
    text = words_of(item)
    return any(all(word.lower() in text for word in words) for words in wanted["must_contain_any"])


def overlaps(one: str, other: str) -> bool:
    one, other = one.strip(" .?。？"), other.strip(" .?。？")
    return one in other or other in one


def pairs(session: Session, field: str, item: Item, wanted: Item) -> bool:
    """Whether the item is about the annotated one: at its turn, with its words."""
    places = session.places(item)
    if field in ("decisions", "constraints", "next_steps"):
        turns = wanted["evidence_turns"]
        return bool({places[0]} & set(turns) or set(places) & set(turns[:1])) and names(item, wanted)
    if field == "open_questions":
        quotes = [item["text"], *(one["quote"] for one in item["evidence"])]
        return wanted["turn"] in places and any(overlaps(quote, wanted["quote"]) for quote in quotes)
    if field == "verification":
        return wanted["turn"] in places and wanted["command"] == item["command"]
    return wanted["turn"] in places and overlaps(item["text"], wanted["quote"])


def status_is_right(session: Session, field: str, item: Item, wanted: Item) -> bool:
    if field == "unverified":
        return True
    if field == "verification":
        return item["outcome"] in (wanted["outcome"], *(wanted.get("outcome_or") or ()))
    if item["status"] == wanted["status"]:
        return True
    # "no X: accepted" says the same as "X: rejected", when it is said in the words of the refusal
    refusal = session.turns[wanted["evidence_turns"][0] - 1].get("text", "") if "also_right" in wanted else ""
    return item["status"] == "accepted" and item["text"].split(" — ")[0] in refusal


def unlisted_is_wrong(session: Session, field: str, item: Item) -> bool:
    """Whether an item that is not annotated counts as an error."""
    if field == "open_questions":
        return bool(item["status"] != "answered")
    if field == "decisions" and item["status"] in ("rejected", "proposed"):
        return False
    if item.get("by") == "agent":
        return any(overlaps(one["quote"], item["text"]) for one in session.expected["not_decisions"])
    return True


def wanted_of(session: Session, field: str) -> list[Item]:
    key = {"unverified": "claimed_not_run"}.get(field, field)
    return list(session.expected[key])


def compare(session: Session, field: str, score: Score, notes: list[str]) -> None:
    wanted = wanted_of(session, field)
    score.expected += len(wanted)
    found: set[int] = set()
    for item in session.extracted[field]:
        candidates = [number for number, one in enumerate(wanted) if pairs(session, field, item, one)]
        right = [one for one in candidates if status_is_right(session, field, item, wanted[one])]
        found |= set(right)
        if right:
            score.right += 1
        elif candidates or unlisted_is_wrong(session, field, item):
            score.wrong += 1
            notes.append(f"wrong  {field}: {shown(session, item)}")
        else:
            notes.append(f"extra  {field}: {shown(session, item)}")
    score.found += len(found)
    missed = (one for number, one in enumerate(wanted) if number not in found)
    notes += [f"missed {field}: {one.get('text') or one.get('command') or one.get('quote')}" for one in missed]


def shown(session: Session, item: Item) -> str:
    status = item.get("status") or item.get("outcome") or ""
    text = item.get("text") or item["command"]
    return f"{session.places(item)} {status} {item.get('by', '')}: {text}"


def not_said_by_user(session: Session) -> Iterator[str]:
    """Items of the user that the user did not say."""
    roles = {turn["id"]: turn["role"] for turn in session.turns}
    invented = [(one["turn"], one["quote"]) for one in session.expected["not_decisions"]]
    for field in ("decisions", "constraints", "open_questions", "next_steps"):
        for item in session.extracted[field]:
            first = item["evidence"][0]
            stands = all(quote_stands(session.turns, one) for one in item["evidence"])
            spoken = item["by"] != "user" or roles[first["turn"]] == "user"
            taken = item["status"] == "accepted" and any(
                turn in session.places(item)[:1] and overlaps(quote, first["quote"]) for turn, quote in invented
            )
            if not stands or not spoken or taken:
                yield shown(session, item)


def overruled_as_accepted(session: Session) -> Iterator[str]:
    """Items listed as accepted that were taken back, or put off, by the end of the session."""
    for field in ("decisions", "constraints"):
        wanted = [*session.expected["decisions"], *session.expected["constraints"]]
        for item in session.extracted[field]:
            about = [one for one in wanted if item["status"] == "accepted" and pairs(session, field, item, one)]
            if any(one["status"] == "overruled" for one in about) and all(
                not status_is_right(session, field, item, one) for one in about
            ):
                yield shown(session, item)


def sessions(folder: Path) -> Iterator[Session]:
    for path in sorted(folder.glob("*.expected.json")):
        expected = json.loads(path.read_text(encoding="utf-8"))
        yield Session(expected, path.with_name(path.name.replace(".expected.json", ".jsonl")))


class Figures:
    """All that was counted over the sessions."""

    def __init__(self) -> None:
        self.scores: dict[tuple[str, str], Score] = defaultdict(Score)
        self.invented: list[str] = []
        self.overruled: list[str] = []
        self.topics: list[bool] = []

    def take(self, session: Session) -> list[str]:
        """Count a session; what was wrong, missed or beside the annotations."""
        notes: list[str] = []
        for group in (session.expected["language"], "all"):
            told = notes if group == "all" else []
            for field in FIELDS:
                compare(session, field, self.scores[field, group], told)
            compare_states(session, self.scores["state", group], told)
            compare_files(session, self.scores["files", group], told)
            compare_lookups(session, self.scores["repeated_lookups", group], told)
            compare_withdrawn(session, self.scores["withdrawn_turns", group], told)
        self.topics.append(session.topic_accepted())
        self.invented += not_said_by_user(session)
        self.overruled += overruled_as_accepted(session)
        return notes

    def rows(self) -> Iterator[tuple[str, ...]]:
        """One row a field and language; the last cell says what came of the goal."""
        for field in ("decisions", "state", *FIELDS[1:], "files", "withdrawn_turns", "repeated_lookups"):
            for language in LANGUAGES:
                score = self.scores[field, language]
                goal = GOALS.get(field) if language == "all" else None
                reached = ("met" if score.reaches(goal) else "not met") if goal else ""
                wanted = " / ".join(f"{share:.2f}" for share in goal if share) if goal else ""
                yield (field.replace("_", " "), language, *score.cells(), wanted, reached)

    def zero_marks(self) -> tuple[str, ...]:
        """What must never happen, and the topics."""
        return (
            f"topics accepted: {sum(self.topics)} of {len(self.topics)}",
            f"items of the user that the user did not say: {len(self.invented)}",
            f"overruled items listed as accepted: {len(self.overruled)}",
        )


def compare_states(session: Session, score: Score, notes: list[str]) -> None:
    """Of the decisions found: how many have the status that is annotated."""
    for item in session.extracted["decisions"]:
        wanted = [one for one in session.expected["decisions"] if pairs(session, "decisions", item, one)]
        if any(status_is_right(session, "decisions", item, one) for one in wanted):
            score.right += 1
        elif wanted:
            score.wrong += 1
            notes.append(f"state  decisions: {shown(session, item)}, not {wanted[0]['status']}")


def compare_files(session: Session, score: Score, notes: list[str]) -> None:
    """The net change of each file; one that was made and removed, or put back by git, must not be listed."""
    kinds = ("modified", "added", "deleted", "renamed", "read")
    wanted = {(kind, path) for kind in kinds for path in session.expected["files"].get(kind, ())}
    found = {(file["change"], file["path"]) for file in files_of(session.turns)}
    score.right += len(found & wanted)
    score.wrong += len(found - wanted)
    score.found += len(found & wanted)
    score.expected += len(wanted)
    notes += [f"wrong  files: {kind} {path}" for kind, path in sorted(found - wanted)]
    notes += [f"missed files: {kind} {path}" for kind, path in sorted(wanted - found)]


def compare_lookups(session: Session, score: Score, notes: list[str]) -> None:
    """The same read or search made in several turns."""
    wanted = {(one["what"], *one["turns"]) for one in session.expected["repeated_lookups"]}
    looked = repeated_lookups({"turns": session.turns})  # type: ignore[typeddict-item]
    found = {(one["what"], *(session.numbers[turn] for turn in one["turns"])) for one in looked}
    score.right += len(found & wanted)
    score.wrong += len(found - wanted)
    score.found += len(found & wanted)
    score.expected += len(wanted)
    notes += [f"wrong  look-up: {one}" for one in sorted(found - wanted)]
    notes += [f"missed look-up: {one}" for one in sorted(wanted - found)]


def compare_withdrawn(session: Session, score: Score, notes: list[str]) -> None:
    """The turns that were taken back; those taken back in part are right either way."""
    wanted, either = set(session.expected["withdrawn_turns"]), set(session.expected["withdrawn_partly"])
    found = {session.numbers[turn] for turn in withdrawn_turns({"turns": session.turns})} - either  # type: ignore[typeddict-item]
    score.right += len(found & wanted)
    score.wrong += len(found - wanted)
    score.found += len(found & wanted)
    score.expected += len(wanted)
    notes += [f"wrong  withdrawn turn: {number}" for number in sorted(found - wanted)]
    notes += [f"missed withdrawn turn: {number}" for number in sorted(wanted - found)]


def page(figures: Figures) -> str:
    """The page of the figures."""
    head = ("field", "language", "precision", "recall", "goal", "")
    table = "\n".join(f"| {' | '.join(row)} |" for row in (head, ("---",) * len(head), *figures.rows()))
    marks = "\n".join(f"- {mark}" for mark in figures.zero_marks())
    own = "\n".join(f"| {' | '.join(row)} |" for row in own_rows())
    return PAGE_TEXT.format(mark=MARK, table=table, marks=marks, sessions=len(figures.topics), own=own)


def own_rows() -> Iterator[tuple[str, str, str, str]]:
    """What is found of the short sessions: which half, language, found of what is named, wrongly settled."""
    for half, folder in (("rules written with them", own.FOLDER), ("held out", own.FOLDER / "held_out")):
        for language in own.LANGUAGES:
            read = [own.read(path) for path in sorted((folder / language).glob("*.txt"))]
            named = sum(len(one.finds) + len(one.withdrawn) for one in read)
            missed = sum(len(own.missing(one)) for one in read)
            wrong = sum(len(own.wrongly_settled(one)) for one in read)
            yield f"{len(read)} {half}", language, f"{named - missed} of {named}", str(wrong)


PAGE_TEXT = """# Extraction, measured

{mark}

What is read from a session without a model, compared with the annotations of {sessions} invented coding sessions in
English, Korean and Japanese that were made hard to summarise. The rules were written with these sessions at hand, so
expect less of others. An item is right when it stands at the right turn, names the thing and has the right status.
`state` is the share of the decisions found whose status is right; `files` are net changes over the session.
`withdrawn turns` are those that the user told the agent to ignore, forget or drop.
`repeated lookups` are the same file read, or the same search made, in several turns.

{table}

{marks}

## Shorter sessions

Short talks by situation stand in `tests/sessions`, about half of them under `held_out`. Their annotations name what
matters most in each, and most of them are hard for their size: what is found, and what is told as settled and was not.

| sessions | language | found | wrongly settled |
| --- | --- | --- | --- |
{own}

The rules were written with the first half at hand. Of the half held out, the 54 newest were scored once before any rule
was changed: 7 of 18 things in English, 6 of 13 in Korean and 9 of 16 in Japanese were found, and five things were told
as settled that were not (words in quotation marks, a slip corrected in the same breath, choices silently replaced).
Those five were mended by rules; what else was missed there had no part in them. Expect figures like these first ones of
short talks that nobody has seen.

Three long sessions (`long-*` under `held_out`, one a language, some 55 turns each) were written after the rules and
scored once, and no rule was changed for them. Of the decisions and constraints named in them, 10 of 25 in English, 14
of 23 in Korean and 11 of 24 in Japanese stood with the words and the status expected; an item in other words than
those expected counts as missed there. Nothing quoted, supposed or invented by the agent was told as settled, but three
things that a later message replaces without naming them were (two choices and a rule). Before answers were read by
their shape, six such sessions (`long-*` among the others, from which what is still missed was left out) gave 57 of 165;
with it they gave 127. Expect about half of what is said in a long session that nobody has seen.
"""


def main(arguments: Sequence[str]) -> int:
    if not ANNOTATED.is_dir():
        print("the annotated sessions are not here; nothing to score, nothing written")
        return 0
    figures = Figures()
    for session in sessions(ANNOTATED):
        notes = figures.take(session)
        goal = session.extracted["goal"].lower()
        has_goal = all(word.lower() in goal for word in session.expected["goal_contains"])
        topic = f"topic {session.extracted['topic']!r} {'ok' if figures.topics[-1] else 'NOT ACCEPTED'}"
        print(f"{session.expected['name']}: {topic}, goal {'ok' if has_goal else 'INCOMPLETE'}")
        if "--show" in arguments:
            print("\n".join(f"    {note}" for note in notes))
    print()
    for field, language, precision, recall, goal, reached in figures.rows():
        print(f"{field:<18}{language:<6}{precision:<16}{recall:<16}{goal:<14}{reached}".rstrip())
    print("", *figures.zero_marks(), *figures.invented, *figures.overruled, sep="\n")
    if "--write" in arguments:
        PAGE.write_text(page(figures), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
