//! What the user's models cost in a chat, a day and a month, and the budgets for it. Replies to servers count for the
//! day and the month as well as chats.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use vestibule_app_protocol::{
    BudgetScope, CostBudget, CostsView, Currency, HostEvent, ModelProblem, Problem, UsedBudget,
};
use vestibule_protocol::{ChatId, ModelId};
use vestibule_store::{Costs, ModelUsage, StoreError};

use super::Models;
use super::prices::{MILLIONTH, cost_views, in_millionths};
use crate::stored_settings::load_settings;
use crate::stored_settings::settings_of;

/// The budgets that do not stop the next message of a chat, because the user agreed to go on once. Cheap to clone.
#[derive(Clone, Default)]
pub struct OverBudget(Arc<Mutex<HashMap<ChatId, Vec<BudgetScope>>>>);

impl OverBudget {
    pub fn allow(&self, chat: ChatId, scopes: Vec<BudgetScope>) {
        let mut allowed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        allowed.insert(chat, scopes);
    }

    /// What was allowed for the turn that begins now; later ones are allowed nothing.
    pub fn take(&self, chat: ChatId) -> Vec<BudgetScope> {
        let mut allowed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        allowed.remove(&chat).unwrap_or_default()
    }
}

impl Models {
    /// What models cost today and in this month.
    pub async fn costs(&self) -> Result<CostsView, StoreError> {
        let now = Timestamp::now();
        Ok(CostsView {
            day: cost_views(self.store.model_costs_of_day(now).await?),
            month: cost_views(self.store.model_costs_of_month(now).await?),
        })
    }

    /// Refuses where a budget is used up that stops, except those of `allowed`. `chat` is `None` for a reply to a server.
    /// The model that is asked next may still cost more than is left, because what a reply costs is known at its end.
    pub async fn check_budgets(&self, chat: Option<ChatId>, allowed: &[BudgetScope]) -> Result<(), Problem> {
        let used = self.used_up(chat).await?.into_iter();
        let mut stops = used.filter(|used| !allowed.contains(&used.scope));
        stops.next().map_or(Ok(()), |used| {
            Err(Problem::Model(ModelProblem::BudgetUsedUp {
                scope: used.scope,
                currency: used.budget.currency,
                spent: used.spent,
                limit: used.budget.limit,
            }))
        })
    }

    /// The budgets that are used up and stop, that of the chat first.
    pub async fn used_up(&self, chat: Option<ChatId>) -> Result<Vec<UsedBudget>, Problem> {
        let (settings, now) = (load_settings(&self.store).await?, Timestamp::now());
        let mut used = vec![];
        if let Some(chat) = chat
            && let Some(budget) = stopping(self.chat_budget(chat).await?)
        {
            let usage = self.store.model_usage_of_chat(chat).await?;
            let costs = usage.unwrap_or_default().costs;
            used.extend(used_budget(BudgetScope::Chat, budget, &costs));
        }
        if let Some(budget) = stopping(settings.day_budget) {
            let costs = self.store.model_costs_of_day(now).await?;
            used.extend(used_budget(BudgetScope::Day, budget, &costs));
        }
        if let Some(budget) = stopping(settings.budget) {
            let costs = self.store.model_costs_of_month(now).await?;
            used.extend(used_budget(BudgetScope::Month, budget, &costs));
        }
        Ok(used)
    }

    async fn chat_budget(&self, chat: ChatId) -> Result<Option<CostBudget>, StoreError> {
        let record = self.store.chat(chat).await?;
        Ok(record.and_then(|record| settings_of(&record).budget))
    }

    /// Notes what a round of a chat took. On disk with the end of its answer.
    pub async fn note_round(
        &self,
        chat: ChatId,
        model: ModelId,
        taken: ModelUsage,
    ) -> Result<(), StoreError> {
        let store = self.store.unflushed();
        let noted = store.add_model_usage(chat, model, Timestamp::now(), taken).await;
        // The day counts it also where the chat was deleted meanwhile.
        if taken.cost.is_some_and(|cost| cost > 0) {
            self.tell_of_cost().await?;
        }
        noted
    }

    /// Notes what a reply to a server cost, in millionths.
    pub(super) async fn note_reply(&self, currency: Currency, cost: u64) -> Result<(), StoreError> {
        let cost = cost.saturating_mul(MILLIONTH);
        self.store
            .add_model_cost(Timestamp::now(), currency, cost)
            .await?;
        self.tell_of_cost().await
    }

    /// Tells the main window what models cost so far.
    pub async fn tell_of_cost(&self) -> Result<(), StoreError> {
        let read = async {
            let costs = self.costs().await?;
            Ok([HostEvent::Costs { costs }])
        };
        self.cost_events.tell(read).await
    }
}

fn stopping(budget: Option<CostBudget>) -> Option<CostBudget> {
    budget.filter(|budget| budget.stop)
}

/// A budget where the costs in its currency use it up.
fn used_budget(scope: BudgetScope, budget: CostBudget, costs: &Costs) -> Option<UsedBudget> {
    let own = costs.iter().find(|(currency, _)| *currency == budget.currency);
    let cost = own.map_or(0, |(_, cost)| *cost);
    (cost >= budget.limit.saturating_mul(MILLIONTH)).then(|| UsedBudget {
        scope,
        budget,
        spent: in_millionths(cost),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_in_another_currency_do_not_use_a_budget_up() {
        let budget = CostBudget {
            limit: 5,
            currency: Currency::DOLLAR,
            stop: true,
        };
        let costs = |dollars: u64| vec![("EUR".parse().unwrap(), u64::MAX), (Currency::DOLLAR, dollars)];
        let used = |dollars| used_budget(BudgetScope::Day, budget, &costs(dollars));
        assert_eq!(used(5 * MILLIONTH - 1), None);
        assert_eq!(used(5 * MILLIONTH).map(|used| used.spent), Some(5));
    }

    #[test]
    fn going_on_once_holds_for_one_turn_of_one_chat() {
        let (over, chat) = (OverBudget::default(), ChatId::new());
        over.allow(chat, vec![BudgetScope::Day]);
        assert_eq!(over.take(ChatId::new()), []);
        assert_eq!(over.take(chat), [BudgetScope::Day]);
        assert_eq!(over.take(chat), []);
    }
}
