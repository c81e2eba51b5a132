//! The branch that a chat shows, for a reader who has read it before. Each body has the number of the change that it came
//! with, and an index finds those with higher numbers than the reader has seen.

use rusqlite::{Connection, OptionalExtension, params};
use serde::de::DeserializeOwned;
use vestibule_protocol::{ChatId, EntryId};

use crate::columns::id;
use crate::entries::{EntryRecord, TypedBody, typed_from_row};
use crate::{Store, StoreError};

/// The number of the change in its chat that the body of an entry came with. No two bodies of an entry have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change(i64);

/// How far a chat was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BranchState {
    /// How often the branch was changed, other than by an entry at its end.
    branch_changes: i64,
    /// The highest number of a change.
    newest: i64,
}

/// A branch, or what changed in it.
#[derive(Debug)]
pub struct BranchRead<B, K> {
    /// What to read from the next time.
    pub state: BranchState,
    /// Whether `rows` are all entries of the branch. Otherwise they are those that are new or have another body, and all
    /// others are as the reader has them.
    pub is_whole: bool,
    /// In the order of the branch.
    pub rows: Vec<BranchRow<B, K>>,
}

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
    pub change: Change,
    /// The length of its body as JSON, in bytes.
    pub bytes: usize,
}

impl Store {
    /// The entries as [`Store::entries`]: only what changed where the reader has the whole branch as it was at `since` and
    /// no entry left it. Otherwise all of them, without the bodies that the reader has: `known` finds them by id and change.
    /// Each other body is read from its text into a type of the host at once. A body of another shape is not damage.
    ///
    /// # Errors
    /// As for [`Store::entries`].
    pub async fn typed_entries<B: DeserializeOwned + Send + 'static, K: Send + 'static>(
        &self,
        chat: ChatId,
        since: Option<BranchState>,
        known: impl Fn(EntryId, Change) -> Option<K> + Send + 'static,
    ) -> Result<BranchRead<B, K>, StoreError> {
        self.read_at(chat, move |c| {
            // All statements read the same state of the database.
            let transaction = c.transaction()?;
            typed(&transaction, &chat.to_string(), since, known)
        })
        .await
    }
}

fn typed<B: DeserializeOwned, K>(
    c: &Connection,
    chat: &str,
    since: Option<BranchState>,
    known: impl Fn(EntryId, Change) -> Option<K>,
) -> Result<BranchRead<B, K>, StoreError> {
    let state = branch_state(c, chat)?;
    let since = since.filter(|since| since.branch_changes == state.branch_changes);
    let seen = since.map_or(-1, |since| since.newest);
    // All of it stands in the index.
    let sql = "SELECT rowid, id, changed, position FROM entries INDEXED BY entries_changed
               WHERE chat = ?1 AND changed > ?2 AND selected ORDER BY position";
    let mut shown = c.prepare_cached(sql)?;
    let sql = "SELECT id, chat, position, parent, at, body FROM entries WHERE rowid = ?1";
    let mut entry = c.prepare_cached(sql)?;
    let rows = shown.query_map(params![chat, seen], |row| {
        let (id, change) = (id(row, "id")?, Change(row.get("changed")?));
        if let Some(known) = known(id, change) {
            return Ok(BranchRow::Known(known));
        }
        entry.query_row([row.get::<_, i64>(0)?], |row| {
            Ok(BranchRow::Read(Box::new(ReadEntry {
                bytes: row.get_ref("body")?.as_str()?.len(),
                record: typed_from_row(row)?,
                change,
            })))
        })
    })?;
    Ok(BranchRead {
        state,
        is_whole: since.is_none(),
        rows: rows.collect::<rusqlite::Result<_>>()?,
    })
}

/// The state of the branch that a chat shows; the first one for a chat that does not exist.
fn branch_state(c: &Connection, chat: &str) -> rusqlite::Result<BranchState> {
    let sql = "SELECT branch_changes,
                      (SELECT coalesce(max(changed), 0) FROM entries WHERE entries.chat = chats.id)
               FROM chats WHERE id = ?1";
    let found = c.prepare_cached(sql)?.query_row([chat], |row| {
        Ok(BranchState {
            branch_changes: row.get(0)?,
            newest: row.get(1)?,
        })
    });
    Ok(found.optional()?.unwrap_or(BranchState {
        branch_changes: 0,
        newest: 0,
    }))
}
