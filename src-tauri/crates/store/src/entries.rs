//! What was said and done in a chat, in order. The store does not read an entry's body, with three exceptions: its
//! top-level `state`, so that work cut short by a crash is found again at the next start, what names the tool of a
//! call, so that a rule can be tried on the calls there were, and its text, for the search. Joining a stream's
//! pieces into fewer writes is the caller's job.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};
use serde::de::DeserializeOwned;
use serde_json::Value;
use vestibule_protocol::{ChatId, EntryId, ServerId};

use crate::branches::{EntryVersions, versions_of};
use crate::columns::{all, change, id, json, json_text, optional_id, time, typed_json};
use crate::temporary::ChatPlace;
use crate::{Store, StoreError, search};

/// One entry of a chat. `B` is what its body is read as.
#[derive(Clone, Debug, PartialEq)]
pub struct EntryRecord<B = Value> {
    pub id: EntryId,
    /// The chat it stands in.
    pub chat: ChatId,
    /// Its place in the chat, from 0, going up along each branch.
    pub position: i64,
    /// The entry it follows; `None` for the first of a chat.
    pub parent: Option<EntryId>,
    /// When it was added; kept to the millisecond.
    pub at: Timestamp,
    /// The entry itself, in the host's terms.
    pub body: B,
}

/// A body as one type of the host, or why it is none.
pub type TypedBody<B> = Result<B, serde_json::Error>;

impl EntryRecord {
    /// The entry with its body as a type of the host.
    pub fn typed<B: DeserializeOwned>(self) -> EntryRecord<TypedBody<B>> {
        let Self {
            id,
            chat,
            position,
            parent,
            at,
            body,
        } = self;
        EntryRecord {
            id,
            chat,
            position,
            parent,
            at,
            body: serde_json::from_value(body),
        }
    }
}

/// Where an entry stands that was added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddedEntry {
    /// Its place in the chat, from 0.
    pub position: i64,
    /// Where it is among its versions; `None` where it is the only one.
    pub versions: Option<EntryVersions>,
}

impl Store {
    /// The entries of the branch that a chat shows, in order; none for a chat that does not exist.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if a row cannot be read; [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn entries(&self, chat: ChatId) -> Result<Vec<EntryRecord>, StoreError> {
        self.read_at(chat, move |c| shown(c, chat, from_row)).await
    }

    /// Adds an entry at the end of the branch that a chat shows, and says its position. The chat counts as updated at
    /// `at`.
    ///
    /// # Errors
    /// [`StoreError::Unknown`] if there is no such chat, [`StoreError::Refused`] if the id is taken,
    /// [`StoreError::TooLarge`] over 64 MiB or 120 levels; otherwise as for every write.
    pub async fn append_entry(
        &self,
        chat: ChatId,
        entry: EntryId,
        at: Timestamp,
        body: Value,
    ) -> Result<i64, StoreError> {
        let new = NewEntry::new(chat, entry, at, &body)?;
        self.change_at(chat, move |c| append(c, &chat.to_string(), &new))
            .await
    }

    /// Adds entries one after the other, all or none of them, and says where each stands. Otherwise as
    /// [`Store::append_entry`].
    ///
    /// # Errors
    /// As for [`Store::append_entry`].
    pub async fn append_entries(
        &self,
        chat: ChatId,
        entries: Vec<(EntryId, Timestamp, Value)>,
    ) -> Result<Vec<AddedEntry>, StoreError> {
        let entries = entries
            .into_iter()
            .map(|(entry, at, body)| NewEntry::new(chat, entry, at, &body))
            .collect::<Result<Vec<_>, StoreError>>()?;
        self.change_at(chat, move |c| {
            let chat = chat.to_string();
            let mut added = vec![];
            if let Some(newest) = entries.iter().map(|new| new.at).max() {
                update_chat(c, &chat, newest)?;
            }
            for new in &entries {
                let position = insert(c, &chat, new)?;
                // The others follow an entry that is new itself.
                let versions = match added.is_empty() {
                    true => versions_of(c, new.id)?,
                    false => None,
                };
                added.push(AddedEntry { position, versions });
            }
            Ok(added)
        })
        .await
    }

    /// Adds an entry as [`Store::append_entry`] does, and gives the chat this title where it has none, in one change.
    ///
    /// # Errors
    /// As for [`Store::append_entry`].
    pub async fn append_entry_titled(
        &self,
        chat: ChatId,
        entry: EntryId,
        at: Timestamp,
        body: Value,
        title: String,
    ) -> Result<i64, StoreError> {
        let new = NewEntry::new(chat, entry, at, &body)?;
        self.change_at(chat, move |c| {
            let chat = chat.to_string();
            let position = append(c, &chat, &new)?;
            let sql = "UPDATE chats SET title = ?2 WHERE id = ?1 AND title = ''";
            change(c, sql, params![chat, title])?;
            Ok(position)
        })
        .await
    }

    /// Replaces the body of an entry.
    ///
    /// # Errors
    /// [`StoreError::Unknown`] if there is no such entry, [`StoreError::TooLarge`] as for
    /// [`Store::append_entry`]; otherwise as for every write.
    pub async fn update_entry(&self, entry: EntryId, body: Value) -> Result<(), StoreError> {
        self.queue_entry_update(entry, &body).await
    }

    /// The same for a caller that needs it to be written with what is queued at the same time: it stands in the queue when
    /// this returns, unless the queue is full. It counts once the future says so.
    pub fn queue_entry_update(
        &self,
        entry: EntryId,
        body: &Value,
    ) -> impl Future<Output = Result<(), StoreError>> + Send + use<> {
        let body = StoredBody::new(body);
        let queued = body.map(|body| self.change_at(entry, move |c| put_body(c, entry, &body, |_| Ok(()))));
        async move { queued?.await }
    }

    /// Removes an entry that no other one follows. Removing one that is not there changes nothing; the numbers of the
    /// others stay.
    ///
    /// # Errors
    /// [`StoreError::Refused`] if another entry follows it; otherwise as for every write.
    pub async fn remove_entry(&self, entry: EntryId) -> Result<(), StoreError> {
        self.change_at(entry, move |c| {
            search::remove_one(c, entry)?;
            let sql = "DELETE FROM entries WHERE id = ?1";
            change(c, sql, params![entry.to_string()])?;
            Ok(())
        })
        .await
    }

    /// One entry, if it is there.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if the row cannot be read; [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn entry(&self, entry: EntryId) -> Result<Option<EntryRecord>, StoreError> {
        self.read_at(entry, move |c| find(c, entry)).await
    }

    /// The newest entries of all chats whose body has these texts as its top-level `kind`, `server` and `tool`, newest
    /// first: the calls of one tool.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if a row cannot be read; [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn calls_of(
        &self,
        server: ServerId,
        tool: &str,
        limit: u32,
    ) -> Result<Vec<EntryRecord>, StoreError> {
        let tool = tool.to_owned();
        self.read(move |c| {
            let sql = "SELECT * FROM entries WHERE state IS NOT NULL AND body ->> '$.kind' = 'call'
                       AND body ->> '$.server' = ?1 AND body ->> '$.tool' = ?2 ORDER BY at DESC LIMIT ?3";
            all(c, sql, params![server.to_string(), tool, limit], from_row)
        })
        .await
    }

    /// The entries of all chats whose body has one of these texts as its top-level `state`, oldest first.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if a row cannot be read; [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn entries_where_state(&self, states: &[&str]) -> Result<Vec<EntryRecord>, StoreError> {
        let states: Vec<String> = states.iter().map(|&state| state.to_owned()).collect();
        self.read(move |c| {
            let places = vec!["?"; states.len()].join(", ");
            let sql = format!("SELECT * FROM entries WHERE state IN ({places}) ORDER BY at, chat, position");
            all(c, &sql, params_from_iter(states), from_row)
        })
        .await
    }
}

/// An entry that is to be added.
pub(crate) struct NewEntry {
    id: EntryId,
    at: Timestamp,
    body: StoredBody,
}

impl NewEntry {
    /// `beside` is the chat of the entry, or another version of it.
    pub(crate) fn new(
        beside: impl Into<ChatPlace>,
        id: EntryId,
        at: Timestamp,
        body: &Value,
    ) -> Result<Self, StoreError> {
        check_place(beside, id)?;
        let body = StoredBody::new(body)?;
        Ok(Self { id, at, body })
    }
}

/// An entry is kept where its chat or its other version is; its id has to say so.
fn check_place(beside: impl Into<ChatPlace>, entry: EntryId) -> Result<(), StoreError> {
    let (place, own): (ChatPlace, ChatPlace) = (beside.into(), entry.into());
    if place == own {
        return Ok(());
    }
    Err(StoreError::Refused {
        detail: "the id of the entry is not one of its chat".to_owned(),
    })
}

/// A body as it is written.
pub(crate) struct StoredBody {
    pub(crate) state: Option<String>,
    pub(crate) json: String,
    /// What the search index gets; `None` while the entry still changes.
    text: Option<String>,
    /// The body, where it refers to blobs whose text the search index gets too.
    referring: Option<Value>,
}

impl StoredBody {
    pub(crate) fn new(body: &Value) -> Result<Self, StoreError> {
        Ok(Self {
            state: state(body),
            json: json_text(body, "chat entry")?,
            text: search::finished_text(body),
            referring: search::refers_to_blobs(body).then(|| body.clone()),
        })
    }

    /// Adds the entry to the search index, which does not have it, where it is finished. Its blobs are there already.
    pub(crate) fn index(&self, c: &Connection, id: &str) -> Result<(), StoreError> {
        match (&self.text, &self.referring) {
            (None, _) => Ok(()),
            (Some(text), None) => search::add(c, id, text),
            (Some(_), Some(body)) => search::add(c, id, &search::text_with_blobs(c, id, body)?),
        }
    }
}

/// Replaces the body of an entry; `add` writes what belongs to it before it is searched.
pub(crate) fn put_body(
    c: &Connection,
    entry: EntryId,
    body: &StoredBody,
    add: impl FnOnce(&Connection) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    search::remove_one(c, entry)?;
    let sql = "UPDATE entries SET state = ?2, body = ?3,
                      changed = (SELECT max(changed) + 1 FROM entries AS other WHERE other.chat = entries.chat)
               WHERE id = ?1";
    let id = entry.to_string();
    if change(c, sql, params![id, body.state, body.json])? == 0 {
        return Err(unknown_entry(entry));
    }
    add(c)?;
    body.index(c, &id)
}

/// Adds an entry after the last one that its chat shows, and returns its position.
pub(crate) fn append(c: &Connection, chat: &str, new: &NewEntry) -> Result<i64, StoreError> {
    update_chat(c, chat, new.at)?;
    insert(c, chat, new)
}

/// Notes that a chat was updated at `at` or later.
fn update_chat(c: &Connection, chat: &str, at: Timestamp) -> Result<(), StoreError> {
    let sql = "UPDATE chats SET updated = max(updated, ?2) WHERE id = ?1";
    if change(c, sql, params![chat, at.as_millisecond()])? == 0 {
        let id = chat.to_owned();
        return Err(StoreError::Unknown { what: "chat", id });
    }
    Ok(())
}

/// As [`append`], where the chat is noted as updated already.
fn insert(c: &Connection, chat: &str, new: &NewEntry) -> Result<i64, StoreError> {
    let NewEntry { id, at, body } = new;
    let (id, at) = (id.to_string(), at.as_millisecond());
    let sql = "INSERT INTO entries (id, chat, position, parent, at, state, body, changed)
               VALUES (?1, ?2, (SELECT coalesce(max(position) + 1, 0) FROM entries WHERE chat = ?2),
                       (SELECT id FROM entries INDEXED BY entries_selected
                        WHERE chat = ?2 AND selected ORDER BY position DESC LIMIT 1), ?3, ?4, ?5,
                       (SELECT coalesce(max(changed), 0) + 1 FROM entries WHERE chat = ?2))
               RETURNING position";
    let values = params![id, chat, at, body.state, body.json];
    let position = c.prepare_cached(sql)?.query_row(values, |row| row.get(0))?;
    body.index(c, &id)?;
    Ok(position)
}

pub(crate) fn find(c: &Connection, entry: EntryId) -> Result<Option<EntryRecord>, StoreError> {
    let mut statement = c.prepare_cached("SELECT * FROM entries WHERE id = ?1")?;
    Ok(statement.query_row([entry.to_string()], from_row).optional()?)
}

pub(crate) fn unknown_entry(entry: EntryId) -> StoreError {
    StoreError::Unknown {
        what: "chat entry",
        id: entry.to_string(),
    }
}

pub(crate) fn state(body: &Value) -> Option<String> {
    body.get("state").and_then(Value::as_str).map(str::to_owned)
}

/// The entries of the branch that a chat shows, in order.
fn shown<B>(
    c: &Connection,
    chat: ChatId,
    from_row: impl FnMut(&Row<'_>) -> rusqlite::Result<EntryRecord<B>>,
) -> Result<Vec<EntryRecord<B>>, StoreError> {
    let sql = "SELECT * FROM entries INDEXED BY entries_selected
               WHERE chat = ?1 AND selected ORDER BY position";
    all(c, sql, [chat.to_string()], from_row)
}

pub(crate) fn from_row(row: &Row<'_>) -> rusqlite::Result<EntryRecord> {
    record(row, json(row, "body")?)
}

pub(crate) fn typed_from_row<B: DeserializeOwned>(
    row: &Row<'_>,
) -> rusqlite::Result<EntryRecord<TypedBody<B>>> {
    record(row, typed_json(row, "body")?)
}

fn record<B>(row: &Row<'_>, body: B) -> rusqlite::Result<EntryRecord<B>> {
    Ok(EntryRecord {
        id: id(row, "id")?,
        chat: id(row, "chat")?,
        position: row.get("position")?,
        parent: optional_id(row, "parent")?,
        at: time(row, "at")?,
        body,
    })
}
