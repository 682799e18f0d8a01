-- Migration 2: snapshots in parts, so that no event waits for a whole one. Earlier ones are left behind: the events decide.

DROP TABLE belated_snapshots;

CREATE TABLE belated_snapshots (
    stream text    COLLATE "C" NOT NULL,
    number bigint  NOT NULL,
    part   integer NOT NULL,
    body   bytea   NOT NULL,
    PRIMARY KEY (stream, number, part)
);
