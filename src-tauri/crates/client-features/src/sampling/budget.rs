//! What a server may spend of the user's models. Before a model is asked, what it may cost at most is set aside;
//! afterwards that is corrected to what it did cost. So several requests at once cannot spend the same tokens, and
//! a crash in between costs the server and not the user.

use jiff::{SignedDuration, Timestamp};
use vestibule_consent::{BudgetLeft, SampleBlock, SampleMessage, SampleTool};
use vestibule_protocol::ServerId;
use vestibule_store::{Spent, Store, StoreError};

use vestibule_app_protocol::{Budget, Currency, estimate};

/// What a server may spend until the user says otherwise.
pub const USUAL_BUDGET: Budget = Budget {
    tokens_hour: 50_000,
    tokens_day: 200_000,
    cost_hour: None,
    cost_day: None,
    currency: Currency::DOLLAR,
};

/// What a model costs, in millionths of a currency for a million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Prices {
    pub read: Option<u32>,
    pub written: Option<u32>,
    pub currency: Currency,
}

impl Prices {
    /// What so many tokens cost; `None` where no price is known.
    pub(crate) fn cost(self, read: u32, written: u32) -> Option<u64> {
        if self.read.is_none() && self.written.is_none() {
            return None;
        }
        let part = |tokens: u32, price: Option<u32>| u64::from(tokens) * u64::from(price.unwrap_or(0));
        Some((part(read, self.read) + part(written, self.written)).div_ceil(1_000_000))
    }
}

/// What a server may still spend at `now`.
///
/// # Errors
/// When it cannot be read; nothing may then be spent.
pub(crate) async fn left(store: &Store, server: ServerId, now: Timestamp) -> Result<BudgetLeft, StoreError> {
    let budget = store.budget(server).await?.unwrap_or(USUAL_BUDGET);
    let since = |hours| now.checked_sub(SignedDuration::from_hours(hours)).unwrap_or(now);
    let hour = store.spent_since(server, since(1)).await?;
    let day = store.spent_since(server, since(24)).await?;
    Ok(BudgetLeft {
        tokens_hour: remaining(budget.tokens_hour, hour.tokens),
        of_tokens_hour: budget.tokens_hour,
        tokens_day: remaining(budget.tokens_day, day.tokens),
        of_tokens_day: budget.tokens_day,
        cost_hour: budget
            .cost_hour
            .map(|most| remaining(most, hour.cost_in(budget.currency))),
        cost_day: budget
            .cost_day
            .map(|most| remaining(most, day.cost_in(budget.currency))),
        currency: budget.currency,
    })
}

/// The most tokens a reply may have so that reading `input` and writing it stays within what is left; 0 where the
/// budget is used up. Limits of cost hold for prices in their currency alone.
pub(crate) fn ceiling(left: &BudgetLeft, prices: Prices, input: u32, asked: u32) -> u32 {
    let tokens = left.tokens_hour.min(left.tokens_day).saturating_sub(input);
    let least = [left.cost_hour, left.cost_day].into_iter().flatten().min();
    let money = least.filter(|_| prices.currency == left.currency);
    let affordable = match (money, prices.written) {
        (Some(money), Some(price)) if price > 0 => {
            let after = u64::from(money).saturating_sub(prices.cost(input, 0).unwrap_or(0));
            u32::try_from(after * 1_000_000 / u64::from(price)).unwrap_or(u32::MAX)
        }
        (Some(money), _) if prices.cost(input, 0).unwrap_or(0) > u64::from(money) => 0,
        _ => u32::MAX,
    };
    asked.min(tokens).min(affordable)
}

/// What one request has set aside. Dropped, what was set aside stays spent.
#[derive(Debug)]
pub(crate) struct SetAside {
    row: i64,
}

/// Sets aside what a request may use at most.
///
/// # Errors
/// When it could not be written down; the model is then not asked.
pub(crate) async fn set_aside(
    store: &Store,
    server: ServerId,
    now: Timestamp,
    spent: Spent,
) -> Result<SetAside, StoreError> {
    let row = store.spend(server, now, spent).await?;
    Ok(SetAside { row })
}

impl SetAside {
    /// Corrects it to what was used.
    pub(crate) async fn used(self, store: &Store, spent: Spent) {
        if let Err(error) = store.correct_spending(self.row, spent).await {
            tracing::error!(%error, "failed to correct a sampling budget; the estimate stays counted");
        }
    }
}

/// About how many tokens a model reads, a little too many rather than too few.
pub(crate) fn estimate(system: Option<&str>, messages: &[SampleMessage], tools: &[SampleTool]) -> u32 {
    let mut tokens = words(system.unwrap_or_default());
    for message in messages {
        tokens += 4 + blocks(&message.blocks);
    }
    for tool in tools {
        tokens += 8 + words(&tool.name) + words(tool.description.as_deref().unwrap_or_default());
        tokens += words(&tool.input_schema.to_string());
    }
    u32::try_from(tokens).unwrap_or(u32::MAX)
}

/// About how many tokens these words are, and a fifth more, because a budget must not be estimated too low.
pub(crate) fn words(text: &str) -> u64 {
    let tokens = estimate::tokens(text);
    tokens + tokens.div_ceil(5)
}

fn blocks(all: &[SampleBlock]) -> u64 {
    let one = |block: &SampleBlock| match block {
        SampleBlock::Text { text } => words(text),
        SampleBlock::Image { .. } | SampleBlock::Audio { .. } => 1500,
        SampleBlock::ToolUse { name, input, .. } => {
            8 + words(name) + words(&serde_json::to_string(input).unwrap_or_default())
        }
        SampleBlock::ToolResult {
            blocks: inner,
            structured,
            ..
        } => 8 + blocks(inner) + structured.as_ref().map_or(0, |data| words(&data.to_string())),
    };
    all.iter().map(one).sum()
}

fn remaining(most: u32, spent: u64) -> u32 {
    u32::try_from(u64::from(most).saturating_sub(spent)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEFT: BudgetLeft = BudgetLeft {
        tokens_hour: 1000,
        of_tokens_hour: 50_000,
        tokens_day: 5000,
        of_tokens_day: 200_000,
        cost_hour: None,
        cost_day: None,
        currency: Currency::DOLLAR,
    };
    const FREE: Prices = Prices {
        read: None,
        written: None,
        currency: Currency::DOLLAR,
    };

    /// SA-023: the reply is held to what the budget leaves after the question itself.
    #[test]
    fn a_ceiling_never_reaches_beyond_the_budget() {
        for (input, asked, most) in [(100, 500, 500), (100, 5000, 900), (1000, 10, 0), (4000, 10, 0)] {
            assert_eq!(ceiling(&LEFT, FREE, input, asked), most, "{input} {asked}");
        }
    }

    /// SA-023: where there is a limit in money and a price, both bind.
    #[test]
    fn money_binds_where_prices_are_known() {
        let left = BudgetLeft {
            cost_hour: Some(2000),
            ..LEFT
        };
        let prices = Prices {
            read: Some(10_000_000),
            written: Some(10_000_000),
            ..FREE
        };
        // A token costs ten millionths: 100 read leave 100 to write.
        assert_eq!(ceiling(&left, prices, 100, 500), 100);
        assert_eq!(ceiling(&left, prices, 300, 500), 0);
        assert_eq!(ceiling(&left, FREE, 100, 500), 500);
        assert_eq!(prices.cost(100, 100), Some(2000));
    }

    #[test]
    fn a_limit_of_cost_holds_for_prices_in_its_currency_alone() {
        let left = BudgetLeft {
            cost_day: Some(0),
            ..LEFT
        };
        let prices = |currency| Prices {
            read: Some(10_000_000),
            written: Some(10_000_000),
            currency,
        };
        assert_eq!(ceiling(&left, prices(Currency::DOLLAR), 100, 500), 0);
        assert_eq!(ceiling(&left, prices("EUR".parse().unwrap()), 100, 500), 500);
    }

    #[test]
    fn a_price_that_is_not_known_is_not_zero() {
        assert_eq!(FREE.cost(10, 10), None);
        let half = Prices {
            read: Some(3_000_000),
            ..FREE
        };
        assert_eq!(half.cost(1_000_000, 5), Some(3_000_000));
    }

    #[test]
    fn words_are_estimated_a_little_too_high() {
        assert_eq!(words("six words of five letters each"), 8);
        assert_eq!(words("今天天气很好"), 6);
        assert_eq!(words(""), 0);
    }
}
