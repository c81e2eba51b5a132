//! Connections to model servers. Keys and the values of headers are in the keychain, never here.

use jiff::Timestamp;
use rusqlite::{Row, Transaction, TransactionBehavior, params};
use vestibule_protocol::ConnectionId;

use crate::columns::{all, change, id, json, json_text, time};
use crate::models::leave_model;
use crate::{Store, StoreError};

/// A way to any number of models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionRecord {
    pub id: ConnectionId,
    /// What the user calls it; empty where the address names it.
    pub label: String,
    /// Which protocol is spoken, in the terms of the models crate.
    pub wire: String,
    pub base_url: String,
    /// The names of extra headers, in the order the user wrote them.
    pub headers: Vec<String>,
    /// When it was set up; kept to the millisecond.
    pub created: Timestamp,
    /// Whether an earlier format had it as part of a model, so that it may be the same as another one.
    pub unmerged: bool,
}

impl Store {
    /// All connections, oldest first.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if a row cannot be read; [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn connections(&self) -> Result<Vec<ConnectionRecord>, StoreError> {
        self.read(|c| all(c, "SELECT * FROM connections ORDER BY created, id", [], from_row))
            .await
    }

    /// Adds a connection or replaces the one with the same id.
    ///
    /// # Errors
    /// As for every write: [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Busy`], [`StoreError::Io`].
    pub async fn put_connection(&self, connection: &ConnectionRecord) -> Result<(), StoreError> {
        let connection = connection.clone();
        let headers = json_text(&connection.headers.clone().into(), "list of headers")?;
        self.write(move |c| {
            change(
                c,
                "INSERT INTO connections (id, label, wire, base_url, headers, created, unmerged)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                 ON CONFLICT (id) DO UPDATE SET label = ?2, wire = ?3, base_url = ?4, headers = ?5, created = ?6,
                                                unmerged = ?7",
                params![
                    connection.id.to_string(),
                    connection.label,
                    connection.wire,
                    connection.base_url,
                    headers,
                    connection.created.as_millisecond(),
                    connection.unmerged,
                ],
            )?;
            Ok(())
        })
        .await
    }

    /// Makes one connection of each group: the models of the others go to the first. After this no connection is
    /// unmerged.
    ///
    /// # Errors
    /// As for every write: [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Busy`], [`StoreError::Io`].
    pub async fn merge_connections(&self, groups: Vec<Vec<ConnectionId>>) -> Result<(), StoreError> {
        self.write(move |c| {
            let transaction = c.transaction_with_behavior(TransactionBehavior::Immediate)?;
            for group in &groups {
                merge(&transaction, group)?;
            }
            change(&transaction, "UPDATE connections SET unmerged = 0", [])?;
            Ok(transaction.commit()?)
        })
        .await
    }

    /// Removes a connection with its models and their replies in the vendor's form; chats that used one go back to
    /// the default. Removing one that is not there changes nothing.
    ///
    /// # Errors
    /// As for every write: [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Busy`], [`StoreError::Io`].
    pub async fn remove_connection(&self, connection: ConnectionId) -> Result<(), StoreError> {
        for model in self.models().await? {
            if model.connection == Some(connection) {
                let id = model.id.to_string();
                self.change_temporary(move |c| Ok(leave_model(c, &id)?)).await?;
            }
        }
        let connection = connection.to_string();
        self.write(move |c| {
            let transaction = c.transaction_with_behavior(TransactionBehavior::Immediate)?;
            for sql in [
                "UPDATE chats SET model = NULL WHERE model IN (SELECT id FROM models WHERE connection = ?1)",
                "DELETE FROM native_replies WHERE configured IN (SELECT id FROM models WHERE connection = ?1)",
                "DELETE FROM models WHERE connection = ?1",
                "DELETE FROM connections WHERE id = ?1",
            ] {
                change(&transaction, sql, [&connection])?;
            }
            Ok(transaction.commit()?)
        })
        .await
    }
}

fn merge(transaction: &Transaction<'_>, group: &[ConnectionId]) -> rusqlite::Result<()> {
    let Some((first, rest)) = group.split_first() else {
        return Ok(());
    };
    for other in rest {
        let (first, other) = (first.to_string(), other.to_string());
        change(
            transaction,
            "UPDATE models SET connection = ?1 WHERE connection = ?2",
            [&first, &other],
        )?;
        change(transaction, "DELETE FROM connections WHERE id = ?1", [&other])?;
    }
    Ok(())
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<ConnectionRecord> {
    Ok(ConnectionRecord {
        id: id(row, "id")?,
        label: row.get("label")?,
        wire: row.get("wire")?,
        base_url: row.get("base_url")?,
        headers: json(row, "headers")?,
        created: time(row, "created")?,
        unmerged: row.get("unmerged")?,
    })
}
