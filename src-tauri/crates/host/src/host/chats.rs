//! Chats: made, named, read and shown.

use jiff::Timestamp;
use vestibule_model_setup::{chat_usage_view, settings_of};
use vestibule_protocol::{ChatId, WorkspaceId};
use vestibule_store::{ChatRecord, ChatUsage};

use std::collections::HashMap;
use std::future::ready;

use super::Host;
use super::chat_turns::check_length;
use crate::view::{ChatView, EntriesPart, EntriesView, HostEvent, InputProblem, Problem};

/// The longest title, in characters.
const TITLE: usize = 200;

impl Host {
    /// Makes an empty chat; a temporary one is in memory alone.
    ///
    /// # Errors
    /// When it could not be kept.
    pub async fn chat_create(&self, temporary: bool) -> Result<ChatView, Problem> {
        let now = Timestamp::now();
        let record = ChatRecord {
            id: if temporary {
                ChatId::temporary()
            } else {
                ChatId::new()
            },
            workspace: WorkspaceId::home(),
            title: String::new(),
            model: None,
            settings: None,
            created: now,
            updated: now,
            pinned: false,
            archived: false,
            trashed: None,
        };
        self.0.store.create_chat(&record).await?;
        let view = self.chat_view(record, None);
        self.0.events.tell(HostEvent::Chat { chat: view.clone() });
        Ok(view)
    }

    /// Makes a chat and sends its first message. Where that fails there is no chat.
    ///
    /// # Errors
    /// When the message is too long, the profile is gone, or the chat or the message could not be kept.
    pub async fn chat_begin(&self, text: String, profile: Option<String>) -> Result<ChatView, Problem> {
        check_length(&text)?;
        let chat = self.chat_create(false).await?;
        let Err(problem) = self.send_first(chat.id, text, profile).await else {
            return Ok(chat);
        };
        if let Err(error) = self.chat_delete(chat.id).await {
            tracing::error!(%error, "failed to delete a chat whose first message was refused");
        }
        Err(problem)
    }

    async fn send_first(&self, chat: ChatId, text: String, profile: Option<String>) -> Result<(), Problem> {
        if profile.is_some() {
            self.chat_profile(chat, profile).await?;
        }
        self.chat_send(chat, text, vec![]).await
    }

    /// Gives a chat another title.
    ///
    /// # Errors
    /// When the chat is gone or the title could not be kept.
    pub async fn chat_rename(&self, chat: ChatId, title: &str) -> Result<(), Problem> {
        let title: String = title.trim().chars().take(TITLE).collect();
        self.0.store.rename_chat(chat, &title).await?;
        self.tell_of_chat(chat).await
    }

    /// A part of the entries of a chat.
    ///
    /// # Errors
    /// When they cannot be read, or the entry that the part is around is gone.
    pub async fn chat_entries(&self, chat: ChatId, part: EntriesPart) -> Result<EntriesView, Problem> {
        Ok(self.0.transcript.page(chat, part).await?)
    }

    /// Prepares what the next message of a chat needs, so that it does not wait for the keychain, the client and the messages
    /// before it; `None` for a chat that has not begun. Nothing is sent and no model is started. What stands in the way is
    /// said by the message.
    ///
    /// # Errors
    /// It never fails. Every command that waits returns a result.
    pub async fn chat_prepare(&self, chat: Option<ChatId>) -> Result<(), Problem> {
        if let Err(problem) = self.prepare_message(chat).await {
            tracing::debug!(%problem, "failed to prepare the next message of a chat");
        }
        Ok(())
    }

    async fn prepare_message(&self, chat: Option<ChatId>) -> Result<(), Problem> {
        let Some(chat) = chat else {
            self.0.models.provider(self.settings().default_model).await?;
            return Ok(());
        };
        let record = self.chat_record(chat).await?;
        let model = record.model.unwrap_or(self.settings().default_model);
        self.0.models.provider(model).await?;
        // What a model is saying would have to be made again.
        if self.turns().contains_key(&chat) {
            return Ok(());
        }
        let origin = self.0.models.reply_origin(model).await?;
        let entries = self.0.transcript.entries(chat).await?;
        self.0.prepared.make(&self.0.store, chat, origin, entries).await?;
        Ok(())
    }

    pub(super) async fn chat_record(&self, chat: ChatId) -> Result<ChatRecord, Problem> {
        let record = self.0.store.chat(chat).await?;
        record.ok_or(Problem::Input(InputProblem::Gone))
    }

    pub(super) async fn chat_views(&self) -> Result<Vec<ChatView>, Problem> {
        let mut usage: HashMap<_, _> = self.0.store.model_usage().await?;
        let chats = self.0.store.chats().await?.into_iter();
        let view = |record: ChatRecord| {
            let usage = usage.remove(&record.id);
            self.chat_view(record, usage)
        };
        Ok(chats.map(view).collect())
    }

    pub(super) fn chat_view(&self, record: ChatRecord, usage: Option<ChatUsage>) -> ChatView {
        let turns = self.turns();
        let turn = turns.get(&record.id);
        let off = self.switched_off(record.id);
        ChatView {
            settings: settings_of(&record),
            id: record.id,
            temporary: record.id.is_temporary(),
            title: record.title,
            model: record.model,
            workspace: record.workspace,
            updated_ms: record.updated.as_millisecond(),
            busy: turn.is_some(),
            retry: turn.and_then(|turn| turn.retry.clone()),
            usage: usage.map(chat_usage_view),
            servers_off: off.servers,
            servers_only: off.only,
            tools_off: off.tools,
            queue: self.queue_view(record.id),
            pinned: record.pinned,
            archived: record.archived,
            trashed_ms: record.trashed.map(Timestamp::as_millisecond),
            imported: self.imported_from(record.id),
        }
    }

    pub(super) async fn tell_of_chat(&self, chat: ChatId) -> Result<(), Problem> {
        let read = async {
            let record = self.chat_record(chat).await?;
            let usage = self.0.store.model_usage_of_chat(chat).await?;
            let chat = self.chat_view(record, usage);
            Ok([HostEvent::Chat { chat }])
        };
        self.0.chat_events.tell(read).await
    }

    pub(super) async fn tell_of_all_chats(&self) -> Result<(), Problem> {
        let read = async {
            let chats = self.chat_views().await?.into_iter();
            Ok(chats.map(|chat| HostEvent::Chat { chat }))
        };
        self.0.chat_events.tell(read).await
    }

    /// Tells that a chat was deleted, after whatever was read of it before that.
    pub(super) async fn tell_of_chat_gone(&self, chat: ChatId) -> Result<(), Problem> {
        let gone = ready(Ok([HostEvent::ChatGone { chat }]));
        self.0.chat_events.tell(gone).await
    }
}
