"""An assembled transcript and where it happened -> a frame."""

from __future__ import annotations

from typing import Any, cast

from session_frames.model import (
    FORMAT_VERSION,
    Boundary,
    Frame,
    Git,
    Redaction,
    Session,
    Status,
    digest,
    frame_id,
    item_id,
)
from session_frames.operations.assemble import Assembled
from session_frames.operations.drafts import time_of
from session_frames.operations.extract import extract
from session_frames.operations.redact import Policy, redact_keys, redact_value
from session_frames.operations.slim import slim
from session_frames.operations.touched_files import files_of


def session_key(assembled: Assembled) -> str:
    """The agent's session id; where a format has none, a digest of how the session began, which growth keeps."""
    own = assembled.fact("session_id")
    if own or not assembled.turns:
        return own
    first = assembled.turns[0]
    return "began:" + digest(first.get("at", "") + "\n" + first.get("text", ""), 24)


def compose(assembled: Assembled, agent: str, policy: Policy, *, topic: str = "", status: Status = "closed") -> Frame:
    """The frame of one session. A topic given by the person wins over the one found in the first prompt."""
    session_id = session_key(assembled)
    turns = assembled.turns
    found = extract(turns, title=assembled.fact("title"), topic=topic, verification=assembled.verification)
    frame: dict[str, Any] = {
        "frame": FORMAT_VERSION,
        "id": frame_id(agent, session_id),
        "topic": found["topic"],
        "title": found["title"],
        "status": status,
        "goal": found["goal"],
        "session": _session(assembled, agent, redact_keys(session_id, policy)[0]),
        "boundary": _boundary(assembled),
        "git": _git(assembled),
        "decisions": found["decisions"],
        "constraints": found["constraints"],
        "open_questions": found["open_questions"],
        "next_steps": found["next_steps"],
        "verification": assembled.verification,
        "unverified": found["unverified"],
        "files": files_of(turns),
        "turns": turns,
        "threads": assembled.threads,
        "compactions": assembled.compactions,
        "redactions": assembled.redactions,
        "elided": assembled.elided,
        "skipped_records": assembled.skipped_records,
    }
    return slim(redact_frame(cast(Frame, {key: value for key, value in frame.items() if value}), policy))


def _session(assembled: Assembled, agent: str, session_id: str) -> Session:
    session = Session(agent=agent, session_id=session_id)
    if assembled.fact("agent_version"):
        session["agent_version"] = assembled.fact("agent_version")
    models = list(dict.fromkeys(assembled.meta.get("model", [])))
    if models:
        session["models"] = models
    if assembled.fact("parent"):
        session["parent"] = assembled.fact("parent")
    return session


def _boundary(assembled: Assembled) -> Boundary:
    boundary = Boundary(start="session", end="session")
    times = [turn["at"] for turn in assembled.turns if turn.get("at")]
    started = time_of(assembled.fact("started")) or (times[0] if times else "")
    if started:
        boundary["started_at"] = started
    if times:
        boundary["ended_at"] = max(times)
    if assembled.turns:
        boundary["first"], boundary["last"] = assembled.turns[0]["id"], assembled.turns[-1]["id"]
    return boundary


def _git(assembled: Assembled) -> Git:
    git = Git()
    branches = [branch for branch in assembled.meta.get("branch", []) if branch != "HEAD"]
    if branches:
        git["branch"] = branches[-1]
    if assembled.fact("base"):
        git["base"] = assembled.fact("base")
    return git


# ---------------------------------------------------------------------------------------------------------------------
# Redaction of what is already a frame

# Ids, hashes, paths of git and enumerations: never altered, no secret's place.
_SPARED = frozenset(
    "frame id status session_id agent models parent started_at ended_at first last start end base head by turn turns "
    "change outcome at digest size kind tree files commit from_turn compacted role origin thread wrote after rule "
    "lines count chars tokens tokens_before tokens_after supersedes redactions skipped_records".split()
)


def redact_frame(frame: Frame, policy: Policy, *, turns_too: bool = False) -> Frame:
    """The frame without secrets in its texts, each counted in ``redactions``.

    Turns are passed over unless ``turns_too``: those of a transcript are redacted while they are assembled.
    """
    hits: dict[tuple[str, str], int] = {}

    def record(rule: str, where: str, count: int) -> None:
        hits[rule, where] = hits.get((rule, where), 0) + count

    redacted: dict[str, Any] = {
        key: value if key in _SPARED else _redacted(value, policy, key, record) for key, value in frame.items()
    }
    if turns_too and "turns" in frame:
        redacted["turns"] = [_redacted(turn, policy, f"turns/{turn['id']}", record) for turn in frame["turns"]]
    if hits:
        told = [
            Redaction(id=item_id("redaction", where, rule), rule=rule, where=where, count=count)
            for (rule, where), count in hits.items()
        ]
        known = {redaction["id"] for redaction in told}
        redacted["redactions"] = [r for r in frame.get("redactions", []) if r["id"] not in known] + told
    return cast(Frame, redacted)


def _redacted(value: Any, policy: Policy, where: str, record: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: item
            if key in _SPARED and not isinstance(item, dict)
            else _redacted(item, policy, f"{where}/{key}", record)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [
            _redacted(item, policy, f"{where}/{item['id'] if isinstance(item, dict) and 'id' in item else at}", record)
            for at, item in enumerate(value)
        ]
    return redact_value(value, policy, where, record)
