-- Files that are attached in a chat and not sent yet, as the user sees them.
CREATE TABLE draft_files (
    id   TEXT PRIMARY KEY NOT NULL,
    chat TEXT NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    body TEXT NOT NULL
) STRICT;

CREATE INDEX draft_files_by_chat ON draft_files (chat);
