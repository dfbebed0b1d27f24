"""Frames as other formats, and back from those that hold all of a frame: JSON, YAML and Markdown."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from session_frames import frame_json
from session_frames.errors import FormatError
from session_frames.model import Frame
from session_frames.operations.export_agent_trace import Revision, trace_of_frame
from session_frames.operations.export_atif import trajectory_of_frame
from session_frames.operations.export_message_history import message_history_of_frame
from session_frames.operations.export_messages import chat_completions_of_frame, content_blocks_of_frame
from session_frames.operations.markdown import frame_of_markdown, is_frame_markdown, markdown_of_frame


def yaml_of_frame(frame: Frame) -> str:
    """The frame as YAML: the same keys in the same order as its file."""
    from session_frames.yaml_text import dump_yaml

    return dump_yaml(json.loads(frame_json.encode(frame)))


def json_of_frame(frame: Frame) -> str:
    """The frame as the bytes of its file, decoded."""
    return frame_json.encode(frame).decode("utf-8")


# Format of an export -> the text of a frame.
EXPORTS: dict[str, Callable[[Frame], str]] = {
    "json": json_of_frame,
    "yaml": yaml_of_frame,
    "md": markdown_of_frame,
    "agent-trace": trace_of_frame,
    "atif": trajectory_of_frame,
    "openai-messages": chat_completions_of_frame,
    "anthropic-messages": content_blocks_of_frame,
    "langchain": message_history_of_frame,
}

# Those of them that tell more when they are also given a revision of the repository.
EXPORTS_OF_REVISION: dict[str, Callable[[Frame, Revision], str]] = {"agent-trace": trace_of_frame}

_JSON_HEAD = re.compile(rb'^(?:\xef\xbb\xbf)?\s*\{\s*"frame"\s*:')
_YAML_HEAD = re.compile(rb"""^(?:\xef\xbb\xbf)?(?:\s*(?:#[^\n]*)?\n|---\s*\n)*['"]?frame['"]?\s*:\s""")


def is_frame_text(head: bytes) -> bool:
    """Does a text that begins like this hold an exported frame, and not an agent's transcript?"""
    return bool(_JSON_HEAD.match(head) or _YAML_HEAD.match(head)) or is_frame_markdown(head)


def frame_of_text(data: bytes, name: str) -> Frame:
    """The frame in an exported text; ``FormatError`` names file and place of everything that is wrong."""
    from session_frames.schema import problems_of_version

    value = value_of_text(data, name)
    frame_json.require_known_version(value, name)
    found = [f"{problem.path}: {problem.message}" for problem in problems_of_version(value)]
    if found:
        told = found[0] if len(found) == 1 else "".join(f"\n  {problem}" for problem in found)
        raise FormatError(f"'{name}' is not a valid frame: {told}", hint=f"frames validate {name}")
    return frame_json.require_shape(value, name)


def value_of_text(data: bytes, name: str) -> Any:
    """The value in the text of a frame, whatever its shape: YAML or Markdown where it begins like such an export, else
    JSON. ``FormatError`` says where it is none."""
    if is_frame_markdown(data[:4096]):
        return frame_of_markdown(data.decode("utf-8-sig", "replace"), name)
    if not _YAML_HEAD.match(data):
        return frame_json.parse_json(data, name)
    from session_frames.yaml_text import load_yaml

    value: Any = load_yaml(data, name)
    # A version such as 1.0 written without quotes is a number in YAML.
    if isinstance(value, dict) and isinstance(value.get("frame"), float):
        value["frame"] = str(value["frame"])
    try:
        text = json.dumps(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise FormatError(f"'{name}' is not a valid frame: it holds what JSON has no word for ({error})") from error
    return frame_json.parse_json(text.encode(), name)
