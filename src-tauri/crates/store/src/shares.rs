//! Which server may know of which folder, and when it was last told. A share is for one server and one canonical
//! path; it ends with the server, with the last workspace that holds the folder, or when the user takes it back.

use jiff::Timestamp;
use rusqlite::{Connection, Row, TransactionBehavior, params};
use vestibule_protocol::ServerId;

use crate::columns::{all, change, id, optional_time, time};
use crate::workspaces::DROP_ORPHANS;
use crate::{Store, StoreError};

/// A folder a server may know of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShareRecord {
    pub server: ServerId,
    /// The folder's canonical path.
    pub path: String,
    /// When the user shared it; kept to the millisecond.
    pub shared: Timestamp,
    /// When the server was last told of it; `None` while it has not asked.
    pub told: Option<Timestamp>,
}

impl Store {
    /// Every folder that is shared with a server, by path.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if a row cannot be read; [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn shares(&self) -> Result<Vec<ShareRecord>, StoreError> {
        self.read(|c| {
            all(
                c,
                "SELECT * FROM shared_folders ORDER BY server, path",
                [],
                from_row,
            )
        })
        .await
    }

    /// Makes these the folders a server may know of, and no others. Those that stay keep their times. Gives back those that
    /// are not shared because no workspace holds them.
    ///
    /// # Errors
    /// [`StoreError::Refused`] if there is no such server; otherwise as for every write.
    pub async fn share(
        &self,
        server: ServerId,
        paths: Vec<String>,
        now: Timestamp,
    ) -> Result<Vec<String>, StoreError> {
        let server = server.to_string();
        self.write(move |c| {
            let transaction = c.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let held = shared_with(&transaction, &server)?;
            let delete = "DELETE FROM shared_folders WHERE server = ?1 AND path = ?2";
            for gone in held.iter().filter(|path| !paths.contains(path)) {
                change(&transaction, delete, [&server, gone])?;
            }
            let insert = "INSERT INTO shared_folders (server, path, shared) VALUES (?1, ?2, ?3)";
            for path in paths.iter().filter(|path| !held.contains(path)) {
                change(&transaction, insert, params![server, path, now.as_millisecond()])?;
            }
            change(&transaction, DROP_ORPHANS, [])?;
            let shared = shared_with(&transaction, &server)?;
            transaction.commit()?;
            let is_left = |path: &&String| !shared.contains(path);
            Ok(paths.iter().filter(is_left).cloned().collect())
        })
        .await
    }

    /// Ends that a server may know of one folder. Where it may not, nothing changes.
    ///
    /// # Errors
    /// As for every write: [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Busy`], [`StoreError::Io`].
    pub async fn unshare(&self, server: ServerId, path: &str) -> Result<(), StoreError> {
        let (server, path) = (server.to_string(), path.to_owned());
        self.write(move |c| {
            let delete = "DELETE FROM shared_folders WHERE server = ?1 AND path = ?2";
            Ok(change(c, delete, [&server, &path]).map(drop)?)
        })
        .await
    }

    /// Records which folders a server has now received.
    ///
    /// # Errors
    /// As for every write: [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Busy`], [`StoreError::Io`].
    pub async fn record_shared_roots(
        &self,
        server: ServerId,
        paths: Vec<String>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let server = server.to_string();
        self.write(move |c| {
            let transaction = c.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let update = "UPDATE shared_folders SET told = ?3 WHERE server = ?1 AND path = ?2";
            for path in &paths {
                change(&transaction, update, params![server, path, now.as_millisecond()])?;
            }
            Ok(transaction.commit()?)
        })
        .await
    }
}

fn shared_with(connection: &Connection, server: &str) -> Result<Vec<String>, StoreError> {
    let paths = "SELECT path FROM shared_folders WHERE server = ?1";
    all(connection, paths, [server], |row| row.get("path"))
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<ShareRecord> {
    Ok(ShareRecord {
        server: id(row, "server")?,
        path: row.get("path")?,
        shared: time(row, "shared")?,
        told: optional_time(row, "told")?,
    })
}
