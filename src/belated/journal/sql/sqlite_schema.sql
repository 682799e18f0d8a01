-- The tables of a SQLite store, as all migrations together leave them. For readers; the suite compares both.

CREATE TABLE events (
    stream   TEXT    NOT NULL,
    number   INTEGER NOT NULL CHECK (number > 0),
    kind     TEXT    NOT NULL,
    decision TEXT,
    key      TEXT,
    at       INTEGER NOT NULL,
    body     BLOB    NOT NULL,
    chain    BLOB    NOT NULL,
    PRIMARY KEY (stream, number)
) WITHOUT ROWID;

CREATE UNIQUE INDEX one_of_each ON events (stream, decision, kind, key) WHERE decision IS NOT NULL;

CREATE TABLE snapshots (
    stream TEXT    NOT NULL,
    number INTEGER NOT NULL,
    part   INTEGER NOT NULL,
    body   BLOB    NOT NULL,
    PRIMARY KEY (stream, number, part)
);
