-- Migration 2: snapshots in parts, so that no event waits for a whole one. Rows have numbers of their own here, since
-- SQLite takes long to move large rows within an index. Earlier snapshots are left behind: the events decide.

DROP TABLE snapshots;

CREATE TABLE snapshots (
    stream TEXT    NOT NULL,
    number INTEGER NOT NULL,
    part   INTEGER NOT NULL,
    body   BLOB    NOT NULL,
    PRIMARY KEY (stream, number, part)
);
