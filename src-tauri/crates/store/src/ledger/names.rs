//! The files and hosts that records name, in plain words beside the ledger, so that they can be searched for. A
//! record itself keeps only a salted digest of its names: the words go with the chat or the server they belong to,
//! and what stays tells nobody what they were, while the chain holds as before.

use std::collections::BTreeSet;

use rusqlite::types::Value as Column;
use rusqlite::{Connection, OptionalExtension, Transaction, params};
use serde_json::Value;
use uuid::Uuid;
use vestibule_policy::{Digest, Named};
use vestibule_protocol::ServerId;

use super::seal::Sealed;
use crate::columns::all;
use crate::{Store, StoreError};

/// The member of a record's body that holds the digest.
const MEMBER: &str = "names";
/// The format in which the words were first kept.
pub(super) const SINCE: i64 = 5;
/// Most names [`Store::ledger_names`] gives.
const MOST: u32 = 1000;

/// What one server's records name, and how often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameCount {
    /// The file or host.
    pub named: Named,
    /// How many records name it.
    pub records: i64,
    /// The newest of them.
    pub last_seq: i64,
}

/// Names on their way into the file, with the salt of their digest.
#[derive(Debug)]
pub(super) struct Words {
    salt: String,
    names: BTreeSet<Named>,
}

impl Words {
    /// Puts the digest of `names` into a record's body; nothing where there are no names.
    pub(super) fn seal(names: BTreeSet<Named>, body: &mut Value) -> Option<Self> {
        let members = body.as_object_mut()?;
        if names.is_empty() {
            return None;
        }
        let salt = Uuid::new_v4().to_string();
        members.insert(
            MEMBER.to_owned(),
            Digest::of_names(&salt, &names).to_string().into(),
        );
        Some(Self { salt, names })
    }

    /// Writes the words down, unless the chat or server they belong to is gone already.
    pub(super) fn write(&self, transaction: &Transaction<'_>, record: &Sealed) -> rusqlite::Result<()> {
        let kept = transaction
            .prepare_cached(
                "INSERT INTO ledger_words (seq, server, chat, salt) SELECT ?1, ?2, ?3, ?4
                 WHERE (?2 IS NULL OR EXISTS (SELECT 1 FROM servers WHERE id = ?2))
                   AND (?3 IS NULL OR EXISTS (SELECT 1 FROM chats WHERE id = ?3))",
            )?
            .execute(params![record.seq, record.server, record.chat, self.salt])?;
        if kept == 0 {
            return Ok(());
        }
        let mut insert =
            transaction.prepare_cached("INSERT INTO ledger_names (seq, what, name) VALUES (?1, ?2, ?3)")?;
        for named in &self.names {
            let (what, name) = columns(named);
            insert.execute(params![record.seq, what, name])?;
        }
        Ok(())
    }
}

impl Store {
    /// The files and hosts that a server's records name, the latest first; at most a thousand. What belonged to
    /// chats that are gone is gone with them.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if a row can not be read; [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn ledger_names(&self, server: ServerId) -> Result<Vec<NameCount>, StoreError> {
        self.read(move |c| {
            let sql = "SELECT what, name, count(*), max(seq) FROM ledger_names JOIN ledger_words USING (seq)
                       WHERE server = ?1 GROUP BY what, name ORDER BY max(seq) DESC, what, name LIMIT ?2";
            all(c, sql, params![server.to_string(), MOST], |row| {
                Ok(NameCount {
                    named: named(&row.get::<_, String>(0)?, row.get(1)?),
                    records: row.get(2)?,
                    last_seq: row.get(3)?,
                })
            })
        })
        .await
    }
}

/// That a record, or the intent it is the end of, names a file at or below a path.
pub(super) const NAMES_FILE: &str = " AND CASE kind WHEN 'outcome' THEN body ->> '$.intent' ELSE seq END IN
    (SELECT seq FROM ledger_names WHERE what = 'file' AND (name = ?1 OR (name >= ?1 || '/' AND name < ?1 || '0')))";
/// The same of a host, or one of its subdomains.
pub(super) const NAMES_HOST: &str = " AND CASE kind WHEN 'outcome' THEN body ->> '$.intent' ELSE seq END IN
    (SELECT seq FROM ledger_names WHERE what = 'host' AND (name = ?1 OR substr(name, -length(?1) - 1) = '.' || ?1))";

/// One of the two conditions with the place of its one value filled in.
pub(super) fn condition(sql: &str, name: &str, values: &mut Vec<Column>) -> String {
    values.push(name.to_owned().into());
    sql.replace("?1", &format!("?{}", values.len()))
}

/// The first record whose words are not those it was sealed with.
pub(super) fn first_changed(connection: &Connection) -> Result<Option<i64>, StoreError> {
    let mut words = connection.prepare(
        "SELECT seq, salt, (SELECT body ->> '$.names' FROM ledger WHERE ledger.seq = ledger_words.seq)
         FROM ledger_words ORDER BY seq",
    )?;
    let mut names = connection.prepare("SELECT what, name FROM ledger_names WHERE seq = ?1")?;
    let mut rows = words.query([])?;
    while let Some(row) = rows.next()? {
        let seq: i64 = row.get(0)?;
        let salt: String = row.get(1)?;
        let sealed: Option<String> = row.get(2)?;
        let held = names.query_map([seq], |row| Ok(named(&row.get::<_, String>(0)?, row.get(1)?)))?;
        let held = held.collect::<rusqlite::Result<BTreeSet<Named>>>()?;
        if sealed != Some(Digest::of_names(&salt, &held).to_string()) {
            return Ok(Some(seq));
        }
    }
    let stray = "SELECT min(seq) FROM ledger_names WHERE seq NOT IN (SELECT seq FROM ledger_words)";
    Ok(connection
        .query_row(stray, [], |row| row.get(0))
        .optional()?
        .flatten())
}

fn columns(named: &Named) -> (&'static str, &str) {
    match named {
        Named::File(path) => ("file", path),
        Named::Host(host) => ("host", host),
    }
}

fn named(what: &str, name: String) -> Named {
    match what {
        "file" => Named::File(name),
        _ => Named::Host(name),
    }
}
