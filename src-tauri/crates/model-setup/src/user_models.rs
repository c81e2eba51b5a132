//! The user's models as servers use them for sampling.

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use vestibule_app_protocol::Problem;
use vestibule_client_features::{Prices, UserModels};
use vestibule_models::ModelProvider;
use vestibule_protocol::ModelId;

use super::{Models, is_local};
use crate::prices::currency_of;
use crate::stored_settings::load_settings;

#[async_trait]
impl UserModels for Models {
    async fn default_model(&self) -> Result<ModelId, Problem> {
        Ok(load_settings(&self.store).await?.default_model)
    }

    async fn provider(&self, id: ModelId) -> Result<Arc<dyn ModelProvider>, Problem> {
        Models::provider(self, id).await
    }

    async fn prices(&self) -> Result<HashMap<ModelId, Prices>, Problem> {
        let own = load_settings(&self.store).await?.currency;
        let views = self.views().await?.into_iter();
        let prices = views.filter_map(|view| {
            let known = view.facts.prices?;
            let prices = Prices {
                read: known.input,
                written: known.output,
                currency: currency_of(known.source, own),
            };
            Some((view.id, prices))
        });
        Ok(prices.collect())
    }

    async fn check_budget(&self, id: ModelId) -> Result<(), Problem> {
        let (record, connection) = self.records(id).await?;
        let prices = self.model_prices(&record, connection.as_ref()).await?;
        match connection {
            Some(connection) if !prices.is_free(is_local(&connection)) => self.check_budgets(None, &[]).await,
            _ => Ok(()),
        }
    }

    async fn spent(&self, id: ModelId, cost: u64) {
        let noted = async {
            let (record, connection) = self.records(id).await?;
            let prices = self.model_prices(&record, connection.as_ref()).await?;
            self.note_reply(prices.currency(), cost).await?;
            Ok::<_, Problem>(())
        };
        if let Err(problem) = noted.await {
            tracing::error!(%problem, "failed to note what a reply to a server cost");
        }
    }
}
