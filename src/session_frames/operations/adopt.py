"""An exported frame that comes back where it is known: what a person changed in the export is taken over."""

from __future__ import annotations

import re
from typing import Any, cast

from session_frames.errors import RefusedError
from session_frames.model import Frame, Turn
from session_frames.operations.context_edits import ITEM_LISTS
from session_frames.operations.renew import renew, with_hand_edits_noted

_HEAD = ("topic", "title", "goal")
# What Markdown tells of an item and a person may have edited there.
_TOLD_OF_ITEM = ("text", "status", "answer")
_NOT_UNICODE = re.compile("[\ud800-\udfff\ufffd]+")


def adopt(old: Frame, new: Frame, at: str) -> tuple[Frame, int]:
    """The known frame after its export as JSON or YAML was read, and how many of its turns the export does not hold.

    As after its session was read again, but that topic, title, goal and items of the export count where they differ:
    they are a person's word, and ``at`` is when it was heard.
    """
    renewed, lost = renew(old, new)
    frame: dict[str, Any] = {**renewed, **_chosen(new, _HEAD)}
    before: dict[str, Any] = {}
    for key in ITEM_LISTS:
        was, told = _by_id(old, key), _by_id(new, key)
        items = [told.get(item["id"], item) for item in frame.get(key, [])]
        gone = [item for name, item in was.items() if name not in {item["id"] for item in items}]
        # An export that ends earlier says nothing of what came later.
        frame[key] = [*items, *gone] if lost else items
        before[key] = [*(was.get(item["id"], item) for item in frame[key]), *([] if lost else gone)]
    return with_hand_edits_noted(cast(Frame, frame), cast(Frame, {**frame, **before}), at), lost


def adopt_markdown(old: Frame, told: Frame, at: str) -> tuple[Frame, int]:
    """The known frame with what was edited in its Markdown: topic, title, goal, and the items by id or place.

    All else stays as it is known. ``RefusedError`` when a turn is not the known one.
    """
    _require_known_turns(old, told)
    frame: dict[str, Any] = dict(old)
    for key, value in _chosen(told, _HEAD).items():
        if value != one_line(frame.get(key, "")):
            frame[key] = value
    for key in ITEM_LISTS:
        items = _edited(list(_by_id(old, key).values()), list(_by_id(told, key).values()))
        if items:
            frame[key] = items
    known = {redaction["id"] for redaction in old.get("redactions", [])}
    struck = [redaction for redaction in told.get("redactions", []) if redaction["id"] not in known]
    if struck:
        frame["redactions"] = [*old.get("redactions", []), *struck]
    return with_hand_edits_noted(cast(Frame, frame), old, at), 0


def one_line(text: str) -> str:
    """The text as Markdown holds it in a fact or an item."""
    return " ".join(text.split())


def _chosen(frame: Frame, keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: value for key, value in frame.items() if key in keys}


def _by_id(frame: Frame, key: str) -> dict[str, Any]:
    return {item["id"]: item for item in cast(dict[str, Any], frame).get(key, [])}


def _edited(known: list[Any], told: list[Any]) -> list[Any]:
    """The known items with what was edited; an item of no known id is the known one in its place that nobody names."""
    ids, named = {item["id"] for item in known}, {item["id"] for item in told}
    edits: dict[str, Any] = {}
    added = []
    for place, item in enumerate(told):
        if item["id"] in ids:
            edits[item["id"]] = item
        elif place < len(known) and known[place]["id"] not in named:
            edits[known[place]["id"]] = item
        else:
            added.append(item)
    return [*(_edited_item(item, edits.get(item["id"], {})) for item in known), *added]


def _edited_item(item: dict[str, Any], told: dict[str, Any]) -> dict[str, Any]:
    edited = {key: told[key] for key in _TOLD_OF_ITEM if key in told and told[key] != one_line(item.get(key, ""))}
    return {**item, **edited}


def _require_known_turns(old: Frame, told: Frame) -> None:
    known = old.get("turns", [])
    by_id = {turn["id"]: turn for turn in known}
    for place, turn in enumerate(told.get("turns", [])):
        mine = by_id.get(turn["id"]) or (known[place] if place < len(known) else None)
        if mine is None or (mine["role"], _words(mine)) != (turn["role"], _words(turn)):
            raise RefusedError(
                f"turn {place + 1} is not the one of the known frame '{old['id'][:12]}': "
                "what was said in a session is not edited",
                hint="frames export --format md writes the known turns",
            )


def _words(turn: Turn) -> str:
    return _NOT_UNICODE.sub("\ufffd", turn.get("text", "").replace("\r\n", "\n"))
