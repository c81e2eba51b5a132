-- Times are whole milliseconds since 1970 in UTC. Ids are UUIDs as text. Bodies are JSON as text.
PRAGMA application_id = 0x56657374;

CREATE TABLE servers (
    id      TEXT PRIMARY KEY NOT NULL,
    name    TEXT NOT NULL,
    command TEXT NOT NULL,
    args    TEXT NOT NULL,
    -- Names only: the values are in the keychain.
    env     TEXT NOT NULL,
    cwd     TEXT,
    wanted  INTEGER NOT NULL,
    created INTEGER NOT NULL
) STRICT;

CREATE TABLE approved_tools (
    server     TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
    name       TEXT NOT NULL,
    digest     TEXT NOT NULL,
    definition TEXT NOT NULL,
    approved   INTEGER NOT NULL,
    PRIMARY KEY (server, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE chats (
    id        TEXT PRIMARY KEY NOT NULL,
    workspace TEXT NOT NULL,
    title     TEXT NOT NULL,
    model     TEXT,
    created   INTEGER NOT NULL,
    updated   INTEGER NOT NULL
) STRICT;

CREATE INDEX chats_by_updated ON chats (updated DESC, id DESC);

CREATE TABLE rules (
    id        TEXT PRIMARY KEY NOT NULL,
    server    TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
    chat      TEXT REFERENCES chats (id) ON DELETE CASCADE,
    body      TEXT NOT NULL,
    created   INTEGER NOT NULL,
    last_used INTEGER,
    expires   INTEGER
) STRICT;

CREATE INDEX rules_by_server ON rules (server);
CREATE INDEX rules_by_chat ON rules (chat) WHERE chat IS NOT NULL;

CREATE TABLE entries (
    id       TEXT PRIMARY KEY NOT NULL,
    chat     TEXT NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    -- A copy of the body's own "state", so that finding interrupted entries need not parse every body.
    state    TEXT,
    body     TEXT NOT NULL,
    UNIQUE (chat, position)
) STRICT;

CREATE INDEX entries_by_state ON entries (state) WHERE state IS NOT NULL;

CREATE TABLE settings (
    key   TEXT PRIMARY KEY NOT NULL,
    value TEXT NOT NULL
) STRICT;

CREATE TABLE models (
    id       TEXT PRIMARY KEY NOT NULL,
    label    TEXT NOT NULL,
    kind     TEXT NOT NULL,
    base_url TEXT,
    model    TEXT NOT NULL,
    created  INTEGER NOT NULL
) STRICT;

-- The ledger refers to servers and chats by id without a foreign key: it outlives them.
CREATE TABLE ledger (
    seq      INTEGER PRIMARY KEY NOT NULL,
    prev     BLOB NOT NULL,
    at       INTEGER NOT NULL,
    kind     TEXT NOT NULL,
    server   TEXT,
    chat     TEXT,
    action   TEXT NOT NULL,
    object   TEXT NOT NULL,
    decision TEXT,
    because  TEXT NOT NULL,
    body     TEXT NOT NULL,
    hash     BLOB NOT NULL
) STRICT;

CREATE INDEX ledger_by_server ON ledger (server, seq) WHERE server IS NOT NULL;
CREATE INDEX ledger_by_chat ON ledger (chat, seq) WHERE chat IS NOT NULL;

CREATE TABLE ledger_head (
    one  INTEGER PRIMARY KEY NOT NULL CHECK (one = 1),
    seq  INTEGER NOT NULL,
    hash BLOB NOT NULL
) STRICT;

INSERT INTO ledger_head (one, seq, hash) VALUES (1, 0, zeroblob(32));

-- A second line behind the code, which never edits the ledger.
CREATE TRIGGER ledger_is_never_edited BEFORE UPDATE ON ledger
BEGIN
    SELECT RAISE(ABORT, 'the ledger can not be edited');
END;

CREATE TRIGGER ledger_is_never_shortened BEFORE DELETE ON ledger
BEGIN
    SELECT RAISE(ABORT, 'the ledger can not be shortened');
END;

-- INSERT OR REPLACE deletes without asking the trigger above, hence this one.
CREATE TRIGGER ledger_only_grows BEFORE INSERT ON ledger
WHEN NEW.seq <> (SELECT seq + 1 FROM ledger_head)
BEGIN
    SELECT RAISE(ABORT, 'the ledger only grows at its end');
END;
