//! The whole database as one file, and such a file in the place of the database. The copy is made page by page, so its
//! rows, signatures and ledger are the same. It has no secret, because the database has none.
//!
//! A chosen backup waits in a folder beside the database. It takes the place of the database when the store is opened the
//! next time, before anything else is read; the database of before is moved to a folder of its own. Each step can be
//! interrupted and is finished by the next start.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};
use vestibule_app_protocol::DataCounts;

use crate::private::{create_private_file, create_private_folders};
use crate::{Store, StoreError, file};

/// The folder in which a chosen backup waits.
const WAITING: &str = "restore";
/// The file in it that says that the user confirmed it. Its content is the name of the folder for the data of before.
const CONFIRMED: &str = "confirmed";
/// The folder that holds the folders of data that was replaced.
const REPLACED: &str = "replaced";
/// The files of a database, by what follows its name. The file itself is last: once it is moved, all are.
const PARTS: [&str; 3] = ["-wal", "-shm", ""];

impl Store {
    /// Copies the database as it is now into `target`, an empty file. Blocks while it copies; others read and write meanwhile.
    ///
    /// # Errors
    /// When one of the files cannot be read or written, or the store is in memory.
    pub fn write_backup(&self, target: &Path) -> Result<(), StoreError> {
        let path = self.path().ok_or_else(|| StoreError::Refused {
            detail: "a database in memory has no backup".to_owned(),
        })?;
        let reading = self.truncation().begin_reading();
        let copied = copy(path, target);
        drop(reading);
        self.truncate_due_log();
        copied
    }

    /// How much is kept.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn counts(&self) -> Result<DataCounts, StoreError> {
        self.read(|connection| {
            let count = |table: &str| -> Result<u32, StoreError> {
                let count =
                    connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0))?;
                Ok(count)
            };
            let newest = "SELECT at FROM ledger ORDER BY seq DESC LIMIT 1";
            let mut newest = connection.prepare(newest)?;
            let newest_ms = newest.query_map([], |row| row.get(0))?.next().transpose()?;
            Ok(DataCounts {
                chats: count("chats")?,
                messages: count("entries WHERE json_extract(body, '$.kind') IN ('user', 'assistant')")?,
                servers: count("servers")?,
                rules: count("rules")?,
                records: count("ledger")?,
                newest_ms,
            })
        })
        .await
    }

    /// Whether each page and index of the file can be read.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] with the first thing that is wrong.
    pub async fn check_pages(&self) -> Result<(), StoreError> {
        self.read(|connection| {
            let found: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
            match found.as_str() {
                "ok" => Ok(()),
                _ => Err(StoreError::corrupt(found)),
            }
        })
        .await
    }
}

/// Copies the database at `path` as it is now into `target`, an empty file.
fn copy(path: &Path, target: &Path) -> Result<(), StoreError> {
    let source = file::open_read_only(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut copy = Connection::open_with_flags(target, flags)?;
    // In one step, so that no write in between makes it begin again.
    match Backup::new(&source, &mut copy)?.step(-1)? {
        StepResult::Done => {}
        _ => return Err(StoreError::Busy),
    }
    // Without a write-ahead log the one file is the whole of it.
    copy.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(()))?;
    drop(copy);
    let synced = File::open(target).and_then(|file| file.sync_all());
    synced.map_err(|error| StoreError::from_io("write", target, &error))
}

/// A backup that waits to be restored.
pub struct WaitingBackup {
    database: PathBuf,
}

impl WaitingBackup {
    /// The one that waits beside this database.
    #[must_use]
    pub fn beside(database: &Path) -> Self {
        Self {
            database: database.to_owned(),
        }
    }

    /// Creates the file for it, in place of one that waited before.
    ///
    /// # Errors
    /// When the folder or the file cannot be made.
    pub fn create(&self) -> Result<(PathBuf, File), StoreError> {
        self.remove()?;
        let path = self.path();
        let created = create_private_folders(&self.folder()).and_then(|()| create_private_file(&path));
        let file = created.map_err(|error| StoreError::from_io("create", &path, &error))?;
        Ok((path, file))
    }

    /// Has it restored at the next start. The data of before is then in [`Self::kept_in`].
    ///
    /// # Errors
    /// When that cannot be written.
    pub fn confirm(&self, name: &str) -> Result<(), StoreError> {
        let confirmed = self.folder().join(CONFIRMED);
        let part = self.folder().join("confirmed.part");
        let write = || {
            fs::write(&part, name)?;
            File::open(&part)?.sync_all()?;
            File::open(self.path())?.sync_all()?;
            fs::rename(&part, &confirmed)?;
            sync_folder(&self.folder())
        };
        write().map_err(|error| StoreError::from_io("write", &confirmed, &error))
    }

    /// Forgets the backup that waits for the next start.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove(&self) -> Result<(), StoreError> {
        let folder = self.folder();
        match fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(StoreError::from_io("remove", &folder, &error))
            }
            _ => Ok(()),
        }
    }

    /// The folder to which a restore of this name moves the data of before.
    #[must_use]
    pub fn kept_in(&self, name: &str) -> PathBuf {
        self.database.with_file_name(REPLACED).join(name)
    }

    fn folder(&self) -> PathBuf {
        self.database.with_file_name(WAITING)
    }

    fn path(&self) -> PathBuf {
        self.folder().join(self.database.file_name().unwrap_or_default())
    }

    /// Puts a confirmed backup in the place of the database. One that was not confirmed is forgotten.
    pub(crate) fn restore(&self) -> Result<(), StoreError> {
        let path = self.path();
        if let Ok(name) = fs::read_to_string(self.folder().join(CONFIRMED))
            && is_name(&name)
            && path.exists()
        {
            self.replace(&path, &self.kept_in(&name))
                .map_err(|error| StoreError::from_io("restore", &path, &error))?;
            tracing::info!(kept_in = %self.kept_in(&name).display(), "restored a backup");
        }
        self.remove()
    }

    fn replace(&self, path: &Path, kept_in: &Path) -> std::io::Result<()> {
        create_private_folders(kept_in)?;
        for part in PARTS {
            let from = file::beside(&self.database, part);
            if from.exists() {
                fs::rename(
                    &from,
                    file::beside(&kept_in.join(self.database.file_name().unwrap_or_default()), part),
                )?;
            }
        }
        sync_folder(kept_in)?;
        for part in PARTS {
            let from = file::beside(path, part);
            if from.exists() {
                fs::rename(&from, file::beside(&self.database, part))?;
            }
        }
        self.database.parent().map_or(Ok(()), sync_folder)
    }
}

/// Whether the file of a confirmed backup names a folder inside the one for replaced data.
fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|one| one.is_ascii_alphanumeric() || one == '-')
}

/// A file that was renamed is data of its folder.
fn sync_folder(folder: &Path) -> std::io::Result<()> {
    if cfg!(unix) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
