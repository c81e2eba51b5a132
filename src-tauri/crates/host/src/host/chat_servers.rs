//! The servers and single tools that the user switched off in a chat: they are not offered to its model and cost it
//! nothing. A switch lets nothing happen that was asked or denied before.

use std::collections::HashMap;

use serde_json::{Value, json};
use vestibule_protocol::{ChatId, ServerId};
use vestibule_store::{Store, StoreError};

use super::Host;
use crate::view::{InputProblem, Problem, ToolOff};

/// What the keys of these settings begin with; the id of the chat follows.
const SERVERS: &str = "chat-off.";
const TOOLS: &str = "chat-tools-off.";
const ONLY: &str = "chat-only.";
/// The most single tools that are off in one chat.
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

    fn switch_server(&mut self, server: ServerId, on: bool) {
        self.servers.retain(|other| *other != server);
        if !on {
            self.servers.push(server);
        }
        if let Some(only) = &mut self.only {
            only.retain(|other| *other != server);
            if on {
                only.push(server);
            }
        }
    }

    fn names(&self, server: ServerId) -> bool {
        let is_in_set = self.only.as_ref().is_some_and(|only| only.contains(&server));
        is_in_set || self.servers.contains(&server) || self.tools.iter().any(|tool| tool.server == server)
    }

    fn forget_server(&mut self, server: ServerId) {
        self.servers.retain(|other| *other != server);
        self.tools.retain(|tool| tool.server != server);
        if let Some(only) = &mut self.only {
            only.retain(|other| *other != server);
        }
    }

    fn switch_tool(&mut self, tool: ToolOff, on: bool) -> Result<(), InputProblem> {
        self.tools.retain(|other| *other != tool);
        if on {
            return Ok(());
        }
        if self.tools.len() >= MAX_TOOLS {
            return Err(InputProblem::ToolsOffTooMany {
                limit: MAX_TOOLS as u32,
            });
        }
        self.tools.push(tool);
        Ok(())
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
    /// Offers the tools of a server in a chat, or no longer.
    ///
    /// # Errors
    /// When the chat or the server is gone, or that could not be kept.
    pub async fn chat_server_switch(&self, chat: ChatId, server: ServerId, on: bool) -> Result<(), Problem> {
        self.change_switches(chat, |off| {
            self.0.servers.get(server)?;
            off.switch_server(server, on);
            Ok(())
        })
        .await
    }

    /// Offers a single tool in a chat, or no longer.
    ///
    /// # Errors
    /// When the chat or the server is gone, too many tools are off, or that could not be kept.
    pub async fn chat_tool_switch(&self, chat: ChatId, tool: ToolOff, on: bool) -> Result<(), Problem> {
        self.change_switches(chat, |off| {
            self.0.servers.get(tool.server)?;
            if tool.tool.len() > MAX_NAME {
                return Err(Problem::Input(InputProblem::Gone));
            }
            off.switch_tool(tool, on).map_err(Problem::Input)
        })
        .await
    }

    /// Changes what is off in a chat: on disk, then for rounds and windows. Changes that come at once are made one after
    /// the other.
    pub(super) async fn change_switches(
        &self,
        chat: ChatId,
        change: impl FnOnce(&mut SwitchedOff) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        let changing = self.0.changing_switches.lock().await;
        self.chat_record(chat).await?;
        let mut off = self.switched_off(chat);
        change(&mut off)?;
        self.keep_off(SERVERS, chat, json!(off.servers)).await?;
        self.keep_off(TOOLS, chat, json!(off.tools)).await?;
        self.keep_only(chat, off.only.as_deref()).await?;
        self.off_by_chat().insert(chat, off);
        drop(changing);
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
    pub(super) fn forget_switched_off(&self, chat: ChatId) {
        self.off_by_chat().remove(&chat);
    }

    /// Forgets the switches of a removed server in every chat. One that stays does nothing, so a failure is only logged.
    pub(super) async fn forget_server_switches(&self, server: ServerId) {
        let with_it: Vec<ChatId> = self
            .off_by_chat()
            .iter()
            .filter_map(|(chat, off)| off.names(server).then_some(*chat))
            .collect();
        for chat in with_it {
            let forget = |off: &mut SwitchedOff| {
                off.forget_server(server);
                Ok(())
            };
            if let Err(problem) = self.change_switches(chat, forget).await {
                tracing::warn!(%problem, %chat, "failed to forget the switches of a removed server");
            }
        }
    }

    /// What is off in a chat.
    pub(super) fn switched_off(&self, chat: ChatId) -> SwitchedOff {
        self.off_by_chat().get(&chat).cloned().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_a_chat_with_a_set_a_switch_changes_the_set() {
        let (one, other) = (ServerId::new(), ServerId::new());
        let mut off = SwitchedOff {
            only: Some(vec![one]),
            ..SwitchedOff::default()
        };
        off.switch_server(other, true);
        off.switch_server(one, false);
        assert!(off.is_server_on(other) && !off.is_server_on(one));
        off.switch_server(one, true);
        assert!(off.is_server_on(one));
        assert!(!off.is_server_on(ServerId::new()), "a server that is added later");
    }

    #[test]
    fn a_tool_over_the_limit_is_an_error_and_one_that_is_off_can_be_switched_on() {
        let server = ServerId::new();
        let tool = |number: usize| ToolOff {
            server,
            tool: number.to_string(),
        };
        let mut off = SwitchedOff {
            tools: (0..MAX_TOOLS).map(tool).collect(),
            ..SwitchedOff::default()
        };
        let limit = MAX_TOOLS as u32;
        let refused = off.switch_tool(tool(MAX_TOOLS), false);
        assert_eq!(refused, Err(InputProblem::ToolsOffTooMany { limit }));
        assert_eq!(off.switch_tool(tool(0), false), Ok(()), "it is off already");
        assert_eq!(off.switch_tool(tool(0), true), Ok(()));
        assert_eq!(off.switch_tool(tool(MAX_TOOLS), false), Ok(()));
        assert!(off.is_on(server, "0") && !off.is_on(server, &limit.to_string()));
    }
}
