"""Every failure that a person can meet, with the exit code that tells it.

Grammar of a message: what failed first, the subject in single quotes, no capital, no full stop.
The cause is the exception's ``__cause__``; the hint is a command that helps.
"""

from __future__ import annotations


class FramesError(Exception):
    """Base of all expected failures; ``cli/main`` prints it and exits with ``exit_code``."""

    exit_code = 1
    http_status = 500

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class NothingFound(FramesError):
    """The answer is no: nothing matches, or a check failed."""

    exit_code = 1
    http_status = 404


class UsageError(FramesError):
    """Wrong command line, unknown or ambiguous name."""

    exit_code = 2
    http_status = 400


class NotUnderstood(FramesError):
    """A format not recognised, no conversation in the file, or records lost under --strict."""

    exit_code = 3
    http_status = 422


class FormatError(FramesError):
    """An invalid frame, or one that a newer version wrote."""

    exit_code = 4
    http_status = 422


class NewerVersion(FormatError):
    """A frame that a newer version wrote: nothing is wrong with it."""


class EnvironmentError_(FramesError):
    """The environment failed: no permission, disk full, not a repository."""

    exit_code = 5
    http_status = 500


class GitError(EnvironmentError_):
    """git failed; the message holds git's own last words."""


class RefusedError(FramesError):
    """Refused on purpose: a secret left, a pinned turn, an untrusted frame, a lock, an unsafe settings file."""

    exit_code = 6
    http_status = 409


EXIT_CODES: dict[int, str] = {
    0: "done",
    1: "the answer is no: nothing found, a conflict left, a check failed",
    2: "wrong command line, unknown or ambiguous name (candidates are listed)",
    3: (
        "not understood or partly done: a format not recognised, no conversation in the file, "
        "records lost under `--strict`, user words alone over the budget"
    ),
    4: "invalid frame, or one written by a newer version",
    5: "git or the environment: not a repository, git failed, no permission, disk full",
    6: (
        "refused: a secret could not be removed, a pinned turn, an untrusted frame, locked, "
        "a settings file that can't be edited safely"
    ),
    10: "only `merge-driver`, inside the shell wrapper that git calls: conflict, result written",
    70: "a fault of frames; the path of a report without user text is printed",
    130: "interrupted",
    141: "the reader closed the pipe; silent",
}
