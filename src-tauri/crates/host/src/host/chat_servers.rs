//! The servers that the user switched off in a chat: their tools are not offered to its model and cost it nothing. A
//! switch lets nothing happen that was asked or denied before.

use std::collections::HashMap;

use vestibule_protocol::{ChatId, ServerId};
use vestibule_store::{Store, StoreError};

use super::Host;
use crate::view::Problem;

/// What the keys of these settings begin with; the id of the chat follows.
const PREFIX: &str = "chat-off.";
/// The most servers that one chat keeps.
const MAX_SERVERS: usize = 256;

/// The servers that are off, by chat.
pub(super) type ServersOff = HashMap<ChatId, Vec<ServerId>>;

fn key(chat: ChatId) -> String {
    format!("{PREFIX}{chat}")
}

/// What earlier runs kept.
pub(super) async fn load(store: &Store) -> Result<ServersOff, StoreError> {
    let settings = store.settings().await?;
    let kept = settings.into_iter().filter_map(|(key, value)| {
        let chat = key.strip_prefix(PREFIX)?.parse().ok()?;
        Some((chat, serde_json::from_value(value).ok()?))
    });
    Ok(kept.collect())
}

impl Host {
    /// Sets which servers are off in a chat.
    ///
    /// # Errors
    /// When the chat is gone or that could not be kept.
    pub async fn chat_servers(&self, chat: ChatId, mut off: Vec<ServerId>) -> Result<(), Problem> {
        self.chat_record(chat).await?;
        off.truncate(MAX_SERVERS);
        let value = serde_json::to_value(&off).expect("ids are plain data");
        if off.is_empty() {
            self.0.store.remove_setting(&key(chat)).await?;
            self.servers_off_by_chat().remove(&chat);
        } else {
            self.0.store.put_setting(&key(chat), value).await?;
            self.servers_off_by_chat().insert(chat, off);
        }
        self.tell_of_chat(chat).await
    }

    /// Forgets the switches of a deleted chat.
    pub(super) async fn forget_servers_off(&self, chat: ChatId) -> Result<(), StoreError> {
        self.servers_off_by_chat().remove(&chat);
        self.0.store.remove_setting(&key(chat)).await
    }

    /// The servers that are off in a chat.
    pub(super) fn servers_off(&self, chat: ChatId) -> Vec<ServerId> {
        self.servers_off_by_chat().get(&chat).cloned().unwrap_or_default()
    }
}
