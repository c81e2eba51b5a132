-- What the user's models cost on each day, also in chats that were deleted since and in replies to servers.
CREATE TABLE model_costs (
    -- The day where the user is, as YYYY-MM-DD.
    day  TEXT PRIMARY KEY NOT NULL,
    -- In millionths of a millionth of the currency of the prices; never more than the half of what fits.
    cost INTEGER NOT NULL
) STRICT;

INSERT INTO model_costs (day, cost)
SELECT date(at / 1000, 'unixepoch', 'localtime'), CAST(min(total(cost), 4e18) AS INTEGER)
FROM model_usage WHERE cost IS NOT NULL AND at BETWEEN 0 AND 253402300799999 GROUP BY 1;

-- That a model refuses tools is a fact of the model, as the user says it, and not of one chat.
UPDATE models SET tools = 0
WHERE id IN (SELECT without_tools FROM chats WHERE without_tools IS NOT NULL);
ALTER TABLE chats DROP COLUMN without_tools;
