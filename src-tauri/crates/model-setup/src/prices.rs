//! What a model's tokens cost, by the prices that are known of it.

use vestibule_app_protocol::{ChatUsageView, Cost, Currency, FactSource, FactsView, UsageView};
use vestibule_models::Usage;
use vestibule_store::{ChatUsage, Costs, ModelUsage};

/// Prices in millionths for a million tokens; `None` where the user does not know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModelPrices {
    input: Option<u32>,
    output: Option<u32>,
    cached: Option<u32>,
    currency: Currency,
}

impl ModelPrices {
    /// The prices that hold, of any source. `own` is the currency of those that the user entered.
    pub(crate) fn from_facts(facts: &FactsView, own: Currency) -> Self {
        facts.prices.map_or_else(Self::default, |prices| Self {
            input: prices.input,
            output: prices.output,
            cached: prices.cached,
            currency: currency_of(prices.source, own),
        })
    }

    /// The currency they are in.
    pub fn currency(self) -> Currency {
        self.currency
    }

    /// Whether tokens cost nothing: by the prices that are known, or where none is, because the model is on this computer.
    pub(crate) fn is_free(self, local: bool) -> bool {
        let known = [self.input, self.output, self.cached];
        if known == [None; 3] {
            return local;
        }
        known.into_iter().flatten().all(|price| price == 0)
    }

    /// What a round took and cost. Cached tokens without a price of their own cost what others do.
    pub fn price(self, usage: Usage) -> ModelUsage {
        let cached = usage.cached.min(usage.input);
        let part = |tokens: u64, price: Option<u32>| tokens.saturating_mul(u64::from(price.unwrap_or(0)));
        let known = self.input.or(self.output).or(self.cached).is_some();
        let cost = part(usage.input - cached, self.input)
            .saturating_add(part(cached, self.cached.or(self.input)))
            .saturating_add(part(usage.output, self.output));
        ModelUsage {
            input: usage.input,
            output: usage.output,
            cached,
            cost: known.then_some(cost),
            currency: self.currency,
        }
    }
}

/// The currency of the prices of a source. `own` is that of the user.
pub(crate) fn currency_of(source: FactSource, own: Currency) -> Currency {
    match source {
        FactSource::User => own,
        FactSource::Server | FactSource::Catalogue => Currency::DOLLAR,
    }
}

/// What a round took, as windows show it: the cost in millionths, rounded.
pub fn usage_view(usage: ModelUsage) -> UsageView {
    UsageView {
        input: usage.input,
        output: usage.output,
        cached: usage.cached,
        cost: usage.cost.map(in_millionths),
        currency: usage.currency,
    }
}

/// What a chat took, as windows show it.
pub fn chat_usage_view(usage: ChatUsage) -> ChatUsageView {
    ChatUsageView {
        input: usage.input,
        output: usage.output,
        cached: usage.cached,
        costs: cost_views(usage.costs),
    }
}

/// Sums as windows show them: in millionths, rounded.
pub(super) fn cost_views(costs: Costs) -> Vec<Cost> {
    let view = |(currency, cost)| Cost {
        currency,
        amount: in_millionths(cost),
    };
    costs.into_iter().map(view).collect()
}

/// How many of the store's units a millionth is.
pub(super) const MILLIONTH: u64 = 1_000_000;

/// A cost of the store in millionths, rounded.
pub(super) fn in_millionths(cost: u64) -> u64 {
    cost.saturating_add(MILLIONTH / 2) / MILLIONTH
}

#[cfg(test)]
mod tests {
    use super::*;
    use vestibule_app_protocol::PricesFact;

    #[test]
    fn cached_tokens_cost_their_own_price() {
        let prices = ModelPrices {
            input: Some(3_000_000),
            output: Some(15_000_000),
            cached: Some(300_000),
            currency: Currency::DOLLAR,
        };
        let usage = Usage {
            input: 10_000,
            output: 200,
            cached: 9_000,
        };
        // 1,000 × 3 + 9,000 × 0.30 + 200 × 15, for a million each: 0.0087.
        assert_eq!(usage_view(prices.price(usage)).cost, Some(8_700));
        assert_eq!(ModelPrices::default().price(usage).cost, None);
    }

    #[test]
    fn only_the_prices_of_the_user_are_in_the_currency_of_the_user() {
        let own: Currency = "EUR".parse().unwrap();
        for (source, currency) in [
            (FactSource::User, own),
            (FactSource::Server, Currency::DOLLAR),
            (FactSource::Catalogue, Currency::DOLLAR),
        ] {
            let prices = Some(PricesFact {
                input: Some(1),
                output: None,
                cached: None,
                source,
            });
            let facts = FactsView {
                prices,
                ..FactsView::default()
            };
            assert_eq!(ModelPrices::from_facts(&facts, own).currency(), currency);
        }
    }

    #[test]
    fn a_model_without_a_price_is_free_on_this_computer_alone() {
        let prices = |input| ModelPrices {
            input,
            ..ModelPrices::default()
        };
        for (price, local, free) in [
            (None, true, true),
            (None, false, false),
            (Some(0), false, true),
            (Some(1), true, false),
        ] {
            assert_eq!(prices(price).is_free(local), free, "{price:?} {local}");
        }
    }
}
