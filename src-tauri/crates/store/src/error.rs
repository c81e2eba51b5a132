//! What can go wrong with the store, sorted by what a caller does about it: update the app, free some space,
//! close the other copy, bring back a backup. Every message says what happened and what to try; none contains
//! the data that was to be written.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;
use rusqlite::ffi;
use vestibule_app_protocol::{InputProblem, Problem, StoreProblem};

/// Why the store could not do what it was asked.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// The file was written by a newer Vestibule. It has not been touched.
    #[error(
        "This data was written by a newer version of Vestibule (format {found}; this version knows formats up \
         to {known}). Nothing was changed. Update Vestibule to open it."
    )]
    Newer {
        /// The format the file has.
        found: i64,
        /// The newest format this build can read.
        known: i64,
    },
    /// No room left on the disk. The change was not made; everything saved before is intact.
    #[error(
        "Saving failed because the disk is full. What was saved before is safe. Free some space and try again."
    )]
    Full,
    /// The file or its folder cannot be written.
    #[error(
        "Saving failed because Vestibule's data can only be read. Check who may write to the folder and whether \
         the disk is read-only."
    )]
    ReadOnly,
    /// Another program holds SQLite's own lock for longer than this one waits.
    #[error("Vestibule's data is locked by another program. Close that program and try again.")]
    Busy,
    /// Another Vestibule has this folder open.
    #[error("Another Vestibule is using {}. Close it, then start this one again.", .path.display())]
    InUse {
        /// The database both want.
        path: PathBuf,
    },
    /// The file or a row in it cannot be understood.
    #[error("Vestibule's data is damaged ({detail}). Keep a copy of the file and restore a backup.")]
    Corrupt {
        /// What could not be read, for a report.
        detail: String,
    },
    /// The file is a database, but not one of ours.
    #[error("{} is not a Vestibule database. Nothing was changed. Choose another file.", .path.display())]
    Foreign {
        /// The file that was opened.
        path: PathBuf,
    },
    /// The thing named by the call is not, or no longer, kept here.
    #[error("There is no {what} {id}. It may have been removed in the meantime.")]
    Unknown {
        /// The kind of thing, for example `chat`.
        what: &'static str,
        /// The id or key that was looked for.
        id: String,
    },
    /// The change would break a rule of the store, for example an edit of the ledger.
    #[error("The change was refused: {detail}. Nothing was saved.")]
    Refused {
        /// The rule it would break.
        detail: String,
    },
    /// The value is larger or deeper than the store keeps.
    #[error("The {what} is too large to keep: {size} {unit}, the limit is {limit}. Nothing was saved.")]
    TooLarge {
        /// The kind of value.
        what: &'static str,
        /// How large it is.
        size: usize,
        /// The most the store keeps.
        limit: usize,
        /// What is counted: `bytes` or `levels`.
        unit: &'static str,
    },
    /// The store was closed before or during the call; a change may or may not have been made.
    #[error("Vestibule's data has been closed. Start Vestibule again.")]
    Closed,
    /// The operating system or SQLite failed in a way that has no better name here.
    #[error("Vestibule could not {tried}: {detail}. Check the disk and try again.")]
    Io {
        /// What was being attempted.
        tried: String,
        /// What the system said.
        detail: String,
    },
}

impl StoreError {
    pub(crate) fn from_io(tried: &str, path: &Path, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full,
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly,
            _ => Self::Io {
                tried: format!("{tried} {}", path.display()),
                detail: error.to_string(),
            },
        }
    }

    pub(crate) fn corrupt(detail: impl Into<String>) -> Self {
        Self::Corrupt {
            detail: detail.into(),
        }
    }

    /// Names the missing row when SQLite reports that a reference points nowhere.
    pub(crate) fn missing_reference(error: rusqlite::Error, what: &'static str, id: impl ToString) -> Self {
        match error.sqlite_error() {
            Some(failure) if failure.extended_code == ffi::SQLITE_CONSTRAINT_FOREIGNKEY => Self::Unknown {
                what,
                id: id.to_string(),
            },
            _ => error.into(),
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match &error {
            rusqlite::Error::SqliteFailure(failure, message) => from_failure(failure, message.as_deref()),
            rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::Utf8Error(..) => Self::corrupt(error.to_string()),
            _ => Self::Io {
                tried: "use its database".to_owned(),
                detail: error.to_string(),
            },
        }
    }
}

fn from_failure(failure: &ffi::Error, message: Option<&str>) -> StoreError {
    let detail = message.map_or_else(|| failure.to_string(), str::to_owned);
    match failure.code {
        ErrorCode::DiskFull => StoreError::Full,
        // On a full disk the shared memory of the write-ahead log cannot be made, which SQLite calls an I/O error.
        _ if failure.extended_code == ffi::SQLITE_IOERR_SHMSIZE => StoreError::Full,
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied => StoreError::ReadOnly,
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed => {
            StoreError::Busy
        }
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => StoreError::Corrupt { detail },
        ErrorCode::ConstraintViolation => StoreError::Refused { detail },
        _ => StoreError::Io {
            tried: "use its database".to_owned(),
            detail,
        },
    }
}

impl From<rusqlite_migration::Error> for StoreError {
    fn from(error: rusqlite_migration::Error) -> Self {
        match error {
            rusqlite_migration::Error::RusqliteError { err, .. } => err.into(),
            other => Self::Io {
                tried: "bring its database up to date".to_owned(),
                detail: other.to_string(),
            },
        }
    }
}

/// As the user reads it.
impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Full => Problem::Store(StoreProblem::DiskFull),
            StoreError::ReadOnly => Problem::Store(StoreProblem::ReadOnly),
            StoreError::Unknown { .. } => Problem::Input(InputProblem::Gone),
            StoreError::Newer { found, known } => {
                let format = |number: i64| u32::try_from(number).unwrap_or(u32::MAX);
                Problem::Store(StoreProblem::DataNewer {
                    found: format(found),
                    known: format(known),
                })
            }
            StoreError::InUse { path } => {
                let folder = path.parent().unwrap_or(&path);
                Problem::Store(StoreProblem::DataInUse {
                    folder: folder.display().to_string(),
                })
            }
            StoreError::Corrupt { .. } | StoreError::Foreign { .. } => {
                Problem::Store(StoreProblem::DataUnreadable {
                    detail: error.to_string(),
                })
            }
            other => Problem::Store(StoreProblem::StoreFailed {
                detail: other.to_string(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Opening a database is the first that fails there, before anything is written to it.
    #[test]
    fn a_full_disk_is_said_also_where_the_database_cannot_be_opened() {
        let failure = ffi::Error::new(ffi::SQLITE_IOERR_SHMSIZE);
        let error = StoreError::from(rusqlite::Error::SqliteFailure(failure, None));
        assert!(matches!(error, StoreError::Full), "{error:?}");
        let other = ffi::Error::new(ffi::SQLITE_IOERR_READ);
        let error = StoreError::from(rusqlite::Error::SqliteFailure(other, None));
        assert!(matches!(error, StoreError::Io { .. }), "{error:?}");
    }
}
