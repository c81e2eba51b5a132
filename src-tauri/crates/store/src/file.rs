//! Opens the one file: takes the folder's lock, looks at the format before anything is written, and sets up a connection
//! that flushes each commit. Refusals come before the first byte is changed.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::private::create_private_folders;
use crate::truncation::truncate_left_log;
use crate::{StoreError, schema, settings};

/// How long SQLite waits for another program's lock before [`StoreError::Busy`].
const LOCK_WAIT: Duration = Duration::from_secs(5);

/// How long the lock may take to come free. A process that was killed while it started another leaves everything it
/// had open to that one, until it has become its program: on a busy computer that is a noticeable moment.
const LOCK_LEFT: Duration = Duration::from_secs(1);

/// How often the lock is tried meanwhile.
const LOCK_TRY: Duration = Duration::from_millis(10);

/// Prepared statements each connection keeps.
const STATEMENTS: usize = 64;

/// Bytes SQLite may take for one row or text, also from a file that another program edited.
const MAX_ROW: i32 = 128 * 1024 * 1024;

/// Bytes of write-ahead log that stay on the disk once they are merged into the file.
const LOG_KEPT: i64 = 16 * 1024 * 1024;

/// The lock that keeps a second Vestibule out. Held as long as the value lives; the system frees it when the
/// process ends, however it ends.
pub(crate) struct FolderLock(#[allow(dead_code, reason = "held, never read")] File);

/// Takes the lock beside `path`, making the folder if it is not there. Waits a moment for a lock that is taken.
pub(crate) fn lock(path: &Path) -> Result<FolderLock, StoreError> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        create_private_folders(folder)
            .map_err(|error| StoreError::from_io("make the folder", folder, &error))?;
    }
    let lock = beside(path, ".lock");
    let file = private()
        .truncate(false)
        .open(&lock)
        .map_err(|error| StoreError::from_io("open the lock", &lock, &error))?;
    let patience = Instant::now() + LOCK_LEFT;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(FolderLock(file)),
            Err(TryLockError::WouldBlock) if Instant::now() < patience => thread::sleep(LOCK_TRY),
            Err(TryLockError::WouldBlock) => {
                return Err(StoreError::InUse {
                    path: path.to_owned(),
                });
            }
            Err(TryLockError::Error(error)) => return Err(StoreError::from_io("lock", &lock, &error)),
        }
    }
}

/// Opens `path` for writing, makes it if needed and brings it to the newest format.
pub(crate) fn open_writer(path: &Path) -> Result<Connection, StoreError> {
    if path.exists() {
        // Looked at read-only first: a file that is refused stays byte for byte as it was.
        schema::check_format(&open_read_only(path)?, path)?;
    } else {
        create(path)?;
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    if connection.is_readonly("main")? {
        return Err(StoreError::ReadOnly);
    }
    let mode: String = connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    if !mode.eq_ignore_ascii_case("wal") {
        return Err(StoreError::Io {
            tried: format!("use a write-ahead log beside {}", path.display()),
            detail: format!("SQLite offers {mode} here"),
        });
    }
    prepare(&mut connection)?;
    let emptied = settings::delete_of_no_chat(&connection);
    if let Err(error) = emptied.and_then(|()| truncate_left_log(&connection, LOCK_WAIT)) {
        tracing::warn!(%error, "failed to delete what an earlier run left of deleted chats");
    }
    Ok(connection)
}

/// A database that lives only in memory.
pub(crate) fn open_memory() -> Result<Connection, StoreError> {
    let mut connection = Connection::open_in_memory()?;
    prepare(&mut connection)?;
    Ok(connection)
}

/// Opens `path` for reading only; never creates or changes the file.
pub(crate) fn open_read_only(path: &Path) -> Result<Connection, StoreError> {
    // SQLite's own words for a missing file do not name it.
    fs::metadata(path).map_err(|error| StoreError::from_io("read", path, &error))?;
    let attempt = read_only(path, false);
    // A write-ahead log needs a shared-memory file beside it. Where the folder cannot be written and there is
    // no log, the file alone is the whole truth and may be read as it lies.
    let connection = match attempt {
        Err(error) if cannot_open(&error) && !beside(path, "-wal").exists() => read_only(path, true)?,
        other => other?,
    };
    Ok(connection)
}

fn read_only(path: &Path, immutable: bool) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = if immutable {
        let uri = format!("file:{}?immutable=1", uri_path(path));
        Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_URI)?
    } else {
        Connection::open_with_flags(path, flags)?
    };
    set_up(&connection)?;
    // Opening is lazy; the first read shows whether it can be done at all.
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    Ok(connection)
}

fn uri_path(path: &Path) -> String {
    path.to_string_lossy()
        .replace('%', "%25")
        .replace('?', "%3f")
        .replace('#', "%23")
}

fn cannot_open(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly)
    )
}

fn prepare(connection: &mut Connection) -> Result<(), StoreError> {
    set_up(connection)?;
    // FULL: a commit returns only after the log is on the disk.
    connection.pragma_update(None, "synchronous", "FULL")?;
    // A long reading lets the log grow; afterwards it shrinks again.
    connection.pragma_update(None, "journal_size_limit", LOG_KEPT)?;
    // What is deleted is overwritten, not only unlinked.
    connection.pragma_update(None, "secure_delete", "ON")?;
    // On macOS a plain sync stops at the drive's cache; elsewhere these two do nothing.
    connection.pragma_update(None, "fullfsync", "ON")?;
    connection.pragma_update(None, "checkpoint_fullfsync", "ON")?;
    schema::MIGRATIONS.to_latest(connection)?;
    Ok(())
}

fn set_up(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(LOCK_WAIT)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_ROW)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    // Otherwise rows of a large sort, and copies of pages that a statement changes, reach files in the folder for temporary
    // files of all accounts, where nothing overwrites them.
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "foreign_keys", "ON")
}

fn create(path: &Path) -> Result<(), StoreError> {
    let failed = |error| StoreError::from_io("create", path, &error);
    private()
        .truncate(false)
        .open(path)
        .map_err(failed)?
        .sync_all()
        .map_err(failed)?;
    // The name of a new file is data of its folder.
    #[cfg(unix)]
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        File::open(folder)
            .and_then(|folder| folder.sync_all())
            .map_err(failed)?;
    }
    Ok(())
}

/// Options for files that no other account on this computer may read.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}
