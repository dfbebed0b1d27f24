"""Transcript formats: one module each, listed in one table."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from session_frames.transcripts.base import TranscriptFormat

# In the order in which they are asked whether a file is theirs: the narrowest first.
FORMATS: dict[str, str] = {
    "qwen-code": "session_frames.transcripts.qwen_code",
    "claude-code": "session_frames.transcripts.claude_code",
    "codex": "session_frames.transcripts.codex",
    "copilot-cli": "session_frames.transcripts.copilot_cli",
    "copilot-chat": "session_frames.transcripts.copilot_chat",
    "gemini-cli": "session_frames.transcripts.gemini_cli",
    "opencode": "session_frames.transcripts.opencode",
    "continue": "session_frames.transcripts.continue_dev",
    "cline": "session_frames.transcripts.cline",
    "crush": "session_frames.transcripts.crush",
    "goose": "session_frames.transcripts.goose",
    "kilo": "session_frames.transcripts.kilo",
    "pi": "session_frames.transcripts.pi",
    "aider": "session_frames.transcripts.aider",
    "cursor": "session_frames.transcripts.cursor",
    "specstory": "session_frames.transcripts.specstory",
    "amp": "session_frames.transcripts.amp",
    "windsurf": "session_frames.transcripts.windsurf",
    "droid": "session_frames.transcripts.droid",
    "codebuddy": "session_frames.transcripts.codebuddy",
    "kimi": "session_frames.transcripts.kimi",
    "antigravity": "session_frames.transcripts.antigravity",
    "openhands": "session_frames.transcripts.openhands",
    "swe-agent": "session_frames.transcripts.swe_agent",
    # No agent's own files: they claim what nobody else does.
    "atif": "session_frames.transcripts.atif",
    "langchain": "session_frames.transcripts.langchain_messages",
    "anthropic-messages": "session_frames.transcripts.chat_messages_anthropic",
    "openai-messages": "session_frames.transcripts.chat_messages_openai",
}

# Variables in which an agent names its session to the processes that it starts. A git that finds the id of an active
# session in one of them was started from that session's own shell.
SESSION_VARIABLES: dict[str, str] = {
    "CLAUDE_CODE_SESSION_ID": "claude-code",
    "CODEX_THREAD_ID": "codex",
    "GEMINI_SESSION_ID": "gemini-cli",
}

# The files of a work tree from which an agent takes instructions for the summary when it compacts its session.
INSTRUCTION_FILES: dict[str, str] = {"claude-code": "CLAUDE.md"}

# The settings of a work tree in which an agent looks for hooks, and the events of which frames wants to hear.
HOOK_SETTINGS: dict[str, tuple[str, tuple[str, ...]]] = {"claude-code": (".claude/settings.json", ("PreCompact",))}


def session_of_environment(environ: Mapping[str, str]) -> tuple[str, str]:
    """(format, session id) of the agent whose shell this is; two empty strings outside of one."""
    found = ((name, environ[variable]) for variable, name in SESSION_VARIABLES.items() if environ.get(variable))
    return next(found, ("", ""))


def session_ids(environ: Mapping[str, str]) -> frozenset[str]:
    """The ids of the agents' sessions that this process runs in.

    ``FRAMES_SESSION_ID`` is for agents that have no variable of their own.
    """
    return frozenset(environ[name] for name in (*SESSION_VARIABLES, "FRAMES_SESSION_ID") if environ.get(name))


def get_format(name: str) -> TranscriptFormat:
    """The transcript format of that name; ``KeyError`` for an unknown one."""
    return cast("TranscriptFormat", import_module(FORMATS[name]))


def sniff_format(head: bytes) -> str | None:
    """The name of the format whose file begins like this, or None."""
    return next((name for name in FORMATS if get_format(name).sniff(head)), None)
