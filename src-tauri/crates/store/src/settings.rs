//! Settings by key, each a JSON value. The store knows no value and no default: a key that was never put has
//! no value. A setting whose key ends with the id of a chat, after a dot, belongs to that chat: it is kept where the chat is
//! and deleted with it.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, params};
use serde_json::Value;
use vestibule_protocol::ChatId;

use crate::columns::{all, change, json, json_text};
use crate::temporary::ChatPlace;
use crate::{Store, StoreError};

/// What the keys of settings of chats begin with. Keys with another beginning may end with the id of a server or a
/// connection.
const OF_CHATS: [&str; 6] = [
    "chat-off.",
    "chat-only.",
    "chat-queue.",
    "chat-tools-off.",
    "draft.",
    "imported.",
];

/// Deletes the settings of a chat.
pub(crate) fn delete_of_chat(c: &Connection, chat: ChatId) -> rusqlite::Result<()> {
    let end = format!(".{chat}");
    change(
        c,
        "DELETE FROM settings WHERE substr(key, -length(?1)) = ?1",
        [end],
    )?;
    Ok(())
}

/// Deletes the settings of chats that are not there: an earlier version deleted a chat and its settings one after the
/// other, and may have ended in between.
pub(crate) fn delete_of_no_chat(c: &Connection) -> Result<(), StoreError> {
    let keys = all(c, "SELECT key FROM settings", [], |row| row.get::<_, String>(0))?;
    for key in keys {
        let chat = OF_CHATS.iter().find_map(|start| key.strip_prefix(start));
        let Some(chat) = chat.and_then(|id| id.parse::<ChatId>().ok()) else {
            continue;
        };
        let sql = "DELETE FROM settings WHERE key = ?1 AND NOT EXISTS (SELECT 1 FROM chats WHERE id = ?2)";
        change(c, sql, params![key, chat.to_string()])?;
    }
    Ok(())
}

impl Store {
    /// The value of one setting, if it was ever put.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if the row cannot be read; [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn setting(&self, key: &str) -> Result<Option<Value>, StoreError> {
        let key = key.to_owned();
        self.read_at(ChatPlace::of_setting(&key), move |c| {
            let mut statement = c.prepare_cached("SELECT value FROM settings WHERE key = ?1")?;
            Ok(statement.query_row([key], |row| json(row, "value")).optional()?)
        })
        .await
    }

    /// Puts a setting in place of its earlier value.
    ///
    /// # Errors
    /// As for every write: [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Busy`], [`StoreError::Io`].
    pub async fn put_setting(&self, key: &str, value: Value) -> Result<(), StoreError> {
        let key = key.to_owned();
        let value = json_text(&value, "setting")?;
        self.change_at(ChatPlace::of_setting(&key), move |c| {
            let sql = "INSERT INTO settings (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2";
            change(c, sql, params![key, value])?;
            Ok(())
        })
        .await
    }

    /// Removes a setting; removing one that is not there changes nothing.
    ///
    /// # Errors
    /// As for every write: [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Busy`], [`StoreError::Io`].
    pub async fn remove_setting(&self, key: &str) -> Result<(), StoreError> {
        let key = key.to_owned();
        self.change_at(ChatPlace::of_setting(&key), move |c| {
            change(c, "DELETE FROM settings WHERE key = ?1", [&key])?;
            Ok(())
        })
        .await
    }

    /// All settings that were ever put.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if a row cannot be read; [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn settings(&self) -> Result<BTreeMap<String, Value>, StoreError> {
        let pairs = self.read_all(|c| {
            all(c, "SELECT key, value FROM settings", [], |row| {
                Ok((row.get("key")?, json(row, "value")?))
            })
        });
        Ok(pairs.await?.into_iter().collect())
    }
}
