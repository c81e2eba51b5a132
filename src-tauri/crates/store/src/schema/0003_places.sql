-- A server is started here (command, args, env, cwd) or reached at an address (url, transport, headers).
-- It is at an address exactly where there is a url; the columns of the other kind are then empty.
ALTER TABLE servers ADD COLUMN era TEXT NOT NULL DEFAULT 'auto';
ALTER TABLE servers ADD COLUMN url TEXT;
ALTER TABLE servers ADD COLUMN transport TEXT NOT NULL DEFAULT 'auto';
-- Names only: the values are in the keychain.
ALTER TABLE servers ADD COLUMN headers TEXT NOT NULL DEFAULT '[]';
