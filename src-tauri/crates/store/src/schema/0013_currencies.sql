-- Costs are kept by currency and never added across. Those of before count as US dollars.
ALTER TABLE model_usage ADD COLUMN currency TEXT NOT NULL DEFAULT 'USD';

CREATE TABLE costs_by_currency (
    -- The day where the user is, as YYYY-MM-DD.
    day      TEXT NOT NULL,
    -- Three letters of ISO 4217.
    currency TEXT NOT NULL,
    -- In millionths of a millionth of the currency; never more than the half of what fits.
    cost     INTEGER NOT NULL,
    PRIMARY KEY (day, currency)
) STRICT;

INSERT INTO costs_by_currency (day, currency, cost) SELECT day, 'USD', cost FROM model_costs;
DROP TABLE model_costs;
ALTER TABLE costs_by_currency RENAME TO model_costs;
