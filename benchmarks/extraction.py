"""Precision and recall of the extraction on the annotated sessions, by field and language.

    python benchmarks/extraction.py [--show]

``--show`` lists what was wrong and what was missed. An item is right when it stands at the annotated turn, names the
thing and has the annotated status. Not counted against it: what the annotations do not list exhaustively (small
choices and proposals of the agent, a refusal of something nobody wanted, questions answered at once).
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from session_frames.operations.assemble import assemble
from session_frames.operations.extract import extract, quote_stands
from session_frames.transcripts import claude_code, codex

ANNOTATED = Path(__file__).resolve().parents[2] / "shared" / "corpus" / "annotated"
READERS = {"claude-code": claude_code.read, "codex": codex.read}
FIELDS = ("decisions", "constraints", "open_questions", "next_steps", "verification", "unverified")

Item = Mapping[str, Any]


class Score:
    """Right, wrong and found-of-expected counts of one field."""

    def __init__(self) -> None:
        self.right = self.wrong = self.found = self.expected = 0

    def row(self) -> str:
        taken = self.right + self.wrong
        precision = f"{self.right / taken:.2f}" if taken else "   -"
        recall = f"{self.found / self.expected:.2f}" if self.expected else "   -"
        return f"{precision} ({self.right}/{taken})".ljust(16) + f"{recall} ({self.found}/{self.expected})"


class Session:
    """An annotated session beside what was extracted from it."""

    def __init__(self, expected: Mapping[str, Any], transcript: Path) -> None:
        self.expected = expected
        with transcript.open("rb") as source:
            assembled = assemble(READERS[expected["format"]](source))
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


def main(arguments: Sequence[str]) -> int:
    if not ANNOTATED.is_dir():
        print("the annotated sessions are not here; nothing to score")
        return 0
    scores: dict[tuple[str, str], Score] = defaultdict(Score)
    invented: list[str] = []
    overruled: list[str] = []
    topics: list[bool] = []
    for session in sessions(ANNOTATED):
        name, language = session.expected["name"], session.expected["language"]
        accepted = session.topic_accepted()
        goal = session.extracted["goal"].lower()
        has_goal = all(word.lower() in goal for word in session.expected["goal_contains"])
        topics.append(accepted)
        print(f"{name}: topic {session.extracted['topic']!r} {'ok' if accepted else 'NOT ACCEPTED'}, "
              f"goal {'ok' if has_goal else 'INCOMPLETE'}")  # fmt: skip
        notes: list[str] = []
        for field in FIELDS:
            for group in (language, "all"):
                compare(session, field, scores[field, group], notes if group == "all" else [])
        invented += not_said_by_user(session)
        overruled += overruled_as_accepted(session)
        if "--show" in arguments:
            print("\n".join(f"    {note}" for note in notes))
    print(f"\n{'field':<16}{'language':<10}{'precision':<16}recall")
    for field in FIELDS:
        for language in ("en", "ko", "ja", "all"):
            print(f"{field:<16}{language:<10}{scores[field, language].row()}")
    print(f"\ntopics accepted: {sum(topics)} of {len(topics)}")
    print(f"items of the user that the user did not say: {len(invented)}", *invented, sep="\n    ")
    print(f"overruled items listed as accepted: {len(overruled)}", *overruled, sep="\n    ")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
