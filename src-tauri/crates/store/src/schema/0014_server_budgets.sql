-- The cost limits of a server's budget are in one currency. What it spends is kept with its currency and never added
-- across. Amounts of before are in the currency that the user's prices have: that of the settings, else US dollars.
ALTER TABLE budgets ADD COLUMN currency TEXT NOT NULL DEFAULT 'USD';
ALTER TABLE spending ADD COLUMN currency TEXT NOT NULL DEFAULT 'USD';

UPDATE budgets SET currency = own.currency FROM (
    SELECT CASE WHEN json_valid(value) THEN json_extract(value, '$.currency') END AS currency
    FROM settings WHERE key = 'settings'
) AS own WHERE own.currency GLOB '[A-Z][A-Z][A-Z]';

UPDATE spending SET currency = own.currency FROM (
    SELECT CASE WHEN json_valid(value) THEN json_extract(value, '$.currency') END AS currency
    FROM settings WHERE key = 'settings'
) AS own WHERE own.currency GLOB '[A-Z][A-Z][A-Z]';
