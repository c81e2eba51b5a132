//! What the models took: tokens and cost of each round of a chat, and their sums.

use std::collections::HashMap;

use jiff::Timestamp;
use rusqlite::{Row, params};
use vestibule_app_protocol::Currency;
use vestibule_protocol::{ChatId, ModelId};

use crate::columns::{all, change, id};
use crate::model_costs::{Costs, add_cost};
use crate::{Store, StoreError};

/// Tokens and cost of one round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModelUsage {
    /// Tokens read, with those from the cache.
    pub input: u64,
    pub output: u64,
    /// The part of the input read from the vendor's cache.
    pub cached: u64,
    /// In millionths of a millionth of the currency; `None` where no price is known.
    pub cost: Option<u64>,
    /// The currency of the prices.
    pub currency: Currency,
}

/// Tokens and costs of all rounds of a chat.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChatUsage {
    /// Tokens read, with those from the cache.
    pub input: u64,
    pub output: u64,
    /// The part of the input read from the vendor's cache.
    pub cached: u64,
    /// The costs of rounds with a known price, in the order of their currencies.
    pub costs: Costs,
}

impl Store {
    /// Notes what one round of a chat took, and adds its cost to that of the day, which stays also where the chat does
    /// not.
    ///
    /// # Errors
    /// [`StoreError::Unknown`] if the chat is gone; otherwise as for every write.
    pub async fn add_model_usage(
        &self,
        chat: ChatId,
        model: ModelId,
        at: Timestamp,
        usage: ModelUsage,
    ) -> Result<(), StoreError> {
        if chat.is_temporary() {
            // The sums by day are in the file, for budgets.
            let cost = usage.cost.unwrap_or(0);
            self.add_model_cost(at, usage.currency, cost).await?;
        }
        let (id, model) = (chat.to_string(), model.to_string());
        let noted = self.change_at(chat, move |c| {
            let sql = "INSERT INTO model_usage (chat, at, model, input, output, cached, cost, currency)
                       SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8 WHERE EXISTS (SELECT 1 FROM chats WHERE id = ?1)";
            add_cost(c, at, usage.currency, usage.cost.unwrap_or(0))?;
            let at = at.as_millisecond();
            let count = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
            let (input, output, cached) = (count(usage.input), count(usage.output), count(usage.cached));
            let cost = usage.cost.map(count);
            let row = params![id, at, model, input, output, cached, cost, usage.currency.to_string()];
            Ok(change(c, sql, row)?)
        });
        match noted.await? {
            0 => Err(StoreError::Unknown {
                what: "chat",
                id: chat.to_string(),
            }),
            _ => Ok(()),
        }
    }

    /// What each chat took so far; chats in which no model said what it took are left out.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if a row cannot be read; [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn model_usage(&self) -> Result<HashMap<ChatId, ChatUsage>, StoreError> {
        let sums = self.read_all(|c| all(c, &sums_where("TRUE"), [], from_row));
        let mut chats: HashMap<ChatId, ChatUsage> = HashMap::new();
        for (chat, sum) in sums.await? {
            chats.entry(chat).or_default().add(sum);
        }
        Ok(chats)
    }

    /// What one chat took so far; `None` where no model said what it took.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if a row cannot be read; [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn model_usage_of_chat(&self, chat: ChatId) -> Result<Option<ChatUsage>, StoreError> {
        let id = chat.to_string();
        let sums = self
            .read_at(chat, move |c| all(c, &sums_where("chat = ?1"), [id], from_row))
            .await?;
        let mut total = None;
        for (_, sum) in sums {
            total.get_or_insert_with(ChatUsage::default).add(sum);
        }
        Ok(total)
    }
}

impl ChatUsage {
    /// Adds the sum of another currency.
    fn add(&mut self, sum: ModelUsage) {
        self.input = self.input.saturating_add(sum.input);
        self.output = self.output.saturating_add(sum.output);
        self.cached = self.cached.saturating_add(sum.cached);
        self.costs.extend(sum.cost.map(|cost| (sum.currency, cost)));
    }
}

/// The sums of the chosen rounds by chat and currency. `total` cannot overflow, whatever a server claims to have counted.
fn sums_where(rounds: &str) -> String {
    format!(
        "SELECT chat, currency, total(input) AS input, total(output) AS output, total(cached) AS cached,
                CASE WHEN count(cost) > 0 THEN total(cost) END AS cost
         FROM model_usage WHERE {rounds} GROUP BY chat, currency ORDER BY currency"
    )
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "sums of counts that were whole and not negative; the cast saturates"
)]
fn from_row(row: &Row<'_>) -> rusqlite::Result<(ChatId, ModelUsage)> {
    let number = |column: &str| row.get::<_, f64>(column).map(|number| number as u64);
    let cost: Option<f64> = row.get("cost")?;
    let sum = ModelUsage {
        input: number("input")?,
        output: number("output")?,
        cached: number("cached")?,
        cost: cost.map(|cost| cost as u64),
        currency: id(row, "currency")?,
    };
    Ok((id(row, "chat")?, sum))
}
