"""What in a message of Cursor the person said, and what the editor put beside it."""

from __future__ import annotations

QUERY = "<user_query>"
QUERY_END = "</user_query>"

# Beginnings of what the editor writes in the person's name when no query is marked.
_INJECTED_STARTS = (
    "[Image]",
    "<additional_data>",
    "<agent_skills>",
    "<agent_transcripts>",
    "<always_applied_workspace_rules>",
    "<attached_files>",
    "<cursor_commands>",
    "<cursor_rules_context>",
    "<git_status>",
    "<image_files>",
    "<manually_attached_skills>",
    "<mcp_",
    "<open_and_recently_viewed_files>",
    "<project_layout>",
    "<rules>",
    "<system-reminder>",
    "<system_notification>",
    "<system_reminder>",
    "<timestamp>",
    "<user_info>",
)


def own_words(text: str) -> str:
    """The query in a message; the whole of a message that marks none, unless the editor wrote it."""
    start = text.find(QUERY)
    if start < 0:
        return "" if text.lstrip().startswith(_INJECTED_STARTS) else text.strip("\n")
    end = text.rfind(QUERY_END)
    return text[start + len(QUERY) : end if end > start else len(text)].strip("\n")
