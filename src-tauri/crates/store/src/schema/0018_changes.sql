-- `changed` is the number of the change in its chat that the body of an entry came with: a change gets a higher one than
-- all bodies of its chat have. Who has read a branch reads again what has a higher number than they have seen.
DROP INDEX entries_selected;
ALTER TABLE entries RENAME COLUMN revision TO changed;
CREATE INDEX entries_selected ON entries (chat, position) WHERE selected;
-- The entries of a branch with their numbers are read from the index alone.
CREATE INDEX entries_changed ON entries (chat, changed, selected, position, id);

-- How often the branch that a chat shows was changed, other than by an entry at its end.
ALTER TABLE chats ADD COLUMN branch_changes INTEGER NOT NULL DEFAULT 0;
CREATE TRIGGER entry_selected_or_not AFTER UPDATE OF selected ON entries WHEN NEW.selected <> OLD.selected
BEGIN
    UPDATE chats SET branch_changes = branch_changes + 1 WHERE id = NEW.chat;
END;
CREATE TRIGGER entry_deleted AFTER DELETE ON entries
BEGIN
    UPDATE chats SET branch_changes = branch_changes + 1 WHERE id = OLD.chat;
END;

-- The chat of the entry, so that the replies in a chat are found without a look at each of its entries.
ALTER TABLE native_replies ADD COLUMN chat TEXT REFERENCES chats (id) ON DELETE CASCADE;
UPDATE native_replies SET chat = (SELECT chat FROM entries WHERE entries.id = native_replies.entry);
CREATE INDEX native_replies_by_chat ON native_replies (chat, configured);
