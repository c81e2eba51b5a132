PRAGMA application_id = 1449489268;
PRAGMA user_version = 17;
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
INSERT INTO "approved_tools" VALUES('01a20690-3b85-716d-87c2-b1dab5b5f6bc','read_page','sha256:00','{"inputSchema":{"type":"object"}}',8);
CREATE TABLE budgets (
    server      TEXT PRIMARY KEY NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
    tokens_hour INTEGER NOT NULL,
    tokens_day  INTEGER NOT NULL,
    cost_hour   INTEGER,
    cost_day    INTEGER
, currency TEXT NOT NULL DEFAULT 'USD') STRICT, WITHOUT ROWID;
INSERT INTO "budgets" VALUES('01a20690-3b85-716d-87c2-b1dab5b5f6bc',1000,2000,NULL,5000000,'EUR');
CREATE TABLE chats (
    id        TEXT PRIMARY KEY NOT NULL,
    workspace TEXT NOT NULL,
    title     TEXT NOT NULL,
    model     TEXT,
    created   INTEGER NOT NULL,
    updated   INTEGER NOT NULL
, settings TEXT, pinned INTEGER NOT NULL DEFAULT 0, archived INTEGER NOT NULL DEFAULT 0, trashed INTEGER) STRICT;
INSERT INTO "chats" VALUES('01a20690-3b85-716d-87c2-b1dc8b272dc8','00000000-0000-0000-0000-000000000000','Trip to Oslo','01a20690-3b85-716d-87c2-b1dbf83dc93b',1,20,'{"longest":64}',0,0,NULL);
INSERT INTO "chats" VALUES('01a20690-3b85-716d-87c2-b1dc8b272dc9','00000000-0000-0000-0000-000000000000','Another',NULL,2,30,NULL,0,0,NULL);
CREATE TABLE connections (
    id       TEXT PRIMARY KEY NOT NULL,
    -- What the user calls it; empty where the address names it.
    label    TEXT NOT NULL,
    wire     TEXT NOT NULL,
    base_url TEXT NOT NULL,
    -- The names of extra headers as a JSON list. Their values are in the keychain.
    headers  TEXT NOT NULL,
    created  INTEGER NOT NULL,
    -- Whether it was part of a model, and may be the same connection as another model's. Only the keychain knows
    -- whether their keys are equal, so it is found out when the application opens.
    unmerged INTEGER NOT NULL
) STRICT;
INSERT INTO "connections" VALUES('01a20690-3b85-716d-87c2-b1dbf83dc93b','At home','openai','http://localhost:11434/v1','[]',7,0);
CREATE TABLE entries (
    id       TEXT PRIMARY KEY NOT NULL,
    chat     TEXT NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    -- A copy of the body's own "state", so that finding interrupted entries need not parse every body.
    state    TEXT,
    body     TEXT NOT NULL, parent TEXT REFERENCES entries (id), selected INTEGER NOT NULL DEFAULT 1, number INTEGER, revision INTEGER NOT NULL DEFAULT 0,
    UNIQUE (chat, position)
) STRICT;
INSERT INTO "entries" VALUES('01a20690-3b85-716d-87c2-b1de6d80e3ef','01a20690-3b85-716d-87c2-b1dc8b272dc8',0,20,'done','{"state":"done","text":"What should I pack?"}',NULL,1,NULL,1);
INSERT INTO "entries" VALUES('01a20690-3b85-716d-87c2-b1de6d80e3f0','01a20690-3b85-716d-87c2-b1dc8b272dc8',1,21,'done','{"kind":"assistant","text":"A coat.","reasoning":"","model":"small","scripted":false,"state":"done"}','01a20690-3b85-716d-87c2-b1de6d80e3ef',1,NULL,0);
INSERT INTO "entries" VALUES('01a20690-3b85-716d-87c2-b1de6d80e3f1','01a20690-3b85-716d-87c2-b1dc8b272dc8',2,22,NULL,'{"kind":"user","text":"And shoes?","attachments":[]}','01a20690-3b85-716d-87c2-b1de6d80e3f0',1,NULL,1);
INSERT INTO "entries" VALUES('01a20690-3b85-716d-87c2-b1de6d80e3f2','01a20690-3b85-716d-87c2-b1dc8b272dc8',4,24,'done','{"kind":"assistant","text":"Two pairs.","reasoning":"","model":"small","scripted":false,"state":"done"}','01a20690-3b85-716d-87c2-b1de6d80e3f1',1,NULL,0);
INSERT INTO "entries" VALUES('01a20690-3b85-716d-87c2-b1de6d80e3f3','01a20690-3b85-716d-87c2-b1dc8b272dc9',0,30,NULL,'{"kind":"user","text":"Hello","attachments":[]}',NULL,1,NULL,1);
INSERT INTO "entries" VALUES('01a20690-3b85-716d-87c2-b1de6d80e3f4','01a20690-3b85-716d-87c2-b1dc8b272dc8',3,23,'done','{"kind":"assistant","text":"One pair.","reasoning":"","model":"small","scripted":false,"state":"done"}','01a20690-3b85-716d-87c2-b1de6d80e3f1',0,NULL,0);
CREATE VIRTUAL TABLE entry_words USING fts5 (
    words, content = '', columnsize = 0, detail = none, tokenize = 'ascii', prefix = '1'
);
INSERT INTO entry_words (entry_words, rank) VALUES ('secure-delete', 1);
CREATE TABLE folders (
    workspace TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    -- Canonical: absolute, without links in it.
    path      TEXT NOT NULL,
    added     INTEGER NOT NULL,
    PRIMARY KEY (workspace, path)
) STRICT, WITHOUT ROWID;
INSERT INTO "folders" VALUES('00000000-0000-0000-0000-000000000000','/home/ada/notes',30);
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
INSERT INTO "ledger" VALUES(1,X'0000000000000000000000000000000000000000000000000000000000000000',1795406445516,'intent',NULL,NULL,'tool.call','tool 1','allow','["the person said so"]','{"number":1,"ratio":0.1,"text":"line\nbreak \u001b[31m \"quoted\""}',X'175A32901DC3E1725ABC4828F777C6C81005DCCD27685CE910F6970F6E03BBC1');
CREATE TABLE ledger_head (
    one  INTEGER PRIMARY KEY NOT NULL CHECK (one = 1),
    seq  INTEGER NOT NULL,
    hash BLOB NOT NULL
) STRICT;
INSERT INTO "ledger_head" VALUES(1,1,X'175A32901DC3E1725ABC4828F777C6C81005DCCD27685CE910F6970F6E03BBC1');
CREATE TABLE "ledger_names" (
    seq  INTEGER NOT NULL REFERENCES "ledger_words" (seq) ON DELETE CASCADE,
    what TEXT NOT NULL CHECK (what IN ('file', 'host')),
    name TEXT NOT NULL,
    PRIMARY KEY (seq, what, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE ledger_servers (
    id      TEXT PRIMARY KEY NOT NULL,
    -- Empty for a server that was removed before this table existed.
    name    TEXT NOT NULL,
    -- When it was removed; NULL while it is there. Where the name is empty: when its last record was written.
    removed INTEGER
) STRICT, WITHOUT ROWID;
INSERT INTO "ledger_servers" VALUES('01a20690-3b85-716d-87c2-b1dab5b5f6bc','notes',NULL);
CREATE TABLE "ledger_words" (
    seq    INTEGER PRIMARY KEY NOT NULL,
    server TEXT REFERENCES ledger_servers (id) ON DELETE CASCADE,
    chat   TEXT REFERENCES chats (id) ON DELETE CASCADE,
    salt   TEXT NOT NULL
) STRICT;
CREATE TABLE "model_costs" (
    -- The day where the user is, as YYYY-MM-DD.
    day      TEXT NOT NULL,
    -- Three letters of ISO 4217.
    currency TEXT NOT NULL,
    -- In millionths of a millionth of the currency; never more than the half of what fits.
    cost     INTEGER NOT NULL,
    PRIMARY KEY (day, currency)
) STRICT;
INSERT INTO "model_costs" VALUES('2026-09-21','USD',1550000000);
INSERT INTO "model_costs" VALUES('2026-09-21','EUR',250000000);
CREATE TABLE model_usage (
    id     INTEGER PRIMARY KEY NOT NULL,
    chat   TEXT NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    at     INTEGER NOT NULL,
    model  TEXT NOT NULL,
    input  INTEGER NOT NULL,
    output INTEGER NOT NULL,
    -- The part of the input that was read from the vendor's cache.
    cached INTEGER NOT NULL,
    -- In millionths of a millionth of the currency of the prices, so that sums are exact; NULL without a price.
    cost   INTEGER
, currency TEXT NOT NULL DEFAULT 'USD') STRICT;
INSERT INTO "model_usage" VALUES(1,'01a20690-3b85-716d-87c2-b1dc8b272dc8',1790000000000,'01a20690-3b85-716d-87c2-b1dbf83dc93b',1200,80,1000,1550000000,'USD');
INSERT INTO "model_usage" VALUES(2,'01a20690-3b85-716d-87c2-b1dc8b272dc8',1790000600000,'01a20690-3b85-716d-87c2-b1dbf83dc93b',9,3,0,NULL,'USD');
INSERT INTO "model_usage" VALUES(3,'01a20690-3b85-716d-87c2-b1dc8b272dc8',1790000900000,'01a20690-3b85-716d-87c2-b1dbf83dc93b',40,6,0,250000000,'EUR');
CREATE TABLE models (
    id       TEXT PRIMARY KEY NOT NULL,
    label    TEXT NOT NULL,
    model    TEXT NOT NULL,
    created  INTEGER NOT NULL
, price_in INTEGER, price_out INTEGER, price_cached INTEGER, context INTEGER, connection TEXT REFERENCES connections (id) ON DELETE CASCADE, favourite INTEGER NOT NULL DEFAULT 0, tools INTEGER, images INTEGER, thinking INTEGER, reported TEXT) STRICT;
INSERT INTO "models" VALUES('01a20690-3b85-716d-87c2-b1dbf83dc93b','At home','small',7,150000,NULL,NULL,NULL,'01a20690-3b85-716d-87c2-b1dbf83dc93b',1,NULL,0,NULL,'{"context":8192}');
CREATE TABLE native_replies (
    entry      TEXT PRIMARY KEY NOT NULL REFERENCES entries (id) ON DELETE CASCADE,
    -- Where it came from: the user's model, its address, how it was spoken to, and its name there.
    configured TEXT NOT NULL,
    address    TEXT NOT NULL,
    wire       TEXT NOT NULL,
    model      TEXT NOT NULL,
    reply      TEXT NOT NULL
) STRICT;
INSERT INTO "native_replies" VALUES('01a20690-3b85-716d-87c2-b1de6d80e3ef','01a20690-3b85-716d-87c2-b1dbf83dc93b','http://localhost:11434/v1','open_ai_compatible','small','{"signature":"c2ln"}');
CREATE TABLE row_macs (
    kind    TEXT NOT NULL CHECK (kind IN ('rule', 'server', 'tool')),
    id      TEXT NOT NULL,
    mac     BLOB NOT NULL,
    -- The signed columns as JSON, except for tools, whose definitions are large.
    content TEXT,
    -- 1 where the whole list was older than the keychain remembers when this row was found in it.
    stale   INTEGER NOT NULL,
    PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
INSERT INTO "row_macs" VALUES('server','01a20690-3b85-716d-87c2-b1dab5b5f6bc',X'0000000000000000000000000000000000000000000000000000000000000000','[]',0);
CREATE TABLE row_macs_head (
    one        INTEGER PRIMARY KEY NOT NULL CHECK (one = 1),
    generation INTEGER NOT NULL,
    mac        BLOB NOT NULL
) STRICT;
INSERT INTO "row_macs_head" VALUES(1,3,X'0000000000000000000000000000000000000000000000000000000000000000');
CREATE TABLE rules (
    id        TEXT PRIMARY KEY NOT NULL,
    server    TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
    chat      TEXT REFERENCES chats (id) ON DELETE CASCADE,
    body      TEXT NOT NULL,
    created   INTEGER NOT NULL,
    last_used INTEGER,
    expires   INTEGER
) STRICT;
INSERT INTO "rules" VALUES('01a20690-3b85-716d-87c2-b1dd0599c98e','01a20690-3b85-716d-87c2-b1dab5b5f6bc','01a20690-3b85-716d-87c2-b1dc8b272dc8','{"decision":"allow","tool":"read_page"}',5,NULL,9999999);
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
INSERT INTO "servers" VALUES('01a20690-3b85-716d-87c2-b1dab5b5f6bc','notes','/usr/bin/notes-server','["--root","my notes"]','["NOTES_TOKEN"]','/home/person',1,1700000000123,'auto',NULL,'auto','[]');
CREATE TABLE settings (
    key   TEXT PRIMARY KEY NOT NULL,
    value TEXT NOT NULL
) STRICT;
INSERT INTO "settings" VALUES('theme','"dark"');
INSERT INTO "settings" VALUES('settings','{"appearance":"system","language":"system","default_model":"01a20690-3b85-716d-87c2-b1dbf83dc93b","max_rounds":25,"call_timeout_s":60,"notify":true,"zoom":100,"currency":"EUR","budget":null}');
CREATE TABLE shared_folders (
    server TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
    path   TEXT NOT NULL,
    shared INTEGER NOT NULL,
    -- When the server was last told of it; NULL while it has not asked.
    told   INTEGER,
    PRIMARY KEY (server, path)
) STRICT, WITHOUT ROWID;
INSERT INTO "shared_folders" VALUES('01a20690-3b85-716d-87c2-b1dab5b5f6bc','/home/ada/notes',31,32);
CREATE TABLE spending (
    id     INTEGER PRIMARY KEY NOT NULL,
    server TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
    at     INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    cost   INTEGER NOT NULL
, currency TEXT NOT NULL DEFAULT 'USD') STRICT;
INSERT INTO "spending" VALUES(1,'01a20690-3b85-716d-87c2-b1dab5b5f6bc',1790000000000,900,1200,'EUR');
CREATE TABLE tasks (
    entry  TEXT PRIMARY KEY NOT NULL REFERENCES entries (id) ON DELETE CASCADE,
    server TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
    record TEXT NOT NULL
) STRICT;
INSERT INTO "tasks" VALUES('01a20690-3b85-716d-87c2-b1de6d80e3ef','01a20690-3b85-716d-87c2-b1dab5b5f6bc','{"task":"t-1"}');
CREATE TABLE workspaces (
    id      TEXT PRIMARY KEY NOT NULL,
    -- Empty for the one every chat begins in: its name is the interface's to say.
    name    TEXT NOT NULL,
    created INTEGER NOT NULL
) STRICT;
INSERT INTO "workspaces" VALUES('00000000-0000-0000-0000-000000000000','',0);
CREATE INDEX chats_by_updated ON chats (updated DESC, id DESC);
CREATE UNIQUE INDEX entries_by_number ON entries (number) WHERE number IS NOT NULL;
CREATE INDEX entries_by_parent ON entries (parent, chat, position);
CREATE INDEX entries_by_state ON entries (state) WHERE state IS NOT NULL;
CREATE INDEX entries_selected ON entries (chat, position, id, revision) WHERE selected;
CREATE INDEX entries_without_number ON entries (state) WHERE number IS NULL;
CREATE INDEX ledger_by_chat ON ledger (chat, seq) WHERE chat IS NOT NULL;
CREATE INDEX ledger_by_server ON ledger (server, seq) WHERE server IS NOT NULL;
CREATE INDEX ledger_checkpoints ON ledger (seq) WHERE kind = 'checkpoint';
CREATE INDEX ledger_config ON ledger (seq) WHERE kind = 'config';
CREATE INDEX ledger_names_by_name ON ledger_names (what, name);
CREATE INDEX ledger_words_by_chat ON ledger_words (chat) WHERE chat IS NOT NULL;
CREATE INDEX ledger_words_by_server ON ledger_words (server) WHERE server IS NOT NULL;
CREATE INDEX model_usage_by_chat ON model_usage (chat);
CREATE INDEX models_by_connection ON models (connection) WHERE connection IS NOT NULL;
CREATE INDEX rules_by_chat ON rules (chat) WHERE chat IS NOT NULL;
CREATE INDEX rules_by_server ON rules (server);
CREATE INDEX spending_by_server ON spending (server, at);
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
CREATE TABLE draft_files (
    id   TEXT PRIMARY KEY NOT NULL,
    chat TEXT NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    body TEXT NOT NULL
) STRICT;
INSERT INTO "draft_files" VALUES('01a20690-3b85-716d-87c2-b1ddb5b5f6bc','01a20690-3b85-716d-87c2-b1dc8b272dc8','{"from":{"from":"file","name":"trip.txt","bytes":4}}');
CREATE INDEX draft_files_by_chat ON draft_files (chat);
CREATE TABLE blobs (
    entry  TEXT NOT NULL REFERENCES entries (id) ON DELETE CASCADE,
    -- Its number among the blobs of the entry.
    number INTEGER NOT NULL,
    kind   TEXT NOT NULL,
    mime   TEXT,
    bytes  INTEGER NOT NULL,
    pieces INTEGER NOT NULL,
    PRIMARY KEY (entry, number)
) STRICT, WITHOUT ROWID;
INSERT INTO "blobs" VALUES('01a20690-3b85-716d-87c2-b1de6d80e3ef',0,'text',NULL,4,1);
CREATE TABLE blob_pieces (
    entry   TEXT NOT NULL,
    number  INTEGER NOT NULL,
    -- Its place in the blob, from 0.
    piece   INTEGER NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY (entry, number, piece),
    FOREIGN KEY (entry, number) REFERENCES blobs (entry, number) ON DELETE CASCADE
) STRICT;
INSERT INTO "blob_pieces" VALUES('01a20690-3b85-716d-87c2-b1de6d80e3ef',0,0,X'74726970');
COMMIT;
