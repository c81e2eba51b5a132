//! A chat with the entries of all its branches: read as a whole for a file, and written as a whole from one.

use rusqlite::{Connection, TransactionBehavior, params};
use vestibule_protocol::ChatId;

use crate::blobs::NewBlob;
use crate::chats::{ChatRecord, insert};
use crate::columns::{all, change};
use crate::entries::{EntryRecord, StoredBody, from_row};
use crate::{Store, StoreError, blobs};

/// An entry of any branch of a chat.
#[derive(Clone, Debug, PartialEq)]
pub struct BranchEntry {
    pub record: EntryRecord,
    /// Whether it belongs to the branch that the chat shows.
    pub shown: bool,
}

/// An entry with the blobs that its body refers to.
#[derive(Clone, Debug, PartialEq)]
pub struct WholeEntry {
    pub entry: BranchEntry,
    pub blobs: Vec<NewBlob>,
}

impl Store {
    /// The entries of all branches of a chat, each after the one it follows; none for a chat that does not exist.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if a row cannot be read; [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn chat_branches(&self, chat: ChatId) -> Result<Vec<BranchEntry>, StoreError> {
        self.read_at(chat, move |c| {
            let sql = "SELECT * FROM entries WHERE chat = ?1 ORDER BY position";
            all(c, sql, [chat.to_string()], |row| {
                Ok(BranchEntry {
                    record: from_row(row)?,
                    shown: row.get("selected")?,
                })
            })
        })
        .await
    }

    /// Adds a chat with the entries of all its branches, or nothing. Each entry comes after the one it follows, and has
    /// the id of this chat.
    ///
    /// # Errors
    /// [`StoreError::Refused`] if an id is taken or a parent is not there, [`StoreError::TooLarge`] as for
    /// [`Store::append_entry`]; otherwise as for every write.
    pub async fn add_whole_chat(
        &self,
        chat: &ChatRecord,
        entries: Vec<WholeEntry>,
    ) -> Result<(), StoreError> {
        let chat = chat.clone();
        entries
            .iter()
            .try_for_each(|whole| blobs::check_sizes(&whole.blobs))?;
        let bodies = entries
            .iter()
            .map(|whole| StoredBody::new(&whole.entry.record.body));
        let bodies = bodies.collect::<Result<Vec<_>, _>>()?;
        self.write(move |c| {
            let transaction = c.transaction_with_behavior(TransactionBehavior::Immediate)?;
            insert(&transaction, &chat)?;
            for (entry, body) in entries.iter().zip(&bodies) {
                add(&transaction, entry, body)?;
            }
            Ok(transaction.commit()?)
        })
        .await
    }
}

fn add(c: &Connection, whole: &WholeEntry, body: &StoredBody) -> Result<(), StoreError> {
    let BranchEntry { record, shown } = &whole.entry;
    let id = record.id.to_string();
    let sql = "INSERT INTO entries (id, chat, position, parent, at, state, body, selected, changed)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 1)";
    let values = params![
        id,
        record.chat.to_string(),
        record.position,
        record.parent.map(|parent| parent.to_string()),
        record.at.as_millisecond(),
        body.state,
        body.json,
        shown,
    ];
    change(c, sql, values)?;
    blobs::insert(c, &id, &whole.blobs)?;
    body.index(c, &id)
}
