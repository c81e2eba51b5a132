-- Tasks of servers that go on: what has to be known to ask for them again after the application was closed.
-- The record names the task, which may be all a stranger needs to read its result, so it never leaves this table
-- for a window.
CREATE TABLE tasks (
    entry  TEXT PRIMARY KEY NOT NULL REFERENCES entries (id) ON DELETE CASCADE,
    server TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
    record TEXT NOT NULL
) STRICT;
