-- The tables of a PostgreSQL store, as all migrations together leave them. For readers; the suite compares both.

CREATE TABLE belated_events (
    stream   text   NOT NULL,
    number   bigint NOT NULL CHECK (number > 0),
    kind     text   NOT NULL,
    decision text,
    key      text,
    at       bigint NOT NULL,
    body     bytea  NOT NULL,
    chain    bytea  NOT NULL,
    PRIMARY KEY (stream, number)
);

CREATE UNIQUE INDEX belated_one_of_each ON belated_events (stream, decision, kind, key) WHERE decision IS NOT NULL;

CREATE TABLE belated_snapshots (
    stream text   NOT NULL,
    number bigint NOT NULL,
    body   bytea  NOT NULL,
    PRIMARY KEY (stream, number)
);
