//! What the user's models may cost in a chat, a day and a month. Less holds at once; before they may cost more, or a
//! message is answered although a budget is used up, the consent window asks.

use vestibule_consent::{WidenRequest, Widening};
use vestibule_model_setup::settings_of;
use vestibule_protocol::ChatId;

use super::Host;
use crate::view::{
    BudgetScope, ChangeOutcome, ChatSettings, CostBudget, Currency, InputProblem, Problem, Settings,
};

impl Host {
    /// Sets what the user's models may cost in a month; `None` takes the budget away.
    ///
    /// # Errors
    /// When it could not be kept; the budget of before then holds.
    pub async fn month_budget_save(&self, after: Option<CostBudget>) -> Result<ChangeOutcome, Problem> {
        self.budget_save(BudgetScope::Month, None, after).await
    }

    /// Sets what the user's models may cost in a day; `None` takes the budget away.
    ///
    /// # Errors
    /// When it could not be kept; the budget of before then holds.
    pub async fn day_budget_save(&self, after: Option<CostBudget>) -> Result<ChangeOutcome, Problem> {
        self.budget_save(BudgetScope::Day, None, after).await
    }

    /// Sets what a chat may cost; `None` takes the budget away.
    ///
    /// # Errors
    /// When the chat is gone or it could not be kept; the budget of before then holds.
    pub async fn chat_budget_save(
        &self,
        chat: ChatId,
        after: Option<CostBudget>,
    ) -> Result<ChangeOutcome, Problem> {
        self.budget_save(BudgetScope::Chat, Some(chat), after).await
    }

    /// Sets the currency of the prices that the user entered. While a budget stops, the consent window asks first, since
    /// what those models cost is then not counted in it.
    ///
    /// # Errors
    /// When it could not be kept; the currency of before then holds.
    pub async fn currency_save(&self, currency: Currency) -> Result<ChangeOutcome, Problem> {
        let Some(widening) = self.0.models.currency_widens(currency).await? else {
            self.set_currency(currency).await?;
            return Ok(ChangeOutcome::Done);
        };
        let request = WidenRequest::new(widening);
        self.widen(request, move |host, shown| async move {
            if host.0.models.currency_widens(currency).await? != Some(shown) {
                return Ok(false);
            }
            host.set_currency(currency).await?;
            Ok(true)
        })
        .await
    }

    async fn set_currency(&self, currency: Currency) -> Result<(), Problem> {
        let with = |settings: Settings| Some(Settings { currency, ..settings });
        self.change_settings(with).await.map(drop)
    }

    async fn budget_save(
        &self,
        scope: BudgetScope,
        chat: Option<ChatId>,
        after: Option<CostBudget>,
    ) -> Result<ChangeOutcome, Problem> {
        let (title, before) = match chat {
            Some(chat) => {
                let record = self.chat_record(chat).await?;
                let budget = settings_of(&record).budget;
                (record.title, budget)
            }
            None => (String::new(), budget_of(&self.settings(), scope)),
        };
        let Some(held) = before.filter(|_| CostBudget::is_raised(before, after)) else {
            let is_made = self.set_budget(scope, chat, before, after).await?;
            return is_made
                .then_some(ChangeOutcome::Done)
                .ok_or(Problem::Input(InputProblem::Gone));
        };
        let request = WidenRequest {
            server: None,
            chat,
            widening: Widening::RaiseCostBudget {
                scope,
                chat: title,
                before: held,
                after,
            },
        };
        self.widen(request, move |host, _| async move {
            host.set_budget(scope, chat, Some(held), after).await
        })
        .await
    }

    /// Puts one budget in the place of another; `false` where it is another one now.
    async fn set_budget(
        &self,
        scope: BudgetScope,
        chat: Option<ChatId>,
        before: Option<CostBudget>,
        after: Option<CostBudget>,
    ) -> Result<bool, Problem> {
        if let Some(chat) = chat {
            let exchange = |settings: ChatSettings| {
                (settings.budget == before).then_some(ChatSettings {
                    budget: after,
                    ..settings
                })
            };
            return self.change_chat_settings(chat, exchange).await;
        }
        let exchange = |settings: Settings| {
            (budget_of(&settings, scope) == before).then(|| with_budget(settings, scope, after))
        };
        let is_made = self.change_settings(exchange).await?;
        self.0.models.tell_of_cost().await?;
        Ok(is_made)
    }

    /// Lets the model of a chat try again, for one message, although budgets are used up.
    ///
    /// # Errors
    /// When the chat is gone, or nothing is used up.
    pub async fn chat_go_on_once(&self, chat: ChatId) -> Result<ChangeOutcome, Problem> {
        let record = self.chat_record(chat).await?;
        let used = self.0.models.used_up(Some(chat)).await?;
        if used.is_empty() {
            self.chat_retry(chat).await?;
            return Ok(ChangeOutcome::Done);
        }
        let request = WidenRequest {
            server: None,
            chat: Some(chat),
            widening: Widening::GoOnOnce {
                chat: record.title,
                used: used.clone(),
            },
        };
        self.widen(request, move |host, _| async move {
            let scopes = used.iter().map(|used| used.scope).collect();
            host.0.models.over_budget.allow(chat, scopes);
            host.chat_retry(chat).await.map(|()| true).inspect_err(|_| {
                host.0.models.over_budget.take(chat);
            })
        })
        .await
    }
}

fn budget_of(settings: &Settings, scope: BudgetScope) -> Option<CostBudget> {
    match scope {
        BudgetScope::Day => settings.day_budget,
        BudgetScope::Month => settings.budget,
        BudgetScope::Chat => None,
    }
}

fn with_budget(settings: Settings, scope: BudgetScope, budget: Option<CostBudget>) -> Settings {
    match scope {
        BudgetScope::Day => Settings {
            day_budget: budget,
            ..settings
        },
        BudgetScope::Month => Settings { budget, ..settings },
        BudgetScope::Chat => settings,
    }
}
