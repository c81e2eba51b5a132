-- How often the body of the entry was replaced. Who has read an entry knows by it whether the body is still the same.
ALTER TABLE entries ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
-- The entries of a branch with their revisions are read from the index alone.
DROP INDEX entries_selected;
CREATE INDEX entries_selected ON entries (chat, position, id, revision) WHERE selected;
