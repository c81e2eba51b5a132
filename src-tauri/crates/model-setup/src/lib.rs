//! From what the user set up to a model that can speak. The rehearsal is a model like any other, under a fixed id,
//! so that a chat has a model before anything is set up.

mod budget;
mod facts;
mod kept;
pub mod local;
mod measured;
mod merge;
mod price_changes;
mod prices;
mod rehearsal_model;
mod stored_settings;
mod user_models;
mod wires;

use std::sync::Arc;

use secrecy::SecretString;
use url::Url;
use vestibule_app_protocol::{
    ConnectionView, HostEvent, InputProblem, ModelKind, ModelProblem, ModelView, Problem, StateEvents,
    StoreProblem,
};
use vestibule_consent::{Cause, ModelSummary};
use vestibule_egress::{Proxies, keeps_secret};
use vestibule_models::{ModelProvider, RemoteModel, Wire, load_catalogue, rehearsal, remote_model};
use vestibule_protocol::{ConnectionId, ModelId};
use vestibule_servers::config::connection::inspected;
use vestibule_servers::config::secrets::{Secrets, SecretsError};
use vestibule_store::{ConnectionRecord, ModelRecord, ReplyOrigin, Store};

pub use budget::OverBudget;
pub use facts::listed_facts;
pub use kept::KeptModels;
pub use local::LocalModelSet;
pub use measured::MeasuredModel;
pub use merge::merge_connections;
pub use prices::{ModelPrices, chat_usage_view, usage_view};
pub use rehearsal_model::{add_rehearsal, rehearsal_id};
pub use stored_settings::{load_settings, settings_of};
pub use wires::{chosen_wire, wire_of, wire_view};

/// What the user set up, and the way there.
#[derive(Clone)]
pub struct Models {
    pub store: Store,
    pub secrets: Arc<dyn Secrets>,
    pub proxies: Proxies,
    pub kept: KeptModels,
    pub local: LocalModelSet,
    pub over_budget: OverBudget,
    /// Tells of connections and models.
    pub model_events: StateEvents,
    pub cost_events: StateEvents,
}

/// A model for a chat.
pub struct ChatModel {
    pub id: ModelId,
    pub provider: Arc<dyn ModelProvider>,
    /// Where its replies come from, so that their vendor's form goes back there only; `None` for the rehearsal.
    pub origin: Option<ReplyOrigin>,
    pub prices: ModelPrices,
    /// Whether Vestibule sets how much it reads.
    pub context_settable: bool,
    /// How many tokens it reads in a request, as far as that is known without asking its server now.
    pub context: Option<u32>,
    /// Whether it is on this computer.
    pub local: bool,
    /// Whether the user says that it uses no tools, so that none are offered.
    pub refuses_tools: bool,
    /// Whether asking it costs nothing, so that no budget stops it.
    pub free: bool,
}

fn reply_origin(record: ModelRecord, connection: ConnectionRecord) -> ReplyOrigin {
    ReplyOrigin {
        configured: record.id,
        wire: wire_of(&connection).name().to_owned(),
        address: connection.base_url,
        model: record.model,
    }
}

impl Models {
    /// Every connection, oldest first.
    pub async fn connection_views(&self) -> Result<Vec<ConnectionView>, Problem> {
        let mut views = vec![];
        for record in self.store.connections().await? {
            let key = self.kept.key(&*self.secrets, record.id).await;
            views.push(ConnectionView {
                id: record.id,
                label: shown_label(&record),
                wire: wire_view(wire_of(&record)),
                proxy: self.proxy(&record.base_url),
                has_key: matches!(key, Ok(Some(_))),
                base_url: record.base_url,
                headers: record.headers,
                local: self.local.view(record.id),
            });
        }
        Ok(views)
    }

    /// Every model, the rehearsal first.
    pub async fn views(&self) -> Result<Vec<ModelView>, Problem> {
        let connections = self.store.connections().await?;
        let models = self.store.models().await?.into_iter();
        let views = models.map(|record| {
            let connection = connections.iter().find(|one| Some(one.id) == record.connection);
            ModelView {
                id: record.id,
                facts: facts::facts_of(&record, connection),
                favourite: record.favourite,
                label: record.label,
                kind: connection.map_or(ModelKind::Rehearsal, |connection| ModelKind::Remote {
                    connection: connection.id,
                    base_url: connection.base_url.clone(),
                    model: record.model,
                }),
            }
        });
        let mut views: Vec<ModelView> = views.collect();
        views.sort_by_key(|view| view.kind != ModelKind::Rehearsal);
        Ok(views)
    }

    /// Tells the main window of all connections and models.
    ///
    /// # Errors
    /// When they cannot be read.
    pub async fn tell_of_models(&self) -> Result<(), Problem> {
        let read = async {
            let connections = self.connection_views().await?;
            let models = self.views().await?;
            Ok([HostEvent::Models { connections, models }])
        };
        self.model_events.tell(read).await
    }

    /// A model of a connection as a card shows it.
    pub fn face(&self, record: &ModelRecord, connection: &ConnectionRecord) -> ModelSummary {
        ModelSummary {
            label: record.label.clone(),
            model: record.model.clone(),
            address: inspected(&connection.base_url),
            proxy: self.proxy(&connection.base_url),
        }
    }

    /// The model behind an id.
    pub async fn provider(&self, id: ModelId) -> Result<Arc<dyn ModelProvider>, Problem> {
        let (record, connection) = self.records(id).await?;
        self.provider_of(&record, connection.as_ref()).await
    }

    /// The model behind an id, with what a chat needs of it. Where it is a local one that does not run, it is started
    /// first, which `cause` asks for.
    pub async fn for_chat(&self, id: ModelId, cause: Cause) -> Result<ChatModel, Problem> {
        let (record, connection) = self.records(id).await?;
        if let Some(connection) = &connection {
            self.start_local(connection, Some(cause)).await?;
        }
        let provider = self.provider_of(&record, connection.as_ref()).await?;
        let context = self.context_in_use(&record, connection.as_ref());
        let prices = self.model_prices(&record, connection.as_ref()).await?;
        let local = connection.as_ref().is_some_and(is_local);
        Ok(ChatModel {
            id,
            provider,
            prices,
            context_settable: connection.as_ref().map(wire_of) == Some(Wire::Ollama),
            context,
            local,
            refuses_tools: record.tools == Some(false),
            free: connection.is_none() || prices.is_free(local),
            origin: connection.map(|connection| reply_origin(record, connection)),
        })
    }

    /// Where the replies of a model come from; `None` for the rehearsal.
    pub async fn reply_origin(&self, id: ModelId) -> Result<Option<ReplyOrigin>, Problem> {
        let (record, connection) = self.records(id).await?;
        Ok(connection.map(|connection| reply_origin(record, connection)))
    }

    fn context_in_use(&self, record: &ModelRecord, connection: Option<&ConnectionRecord>) -> Option<u32> {
        let is_file = connection.is_some_and(|connection| self.local.is_local(connection.id));
        facts::context_in_use(record, connection, is_file)
    }

    async fn model_prices(
        &self,
        record: &ModelRecord,
        connection: Option<&ConnectionRecord>,
    ) -> Result<ModelPrices, Problem> {
        let own = load_settings(&self.store).await?.currency;
        Ok(ModelPrices::of(record, connection, own))
    }

    /// A model with its connection, which the rehearsal does not have.
    pub async fn records(&self, id: ModelId) -> Result<(ModelRecord, Option<ConnectionRecord>), Problem> {
        let gone = || Problem::Model(ModelProblem::ModelGone);
        let known = self.store.models().await?;
        let record = known
            .into_iter()
            .find(|record| record.id == id)
            .ok_or_else(gone)?;
        let connection = match record.connection {
            Some(connection) => Some(self.connection(connection).await?.ok_or_else(gone)?),
            None => None,
        };
        Ok((record, connection))
    }

    pub async fn connection(&self, id: ConnectionId) -> Result<Option<ConnectionRecord>, Problem> {
        let known = self.store.connections().await?;
        Ok(known.into_iter().find(|record| record.id == id))
    }

    /// The provider for a model: the one of before where nothing changed.
    async fn provider_of(
        &self,
        record: &ModelRecord,
        connection: Option<&ConnectionRecord>,
    ) -> Result<Arc<dyn ModelProvider>, Problem> {
        let Some(connection) = connection else {
            return Ok(Arc::new(rehearsal()));
        };
        let connection = &self.reached(connection)?;
        if let Some(provider) = self.kept.provider(record, connection) {
            return Ok(provider);
        }
        let generation = self.kept.generation();
        let remote = self.remote_of(record, connection).await?;
        if let Err(error) = tokio::task::spawn_blocking(load_catalogue).await {
            tracing::error!(%error, "failed to load the catalogue of models");
        }
        let provider: Arc<dyn ModelProvider> = Arc::new(remote);
        self.kept
            .keep_provider(generation, record.clone(), connection.clone(), provider.clone());
        Ok(provider)
    }

    /// A model over the connections its endpoint already has.
    pub async fn remote_of(
        &self,
        record: &ModelRecord,
        connection: &ConnectionRecord,
    ) -> Result<RemoteModel, Problem> {
        let endpoint = self.endpoint(connection).await?;
        let remote = endpoint
            .for_model(record.model.clone())
            .with_context(record.context);
        if let Some(sees) = record.images {
            return Ok(remote.with_images_said(sees));
        }
        let images = facts::facts_of(record, Some(connection)).images;
        Ok(match images {
            Some(fact) => remote.with_images(fact.value),
            None => remote,
        })
    }

    /// The way to a connection's endpoint, with its key and headers.
    pub async fn endpoint(&self, connection: &ConnectionRecord) -> Result<RemoteModel, Problem> {
        let connection = &self.reached(connection)?;
        if let Some(endpoint) = self.kept.endpoint(connection) {
            return Ok(endpoint);
        }
        let generation = self.kept.generation();
        let key = self
            .kept
            .key(&*self.secrets, connection.id)
            .await
            .map_err(keychain)?;
        let headers = self
            .kept
            .headers(&*self.secrets, connection)
            .await
            .map_err(keychain)?;
        let base_url = address(&connection.base_url)?;
        let endpoint = self
            .remote(wire_of(connection), base_url, key, String::new())?
            .with_headers(headers);
        self.kept
            .keep_endpoint(generation, connection.clone(), endpoint.clone());
        Ok(endpoint)
    }

    /// Refuses a key for an address where it would be sent so that others can read it.
    pub fn check_key(&self, base_url: &Url) -> Result<(), Problem> {
        let is_direct = matches!(self.proxies.between(base_url), Ok(None));
        if base_url.scheme() == "https" || is_direct && keeps_secret(base_url) {
            return Ok(());
        }
        let host = base_url.host_str().unwrap_or_default();
        let port = base_url.port().map(|port| format!(":{port}")).unwrap_or_default();
        Err(Problem::Model(ModelProblem::ModelKeyOverHttp {
            endpoint: format!("{host}{port}"),
        }))
    }

    /// A model at an address. The user wrote the address, so plain http without a key is theirs to choose; a proxy that was
    /// asked for and cannot be used is never gone around.
    pub fn remote(
        &self,
        wire: Wire,
        base_url: Url,
        key: Option<SecretString>,
        model: String,
    ) -> Result<RemoteModel, Problem> {
        let proxy = self.proxies.between(&base_url);
        let proxy = proxy.map_err(|error| {
            Problem::Input(InputProblem::AddressInvalid {
                url: base_url.to_string(),
                detail: error.to_string(),
            })
        })?;
        let remote = remote_model(wire, base_url, key, model).allow_plain_http();
        Ok(match proxy.cloned() {
            Some(proxy) => remote.through(proxy),
            None => remote,
        })
    }

    /// The proxy between this computer and an address, for showing.
    pub fn proxy(&self, base_url: &str) -> Option<String> {
        let proxy = self.proxies.between(&address(base_url).ok()?).ok()??.origin();
        Some(proxy.ascii_serialization())
    }
}

/// What a connection is called: the user's name for it, or else the host of its address.
pub fn shown_label(record: &ConnectionRecord) -> String {
    if !record.label.is_empty() {
        return record.label.clone();
    }
    let url = Url::parse(&record.base_url).ok();
    let host = url.as_ref().and_then(Url::host_str).map(str::to_owned);
    let port = url.as_ref().and_then(Url::port).map(|port| format!(":{port}"));
    host.map_or_else(
        || record.base_url.clone(),
        |host| host + &port.unwrap_or_default(),
    )
}

/// A failure of the keychain as the user reads it.
pub fn keychain(error: SecretsError) -> Problem {
    Problem::Store(StoreProblem::KeychainFailed { detail: error.0 })
}

/// Whether the models of a connection are on this computer.
fn is_local(connection: &ConnectionRecord) -> bool {
    Url::parse(&connection.base_url).is_ok_and(|url| is_here(&url))
}

/// Whether an address is on this computer.
fn is_here(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// An address a model can be reached at.
pub fn address(text: &str) -> Result<Url, InputProblem> {
    let invalid = |detail: &str| InputProblem::AddressInvalid {
        url: text.to_owned(),
        detail: detail.to_owned(),
    };
    let url = Url::parse(text.trim()).map_err(|error| invalid(&error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(invalid("it must begin with http:// or https://"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(invalid(
            "a name or password does not belong in it; enter the key beside it",
        ));
    }
    Ok(url)
}

#[cfg(test)]
mod tests;
