//! What a server may spend of the user's models, and what it has spent. The store adds up, each currency by itself; what
//! follows from the sums is decided elsewhere. Spending older than a day is not needed and is removed with the next entry.

use jiff::{SignedDuration, Timestamp};
use rusqlite::{OptionalExtension, Row, TransactionBehavior, params};
use vestibule_app_protocol::{Budget, Cost, Currency};
use vestibule_protocol::ServerId;

use crate::columns::{all, change, id};
use crate::{Store, StoreError};

/// What one request spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Tokens read and written.
    pub tokens: u64,
    /// In millionths of the currency.
    pub cost: u64,
    /// The currency of the model's prices.
    pub currency: Currency,
}

/// What a server spent in some time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpentTotal {
    /// Tokens read and written, by models of any currency.
    pub tokens: u64,
    /// One amount for each currency, in the order of the currencies. A currency without a cost is left out.
    pub costs: Vec<Cost>,
}

impl SpentTotal {
    /// The cost in one currency, in millionths.
    #[must_use]
    pub fn cost_in(&self, currency: Currency) -> u64 {
        let own = self.costs.iter().find(|cost| cost.currency == currency);
        own.map_or(0, |cost| cost.amount)
    }

    /// Adds the sums of another currency.
    fn add(&mut self, sum: Spent) {
        self.tokens = self.tokens.saturating_add(sum.tokens);
        self.costs.extend((sum.cost > 0).then_some(Cost {
            currency: sum.currency,
            amount: sum.cost,
        }));
    }
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
            Ok(statement
                .query_row([server.to_string()], budget_from_row)
                .optional()?)
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
                "INSERT INTO budgets (server, tokens_hour, tokens_day, cost_hour, cost_day, currency)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                 ON CONFLICT (server) DO UPDATE SET
                 tokens_hour = ?2, tokens_day = ?3, cost_hour = ?4, cost_day = ?5, currency = ?6",
                params![
                    server.to_string(),
                    budget.tokens_hour,
                    budget.tokens_day,
                    budget.cost_hour,
                    budget.cost_day,
                    budget.currency.to_string()
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
                "INSERT INTO spending (server, at, tokens, cost, currency) VALUES (?1, ?2, ?3, ?4, ?5)",
                params![
                    server.to_string(),
                    at.as_millisecond(),
                    whole(spent.tokens),
                    whole(spent.cost),
                    spent.currency.to_string()
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
                "UPDATE spending SET tokens = ?2, cost = ?3, currency = ?4 WHERE id = ?1",
                params![
                    row,
                    whole(spent.tokens),
                    whole(spent.cost),
                    spent.currency.to_string()
                ],
            )?;
            Ok(())
        })
        .await
    }

    /// What a server has spent since then.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if a row cannot be read; [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn spent_since(&self, server: ServerId, since: Timestamp) -> Result<SpentTotal, StoreError> {
        let sql = "SELECT currency, sum(tokens) AS tokens, sum(cost) AS cost
                   FROM spending WHERE server = ?1 AND at >= ?2 GROUP BY currency ORDER BY currency";
        let (server, since) = (server.to_string(), since.as_millisecond());
        let sums = self
            .read(move |c| all(c, sql, params![server, since], sum_from_row))
            .await?;
        let mut total = SpentTotal::default();
        sums.into_iter().for_each(|sum| total.add(sum));
        Ok(total)
    }
}

fn budget_from_row(row: &Row<'_>) -> rusqlite::Result<Budget> {
    Ok(Budget {
        tokens_hour: row.get("tokens_hour")?,
        tokens_day: row.get("tokens_day")?,
        cost_hour: row.get("cost_hour")?,
        cost_day: row.get("cost_day")?,
        currency: id(row, "currency")?,
    })
}

fn sum_from_row(row: &Row<'_>) -> rusqlite::Result<Spent> {
    let number = |column: &str| {
        row.get::<_, i64>(column)
            .map(|sum| u64::try_from(sum).unwrap_or(0))
    };
    Ok(Spent {
        tokens: number("tokens")?,
        cost: number("cost")?,
        currency: id(row, "currency")?,
    })
}

fn whole(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
