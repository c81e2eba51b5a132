//! Permission for what follows from what the user does or has agreed to: proposals while they fill in a prompt, changes of
//! a resource that they attached, a file that they send, the level of a log that they set, folders that they share, a task
//! that goes on. None of it is a question, because the user just did it or said yes to it before; each is in the ledger
//! before it is sent.

use serde_json::{Value, json};
use vestibule_policy::{Because, ContentDigest, Mention, Scope};
use vestibule_protocol::{ChatId, ServerId};
use vestibule_store::{LedgerKind, StoreError};

use super::ledger_body::LedgerBody;
use super::record::{DecisionWord, EffectRecord};
use super::{Approval, Gate};
use crate::effect::{Effect, EffectEnd};
use crate::permit::{CompleteFields, Permit, SetLogLevel, TellRoots, WatchResource};

/// A file that goes to a model.
#[derive(Clone, Debug)]
pub struct SentFile {
    /// Its name without the folder.
    pub name: String,
    /// `picture`, `pdf` or `text`; the ledger keeps the word for good.
    pub kind: &'static str,
    /// How many pages a PDF has.
    pub pages: Option<u32>,
    /// Its size when it was read.
    pub bytes: u64,
    /// Of what the model gets.
    pub content: ContentDigest,
    /// The name of the model.
    pub model: String,
    /// The address of the model; `None` for the rehearsal.
    pub address: Option<String>,
}

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
        self.record(effect, Scope::Once, json!({}), CompleteFields { server, of })
            .await
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
        self.record(effect, Scope::Once, json!({}), WatchResource { server, uri })
            .await
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
        self.record(effect, Scope::Once, json!({}), SetLogLevel { server, level })
            .await
    }

    /// Writes that a task of a tool that was called is followed from now on: again, where an earlier run of the
    /// application left it. The call had its own leave; following changes nothing at the server.
    ///
    /// # Errors
    /// When it could not be written down.
    pub async fn follow_task(
        &self,
        server: ServerId,
        chat: ChatId,
        tool: String,
    ) -> Result<Effect, StoreError> {
        let effect = EffectRecord::new(server, Some(chat), "task.follow", tool);
        let intent = self
            .ledger
            .record_intent(effect, &Approval::without_card(Scope::Once), json!({}))
            .await?;
        Ok(Effect::begin((), intent))
    }

    /// Writes that a file which the user attached goes to the model of a chat. The user saw what is sent of it.
    ///
    /// # Errors
    /// When it could not be written down; the file is then not sent.
    pub async fn send_file(&self, chat: ChatId, file: SentFile) -> Result<Effect, StoreError> {
        let mut effect =
            EffectRecord::new(None, Some(chat), "file.send", file.model).with_mentions(&json!(file.address));
        effect.names.insert(Mention::File(file.name));
        let facts = json!({ "file": file.kind, "pages": file.pages, "bytes": file.bytes });
        let details = LedgerBody::from(facts).with_digest("content", file.content);
        let approval = Approval::without_card(Scope::Once);
        let intent = self.ledger.record_intent(effect, &approval, details).await?;
        Ok(Effect::begin((), intent).if_dropped(EffectEnd::NotSent))
    }

    /// Permission to tell a server of folders the user shares with it.
    ///
    /// # Errors
    /// When it could not be written down; the server is then not told.
    pub async fn tell_roots(
        &self,
        server: ServerId,
        folders: Vec<String>,
    ) -> Result<Permit<TellRoots>, StoreError> {
        let effect = EffectRecord::new(server, None, "roots.tell", "").with_mentions(&json!(folders));
        let details = json!({ "folders": folders });
        self.record(effect, Scope::Always, details, TellRoots { server, folders })
            .await
    }

    /// Writes down that a folder is no longer shared.
    ///
    /// # Errors
    /// When that could not be written down.
    pub async fn unshare_folder(&self, server: ServerId, folder: &str) -> Result<(), StoreError> {
        let effect = EffectRecord::new(server, None, "roots.share", "");
        let because = json!([Because::Person { scope: Scope::Always }]);
        let body = json!({ "folders": [folder] });
        let draft = effect.draft(LedgerKind::Revoke, Some(DecisionWord::Ask), because, body);
        self.ledger.store.append(draft).await.map(drop)
    }

    async fn record<T>(
        &self,
        effect: EffectRecord,
        scope: Scope,
        details: Value,
        what: T,
    ) -> Result<Permit<T>, StoreError> {
        self.ledger
            .mint(effect, Approval::without_card(scope), details, what)
            .await
    }
}
