//! What the user uses of a server besides its tools: resources and prompts, picked for one chat; proposals while
//! they write; the level of a server's log. Nothing here can be reached by a model.

use std::collections::BTreeMap;
use std::time::Duration;

use vestibule_consent::{Denied, PickContext};
use vestibule_protocol::mcp::{CompletionParams, CompletionTarget, LogLevel};
use vestibule_protocol::{AttachmentId, ChatId, ServerId};

use super::Host;
use crate::view::{
    AttachmentFrom, AttachmentView, CallProblem, CompletionAsk, CompletionOf, CompletionView, InputProblem,
    OffersView, Problem, ResourcePick,
};
use vestibule_servers::{attachments, config::uri_template};
use vestibule_servers::{gone, log_level_key};

/// How long a field has to rest before a server is asked for proposals.
const REST: Duration = Duration::from_millis(150);
/// The longest value a user can give a prompt or a pattern, in bytes.
const LONGEST_VALUE: usize = 64 * 1024;

impl Host {
    /// What a server offers besides tools.
    ///
    /// # Errors
    /// When the server is gone.
    pub fn server_offers(&self, server: ServerId) -> Result<OffersView, Problem> {
        Ok(self.0.servers.get(server)?.features_view())
    }

    /// Reads a resource the user picked for a chat. It waits there to be sent; nothing else gets it.
    ///
    /// # Errors
    /// When the server does not offer it, a rule refuses, or reading failed.
    pub async fn resource_read(
        &self,
        chat: ChatId,
        server: ServerId,
        pick: ResourcePick,
    ) -> Result<AttachmentView, Problem> {
        let found = self.0.servers.get(server)?;
        let offers = found.features();
        let (uri, name) = match pick {
            ResourcePick::Listed { uri } => {
                let found = offers.resources.iter().find(|listed| listed.uri == uri);
                let name = found.ok_or_else(gone)?.about.display_name().to_owned();
                (uri, name)
            }
            ResourcePick::Pattern { pattern, values } => {
                let known = offers.templates.iter().any(|t| t.uri_template == pattern);
                let declared = known
                    .then(|| uri_template::variables(&pattern))
                    .ok_or_else(gone)?;
                bounded(&values)?;
                let is_empty = |name: &String| values.get(name).is_none_or(|value| value.is_empty());
                let names: Vec<String> = declared.iter().filter(|name| is_empty(name)).cloned().collect();
                // Optional parts of an address may stay empty; a pattern of which nothing is known names no resource.
                if !names.is_empty() && names.len() == declared.len() {
                    return Err(Problem::Input(InputProblem::VariablesMissing { names }));
                }
                let given: BTreeMap<String, String> = values
                    .into_iter()
                    .filter(|(_, value)| !value.is_empty())
                    .collect();
                let uri = uri_template::expand(&pattern, &given)?;
                (uri.clone(), uri)
            }
        };
        let pick = self.pick(chat, server).await?;
        let permit = pick
            .approve_resource(&self.0.gate, uri.clone())
            .await
            .map_err(refused)?;
        let (parts, cut_bytes) = attachments::of_resource(found.read_resource(permit).await?);
        let from = AttachmentFrom::Resource {
            uri: uri.clone(),
            name,
        };
        let attachment = self.attachment(server, from, parts, cut_bytes);
        self.0.attachments.keep(chat, attachment.clone())?;
        found.watch(&uri, attachment.id).await;
        Ok(attachment)
    }

    /// Expands a prompt the user picked for a chat. The window shows it whole; it goes into the chat when the user
    /// sends it.
    ///
    /// # Errors
    /// When the server does not offer it, a rule refuses, or expanding failed.
    pub async fn prompt_get(
        &self,
        chat: ChatId,
        server: ServerId,
        name: String,
        arguments: BTreeMap<String, String>,
    ) -> Result<AttachmentView, Problem> {
        let found = self.0.servers.get(server)?;
        let offers = found.features();
        let prompt = offers.prompts.iter().find(|prompt| prompt.name == name);
        let declared = &prompt.ok_or_else(gone)?.arguments;
        bounded(&arguments)?;
        let is_declared = |name: &String| declared.iter().any(|argument| argument.name == *name);
        let sent: BTreeMap<String, String> = arguments
            .into_iter()
            .filter(|(name, value)| is_declared(name) && !value.is_empty())
            .collect();
        let missing = declared
            .iter()
            .filter(|argument| argument.required && !sent.contains_key(&argument.name));
        let names: Vec<String> = missing.map(|argument| argument.name.clone()).collect();
        if !names.is_empty() {
            return Err(Problem::Input(InputProblem::VariablesMissing { names }));
        }
        let pick = self.pick(chat, server).await?;
        let permit = pick
            .approve_prompt(&self.0.gate, name.clone(), sent.clone())
            .await
            .map_err(refused)?;
        let (parts, cut_bytes) = attachments::of_prompt(found.get_prompt(permit).await?);
        let from = AttachmentFrom::Prompt {
            name,
            arguments: sent,
        };
        let attachment = self.attachment(server, from, parts, cut_bytes);
        self.0.attachments.keep(chat, attachment.clone())?;
        Ok(attachment)
    }

    /// What waits in a chat to be sent, in the order it was picked.
    #[must_use]
    pub fn attachments_waiting(&self, chat: ChatId) -> Vec<AttachmentView> {
        self.0.attachments.of_chat(chat)
    }

    /// The user does not want something attached after all.
    ///
    /// # Errors
    /// When a file may still be on disk.
    pub async fn attachment_drop(&self, attachment: AttachmentId) -> Result<(), Problem> {
        if let Some(attachment) = self.0.attachments.drop_one(attachment) {
            self.unwatch(&attachment);
        }
        Ok(self.0.store.remove_draft_files(vec![attachment]).await?)
    }

    /// Forgets what was sent, which is part of a message on disk.
    pub(super) async fn forget_sent(&self, sent: Vec<AttachmentId>) {
        for id in &sent {
            self.0.attachments.drop_one(*id);
        }
        if sent.is_empty() {
            return;
        }
        if let Err(error) = self.0.store.remove_draft_files(sent).await {
            tracing::error!(%error, "failed to delete files that were sent; they wait again after a restart");
        }
    }

    /// What a server proposes for a field. A newer question to the same server takes the place of an older one, which
    /// then proposes nothing; only fields that the prompt or the template names are sent.
    ///
    /// # Errors
    /// When the server offers no such thing, or asking failed.
    pub async fn complete(&self, server: ServerId, ask: CompletionAsk) -> Result<CompletionView, Problem> {
        let offers = self.0.servers.get(server)?.features();
        let (target, declared) = match ask.of {
            CompletionOf::Prompt(name) => {
                let prompt = offers.prompts.iter().find(|prompt| prompt.name == name);
                let arguments = &prompt.ok_or_else(gone)?.arguments;
                let names = arguments.iter().map(|argument| argument.name.clone()).collect();
                (CompletionTarget::Prompt { name }, names)
            }
            CompletionOf::Pattern(pattern) => {
                let known = offers.templates.iter().any(|t| t.uri_template == pattern);
                let names: Vec<String> = known
                    .then(|| uri_template::variables(&pattern))
                    .ok_or_else(gone)?;
                (CompletionTarget::Resource { uri: pattern }, names)
            }
        };
        if !declared.contains(&ask.field) {
            return Err(gone());
        }
        let is_other = |name: &String| *name != ask.field && declared.contains(name);
        let chosen = ask
            .others
            .into_iter()
            .filter(|(name, value)| is_other(name) && !value.is_empty())
            .collect();
        let params = CompletionParams {
            target,
            argument: ask.field,
            value: ask.value,
            chosen,
        };
        let newer = self.newest(server);
        tokio::select! {
            biased;
            () = newer.cancelled() => Ok(CompletionView::default()),
            proposed = async {
                tokio::time::sleep(REST).await;
                self.0.servers.get(server)?.complete(&params).await
            } => proposed.map(|proposed| CompletionView {
                values: proposed.values,
                more: proposed.has_more,
            }),
        }
    }

    /// From which level up a server logs, now and whenever it is connected.
    ///
    /// # Errors
    /// When the server refuses, or the setting could not be stored.
    pub async fn server_log_level(&self, server: ServerId, level: LogLevel) -> Result<(), Problem> {
        self.0.servers.get(server)?.set_log_level(level).await?;
        let kept = serde_json::to_value(level).expect("a level is plain data");
        Ok(self.0.store.put_setting(&log_level_key(server), kept).await?)
    }

    /// Watches nothing any more for something that is not to be seen.
    pub(super) fn unwatch(&self, attachment: &AttachmentView) {
        if let AttachmentFrom::Resource { uri, .. } = &attachment.from
            && let Some(server) = attachment.server
            && let Ok(server) = self.0.servers.get(server)
        {
            server.unwatch(uri, attachment.id);
        }
    }

    fn newest(&self, server: ServerId) -> tokio_util::sync::CancellationToken {
        let token = tokio_util::sync::CancellationToken::new();
        let mut asking = self
            .0
            .completing
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(older) = asking.insert(server, token.clone()) {
            older.cancel();
        }
        token
    }

    fn attachment(
        &self,
        server: ServerId,
        from: AttachmentFrom,
        parts: Vec<crate::view::AttachedPart>,
        cut_bytes: u64,
    ) -> AttachmentView {
        AttachmentView {
            id: AttachmentId::new(),
            server: Some(server),
            server_name: self
                .0
                .servers
                .get(server)
                .map_or_else(|_| String::new(), |server| server.name()),
            from,
            parts,
            cut_bytes,
            changed: false,
        }
    }

    async fn pick(&self, chat: ChatId, server: ServerId) -> Result<PickContext, Problem> {
        if !self.0.attachments.has_room(chat) {
            return Err(Problem::Input(InputProblem::TooManyAttachments {
                limit: attachments::MOST as u32,
            }));
        }
        let workspace = self.chat_record(chat).await?.workspace;
        Ok(PickContext {
            server,
            chat,
            workspace,
        })
    }
}

fn bounded(values: &BTreeMap<String, String>) -> Result<(), Problem> {
    match values.values().any(|value| value.len() > LONGEST_VALUE) {
        true => Err(Problem::Input(InputProblem::TooLong {
            limit_kb: (LONGEST_VALUE / 1024) as u32,
        })),
        false => Ok(()),
    }
}

fn refused(no: Denied) -> Problem {
    match no {
        Denied::LedgerFailed(error) => error.into(),
        _ => Problem::Call(CallProblem::ReadingRefused),
    }
}
