-- The MACs of the rows that permit something: rules, servers and accepted tool definitions. The key is in the
-- keychain. An entry has no foreign key: it stays when its row is deleted from outside, and so shows the deletion.
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

-- The MAC of the whole list, with a generation that only grows.
CREATE TABLE row_macs_head (
    one        INTEGER PRIMARY KEY NOT NULL CHECK (one = 1),
    generation INTEGER NOT NULL,
    mac        BLOB NOT NULL
) STRICT;
