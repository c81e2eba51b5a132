-- Every server the ledger knows, with its last name. Removing a server leaves its row here, and with it the files and
-- hosts its records name, until the user deletes what the ledger knows of it.
CREATE TABLE ledger_servers (
    id      TEXT PRIMARY KEY NOT NULL,
    -- Empty for a server that was removed before this table existed.
    name    TEXT NOT NULL,
    -- When it was removed; NULL while it is there. Where the name is empty: when its last record was written.
    removed INTEGER
) STRICT, WITHOUT ROWID;

INSERT INTO ledger_servers (id, name, removed) SELECT id, name, NULL FROM servers;
INSERT INTO ledger_servers (id, name, removed)
    SELECT server, '', max(at) FROM ledger
    WHERE server IS NOT NULL AND server NOT IN (SELECT id FROM servers) GROUP BY server;

-- The same tables as before, except that the words of a server belong to its row above. Both are made again, because
-- dropping the first while the second refers to it would delete every name.
CREATE TABLE words_again (
    seq    INTEGER PRIMARY KEY NOT NULL,
    server TEXT REFERENCES ledger_servers (id) ON DELETE CASCADE,
    chat   TEXT REFERENCES chats (id) ON DELETE CASCADE,
    salt   TEXT NOT NULL
) STRICT;

CREATE TABLE names_again (
    seq  INTEGER NOT NULL REFERENCES words_again (seq) ON DELETE CASCADE,
    what TEXT NOT NULL CHECK (what IN ('file', 'host')),
    name TEXT NOT NULL,
    PRIMARY KEY (seq, what, name)
) STRICT, WITHOUT ROWID;

INSERT INTO words_again (seq, server, chat, salt)
    SELECT seq, server, chat, salt FROM ledger_words
    WHERE (server IS NULL OR server IN (SELECT id FROM ledger_servers))
      AND (chat IS NULL OR chat IN (SELECT id FROM chats));
INSERT INTO names_again (seq, what, name)
    SELECT seq, what, name FROM ledger_names WHERE seq IN (SELECT seq FROM words_again);

DROP TABLE ledger_names;
DROP TABLE ledger_words;
ALTER TABLE words_again RENAME TO ledger_words;
ALTER TABLE names_again RENAME TO ledger_names;

CREATE INDEX ledger_words_by_server ON ledger_words (server) WHERE server IS NOT NULL;
CREATE INDEX ledger_words_by_chat ON ledger_words (chat) WHERE chat IS NOT NULL;
CREATE INDEX ledger_names_by_name ON ledger_names (what, name);

-- Verification reads what the user deleted before it reads the records; such records are few among many.
CREATE INDEX ledger_config ON ledger (seq) WHERE kind = 'config';
