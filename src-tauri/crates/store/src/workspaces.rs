//! Workspaces: sets of folders a chat can belong to. A folder stands here by its canonical path; whether a server
//! may know of it stands in the shares. The workspace every chat begins in is always there and cannot be removed.

use jiff::Timestamp;
use rusqlite::{Row, TransactionBehavior, params};
use vestibule_protocol::{ChatId, WorkspaceId};

use crate::columns::{all, change, id, time};
use crate::{Store, StoreError};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkspaceRecord {
    pub id: WorkspaceId,
    /// What the user calls it; empty for the one every chat begins in.
    pub name: String,
    /// When it was made; kept to the millisecond.
    pub created: Timestamp,
}

/// A folder of a workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderRecord {
    pub workspace: WorkspaceId,
    pub path: String,
    /// When it was added; kept to the millisecond.
    pub added: Timestamp,
}

const MOVE_CHATS: &str = "UPDATE chats SET workspace = ?1 WHERE workspace = ?2";
/// Shares of folders that no workspace holds any more are over.
pub(crate) const DROP_ORPHANS: &str =
    "DELETE FROM shared_folders WHERE path NOT IN (SELECT path FROM folders)";

impl Store {
    /// All workspaces, oldest first; the one every chat begins in is the first.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if a row cannot be read; [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn workspaces(&self) -> Result<Vec<WorkspaceRecord>, StoreError> {
        self.read(|c| all(c, "SELECT * FROM workspaces ORDER BY created, id", [], workspace))
            .await
    }

    /// Adds a workspace or renames the one with the same id.
    ///
    /// # Errors
    /// As for every write: [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Busy`], [`StoreError::Io`].
    pub async fn put_workspace(&self, record: &WorkspaceRecord) -> Result<(), StoreError> {
        let record = record.clone();
        self.write(move |c| {
            change(
                c,
                "INSERT INTO workspaces (id, name, created) VALUES (?1, ?2, ?3)
                 ON CONFLICT (id) DO UPDATE SET name = ?2",
                params![
                    record.id.to_string(),
                    record.name,
                    record.created.as_millisecond()
                ],
            )?;
            Ok(())
        })
        .await
    }

    /// Removes a workspace with its folders. Its chats go back to the one every chat begins in.
    ///
    /// # Errors
    /// [`StoreError::Refused`] for that one itself; otherwise as for every write.
    pub async fn remove_workspace(&self, workspace: WorkspaceId) -> Result<(), StoreError> {
        if workspace == WorkspaceId::home() {
            let detail = "the workspace every chat begins in cannot be removed".to_owned();
            return Err(StoreError::Refused { detail });
        }
        let (home, gone) = (WorkspaceId::home().to_string(), workspace.to_string());
        let (to, from) = (home.clone(), gone.clone());
        self.change_temporary(move |c| Ok(change(c, MOVE_CHATS, [&to, &from]).map(drop)?))
            .await?;
        self.write(move |c| {
            let transaction = c.transaction_with_behavior(TransactionBehavior::Immediate)?;
            change(&transaction, MOVE_CHATS, [&home, &gone])?;
            change(&transaction, "DELETE FROM workspaces WHERE id = ?1", [&gone])?;
            change(&transaction, DROP_ORPHANS, [])?;
            Ok(transaction.commit()?)
        })
        .await
    }

    /// Moves a chat to another workspace. A chat that is gone changes nothing.
    ///
    /// # Errors
    /// As for every write: [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Busy`], [`StoreError::Io`].
    pub async fn set_chat_workspace(&self, chat: ChatId, workspace: WorkspaceId) -> Result<(), StoreError> {
        let (id, workspace) = (chat.to_string(), workspace.to_string());
        self.write_at(chat, move |c| {
            change(
                c,
                "UPDATE chats SET workspace = ?2 WHERE id = ?1",
                [&id, &workspace],
            )?;
            Ok(())
        })
        .await
    }

    /// All folders of all workspaces, in the order they were added.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if a row cannot be read; [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn folders(&self) -> Result<Vec<FolderRecord>, StoreError> {
        self.read(|c| all(c, "SELECT * FROM folders ORDER BY added, path", [], folder))
            .await
    }

    /// Adds a folder to a workspace. One that is there already stays as it is.
    ///
    /// # Errors
    /// [`StoreError::Refused`] if there is no such workspace; otherwise as for every write.
    pub async fn add_folder(&self, record: &FolderRecord) -> Result<(), StoreError> {
        let record = record.clone();
        self.write(move |c| {
            change(
                c,
                "INSERT INTO folders (workspace, path, added) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
                params![
                    record.workspace.to_string(),
                    record.path,
                    record.added.as_millisecond()
                ],
            )?;
            Ok(())
        })
        .await
    }

    /// Removes a folder from a workspace, and with its last place also what was shared of it.
    ///
    /// # Errors
    /// As for every write: [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Busy`], [`StoreError::Io`].
    pub async fn remove_folder(&self, workspace: WorkspaceId, path: &str) -> Result<(), StoreError> {
        let (workspace, path) = (workspace.to_string(), path.to_owned());
        self.write(move |c| {
            let transaction = c.transaction_with_behavior(TransactionBehavior::Immediate)?;
            change(
                &transaction,
                "DELETE FROM folders WHERE workspace = ?1 AND path = ?2",
                [&workspace, &path],
            )?;
            change(&transaction, DROP_ORPHANS, [])?;
            Ok(transaction.commit()?)
        })
        .await
    }
}

fn workspace(row: &Row<'_>) -> rusqlite::Result<WorkspaceRecord> {
    Ok(WorkspaceRecord {
        id: id(row, "id")?,
        name: row.get("name")?,
        created: time(row, "created")?,
    })
}

fn folder(row: &Row<'_>) -> rusqlite::Result<FolderRecord> {
    Ok(FolderRecord {
        workspace: id(row, "workspace")?,
        path: row.get("path")?,
        added: time(row, "added")?,
    })
}
