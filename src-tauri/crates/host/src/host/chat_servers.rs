//! The servers and single tools that the user switched off in a chat: they are not offered to its model and cost it
//! nothing. A switch lets nothing happen that was asked or denied before.

use std::collections::HashMap;

use serde_json::{Value, json};
use vestibule_protocol::{ChatId, ServerId};
use vestibule_store::{Store, StoreError};

use super::Host;
use crate::view::{Problem, ToolOff};

/// What the keys of these settings begin with; the id of the chat follows.
const SERVERS: &str = "chat-off.";
const TOOLS: &str = "chat-tools-off.";
const ONLY: &str = "chat-only.";
/// The most servers that one chat keeps.
const MAX_SERVERS: usize = 256;
/// The most single tools that one chat keeps.
const MAX_TOOLS: usize = 4096;
/// The longest name of a tool that is kept, in bytes.
const MAX_NAME: usize = 1024;

/// What is off in one chat.
#[derive(Clone, Default)]
pub(crate) struct SwitchedOff {
    pub(crate) servers: Vec<ServerId>,
    /// The servers that are on, where the user chose a profile; a server that was added later is not among them.
    pub(crate) only: Option<Vec<ServerId>>,
    pub(crate) tools: Vec<ToolOff>,
}

impl SwitchedOff {
    /// Whether a tool is offered as far as these switches say.
    pub(crate) fn is_on(&self, server: ServerId, tool: &str) -> bool {
        let is_off = |off: &ToolOff| off.server == server && off.tool == tool;
        self.is_server_on(server) && !self.tools.iter().any(is_off)
    }

    /// Whether the tools of a server are offered, except those that are off by themselves.
    pub(crate) fn is_server_on(&self, server: ServerId) -> bool {
        let is_in_set = self.only.as_ref().is_none_or(|only| only.contains(&server));
        is_in_set && !self.servers.contains(&server)
    }
}

/// What is off, by chat.
pub(super) type OffByChat = HashMap<ChatId, SwitchedOff>;

/// What earlier runs kept; nothing is off where that cannot be read.
pub(super) async fn load(store: &Store) -> Result<OffByChat, StoreError> {
    let mut kept = OffByChat::new();
    for (key, value) in store.settings().await? {
        if let Some(chat) = key.strip_prefix(SERVERS).and_then(|chat| chat.parse().ok()) {
            kept.entry(chat).or_default().servers = serde_json::from_value(value).unwrap_or_default();
        } else if let Some(chat) = key.strip_prefix(TOOLS).and_then(|chat| chat.parse().ok()) {
            kept.entry(chat).or_default().tools = serde_json::from_value(value).unwrap_or_default();
        } else if let Some(chat) = key.strip_prefix(ONLY).and_then(|chat| chat.parse().ok()) {
            // A set that cannot be read leaves out everything.
            kept.entry(chat).or_default().only = Some(serde_json::from_value(value).unwrap_or_default());
        }
    }
    Ok(kept)
}

impl Host {
    /// Sets which servers are off in a chat.
    ///
    /// # Errors
    /// When the chat is gone or that could not be kept.
    pub async fn chat_servers(&self, chat: ChatId, mut off: Vec<ServerId>) -> Result<(), Problem> {
        self.chat_record(chat).await?;
        off.truncate(MAX_SERVERS);
        let before = self.switched_off(chat);
        let all = self.0.servers.all().into_iter().map(|server| server.id());
        let on = |_| all.filter(|server| !off.contains(server)).collect();
        let only = before.only.as_ref().map(on);
        let changed = SwitchedOff {
            servers: off,
            only,
            ..before
        };
        self.switch_off(chat, changed).await
    }

    /// Sets all that is off in a chat.
    pub(super) async fn switch_off(&self, chat: ChatId, off: SwitchedOff) -> Result<(), Problem> {
        self.keep_off(SERVERS, chat, json!(off.servers)).await?;
        self.keep_off(TOOLS, chat, json!(off.tools)).await?;
        self.keep_only(chat, off.only.as_deref()).await?;
        self.off_by_chat().insert(chat, off);
        self.tell_of_chat(chat).await
    }

    /// Sets which single tools are off in a chat.
    ///
    /// # Errors
    /// When the chat is gone or that could not be kept.
    pub async fn chat_tools(&self, chat: ChatId, mut off: Vec<ToolOff>) -> Result<(), Problem> {
        self.chat_record(chat).await?;
        off.retain(|off| off.tool.len() <= MAX_NAME);
        off.truncate(MAX_TOOLS);
        self.keep_off(TOOLS, chat, json!(off)).await?;
        self.off_by_chat().entry(chat).or_default().tools = off;
        self.tell_of_chat(chat).await
    }

    async fn keep_off(&self, prefix: &str, chat: ChatId, off: Value) -> Result<(), StoreError> {
        let key = format!("{prefix}{chat}");
        match off.as_array().is_some_and(Vec::is_empty) {
            true => self.0.store.remove_setting(&key).await,
            false => self.0.store.put_setting(&key, off).await,
        }
    }

    /// An empty set is kept too: it leaves out everything.
    async fn keep_only(&self, chat: ChatId, only: Option<&[ServerId]>) -> Result<(), StoreError> {
        let key = format!("{ONLY}{chat}");
        match only {
            None => self.0.store.remove_setting(&key).await,
            Some(only) => self.0.store.put_setting(&key, json!(only)).await,
        }
    }

    /// Forgets the switches of a deleted chat.
    pub(super) async fn forget_switched_off(&self, chat: ChatId) -> Result<(), StoreError> {
        self.off_by_chat().remove(&chat);
        self.keep_off(SERVERS, chat, json!([])).await?;
        self.keep_off(TOOLS, chat, json!([])).await?;
        self.keep_only(chat, None).await
    }

    /// What is off in a chat.
    pub(super) fn switched_off(&self, chat: ChatId) -> SwitchedOff {
        self.off_by_chat().get(&chat).cloned().unwrap_or_default()
    }
}
