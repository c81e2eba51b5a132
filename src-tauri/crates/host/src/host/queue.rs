//! Messages that wait until the model of a chat is done. They are sent one after the other, each as a turn of its own. A
//! turn that was stopped or failed sends none, so that the user decides; what waits survives the end of the application
//! and is not sent at the next start either. While a call waits for an answer, its turn goes on and nothing is sent.

use std::collections::HashMap;

use serde_json::Value;
use vestibule_protocol::{AttachmentId, ChatId, EntryId};
use vestibule_store::{Store, StoreError};

use super::Host;
use super::chat_turns::check_length;
use crate::view::{AttachmentView, InputProblem, Problem, QueuedView};

/// What the keys of these settings begin with; the id of the chat follows.
const PREFIX: &str = "chat-queue.";
/// The most messages that wait in one chat.
const MAX_MESSAGES: usize = 32;

/// A message that waits.
#[derive(Clone)]
pub(super) struct QueuedMessage {
    id: EntryId,
    text: String,
    attachments: Vec<AttachmentView>,
}

/// What waits, by chat, in the order it is sent.
pub(super) type Queues = HashMap<ChatId, Vec<QueuedMessage>>;

/// A message as it is kept: its id, its text and what is attached.
type KeptMessage = (EntryId, String, Vec<AttachmentView>);

fn key(chat: ChatId) -> String {
    format!("{PREFIX}{chat}")
}

/// What earlier runs kept.
pub(super) async fn load(store: &Store) -> Result<Queues, StoreError> {
    let settings = store.settings().await?;
    let kept = settings.into_iter().filter_map(|(key, value)| {
        let chat = key.strip_prefix(PREFIX)?.parse().ok()?;
        let messages: Vec<KeptMessage> = serde_json::from_value(value).ok()?;
        let message = |(id, text, attachments)| QueuedMessage {
            id,
            text,
            attachments,
        };
        Some((chat, messages.into_iter().map(message).collect()))
    });
    Ok(kept.collect())
}

fn to_value(queue: &[QueuedMessage]) -> Value {
    let kept = queue
        .iter()
        .map(|message| (&message.id, &message.text, &message.attachments));
    serde_json::to_value(kept.collect::<Vec<_>>()).expect("a message is plain data")
}

impl Host {
    /// Keeps a message with what was picked for it until the model of a chat is done. Where it is done already, the
    /// message is sent at once.
    ///
    /// # Errors
    /// When the chat is gone, too much waits in it, or the message is too long or could not be kept.
    pub async fn queue_add(
        &self,
        chat: ChatId,
        text: String,
        attached: Vec<AttachmentId>,
    ) -> Result<(), Problem> {
        check_length(&text)?;
        self.chat_record(chat).await?;
        let attachments = self.0.attachments.find(chat, &attached)?;
        self.check_pictures(chat, &attachments).await?;
        let id = EntryId::new();
        self.change_queue(chat, |queue| {
            if queue.len() >= MAX_MESSAGES {
                return Err(InputProblem::ChatBusy);
            }
            queue.push(QueuedMessage {
                id,
                text,
                attachments,
            });
            Ok(())
        })
        .await?;
        self.forget_sent(attached).await;
        if !self.turns().contains_key(&chat) {
            self.send_queued(chat).await;
        }
        Ok(())
    }

    /// Gives a message that waits another text.
    ///
    /// # Errors
    /// When the message does not wait any more, is too long, or could not be kept.
    pub async fn queue_edit(&self, chat: ChatId, message: EntryId, text: String) -> Result<(), Problem> {
        check_length(&text)?;
        self.change_queue(chat, |queue| {
            let at = place(queue, message)?;
            queue[at].text = text;
            Ok(())
        })
        .await
    }

    /// Removes a message that waits.
    ///
    /// # Errors
    /// When the message does not wait any more, or that could not be kept.
    pub async fn queue_remove(&self, chat: ChatId, message: EntryId) -> Result<(), Problem> {
        self.change_queue(chat, |queue| remove(queue, message)).await
    }

    /// Sends a message that waits before all others. Where the model is at work, it is stopped first.
    ///
    /// # Errors
    /// When the message does not wait any more, or that could not be kept.
    pub async fn queue_send(&self, chat: ChatId, message: EntryId) -> Result<(), Problem> {
        self.change_queue(chat, |queue| {
            let at = place(queue, message)?;
            queue[..=at].rotate_right(1);
            Ok(())
        })
        .await?;
        let is_stopped = self
            .turns()
            .get_mut(&chat)
            .map(|turn| turn.stop_to_send())
            .is_some();
        if !is_stopped {
            self.send_queued(chat).await;
        }
        Ok(())
    }

    /// What waits in a chat, as windows show it.
    pub(super) fn queue_view(&self, chat: ChatId) -> Vec<QueuedView> {
        let queues = self.queues();
        let view = |message: &QueuedMessage| QueuedView {
            id: message.id,
            text: message.text.clone(),
            attachments: u32::try_from(message.attachments.len()).unwrap_or(u32::MAX),
        };
        queues.get(&chat).into_iter().flatten().map(view).collect()
    }

    /// Forgets what waits in a deleted chat.
    pub(super) fn forget_queue(&self, chat: ChatId) {
        self.queues().remove(&chat);
    }

    /// Sends the first message that waits in a chat, where the chat is idle.
    pub(super) async fn send_queued(&self, chat: ChatId) {
        if !self.queues().contains_key(&chat) {
            return;
        }
        let Ok(stop) = self.occupy(chat) else { return };
        if self.say_queued(chat).await {
            self.turn(chat, None, stop);
        } else {
            self.vacate(chat).await;
        }
    }

    /// Puts the first message that waits into the transcript of a chat that is occupied. Returns whether there was one.
    pub(super) async fn say_queued(&self, chat: ChatId) -> bool {
        // A message that was read here is neither edited nor removed before it is sent.
        let changing = self.0.changing_queues.lock().await;
        let Some(message) = self.queues().get(&chat).and_then(|queue| queue.first().cloned()) else {
            return false;
        };
        let QueuedMessage {
            id,
            text,
            attachments,
        } = message;
        if let Err(problem) = self.begin(chat, text, attachments).await {
            tracing::error!(%problem, "a message that waited could not be sent");
            return false;
        }
        // Only after it is in the transcript: a crash between the two must not lose it.
        let removed = self.change_locked_queue(chat, |queue| remove(queue, id)).await;
        drop(changing);
        let told = match removed {
            Ok(()) => self.tell_of_chat(chat).await,
            Err(problem) => Err(problem),
        };
        if let Err(problem) = &told {
            tracing::error!(%problem, "a message that was sent still waits");
        }
        told.is_ok()
    }

    /// Changes what waits in a chat: on disk, then for windows.
    async fn change_queue(
        &self,
        chat: ChatId,
        change: impl FnOnce(&mut Vec<QueuedMessage>) -> Result<(), InputProblem>,
    ) -> Result<(), Problem> {
        let changing = self.0.changing_queues.lock().await;
        self.change_locked_queue(chat, change).await?;
        drop(changing);
        self.tell_of_chat(chat).await
    }

    /// Changes what waits in a chat on disk and in memory, while `changing_queues` is locked.
    async fn change_locked_queue(
        &self,
        chat: ChatId,
        change: impl FnOnce(&mut Vec<QueuedMessage>) -> Result<(), InputProblem>,
    ) -> Result<(), Problem> {
        let mut queue = self.queues().get(&chat).cloned().unwrap_or_default();
        change(&mut queue)?;
        if queue.is_empty() {
            self.0.store.remove_setting(&key(chat)).await?;
            self.forget_queue(chat);
        } else {
            self.0.store.put_setting(&key(chat), to_value(&queue)).await?;
            self.queues().insert(chat, queue);
        }
        Ok(())
    }
}

fn remove(queue: &mut Vec<QueuedMessage>, message: EntryId) -> Result<(), InputProblem> {
    let at = place(queue, message)?;
    queue.remove(at);
    Ok(())
}

fn place(queue: &[QueuedMessage], message: EntryId) -> Result<usize, InputProblem> {
    let found = queue.iter().position(|queued| queued.id == message);
    found.ok_or(InputProblem::Gone)
}
