"""What is kept of a raw transcript, cleaned by the rules of today: a rule that came later takes its secrets out too."""

from __future__ import annotations

from hashlib import sha256
from io import BytesIO
from typing import NamedTuple

from session_frames.operations.policy_digest import policy_digest
from session_frames.operations.redact import Policy
from session_frames.operations.redact_raw import Piece, clean_lines, clean_whole
from session_frames.storage.raw_manifest import LINES, Manifest, Mark, Segment
from session_frames.storage.raw_segments import iter_segment, write_segment


class _Cleaned(NamedTuple):
    segment: Segment
    first: Piece | None
    last: Piece | None


def is_clean(manifest: Manifest, policy: Policy) -> bool:
    """Was all that is kept cleaned by these rules?"""
    return manifest["rules"] == policy_digest(policy)


def cleaned(folder: str, manifest: Manifest, policy: Policy) -> Manifest:
    """The manifest of the same transcript after redaction, segments with a secret in them written anew.

    Nothing is given up for that: neither the manifest in the folder nor any segment is replaced. ``FormatError`` names
    a segment that is damaged.
    """
    number = manifest["next"]
    found: list[_Cleaned] = []
    for segment in manifest["segments"]:
        one = _cleaned(folder, segment, manifest["records"] == LINES, policy, number)
        number += one.segment is not segment
        found.append(one)
    first = next((one.first for one in found if one.first), None)
    last = next((one.last for one in reversed(found) if one.last), None)
    return Manifest(
        **{
            **manifest,
            "rules": policy_digest(policy),
            "next": number,
            "segments": [one.segment for one in found],
            "first": _mark(manifest["first"], first),
            "last": _mark(manifest["last"], last),
        }
    )


def _cleaned(folder: str, segment: Segment, lines: bool, policy: Policy, number: int) -> _Cleaned:
    held = b"".join(iter_segment(folder, segment))
    pieces = list(clean_lines(BytesIO(held), policy)) if lines else [clean_whole(held, policy)]
    closed = [piece for piece in pieces if piece.closed]
    data = b"".join(piece.data for piece in pieces)
    if data != held:
        written = write_segment(folder, number, data)
        secrets = segment["secrets"] + sum(piece.secrets for piece in pieces)
        written["source_size"], written["secrets"], written["open"] = segment["source_size"], secrets, segment["open"]
        segment = written
    return _Cleaned(segment, closed[0] if closed else None, closed[-1] if closed else None)


def _mark(mark: Mark, piece: Piece | None) -> Mark:
    """The mark of the same record. Where none was written, none is."""
    if piece is None or not mark["sha256"]:
        return mark
    return Mark(source_size=mark["source_size"], sha256=sha256(piece.data).hexdigest())
