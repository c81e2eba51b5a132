//! Tasks of servers that go on, each with the entry of the call it came of. They go with their entry or their server.
//! Asking for a task is the host's.

use rusqlite::{Row, params};
use serde_json::Value;
use vestibule_protocol::{EntryId, ServerId};

use crate::columns::{all, bounded, change, id, json};
use crate::{Store, StoreError};

/// The longest record of a task, in bytes.
const LONGEST: usize = 8 * 1024;

/// A task that goes on.
#[derive(Clone, PartialEq)]
pub struct TaskRow {
    /// The entry of the call.
    pub entry: EntryId,
    pub server: ServerId,
    /// What has to be known to ask for it, in the host's terms.
    pub record: Value,
}

impl std::fmt::Debug for TaskRow {
    /// Without the record: the name of a task may be a secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TaskRow")
            .field("entry", &self.entry)
            .field("server", &self.server)
            .finish_non_exhaustive()
    }
}

impl Store {
    /// Keeps a task, in place of an earlier one of the same entry. One of a temporary chat is not kept: it is followed in
    /// this run alone.
    ///
    /// # Errors
    /// [`StoreError::Unknown`] if the entry or the server is gone, [`StoreError::TooLarge`] over 8 KiB; otherwise as
    /// for every write.
    pub async fn put_task(&self, task: &TaskRow) -> Result<(), StoreError> {
        if task.entry.is_temporary() {
            return Ok(());
        }
        let (entry, server) = (task.entry.to_string(), task.server.to_string());
        let record = bounded(task.record.to_string(), "task", LONGEST)?;
        self.change(move |c| {
            let sql = "INSERT INTO tasks (entry, server, record) SELECT ?1, ?2, ?3
                       WHERE EXISTS (SELECT 1 FROM entries WHERE id = ?1)
                       AND EXISTS (SELECT 1 FROM servers WHERE id = ?2)
                       ON CONFLICT (entry) DO UPDATE SET server = ?2, record = ?3";
            match change(c, sql, params![entry, server, record])? {
                0 => Err(StoreError::Unknown {
                    what: "chat entry",
                    id: entry.clone(),
                }),
                _ => Ok(()),
            }
        })
        .await
    }

    /// All tasks, oldest first.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if a row cannot be read; [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn tasks(&self) -> Result<Vec<TaskRow>, StoreError> {
        self.read(|c| all(c, "SELECT * FROM tasks ORDER BY entry", [], from_row))
            .await
    }

    /// Forgets a task. Forgetting one that is not there changes nothing.
    ///
    /// # Errors
    /// As for every write.
    pub async fn remove_task(&self, entry: EntryId) -> Result<(), StoreError> {
        self.change(move |c| {
            change(
                c,
                "DELETE FROM tasks WHERE entry = ?1",
                params![entry.to_string()],
            )?;
            Ok(())
        })
        .await
    }
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<TaskRow> {
    Ok(TaskRow {
        entry: id(row, "entry")?,
        server: id(row, "server")?,
        record: json(row, "record")?,
    })
}
