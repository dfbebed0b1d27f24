"""What a team shares: ``.copilot/config.yaml``.

YAML is slow to load and hooks need what it says, so its JSON form is kept in the private area and used while the file
has not changed.
"""

from __future__ import annotations

import json
import os
from typing import Any

from session_frames.errors import FormatError
from session_frames.storage.private_state import PrivateState, write_atomically

CONFIG = ".copilot/config.yaml"


def load_config(top: str, state: PrivateState) -> dict[str, Any]:
    """The team's settings ({} where there are none); ``FormatError`` names file and line of what is wrong."""
    path = os.path.join(top, CONFIG)
    try:
        seen = os.stat(path)
    except OSError:
        return {}
    stamp = [seen.st_size, seen.st_mtime_ns, seen.st_ino]
    kept = state.path("config.json")
    try:
        with open(kept, "rb") as file:
            known = json.loads(file.read())
        if known["stamp"] == stamp and known["path"] == path:
            return dict(known["config"])
    except (OSError, ValueError, KeyError, TypeError):
        pass
    with open(path, "rb") as file:
        config = parse_config(file.read())
    write_atomically(kept, json.dumps({"path": path, "stamp": stamp, "config": config}).encode())
    return config


def parse_config(data: bytes) -> dict[str, Any]:
    """The settings in the bytes of a config file."""
    from session_frames.yaml_text import load_yaml

    config = load_yaml(data, CONFIG)
    if config is None:
        return {}
    if not isinstance(config, dict):
        raise FormatError(f"'{CONFIG}' must be a mapping of settings, not {type(config).__name__}")
    return config
