//! The chats, without what was said in them. Deleting one takes its entries and the rules made for it along; the
//! ledger keeps what was decided.

use std::cmp::Reverse;

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Params, Row, Transaction, params};
use serde_json::Value;
use vestibule_protocol::{ChatId, ModelId, WorkspaceId};

use crate::columns::{all, change, id, json_text, optional_id, optional_json, optional_time, time};
use crate::ledger;
use crate::signed::Changes;
use crate::{Store, StoreError, search, settings};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatRecord {
    pub id: ChatId,
    /// The workspace it belongs to.
    pub workspace: WorkspaceId,
    /// What the list of chats calls it.
    pub title: String,
    /// The model that answers in it; `None` for the default.
    pub model: Option<ModelId>,
    /// What it asks of its model; `None` leaves all of it to the model.
    pub settings: Option<Value>,
    /// When it was begun; kept to the millisecond.
    pub created: Timestamp,
    /// When the latest entry was added; kept to the millisecond.
    pub updated: Timestamp,
    /// Whether the user keeps it at the top of the list.
    pub pinned: bool,
    /// Whether the user put it away. It is still searched.
    pub archived: bool,
    /// When it was moved to the trash, where it is not searched; kept to the millisecond.
    pub trashed: Option<Timestamp>,
}

impl Store {
    /// All chats, the temporary ones among them, the one with the latest entry first.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if a row cannot be read; [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn chats(&self) -> Result<Vec<ChatRecord>, StoreError> {
        let read = self.read_all(|c| all(c, "SELECT * FROM chats", [], from_row));
        let mut chats = read.await?;
        chats.sort_by_key(|chat| Reverse((chat.updated, chat.id)));
        Ok(chats)
    }

    /// One chat, if it is there.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if the row cannot be read; [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn chat(&self, chat: ChatId) -> Result<Option<ChatRecord>, StoreError> {
        self.read_at(chat, move |c| {
            let mut statement = c.prepare_cached("SELECT * FROM chats WHERE id = ?1")?;
            Ok(statement.query_row([chat.to_string()], from_row).optional()?)
        })
        .await
    }

    /// Adds a chat.
    ///
    /// # Errors
    /// [`StoreError::Refused`] if its id is taken; otherwise as for every write.
    pub async fn create_chat(&self, chat: &ChatRecord) -> Result<(), StoreError> {
        let chat = chat.clone();
        self.write_at(chat.id, move |c| Ok(insert(c, &chat)?)).await
    }

    /// Gives a chat another title. Its place in the list stays.
    ///
    /// # Errors
    /// [`StoreError::Unknown`] if there is no such chat; otherwise as for every write.
    pub async fn rename_chat(&self, chat: ChatId, title: &str) -> Result<(), StoreError> {
        let title = title.to_owned();
        self.write_at(chat, move |c| {
            let sql = "UPDATE chats SET title = ?2 WHERE id = ?1";
            change_chat(c, chat, sql, params![chat.to_string(), title])
        })
        .await
    }

    /// Gives a chat another title, where it still has the one that is named. Returns whether it had.
    ///
    /// # Errors
    /// As for every write.
    pub async fn rename_chat_from(&self, chat: ChatId, from: &str, to: &str) -> Result<bool, StoreError> {
        let (from, to) = (from.to_owned(), to.to_owned());
        self.write_at(chat, move |c| {
            let sql = "UPDATE chats SET title = ?3 WHERE id = ?1 AND title = ?2";
            Ok(change(c, sql, params![chat.to_string(), from, to])? > 0)
        })
        .await
    }

    /// Chooses the model that answers in a chat; `None` for the default.
    ///
    /// # Errors
    /// [`StoreError::Unknown`] if there is no such chat; otherwise as for every write.
    pub async fn set_chat_model(&self, chat: ChatId, model: Option<ModelId>) -> Result<(), StoreError> {
        let model = model.map(|model| model.to_string());
        self.write_at(chat, move |c| {
            let sql = "UPDATE chats SET model = ?2 WHERE id = ?1";
            change_chat(c, chat, sql, params![chat.to_string(), model])
        })
        .await
    }

    /// Sets what a chat asks of its model.
    ///
    /// # Errors
    /// [`StoreError::Unknown`] if there is no such chat; otherwise as for every write.
    pub async fn set_chat_settings(&self, chat: ChatId, settings: Option<&Value>) -> Result<(), StoreError> {
        let settings = settings
            .map(|settings| json_text(settings, "settings of a chat"))
            .transpose()?;
        self.write_at(chat, move |c| {
            let sql = "UPDATE chats SET settings = ?2 WHERE id = ?1";
            change_chat(c, chat, sql, params![chat.to_string(), settings])
        })
        .await
    }

    /// Keeps a chat at the top of the list, or no longer.
    ///
    /// # Errors
    /// [`StoreError::Unknown`] if there is no such chat; otherwise as for every write.
    pub async fn pin_chat(&self, chat: ChatId, pinned: bool) -> Result<(), StoreError> {
        self.write_at(chat, move |c| {
            let sql = "UPDATE chats SET pinned = ?2 WHERE id = ?1";
            change_chat(c, chat, sql, params![chat.to_string(), pinned])
        })
        .await
    }

    /// Puts a chat away, or brings it back to the list.
    ///
    /// # Errors
    /// [`StoreError::Unknown`] if there is no such chat; otherwise as for every write.
    pub async fn archive_chat(&self, chat: ChatId, archived: bool) -> Result<(), StoreError> {
        self.write_at(chat, move |c| {
            let sql = "UPDATE chats SET archived = ?2 WHERE id = ?1";
            change_chat(c, chat, sql, params![chat.to_string(), archived])
        })
        .await
    }

    /// Moves a chat to the trash at this time, or out of it.
    ///
    /// # Errors
    /// [`StoreError::Unknown`] if there is no such chat; otherwise as for every write.
    pub async fn trash_chat(&self, chat: ChatId, at: Option<Timestamp>) -> Result<(), StoreError> {
        let at = at.map(Timestamp::as_millisecond);
        self.write_at(chat, move |c| {
            let sql = "UPDATE chats SET trashed = ?2 WHERE id = ?1";
            change_chat(c, chat, sql, params![chat.to_string(), at])
        })
        .await
    }

    /// Deletes a chat with its entries, its settings, the rules made for it, and the files, hosts and salts beside its records in
    /// the ledger, which gets a record that says so in the same transaction. Deleting one that is not there changes
    /// nothing. The search index is emptied and has to be filled again with [`Store::index_more`]. The text and its words
    /// in the index are overwritten in the file; the log beside it may hold them until
    /// [`Store::truncate_log`].
    ///
    /// # Errors
    /// As for every write: [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Busy`], [`StoreError::Io`].
    pub async fn delete_chat(&self, chat: ChatId) -> Result<(), StoreError> {
        if chat.is_temporary() {
            return self.close_temporary_chat(chat).await;
        }
        let delete = "DELETE FROM chats WHERE id = ?1";
        self.delete_chat_by(delete, chat).await.map(drop)
    }

    /// The same for a chat that is still in the trash. Returns whether it was.
    ///
    /// # Errors
    /// As for [`Store::delete_chat`].
    pub async fn delete_trashed_chat(&self, chat: ChatId) -> Result<bool, StoreError> {
        let delete = "DELETE FROM chats WHERE id = ?1 AND trashed IS NOT NULL";
        self.delete_chat_by(delete, chat).await
    }

    async fn delete_chat_by(&self, sql: &'static str, chat: ChatId) -> Result<bool, StoreError> {
        let delete = move |c: &Transaction<'_>, changes: &mut Changes| {
            if change(c, sql, [chat.to_string()])? == 0 {
                return Ok(None);
            }
            settings::delete_of_chat(c, chat)?;
            search::clear(c)?;
            changes.drop_chat(chat);
            let sealed = ledger::add(c, ledger::chat_deleted(chat))?;
            Ok(Some(sealed.seq))
        };
        let sealed = self.change_signed(delete).await?;
        if let Some(seq) = sealed {
            self.ledger_grew(seq);
        }
        Ok(sealed.is_some())
    }

    /// The ledger has no names or salts of a temporary chat, so it has nothing to say of its end.
    async fn close_temporary_chat(&self, chat: ChatId) -> Result<(), StoreError> {
        self.write_at(chat, move |c| {
            change(c, "DELETE FROM chats WHERE id = ?1", [chat.to_string()])?;
            settings::delete_of_chat(c, chat)?;
            search::clear(c)
        })
        .await
    }
}

pub(crate) fn insert(c: &Connection, chat: &ChatRecord) -> rusqlite::Result<()> {
    change(
        c,
        "INSERT INTO chats (id, workspace, title, model, created, updated, pinned, archived, trashed)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        params![
            chat.id.to_string(),
            chat.workspace.to_string(),
            chat.title,
            chat.model.map(|model| model.to_string()),
            chat.created.as_millisecond(),
            chat.updated.as_millisecond(),
            chat.pinned,
            chat.archived,
            chat.trashed.map(Timestamp::as_millisecond),
        ],
    )?;
    Ok(())
}

fn change_chat(c: &Connection, chat: ChatId, sql: &str, params: impl Params) -> Result<(), StoreError> {
    match change(c, sql, params)? {
        0 => Err(StoreError::Unknown {
            what: "chat",
            id: chat.to_string(),
        }),
        _ => Ok(()),
    }
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<ChatRecord> {
    Ok(ChatRecord {
        id: id(row, "id")?,
        workspace: id(row, "workspace")?,
        title: row.get("title")?,
        model: optional_id(row, "model")?,
        settings: optional_json(row, "settings")?,
        created: time(row, "created")?,
        updated: time(row, "updated")?,
        pinned: row.get("pinned")?,
        archived: row.get("archived")?,
        trashed: optional_time(row, "trashed")?,
    })
}
