//! What the user's models cost on each day, for a budget. The sums stay when a chat is deleted, because its cost does
//! not come back.

use jiff::Timestamp;
use rusqlite::{Connection, params};

use crate::columns::change;
use crate::{Store, StoreError};

/// The most a day may come to, so that no sum of two overflows, whatever a server claims to have counted.
const MOST: i64 = 4_000_000_000_000_000_000;

impl Store {
    /// Adds to what models cost on the day of `at`, in millionths of a millionth of the currency of the prices.
    ///
    /// # Errors
    /// As for every write: [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Busy`], [`StoreError::Io`].
    pub async fn add_model_cost(&self, at: Timestamp, cost: u64) -> Result<(), StoreError> {
        self.write(move |c| Ok(add_cost(c, at, cost)?)).await
    }

    /// What models cost in the calendar month of `at`, where the user is, in the same unit.
    ///
    /// # Errors
    /// [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn model_cost_of_month(&self, at: Timestamp) -> Result<u64, StoreError> {
        self.read(move |c| {
            let sql = "SELECT CAST(min(total(cost), ?2) AS INTEGER) FROM model_costs
                       WHERE substr(day, 1, 7) = strftime('%Y-%m', ?1 / 1000, 'unixepoch', 'localtime')";
            let mut statement = c.prepare_cached(sql)?;
            let cost: i64 = statement.query_row(params![at.as_millisecond(), MOST], |row| row.get(0))?;
            Ok(u64::try_from(cost).unwrap_or(0))
        })
        .await
    }
}

/// Adds to the cost of a day as part of another change.
pub(crate) fn add_cost(connection: &Connection, at: Timestamp, cost: u64) -> rusqlite::Result<()> {
    if cost == 0 {
        return Ok(());
    }
    let cost = i64::try_from(cost).unwrap_or(MOST).min(MOST);
    let sql = "INSERT INTO model_costs (day, cost) VALUES (date(?1 / 1000, 'unixepoch', 'localtime'), ?2)
               ON CONFLICT (day) DO UPDATE SET cost = min(cost + ?2, ?3)";
    change(connection, sql, params![at.as_millisecond(), cost, MOST])?;
    Ok(())
}
