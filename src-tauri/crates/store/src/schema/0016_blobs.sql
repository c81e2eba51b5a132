-- Large parts of results, which the body of their entry only refers to. Content is in pieces, so that a part of it is read
-- without the rest. A piece of a text ends with a line where the line fits.
CREATE TABLE blobs (
    entry  TEXT NOT NULL REFERENCES entries (id) ON DELETE CASCADE,
    -- Its number among the blobs of the entry.
    number INTEGER NOT NULL,
    kind   TEXT NOT NULL,
    mime   TEXT,
    bytes  INTEGER NOT NULL,
    pieces INTEGER NOT NULL,
    PRIMARY KEY (entry, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE blob_pieces (
    entry   TEXT NOT NULL,
    number  INTEGER NOT NULL,
    -- Its place in the blob, from 0.
    piece   INTEGER NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY (entry, number, piece),
    FOREIGN KEY (entry, number) REFERENCES blobs (entry, number) ON DELETE CASCADE
) STRICT;
