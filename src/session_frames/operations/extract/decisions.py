"""Decisions and constraints: what the user said, approved, refused, put off and took back, clause by clause.

Only the user's own words make an item ``by: user``; a proposal of the agent becomes one by the user's answer in the
very next turn. What cannot be told apart is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from session_frames.model import Turn

from .answers import answered, answers_late, directed, granted
from .ledger import Ledger, overrule
from .patterns import find, named, picks, picks_ordinal, whole
from .patterns.vocabulary import GENERIC_WORDS
from .proposals import NOTHING, Offer, approved_by_a_bare_yes, meant_by, offer_of, only_informs, part_about, ways_of
from .reply import Reply, accept
from .sentences import Clause, clauses, is_hearsay, is_numbered_list, is_quoted, own_sentences
from .unanswered import add_unanswered_offers
from .withdrawals import (
    after_correction,
    corrected,
    lifted,
    objected,
    restated,
    shaken,
    slipped,
    withdrawn,
    withdrawn_last,
)
from .words import about, other_number, says, shared

_MOST_EARLIER = 3
_NUMBER = r"\d+(?:[.,]\d+)*"
# What speaks against a thing, or of it, does not pick it.
_NO_PICK = ("asks", "negative", "forbid", "refuse", "withdraw", "object", "statement", "defer")
_SHORT_VALUE = 40  # characters
_SHORT = 6  # characters: names no thing by itself


def read_decisions(turns: Sequence[Turn]) -> Ledger:
    """All decisions and constraints of the conversation, in order."""
    ledger = Ledger()
    agent: Turn | None = None
    earlier: list[tuple[Turn, int]] = []
    optional: tuple[Turn, Offer] | None = None
    asked_back: tuple[Turn, Offer] | None = None
    for place, turn in enumerate(turns):
        if turn["role"] == "agent":
            agent = turn
            offer = offer_of(turn.get("text", ""))
            optional = (turn, offer) if offer.options else optional
            continue
        text = turn.get("text", "")
        offer = offer_of(agent.get("text", "")) if agent else NOTHING
        if asked_back and only_informs(offer) and answers_late(own_sentences(text), asked_back[1]):
            agent, offer = asked_back
        reply = Reply(turn, place, offer, agent, own_sentences(text), earlier, optional)
        _read_reply(ledger, reply)
        only_asks = bool(reply.sentences) and all(find("asks", one) for one in reply.sentences)
        asked_back = (agent, offer) if agent and only_asks else None
        earlier = [*earlier[-_MOST_EARLIER:], (turn, place)]
        optional = None if reply.picked else optional
    add_unanswered_offers(ledger, turns)
    return ledger


def _read_reply(ledger: Ledger, reply: Reply) -> None:
    for number, sentence in enumerate(reply.sentences):
        if find("deny", sentence) and reply.offer.claims:
            _denied(ledger, reply, sentence)
            continue
        if find("asks", sentence):
            continue
        musing = bool(find("musing", sentence) or find("sarcasm", sentence))
        for position, clause in enumerate(clauses(sentence)):
            if is_quoted(clause, reply.turn.get("text", "")):
                continue
            if is_hearsay(clause):
                if not find("hearsay", clause.text) and ":" not in sentence:
                    withdrawn(ledger, reply, clause, False)  # "the team prefers ruff, drop black" is the user's order
                continue
            objected(ledger, reply, clause)
            if not musing:
                _read_clause(ledger, reply, clause, opens=number == 0 and position < 2)
    if any(item.status == "accepted" and item.place == reply.place for item in ledger.items):
        for item in reply.doubted:
            overrule(item)


# What a clause can be, in the order in which it is tried; the first that takes it ends the search.
_Reader = Callable[[Ledger, Reply, Clause, bool], bool]


def _read_clause(ledger: Ledger, reply: Reply, clause: Clause, opens: bool) -> None:
    for reader in _READERS:
        if reader(ledger, reply, clause, opens):
            break
    shaken(ledger, reply, clause)


def _answered_by_name(ledger: Ledger, reply: Reply, clause: Clause, opens: bool) -> bool:
    """ "README yes", "version no", after a question about both."""
    match = whole("yes_no", clause.text)
    if not match or not reply.agent:
        return False
    thing = named(match, "what")
    asked = next((part_about(thing, one) for one in reversed(reply.offer.sentences) if says(thing, one)), "")
    return bool(asked) and accept(ledger, reply, f"{clause.text} — {asked}", clause.text, asked)


def _picked(ledger: Ledger, reply: Reply, clause: Clause, opens: bool) -> bool:
    if not (opens or clause.first):
        return False
    if not reply.optional or is_numbered_list(reply.turn.get("text", "")):
        return False
    turn, offer = reply.optional
    for number, (label, option) in enumerate(offer.options.items(), 1):
        if picks(label, clause.text) or picks_ordinal(number, clause.text):
            reply.picked, reply.agent = True, turn
            accept(ledger, reply, option, clause.text, option)
            return _without(reply, option, offer.options.values())
    return False


def _picked_by_word(ledger: Ledger, reply: Reply, clause: Clause, opens: bool) -> bool:
    match = whole("word_pick", clause.text) if clause.first else None
    if not match or reply.settled:
        return False
    word = named(match, "what")
    options = [option for option in reply.offer.options.values() if says(word, option)]
    if len(options) == 1:
        accept(ledger, reply, options[0], clause.text, options[0])
        return _without(reply, options[0], reply.offer.options.values())
    asked = next((one for one in reversed(reply.offer.alternatives) if says(word, one)), "")
    if not asked:
        return False
    accept(ledger, reply, f"{clause.text} — {asked}", clause.text, asked)
    return _without(reply, word, [asked])


def _picked_way(ledger: Ledger, reply: Reply, clause: Clause, opens: bool) -> bool:
    """ "Upload them to S3", "the latter": one of two ways that the agent asked about."""
    if reply.latest or not opens or any(find(kind, clause.text) for kind in _NO_PICK):
        return False
    for asked in reversed(reply.offer.alternatives):
        ways = ways_of(asked)
        spoken_of = [way for number, way in enumerate(ways, 1) if picks_ordinal(number, clause.text)]
        if not spoken_of and (find("order", clause.text) or find("choose", clause.text)):
            spoken_of = [way for way in ways if shared(clause.text, way)]
        if len(ways) > 1 and len(spoken_of) == 1:
            accept(ledger, reply, f"{clause.text} — {spoken_of[0]}", clause.text, asked)
            return _without(reply, spoken_of[0], ways)
    return False


def _without(reply: Reply, taken: str, alternatives: Iterable[str]) -> bool:
    """Note what the latest choice was made against."""
    if reply.latest:
        reply.latest.instead = about(" ".join(alternatives)) - about(taken) - GENERIC_WORDS
    return True


def _approved(ledger: Ledger, reply: Reply, clause: Clause, opens: bool) -> bool:
    stated = whole("agree_stated", clause.text)
    if stated and reply.agent:
        thing = named(stated, "what")
        stated_at = [
            number
            for number, one in enumerate(reply.offer.sentences)
            if (says(thing, one) if thing else about(one) and not whole("ack", one))
        ]
        if not stated_at:
            return False
        at = stated_at[0]
        # "That's loud": what is loud stands in the sentence before
        back = at > 0 and re.match(r"(?:that|this|it)(?:'s| is)?\b", reply.offer.sentences[at], re.IGNORECASE)
        sentence = reply.offer.sentences[at - 1 if back else at]
        return accept(ledger, reply, sentence, clause.text, sentence)
    if not opens or reply.settled or not whole("approve", clause.text):
        return False
    proposal = approved_by_a_bare_yes(reply.offer)
    weak = whole("weak_yes", clause.text) and not (find("suggest", proposal) or find("asks", proposal))
    if not proposal or weak:
        return False
    rest = [one.text for sentence in reply.sentences for one in clauses(sentence) if one.text != clause.text]
    changed = next((one for one in rest if len(one) <= _SHORT_VALUE and other_number(proposal, one)), "")
    if changed:  # "good, but 4 MB chunks"
        return accept(ledger, reply, f"{changed} — {proposal}", changed, proposal)
    return accept(ledger, reply, proposal, clause.text, proposal)


def _refused(ledger: Ledger, reply: Reply, clause: Clause, opens: bool) -> bool:
    if not whole("refuse", clause.text) or not reply.agent:
        return False
    candidates = reply.offer.claims or reply.offer.proposals
    meant = meant_by(clause.sentence, candidates)
    if not meant and (opens or whole("refuse", clause.sentence)) and not reply.offer.options:
        meant = candidates[-1] if candidates else ""
    return bool(meant) and accept(ledger, reply, meant, clause.text, meant, status="rejected")


def _denied(ledger: Ledger, reply: Reply, sentence: str) -> None:
    """ "I never asked for that": what the agent said the user had decided is turned down."""
    for claim in reply.offer.claims:
        accept(ledger, reply, claim, sentence, claim, status="rejected")


def _put_off(ledger: Ledger, reply: Reply, clause: Clause, opens: bool) -> bool:
    put_off = find("put_off_last", clause.text) if opens else None
    proposal = approved_by_a_bare_yes(reply.offer) if put_off else ""
    if put_off and proposal and not about(clause.text.replace(put_off.group(), " ")):
        return accept(ledger, reply, proposal, clause.text, proposal, status="deferred")
    if not find("defer", clause.text):
        return False
    asked = next((one for one in reversed(reply.offer.sentences) if find("asks", one)), "")
    bare = find("pronoun", clause.text) or not about(clause.text) - {"나중", "보류", "얘기"}
    asked = asked or (reply.offer.proposals[-1] if reply.offer.proposals and len(clause.text) < _SHORT else "")
    if bare and any(find("asks", sentence) for sentence in reply.sentences):
        return True  # the user's own question is put off, it is told as such
    bare = bare or (bool(asked) and len(clause.text) < _SHORT)
    text = clause.text if not bare else f"{clause.text} — {asked}" if asked else ""
    return not text or accept(ledger, reply, text, clause.text, asked, status="deferred")


def _ruled(ledger: Ledger, reply: Reply, clause: Clause, opens: bool) -> bool:
    """A prohibition or requirement: a decision where it answers the agent, else a constraint."""
    for kind in ("forbid", "must", "leave", "negative"):
        match = find(kind, clause.text)
        if match:
            break
    else:
        return False
    quote = match.group().strip(" 。.")
    offer = reply.offer
    answered = meant_by(quote, [*offer.claims, *offer.proposals, *offer.options.values()])
    if not answered and kind in ("negative", "leave") and not find("rule", quote):
        answered = meant_by(quote, offer.sentences)
        bare = not about(quote) or bool(find("pronoun", quote))
        context = answered or (offer.sentences[-1] if offer.sentences and bare else "")
        if kind == "leave" and (context or about(quote)):
            text = f"{quote} — {context}" if bare else quote
            return accept(ledger, reply, text, quote, context)
    if not answered and kind == "negative":
        answered = meant_by(quote, offer.sentences)
    if answered:
        return accept(ledger, reply, quote, quote, answered)
    if not about(quote) or (kind == "negative" and not find("rule", quote)):
        return False
    ledger.add("constraint", quote, "accepted", [reply.said(quote)], reply.place)
    return True


def _listed_rules(ledger: Ledger, reply: Reply, clause: Clause, opens: bool) -> bool:
    """ "Constraints: stay on 7, no reindex": what follows such a heading is a rule, however it is put."""
    heading = find("rules_heading", clause.sentence)
    if not heading or clause.sentence.find(clause.text) < heading.end() or not about(clause.text):
        return False
    if find("statement", clause.text):
        return False
    ledger.add("constraint", clause.text, "accepted", [reply.said(clause.text)], reply.place)
    return True


def _chosen(ledger: Ledger, reply: Reply, clause: Clause, opens: bool) -> bool:
    replaces = reply.withdrew and re.match(r"do |take |try ", clause.text, re.IGNORECASE)
    if whole("approve", clause.text) or (not find("choose", clause.text) and not replaces):
        return False
    headed = re.search(rf"[\w.-]+:\s+{re.escape(clause.text)}", clause.sentence)
    if headed or (about(clause.text) and not find("pronoun", clause.text)):
        text = headed.group() if headed else clause.text
        meant = meant_by(clause.text, [*reply.offer.options.values(), *reply.offer.proposals])
        chosen = meant if meant in reply.offer.options.values() else text
        return accept(ledger, reply, chosen, text, meant)
    asked = reply.offer.proposals[-1] if reply.offer.proposals else ""
    if reply.sentences[0] != clause.sentence and whole("refuse", clauses(reply.sentences[0])[0].text):
        asked = ""  # "neither, we have dramatiq. use that" speaks of the user's own words
        text = f"{clause.text} — {reply.sentences[0]}"
        return accept(ledger, reply, text, clause.text)
    if not asked and about(clause.text):
        return accept(ledger, reply, clause.text, clause.text)
    return bool(asked) and accept(ledger, reply, f"{clause.text} — {asked}", clause.text, asked)


def _sufficed(ledger: Ledger, reply: Reply, clause: Clause, opens: bool) -> bool:
    """ "A dict is enough", when the agent offered something or asked."""
    offer = reply.offer
    open_to_answer = offer.proposals or offer.options or offer.alternatives or any(map(_asks, offer.sentences[-1:]))
    if reply.latest or not open_to_answer or not find("suffices", clause.text) or not about(clause.text):
        return False
    option = meant_by(clause.text, [*offer.options.values()])
    meant = option or meant_by(clause.text, [*offer.alternatives, *offer.proposals])
    accept(ledger, reply, option or clause.text, clause.text, meant)
    against = [*offer.options.values()] if option else [meant] if meant in offer.alternatives else []
    return _without(reply, option or clause.text, against)


def _asks(sentence: str) -> bool:
    return bool(find("asks", sentence))


def _new_value(ledger: Ledger, reply: Reply, clause: Clause, opens: bool) -> bool:
    """ "Make it 5": another value for what the user turn before settled with one."""
    if not reply.earlier or reply.offer.proposals or reply.offer.options or not whole("new_value", clause.text):
        return False
    place = reply.earlier[-1][1]
    valued = [one for one in ledger.items if one.place == place and re.search(_NUMBER, one.text)]
    valued = [one for one in valued if one.kind == "decision" and one.status in ("accepted", "overruled")]
    if not valued or valued[-1].text in clause.text:
        return False
    overrule(valued[-1])
    accept(ledger, reply, _with_value(valued[-1].text, clause.text), clause.text)
    if reply.latest:
        reply.latest.supersedes = valued[-1]
    return True


def _with_value(text: str, value: str) -> str:
    """What was settled, with the new number in place of its only one; the value alone where its unit is another."""
    other_unit = re.search(r"\d\s?[A-Za-z]", value) and not other_number(text, value)
    number = re.search(_NUMBER, value)
    if not number or other_unit or len(re.findall(_NUMBER, text)) != 1:
        return value
    return re.sub(_NUMBER, number.group(), text)


_READERS: tuple[_Reader, ...] = (
    corrected,
    slipped,
    after_correction,
    withdrawn_last,
    withdrawn,
    lifted,
    restated,
    _answered_by_name,
    _picked,
    _new_value,
    _refused,
    _listed_rules,
    _ruled,
    _put_off,
    _approved,
    _picked_way,
    _chosen,
    _picked_by_word,
    _sufficed,
    answered,
    granted,
    directed,
)
