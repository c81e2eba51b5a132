//! From what the user set up to a model that can speak. The rehearsal is a model like any other, under a fixed id,
//! so that a chat has a model before anything is set up.

mod kept;
mod prices;

use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use secrecy::SecretString;
use url::Url;
use vestibule_client_features::UserModels;
use vestibule_consent::ModelFace;
use vestibule_egress::{Proxies, keeps_secret};
use vestibule_models::{ModelProvider, REHEARSAL, RemoteModel, Wire, rehearsal, remote_model};
use vestibule_protocol::ModelId;
use vestibule_store::{ModelRecord, ReplyOrigin, Store};

use crate::host::load_settings;
use crate::view::{InputProblem, ModelKind, ModelProblem, ModelView, ModelWire, Problem, StoreProblem};
pub(crate) use kept::KeptModels;
pub(crate) use prices::{ModelPrices, usage_view};
use vestibule_servers::config::connection::inspected;
use vestibule_servers::config::secrets::Secrets;

/// The id of the rehearsal.
pub(crate) fn rehearsal_id() -> ModelId {
    "00000000-0000-7000-8000-000000000000"
        .parse()
        .expect("this text is a UUID")
}

/// Puts the rehearsal among the models.
pub(crate) async fn add_rehearsal(store: &Store) -> Result<(), Problem> {
    let record = ModelRecord {
        id: rehearsal_id(),
        label: rehearsal().label().to_owned(),
        kind: REHEARSAL.to_owned(),
        base_url: None,
        model: String::new(),
        price_in: None,
        price_out: None,
        price_cached: None,
        context: None,
        created: Timestamp::UNIX_EPOCH,
    };
    Ok(store.put_model(&record).await?)
}

/// What the user set up, and the way there.
#[derive(Clone)]
pub(crate) struct Models {
    pub(crate) store: Store,
    pub(crate) secrets: Arc<dyn Secrets>,
    pub(crate) proxies: Proxies,
    pub(crate) kept: KeptModels,
}

/// A model for a chat.
pub(crate) struct ChatModel {
    pub(crate) id: ModelId,
    pub(crate) provider: Arc<dyn ModelProvider>,
    /// Where its replies come from, so that their vendor's form goes back there only; `None` for the rehearsal.
    pub(crate) origin: Option<ReplyOrigin>,
    pub(crate) prices: ModelPrices,
    /// Whether Vestibule sets how much it reads.
    pub(crate) context_settable: bool,
    /// Whether it is on this computer.
    pub(crate) local: bool,
}

impl Models {
    /// Every model, the rehearsal first.
    pub(crate) async fn views(&self) -> Result<Vec<ModelView>, Problem> {
        let mut views = vec![];
        for record in self.store.models().await? {
            let key = self.kept.key(&*self.secrets, record.id).await;
            let kind = match record.kind.as_str() {
                REHEARSAL => ModelKind::Rehearsal,
                _ => {
                    let wire = wire_view(wire_of(&record));
                    let base_url = record.base_url.unwrap_or_default();
                    ModelKind::Remote {
                        wire,
                        proxy: self.proxy(&base_url),
                        base_url,
                        model: record.model,
                    }
                }
            };
            views.push(ModelView {
                id: record.id,
                label: record.label,
                kind,
                has_key: matches!(key, Ok(Some(_))),
                price_in: record.price_in,
                price_out: record.price_out,
                price_cached: record.price_cached,
                context: record.context,
            });
        }
        views.sort_by_key(|view| view.kind != ModelKind::Rehearsal);
        Ok(views)
    }

    /// A model at `base_url` as a card shows it.
    pub(crate) fn face(&self, record: &ModelRecord, base_url: &str) -> ModelFace {
        ModelFace {
            label: record.label.clone(),
            model: record.model.clone(),
            address: inspected(base_url),
            proxy: self.proxy(base_url),
        }
    }

    /// The model behind an id.
    pub(crate) async fn provider(&self, id: ModelId) -> Result<Arc<dyn ModelProvider>, Problem> {
        self.provider_of(&self.record(id).await?).await
    }

    /// The model behind an id, with what a chat needs of it.
    pub(crate) async fn for_chat(&self, id: ModelId) -> Result<ChatModel, Problem> {
        let record = self.record(id).await?;
        let provider = self.provider_of(&record).await?;
        let wire = (record.kind != REHEARSAL).then(|| wire_of(&record));
        let base_url = record.base_url.as_deref().and_then(|url| Url::parse(url).ok());
        Ok(ChatModel {
            id,
            provider,
            prices: ModelPrices::from_record(&record),
            context_settable: wire == Some(Wire::Ollama),
            local: base_url.as_ref().is_some_and(is_here),
            origin: wire.map(|wire| ReplyOrigin {
                connection: id,
                address: record.base_url.unwrap_or_default(),
                wire: wire.name().to_owned(),
                model: record.model,
            }),
        })
    }

    async fn record(&self, id: ModelId) -> Result<ModelRecord, Problem> {
        let known = self.store.models().await?;
        let record = known.into_iter().find(|record| record.id == id);
        record.ok_or(Problem::Model(ModelProblem::ModelGone))
    }

    /// The provider for a record: the one of before where nothing changed, because it holds the connections.
    async fn provider_of(&self, record: &ModelRecord) -> Result<Arc<dyn ModelProvider>, Problem> {
        if record.kind == REHEARSAL {
            return Ok(Arc::new(rehearsal()));
        }
        if let Some(provider) = self.kept.provider(record) {
            return Ok(provider);
        }
        let key = self.kept.key(&*self.secrets, record.id).await;
        let key = key.map_err(|error| Problem::Store(StoreProblem::KeychainFailed { detail: error.0 }))?;
        let base_url = address(record.base_url.as_deref().unwrap_or_default())?;
        let remote = self.remote(wire_of(record), base_url, key, record.model.clone())?;
        let provider: Arc<dyn ModelProvider> = Arc::new(remote.with_context(record.context));
        self.kept.keep(record.clone(), provider.clone());
        Ok(provider)
    }

    /// Refuses a key for an address where it would be sent so that others can read it.
    pub(crate) fn check_key(&self, base_url: &Url) -> Result<(), Problem> {
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
    pub(crate) fn remote(
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
    pub(crate) fn proxy(&self, base_url: &str) -> Option<String> {
        let proxy = self.proxies.between(&address(base_url).ok()?).ok()??.origin();
        Some(proxy.ascii_serialization())
    }
}

#[async_trait]
impl UserModels for Models {
    async fn default_model(&self) -> Result<ModelId, Problem> {
        Ok(load_settings(&self.store).await?.default_model)
    }

    async fn provider(&self, id: ModelId) -> Result<Arc<dyn ModelProvider>, Problem> {
        Models::provider(self, id).await
    }
}

/// How a stored model is spoken to.
fn wire_of(record: &ModelRecord) -> Wire {
    // Before there was a choice, every model was one of these.
    Wire::named(&record.kind).unwrap_or(Wire::ChatCompletions)
}

/// A wire as windows name it.
pub(crate) fn wire_view(wire: Wire) -> ModelWire {
    match wire {
        Wire::ChatCompletions => ModelWire::ChatCompletions,
        Wire::Responses => ModelWire::Responses,
        Wire::Anthropic => ModelWire::Anthropic,
        Wire::Gemini => ModelWire::Gemini,
        Wire::Ollama => ModelWire::Ollama,
        Wire::Azure => ModelWire::Azure,
    }
}

/// The wire a window named.
pub(crate) fn chosen_wire(wire: ModelWire) -> Wire {
    match wire {
        ModelWire::ChatCompletions => Wire::ChatCompletions,
        ModelWire::Responses => Wire::Responses,
        ModelWire::Anthropic => Wire::Anthropic,
        ModelWire::Gemini => Wire::Gemini,
        ModelWire::Ollama => Wire::Ollama,
        ModelWire::Azure => Wire::Azure,
    }
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
pub(crate) fn address(text: &str) -> Result<Url, InputProblem> {
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
