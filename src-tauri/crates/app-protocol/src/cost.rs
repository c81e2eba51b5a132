//! What models cost, and budgets for it. Amounts in different currencies are never added together.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A currency by its three letters in ISO 4217.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ts_rs::TS)]
#[serde(try_from = "String", into = "String")]
#[ts(as = "String")]
pub struct Currency([u8; 3]);

impl Currency {
    /// The currency of prices from a server or the catalogue.
    pub const DOLLAR: Self = Self(*b"USD");
}

impl Default for Currency {
    fn default() -> Self {
        Self::DOLLAR
    }
}

/// A text that is not three capital letters.
#[derive(Debug, thiserror::Error)]
#[error("a currency has three capital letters")]
pub struct NoCurrency;

impl FromStr for Currency {
    type Err = NoCurrency;

    fn from_str(text: &str) -> Result<Self, NoCurrency> {
        let letters: [u8; 3] = text.as_bytes().try_into().map_err(|_| NoCurrency)?;
        let is_code = letters.iter().all(u8::is_ascii_uppercase);
        is_code.then_some(Self(letters)).ok_or(NoCurrency)
    }
}

impl TryFrom<String> for Currency {
    type Error = NoCurrency;

    fn try_from(text: String) -> Result<Self, NoCurrency> {
        text.parse()
    }
}

impl From<Currency> for String {
    fn from(currency: Currency) -> Self {
        currency.to_string()
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|letter| write!(f, "{}", char::from(*letter)))
    }
}

/// An amount of money.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct Cost {
    pub currency: Currency,
    /// In millionths of the currency.
    #[ts(type = "number")]
    pub amount: u64,
}

/// What the user's models cost in two times, one amount for each currency.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct CostsView {
    /// Since the last midnight where the user is.
    pub day: Vec<Cost>,
    /// In the calendar month where the user is.
    pub month: Vec<Cost>,
}

/// What a budget counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum BudgetScope {
    /// The rounds of one chat, since it began.
    Chat,
    /// Everything since the last midnight where the user is.
    Day,
    /// Everything in the calendar month.
    #[default]
    Month,
}

/// What the user's models may cost in some time or one chat. Costs in another currency do not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct CostBudget {
    /// In millionths of the currency.
    #[ts(type = "number")]
    pub limit: u64,
    /// US dollars in a budget that was stored without one.
    #[serde(default)]
    pub currency: Currency,
    /// Whether models that cost something are not asked once it is used up. Otherwise there is a warning only.
    pub stop: bool,
}

impl CostBudget {
    /// Whether more could be spent than before without another question: only a budget that stops can be raised.
    #[must_use]
    pub fn is_raised(before: Option<Self>, after: Option<Self>) -> bool {
        let Some(before) = before.filter(|before| before.stop) else {
            return false;
        };
        after.is_none_or(|after| {
            !after.stop || after.currency != before.currency || after.limit > before.limit
        })
    }
}

/// A budget that is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct UsedBudget {
    pub scope: BudgetScope,
    pub budget: CostBudget,
    /// What was spent of it, in millionths of its currency.
    #[ts(type = "number")]
    pub spent: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_budget_that_stops_can_be_raised() {
        let budget = |limit, stop| {
            let currency = Currency::DOLLAR;
            Some(CostBudget {
                limit,
                currency,
                stop,
            })
        };
        let euros = Some(CostBudget {
            limit: 1,
            currency: "EUR".parse().unwrap(),
            stop: true,
        });
        for (before, after, more) in [
            (None, budget(1, true), false),
            (None, budget(1, false), false),
            (budget(5, false), None, false),
            (budget(5, false), budget(9, true), false),
            (budget(5, true), budget(4, true), false),
            (budget(5, true), budget(6, true), true),
            (budget(5, true), budget(5, false), true),
            (budget(5, true), None, true),
            (budget(5, true), euros, true),
        ] {
            assert_eq!(CostBudget::is_raised(before, after), more, "{before:?} {after:?}");
        }
    }

    #[test]
    fn a_currency_is_three_capital_letters() {
        assert_eq!("EUR".parse::<Currency>().unwrap().to_string(), "EUR");
        for text in ["", "eur", "EURO", "E1R", "€"] {
            assert!(text.parse::<Currency>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_budget_of_before_there_were_currencies_is_one_in_dollars() {
        let kept = r#"{"limit":5000000,"stop":true}"#;
        let budget: CostBudget = serde_json::from_str(kept).unwrap();
        assert_eq!(budget.currency, Currency::DOLLAR);
    }
}
