"""By what it is known that secrets are looked for in the same way as before."""

from __future__ import annotations

from hashlib import blake2b

from session_frames import __version__
from session_frames.operations import redact_rules
from session_frames.operations.redact import Policy


def policy_digest(policy: Policy) -> str:
    """Names the rules: those of this version of frames, and the team's own with what it lets through."""
    rules = repr((__version__, redact_rules.RULES, policy.extra, policy.allow))
    return blake2b(rules.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
