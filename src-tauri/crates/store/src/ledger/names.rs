//! The files and hosts that records name, found again: which records name one, and which ones a server's records name.
//! How they stand beside the ledger is [`super::sidecar`]'s.

use std::collections::BTreeMap;

use rusqlite::params;
use rusqlite::types::Value as Column;
use vestibule_policy::Mention;
use vestibule_protocol::ServerId;

use crate::columns::all;
use crate::{Store, StoreError};

/// Most names [`Store::ledger_names`] gives.
const MOST: u32 = 1000;

/// What one server's records name, and how often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameCount {
    /// The file or host.
    pub named: Mention,
    /// How many records name it.
    pub records: i64,
    /// The newest of them.
    pub last_seq: i64,
}

impl Store {
    /// The files and hosts that a server's records name, the latest first; at most a thousand. What belonged to
    /// chats that are gone is gone with them.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if a row cannot be read; [`StoreError::Io`], [`StoreError::Closed`].
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

    /// The files and hosts that each of these records names itself.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if a row cannot be read; [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn ledger_names_of(&self, records: &[i64]) -> Result<BTreeMap<i64, Vec<Mention>>, StoreError> {
        let records = serde_json::json!(records).to_string();
        self.read(move |c| {
            let sql = "SELECT seq, what, name FROM ledger_names
                       WHERE seq IN (SELECT value FROM json_each(?1)) ORDER BY seq, what, name";
            let rows = all(c, sql, [records], |row| {
                Ok((row.get(0)?, named(&row.get::<_, String>(1)?, row.get(2)?)))
            })?;
            let mut names: BTreeMap<i64, Vec<Mention>> = BTreeMap::new();
            for (seq, named) in rows {
                names.entry(seq).or_default().push(named);
            }
            Ok(names)
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

/// One of the conditions with the place of its one value filled in.
pub(super) fn condition(sql: &str, name: &str, values: &mut Vec<Column>) -> String {
    values.push(name.to_owned().into());
    sql.replace("?1", &format!("?{}", values.len()))
}

pub(super) fn columns(named: &Mention) -> (&'static str, &str) {
    match named {
        Mention::File(path) => ("file", path),
        Mention::Host(host) => ("host", host),
    }
}

pub(super) fn named(what: &str, name: String) -> Mention {
    match what {
        "file" => Mention::File(name),
        _ => Mention::Host(name),
    }
}
