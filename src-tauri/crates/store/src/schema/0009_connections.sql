-- A way to models: an address, how it is spoken to, and one key, which is in the keychain.
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

-- Each model becomes a connection of the same id, so that its key is found under the name it always had.
INSERT INTO connections (id, label, wire, base_url, headers, created, unmerged)
SELECT id, '', kind, COALESCE(base_url, ''), '[]', created, 1 FROM models WHERE kind <> 'rehearsal';

-- NULL for the rehearsal.
ALTER TABLE models ADD COLUMN connection TEXT REFERENCES connections (id) ON DELETE CASCADE;
UPDATE models SET connection = id WHERE kind <> 'rehearsal';
ALTER TABLE models DROP COLUMN kind;
ALTER TABLE models DROP COLUMN base_url;
CREATE INDEX models_by_connection ON models (connection) WHERE connection IS NOT NULL;

ALTER TABLE models ADD COLUMN favourite INTEGER NOT NULL DEFAULT 0;
-- What the user says the model can do; NULL where the user says nothing.
ALTER TABLE models ADD COLUMN tools INTEGER;
ALTER TABLE models ADD COLUMN images INTEGER;
ALTER TABLE models ADD COLUMN thinking INTEGER;
-- What its server said of it, as JSON; NULL where it was not asked.
ALTER TABLE models ADD COLUMN reported TEXT;

-- What a chat asks of its model, as JSON; NULL leaves all of it to the model.
ALTER TABLE chats ADD COLUMN settings TEXT;

-- The column names the user's model, which is something else than a connection.
ALTER TABLE native_replies RENAME COLUMN connection TO configured;
