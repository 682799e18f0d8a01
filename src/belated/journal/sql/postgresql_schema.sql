-- The tables of a PostgreSQL store, as all migrations together leave them. For readers; the suite compares both.

CREATE TABLE belated_events (
    stream   text   COLLATE "C" NOT NULL,
    number   bigint NOT NULL CHECK (number > 0),
    kind     text   COLLATE "C" NOT NULL,
    decision text   COLLATE "C",
    key      text   COLLATE "C",
    at       bigint NOT NULL,
    body     bytea  NOT NULL,
    chain    bytea  NOT NULL,
    PRIMARY KEY (stream, number)
);

CREATE UNIQUE INDEX belated_one_of_each ON belated_events (stream, decision, kind, key) WHERE decision IS NOT NULL;

CREATE TABLE belated_snapshots (
    stream text    COLLATE "C" NOT NULL,
    number bigint  NOT NULL,
    part   integer NOT NULL,
    body   bytea   NOT NULL,
    PRIMARY KEY (stream, number, part)
);

CREATE TABLE belated_schema (
    version  integer NOT NULL,
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row)
);
