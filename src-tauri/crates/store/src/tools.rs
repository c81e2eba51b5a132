//! The tool definitions and instructions the user has accepted, each with its digest. The store keeps them as they were shown;
//! whether a definition is still the approved one is decided elsewhere.

use jiff::Timestamp;
use rusqlite::{Row, params};
use serde_json::Value;
use vestibule_protocol::ServerId;

use crate::columns::{all, change, id, json, json_text, time};
use crate::signed::RowRef;
use crate::{Store, StoreError};

/// One tool as it was when the user accepted it.
#[derive(Clone, Debug, PartialEq)]
pub struct ApprovedTool {
    /// The server that offers it.
    pub server: ServerId,
    /// The tool's name on that server.
    pub name: String,
    /// The digest the approval is bound to.
    pub digest: String,
    /// The whole definition, to show what changed.
    pub definition: Value,
    /// When it was accepted; kept to the millisecond.
    pub approved: Timestamp,
}

impl ApprovedTool {
    /// The name that the instructions of a server are kept under. No tool has it.
    pub const INSTRUCTIONS: &str = "";
}

impl Store {
    /// The accepted tools of one server, by name.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if a row cannot be read; [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn approved_tools(&self, server: ServerId) -> Result<Vec<ApprovedTool>, StoreError> {
        self.read(move |c| {
            let sql = "SELECT * FROM approved_tools WHERE server = ?1 AND name <> '' ORDER BY name";
            all(c, sql, [server.to_string()], from_row)
        })
        .await
    }

    /// Keeps an accepted definition in place of the earlier one, if any.
    ///
    /// # Errors
    /// [`StoreError::Unknown`] if the server is not kept here; otherwise as for every write.
    pub async fn approve_tool(&self, tool: &ApprovedTool) -> Result<(), StoreError> {
        self.approve_tools(std::slice::from_ref(tool)).await
    }

    /// Keeps accepted definitions as one change: all of them or none, with a single wait for the disk.
    ///
    /// # Errors
    /// As [`Store::approve_tool`].
    pub async fn approve_tools(&self, tools: &[ApprovedTool]) -> Result<(), StoreError> {
        let mut rows = Vec::with_capacity(tools.len());
        for tool in tools {
            let definition = json_text(&tool.definition, "tool definition")?;
            let (name, digest) = (tool.name.clone(), tool.digest.clone());
            rows.push((
                tool.server,
                name,
                digest,
                definition,
                tool.approved.as_millisecond(),
            ));
        }
        self.change_signed(move |c, changes| {
            for (server, name, digest, definition, approved) in rows {
                change(
                    c,
                    "INSERT INTO approved_tools (server, name, digest, definition, approved)
                     VALUES (?1, ?2, ?3, ?4, ?5)
                     ON CONFLICT (server, name) DO UPDATE SET digest = ?3, definition = ?4, approved = ?5",
                    params![server.to_string(), name, digest, definition, approved],
                )
                .map_err(|error| StoreError::missing_reference(error, "server", server))?;
                changes.sign(RowRef::tool(server, &name));
            }
            Ok(())
        })
        .await
    }

    /// Forgets the approval of one tool. Forgetting one that is not there changes nothing.
    ///
    /// # Errors
    /// As for every write: [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Busy`], [`StoreError::Io`].
    pub async fn forget_tool(&self, server: ServerId, name: &str) -> Result<(), StoreError> {
        self.delete_row(RowRef::tool(server, name)).await
    }
}

pub(crate) fn from_row(row: &Row<'_>) -> rusqlite::Result<ApprovedTool> {
    Ok(ApprovedTool {
        server: id(row, "server")?,
        name: row.get("name")?,
        digest: row.get("digest")?,
        definition: json(row, "definition")?,
        approved: time(row, "approved")?,
    })
}
