-- The entry that this one follows; NULL for the first of a chat. Entries of a chat with the same parent are versions of
-- one another. An entry comes after its parent, so positions go up along a branch.
ALTER TABLE entries ADD COLUMN parent TEXT REFERENCES entries (id);
-- Whether the entry belongs to the branch that its chat shows: the last of these entries and all its ancestors.
ALTER TABLE entries ADD COLUMN selected INTEGER NOT NULL DEFAULT 1;

UPDATE entries SET parent = (
    SELECT id FROM entries AS earlier
    WHERE earlier.chat = entries.chat AND earlier.position < entries.position
    ORDER BY earlier.position DESC LIMIT 1
);

CREATE INDEX entries_by_parent ON entries (parent, chat, position);
CREATE INDEX entries_selected ON entries (chat, position) WHERE selected;
