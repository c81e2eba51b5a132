//! Removed servers, which the ledger knows until the user deletes that: their name, and the files and hosts their
//! records name.

use jiff::Timestamp;
use rusqlite::{Connection, Row, Transaction, TransactionBehavior, params};
use vestibule_app_protocol::RemovedServerView;
use vestibule_protocol::ServerId;

use super::{add, forgotten};
use crate::columns::{all, change, id, time};
use crate::{Store, StoreError};

/// A server that was removed and has records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemovedServer {
    /// Its id, as its records have it.
    pub id: ServerId,
    /// Its name when it was removed; empty for one removed before names were kept.
    pub name: String,
    /// When it was removed; for one without a name, when its last record was written. To the millisecond.
    pub removed: Timestamp,
}

impl From<RemovedServer> for RemovedServerView {
    fn from(server: RemovedServer) -> Self {
        Self {
            id: server.id,
            name: server.name,
            removed_ms: server.removed.as_millisecond(),
        }
    }
}

impl Store {
    /// The removed servers that records speak of, the last removed first.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if a row cannot be read; [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn removed_servers(&self) -> Result<Vec<RemovedServer>, StoreError> {
        let sql = "SELECT id, name, removed FROM ledger_servers
                   WHERE removed IS NOT NULL AND EXISTS (SELECT 1 FROM ledger WHERE server = ledger_servers.id)
                   ORDER BY removed DESC, id DESC";
        self.read(|c| all(c, sql, [], from_row)).await
    }

    /// Deletes what the ledger knows of a removed server: its name, and the files, hosts and salts of its records.
    /// The records stay, and one that says so is added in the same transaction.
    ///
    /// # Errors
    /// [`StoreError::Unknown`] if no such server was removed; otherwise as for every write.
    pub async fn forget_server(&self, server: ServerId) -> Result<(), StoreError> {
        let forget = move |c: &mut rusqlite::Connection| {
            let transaction = c.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let sql = "DELETE FROM ledger_servers WHERE id = ?1 AND removed IS NOT NULL
                       AND id NOT IN (SELECT id FROM servers)";
            if change(&transaction, sql, [server.to_string()])? == 0 {
                return Err(StoreError::Unknown {
                    what: "removed server",
                    id: server.to_string(),
                });
            }
            let sealed = add(&transaction, forgotten::server_forgotten(server))?;
            transaction.commit()?;
            Ok(sealed.seq)
        };
        let seq = self.write(forget).await?;
        self.ledger_grew(seq);
        Ok(())
    }
}

/// Notes a server that is there, under its name of now.
pub(crate) fn keep_name(transaction: &Transaction<'_>, server: ServerId, name: &str) -> rusqlite::Result<()> {
    let sql = "INSERT INTO ledger_servers (id, name, removed) VALUES (?1, ?2, NULL)
               ON CONFLICT (id) DO UPDATE SET name = ?2, removed = NULL";
    change(transaction, sql, params![server.to_string(), name]).map(drop)
}

/// Keeps the name of a server whose row another program inserted: its records are kept like any other's.
pub(super) fn keep_name_of_row(connection: &Connection, server: &str) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT OR IGNORE INTO ledger_servers (id, name, removed) SELECT id, name, NULL FROM servers WHERE id = ?1",
        )?
        .execute([server])
        .map(drop)
}

/// Notes that a server is removed now.
pub(crate) fn note_removed(transaction: &Transaction<'_>, server: ServerId) -> rusqlite::Result<()> {
    let sql = "UPDATE ledger_servers SET removed = ?2 WHERE id = ?1 AND removed IS NULL";
    let now = Timestamp::now().as_millisecond();
    change(transaction, sql, params![server.to_string(), now]).map(drop)
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<RemovedServer> {
    Ok(RemovedServer {
        id: id(row, "id")?,
        name: row.get("name")?,
        removed: time(row, "removed")?,
    })
}
