"""One repository seen through frames: its parts, opened when they are first needed."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from session_frames.errors import UsageError
from session_frames.storage.git_repo import GitRepo
from session_frames.storage.private_state import PrivateState

if TYPE_CHECKING:
    from session_frames.operations.redact import Policy
    from session_frames.storage.frame_store import FrameStore
    from session_frames.storage.git_settings import GitSettings
    from session_frames.storage.index import Index
    from session_frames.storage.quick_look import Look

# Told how much of how much is done.
Progress = Callable[[int, int], None]

# Settings are git configuration under this name.
LOCAL_SETTING = "frames.local"
RAW_SETTING = "frames.raw"
BUDGET_SETTING = "frames.budget"
PIN_SHARE_SETTING = "frames.pinShare"

# Tokens that the context of a session may take, and the share of them that pins may.
CONTEXT_BUDGET = 100_000
PIN_SHARE = 0.3


class Workspace:
    """The repository around ``cwd``. Environment, home and clock come from outside, so that tests fix them.

    ``now`` gives the present moment as ISO 8601 in UTC (``2026-06-02T10:00:00Z``). ``progress`` is told, while a
    transcript is read, how many of its bytes are done. ``seen`` is what a look at the repository has just told.
    """

    def __init__(self, cwd: str, environ: Mapping[str, str], now: Callable[[], str], seen: Look | None = None) -> None:
        self.cwd = cwd
        self.environ = environ
        self.home = environ.get("HOME", "") or os.path.expanduser("~")
        self.now = now
        self.progress: Progress = lambda done, of: None
        self.seen = seen

    @cached_property
    def homes(self) -> list[str]:
        """The home folders in which agents keep their transcripts."""
        from session_frames.storage.transcript_files import home_folders

        return home_folders(self.home)

    @cached_property
    def repo(self) -> GitRepo:
        """The git repository; ``GitError`` where there is none."""
        seen = self.seen
        if seen is None:
            return GitRepo.open(self.cwd, self.environ)
        return GitRepo(self.cwd, self.environ, seen.git_dir, seen.common_dir, seen.top, seen.object_format)

    @cached_property
    def state(self) -> PrivateState:
        """The private area in git's common directory."""
        return PrivateState(self.repo.common_dir)

    @cached_property
    def store(self) -> FrameStore:
        """The frame files of this work tree; ``GitError`` in a bare repository."""
        from session_frames.storage.frame_store import FrameStore

        return FrameStore(self.repo.require_top())

    @cached_property
    def index(self) -> Index:
        """The index of links and summaries (as of its last refresh)."""
        from session_frames.storage.index import Index

        return Index.open(self.state)

    @cached_property
    def settings(self) -> GitSettings:
        """The repository's own git configuration."""
        from session_frames.storage.git_settings import GitSettings

        return GitSettings(self.repo)

    @cached_property
    def policy(self) -> Policy:
        """What is redacted here: the built-in rules with those of the team."""
        from session_frames.operations.redact_settings import rules_from_config
        from session_frames.storage.team_config import load_config

        return rules_from_config(load_config(self.repo.top, self.state) if self.repo.top else {})

    @cached_property
    def keeps_local(self) -> bool:
        """Are frames kept out of the shared tree (``frames init --local``)?"""
        return self.repo.config(LOCAL_SETTING) == "true"

    @cached_property
    def context_budget(self) -> int:
        """The tokens that the context of a session may take."""
        return int(self._number(BUDGET_SETTING, CONTEXT_BUDGET, least=1))

    @cached_property
    def pin_limit(self) -> int:
        """The tokens that all pins of a frame together may take."""
        return int(self.context_budget * min(1.0, self._number(PIN_SHARE_SETTING, PIN_SHARE, least=0)))

    def _number(self, setting: str, otherwise: float, least: float) -> float:
        """A setting that is a number; ``UsageError`` for one that is none."""
        text = self.repo.config(setting)
        try:
            number = otherwise if text is None else float(text)
        except ValueError:
            number = least - 1
        if not least <= number < float("inf"):
            raise UsageError(
                f"{setting} is not a number from {least:g}: '{text}'", hint=f"git config {setting} {otherwise:g}"
            )
        return number

    @cached_property
    def keeps_raw(self) -> bool:
        """Are raw transcripts kept? They are, unless ``frames.raw`` is false."""
        return self.repo.line("config", "--type=bool", "--get", RAW_SETTING) != "false"
