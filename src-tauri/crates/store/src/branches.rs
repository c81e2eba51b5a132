//! Branches of a chat. Each entry knows the one it follows, and entries that follow the same one are versions of one
//! another. A chat shows one branch; its entries are marked, so that reading them costs no more than in a chat without
//! versions. Changing the branch costs as much as the entries that are shown no longer and those that are shown instead.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use serde_json::Value;
use vestibule_protocol::{ChatId, EntryId};

use crate::columns::{all, change, optional_id};
use crate::entries::{EntryRecord, NewEntry, append, find, unknown_entry};
use crate::{Store, StoreError, search};

/// Where an entry is among its versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryVersions {
    /// Its number, from 1.
    pub at: u32,
    /// How many there are, itself included.
    pub of: u32,
    /// The version before it.
    pub before: Option<EntryId>,
    /// The version after it.
    pub after: Option<EntryId>,
}

impl Store {
    /// Adds a version of an entry and says its position. The chat then shows the branch that ends with it; what was
    /// shown from the other version on is kept.
    ///
    /// # Errors
    /// [`StoreError::Unknown`] if `of` is not in the branch that its chat shows; otherwise as for
    /// [`Store::append_entry`].
    pub async fn append_version(
        &self,
        of: EntryId,
        entry: EntryId,
        at: Timestamp,
        body: Value,
    ) -> Result<i64, StoreError> {
        let new = NewEntry::new(of, entry, at, &body)?;
        self.write_at(of, move |c| {
            let transaction = c.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let place = shown_place(&transaction, of)?;
            deselect(&transaction, &place.chat, place.position - 1)?;
            let position = append(&transaction, &place.chat, &new)?;
            transaction.commit()?;
            Ok(position)
        })
        .await
    }

    /// Lets a chat show nothing after an entry, so that the next one that is appended follows it. What was shown after
    /// it is kept.
    ///
    /// # Errors
    /// [`StoreError::Unknown`] if the entry is not in the branch that its chat shows; otherwise as for every write.
    pub async fn end_branch(&self, entry: EntryId) -> Result<(), StoreError> {
        self.write_at(entry, move |c| {
            let transaction = c.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let place = shown_place(&transaction, entry)?;
            deselect(&transaction, &place.chat, place.position)?;
            Ok(transaction.commit()?)
        })
        .await
    }

    /// Lets a chat show the branch of an entry, down to the newest of its ends. Returns whether it showed another one.
    ///
    /// # Errors
    /// [`StoreError::Unknown`] if there is no such entry; otherwise as for every write.
    pub async fn select_branch(&self, entry: EntryId) -> Result<bool, StoreError> {
        self.write_at(entry, move |c| {
            let transaction = c.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let place = place(&transaction, entry)?;
            if place.selected {
                return Ok(false);
            }
            select_ancestors(&transaction, &place.chat, entry)?;
            select_down(&transaction, &place.chat, Some(&entry.to_string()))?;
            transaction.commit()?;
            Ok(true)
        })
        .await
    }

    /// Lets a chat whose branch was ended show what followed there, where nothing was appended since. Returns whether it
    /// shows more now.
    ///
    /// # Errors
    /// As for every write.
    pub async fn resume_branch(&self, chat: ChatId) -> Result<bool, StoreError> {
        self.write_at(chat, move |c| {
            let transaction = c.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let resumed = resume(&transaction, &chat.to_string())?;
            transaction.commit()?;
            Ok(resumed)
        })
        .await
    }

    /// The same for every chat: an earlier run may have ended between the two.
    ///
    /// # Errors
    /// As for every write.
    pub async fn resume_branches(&self) -> Result<(), StoreError> {
        self.write(|c| {
            let transaction = c.transaction_with_behavior(TransactionBehavior::Immediate)?;
            for chat in ended_early(&transaction)? {
                resume(&transaction, &chat)?;
            }
            Ok(transaction.commit()?)
        })
        .await
    }

    /// Where an entry is among its versions; `None` where it is the only one, or not there.
    ///
    /// # Errors
    /// [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn versions(&self, entry: EntryId) -> Result<Option<EntryVersions>, StoreError> {
        self.read_at(entry, move |c| versions_of(c, entry)).await
    }
}

impl Store {
    /// Deletes an entry with all that follows it in any branch, except `next`, its versions and what follows them; they
    /// then follow what the entry followed. Other versions of the entry stay, and the newest of them is shown where
    /// nothing else follows. The text is overwritten in the file; the log beside it may hold it until it is reused or
    /// the store is closed.
    ///
    /// # Errors
    /// [`StoreError::Unknown`] if one of them is not in the branch that its chat shows; otherwise as for every write.
    pub async fn delete_exchange(&self, entry: EntryId, next: Option<EntryId>) -> Result<(), StoreError> {
        self.write_at(entry, move |c| {
            let transaction = c.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let chat = shown_place(&transaction, entry)?.chat;
            if let Some(next) = next {
                shown_place(&transaction, next)?;
                let (from, to) = (parent(&transaction, next)?, parent(&transaction, entry)?);
                let sql = "UPDATE entries SET parent = ?2 WHERE parent = ?1";
                change(&transaction, sql, [from, to])?;
            }
            let below = "id IN (WITH RECURSIVE below (id) AS (
                             SELECT ?1 UNION SELECT entries.id FROM below JOIN entries ON entries.parent = below.id)
                         SELECT id FROM below)";
            search::remove(&transaction, below, [entry.to_string()])?;
            let sql = format!("DELETE FROM entries WHERE {below}");
            change(&transaction, &sql, [entry.to_string()])?;
            resume(&transaction, &chat)?;
            Ok(transaction.commit()?)
        })
        .await
    }

    /// Deletes one entry of any branch; what follows it then follows what it followed. Deleting one that is not there
    /// changes nothing. Its text is overwritten as in [`Store::delete_exchange`].
    ///
    /// # Errors
    /// As for every write.
    pub async fn splice_out(&self, entry: EntryId) -> Result<(), StoreError> {
        self.change_at(entry, move |c| {
            let id = entry.to_string();
            search::remove_one(c, entry)?;
            let sql =
                "UPDATE entries SET parent = (SELECT parent FROM entries WHERE id = ?1) WHERE parent = ?1";
            change(c, sql, [&id])?;
            change(c, "DELETE FROM entries WHERE id = ?1", [&id])?;
            Ok(())
        })
        .await
    }
}

/// Where an entry is, and whether its chat shows it.
struct EntryPlace {
    chat: String,
    position: i64,
    selected: bool,
}

fn place(c: &Connection, entry: EntryId) -> Result<EntryPlace, StoreError> {
    c.prepare_cached("SELECT chat, position, selected FROM entries WHERE id = ?1")?
        .query_row([entry.to_string()], |row| {
            Ok(EntryPlace {
                chat: row.get("chat")?,
                position: row.get("position")?,
                selected: row.get("selected")?,
            })
        })
        .optional()?
        .ok_or_else(|| unknown_entry(entry))
}

fn parent(c: &Connection, entry: EntryId) -> rusqlite::Result<Option<String>> {
    c.prepare_cached("SELECT parent FROM entries WHERE id = ?1")?
        .query_row([entry.to_string()], |row| row.get(0))
}

fn shown_place(c: &Connection, entry: EntryId) -> Result<EntryPlace, StoreError> {
    let place = place(c, entry)?;
    if place.selected {
        Ok(place)
    } else {
        Err(unknown_entry(entry))
    }
}

/// Ends the branch that a chat shows after a position.
fn deselect(c: &Connection, chat: &str, after: i64) -> rusqlite::Result<usize> {
    let sql = "UPDATE entries SET selected = 0 WHERE chat = ?1 AND selected AND position > ?2";
    change(c, sql, params![chat, after])
}

/// Shows an entry and its ancestors, and nothing else.
fn select_ancestors(c: &Transaction<'_>, chat: &str, entry: EntryId) -> Result<(), StoreError> {
    // `UNION` ends also where a damaged file has a circle of parents.
    let sql = "WITH RECURSIVE up (id, parent, position, selected) AS (
                   SELECT id, parent, position, selected FROM entries WHERE id = ?1
                   UNION
                   SELECT entries.id, entries.parent, entries.position, entries.selected
                   FROM up JOIN entries ON entries.id = up.parent WHERE NOT up.selected)
               SELECT id, position, selected FROM up";
    let line = all(c, sql, [entry.to_string()], |row| {
        Ok((
            row.get::<_, String>(0)?,
            row.get::<_, i64>(1)?,
            row.get::<_, bool>(2)?,
        ))
    })?;
    let shared = line.iter().filter(|(_, _, selected)| *selected);
    let fork = shared.map(|(_, position, _)| *position).max().unwrap_or(-1);
    deselect(c, chat, fork)?;
    for (id, _, selected) in &line {
        if !selected {
            change(c, "UPDATE entries SET selected = 1 WHERE id = ?1", [id])?;
        }
    }
    Ok(())
}

/// Shows the newest entry that follows `parent`, the newest that follows that one, and so on. Returns how many.
fn select_down(c: &Transaction<'_>, chat: &str, parent: Option<&str>) -> Result<usize, StoreError> {
    let sql = "WITH RECURSIVE down (id) AS (
                   SELECT (SELECT id FROM entries WHERE parent IS ?2 AND chat = ?1 ORDER BY position DESC LIMIT 1)
                   UNION
                   SELECT (SELECT id FROM entries WHERE parent = down.id AND chat = ?1 ORDER BY position DESC LIMIT 1)
                   FROM down WHERE down.id IS NOT NULL)
               UPDATE entries SET selected = 1 WHERE id IN (SELECT id FROM down WHERE id IS NOT NULL)";
    Ok(change(c, sql, params![chat, parent])?)
}

fn resume(c: &Transaction<'_>, chat: &str) -> Result<bool, StoreError> {
    let sql = "SELECT id FROM entries INDEXED BY entries_selected
               WHERE chat = ?1 AND selected ORDER BY position DESC LIMIT 1";
    let last: Option<String> = c
        .prepare_cached(sql)?
        .query_row([chat], |row| row.get(0))
        .optional()?;
    Ok(select_down(c, chat, last.as_deref())? > 0)
}

/// The chats that show a branch which goes on.
fn ended_early(c: &Connection) -> Result<Vec<String>, StoreError> {
    let sql = "SELECT id FROM chats WHERE EXISTS (
                   SELECT 1 FROM entries WHERE chat = chats.id AND parent IS (
                       SELECT last.id FROM entries AS last INDEXED BY entries_selected
                       WHERE last.chat = chats.id AND last.selected ORDER BY last.position DESC LIMIT 1))";
    all(c, sql, [], |row| row.get(0))
}

/// Where an entry is among its versions; `None` where it is the only one, or not there.
pub(crate) fn versions_of(c: &Connection, entry: EntryId) -> Result<Option<EntryVersions>, StoreError> {
    match find(c, entry)? {
        Some(record) => versions(c, &record),
        None => Ok(None),
    }
}

/// Where an entry is among its versions; `None` where it is the only one.
pub(crate) fn versions<B>(
    c: &Connection,
    record: &EntryRecord<B>,
) -> Result<Option<EntryVersions>, StoreError> {
    let sql =
        "WITH others AS NOT MATERIALIZED (SELECT id, position FROM entries WHERE parent IS ?1 AND chat = ?2)
               SELECT (SELECT count(*) FROM others WHERE position < ?3) AS earlier,
                      (SELECT count(*) FROM others WHERE position > ?3) AS later,
                      (SELECT id FROM others WHERE position < ?3 ORDER BY position DESC LIMIT 1) AS before,
                      (SELECT id FROM others WHERE position > ?3 ORDER BY position LIMIT 1) AS after";
    let parent = record.parent.map(|parent| parent.to_string());
    let values = params![parent, record.chat.to_string(), record.position];
    let found = c.prepare_cached(sql)?.query_row(values, |row| {
        let earlier: u32 = row.get("earlier")?;
        Ok(EntryVersions {
            at: earlier + 1,
            of: earlier + 1 + row.get::<_, u32>("later")?,
            before: optional_id(row, "before")?,
            after: optional_id(row, "after")?,
        })
    })?;
    Ok((found.of > 1).then_some(found))
}
