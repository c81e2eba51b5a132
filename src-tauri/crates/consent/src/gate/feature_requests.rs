//! Permission for requests that follow from what the user does with the features of a server: proposals while they fill in a
//! prompt, changes of a resource that they attached, the level of a log that they set. None of them is a question, because
//! the user just did it; each is in the ledger before it is sent.

use serde_json::json;
use vestibule_protocol::ServerId;
use vestibule_store::StoreError;

use super::Gate;
use super::read::by_person;
use super::record::EffectRecord;
use crate::permit::{CompleteFields, Permit, SetLogLevel, WatchResource};

impl Gate {
    /// Permission to ask for proposals for the fields of a prompt or a resource template.
    ///
    /// # Errors
    /// When it could not be written down.
    pub async fn complete_fields(
        &self,
        server: ServerId,
        of: String,
    ) -> Result<Permit<CompleteFields>, StoreError> {
        let effect = EffectRecord::new(server, None, "fields.complete", of.clone());
        self.record_feature(effect, CompleteFields { server, of }).await
    }

    /// Permission to subscribe to changes of a resource.
    ///
    /// # Errors
    /// When it could not be written down.
    pub async fn watch_resource(
        &self,
        server: ServerId,
        uri: String,
    ) -> Result<Permit<WatchResource>, StoreError> {
        let effect = EffectRecord::new(server, None, "resource.watch", uri.clone());
        self.record_feature(effect, WatchResource { server, uri }).await
    }

    /// Permission to set the level of a log.
    ///
    /// # Errors
    /// When it could not be written down.
    pub async fn set_log_level(
        &self,
        server: ServerId,
        level: String,
    ) -> Result<Permit<SetLogLevel>, StoreError> {
        let effect = EffectRecord::new(server, None, "log.level", level.clone());
        self.record_feature(effect, SetLogLevel { server, level }).await
    }

    async fn record_feature<T>(&self, effect: EffectRecord, what: T) -> Result<Permit<T>, StoreError> {
        let approval = by_person();
        let intent = self.record_intent(effect, &approval, json!({})).await?;
        Ok(Permit::mint(what, approval.because, intent))
    }
}
