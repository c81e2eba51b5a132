PRAGMA application_id = 1449489268;
PRAGMA user_version = 5;
PRAGMA foreign_keys = OFF;
BEGIN TRANSACTION;
CREATE TABLE approved_tools (
    server     TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
    name       TEXT NOT NULL,
    digest     TEXT NOT NULL,
    definition TEXT NOT NULL,
    approved   INTEGER NOT NULL,
    PRIMARY KEY (server, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE budgets (
    server      TEXT PRIMARY KEY NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
    tokens_hour INTEGER NOT NULL,
    tokens_day  INTEGER NOT NULL,
    cost_hour   INTEGER,
    cost_day    INTEGER
) STRICT, WITHOUT ROWID;
CREATE TABLE chats (
    id        TEXT PRIMARY KEY NOT NULL,
    workspace TEXT NOT NULL,
    title     TEXT NOT NULL,
    model     TEXT,
    created   INTEGER NOT NULL,
    updated   INTEGER NOT NULL
) STRICT;
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
CREATE TABLE folders (
    workspace TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    -- Canonical: absolute, without links in it.
    path      TEXT NOT NULL,
    added     INTEGER NOT NULL,
    PRIMARY KEY (workspace, path)
) STRICT, WITHOUT ROWID;
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
CREATE TABLE ledger_head (
    one  INTEGER PRIMARY KEY NOT NULL CHECK (one = 1),
    seq  INTEGER NOT NULL,
    hash BLOB NOT NULL
) STRICT;
INSERT INTO "ledger_head" VALUES(1,0,X'0000000000000000000000000000000000000000000000000000000000000000');
CREATE TABLE ledger_names (
    seq  INTEGER NOT NULL REFERENCES ledger_words (seq) ON DELETE CASCADE,
    what TEXT NOT NULL CHECK (what IN ('file', 'host')),
    name TEXT NOT NULL,
    PRIMARY KEY (seq, what, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE ledger_words (
    seq    INTEGER PRIMARY KEY NOT NULL,
    server TEXT REFERENCES servers (id) ON DELETE CASCADE,
    chat   TEXT REFERENCES chats (id) ON DELETE CASCADE,
    salt   TEXT NOT NULL
) STRICT;
CREATE TABLE models (
    id       TEXT PRIMARY KEY NOT NULL,
    label    TEXT NOT NULL,
    kind     TEXT NOT NULL,
    base_url TEXT,
    model    TEXT NOT NULL,
    created  INTEGER NOT NULL
, price_in INTEGER, price_out INTEGER) STRICT;
CREATE TABLE rules (
    id        TEXT PRIMARY KEY NOT NULL,
    server    TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
    chat      TEXT REFERENCES chats (id) ON DELETE CASCADE,
    body      TEXT NOT NULL,
    created   INTEGER NOT NULL,
    last_used INTEGER,
    expires   INTEGER
) STRICT;
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
, era TEXT NOT NULL DEFAULT 'auto', url TEXT, transport TEXT NOT NULL DEFAULT 'auto', headers TEXT NOT NULL DEFAULT '[]') STRICT;
INSERT INTO "servers" VALUES('01a2068b-deba-7653-9d2a-1ddfbb1f4c03','notes','/usr/bin/notes-server','["--root","my notes"]','["NOTES_TOKEN"]','/home/person',1,1700000000123,'auto',NULL,'auto','[]');
INSERT INTO "servers" VALUES('01a2068b-deba-7653-9d2a-1de04f018d21','other','/usr/bin/notes-server','["--root","my notes"]','["NOTES_TOKEN"]','/home/person',1,1700000000123,'auto',NULL,'auto','[]');
CREATE TABLE settings (
    key   TEXT PRIMARY KEY NOT NULL,
    value TEXT NOT NULL
) STRICT;
CREATE TABLE shared_folders (
    server TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
    path   TEXT NOT NULL,
    shared INTEGER NOT NULL,
    -- When the server was last told of it; NULL while it has not asked.
    told   INTEGER,
    PRIMARY KEY (server, path)
) STRICT, WITHOUT ROWID;
CREATE TABLE spending (
    id     INTEGER PRIMARY KEY NOT NULL,
    server TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
    at     INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    cost   INTEGER NOT NULL
) STRICT;
INSERT INTO "spending" VALUES(1,'01a2068b-deba-7653-9d2a-1ddfbb1f4c03',1795395359561,100,10);
INSERT INTO "spending" VALUES(2,'01a2068b-deba-7653-9d2a-1ddfbb1f4c03',1795406159561,40,4);
INSERT INTO "spending" VALUES(3,'01a2068b-deba-7653-9d2a-1de04f018d21',1795406159561,5,5);
CREATE TABLE tasks (
    entry  TEXT PRIMARY KEY NOT NULL REFERENCES entries (id) ON DELETE CASCADE,
    server TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
    record TEXT NOT NULL
) STRICT;
CREATE TABLE workspaces (
    id      TEXT PRIMARY KEY NOT NULL,
    -- Empty for the one every chat begins in: its name is the interface's to say.
    name    TEXT NOT NULL,
    created INTEGER NOT NULL
) STRICT;
INSERT INTO "workspaces" VALUES('00000000-0000-0000-0000-000000000000','',0);
CREATE INDEX chats_by_updated ON chats (updated DESC, id DESC);
CREATE INDEX rules_by_server ON rules (server);
CREATE INDEX rules_by_chat ON rules (chat) WHERE chat IS NOT NULL;
CREATE INDEX entries_by_state ON entries (state) WHERE state IS NOT NULL;
CREATE INDEX ledger_by_server ON ledger (server, seq) WHERE server IS NOT NULL;
CREATE INDEX ledger_by_chat ON ledger (chat, seq) WHERE chat IS NOT NULL;
CREATE TRIGGER ledger_is_never_edited BEFORE UPDATE ON ledger
BEGIN
    SELECT RAISE(ABORT, 'the ledger can not be edited');
END;
CREATE TRIGGER ledger_is_never_shortened BEFORE DELETE ON ledger
BEGIN
    SELECT RAISE(ABORT, 'the ledger can not be shortened');
END;
CREATE TRIGGER ledger_only_grows BEFORE INSERT ON ledger
WHEN NEW.seq <> (SELECT seq + 1 FROM ledger_head)
BEGIN
    SELECT RAISE(ABORT, 'the ledger only grows at its end');
END;
CREATE INDEX spending_by_server ON spending (server, at);
CREATE INDEX ledger_words_by_server ON ledger_words (server) WHERE server IS NOT NULL;
CREATE INDEX ledger_words_by_chat ON ledger_words (chat) WHERE chat IS NOT NULL;
CREATE INDEX ledger_names_by_name ON ledger_names (what, name);
CREATE INDEX ledger_checkpoints ON ledger (seq) WHERE kind = 'checkpoint';
COMMIT;
