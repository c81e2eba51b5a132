//! Replies in their vendors' form, each with its entry and with the model it came from. What they hold is signed or
//! encrypted by the vendor and means nothing here.

use rusqlite::{Row, params};
use serde_json::Value;
use vestibule_protocol::{ChatId, EntryId, ModelId};

use crate::columns::{all, change, id, json, json_text};
use crate::{Store, StoreError};

/// The model a reply came from, and the only one it goes back to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplyOrigin {
    /// The model as the user configured it.
    pub configured: ModelId,
    /// Its address at that time.
    pub address: String,
    /// How it was spoken to.
    pub wire: String,
    /// The name of the model at that address.
    pub model: String,
}

/// A reply in its vendor's form.
#[derive(Clone, PartialEq)]
pub struct NativeReplyRow {
    /// The entry with its words.
    pub entry: EntryId,
    pub origin: ReplyOrigin,
    /// The reply, in the terms of the models crate.
    pub reply: Value,
}

impl std::fmt::Debug for NativeReplyRow {
    /// Without the reply: it is the vendor's, and may hold what the model was not to show.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NativeReplyRow")
            .field("entry", &self.entry)
            .field("origin", &self.origin)
            .finish_non_exhaustive()
    }
}

impl Store {
    /// Keeps the vendor's form of a reply, in place of an earlier one of the same entry.
    ///
    /// # Errors
    /// [`StoreError::Unknown`] if the entry is gone, [`StoreError::TooLarge`] over 64 MiB; otherwise as for every
    /// write.
    pub async fn put_native_reply(&self, row: &NativeReplyRow) -> Result<(), StoreError> {
        let (entry, origin) = (row.entry.to_string(), row.origin.clone());
        let reply = json_text(&row.reply, "reply of a model")?;
        self.change_at(row.entry, move |c| {
            let sql =
                "INSERT OR REPLACE INTO native_replies (entry, chat, configured, address, wire, model, reply)
                       SELECT id, chat, ?2, ?3, ?4, ?5, ?6 FROM entries WHERE id = ?1";
            let configured = origin.configured.to_string();
            let values = params![
                entry,
                configured,
                origin.address,
                origin.wire,
                origin.model,
                reply
            ];
            match change(c, sql, values)? {
                0 => Err(StoreError::Unknown {
                    what: "chat entry",
                    id: entry.clone(),
                }),
                _ => Ok(()),
            }
        })
        .await
    }

    /// The replies in the branch that a chat shows that came from this model, in no order.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if a row cannot be read; [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn native_replies(
        &self,
        chat: ChatId,
        origin: &ReplyOrigin,
    ) -> Result<Vec<NativeReplyRow>, StoreError> {
        let origin = origin.clone();
        self.read_at(chat, move |c| {
            let sql = "SELECT native_replies.* FROM native_replies INDEXED BY native_replies_by_chat
                       CROSS JOIN entries ON entries.id = native_replies.entry
                       WHERE native_replies.chat = ?1 AND configured = ?2 AND address = ?3 AND wire = ?4 AND model = ?5
                             AND entries.selected";
            let configured = origin.configured.to_string();
            let values = params![chat.to_string(), configured, origin.address, origin.wire, origin.model];
            all(c, sql, values, from_row)
        })
        .await
    }
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<NativeReplyRow> {
    Ok(NativeReplyRow {
        entry: id(row, "entry")?,
        origin: ReplyOrigin {
            configured: id(row, "configured")?,
            address: row.get("address")?,
            wire: row.get("wire")?,
            model: row.get("model")?,
        },
        reply: json(row, "reply")?,
    })
}
