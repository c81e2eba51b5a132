-- What a model wrote in one round, in its vendor's form: signatures and encrypted reasoning among it. It goes back to
-- the model it came from and to no other, and like a task's record it never leaves this table for a window.
CREATE TABLE native_replies (
    entry      TEXT PRIMARY KEY NOT NULL REFERENCES entries (id) ON DELETE CASCADE,
    -- Where it came from: the user's model, its address, how it was spoken to, and its name there.
    connection TEXT NOT NULL,
    address    TEXT NOT NULL,
    wire       TEXT NOT NULL,
    model      TEXT NOT NULL,
    reply      TEXT NOT NULL
) STRICT;

-- What each round of a chat took. It outlives its entry, because it was spent all the same.
CREATE TABLE model_usage (
    id     INTEGER PRIMARY KEY NOT NULL,
    chat   TEXT NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    at     INTEGER NOT NULL,
    model  TEXT NOT NULL,
    input  INTEGER NOT NULL,
    output INTEGER NOT NULL,
    -- The part of the input that was read from the vendor's cache.
    cached INTEGER NOT NULL,
    -- In millionths of a millionth of the currency of the prices, so that sums are exact; NULL without a price.
    cost   INTEGER
) STRICT;

CREATE INDEX model_usage_by_chat ON model_usage (chat);

-- In millionths per million tokens; NULL where the user does not know.
ALTER TABLE models ADD COLUMN price_cached INTEGER;
-- The most tokens the model may be made to read; NULL leaves it to Vestibule.
ALTER TABLE models ADD COLUMN context INTEGER;

-- The model that refused tools in this chat, and with which it goes on without them.
ALTER TABLE chats ADD COLUMN without_tools TEXT;
