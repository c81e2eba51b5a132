//! The branch that a chat shows, read page by page: the newest entries, those beside a position, or those around one
//! entry. What a page costs depends on the page and not on the length of the chat or the number of its branches.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, Params, Row, params};
use serde::de::DeserializeOwned;
use serde_json::Value;
use vestibule_protocol::{ChatId, EntryId};

use crate::branches::{EntryVersions, versions};
use crate::entries::{EntryRecord, TypedBody, from_row, typed_from_row, unknown_entry};
use crate::{Store, StoreError};

/// The most entries of a page.
const MAX_ENTRIES: i64 = 60;
/// A page ends before the entry whose body would make it longer than this, in bytes. It has one entry at least.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// Where a page is. Positions are those of [`EntryRecord::position`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntriesFrom {
    /// At the end of the chat.
    Newest,
    /// Right before a position.
    Before(i64),
    /// Right after a position.
    After(i64),
    /// Half of it before an entry of the branch, half from it on.
    Around(EntryId),
}

/// Entries that follow each other in the branch that a chat shows.
#[derive(Clone, Debug, PartialEq)]
pub struct EntriesPage<B = Value> {
    /// In the order of the chat.
    pub entries: Vec<EntryRecord<B>>,
    /// Whether the branch has entries before the first of them.
    pub earlier: bool,
    /// Whether the branch has entries after the last of them.
    pub later: bool,
    /// Of each entry that is not the only version of itself.
    pub versions: HashMap<EntryId, EntryVersions>,
}

impl Store {
    /// One page of a chat: 60 entries and 8 MiB at most. It is empty for a chat that does not exist.
    ///
    /// # Errors
    /// [`StoreError::Unknown`] for a page around an entry that is not in the branch, [`StoreError::Corrupt`] if a row
    /// cannot be read; [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn entries_page(&self, chat: ChatId, from: EntriesFrom) -> Result<EntriesPage, StoreError> {
        self.read_at(chat, move |c| {
            let reader = PageReader {
                c,
                chat: &chat.to_string(),
                from_row,
            };
            reader.read(from)
        })
        .await
    }

    /// The same, each body read from its text into a type of the host at once. A body of another shape is not damage.
    ///
    /// # Errors
    /// As for [`Store::entries_page`].
    pub async fn typed_entries_page<B: DeserializeOwned + Send + 'static>(
        &self,
        chat: ChatId,
        from: EntriesFrom,
    ) -> Result<EntriesPage<TypedBody<B>>, StoreError> {
        self.read_at(chat, move |c| {
            let reader = PageReader {
                c,
                chat: &chat.to_string(),
                from_row: typed_from_row,
            };
            reader.read(from)
        })
        .await
    }

    /// Whether a chat has entries, in any branch.
    ///
    /// # Errors
    /// [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn has_entries(&self, chat: ChatId) -> Result<bool, StoreError> {
        self.read_at(chat, move |c| {
            exists(
                c,
                "SELECT 1 FROM entries WHERE chat = ?1",
                params![chat.to_string()],
            )
        })
        .await
    }
}

/// Reads a page of the branch that a chat shows.
struct PageReader<'a, B> {
    c: &'a Connection,
    chat: &'a str,
    from_row: fn(&Row<'_>) -> rusqlite::Result<EntryRecord<B>>,
}

impl<B> PageReader<'_, B> {
    fn read(&self, from: EntriesFrom) -> Result<EntriesPage<B>, StoreError> {
        let entries = match from {
            EntriesFrom::Newest => self.before(i64::MAX, MAX_ENTRIES)?,
            EntriesFrom::Before(position) => self.before(position, MAX_ENTRIES)?,
            EntriesFrom::After(position) => self.after(position, MAX_ENTRIES)?,
            EntriesFrom::Around(entry) => {
                let position = position_of(self.c, self.chat, entry)?;
                let mut entries = self.before(position, MAX_ENTRIES / 2)?;
                entries.extend(self.after(position - 1, MAX_ENTRIES / 2)?);
                entries
            }
        };
        let beside = |entry: Option<&EntryRecord<B>>, sql| match entry {
            Some(entry) => exists(self.c, sql, params![self.chat, entry.position]),
            None => Ok(false),
        };
        let mut found = HashMap::new();
        for entry in &entries {
            found.extend(versions(self.c, entry)?.map(|versions| (entry.id, versions)));
        }
        Ok(EntriesPage {
            earlier: beside(
                entries.first(),
                "SELECT 1 FROM entries INDEXED BY entries_selected
                 WHERE chat = ?1 AND selected AND position < ?2",
            )?,
            later: beside(
                entries.last(),
                "SELECT 1 FROM entries INDEXED BY entries_selected
                 WHERE chat = ?1 AND selected AND position > ?2",
            )?,
            versions: found,
            entries,
        })
    }

    fn before(&self, position: i64, limit: i64) -> Result<Vec<EntryRecord<B>>, StoreError> {
        let sql = "SELECT * FROM entries INDEXED BY entries_selected
                   WHERE chat = ?1 AND selected AND position < ?2 ORDER BY position DESC LIMIT ?3";
        let mut entries = self.bounded(sql, position, limit)?;
        entries.reverse();
        Ok(entries)
    }

    fn after(&self, position: i64, limit: i64) -> Result<Vec<EntryRecord<B>>, StoreError> {
        let sql = "SELECT * FROM entries INDEXED BY entries_selected
                   WHERE chat = ?1 AND selected AND position > ?2 ORDER BY position LIMIT ?3";
        self.bounded(sql, position, limit)
    }

    /// The first entries of a query that together have no more than [`MAX_BYTES`].
    fn bounded(&self, sql: &str, position: i64, limit: i64) -> Result<Vec<EntryRecord<B>>, StoreError> {
        let mut statement = self.c.prepare_cached(sql)?;
        let mut rows = statement.query(params![self.chat, position, limit])?;
        let mut entries = vec![];
        let mut bytes = 0;
        while let Some(row) = rows.next()? {
            bytes += row.get_ref("body")?.as_bytes().map_or(0, <[u8]>::len);
            if bytes > MAX_BYTES && !entries.is_empty() {
                break;
            }
            entries.push((self.from_row)(row)?);
        }
        Ok(entries)
    }
}

fn position_of(c: &Connection, chat: &str, entry: EntryId) -> Result<i64, StoreError> {
    let sql = "SELECT position FROM entries WHERE id = ?1 AND chat = ?2 AND selected";
    c.prepare_cached(sql)?
        .query_row(params![entry.to_string(), chat], |row| row.get(0))
        .optional()?
        .ok_or_else(|| unknown_entry(entry))
}

fn exists(c: &Connection, sql: &str, params: impl Params) -> Result<bool, StoreError> {
    Ok(c.prepare_cached(sql)?.exists(params)?)
}
