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
        self.lowered(uncounted(connection, names)).await
    }

    /// The models of which less would be counted once a connection is saved, for its card: those it has, since the prices
    /// of the catalogue depend on its address, and those of these names that come with it.
    pub async fn connection_lowers(
        &self,
        before: Option<&ConnectionRecord>,
        after: &ConnectionRecord,
        names: &[String],
    ) -> Result<Vec<PriceChange>, Problem> {
        let mut changes = uncounted(after, names);
        if let Some(before) = before {
            let own = load_settings(&self.store).await?.currency;
            let models = self.store.models().await?;
            let held = models.iter().filter(|record| record.connection == Some(after.id));
            changes.extend(held.filter_map(|record| moved(record, before, after, own)));
        }
        self.while_stopping(changes).await
    }

    async fn lowered(&self, models: Vec<PriceChange>) -> Result<Option<Widening>, Problem> {
        let models = self.while_stopping(models).await?;
        Ok((!models.is_empty()).then_some(Widening::LowerPrices { models }))
    }

    /// The changes where a budget stops models, and none where no budget does.
    async fn while_stopping(&self, models: Vec<PriceChange>) -> Result<Vec<PriceChange>, Problem> {
        let asks = !models.is_empty() && self.has_stopping_budget().await?;
        Ok(if asks { models } else { vec![] })
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

/// The models of these names that would cost something at a connection without a known price.
fn uncounted(connection: &ConnectionRecord, names: &[String]) -> Vec<PriceChange> {
    if is_local(connection) {
        return vec![];
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
    uncounted.collect()
}

/// The change of a model's prices where its connection moves and less would be counted: by other prices, or because a
/// model that was free on this computer would cost something without a known price.
fn moved(
    record: &ModelRecord,
    before: &ConnectionRecord,
    after: &ConnectionRecord,
    own: Currency,
) -> Option<PriceChange> {
    let prices = |connection| ModelPrices::of(record, Some(connection), own);
    let (held, then) = (prices(before), prices(after));
    let leaves_free = !is_local(after) && then.summary().is_none() && held.is_free(is_local(before));
    let uncounted = leaves_free.then(|| PriceChange {
        model: record.label.clone(),
        before: held.summary(),
        after: None,
    });
    uncounted.or_else(|| change(&record.label, held, then, is_local(after)))
}

/// The change of a model's prices where less would be counted.
fn change(model: &str, before: ModelPrices, after: ModelPrices, local: bool) -> Option<PriceChange> {
    after.counts_less_than(before, local).then(|| PriceChange {
        model: model.to_owned(),
        before: before.summary(),
        after: after.summary(),
    })
}
