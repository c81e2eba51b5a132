//! What the user's models may cost in a month. Less holds at once; before they may cost more, the consent window asks.

use vestibule_consent::{WidenRequest, Widening};

use super::Host;
use crate::view::{ChangeOutcome, MonthBudget, Problem, Settings};

impl Host {
    /// Sets what the user's models may cost in a month; `None` takes the budget away.
    ///
    /// # Errors
    /// When it could not be kept; the budget of before then holds.
    pub async fn month_budget_save(&self, after: Option<MonthBudget>) -> Result<ChangeOutcome, Problem> {
        let before = self.settings().budget;
        let Some(held) = before.filter(|_| raises(before, after)) else {
            self.set_month_budget(before, after).await?;
            return Ok(ChangeOutcome::Done);
        };
        let request = WidenRequest {
            server: None,
            chat: None,
            widening: Widening::RaiseMonthBudget { before: held, after },
        };
        self.widen(request, move |host, _| async move {
            host.set_month_budget(Some(held), after).await
        })
        .await
    }

    /// Puts one budget in the place of another; `false` where it is another one now.
    async fn set_month_budget(
        &self,
        before: Option<MonthBudget>,
        after: Option<MonthBudget>,
    ) -> Result<bool, Problem> {
        let exchange = |settings: Settings| {
            (settings.budget == before).then_some(Settings {
                budget: after,
                ..settings
            })
        };
        let is_made = self.change_settings(exchange).await?;
        self.0.models.tell_of_cost().await?;
        Ok(is_made)
    }
}

/// Whether models may cost more than before.
fn raises(before: Option<MonthBudget>, after: Option<MonthBudget>) -> bool {
    MonthBudget::stops_at(after) > MonthBudget::stops_at(before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_budget_that_stops_can_be_raised() {
        let budget = |limit, stop| Some(MonthBudget { limit, stop });
        for (before, after, more) in [
            (None, budget(1, true), false),
            (None, budget(1, false), false),
            (budget(5, false), None, false),
            (budget(5, false), budget(9, true), false),
            (budget(5, true), budget(4, true), false),
            (budget(5, true), budget(6, true), true),
            (budget(5, true), budget(5, false), true),
            (budget(5, true), None, true),
        ] {
            assert_eq!(raises(before, after), more, "{before:?} {after:?}");
        }
    }
}
