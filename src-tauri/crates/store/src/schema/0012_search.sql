-- The number of an entry in `entry_words`; NULL until its words are there. Unlike a rowid it survives VACUUM.
ALTER TABLE entries ADD COLUMN number INTEGER;
CREATE UNIQUE INDEX entries_by_number ON entries (number) WHERE number IS NOT NULL;
CREATE INDEX entries_without_number ON entries (state) WHERE number IS NULL;

-- Which entry has which word. The words are made by Vestibule and hold no other character than letters, digits and a
-- space between words. Neither texts nor places of words are kept, so hits are compared with the entries.
CREATE VIRTUAL TABLE entry_words USING fts5 (
    words, content = '', columnsize = 0, detail = none, tokenize = 'ascii', prefix = '1'
);
-- What is deleted is removed from the index at once, not marked.
INSERT INTO entry_words (entry_words, rank) VALUES ('secure-delete', 1);

ALTER TABLE chats ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
ALTER TABLE chats ADD COLUMN archived INTEGER NOT NULL DEFAULT 0;
-- When it was moved to the trash; NULL where it was not.
ALTER TABLE chats ADD COLUMN trashed INTEGER;
