//! What a model's tokens cost, by the prices that are known of it.

use vestibule_app_protocol::{ChatUsageView, Cost, Currency, FactSource, FactsView, PriceSummary, UsageView};
use vestibule_models::Usage;
use vestibule_store::{ChatUsage, ConnectionRecord, Costs, ModelRecord, ModelUsage};

use crate::facts::facts_of;

/// Prices in millionths for a million tokens; `None` where the user does not know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModelPrices {
    input: Option<u32>,
    output: Option<u32>,
    cached: Option<u32>,
    cache_write: Option<u32>,
    currency: Currency,
}

impl ModelPrices {
    /// The prices of a stored model. `own` is the currency of those that the user entered.
    pub(crate) fn of(record: &ModelRecord, connection: Option<&ConnectionRecord>, own: Currency) -> Self {
        Self::from_facts(&facts_of(record, connection), own)
    }

    /// The prices that hold, of any source. `own` is the currency of those that the user entered.
    fn from_facts(facts: &FactsView, own: Currency) -> Self {
        facts.prices.map_or_else(Self::default, |prices| Self {
            input: prices.input,
            output: prices.output,
            cached: prices.cached,
            cache_write: prices.cache_write,
            currency: currency_of(prices.source, own),
        })
    }

    /// The currency they are in.
    pub fn currency(self) -> Currency {
        self.currency
    }

    /// Whether tokens cost nothing: by the prices that are known, or where none is, because the model is on this computer.
    pub(crate) fn is_free(self, local: bool) -> bool {
        let known = self.known();
        if known == [None; 4] {
            return local;
        }
        known.into_iter().flatten().all(|price| price == 0)
    }

    /// Whether any token costs something.
    pub fn has_cost(self) -> bool {
        self.for_each_token() != [0; 4]
    }

    /// Whether less of what a model costs would be counted than with the prices of `before`: a lower price, another
    /// currency, or none at all, so that no budget stops the model.
    pub(crate) fn counts_less_than(self, before: Self, local: bool) -> bool {
        let (own, held) = (self.for_each_token(), before.for_each_token());
        let is_lower = own.iter().zip(held).any(|(own, held)| *own < held);
        let is_moved = self.currency != before.currency && held != [0; 4];
        is_lower || is_moved || self.is_free(local) && !before.is_free(local)
    }

    fn known(self) -> [Option<u32>; 4] {
        [self.input, self.output, self.cached, self.cache_write]
    }

    /// What tokens read, written, read from a cache and written to one count for.
    fn for_each_token(self) -> [u32; 4] {
        let [input, output, cached, cache_write] = self.known();
        [input, output, cached.or(input), cache_write.or(input)].map(Option::unwrap_or_default)
    }

    /// The prices as a card shows them; `None` where none is known.
    pub(crate) fn summary(self) -> Option<PriceSummary> {
        let Self {
            input,
            output,
            cached,
            currency,
            ..
        } = self;
        input.or(output).or(cached).map(|_| PriceSummary {
            input,
            output,
            cached,
            currency,
        })
    }

    /// What a round took and cost. Tokens of a cache without a price of their own cost what others do.
    pub fn price(self, usage: Usage) -> ModelUsage {
        let cached = usage.cached.min(usage.input);
        let written = usage.cache_written.min(usage.input - cached);
        let tokens = [usage.input - cached - written, usage.output, cached, written];
        let known = self.known() != [None; 4];
        let cost = tokens
            .into_iter()
            .zip(self.for_each_token())
            .map(|(tokens, price)| tokens.saturating_mul(u64::from(price)))
            .fold(0, u64::saturating_add);
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
        estimated: false,
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
            cache_write: Some(3_750_000),
            currency: Currency::DOLLAR,
        };
        let usage = Usage {
            input: 10_000,
            output: 200,
            cached: 9_000,
            cache_written: 0,
        };
        // 1,000 × 3 + 9,000 × 0.30 + 200 × 15, for a million each: 0.0087.
        assert_eq!(usage_view(prices.price(usage)).cost, Some(8_700));
        let writing = Usage {
            cache_written: 800,
            ..usage
        };
        // 200 × 3 + 800 × 3.75 + 9,000 × 0.30 + 200 × 15, for a million each: 0.0093.
        assert_eq!(usage_view(prices.price(writing)).cost, Some(9_300));
        let without = ModelPrices {
            cache_write: None,
            ..prices
        };
        assert_eq!(usage_view(without.price(writing)).cost, Some(8_700));
        // A count that cannot be true costs no more than what was read.
        let absurd = Usage {
            cache_written: u64::MAX,
            ..usage
        };
        assert_eq!(usage_view(prices.price(absurd)).cost, Some(9_450));
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
                cache_write: None,
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
    fn prices_count_less_where_one_is_lower_or_counted_elsewhere_or_nothing_stops_the_model() {
        let prices = |input, output, cached| ModelPrices {
            input,
            output,
            cached,
            cache_write: None,
            currency: Currency::DOLLAR,
        };
        let writing = |cache_write| ModelPrices {
            cache_write: Some(cache_write),
            ..prices(Some(4), Some(9), None)
        };
        let euros = |prices| ModelPrices {
            currency: "EUR".parse().unwrap(),
            ..prices
        };
        let unknown = prices(None, None, None);
        let (held, free) = (prices(Some(4), Some(9), None), prices(Some(0), None, None));
        for (before, after, less) in [
            (held, held, false),
            (held, prices(Some(5), Some(9), None), false),
            (held, prices(Some(3), Some(9), None), true),
            (held, prices(Some(4), Some(8), None), true),
            (held, prices(Some(4), None, None), true),
            // Tokens of a cache cost what others do unless they have a price.
            (held, prices(Some(4), Some(9), Some(4)), false),
            (held, prices(Some(4), Some(9), Some(3)), true),
            (prices(Some(4), Some(9), Some(3)), held, false),
            (held, writing(5), false),
            (held, writing(3), true),
            (writing(5), held, true),
            (writing(3), held, false),
            (held, unknown, true),
            (unknown, held, false),
            (held, euros(held), true),
            (unknown, euros(held), false),
            (free, euros(free), false),
            (unknown, free, true),
            (free, unknown, false),
        ] {
            assert_eq!(
                after.counts_less_than(before, false),
                less,
                "{before:?} {after:?}"
            );
        }
        assert!(
            !free.counts_less_than(unknown, true),
            "a model on this computer was free before"
        );
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
