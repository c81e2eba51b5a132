//! What the user's models cost in a month, and the budget for it. Replies to servers count as well as chats.

use jiff::Timestamp;
use vestibule_protocol::{ChatId, ModelId};
use vestibule_store::{ModelUsage, StoreError};

use super::Models;
use super::prices::{MILLIONTH, in_millionths};
use crate::host::load_settings;
use crate::view::{HostEvent, ModelProblem, MonthBudget, Problem};

impl Models {
    /// What models cost in this month, in millionths.
    pub(crate) async fn month_cost(&self) -> Result<u64, StoreError> {
        let cost = self.store.model_cost_of_month(Timestamp::now()).await?;
        Ok(in_millionths(cost))
    }

    /// Refuses where the budget of the month is used up and the user wants it to stop. The model that is asked next may
    /// still cost more than is left, because what a reply costs is known at its end.
    pub(crate) async fn check_month(&self) -> Result<(), Problem> {
        let limit = MonthBudget::stops_at(load_settings(&self.store).await?.budget);
        let cost = self.store.model_cost_of_month(Timestamp::now()).await?;
        if cost < limit.saturating_mul(MILLIONTH) || limit == u64::MAX {
            return Ok(());
        }
        let spent = in_millionths(cost);
        Err(Problem::Model(ModelProblem::BudgetUsedUp { spent, limit }))
    }

    /// Notes what a round of a chat took.
    pub(crate) async fn note_round(
        &self,
        chat: ChatId,
        model: ModelId,
        taken: ModelUsage,
    ) -> Result<(), StoreError> {
        let noted = self.store.add_model_usage(chat, model, Timestamp::now(), taken);
        noted.await?;
        if taken.cost.is_some_and(|cost| cost > 0) {
            self.tell_of_cost().await?;
        }
        Ok(())
    }

    /// Notes what a reply to a server cost, in millionths.
    pub(super) async fn note_reply(&self, cost: u64) -> Result<(), StoreError> {
        let cost = cost.saturating_mul(MILLIONTH);
        self.store.add_model_cost(Timestamp::now(), cost).await?;
        self.tell_of_cost().await
    }

    /// Tells the main window what the month cost so far.
    pub(crate) async fn tell_of_cost(&self) -> Result<(), StoreError> {
        let cost = self.month_cost().await?;
        self.events.tell(HostEvent::MonthCost { cost });
        Ok(())
    }
}
