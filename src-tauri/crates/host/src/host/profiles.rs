//! Profiles: named sets of servers and tools. A chat takes over the set of one when the user chooses it; a profile that is
//! saved again or removed changes no chat. A set only leaves out: what is in it is asked or denied as everywhere.

use std::collections::HashSet;

use serde_json::json;
use vestibule_protocol::ChatId;
use vestibule_store::{Store, StoreError};

use super::Host;
use super::chat_servers::SwitchedOff;
use crate::view::{HostEvent, InputProblem, Problem, ToolProfile};

/// The setting that keeps all profiles.
const KEY: &str = "tool-profiles";
/// The most profiles that are kept.
const MAX_PROFILES: usize = 50;
/// The longest name, in characters.
const MAX_NAME: usize = 60;

/// The profiles that are kept; none where they cannot be read.
async fn load(store: &Store) -> Result<Vec<ToolProfile>, StoreError> {
    let kept = store.setting(KEY).await?;
    Ok(kept
        .and_then(|kept| serde_json::from_value(kept).ok())
        .unwrap_or_default())
}

fn is_called(profile: &ToolProfile, name: &str) -> bool {
    profile.name.to_lowercase() == name.to_lowercase()
}

impl Host {
    pub(super) async fn profiles(&self) -> Result<Vec<ToolProfile>, StoreError> {
        load(&self.0.store).await
    }

    /// Saves what a chat is offered as a profile, in place of one of the same name.
    ///
    /// # Errors
    /// When the name is empty, there are too many profiles, the chat is gone, or the profile could not be kept.
    pub async fn profile_save(&self, chat: ChatId, name: String) -> Result<(), Problem> {
        self.chat_record(chat).await?;
        let name: String = name.trim().chars().take(MAX_NAME).collect();
        if name.is_empty() {
            return Err(Problem::Input(InputProblem::NameMissing));
        }
        let off = self.switched_off(chat);
        let all = self.0.servers.all().into_iter().map(|server| server.id());
        let servers: HashSet<_> = all.filter(|server| off.is_server_on(*server)).collect();
        let profile = ToolProfile {
            tools_off: off
                .tools
                .into_iter()
                .filter(|tool| servers.contains(&tool.server))
                .collect(),
            servers: servers.into_iter().collect(),
            name,
        };
        self.change_profiles(|profiles| {
            profiles.retain(|one| !is_called(one, &profile.name));
            if profiles.len() >= MAX_PROFILES {
                return Err(Problem::Input(InputProblem::ProfilesTooMany {
                    limit: MAX_PROFILES as u32,
                }));
            }
            profiles.push(profile);
            profiles.sort_by_key(|profile| profile.name.to_lowercase());
            Ok(())
        })
        .await
    }

    /// Removes a profile. Chats that took over its set keep it.
    ///
    /// # Errors
    /// When that could not be kept.
    pub async fn profile_remove(&self, name: &str) -> Result<(), Problem> {
        self.change_profiles(|profiles| {
            profiles.retain(|profile| !is_called(profile, name));
            Ok(())
        })
        .await
    }

    /// Lets a chat be offered the set of a profile, or everything again. A server that is added later is not in the set.
    ///
    /// # Errors
    /// When the chat or the profile is gone, or that could not be kept.
    pub async fn chat_profile(&self, chat: ChatId, profile: Option<String>) -> Result<(), Problem> {
        let off = match profile {
            None => SwitchedOff::default(),
            Some(name) => {
                let profiles = self.profiles().await?;
                let found = profiles.into_iter().find(|profile| is_called(profile, &name));
                let profile = found.ok_or(Problem::Input(InputProblem::Gone))?;
                SwitchedOff {
                    servers: vec![],
                    only: Some(profile.servers),
                    tools: profile.tools_off,
                }
            }
        };
        self.change_switches(chat, |switched| {
            *switched = off;
            Ok(())
        })
        .await
    }

    async fn change_profiles(
        &self,
        change: impl FnOnce(&mut Vec<ToolProfile>) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        let _one_at_a_time = self.0.saving_settings.lock().await;
        let mut profiles = self.profiles().await?;
        change(&mut profiles)?;
        self.0.store.put_setting(KEY, json!(profiles)).await?;
        self.0.events.tell(HostEvent::Profiles { profiles });
        Ok(())
    }
}
