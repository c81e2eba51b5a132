-- Workspaces: sets of folders, and which server was told of which folder.
CREATE TABLE workspaces (
    id      TEXT PRIMARY KEY NOT NULL,
    -- Empty for the one every chat begins in: its name is the interface's to say.
    name    TEXT NOT NULL,
    created INTEGER NOT NULL
) STRICT;

INSERT INTO workspaces (id, name, created) VALUES ('00000000-0000-0000-0000-000000000000', '', 0);

CREATE TABLE folders (
    workspace TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    -- Canonical: absolute, without links in it.
    path      TEXT NOT NULL,
    added     INTEGER NOT NULL,
    PRIMARY KEY (workspace, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE shared_folders (
    server TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
    path   TEXT NOT NULL,
    shared INTEGER NOT NULL,
    -- When the server was last told of it; NULL while it has not asked.
    told   INTEGER,
    PRIMARY KEY (server, path)
) STRICT, WITHOUT ROWID;

-- Sampling: what a server may spend of the person's models, and what it has spent. Costs are in millionths of the
-- currency the person wrote the prices in.
CREATE TABLE budgets (
    server      TEXT PRIMARY KEY NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
    tokens_hour INTEGER NOT NULL,
    tokens_day  INTEGER NOT NULL,
    cost_hour   INTEGER,
    cost_day    INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE spending (
    id     INTEGER PRIMARY KEY NOT NULL,
    server TEXT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
    at     INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    cost   INTEGER NOT NULL
) STRICT;

CREATE INDEX spending_by_server ON spending (server, at);

-- In millionths per million tokens read and written; NULL where the person does not know.
ALTER TABLE models ADD COLUMN price_in INTEGER;
ALTER TABLE models ADD COLUMN price_out INTEGER;
