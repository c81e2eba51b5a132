//! What a change of prices would change in what budgets count. A budget that stops is only as good as the prices that it
//! counts by, so the consent window asks before less is counted.

use jiff::Timestamp;
use vestibule_app_protocol::{Currency, PriceChange, Problem, Widening};
use vestibule_store::{ConnectionRecord, ModelRecord};

use super::{Models, is_local};
use crate::prices::ModelPrices;
use crate::stored_settings::{load_settings, settings_of};

impl Models {
    /// What has to be asked before the record of a model changes.
    pub async fn record_widens(
        &self,
        before: &ModelRecord,
        after: &ModelRecord,
    ) -> Result<Option<Widening>, Problem> {
        let own = load_settings(&self.store).await?.currency;
        let (_, connection) = self.records(before.id).await?;
        let prices = |record| ModelPrices::of(record, connection.as_ref(), own);
        let local = connection.as_ref().is_some_and(is_local);
        let change = change(&after.label, prices(before), prices(after), local);
        self.lowered(change.into_iter().collect()).await
    }

    /// What has to be asked before the prices that the user entered are in another currency.
    pub async fn currency_widens(&self, after: Currency) -> Result<Option<Widening>, Problem> {
        let before = load_settings(&self.store).await?.currency;
        let connections = self.store.connections().await?;
        let models = self.store.models().await?;
        let changes = models.iter().filter_map(|record| {
            let connection = connections.iter().find(|one| Some(one.id) == record.connection);
            let prices = |own| ModelPrices::of(record, connection, own);
            let local = connection.is_some_and(is_local);
            change(&record.label, prices(before), prices(after), local)
        });
        self.lowered(changes.collect()).await
    }

    /// What has to be asked before models are added to a connection: what those cost without a known price is not counted.
    pub async fn models_widen(
        &self,
        connection: &ConnectionRecord,
        names: &[String],
    ) -> Result<Option<Widening>, Problem> {
        if is_local(connection) {
            return Ok(None);
        }
        let uncounted = names.iter().filter_map(|name| {
            let record = ModelRecord::new(Some(connection.id), name, Timestamp::UNIX_EPOCH);
            let prices = ModelPrices::of(&record, Some(connection), Currency::DOLLAR);
            prices.summary().is_none().then_some(PriceChange {
                model: record.label,
                before: None,
                after: None,
            })
        });
        self.lowered(uncounted.collect()).await
    }

    async fn lowered(&self, models: Vec<PriceChange>) -> Result<Option<Widening>, Problem> {
        let asks = !models.is_empty() && self.has_stopping_budget().await?;
        Ok(asks.then_some(Widening::LowerPrices { models }))
    }

    /// Whether any budget of the user, a chat or a server stops by what models cost.
    async fn has_stopping_budget(&self) -> Result<bool, Problem> {
        let settings = load_settings(&self.store).await?;
        let mut of_user = [settings.day_budget, settings.budget].into_iter().flatten();
        if of_user.any(|budget| budget.stop) {
            return Ok(true);
        }
        let chats = self.store.chats().await?;
        let mut of_chats = chats.iter().filter_map(|chat| settings_of(chat).budget);
        if of_chats.any(|budget| budget.stop) {
            return Ok(true);
        }
        for server in self.store.servers().await? {
            let limits = self.store.budget(server.id).await?;
            if limits.is_some_and(|limits| limits.cost_hour.or(limits.cost_day).is_some()) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The change of a model's prices where less would be counted.
fn change(model: &str, before: ModelPrices, after: ModelPrices, local: bool) -> Option<PriceChange> {
    after.counts_less_than(before, local).then(|| PriceChange {
        model: model.to_owned(),
        before: before.summary(),
        after: after.summary(),
    })
}
