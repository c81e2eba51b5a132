//! The branch that a chat shows, for a reader who has some of its entries already. An index alone says which entries are in it
//! and how often the body of each was replaced, so that only new and changed bodies are read.

use rusqlite::Connection;
use serde::de::DeserializeOwned;
use vestibule_protocol::{ChatId, EntryId};

use crate::columns::id;
use crate::entries::{EntryRecord, TypedBody, typed_from_row};
use crate::{Store, StoreError};

/// How often the body of an entry was replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revision(i64);

/// One entry of a branch for a reader who may have it already.
#[derive(Debug)]
pub enum BranchRow<B, K> {
    /// The reader has this entry as it is.
    Known(K),
    Read(Box<ReadEntry<B>>),
}

/// An entry with its body.
#[derive(Debug)]
pub struct ReadEntry<B> {
    pub record: EntryRecord<TypedBody<B>>,
    pub revision: Revision,
    /// The length of its body as JSON, in bytes.
    pub bytes: usize,
}

impl Store {
    /// The entries as [`Store::entries`], without the bodies of entries that the caller has already: `known` finds them by id and revision. Each other
    /// body is read from its text into a type of the host at once. A body of another shape is not damage.
    ///
    /// # Errors
    /// As for [`Store::entries`].
    pub async fn typed_entries<B: DeserializeOwned + Send + 'static, K: Send + 'static>(
        &self,
        chat: ChatId,
        known: impl Fn(EntryId, Revision) -> Option<K> + Send + 'static,
    ) -> Result<Vec<BranchRow<B, K>>, StoreError> {
        self.read_at(chat, move |c| {
            // Both statements read the same state of the database.
            let transaction = c.transaction()?;
            typed(&transaction, chat, known)
        })
        .await
    }
}

fn typed<B: DeserializeOwned, K>(
    c: &Connection,
    chat: ChatId,
    known: impl Fn(EntryId, Revision) -> Option<K>,
) -> Result<Vec<BranchRow<B, K>>, StoreError> {
    // All of it stands in the index.
    let sql = "SELECT rowid, id, revision FROM entries INDEXED BY entries_selected
               WHERE chat = ?1 AND selected ORDER BY position";
    let mut shown = c.prepare_cached(sql)?;
    let sql = "SELECT id, chat, position, parent, at, body FROM entries WHERE rowid = ?1";
    let mut entry = c.prepare_cached(sql)?;
    let rows = shown.query_map([chat.to_string()], |row| {
        let (id, revision) = (id(row, "id")?, Revision(row.get(2)?));
        if let Some(known) = known(id, revision) {
            return Ok(BranchRow::Known(known));
        }
        entry.query_row([row.get::<_, i64>(0)?], |row| {
            Ok(BranchRow::Read(Box::new(ReadEntry {
                bytes: row.get_ref("body")?.as_str()?.len(),
                record: typed_from_row(row)?,
                revision,
            })))
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
