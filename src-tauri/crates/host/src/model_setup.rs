//! From what the user set up to a model that can speak. The rehearsal is a model like any other, under a fixed id,
//! so that a chat has a model before anything is set up.

use std::sync::Arc;

use jiff::Timestamp;
use secrecy::SecretString;
use url::Url;
use vestibule_consent::ModelFace;
use vestibule_models::{ModelProvider, open_ai_compatible, rehearsal};
use vestibule_protocol::ModelId;
use vestibule_store::{ModelRecord, Store};
use vestibule_transport::egress::Proxies;

use crate::connection::inspected;
use crate::secrets::{SecretName, Secrets};
use crate::view::{InputProblem, ModelKind, ModelProblem, ModelView, Problem, StoreProblem};

/// The id of the rehearsal.
pub(crate) fn rehearsal_id() -> ModelId {
    "00000000-0000-7000-8000-000000000000"
        .parse()
        .expect("this text is a UUID")
}

/// How the kinds of model are kept.
pub(crate) const OPEN_AI_COMPATIBLE: &str = "open_ai_compatible";
pub(crate) const REHEARSAL: &str = "rehearsal";

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
}

impl Models {
    /// Every model, the rehearsal first.
    pub(crate) async fn views(&self) -> Result<Vec<ModelView>, Problem> {
        let mut views = vec![];
        for record in self.store.models().await? {
            let key = self.secrets.get(&SecretName::ModelKey(record.id)).await;
            let base_url = record.base_url.unwrap_or_default();
            let kind = match record.kind.as_str() {
                REHEARSAL => ModelKind::Rehearsal,
                _ => ModelKind::OpenAiCompatible {
                    proxy: self.proxy(&base_url),
                    base_url,
                    model: record.model,
                },
            };
            views.push(ModelView {
                id: record.id,
                label: record.label,
                kind,
                has_key: matches!(key, Ok(Some(_))),
                price_in: record.price_in,
                price_out: record.price_out,
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
        let known = self.store.models().await?;
        let record = known.into_iter().find(|record| record.id == id);
        let record = record.ok_or(Problem::Model(ModelProblem::ModelGone))?;
        if record.kind == REHEARSAL {
            return Ok(Arc::new(rehearsal()));
        }
        let key = self.secrets.get(&SecretName::ModelKey(id)).await;
        let key = key.map_err(|error| Problem::Store(StoreProblem::KeychainFailed { detail: error.0 }))?;
        let base_url = address(&record.base_url.unwrap_or_default())?;
        Ok(Arc::new(self.remote(base_url, key, record.model)?))
    }

    /// A model at an address. The user wrote the address, so plain http is theirs to choose; a proxy that was asked
    /// for and cannot be used is never gone around.
    pub(crate) fn remote(
        &self,
        base_url: Url,
        key: Option<SecretString>,
        model: String,
    ) -> Result<impl ModelProvider + use<>, Problem> {
        let proxy = self.proxies.between(&base_url);
        let proxy = proxy.map_err(|error| {
            Problem::Input(InputProblem::AddressInvalid {
                url: base_url.to_string(),
                detail: error.to_string(),
            })
        })?;
        let remote = open_ai_compatible(base_url, key, model).allow_plain_http();
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
