//! What the user's models cost on each day, by currency, for budgets. The sums stay when a chat is deleted, because its
//! cost does not come back. A day begins at midnight where the user is.

use jiff::Timestamp;
use rusqlite::{Connection, params};
use vestibule_app_protocol::Currency;

use crate::columns::{all, change, id};
use crate::{Store, StoreError};

/// The most a day may come to, so that no sum of two overflows, whatever a server claims to have counted.
const MOST: i64 = 4_000_000_000_000_000_000;

/// Sums by currency, in millionths of a millionth of it. A currency without a cost is left out.
pub type Costs = Vec<(Currency, u64)>;

impl Store {
    /// Adds to what models cost on the day of `at`, in millionths of a millionth of the currency.
    ///
    /// # Errors
    /// As for every write: [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Busy`], [`StoreError::Io`].
    pub async fn add_model_cost(
        &self,
        at: Timestamp,
        currency: Currency,
        cost: u64,
    ) -> Result<(), StoreError> {
        self.write(move |c| Ok(add_cost(c, at, currency, cost)?)).await
    }

    /// What models cost in the calendar month of `at`, where the user is.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if a row cannot be read; [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn model_costs_of_month(&self, at: Timestamp) -> Result<Costs, StoreError> {
        self.model_costs(
            "substr(day, 1, 7) = strftime('%Y-%m', ?1 / 1000, 'unixepoch', 'localtime')",
            at,
        )
        .await
    }

    /// What models cost on the day of `at`, where the user is.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if a row cannot be read; [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn model_costs_of_day(&self, at: Timestamp) -> Result<Costs, StoreError> {
        self.model_costs("day = date(?1 / 1000, 'unixepoch', 'localtime')", at)
            .await
    }

    async fn model_costs(&self, days: &'static str, at: Timestamp) -> Result<Costs, StoreError> {
        self.read(move |c| {
            let sql = format!(
                "SELECT currency, CAST(min(total(cost), {MOST}) AS INTEGER) AS cost FROM model_costs
                 WHERE {days} GROUP BY currency ORDER BY currency"
            );
            all(c, &sql, [at.as_millisecond()], |row| {
                let cost: i64 = row.get("cost")?;
                Ok((id(row, "currency")?, u64::try_from(cost).unwrap_or(0)))
            })
        })
        .await
    }
}

/// Adds to the cost of a day as part of another change.
pub(crate) fn add_cost(
    connection: &Connection,
    at: Timestamp,
    currency: Currency,
    cost: u64,
) -> rusqlite::Result<()> {
    if cost == 0 {
        return Ok(());
    }
    let cost = i64::try_from(cost).unwrap_or(MOST).min(MOST);
    let sql = "INSERT INTO model_costs (day, currency, cost)
               VALUES (date(?1 / 1000, 'unixepoch', 'localtime'), ?2, ?3)
               ON CONFLICT (day, currency) DO UPDATE SET cost = min(cost + ?3, ?4)";
    change(
        connection,
        sql,
        params![at.as_millisecond(), currency.to_string(), cost, MOST],
    )?;
    Ok(())
}
