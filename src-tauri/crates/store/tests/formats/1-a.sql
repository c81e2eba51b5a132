PRAGMA application_id = 1449489268;
PRAGMA user_version = 1;
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
INSERT INTO "approved_tools" VALUES('01a20683-40d7-7210-b834-462871322b49','read_page','sha256:00','{"inputSchema":{"type":"object"}}',8);
CREATE TABLE chats (
    id        TEXT PRIMARY KEY NOT NULL,
    workspace TEXT NOT NULL,
    title     TEXT NOT NULL,
    model     TEXT,
    created   INTEGER NOT NULL,
    updated   INTEGER NOT NULL
) STRICT;
INSERT INTO "chats" VALUES('01a20683-40d7-7210-b834-462a310aa491','00000000-0000-0000-0000-000000000000','Trip to Oslo','01a20683-40d7-7210-b834-4629a151c42c',1,20);
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
INSERT INTO "entries" VALUES('01a20683-40d7-7210-b834-462c5f6dffd5','01a20683-40d7-7210-b834-462a310aa491',0,20,'done','{"state":"done","text":"What should I pack?"}');
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
INSERT INTO "ledger" VALUES(1,X'0000000000000000000000000000000000000000000000000000000000000000',1795405594983,'intent',NULL,NULL,'tool.call','tool 1','allow','["the person said so"]','{"number":1,"ratio":0.1,"text":"line\nbreak \u001b[31m \"quoted\""}',X'208F1E5554B0FE008C0E041D0B0901CDA5A54F018A304DAA0FD174C63D8F1126');
CREATE TABLE ledger_head (
    one  INTEGER PRIMARY KEY NOT NULL CHECK (one = 1),
    seq  INTEGER NOT NULL,
    hash BLOB NOT NULL
) STRICT;
INSERT INTO "ledger_head" VALUES(1,1,X'208F1E5554B0FE008C0E041D0B0901CDA5A54F018A304DAA0FD174C63D8F1126');
CREATE TABLE models (
    id       TEXT PRIMARY KEY NOT NULL,
    label    TEXT NOT NULL,
    kind     TEXT NOT NULL,
    base_url TEXT,
    model    TEXT NOT NULL,
    created  INTEGER NOT NULL
) STRICT;
INSERT INTO "models" VALUES('01a20683-40d7-7210-b834-4629a151c42c','At home','openai','http://localhost:11434/v1','small',7);
CREATE TABLE rules (
    id        TEXT PRIMARY KEY NOT NULL,
    server    TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
    chat      TEXT REFERENCES chats (id) ON DELETE CASCADE,
    body      TEXT NOT NULL,
    created   INTEGER NOT NULL,
    last_used INTEGER,
    expires   INTEGER
) STRICT;
INSERT INTO "rules" VALUES('01a20683-40d7-7210-b834-462bdc7cad01','01a20683-40d7-7210-b834-462871322b49','01a20683-40d7-7210-b834-462a310aa491','{"decision":"allow","tool":"read_page"}',5,NULL,9999999);
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
INSERT INTO "servers" VALUES('01a20683-40d7-7210-b834-462871322b49','notes','/usr/bin/notes-server','["--root","my notes"]','["NOTES_TOKEN"]','/home/person',1,1700000000123);
CREATE TABLE settings (
    key   TEXT PRIMARY KEY NOT NULL,
    value TEXT NOT NULL
) STRICT;
INSERT INTO "settings" VALUES('theme','"dark"');
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
COMMIT;
