//! Finds entries of all chats by their words. The index has no text: its hits are compared with the entries before they
//! count. It is written in the transaction that writes or deletes an entry, and only for entries that are finished.
//! Entries of a database from before the index are added in steps, by [`Store::index_more`].

mod entry_text;
mod words;

use rusqlite::{Connection, OptionalExtension, Params, TransactionBehavior, params};
use serde_json::Value;
use vestibule_protocol::EntryId;

use entry_text::MAX_TEXT;
pub use entry_text::entry_text;
pub use words::{FoldedText, SearchTerms};

use crate::columns::{all, change, json};
use crate::entries::{EntryRecord, from_row, state};
use crate::{Store, StoreError, blobs};

/// States of entries that still change. They are not in the index.
const UNFINISHED: &str = "('streaming', 'deciding', 'waiting', 'running', 'task')";
/// The type of a part of a result that refers to a blob.
const STORED: &str = "stored";
/// Entries that one step of [`Store::index_more`] adds at most.
const STEP: u32 = 64;
/// Candidates that one search compares at most.
const MAX_CANDIDATES: usize = 2_000;
/// Bytes of bodies that one search reads at most.
const MAX_BYTES: usize = 32 * 1024 * 1024;

/// Entries in which all terms of a search were said.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundEntries {
    /// The newest that were added come first.
    pub entries: Vec<EntryRecord>,
    /// Whether there may be more than these.
    pub more: bool,
    /// How many finished entries are not in the index yet.
    pub unindexed: u32,
}

impl Store {
    /// The newest entries of all chats outside the trash whose text has each term somewhere; the first word of a term
    /// has to begin a word of the text. Upper and lower case count the same.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if a row cannot be read; [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn search(&self, terms: SearchTerms, limit: usize) -> Result<FoundEntries, StoreError> {
        self.read(move |c| {
            let mut found = find(c, &terms, limit)?;
            let sql = format!(
                "SELECT count(*) FROM entries INDEXED BY entries_without_number
                 WHERE number IS NULL AND (state IS NULL OR state NOT IN {UNFINISHED})"
            );
            found.unindexed = c.prepare_cached(&sql)?.query_row([], |row| row.get(0))?;
            Ok(found)
        })
        .await
    }

    /// Adds some entries to the index that are not in it. Returns whether there may be more of them.
    ///
    /// # Errors
    /// As for every write: [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Busy`], [`StoreError::Io`].
    pub async fn index_more(&self) -> Result<bool, StoreError> {
        self.write(|c| {
            let transaction = c.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let sql = format!(
                "SELECT id, body FROM entries INDEXED BY entries_without_number
                 WHERE number IS NULL AND (state IS NULL OR state NOT IN {UNFINISHED}) LIMIT {STEP}"
            );
            let missing = all(&transaction, &sql, [], |row| {
                // An entry that cannot be read has no words.
                Ok((
                    row.get::<_, String>("id")?,
                    json::<Value>(row, "body").unwrap_or_default(),
                ))
            })?;
            for (id, body) in &missing {
                add(&transaction, id, &text_with_blobs(&transaction, id, body)?)?;
            }
            transaction.commit()?;
            Ok(missing.len() == STEP as usize)
        })
        .await
    }
}

fn find(c: &Connection, terms: &SearchTerms, limit: usize) -> Result<FoundEntries, StoreError> {
    let mut found = FoundEntries {
        entries: vec![],
        more: false,
        unindexed: 0,
    };
    let Some(query) = terms.query() else {
        return Ok(found);
    };
    let sql = "SELECT entries.* FROM entry_words CROSS JOIN entries ON entries.number = entry_words.rowid
               CROSS JOIN chats ON chats.id = entries.chat
               WHERE entry_words MATCH ?1 AND entries.number IS NOT NULL AND chats.trashed IS NULL
               ORDER BY entry_words.rowid DESC";
    let mut statement = c.prepare_cached(sql)?;
    let mut rows = statement.query([query])?;
    let (mut candidates, mut bytes) = (0, 0);
    while let Some(row) = rows.next()? {
        candidates += 1;
        bytes += row.get_ref("body")?.as_bytes().map_or(0, <[u8]>::len);
        found.more = found.entries.len() == limit || candidates > MAX_CANDIDATES || bytes > MAX_BYTES;
        if found.more {
            break;
        }
        let mut record = from_row(row)?;
        bytes += add_blob_texts(c, &record.id.to_string(), &mut record.body)?;
        if terms.all_in(&FoldedText::new(&entry_text(&record.body))) {
            found.entries.push(record);
        }
    }
    Ok(found)
}

/// The text of an entry to put into the index; `None` while the entry still changes.
pub(crate) fn finished_text(body: &Value) -> Option<String> {
    let state = state(body);
    let is_finished = state.is_none_or(|state| !UNFINISHED.contains(&format!("'{state}'")));
    is_finished.then(|| entry_text(body))
}

/// Whether the body of an entry refers to blobs.
pub(crate) fn refers_to_blobs(body: &Value) -> bool {
    let content = body["result"]["content"].as_array();
    content.is_some_and(|parts| parts.iter().any(|part| part["type"] == STORED))
}

/// The text of an entry that is searched, with that of its blobs, which are written already.
pub(crate) fn text_with_blobs(c: &Connection, entry: &str, body: &Value) -> Result<String, StoreError> {
    if !refers_to_blobs(body) {
        return Ok(entry_text(body));
    }
    let mut body = body.clone();
    add_blob_texts(c, entry, &mut body)?;
    Ok(entry_text(&body))
}

/// Puts the beginnings of texts beside the references to them, as much as is searched of one entry. Returns how many bytes
/// they have.
fn add_blob_texts(c: &Connection, entry: &str, body: &mut Value) -> Result<usize, StoreError> {
    let mut left = MAX_TEXT;
    let Some(parts) = body["result"]["content"].as_array_mut() else {
        return Ok(0);
    };
    for part in parts.iter_mut().filter(|part| part["type"] == STORED) {
        let number = part["part"]["number"]
            .as_u64()
            .and_then(|number| number.try_into().ok());
        let Some(number) = number else { continue };
        part["uri"] = part["part"]["form"]["uri"].clone();
        let text = blobs::text_beginning(c, entry, number, left)?;
        left -= text.len();
        part["text"] = text.into();
    }
    Ok(MAX_TEXT - left)
}

/// Adds an entry to the index, which does not have it.
pub(crate) fn add(c: &Connection, entry: &str, text: &str) -> Result<(), StoreError> {
    let sql = "UPDATE entries SET number = (
                   SELECT coalesce(max(number), 0) + 1 FROM entries WHERE number IS NOT NULL)
               WHERE id = ?1 RETURNING number";
    let number: i64 = c.prepare_cached(sql)?.query_row([entry], |row| row.get(0))?;
    let words = words::index_words(text);
    if !words.is_empty() {
        let sql = "INSERT INTO entry_words (rowid, words) VALUES (?1, ?2)";
        change(c, sql, params![number, words])?;
    }
    Ok(())
}

/// Removes one entry from the index, if it is there. To be called before the entry changes or goes.
pub(crate) fn remove_one(c: &Connection, entry: EntryId) -> Result<(), StoreError> {
    let sql = "SELECT 1 FROM entries WHERE id = ?1 AND number IS NOT NULL";
    let is_indexed = c
        .prepare_cached(sql)?
        .query_row([entry.to_string()], |_| Ok(()))
        .optional()?;
    match is_indexed {
        Some(()) => remove(c, "id = ?1", [entry.to_string()]),
        None => Ok(()),
    }
}

/// Empties the index. FTS5 removes a deleted word from its pages at once, but the beginning of one may stay in the list of
/// pages; after this none does.
pub(crate) fn clear(c: &Connection) -> Result<(), StoreError> {
    change(
        c,
        "INSERT INTO entry_words (entry_words) VALUES ('delete-all')",
        [],
    )?;
    change(c, "UPDATE entries SET number = NULL WHERE number IS NOT NULL", [])?;
    Ok(())
}

/// Removes entries from the index, which an SQL condition names. To be called before they change or go: the index needs
/// the words that it was given.
pub(crate) fn remove(c: &Connection, which: &str, params: impl Params + Clone) -> Result<(), StoreError> {
    let sql = format!("SELECT id, number, body FROM entries WHERE number IS NOT NULL AND {which}");
    let mut statement = c.prepare_cached(&sql)?;
    let mut rows = statement.query(params.clone())?;
    while let Some(row) = rows.next()? {
        let number: i64 = row.get("number")?;
        let (id, body): (String, Value) = (row.get("id")?, json(row, "body").unwrap_or_default());
        let words = words::index_words(&text_with_blobs(c, &id, &body)?);
        if !words.is_empty() {
            let sql = "INSERT INTO entry_words (entry_words, rowid, words) VALUES ('delete', ?1, ?2)";
            change(c, sql, params![number, words])?;
        }
    }
    drop(rows);
    let sql = format!("UPDATE entries SET number = NULL WHERE number IS NOT NULL AND {which}");
    change(c, &sql, params)?;
    Ok(())
}
