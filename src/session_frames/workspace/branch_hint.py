"""What a person is told when they come to a branch that has frames: one line, and nothing where there are none."""

from __future__ import annotations

from session_frames.operations.fence import line_shown
from session_frames.operations.render import counted
from session_frames.storage.branch_frames import frames_of_branch
from session_frames.storage.commit_index import is_in_sequence
from session_frames.workspace.commit_hooks import renew_view
from session_frames.workspace.core import Workspace

_LONGEST_TOPIC = 60


def post_checkout(ws: Workspace) -> str:
    """Bring the view up to date; then what to tell of the frames of this branch, "" where there is nothing to tell.

    While a rebase runs git checks out what nobody asked for; a HEAD that is on no branch has no frames.
    """
    if is_in_sequence(ws.repo):
        return ""
    renew_view(ws)
    branch = ws.repo.branch()
    frames = [frame for frame in frames_of_branch(ws.index, branch or "") if frame["status"] != "archived"]
    if not (branch and frames):
        return ""
    latest = max(frames, key=lambda frame: (frame["ended_at"] or frame["started_at"], frame["id"]))
    topic = line_shown(latest["topic"])[:_LONGEST_TOPIC]
    return f"{counted(len(frames), 'frame')} of branch '{line_shown(branch)}', the latest '{topic}': frames resume"
