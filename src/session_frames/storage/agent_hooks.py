"""What ``frames init --agent`` puts into the settings of an agent: hooks that call frames, beside whatever is there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, Final

from session_frames.errors import RefusedError

# In a file that is committed the command names no path, and does nothing where frames is not installed.
_OURS: Final = "frames hook "
_COMMAND: Final = _OURS + "{agent} || true"
_BOM: Final = b"\xef\xbb\xbf"
_INDENT: Final = re.compile(rb"\{\r?\n([ \t]+)\"")


def with_agent_hooks(content: bytes | None, agent: str, events: Iterable[str], path: str) -> bytes:
    """The settings with a hook for each event; all else keeps its place and value, and a hook that is there stays.

    ``RefusedError`` with what to add by hand for settings that can't be changed safely: comments, broken JSON, a key
    that stands twice, another shape than the agent's.
    """
    handler = {"type": "command", "command": _COMMAND.format(agent=agent)}
    wanted = {event: [{"hooks": [handler]}] for event in events}
    settings = _read(content, path, wanted)
    hooks = settings.setdefault("hooks", {})
    missing = [event for event in wanted if not any(map(_is_ours, _handlers(hooks.get(event, []))))]
    if content is not None and not missing:
        return content
    for event in missing:
        hooks[event] = [*hooks.get(event, []), *wanted[event]]
    return _written(settings, content)


def without_agent_hooks(content: bytes) -> bytes:
    """The settings without our hooks, and without what holds nothing but them; as they are where none is ours."""
    if not has_agent_hooks(content):
        return content
    settings: dict[str, Any] = json.loads(content.removeprefix(_BOM))
    hooks = {event: _groups_without_ours(groups) for event, groups in settings["hooks"].items()}
    left = {event: groups for event, groups in hooks.items() if groups or not settings["hooks"][event]}
    rest = {key: left if key == "hooks" else value for key, value in settings.items() if key != "hooks" or left}
    return _written(rest, content) if rest else b""


def has_agent_hooks(content: bytes) -> bool:
    """Do these settings hold a hook of ours?"""
    try:
        settings = json.loads(content.removeprefix(_BOM))
        hooks = settings.get("hooks", {}) if isinstance(settings, dict) else {}
        return any(_is_ours(handler) for groups in hooks.values() for handler in _handlers(groups))
    except (ValueError, TypeError, AttributeError):
        return False


def _handlers(groups: Any) -> list[Any]:
    return [handler for group in groups for handler in group.get("hooks", [])]


def _is_ours(handler: Any) -> bool:
    return isinstance(handler, dict) and str(handler.get("command", "")).startswith(_OURS)


def _groups_without_ours(groups: list[dict[str, Any]]) -> list[dict[str, Any]]:
    kept = []
    for group in groups:
        handlers = [handler for handler in group.get("hooks", []) if not _is_ours(handler)]
        if handlers or not group.get("hooks"):
            kept.append({**group, "hooks": handlers} if "hooks" in group else group)
    return kept


def _read(content: bytes | None, path: str, wanted: dict[str, Any]) -> dict[str, Any]:
    try:
        settings = json.loads(content.removeprefix(_BOM), object_pairs_hook=_once) if content else {}
        for groups in settings.get("hooks", {}).values():
            _handlers(groups)
        for event in wanted:
            list(settings.get("hooks", {}).get(event, []))
    except (ValueError, TypeError, AttributeError) as error:
        snippet = json.dumps({"hooks": wanted})
        raise RefusedError(f"'{path}' can't be changed safely: {error}", hint=f"add this by hand: {snippet}") from error
    return dict(settings)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    held = dict(pairs)
    if len(held) < len(pairs):
        raise ValueError("a key stands twice in it")
    return held


def _written(settings: dict[str, Any], before: bytes | None) -> bytes:
    """As JSON, with the indent, line ends and end of the file that were there."""
    before = before or b"{\n}\n"
    found = _INDENT.search(before)
    indent = found[1].decode() if found else "  "
    one_line = b"\n" not in before.strip()
    text = json.dumps(settings, ensure_ascii=False, indent=None if one_line and before.strip() != b"{}" else indent)
    data = text.encode("utf-8", "surrogatepass") + (b"\n" if before.endswith(b"\n") else b"")
    data = data.replace(b"\n", b"\r\n") if b"\r\n" in before else data
    return (_BOM if before.startswith(_BOM) else b"") + data
