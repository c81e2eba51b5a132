//! Workspaces as the main window shows them, and what a server may spend of the user's models.

use serde::{Deserialize, Serialize};
use vestibule_protocol::{ServerId, WorkspaceId};

use super::{Cost, Currency, FolderTrouble};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct WorkspaceView {
    /// Our name for it.
    pub id: WorkspaceId,
    /// The user's name for it; empty for the one every chat begins in.
    pub name: String,
    /// Its folders, in the order they were added.
    pub folders: Vec<FolderView>,
}

/// A folder of a workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct FolderView {
    pub path: String,
    /// Why it cannot be used now.
    pub trouble: Option<FolderTrouble>,
    /// Who may know of it.
    pub shares: Vec<ShareView>,
}

/// A server that may know of a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct ShareView {
    pub server: ServerId,
    /// When it was shared, in milliseconds since 1970.
    #[ts(type = "number")]
    pub shared_ms: i64,
    /// When the server was last told; `None` while it has not asked.
    #[ts(type = "number | null")]
    pub told_ms: Option<i64>,
}

/// What a server may spend of the user's models. Costs are in millionths of the currency; costs in another currency do
/// not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// Tokens in any hour; 0 refuses every request.
    pub tokens_hour: u32,
    /// Tokens in any day.
    pub tokens_day: u32,
    /// Cost in any hour.
    pub cost_hour: Option<u32>,
    /// Cost in any day.
    pub cost_day: Option<u32>,
    pub currency: Currency,
}

impl Budget {
    /// Whether more could be spent than before: any limit is higher or gone, or limits of cost are in another currency.
    #[must_use]
    pub fn is_raised(before: &Self, after: &Self) -> bool {
        let cost = |limit: Option<u32>| limit.map_or(u64::MAX, u64::from);
        let limits_cost = before.cost_hour.or(before.cost_day).is_some();
        after.tokens_hour > before.tokens_hour
            || after.tokens_day > before.tokens_day
            || cost(after.cost_hour) > cost(before.cost_hour)
            || cost(after.cost_day) > cost(before.cost_day)
            || (limits_cost && after.currency != before.currency)
    }
}

/// A budget and what was spent of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct BudgetView {
    /// What may be spent.
    pub budget: Budget,
    /// Tokens spent in the last hour.
    #[ts(type = "number")]
    pub spent_hour: u64,
    /// Tokens spent in the last day.
    #[ts(type = "number")]
    pub spent_day: u64,
    /// Costs of the last hour, one amount for each currency.
    pub costs_hour: Vec<Cost>,
    /// Costs of the last day, one amount for each currency.
    pub costs_day: Vec<Cost>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_in_another_currency_is_more_only_where_costs_were_limited() {
        let euro: Currency = "EUR".parse().unwrap();
        let budget = |cost_day, currency| Budget {
            tokens_hour: 1,
            tokens_day: 1,
            cost_hour: None,
            cost_day,
            currency,
        };
        for (before, after, raised) in [
            (budget(Some(5), Currency::DOLLAR), budget(Some(5), euro), true),
            (budget(Some(5), Currency::DOLLAR), budget(Some(1), euro), true),
            (budget(Some(5), euro), budget(Some(1), euro), false),
            (budget(Some(5), euro), budget(None, euro), true),
            (budget(None, Currency::DOLLAR), budget(None, euro), false),
            (budget(None, Currency::DOLLAR), budget(Some(5), euro), false),
        ] {
            assert_eq!(Budget::is_raised(&before, &after), raised, "{before:?} {after:?}");
        }
    }
}
