//! Connections to model servers: saved, asked for their models, removed. Everything said in chats goes to their addresses,
//! so a new one, another address and other headers are asked in the consent window.

use std::collections::HashSet;

use jiff::Timestamp;
use secrecy::SecretString;
use vestibule_consent::{ConnectionSummary, WidenRequest, Widening};
use vestibule_model_setup::{address, chosen_wire, keychain, shown_label, wire_view};
use vestibule_models::{Wire, detect_local, is_free_header, is_header_value};
use vestibule_policy::inspect::UrlVerdict;
use vestibule_protocol::{ConnectionId, ModelId};
use vestibule_servers::config::connection::inspected;
use vestibule_servers::config::secrets::SecretName;
use vestibule_store::ConnectionRecord;

use super::Host;
use crate::view::{
    ChangeOutcome, ConnectionDraft, ConnectionSaved, HeaderDraft, InputProblem, LocalModels, Problem,
};

/// The most extra headers of a connection.
const MOST_HEADERS: usize = 16;

/// A connection as it would be kept.
struct ConnectionPlan {
    record: ConnectionRecord,
    before: Option<ConnectionRecord>,
    /// Whether it was at another address before.
    moved: bool,
    /// The models that come with it.
    models: Vec<String>,
    /// What has to be asked first.
    widening: Option<Widening>,
}

impl Host {
    /// Keeps a connection, with models of it where the draft names some. Where everything said in chats would go to an
    /// address or with headers that nothing went to before, the consent window asks first, and until then neither the
    /// connection nor its secrets are kept.
    ///
    /// # Errors
    /// When the address, a header or a name cannot be used, or something could not be kept.
    pub async fn connection_save(&self, draft: ConnectionDraft) -> Result<ConnectionSaved, Problem> {
        let connection = draft.id.unwrap_or_else(ConnectionId::new);
        let plan = self.plan_connection(connection, &draft).await?;
        let models: Vec<ModelId> = plan.models.iter().map(|_| ModelId::new()).collect();
        let ids = models.clone();
        let change = match plan.widening.clone() {
            None => {
                self.keep_connection(plan, draft, &ids).await?;
                ChangeOutcome::Done
            }
            Some(widening) => {
                let request = WidenRequest::new(widening);
                self.widen(request, move |host, shown| async move {
                    let plan = host.plan_connection(connection, &draft).await?;
                    if plan.widening.as_ref() != Some(&shown) {
                        return Ok(false);
                    }
                    host.keep_connection(plan, draft, &ids).await?;
                    Ok(true)
                })
                .await?
            }
        };
        Ok(ConnectionSaved {
            connection,
            models,
            change,
        })
    }

    /// What saving the draft as `id` would do. Nothing is kept yet.
    async fn plan_connection(
        &self,
        id: ConnectionId,
        draft: &ConnectionDraft,
    ) -> Result<ConnectionPlan, Problem> {
        let base_url = address(&draft.base_url)?;
        // As it was written, because reading it makes some of what deceives invisible.
        let written = inspected(draft.base_url.trim());
        if written.verdict == UrlVerdict::Block {
            return Err(Problem::Input(InputProblem::AddressDeceives {
                origin: base_url.origin().ascii_serialization(),
                warnings: written.warnings,
            }));
        }
        let before = self.0.models.connection(id).await?;
        let is_local = self.0.models.local.is_local(id);
        if is_local || draft.id.is_some() && before.is_none() {
            return Err(Problem::Input(InputProblem::Gone));
        }
        let moved = before
            .as_ref()
            .is_some_and(|record| record.base_url != base_url.as_str());
        let kept = before.as_ref().filter(|_| !moved);
        let headers = checked_headers(&draft.headers, kept)?;
        let models = self.new_names(id, &draft.models).await?;
        let is_keyed = draft.key.as_ref().is_some_and(|key| !key.is_empty());
        if is_keyed || !headers.is_empty() {
            self.0.models.check_key(&base_url)?;
        }
        let wire = match (draft.wire, &before) {
            (Some(wire), _) => chosen_wire(wire).name().to_owned(),
            (None, Some(before)) => before.wire.clone(),
            (None, None) => Wire::for_address(&base_url).name().to_owned(),
        };
        let record = ConnectionRecord {
            id,
            label: draft.label.trim().to_owned(),
            wire,
            base_url: base_url.to_string(),
            headers,
            created: before
                .as_ref()
                .map_or_else(Timestamp::now, |record| record.created),
            unmerged: false,
        };
        // What a header says can decide where a gateway sends a request on to.
        let sends_other_headers = draft.headers.iter().any(|header| header.value.is_some());
        let widening = if before.is_none() || moved || sends_other_headers {
            Some(Widening::SaveConnection {
                connection: self.connection_face(&record, &models),
                new: before.is_none(),
                before: before
                    .as_ref()
                    .filter(|_| moved)
                    .map(|record| record.base_url.clone()),
                key: is_keyed,
                prices: self
                    .0
                    .models
                    .connection_lowers(before.as_ref(), &record, &models)
                    .await?,
            })
        } else {
            self.0.models.models_widen(&record, &models).await?
        };
        Ok(ConnectionPlan {
            record,
            before,
            moved,
            models,
            widening,
        })
    }

    fn connection_face(&self, record: &ConnectionRecord, models: &[String]) -> ConnectionSummary {
        ConnectionSummary {
            label: shown_label(record),
            models: models.to_vec(),
            headers: record.headers.clone(),
            address: inspected(&record.base_url),
            proxy: self.0.models.proxy(&record.base_url),
        }
    }

    /// Keeps a connection. Its secrets go to the keychain first, so that none is shown as kept that was lost. Where it moved,
    /// the old ones are removed and the new ones come last: whatever fails, no address is sent a secret of another one.
    /// Of a new connection that could not be kept no secret stays.
    async fn keep_connection(
        &self,
        plan: ConnectionPlan,
        draft: ConnectionDraft,
        ids: &[ModelId],
    ) -> Result<(), Problem> {
        let id = plan.record.id;
        let left = plan.before.as_ref().filter(|_| plan.moved);
        if let Some(before) = left {
            self.remove_secrets(before).await?;
            self.0.models.kept.forget(id).await;
            self.0.store.put_connection(&plan.record).await?;
        }
        if let Err(problem) = self.keep_secrets(&plan, draft).await {
            if plan.before.is_none()
                && let Err(error) = self.remove_secrets(&plan.record).await
            {
                tracing::error!(%error, "failed to remove the secrets of a connection that was not added");
            }
            return Err(problem);
        }
        self.put_models(id, &plan.models, ids).await?;
        self.tell_of_models().await?;
        self.describe_later(plan.record, ids.to_vec());
        Ok(())
    }

    /// Keeps the secrets of a connection, then its row where that is not kept yet.
    async fn keep_secrets(&self, plan: &ConnectionPlan, draft: ConnectionDraft) -> Result<(), Problem> {
        let id = plan.record.id;
        self.keep_key(id, draft.key).await?;
        self.keep_headers(plan, draft.headers).await?;
        self.0.models.kept.forget(id).await;
        let is_kept = plan.before.is_some() && plan.moved;
        if !is_kept {
            self.0.store.put_connection(&plan.record).await?;
        }
        Ok(())
    }

    async fn keep_key(&self, id: ConnectionId, key: Option<String>) -> Result<(), Problem> {
        let (name, secrets) = (SecretName::ConnectionKey(id), &self.0.secrets);
        match key {
            Some(secret) if !secret.is_empty() => secrets
                .set(&name, &SecretString::from(secret))
                .await
                .map_err(keychain),
            Some(_) => secrets.remove(&name).await.map_err(keychain),
            None => Ok(()),
        }
    }

    async fn keep_headers(&self, plan: &ConnectionPlan, drafts: Vec<HeaderDraft>) -> Result<(), Problem> {
        let connection = plan.record.id;
        for HeaderDraft { name, value } in drafts {
            if let Some(value) = value {
                let name = SecretName::ConnectionHeader {
                    connection,
                    name: name.trim().to_owned(),
                };
                let value = SecretString::from(value);
                self.0.secrets.set(&name, &value).await.map_err(keychain)?;
            }
        }
        let before = plan.before.iter().flat_map(|before| &before.headers);
        for name in before.filter(|name| !plan.record.headers.contains(name)) {
            self.remove_header(connection, name.clone()).await?;
        }
        Ok(())
    }

    async fn remove_secrets(&self, connection: &ConnectionRecord) -> Result<(), Problem> {
        let key = SecretName::ConnectionKey(connection.id);
        self.0.secrets.remove(&key).await.map_err(keychain)?;
        for name in &connection.headers {
            self.remove_header(connection.id, name.clone()).await?;
        }
        Ok(())
    }

    async fn remove_header(&self, connection: ConnectionId, name: String) -> Result<(), Problem> {
        let name = SecretName::ConnectionHeader { connection, name };
        self.0.secrets.remove(&name).await.map_err(keychain)
    }

    /// Removes a connection with its models, key and headers. Chats that used one of its models fall back as they do
    /// where a model is removed.
    ///
    /// # Errors
    /// When it could not be removed.
    pub async fn connection_remove(&self, connection: ConnectionId) -> Result<(), Problem> {
        let Some(record) = self.0.models.connection(connection).await? else {
            return Ok(());
        };
        for model in self.0.store.models().await? {
            if model.connection == Some(connection) {
                self.leave_model(model.id).await?;
            }
        }
        self.remove_secrets(&record).await?;
        self.0.models.kept.forget(connection).await;
        self.0.models.local.remove(&self.0.store, connection).await?;
        self.0.store.remove_connection(connection).await?;
        self.tell_of_models().await?;
        self.tell_of_all_chats().await
    }

    /// The proxy between this computer and an address, so that it can be shown before anything is sent there.
    #[must_use]
    pub fn model_proxy(&self, base_url: &str) -> Option<String> {
        self.0.models.proxy(base_url)
    }

    /// Asks the usual ports of this computer for models. The window does so when its page of models opens, and on a click.
    pub async fn model_detect(&self) -> Vec<LocalModels> {
        let found = detect_local().await.into_iter().map(|endpoint| LocalModels {
            name: endpoint.name,
            wire: wire_view(endpoint.wire),
            base_url: endpoint.base_url.to_string(),
            models: endpoint.models,
        });
        found.collect()
    }
}

/// The names of headers that may be set and have a value, `kept` being the connection whose values may stay.
fn checked_headers(
    drafts: &[HeaderDraft],
    kept: Option<&ConnectionRecord>,
) -> Result<Vec<String>, InputProblem> {
    let mut seen = HashSet::new();
    let mut names = vec![];
    for HeaderDraft { name, value } in drafts {
        let name = name.trim();
        let fits = is_free_header(name) && value.as_deref().is_none_or(is_header_value);
        if !fits || !seen.insert(name.to_ascii_lowercase()) || names.len() == MOST_HEADERS {
            return Err(InputProblem::HeaderInvalid {
                name: name.to_owned(),
            });
        }
        let is_kept = kept.is_some_and(|record| record.headers.iter().any(|held| held == name));
        if value.is_none() && !is_kept {
            return Err(InputProblem::SecretsMissing {
                names: vec![name.to_owned()],
            });
        }
        names.push(name.to_owned());
    }
    Ok(names)
}
