//! Standing permissions and refusals. The store keeps a rule's body as it is and does not read it; it only knows
//! which server and which chat a rule belongs to, because it goes when they go.

use jiff::Timestamp;
use rusqlite::{Row, params};
use serde_json::Value;
use vestibule_protocol::{ChatId, RuleId, ServerId};

use crate::columns::{all, change, id, json, json_text, optional_id, optional_time, time};
use crate::signed::{RowRef, RowTable, StoredRow};
use crate::{Store, StoreError};

/// A rule the user made.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleRecord {
    pub id: RuleId,
    /// The server it speaks of; it is removed with it.
    pub server: ServerId,
    /// The chat it is limited to, if any; it is deleted with it.
    pub chat: Option<ChatId>,
    /// The rule itself, in the policy's terms.
    pub body: Value,
    /// When it was made; kept to the millisecond, as are the next two.
    pub created: Timestamp,
    /// When it last decided something.
    pub last_used: Option<Timestamp>,
    /// When it ends by itself. The store keeps expired rules; the policy ignores them.
    pub expires: Option<Timestamp>,
}

impl Store {
    /// All rules, oldest first.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if a row cannot be read; [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn rules(&self) -> Result<Vec<RuleRecord>, StoreError> {
        self.read(|c| all(c, "SELECT * FROM rules ORDER BY created, id", [], from_row))
            .await
    }

    /// Adds a rule or replaces the one with the same id.
    ///
    /// # Errors
    /// [`StoreError::Unknown`] if its server or chat is not kept here; otherwise as for every write.
    pub async fn put_rule(&self, rule: &RuleRecord) -> Result<(), StoreError> {
        let rule = rule.clone();
        let body = json_text(&rule.body, "rule")?;
        self.change_signed(move |c, changes| {
            change(
                c,
                "INSERT INTO rules (id, server, chat, body, created, last_used, expires)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                 ON CONFLICT (id) DO UPDATE SET server = ?2, chat = ?3, body = ?4, created = ?5, last_used = ?6,
                                                expires = ?7",
                params![
                    rule.id.to_string(),
                    rule.server.to_string(),
                    rule.chat.map(|chat| chat.to_string()),
                    body,
                    rule.created.as_millisecond(),
                    rule.last_used.map(Timestamp::as_millisecond),
                    rule.expires.map(Timestamp::as_millisecond),
                ],
            )
            .map_err(|error| StoreError::missing_reference(error, "server or chat of rule", rule.id))?;
            changes.sign(RowRef::new(RowTable::Rule, rule.id));
            Ok(())
        })
        .await
    }

    /// Removes a rule. Removing one that is not there changes nothing.
    ///
    /// # Errors
    /// As for every write: [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Busy`], [`StoreError::Io`].
    pub async fn remove_rule(&self, rule: RuleId) -> Result<(), StoreError> {
        self.delete_row(RowRef::new(RowTable::Rule, rule)).await
    }

    /// Notes that a rule decided something at `at`. An earlier time than the noted one changes nothing, nor does
    /// a rule that has been removed meanwhile.
    ///
    /// # Errors
    /// As for every write: [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Busy`], [`StoreError::Io`].
    pub async fn touch_rule(&self, rule: RuleId, at: Timestamp) -> Result<(), StoreError> {
        self.change_signed(move |c, changes| {
            let name = RowRef::new(RowTable::Rule, rule);
            let Some(before) = name.content(c)? else {
                return Ok(());
            };
            let sql = "UPDATE rules SET last_used = max(coalesce(last_used, ?2), ?2) WHERE id = ?1";
            change(c, sql, params![rule.to_string(), at.as_millisecond()])?;
            changes.touch(name, before);
            Ok(())
        })
        .await
    }
}

pub(crate) fn from_row(row: &Row<'_>) -> rusqlite::Result<RuleRecord> {
    Ok(RuleRecord {
        id: id(row, "id")?,
        server: id(row, "server")?,
        chat: optional_id(row, "chat")?,
        body: json(row, "body")?,
        created: time(row, "created")?,
        last_used: optional_time(row, "last_used")?,
        expires: optional_time(row, "expires")?,
    })
}
