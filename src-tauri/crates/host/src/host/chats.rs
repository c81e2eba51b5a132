//! Chats: made, named, deleted, and spoken in.

use jiff::Timestamp;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, info_span};
use vestibule_protocol::{AttachmentId, ChatId, EntryId, WorkspaceId};
use vestibule_store::ChatRecord;

use super::Host;
use crate::turn::Turn;
use crate::view::{AttachmentView, ChatView, EntriesView, EntryBody, HostEvent, InputProblem, Problem};

/// The longest message, in bytes.
const MESSAGE: usize = 1024 * 1024;
/// The longest title, in characters.
const TITLE: usize = 200;
/// How much of a first message becomes the title, in characters.
const TITLE_FROM_MESSAGE: usize = 60;

impl Host {
    /// Makes an empty chat.
    ///
    /// # Errors
    /// When it could not be kept.
    pub async fn chat_create(&self) -> Result<ChatView, Problem> {
        let now = Timestamp::now();
        let record = ChatRecord {
            id: ChatId::new(),
            workspace: WorkspaceId::home(),
            title: String::new(),
            model: None,
            created: now,
            updated: now,
        };
        self.0.store.create_chat(&record).await?;
        let view = self.chat_view(record);
        self.0.events.tell(HostEvent::Chat { chat: view.clone() });
        Ok(view)
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

    /// Deletes a chat with everything in it. The ledger keeps its digests.
    ///
    /// # Errors
    /// When it could not be deleted.
    pub async fn chat_delete(&self, chat: ChatId) -> Result<(), Problem> {
        self.chat_stop(chat);
        self.0.store.delete_chat(chat).await?;
        self.0.gate.chat_deleted(chat);
        for attachment in self.0.attachments.drop_chat(chat) {
            self.unwatch(&attachment);
        }
        self.0.events.tell(HostEvent::ChatGone { chat });
        Ok(())
    }

    /// The entries of a chat.
    ///
    /// # Errors
    /// When they cannot be read.
    pub async fn chat_entries(&self, chat: ChatId) -> Result<EntriesView, Problem> {
        Ok(self.0.transcript.entries(chat).await?)
    }

    /// Says something in a chat: on disk, then the model's turn begins.
    ///
    /// # Errors
    /// When the chat is busy or gone, or the message could not be kept; nothing is then lost, because nothing was
    /// taken.
    pub async fn chat_send(
        &self,
        chat: ChatId,
        text: String,
        attached: &[AttachmentId],
    ) -> Result<(), Problem> {
        if text.len() > MESSAGE {
            return Err(Problem::Input(InputProblem::TooLong {
                limit_kb: (MESSAGE / 1024) as u32,
            }));
        }
        let attachments = self.0.attachments.find(chat, attached)?;
        let stop = self.occupy(chat)?;
        let begun = self.begin(chat, text, attachments).await;
        match begun {
            Ok(()) => {
                for id in attached {
                    self.0.attachments.drop_one(*id);
                }
                self.turn(chat, stop);
                Ok(())
            }
            Err(problem) => {
                self.vacate(chat).await;
                Err(problem)
            }
        }
    }

    async fn begin(
        &self,
        chat: ChatId,
        text: String,
        attachments: Vec<AttachmentView>,
    ) -> Result<(), Problem> {
        let record = self.chat_record(chat).await?;
        if record.title.is_empty() {
            self.0.store.rename_chat(chat, &title_from(&text)).await?;
        }
        self.0
            .transcript
            .add(chat, EntryBody::User { text, attachments })
            .await?;
        self.tell_of_chat(chat).await
    }

    /// Stops the model's turn in a chat.
    pub fn chat_stop(&self, chat: ChatId) {
        if let Some(stop) = self.turns().get(&chat) {
            stop.cancel();
        }
    }

    /// Gives up the task a call became.
    ///
    /// # Errors
    /// When there is none any more.
    pub fn task_cancel(&self, entry: EntryId) -> Result<(), Problem> {
        self.0
            .followed
            .cancel(entry)
            .then_some(())
            .ok_or(Problem::Input(InputProblem::Gone))
    }

    /// Lets the model try again after a failure.
    ///
    /// # Errors
    /// When the chat is busy or gone.
    pub async fn chat_retry(&self, chat: ChatId) -> Result<(), Problem> {
        let stop = self.occupy(chat)?;
        match self.remove_failures(chat).await {
            Ok(()) => {
                self.turn(chat, stop);
                Ok(())
            }
            Err(problem) => {
                self.vacate(chat).await;
                Err(problem)
            }
        }
    }

    async fn remove_failures(&self, chat: ChatId) -> Result<(), Problem> {
        let entries = self.0.transcript.entries(chat).await?.entries;
        for entry in entries.iter().rev() {
            if !matches!(entry.body, EntryBody::Failure { .. }) {
                break;
            }
            self.0.store.remove_entry(entry.id).await?;
            self.0.events.tell(HostEvent::EntryGone {
                chat,
                entry: entry.id,
            });
        }
        self.tell_of_chat(chat).await
    }

    /// Marks a chat as busy.
    fn occupy(&self, chat: ChatId) -> Result<CancellationToken, Problem> {
        let mut turns = self.turns();
        if turns.contains_key(&chat) {
            return Err(Problem::Input(InputProblem::ChatBusy));
        }
        let stop = CancellationToken::new();
        turns.insert(chat, stop.clone());
        Ok(stop)
    }

    async fn vacate(&self, chat: ChatId) {
        self.turns().remove(&chat);
        if let Err(problem) = self.tell_of_chat(chat).await {
            tracing::debug!(%problem, "chat deleted during a turn");
        }
    }

    fn turn(&self, chat: ChatId, stop: CancellationToken) {
        let host = self.clone();
        let work = async move {
            match host.prepare(chat).await {
                Ok(turn) => turn.run(stop).await,
                Err(problem) => {
                    let failure = EntryBody::Failure {
                        problem,
                        retryable: true,
                    };
                    if let Err(error) = host.0.transcript.add(chat, failure).await {
                        tracing::error!(%error, "failed to persist a turn failure");
                    }
                }
            }
            host.vacate(chat).await;
        };
        self.0.tasks.spawn(work.instrument(info_span!("chat", %chat)));
    }

    async fn prepare(&self, chat: ChatId) -> Result<Turn, Problem> {
        let record = self.chat_record(chat).await?;
        let settings = self.settings();
        let id = record.model.unwrap_or(settings.default_model);
        let model = self.0.models.provider(id).await?;
        Ok(Turn {
            chat,
            chat_title: record.title,
            workspace: record.workspace,
            model,
            servers: self.0.servers.clone(),
            folders: self.0.folders.clone(),
            gate: self.0.gate.clone(),
            transcript: self.0.transcript.clone(),
            tasks: self.0.followed.clone(),
            most_rounds: settings.max_rounds,
        })
    }

    pub(super) async fn chat_record(&self, chat: ChatId) -> Result<ChatRecord, Problem> {
        self.0
            .store
            .chats()
            .await?
            .into_iter()
            .find(|record| record.id == chat)
            .ok_or(Problem::Input(InputProblem::Gone))
    }

    pub(super) async fn chat_views(&self) -> Result<Vec<ChatView>, Problem> {
        Ok(self
            .0
            .store
            .chats()
            .await?
            .into_iter()
            .map(|record| self.chat_view(record))
            .collect())
    }

    fn chat_view(&self, record: ChatRecord) -> ChatView {
        ChatView {
            id: record.id,
            title: record.title,
            model: record.model,
            workspace: record.workspace,
            updated_ms: record.updated.as_millisecond(),
            busy: self.turns().contains_key(&record.id),
        }
    }

    pub(super) async fn tell_of_chat(&self, chat: ChatId) -> Result<(), Problem> {
        let view = self
            .chat_views()
            .await?
            .into_iter()
            .find(|view| view.id == chat)
            .ok_or(Problem::Input(InputProblem::Gone))?;
        self.0.events.tell(HostEvent::Chat { chat: view });
        Ok(())
    }
}

fn title_from(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default().trim();
    let mut title: String = line.chars().take(TITLE_FROM_MESSAGE).collect();
    if title.len() < line.len() {
        title.push('…');
    }
    title
}
