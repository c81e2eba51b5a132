//! Files that are attached in a chat and not sent yet. They go with their chat; those of a temporary chat are not kept here.

use rusqlite::params;
use serde_json::Value;
use vestibule_protocol::{AttachmentId, ChatId};

use crate::columns::{all, change, id, json, json_text};
use crate::{Store, StoreError};

/// A file that is not sent yet.
#[derive(Clone, Debug, PartialEq)]
pub struct DraftFile {
    pub id: AttachmentId,
    /// The chat it is attached in.
    pub chat: ChatId,
    /// The file as the user sees it, in the host's terms. `Null` where the row cannot be read.
    pub body: Value,
}

impl Store {
    /// Keeps a file until it is sent.
    ///
    /// # Errors
    /// [`StoreError::Refused`] if the chat is gone, [`StoreError::TooLarge`] over 64 MiB; otherwise as for every write.
    pub async fn put_draft_file(&self, file: &DraftFile) -> Result<(), StoreError> {
        if file.chat.is_temporary() {
            return Ok(());
        }
        let (id, chat) = (file.id.to_string(), file.chat.to_string());
        let body = json_text(&file.body, "attached file")?;
        self.change(move |c| {
            let sql = "INSERT INTO draft_files (id, chat, body) VALUES (?1, ?2, ?3)";
            change(c, sql, params![id, chat, body])?;
            Ok(())
        })
        .await
    }

    /// The files of all chats that are not sent, in the order they were attached.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if an id cannot be read; [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn draft_files(&self) -> Result<Vec<DraftFile>, StoreError> {
        self.read(|c| {
            all(c, "SELECT * FROM draft_files ORDER BY id", [], |row| {
                Ok(DraftFile {
                    id: id(row, "id")?,
                    chat: id(row, "chat")?,
                    body: json(row, "body").unwrap_or_default(),
                })
            })
        })
        .await
    }

    /// Forgets files that were sent or are not wanted. Forgetting one that is not there changes nothing.
    ///
    /// # Errors
    /// As for every write: [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Busy`], [`StoreError::Io`].
    pub async fn remove_draft_files(&self, files: Vec<AttachmentId>) -> Result<(), StoreError> {
        self.change(move |c| {
            for file in &files {
                change(c, "DELETE FROM draft_files WHERE id = ?1", [file.to_string()])?;
            }
            Ok(())
        })
        .await
    }
}
