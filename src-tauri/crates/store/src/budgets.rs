//! What a server may spend of the user's models, and what it has spent. The store adds up; what follows from the
//! sums is decided elsewhere. Spending older than a day is not needed and is removed with the next entry.

use jiff::{SignedDuration, Timestamp};
use rusqlite::{OptionalExtension, TransactionBehavior, params};
use vestibule_app_protocol::Budget;
use vestibule_protocol::ServerId;

use crate::columns::change;
use crate::{Store, StoreError};

/// What was spent in some time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Tokens read and written.
    pub tokens: u64,
    /// In millionths of the currency of the prices.
    pub cost: u64,
}

const DAY: SignedDuration = SignedDuration::from_hours(24);

impl Store {
    /// What a server may spend, where the user said so.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if the row cannot be read; [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn budget(&self, server: ServerId) -> Result<Option<Budget>, StoreError> {
        self.read(move |c| {
            let mut statement = c.prepare_cached("SELECT * FROM budgets WHERE server = ?1")?;
            let row = statement.query_row([server.to_string()], |row| {
                Ok(Budget {
                    tokens_hour: row.get("tokens_hour")?,
                    tokens_day: row.get("tokens_day")?,
                    cost_hour: row.get("cost_hour")?,
                    cost_day: row.get("cost_day")?,
                })
            });
            Ok(row.optional()?)
        })
        .await
    }

    /// Says what a server may spend.
    ///
    /// # Errors
    /// [`StoreError::Refused`] if there is no such server; otherwise as for every write.
    pub async fn put_budget(&self, server: ServerId, budget: Budget) -> Result<(), StoreError> {
        self.write(move |c| {
            change(
                c,
                "INSERT INTO budgets (server, tokens_hour, tokens_day, cost_hour, cost_day)
                 VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (server) DO UPDATE SET tokens_hour = ?2, tokens_day = ?3, cost_hour = ?4, cost_day = ?5",
                params![
                    server.to_string(),
                    budget.tokens_hour,
                    budget.tokens_day,
                    budget.cost_hour,
                    budget.cost_day
                ],
            )?;
            Ok(())
        })
        .await
    }

    /// Adds to what a server has spent, and gives back the number of the row, to correct it with.
    ///
    /// # Errors
    /// [`StoreError::Refused`] if there is no such server; otherwise as for every write.
    pub async fn spend(&self, server: ServerId, at: Timestamp, spent: Spent) -> Result<i64, StoreError> {
        self.write(move |c| {
            let transaction = c.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let old = at.checked_sub(DAY).unwrap_or(Timestamp::UNIX_EPOCH);
            change(
                &transaction,
                "DELETE FROM spending WHERE at < ?1",
                [old.as_millisecond()],
            )?;
            change(
                &transaction,
                "INSERT INTO spending (server, at, tokens, cost) VALUES (?1, ?2, ?3, ?4)",
                params![
                    server.to_string(),
                    at.as_millisecond(),
                    whole(spent.tokens),
                    whole(spent.cost)
                ],
            )?;
            let row = transaction.last_insert_rowid();
            transaction.commit()?;
            Ok(row)
        })
        .await
    }

    /// Puts what was really spent in the place of what was set aside.
    ///
    /// # Errors
    /// As for every write: [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Busy`], [`StoreError::Io`].
    pub async fn correct_spending(&self, row: i64, spent: Spent) -> Result<(), StoreError> {
        self.write(move |c| {
            change(
                c,
                "UPDATE spending SET tokens = ?2, cost = ?3 WHERE id = ?1",
                [row, whole(spent.tokens), whole(spent.cost)],
            )?;
            Ok(())
        })
        .await
    }

    /// What a server has spent since then.
    ///
    /// # Errors
    /// [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn spent_since(&self, server: ServerId, since: Timestamp) -> Result<Spent, StoreError> {
        self.read(move |c| {
            let sql = "SELECT coalesce(sum(tokens), 0) AS tokens, coalesce(sum(cost), 0) AS cost
                       FROM spending WHERE server = ?1 AND at >= ?2";
            let mut statement = c.prepare_cached(sql)?;
            let since = since.as_millisecond();
            Ok(statement.query_row(params![server.to_string(), since], |row| {
                let (tokens, cost): (i64, i64) = (row.get("tokens")?, row.get("cost")?);
                Ok(Spent {
                    tokens: u64::try_from(tokens).unwrap_or(0),
                    cost: u64::try_from(cost).unwrap_or(0),
                })
            })?)
        })
        .await
    }
}

fn whole(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
