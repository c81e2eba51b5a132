-- Files and hosts that records of the ledger name, in plain words, so that they can be searched for. The record keeps
-- a salted digest of its names; the words go with the chat or server they belong to.
CREATE TABLE ledger_words (
    seq    INTEGER PRIMARY KEY NOT NULL,
    server TEXT REFERENCES servers (id) ON DELETE CASCADE,
    chat   TEXT REFERENCES chats (id) ON DELETE CASCADE,
    salt   TEXT NOT NULL
) STRICT;

CREATE INDEX ledger_words_by_server ON ledger_words (server) WHERE server IS NOT NULL;
CREATE INDEX ledger_words_by_chat ON ledger_words (chat) WHERE chat IS NOT NULL;

CREATE TABLE ledger_names (
    seq  INTEGER NOT NULL REFERENCES ledger_words (seq) ON DELETE CASCADE,
    what TEXT NOT NULL CHECK (what IN ('file', 'host')),
    name TEXT NOT NULL,
    PRIMARY KEY (seq, what, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX ledger_names_by_name ON ledger_names (what, name);

-- The ledger's own checkpoints are few among many records.
CREATE INDEX ledger_checkpoints ON ledger (seq) WHERE kind = 'checkpoint';
