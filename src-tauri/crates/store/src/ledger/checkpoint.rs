//! Checkpoints as the ledger gives them back: what each claims, beside what is there. Whether a signature holds is
//! for the holder of the key; the store has none.

use rusqlite::{Connection, OptionalExtension, Row};
use serde_json::Value;

use crate::columns::{all, json};
use crate::{Store, StoreError};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    pub seq: i64,
    /// The record it was made for.
    pub of: i64,
    /// The hash that record had, in hexadecimal digits.
    pub hash: String,
    /// Which key signed it.
    pub key: String,
    /// The signature, in hexadecimal digits.
    pub signature: String,
    /// The hash that record has now, if it is there.
    pub there: Option<[u8; 32]>,
}

impl Store {
    /// Every checkpoint, oldest first.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if a row cannot be read; [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn checkpoints(&self) -> Result<Vec<Checkpoint>, StoreError> {
        self.read(|c| all_of(c)).await
    }

    /// The hash of a record, if it is there.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if the row cannot be read; [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn ledger_hash(&self, seq: i64) -> Result<Option<[u8; 32]>, StoreError> {
        self.read(move |c| hash_of(c, seq)).await
    }
}

pub(super) fn hash_of(connection: &Connection, seq: i64) -> Result<Option<[u8; 32]>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT hash FROM ledger WHERE seq = ?1")?;
    Ok(statement.query_row([seq], |row| row.get(0)).optional()?)
}

pub(super) fn all_of(connection: &Connection) -> Result<Vec<Checkpoint>, StoreError> {
    let sql = "SELECT made.seq, made.body, there.hash FROM ledger AS made
               LEFT JOIN ledger AS there ON there.seq = made.body ->> '$.of'
               WHERE made.kind = 'checkpoint' ORDER BY made.seq";
    all(connection, sql, [], from_row)
}

/// A member that is missing reads as empty, which no signature holds for.
fn from_row(row: &Row<'_>) -> rusqlite::Result<Checkpoint> {
    let body: Value = json(row, "body")?;
    let text = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
    Ok(Checkpoint {
        seq: row.get(0)?,
        of: body["of"].as_i64().unwrap_or_default(),
        hash: text("hash"),
        key: text("key"),
        signature: text("signature"),
        there: row.get(2)?,
    })
}
