"""What later words do to earlier ones: corrections, withdrawals, lifted rules, objections."""

from __future__ import annotations

import re

from session_frames.model import Evidence, Turn

from .ledger import Item, Ledger, overrule
from .patterns import find, named, whole
from .reply import Reply, accept
from .sentences import Clause, clauses, own_sentences, shortened
from .taken_back import takes_back_last
from .words import about, shared


def shaken(ledger: Ledger, reply: Reply, clause: Clause) -> None:
    """Words that turn an earlier choice back: it must not be listed as accepted any more.

    "semver after all" speaks of the choice itself, "lists please" asks for the alternative that was not taken; before
    "go back to polling" stands what is left.
    """
    settled = [one for one in ledger.items if one.status == "accepted" and one.place < reply.place]
    if find("turns_back", clause.text):
        spoken_of = ledger.standing_about(clause.text)
        for item in spoken_of or _latest_choice(settled, reply, clause):
            if item.kind == "decision" and item in settled:
                overrule(item)
    if find("goes_back", clause.text):
        for item in settled:
            if item.kind == "decision" and find("choose", item.text) and shared(item.text, _said_before(reply, clause)):
                overrule(item)
    if find("order", clause.text) or find("choose", clause.text):
        for item in settled:
            if item.instead & about(clause.text):
                overrule(item)


def _latest_choice(settled: list[Item], reply: Reply, clause: Clause) -> list[Item]:
    """ "On second thought, yaml" names only the new thing: what falls is the choice of the user turn before."""
    names_it = about(clause.text) and not find("pronoun", clause.text)
    settles = find("order", clause.text) or find("choose", clause.text)
    if reply.offer.proposals or not reply.earlier or not names_it or not settles:
        return []
    if not find("reversal", clause.sentence) and not find("reversal", _said_before(reply, clause)):
        return []
    made = [one for one in settled if one.kind == "decision" and one.place == reply.earlier[-1][1]]
    return [one for one in made[-1:] if find("choose", one.text)]


def _said_before(reply: Reply, clause: Clause) -> str:
    """The sentence before that of the clause, "" at the beginning of the turn."""
    at = next((number for number, one in enumerate(reply.sentences) if one == clause.sentence), 0)
    return reply.sentences[at - 1] if at else ""


def corrected(ledger: Ledger, reply: Reply, clause: Clause, opens: bool) -> bool:
    """ "X. wait, no: Y": X was a slip, Y is meant."""
    if not whole("correct", clause.text):
        return False
    if reply.latest is None:
        return reply.corrected is not None
    overrule(reply.latest)
    reply.corrected, reply.latest = reply.latest, None
    return True


def slipped(ledger: Ledger, reply: Reply, clause: Clause, opens: bool) -> bool:
    """ "To ops, no sorry, to finance": what the same sentence settled right before such words was a slip."""
    before = clause.sentence[: clause.sentence.find(clause.text)]
    latest = reply.latest
    if latest and latest.evidence[0]["quote"] in before and find("slip", before) and about(clause.text):
        overrule(latest)
        reply.corrected, reply.latest = latest, None
    return False  # what is meant is read as any other clause


def after_correction(ledger: Ledger, reply: Reply, clause: Clause, opens: bool) -> bool:
    """What follows a correction is what is meant."""
    if not reply.corrected or not about(clause.text):
        return False
    return accept(ledger, reply, clause.text, clause.text)


def withdrawn_last(ledger: Ledger, reply: Reply, clause: Clause, opens: bool) -> bool:
    """ "Ignore that": what the user turn before settled or ordered."""
    if not takes_back_last(clause.text, reply.offer):
        return False
    reply.withdrew = True
    if not reply.earlier:
        return True
    turn, place = reply.earlier[-1]
    standing = ledger.standing_at(place)
    for item in standing:
        overrule(item)
    if not standing:
        _overruled_order(ledger, turn, place, "")
    return True


def _overruled_order(ledger: Ledger, turn: Turn, place: int, thing: str) -> bool:
    """Take down an order that was taken back: nobody may read it as still wanted."""
    for sentence in own_sentences(turn.get("text", "")):
        for clause in clauses(sentence):
            named_by = not thing or shared(thing, clause.text)
            asks = not thing and find("asks", sentence)
            if named_by and not asks and find("order", clause.text) and about(clause.text):
                evidence: list[Evidence] = [{"turn": turn["id"], "quote": shortened(clause.text)}]
                ledger.add("decision", clause.text, "overruled", evidence, place)
                return True
    return False


def withdrawn(ledger: Ledger, reply: Reply, clause: Clause, opens: bool) -> bool:
    """ "Forget the retry idea": what stands about the named thing, else the order that named it."""
    match = find("withdraw", clause.text)
    if not match:
        return False
    thing = named(match, "what")
    standing = [item for item in ledger.standing_about(thing) if item.place < reply.place]
    for item in standing:
        overrule(item)
    if not standing:
        _withdraw_order(ledger, reply, thing)
    reply.withdrew = bool(standing) or reply.withdrew
    return False  # "sqlite 말고 postgres 쓰자" says the new choice as well


def _withdraw_order(ledger: Ledger, reply: Reply, thing: str) -> None:
    """Take the latest order about the thing back, and with it the next turn's answer that means nothing without it."""
    for number in reversed(range(len(reply.earlier))):
        if _overruled_order(ledger, *reply.earlier[number], thing):
            following = reply.earlier[number + 1 : number + 2]
            answers = [item for _, place in following for item in ledger.standing_at(place) if " — " in item.text]
            for item in answers:
                overrule(item)
            return


def lifted(ledger: Ledger, reply: Reply, clause: Clause, opens: bool) -> bool:
    """A rule is lifted: by its name, or "tools/ is fine too" after "only touch docs/"."""
    if not find("lift", clause.text):
        return False
    lifted = [one for one in ledger.standing_about(clause.text) if one.kind == "constraint" and one.place < reply.place]
    if not lifted and find("also", clause.text):
        lifted = [one for one in ledger.items if one.kind == "constraint" and find("only", one.text)]
    for item in lifted:
        overrule(item)
    if not lifted:
        lifted = [one for one in ledger.standing_about(clause.text) if _kept_from(one) and one.place < reply.place]
        for item in lifted:
            overrule(item)
    if lifted:
        accept(ledger, reply, clause.text, clause.text)
        ledger.items[-1].supersedes = lifted[0]
    return bool(lifted)


def _kept_from(item: Item) -> bool:
    """Whether the decision leaves a thing as it is, or puts it off."""
    return item.kind == "decision" and (
        item.status == "deferred" or any(find(kind, item.text) for kind in ("leave", "forbid"))
    )


def restated(ledger: Ledger, reply: Reply, clause: Clause, opens: bool) -> bool:
    """An earlier rule said again: more evidence for it, and an answer to the proposal that would break it."""
    if not find("restate", clause.sentence):
        return False
    known = [item for item in ledger.standing_about(clause.text) if item.kind == "constraint"]
    for item in known:
        item.evidence.append(reply.said(clause.text))
    if known and (find("forbid", clause.text) or find("negative", clause.text)) and reply.offer.proposals:
        proposal = reply.offer.proposals[-1]
        evidence = [*reply.proposed(proposal), reply.said(clause.text)]
        ledger.add("decision", proposal, "rejected", evidence, reply.place - 1, by="agent")
        reply.settled = True
    return bool(known)


def objected(ledger: Ledger, reply: Reply, clause: Clause) -> None:
    """ "256MB is too much": what was settled with that value falls, at once or with the new value in the same turn."""
    if not find("object", clause.text):
        return
    values = set(re.findall(r"\d[\d.,]*(?:万|만|k)?", clause.text))
    for item in ledger.items:
        if item.status != "accepted" or item.place > reply.place:
            continue
        if values & set(re.findall(r"\d[\d.,]*(?:万|만|k)?", item.words)):
            if find("musing", clause.sentence):
                reply.doubted.append(item)
            else:
                overrule(item)
