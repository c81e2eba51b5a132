//! Settings by key, each a JSON value. The store knows no setting and no default: a key that was never put has
//! no value. A setting whose key ends with the id of a temporary chat is kept in memory with that chat.

use std::collections::BTreeMap;

use rusqlite::{OptionalExtension, params};
use serde_json::Value;

use crate::columns::{all, change, json, json_text};
use crate::temporary::ChatPlace;
use crate::{Store, StoreError};

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
