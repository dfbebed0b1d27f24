"""Raw transcripts go to one remote that was elected, and to no other; two clones exchange them through it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from command_line import Session, err, frames, git, json_lines, out
from git_repos import commit_files

ONE = "3f1c9a2e-0000-4000-8000-00000000c0de"


class Place:
    """A repository with a committed frame, its remote, and the transcript of its session."""

    def __init__(self, folder: Path) -> None:
        self.remote = folder / "remote.git"
        git("init", "-q", "--bare", str(self.remote), cwd=folder)
        self.repo = folder / "mine"
        git("init", "-q", str(self.repo), cwd=folder)
        git("remote", "add", "origin", str(self.remote), cwd=self.repo)
        self.transcript = folder / "one.jsonl"
        self.session = Session(self.repo, ONE).user("Use cents. 원 단위로.").agent("Cents it is. " * 50)
        self.take()
        commit_files(self.repo, "a frame")
        git("push", "-q", "-u", "origin", "HEAD:main", cwd=self.repo)
        self.id = json_lines("list", "--json", cwd=self.repo)[0]["id"]

    def take(self, repo: Path | None = None) -> None:
        self.session.save(self.transcript)
        out("import", str(self.transcript), cwd=repo or self.repo)

    def grow(self, words: str) -> None:
        self.session.user(words).agent("Done. " * 50)
        self.take()

    def clone(self, name: str = "theirs") -> Path:
        path = self.repo.parent / name
        git("clone", "-q", str(self.remote), str(path), cwd=self.repo.parent)
        return path

    def raw(self, repo: Path | None = None) -> bytes:
        return frames("show", self.id, "--raw", cwd=repo or self.repo).stdout


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def whats(*args: str, cwd: Path, code: int = 0) -> list[str]:
    return [one["what"] for one in json_lines("sync", "--json", *args, cwd=cwd, code=code)]


def remote_refs(remote: Path) -> list[str]:
    return git("for-each-ref", "--format=%(refname)", cwd=remote).split()


def test_nothing_is_sent_before_a_remote_is_named(place: Place) -> None:
    told = err("sync", cwd=place.repo, code=2)
    assert told == "error: no remote is elected for raw transcripts\nhint: frames sync REMOTE elects one\n"
    assert err("sync", "nowhere", cwd=place.repo, code=2) == (
        "error: no such remote: 'nowhere'\nhint: remotes here: origin\n"
    )
    assert err("sync", str(place.remote), cwd=place.repo, code=2).startswith("error: no such remote: '/")
    assert remote_refs(place.remote) == ["refs/heads/main"]


def test_a_raw_transcript_reaches_another_clone_byte_for_byte(place: Place) -> None:
    shown = out("sync", "origin", cwd=place.repo)
    assert shown.startswith("'origin' is the remote for raw transcripts from now on\nsent ")
    assert remote_refs(place.remote) == [f"refs/frames/raw/{place.id}", "refs/heads/main"]
    assert out("sync", cwd=place.repo) == "1 raw transcript the same on both sides\n"

    theirs = place.clone()
    assert frames("show", place.id, "--raw", cwd=theirs, code=1).stdout == b""
    told = frames("sync", "origin", "--json", cwd=theirs)
    assert [json.loads(line)["what"] for line in told.stdout.splitlines()] == ["fetched"]
    assert told.stderr == b"'origin' is the remote for raw transcripts from now on\n"
    assert place.raw(theirs) == place.raw() == place.transcript.read_bytes()
    assert whats(cwd=theirs) == ["same"]


def test_one_that_grew_is_sent_again_and_costs_what_is_new(place: Place) -> None:
    out("sync", "origin", cwd=place.repo)
    theirs = place.clone()
    out("sync", "origin", cwd=theirs)
    place.grow("And shares?")
    assert whats(cwd=place.repo) == ["sent"]
    assert whats(cwd=place.repo) == ["same"]
    assert whats(cwd=theirs) == ["fetched"]
    assert place.raw(theirs) == place.transcript.read_bytes()


def test_the_same_session_kept_on_two_machines_is_no_conflict(place: Place) -> None:
    theirs = place.clone()
    place.take(theirs)
    place.grow("And shares?")
    place.grow("And tips?")
    out("sync", "origin", cwd=place.repo)
    assert whats("origin", cwd=theirs) == ["fetched"]
    assert place.raw(theirs) == place.transcript.read_bytes()
    place.session.user("More, here").save(place.transcript)
    place.take(theirs)
    assert whats(cwd=theirs) == ["sent"]
    assert whats(cwd=place.repo) == ["fetched"]
    assert place.raw() == place.transcript.read_bytes()


def test_two_that_went_apart_both_stay_and_it_is_said(place: Place) -> None:
    out("sync", "origin", cwd=place.repo)
    theirs = place.clone()
    out("sync", "origin", cwd=theirs)
    before = len(place.session.records)
    place.grow("This way")
    mine = place.raw()
    del place.session.records[before:]
    place.session.user("That way").agent("Yes.").save(place.transcript)
    place.take(theirs)
    out("sync", cwd=place.repo)
    shown = out("sync", cwd=theirs, code=1)
    assert "both sides have what the other has not; both stay" in shown
    assert place.raw(theirs) == place.transcript.read_bytes()
    assert whats(cwd=place.repo) == ["same"]
    assert place.raw() == mine


def test_never_another_remote_and_never_another_address(place: Place, tmp_path: Path) -> None:
    out("sync", "origin", cwd=place.repo)
    other = tmp_path / "other.git"
    git("init", "-q", "--bare", str(other), cwd=tmp_path)
    git("remote", "add", "other", str(other), cwd=place.repo)
    place.grow("More")
    assert err("sync", "other", cwd=place.repo, code=6) == (
        "error: raw transcripts go to 'origin' only, not to 'other'\nhint: frames sync --stop, then frames sync other\n"
    )
    git("config", "remote.pushDefault", "other", cwd=place.repo)
    git("remote", "set-url", "--push", "origin", str(other), cwd=place.repo)
    told = err("sync", cwd=place.repo, code=6)
    assert told.startswith(f"error: remote 'origin' is not where it was when it was elected: {place.remote}\n")
    assert remote_refs(other) == []
    assert out("sync", "--stop", cwd=place.repo) == (
        "'origin' gets no raw transcripts any more; what it has stays there\n"
    )
    assert err("sync", cwd=place.repo, code=2).startswith("error: no remote is elected")
    assert whats("other", cwd=place.repo) == ["sent"]


def test_no_ordinary_command_takes_raw_transcripts_along(place: Place, tmp_path: Path) -> None:
    out("sync", "origin", cwd=place.repo)
    mirror = tmp_path / "mirror.git"
    git("init", "-q", "--bare", str(mirror), cwd=tmp_path)
    git("push", "-q", "--mirror", str(mirror), cwd=place.repo)
    assert not [ref for ref in remote_refs(mirror) if "raw" in ref]
    assert "raw" not in git("for-each-ref", cwd=place.repo)
    assert "raw" not in git("for-each-ref", cwd=place.clone())
    held = git("cat-file", "--batch-all-objects", "--batch-check=%(objecttype) %(objectname)", cwd=place.repo)
    tip = git("rev-parse", f"refs/frames/raw/{place.id}", cwd=place.remote).strip()
    assert tip not in held
    before = json.dumps(git("config", "--local", "--list", cwd=place.repo))
    out("sync", cwd=place.repo)
    assert json.dumps(git("config", "--local", "--list", cwd=place.repo)) == before


def test_only_frames_that_a_commit_holds_are_exchanged(place: Place) -> None:
    Session(place.repo, "aaaaaaaa-0000-4000-8000-00000000c0de").user("A private one").agent("Yes").save_at_home()
    out("import", "--all", cwd=place.repo)
    assert len(json_lines("raw", "list", "--json", cwd=place.repo)) == 2
    assert whats("origin", cwd=place.repo) == ["sent"]


def test_a_dry_run_sends_and_elects_nothing(place: Place) -> None:
    shown = out("sync", "origin", "--dry-run", cwd=place.repo)
    assert shown.startswith("'origin' would be the remote")
    assert shown.endswith("nothing was sent or fetched\n")
    assert remote_refs(place.remote) == ["refs/heads/main"]
    assert err("sync", cwd=place.repo, code=2).startswith("error: no remote is elected")


def test_what_was_removed_here_leaves_the_exchange_and_stays_away(place: Place) -> None:
    out("sync", "origin", cwd=place.repo)
    shown = out("delete", place.id, "--raw", "--yes", cwd=place.repo)
    assert f"held by  remote origin, its raw transcript: git push origin :refs/frames/raw/{place.id}\n" in shown
    exchange = place.repo / ".git/frames/exchange.git"
    assert git("cat-file", "--batch-all-objects", "--batch-check=%(objecttype)", cwd=exchange) == ""
    assert whats(cwd=place.repo) == ["removed"]
    place.take()
    assert whats(cwd=place.repo) == ["same"]
    out("raw", "prune", "--keep-under", "0", cwd=place.repo)
    assert whats(cwd=place.repo) == ["removed"]


def test_what_a_hostile_remote_holds_is_not_taken(place: Place, tmp_path: Path) -> None:
    """Another frame's transcript, a manifest that lies about its segments, names that lead out of the folder."""
    out("sync", "origin", cwd=place.repo)
    theirs = place.clone()
    work = tmp_path / "work"
    ref = f"refs/frames/raw/{place.id}"
    git("init", "-q", str(work), cwd=tmp_path)
    git("fetch", "-q", str(place.remote), ref, cwd=work)
    git("switch", "-q", "-c", "x", "FETCH_HEAD", cwd=work)
    whole = json.loads((work / "manifest.json").read_text())

    def offer(manifest: object) -> None:
        (work / "manifest.json").write_text(json.dumps(manifest))
        git("commit", "-qam", "x", cwd=work)
        git("push", "-q", "--force", str(place.remote), f"HEAD:{ref}", cwd=work)

    segment = whole["segments"][0]
    for lie in (
        {**whole, "frame": "f" * 24},
        {**whole, "segments": [{**segment, "file": "../../../x.zst"}]},
        {**whole, "segments": [{**segment, "raw_size": 10}]},
        {**whole, "segments": [{**segment, "sha256": "0" * 64}]},
        [],
        "x",
    ):
        offer(lie)
        args = [] if (theirs / ".git/frames/sync.json").exists() else ["origin"]
        assert whats(*args, cwd=theirs, code=1) == ["damaged"]
        assert not (theirs / ".git/frames/raw" / place.id / "manifest.json").exists()
    offer(whole)
    assert whats(cwd=theirs) == ["fetched"]
    assert place.raw(theirs) == place.transcript.read_bytes()


def test_a_remote_that_is_gone_or_refuses_is_told(place: Place) -> None:
    (place.remote / "hooks").mkdir(exist_ok=True)
    hook = place.remote / "hooks/pre-receive"
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    shown = out("sync", "origin", cwd=place.repo, code=1)
    assert "refused " in shown
    assert "not taken" in shown or "pre-receive" in shown
    hook.unlink()
    assert whats(cwd=place.repo) == ["sent"]
    os.rename(place.remote, place.remote.with_name("moved.git"))
    told = err("sync", cwd=place.repo, code=5)
    assert told.startswith("error: git ls-remote failed: ")


@pytest.mark.parametrize(("setting", "form"), [("GIT_DEFAULT_HASH", "sha256"), ("GIT_DEFAULT_REF_FORMAT", "reftable")])
def test_other_kinds_of_repositories(setting: str, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    version = tuple(map(int, git("version", cwd=tmp_path).split()[2].split(".")[:2]))
    if form == "reftable" and version < (2, 45):
        pytest.skip("git is older than 2.45, which brought reftable")
    monkeypatch.setenv(setting, form)
    place = Place(tmp_path)
    out("sync", "origin", cwd=place.repo)
    theirs = place.clone()
    git("worktree", "add", "-q", "-b", "other", str(tmp_path / "한 글"), cwd=theirs)
    assert whats("origin", cwd=tmp_path / "한 글") == ["fetched"]
    assert place.raw(theirs) == place.transcript.read_bytes()


def test_it_takes_few_processes_however_many_frames(tmp_path: Path) -> None:
    place = Place(tmp_path)
    for number in range(12):
        name = f"{number:08d}-0000-4000-8000-00000000c0de"
        out("import", str(Session(place.repo, name).user(f"Task {number}").agent("ok").save(tmp_path / name)),
            cwd=place.repo)  # fmt: skip
    commit_files(place.repo, "more frames")
    out("list", cwd=place.repo)  # reads what is new in the history
    assert processes("sync", "origin", cwd=place.repo) <= 10
    assert processes("sync", cwd=place.repo) <= 6
    assert processes("sync", "origin", cwd=place.clone()) <= 14  # with the whole history to be read, and all to fetch


def processes(*args: str, cwd: Path) -> int:
    """How many git processes ``frames ARGS`` starts, without those that git starts itself."""
    trace = cwd / "trace"
    frames(*args, cwd=cwd, GIT_TRACE2_EVENT=str(trace))
    started = [json.loads(line) for line in trace.read_text().splitlines()]
    trace.unlink()
    return sum(one["event"] == "start" and "/" not in one["sid"] for one in started)
