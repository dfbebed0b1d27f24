"""The tables of the index. Whoever changes one raises ``quick_look.SCHEMA_VERSION``."""

from __future__ import annotations

from typing import Final

SCHEMA: Final = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
-- Commits whose whole history has been read; `latest`: among the tips of the last time that something was new.
CREATE TABLE tips (commit_id TEXT PRIMARY KEY, latest INTEGER NOT NULL) WITHOUT ROWID;
-- Every blob that was looked at; `frame` is empty where it is no valid frame.
CREATE TABLE blobs (blob TEXT PRIMARY KEY, frame TEXT NOT NULL, turns BLOB NOT NULL, summary TEXT NOT NULL,
    wrote INTEGER NOT NULL) WITHOUT ROWID;
-- Where files of one name were seen: archiving moves a file and keeps its name.
CREATE TABLE places (name BLOB NOT NULL, path BLOB NOT NULL, PRIMARY KEY (name, path)) WITHOUT ROWID;
-- The newest version of each frame: the one with most turns, of these the last one committed. `held` is 0 for a frame
-- that no commit holds, only a file of this machine.
CREATE TABLE frames (frame TEXT PRIMARY KEY, blob TEXT NOT NULL, path BLOB NOT NULL, turns INTEGER NOT NULL,
    at INTEGER NOT NULL, held INTEGER NOT NULL DEFAULT 1) WITHOUT ROWID;
CREATE TABLE links (commit_id TEXT NOT NULL, frame TEXT NOT NULL, path BLOB NOT NULL, blob TEXT NOT NULL,
    new_turns TEXT NOT NULL, at INTEGER NOT NULL, place INTEGER NOT NULL, PRIMARY KEY (commit_id, frame)) WITHOUT ROWID;
CREATE INDEX links_by_frame ON links (frame);
-- Trailers as they were found; whether the frame is known is asked when they are read, for it may come later.
CREATE TABLE trailers (commit_id TEXT NOT NULL, frame TEXT NOT NULL, at INTEGER NOT NULL, place INTEGER NOT NULL,
    PRIMARY KEY (commit_id, frame)) WITHOUT ROWID;
CREATE INDEX trailers_by_frame ON trailers (frame);
CREATE VIEW certain_links AS
    SELECT commit_id, frame, 'in-tree' AS kind, path, blob, new_turns, at, place FROM links
    UNION ALL
    SELECT t.commit_id, t.frame, 'trailer', f.path, f.blob, '', t.at, t.place
    FROM trailers t JOIN frames f ON f.frame = t.frame
    WHERE NOT EXISTS (SELECT 1 FROM links l WHERE l.commit_id = t.commit_id AND l.frame = t.frame);
-- Links that a person made; the file beside the index holds them, this is a copy of it.
CREATE TABLE by_hand (commit_id TEXT NOT NULL, frame TEXT NOT NULL, PRIMARY KEY (commit_id, frame)) WITHOUT ROWID;
-- Commits that add lines which a frame wrote, file by file. They are no links where something certain is known.
CREATE TABLE matches (commit_id TEXT NOT NULL, frame TEXT NOT NULL, path BLOB NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY (commit_id, frame, path)) WITHOUT ROWID;
CREATE INDEX matches_by_frame ON matches (frame);
CREATE VIEW all_links AS
    SELECT commit_id, frame, kind, path, blob, new_turns, at, place FROM certain_links
    UNION ALL
    SELECT h.commit_id, h.frame, 'hand', f.path, f.blob, '', 0, 0
    FROM by_hand h JOIN frames f ON f.frame = h.frame
    WHERE NOT EXISTS (SELECT 1 FROM links l WHERE l.commit_id = h.commit_id AND l.frame = h.frame)
    AND NOT EXISTS (SELECT 1 FROM trailers t WHERE t.commit_id = h.commit_id AND t.frame = h.frame)
    UNION ALL
    SELECT m.commit_id, m.frame, 'inferred', f.path, f.blob, '', m.at, 0
    FROM matches m JOIN frames f ON f.frame = m.frame
    WHERE NOT EXISTS (SELECT 1 FROM matches o
        WHERE o.commit_id = m.commit_id AND o.frame = m.frame AND o.path < m.path)
    AND NOT EXISTS (SELECT 1 FROM links l WHERE l.commit_id = m.commit_id)
    AND NOT EXISTS (SELECT 1 FROM trailers t JOIN frames k ON k.frame = t.frame WHERE t.commit_id = m.commit_id)
    AND NOT EXISTS (SELECT 1 FROM by_hand h WHERE h.commit_id = m.commit_id AND h.frame = m.frame);
-- Frame files of this machine, which may be in no commit.
CREATE TABLE kept (file BLOB PRIMARY KEY, stamp TEXT NOT NULL, frame TEXT NOT NULL, blob TEXT NOT NULL,
    turns INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX kept_by_frame ON kept (frame);
-- The version of each frame whose lines are looked for; `file` is empty where a commit holds it.
CREATE TABLE authors (frame TEXT PRIMARY KEY, blob TEXT NOT NULL, file BLOB NOT NULL, started INTEGER NOT NULL,
    digest TEXT NOT NULL) WITHOUT ROWID;
-- What it wrote: the anchors of the lines, in order of the alphabet.
CREATE TABLE written (path BLOB NOT NULL, frame TEXT NOT NULL, anchors TEXT NOT NULL, PRIMARY KEY (path, frame))
    WITHOUT ROWID;
CREATE INDEX written_by_frame ON written (frame);
-- What the calls of a version of a frame wrote in a file, run by run; no path: when the session started.
CREATE TABLE runs (blob TEXT NOT NULL, path BLOB NOT NULL, runs TEXT NOT NULL, PRIMARY KEY (blob, path)) WITHOUT ROWID;
-- Commits up to which the history was compared with what frames wrote.
CREATE TABLE compared (commit_id TEXT PRIMARY KEY) WITHOUT ROWID;
-- Paths in which a frame wrote something else than at the last comparison, and the time before which no commit matters.
CREATE TABLE rewritten (path BLOB PRIMARY KEY, since INTEGER NOT NULL) WITHOUT ROWID;
-- Commits whose note is not written yet; a commit that changes again gets a higher number.
CREATE TABLE unwritten (number INTEGER PRIMARY KEY AUTOINCREMENT, commit_id TEXT NOT NULL UNIQUE);
-- Frame files outside git's objects, by what `stat` says of them.
CREATE TABLE files (path BLOB PRIMARY KEY, stamp TEXT NOT NULL, summary TEXT NOT NULL) WITHOUT ROWID;
"""

# What the history says of commits; forgotten when the history itself was changed (shallow boundary, replace refs).
OF_HISTORY: Final = (
    "meta", "tips", "blobs", "places", "frames", "links", "trailers", "unwritten", "by_hand", "matches", "kept",
    "authors", "written", "compared", "rewritten",
)  # fmt: skip
