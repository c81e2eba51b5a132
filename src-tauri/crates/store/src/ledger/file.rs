//! The ledger of a file that need not be open here: for a command that checks it, also beside a running Vestibule,
//! and for copies. Nothing in the file is changed.

use std::path::Path;

use rusqlite::Connection;

use super::verify::{Verification, verify};
use super::{Checkpoint, LedgerReceipt, checkpoint, head};
use crate::{StoreError, file, schema};

/// A ledger to look at.
#[derive(Debug)]
pub struct LedgerFile(Connection);

impl LedgerFile {
    /// Opens the file for reading.
    ///
    /// # Errors
    /// [`StoreError::Foreign`], [`StoreError::Newer`], [`StoreError::Corrupt`] or [`StoreError::Io`] if there is no
    /// ledger to read.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let connection = file::open_read_only(path)?;
        if schema::check_format(&connection, path)? == 0 {
            return Err(StoreError::Foreign {
                path: path.to_owned(),
            });
        }
        Ok(Self(connection))
    }

    pub(crate) fn connection(&self) -> &Connection {
        &self.0
    }

    /// Checks every record.
    ///
    /// # Errors
    /// Only if the ledger cannot be read at all; what is wrong inside it is a [`Verification::Broken`].
    pub fn verify(&self) -> Result<Verification, StoreError> {
        verify(&self.0, &mut |_, _| {})
    }

    /// The newest record's number and hash; zeros while there is none or it is not known.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn head(&self) -> Result<Option<LedgerReceipt>, StoreError> {
        head(&self.0)
    }

    /// The hash of a record, if it is there.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn hash_of(&self, seq: i64) -> Result<Option<[u8; 32]>, StoreError> {
        checkpoint::hash_of(&self.0, seq)
    }

    /// Every checkpoint, oldest first.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn checkpoints(&self) -> Result<Vec<Checkpoint>, StoreError> {
        checkpoint::all_of(&self.0)
    }
}

/// Checks the ledger of a file; see [`LedgerFile`].
///
/// # Errors
/// As for [`LedgerFile::open`] and [`LedgerFile::verify`].
pub fn verify_file(path: &Path) -> Result<Verification, StoreError> {
    LedgerFile::open(path)?.verify()
}
