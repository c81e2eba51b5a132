//! The models of a connection: listed, added, and described by their server.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use futures::StreamExt;
use jiff::Timestamp;
use vestibule_client_features::model_problem;
use vestibule_consent::WidenRequest;
use vestibule_model_setup::{address, listed_facts, wire_of};
use vestibule_models::{KnownFacts, ListedModel, RemoteModel, Wire};
use vestibule_protocol::{ConnectionId, ModelId};
use vestibule_store::{ConnectionRecord, ModelRecord};

use super::Host;
use crate::view::{ChangeOutcome, InputProblem, ListedModelView, ModelListingView, ModelsAdded, Problem};

/// How long the server may take to describe models that were added.
const DESCRIBED_WITHIN: Duration = Duration::from_secs(5);
/// The most models that are added at once.
const MOST_ADDED: usize = 200;
/// The longest name of a model, in bytes.
const LONGEST_NAME: usize = 200;
/// How many models are asked about at once.
const ASKED_AT_ONCE: usize = 4;

impl Host {
    /// The models a connection offers, with what is known of each. Only when the user asks for them.
    ///
    /// # Errors
    /// When nothing answers there, or not as it should.
    pub async fn connection_models(&self, connection: ConnectionId) -> Result<ModelListingView, Problem> {
        let record = self.connection_record(connection).await?;
        let endpoint = self.0.models.endpoint(&record).await?;
        let base_url = address(&record.base_url)?;
        let began = Instant::now();
        let listing = endpoint.listing().await.map_err(model_problem)?;
        let took_ms = u32::try_from(began.elapsed().as_millis()).unwrap_or(u32::MAX);
        let models = listing
            .models
            .into_iter()
            .map(|ListedModel { name, facts }| ListedModelView {
                facts: listed_facts(facts, &base_url, &name),
                name,
            });
        Ok(ModelListingView {
            models: models.collect(),
            cut: listing.cut,
            took_ms,
        })
    }

    /// Adds models of a connection that was agreed to. Those that are there already are not added again. Where a budget
    /// stops, models without a known price are asked about first: what they cost is not counted.
    ///
    /// # Errors
    /// When the connection is gone, a name cannot be used, or they could not be kept.
    pub async fn models_add(
        &self,
        connection: ConnectionId,
        names: Vec<String>,
    ) -> Result<ModelsAdded, Problem> {
        let record = self.connection_record(connection).await?;
        let names = self.new_names(connection, &names).await?;
        let models: Vec<ModelId> = names.iter().map(|_| ModelId::new()).collect();
        let ids = models.clone();
        let Some(widening) = self.0.models.models_widen(&record, &names).await? else {
            self.add_models(record, &names, ids).await?;
            let change = ChangeOutcome::Done;
            return Ok(ModelsAdded { models, change });
        };
        let request = WidenRequest::new(widening);
        let change = self.widen(request, move |host, shown| async move {
            let record = host.connection_record(connection).await?;
            let is_as_shown = host.new_names(connection, &names).await? == names
                && host.0.models.models_widen(&record, &names).await? == Some(shown);
            if !is_as_shown {
                return Ok(false);
            }
            host.add_models(record, &names, ids).await?;
            Ok(true)
        });
        let change = change.await?;
        Ok(ModelsAdded { models, change })
    }

    /// Those of the names that the connection has no model of, as they are sent.
    pub(super) async fn new_names(
        &self,
        connection: ConnectionId,
        names: &[String],
    ) -> Result<Vec<String>, Problem> {
        let known = self.0.store.models().await?;
        let is_new = |name: &String| {
            !known
                .iter()
                .any(|model| model.connection == Some(connection) && model.model == *name)
        };
        Ok(checked_names(names)?.into_iter().filter(is_new).collect())
    }

    async fn add_models(
        &self,
        connection: ConnectionRecord,
        names: &[String],
        ids: Vec<ModelId>,
    ) -> Result<(), Problem> {
        self.put_models(connection.id, names, &ids).await?;
        self.tell_of_models().await?;
        self.describe_later(connection, ids);
        Ok(())
    }

    pub(super) async fn put_models(
        &self,
        connection: ConnectionId,
        names: &[String],
        ids: &[ModelId],
    ) -> Result<(), Problem> {
        let now = Timestamp::now();
        let records = names.iter().zip(ids).map(|(name, id)| ModelRecord {
            id: *id,
            ..ModelRecord::new(Some(connection), name, now)
        });
        Ok(self.0.store.put_models(&records.collect::<Vec<_>>()).await?)
    }

    /// Asks the server what the models are that were just added. It may not answer, which costs nothing but the facts.
    pub(super) fn describe_later(&self, connection: ConnectionRecord, ids: Vec<ModelId>) {
        if ids.is_empty() || self.0.models.local.is_local(connection.id) {
            return;
        }
        let host = self.clone();
        self.0.tasks.spawn(async move {
            let describing = host.describe_models(&connection, &ids);
            match tokio::time::timeout(DESCRIBED_WITHIN, describing).await {
                Ok(Ok(())) => {}
                Ok(Err(problem)) => {
                    tracing::warn!(%problem, "failed to keep what a server says of its models")
                }
                Err(_) => tracing::debug!("the server did not describe its models in time"),
            }
        });
    }

    async fn describe_models(&self, connection: &ConnectionRecord, ids: &[ModelId]) -> Result<(), Problem> {
        let endpoint = self.0.models.endpoint(connection).await?;
        let known = self.0.store.models().await?;
        let added: Vec<(ModelId, String)> = known
            .into_iter()
            .filter(|model| ids.contains(&model.id))
            .map(|model| (model.id, model.model))
            .collect();
        let reported: Vec<(ModelId, KnownFacts)> = if wire_of(connection) == Wire::Ollama {
            let asked = added.into_iter().map(|(id, name)| (id, endpoint.for_model(name)));
            let asked: Vec<(ModelId, RemoteModel)> = asked.collect();
            futures::stream::iter(asked)
                .map(|(id, model)| async move { (id, model.reported().await) })
                .buffer_unordered(ASKED_AT_ONCE)
                .collect()
                .await
        } else {
            let listing = endpoint.listing().await.unwrap_or_default();
            let own = |(id, name): (ModelId, String)| {
                let listed = listing.models.iter().find(|listed| listed.name == name)?;
                Some((id, listed.facts))
            };
            added.into_iter().filter_map(own).collect()
        };
        self.keep_reported(&reported).await
    }

    /// Keeps what servers said, beside what the user changes meanwhile.
    async fn keep_reported(&self, reported: &[(ModelId, KnownFacts)]) -> Result<(), Problem> {
        let said = reported
            .iter()
            .filter(|(_, facts)| *facts != KnownFacts::default());
        let said: Vec<_> = said.map(|(id, facts)| (*id, facts.to_json())).collect();
        if said.is_empty() {
            return Ok(());
        }
        self.0.store.put_reported(&said).await?;
        self.tell_of_models().await
    }

    async fn connection_record(&self, connection: ConnectionId) -> Result<ConnectionRecord, Problem> {
        let record = self.0.models.connection(connection).await?;
        record.ok_or(Problem::Input(InputProblem::Gone))
    }
}

/// Names of models as they are sent: what is around them does not count, and each counts once.
fn checked_names(names: &[String]) -> Result<Vec<String>, InputProblem> {
    let mut seen = HashSet::new();
    let mut checked = vec![];
    for name in names {
        let name = name.trim();
        if name.is_empty() || name.len() > LONGEST_NAME || checked.len() == MOST_ADDED {
            return Err(InputProblem::ModelNameInvalid {
                name: name.to_owned(),
            });
        }
        if seen.insert(name) {
            checked.push(name.to_owned());
        }
    }
    Ok(checked)
}
